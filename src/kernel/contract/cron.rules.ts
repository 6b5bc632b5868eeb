import type { Label } from './label.ts';
import { BUSINESS_OFFSET_MINUTES } from './time.rules.ts';

/** A pattern of five fields: minute, hour, day of the month, month, day of the week (0 and 7 are Sunday). */
export interface Cron {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** A star: the field does not narrow. Where days and weekdays both do, either is enough, as cron has it. */
  readonly anyDay: boolean;
  readonly anyWeekday: boolean;
}

const RANGES = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;

const MINUTE = 60_000;
/** Days looked ahead: the 29th of February on a given weekday comes back within 28 years, most patterns within a day. */
const FAR_DAYS = 366 * 28;

/** Reads a pattern; undefined when it is none, or names a day that never comes (30 February). */
export function parseCron(pattern: string): Cron | undefined {
  const parts = pattern.trim().split(/\s+/);
  if (parts.length !== 5) return undefined;
  const sets = parts.map((part, index) => fieldOf(part, RANGES[index]![0], RANGES[index]![1]));
  if (sets.some((set) => set === undefined)) return undefined;
  const [minutes, hours, days, months, raw] = sets as Set<number>[];
  const weekdays = new Set([...raw!].map((day) => day % 7));
  const cron: Cron = {
    minutes: minutes!,
    hours: hours!,
    days: days!,
    months: months!,
    weekdays,
    anyDay: parts[2]!.startsWith('*'),
    anyWeekday: parts[4]!.startsWith('*'),
  };
  const longest = Math.max(
    ...[...months!].map((month) => (month === 2 ? 29 : [4, 6, 9, 11].includes(month) ? 30 : 31)),
  );
  if (cron.anyWeekday && Math.min(...days!) > longest) return undefined;
  return cron;
}

function fieldOf(part: string, low: number, high: number): Set<number> | undefined {
  const values = new Set<number>();
  for (const piece of part.split(',')) {
    const match = /^(\*|\d{1,2}(?:-\d{1,2})?)(?:\/(\d{1,2}))?$/.exec(piece);
    if (!match) return undefined;
    const step = match[2] === undefined ? 1 : Number(match[2]);
    const [first, last] =
      match[1] === '*'
        ? [low, low === 0 && high === 7 ? 6 : high]
        : match[1]!.includes('-')
          ? (match[1]!.split('-').map(Number) as [number, number])
          : [Number(match[1]), match[2] === undefined ? Number(match[1]) : high];
    if (step < 1 || first < low || last > high || first > last) return undefined;
    for (let value = first; value <= last; value += step) values.add(value);
  }
  return values;
}

/** The first due time after an instant; undefined when there is none within 28 years. */
export function nextDue(cron: Cron, after: Date): Date | undefined {
  return seek(cron, after, 1);
}

/** The last due time at or before an instant. */
export function lastDue(cron: Cron, at: Date): Date | undefined {
  return seek(cron, new Date(at.getTime() + 1), -1);
}

/** The next `count` due times. */
export function nextDues(cron: Cron, after: Date, count: number): Date[] {
  const dues: Date[] = [];
  for (let at = nextDue(cron, after); at && dues.length < count; at = nextDue(cron, at)) dues.push(at);
  return dues;
}

/** Business time has no daylight saving, so its wall clock is UTC moved by a fixed offset. */
function seek(cron: Cron, from: Date, direction: 1 | -1): Date | undefined {
  const offset = BUSINESS_OFFSET_MINUTES * MINUTE;
  const start = from.getTime() + offset;
  const minutes = sorted(cron.minutes, direction);
  const hours = sorted(cron.hours, direction);
  const day = new Date(start);
  day.setUTCHours(0, 0, 0, 0);
  for (let tries = 0; tries <= FAR_DAYS; tries++, day.setUTCDate(day.getUTCDate() + direction)) {
    if (!isDay(cron, day)) continue;
    for (const hour of hours)
      for (const minute of minutes) {
        const at = day.getTime() + (hour * 60 + minute) * MINUTE;
        if (direction === 1 ? at > start : at < start) return new Date(at - offset);
      }
  }
  return undefined;
}

function sorted(values: ReadonlySet<number>, direction: 1 | -1): number[] {
  return [...values].sort((a, b) => (a - b) * direction);
}

function isDay(cron: Cron, day: Date): boolean {
  if (!cron.months.has(day.getUTCMonth() + 1)) return false;
  const inMonth = cron.days.has(day.getUTCDate());
  const inWeek = cron.weekdays.has(day.getUTCDay());
  if (cron.anyDay || cron.anyWeekday) return inMonth && inWeek;
  return inMonth || inWeek;
}

/**
 * A pattern declared in UTC as business time has it. Throws where the shift would part days: such a pattern must be written
 * for hours of one day.
 */
export function inBusinessTime(utc: string): string {
  const cron = parseCron(utc);
  if (!cron) throw new Error(`${utc} is no cron pattern`);
  const [minute, hour, day, month, weekday] = utc.trim().split(/\s+/) as [
    string,
    string,
    string,
    string,
    string,
  ];
  if (cron.hours.size === 24) {
    if (cron.anyDay && cron.anyWeekday && month === '*') return utc;
    throw new Error(`${utc}: every hour of certain days is not the same days in business time`);
  }
  const shift = BUSINESS_OFFSET_MINUTES / 60;
  const hours = [...cron.hours].map((one) => one + shift);
  const nextDay = hours.filter((one) => one >= 24).length;
  const wall = hours
    .map((one) => one % 24)
    .sort((a, b) => a - b)
    .join(',');
  if (nextDay === 0 || (day === '*' && weekday === '*' && month === '*'))
    return [minute, wall, day, month, weekday].join(' ');
  if (nextDay !== hours.length || day !== '*' || month !== '*')
    throw new Error(`${utc} of UTC are no such days in business time (${hour})`);
  const days = [...cron.weekdays].map((one) => (one + 1) % 7).sort((a, b) => a - b);
  return [minute, wall, day, month, days.join(',')].join(' ');
}

const WEEKDAYS: readonly Label[] = [
  ['周日', 'Sunday'],
  ['周一', 'Monday'],
  ['周二', 'Tuesday'],
  ['周三', 'Wednesday'],
  ['周四', 'Thursday'],
  ['周五', 'Friday'],
  ['周六', 'Saturday'],
];

/** A pattern in plain words: 每天 00:30. Patterns no sentence fits are told by their parts. */
export function cronWords(pattern: string): Label {
  const cron = parseCron(pattern);
  if (!cron) return ['无效的表达式', 'Not a valid pattern'];
  const days = dayWords(cron);
  const everyDay = days[0] === '每天';
  const minutes = sorted(cron.minutes, 1);
  const hours = sorted(cron.hours, 1);
  const within = (zh: string, en: string): Label =>
    everyDay ? [zh, en] : [`${days[0]}${zh}`, `${en}, ${days[1]}`];
  if (hours.length === 24) {
    if (minutes.length === 60) return within('每分钟', 'Every minute');
    const step = stepOf(minutes, 60);
    if (step) return within(`每 ${step} 分钟`, `Every ${step} minutes`);
    return within(`每小时第 ${minutes.join('、')} 分`, `Every hour at minute ${minutes.join(', ')}`);
  }
  const span = spanOf(hours);
  if (minutes.length > 1 && span) {
    const step = minutes.length === 60 ? 1 : stepOf(minutes, 60);
    if (step)
      return within(
        `${span[0]}–${span[1]} 点每${step === 1 ? '' : ` ${step} `}分钟`,
        `Every ${step === 1 ? 'minute' : `${step} minutes`} from ${span[0]}:00 to ${span[1]}:59`,
      );
  }
  const times = hours.flatMap((hour) => minutes.map((minute) => `${two(hour)}:${two(minute)}`));
  if (times.length <= 6) return [`${days[0]} ${times.join('、')}`, `${days[1]} at ${times.join(', ')}`];
  const step = stepOf(hours, 24);
  const at = minutes.join(', ');
  if (step) return within(`每 ${step} 小时第 ${at} 分`, `Every ${step} hours at minute ${at}`);
  return [
    `${days[0]} ${hours.join('、')} 点的第 ${minutes.join('、')} 分`,
    `${days[1]} at minute ${at} of the hours ${hours.join(', ')}`,
  ];
}

function dayWords(cron: Cron): Label {
  const month: Label =
    cron.months.size === 12
      ? ['', '']
      : [`${sorted(cron.months, 1).join('、')} 月`, ` of month ${sorted(cron.months, 1).join(', ')}`];
  const week = sorted(cron.weekdays, 1);
  const weekWords: Label =
    week.join() === '1,2,3,4,5'
      ? ['工作日（周一至周五）', 'Monday to Friday']
      : [
          `每${week.map((day) => WEEKDAYS[day]![0]).join('、')}`,
          `every ${week.map((day) => WEEKDAYS[day]![1]).join(', ')}`,
        ];
  const dates = sorted(cron.days, 1);
  const dateWords: Label = [
    `${month[0] === '' ? '每月' : month[0]} ${dates.join('、')} 日`,
    `day ${dates.join(', ')}${month[1] === '' ? ' of each month' : month[1]}`,
  ];
  const allDates = cron.days.size === 31;
  const allWeek = cron.weekdays.size === 7;
  if (allDates && allWeek)
    return month[0] === '' ? ['每天', 'Every day'] : [`${month[0]}每天`, `Every day${month[1]}`];
  if (allDates)
    return month[0] === ''
      ? big(weekWords)
      : big([`${month[0]}${weekWords[0]}`, `${weekWords[1]}${month[1]}`]);
  if (allWeek) return big(dateWords);
  return big([`${dateWords[0]}或${weekWords[0]}`, `${dateWords[1]} or ${weekWords[1]}`]);
}

function big([zh, en]: Label): Label {
  return [zh, en.charAt(0).toUpperCase() + en.slice(1)];
}

function stepOf(values: readonly number[], whole: number): number | undefined {
  const step = values[1] === undefined ? undefined : values[1] - values[0]!;
  if (!step || whole % step !== 0 || values[0] !== 0 || values.length !== whole / step) return undefined;
  return values.every((value, index) => value === index * step) ? step : undefined;
}

function spanOf(values: readonly number[]): readonly [number, number] | undefined {
  return values.every((value, index) => value === values[0]! + index)
    ? [values[0]!, values.at(-1)!]
    : undefined;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
