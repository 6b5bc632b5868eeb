import type { Invariant } from '../../kernel/server/registration.ts';
import { sqlInvariant } from '../../kernel/server/sql-invariant.ts';

/** What must hold between items, teams, seats, orders, counters and the shelf at any time. Source: group 16, Shared rules. */
export const groupBuyInvariants: readonly Invariant[] = [
  sqlInvariant(
    'group_buy.copies',
    // Held and sold copies are those of the seats.
    `SELECT 'item ' || i.id AS what, ARRAY[i.held, i.sold]::bigint[] AS found, ARRAY[coalesce(m.held, 0), coalesce(m.sold, 0)] AS wanted
       FROM group_buy_item i LEFT JOIN (SELECT item_id, sum(qty) FILTER (WHERE state = 'held') AS held,
         sum(qty) FILTER (WHERE joined_at IS NOT NULL AND NOT given_back) AS sold FROM group_buy_member GROUP BY 1) m ON m.item_id = i.id`,
  ),
  sqlInvariant(
    'group_buy.equation',
    `SELECT 'item ' || i.id AS what, ARRAY[i.reserved]::bigint[] AS found, ARRAY[i.remaining + i.held + i.sold + i.returned]::bigint[] AS wanted
       FROM group_buy_item i`,
  ),
  sqlInvariant(
    'group_buy.seats',
    `SELECT 'team ' || t.code AS what, ARRAY[t.held_seats, t.joined]::bigint[] AS found, ARRAY[coalesce(m.held, 0), coalesce(m.joined, 0)] AS wanted
       FROM group_buy_team t LEFT JOIN (SELECT team_id, count(*) FILTER (WHERE state = 'held') AS held,
         count(*) FILTER (WHERE joined_at IS NOT NULL) AS joined FROM group_buy_member GROUP BY 1) m ON m.team_id = t.id`,
  ),
  sqlInvariant(
    'group_buy.orders',
    // A seat's state follows from its order: unpaid held, paid joined, closed released or refunded.
    `SELECT 'order ' || o.code || ' ' || o.state || '/' || m.state AS what, ARRAY[1]::bigint[] AS found,
            ARRAY[CASE m.state WHEN 'held' THEN (o.state = 'pending_payment')::int
              WHEN 'joined' THEN (o.state NOT IN ('pending_payment', 'closed') AND o.paid_at IS NOT NULL)::int
              ELSE (o.state = 'closed')::int END]::bigint[] AS wanted
       FROM group_buy_member m JOIN sales_order o ON o.id = m.order_id`,
  ),
  sqlInvariant(
    'group_buy.formed',
    // Orders wait while their team forms and not a moment longer.
    `SELECT 'team ' || t.code AS what, ARRAY[count(*) FILTER (WHERE o.state = 'grouping')]::bigint[] AS found,
            ARRAY[count(*) FILTER (WHERE t.state = 'forming' AND m.state = 'joined')]::bigint[] AS wanted
       FROM group_buy_team t JOIN group_buy_member m ON m.team_id = t.id JOIN sales_order o ON o.id = m.order_id GROUP BY t.id`,
  ),
  sqlInvariant(
    'group_buy.limits',
    // A member's counter is what its live and formed orders took.
    `SELECT 'member ' || c.member_id || ' item ' || c.subject_id AS what, ARRAY[c.qty]::bigint[] AS found, ARRAY[coalesce(m.qty, 0)] AS wanted
       FROM purchase_counter c LEFT JOIN (SELECT member_id, item_id, sum(qty) AS qty FROM group_buy_member
         WHERE state <> 'released' AND NOT given_back GROUP BY 1, 2) m ON m.member_id = c.member_id AND m.item_id = c.subject_id
      WHERE c.subject = 'group_buy_item'`,
  ),
  sqlInvariant(
    'group_buy.shelf',
    // What an item took from the shelf and gave back (op 7, 8) is what it reserved and returned.
    `SELECT 'item ' || i.id AS what, ARRAY[i.reserved - i.returned]::bigint[] AS found, ARRAY[coalesce(m.net, 0)] AS wanted
       FROM group_buy_item i LEFT JOIN (
         SELECT x.item_id, -sum(x.qty) AS net FROM (
           SELECT source_id::bigint AS item_id, qty FROM stock_movement WHERE source_type = 'group_buy_item'
           UNION ALL SELECT split_part(source_id, ':', 1)::bigint, qty FROM stock_movement WHERE source_type = 'group_buy_change'
           UNION ALL SELECT g.item_id, s.qty FROM stock_movement s JOIN group_buy_member g ON g.order_id = s.source_id::bigint
                      WHERE s.source_type = 'activity_order' AND s.op = 8) x GROUP BY 1) m ON m.item_id = i.id
      WHERE i.state IN ('published', 'ended') AND i.takes_stock`,
  ),
  sqlInvariant(
    'group_buy.occupied',
    // While it is announced or running, every spec is marked.
    `SELECT 'item ' || i.id AS what, ARRAY[1]::bigint[] AS found, ARRAY[count(o.id)] AS wanted
       FROM group_buy_item i LEFT JOIN promotion_occupancy o ON o.spec_id = i.spec_id AND o.kind = 'group' AND o.source_id = i.group_buy_id
      WHERE i.state = 'published' GROUP BY i.id`,
  ),
];
