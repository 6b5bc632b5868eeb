import { transactionBeside } from '../../kernel/server/database.ts';
import {
  answerRequests,
  takeRequests,
  type ProgramRequest,
} from '../../kernel/server/http/program-request.ts';
import { inTrace, newTraceId } from '../../kernel/server/http/tracing.ts';
import { programStands } from '../../kernel/server/people/acting.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { claimMany, type Claimed } from './claim.server.ts';

/** A claim of a program, with what it is carried out by on its own. */
export interface WaitingClaim<T> extends ProgramRequest {
  readonly couponId: number;
  readonly memberId: number;
  /** The answer that is kept and sent. */
  readonly answerOf: (claimed: Claimed) => T;
  readonly alone: () => Promise<T>;
}

type Outcome = { readonly answer: unknown } | 'alone';

interface Seat {
  readonly claim: WaitingClaim<unknown>;
  readonly tell: (outcome: Outcome) => void;
}

/** Claims of one transaction at most. */
const MOST = 64;

const lanes = new WeakMap<Platform, Map<number, Seat[]>>();

/**
 * Carries a claim out, once per its request id. Claims on a coupon that somebody is just claiming wait and are written together:
 * one lock of the coupon and one commit for all of them. Who cannot be written with the others is carried out alone, so that
 * refusals, repeats and ended tokens are answered as ever.
 */
export async function claimTogether<T>(platform: Platform, claim: WaitingClaim<T>): Promise<T> {
  const own = lanes.get(platform) ?? new Map<number, Seat[]>();
  lanes.set(platform, own);
  const waiting = own.get(claim.couponId);
  if (waiting) {
    // The work goes on here, in the context of its own request.
    const outcome = await new Promise<Outcome>((tell) => waiting.push({ claim, tell }));
    return outcome === 'alone' ? claim.alone() : (outcome.answer as T);
  }
  own.set(claim.couponId, []);
  try {
    return await claim.alone();
  } finally {
    void inTrace(newTraceId(), () => serve(platform, own, claim.couponId));
  }
}

/** Serves those who wait for a coupon until nobody does. */
async function serve(platform: Platform, own: Map<number, Seat[]>, couponId: number): Promise<void> {
  for (;;) {
    const waiting = own.get(couponId)!;
    const members = new Set<number>();
    const requests = new Set<string>();
    const now: Seat[] = [];
    const later: Seat[] = [];
    for (const seat of waiting) {
      const { memberId, requestId, caller } = seat.claim;
      const request = `${caller.program?.clientId} ${requestId}`;
      const fits = now.length < MOST && !members.has(memberId) && !requests.has(request);
      members.add(memberId);
      requests.add(request);
      (fits ? now : later).push(seat);
    }
    if (now.length === 0) return void own.delete(couponId);
    own.set(couponId, later);
    const answers =
      now.length === 1
        ? []
        : await together(
            platform,
            couponId,
            now.map((seat) => seat.claim),
          ).catch(() => []);
    for (const [index, seat] of now.entries()) {
      const answer = answers[index];
      seat.tell(answer === undefined ? 'alone' : { answer });
    }
  }
}

/** Writes claims in one transaction; those that got nothing have no answer. Throws when none can be written together. */
async function together(
  platform: Platform,
  couponId: number,
  claims: readonly WaitingClaim<unknown>[],
): Promise<readonly unknown[]> {
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
    // Each request looks at its caller once more before it commits.
    for (const tokenId of new Set(claims.map((claim) => claim.caller.program?.tokenId ?? 0)))
      if (!(await programStands(tx, tokenId))) throw new Error('a token has ended');
    return answers;
  });
}
