import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { bookMoney } from '../../../domain/settlement/merchant-ledger.server.ts';
import { bookToWallet } from '../../../domain/settlement/statement-money.server.ts';
import { WITHDRAWAL } from '../../../domain/settlement/withdrawal.server.ts';
import { STATEMENT } from '../../../domain/statement/draft-statement.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { settlement } from '../settlement/settlement.contract.ts';
import { withdrawal } from './withdrawal.contract.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** State, hours ago, parts of a hundred of what the wallet was given. */
const ASKED: readonly (readonly [string, number, number])[] = [
  ['paid', 6 * 24, 30],
  ['rejected', 5 * 24, 40],
  ['cancelled', 4 * 24, 15],
  ['to_pay', 2 * 24, 20],
  ['reviewing', 5, 25],
];

/** A merchant that is paid into its wallet, and what it drew from it. */
export const demo = defineDemo({
  key: 'withdrawals',
  after: ['settlements', 'merchantPayees'],
  run: async ({ tx, insert, tell, as, now, platform }) => {
    const [maker, payer, reviewer] = [as('finance1'), as('finance2'), as('mall1')];
    const bill = await runOne<{
      id: number;
      tenant_id: number;
      merchant: string;
      amount: number;
      account: number;
      name: string;
      bank: string;
      tail: string;
      applicant: number;
    }>(
      tx,
      `SELECT s.id, s.tenant_id, t.name AS merchant, s.pay_amount::bigint AS amount, y.id AS account, y.account_name AS name, y.bank, coalesce(y.number_tail, '') AS tail,
              (SELECT f.id FROM staff f WHERE f.tenant_id = t.id ORDER BY f.account = t.account DESC, f.id LIMIT 1) AS applicant
         FROM statement s JOIN tenant t ON t.id = s.tenant_id
         JOIN payee_account y ON y.tenant_id = s.tenant_id AND y.purpose = 'payout' AND y.state = 'active' AND y.verify_state = 'verified'
        WHERE s.state = 'to_pay' AND s.pay_amount >= 100000 AND s.maker_id IS DISTINCT FROM $1 AND s.submitter_id IS DISTINCT FROM $1
          AND NOT EXISTS (SELECT FROM payout p WHERE p.statement_id = s.id AND p.state NOT IN ('failed', 'cancelled'))
          AND EXISTS (SELECT FROM staff f WHERE f.tenant_id = t.id)
        ORDER BY s.pay_amount, s.id LIMIT 1`,
      [payer.staffId],
    );
    if (!bill) return;
    const settledAt = new Date(now.getTime() - 8 * DAY);
    const { tenant_id: tenantId } = bill;
    await bookToWallet(tx, {
      tenantId,
      amount: bill.amount,
      source: { type: 'statement', id: bill.id },
      staffId: payer.staffId,
      at: settledAt,
    });
    await run(
      tx,
      `UPDATE statement SET state = 'settled', pay_way = 'wallet', paid_by = $2, paid_at = $3, paid_on = $4, paid_to = '钱包', version = version + 1 WHERE id = $1`,
      [bill.id, payer.staffId, settledAt, businessDayOf(settledAt)],
    );
    await tell({
      entity: STATEMENT,
      entityId: bill.id,
      caller: payer,
      action: 'payWallet',
      label: settlement.actions!.payWallet.label,
      from: 'to_pay',
      to: 'settled',
      at: settledAt,
    });
    for (const [index, [state, hours, part]] of ASKED.entries()) {
      const at = new Date(now.getTime() - hours * HOUR);
      const later = new Date(at.getTime() + 3 * HOUR);
      const amount = Math.max(10_000, Math.floor((bill.amount * part) / 1_000_000) * 10_000);
      const reviewed = state === 'paid' || state === 'rejected' || state === 'to_pay';
      const code = `WD${businessDayOf(at).replaceAll('-', '')}00090${index}`;
      const [id] = await insert('withdrawal', [
        {
          code,
          tenant_id: tenantId,
          amount,
          payee_account_id: bill.account,
          payee_name: bill.name,
          payee_bank: bill.bank,
          payee_tail: bill.tail,
          state,
          applicant_id: bill.applicant,
          via: index % 2 === 0 ? 'staff' : 'app',
          reviewer_id: reviewed ? reviewer.staffId : null,
          reviewed_at: reviewed ? later : null,
          opinion: state === 'rejected' ? '收款户名与执照不一致，请核对后重新申请' : '',
          payer_id: state === 'paid' ? payer.staffId : null,
          paid_at: state === 'paid' ? new Date(later.getTime() + 5 * HOUR) : null,
          created_at: at,
          created_by: bill.applicant,
          updated_at: reviewed ? later : at,
          updated_by: bill.applicant,
        },
      ]);
      const source = { type: WITHDRAWAL, id: id! };
      await bookMoney(tx, {
        tenantId,
        source: { ...source, purpose: 'withdraw' },
        postings: { merchant_wallet: -amount, merchant_wallet_frozen: amount },
        staffId: bill.applicant,
        at,
      });
      const told = { entity: WITHDRAWAL, entityId: id! };
      await tell({ ...told, action: 'create', label: ['申请提现', 'Asked for'], to: 'reviewing', at });
      if (reviewed) {
        const action = state === 'rejected' ? 'reject' : 'approve';
        await tell({
          ...told,
          caller: reviewer,
          action,
          label: withdrawal.actions![action].label,
          from: 'reviewing',
          to: state === 'rejected' ? 'rejected' : 'to_pay',
          at: later,
        });
      }
      if (state === 'rejected' || state === 'cancelled')
        await bookMoney(tx, {
          tenantId,
          source: { ...source, purpose: 'withdrawBack' },
          postings: { merchant_wallet_frozen: -amount, merchant_wallet: amount },
          at: later,
        });
      if (state === 'paid') {
        const arrived = new Date(later.getTime() + 5 * HOUR);
        const day = businessDayOf(later).replaceAll('-', '');
        const [batch] = await insert('payout_batch', [
          {
            code: `PB${day}000980`,
            state: 'done',
            maker_id: maker.staffId,
            authoriser_id: payer.staffId,
            authorised_at: later,
            payouts: 1,
            total: amount,
            note: '提现',
            created_at: later,
            created_by: maker.staffId,
            updated_at: arrived,
            updated_by: payer.staffId,
          },
        ]);
        await insert('payout', [
          {
            payout_no: `PO${day}000980`,
            batch_id: batch!,
            withdrawal_id: id!,
            tenant_id: tenantId,
            payee_account_id: bill.account,
            payee_name: bill.name,
            payee_bank: bill.bank,
            payee_tail: bill.tail,
            amount,
            state: 'succeeded',
            attempts: 1,
            sent_at: later,
            ended_at: arrived,
            created_at: later,
            created_by: maker.staffId,
            updated_at: arrived,
            updated_by: maker.staffId,
          },
        ]);
        await bookMoney(tx, {
          tenantId,
          source: { ...source, purpose: 'withdrawn' },
          postings: { merchant_wallet_frozen: -amount, settlement_bank: amount },
          at: arrived,
        });
        await tell({
          ...told,
          action: 'paid',
          label: ['到账', 'Arrived'],
          from: 'paying',
          to: 'paid',
          at: arrived,
        });
      }
      if (state === 'reviewing')
        await submitApproval(tx, platform, {
          kind: WITHDRAWAL,
          bizId: id!,
          tenantId,
          title: [
            `提现 ${bill.merchant} ${yuanFromFen(amount)} 元`,
            `Withdrawal of ${yuanFromFen(amount)} yuan by ${bill.merchant}`,
          ],
          summary: [{ label: ['提现金额', 'Amount'], value: [yuanFromFen(amount), yuanFromFen(amount)] }],
          starterId: bill.applicant,
          at,
        });
    }
  },
});
