import { run, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { AssignmentRow, ItemRow, PlannedBill, RunWanted, SkipReason } from './billing.server.ts';
import type { Period } from './calendar.rules.ts';
import { largestRemainder } from './exact.rules.ts';
import { FormulaProblem } from './expression.rules.ts';
import { meteredPrincipal, type MeteredAmount, type MeteredTerms, type Reading } from './metered.rules.ts';
import type { PriceVersion } from './principal.rules.ts';

/** A reading a bill charges; usage and what is before it at its tiers in 0.001. */
export interface ChargedReading {
  readonly id: number;
  readonly usage: number;
  readonly base: number;
}

interface ReadingRow extends Reading {
  readonly id: number;
  readonly house_id: number | null;
  readonly building_id: number | null;
  readonly number: string;
}

/** SQL: whether a reading is charged by a bill that stands. */
export const isCharged = (reading: string) =>
  `EXISTS (SELECT FROM meter_reading_bill cx JOIN bill cb ON cb.id = cx.bill_id AND cb.state <> 'void' WHERE cx.reading_id = ${reading})`;

interface Made extends Pick<PlannedBill, 'from' | 'to' | 'amount' | 'working' | 'readings'> {
  readonly row: AssignmentRow;
}
interface Plan {
  readonly bills: Made[];
  readonly skipped: { readonly house: string; readonly reason: SkipReason }[];
}

/**
 * What an item by readings charges in a month: every reading up to its end that no bill charged, of the assignment that is in force
 * on the day of the reading. Shared amounts of a public meter are parted among the houses of its building or project so that they
 * equal the total. Source: group 06, Rules of charging 2 (6–9) and 4.
 */
export async function planReadings(
  db: Executor,
  wanted: RunWanted & { readonly period: Period },
  item: ItemRow,
  prices: readonly PriceVersion[],
  assignments: readonly AssignmentRow[],
): Promise<Plan> {
  const readings = await openReadings(db, wanted, item);
  const terms: MeteredTerms = {
    formula: item.formula as MeteredTerms['formula'],
    expression: item.expression,
    rounding: item.rounding,
    tiers: item.formula === 'meter_tier' ? item.tiers : [],
  };
  if (item.formula === 'shared') return planShared(db, wanted, item, terms, prices, assignments, readings);
  const plan: Plan = { bills: [], skipped: [] };
  const byHouse = new Map<number | null, ReadingRow[]>();
  for (const one of readings) {
    const known = byHouse.get(one.house_id);
    if (known) known.push(one);
    else byHouse.set(one.house_id, [one]);
  }
  for (const row of assignments) {
    const own = stacked((byHouse.get(row.house_id) ?? []).filter((one) => inForce(row, one)));
    const skip = (reason: SkipReason) => plan.skipped.push({ house: row.house, reason });
    if (row.billed.length > 0) skip('billed');
    else if (
      row.valid_from > wanted.period.to ||
      (row.valid_to !== null && row.valid_to < wanted.period.from && own.length === 0)
    )
      skip('assignment');
    else {
      const found = tried(() => meteredPrincipal(terms, prices, row.price, own, houseOf(row)));
      if (found === undefined) skip('formula');
      else if ('missing' in found) skip(found.missing);
      else if (found.amount <= 0) skip('zero');
      else
        plan.bills.push({
          row,
          from: wanted.period.from,
          to: wanted.period.to,
          amount: found.amount,
          readings: own.map(({ id, usage, base }) => ({ id, usage, base })),
          working: { ...workingOf(item, found, own) },
        });
    }
  }
  return plan;
}

async function planShared(
  db: Executor,
  wanted: RunWanted & { readonly period: Period },
  item: ItemRow,
  terms: MeteredTerms,
  prices: readonly PriceVersion[],
  all: readonly AssignmentRow[],
  readings: readonly ReadingRow[],
): Promise<Plan> {
  const plan: Plan = { bills: [], skipped: [] };
  const assignments = all.filter(
    (row) =>
      row.valid_from <= wanted.period.to && (row.valid_to === null || row.valid_to >= wanted.period.from),
  );
  const skipAll = (rows: readonly AssignmentRow[], reason: SkipReason) =>
    plan.skipped.push(...rows.map((row) => ({ house: row.house, reason })));
  skipAll(
    all.filter((row) => !assignments.includes(row)),
    'assignment',
  );
  // Every house pays its part of the meters of its building and of those of the project.
  const shares = new Map<number, { amount: number; readings: ChargedReading[]; parts: object[] }>();
  const told = new Set<number>();
  for (const building of new Set(readings.map((one) => one.building_id))) {
    const rows = assignments.filter((row) => building === null || row.building_id === building);
    const read = stacked(readings.filter((one) => one.building_id === building));
    if (rows.length === 0) continue;
    // A part of it is charged in this period already: what was read since waits for the next, so that parts equal the total.
    const found = rows.some((row) => row.billed.length > 0)
      ? 'billed'
      : tried(() => meteredPrincipal(terms, prices, null, read, NO_HOUSE));
    const reason =
      found === 'billed'
        ? found
        : found === undefined
          ? 'formula'
          : 'missing' in found
            ? found.missing
            : found.amount <= 0
              ? 'zero'
              : undefined;
    if (reason || typeof found !== 'object' || 'missing' in found) {
      for (const row of rows) told.add(row.id);
      skipAll(rows, reason ?? 'zero');
      continue;
    }
    const weights = await weightsOf(db, wanted, item, rows);
    const total = weights.reduce((sum, one) => sum + one, 0);
    const parts = largestRemainder(found.amount, weights);
    for (const [index, row] of rows.entries()) {
      const share = shares.get(row.id) ?? { amount: 0, readings: [], parts: [] };
      shares.set(row.id, share);
      share.amount += parts[index]!;
      share.readings.push(...read.map(({ id, usage, base }) => ({ id, usage, base })));
      share.parts.push({
        ...workingOf(item, found, read),
        total: found.amount,
        weight: weights[index]!,
        weights: total,
        share: parts[index]!,
      });
    }
  }
  for (const row of assignments) {
    const share = shares.get(row.id);
    if (!share) {
      if (!told.has(row.id)) skipAll([row], row.billed.length > 0 ? 'billed' : 'reading');
    } else if (share.amount <= 0) skipAll([row], 'zero');
    else
      plan.bills.push({
        row,
        from: wanted.period.from,
        to: wanted.period.to,
        amount: share.amount,
        readings: share.readings,
        working: { formula: item.formula, shareBy: item.share_by, parts: share.parts },
      });
  }
  if (wanted.houseId === undefined) return plan;
  return {
    bills: plan.bills.filter((one) => one.row.house_id === wanted.houseId),
    skipped: plan.skipped,
  };
}

const NO_HOUSE = { builtArea: 0, innerArea: null, floor: 0, residents: 0 };

/** By what a shared amount is parted: area in 0.01 m², one a house, or what its own meters of the other item used in the month. */
async function weightsOf(
  db: Executor,
  wanted: { readonly period: Period },
  item: ItemRow,
  rows: readonly AssignmentRow[],
): Promise<number[]> {
  if (item.share_by === 'house') return rows.map(() => 1);
  if (item.share_by === 'area')
    return rows.map(
      (row) => (row.areas ?? []).findLast((one) => one.from <= wanted.period.to)?.builtArea ?? row.built,
    );
  const used = await run<{ house_id: number; usage: number }>(
    db,
    `SELECT m.house_id, (sum(r.usage) * 1000)::bigint AS usage FROM meter m JOIN meter_reading r ON r.meter_id = m.id
      WHERE m.fee_item_id = $1 AND m.house_id = ANY($2::bigint[]) AND r.read_on BETWEEN $3 AND $4 GROUP BY 1`,
    [item.share_item_id, rows.map((row) => row.house_id), wanted.period.from, wanted.period.to],
  );
  const byHouse = new Map(used.map((one) => [one.house_id, Math.max(0, one.usage)]));
  return rows.map((row) => byHouse.get(row.house_id) ?? 0);
}

function openReadings(
  db: Executor,
  wanted: RunWanted & { readonly period: Period },
  item: ItemRow,
): Promise<ReadingRow[]> {
  return run<ReadingRow>(
    db,
    `SELECT r.id, m.house_id, m.building_id, m.number, r.kind = 'counter' AS counter, r.multiplier, (r.last_value * 1000)::bigint AS last, (r.value * 1000)::bigint AS this,
            (r.usage * 1000)::bigint AS usage, r.from_on::text AS from, r.read_on::text AS to,
            CASE WHEN r.kind = 'counter' THEN ((SELECT coalesce(max(x.tier_base), 0) FROM meter_reading_bill x JOIN bill b ON b.id = x.bill_id AND b.state <> 'void' WHERE x.reading_id = r.corrects_id)
              + (SELECT sum(o.usage) FROM meter_reading o WHERE o.id = r.corrects_id OR (o.corrects_id = r.corrects_id AND o.id < r.id))) * 1000 ELSE 0 END::bigint AS base
       FROM meter_reading r JOIN meter m ON m.id = r.meter_id
      WHERE m.project_id = $1 AND m.fee_item_id = $2 AND r.read_on <= $3 AND (m.house_id IS NULL) = $4 AND ($5::bigint IS NULL OR m.house_id IS NULL OR m.house_id = $5)
        AND NOT ${isCharged('r.id')} ORDER BY r.read_on, r.id`,
    [wanted.projectId, item.id, wanted.period.to, item.formula === 'shared', wanted.houseId ?? null],
  );
}

/** Readings that are billed together go up the tiers one behind the other; corrections stand where they were. */
function stacked(readings: readonly ReadingRow[]): ReadingRow[] {
  let base = 0;
  return readings.map((one) => {
    if (one.counter) return one;
    const placed = { ...one, base };
    base += one.usage;
    return placed;
  });
}

const inForce = (row: AssignmentRow, reading: ReadingRow) =>
  row.valid_from <= reading.to && (row.valid_to === null || row.valid_to >= reading.to);

const houseOf = (row: AssignmentRow) => ({
  builtArea: row.built,
  innerArea: row.inner_area,
  floor: row.floor,
  residents: row.residents,
});

function tried(work: () => MeteredAmount): MeteredAmount | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof FormulaProblem) return undefined;
    throw error;
  }
}

const workingOf = (
  item: ItemRow,
  found: Exclude<MeteredAmount, { missing: unknown }>,
  read: readonly ReadingRow[],
) => ({
  formula: item.formula,
  expression: item.expression,
  ...(item.formula === 'meter_tier' ? { tiers: item.tiers } : {}),
  readings: read.map(({ number, last, this: now, multiplier, usage, from, to, counter }) => ({
    number,
    last,
    this: now,
    multiplier,
    usage,
    from,
    to,
    counter,
  })),
  spans: found.lines.map(({ from, to, days, daysInPeriod, price }) => ({
    from,
    to,
    days,
    daysInPeriod,
    price,
  })),
});

/**
 * Locks the readings planned bills charge. Bills of readings that were charged meanwhile are left out; throws 30101 when a reading
 * was changed since it was planned.
 */
export async function takeReadings(tx: Tx, planned: readonly PlannedBill[]): Promise<readonly PlannedBill[]> {
  const readings = new Map(
    planned.flatMap((one) => (one.readings ?? []).map((read) => [read.id, read.usage] as const)),
  );
  if (readings.size === 0) return planned;
  const ids = [...readings.keys()];
  await run(tx, 'SELECT id FROM meter_reading WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE', [
    ids,
  ]);
  // Looked at behind the locks, so that what another run has charged is seen.
  const now = await run<{ id: number; usage: number; charged: boolean }>(
    tx,
    `SELECT r.id, (r.usage * 1000)::bigint AS usage, ${isCharged('r.id')} AS charged FROM meter_reading r WHERE r.id = ANY($1::bigint[])`,
    [ids],
  );
  const charged = new Set(now.filter((one) => one.charged).map((one) => one.id));
  const same = new Map(now.map((one) => [one.id, one.usage]));
  if (ids.some((id) => !charged.has(id) && same.get(id) !== readings.get(id)))
    throw ruleBroken(['读数已变化，请重新预览', 'A reading was changed meanwhile; preview again']);
  return planned.filter((one) => !(one.readings ?? []).some((read) => charged.has(read.id)));
}
