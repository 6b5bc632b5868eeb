import type { Label } from '../../kernel/contract/label.ts';
import { businessDayOf, endOfBusinessDay, startOfBusinessDay } from '../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { Invariant } from '../../kernel/server/registration.ts';
import { sqlInvariant } from '../../kernel/server/sql-invariant.ts';
import {
  chargedSpan,
  minutesAfter,
  minutesOf,
  quoteStay,
  type CouponKind,
  type FeePlan,
  type FeeWindow,
  type ParkingState,
  type VehicleClass,
} from './parking.rules.ts';

/** A stay as commands read it; amounts are fen. */
export interface Stay {
  readonly id: number;
  readonly code: string;
  readonly lot_id: number;
  readonly project_id: number;
  readonly plan_id: number | null;
  readonly plate: string;
  readonly vehicle_class: VehicleClass;
  readonly entry_at: Date | null;
  readonly exit_at: Date | null;
  readonly free_minutes: number | null;
  readonly gross: number;
  readonly discount: number;
  readonly carried: number;
  readonly paid: number;
  readonly refunded: number;
  readonly owed: number;
  readonly coupon_id: number | null;
  readonly covered_until: Date | null;
  readonly quoted_at: Date | null;
  readonly quote_until: Date | null;
  readonly parent_id: number | null;
  readonly waiting_gate_id: number | null;
  readonly waiting_at: Date | null;
  readonly abnormal: string;
  readonly state: ParkingState;
}

/** What a stay costs at an instant. */
export interface Price {
  readonly at: Date;
  /** The part of the stay that is charged. */
  readonly from: Date;
  readonly to: Date;
  readonly minutes: number;
  readonly windows: readonly FeeWindow[];
  /** Charged by this order: for a further payment, what came on top of what was charged before. */
  readonly gross: number;
  /** Charged for this stay before, by orders that are paid. */
  readonly charged: number;
  readonly discount: number;
  readonly couponId: number | null;
  readonly carried: number;
  readonly due: number;
  readonly coveredUntil: Date;
  /** A pass covers the whole of it. */
  readonly byPass: boolean;
}

/** Roots of stays whose car stands in the lot. */
export const INSIDE = `parent_id IS NULL AND exit_at IS NULL AND state IN ('parked', 'to_pay', 'paid', 'refunded')`;

/** Events and quotes of a plate in a project come one after the other. */
export async function lockPlate(tx: Tx, projectId: number, plate: string): Promise<void> {
  await run(tx, 'SELECT pg_advisory_xact_lock(hashtextextended($1, 16))', [`parking:${projectId}:${plate}`]);
}

/** The version of a plan that is in force on the day of an entry, that of small cars where the class has none; its id. */
export async function planInForce(
  db: Executor,
  lotId: number,
  vehicleClass: VehicleClass,
  entry: Date,
): Promise<number | null> {
  const row = await runOne<{ id: number }>(
    db,
    `SELECT id FROM parking_fee_plan WHERE lot_id = $1 AND vehicle_class IN ($2, 'small') AND valid_from <= $3
      ORDER BY vehicle_class = $2 DESC, valid_from DESC LIMIT 1`,
    [lotId, vehicleClass, businessDayOf(entry)],
  );
  return row?.id ?? null;
}

/** Reads a version of a plan. */
export async function planOf(db: Executor, id: number): Promise<FeePlan> {
  return (await runOne<FeePlan>(
    db,
    `SELECT free_minutes AS "freeMinutes", free_deduct AS "freeDeduct", first_minutes AS "firstMinutes", first_fen AS "firstFen",
            unit_minutes AS "unitMinutes", unit_fen AS "unitFen", cap_fen AS "capFen" FROM parking_fee_plan WHERE id = $1`,
    [id],
  ))!;
}

/**
 * What a stay costs at an instant: plan, then the best coupon of the plate, then what the plate owes for earlier stays. A stay
 * that was paid is asked for what came on top of what was charged, so that paying in parts never costs more.
 */
export async function priceOf(
  db: Executor,
  platform: Platform,
  stay: Stay,
  at: Date,
  couponsPerStay: number,
): Promise<Price> {
  const root = stay.parent_id === null ? stay : (await stayById(db, stay.parent_id))!;
  const entry = root.entry_at!;
  const passes = await passesOf(db, root, at);
  const { from, to } = chargedSpan(entry, at, passes);
  const minutes = minutesOf(from, to);
  const nothing = { at, from, to, minutes, windows: [], gross: 0, charged: 0, discount: 0, couponId: null };
  if (root.plan_id === null)
    return { ...nothing, carried: 0, due: 0, coveredUntil: at, byPass: minutes === 0 && passes.length > 0 };
  const plan = await planOf(db, root.plan_id);
  const ofStay = root.free_minutes === null ? plan : { ...plan, freeMinutes: root.free_minutes };
  const later = (covered: number) =>
    new Date(Math.max(at.getTime(), minutes === 0 ? 0 : minutesAfter(from, covered).getTime()));
  const wasPaid = root.state === 'paid' || root.state === 'refunded' || root.paid > 0;
  if (wasPaid) {
    const coupon = root.coupon_id === null ? undefined : await couponById(db, root.coupon_id);
    const quote = quoteStay(ofStay, minutes, coupon);
    const charged = await chargedOf(db, root.id);
    const gross = Math.max(0, quote.gross - charged);
    return {
      ...nothing,
      windows: quote.windows,
      gross,
      charged,
      carried: 0,
      due: gross,
      coveredUntil: later(quote.covered),
      byPass: false,
    };
  }
  const coupons = couponsPerStay > 0 ? await couponsOf(db, root, at) : [];
  let quote = quoteStay(ofStay, minutes);
  let couponId: number | null = null;
  for (const coupon of coupons) {
    const other = quoteStay(ofStay, minutes, coupon);
    if (other.discount > quote.discount) [quote, couponId] = [other, coupon.id];
  }
  const carried = (await owedBefore(db, root)).reduce((sum, one) => sum + one.owed, 0);
  return {
    ...nothing,
    windows: quote.windows,
    gross: quote.gross,
    discount: quote.discount,
    couponId,
    carried,
    due: quote.gross - quote.discount + carried,
    coveredUntil: later(quote.covered),
    byPass: minutes === 0 && passes.length > 0,
  };
}

/** A stay by its id. */
export function stayById(db: Executor, id: number): Promise<Stay | undefined> {
  return runOne<Stay>(db, 'SELECT * FROM parking_order WHERE id = $1', [id]);
}

/** What was charged for a stay by its paid orders: its own and those of later payments. */
async function chargedOf(db: Executor, rootId: number): Promise<number> {
  const row = await runOne<{ sum: number }>(
    db,
    `SELECT coalesce(sum(gross), 0)::bigint AS sum FROM parking_order
      WHERE (id = $1 AND paid > 0) OR (parent_id = $1 AND state IN ('paid', 'left', 'refunded'))`,
    [rootId],
  );
  return row!.sum;
}

/** Stays the plate left without paying, in the order they are locked. */
export function owedBefore(
  db: Executor,
  stay: Pick<Stay, 'id' | 'project_id' | 'plate'>,
  lock = '',
): Promise<readonly { readonly id: number; readonly code: string; readonly owed: number }[]> {
  return run(
    db,
    `SELECT id, code, owed FROM parking_order WHERE project_id = $1 AND plate = $2 AND owed > 0 AND id <> $3
        AND NOT EXISTS (SELECT FROM parking_waiver w WHERE w.order_id = parking_order.id AND w.state = 'waiting') ORDER BY id ${lock}`,
    [stay.project_id, stay.plate, stay.id],
  );
}

async function passesOf(db: Executor, stay: Stay, at: Date) {
  const rows = await run<{ starts_on: string; ends_on: string }>(
    db,
    `SELECT starts_on::text AS starts_on, ends_on::text AS ends_on FROM parking_pass
      WHERE lot_id = $1 AND plate = $2 AND cancelled_at IS NULL AND ends_on >= $3 AND starts_on <= $4 ORDER BY starts_on`,
    [stay.lot_id, stay.plate, businessDayOf(stay.entry_at!), businessDayOf(at)],
  );
  return rows.map((row) => ({ from: startOfBusinessDay(row.starts_on), to: endOfBusinessDay(row.ends_on) }));
}

interface Coupon {
  readonly id: number;
  readonly kind: CouponKind;
  readonly value: number;
}

const couponById = (db: Executor, id: number) =>
  runOne<Coupon>(db, 'SELECT id, kind, value FROM parking_coupon WHERE id = $1', [id]);

/** Coupons a plate may use that day; of equal ones that which ends first. */
function couponsOf(db: Executor, stay: Stay, at: Date): Promise<readonly Coupon[]> {
  return run<Coupon>(
    db,
    `SELECT id, kind, value FROM parking_coupon WHERE lot_id = $1 AND plate = $2 AND order_id IS NULL AND cancelled_at IS NULL
        AND valid_to >= $3 ORDER BY valid_to, id`,
    [stay.lot_id, stay.plate, businessDayOf(at)],
  );
}

const COUPON_GONE: Label = [
  '停车券已被使用，请重新获取报价',
  'The coupon was used, please ask for the price again',
];

/** Uses the coupon of an order. Returns what stands against it, or undefined. */
export async function takeCoupon(
  tx: Tx,
  couponId: number | null,
  orderId: number,
): Promise<Label | undefined> {
  if (couponId === null) return undefined;
  const taken = await runOne(
    tx,
    `UPDATE parking_coupon SET order_id = $2, used_at = clock_timestamp(), version = version + 1, updated_at = now()
      WHERE id = $1 AND order_id IS NULL AND cancelled_at IS NULL RETURNING id`,
    [couponId, orderId],
  );
  return taken ? undefined : COUPON_GONE;
}

/** What holds of parking whatever happened; the equation of each order is a constraint of its table. */
export const parkingInvariants: readonly Invariant[] = [
  sqlInvariant(
    'parking.money: what an order was paid and given back is what its payments say',
    `SELECT o.code AS what, ARRAY[o.paid, o.refunded] AS found, ARRAY[x.paid, x.refunded] AS wanted
       FROM parking_order o CROSS JOIN LATERAL (
         SELECT coalesce(sum(p.amount) FILTER (WHERE p.kind = 'payment'), 0) AS paid,
                coalesce(sum(p.amount) FILTER (WHERE p.kind = 'refund' AND p.state <> 'failed'), 0) AS refunded
           FROM parking_payment p WHERE p.order_id = o.id) x`,
  ),
  sqlInvariant(
    'parking.moved: what earlier stays of a plate owed is moved as often as a later one paid it',
    `SELECT 'project ' || o.project_id AS what, ARRAY[sum(o.moved)] AS found,
            ARRAY[coalesce(sum(o.carried) FILTER (WHERE o.state IN ('paid', 'left', 'refunded', 'abnormal', 'closed') AND o.paid > 0), 0)] AS wanted
       FROM parking_order o GROUP BY o.project_id`,
  ),
  sqlInvariant(
    'parking.coupon: a used coupon stands on the order that used it',
    `SELECT 'coupon ' || c.id AS what, ARRAY[c.order_id] AS found, ARRAY[o.id] AS wanted
       FROM parking_coupon c LEFT JOIN parking_order o ON o.coupon_id = c.id AND o.id = c.order_id WHERE c.order_id IS NOT NULL`,
  ),
];
