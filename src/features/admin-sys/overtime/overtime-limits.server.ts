import type { Label } from '../../../kernel/contract/label.ts';
import { addDays, businessDayOf, daysBetween } from '../../../kernel/contract/time.rules.ts';
import { holds, type Caller } from '../../../kernel/server/people/caller.ts';
import { runOne, type Tx } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { hoursText, OVERTIME_MENU, type DAY_TYPES, type Interval } from './overtime.rules.ts';

/** A staff records are made for. */
export interface RecordedStaff {
  readonly id: number;
  readonly name: string;
  readonly tenantId: number;
}

/** Overtime as it was typed. */
export interface OvertimeDraft {
  readonly day: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly compensation: 'time_off' | 'pay';
  readonly reason: string;
  readonly overReason?: string | null;
  readonly attachmentId?: string | null;
}

/** What a draft comes to: instants, day type, minutes worked and credited, rate in percent. */
export interface OvertimeValues extends Interval {
  readonly dayType: keyof typeof DAY_TYPES;
  readonly minutes: number;
  readonly rate: number;
  readonly credited: number;
}

/** Refuses records older than `overtime.backdate_days` and days more than a year ahead. */
export async function checkAge(tx: Tx, platform: Platform, day: string): Promise<void> {
  const days = await platform.settings.numberIn(tx, 'overtime.backdate_days');
  if (day < addDays(businessDayOf(new Date()), -days))
    throw ruleBroken([`只能登记${days}天内的记录`, `Only the last ${days} days can be recorded`]);
  if (daysBetween(businessDayOf(new Date()), day) > 366)
    throw invalid({ day: ['日期过远', 'The date is too far away'] });
}

/** Nobody works and rests, or works twice, at one time. */
export async function checkOverlap(
  tx: Tx,
  staff: RecordedStaff,
  interval: Interval,
  except: { readonly overtimeId?: number },
): Promise<void> {
  const twin = await runOne<{ day: string; start: string; end: string }>(
    tx,
    `SELECT day, to_char(starts_at, 'HH24:MI') AS start, to_char(ends_at, 'HH24:MI') AS "end" FROM (
       SELECT day, starts_at, ends_at FROM overtime_record WHERE staff_id = $1 AND state IN ('pending', 'approved') AND id <> $4
       UNION ALL SELECT day, starts_at, ends_at FROM leave_record WHERE staff_id = $1 AND kind = 'leave' AND state IN ('pending', 'approved')) r
      WHERE tstzrange(starts_at, ends_at) && tstzrange($2, $3) ORDER BY starts_at LIMIT 1`,
    [staff.id, interval.startsAt, interval.endsAt, except.overtimeId ?? 0],
  );
  if (twin)
    throw ruleBroken(
      [
        `与 ${twin.day} ${twin.start}-${twin.end} 的记录重叠`,
        `Overlaps with the record of ${twin.day} ${twin.start}-${twin.end}`,
      ],
      { staff: staff.name },
    );
}

/** At most `overtime.day_max` on a workday and `overtime.month_max` a month; beyond only with the right to override and a reason. */
export async function checkLimits(
  tx: Tx,
  platform: Platform,
  caller: Caller,
  staff: RecordedStaff,
  draft: OvertimeDraft,
  values: OvertimeValues,
  exceptId: number,
): Promise<void> {
  const sums = await runOne<{ day: number; month: number }>(
    tx,
    `SELECT coalesce(sum(minutes) FILTER (WHERE day = $2), 0) AS day, coalesce(sum(minutes), 0) AS month FROM overtime_record
      WHERE staff_id = $1 AND state IN ('pending', 'approved') AND id <> $3 AND date_trunc('month', day) = date_trunc('month', $2::date)`,
    [staff.id, draft.day, exceptId],
  );
  const dayMax = await platform.settings.numberIn(tx, 'overtime.day_max');
  const monthMax = await platform.settings.numberIn(tx, 'overtime.month_max');
  const problem: Label | undefined =
    values.dayType === 'workday' && sums!.day + values.minutes > dayMax
      ? [
          `${staff.name} 当日加班将超过 ${hoursText(dayMax)} 小时`,
          `${staff.name}: more than ${hoursText(dayMax)} h of overtime on that workday`,
        ]
      : sums!.month + values.minutes > monthMax
        ? [
            `${staff.name} 当月加班将超过 ${hoursText(monthMax)} 小时`,
            `${staff.name}: more than ${hoursText(monthMax)} h of overtime in that month`,
          ]
        : undefined;
  if (!problem) return;
  if (!holds(caller, `${OVERTIME_MENU}:btn_override`)) throw ruleBroken(problem);
  if (!draft.overReason)
    throw invalid(
      { overReason: [`${problem[0]}，请填写超限原因`, `${problem[1]}: give the reason`] },
      problem,
    );
}
