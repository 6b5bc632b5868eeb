/** SQL: today's business day, a date. */
export const TODAY = `(now() AT TIME ZONE 'Asia/Shanghai')::date`;
