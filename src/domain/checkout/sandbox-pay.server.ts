import { randomBytes } from 'node:crypto';
import { run, runOne, transaction, type Executor } from '../../kernel/server/database.ts';
import { addEffect } from '../../kernel/server/tasks/outbox.ts';
import type { Platform, PlatformConfig } from '../../kernel/server/platform.ts';
import type { Effect } from '../../kernel/server/registration.ts';
import { macOf } from '../../kernel/server/http/signed-ticket.ts';
import { isSandbox, requireSandbox } from '../payment-channel/channels.server.ts';
import { recordCall } from '../payment-channel/channel-calls.server.ts';
import { openSandboxTrade, sandboxPayMode } from '../payment-channel/sandbox-channel.server.ts';
import { fixPayeeOf } from '../payee/payment-payee.server.ts';
import { refuseStoppedPayment } from '../seckill/stopped-payment.server.ts';
import { returnEffects } from './money-back.server.ts';
import { receivePayment, type PaymentCallback } from './take-payment.server.ts';

/** Effect that carries a payment result from the sandbox to the callback handler, as a channel's HTTP call would. */
export const CALLBACK_EFFECT = 'payment.callback';
/** Effect that asks the channel whether a checkout was paid. */
export const QUERY_EFFECT = 'payment.query';

interface TradeRow {
  readonly trade_no: string;
  readonly amount: number;
  readonly paid_at: Date;
  readonly payee_account_id: number | null;
}

/**
 * The buyer pays a checkout in the sandbox: the trade is kept on the provider's side and its result comes back through
 * the outbox. `amount` in fen. `sandbox.payment.mode` decides how: ok, duplicate (five results), delay (30 s),
 * lost (no result until asked), fail (refused: no trade; undefined is returned). Returns the trade number. Throws 30101
 * when the channel is a real one, and when no payee account is configured.
 */
export async function paySandbox(
  platform: Platform,
  pay: {
    readonly checkoutCode: string;
    readonly amount: number;
    readonly channel: 1 | 2;
    readonly mode?: string;
  },
): Promise<string | undefined> {
  requireSandbox(platform, pay.channel);
  await refuseStoppedPayment(platform.database.db, pay.checkoutCode);
  const payeeAccountId = await fixPayeeOf(platform, pay.checkoutCode, pay.channel);
  const mode = pay.mode ?? (await sandboxPayMode(platform, pay.amount, pay.checkoutCode));
  const request = {
    direction: 'request',
    kind: 'pay',
    channel: pay.channel,
    number: pay.checkoutCode,
    accountId: payeeAccountId,
    amount: pay.amount,
    payload: { checkoutCode: pay.checkoutCode },
  } as const;
  if (mode === 'fail') {
    await recordCall(platform, { ...request, result: 'failure', code: 'PAY_REFUSED' });
    return undefined;
  }
  const late = (await platform.settings.flag('sandbox.late_callback'))
    ? await closedIn(platform, pay.checkoutCode)
    : 0;
  const tradeNo = `SBX${pay.checkoutCode.slice(2)}${randomBytes(4).toString('hex').toUpperCase()}`;
  await transaction(platform.database.db, async (tx) => {
    await openSandboxTrade(tx, {
      tradeNo,
      checkoutCode: pay.checkoutCode,
      amount: pay.amount,
      payeeAccountId,
    });
    const trade = {
      trade_no: tradeNo,
      amount: pay.amount,
      paid_at: new Date(),
      payee_account_id: payeeAccountId,
    };
    if (mode === 'lost') return;
    for (let time = 1; time <= (mode === 'duplicate' ? 5 : 1); time++)
      await addEffect(tx, CALLBACK_EFFECT, callbackOf(pay.checkoutCode, trade, pay.channel), {
        key: `${CALLBACK_EFFECT}:${tradeNo}:${time}`,
        delaySeconds: late || (mode === 'delay' ? 30 : 0),
      });
  });
  await recordCall(platform, { ...request, result: 'accepted', code: tradeNo });
  return tradeNo;
}

/** Seconds until a minute behind the time a checkout closes. */
async function closedIn(platform: Platform, checkoutCode: string): Promise<number> {
  const row = await runOne<{ seconds: number }>(
    platform.database.db,
    'SELECT ceil(extract(epoch FROM deadline - clock_timestamp()))::int AS seconds FROM payment WHERE checkout_code = $1',
    [checkoutCode],
  );
  return Math.max(0, row?.seconds ?? 0) + 60;
}

/** Our side hears of a payment; that it did is kept, also when it could not take it. */
export async function hearPayment(platform: Platform, payload: WireCallback): Promise<void> {
  const call = {
    direction: 'callback',
    kind: 'pay',
    channel: payload.channel,
    number: payload.checkoutCode,
    accountId: payload.payeeAccountId,
    amount: payload.amount,
    payload,
  } as const;
  let outcome: string;
  try {
    outcome = String(await receivePayment(platform, { ...payload, paidAt: new Date(payload.paidAt) }));
  } catch (error) {
    await recordCall(platform, { ...call, result: 'refused', message: String(error) });
    throw error;
  }
  await recordCall(platform, { ...call, result: 'success', code: outcome });
}

/**
 * What stands in a pay link for the amount (fen): another amount has another mark, and nobody reads the amount out of
 * it, so that a merchant's link does not tell what the buyer owes other merchants.
 */
export function linkMark(
  config: Pick<PlatformConfig, 'secretKey'>,
  checkoutCode: string,
  amount: number,
): string {
  return macOf(config, 'pay-link', `${checkoutCode}\n${amount}`).slice(0, 32);
}

/** Asks the sandbox for paid trades of a checkout after commit; found ones go through the callback handler. */
export async function askChannel(tx: Executor, checkoutCode: string, channel: 1 | 2): Promise<void> {
  await addEffect(tx, QUERY_EFFECT, { checkoutCode, channel });
}

/** Effects of the payment side: results in, questions out, money back. */
export const paymentEffects: readonly Effect[] = [
  {
    kind: CALLBACK_EFFECT,
    deliver: (payload: WireCallback, platform) => hearPayment(platform, payload),
  },
  {
    kind: QUERY_EFFECT,
    deliver: async (payload: { checkoutCode: string; channel: 1 | 2 }, platform) => {
      // Once a channel is real, nothing the sandbox remembers is money.
      if (!isSandbox(platform, payload.channel)) return;
      const trades = await run<TradeRow>(
        platform.database.db,
        'SELECT trade_no, amount, paid_at, payee_account_id FROM sandbox_trade WHERE checkout_code = $1 ORDER BY paid_at',
        [payload.checkoutCode],
      );
      for (const trade of trades) {
        const callback = callbackOf(payload.checkoutCode, trade, payload.channel);
        await receivePayment(platform, { ...callback, paidAt: trade.paid_at });
      }
    },
  },
  ...returnEffects,
] as readonly Effect[];

/** A payment result as it travels. */
export type WireCallback = Omit<PaymentCallback, 'paidAt'> & { readonly paidAt: string };

function callbackOf(checkoutCode: string, trade: TradeRow, channel: 1 | 2): WireCallback {
  return {
    checkoutCode,
    tradeNo: trade.trade_no,
    amount: trade.amount,
    channel,
    paidAt: trade.paid_at.toISOString(),
    payeeAccountId: trade.payee_account_id,
  };
}
