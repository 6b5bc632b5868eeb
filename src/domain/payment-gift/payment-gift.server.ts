import { run, runOne, transaction, type Tx } from '../../kernel/server/database.ts';
import { Refusal } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { Effect, Invariant } from '../../kernel/server/registration.ts';
import { sqlInvariant } from '../../kernel/server/sql-invariant.ts';
import { addEffect, finishEffect } from '../../kernel/server/tasks/outbox.ts';
import { debtorOf } from '../charging/billing.server.ts';
import { creditPrepaid, takeCredit } from '../charging/prepaid.server.ts';
import { claimCoupon } from '../coupon/claim.server.ts';
import { saidTwice } from '../coupon/said-twice.rules.ts';
import { LINE_KINDS } from '../points-ledger/ledger-book.server.ts';
import { grantPoints } from '../points-ledger/points-grant.server.ts';
import { clawbackPoints } from '../points-ledger/points-take-back.server.ts';
import { paidFacts } from '../rebate/rebate.server.ts';
import { leftOf, reachedBy, type GIFT_KINDS, type GiftTerms } from './payment-gift.rules.ts';

const EFFECT = 'courtesy.settle';
const USED_UP = saidTwice(['活动礼品已发完', 'All gifts are given']);
const HOUSE_FULL = saidTwice(['该房屋已达领取上限', 'The house has had its share']);
const NOBODY = saidTwice(['房屋没有缴费业主', 'The house has no paying owner']);

type Kind = keyof typeof GIFT_KINDS;

/**
 * Notes in the payment's own transaction which running activities it may be given something by; what, is worked out and given
 * afterwards, so that no activity can stop a payment. Source: group 06, cs_payCourtesy rules.
 */
export async function noteGifts(tx: Tx, paymentId: number): Promise<void> {
  const rows = await run<{ id: number }>(
    tx,
    `SELECT DISTINCT g.id FROM bill_payment p JOIN payment_gift_project j ON j.project_id = p.project_id
       JOIN payment_gift g ON g.id = j.gift_id AND g.state = 'running' AND p.value_date BETWEEN g.starts_on AND g.ends_on
      WHERE p.id = $1 AND EXISTS (SELECT FROM bill_allocation a JOIN bill b ON b.id = a.bill_id JOIN payment_gift_item i ON i.fee_item_id = b.fee_item_id
                                   WHERE a.payment_id = p.id AND a.kind = 'principal' AND i.gift_id = g.id)`,
    [paymentId],
  );
  if (rows.length > 0) await addEffect(tx, EFFECT, { paymentId, gifts: rows.map((row) => row.id) });
}

/** Has what a payment got worked out again, after some or all of it was given back. */
export async function recheckGifts(tx: Tx, paymentId: number): Promise<void> {
  const given = await runOne(tx, 'SELECT 1 AS one FROM payment_gift_grant WHERE payment_id = $1 LIMIT 1', [
    paymentId,
  ]);
  if (given) await addEffect(tx, EFFECT, { paymentId, gifts: [] });
}

interface GiftRow extends GiftTerms {
  readonly id: number;
  readonly name: string;
  readonly kind: Kind;
  readonly couponId: number | null;
  readonly houseLimit: number;
  /** Fen one coupon takes off at most. */
  readonly couponFen: number | null;
}

interface GrantRow {
  readonly id: number;
  readonly gift_id: number;
  readonly house_id: number;
  readonly member_id: number | null;
  readonly kind: Kind;
  readonly paid: number;
  readonly quantity: number;
  readonly taken_back: number;
  readonly to_recover: number;
  readonly member_coupon_ids: number[];
  readonly state: string;
  readonly settled: number;
}

const giftsOf = (tx: Tx, ids: readonly number[]) =>
  run<GiftRow>(
    tx,
    `SELECT g.id, g.name, g.condition, g.gift AS kind, g.coupon_id AS "couponId", g.house_limit AS "houseLimit", coalesce(c.face, c.max_discount) AS "couponFen",
            ARRAY(SELECT i.fee_item_id FROM payment_gift_item i WHERE i.gift_id = g.id) AS "itemIds",
            coalesce((SELECT jsonb_agg(jsonb_build_object('threshold', t.threshold, 'quantity', t.quantity)) FROM payment_gift_tier t WHERE t.gift_id = g.id), '[]') AS tiers
       FROM payment_gift g LEFT JOIN coupon c ON c.id = g.coupon_id WHERE g.id = ANY($1::bigint[]) ORDER BY g.id`,
    [ids],
  );

/** Gives a payment its gifts, or takes back what its payment no longer stands for; repeats do nothing. */
export async function settleGifts(
  tx: Tx,
  platform: Platform,
  paymentId: number,
  gifts: readonly number[],
): Promise<void> {
  const locked = await runOne(tx, 'SELECT id FROM bill_payment WHERE id = $1 FOR NO KEY UPDATE', [paymentId]);
  if (!locked) return;
  const payment = (await paidFacts(tx, paymentId))!;
  const grants = await run<GrantRow>(
    tx,
    `SELECT id, gift_id, house_id, member_id, kind, paid, quantity, taken_back, to_recover, member_coupon_ids, state, settled
       FROM payment_gift_grant WHERE payment_id = $1 ORDER BY gift_id FOR UPDATE`,
    [paymentId],
  );
  const known = new Map(
    (
      await giftsOf(
        tx,
        grants.map((one) => one.gift_id),
      )
    ).map((one) => [one.id, one]),
  );
  for (const grant of grants) {
    const still = reachedBy(known.get(grant.gift_id)!, payment).paid;
    await takeBack(tx, grant, grant.quantity - leftOf(grant.quantity, grant.paid, still));
  }
  const fresh = gifts.filter((id) => !grants.some((grant) => grant.gift_id === id));
  for (const gift of await giftsOf(tx, fresh)) {
    const { paid, tier } = reachedBy(gift, payment);
    if (!tier) continue;
    const member = (await debtorOf(tx, payment.houseId))?.debtorId ?? null;
    const quantity = gift.kind === 'prepaid' ? tier.quantity * 100 : tier.quantity;
    const unit =
      gift.kind === 'points'
        ? await platform.settings.numberIn(tx, 'points.fen_per_point')
        : gift.kind === 'coupon'
          ? gift.couponFen!
          : 1;
    const row = (await runOne<{ id: number }>(
      tx,
      `INSERT INTO payment_gift_grant (gift_id, payment_id, project_id, house_id, member_id, receipt_no, value_date, paid, kind, threshold, quantity, unit_fen, state, failure, created_by)
       SELECT $1, p.id, p.project_id, p.house_id, $3, p.receipt_no, p.value_date, $4, $5, $6, $7, $8, 'failed', '-', p.created_by FROM bill_payment p WHERE p.id = $2 RETURNING id`,
      [gift.id, paymentId, member, paid, gift.kind, tier.threshold, quantity, Math.round(unit)],
    ))!;
    await give(tx, platform, row.id, gift, { houseId: payment.houseId, memberId: member, quantity });
  }
}

interface Receiver {
  readonly houseId: number;
  readonly memberId: number | null;
  readonly quantity: number;
}

/** Gives what a grant names, in a savepoint of its own: what cannot be given stands as failed with its reason. */
async function give(
  tx: Tx,
  platform: Platform,
  grantId: number,
  gift: GiftRow,
  to: Receiver,
): Promise<boolean> {
  const fail = (why: string) =>
    run(
      tx,
      `UPDATE payment_gift_grant SET state = 'failed', failure = $2, version = version + 1 WHERE id = $1`,
      [grantId, why],
    );
  if (gift.kind !== 'prepaid' && to.memberId === null) {
    await fail(NOBODY);
    return false;
  }
  await run(tx, 'SAVEPOINT courtesy');
  try {
    const short = await takeShare(tx, gift, to.houseId);
    if (short) {
      await run(tx, 'ROLLBACK TO SAVEPOINT courtesy');
      await fail(short);
      return false;
    }
    const coupons = await hand(tx, platform, grantId, gift, to);
    await run(
      tx,
      `UPDATE payment_gift_grant SET state = 'given', failure = '', member_coupon_ids = $2, member_id = $3, version = version + 1 WHERE id = $1`,
      [grantId, coupons, to.memberId],
    );
    await run(tx, 'RELEASE SAVEPOINT courtesy');
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await run(tx, 'ROLLBACK TO SAVEPOINT courtesy');
    await fail(saidTwice(error.label));
    return false;
  }
}

/** Takes one gift out of the total and of what the house may have, each in one conditional statement; says why not. */
async function takeShare(tx: Tx, gift: GiftRow, houseId: number): Promise<string | undefined> {
  const house = await runOne(
    tx,
    `INSERT INTO payment_gift_house AS h (gift_id, house_id, used, most) VALUES ($1, $2, 1, $3)
     ON CONFLICT (gift_id, house_id) DO UPDATE SET used = h.used + 1 WHERE h.used < h.most RETURNING 1 AS one`,
    [gift.id, houseId, gift.houseLimit],
  );
  if (!house) return HOUSE_FULL;
  const left = await runOne(
    tx,
    'UPDATE payment_gift SET given = given + 1 WHERE id = $1 AND given < total RETURNING 1 AS one',
    [gift.id],
  );
  return left ? undefined : USED_UP;
}

async function hand(
  tx: Tx,
  platform: Platform,
  grantId: number,
  gift: GiftRow,
  to: Receiver,
): Promise<readonly number[]> {
  switch (gift.kind) {
    case 'points':
      await grantPoints(tx, platform.settings, {
        memberId: to.memberId!,
        amount: to.quantity,
        source: sourceOf(grantId, 'give'),
        kind: LINE_KINDS.rebate,
        note: gift.name,
      });
      return [];
    case 'prepaid':
      await creditPrepaid(tx, to.houseId, to.quantity, sourceOf(grantId, 'give'));
      return [];
    case 'coupon': {
      const ids: number[] = [];
      for (let piece = 0; piece < to.quantity; piece += 1)
        ids.push(
          (
            await claimCoupon(tx, platform, {
              couponId: gift.couponId!,
              memberId: to.memberId!,
              pushed: true,
            })
          ).memberCouponId,
        );
      return ids;
    }
  }
}

/** Takes back so much of a gift that `wanted` of it is back in all; what was spent is left to be recovered. */
async function takeBack(tx: Tx, grant: GrantRow, wanted: number): Promise<void> {
  const back = wanted - grant.taken_back;
  if (grant.state === 'failed' || back <= 0) return;
  const missing = await collect(tx, grant, back);
  const taken = grant.taken_back + back;
  await run(
    tx,
    `UPDATE payment_gift_grant SET taken_back = $2, to_recover = to_recover + $3, settled = settled + 1, version = version + 1,
            state = CASE WHEN to_recover + $3 > 0 THEN 'to_recover' WHEN $2 = quantity THEN 'taken_back' ELSE 'given' END WHERE id = $1`,
    [grant.id, taken, missing],
  );
  // A gift that came back whole can be given to somebody else.
  if (taken < grant.quantity) return;
  await run(tx, 'UPDATE payment_gift_house SET used = used - 1 WHERE gift_id = $1 AND house_id = $2', [
    grant.gift_id,
    grant.house_id,
  ]);
  await run(tx, 'UPDATE payment_gift SET given = given - 1 WHERE id = $1', [grant.gift_id]);
}

/** Takes points, coupons or money away; returns how much of it is spent. */
async function collect(tx: Tx, grant: GrantRow, back: number): Promise<number> {
  const source = sourceOf(grant.id, `back:${grant.settled + 1}`);
  switch (grant.kind) {
    case 'points':
      return (await clawbackPoints(tx, { grant: sourceOf(grant.id, 'give'), source, amount: back })).owed;
    case 'prepaid':
      return back - (await takeCredit(tx, grant.house_id, back, source));
    case 'coupon': {
      const rows = await run(
        tx,
        `UPDATE member_coupon SET status = 'expired', version = version + 1 WHERE id IN (
           SELECT id FROM member_coupon WHERE id = ANY($1::bigint[]) AND status = 'claimed' AND locked_payment IS NULL ORDER BY id DESC LIMIT $2 FOR UPDATE)
         RETURNING id`,
        [grant.member_coupon_ids, back],
      );
      return back - rows.length;
    }
  }
}

/** Tries a failed grant again; answers with the state it has then. */
export async function retryGift(tx: Tx, platform: Platform, grantId: number): Promise<'given' | 'failed'> {
  const grant = (await runOne<GrantRow & { payment_id: number }>(
    tx,
    `SELECT * FROM payment_gift_grant WHERE id = $1 AND state = 'failed' FOR UPDATE`,
    [grantId],
  ))!;
  const [gift] = await giftsOf(tx, [grant.gift_id]);
  const still = reachedBy(gift!, (await paidFacts(tx, grant.payment_id))!).paid;
  if (leftOf(grant.quantity, grant.paid, still) < grant.quantity) {
    await run(tx, `UPDATE payment_gift_grant SET failure = $2, version = version + 1 WHERE id = $1`, [
      grantId,
      saidTwice(['缴费已退，不再发放', 'The payment was given back']),
    ]);
    return 'failed';
  }
  const member = (await debtorOf(tx, grant.house_id))?.debtorId ?? null;
  const done = await give(tx, platform, grantId, gift!, {
    houseId: grant.house_id,
    memberId: member,
    quantity: grant.quantity,
  });
  return done ? 'given' : 'failed';
}

const sourceOf = (id: number, purpose: string) => ({ type: 'payment_gift', id: String(id), purpose });

/** Gives gifts after their payments. */
export const giftEffect: Effect = {
  kind: EFFECT,
  deliver: async (
    payload: { readonly paymentId: number; readonly gifts: readonly number[] },
    platform: Platform,
    outboxId,
  ) => {
    await transaction(platform.database.db, async (tx) => {
      if (!(await finishEffect(tx, outboxId))) return;
      await settleGifts(tx, platform, payload.paymentId, payload.gifts);
    });
    for (const name of ['payCourtesy', 'payCourtesyGrant', 'prepaidAccount']) platform.changed(name);
  },
};

/** What holds of gifts. */
export const giftInvariants: readonly Invariant[] = [
  sqlInvariant(
    'courtesy.given: what of an activity is given is what its payments have',
    `SELECT g.code AS what, ARRAY[g.given, coalesce((SELECT sum(h.used) FROM payment_gift_house h WHERE h.gift_id = g.id), 0)] AS found,
            ARRAY[n.standing, n.standing] AS wanted
       FROM payment_gift g CROSS JOIN LATERAL (SELECT count(*) AS standing FROM payment_gift_grant x WHERE x.gift_id = g.id AND x.state <> 'failed' AND x.taken_back < x.quantity) n`,
  ),
  sqlInvariant(
    'courtesy.prepaid: what was credited and taken back stands in the ledger',
    `SELECT 'grant ' || g.id AS what, ARRAY[g.quantity - g.taken_back + g.to_recover] AS found,
            ARRAY[coalesce((SELECT sum(e.amount) FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id
                             WHERE t.source_type = 'payment_gift' AND t.source_id = g.id::text AND a.kind = 'prepaid_general'), 0)] AS wanted
       FROM payment_gift_grant g WHERE g.kind = 'prepaid' AND g.state <> 'failed'`,
  ),
];
