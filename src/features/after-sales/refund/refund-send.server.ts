import type { Label } from '../../../kernel/contract/label.ts';
import { CASE_ENTITY } from '../../../domain/after-sale/case.rules.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction, type Tx } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { failureFacts } from '../../../kernel/server/http/failure-facts.ts';
import { queueJob } from '../../../kernel/server/tasks/job-queue.ts';
import { addEffect, pauseSeconds } from '../../../kernel/server/tasks/outbox.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Effect, Job } from '../../../kernel/server/registration.ts';
import { refundChannel } from '../../../domain/payment-channel/channels.server.ts';
import {
  ChannelSilent,
  type ChannelAnswer,
  type ChannelListener,
  type ChannelRefund,
} from '../../../domain/payment-channel/payment-channel.ts';
import { checkChannel, type ChannelAnswer as ChannelPlan } from '../../../domain/trade-money/refund.rules.ts';
import { lockRefund, type OrderRow, type PaymentRow, type RefundRecord } from './refund-order.server.ts';
import { bookSuccess, settleSuccess } from './refund-success.server.ts';
import { addNotice, moveRefund, noteRefund } from './refund-transition.server.ts';

/** Effect that asks the channel. Payload `{ refundId, attempt }`, key `<channel number>:<attempt>`. */
export const SEND_EFFECT = 'refund.send';

/** Job that asks what became of a refund. Payload `{ refundId, attempt, tries }`. */
export const QUERY_JOB = 'refund.query';

/** Job that books a success which came after the refund was given up. Payload `{ refundId }`. */
export const LATE_JOB = 'refund.late_success';

/** What passing a refund means now: the state it goes to and the columns to write with it. */
export interface SendPlan {
  readonly to: 'refunding' | 'succeeded';
  readonly set: Readonly<Record<string, unknown>>;
  readonly remark: string;
}

/**
 * What the channel rules say of a refund now; amounts in fen. Refund, order and payment must be locked.
 * Source: group 21, Refund engine, channel rules.
 */
export async function channelPlan(
  tx: Tx,
  platform: Platform,
  refund: Pick<RefundRecord, 'id' | 'cash'>,
  payment: PaymentRow,
): Promise<ChannelPlan> {
  if (payment.by_receipts && refund.cash > 0) return { kind: 'refused', message: BY_RECEIPTS };
  const setting = (name: string) => platform.settings.numberIn(tx, `refund.channel_${name}`);
  const others = await runOne<{ parts: number; last: Date | null }>(
    tx,
    `SELECT count(*) AS parts, max(greatest(not_before, sent_at)) AS last FROM refund
      WHERE payment_id = $1 AND id <> $2 AND attempts > 0`,
    [payment.id, refund.id],
  );
  return checkChannel(
    {
      cash: refund.cash,
      channel: payment.channel,
      paidAt: payment.paid_at?.getTime() ?? 0,
      now: payment.now.getTime(),
      parts: others!.parts,
      lastPartAt: others!.last?.getTime() ?? null,
    },
    {
      days: await setting('days'),
      maxParts: await setting('max_parts'),
      gapSeconds: await setting('gap_seconds'),
    },
  );
}

/**
 * Starts the way to the channel: queues the call with the fixed number, later when another refund of the payment was
 * asked for less than the gap ago; books the success at once when no money moves. Throws 30101 naming the offline way
 * when the channel's rules forbid it. The caller writes `set` and the state.
 */
export async function startSending(
  tx: Tx,
  platform: Platform,
  refund: RefundRecord,
  order: OrderRow,
  payment: PaymentRow,
): Promise<SendPlan> {
  const plan = await channelPlan(tx, platform, refund, payment);
  if (plan.kind === 'refused') throw ruleBroken(plan.message);
  // Whoever records an offline payment while the refund is sent again must not find it confirmed later.
  const fresh = { offline_by: null, offline_payee: '', offline_voucher: [] as string[] };
  if (plan.kind === 'no_call') {
    await bookSuccess(tx, platform, refund, order, payment);
    return { to: 'succeeded', set: { ...fresh, succeeded_at: payment.now }, remark: '' };
  }
  const attempt = refund.attempts + 1;
  const at = plan.kind === 'wait' ? new Date(plan.notBefore) : payment.now;
  const delaySeconds = Math.max(0, Math.ceil((at.getTime() - payment.now.getTime()) / 1000));
  await addEffect(
    tx,
    SEND_EFFECT,
    { refundId: refund.id, attempt },
    { key: `${refund.channel_refund_no}:${attempt}`, ...(delaySeconds > 0 ? { delaySeconds } : {}) },
  );
  return {
    to: 'refunding',
    set: { ...fresh, attempts: attempt, not_before: at, channel_code: '', channel_message: '' },
    remark: plan.kind === 'wait' ? `${plan.message[0]} ${businessTimeText(at)}` : '',
  };
}

/** The channel says no money moved, or never answered: 退款中 → 退款失败. In another state nothing happens. */
export async function failRefund(
  tx: Tx,
  request: {
    readonly platform: Platform;
    readonly refundId: number;
    readonly code: string;
    readonly message: string;
  },
): Promise<boolean> {
  const refund = await lockRefund(tx, request.refundId);
  if (refund.state !== 'refunding') return false;
  await moveRefund(tx, refund, {
    from: ['refunding'],
    to: 'failed',
    action: 'fail',
    label: FAILED,
    set: { channel_code: request.code, channel_message: request.message },
    channelAnswer: [request.code, request.message].filter(Boolean).join(' '),
  });
  await addNotice(tx, refund, 'failed');
  request.platform.changed('refund');
  if (refund.after_sale_id !== null) request.platform.changed(CASE_ENTITY);
  return true;
}

/**
 * The callback handler of every channel, after the signature was checked. Repeats and late results change nothing. A
 * failure is asked for again first: an old one must not end an attempt that was started since.
 */
export const receiveChannelResult: ChannelListener = async (platform, result) => {
  const refund = await runOne<RefundRecord>(
    platform.database.db,
    'SELECT * FROM refund WHERE channel_refund_no = $1',
    [result.refundNo],
  );
  if (!refund)
    return platform.log.warn({ refundNo: result.refundNo }, 'a channel result of an unknown refund');
  if (result.state === 'success') return takeAnswer(platform, refund.id, result);
  // Not asked yet in this attempt: the failure belongs to an earlier one.
  if (refund.state !== 'refunding' || refund.channel_code === '') return;
  const asked = await askable(platform, refund);
  const answer = await asked.channel.query(asked.order.refundNo, asked.order.tradeNo);
  if (answer.state === 'failure' || answer.state === 'success') await takeAnswer(platform, refund.id, answer);
};

/** Asks the channel what became of a refund; undefined when it does not answer. */
export async function queryChannel(
  platform: Platform,
  refund: RefundRecord,
): Promise<ChannelAnswer | undefined> {
  const { channel, order } = await askable(platform, refund);
  return heard(() => channel.query(order.refundNo, order.tradeNo));
}

/** Asks the channel for a refund; after a crash in the middle it first asks whether the call had arrived. */
export const sendEffect: Effect = {
  kind: SEND_EFFECT,
  deliver: async (payload: { readonly refundId: number; readonly attempt: number }, platform) => {
    const { db } = platform.database;
    const refund = await transaction(db, async (tx) => {
      const row = await lockRefund(tx, payload.refundId);
      if (row.state !== 'refunding' || row.attempts !== payload.attempt) return undefined;
      if (row.channel_code !== '') return row;
      // Written before the call: whatever happens next, the query will look for the answer.
      await run(
        tx,
        `UPDATE refund SET channel_code = '${ASKED}', sent_at = clock_timestamp() WHERE id = $1`,
        [row.id],
      );
      await queueQuery(tx, row.id, payload.attempt, 0);
      return row;
    });
    if (!refund) return;
    const { channel, order } = await askable(platform, refund);
    const answer = await heard(async () => {
      const known =
        refund.channel_code === '' ? undefined : await channel.query(order.refundNo, order.tradeNo);
      return known && known.state !== 'none' ? known : await channel.refund(order);
    });
    if (answer) await takeAnswer(platform, refund.id, answer);
  },
};

/** Asks after 1, 2, 5, 10, 30 minutes, then hourly; no answer for `refund.unknown_hours` ends in 退款失败. */
export const queryJob: Job = {
  name: QUERY_JOB,
  title: ['查询渠道退款结果', 'Ask the channel for refunds'],
  run: async (payload, platform) => {
    const { refundId, attempt, tries } = payload as { refundId: number; attempt: number; tries: number };
    const { db } = platform.database;
    const refund = await runOne<RefundRecord & { now: Date }>(
      db,
      'SELECT *, clock_timestamp() AS now FROM refund WHERE id = $1',
      [refundId],
    );
    if (!refund || refund.state !== 'refunding' || refund.attempts !== attempt) return;
    const answer = await heard(async () => {
      const { channel, order } = await askable(platform, refund);
      const known = await channel.query(order.refundNo, order.tradeNo);
      // The call never arrived; the number makes a second one harmless.
      return known.state === 'none' ? channel.refund(order) : known;
    }).catch((error: unknown) => {
      // A channel that is broken says as little as a silent one. Were the job to fail instead, it would be given up one
      // day, and nothing would end the refund any more.
      platform.log.error({ err: failureFacts(error), refund: refund.code }, 'a channel could not be asked');
      return undefined;
    });
    if (answer?.state === 'success' || answer?.state === 'failure')
      return takeAnswer(platform, refundId, answer);
    const hours = await platform.settings.number('refund.unknown_hours');
    if (refund.sent_at && refund.now.getTime() - refund.sent_at.getTime() >= hours * 3_600_000) {
      await transaction(db, (tx) =>
        failRefund(tx, { platform, refundId, code: 'NO_ANSWER', message: NO_ANSWER[0] }),
      );
      return;
    }
    await transaction(db, (tx) => queueQuery(tx, refundId, attempt, tries + 1));
  },
};

/** A staff found that the channel paid a refund we gave up: it succeeds all the same. */
export const lateSuccessJob: Job = {
  name: LATE_JOB,
  title: ['补记渠道已退款', 'Book a late success of the channel'],
  run: async (payload, platform) => {
    const { refundId } = payload as { refundId: number };
    const refund = await runOne<RefundRecord>(platform.database.db, 'SELECT * FROM refund WHERE id = $1', [
      refundId,
    ]);
    if (refund?.state !== 'failed') return;
    const answer = await queryChannel(platform, refund);
    if (answer?.state === 'success') await takeAnswer(platform, refundId, answer);
  },
};

const ASKED = 'SENDING';
export const BY_RECEIPTS: Label = [
  '款项由收款单收取，请使用线下退款',
  'The money came in by receipts; use the offline refund',
];
const FAILED: Label = ['退款失败', 'Failed'];
const ACCEPTED: Label = ['渠道已受理', 'Accepted by the channel'];
const NO_ANSWER: Label = ['渠道长时间未返回结果', 'The channel gave no result in time'];

async function takeAnswer(
  platform: Platform,
  refundId: number,
  answer: { readonly state: ChannelAnswer['state']; readonly code: string; readonly message: string },
): Promise<void> {
  const { code, message } = answer;
  await transaction(platform.database.db, async (tx) => {
    if (answer.state === 'success') await settleSuccess(tx, { platform, refundId, code, message });
    else if (answer.state === 'failure') await failRefund(tx, { platform, refundId, code, message });
    else await noteAccepted(tx, refundId, code, message);
  });
}

async function noteAccepted(tx: Tx, refundId: number, code: string, message: string): Promise<void> {
  const refund = await lockRefund(tx, refundId);
  if (refund.state !== 'refunding' || refund.channel_code !== ASKED) return;
  await run(tx, 'UPDATE refund SET channel_code = $2, channel_message = $3 WHERE id = $1', [
    refundId,
    code,
    message,
  ]);
  await noteRefund(tx, refundId, {
    from: 'refunding',
    to: 'refunding',
    remark: ACCEPTED[0],
    channelAnswer: [code, message].filter(Boolean).join(' '),
  });
}

async function askable(
  platform: Platform,
  refund: RefundRecord,
): Promise<{ channel: ReturnType<typeof refundChannel>; order: ChannelRefund }> {
  const payment = await runOne<PaymentRow>(platform.database.db, 'SELECT * FROM payment WHERE id = $1', [
    refund.payment_id,
  ]);
  return {
    channel: refundChannel(platform, payment!.channel),
    order: {
      refundNo: refund.channel_refund_no,
      tradeNo: payment!.trade_no ?? '',
      checkoutCode: payment!.checkout_code,
      amount: refund.cash,
      paid: payment!.amount,
      payeeAccountId: payment!.payee_account_id,
      reason: refund.reason,
    },
  };
}

async function heard(ask: () => Promise<ChannelAnswer>): Promise<ChannelAnswer | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ChannelSilent) return undefined;
    throw error;
  }
}

async function queueQuery(tx: Tx, refundId: number, attempt: number, tries: number): Promise<void> {
  const row = await runOne<{ at: Date }>(tx, 'SELECT clock_timestamp() + make_interval(secs => $1) AS at', [
    pauseSeconds(tries + 1),
  ]);
  await queueJob(
    tx,
    QUERY_JOB,
    { refundId, attempt, tries },
    { runAt: row!.at, jobKey: `${QUERY_JOB}:${refundId}` },
  );
}
