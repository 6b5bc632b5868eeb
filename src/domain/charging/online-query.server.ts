import { run, runOne, transaction } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { Effect } from '../../kernel/server/registration.ts';
import { isSandbox, requireSandbox } from '../payment-channel/channels.server.ts';
import { openSandboxTrade, sandboxPayMode } from '../payment-channel/sandbox-channel.server.ts';
import {
  closeOnlineOrder,
  takeOnlineResult,
  type OnlineOrder,
  type OnlineResult,
} from './online-order.server.ts';

/** Effect that asks the channel whether an order of bills was paid. Payload `{ code }`. */
export const BILL_QUERY_EFFECT = 'bill.channel_query';

const NUMBER = { alipay: 1, wechat: 2 } as const;

/** The number of an online channel. */
export const channelNumber = (channel: string): number => NUMBER[channel as keyof typeof NUMBER];

/**
 * The payer pays an order in the sandbox: the trade is kept on the channel's side, its result comes back at once, or not at all where
 * `sandbox.payment.mode` is lost; then it is found by asking. Returns the payment, undefined where no result came. Throws 30101 where
 * the channel is a real one and where the sandbox refuses.
 */
export async function payOrderInSandbox(
  platform: Platform,
  order: Pick<OnlineOrder, 'code' | 'channel' | 'amount'>,
): Promise<number | undefined> {
  requireSandbox(platform, channelNumber(order.channel));
  const mode = await sandboxPayMode(platform, order.amount, order.code);
  if (mode === 'fail') throw ruleBroken(['沙箱渠道拒绝了支付', 'The sandbox refused the payment']);
  const trade = { tradeNo: `SB${order.code}`, checkoutCode: order.code, amount: order.amount };
  await openSandboxTrade(platform.database.db, trade);
  return mode === 'lost' ? undefined : takeOnlineResult(platform, { ...trade, code: order.code });
}

/** What the channel knows of an order that was paid; undefined where it was not. A connected channel tells by its callback alone. */
export async function paidTradeOf(platform: Platform, code: string): Promise<OnlineResult | undefined> {
  const trade = await runOne<{ trade_no: string; amount: number; channel: string }>(
    platform.database.db,
    `SELECT x.trade_no, x.amount, o.channel FROM online_bill_order o JOIN sandbox_trade x ON x.checkout_code = o.code
      WHERE o.code = $1 AND o.channel <> 'transfer' ORDER BY x.paid_at LIMIT 1`,
    [code],
  );
  // Once a channel is real, nothing the sandbox remembers is money.
  if (!trade || !isSandbox(platform, channelNumber(trade.channel))) return undefined;
  return { code, tradeNo: trade.trade_no, amount: trade.amount };
}

/** Asks for an order and books what came. Returns whether it was paid. */
export async function askBillChannel(platform: Platform, code: string): Promise<boolean> {
  const result = await paidTradeOf(platform, code);
  if (!result) return false;
  await takeOnlineResult(platform, result);
  return true;
}

/** The question of the page, answered behind its commit. */
export const billQueryEffect: Effect = {
  kind: BILL_QUERY_EFFECT,
  deliver: async (payload: { readonly code: string }, platform) =>
    void (await askBillChannel(platform, payload.code)),
} as Effect;

/** Lets go of what nobody paid in time; the channel is asked first. Returns how many orders. Source: group 06, job fee.hold_release. */
export async function releaseHolds(platform: Platform): Promise<number> {
  const { db } = platform.database;
  const due = await run<{ id: number; code: string; channel: string }>(
    db,
    `SELECT id, code, channel FROM online_bill_order WHERE state = 'held' AND expires_at <= now() ORDER BY id LIMIT 500`,
  );
  let released = 0;
  for (const { id, code, channel } of due)
    if (
      (channel === 'transfer' || !(await askBillChannel(platform, code))) &&
      (await transaction(db, (tx) => closeOnlineOrder(tx, id, 'expired')))
    )
      released += 1;
  if (released > 0) for (const name of ['bill', 'onlineBillOrder']) platform.changed(name);
  return released;
}
