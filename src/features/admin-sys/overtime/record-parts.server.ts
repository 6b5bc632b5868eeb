import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import { approvable } from '../../../domain/approval/approvable.server.ts';
import { approversSql } from '../../../domain/approval/approve.server.ts';

/** Hours with one decimal of a column of minutes, as text. */
export const hoursSql = (minutes: string) => `to_char(${minutes} / 60.0, 'FM999990.0')`;

/** Columns overtime and time off share; `t` is the record, `s` its staff, `d` the department, `c` who recorded it. */
export function recordColumns(kind: 'overtime' | 'leave') {
  return {
    staff: { id: 't.staff_id', title: 's.name' },
    department: { id: 's.department_id', title: 'd.name' },
    startTime: `to_char(t.starts_at, 'HH24:MI')`,
    endTime: `to_char(t.ends_at, 'HH24:MI')`,
    hours: hoursSql('t.minutes'),
    recorder: 'c.name',
    // The people an open approval waits for, or who decided.
    approver: `coalesce((SELECT a.name FROM staff a WHERE a.id = t.decided_by), (SELECT string_agg(a.name, '、') FROM staff a WHERE a.id = ANY(${approversSql(kind, 't.id')})))`,
  } satisfies Binding['columns'];
}

/** Who may decide and take back: what the row rules need, the rules, and the tab of what waits for the caller. */
export function recordApproval(kind: 'overtime' | 'leave') {
  const { ability, waitsFor } = approvable(
    kind,
    { waiting: 'pending', passed: 'approved', refused: 'rejected' },
    { withdraw: 'cancel' },
  );
  return {
    ability,
    extra: { recorderId: 't.created_by', subjectId: 't.staff_id' },
    rules: { cancel: onlyRecorder },
    waitsFor,
  };
}

/** Whoever recorded it may still change or take it back. */
export function onlyRecorder(
  row: DbRow,
  caller: { readonly staffId: number },
): readonly [string, string] | undefined {
  return Number(row.recorderId) === caller.staffId
    ? undefined
    : ['只有登记人可以修改或撤销', 'Only who recorded it may change or cancel it'];
}
