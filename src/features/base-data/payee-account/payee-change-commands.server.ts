import { fill, type Label } from '../../../kernel/contract/label.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { FieldChange } from '../../../kernel/server/audit/audit.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { putSecrets, type SecretKind } from '../../../domain/payee/payee-secret.server.ts';
import { platformApprovers } from './payee-approvers.server.ts';

/** Kind of the approval engine. */
export const PAYEE_APPROVAL = 'payee_account';

/** What is to become of an account once somebody else agrees. */
export interface Proposal {
  readonly accountId: number;
  readonly kind: 'open' | 'reopen' | 'data' | 'certificate' | 'assign' | 'end';
  readonly changes: readonly FieldChange[];
  readonly columns?: Readonly<Record<string, unknown>>;
  readonly secrets?: Readonly<Partial<Record<SecretKind, string>>>;
  /** The new data must have taken a cent before it is approved. */
  readonly needsTest?: boolean;
  readonly assignmentId?: number;
  readonly endsAt?: Date;
}

const NO_APPROVER: Label = [
  '没有其他可审批的平台人员，请先授予「通过」权限',
  'Nobody else of the platform can approve: grant the right to approve first',
];

/**
 * Hands a change in for approval and returns its id. One waits at a time; the account goes on with its old data until then.
 * Throws 30101 when one waits already or nobody but the proposer could decide.
 */
export async function propose(context: ActionContext, proposal: Proposal): Promise<number> {
  const { tx, platform, caller } = context;
  const account = (await runOne<{ id: number; code: string; name: string; tenant_id: number }>(
    tx,
    'SELECT id, code, name, tenant_id FROM payee_account WHERE id = $1 FOR NO KEY UPDATE',
    [proposal.accountId],
  ))!;
  const open = await runOne<{ code: string }>(
    tx,
    `SELECT code FROM payee_change WHERE account_id = $1 AND state = 'in_review'`,
    [account.id],
  );
  if (open)
    throw ruleBroken(
      fill(['已有待审批的变更 {code}', 'Change {code} waits for approval'], { code: open.code }),
    );
  const change = (await runOne<{ id: number; code: string }>(
    tx,
    `INSERT INTO payee_change (code, account_id, kind, changes, set_columns, needs_test, assignment_id, ends_at, proposer_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id, code`,
    [
      await nextCode(tx, 'PC'),
      account.id,
      proposal.kind,
      JSON.stringify(proposal.changes),
      JSON.stringify(proposal.columns ?? {}),
      proposal.needsTest ?? false,
      proposal.assignmentId ?? null,
      proposal.endsAt ?? null,
      caller.staffId,
    ],
  ))!;
  await putSecrets(tx, platform, { accountId: account.id, changeId: change.id }, proposal.secrets ?? {});
  const subject = {
    bizId: change.id,
    tenantId: account.tenant_id,
    starterId: caller.staffId,
    subjectId: null,
  };
  if ((await platformApprovers(tx, subject)).length === 0) throw ruleBroken(NO_APPROVER);
  await submitApproval(tx, platform, {
    kind: PAYEE_APPROVAL,
    bizId: change.id,
    tenantId: account.tenant_id,
    title: [`收款账户 ${account.code} ${account.name}`, `Payee account ${account.code} ${account.name}`],
    summary: [
      { label: ['变更', 'Change'], value: [change.code, change.code] },
      ...(proposal.changes.length > 0
        ? [
            {
              label: ['内容', 'What'] as Label,
              value: [
                proposal.changes.map((one) => one.field).join('、'),
                proposal.changes.map((one) => one.field).join(', '),
              ] as Label,
            },
          ]
        : []),
    ],
    starterId: caller.staffId,
  });
  platform.changed('payeeChange');
  return change.id;
}

/** Assignments that wait with a change go where the change goes. */
export async function moveAssignments(
  tx: Tx,
  changeId: number,
  state: 'active' | 'rejected' | 'withdrawn',
): Promise<void> {
  await run(
    tx,
    `UPDATE payee_assignment SET state = $2, version = version + 1, updated_at = now() WHERE change_id = $1 AND state = 'in_review'`,
    [changeId, state],
  );
}
