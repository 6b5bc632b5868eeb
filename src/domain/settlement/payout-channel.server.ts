import { run, runOne, transaction } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { ChannelSilent, type ChannelAnswer } from '../payment-channel/payment-channel.ts';
import { sandboxLuck } from '../payment-channel/sandbox-channel.server.ts';

/** A payment out as it is asked of a bank or channel. The number is fixed for life: it pays once only. */
export interface PayoutOrder {
  readonly payoutNo: string;
  /** In fen. */
  readonly amount: number;
  readonly payeeAccountId: number;
  readonly payeeName: string;
}

/** The other side of payments to merchants. */
export interface PayoutChannel {
  /** Asks for a payment; a repeat with the same number never pays twice. Throws ChannelSilent when there was no answer. */
  pay(order: PayoutOrder): Promise<ChannelAnswer>;
  /** What became of a number. Throws ChannelSilent when there was no answer. */
  query(payoutNo: string): Promise<ChannelAnswer>;
}

declare module '../../kernel/server/platform.ts' {
  interface PlatformConfig {
    /** The real way out of money; without one it is the sandbox. */
    readonly payoutChannel?: PayoutChannel;
  }
}

/** The way money goes out: what is configured, else the sandbox. */
export function payoutChannel(platform: Platform): PayoutChannel {
  return platform.config.payoutChannel ?? sandboxPayouts(platform);
}

/** A bank inside our own database: it accepts at once, tells the result when asked, and now and then fails or falls silent as the sandbox is set up. */
function sandboxPayouts(platform: Platform): PayoutChannel {
  const query = async (payoutNo: string): Promise<ChannelAnswer> => {
    const row = await runOne<{ state: 'success' | 'failure'; message: string }>(
      platform.database.db,
      'SELECT state, message FROM sandbox_payout WHERE payout_no = $1',
      [payoutNo],
    );
    return row
      ? { state: row.state, code: row.state.toUpperCase(), message: row.message }
      : { state: 'none', code: 'NOT_FOUND', message: '付款单号不存在' };
  };
  return {
    query,
    pay: async (order) => {
      const mode = (await sandboxLuck(platform))(order.amount, order.payoutNo);
      await transaction(platform.database.db, (tx) =>
        run(
          tx,
          `INSERT INTO sandbox_payout (payout_no, amount, state, message, paid_times) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (payout_no) DO UPDATE SET calls = sandbox_payout.calls + 1`,
          mode === 'fail'
            ? [order.payoutNo, order.amount, 'failure', '户名与账号不符', 0]
            : [order.payoutNo, order.amount, 'success', '', 1],
        ),
      );
      if (mode === 'lost') throw new ChannelSilent();
      return { state: 'accepted', code: 'ACCEPTED', message: '' };
    },
  };
}
