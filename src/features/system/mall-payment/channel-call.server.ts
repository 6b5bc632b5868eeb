import { askChannel, hearPayment, type WireCallback } from '../../../domain/checkout/sandbox-pay.server.ts';
import { refundChannel } from '../../../domain/payment-channel/channels.server.ts';
import type { ChannelResult } from '../../../domain/payment-channel/payment-channel.ts';
import { recordCall, type ChannelCall } from '../../../domain/payment-channel/channel-calls.server.ts';
import { runOne, transaction } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { addEffect } from '../../../kernel/server/tasks/outbox.ts';
import { receiveChannelResult } from '../../after-sales/refund/refund-send.server.ts';
import { channelCall } from './mall-payment.contract.ts';

const RESEND = 'channel.resend';

const bound = bindResource(channelCall, {
  table: 'channel_call',
  from: 'channel_call t LEFT JOIN payee_account a ON a.id = t.account_id',
  joins: { account: { table: 'payee_account', column: 'account_id' } },
  columns: { channel: 't.channel::text', duration: 't.duration_ms', retries: '(t.calls - 1)' },
  extra: { version: '1' },
  // Calls of other tenants' accounts are theirs; what belongs to no account is the platform's.
  scope: { tenant: 'a.tenant_id', project: 'none', owner: 'a.created_by' },
  search: 'lower(t.number)',
  handlers: {
    // The line is locked here, and what is done writes it: it happens behind the commit.
    resend: async ({ tx, id, row }) => {
      await addEffect(tx, RESEND, { callId: id });
      return { remark: String(row.number) };
    },
  },
  also: {
    effects: [
      {
        kind: RESEND,
        deliver: (payload: never, platform) =>
          sendAgain(platform, (payload as { readonly callId: number }).callId),
      },
    ],
  },
});

/** Calls of payment channels. */
export const registration = bound.registration;

interface CallRow {
  readonly direction: 'request' | 'callback';
  readonly kind: 'pay' | 'refund' | 'query';
  readonly channel: 1 | 2;
  readonly number: string;
  readonly account_id: number | null;
  readonly amount: number | null;
  readonly payload: Record<string, unknown>;
}

/**
 * Does a call once more without moving money: a callback goes to who takes it, for whom a repeat has no second effect; of a request
 * the channel is asked what became of its number, and what is final is told on.
 */
async function sendAgain(platform: Platform, callId: number): Promise<void> {
  const { db } = platform.database;
  const row = await runOne<CallRow>(
    db,
    'SELECT direction, kind, channel, number, account_id, amount, payload FROM channel_call WHERE id = $1',
    [callId],
  );
  if (!row) return;
  if (row.kind === 'pay') {
    if (row.direction === 'callback') await hearPayment(platform, row.payload as unknown as WireCallback);
    else await transaction(db, (tx) => askChannel(tx, row.number, row.channel));
    return;
  }
  if (row.direction === 'callback') {
    const result = row.payload as unknown as ChannelResult;
    await hearRefund(platform, row, result);
    return;
  }
  const { refundNo, tradeNo } = row.payload as { readonly refundNo: string; readonly tradeNo: string };
  const answer = await refundChannel(platform, row.channel).query(refundNo, tradeNo);
  if (answer.state === 'success' || answer.state === 'failure')
    await hearRefund(platform, row, {
      refundNo,
      state: answer.state,
      code: answer.code,
      message: answer.message,
    });
}

async function hearRefund(platform: Platform, row: CallRow, result: ChannelResult): Promise<void> {
  const call: Omit<ChannelCall, 'result'> = {
    direction: 'callback',
    kind: 'refund',
    channel: row.channel,
    number: result.refundNo,
    accountId: row.account_id,
    amount: row.amount,
    code: result.code,
    payload: result,
  };
  try {
    await receiveChannelResult(platform, result);
  } catch (error) {
    await recordCall(platform, { ...call, result: 'refused', message: String(error) });
    throw error;
  }
  await recordCall(platform, { ...call, result: result.state, message: result.message });
}
