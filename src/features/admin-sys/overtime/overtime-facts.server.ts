import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { ApprovalKind } from '../../../domain/approval/approval-kind.server.ts';
import type { ApprovalField } from '../../../domain/approval/process.rules.ts';
import { RECORD_SCOPE } from './overtime-sights.server.ts';
import { OVERTIME_MENU } from './overtime.rules.ts';

const SAMPLES = 20;

const HOURS: ApprovalField = { name: 'hours', label: ['时长（小时）', 'Hours'], kind: 'number' };
const DAY: ApprovalField = { name: 'day', label: ['日期', 'Day'], kind: 'date' };
const REASON: ApprovalField = { name: 'reason', label: ['事由', 'Reason'], kind: 'text' };
const STAFF: ApprovalField = { name: 'staff', label: ['员工', 'Staff'], kind: 'staff' };

type FactsOf = Required<Pick<ApprovalKind, 'fields' | 'facts' | 'samples'>>;

/** What conditions may ask of overtime. */
export const overtimeFacts: FactsOf = {
  fields: [
    HOURS,
    { name: 'credited', label: ['折算（小时）', 'Credited hours'], kind: 'number' },
    {
      name: 'dayType',
      label: ['日类型', 'Day type'],
      kind: 'choice',
      options: [
        { value: 'workday', label: ['工作日', 'Workday'] },
        { value: 'rest_day', label: ['休息日', 'Rest day'] },
        { value: 'holiday', label: ['法定假日', 'Holiday'] },
      ],
    },
    {
      name: 'compensation',
      label: ['补偿方式', 'Compensation'],
      kind: 'choice',
      options: [
        { value: 'time_off', label: ['调休', 'Time off'] },
        { value: 'pay', label: ['加班费', 'Pay'] },
      ],
    },
    DAY,
    REASON,
    STAFF,
  ],
  facts: async (db, id) =>
    (await runOne(
      db,
      `SELECT minutes / 60.0::float8 AS hours, credited / 60.0::float8 AS credited, day_type AS "dayType", compensation, day::text, reason, staff_id AS staff
         FROM overtime_record WHERE id = $1`,
      [id],
    )) ?? {},
  samples: (db, caller) => newest(db, caller, 'overtime_record', 'TRUE'),
};

/** What conditions may ask of time off. */
export const leaveFacts: FactsOf = {
  fields: [HOURS, DAY, REASON, STAFF],
  facts: async (db, id) =>
    (await runOne(
      db,
      `SELECT minutes / 60.0::float8 AS hours, day::text, reason, staff_id AS staff FROM leave_record WHERE id = $1`,
      [id],
    )) ?? {},
  samples: (db, caller) => newest(db, caller, 'leave_record', `t.kind = 'leave'`),
};

/** The newest records of those the caller sees. */
async function newest(
  db: Executor,
  caller: Caller,
  table: 'overtime_record' | 'leave_record',
  where: string,
): Promise<{ id: number; title: string }[]> {
  const parameters = new Parameters();
  const scope = scopeCondition(caller, OVERTIME_MENU, RECORD_SCOPE, parameters);
  return run(
    db,
    `SELECT t.id, s.name || ' ' || t.day::text || ' ' || round(t.minutes / 60.0, 1)::text || 'h' AS title
       FROM ${table} t JOIN staff s ON s.id = t.staff_id WHERE ${where} AND ${scope} ORDER BY t.id DESC LIMIT ${SAMPLES}`,
    parameters.values,
  );
}
