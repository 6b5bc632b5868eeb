import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { ApprovalSubject, Decider } from '../../../domain/approval/approval-kind.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import type { RowSight } from '../../../domain/notification/row-sight.server.ts';
import { PAYEE_MENU, PAYEE_SCOPE } from '../../../domain/payee/payee-alert.server.ts';

/** Element that lets decide. */
export const APPROVE = `${PAYEE_MENU}:btn_approve`;

/** Changes as those read them who see their account. */
export const changeSight: RowSight = {
  entity: 'payeeChange',
  menu: PAYEE_MENU,
  condition: (holder: Caller, id, parameters) =>
    `EXISTS (SELECT FROM payee_change c JOIN payee_account t ON t.id = c.account_id WHERE c.id = ${id} AND ${scopeCondition(holder, PAYEE_MENU, PAYEE_SCOPE, parameters)})`,
};

/** SQL: staff who proposed a change or made what is to be decided; `c` is the change, `t` its account. */
export const INVOLVED = `ARRAY_REMOVE(ARRAY[c.proposer_id] || CASE WHEN c.kind IN ('open', 'reopen') THEN ARRAY[t.edited_by, t.created_by] ELSE ARRAY[]::bigint[] END, NULL)`;

/** Platform staff who hold the approve button, but for those who made, edited or proposed it. */
export async function platformApprovers(db: Executor, subject: ApprovalSubject): Promise<number[]> {
  const platform = await runOne<{ id: number }>(
    db,
    'SELECT id FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1',
  );
  const involved = await runOne<{ ids: number[] }>(
    db,
    `SELECT ${INVOLVED} AS ids FROM payee_change c JOIN payee_account t ON t.id = c.account_id WHERE c.id = $1`,
    [subject.bizId],
  );
  return holdersOf(db, platform!.id, APPROVE, [subject.starterId, ...(involved?.ids ?? [])]);
}

/** Of some changes those a decider may decide about now. */
export async function decidableChanges(
  db: Executor,
  decider: Decider,
  subjects: readonly ApprovalSubject[],
): Promise<ReadonlySet<number>> {
  if (!decider.elements.has(APPROVE)) return new Set();
  const rows = await run<{ id: number }>(
    db,
    `SELECT c.id FROM payee_change c JOIN payee_account t ON t.id = c.account_id
      WHERE c.id = ANY($1::bigint[]) AND $2::bigint <> ALL(${INVOLVED})
        AND EXISTS (SELECT FROM staff s JOIN tenant n ON n.id = s.tenant_id AND n.kind = 3 WHERE s.id = $2)
      UNION ALL
      -- A trial without an object: nobody has made it but its starter.
      SELECT 0 WHERE 0 = ANY($1::bigint[]) AND EXISTS (SELECT FROM staff s JOIN tenant n ON n.id = s.tenant_id AND n.kind = 3 WHERE s.id = $2)`,
    [subjects.map((one) => one.bizId), decider.staffId],
  );
  return new Set(rows.map((row) => row.id));
}
