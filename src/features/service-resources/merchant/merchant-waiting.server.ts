/** Working days an application waits: those of the calendar, else Monday to Friday. */
export const WAITING_DAYS = `(SELECT count(*)::int FROM generate_series((t.applied_at AT TIME ZONE 'Asia/Shanghai')::date + 1, (now() AT TIME ZONE 'Asia/Shanghai')::date, interval '1 day') AS d (day)
  LEFT JOIN business_calendar b ON b.day = d.day::date WHERE coalesce(b.type = 'workday', extract(isodow FROM d.day) < 6))`;
const REVIEW_DAYS = `coalesce((SELECT (s.value #>> '{}')::int FROM setting s WHERE s.key = 'merchant.review_days'), 3)`;
/** SQL: applications that wait for so many times the days a review may take. */
export const reviewOverdue = (times: number): string =>
  `t.merchant_state = 'in_review' AND ${WAITING_DAYS} >= ${times} * ${REVIEW_DAYS}`;
