import { sqlInvariant } from '../../../kernel/server/sql-invariant.ts';

const CONFIRMED = `('to_pay', 'paying', 'failed', 'settled')`;

/** What must hold of statements and the ledger at any time. Source: group 13, Jobs, Doctor. */
export const settlementInvariants = [
  sqlInvariant(
    'settlement.ledger',
    `SELECT t.account AS what, ARRAY[coalesce((SELECT l.balance FROM ledger_account l WHERE l.kind = 'merchant_payable' AND l.owner = t.id::text AND l.unit = 'fen'), 0),
            coalesce((SELECT l.balance FROM ledger_account l WHERE l.kind = 'merchant_transit' AND l.owner = t.id::text AND l.unit = 'fen'), 0)] AS found,
            ARRAY[coalesce((SELECT sum(s.pay_amount) FROM statement s WHERE s.tenant_id = t.id AND s.state IN ('to_pay', 'failed')), 0)
              + coalesce((SELECT sum(s.carry_out) FROM statement s WHERE s.tenant_id = t.id AND s.state IN ${CONFIRMED} AND NOT EXISTS (
                  SELECT FROM statement_line c JOIN statement n ON n.id = c.statement_id WHERE c.source_type = 'statement' AND c.source_id = s.id AND c.active AND n.state IN ${CONFIRMED})), 0),
              coalesce((SELECT sum(s.pay_amount) FROM statement s WHERE s.tenant_id = t.id AND s.state = 'paying'), 0)] AS wanted
       FROM tenant t WHERE t.kind = 2`,
  ),
  sqlInvariant(
    'settlement.accounts',
    `SELECT l.kind || ' ' || l.owner AS what, ARRAY[l.balance] AS found, ARRAY[coalesce((SELECT sum(e.amount) FROM ledger_entry e WHERE e.account_id = l.id), 0)] AS wanted
       FROM ledger_account l WHERE l.kind IN ('merchant_payable', 'merchant_transit', 'merchant_wallet', 'merchant_wallet_frozen')`,
  ),
  sqlInvariant(
    'settlement.once',
    `SELECT source_type || ' ' || source_id AS what, ARRAY[count(*)] AS found, ARRAY[1] AS wanted FROM statement_line WHERE active GROUP BY source_type, source_id`,
  ),
  sqlInvariant(
    'settlement.paid',
    `SELECT s.code AS what, ARRAY[(SELECT count(*) FROM payout p WHERE p.statement_id = s.id AND p.state = 'succeeded') + CASE WHEN s.pay_way = 'offline' AND cardinality(s.voucher_ids) > 0 OR s.pay_way = 'wallet' THEN 1 ELSE 0 END] AS found,
            ARRAY[1] AS wanted FROM statement s WHERE s.state = 'settled' AND s.pay_amount > 0`,
  ),
  sqlInvariant(
    'settlement.clawBack',
    `SELECT 'line ' || c.source_id AS what, ARRAY[CASE WHEN c.gross + coalesce((SELECT sum(d.gross) FROM statement_line d WHERE d.active AND d.row_kind = 'refund' AND d.order_line_id = c.source_id), 0) >= 0 THEN 1 ELSE 0 END] AS found,
            ARRAY[1] AS wanted FROM statement_line c WHERE c.active AND c.row_kind = 'sale'`,
  ),
];
