import { z } from 'zod';
import { ordersOf, today } from '../../../domain/charging/collect.server.ts';
import {
  closeOnlineOrder,
  openOnlineOrder,
  type OnlineOrder,
} from '../../../domain/charging/online-order.server.ts';
import { channelNumber, payOrderInSandbox } from '../../../domain/charging/online-query.server.ts';
import { isSandbox } from '../../../domain/payment-channel/channels.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { runOne, transaction, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endpoint, type Call, type Endpoint } from '../../../kernel/server/registration.ts';
import { CHARGING_MENU } from './fee-item.contract.ts';

const ROOT = '/jinmao/web/bill/payCode';
const access = { code: `${CHARGING_MENU}:btn_payCode` };
const idText = z.string().regex(/^\d{1,15}$/);

type InReach = (
  db: Executor,
  caller: Caller,
  houseId: number,
) => Promise<{ readonly id: number; readonly projectId: number }>;

const shown = (platform: Platform, order: OnlineOrder, receiptNo: string | null) => ({
  id: String(order.id),
  code: order.code,
  channel: order.channel,
  amount: yuanFromFen(order.amount),
  state: order.state,
  expiresAt: isoInstant(order.expires_at),
  receiptNo: receiptNo ?? '',
  /** Whether the payment can be played here. */
  sandbox: isSandbox(platform, channelNumber(order.channel)),
});

/**
 * The code a payer scans at the counter: an order over the ticked bills that holds them for half an hour. Source: group 06,
 * cs_propertyChargingBill, btn_payCode.
 */
export function onlineEndpoints(houseInReach: InReach): Endpoint[] {
  const orderOf = async ({ caller, platform, params }: Pick<Call, 'caller' | 'platform' | 'params'>) => {
    const { db } = platform.database;
    const order = await runOne<OnlineOrder & { receipt_no: string | null }>(
      db,
      `SELECT o.id, o.code, o.house_id, o.project_id, o.channel, o.amount, o.state, o.expires_at, o.payment_id, p.receipt_no
         FROM online_bill_order o LEFT JOIN bill_payment p ON p.id = o.payment_id WHERE o.id = $1 AND o.channel <> 'transfer'`,
      [idOf(params.id)],
    );
    if (!order) throw notFound();
    await houseInReach(db, caller, order.house_id);
    return order;
  };
  return [
    endpoint({
      method: 'POST',
      path: ROOT,
      title: ['收款码', 'Pay code'],
      access,
      body: z.strictObject({
        houseId: idText,
        billIds: z.array(idText).min(1).max(500),
        channel: z.enum(['alipay', 'wechat']),
      }),
      handle: async ({ caller, platform, facts, body }) => {
        const { db } = platform.database;
        const house = await houseInReach(db, caller, Number(body.houseId));
        const orders = await ordersOf(platform, house.projectId);
        const order = await transaction(db, async (tx) => {
          const made = await openOnlineOrder(
            tx,
            { houseId: house.id, billIds: body.billIds.map(Number), valueDate: today() },
            orders,
            { channel: body.channel, projectId: house.projectId, staffId: caller.staffId },
          );
          await writeAudit(tx, {
            caller,
            facts,
            menu: CHARGING_MENU,
            action: 'payCode',
            entity: 'onlineBillOrder',
            entityId: made.id,
            after: { code: made.code, amount: made.amount },
          });
          return made;
        });
        for (const name of ['bill', 'onlineBillOrder']) platform.changed(name);
        return shown(platform, order, null);
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id`,
      title: ['收款码状态', 'State of a pay code'],
      access,
      handle: async (call) => {
        const order = await orderOf(call);
        return shown(call.platform, order, order.receipt_no);
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/:id/close`,
      title: ['关闭收款码', 'Close a pay code'],
      access,
      body: z.strictObject({}),
      handle: async (call) => {
        const order = await orderOf(call);
        const { caller, platform, facts } = call;
        const closed = await transaction(platform.database.db, async (tx) => {
          const done = await closeOnlineOrder(tx, order.id, 'closed');
          if (done)
            await writeAudit(tx, {
              caller,
              facts,
              menu: CHARGING_MENU,
              action: 'closePayCode',
              entity: 'onlineBillOrder',
              entityId: order.id,
              after: { code: order.code },
            });
          return done;
        });
        if (!closed) throw ruleBroken(['该订单已结束', 'This order has ended']);
        for (const name of ['bill', 'onlineBillOrder']) platform.changed(name);
        return {};
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/:id/simulate`,
      title: ['沙箱支付', 'Pay in the sandbox'],
      access,
      body: z.strictObject({}),
      handle: async (call) => {
        const order = await orderOf(call);
        const paymentId = await payOrderInSandbox(call.platform, order);
        return { paymentId: paymentId === undefined ? null : String(paymentId) };
      },
    }),
  ];
}
