/** SQL: today's business day, a date. */
export const TODAY = `(now() AT TIME ZONE 'Asia/Shanghai')::date`;

/** SQL: the business day of an instant, a date. */
export const dayOf = (instant: string): string => `(${instant} AT TIME ZONE 'Asia/Shanghai')::date`;
