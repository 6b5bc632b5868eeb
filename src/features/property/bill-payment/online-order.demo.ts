import { ordersOf, today } from '../../../domain/charging/collect.server.ts';
import {
  closeOnlineOrder,
  openOnlineOrder,
  settleOrder,
} from '../../../domain/charging/online-order.server.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { billPayment } from './bill-payment.contract.ts';

const HOUR = 3_600_000;

/** Pay codes, one of them paid, and what the CRM said of the payments of the past months. */
export const demo = defineDemo({
  key: 'onlineBillOrders',
  after: ['billRefunds'],
  run: async ({ tx, platform, as, tell, now }) => {
    const cashier = as('finance1');
    const houses = await run<{ house_id: number; project_id: number; bills: number[] }>(
      tx,
      `SELECT house_id, project_id, array_agg(id ORDER BY id) AS bills FROM bill
        WHERE state = 'unpaid' AND NOT disputed GROUP BY 1, 2 ORDER BY 1 DESC LIMIT 4`,
    );
    for (const [index, { house_id: houseId, project_id: projectId, bills }] of houses.entries()) {
      const orders = await ordersOf(platform, projectId);
      const { id, code, amount } = await openOnlineOrder(
        tx,
        { houseId, billIds: bills, valueDate: today() },
        orders,
        { channel: index === 1 ? 'alipay' : 'wechat', projectId, staffId: cashier.staffId },
      );
      if (index === 3) await settleOrder(tx, orders, { code, tradeNo: `SB${code}`, amount });
      else await closeOnlineOrder(tx, id, index === 2 ? 'closed' : 'expired');
      const at = new Date(now.getTime() - (5 + index * 19) * HOUR);
      await run(
        tx,
        `UPDATE online_bill_order SET created_at = $2::timestamptz, expires_at = $2::timestamptz + interval '30 minutes' WHERE id = $1`,
        [id, at],
      );
    }
    const told = await run<{ id: number; refused: boolean; at: Date }>(
      tx,
      `UPDATE bill_payment SET crm_sync = CASE WHEN id % 29 = 3 THEN 2 ELSE 1 END, crm_code = CASE WHEN id % 29 = 3 THEN '' ELSE 'CR' || (2026000 + id) END,
              crm_error = CASE WHEN id % 29 = 3 THEN '客户档案不匹配 / No such customer in the CRM' ELSE '' END
        WHERE crm_sync = 0 AND created_at < $1::timestamptz - interval '2 days' RETURNING id, crm_sync = 2 AS refused, created_at + interval '1 minute' AS at`,
      [now],
    );
    for (const { id, at } of told.filter((one) => one.refused))
      await tell({
        entity: billPayment.name,
        entityId: id,
        action: 'crmRefused',
        label: billPayment.actions!.crmRefused.label,
        remark: '客户档案不匹配 / No such customer in the CRM',
        at,
      });
  },
});
