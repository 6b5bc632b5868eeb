import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline, type FieldChange } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import type {
  ApprovalKind,
  ApprovalOutcome,
  SnapshotPart,
} from '../../../domain/approval/approval-kind.server.ts';
import { APP_ID_FIELDS } from '../../../domain/payee/payee.rules.ts';
import { payeeAccount } from './payee-account.contract.ts';
import { PAYEE_MENU } from '../../../domain/payee/payee-alert.server.ts';
import { takeSecrets } from '../../../domain/payee/payee-secret.server.ts';
import { changeSight, decidableChanges, platformApprovers } from './payee-approvers.server.ts';
import { payeeFacts } from './payee-facts.server.ts';
import { moveAssignments, PAYEE_APPROVAL, type Proposal } from './payee-change-commands.server.ts';

export const NOT_TESTED: Label = ['请先完成 0.01 元测试', 'The test with 0.01 has to succeed first'];
const END_TAKEN: Label = [
  '该时间已被其他适用范围占用，请驳回后重新设置',
  'Another assignment has taken that time: reject this and set another end',
];
const CERTIFICATE_OVER: Label = ['证书已过期，请先更换证书', 'The certificate has expired: replace it first'];

/** Columns a change may write. */
const WRITTEN = new Set([
  'name',
  'account_name',
  'number_tail',
  'bank',
  'branch',
  'bank_line_no',
  'app_ids',
  'certificate_serial',
  'certificate_expires_on',
  'fee_ppm',
  'fee_bearer',
  'fee_refundable',
]);

/** Opening and changing accounts: always decided by somebody else of the platform. */
export const payeeApproval: ApprovalKind = {
  kind: PAYEE_APPROVAL,
  label: ['收款账户', 'Payee account'],
  entity: 'payeeChange',
  ...payeeFacts,
  moves: true,
  sights: { toDecide: changeSight, outcome: changeSight },
  route: () => '/baseData/pm_account?part=changes',
  snapshot: changeShown,
  approvers: platformApprovers,
  decidable: decidableChanges,
  onApproved: (outcome) => end(outcome, 'approved'),
  onRejected: (outcome) => end(outcome, 'rejected'),
  onWithdrawn: (outcome) => end(outcome, 'withdrawn'),
};

interface ChangeRow {
  readonly id: number;
  readonly code: string;
  readonly account_id: number;
  readonly kind: Proposal['kind'];
  readonly changes: readonly FieldChange[];
  readonly set_columns: Readonly<Record<string, unknown>>;
  readonly needs_test: boolean;
  readonly assignment_id: number | null;
  readonly ends_at: Date | null;
  readonly was_stopped: boolean;
}

interface AccountRow {
  readonly id: number;
  readonly state: string;
  readonly tested_at: Date | null;
  readonly certificate_expires_on: Date | null;
  readonly stopped: boolean;
}

const EVENTS = {
  approved: ['通过', 'Approved'],
  rejected: ['驳回', 'Rejected'],
  withdrawn: ['撤回', 'Withdrawn'],
} as const satisfies Readonly<Record<string, Label>>;

/** Writes the outcome on the change, the account and what waits with them, in the one transaction of the decision. */
async function end(outcome: ApprovalOutcome, state: keyof typeof EVENTS): Promise<void> {
  const { tx, caller, bizId } = outcome;
  const { account_id: accountId } = (await runOne<{ account_id: number }>(
    tx,
    'SELECT account_id FROM payee_change WHERE id = $1',
    [bizId],
  ))!;
  const account = (await runOne<AccountRow>(
    tx,
    `SELECT id, state, tested_at, certificate_expires_on, stop_reason <> '' AS stopped FROM payee_account WHERE id = $1 FOR NO KEY UPDATE`,
    [accountId],
  ))!;
  const change = (await runOne<ChangeRow>(tx, 'SELECT * FROM payee_change WHERE id = $1 FOR UPDATE', [
    bizId,
  ]))!;
  await run(
    tx,
    `UPDATE payee_change SET state = $2, version = version + 1, opinion = $4,
            decided_by = CASE WHEN $2 = 'withdrawn' THEN NULL ELSE $3::bigint END, decided_at = now() WHERE id = $1`,
    [bizId, state, caller.staffId, outcome.opinion],
  );
  const set: Record<string, unknown> = {};
  if (state === 'approved') {
    await requireTested(outcome, change, account);
    for (const [column, value] of Object.entries(change.set_columns))
      if (WRITTEN.has(column)) set[column] = column === 'app_ids' ? JSON.stringify(value) : value;
    await takeSecrets(tx, accountId, bizId);
    if (change.assignment_id !== null) await moveEnd(outcome, change.assignment_id, change.ends_at!);
  } else
    await run(tx, 'DELETE FROM payee_secret WHERE account_id = $1 AND change_id = $2', [accountId, bizId]);
  await moveAssignments(tx, bizId, state === 'approved' ? 'active' : state);
  const to = stateAfter(account.state, change.kind, state);
  if (to === 'active' && to !== account.state) {
    const until = set.certificate_expires_on ?? account.certificate_expires_on;
    if (until && new Date(until as string | Date).getTime() <= Date.now()) throw ruleBroken(CERTIFICATE_OVER);
    set.stop_reason = '';
  }
  const values = [accountId, to, ...Object.values(set)];
  const assignments = Object.keys(set).map((column, index) => `"${column}" = $${index + 3}`);
  await run(
    tx,
    `UPDATE payee_account SET ${['state = $2', ...assignments].join(', ')}${outcome.insideAction ? '' : ', version = version + 1, updated_at = now()'} WHERE id = $1`,
    values,
  );
  outcome.platform.changed('payeeChange');
  outcome.platform.changed('payeeAssignment');
  if (outcome.insideAction) return;
  outcome.platform.changed('payeeAccount');
  await writeTimeline(tx, {
    entity: 'payeeAccount',
    entityId: accountId,
    caller,
    action: state,
    label: EVENTS[state],
    from: account.state,
    to,
    remark: [change.code, outcome.opinion].filter(Boolean).join(' · '),
    changes: state === 'approved' ? change.changes : [],
  });
  await writeAudit(tx, {
    caller,
    facts: outcome.facts,
    menu: PAYEE_MENU,
    action: state,
    entity: 'payeeAccount',
    entityId: accountId,
    before: { state: account.state, change: change.code },
    after: { state: to, opinion: outcome.opinion, ...(state === 'approved' ? change.set_columns : {}) },
  });
}

/** Sets the end of an assignment; another one may have taken the time meanwhile, which the database tells. */
async function moveEnd({ tx }: ApprovalOutcome, assignmentId: number, endsAt: Date): Promise<void> {
  await run(tx, 'SAVEPOINT ends');
  try {
    await run(
      tx,
      'UPDATE payee_assignment SET effective_to = $2, version = version + 1, updated_at = now() WHERE id = $1',
      [assignmentId, endsAt],
    );
    await run(tx, 'RELEASE SAVEPOINT ends');
  } catch (error) {
    if ((error as { code?: string }).code !== '23P01') throw error;
    await run(tx, 'ROLLBACK TO SAVEPOINT ends');
    throw ruleBroken(END_TAKEN);
  }
}

/** An account that was never opened goes back to where it can be edited; one that was in use stays what it is. */
function stateAfter(now: string, kind: Proposal['kind'], end: keyof typeof EVENTS): string {
  if (end === 'approved') {
    if (kind === 'open' || kind === 'reopen') return 'active';
    return kind === 'certificate' && now === 'expired' ? 'active' : now;
  }
  if (kind === 'open') return end === 'rejected' ? 'rejected' : 'draft';
  return kind === 'reopen' ? 'stopped' : now;
}

async function requireTested({ tx }: ApprovalOutcome, change: ChangeRow, account: AccountRow): Promise<void> {
  const passed = change.needs_test
    ? await runOne(
        tx,
        `SELECT 1 FROM payee_test WHERE change_id = $1 AND (paid_at IS NOT NULL OR state = 'confirmed') LIMIT 1`,
        [change.id],
      )
    : account.tested_at;
  if (!passed) throw ruleBroken(NOT_TESTED);
}

/** Kinds of a change in words. */
const KINDS = {
  open: ['新开', 'Opening'],
  reopen: ['重新启用', 'Reopening'],
  data: ['资料变更', 'Data'],
  certificate: ['更换证书', 'Certificate'],
  assign: ['新增适用范围', 'New assignment'],
  end: ['调整失效时间', 'End of an assignment'],
} as const satisfies Readonly<Record<Proposal['kind'], Label>>;

const word = (value: unknown): string =>
  value === null || value === undefined || value === ''
    ? '—'
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

/** A change as approvers read it: old and new side by side; numbers by their end, keys and certificates never. */
async function changeShown(db: Executor, id: number): Promise<readonly SnapshotPart[]> {
  const row = await runOne<{
    code: string;
    kind: Proposal['kind'];
    changes: readonly FieldChange[];
    account_code: string;
    name: string;
    number_tail: string;
    proposer: string;
    created_at: Date;
  }>(
    db,
    `SELECT c.code, c.kind, c.changes, a.code AS account_code, a.name, a.number_tail, s.name AS proposer, c.created_at
       FROM payee_change c JOIN payee_account a ON a.id = c.account_id JOIN staff s ON s.id = c.proposer_id WHERE c.id = $1`,
    [id],
  );
  if (!row) return [];
  const plain = (field: string, label: Label, text: string) => ({
    field,
    label,
    value: [text, text] as const,
  });
  const fields: Readonly<Record<string, { readonly label: Label; readonly secret?: boolean } | undefined>> =
    payeeAccount.fields;
  return [
    {
      title: ['收款账户', 'Payee account'],
      values: [
        plain('account', ['账户', 'Account'], `${row.account_code} ${row.name}`),
        plain('number', ['账号尾号', 'Number ends in'], row.number_tail || '—'),
        plain('change', ['变更', 'Change'], row.code),
        { field: 'kind', label: ['类型', 'Kind'], value: KINDS[row.kind] },
        plain('proposer', ['提交人', 'Proposed by'], row.proposer),
      ],
    },
    {
      title: ['变更内容', 'What changes'],
      values: row.changes
        .filter((one) => fields[one.field]?.secret !== true)
        .map((one) =>
          plain(
            one.field,
            fields[one.field]?.label ?? APP_ID_FIELDS[one.field]?.label ?? [one.field, one.field],
            `${word(one.before)} → ${word(one.after)}`,
          ),
        ),
    },
  ];
}
