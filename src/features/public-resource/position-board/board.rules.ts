import { addDays, daysBetween } from '../../../kernel/contract/time.rules.ts';

/** What takes a position for some days. */
export interface BoardBar {
  readonly id: string;
  readonly kind: 'hold' | 'lease' | 'repair';
  /** First and last day, both included. */
  readonly from: string;
  readonly to: string;
  readonly title: string;
  /** A hold of the one who looks, of no contract yet. */
  readonly own: boolean;
  readonly clientId: string | null;
}

/** A position of the board with what it has in the time asked for. */
export interface BoardRow {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly type: string;
  readonly enabled: boolean;
  /** Yuan a month. */
  readonly listPrice: string;
  readonly planId: string | null;
  readonly pinX: number | null;
  readonly pinY: number | null;
  readonly bars: readonly BoardBar[];
}

/** Days chosen on a position. */
export interface Range {
  readonly from: string;
  readonly to: string;
}

/** A position with days that were chosen for it. */
export interface Chosen {
  readonly row: BoardRow;
  readonly range: Range;
}

/** Query of the form that drafts a contract of some positions; its term reaches from the first day to the last. */
export function draftQuery(
  projectId: string,
  chosen: readonly Chosen[],
  clientId?: string | null,
): Readonly<Record<string, string>> {
  const days = (pick: (range: Range) => string) => chosen.map(({ range }) => pick(range)).toSorted();
  return {
    project: projectId,
    from: days((range) => range.from)[0]!,
    to: days((range) => range.to).at(-1)!,
    positions: chosen.map(({ row }) => row.id).join(','),
    places: JSON.stringify(
      chosen.map(({ row, range }) => ({
        id: row.id,
        code: row.code,
        from: range.from,
        to: range.to,
        price: row.listPrice,
      })),
    ),
    ...(clientId ? { clientId } : {}),
  };
}

/** The bar that has a day. */
export const barOn = (bars: readonly BoardBar[], day: string): BoardBar | undefined =>
  bars.find((bar) => bar.from <= day && bar.to >= day);

/** Free days around a day, inside the bounds; undefined where the day is taken or outside. */
export function freeAround(bars: readonly BoardBar[], day: string, bounds: Range): Range | undefined {
  if (day < bounds.from || day > bounds.to || barOn(bars, day)) return undefined;
  let { from, to } = bounds;
  for (const bar of bars) {
    if (bar.to < day && bar.to >= from) from = addDays(bar.to, 1);
    if (bar.from > day && bar.from <= to) to = addDays(bar.from, -1);
  }
  return { from, to };
}

/** What a drag from one day to another chooses: only free days that hang together with the first. */
export function draggedRange(
  bars: readonly BoardBar[],
  start: string,
  end: string,
  bounds: Range,
): Range | undefined {
  const free = freeAround(bars, start, bounds);
  if (!free) return undefined;
  const [low, high] = start <= end ? [start, end] : [end, start];
  return { from: low < free.from ? free.from : low, to: high > free.to ? free.to : high };
}

/** The first free days from a day on, so many at most: what a click on a position offers. */
export function firstFree(
  bars: readonly BoardBar[],
  from: string,
  days: number,
  bounds: Range,
): Range | undefined {
  let day = from < bounds.from ? bounds.from : from;
  for (let bar = barOn(bars, day); bar; bar = barOn(bars, day)) day = addDays(bar.to, 1);
  const free = freeAround(bars, day, bounds);
  if (!free) return undefined;
  const last = addDays(day, days - 1);
  return { from: day, to: last < free.to ? last : free.to };
}

/** Months of the head: where each begins, in days from the first day, and how many of its days are shown. */
export function monthsOf(
  bounds: Range,
): readonly { readonly month: string; readonly at: number; readonly days: number }[] {
  const months = [];
  for (let day = bounds.from; day <= bounds.to;) {
    const [year, month] = day.split('-').map(Number) as [number, number];
    const next = new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10);
    const last = addDays(next, -1) < bounds.to ? addDays(next, -1) : bounds.to;
    months.push({
      month: day.slice(0, 7),
      at: daysBetween(bounds.from, day) - 1,
      days: daysBetween(day, last),
    });
    day = next;
  }
  return months;
}

/** The last day of a span of whole months that begins with a day. */
export function lastOfMonths(from: string, months: number): string {
  const [year, month, day] = from.split('-').map(Number) as [number, number, number];
  return new Date(Date.UTC(year, month - 1 + months, day - 1)).toISOString().slice(0, 10);
}

/** Rows of a list of equal heights that are seen, with some to spare. */
export function seenRows(
  count: number,
  top: number,
  height: number,
  row: number,
): { readonly first: number; readonly last: number } {
  const spare = 6;
  return {
    first: Math.max(0, Math.floor(top / row) - spare),
    last: Math.min(count, Math.ceil((top + height) / row) + spare),
  };
}
