import { sqlInvariant } from '../../../kernel/server/sql-invariant.ts';

const balance = (kind: string) =>
  `coalesce((SELECT l.balance FROM ledger_account l WHERE l.kind = '${kind}' AND l.owner = t.id::text AND l.unit = 'fen'), 0)`;

/** What must hold of wallets at any time: frozen is what open withdrawals ask for, and everything came from statements. */
export const withdrawalInvariants = [
  sqlInvariant(
    'withdrawal.wallet',
    `SELECT t.account AS what, ARRAY[${balance('merchant_wallet_frozen')}, ${balance('merchant_wallet')}] AS found,
            ARRAY[w.open, coalesce((SELECT sum(s.pay_amount) FROM statement s WHERE s.tenant_id = t.id AND s.state = 'settled' AND s.pay_way = 'wallet'), 0) - w.open - w.paid] AS wanted
       FROM tenant t CROSS JOIN LATERAL (
         SELECT coalesce(sum(x.amount) FILTER (WHERE x.state IN ('reviewing', 'to_pay', 'paying', 'failed')), 0) AS open,
                coalesce(sum(x.amount) FILTER (WHERE x.state = 'paid'), 0) AS paid FROM withdrawal x WHERE x.tenant_id = t.id) w
      WHERE t.kind = 2`,
  ),
  sqlInvariant(
    'withdrawal.paid',
    `SELECT w.code AS what, ARRAY[(SELECT count(*) FROM payout p WHERE p.withdrawal_id = w.id AND p.state = 'succeeded'),
              (SELECT coalesce(sum(p.amount), 0) FROM payout p WHERE p.withdrawal_id = w.id AND p.state = 'succeeded')] AS found,
            ARRAY[1, w.net] AS wanted FROM withdrawal w WHERE w.state = 'paid'`,
  ),
];
