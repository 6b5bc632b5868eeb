import { ChannelSilent, type ChannelAnswer } from '../../../domain/payment-channel/payment-channel.ts';
import { payoutChannel } from '../../../domain/settlement/payout-channel.server.ts';
import { bookArrived, bookReturned } from '../../../domain/settlement/statement-money.server.ts';
import { STATEMENT } from '../../../domain/statement/draft-statement.server.ts';
import { bookWithdrawn, WITHDRAWAL, withdrawalOf } from '../../../domain/settlement/withdrawal.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Effect, Job } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { bound as withdrawals } from '../withdrawal/withdrawal.server.ts';
import { bound as settlements } from './settlement.server.ts';

/** Effect that hands a payout to the channel. */
export const PAYOUT_EFFECT = 'payout.send';
/** Minutes until each query of a payout without a result; then hourly. */
const PAUSES = [1, 5, 15, 60];

interface PayoutRow {
  readonly id: number;
  readonly payout_no: string;
  readonly batch_id: number;
  /** Null: of a withdrawal. */
  readonly statement_id: number | null;
  readonly withdrawal_id: number | null;
  readonly tenant_id: number;
  readonly payee_account_id: number;
  readonly payee_name: string;
  readonly amount: number;
  readonly state: string;
  readonly queries: number;
}

const COLUMNS =
  'id, payout_no, batch_id, statement_id, withdrawal_id, tenant_id, payee_account_id, payee_name, amount, state, queries';

/** Effects of payouts. */
export function payoutEffects(batches: () => BoundResource): readonly Effect[] {
  return [
    {
      kind: PAYOUT_EFFECT,
      deliver: (payload: { payoutId: number }, platform) => sendPayout(platform, batches(), payload.payoutId),
    },
  ] as readonly Effect[];
}

/** Jobs that ask for results. */
export function payoutJobs(batches: () => BoundResource): readonly Job[] {
  return [
    {
      name: 'payout.poll',
      title: ['付款结果查证', 'Results of payouts'],
      cron: '* * * * *',
      run: async (_payload, platform, context) => {
        const due = await run<{ id: number }>(
          platform.database.db,
          `SELECT id FROM payout WHERE state IN ('sent', 'unknown') AND next_query_at <= now() ORDER BY next_query_at LIMIT 100`,
        );
        for (const { id } of due) {
          context?.signal.throwIfAborted();
          await queryPayout(platform, batches(), id);
        }
      },
    },
  ];
}

/** Hands a payout to the channel. It counts as sent before the call: after a crash its number is asked for, never paid twice. */
export async function sendPayout(platform: Platform, batches: BoundResource, id: number): Promise<void> {
  const row = await runOne<PayoutRow>(
    platform.database.db,
    `UPDATE payout SET state = 'sent', attempts = attempts + 1, sent_at = coalesce(sent_at, now()), next_query_at = now() + interval '1 minute', version = version + 1,
        updated_at = now() WHERE id = $1 AND state = 'queued' RETURNING ${COLUMNS}`,
    [id],
  );
  if (row) await ask(platform, batches, row, () => payoutChannel(platform).pay(orderOf(row)));
}

/** Asks what became of a payout; one the channel does not know is sent again under the same number. */
export async function queryPayout(platform: Platform, batches: BoundResource, id: number): Promise<void> {
  const row = await runOne<PayoutRow>(
    platform.database.db,
    `SELECT ${COLUMNS} FROM payout WHERE id = $1 AND state IN ('sent', 'unknown')`,
    [id],
  );
  if (!row) return;
  const pause = PAUSES[Math.min(row.queries + 1, PAUSES.length - 1)]!;
  await run(
    platform.database.db,
    `UPDATE payout SET queries = queries + 1, next_query_at = now() + make_interval(mins => $2) WHERE id = $1`,
    [id, pause],
  );
  await ask(platform, batches, row, async () => {
    const answer = await payoutChannel(platform).query(row.payout_no);
    if (answer.state !== 'none') return answer;
    await run(platform.database.db, 'UPDATE payout SET attempts = attempts + 1 WHERE id = $1', [id]);
    return payoutChannel(platform).pay(orderOf(row));
  });
}

const orderOf = (row: PayoutRow) => ({
  payoutNo: row.payout_no,
  amount: row.amount,
  payeeAccountId: row.payee_account_id,
  payeeName: row.payee_name,
});

async function ask(
  platform: Platform,
  batches: BoundResource,
  row: PayoutRow,
  question: () => Promise<ChannelAnswer>,
): Promise<void> {
  try {
    const answer = await question();
    if (answer.state === 'success' || answer.state === 'failure')
      await finishPayout(platform, batches, row.payout_no, answer.state === 'success', answer.message);
  } catch (error) {
    if (!(error instanceof ChannelSilent)) throw error;
    await run(
      platform.database.db,
      `UPDATE payout SET state = 'unknown', version = version + 1, updated_at = now() WHERE id = $1 AND state = 'sent'`,
      [row.id],
    );
    platform.changed('payout');
  }
}

/**
 * Takes a result of the channel, from a query or a callback. A repeat changes nothing. Success settles the statement
 * or ends the withdrawal; after a failure the money of a statement is owed again, that of a withdrawal stays frozen.
 */
export async function finishPayout(
  platform: Platform,
  batches: BoundResource,
  payoutNo: string,
  ok: boolean,
  message: string,
): Promise<boolean> {
  const done = await transaction(platform.database.db, async (tx) => {
    const row = await runOne<PayoutRow>(
      tx,
      `UPDATE payout SET state = $2, channel_message = $3, ended_at = now(), next_query_at = NULL, version = version + 1, updated_at = now()
        WHERE payout_no = $1 AND state IN ('queued', 'sent', 'unknown') RETURNING ${COLUMNS}`,
      [payoutNo, ok ? 'succeeded' : 'failed', message.slice(0, 200)],
    );
    if (!row) return false;
    const action = ok ? 'paid' : 'payFailed';
    if (row.statement_id !== null) {
      const payment = {
        tenantId: row.tenant_id,
        amount: row.amount,
        source: { type: 'payout', id: row.id },
      } as const;
      if (ok) await bookArrived(tx, payment);
      else await bookReturned(tx, payment);
      await settlements.actAsSystem(tx, platform, action, row.statement_id);
    } else {
      const drawn = await withdrawalOf(tx, row.withdrawal_id!);
      if (ok) await bookWithdrawn(tx, drawn);
      await withdrawals.actAsSystem(tx, platform, action, drawn.id);
    }
    const open = await runOne(
      tx,
      `SELECT FROM payout WHERE batch_id = $1 AND state IN ('waiting', 'queued', 'sent', 'unknown')`,
      [row.batch_id],
    );
    if (!open) await batches.actAsSystem(tx, platform, 'finish', row.batch_id);
    return true;
  });
  if (done) for (const entity of [STATEMENT, WITHDRAWAL, 'payout', 'payoutBatch']) platform.changed(entity);
  return done;
}
