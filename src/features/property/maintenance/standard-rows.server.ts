import type { Label } from '../../../kernel/contract/label.ts';
import { forbidden } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { ScopeColumns } from '../../../kernel/server/people/scope.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';

/** Standard rows of the platform are seen by every company beside its own; the platform sees all. */
export const STANDARD_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: 'none',
  owner: 't.created_by',
  own: (caller, parameters) =>
    caller.tenantKind === 3
      ? 'TRUE'
      : `(t.tenant_id IS NULL OR t.tenant_id = ${parameters.bind(caller.tenantId)})`,
};

const KEPT: Label = ['标准项由平台维护', 'The platform keeps the standard ones'];
const OTHERS: Label = ['由所属公司维护', 'Its company keeps it'];

/** Companies change their own rows, the platform the standard ones. */
export const ownRule = (row: DbRow, caller: Caller): Label | undefined => {
  if (caller.tenantKind === 3) return row.standard === true ? undefined : OTHERS;
  return row.standard === true ? KEPT : undefined;
};

/** The same rule for every action that changes a row. */
export const standardRules = {
  update: ownRule,
  enable: ownRule,
  disable: ownRule,
  remove: ownRule,
};

/** Whose a new row is: standard when the platform makes it, else of the caller's company. */
export async function ownerOfNew({ action, caller, columns }: ActionContext): Promise<void> {
  if (action !== 'create') return;
  if (caller.tenantKind === 2) throw forbidden();
  columns.tenant_id = caller.tenantKind === 3 ? null : caller.tenantId;
}
