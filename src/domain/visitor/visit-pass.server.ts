import { isTicketSigned, signTicket } from '../../kernel/server/http/signed-ticket.ts';
import type { PlatformConfig } from '../../kernel/server/platform.ts';

const PURPOSE = 'visit-pass';

/** The text of a visitor's QR code: names the visit, signed, dead when its time is over. */
export function visitPass(
  config: Pick<PlatformConfig, 'secretKey'>,
  id: number,
  ends: Date,
  now = Date.now(),
): string {
  const seconds = Math.max(0, Math.ceil((ends.getTime() - now) / 1000));
  return `visit:${id}.${signTicket(config, PURPOSE, String(id), seconds, now)}`;
}

/** The visit a scanned code names, when this installation signed it and it lived at that instant; else undefined. */
export function visitOfPass(
  config: Pick<PlatformConfig, 'secretKey'>,
  text: string,
  at = Date.now(),
): number | undefined {
  const [, id, ticket] = /^visit:(\d{1,15})\.(.{1,120})$/.exec(text) ?? [];
  return id && isTicketSigned(config, PURPOSE, id, ticket, at) ? Number(id) : undefined;
}
