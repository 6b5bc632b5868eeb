/** Days a comment counts. Source: group 07, service people. */
const DAYS = 180;
/** Fewer comments give no score. */
export const COMMENTS_LEAST = 5;

/** Whose comments: an SQL condition over the comment `c`. */
const counted = (of: string): string =>
  `FROM order_comment c WHERE ${of} AND c.state = 'shown' AND c.created_at > now() - interval '${DAYS} days'`;

/** SQL: comments of the last 180 days that are shown, of what the condition over `c` names. */
export const commentCount = (of: string): string => `(SELECT count(*)::int ${counted(of)})`;

/** SQL: their average with one decimal as text; null for fewer than five. The one definition of every score. */
export const commentScore = (of: string): string =>
  `(SELECT CASE WHEN count(*) >= ${COMMENTS_LEAST} THEN round(avg(c.stars), 1)::text END ${counted(of)})`;

/** SQL: comments `c` of orders with a product (an expression for its id). */
export const ofProduct = (id: string): string =>
  `EXISTS (SELECT FROM order_line l WHERE l.order_id = c.order_id AND l.product_id = ${id})`;
