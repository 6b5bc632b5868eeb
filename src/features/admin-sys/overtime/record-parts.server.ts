import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import {
  approversSql,
  decideApproval,
  decisionRule,
  withdrawApproval,
} from '../../../domain/approval/approve.server.ts';

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
  return {
    extra: { recorderId: 't.created_by', subjectId: 't.staff_id', approvers: approversSql(kind, 't.id') },
    rules: { approve: decisionRule, reject: decisionRule, cancel: onlyRecorder },
    handlers: {
      approve: (context: ActionContext) => decide(kind, context, true),
      reject: (context: ActionContext) => decide(kind, context, false),
      cancel: async ({ tx, platform, id, caller, facts }: ActionContext) => {
        await withdrawApproval(tx, platform, { kind, bizId: id, caller, facts, insideAction: true });
      },
    },
    waitsFor: (staff: string) => `t.state = 'pending' AND ${staff} = ANY(${approversSql(kind, 't.id')})`,
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

async function decide(
  kind: 'overtime' | 'leave',
  { tx, platform, id, caller, facts, input }: ActionContext,
  approved: boolean,
): Promise<ActionResult> {
  const opinion = String(input.opinion ?? '');
  const result = await decideApproval(tx, platform, {
    kind,
    bizId: id,
    caller,
    facts,
    approved,
    opinion,
    insideAction: true,
  });
  // Where its process asks others too, the record waits on.
  return result
    ? { remark: opinion, to: result === 'passed' ? 'approved' : 'rejected' }
    : { remark: opinion, to: 'pending', event: approved ? AGREED : REFUSED };
}

const AGREED = ['同意，待他人审批', 'Agreed, others are still asked'] as const;
const REFUSED = ['不同意，待他人审批', 'Refused, others are still asked'] as const;
