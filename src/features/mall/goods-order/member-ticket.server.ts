import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { PlatformConfig } from '../../../kernel/server/platform.ts';
import { isTicketSigned, signTicket } from '../../../kernel/server/http/signed-ticket.ts';

/** Seconds a look-up by phone is good for: a long call with the customer. */
export const MEMBER_TICKET_SECONDS = 1_800;

const PURPOSE = 'order-member';

/** Proof that this staff, in this session, named the whole phone number of the member a moment ago. */
export function memberTicket(
  config: PlatformConfig,
  caller: Pick<Caller, 'staffId' | 'sessionId'>,
  memberId: number,
  now = Date.now(),
): string {
  return signTicket(config, PURPOSE, subjectOf(caller, memberId), MEMBER_TICKET_SECONDS, now);
}

/** True when the ticket was given to this very session for this member and has not ended. */
export function isMemberTicket(
  config: PlatformConfig,
  caller: Pick<Caller, 'staffId' | 'sessionId'>,
  memberId: number,
  ticket: unknown,
): boolean {
  return isTicketSigned(config, PURPOSE, subjectOf(caller, memberId), ticket);
}

function subjectOf(caller: Pick<Caller, 'staffId' | 'sessionId'>, memberId: number): string {
  return `${caller.staffId}\n${caller.sessionId}\n${memberId}`;
}
