import { keepBillTrade } from '../../../domain/charging/bill-refund.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { applyRefund } from '../../after-sales/refund/refund-apply.server.ts';
import { lockRefund, lockTrade } from '../../after-sales/refund/refund-order.server.ts';
import { bookSuccess } from '../../after-sales/refund/refund-success.server.ts';
import { noteRefund } from '../../after-sales/refund/refund-transition.server.ts';
import { billPayment } from './bill-payment.contract.ts';

const DAY = 86_400_000;

/** One refund that waits in the audit and one that was paid back with its negative receipt. */
export const demo = defineDemo({
  key: 'billRefunds',
  after: ['payCourtesy'],
  run: async ({ tx, platform, as, facts, tell, now }) => {
    const [clerk, payer, checker] = [as('finance1'), as('finance2'), as('audit1')];
    const payments = await run<{ id: number; part: number }>(
      tx,
      `SELECT p.id, (p.allocated / 2)::bigint AS part FROM bill_payment p
        WHERE p.state = 'valid' AND p.channel IN ('cash', 'pos') AND p.to_prepaid = 0 AND p.discount = 0 AND p.allocated BETWEEN 10000 AND 400000
        ORDER BY p.value_date DESC, p.id DESC LIMIT 2`,
    );
    for (const [index, { id, part }] of payments.entries()) {
      const reason = ['业主重复缴费，申请退回', '面积核定有误，退还多收部分'][index]!;
      const at = new Date(now.getTime() - (index + 1) * 0.2 * DAY);
      const { orderId, lineId } = await keepBillTrade(tx, id);
      const made = await applyRefund(tx, {
        platform,
        caller: clerk,
        facts,
        system: true,
        applicantType: 2,
        orderId,
        lines: [{ lineId, amount: part }],
        reasonCode: 'other',
        reason,
      });
      await run(tx, 'UPDATE refund SET created_at = $2, updated_at = $2 WHERE id = $1', [made.id, at]);
      await tell({
        entity: billPayment.name,
        entityId: id,
        caller: clerk,
        action: 'refund',
        label: billPayment.actions!.refund.label,
        remark: reason,
        at,
      });
      if (index === 0) continue;
      await run(
        tx,
        `UPDATE refund SET offline_by = $2, offline_payee = '业主 6222', offline_voucher = ARRAY[(SELECT id FROM stored_file WHERE type LIKE 'image/%' ORDER BY created_at, id LIMIT 1)] WHERE id = $1`,
        [made.id, payer.staffId],
      );
      const { order, payment } = await lockTrade(tx, orderId);
      await bookSuccess(tx, platform, await lockRefund(tx, made.id), order, payment, checker);
      await noteRefund(tx, made.id, { from: 'reviewing', to: 'succeeded', who: checker.name });
      await run(
        tx,
        `UPDATE refund SET state = 'succeeded', way = 'offline', succeeded_at = $2, version = version + 1 WHERE id = $1`,
        [made.id, now],
      );
      await run(tx, 'UPDATE sales_order SET refunded_at = $2, completed_at = $2 WHERE id = $1', [
        orderId,
        now,
      ]);
      const receipt = await runOne<{ id: number }>(tx, 'SELECT id FROM bill_payment WHERE refund_id = $1', [
        made.id,
      ]);
      await run(tx, 'UPDATE bill_payment SET created_at = $2, updated_at = $2 WHERE id = $1', [
        receipt!.id,
        new Date(now.getTime() - 60_000),
      ]);
    }
  },
});
