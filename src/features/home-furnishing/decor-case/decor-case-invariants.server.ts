import type { Invariant } from '../../../kernel/server/registration.ts';
import { sqlInvariant } from '../../../kernel/server/sql-invariant.ts';

/** What must hold of cases of decor orders whatever happened. */
export const decorCaseInvariants: readonly Invariant[] = [
  sqlInvariant(
    'decorCase.room',
    // What cases and refunds ask back of an order was paid for it.
    `SELECT o.code AS what, ARRAY[least(decor_refundable(o.id, NULL), 0)]::bigint[] AS found, ARRAY[0]::bigint[] AS wanted
       FROM sales_order o WHERE o.kind = 'home_decor'`,
  ),
  sqlInvariant(
    'decorCase.fee',
    // A fee asks for what was quoted, and nobody came before it was paid.
    `SELECT a.code AS what, ARRAY[r.principal, CASE WHEN r.state = 'void' AND a.bearer = 'customer' AND a.state IN ('agreed', 'done') AND a.refund_id IS NULL THEN 1 ELSE 0 END]::bigint[] AS found,
            ARRAY[a.repair_fee, 0]::bigint[] AS wanted
       FROM after_sale a JOIN receivable r ON r.id = a.fee_receivable_id`,
  ),
];
