import type { RequestFacts } from '../../../kernel/server/people/caller.ts';
import { runOne, transactionBeside } from '../../../kernel/server/database.ts';
import { queueJob } from '../../../kernel/server/tasks/job-queue.ts';
import type { Call } from '../../../kernel/server/registration.ts';
import type { ChannelAnswer } from '../../../domain/payment-channel/payment-channel.ts';
import type { RefundRecord } from './refund-order.server.ts';
import { LATE_JOB, queryChannel } from './refund-send.server.ts';

/*
 * Giving a failed refund up needs the channel's word that no money moved. The channel is asked before the action's
 * transaction: a call to somebody else's machine must hold neither locks nor a connection. The action then finds the
 * answer, and takes it only when the refund was not sent again since.
 */

interface Asked {
  readonly refundId: number;
  readonly attempts: number;
  readonly answer: ChannelAnswer | undefined;
}

const asked = new WeakMap<RequestFacts, Asked>();

/**
 * Asks what became of a failed refund on behalf of this request; a success that comes to light is booked by a job. In
 * any other state nothing is asked. The caller has been found to see the refund.
 */
export async function askBefore(call: Pick<Call, 'platform' | 'facts'>, refundId: number): Promise<void> {
  const { db } = call.platform.database;
  const refund = await runOne<RefundRecord>(db, 'SELECT * FROM refund WHERE id = $1', [refundId]);
  if (!refund || refund.state !== 'failed' || refund.attempts === 0) return;
  const answer = await queryChannel(call.platform, refund);
  asked.set(call.facts, { refundId, attempts: refund.attempts, answer });
  if (answer?.state === 'success')
    await transactionBeside(db, (tx) =>
      queueJob(tx, LATE_JOB, { refundId }, { jobKey: `${LATE_JOB}:${refundId}` }),
    );
}

/** True when the channel said for this request that a locked refund moved no money; false as long as that is not sure. */
export function isNothingPaid(facts: RequestFacts, refund: Pick<RefundRecord, 'id' | 'attempts'>): boolean {
  if (refund.attempts === 0) return true;
  const known = asked.get(facts);
  if (known?.refundId !== refund.id || known.attempts !== refund.attempts) return false;
  return known.answer?.state === 'failure' || known.answer?.state === 'none';
}
