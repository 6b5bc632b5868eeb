import type { Label } from '../../../kernel/contract/label.ts';
import { clockText, minuteOf } from '../service-person/roster.rules.ts';

/** An opening as the form holds it. */
export interface OpeningInput {
  readonly weekday: string;
  readonly from: string;
  readonly to: string;
  readonly capacity?: number | null;
  readonly validFrom?: string | null;
  readonly validTo?: string | null;
}

/** An opening as its table holds it. */
export interface StoredOpening {
  readonly weekday: number;
  readonly from_minute: number;
  readonly to_minute: number;
  readonly capacity: number | null;
  readonly valid_from: string | null;
  readonly valid_to: string | null;
}

/** Openings of the form as rows. */
export function storedOpenings(openings: readonly OpeningInput[]): StoredOpening[] {
  return openings.map((one) => ({
    weekday: Number(one.weekday),
    from_minute: minuteOf(one.from),
    to_minute: minuteOf(one.to),
    capacity: one.capacity ?? null,
    valid_from: one.validFrom ?? null,
    valid_to: one.validTo ?? null,
  }));
}

/** Rows as the form holds them. */
export function wireOpenings(rows: readonly StoredOpening[]): OpeningInput[] {
  return rows.map((one) => ({
    weekday: String(one.weekday),
    from: clockText(one.from_minute),
    to: clockText(one.to_minute),
    capacity: one.capacity,
    validFrom: one.valid_from,
    validTo: one.valid_to,
  }));
}

/** What is wrong with openings for visits of so many minutes. Source: group 07, mm_reservationSer, refusals. */
export function openingProblem(openings: readonly OpeningInput[], durationMin: number): Label | undefined {
  const rows = storedOpenings(openings);
  for (const [index, one] of rows.entries()) {
    const n = index + 1;
    if (one.to_minute <= one.from_minute)
      return [`第 ${n} 行结束须晚于开始`, `Row ${n}: the end must be after the beginning`];
    if (one.to_minute - one.from_minute < durationMin)
      return [`第 ${n} 行时段长度小于服务时长`, `Row ${n} is shorter than a visit`];
    if (one.valid_from && one.valid_to && one.valid_to < one.valid_from)
      return [`第 ${n} 行有效期不正确`, `Row ${n}: its days end before they begin`];
    const clash = rows.findIndex(
      (other, at) =>
        at < index &&
        other.weekday === one.weekday &&
        other.from_minute < one.to_minute &&
        one.from_minute < other.to_minute &&
        (other.valid_from ?? '') <= (one.valid_to ?? '9') &&
        (one.valid_from ?? '') <= (other.valid_to ?? '9'),
    );
    if (clash >= 0) return [`第 ${n} 行与第 ${clash + 1} 行重叠`, `Row ${n} overlaps row ${clash + 1}`];
  }
  return undefined;
}

/** Whether tiers of the cancellation fee are written as the setting is: `>24h:0|24h-start:30|after start or no_show:100`. */
export function readTiers(text: string): boolean {
  const parts = text.split('|').map((part) => /^\s*(.+?)\s*:\s*(\d{1,3})\s*$/.exec(part));
  return (
    parts.length >= 2 &&
    parts.every((match) => match !== null && Number(match[2]) <= 100) &&
    parts.some((match) => /-start$/.test(match![1]!)) &&
    parts.some((match) => /^after start/.test(match![1]!)) &&
    parts.every((match) => /^>\s*\d{1,4}h$|^\d{1,4}h-(\d{1,4}h|start)$|^after start/.test(match![1]!))
  );
}
