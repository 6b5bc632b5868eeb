import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../people/caller.ts';
import { runOne } from '../database.ts';
import { notFound, Refusal } from '../http/errors.ts';
import type { Platform, PlatformConfig } from '../platform.ts';
import { isTicketSigned, macOf, sameText, signTicket } from '../http/signed-ticket.ts';

/*
 * How a file is reached by an address alone.
 *
 * A file opened in a new window and a picture in an <img> carry no Authorization header, so something else must say who
 * asks. An address that is enough by itself is no answer: addresses are copied, kept in histories and logged by proxies,
 * and "another staff opens the exportUrl of that file -> 404" must hold. A cookie alone would do for the owner, but is
 * sent by the browser whatever page asks, so it must open nothing but files.
 *
 * Hence two halves that are worthless apart:
 * - the file key: cookie `FileKey`, `<session>.<HMAC(secret, session)>`, HttpOnly, SameSite=Strict, limited to the paths
 *   of files. It is the same for all windows of a session and differs between sessions, is never in an address and no
 *   script can read it. The rest of the API ignores it.
 * - the ticket: in the address, an HMAC over what it opens, the session, its end (ten minutes) and the file key.
 * Both must name the same session, and that session must still be alive and unlocked, which is looked up at every call:
 * signing out, being disabled or kicked out, or the closing of the tenant ends all addresses at once. Whoever copies the address has another cookie or
 * none, and gets the same 404 as for a file that does not exist.
 */

/** Name of the cookie. */
export const FILE_COOKIE = 'FileKey';
/** Paths the cookie is sent to. */
export const FILE_PATHS = ['/api/file', '/api/jinmao/web/exportTask'] as const;
/** Life of a ticket in seconds. */
export const TICKET_SECONDS = 600;

/** A session that may read files. */
export interface FileReader {
  readonly sessionId: number;
  readonly staffId: number;
}

/**
 * Sets the file cookie of the caller's session. To be called where a page starts (front/info) and wherever file
 * addresses are handed out; repeating it changes nothing.
 */
export function setFileCookie(
  config: PlatformConfig,
  caller: Pick<Caller, 'sessionId'>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const value = `${caller.sessionId}.${fileKey(config, caller.sessionId)}`;
  const secure = request.protocol === 'https' ? '; Secure' : '';
  for (const path of FILE_PATHS)
    // Fastify collects several Set-Cookie headers into a list.
    reply.header('Set-Cookie', `${FILE_COOKIE}=${value}; Path=${path}; HttpOnly; SameSite=Strict${secure}`);
}

/** The query `ticket=…` that opens `subject` for this session in the next ten minutes. `now` in milliseconds. */
export function ticketQuery(
  config: PlatformConfig,
  sessionId: number,
  subject: string,
  now = Date.now(),
): string {
  return `ticket=${signTicket(config, PURPOSE, bound(config, sessionId, subject), TICKET_SECONDS, now)}`;
}

/** The session whose file cookie came with the request and is alive, or undefined. Throws 403 while it is locked. */
export async function fileReader(
  platform: Platform,
  request: FastifyRequest,
): Promise<FileReader | undefined> {
  for (const value of cookieValues(request.headers.cookie, FILE_COOKIE)) {
    const [session = '', key = ''] = value.split('.');
    if (!/^\d{1,15}$/.test(session) || !sameText(key, fileKey(platform.config, Number(session)))) continue;
    const row = await runOne<{ staff_id: number; locked: boolean }>(
      platform.database.db,
      // The same conditions as for any other call: an enabled tenant, and no password that must be changed first.
      `SELECT s.staff_id, s.locked_at IS NOT NULL AS locked FROM session s JOIN staff f ON f.id = s.staff_id JOIN tenant n ON n.id = f.tenant_id
        WHERE s.id = $1 AND s.ended_at IS NULL AND s.absolute_expires_at > now() AND f.state = 'normal'
          AND n.enabled AND (NOT f.must_change_password OR s.client_id = 'cas')
          AND s.last_seen_at > now() - make_interval(mins => $2)`,
      [Number(session), await platform.settings.number('auth.session.idle_minutes')],
    );
    if (row?.locked) throw new Refusal(403, 403, ['屏幕已锁定', 'Screen is locked']);
    if (row) return { sessionId: Number(session), staffId: row.staff_id };
  }
  return undefined;
}

/** True when the ticket opens `subject` for the session now. `now` in milliseconds. */
export function isTicketGood(
  config: PlatformConfig,
  sessionId: number,
  subject: string,
  ticket: unknown,
  now = Date.now(),
): boolean {
  return isTicketSigned(config, PURPOSE, bound(config, sessionId, subject), ticket, now);
}

/** 404 for everything that does not open a file: the reasons are never told apart. */
export function fileNotFound(): Refusal {
  return notFound(['文件不存在或链接已失效', 'The file does not exist or the link has expired']);
}

/** Values of one cookie in the order they were sent; the longest path comes first. */
export function cookieValues(header: string | undefined, name: string): string[] {
  return (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .slice(0, 4);
}

const PURPOSE = 'file-ticket';

function fileKey(config: PlatformConfig, sessionId: number): string {
  return macOf(config, 'file-key', String(sessionId));
}

/** What a ticket opens, bound to the session and its file key. */
function bound(config: PlatformConfig, sessionId: number, subject: string): string {
  return `${subject}\n${sessionId}\n${fileKey(config, sessionId)}`;
}
