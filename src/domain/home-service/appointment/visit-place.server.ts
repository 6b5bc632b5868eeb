import type { Label } from '../../../kernel/contract/label.ts';
import { businessTimeText, isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';

/** How a service is booked, with the settings that stand in for what it leaves open. */
export interface ServiceTerms {
  readonly productId: number;
  readonly tenantId: number;
  readonly name: string;
  readonly durationMin: number;
  readonly bufferBefore: number;
  readonly bufferAfter: number;
  readonly leadHours: number;
  readonly horizonDays: number;
  readonly slotCapacity: number;
  readonly personChoice: boolean;
  readonly verify: boolean;
  readonly times: number;
  readonly cancelTiers: string;
  readonly autoAccept: boolean;
  readonly skills: readonly string[];
}

/** Reads a service. Throws 404 for a product that is none. */
export async function serviceTerms(
  tx: Executor,
  platform: Platform,
  productId: number,
): Promise<ServiceTerms> {
  const row = await runOne<
    Omit<ServiceTerms, 'leadHours' | 'horizonDays' | 'cancelTiers'> & {
      leadHours: number | null;
      horizonDays: number | null;
      cancelTiers: string | null;
    }
  >(
    tx,
    `SELECT v.product_id AS "productId", p.tenant_id AS "tenantId", p.name, v.duration_min AS "durationMin", v.buffer_before AS "bufferBefore",
            v.buffer_after AS "bufferAfter", coalesce(v.lead_hours, b.lead_hours) AS "leadHours", v.horizon_days AS "horizonDays",
            v.slot_capacity AS "slotCapacity", v.person_choice AS "personChoice", v.verify, v.times, v.cancel_tiers AS "cancelTiers",
            v.auto_accept AS "autoAccept", v.skills
       FROM service_setting v JOIN product p ON p.id = v.product_id JOIN business b ON b.id = p.business_id WHERE v.product_id = $1`,
    [productId],
  );
  if (!row) throw notFound();
  return {
    ...row,
    leadHours: row.leadHours ?? (await platform.settings.numberIn(tx, 'service.lead_hours')),
    horizonDays: row.horizonDays ?? (await platform.settings.numberIn(tx, 'service.horizon_days')),
    cancelTiers: row.cancelTiers ?? (await tiersIn(tx, platform)),
  };
}

async function tiersIn(tx: Executor, platform: Platform): Promise<string> {
  const stored = await runOne<{ value: unknown }>(
    tx,
    `SELECT value FROM setting WHERE key = 'service.cancel_tiers'`,
  );
  return String(stored?.value ?? platform.settings.defaultOf('service.cancel_tiers'));
}

/**
 * Minutes an unpaid visit is held: `service.hold_minutes`, never beyond the start less the lead hours. Booked inside the lead
 * hours by staff: never beyond the start. Source: group 07, capacity rule 4.
 */
export async function holdMinutesOf(
  tx: Executor,
  platform: Platform,
  visit: { readonly productId: number; readonly startsAt: Date },
): Promise<number> {
  const terms = await serviceTerms(tx, platform, visit.productId);
  const hold = await platform.settings.numberIn(tx, 'service.hold_minutes');
  const left = (visit.startsAt.getTime() - (await clock(tx)).getTime()) / 60_000;
  const latest = left - terms.leadHours * 60;
  return Math.max(0, Math.min(hold, latest > 0 ? latest : left));
}

/** The database's clock. */
export async function clock(tx: Executor): Promise<Date> {
  return (await runOne<{ now: Date }>(tx, 'SELECT clock_timestamp() AS now'))!.now;
}

/** The visit and the time its person is busy with it. */
export function spanOf(terms: ServiceTerms, startsAt: Date) {
  const minute = 60_000;
  const start = startsAt.getTime();
  const end = start + terms.durationMin * minute;
  return {
    startsAt,
    endsAt: new Date(end),
    busyFrom: new Date(start - terms.bufferBefore * minute),
    busyTo: new Date(end + terms.bufferAfter * minute),
  };
}

/** A time of a service with the places left at it. */
export interface FreeTime {
  readonly startsAt: Date;
  readonly capacity: number;
  readonly taken: number;
}

/**
 * Offered times of a service in a project between two instants: weekly opening less stops, each step, with what is taken.
 * Source: group 07, capacity rule 1.
 */
export async function timesBetween(
  tx: Executor,
  place: { readonly productId: number; readonly projectId: number },
  from: Date,
  to: Date,
): Promise<FreeTime[]> {
  return run<FreeTime>(
    tx,
    `SELECT s.starts_at AS "startsAt", coalesce(k.capacity, s.capacity)::integer AS capacity, coalesce(k.taken, 0)::integer AS taken
       FROM (SELECT DISTINCT ON (1) (d.day::timestamp + make_interval(mins => m.minute)) AT TIME ZONE 'Asia/Shanghai' AS starts_at,
                    coalesce(t.capacity, v.slot_capacity) AS capacity, v.duration_min
               FROM generate_series(($3::timestamptz AT TIME ZONE 'Asia/Shanghai')::date::timestamp, ($4::timestamptz AT TIME ZONE 'Asia/Shanghai')::date::timestamp, interval '1 day') AS d (day)
               JOIN service_template t ON t.product_id = $1 AND t.weekday = extract(isodow FROM d.day)
                AND d.day::date >= coalesce(t.valid_from, d.day::date) AND d.day::date <= coalesce(t.valid_to, d.day::date)
               JOIN service_setting v ON v.product_id = t.product_id
              CROSS JOIN LATERAL generate_series(t.from_minute, t.to_minute - v.duration_min, v.step_min) AS m (minute)
              ORDER BY 1) s
       LEFT JOIN service_slot k ON k.product_id = $1 AND k.project_id = $2 AND k.starts_at = s.starts_at
      WHERE s.starts_at >= $3 AND s.starts_at <= $4
        AND NOT EXISTS (SELECT FROM service_stop x WHERE x.product_id = $1 AND (x.project_id IS NULL OR x.project_id = $2)
              AND x.period && tstzrange(s.starts_at, s.starts_at + make_interval(mins => s.duration_min)))
      ORDER BY 1`,
    [place.productId, place.projectId, from, to],
  );
}

/** What is booked: a time of a service in a project for so many. */
export interface PlaceRequest {
  readonly terms: ServiceTerms;
  readonly projectId: number;
  readonly startsAt: Date;
  readonly qty: number;
  /** Staff with the right to it may go beyond the capacity and inside the lead hours. */
  readonly overbook?: { readonly reason: string } | undefined;
  /** Staff move a visit at any time; members and new orders keep the lead hours. */
  readonly anyTime?: boolean | undefined;
}

/** A place that was taken. */
export interface TakenPlace {
  readonly slotId: number;
  readonly overbooked: boolean;
}

/**
 * Takes a place in the caller's transaction. Throws 422 for a time that is too near, too far or not offered, and 30101
 * 该时段已约满 with the three nearest free times. Source: group 07, capacity rules 1, 2, 3 and 5; Must show 1, 3 and 4.
 */
export async function takePlace(tx: Executor, request: PlaceRequest): Promise<TakenPlace> {
  const { terms, startsAt, qty } = request;
  const now = await clock(tx);
  const place = { productId: terms.productId, projectId: request.projectId };
  const lead = new Date(now.getTime() + terms.leadHours * 3_600_000);
  if (startsAt.getTime() <= now.getTime()) throw invalid({ startsAt: PAST });
  if (!request.anyTime && !request.overbook && startsAt < lead)
    throw invalid({ startsAt: tooNear(terms.leadHours) }, tooNear(terms.leadHours));
  const far: Label = [
    `最远可预约${terms.horizonDays}天`,
    `At most ${terms.horizonDays} days ahead can be booked`,
  ];
  if (startsAt.getTime() > now.getTime() + terms.horizonDays * 86_400_000) throw invalid({ startsAt: far });
  const offered = (await timesBetween(tx, place, startsAt, startsAt)).find(
    (time) => time.startsAt.getTime() === startsAt.getTime(),
  );
  if (!offered && !request.overbook) throw invalid({ startsAt: NOT_OFFERED });
  await run(
    tx,
    `INSERT INTO service_slot (product_id, project_id, starts_at, ends_at, capacity) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (product_id, project_id, starts_at) DO NOTHING`,
    [
      place.productId,
      place.projectId,
      startsAt,
      spanOf(terms, startsAt).endsAt,
      offered ? offered.capacity : 0,
    ],
  );
  const taken = await runOne<{ id: number }>(
    tx,
    `UPDATE service_slot SET taken = taken + $4
      WHERE product_id = $1 AND project_id = $2 AND starts_at = $3 AND taken + $4 <= capacity RETURNING id`,
    [place.productId, place.projectId, startsAt, qty],
  );
  if (taken) return { slotId: taken.id, overbooked: false };
  if (request.overbook) {
    const over = await runOne<{ id: number }>(
      tx,
      `UPDATE service_slot SET taken = taken + $4, over = greatest(over, taken + $4 - capacity)
        WHERE product_id = $1 AND project_id = $2 AND starts_at = $3 RETURNING id`,
      [place.productId, place.projectId, startsAt, qty],
    );
    return { slotId: over!.id, overbooked: true };
  }
  const nearest = await nearestFree(tx, request, lead, now);
  throw ruleBroken(FULL, {
    nearest: nearest.map(isoInstant),
    nearestText: nearest.map((time) => businessTimeText(time).slice(5, 16)),
  });
}

/** Gives a place back; what was added by hand for it goes with it. */
export async function freePlace(tx: Executor, slotId: number, qty: number): Promise<void> {
  await run(
    tx,
    `UPDATE service_slot SET taken = taken - $2, over = greatest(0, least(over, taken - $2 - capacity)) WHERE id = $1`,
    [slotId, qty],
  );
}

/** Holds the places of one time or of two still, in one order whoever asks: moves that cross never wait for each other. */
export async function lockPlaces(
  tx: Executor,
  terms: ServiceTerms,
  projectId: number,
  startsAt: Date,
  slotId: number | null,
) {
  await run(
    tx,
    `SELECT id FROM service_slot WHERE id = $4 OR (product_id = $1 AND project_id = $2 AND starts_at = $3) ORDER BY id FOR UPDATE`,
    [terms.productId, projectId, startsAt, slotId],
  );
}

/** The three free times nearest to a time that is full, the earlier one first where two are as near. */
async function nearestFree(tx: Executor, request: PlaceRequest, lead: Date, now: Date): Promise<Date[]> {
  const { terms, startsAt, qty } = request;
  const from = request.anyTime ? now : lead;
  const to = new Date(now.getTime() + terms.horizonDays * 86_400_000);
  const times = await timesBetween(
    tx,
    { productId: terms.productId, projectId: request.projectId },
    from,
    to,
  );
  const far = (time: Date) => Math.abs(time.getTime() - startsAt.getTime());
  return times
    .filter((time) => time.taken + qty <= time.capacity)
    .map((time) => time.startsAt)
    .sort((a, b) => far(a) - far(b) || a.getTime() - b.getTime())
    .slice(0, 3)
    .sort((a, b) => a.getTime() - b.getTime());
}

/** Refusal of a time nobody can book any more. */
export const FULL: Label = ['该时段已约满', 'This time is full'];
const PAST: Label = ['时间已过', 'The time is over'];
const NOT_OFFERED: Label = ['该时段不可预约', 'This time is not offered'];

/** Refusal of a time inside the lead hours. */
export function tooNear(hours: number): Label {
  return [`需至少提前${hours}小时`, `At least ${hours} hours ahead`];
}
