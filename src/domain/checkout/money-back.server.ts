import { createHash } from 'node:crypto';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { SYSTEM_NAME } from '../../kernel/server/people/caller.ts';
import { run, runOne, transaction } from '../../kernel/server/database.ts';
import { addEffect, EFFECT_TRIES } from '../../kernel/server/tasks/outbox.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { Effect } from '../../kernel/server/registration.ts';
import { refundChannel } from '../payment-channel/channels.server.ts';
import type { ChannelAnswer } from '../payment-channel/payment-channel.ts';
import { alertStaff, type StaffAlert } from './alert.server.ts';
import { writeOrderEvent } from './order-log.server.ts';

/** Effect that sends the money of a trade back which no order may keep. */
export const RETURN_EFFECT = 'payment.return';
/** Effect that asks what became of such a return. */
export const RETURN_CHECK_EFFECT = 'payment.return_check';

/** The trade that goes back whole; `amount` in fen. */
export interface ReturnOfTrade {
  readonly checkoutCode: string;
  readonly tradeNo: string;
  readonly amount: number;
  readonly channel: 1 | 2;
  /** Account it was paid into; absent in returns queued by earlier releases. */
  readonly payeeAccountId?: number | null;
}

/** Number of the return at the channel: fixed by the trade, so any number of deliveries pays once. */
export function returnNoOf(tradeNo: string): string {
  return `RT${createHash('sha256').update(tradeNo).digest('hex').slice(0, 24).toUpperCase()}`;
}

/**
 * Returns of trades: asked for, then queried until the channel says success. No answer and failures throw, so the outbox
 * repeats them with growing pauses under the same number. One that was accepted and failed afterwards is asked for again:
 * a question alone would hear of the failure for ever. Source: group 08, Payment; group 21, Channel rules.
 */
export const returnEffects: readonly Effect[] = [
  {
    kind: RETURN_EFFECT,
    deliver: (trade: ReturnOfTrade, platform, outboxId) =>
      orTellStaff(platform, trade, outboxId, async () => {
        const answer = await ask(platform, trade);
        if (answer.state === 'accepted')
          await transaction(platform.database.db, (tx) =>
            addEffect(tx, RETURN_CHECK_EFFECT, trade, {
              key: `${RETURN_CHECK_EFFECT}:${trade.tradeNo}`,
              delaySeconds: 3,
            }),
          );
        else await finish(platform, trade, answer);
      }),
  },
  {
    kind: RETURN_CHECK_EFFECT,
    deliver: (trade: ReturnOfTrade, platform, outboxId) =>
      orTellStaff(platform, trade, outboxId, async () => {
        const known = await refundChannel(platform, trade.channel).query(
          returnNoOf(trade.tradeNo),
          trade.tradeNo,
        );
        const isOff = known.state === 'failure' || known.state === 'none';
        await finish(platform, trade, isOff ? await ask(platform, trade) : known);
      }),
  },
] as readonly Effect[];

/** Does a delivery; when its last try fails too, the mall operators are told: no order shows this money any more. */
async function orTellStaff(
  platform: Platform,
  trade: ReturnOfTrade,
  outboxId: number,
  deliver: () => Promise<void>,
): Promise<void> {
  try {
    await deliver();
  } catch (error) {
    const { db } = platform.database;
    const last = await runOne(db, 'SELECT 1 FROM outbox WHERE id = $1 AND attempts >= $2', [
      outboxId,
      EFFECT_TRIES,
    ]);
    if (last) await transaction(db, (tx) => alertStaff(tx, notReturned(trade)));
    throw error;
  }
}

function notReturned(trade: ReturnOfTrade): StaffAlert {
  const amount = yuanFromFen(trade.amount);
  return {
    kind: 'alertPayment',
    checkoutCode: trade.checkoutCode,
    title: ['退款失败，款项未退回买家', 'Money could not be sent back to the buyer'],
    body: [
      `支付单 ${trade.checkoutCode}，渠道流水 ${trade.tradeNo}，金额 ${amount} 元：多次原路退回失败，请在渠道后台处理`,
      `Payment ${trade.checkoutCode}, trade ${trade.tradeNo}, amount ${amount}: every try failed, return it in the channel's own system`,
    ],
  };
}

/** Asks the channel to send a trade back; a repeat under its number pays once only. */
function ask(platform: Platform, trade: ReturnOfTrade): Promise<ChannelAnswer> {
  return refundChannel(platform, trade.channel).refund({
    refundNo: returnNoOf(trade.tradeNo),
    tradeNo: trade.tradeNo,
    checkoutCode: trade.checkoutCode,
    amount: trade.amount,
    paid: trade.amount,
    payeeAccountId: trade.payeeAccountId ?? null,
    reason: 'payment not accepted',
  });
}

async function finish(platform: Platform, trade: ReturnOfTrade, answer: ChannelAnswer): Promise<void> {
  if (answer.state !== 'success')
    throw new Error(`return of ${trade.tradeNo} is ${answer.state}: ${answer.code} ${answer.message}`);
  await transaction(platform.database.db, async (tx) => {
    const orders = await run<{ id: number; payable: number; shared: boolean }>(
      tx,
      `SELECT o.id, o.payable, EXISTS (SELECT FROM sales_order x WHERE x.payment_id = o.payment_id AND x.id <> o.id) AS shared
         FROM sales_order o JOIN payment p ON p.id = o.payment_id WHERE p.checkout_code = $1 AND NOT EXISTS (
         SELECT FROM order_event e WHERE e.order_id = o.id AND e.code = 43 AND e.remark LIKE '%' || $2) ORDER BY o.id`,
      [trade.checkoutCode, trade.tradeNo],
    );
    for (const order of orders)
      await writeOrderEvent(tx, {
        orderId: order.id,
        code: 43,
        who: SYSTEM_NAME,
        remark: `${yuanFromFen(order.shared ? order.payable : trade.amount)} · ${trade.tradeNo}`,
      });
  });
}
