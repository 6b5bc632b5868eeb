import { businessDayOf } from '../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { nextCodes } from '../../kernel/server/resource/codes.ts';
import { companyOf } from '../work-order/create-work-order.server.ts';
import { dueDate, firstOfMonth, monthsOfCycle, periodOf, type Cycle, type Day } from './calendar.rules.ts';
import { FormulaProblem } from './expression.rules.ts';
import { planReadings, takeReadings, type ChargedReading } from './meter-billing.server.ts';
import { vacanciesOf, vacantDiscount, type VacantDiscount } from './vacancy.server.ts';
import { DEFAULT_TERMS, type LateFeeTerms } from './late-fee.rules.ts';
import { principalOf, type AreaVersion, type FormulaKind, type PriceVersion } from './principal.rules.ts';
import type { Rounding } from './exact.rules.ts';

/** Why a house gets no bill of an item in a run; the words stand with the screen. */
export type SkipReason =
  'billed' | 'price' | 'innerArea' | 'assignment' | 'formula' | 'zero' | 'reading' | 'imported';

/** What a run is asked for: projects' houses, items and the month (its first day). */
export interface RunWanted {
  readonly projectId: number;
  readonly itemIds: readonly number[];
  readonly month: Day;
  /** Only this house. */
  readonly houseId?: number | undefined;
  /** Months ahead: what is charged by readings is not known yet. */
  readonly ahead?: boolean | undefined;
}

/** A bill that would be made. */
export interface PlannedBill {
  readonly assignmentId: number;
  readonly houseId: number;
  readonly house: string;
  readonly itemId: number;
  readonly item: string;
  readonly from: Day;
  readonly to: Day;
  readonly due: Day;
  readonly amount: number;
  readonly debtorId: number | null;
  readonly debtor: string;
  readonly terms: LateFeeTerms;
  readonly working: Readonly<Record<string, unknown>>;
  /** Taken off for days the house is vacant. */
  readonly discount?: VacantDiscount | undefined;
  /** Readings it charges. */
  readonly readings?: readonly ChargedReading[] | undefined;
}

export interface SkippedBill {
  readonly house: string;
  readonly item: string;
  readonly reason: SkipReason;
}

export interface RunPlan {
  readonly bills: readonly PlannedBill[];
  readonly skipped: readonly SkippedBill[];
  readonly amount: number;
}

/** A house that is charged an item, as a run reads it; areas in 0.01 m², price in 0.0001 yuan. */
export interface AssignmentRow {
  readonly id: number;
  readonly house_id: number;
  readonly building_id: number;
  readonly house: string;
  readonly built: number;
  readonly inner_area: number | null;
  readonly floor: number;
  readonly residents: number;
  readonly areas: AreaVersion[] | null;
  readonly fee_item_id: number;
  readonly valid_from: Day;
  readonly valid_to: Day | null;
  readonly price: number | null;
  readonly billed: Day[];
  readonly debtor_id: number | null;
  readonly debtor: string | null;
}

/** A fee item as a run reads it. */
export interface ItemRow {
  readonly id: number;
  readonly name: string;
  readonly formula: FormulaKind;
  readonly expression: string;
  readonly cycle: Cycle;
  readonly timing: 'pre' | 'post';
  readonly bill_day: number;
  readonly rounding: Rounding;
  readonly step_ppm: number;
  readonly step_months: number;
  readonly prices: { effective_from: Day; price: number; extra: number }[];
  readonly tiers: { above: number; more: number }[];
  readonly share_by: 'area' | 'house' | 'usage' | null;
  readonly share_item_id: number | null;
  readonly terms: LateFeeTerms | null;
}

/** SQL: readable place of a house `h` with its unit `u` and building `b`. */
export const PLACE = `b.name || u.name || h.number`;

/** SQL: the owner of a house who pays, by a column that names the house. */
const DEBTOR = (house: string) =>
  `SELECT hh.member_id FROM household hh WHERE hh.house_id = ${house} AND hh.identity = 'owner' AND hh.status = 'normal' ORDER BY hh.pays DESC, hh.id LIMIT 1`;

/** SQL: late-fee terms of a fee item `i` in a project: the policy it names, else that of the project, else of the company. */
const termsSql = (
  project: string,
) => `SELECT jsonb_build_object('graceDays', l.grace_days, 'dailyPpm', (l.daily_percent * 10000)::integer, 'onceFen', l.once_fen, 'oncePpm', (l.once_percent * 10000)::integer, 'capPercent', l.cap_percent, 'monthCap', l.month_cap)
               FROM late_fee_policy l WHERE l.enabled AND l.tenant_id = i.tenant_id AND (l.id = i.late_fee_policy_id OR (NOT EXISTS (SELECT FROM fee_item o WHERE o.late_fee_policy_id = l.id) AND (l.project_id = ${project} OR l.project_id IS NULL)))
              ORDER BY l.id = i.late_fee_policy_id DESC NULLS LAST, l.project_id NULLS LAST, l.id LIMIT 1`;

/** Late-fee terms a bill of a fee item gets in a project. Source: group 06, Rules of charging 6. */
export async function termsOf(db: Executor, itemId: number, projectId: number): Promise<LateFeeTerms> {
  const row = await runOne<{ terms: LateFeeTerms | null }>(
    db,
    `SELECT (${termsSql('$2::bigint')}) AS terms FROM fee_item i WHERE i.id = $1`,
    [itemId, projectId],
  );
  return row?.terms ?? DEFAULT_TERMS;
}

/**
 * What a run would bill and what it leaves out with the reason, for page, quote, job and posting alike. `dueDays` is the setting
 * `fee.due_days` of the project. Source: group 06, Rules of charging 1–5.
 */
export async function planRun(db: Executor, wanted: RunWanted, dueDays: number): Promise<RunPlan> {
  const items = await run<ItemRow>(
    db,
    `SELECT i.id, i.name, i.formula, i.expression, i.cycle, i.timing, i.bill_day, i.rounding, (i.step_percent * 10000)::integer AS step_ppm, i.step_months,
            coalesce((SELECT jsonb_agg(jsonb_build_object('effective_from', p.effective_from, 'price', (p.price * 10000)::bigint, 'extra', p.extra)) FROM fee_item_price p WHERE p.fee_item_id = i.id), '[]') AS prices,
            coalesce((SELECT jsonb_agg(jsonb_build_object('above', (x.above * 1000)::bigint, 'more', (x.more * 10000)::bigint) ORDER BY x.above) FROM fee_item_tier x WHERE x.fee_item_id = i.id), '[]') AS tiers,
            i.share_by, i.share_item_id, (${termsSql('$2::bigint')}) AS terms
       FROM fee_item i WHERE i.id = ANY($1::bigint[]) AND i.enabled AND NOT ($3::boolean AND i.cycle = 'indirect') ORDER BY i.position, i.id`,
    [wanted.itemIds, wanted.projectId, wanted.ahead ?? false],
  );
  const bills: PlannedBill[] = [];
  const skipped: SkippedBill[] = [];
  for (const item of items) {
    const period = periodOf(item.cycle, wanted.month);
    const prices = item.prices.map((one): PriceVersion => ({
      from: one.effective_from,
      price: one.price,
      extra: one.extra,
    }));
    const rows = await run<AssignmentRow>(
      db,
      `SELECT a.id, a.house_id, u.building_id, ${PLACE} AS house, round(h.built_area * 100)::integer AS built, round(h.inner_area * 100)::integer AS inner_area, h.floor,
              (SELECT count(*)::integer FROM household r WHERE r.house_id = h.id AND r.status = 'normal') AS residents,
              (SELECT jsonb_agg(jsonb_build_object('from', v.from_day, 'builtArea', round(v.built_area * 100)::integer, 'innerArea', round(v.inner_area * 100)::integer) ORDER BY v.from_day)
                 FROM house_area v WHERE v.house_id = h.id) AS areas,
              a.fee_item_id, a.valid_from, a.valid_to, (a.price * 10000)::bigint AS price,
              ARRAY(SELECT e.period_from::text FROM bill e WHERE e.assignment_id = a.id AND e.state <> 'void' AND e.period_from BETWEEN $3 AND $4) AS billed,
              d.id AS debtor_id, d.name AS debtor
         FROM fee_assignment a JOIN house h ON h.id = a.house_id JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id
         LEFT JOIN member d ON d.id = (${DEBTOR('a.house_id')})
        WHERE a.project_id = $1 AND a.fee_item_id = $2 AND ($5::bigint IS NULL OR a.house_id = $5) ORDER BY b.id, u.id, h.floor, h.number, h.id`,
      [
        wanted.projectId,
        item.id,
        period.from,
        period.to,
        item.formula === 'shared' ? null : (wanted.houseId ?? null),
      ],
    );
    const due = dueDate(period, item.timing, item.bill_day, dueDays);
    const vacant = await vacanciesOf(db, wanted.projectId, item.id, period);
    const bill = (
      row: AssignmentRow,
      made: Pick<PlannedBill, 'from' | 'to' | 'amount' | 'working' | 'readings'>,
    ) =>
      bills.push({
        assignmentId: row.id,
        houseId: row.house_id,
        house: row.house,
        itemId: item.id,
        item: item.name,
        due,
        debtorId: row.debtor_id,
        debtor: row.debtor ?? '',
        terms: item.terms ?? DEFAULT_TERMS,
        discount: vacantDiscount(vacant.get(row.house_id) ?? [], made),
        ...made,
      });
    if (item.cycle === 'indirect') {
      const read = await planReadings(db, { ...wanted, period }, item, prices, rows);
      for (const { row, ...made } of read.bills) bill(row, made);
      for (const { house, reason } of read.skipped) skipped.push({ house, item: item.name, reason });
      continue;
    }
    const feeTerms = {
      formula: item.formula,
      expression: item.expression,
      rounding: item.rounding,
      stepPpm: item.step_ppm,
      stepMonths: item.step_months,
      months: monthsOfCycle(item.cycle),
    };
    for (const row of rows) {
      const skip = (reason: SkipReason) => skipped.push({ house: row.house, item: item.name, reason });
      const house = {
        builtArea: row.built,
        innerArea: row.inner_area,
        floor: row.floor,
        residents: row.residents,
        ...(row.areas ? { areas: row.areas } : {}),
      };
      const assignment = { from: row.valid_from, to: row.valid_to, price: row.price };
      if (row.billed.length > 0) {
        skip('billed');
        continue;
      }
      let found;
      try {
        found = principalOf(feeTerms, prices, house, assignment, period);
      } catch (error) {
        if (!(error instanceof FormulaProblem)) throw error;
        skip('formula');
        continue;
      }
      if ('missing' in found) {
        skip(found.missing);
        continue;
      }
      if (found.amount <= 0) {
        skip('zero');
        continue;
      }
      bill(row, {
        from: found.lines[0]!.from,
        to: found.lines.at(-1)!.to,
        amount: found.amount,
        working: {
          ...house,
          formula: item.formula,
          expression: item.expression,
          spans: found.lines.map(({ from, to, days, daysInPeriod, price }) => ({
            from,
            to,
            days,
            daysInPeriod,
            price,
          })),
        },
      });
    }
  }
  return { bills, skipped, amount: bills.reduce((sum, one) => sum + one.amount, 0) };
}

/** Most months a house pays ahead. Source: group 06, cs_propertyChargingBill, Room bill. */
export const MOST_MONTHS_AHEAD = 24;

/**
 * Bills of a house and item for so many months that are not billed yet, from the running month on. Fewer where the assignment ends
 * or has no price.
 */
export async function planAhead(
  db: Executor,
  wanted: {
    readonly projectId: number;
    readonly houseId: number;
    readonly itemId: number;
    readonly months: number;
    readonly from: Day;
    /** What would be due before it is left to the billing runs: paying ahead costs no late fee. */
    readonly dueFrom?: Day | undefined;
  },
  dueDays: number,
): Promise<PlannedBill[]> {
  const planned: PlannedBill[] = [];
  let months = 0;
  // What is billed already lies before; nobody has more than two years of it and two more to come.
  for (let later = 0; later < 2 * MOST_MONTHS_AHEAD + 1 && months < wanted.months; later += 1) {
    const month = firstOfMonth(wanted.from, later);
    const { bills } = await planRun(
      db,
      { projectId: wanted.projectId, itemIds: [wanted.itemId], month, houseId: wanted.houseId, ahead: true },
      dueDays,
    );
    for (const one of bills) {
      if (wanted.dueFrom !== undefined && one.due < wanted.dueFrom) continue;
      if (planned.some((other) => other.assignmentId === one.assignmentId && other.from === one.from))
        continue;
      planned.push(one);
      months += monthsOf(one.from, one.to);
    }
  }
  return planned;
}

/** Calendar months a span of days touches. */
export const monthsOf = (from: Day, to: Day): number =>
  (Number(to.slice(0, 4)) - Number(from.slice(0, 4))) * 12 +
  Number(to.slice(5, 7)) -
  Number(from.slice(5, 7)) +
  1;

/** How many were left out for which reason. */
export function reasonCounts(skipped: readonly SkippedBill[]): Partial<Record<SkipReason, number>> {
  const counts: Partial<Record<SkipReason, number>> = {};
  for (const { reason } of skipped) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

/** What was posted. */
export interface Posted {
  readonly bills: number;
  readonly amount: number;
}

/**
 * Makes the planned bills in the caller's transaction. What another run made meanwhile is left out by the unique index, so that a
 * period is billed once whatever runs at the same time. `runId` is the run they belong to.
 */
export async function postBills(
  tx: Tx,
  projectId: number,
  planned: readonly PlannedBill[],
  by: {
    readonly runId?: number | null;
    readonly staffId?: number | null;
    /** Day of the lines; today when absent. */
    readonly on?: Day;
  },
): Promise<Posted> {
  planned = await takeReadings(tx, planned);
  if (planned.length === 0) return { bills: 0, amount: 0 };
  const codes = await nextCodes(tx, 'BL', planned.length);
  const today = by.on ?? businessDayOf(new Date());
  const charged = planned.flatMap((one) =>
    (one.readings ?? []).map((reading) => ({ ...reading, assignment: one.assignmentId, first: one.from })),
  );
  const made = await runOne<{ bills: number; amount: number }>(
    tx,
    `WITH made AS (
       INSERT INTO bill (code, tenant_id, project_id, house_id, fee_item_id, assignment_id, run_id, debtor_id, debtor_name, period_from, period_to, due_date, principal, discount, vacant_rule_id, state, terms, working, created_by, updated_by)
       SELECT w.code, c.tenant_id, $1, w.house, w.item, w.assignment, $2, w.debtor, w.name, w.first, w.last, w.due, w.amount, w.discount, w.rule,
              CASE WHEN w.amount = w.discount THEN 'paid' ELSE 'unpaid' END, w.terms, w.working, $3, $3
         FROM (${companyOf('$1::bigint')}) c,
              unnest($4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::text[], $10::date[], $11::date[], $12::date[], $13::bigint[], $14::jsonb[], $15::jsonb[], $17::bigint[], $23::bigint[])
                AS w (code, house, item, assignment, debtor, name, first, last, due, amount, terms, working, discount, rule)
       ON CONFLICT (assignment_id, period_from) WHERE state <> 'void' DO NOTHING RETURNING id, principal, discount, assignment_id, period_from),
     lines AS (
       INSERT INTO bill_line (bill_id, kind, amount, on_day, note, staff_id)
       SELECT id, 'principal', principal, $16::date, '', $3 FROM made UNION ALL
       SELECT m.id, 'discount', m.discount, $16::date, w.note, $3 FROM made m JOIN unnest($7::bigint[], $10::date[], $18::text[]) AS w (assignment, first, note)
              ON w.assignment = m.assignment_id AND w.first = m.period_from WHERE m.discount > 0),
     charged AS (
       INSERT INTO meter_reading_bill (reading_id, bill_id, tier_base)
       SELECT w.reading, m.id, w.base / 1000.0 FROM made m JOIN unnest($19::bigint[], $20::date[], $21::bigint[], $22::bigint[]) AS w (assignment, first, reading, base)
              ON w.assignment = m.assignment_id AND w.first = m.period_from)
     SELECT count(*)::integer AS bills, coalesce(sum(principal), 0)::bigint AS amount FROM made`,
    [
      projectId,
      by.runId ?? null,
      by.staffId ?? null,
      codes,
      planned.map((one) => one.houseId),
      planned.map((one) => one.itemId),
      planned.map((one) => one.assignmentId),
      planned.map((one) => one.debtorId),
      planned.map((one) => one.debtor),
      planned.map((one) => one.from),
      planned.map((one) => one.to),
      planned.map((one) => one.due),
      planned.map((one) => one.amount),
      planned.map((one) => JSON.stringify(one.terms)),
      planned.map((one) => JSON.stringify(one.working)),
      today,
      planned.map((one) => one.discount?.amount ?? 0),
      planned.map((one) => one.discount?.note ?? ''),
      charged.map((one) => one.assignment),
      charged.map((one) => one.first),
      charged.map((one) => one.id),
      charged.map((one) => one.base),
      planned.map((one) => one.discount?.ruleId ?? null),
    ],
  );
  return made!;
}

/** Facts of a bill that is written by hand for one house. */
export interface HouseDebtor {
  readonly projectId: number;
  readonly tenantId: number | null;
  readonly debtorId: number | null;
  readonly debtor: string;
}

/** Project, company and paying owner of a house, or undefined. */
export async function debtorOf(db: Executor, houseId: number): Promise<HouseDebtor | undefined> {
  return runOne<HouseDebtor>(
    db,
    `SELECT h.project_id AS "projectId", (SELECT c.tenant_id FROM (${companyOf('h.project_id')}) c) AS "tenantId", d.id AS "debtorId", coalesce(d.name, '') AS debtor
       FROM house h LEFT JOIN member d ON d.id = (${DEBTOR('h.id')}) WHERE h.id = $1`,
    [houseId],
  );
}
