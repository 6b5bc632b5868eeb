import type { Label } from '../../../kernel/contract/label.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
  SnapshotPart,
} from '../../../domain/approval/approval-kind.server.ts';
import { holdersOf, leadersAbove, staffInCare } from '../../../domain/approval/approvers.server.ts';
import { addLot, lockBalances, returnToLots } from './lots.server.ts';
import { leaveFacts, overtimeFacts } from './overtime-facts.server.ts';
import { APPROVE, leaveSights, overtimeSights } from './overtime-sights.server.ts';
import { DAY_TYPES, hoursText, OVERTIME_MENU } from './overtime.rules.ts';

const ROUTE = '/adminSys/workOvertimeManager';

/** Approval of overtime: passing it credits the time off. */
export const overtimeApproval: ApprovalKind = {
  kind: 'overtime',
  label: ['加班', 'Overtime'],
  entity: 'overtimeRecord',
  ...overtimeFacts,
  sights: overtimeSights,
  route: () => ROUTE,
  snapshot: overtimeShown,
  approvers,
  decidable,
  onApproved: async (outcome) => {
    const row = await runOne<{
      tenant_id: number;
      staff_id: number;
      day: string;
      credited: number;
      reason: string;
      created_by: number;
    }>(
      outcome.tx,
      'SELECT tenant_id, staff_id, day, credited, reason, created_by FROM overtime_record WHERE id = $1 FOR UPDATE',
      [outcome.bizId],
    );
    await close(outcome, 'overtime_record', 'overtimeRecord', 'approved');
    if (row!.credited === 0) return;
    await lockBalances(outcome.tx, [row!.staff_id]);
    await run(
      outcome.tx,
      `INSERT INTO leave_record (tenant_id, staff_id, kind, day, minutes, reason, overtime_id, state, created_by, updated_by) VALUES ($1, $2, 'credit', $3, $4, $5, $6, 'approved', $7, $7)`,
      [row!.tenant_id, row!.staff_id, row!.day, row!.credited, row!.reason, outcome.bizId, row!.created_by],
    );
    await addLot(outcome.tx, outcome.platform, {
      tenantId: row!.tenant_id,
      staffId: row!.staff_id,
      minutes: row!.credited,
      from: row!.day,
      overtimeId: outcome.bizId,
    });
    outcome.platform.changed('leaveRecord');
  },
  onRejected: (outcome) => close(outcome, 'overtime_record', 'overtimeRecord', 'rejected'),
  onWithdrawn: (outcome) => close(outcome, 'overtime_record', 'overtimeRecord', 'cancelled'),
};

/** Approval of time off: its minutes are held from the request on and come back when it does not pass. */
export const leaveApproval: ApprovalKind = {
  kind: 'leave',
  label: ['调休', 'Time off'],
  entity: 'leaveRecord',
  ...leaveFacts,
  sights: leaveSights,
  route: () => ROUTE,
  snapshot: leaveShown,
  approvers,
  decidable,
  onApproved: (outcome) => close(outcome, 'leave_record', 'leaveRecord', 'approved'),
  onRejected: (outcome) => giveBack(outcome, 'rejected'),
  onWithdrawn: (outcome) => giveBack(outcome, 'cancelled'),
};

/**
 * The department leader as everywhere; a tenant without leaders falls back to those who hold the approve button and see
 * the records of whom it is about.
 */
async function approvers(tx: Tx, subject: ApprovalSubject): Promise<readonly number[]> {
  const barred = [subject.starterId, ...(subject.subjectId === null ? [] : [subject.subjectId])];
  const about = aboutOf(subject);
  const leaders = await leadersAbove(tx, about, barred);
  return leaders.length > 0 ? leaders : holdersOf(tx, subject.tenantId, APPROVE, barred, about);
}

/** The leader is found by the structure, the right to the button is granted: both are needed, as long as it answers for the staff. */
async function decidable(
  db: Executor,
  decider: Decider,
  subjects: readonly ApprovalSubject[],
): Promise<ReadonlySet<number>> {
  if (!decider.elements.has(APPROVE)) return new Set();
  const inCare = await staffInCare(db, decider, OVERTIME_MENU, [...new Set(subjects.map(aboutOf))]);
  return new Set(subjects.filter((subject) => inCare.has(aboutOf(subject))).map((subject) => subject.bizId));
}

/** Whose record it is. */
const aboutOf = (subject: ApprovalSubject): number => subject.subjectId ?? subject.starterId;

async function giveBack(outcome: ApprovalOutcome, state: 'rejected' | 'cancelled'): Promise<void> {
  const row = await runOne<{ staff_id: number }>(
    outcome.tx,
    'SELECT staff_id FROM leave_record WHERE id = $1 FOR UPDATE',
    [outcome.bizId],
  );
  await lockBalances(outcome.tx, [row!.staff_id]);
  await close(outcome, 'leave_record', 'leaveRecord', state);
  await returnToLots(outcome.tx, outcome.bizId);
}

const EVENTS = {
  approved: ['通过', 'Approved'],
  rejected: ['驳回', 'Rejected'],
  cancelled: ['撤销', 'Cancelled'],
} as const;

/** Writes the outcome to the record; timeline and audit too unless the record's own action does. */
async function close(
  outcome: ApprovalOutcome,
  table: 'overtime_record' | 'leave_record',
  entity: string,
  state: keyof typeof EVENTS,
): Promise<void> {
  const { tx, caller, bizId } = outcome;
  const decided = state === 'cancelled' ? '' : ', decided_by = $3, decided_at = now(), opinion = $4';
  await run(
    tx,
    `UPDATE ${table} SET state = $2${decided}, updated_at = now()${outcome.insideAction ? '' : ', version = version + 1'} WHERE id = $1`,
    state === 'cancelled' ? [bizId, state] : [bizId, state, caller.staffId, outcome.opinion],
  );
  if (outcome.insideAction) return;
  await writeTimeline(tx, {
    entity,
    entityId: bizId,
    caller,
    action: state,
    label: EVENTS[state],
    from: 'pending',
    to: state,
    remark: outcome.opinion,
  });
  await writeAudit(tx, {
    caller,
    facts: outcome.facts,
    menu: OVERTIME_MENU,
    action: state,
    entity,
    entityId: bizId,
    before: { state: 'pending' },
    after: { state, opinion: outcome.opinion },
  });
}

interface ShownRecord {
  readonly name: string;
  readonly staff_no: string | null;
  readonly department: string | null;
  readonly day: string;
  readonly starts_at: Date | null;
  readonly ends_at: Date | null;
  readonly day_type: keyof typeof DAY_TYPES;
  readonly minutes: number;
  readonly credited: number;
  readonly compensation: string;
  readonly reason: string;
  readonly over_reason: string;
}

const value = (field: string, label: Label, shown: string | Label) => ({
  field,
  label,
  value: typeof shown === 'string' ? ([shown, shown] as const) : shown,
});

function timesOf(row: ShownRecord) {
  return [
    value('startsAt', ['开始', 'From'], row.starts_at ? businessTimeText(row.starts_at) : '—'),
    value('endsAt', ['结束', 'To'], row.ends_at ? businessTimeText(row.ends_at) : '—'),
    value('hours', ['时长（小时）', 'Hours'], hoursText(row.minutes)),
  ];
}

function personOf(row: ShownRecord): SnapshotPart {
  return {
    title: ['员工', 'Staff'],
    values: [
      value('staff', ['姓名', 'Name'], row.name),
      value('staffNo', ['工号', 'Staff no.'], row.staff_no ?? '—'),
      value('department', ['部门', 'Department'], row.department ?? '—'),
    ],
  };
}

/** Overtime as approvers read it. */
async function overtimeShown(db: Executor, id: number): Promise<readonly SnapshotPart[]> {
  const row = await runOne<ShownRecord>(
    db,
    `SELECT r.*, s.name, s.staff_no, d.name AS department FROM overtime_record r JOIN staff s ON s.id = r.staff_id LEFT JOIN department d ON d.id = s.department_id WHERE r.id = $1`,
    [id],
  );
  if (!row) return [];
  return [
    personOf(row),
    {
      title: ['加班', 'Overtime'],
      values: [
        value('day', ['日期', 'Day'], row.day),
        value('dayType', ['日类型', 'Day type'], DAY_TYPES[row.day_type].label),
        ...timesOf(row),
        value(
          'compensation',
          ['补偿方式', 'Compensation'],
          row.compensation === 'pay' ? ['加班费', 'Pay'] : ['调休', 'Time off'],
        ),
        value('credited', ['折算（小时）', 'Credited hours'], hoursText(row.credited)),
        value('reason', ['事由', 'Reason'], row.reason),
        ...(row.over_reason
          ? [value('overReason', ['超限说明', 'Why beyond the limit'], row.over_reason)]
          : []),
      ],
    },
  ];
}

/** Time off as approvers read it. */
async function leaveShown(db: Executor, id: number): Promise<readonly SnapshotPart[]> {
  const row = await runOne<ShownRecord>(
    db,
    `SELECT r.*, s.name, s.staff_no, d.name AS department FROM leave_record r JOIN staff s ON s.id = r.staff_id LEFT JOIN department d ON d.id = s.department_id WHERE r.id = $1`,
    [id],
  );
  if (!row) return [];
  return [
    personOf(row),
    {
      title: ['调休', 'Time off'],
      values: [
        value('day', ['日期', 'Day'], row.day),
        ...timesOf(row),
        value('reason', ['事由', 'Reason'], row.reason || '—'),
      ],
    },
  ];
}
