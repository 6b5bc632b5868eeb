import { isIP } from 'node:net';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';

/** What the whitelist says about a sign-in and the row that decided, if one did. */
export interface WhitelistVerdict {
  readonly allowed: boolean;
  readonly rowId: number | null;
}

/**
 * Says whether an account may sign in from an address. Own live `allow` rows with an address bind the account to them;
 * an own row without address frees it; with `enforce` everybody else must come from an address-only row.
 * Source: group 02, WhiteManage.
 */
export async function whitelistVerdict(
  db: Executor,
  staffId: number,
  address: string,
  enforce: boolean,
): Promise<WhitelistVerdict> {
  const rows = await run<{ id: number; own: boolean; ranged: boolean; covers: boolean }>(
    db,
    `SELECT id, staff_id IS NOT NULL AS own, range IS NOT NULL AS ranged, coalesce(range >>= $2::inet, false) AS covers
       FROM login_whitelist
      WHERE purpose = 'allow' AND ${LIVE} AND (staff_id = $1 OR staff_id IS NULL)
      ORDER BY id`,
    [staffId, inetOf(address)],
  );
  const bound = rows.filter((row) => row.own && row.ranged);
  if (bound.length > 0) return verdict(bound.find((row) => row.covers));
  const freed = rows.find((row) => row.own && !row.ranged);
  if (freed || !enforce) return { allowed: true, rowId: freed?.id ?? null };
  return verdict(rows.find((row) => !row.own && row.covers));
}

/** The live `skip_code` row that saves the verification code for the account (undefined: not known yet), if one does. */
export async function codeExemption(
  db: Executor,
  account: string | undefined,
  address: string,
): Promise<number | undefined> {
  const row = await runOne<{ id: number }>(
    db,
    `SELECT id FROM login_whitelist
      WHERE purpose = 'skip_code' AND ${LIVE} AND (range IS NULL OR range >>= $2::inet)
        AND (staff_id IS NULL OR staff_id = (SELECT id FROM staff WHERE lower(account) = lower($1)))
      ORDER BY id LIMIT 1`,
    [account ?? null, inetOf(address)],
  );
  return row?.id;
}

/** Counts a use of a whitelist row and keeps it for the list of hits; a refusal has no row. */
export async function noteWhitelistHit(
  tx: Executor,
  hit: { readonly rowId: number | null; readonly account: string; readonly address: string },
  result: 'allowed' | 'refused' | 'skip_code',
): Promise<void> {
  if (hit.rowId !== null)
    await run(tx, 'UPDATE login_whitelist SET hits = hits + 1, last_hit_at = now() WHERE id = $1', [
      hit.rowId,
    ]);
  await run(
    tx,
    'INSERT INTO whitelist_hit (whitelist_id, account, address, result) VALUES ($1, $2, $3, $4)',
    [hit.rowId, hit.account, hit.address, result],
  );
}

const LIVE =
  '(enabled AND (starts_at IS NULL OR starts_at <= now()) AND (expires_at IS NULL OR expires_at > now()))';

function verdict(row: { id: number } | undefined): WhitelistVerdict {
  return row ? { allowed: true, rowId: row.id } : { allowed: false, rowId: null };
}

// Something that is no address is covered by nothing: NULL >>= is unknown.
function inetOf(address: string): string | null {
  // A socket that takes both families gives IPv4 addresses in IPv6 form.
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(plain) === 0 ? null : plain;
}
