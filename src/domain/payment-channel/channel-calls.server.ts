import { run } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { ChannelSilent, type ChannelAnswer, type RefundChannel } from './payment-channel.ts';

/** A request to a channel, or what it told by callback. */
export interface ChannelCall {
  readonly direction: 'request' | 'callback';
  readonly kind: 'pay' | 'refund' | 'query';
  readonly channel: number;
  readonly number: string;
  readonly accountId?: number | null | undefined;
  readonly amount?: number | null | undefined;
  /** `silent`: no answer; `refused`: a callback that our side could not take. */
  readonly result: ChannelAnswer['state'] | 'silent' | 'refused';
  readonly code?: string;
  readonly message?: string;
  readonly milliseconds?: number;
  readonly payload?: object;
}

/** Keeps a call for ssm_mallPayment; one of the same number counts up. Never in the way of the money: what fails here is logged. */
export async function recordCall(platform: Platform, call: ChannelCall): Promise<void> {
  try {
    await run(
      platform.database.db,
      `INSERT INTO channel_call AS c (direction, kind, channel, number, account_id, amount, result, code, message, duration_ms, payload)
       VALUES ($1, $2, $3, $4, (SELECT id FROM payee_account WHERE id = $5), $6, $7, $8, $9, $10, $11)
       ON CONFLICT (direction, kind, channel, number) DO UPDATE SET calls = c.calls + 1, at = clock_timestamp(), result = excluded.result,
         code = excluded.code, message = excluded.message, duration_ms = excluded.duration_ms, payload = excluded.payload,
         account_id = coalesce(excluded.account_id, c.account_id), amount = coalesce(excluded.amount, c.amount)`,
      [
        call.direction,
        call.kind,
        call.channel,
        call.number,
        call.accountId ?? null,
        call.amount ?? null,
        call.result,
        call.code ?? '',
        (call.message ?? '').slice(0, 500),
        Math.round(call.milliseconds ?? 0),
        JSON.stringify(call.payload ?? {}),
      ],
    );
    platform.changed('channelCall');
  } catch (error) {
    platform.log.error({ msg: 'channel call not kept', number: call.number, error: String(error) });
  }
}

/** A channel whose requests are kept. */
export function recorded(platform: Platform, channel: number, inner: RefundChannel): RefundChannel {
  const keep = async (
    call: Pick<ChannelCall, 'kind' | 'number' | 'accountId' | 'amount' | 'payload'>,
    ask: () => Promise<ChannelAnswer>,
  ): Promise<ChannelAnswer> => {
    const since = performance.now();
    const done = (answer: Pick<ChannelCall, 'result' | 'code' | 'message'>) =>
      recordCall(platform, {
        ...call,
        ...answer,
        direction: 'request',
        channel,
        milliseconds: performance.now() - since,
      });
    try {
      const answer = await ask();
      await done({ result: answer.state, code: answer.code, message: answer.message });
      return answer;
    } catch (error) {
      if (error instanceof ChannelSilent) await done({ result: 'silent' });
      throw error;
    }
  };
  return {
    refund: (order) =>
      keep(
        {
          kind: 'refund',
          number: order.refundNo,
          accountId: order.payeeAccountId,
          amount: order.amount,
          payload: { refundNo: order.refundNo, tradeNo: order.tradeNo },
        },
        () => inner.refund(order),
      ),
    query: (refundNo, tradeNo) =>
      keep({ kind: 'query', number: refundNo, payload: { refundNo, tradeNo } }, () =>
        inner.query(refundNo, tradeNo),
      ),
  };
}
