import { createHash, randomInt } from 'node:crypto';
import { run, runOne, transaction, type Db, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { claimCoupon, type Claimed } from './claim.server.ts';

/** Letters and figures nobody mistakes for others when typing them in. */
const SIGNS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 16;
const BATCH = 1_000;

const fresh = (): string =>
  Array.from({ length: LENGTH }, () => SIGNS[randomInt(SIGNS.length)])
    .join('')
    .replace(/(.{4})(?=.)/g, '$1-');

const hashOf = (code: string): Buffer =>
  createHash('sha256')
    .update(code.toUpperCase().replace(/[^A-Z0-9]/g, ''))
    .digest();

/** Name of the export that makes codes; its query names coupon and batch. */
export const CODES_SOURCE = 'couponCodes';

/** SQL: how many codes of a coupon were made; those whose file never came about are lost and do not count. */
export const codesMade = (couponId: string): string =>
  `(SELECT count(*)::int FROM coupon_code k WHERE k.coupon_id = ${couponId} AND NOT EXISTS (
     SELECT FROM task f WHERE f.source = '${CODES_SOURCE}' AND f.query->>'batch' = k.batch::text AND f.state IN ('failed', 'cancelled')))`;

/**
 * Makes a code for each piece of a coupon that has none, and yields them as they are written, as hashes. Codes of the same batch
 * made before are replaced: their file was never finished. Source: group 16, mk_couponDetail (code coupons).
 */
export async function* makeCodes(db: Db, couponId: number, batch: string): AsyncGenerator<string[]> {
  await run(db, 'DELETE FROM coupon_code WHERE batch = $1 AND member_coupon_id IS NULL', [batch]);
  for (;;) {
    const codes = await transaction(db, async (tx) => {
      const coupon = await runOne<{ missing: number }>(
        tx,
        `SELECT c.total - ${codesMade('c.id')} AS missing FROM coupon c WHERE c.id = $1 FOR UPDATE`,
        [couponId],
      );
      const made = Array.from({ length: Math.min(BATCH, Math.max(0, coupon?.missing ?? 0)) }, fresh);
      if (made.length > 0)
        await run(tx, 'INSERT INTO coupon_code (coupon_id, batch, hash) SELECT $1, $2, unnest($3::bytea[])', [
          couponId,
          batch,
          made.map(hashOf),
        ]);
      return made;
    });
    if (codes.length === 0) return;
    yield codes;
  }
}

/**
 * Exchanges a code for its coupon, once whoever sends it at the same time. Refuses (30101) a code that is unknown or used, and what
 * claiming refuses.
 */
export async function claimByCode(
  tx: Tx,
  platform: Platform,
  claim: { readonly code: string; readonly memberId: number },
): Promise<Claimed> {
  const found = await runOne<{ id: number; coupon: number }>(
    tx,
    'SELECT id, coupon_id AS coupon FROM coupon_code WHERE hash = $1 AND member_coupon_id IS NULL FOR UPDATE',
    [hashOf(claim.code)],
  );
  if (!found) throw ruleBroken(['兑换码无效或已使用', 'The code is not valid or was used']);
  const claimed = await claimCoupon(tx, platform, {
    couponId: found.coupon,
    memberId: claim.memberId,
    way: 'code',
  });
  await run(tx, 'UPDATE coupon_code SET member_coupon_id = $2 WHERE id = $1', [
    found.id,
    claimed.memberCouponId,
  ]);
  return claimed;
}
