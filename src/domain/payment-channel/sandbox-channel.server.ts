import { createHash } from 'node:crypto';
import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import { queueJob } from '../../kernel/server/tasks/job-queue.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { Job } from '../../kernel/server/registration.ts';
import { recordCall } from './channel-calls.server.ts';
import {
  ChannelSilent,
  type ChannelAnswer,
  type ChannelListener,
  type ChannelRefund,
  type ChannelResult,
  type RefundChannel,
} from './payment-channel.ts';

/** How the sandbox behaves: setting `sandbox.refund.mode`; `mixed` decides by the last digit of the amount. */
export type SandboxMode = 'ok' | 'fail' | 'delay' | 'duplicate' | 'lost';

/** Seconds a `delay` result comes late: behind the first query after a minute. */
export const SANDBOX_DELAY_SECONDS = 150;

/** Callbacks of a `duplicate` result. */
export const SANDBOX_REPEATS = 5;

/** Job that settles a refund on the sandbox's side and calls back. Payload `{ refundNo }`. */
export const SANDBOX_RESULT_JOB = 'sandbox.refund_result';

/** Registers a paid payment on the sandbox's side, so that it can be refunded. Amount in fen; a repeat changes nothing. */
export async function openSandboxTrade(
  tx: Executor,
  trade: {
    readonly tradeNo: string;
    readonly checkoutCode: string;
    readonly amount: number;
    /** The merchant it is paid to, on the sandbox's side. */
    readonly payeeAccountId?: number | null;
  },
): Promise<void> {
  await run(
    tx,
    'INSERT INTO sandbox_trade (trade_no, checkout_code, amount, payee_account_id) VALUES ($1, $2, $3, $4) ON CONFLICT (trade_no) DO NOTHING',
    [trade.tradeNo, trade.checkoutCode, trade.amount, trade.payeeAccountId ?? null],
  );
}

/**
 * A channel inside our own database that behaves like a real one: it has its own transactions, accepts at once, tells
 * the result later through a job, and can be told to fail, to be late, to repeat itself or to fall silent.
 * Source: ground rules section 13.
 */
export function sandboxChannel(platform: Platform): RefundChannel {
  return {
    refund: async (order) => {
      // Settings are read before the transaction, which must not ask the pool for a second connection.
      const mode = (await modeFor(platform))(order.amount, order.refundNo);
      const milliseconds =
        mode === 'delay' ? SANDBOX_DELAY_SECONDS * 1000 : await platform.settings.number('sandbox.delay_ms');
      const answer = await transaction(platform.database.db, (tx) => accept(tx, order, mode, milliseconds));
      if (mode === 'lost' && answer.state === 'success') throw new ChannelSilent();
      return answer;
    },
    query: async (refundNo) => {
      const row = await runOne<SandboxRow>(
        platform.database.db,
        'SELECT state, message, amount, trade_no FROM sandbox_refund WHERE refund_no = $1',
        [refundNo],
      );
      return row ? answerOf(row) : { state: 'none', code: 'REFUND_NOT_EXIST', message: UNKNOWN_NUMBER[0] };
    },
  };
}

/** The job of the sandbox's side; `listener` is the very callback handler a real channel would reach. */
export function sandboxJobs(listener: ChannelListener): readonly Job[] {
  return [
    {
      name: SANDBOX_RESULT_JOB,
      title: ['沙箱退款结果', 'Result of a sandbox refund'],
      run: async (payload, platform) => {
        const { refundNo } = payload as { refundNo: string };
        const mode = await modeFor(platform);
        const row = await transaction(platform.database.db, (tx) => settle(tx, mode, refundNo));
        if (!row || row.state === 'accepted') return;
        const result = { refundNo, state: row.state, ...codeOf(row) } as const;
        const repeats = mode(row.amount, refundNo) === 'duplicate' ? SANDBOX_REPEATS : 1;
        for (let n = 0; n < repeats; n++) await heard(platform, listener, result, row);
      },
    },
  ];
}

const UNKNOWN_NUMBER: Label = ['退款单号不存在', 'The channel does not know this number'];
const UNKNOWN_TRADE: Label = ['交易不存在', 'The channel does not know this payment'];
const CHANGED: Label = ['同一退款单号的金额不一致', 'The same number was used with another amount'];
const TOO_MUCH: Label = ['退款金额超过可退金额', 'More than the payment has left'];
const REFUSED: Label = ['用户收款账户状态异常，退款失败', "The payee's account does not accept refunds"];
const MODES: readonly SandboxMode[] = [
  'ok',
  'ok',
  'ok',
  'ok',
  'ok',
  'ok',
  'duplicate',
  'delay',
  'lost',
  'fail',
];

interface SandboxRow {
  readonly state: 'accepted' | 'success' | 'failure';
  readonly message: string;
  readonly amount: number;
  readonly trade_no: string;
}

type ModeOf = (amount: number, number: string) => SandboxMode;

/** How the sandbox treats an amount (fen) and a number as it is set up now. */
async function modeFor(platform: Platform): Promise<ModeOf> {
  const mode = await platform.settings.text('sandbox.refund.mode');
  if (mode === 'mixed') return (amount) => MODES[amount % 10]!;
  if (mode !== 'ok' && (MODES as readonly string[]).includes(mode)) return () => mode as SandboxMode;
  return sandboxLuck(platform);
}

/** What becomes of a number by the shares that are set: the same number always fares the same. */
export async function sandboxLuck(
  platform: Platform,
): Promise<(amount: number, number: string) => SandboxMode> {
  const [fail, duplicate, lost] = await Promise.all(
    ['fail', 'duplicate', 'lost'].map((name) => platform.settings.number(`sandbox.${name}_percent`)),
  );
  return (_amount, number) => {
    const drawn = createHash('sha256').update(number).digest().readUInt32BE(0) % 100;
    if (drawn < fail!) return 'fail';
    if (drawn < fail! + duplicate!) return 'duplicate';
    return drawn < fail! + duplicate! + lost! ? 'lost' : 'ok';
  };
}

/** How a payment in the sandbox fares: as `sandbox.payment.mode` says, by the shares where that is ok. `amount` in fen. */
export async function sandboxPayMode(platform: Platform, amount: number, number: string): Promise<string> {
  const set = await platform.settings.text('sandbox.payment.mode');
  return set === 'ok' ? (await sandboxLuck(platform))(amount, number) : set;
}

/** Our side hears of a result; that it did is kept, also when it could not take it. */
async function heard(
  platform: Platform,
  listener: ChannelListener,
  result: ChannelResult,
  row: SandboxRow & { readonly payee: number | null; readonly channel: number | null },
): Promise<void> {
  const call = {
    direction: 'callback',
    kind: 'refund',
    channel: row.channel ?? 1,
    number: result.refundNo,
    accountId: row.payee,
    amount: row.amount,
    code: result.code,
    payload: result,
  } as const;
  try {
    await listener(platform, result);
  } catch (error) {
    await recordCall(platform, { ...call, result: 'refused', message: String(error) });
    throw error;
  }
  await recordCall(platform, { ...call, result: result.state, message: result.message });
}

async function accept(
  tx: Tx,
  order: ChannelRefund,
  mode: SandboxMode,
  milliseconds: number,
): Promise<ChannelAnswer> {
  const trade = await runOne<{ amount: number; refunded: number; payee: number | null }>(
    tx,
    'SELECT amount, refunded, payee_account_id AS payee FROM sandbox_trade WHERE trade_no = $1 FOR UPDATE',
    [order.tradeNo],
  );
  // A merchant knows its own trades only.
  const isForeign =
    trade !== undefined &&
    trade.payee !== null &&
    order.payeeAccountId !== null &&
    trade.payee !== order.payeeAccountId;
  if (!trade || isForeign) return { state: 'failure', code: 'TRADE_NOT_EXIST', message: UNKNOWN_TRADE[0] };
  const known = await runOne<SandboxRow>(
    tx,
    'UPDATE sandbox_refund SET calls = calls + 1 WHERE refund_no = $1 RETURNING state, message, amount, trade_no',
    [order.refundNo],
  );
  if (known && (known.amount !== order.amount || known.trade_no !== order.tradeNo))
    return { state: 'failure', code: 'REQUEST_CHANGED', message: CHANGED[0] };
  if (known && known.state !== 'failure') return answerOf(known);
  const pending = await runOne<{ sum: number }>(
    tx,
    `SELECT coalesce(sum(amount), 0)::bigint AS sum FROM sandbox_refund WHERE trade_no = $1 AND state = 'accepted'`,
    [order.tradeNo],
  );
  if (trade.refunded + pending!.sum + order.amount > trade.amount)
    return { state: 'failure', code: 'NOT_ENOUGH', message: TOO_MUCH[0] };
  const row = await runOne<{ due_at: Date }>(
    tx,
    `INSERT INTO sandbox_refund (refund_no, trade_no, amount, state, due_at)
     VALUES ($1, $2, $3, 'accepted', clock_timestamp() + make_interval(secs => $4::float8 / 1000))
     ON CONFLICT (refund_no) DO UPDATE SET state = 'accepted', message = '', due_at = excluded.due_at RETURNING due_at`,
    [order.refundNo, order.tradeNo, order.amount, milliseconds],
  );
  if (mode === 'lost') {
    // Done on the other side, and neither the answer nor a callback reaches us.
    await pay(tx, order.refundNo);
    return { state: 'success', code: 'SUCCESS', message: '' };
  }
  await queueJob(
    tx,
    SANDBOX_RESULT_JOB,
    { refundNo: order.refundNo },
    { runAt: row!.due_at, jobKey: `sandbox:${order.refundNo}` },
  );
  return { state: 'accepted', code: 'ACCEPTED', message: '' };
}

async function settle(
  tx: Tx,
  mode: ModeOf,
  refundNo: string,
): Promise<(SandboxRow & { readonly payee: number | null; readonly channel: number | null }) | undefined> {
  const row = await runOne<SandboxRow & { readonly payee: number | null; readonly channel: number | null }>(
    tx,
    `SELECT r.state, r.message, r.amount, r.trade_no, t.payee_account_id AS payee,
            coalesce((SELECT CASE a.channel WHEN 'alipay' THEN 1 WHEN 'wechat' THEN 2 END FROM payee_account a WHERE a.id = t.payee_account_id),
              (SELECT nullif(p.channel, 0) FROM payment p WHERE p.checkout_code = t.checkout_code)) AS channel
       FROM sandbox_refund r JOIN sandbox_trade t ON t.trade_no = r.trade_no WHERE r.refund_no = $1 FOR UPDATE OF r`,
    [refundNo],
  );
  if (!row || row.state !== 'accepted') return row;
  if (mode(row.amount, refundNo) !== 'fail') {
    await pay(tx, refundNo);
    return { ...row, state: 'success' };
  }
  await run(tx, `UPDATE sandbox_refund SET state = 'failure', message = $2 WHERE refund_no = $1`, [
    refundNo,
    REFUSED[0],
  ]);
  return { ...row, state: 'failure', message: REFUSED[0] };
}

/** Moves the sandbox's money; `paid_times` of the table refuses a second time. */
async function pay(tx: Tx, refundNo: string): Promise<void> {
  const row = await runOne<{ amount: number; trade_no: string }>(
    tx,
    `UPDATE sandbox_refund SET state = 'success', paid_times = paid_times + 1 WHERE refund_no = $1 RETURNING amount, trade_no`,
    [refundNo],
  );
  await run(tx, 'UPDATE sandbox_trade SET refunded = refunded + $2 WHERE trade_no = $1', [
    row!.trade_no,
    row!.amount,
  ]);
}

function answerOf(row: SandboxRow): ChannelAnswer {
  return { state: row.state, ...codeOf(row) };
}

function codeOf(row: SandboxRow): { code: string; message: string } {
  const code = { accepted: 'ACCEPTED', success: 'SUCCESS', failure: 'USER_ACCOUNT_ABNORMAL' }[row.state];
  return { code, message: row.message };
}
