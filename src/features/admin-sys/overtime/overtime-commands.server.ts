import type { Label } from '../../../kernel/contract/label.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import {
  resubmitApproval,
  submitApproval,
  type ApprovalRequest,
} from '../../../domain/approval/approve.server.ts';
import { dayTypeOf } from '../../../domain/business-calendar/day-type.server.ts';
import { holdLeaders } from '../../../domain/approval/approvers.server.ts';
import { lockBalances, takeFromLots } from './lots.server.ts';
import {
  checkAge,
  checkLimits,
  checkOverlap,
  type OvertimeDraft,
  type OvertimeValues,
  type RecordedStaff,
} from './overtime-limits.server.ts';
import {
  creditedMinutes,
  DAY_TYPES,
  hoursText,
  intervalOf,
  OVERTIME_MENU,
  stepMinutes,
} from './overtime.rules.ts';

/** Staff by id inside the caller's scope, who still work here. Throws 404 when one is not. */
export async function staffInScope(
  db: Executor,
  caller: Caller,
  ids: readonly number[],
): Promise<RecordedStaff[]> {
  const parameters = new Parameters();
  const wanted = [...new Set(ids)];
  const list = parameters.bind(wanted);
  const scope = scopeCondition(
    caller,
    OVERTIME_MENU,
    { tenant: 't.tenant_id', project: 'none', owner: 't.id', ownTenant: true },
    parameters,
  );
  const rows = await run<RecordedStaff>(
    db,
    `SELECT t.id, t.name, t.tenant_id AS "tenantId" FROM staff t WHERE t.id = ANY(${list}::bigint[]) AND t.state <> 'left' AND ${scope} ORDER BY t.id`,
    parameters.values,
  );
  if (rows.length !== wanted.length) throw notFound();
  return rows;
}

/** Records overtime of several staff and submits each for approval; all or none. Returns the ids. */
export async function recordOvertime(
  tx: Tx,
  platform: Platform,
  caller: Caller,
  staff: readonly RecordedStaff[],
  draft: OvertimeDraft,
): Promise<number[]> {
  const values = await overtimeValues(tx, platform, draft);
  const staffIds = staff.map((one) => one.id);
  await holdLeaders(tx, [caller.staffId, ...staffIds]);
  await lockBalances(tx, staffIds);
  const ids: number[] = [];
  for (const one of staff) {
    await checkOverlap(tx, one, values, {});
    await checkLimits(tx, platform, caller, one, draft, values, 0);
    const row = await runOne<{ id: number }>(
      tx,
      `INSERT INTO overtime_record (tenant_id, staff_id, day, starts_at, ends_at, day_type, minutes, rate, credited, compensation, reason, over_reason, attachment_id, created_by, updated_by)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14) RETURNING id`,
      [
        one.tenantId,
        one.id,
        draft.day,
        values.startsAt,
        values.endsAt,
        values.dayType,
        values.minutes,
        values.rate,
        values.credited,
        draft.compensation,
        draft.reason,
        draft.overReason ?? '',
        draft.attachmentId ?? null,
        caller.staffId,
      ],
    );
    await writeTimeline(tx, {
      entity: 'overtimeRecord',
      entityId: row!.id,
      caller,
      action: 'addOvertime',
      label: ['登记', 'Recorded'],
      to: 'pending',
    });
    await submitApproval(tx, platform, overtimeRequest(row!.id, one, caller.staffId, draft, values));
    ids.push(row!.id);
  }
  return ids;
}

/** Checks a changed pending record like a new one and starts its approval again. Returns the columns to write. */
export async function changeOvertime(
  tx: Tx,
  platform: Platform,
  caller: Caller,
  id: number,
  staff: RecordedStaff,
  draft: OvertimeDraft,
): Promise<Record<string, unknown>> {
  const values = await overtimeValues(tx, platform, draft);
  await holdLeaders(tx, [caller.staffId, staff.id]);
  await lockBalances(tx, [staff.id]);
  await checkOverlap(tx, staff, values, { overtimeId: id });
  await checkLimits(tx, platform, caller, staff, draft, values, id);
  await resubmitApproval(tx, platform, overtimeRequest(id, staff, caller.staffId, draft, values));
  return {
    day: draft.day,
    starts_at: values.startsAt,
    ends_at: values.endsAt,
    day_type: values.dayType,
    minutes: values.minutes,
    rate: values.rate,
    credited: values.credited,
    compensation: draft.compensation,
    reason: draft.reason,
    over_reason: draft.overReason ?? '',
    attachment_id: draft.attachmentId ?? null,
  };
}

/** Records time off of several staff, holds its minutes in the lots and submits each for approval; all or none. */
export async function recordLeave(
  tx: Tx,
  platform: Platform,
  caller: Caller,
  staff: readonly RecordedStaff[],
  draft: {
    readonly day: string;
    readonly startTime: string;
    readonly endTime: string;
    readonly reason: string;
  },
): Promise<number[]> {
  await checkAge(tx, platform, draft.day);
  if (draft.endTime <= draft.startTime)
    throw invalid({ endTime: ['结束时间必须晚于开始时间', 'The end must be after the start'] });
  const interval = intervalOf(draft.day, draft.startTime, draft.endTime);
  const minutes = stepMinutes(interval);
  if (minutes <= 0) throw invalid({ endTime: TOO_SHORT });
  const staffIds = staff.map((one) => one.id);
  await holdLeaders(tx, [caller.staffId, ...staffIds]);
  await lockBalances(tx, staffIds);
  const ids: number[] = [];
  for (const one of staff) {
    await checkOverlap(tx, one, interval, {});
    const row = await runOne<{ id: number }>(
      tx,
      `INSERT INTO leave_record (tenant_id, staff_id, kind, day, starts_at, ends_at, minutes, reason, created_by, updated_by) VALUES ($1, $2, 'leave', $3, $4, $5, $6, $7, $8, $8) RETURNING id`,
      [
        one.tenantId,
        one.id,
        draft.day,
        interval.startsAt,
        interval.endsAt,
        minutes,
        draft.reason,
        caller.staffId,
      ],
    );
    await takeFromLots(tx, { id: row!.id, staffId: one.id, day: draft.day, minutes });
    await writeTimeline(tx, {
      entity: 'leaveRecord',
      entityId: row!.id,
      caller,
      action: 'addLeave',
      label: ['登记', 'Recorded'],
      to: 'pending',
    });
    await submitApproval(tx, platform, {
      kind: 'leave',
      bizId: row!.id,
      tenantId: one.tenantId,
      starterId: caller.staffId,
      subjectId: one.id,
      title: [
        `${one.name} 调休 ${draft.day} ${draft.startTime}-${draft.endTime}`,
        `${one.name}: time off ${draft.day} ${draft.startTime}–${draft.endTime}`,
      ],
      summary: [fact(['时长', 'Hours'], hoursText(minutes)), fact(['事由', 'Reason'], draft.reason)],
    });
    ids.push(row!.id);
  }
  return ids;
}

const TOO_SHORT: Label = ['不足30分钟，不能登记', 'Shorter than 30 minutes: cannot be recorded'];

async function overtimeValues(tx: Tx, platform: Platform, draft: OvertimeDraft): Promise<OvertimeValues> {
  await checkAge(tx, platform, draft.day);
  const interval = intervalOf(draft.day, draft.startTime, draft.endTime);
  if (interval.endsAt.getTime() > Date.now())
    throw ruleBroken(['不能登记未来的加班', 'Overtime in the future cannot be recorded']);
  const minutes = stepMinutes(interval);
  if (minutes <= 0) throw invalid({ endTime: TOO_SHORT });
  const dayType = await dayTypeOf(tx, draft.day);
  if (dayType === 'holiday' && draft.compensation !== 'pay')
    throw invalid({ compensation: ['法定假日加班只能计加班费', 'Overtime on a holiday is paid only'] });
  const rate =
    dayType === 'holiday'
      ? 0
      : await platform.settings.numberIn(
          tx,
          dayType === 'workday' ? 'overtime.rate.workday' : 'overtime.rate.rest_day',
        );
  return {
    ...interval,
    dayType,
    minutes,
    rate,
    credited: draft.compensation === 'time_off' ? creditedMinutes(minutes, rate) : 0,
  };
}

function overtimeRequest(
  id: number,
  staff: RecordedStaff,
  starterId: number,
  draft: OvertimeDraft,
  values: OvertimeValues,
): ApprovalRequest {
  return {
    kind: 'overtime',
    bizId: id,
    tenantId: staff.tenantId,
    starterId,
    subjectId: staff.id,
    title: [
      `${staff.name} 加班 ${draft.day} ${draft.startTime}-${draft.endTime}`,
      `${staff.name}: overtime ${draft.day} ${draft.startTime}–${draft.endTime}`,
    ],
    summary: [
      { label: ['日类型', 'Day type'], value: DAY_TYPES[values.dayType].label },
      fact(['时长', 'Hours'], hoursText(values.minutes)),
      fact(['折算', 'Credited'], hoursText(values.credited)),
      fact(['事由', 'Reason'], draft.overReason ? `${draft.reason}（${draft.overReason}）` : draft.reason),
    ],
  };
}

function fact(label: Label, value: string) {
  return { label, value: [value, value] as const };
}
