import type { Label } from '../../../kernel/contract/label.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { leaveRecord } from './leave-record.contract.ts';
import { leaveApproval } from './overtime-approval.server.ts';
import { recordLeave, staffInScope } from './overtime-commands.server.ts';
import { balanceSight, leaveSights, RECORD_SCOPE } from './overtime-sights.server.ts';
import { addLot, lockBalances, returnToLots, takeFromLots } from './lots.server.ts';
import { overtimeJobs } from './overtime-jobs.server.ts';
import { balanceInvariant } from './overtime-invariants.server.ts';
import { hoursSql, recordApproval, recordColumns } from './record-parts.server.ts';
import { HALF_DAYS, STEP_MINUTES } from './overtime.rules.ts';

const LOTS = `(SELECT string_agg(to_char(coalesce(o.day, a.day), 'YYYY-MM-DD') || ' ' || u.minutes, '、' ORDER BY l.expires_on, l.id)
  FROM leave_lot_use u JOIN leave_balance_lot l ON l.id = u.lot_id LEFT JOIN overtime_record o ON o.id = l.overtime_id LEFT JOIN leave_record a ON a.id = l.adjustment_id WHERE u.leave_id = t.id)`;

const approval = recordApproval('leave');

const bound = bindResource(leaveRecord, {
  table: 'leave_record',
  from: 'leave_record t JOIN staff s ON s.id = t.staff_id LEFT JOIN department d ON d.id = s.department_id LEFT JOIN staff c ON c.id = t.created_by',
  columns: {
    ...recordColumns('leave'),
    lots: LOTS,
    balance: hoursSql(
      '(SELECT sum(x.effect) FROM leave_record x WHERE x.staff_id = t.staff_id AND x.id <= t.id)',
    ),
  },
  scope: RECORD_SCOPE,
  tabs: {
    mine: (caller, parameters) =>
      `t.kind = 'leave' AND ${approval.waitsFor(parameters.bind(caller.staffId))}`,
  },
  abilities: [approval.ability],
  extra: approval.extra,
  rowRules: {
    ...approval.rules,
    void: (row, caller) => {
      if (Number(row.subjectId) === caller.staffId) return OWN_BALANCE;
      return row.kind === 'leave' ? undefined : ['只有调休记录可以作废', 'Only time off can be voided'];
    },
  },
  handlers: {
    addLeave: async ({ tx, input, caller, platform }) => {
      const staff = await staffInScope(tx, caller, input.staff as number[]);
      const half = HALF_DAYS[String(input.part)];
      const [startTime, endTime] = half ?? [String(input.startTime ?? ''), String(input.endTime ?? '')];
      if (!startTime) throw invalid({ startTime: ['请输入开始时间', 'Enter the start'] });
      if (!endTime) throw invalid({ endTime: ['请输入结束时间', 'Enter the end'] });
      const ids = await recordLeave(tx, platform, caller, staff, {
        day: String(input.day),
        startTime,
        endTime,
        reason: String(input.reason),
      });
      return { result: { ids: ids.map(String) } };
    },
    adjust,
    void: async ({ tx, id, row, input }) => {
      await lockBalances(tx, [Number(row.staff_id)]);
      await returnToLots(tx, id);
      return { remark: String(input.reason) };
    },
  },
  also: {
    approvals: [leaveApproval],
    jobs: overtimeJobs,
    invariants: [balanceInvariant],
    sights: [leaveSights.outcome, leaveSights.toDecide, balanceSight],
  },
});

/** Time off and every other line of the balance. */
export const registration = bound.registration;

// Overtime of the own needs somebody else too.
const OWN_BALANCE: Label = [
  '不能调整或恢复自己的调休余额，请由其他管理员操作',
  'Nobody changes the own balance of time off: another administrator has to',
];

/** Adds a lot, or takes from the lots like time off; a line of its own says who and why. */
async function adjust({ tx, input, caller, platform }: ActionContext): Promise<ActionResult> {
  const minutes = Number(input.minutes);
  if (minutes === 0 || minutes % STEP_MINUTES !== 0)
    throw invalid({ minutes: ['请输入30分钟的整数倍，不能为0', 'A multiple of 30 minutes, not 0'] });
  if (Number(input.staff) === caller.staffId) throw ruleBroken(OWN_BALANCE);
  const [staff] = await staffInScope(tx, caller, [Number(input.staff)]);
  await lockBalances(tx, [staff!.id]);
  const today = businessDayOf(new Date());
  const line = await runOne<{ id: number }>(
    tx,
    `INSERT INTO leave_record (tenant_id, staff_id, kind, day, minutes, reason, state, created_by, updated_by) VALUES ($1, $2, 'adjustment', $3, $4, $5, 'approved', $6, $6) RETURNING id`,
    [staff!.tenantId, staff!.id, today, minutes, input.reason, caller.staffId],
  );
  if (minutes > 0)
    await addLot(tx, platform, {
      tenantId: staff!.tenantId,
      staffId: staff!.id,
      minutes,
      from: today,
      adjustmentId: line!.id,
    });
  else await takeFromLots(tx, { id: line!.id, staffId: staff!.id, day: today, minutes: -minutes });
  await writeTimeline(tx, {
    entity: 'leaveRecord',
    entityId: line!.id,
    caller,
    action: 'adjust',
    label: ['调整余额', 'Balance adjusted'],
    remark: String(input.reason),
  });
  return { result: { ids: [String(line!.id)] } };
}
