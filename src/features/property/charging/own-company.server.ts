import { notFound } from '../../../kernel/server/http/errors.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';

/** Fee items and policies belong to a company; others than the platform keep their own. */
export async function ownCompany({ caller, columns, action }: ActionContext): Promise<void> {
  if (action !== 'create' || caller.tenantKind === 3) return;
  if (Number(columns.tenant_id) !== caller.tenantId) throw notFound();
}
