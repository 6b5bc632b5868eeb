import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import type { RequestFacts } from '../../../kernel/server/people/caller.ts';
import { run, transaction, type Tx } from '../../../kernel/server/database.ts';
import type { Refusal } from '../../../kernel/server/http/errors.ts';
import { withHashSlot } from '../../../kernel/server/people/password-hash.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { addressWait, noteAddressLimit, noteAttempt, type AttemptResult } from './attempts.server.ts';
import { openSession } from './open-session.server.ts';
import { passwordDaysLeft } from './password-age.rules.ts';
import {
  accountDisabled,
  addressRefused,
  addressWaits,
  passwordLapsed,
  waiting,
  wrongPassword,
} from './refusals.server.ts';
import {
  clearFailures,
  countFailure,
  countUnknownFailure,
  lockStaff,
  lockUnknownAccount,
  waitOf,
  type SigningStaff,
} from './staff-lock.server.ts';
import { decideSignIn, noteWhitelistHit } from './whitelist.server.ts';

/** What a successful sign-in hands out. */
export interface SignedIn {
  readonly token: string;
  readonly mustChangePassword: boolean;
  /** Days until the password expires, negative afterwards; null when it never does. */
  readonly overDay: number | null;
}

/** Where a sign-in comes from. */
export type SignInFacts = Pick<RequestFacts, 'address' | 'userAgent' | 'traceId'>;

/** A password sign-in after its verification code was accepted. */
export interface PasswordSignIn {
  readonly account: string;
  readonly password: string;
  readonly facts: SignInFacts;
  /** The whitelist row that saved the verification code, if one did. */
  readonly exemption?: number | undefined;
}

/**
 * Signs in with account and password. Throws 400 (wrong), 429 (account or address waits), 401/40001 (disabled), 403 (whitelist).
 * Account unknown or password wrong: same answer, same work. Tries on one account follow each other, on every instance.
 */
export async function signInWithPassword(platform: Platform, attempt: PasswordSignIn): Promise<SignedIn> {
  const { account, facts } = attempt;
  const outcome = await withHashSlot((slot) =>
    transaction(platform.database.db, async (tx): Promise<SignedIn | Refusal> => {
      const refuse = async (
        result: AttemptResult,
        refusal: Refusal,
        staff?: SigningStaff,
      ): Promise<Refusal> => {
        await noteAttempt(tx, facts, { account, staffId: staff?.id, result });
        return refusal;
      };
      // Looked at again here: while this try waited for its turn, others may have used up what the address has.
      const pause = await addressWait(tx, facts.address);
      if (pause > 0) {
        await noteAddressLimit(tx, facts, account);
        return addressWaits(pause);
      }
      const staff = await lockStaff(tx, { account });
      const unknown = staff ? undefined : await lockUnknownAccount(tx, account);
      const minutes = waitOf((staff ?? unknown)!);
      if (minutes > 0) return await refuse('locked', waiting(minutes), staff);
      const isRight = await slot.verify(staff?.passwordHash, attempt.password);
      if (!staff) {
        await countUnknownFailure(tx, unknown!);
        return await refuse('unknown_account', wrongPassword());
      }
      if (!isRight) {
        await countFailure(tx, staff);
        return await refuse('wrong_password', wrongPassword(), staff);
      }
      if (attempt.exemption !== undefined)
        await noteWhitelistHit(
          tx,
          { rowId: attempt.exemption, account, address: facts.address },
          'skip_code',
        );
      return await admit(platform, tx, staff, { facts, clientId: 'web', typed: account });
    }),
  );
  if ('token' in outcome) return outcome;
  throw outcome;
}

/** Signs in a staff whom the single sign-on server vouched for; undefined when the account is mapped to nobody. Throws 403. */
export async function signInWithSso(
  platform: Platform,
  ssoAccount: string,
  facts: SignInFacts,
): Promise<SignedIn | undefined> {
  const outcome = await transaction(
    platform.database.db,
    async (tx): Promise<SignedIn | Refusal | undefined> => {
      const staff = await lockStaff(tx, { sso: ssoAccount });
      if (!staff) {
        await noteAttempt(tx, facts, { account: ssoAccount, result: 'unknown_account', way: 'sso' });
        return undefined;
      }
      return await admit(platform, tx, staff, { facts, clientId: 'cas', typed: staff.account });
    },
  );
  if (outcome === undefined || 'token' in outcome) return outcome;
  throw outcome;
}

interface Admission {
  readonly facts: SignInFacts;
  readonly clientId: 'web' | 'cas';
  readonly typed: string;
}

/** The last checks of somebody who proved to be the staff, and the session. Refusals are returned, so that they are kept. */
async function admit(
  platform: Platform,
  tx: Tx,
  staff: SigningStaff,
  admission: Admission,
): Promise<SignedIn | Refusal> {
  const { facts, clientId, typed } = admission;
  const { settings } = platform;
  const attempt = {
    account: typed,
    staffId: staff.id,
    way: clientId === 'cas' ? 'sso' : 'password',
  } as const;
  if (staff.state !== 'normal' || !staff.isTenantEnabled) {
    await noteAttempt(tx, facts, { ...attempt, result: 'disabled' });
    return accountDisabled();
  }
  // Before the rules are held: no connection is asked for while others wait with theirs.
  const expiryDays = await settings.number('auth.password.expiry_days');
  const absoluteHours = await settings.number('auth.session.absolute_hours');
  const { allowed, rowId } = await decideSignIn(tx, staff.id, facts.address);
  const hit = { rowId, account: staff.account, address: facts.address };
  if (!allowed) {
    await noteWhitelistHit(tx, hit, 'refused');
    await noteAttempt(tx, facts, { ...attempt, result: 'not_on_whitelist' });
    return addressRefused();
  }
  if (rowId !== null) await noteWhitelistHit(tx, hit, 'allowed');
  if (clientId === 'web' && staff.isLapsed) {
    await noteAttempt(tx, facts, { ...attempt, result: 'lapsed' });
    return passwordLapsed();
  }
  const overDay =
    clientId === 'cas' ? null : passwordDaysLeft(staff.passwordChangedAt.getTime(), expiryDays, staff.now);
  const mustChangePassword =
    clientId !== 'cas' && (staff.mustChangePassword || (overDay !== null && overDay <= 0));
  if (mustChangePassword && !staff.mustChangePassword)
    await run(tx, 'UPDATE staff SET must_change_password = true WHERE id = $1', [staff.id]);
  await clearFailures(tx, staff.id);
  await run(tx, 'UPDATE staff SET last_login_at = now(), last_login_ip = $2 WHERE id = $1', [
    staff.id,
    facts.address,
  ]);
  await noteAttempt(tx, facts, { ...attempt, result: 'success' });
  const token = await openSession(tx, {
    staffId: staff.id,
    clientId,
    address: facts.address,
    userAgent: facts.userAgent,
    absoluteHours,
  });
  await writeAudit(tx, {
    caller: { staffId: staff.id, name: staff.name, tenantId: staff.tenantId },
    facts,
    action: 'signIn',
    entity: 'staff',
    entityId: staff.id,
    after: { client: clientId },
  });
  return { token, mustChangePassword, overDay };
}
