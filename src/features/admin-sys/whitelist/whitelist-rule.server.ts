import { isIP } from 'node:net';
import { runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';

const DAY_MS = 86_400_000;
const SKIP_DAYS = 365;

/** True for an IPv4 or IPv6 address or range as text. */
export function isAddress(text: string): boolean {
  const match = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(text);
  if (!match) return false;
  const kind = isIP(match[1]!);
  return kind !== 0 && (match[2] === undefined || Number(match[2]) <= (kind === 6 ? 128 : 32));
}

/**
 * Checks a whitelist rule: account or address, a real and not too wide range, an end within a year for skip_code.
 * `from` is the day the year is counted from. Throws 422 or 30101.
 */
export async function checkRule(
  db: Executor,
  values: Readonly<Record<string, unknown>>,
  purpose: string,
  from: Date,
): Promise<void> {
  const range = values.range as string | null | undefined;
  if (!values.staff && !range)
    throw invalid({ range: ['账号和地址至少填一项', 'An account or an address is needed'] });
  if (range) await checkRange(db, range, purpose);
  const expires = values.expiresAt ? new Date(values.expiresAt as string | Date) : undefined;
  const starts = values.startsAt ? new Date(values.startsAt as string | Date) : undefined;
  if (expires && starts && expires <= starts)
    throw invalid({ expiresAt: ['到期时间必须晚于生效时间', 'The end must be after the start'] });
  if (purpose === 'skip_code' && expires && expires.getTime() - from.getTime() > SKIP_DAYS * DAY_MS)
    throw invalid({ expiresAt: ['免验证码最长365天', 'Skip code lasts at most 365 days'] });
}

async function checkRange(db: Executor, range: string, purpose: string): Promise<void> {
  if (!isAddress(range)) throw invalid({ range: ['地址或网段不正确', 'The address or range is not valid'] });
  const [address, bits] = range.split('/');
  if (bits === undefined) return;
  const size = Number(bits);
  const narrowest = purpose === 'skip_code' ? (isIP(address!) === 6 ? 48 : 16) : 1;
  if (size < narrowest) throw ruleBroken(['网段过大', 'Range too wide']);
  const network = (await runOne<{ text: string }>(db, 'SELECT network($1::inet)::text AS text', [range]))!
    .text;
  const same = await runOne(db, 'SELECT 1 WHERE host(network($1::inet)) = host($1::inet)', [range]);
  if (!same) throw invalid({ range: [`网段应写作 ${network}`, `Write the range as ${network}`] });
}
