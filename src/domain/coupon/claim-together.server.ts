import { transactionBeside } from '../../kernel/server/database.ts';
import {
  answerRequests,
  takeRequests,
  type ProgramRequest,
} from '../../kernel/server/http/program-request.ts';
import { requireProgramsStand } from '../../kernel/server/people/acting.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { together } from '../../kernel/server/together.ts';
import { claimMany, type Claimed } from './claim.server.ts';

/** A claim of a program, with what it is carried out by on its own. */
export interface WaitingClaim<T> extends ProgramRequest {
  readonly couponId: number;
  readonly memberId: number;
  /** The answer that is kept and sent. */
  readonly answerOf: (claimed: Claimed) => T;
  readonly alone: () => Promise<T>;
}

/**
 * Carries a claim out, once per its request id. Claims on a coupon that somebody is just claiming wait and are written together:
 * one lock of the coupon and one commit for all of them. Who cannot be written with the others is carried out alone, so that
 * refusals, repeats and ended tokens are answered as ever.
 */
export function claimTogether<T>(platform: Platform, claim: WaitingClaim<T>): Promise<T> {
  const { couponId, memberId, requestId, caller } = claim;
  return together(
    platform,
    `coupon ${couponId}`,
    {
      item: claim,
      keys: [`member ${memberId}`, `request ${caller.program?.clientId} ${requestId}`],
      alone: claim.alone,
    },
    (claims) => claimAll(platform, couponId, claims),
  );
}

/** Writes claims in one transaction; those that got nothing have no answer. Throws when none can be written together. */
async function claimAll<T>(
  platform: Platform,
  couponId: number,
  claims: readonly WaitingClaim<T>[],
): Promise<readonly (T | undefined)[]> {
  return transactionBeside(platform.database.db, async (tx) => {
    if (!(await takeRequests(tx, claims))) throw new Error('a request is taken');
    const given = await claimMany(
      tx,
      platform,
      couponId,
      claims.map((claim) => claim.memberId),
    );
    if (given.size === 0) throw new Error('nothing is given');
    const answers = claims.map((claim) => {
      const claimed = given.get(claim.memberId);
      return claimed && claim.answerOf(claimed);
    });
    await answerRequests(
      tx,
      claims.map((claim, index) => ({ ...claim, answer: answers[index] })),
    );
    await requireProgramsStand(
      tx,
      claims.map((claim) => claim.caller),
    );
    return answers;
  });
}
