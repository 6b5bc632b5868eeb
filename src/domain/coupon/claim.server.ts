import { randomInt } from 'node:crypto';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import {
  ALL_CLAIMED,
  CLAIM_EARLY,
  CLAIM_LATE,
  LIMIT_REACHED,
  NOT_FOR_CLAIM,
  NOT_OPEN,
  OFF_SHELF,
  OVER,
} from './coupon.rules.ts';

/**
 * Who claims what. `pushed`: given by staff, for whom the way and the window of claiming do not count. `way`: how it is claimed,
 * in the coupon centre unless told otherwise.
 */
export interface Claim {
  readonly couponId: number;
  readonly memberId: number;
  readonly pushed?: boolean;
  readonly way?: 'centre' | 'code';
}

/** A coupon a member holds from now on. */
export interface Claimed {
  readonly memberCouponId: number;
  readonly code: string;
  readonly endsAt: Date;
}

/** End of the last day of a coupon that is valid for some days; the day it is claimed on is day 1, days end in Shanghai. */
const LAST_SECOND = `(date_trunc('day', now() AT TIME ZONE 'Asia/Shanghai') + make_interval(days => c.valid_days)) AT TIME ZONE 'Asia/Shanghai' - interval '1 second'`;

/**
 * Gives a member one coupon: count of the member, then count of the coupon, in one conditional statement over constraints,
 * so that neither is passed however many claim at once. The first claim takes the coupon into use. Refuses with 30101 and
 * throws 404 for a coupon or member that does not exist. Who claims locks the member's count before the coupon.
 * Source: group 08, mm_couponManagement (Claim) and Must show 4; group 16, mk_coupon (budget, validity).
 */
export async function claimCoupon(tx: Tx, platform: Platform, claim: Claim): Promise<Claimed> {
  const claimed = await claimMany(tx, platform, claim.couponId, [claim.memberId], claim.pushed, claim.way);
  const mine = claimed.get(claim.memberId);
  if (!mine) throw await whyNot(tx, claim);
  return mine;
}

/**
 * As {@link claimCoupon} for several members, each named once, in one statement: who has reached the limit is left out of the
 * answer. When the coupon does not give as many as that leaves, nobody gets one, though their claims are counted: the caller rolls back.
 */
export async function claimMany(
  tx: Tx,
  platform: Platform,
  couponId: number,
  memberIds: readonly number[],
  pushed = false,
  way: 'centre' | 'code' = 'centre',
): Promise<ReadonlyMap<number, Claimed>> {
  const rows = await run<Claimed & { memberId: number }>(
    tx,
    `WITH asked AS (SELECT * FROM unnest($2::bigint[], $3::text[]) AS a (member_id, code)),
     counted AS (
       INSERT INTO coupon_claim_count AS n (coupon_id, member_id, qty, per_limit, last_seq)
       SELECT c.id, m.id, h.qty + 1, c.per_limit, h.seq + 1 FROM coupon c CROSS JOIN asked a JOIN member m ON m.id = a.member_id
        CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE x.returned_from IS NULL)::int AS qty, coalesce(max(x.claim_seq), 0) AS seq
                              FROM member_coupon x WHERE x.coupon_id = c.id AND x.member_id = m.id) h
        WHERE c.id = $1 AND h.qty < c.per_limit ORDER BY m.id
       ON CONFLICT (coupon_id, member_id) DO UPDATE SET qty = n.qty + 1, last_seq = n.last_seq + 1 WHERE n.qty < n.per_limit
       RETURNING member_id, last_seq),
     taken AS (
       UPDATE coupon c SET claimed = claimed + (SELECT count(*) FROM counted), status = 'in_use'
        WHERE c.id = $1 AND EXISTS (SELECT FROM counted) AND c.claimed + (SELECT count(*) FROM counted) <= c.total
          AND c.status IN ('published', 'in_use') AND c.ends_at > now() AND (c.budget_fen IS NULL OR c.budget_booked < c.budget_fen)
          AND ($4 OR (c.claim_way = $5 AND coalesce(c.claim_from <= now(), true) AND coalesce(c.claim_to > now(), true)
                      AND (c.valid_kind = 'dates' OR c.starts_at <= now())))
       RETURNING c.id, c.valid_kind, c.valid_days, c.ends_at)
     INSERT INTO member_coupon (code, coupon_id, member_id, claim_seq, ends_at)
     SELECT a.code || lpad(nextval('coupon_number')::text, 8, '0'), c.id, k.member_id, k.last_seq,
            CASE c.valid_kind WHEN 'days' THEN ${LAST_SECOND} ELSE c.ends_at END
       FROM taken c CROSS JOIN counted k JOIN asked a ON a.member_id = k.member_id
     RETURNING member_id AS "memberId", id AS "memberCouponId", code, ends_at AS "endsAt"`,
    [couponId, memberIds, memberIds.map(() => String(randomInt(10_000)).padStart(4, '0')), pushed, way],
  );
  if (rows.length > 0) platform.changed('coupon');
  return new Map(rows.map(({ memberId, ...claimed }) => [memberId, claimed]));
}

/** Why a claim was refused, what cannot be cured first. */
async function whyNot(db: Executor, { couponId, memberId, pushed, way = 'centre' }: Claim) {
  const coupon = await runOne<{
    status: string;
    over: boolean;
    open: boolean;
    early: boolean;
    late: boolean;
    at_limit: boolean;
  }>(
    db,
    `SELECT c.status, c.ends_at <= now() AS over, c.claim_way = $3 AS open,
            coalesce(c.claim_from > now(), false) OR (c.valid_kind = 'days' AND c.starts_at > now()) AS early,
            coalesce(c.claim_to <= now(), false) AS late,
            (SELECT count(*) FROM member_coupon x WHERE x.coupon_id = c.id AND x.member_id = m.id AND x.returned_from IS NULL) >= c.per_limit AS at_limit
       FROM coupon c JOIN member m ON m.id = $2 WHERE c.id = $1`,
    [couponId, memberId, way],
  );
  if (!coupon) return notFound();
  if (coupon.status === 'draft') return ruleBroken(NOT_OPEN);
  if (coupon.status === 'expired' || coupon.over) return ruleBroken(OVER);
  if (coupon.status === 'off_shelf') return ruleBroken(OFF_SHELF);
  if (!pushed && !coupon.open) return ruleBroken(NOT_FOR_CLAIM);
  if (!pushed && coupon.early) return ruleBroken(CLAIM_EARLY);
  if (!pushed && coupon.late) return ruleBroken(CLAIM_LATE);
  return ruleBroken(coupon.at_limit ? LIMIT_REACHED : ALL_CLAIMED);
}

/** The next number of a coupon the member gets back; locks the member's count, so it comes before the lock of the coupon. */
export async function nextClaimSeq(tx: Tx, memberCouponId: number): Promise<number> {
  const row = await runOne<{ last_seq: number }>(
    tx,
    `INSERT INTO coupon_claim_count AS n (coupon_id, member_id, qty, per_limit, last_seq)
     SELECT c.id, o.member_id, least(h.qty, c.per_limit), c.per_limit, h.seq + 1
       FROM member_coupon o JOIN coupon c ON c.id = o.coupon_id
      CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE x.returned_from IS NULL)::int AS qty, max(x.claim_seq) AS seq
                            FROM member_coupon x WHERE x.coupon_id = c.id AND x.member_id = o.member_id) h
      WHERE o.id = $1
     ON CONFLICT (coupon_id, member_id) DO UPDATE SET last_seq = n.last_seq + 1
     RETURNING last_seq`,
    [memberCouponId],
  );
  return row!.last_seq;
}

/**
 * Takes back what nobody used of a recalled coupon. What an unpaid order holds stays until it is set free; those an order is
 * just taking are left to the next run.
 */
export async function recallUnused(tx: Executor, couponId: number): Promise<number> {
  const rows = await run(
    tx,
    `UPDATE member_coupon SET status = 'expired' WHERE id IN (
       SELECT id FROM member_coupon WHERE coupon_id = $1 AND status = 'claimed' AND locked_payment IS NULL ORDER BY id FOR UPDATE SKIP LOCKED)
     RETURNING id`,
    [couponId],
  );
  return rows.length;
}
