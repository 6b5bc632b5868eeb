/** SQL: today's business day, a date. */
export const TODAY = `(now() AT TIME ZONE 'Asia/Shanghai')::date`;

/** SQL: when today's business day began. */
export const START_OF_TODAY = `(date_trunc('day', now() AT TIME ZONE 'Asia/Shanghai') AT TIME ZONE 'Asia/Shanghai')`;

/** SQL: the business day of an instant, a date. */
export const dayOf = (instant: string): string => `(${instant} AT TIME ZONE 'Asia/Shanghai')::date`;
