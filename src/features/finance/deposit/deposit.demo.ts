import { bookDeposit } from '../../../domain/merchant/deposit.server.ts';
import { DEPOSIT } from '../../../domain/settlement/deposit-entry.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { depositRecord } from './deposit.contract.ts';

const DAY = 86_400_000;

/** Type, fen, days ago, state, receipt, reason. */
const ENTRIES = [
  ['top_up', 60_000, 12, 'booked', 'ICBC20261115A', ''],
  ['receive', 500_000, 9, 'refused', 'CMB20261118B', ''],
  ['top_up', 300_000, 2, 'to_check', 'CCB20261125C', ''],
  ['deduct', 20_000, 4, 'to_check', '', '生鲜抽检不合格，按协议扣罚'],
  ['return', 40_000, 1, 'to_check', 'ICBC20261126D', '应缴保证金降低，退还差额'],
] as const;

/** Entries of deposits: one booked, one refused, the rest waits for a second person. */
export const demo = defineDemo({
  key: 'deposit-entries',
  after: ['merchant-terms'],
  run: async ({ tx, insert, tell, now, as }) => {
    const [maker, checker] = [as('finance1'), as('finance2')];
    const shop = await runOne<{ id: number }>(
      tx,
      `SELECT t.id FROM tenant t JOIN ledger_account l ON l.kind = 'merchant_deposit' AND l.owner = t.id::text AND l.balance >= 100000
        WHERE t.kind = 2 AND t.merchant_kind = 'resident' ORDER BY l.balance DESC, t.id LIMIT 1`,
    );
    if (!shop) return;
    for (const [index, [type, amount, ago, state, receipt, reason]] of ENTRIES.entries()) {
      const at = new Date(now.getTime() - ago * DAY);
      const later = new Date(at.getTime() + 4 * 3_600_000);
      const done = state !== 'to_check';
      const code = `DP${businessDayOf(at).replaceAll('-', '')}00095${index}`;
      const [id] = await insert('deposit_entry', [
        {
          code,
          tenant_id: shop.id,
          type,
          amount,
          receipt_no: receipt,
          reason,
          state,
          not_before: type === 'deduct' ? new Date(at.getTime() + 5 * DAY) : null,
          refusal: state === 'refused' ? '回单户名与商户不符' : '',
          maker_id: maker.staffId,
          checker_id: done ? checker.staffId : null,
          booked_at: state === 'booked' ? later : null,
          created_at: at,
          created_by: maker.staffId,
          updated_at: done ? later : at,
          updated_by: done ? checker.staffId : maker.staffId,
        },
      ]);
      const told = { entity: DEPOSIT, entityId: id! };
      await tell({
        ...told,
        caller: maker,
        action: 'create',
        label: ['录入', 'Entered'],
        to: 'to_check',
        at,
      });
      if (!done) continue;
      const action = state === 'booked' ? 'check' : 'refuse';
      await tell({
        ...told,
        caller: checker,
        action,
        label: depositRecord.actions![action].label,
        from: 'to_check',
        to: state,
        at: later,
      });
      if (state === 'booked')
        await bookDeposit(tx, {
          tenantId: shop.id,
          move: 'receive',
          amount,
          reference: code,
          staffId: checker.staffId,
          note: receipt,
        });
    }
  },
});
