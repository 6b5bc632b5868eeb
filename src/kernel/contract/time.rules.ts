/** Offset of the business time zone (Asia/Shanghai has had no daylight saving since 1991), in minutes. */
export const BUSINESS_OFFSET_MINUTES = 480;

const DAY = 86_400_000;

/** True for an existing calendar day written `yyyy-MM-dd`. */
export function isBusinessDay(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

/** First instant of a business day `yyyy-MM-dd`. */
export function startOfBusinessDay(day: string): Date {
  return new Date(Date.parse(`${day}T00:00:00Z`) - BUSINESS_OFFSET_MINUTES * 60_000);
}

/** First instant after a business day `yyyy-MM-dd`: the exclusive end of a range that includes the day. */
export function endOfBusinessDay(day: string): Date {
  return new Date(startOfBusinessDay(day).getTime() + DAY);
}

/** The business day `yyyy-MM-dd` of an instant. */
export function businessDayOf(instant: Date): string {
  return new Date(instant.getTime() + BUSINESS_OFFSET_MINUTES * 60_000).toISOString().slice(0, 10);
}

/** An instant as ISO 8601 text with the business offset and whole seconds, such as `2026-11-21T08:00:00+08:00`. */
export function isoInstant(instant: Date): string {
  return `${new Date(instant.getTime() + BUSINESS_OFFSET_MINUTES * 60_000).toISOString().slice(0, 19)}+08:00`;
}

/** An instant, or ISO text of one, as `yyyy-MM-dd HH:mm:ss` in business time: the form of exports and of the download centre. */
export function businessTimeText(instant: Date | string): string {
  // What the database wrote is in business time already.
  if (typeof instant === 'string' && instant.length === 25 && instant.endsWith('+08:00'))
    return `${instant.slice(0, 10)} ${instant.slice(11, 19)}`;
  return isoInstant(new Date(instant)).slice(0, 19).replace('T', ' ');
}

/** Number of days from one business day to another, both included. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY) + 1;
}

/** The business day `days` after (negative: before) the given one. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);
}

/** The month before the one of a business day, both as the day is written: `2026-11-24` → `2026-10`. */
export function monthBefore(day: string): string {
  return addDays(`${day.slice(0, 7)}-01`, -1).slice(0, 7);
}
