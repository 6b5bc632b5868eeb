import type { Invariant } from '../../../kernel/server/registration.ts';
import { sqlInvariant } from '../../../kernel/server/sql-invariant.ts';

/** What must hold of decor orders whatever happened. */
export const decorInvariants: readonly Invariant[] = [
  sqlInvariant(
    'decorOrder.lines',
    `SELECT o.code AS what, ARRAY[coalesce((SELECT sum(l.amount) FROM decor_line l WHERE l.order_id = o.id), 0)]::bigint[] AS found, ARRAY[o.price]::bigint[] AS wanted FROM decor_order o`,
  ),
  sqlInvariant(
    'decorOrder.plan',
    // What is asked for is the price, with what was paid above it and goes back.
    `SELECT o.code AS what, ARRAY[coalesce((SELECT sum(i.amount) FROM decor_instalment i WHERE i.order_id = o.id), 0) - o.overpaid]::bigint[] AS found,
            ARRAY[o.price]::bigint[] AS wanted FROM decor_order o`,
  ),
  sqlInvariant(
    'decorOrder.receivables',
    // A receivable asks for what its part of the plan says; parts of closed orders end as they stood.
    `SELECT o.code || ' ' || i.seq AS what, ARRAY[CASE r.state WHEN 'void' THEN 0 ELSE r.principal END]::bigint[] AS found, ARRAY[i.amount]::bigint[] AS wanted
       FROM decor_instalment i JOIN decor_order o ON o.id = i.order_id JOIN receivable r ON r.id = i.receivable_id WHERE o.state <> 'closed'`,
  ),
  sqlInvariant(
    'decorOrder.changes',
    `SELECT o.code AS what, ARRAY[o.changes]::bigint[] AS found,
            ARRAY[coalesce((SELECT sum(c.amount) FROM decor_change c WHERE c.order_id = o.id AND c.state = 'confirmed'), 0)]::bigint[] AS wanted FROM decor_order o`,
  ),
  sqlInvariant(
    'decorOrder.received',
    // The order of the trade says what receipts brought.
    `SELECT o.code AS what, ARRAY[s.payable, p.amount]::bigint[] AS found, ARRAY[x.sum, x.sum]::bigint[] AS wanted
       FROM decor_order o JOIN sales_order s ON s.id = o.sales_order_id JOIN payment p ON p.id = s.payment_id
       CROSS JOIN LATERAL (SELECT coalesce(sum(a.principal), 0) AS sum FROM receipt_allocation a JOIN receivable r ON r.id = a.receivable_id WHERE r.source_kind = 'decor' AND r.source_id = o.id) x`,
  ),
  sqlInvariant(
    'decorOrder.nodes',
    `SELECT o.code AS what, ARRAY[sum(n.weight)]::bigint[] AS found, ARRAY[10000]::bigint[] AS wanted
       FROM decor_order o JOIN decor_node n ON n.order_id = o.id GROUP BY o.id`,
  ),
  sqlInvariant(
    'decorOrder.refundParts',
    `SELECT f.code AS what, ARRAY[coalesce((SELECT sum(p.amount) FROM refund_part p WHERE p.refund_id = f.id), 0)]::bigint[] AS found, ARRAY[f.cash]::bigint[] AS wanted
       FROM refund f JOIN sales_order s ON s.id = f.order_id JOIN decor_order o ON o.sales_order_id = s.id`,
  ),
];
