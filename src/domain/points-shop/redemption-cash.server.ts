import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { OrderAttachment } from '../checkout/order-attachments.server.ts';
import { queueSms } from '../message/queue-message.server.ts';
import { lockMembers } from '../points-ledger/ledger-book.server.ts';
import { capturePoints } from '../points-ledger/points-ledger.server.ts';
import { REDEMPTION_ENTITY } from './points-shop.rules.ts';
import {
  freeCode,
  giveBackRedemption,
  handedOutState,
  holdOf,
  moveRedemption,
  spendOf,
  type OpenRedemption,
} from './redemption-row.server.ts';

/** Behind the lock of the order: the member, then the redemption, as members take them. */
async function lockedByOrder(
  tx: Tx,
  order: { readonly id: number; readonly memberId: number },
): Promise<OpenRedemption | undefined> {
  await lockMembers(tx, [order.memberId]);
  return runOne<OpenRedemption>(tx, 'SELECT * FROM points_redemption WHERE order_id = $1 FOR UPDATE', [
    order.id,
  ]);
}

/**
 * The points and the piece of a redemption with a part in cash follow its order: spent when it is paid, free again when it is
 * not, given back where everything was refunded before anything was handed out. Source: group 01, os_integralCash.
 */
export const cashOfRedemption: OrderAttachment = {
  matches: (order) => order.kind === 'points',
  hold: () => Promise.resolve(),
  paid: async (tx, platform, order) => {
    const row = await lockedByOrder(tx, order);
    if (row?.state !== 'pending_payment') return;
    await capturePoints(tx, { hold: holdOf(row.id), source: spendOf(row.id) });
    const to = handedOutState(row.way);
    const code = to === 'to_collect' ? await freeCode(tx) : null;
    await run(
      tx,
      `UPDATE points_redemption SET state = $2, collect_code = $3, collect_until = CASE WHEN $3::text IS NOT NULL THEN now() + make_interval(days => $4::int) END,
              version = version + 1, updated_at = now() WHERE id = $1`,
      [row.id, to, code, await platform.settings.numberIn(tx, 'redemption.collect_days')],
    );
    await writeTimeline(tx, {
      entity: REDEMPTION_ENTITY,
      entityId: row.id,
      action: 'pay',
      label: ['支付成功', 'Paid'],
      from: row.state,
      to,
    });
    if (code) await tellCode(tx, row, code);
    changed(platform);
  },
  released: async (tx, platform, order) => {
    const row = await lockedByOrder(tx, order);
    // Whoever gives it up has given everything back already.
    if (row?.state !== 'pending_payment' || row.qty_back > 0) return;
    await takeBack(tx, platform, row, {
      action: 'expirePayment',
      label: ['逾期未付，已取消', 'Not paid in time'],
      remark: '未在时限内支付',
    });
    changed(platform);
  },
  refunded: async (tx, platform, order, refund) => {
    const row = await lockedByOrder(tx, order);
    if (row && refund.state === 'closed' && ['to_fulfil', 'to_collect'].includes(row.state))
      await takeBack(tx, platform, row, {
        action: 'cancel',
        label: ['退款后取消', 'Cancelled by its refund'],
        remark: '已全额退款',
      });
    changed(platform);
  },
};

/** What nobody has paid, or was paid back: points, stock and limits are free again and it is cancelled. */
async function takeBack(
  tx: Tx,
  platform: Platform,
  row: OpenRedemption,
  as: { readonly action: string; readonly label: Label; readonly remark: string },
): Promise<void> {
  await giveBackRedemption(tx, platform.settings, { id: row.id, restock: true, note: as.remark });
  await moveRedemption(tx, row, { to: 'cancelled', ...as });
}

/** Points alone get their code as the answer; who pays first gets it when the money has come. */
async function tellCode(tx: Tx, row: OpenRedemption, code: string): Promise<void> {
  const member = (await runOne<{ phone: string }>(tx, 'SELECT phone FROM member WHERE id = $1', [
    row.member_id,
  ]))!;
  if (member.phone)
    await queueSms(tx, {
      phone: member.phone,
      purpose: 'redemption',
      body: `您兑换的「${row.product_name}」支付成功，自提码 ${code}。`,
      params: { title: row.product_name, code },
    });
}

function changed(platform: Platform): void {
  for (const entity of [REDEMPTION_ENTITY, 'pointsProduct', 'pointsAccount', 'pointsMember'])
    platform.changed(entity);
}
