import { sqlInvariant } from '../../../kernel/server/sql-invariant.ts';

const CONFIRMED = `('to_pay', 'paying', 'failed', 'settled')`;

/** What must hold of statements and the ledger at any time, each row with its merchant (`tenant`). Source: group 13, Jobs, Doctor. */
export const SETTLEMENT_RULES: readonly (readonly [name: string, sql: string])[] = [
  [
    'settlement.ledger',
    `SELECT t.account AS what, t.id AS tenant, ARRAY[coalesce((SELECT l.balance FROM ledger_account l WHERE l.kind = 'merchant_payable' AND l.owner = t.id::text AND l.unit = 'fen'), 0),
            coalesce((SELECT l.balance FROM ledger_account l WHERE l.kind = 'merchant_transit' AND l.owner = t.id::text AND l.unit = 'fen'), 0)] AS found,
            ARRAY[coalesce((SELECT sum(s.pay_amount) FROM statement s WHERE s.tenant_id = t.id AND s.state IN ('to_pay', 'failed')), 0)
              + coalesce((SELECT sum(s.carry_out) FROM statement s WHERE s.tenant_id = t.id AND s.state IN ${CONFIRMED} AND NOT EXISTS (
                  SELECT FROM statement_line c JOIN statement n ON n.id = c.statement_id WHERE c.source_type = 'statement' AND c.source_id = s.id AND c.active AND n.state IN ${CONFIRMED})), 0)
              + coalesce((SELECT sum(d.amount) FROM deposit_entry d WHERE d.tenant_id = t.id AND d.type = 'cover' AND d.state = 'booked' AND NOT EXISTS (
                  SELECT FROM statement_line c JOIN statement n ON n.id = c.statement_id WHERE c.source_type = 'deposit_entry' AND c.source_id = d.id AND c.active AND n.state IN ${CONFIRMED})), 0),
              coalesce((SELECT sum(s.pay_amount) FROM statement s WHERE s.tenant_id = t.id AND s.state = 'paying'), 0)] AS wanted
       FROM tenant t WHERE t.kind = 2`,
  ],
  [
    'settlement.accounts',
    `SELECT l.kind || ' ' || l.owner AS what, l.owner::bigint AS tenant, ARRAY[l.balance] AS found, ARRAY[coalesce((SELECT sum(e.amount) FROM ledger_entry e WHERE e.account_id = l.id), 0)] AS wanted
       FROM ledger_account l WHERE l.kind IN ('merchant_payable', 'merchant_transit', 'merchant_wallet', 'merchant_wallet_frozen')`,
  ],
  [
    'settlement.once',
    `SELECT l.source_type || ' ' || l.source_id AS what, min(s.tenant_id) AS tenant, ARRAY[count(*)] AS found, ARRAY[1] AS wanted
       FROM statement_line l JOIN statement s ON s.id = l.statement_id WHERE l.active GROUP BY l.source_type, l.source_id`,
  ],
  [
    'settlement.paid',
    `SELECT s.code AS what, s.tenant_id AS tenant, ARRAY[(SELECT count(*) FROM payout p WHERE p.statement_id = s.id AND p.state = 'succeeded') + CASE WHEN s.pay_way = 'offline' AND cardinality(s.voucher_ids) > 0 OR s.pay_way = 'wallet' THEN 1 ELSE 0 END] AS found,
            ARRAY[1] AS wanted FROM statement s WHERE s.state = 'settled' AND s.pay_amount > 0`,
  ],
  [
    'settlement.clawBack',
    `SELECT 'line ' || c.source_id AS what, (SELECT s.tenant_id FROM statement s WHERE s.id = c.statement_id) AS tenant, ARRAY[CASE WHEN c.gross + coalesce((SELECT sum(d.gross) FROM statement_line d WHERE d.active AND d.row_kind = 'refund' AND d.order_line_id = c.source_id), 0) >= 0 THEN 1 ELSE 0 END] AS found,
            ARRAY[1] AS wanted FROM statement_line c WHERE c.active AND c.row_kind = 'sale'`,
  ],
];

/** The same for `npm run doctor`. */
export const settlementInvariants = SETTLEMENT_RULES.map(([name, sql]) => sqlInvariant(name, sql));
