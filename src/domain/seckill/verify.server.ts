import type { Label } from '../../kernel/contract/label.ts';
import { run, type Executor } from '../../kernel/server/database.ts';
import type { Invariant } from '../../kernel/server/registration.ts';
import { sqlInvariant } from '../../kernel/server/sql-invariant.ts';
import type { SeckillEquation } from './seckill.rules.ts';

/** Net copies each item took from the shelf (op 7 less op 8), by its movements. */
const SHELF = `SELECT x.item_id, -sum(x.qty) AS net FROM (
    SELECT source_id::bigint AS item_id, qty FROM stock_movement WHERE source_type = 'seckill_item'
    UNION ALL SELECT split_part(source_id, ':', 1)::bigint, qty FROM stock_movement WHERE source_type = 'seckill_change'
    UNION ALL SELECT c.item_id, s.qty FROM stock_movement s JOIN seckill_claim c ON c.order_id = s.source_id::bigint
               WHERE s.source_type = 'activity_order' AND s.op = 8) x GROUP BY 1`;
const PUBLISHED = `i.state IN ('scheduled', 'running', 'paused', 'ended', 'cancelled')`;

/** Both sides of every equation of an activity's items. Source: group 16, mk_seckillActivityManagement_detail, verification. */
export async function equationsOf(db: Executor, activityId: number): Promise<SeckillEquation[]> {
  const items = await run<{
    label: string;
    reserved: number;
    placed: number;
    held: number;
    sold: number;
    returned: number;
    claims_held: number;
    claims_paid: number;
    net: number;
    over: boolean;
    most: number;
    limit: number;
  }>(
    db,
    `SELECT n.position || ' · ' || p.name || ' ' || s.name AS label, i.reserved, i.remaining + i.held + i.sold + i.returned AS placed,
            i.held, i.sold, i.returned, i.per_member_limit AS limit, i.state IN ('ended', 'cancelled') AS over,
            coalesce(c.held, 0)::int AS claims_held, coalesce(c.paid, 0)::int AS claims_paid, coalesce(h.net, 0)::int AS net, coalesce(m.most, 0)::int AS most
       FROM seckill_item i JOIN seckill_session n ON n.id = i.session_id JOIN product_spec s ON s.id = i.spec_id JOIN product p ON p.id = i.product_id
       LEFT JOIN (SELECT item_id, sum(qty) FILTER (WHERE state = 'held') AS held, sum(qty) FILTER (WHERE state = 'paid') AS paid
                    FROM seckill_claim WHERE activity_id = $1 GROUP BY 1) c ON c.item_id = i.id
       LEFT JOIN (${SHELF}) h ON h.item_id = i.id
       LEFT JOIN (SELECT item_id, max(qty) AS most FROM (SELECT item_id, member_id, sum(qty - restored) AS qty FROM seckill_claim
                    WHERE activity_id = $1 AND state <> 'released' GROUP BY 1, 2) x GROUP BY 1) m ON m.item_id = i.id
      WHERE i.activity_id = $1 AND ${PUBLISHED} ORDER BY n.position, i.position, i.id`,
    [activityId],
  );
  return items.flatMap((item) => {
    const of = (name: Label, left: number, right: number, ok = left === right): SeckillEquation => ({
      name: [`${item.label}：${name[0]}`, `${item.label}: ${name[1]}`],
      left,
      right,
      ok,
    });
    return [
      of(
        ['预留 = 剩余 + 占用 + 已售 + 归还', 'reserved = remaining + held + sold + returned'],
        item.reserved,
        item.placed,
      ),
      of(['占用 = 待支付的抢购', 'held = unpaid claims'], item.held, item.claims_held),
      of(['已售 = 已支付的抢购', 'sold = paid claims'], item.sold, item.claims_paid),
      ...(item.over
        ? [
            of(
              ['预留流水 − 归还流水 = 已售 + 占用', 'op 7 − op 8 = sold + held'],
              item.net,
              item.sold + item.held,
            ),
          ]
        : [
            of(
              ['预留流水 − 归还流水 = 预留 − 归还', 'op 7 − op 8 = reserved − returned'],
              item.net,
              item.reserved - item.returned,
            ),
          ]),
      of(['每人抢购 ≤ 每人限购', 'per member ≤ limit'], item.most, item.limit, item.most <= item.limit),
    ];
  });
}

/** What must hold between items, claims, orders, counters and the shelf at any time. Source: group 16, Shared rules. */
export const seckillInvariants: readonly Invariant[] = [
  sqlInvariant(
    'seckill.copies',
    `SELECT 'item ' || i.id AS what, ARRAY[i.held, i.sold, i.refunded]::bigint[] AS found,
            ARRAY[coalesce(c.held, 0), coalesce(c.paid, 0), coalesce(c.refunded, 0)]::bigint[] AS wanted
       FROM seckill_item i LEFT JOIN (SELECT item_id, sum(qty) FILTER (WHERE state = 'held') AS held,
         sum(qty) FILTER (WHERE state = 'paid') AS paid, sum(refunded) AS refunded FROM seckill_claim GROUP BY 1) c ON c.item_id = i.id`,
  ),
  sqlInvariant(
    'seckill.equation',
    `SELECT 'item ' || i.id AS what, ARRAY[i.reserved]::bigint[] AS found, ARRAY[i.remaining + i.held + i.sold + i.returned]::bigint[] AS wanted
       FROM seckill_item i`,
  ),
  sqlInvariant(
    'seckill.orders',
    // A claim's state follows from its order: unpaid held, paid paid, closed unpaid released.
    `SELECT 'order ' || o.code || ' ' || o.state || '/' || c.state AS what, ARRAY[1]::bigint[] AS found,
            ARRAY[CASE c.state WHEN 'held' THEN (o.state = 'pending_payment')::int WHEN 'paid' THEN (o.state <> 'pending_payment' AND o.paid_at IS NOT NULL)::int
              ELSE (o.state = 'closed')::int END]::bigint[] AS wanted
       FROM seckill_claim c JOIN sales_order o ON o.id = c.order_id`,
  ),
  sqlInvariant(
    'seckill.limits',
    `SELECT 'member ' || c.member_id || ' item ' || c.subject_id AS what, ARRAY[c.qty]::bigint[] AS found, ARRAY[coalesce(x.qty, 0)]::bigint[] AS wanted
       FROM purchase_counter c LEFT JOIN (SELECT member_id, item_id, sum(qty - restored) AS qty FROM seckill_claim WHERE state <> 'released' GROUP BY 1, 2) x
         ON x.member_id = c.member_id AND x.item_id = c.subject_id WHERE c.subject = 'seckill_item'`,
  ),
  sqlInvariant(
    'seckill.shelf',
    `SELECT 'item ' || i.id AS what, ARRAY[i.reserved - i.returned]::bigint[] AS found, ARRAY[coalesce(h.net, 0)]::bigint[] AS wanted
       FROM seckill_item i LEFT JOIN (${SHELF}) h ON h.item_id = i.id WHERE ${PUBLISHED}`,
  ),
  sqlInvariant(
    'seckill.occupied',
    `SELECT 'item ' || i.id AS what, ARRAY[1]::bigint[] AS found, ARRAY[count(o.id)]::bigint[] AS wanted
       FROM seckill_item i LEFT JOIN promotion_occupancy o ON o.spec_id = i.spec_id AND o.kind = 'seckill' AND o.source_id = i.activity_id
        AND lower(o.period) = i.starts_at AND upper(o.period) = i.ends_at
      WHERE i.state IN ('scheduled', 'running', 'paused') GROUP BY i.id`,
  ),
];
