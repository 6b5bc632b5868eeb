import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PlatformConfig } from '../platform.ts';

/*
 * Short-lived proofs that the server said yes a moment ago: an HMAC over a purpose, what it allows (with whoever it is
 * bound to) and its end, under the key of the installation. Nothing is stored; a ticket of one purpose is worthless for
 * another.
 */

/** A ticket for `subject` that ends after so many seconds. `now` in milliseconds. */
export function signTicket(
  config: Pick<PlatformConfig, 'secretKey'>,
  purpose: string,
  subject: string,
  seconds: number,
  now = Date.now(),
): string {
  const ends = Math.floor(now / 1000) + seconds;
  return `${ends.toString(36)}.${macOf(config, purpose, `${subject}\n${ends}`)}`;
}

/** True when the ticket was signed for this purpose and subject and has not ended. `now` in milliseconds. */
export function isTicketSigned(
  config: Pick<PlatformConfig, 'secretKey'>,
  purpose: string,
  subject: string,
  ticket: unknown,
  now = Date.now(),
): boolean {
  const [ends = '', mac = ''] = typeof ticket === 'string' ? ticket.split('.') : [];
  if (!/^[0-9a-z]{1,9}$/.test(ends) || Number.parseInt(ends, 36) * 1000 < now) return false;
  return sameText(mac, macOf(config, purpose, `${subject}\n${Number.parseInt(ends, 36)}`));
}

/** The HMAC of a text for a purpose, for marks that end with what they are made of. */
export function macOf(config: Pick<PlatformConfig, 'secretKey'>, purpose: string, text: string): string {
  return createHmac('sha256', config.secretKey).update(`${purpose}\n${text}`).digest('base64url');
}

/** Compares without telling by its time where two texts differ. */
export function sameText(given: string, expected: string): boolean {
  const one = Buffer.from(given);
  const other = Buffer.from(expected);
  return one.length === other.length && timingSafeEqual(one, other);
}
