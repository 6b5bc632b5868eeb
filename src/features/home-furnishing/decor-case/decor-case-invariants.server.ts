import type { Invariant } from '../../../kernel/server/registration.ts';
import { sqlInvariant } from '../../../kernel/server/sql-invariant.ts';

/** What must hold of cases of decor orders whatever happened. */
export const decorCaseInvariants: readonly Invariant[] = [
  sqlInvariant(
    'decorCase.refund',
    // The refund of a case pays back what was agreed.
    `SELECT a.code AS what, ARRAY[r.cash]::bigint[] AS found, ARRAY[coalesce(a.agreed_cash, 0)]::bigint[] AS wanted
       FROM after_sale a JOIN refund r ON r.id = a.refund_id WHERE a.decor_order_id IS NOT NULL AND r.state <> 'cancelled'`,
  ),
  sqlInvariant(
    'decorCase.fee',
    // A fee asks for what was quoted, and nobody came before it was paid.
    `SELECT a.code AS what, ARRAY[r.principal, CASE WHEN r.state = 'void' AND a.bearer = 'customer' AND a.state IN ('agreed', 'done') AND a.refund_id IS NULL THEN 1 ELSE 0 END]::bigint[] AS found,
            ARRAY[a.repair_fee, 0]::bigint[] AS wanted
       FROM after_sale a JOIN receivable r ON r.id = a.fee_receivable_id`,
  ),
];
