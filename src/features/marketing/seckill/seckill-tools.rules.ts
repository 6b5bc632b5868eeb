import { addDays, isBusinessDay } from '../../../kernel/contract/time.rules.ts';

/** Most sessions of an activity. */
const MOST = 60;

/**
 * A session for each day, both included, and each time such as `10:00-11:00` (several apart by blanks or commas); one whose end is
 * not behind its start ends on the next day. Nothing where a part is not understood or too many would come of it.
 */
export function sessionsBetween(
  from: string,
  to: string,
  times: string,
): { readonly startsAt: string; readonly endsAt: string }[] {
  const spans = times
    .split(/[\s,，;；、]+/)
    .filter((one) => one !== '')
    .map((one) => /^([01]?\d|2[0-3])[:：]([0-5]\d)[-–~]([01]?\d|2[0-3])[:：]([0-5]\d)$/.exec(one));
  if (!isBusinessDay(from) || !isBusinessDay(to) || to < from || spans.length === 0) return [];
  if (spans.some((span) => span === null)) return [];
  const made: { startsAt: string; endsAt: string }[] = [];
  for (let day = from; day <= to; day = addDays(day, 1))
    for (const span of spans) {
      const [, fromHour, fromMinute, toHour, toMinute] = span!;
      const [start, end] = [
        `${fromHour!.padStart(2, '0')}:${fromMinute}`,
        `${toHour!.padStart(2, '0')}:${toMinute}`,
      ];
      made.push({
        startsAt: `${day}T${start}:00+08:00`,
        endsAt: `${end > start ? day : addDays(day, 1)}T${end}:00+08:00`,
      });
      if (made.length > MOST) return [];
    }
  return made;
}

/** A price in fen with so many per cent off, down to whole fen and never nothing. */
export const priceOff = (fen: number, percent: number): number =>
  Math.max(1, Math.floor((fen * (100 - percent)) / 100));
