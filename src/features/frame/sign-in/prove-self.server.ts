import type { Caller, RequestFacts } from '../../../kernel/server/people/caller.ts';
import type { Tx } from '../../../kernel/server/database.ts';
import { loggedOut, type Refusal } from '../../../kernel/server/http/errors.ts';
import type { HashSlot } from '../../../kernel/server/people/password-hash.ts';
import { noteAttempt } from './attempts.server.ts';
import { waiting } from './refusals.server.ts';
import { countFailure, lockStaff, waitOf, type SigningStaff } from './staff-lock.server.ts';

/** Who says to be the staff of the session, and the password that proves it, in clear text. */
export interface Proof {
  readonly caller: Pick<Caller, 'staffId'>;
  readonly facts: Pick<RequestFacts, 'address' | 'userAgent'>;
  readonly password: string;
}

/**
 * The staff of a session whose password fits, locked; undefined when it is wrong. A wrong one counts as a failed sign-in
 * of the account, so an open session is no place to guess at. The refusal while the account waits is returned, not thrown:
 * what was counted must be kept.
 */
export async function proveSelf(
  tx: Tx,
  slot: HashSlot,
  { caller, facts, password }: Proof,
): Promise<SigningStaff | Refusal | undefined> {
  const staff = await lockStaff(tx, { id: caller.staffId });
  if (!staff) return loggedOut();
  const minutes = waitOf(staff);
  if (minutes > 0) return waiting(minutes);
  if (await slot.verify(staff.passwordHash, password)) return staff;
  await countFailure(tx, staff);
  await noteAttempt(tx, facts, { account: staff.account, staffId: staff.id, result: 'wrong_password' });
  return undefined;
}
