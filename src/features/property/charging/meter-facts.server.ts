import { isAbsurd } from '../../../domain/charging/metered.rules.ts';
import { addDays, daysOf, type Day } from '../../../domain/charging/calendar.rules.ts';
import { isCharged } from '../../../domain/charging/meter-billing.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';

/** A meter with what it showed last; readings and usage in 0.001. */
export interface MeterFacts {
  readonly id: number;
  readonly number: string;
  readonly state: string;
  readonly formula: string;
  readonly multiplier: number;
  readonly max: number;
  readonly last: number;
  readonly lastOn: Day | null;
  readonly installedOn: Day;
  /** The half year before the last reading. */
  readonly before: { readonly usage: number; readonly days: number };
}

/** SQL: the row that was read last on a meter, corrections included. */
export const LATEST = (meter: string, column: string) =>
  `(SELECT lr.${column} FROM meter_reading lr WHERE lr.meter_id = ${meter} ORDER BY lr.id DESC LIMIT 1)`;

/** Meters as they stand; `without` a reading that is being corrected. */
export async function metersOf(db: Executor, ids: readonly number[], without = 0): Promise<MeterFacts[]> {
  const rows = await run<Omit<MeterFacts, 'before'> & { usage: number; days: number }>(
    db,
    `SELECT m.id, m.number, m.state, i.formula, m.multiplier, m.max_value AS max, m.installed_on::text AS "installedOn",
            (coalesce(l.value, m.start_value) * 1000)::bigint AS last, l.read_on::text AS "lastOn",
            coalesce((h.usage * 1000)::bigint, 0) AS usage, coalesce(h.days, 0)::integer AS days
       FROM meter m JOIN fee_item i ON i.id = m.fee_item_id
       LEFT JOIN LATERAL (SELECT r.value, r.read_on FROM meter_reading r WHERE r.meter_id = m.id AND r.id <> $2 ORDER BY r.id DESC LIMIT 1) l ON true
       LEFT JOIN LATERAL (SELECT sum(r.usage) AS usage, sum(CASE WHEN r.kind <> 'counter' THEN r.read_on - r.from_on + 1 END) AS days FROM meter_reading r
         WHERE r.meter_id = m.id AND r.id <> $2 AND r.read_on > l.read_on - interval '6 months') h ON true
      WHERE m.id = ANY($1::bigint[])`,
    [ids, without],
  );
  return rows.map(({ usage, days, ...one }) => ({ ...one, before: { usage, days } }));
}

/** What somebody read; the value in 0.001. */
export interface Read {
  readonly value: number;
  readonly readOn: Day;
  readonly rolledOver: boolean;
  readonly confirmed: boolean;
}

/** A reading as it is written, or the field that is wrong with why. Source: group 06, cs_propertyChargingBill, 抄表. */
export type Judged =
  | { readonly lastValue: number; readonly wrapped: number; readonly usage: number; readonly fromOn: Day }
  | { readonly field: 'value' | 'readOn' | 'rolledOver' | 'meter'; readonly problem: Label };

/** Checks a reading against what the meter showed before: backwards, twice a day, far above the usual. */
export function judgeReading(meter: MeterFacts, read: Read, today: Day): Judged {
  const bad = (field: Extract<Judged, { field: unknown }>['field'], zh: string, en: string): Judged => ({
    field,
    problem: [zh, en],
  });
  if (meter.state !== 'in_use') return bad('meter', '该表已换下', 'This meter was replaced');
  if (read.readOn > today) return bad('readOn', '抄表日不能晚于今天', 'A reading cannot be of a day to come');
  const fromOn = meter.lastOn === null ? meter.installedOn : addDays(meter.lastOn, 1);
  if (read.readOn < fromOn)
    return bad(
      'readOn',
      `须晚于上次抄表（${meter.lastOn ?? addDays(meter.installedOn, -1)}）`,
      `Later than the last reading (${meter.lastOn ?? addDays(meter.installedOn, -1)})`,
    );
  const turn = (meter.max + 1) * 1_000;
  const counts = meter.formula !== 'usage';
  if (counts && read.value >= turn)
    return bad('value', `超过最大读数 ${meter.max}`, `Above the highest number ${meter.max}`);
  const last = counts ? meter.last : 0;
  if (counts && read.value < last && !read.rolledOver)
    return bad(
      'value',
      `小于上次读数 ${last / 1_000}；翻转请勾选，换表请用换表`,
      `Below the last reading ${last / 1_000}; say so if it rolled over or replace the meter`,
    );
  if (read.rolledOver && (!counts || read.value >= last))
    return bad('rolledOver', '本次不小于上次，没有翻转', 'It is not below the last one: nothing rolled over');
  const wrapped = read.rolledOver ? turn : 0;
  const usage = (read.value + wrapped - last) * meter.multiplier;
  if (!read.confirmed && isAbsurd(usage, daysOf({ from: fromOn, to: read.readOn }), meter.before))
    return bad(
      'value',
      `用量 ${usage / 1_000} 超过近6个月平均的3倍，请核对后勾选“已核对”`,
      `A usage of ${usage / 1_000} is above three times the average of 6 months; look again and confirm`,
    );
  return { lastValue: last, wrapped, usage, fromOn };
}

/** SQL: what a meter uses in thirty days, over the half year before its last reading. */
export const AVERAGE = `(SELECT round(sum(ar.usage) * 30 / nullif(sum(CASE WHEN ar.kind <> 'counter' THEN ar.read_on - ar.from_on + 1 END), 0), 3) FROM meter_reading ar
  WHERE ar.meter_id = t.id AND ar.read_on > ${LATEST('t.id', 'read_on')} - interval '6 months')`;

/** SQL: readings of a meter no bill charged. */
export const OPEN = `(SELECT count(*)::integer FROM meter_reading r WHERE r.meter_id = t.id AND NOT ${isCharged('r.id')})`;

/** Thousandths of a decimal text; exact. */
export function thousandths(text: string): number {
  const [whole = '0', part = ''] = text.split('.');
  return Number(whole) * 1_000 + Number(part.padEnd(3, '0').slice(0, 3));
}

/** Thousandths as the text of a decimal column. */
export const decimalOf = (value: number): string =>
  `${Math.floor(value / 1_000)}.${String(value % 1_000).padStart(3, '0')}`;
