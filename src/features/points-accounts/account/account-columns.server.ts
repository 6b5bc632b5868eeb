import type { Parameters } from '../../../kernel/server/people/scope.ts';

/** SQL: number a reader knows a source by; `t` has source_type and source_id. */
export const BUSINESS_NO = `CASE t.source_type
  WHEN 'sales_order' THEN (SELECT o.code FROM sales_order o WHERE o.id::text = t.source_id)
  WHEN 'refund' THEN (SELECT r.code FROM refund r WHERE r.id::text = t.source_id)
  WHEN 'points_adjustment' THEN (SELECT j.code FROM points_adjustment j WHERE j.id::text = t.source_id)
  WHEN 'points_grant_batch' THEN (SELECT b.code FROM points_grant_line gl JOIN points_grant_batch b ON b.id = gl.batch_id WHERE gl.id::text = t.source_id)
  WHEN 'points_return' THEN (SELECT g.order_code FROM points_return_grant g WHERE g.id::text = t.source_id)
  WHEN 'points_redemption' THEN (SELECT x.code FROM points_redemption x WHERE x.id::text = t.source_id)
  WHEN 'points_lot' THEN 'L' || t.source_id
  ELSE t.source_id END`;
/** SQL: the rule of `t`. */
export const RULE_TITLE = `(SELECT r.code || ' ' || r.name FROM points_rule r WHERE r.id = t.rule_id)`;
/** The account a row hangs on, and its member. */
export const ACCOUNT_REF = { id: 't.member_id', title: 'm.name' };

/** Filter of a list by accounts: of a single one, the usual case, an index gives the list its order. */
export const byAccount =
  (one: (id: string) => string, many: string) =>
  (value: string, parameters: Parameters): string => {
    const ids = value.split(',').map(Number);
    return ids.length === 1
      ? one(`${parameters.bind(ids[0])}::bigint`)
      : `${many} = ANY(${parameters.bind(ids)}::bigint[])`;
  };
