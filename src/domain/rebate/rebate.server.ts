import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import { Refusal } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { Effect, Invariant } from '../../kernel/server/registration.ts';
import { sqlInvariant } from '../../kernel/server/sql-invariant.ts';
import { addEffect, finishEffect } from '../../kernel/server/tasks/outbox.ts';
import { debtorOf } from '../charging/billing.server.ts';
import { claimCoupon } from '../coupon/claim.server.ts';
import { LINE_KINDS } from '../points-ledger/ledger-book.server.ts';
import { grantPoints } from '../points-ledger/points-grant.server.ts';
import { endOfDay } from '../points-ledger/points-lots.server.ts';
import { grantPending } from '../points-ledger/points-pending.server.ts';
import { clawbackPoints } from '../points-ledger/points-take-back.server.ts';
import { rebateOf, type PaidFacts, type RebateTerms } from './rebate.rules.ts';

const EFFECT = 'rebate.settle';
const DAY_MS = 86_400_000;

/** A version of a rule that held when a payment was made. */
interface Candidate {
  readonly ruleId: number;
  readonly no: number;
}

/**
 * Notes in the payment's own transaction which enabled rules may give for it, in their version of this moment; what they give
 * is worked out and booked afterwards, so that no rule can stop a payment. Source: group 22, Life.
 */
export async function noteRebate(tx: Tx, paymentId: number): Promise<void> {
  const candidates = await run<Candidate>(
    tx,
    `SELECT pl.rule_id AS "ruleId", max(v.no) AS no
       FROM bill_payment p JOIN bill_allocation a ON a.payment_id = p.id AND a.kind = 'principal' JOIN bill b ON b.id = a.bill_id
       JOIN payment_rebate_place pl ON pl.project_id = p.project_id AND pl.fee_item_id = b.fee_item_id AND pl.period @> p.value_date
       JOIN payment_rebate_version v ON v.rule_id = pl.rule_id
      WHERE p.id = $1 GROUP BY pl.rule_id`,
    [paymentId],
  );
  if (candidates.length > 0) await addEffect(tx, EFFECT, { paymentId, candidates });
}

/** Has what a payment gave worked out again, after some or all of it was given back. */
export async function recheckRebate(tx: Tx, paymentId: number): Promise<void> {
  const given = await runOne(tx, 'SELECT 1 AS one FROM payment_rebate_grant WHERE payment_id = $1', [
    paymentId,
  ]);
  if (given) await addEffect(tx, EFFECT, { paymentId, candidates: [] });
}

/** SQL of payments as rules look at them; `where` names the payment `p`. */
const factsSql = (where: string) => `
  SELECT p.id, p.project_id AS "projectId", p.house_id AS "houseId", p.value_date::text AS day, p.channel, p.created_at AS "paidAt", p.amount,
         EXISTS (SELECT FROM bill o WHERE o.house_id = p.house_id AND o.due_date < p.value_date AND o.state <> 'void'
                    AND NOT EXISTS (SELECT FROM bill_allocation a WHERE a.bill_id = o.id AND a.payment_id = p.id)
                    AND o.principal - o.discount + o.adjustment > coalesce((SELECT sum(a.amount) FROM bill_allocation a
                          WHERE a.bill_id = o.id AND a.kind = 'principal' AND a.value_date <= p.value_date), 0)) AS arrears,
         coalesce((SELECT jsonb_agg(jsonb_build_object('itemId', b.fee_item_id, 'amount', x.amount, 'from', b.period_from, 'to', b.period_to,
                                    'due', b.due_date, 'full', b.owed_principal = 0) ORDER BY b.id)
                     FROM (SELECT a.bill_id, sum(a.amount)::bigint AS amount FROM bill_allocation a
                            WHERE a.payment_id = p.id AND a.kind = 'principal' GROUP BY 1) x JOIN bill b ON b.id = x.bill_id), '[]') AS lines
    FROM bill_payment p WHERE ${where}`;

/** A payment as rules and activities look at it. */
export async function paidFacts(db: Executor, paymentId: number): Promise<PaidFacts | undefined> {
  return runOne<PaidFacts>(db, factsSql('p.id = $1'), [paymentId]);
}

interface VersionRow {
  readonly ruleId: number;
  readonly no: number;
  readonly terms: RebateTerms;
  readonly items: readonly number[];
}

async function versionsOf(tx: Executor, wanted: readonly Candidate[]): Promise<VersionRow[]> {
  return run<VersionRow>(
    tx,
    `SELECT v.rule_id AS "ruleId", v.no, v.terms, v.item_ids AS items
       FROM unnest($1::bigint[], $2::int[]) AS w (rule_id, no) JOIN payment_rebate_version v ON v.rule_id = w.rule_id AND v.no = w.no
      ORDER BY (v.terms->>'priority')::int, v.made_at DESC, v.id DESC`,
    [wanted.map((one) => one.ruleId), wanted.map((one) => one.no)],
  );
}

/**
 * Gives a payment its points, or takes back what it has earned no more; repeats do nothing. One rule per payment: the smallest
 * priority that gives anything. Source: group 22, Formulas and Life.
 */
export async function settleRebate(
  tx: Tx,
  platform: Platform,
  paymentId: number,
  candidates: readonly Candidate[],
): Promise<void> {
  const locked = await runOne(tx, 'SELECT id FROM bill_payment WHERE id = $1 FOR NO KEY UPDATE', [paymentId]);
  if (!locked) return;
  const paid = (await paidFacts(tx, paymentId))!;
  const grant = await runOne<GrantRow>(
    tx,
    `SELECT id, rule_id, version_no, house_id, member_id, eligible, wanted, room, granted, taken_back, state, settled, release_at, coupon_id, member_coupon_ids
       FROM payment_rebate_grant WHERE payment_id = $1 FOR UPDATE`,
    [paymentId],
  );
  if (grant) return settleAgain(tx, paid, grant);
  for (const version of await versionsOf(tx, candidates)) {
    const given = rebateOf(version.terms, version.items, paid);
    if (given.points > 0) return giveFirst(tx, platform, paid, version, given.eligible, given.points);
  }
}

interface GrantRow {
  readonly id: number;
  readonly rule_id: number;
  readonly version_no: number;
  readonly house_id: number;
  readonly member_id: number | null;
  readonly eligible: number;
  readonly wanted: number;
  readonly room: number;
  readonly granted: number;
  readonly taken_back: number;
  readonly state: string;
  readonly settled: number;
  readonly release_at: Date;
  readonly coupon_id: number | null;
  readonly member_coupon_ids: readonly number[];
}

async function giveFirst(
  tx: Tx,
  platform: Platform,
  paid: PaidFacts,
  { ruleId, no, terms }: VersionRow,
  eligible: number,
  points: number,
): Promise<void> {
  const memberId = await receiverOf(tx, paid, terms.receiver);
  const year = Number(paid.day.slice(0, 4));
  const room = await roomOf(tx, ruleId, terms, paid.houseId, year);
  const wanted = points;
  const granted = memberId === undefined ? 0 : Math.min(wanted, room.total, room.house);
  const why =
    memberId === undefined
      ? 'nobody'
      : granted === wanted
        ? null
        : room.house <= room.total
          ? 'house_year'
          : 'total';
  const releaseAt = new Date(paid.paidAt.getTime() + terms.finalDays * DAY_MS);
  const row = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO payment_rebate_grant (rule_id, version_no, payment_id, project_id, house_id, member_id, eligible, wanted, room, granted, why, release_at, state, coupon_id, receipt_no, value_date, created_by)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, p.receipt_no, p.value_date, p.created_by FROM bill_payment p WHERE p.id = $3 RETURNING id`,
    [
      ruleId,
      no,
      paid.id,
      paid.projectId,
      paid.houseId,
      memberId ?? null,
      eligible,
      wanted,
      Math.min(room.total, room.house),
      granted,
      why,
      releaseAt,
      granted === 0 ? 'none' : 'waiting',
      terms.couponId ?? null,
    ],
  ))!;
  if (granted === 0) return;
  await raiseUsed(tx, ruleId, paid.houseId, year, granted);
  await announce(tx, platform, row.id, memberId!, granted, releaseAt, terms);
}

/** Announces or gives what a grant earned; what is refused stands as failed and can be tried again. */
async function announce(
  tx: Tx,
  platform: Platform,
  grantId: number,
  memberId: number,
  amount: number,
  releaseAt: Date,
  terms: RebateTerms,
): Promise<void> {
  const couponId = terms.couponId ?? null;
  const due = terms.finalDays === 0 || (couponId !== null && releaseAt <= new Date());
  const facts = {
    memberId,
    amount,
    source: sourceOf(grantId, 'grant'),
    kind: LINE_KINDS.rebate,
    note: '',
    ...(terms.budgetId !== null && { budgetId: terms.budgetId }),
    ...(terms.validDays !== null && { expiresAt: endOfDay(releaseAt, terms.validDays) }),
  };
  await run(tx, 'SAVEPOINT rebate');
  try {
    const coupons: number[] = [];
    if (couponId !== null)
      // Coupons that are not final yet are only announced: the job gives them.
      for (let piece = 0; due && piece < amount; piece += 1)
        coupons.push((await claimCoupon(tx, platform, { couponId, memberId, pushed: true })).memberCouponId);
    else if (due) await grantPoints(tx, platform.settings, facts);
    else await grantPending(tx, { ...facts, releaseAt });
    await run(tx, 'RELEASE SAVEPOINT rebate');
    await run(
      tx,
      `UPDATE payment_rebate_grant SET failure = '', state = $2, member_coupon_ids = $3 WHERE id = $1`,
      [grantId, due ? 'released' : 'waiting', coupons],
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await run(tx, 'ROLLBACK TO SAVEPOINT rebate');
    await run(tx, `UPDATE payment_rebate_grant SET state = 'failed', failure = $2 WHERE id = $1`, [
      grantId,
      error.label.join(' / '),
    ]);
  }
}

/** Gives the coupons of grants that are final by now, each in a transaction of its own. Source: group 22, Life. */
export async function releaseCoupons(platform: Platform): Promise<number> {
  const { db } = platform.database;
  const due = await run<{ id: number }>(
    db,
    `SELECT id FROM payment_rebate_grant WHERE state = 'waiting' AND coupon_id IS NOT NULL AND release_at <= now() ORDER BY release_at, id`,
  );
  for (const { id } of due) await transaction(db, (tx) => giveAgain(tx, platform, id, 'waiting'));
  if (due.length > 0) platform.changed('paymentRebateGrant');
  return due.length;
}

/** Tries a failed grant again; answers with the state it has then, nothing when it is not failed. */
export const retryRebate = (tx: Tx, platform: Platform, grantId: number): Promise<string | undefined> =>
  giveAgain(tx, platform, grantId, 'failed');

async function giveAgain(
  tx: Tx,
  platform: Platform,
  grantId: number,
  from: 'failed' | 'waiting',
): Promise<string | undefined> {
  const row = await runOne<GrantRow & { terms: RebateTerms }>(
    tx,
    `SELECT g.*, v.terms FROM payment_rebate_grant g JOIN payment_rebate_version v ON v.rule_id = g.rule_id AND v.no = g.version_no
      WHERE g.id = $1 AND g.state = $2 FOR UPDATE OF g`,
    [grantId, from],
  );
  if (!row || row.member_id === null) return undefined;
  const left = row.granted - row.taken_back;
  if (left > 0) await announce(tx, platform, row.id, row.member_id, left, row.release_at, row.terms);
  const after = await runOne<{ state: string }>(tx, 'SELECT state FROM payment_rebate_grant WHERE id = $1', [
    grantId,
  ]);
  return after!.state;
}

/** Withdraws coupons that are neither used nor locked by an order, the newest first; returns how many could not be. */
async function withdrawCoupons(tx: Tx, ids: readonly number[], count: number): Promise<number> {
  const rows = await run(
    tx,
    `UPDATE member_coupon SET status = 'expired', version = version + 1 WHERE id IN (
       SELECT id FROM member_coupon WHERE id = ANY($1::bigint[]) AND status = 'claimed' AND locked_payment IS NULL ORDER BY id DESC LIMIT $2 FOR UPDATE)
     RETURNING id`,
    [ids, count],
  );
  return count - rows.length;
}

/** What the payment still earns by the same version; more than that is taken back, first from announced points. */
async function settleAgain(tx: Tx, paid: PaidFacts, grant: GrantRow): Promise<void> {
  const [version] = await versionsOf(tx, [{ ruleId: grant.rule_id, no: grant.version_no }]);
  // Whether the house owed anything was judged when it was paid.
  const now = rebateOf(version!.terms, version!.items, { ...paid, arrears: false });
  const due = Math.min(now.points, grant.room);
  const back = grant.granted - grant.taken_back - due;
  if (back <= 0) return;
  const failed = grant.state === 'failed';
  let toRecover = 0;
  if (grant.coupon_id !== null) {
    if (grant.state === 'released') toRecover = await withdrawCoupons(tx, grant.member_coupon_ids, back);
  } else if (!failed)
    await clawbackPoints(tx, {
      grant: sourceOf(grant.id, 'grant'),
      source: sourceOf(grant.id, `back:${grant.settled + 1}`),
      amount: back,
    });
  await raiseUsed(tx, grant.rule_id, grant.house_id, Number(paid.day.slice(0, 4)), -back);
  // What never reached the ledger is not given rather than taken back.
  const granted = grant.granted - (failed ? back : 0);
  const takenBack = grant.taken_back + (failed ? 0 : back);
  await run(
    tx,
    `UPDATE payment_rebate_grant SET granted = $2, taken_back = $3, settled = settled + 1, eligible = $4, to_recover = to_recover + $5,
            state = CASE WHEN $2 = 0 THEN 'none' WHEN $2 = $3 THEN 'taken_back' ELSE state END WHERE id = $1`,
    [grant.id, granted, takenBack, now.eligible, toRecover],
  );
}

const sourceOf = (id: number, purpose: string) => ({ type: 'payment_rebate', id: String(id), purpose });

/** Who gets the points: the owner who pays for the house, or whom the largest bill was made out to. */
async function receiverOf(
  tx: Tx,
  paid: PaidFacts,
  receiver: RebateTerms['receiver'],
): Promise<number | undefined> {
  if (receiver === 'owner') return (await debtorOf(tx, paid.houseId))?.debtorId ?? undefined;
  const row = await runOne<{ id: number }>(
    tx,
    `SELECT b.debtor_id AS id FROM bill_allocation a JOIN bill b ON b.id = a.bill_id WHERE a.payment_id = $1 AND b.debtor_id IS NOT NULL
      GROUP BY b.id ORDER BY sum(a.amount) DESC, b.id LIMIT 1`,
    [paid.id],
  );
  return row?.id;
}

/** What the caps of the rule and of the house in a year leave, behind their locks. */
async function roomOf(
  tx: Tx,
  ruleId: number,
  terms: RebateTerms,
  houseId: number,
  year: number,
): Promise<{ readonly total: number; readonly house: number }> {
  await run(
    tx,
    `INSERT INTO payment_rebate_used (rule_id, house_id, year) VALUES ($1, 0, 0), ($1, $2, $3) ON CONFLICT DO NOTHING`,
    [ruleId, houseId, year],
  );
  const rows = await run<{ house_id: number; used: number }>(
    tx,
    `SELECT house_id, used FROM payment_rebate_used WHERE rule_id = $1 AND (house_id, year) IN ((0, 0), ($2, $3)) ORDER BY house_id FOR UPDATE`,
    [ruleId, houseId, year],
  );
  const left = (house: number, cap: number) =>
    cap < 0 ? MOST : Math.max(cap - rows.find((row) => row.house_id === house)!.used, 0);
  return { total: left(0, terms.capTotal), house: left(houseId, terms.capHouseYear) };
}

/** More than any cap. */
const MOST = 2_000_000_000;

async function raiseUsed(tx: Tx, ruleId: number, houseId: number, year: number, by: number): Promise<void> {
  await run(
    tx,
    `UPDATE payment_rebate_used SET used = used + $4 WHERE rule_id = $1 AND (house_id, year) IN ((0, 0), ($2, $3))`,
    [ruleId, houseId, year, by],
  );
}

/** A payment of a trial with what a rule would have given. */
export interface TrialPayment {
  readonly paymentId: number;
  readonly receiptNo: string;
  readonly house: string;
  readonly projectId: number;
  readonly project: string;
  readonly day: string;
  readonly eligible: number;
  readonly months: number;
  readonly points: number;
}

/** Most payments a trial looks at. */
export const TRIAL_MOST = 20_000;

/**
 * What terms would give for the payments of a month (YYYY-MM) in some projects, caps of house and year included; writes nothing.
 * Payments are taken in the order they were made. Source: group 22, Simulation.
 */
export async function tryRebate(
  db: Executor,
  trial: {
    readonly terms: RebateTerms;
    readonly itemIds: readonly number[];
    readonly projectIds: readonly number[];
    readonly month: string;
  },
): Promise<readonly TrialPayment[]> {
  const rows = await run<PaidFacts & { receiptNo: string; house: string; project: string }>(
    db,
    `SELECT f.*, p.receipt_no AS "receiptNo", b.name || u.name || h.number AS house, j.name AS project
       FROM (${factsSql(`p.project_id = ANY($1::bigint[]) AND p.value_date >= ($2 || '-01')::date AND p.value_date < (($2 || '-01')::date + interval '1 month')`)} ORDER BY p.id LIMIT ${TRIAL_MOST}) f
       JOIN bill_payment p ON p.id = f.id JOIN house h ON h.id = p.house_id JOIN building_unit u ON u.id = h.unit_id
       JOIN building b ON b.id = u.building_id JOIN project j ON j.id = p.project_id ORDER BY f.id`,
    [trial.projectIds, trial.month],
  );
  // The month alone decides here; the rule's own period is what is planned.
  const terms = { ...trial.terms, startsOn: '0001-01-01', endsOn: '9999-12-31' };
  const houses = new Map<number, number>();
  let total = 0;
  const found: TrialPayment[] = [];
  for (const row of rows) {
    const given = rebateOf(terms, trial.itemIds, row);
    if (given.points === 0) continue;
    const used = houses.get(row.houseId) ?? 0;
    const points = Math.max(
      0,
      Math.min(
        given.points,
        terms.capHouseYear < 0 ? MOST : terms.capHouseYear - used,
        terms.capTotal < 0 ? MOST : terms.capTotal - total,
      ),
    );
    houses.set(row.houseId, used + points);
    total += points;
    found.push({
      paymentId: row.id,
      receiptNo: row.receiptNo,
      house: row.house,
      projectId: row.projectId,
      project: row.project,
      day: row.day,
      eligible: given.eligible,
      months: given.months,
      points,
    });
  }
  return found;
}

/** Works rebates out after their payments. */
export const rebateEffect: Effect = {
  kind: EFFECT,
  deliver: async (
    payload: { readonly paymentId: number; readonly candidates: readonly Candidate[] },
    platform: Platform,
    outboxId,
  ) => {
    await transaction(platform.database.db, async (tx) => {
      if (!(await finishEffect(tx, outboxId))) return;
      await settleRebate(tx, platform, payload.paymentId, payload.candidates);
    });
    platform.changed('paymentRebateGrant');
  },
};

/** What holds of rebates. */
export const rebateInvariants: readonly Invariant[] = [
  sqlInvariant(
    'rebate.coupons: members have the coupons of their payments, less what was withdrawn',
    `SELECT 'grant ' || g.id AS what, ARRAY[g.granted - g.taken_back + g.to_recover] AS found,
            ARRAY[(SELECT count(*) FROM member_coupon c WHERE c.id = ANY(g.member_coupon_ids) AND c.status <> 'expired')
                + (SELECT count(*) FROM member_coupon c WHERE c.id = ANY(g.member_coupon_ids) AND c.status = 'expired' AND c.ends_at <= now())] AS wanted
       FROM payment_rebate_grant g WHERE g.coupon_id IS NOT NULL AND g.state = 'released' AND g.taken_back = 0`,
  ),
  sqlInvariant(
    'rebate.used: what of a rule is used is what its payments have',
    `SELECT r.code AS what, ARRAY[coalesce((SELECT u.used FROM payment_rebate_used u WHERE u.rule_id = r.id AND u.house_id = 0), 0),
                                  coalesce((SELECT sum(u.used) FROM payment_rebate_used u WHERE u.rule_id = r.id AND u.house_id <> 0), 0)] AS found,
            ARRAY[g.left_over, g.left_over] AS wanted
       FROM payment_rebate_rule r CROSS JOIN LATERAL (SELECT coalesce(sum(g.granted - g.taken_back), 0) AS left_over FROM payment_rebate_grant g WHERE g.rule_id = r.id) g`,
  ),
  sqlInvariant(
    'rebate.taken_back: what was taken back stands in the ledger',
    `SELECT 'grant ' || g.id AS what, ARRAY[g.taken_back] AS found,
            ARRAY[coalesce((SELECT sum(c.amount) FROM points_pending_cut c WHERE c.source_type = 'payment_rebate' AND c.source_id = g.id::text), 0)
                + coalesce((SELECT sum(e.amount) FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id
                             WHERE t.source_type = 'payment_rebate' AND t.source_id = g.id::text AND t.purpose LIKE 'back:%' AND a.kind = 'points_clawed_back'), 0)] AS wanted
       FROM payment_rebate_grant g WHERE g.state <> 'failed' AND g.coupon_id IS NULL`,
  ),
];
