import { runOne, transaction } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { addEffect, finishEffect } from '../../../kernel/server/tasks/outbox.ts';
import { recalculateClocks } from '../../../domain/work-order/sla-clock.server.ts';
import { ownerOfNew, STANDARD_SCOPE, standardRules } from './standard-rows.server.ts';
import { businessCalendar } from './business-calendar.contract.ts';

/** Effect that reckons clocks anew after their calendar changed. Payload `{ calendarId }`. */
const RECALCULATE = 'sla.recalculate';

const bound = bindResource(businessCalendar, {
  table: 'work_calendar',
  scope: STANDARD_SCOPE,
  search: 'lower(t.name)',
  columns: {
    standard: 't.tenant_id IS NULL',
  },
  lines: {
    hours: { table: 'work_calendar_hours', own: 'calendar_id' },
    days: { table: 'work_calendar_day', own: 'calendar_id' },
  },
  unique: { work_calendar_name: ['名称已存在', 'The name is taken'] },
  rowRules: standardRules,
  ruleReads: ['standard'],
  filters: {
    standard: (value) => (value === 'true' ? 't.tenant_id IS NULL' : 't.tenant_id IS NOT NULL'),
  },
  usedBy: {
    work_calendar_hours: false,
    work_calendar_day: false,
    sla_policy: ['时效策略', 'policies'],
    sla_clock: ['工单计时', 'clocks of orders'],
  },
  before: [
    ownerOfNew,
    async ({ action, input }: ActionContext) => {
      if (action !== 'create' && action !== 'update') return;
      const problem = hoursProblem(input.hours) ?? undefined;
      if (problem) throw invalid({ hours: problem });
      const days = (input.days as readonly { day: string }[] | null | undefined) ?? [];
      if (new Set(days.map((one) => one.day)).size < days.length)
        throw invalid({ days: ['日期重复', 'A day stands there twice'] });
    },
    async ({ tx, action, id }: ActionContext) => {
      if (action !== 'disable' && action !== 'remove') return;
      const used = await runOne(tx, 'SELECT 1 AS one FROM work_calendar WHERE id = $1 AND standard', [id]);
      if (used) throw invalid({ enabled: ['标准工作日历不能停用', 'The standard calendar stays'] });
    },
  ],
  after: [
    async ({ tx, action }, id) => {
      // The lines are written after this; the clocks follow behind COMMIT.
      if (action === 'update') await addEffect(tx, RECALCULATE, { calendarId: id });
      return [];
    },
  ],
  also: {
    effects: [
      {
        kind: RECALCULATE,
        deliver: async (payload: { readonly calendarId: number }, platform, outboxId) => {
          await transaction(platform.database.db, async (tx) => {
            if (!(await finishEffect(tx, outboxId))) return;
            await recalculateClocks(tx, { calendarId: payload.calendarId });
          });
          platform.changed('workOrder');
        },
      },
    ],
  },
});

/** Calendars of working hours. */
export const registration = bound.registration;

interface Line {
  readonly weekday: string;
  readonly fromTime: string;
  readonly toTime: string;
}

/** Each span ends after it begins, and none of a day overlaps another. */
function hoursProblem(value: unknown): Label | undefined {
  const lines = [...((value as readonly Line[] | null | undefined) ?? [])].sort((a, b) =>
    `${a.weekday}${a.fromTime}` < `${b.weekday}${b.fromTime}` ? -1 : 1,
  );
  for (const [index, line] of lines.entries()) {
    if (line.toTime <= line.fromTime) return ['结束时间须晚于开始时间', 'A span ends after it begins'];
    const next = lines[index + 1];
    if (next && next.weekday === line.weekday && next.fromTime < line.toTime)
      return ['同一天的时间有重叠', 'Two spans of a day overlap'];
  }
  return undefined;
}
