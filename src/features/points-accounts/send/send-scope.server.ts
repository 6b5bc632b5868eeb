import { listSight } from '../../../domain/notification/row-sight.server.ts';
import type { ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { SEND_MENU } from './send.contract.ts';

/** A batch (`t`) belongs to the company of who wrote it. */
export const BATCH_SCOPE: ScopeColumns = { tenant: 't.tenant_id', project: 'none', owner: 't.created_by' };

/** Rows of a batch whose id is an expression. */
export const scopeOfBatch = (batch: string): ScopeColumns => ({
  tenant: `(SELECT scope_b.tenant_id FROM points_grant_batch scope_b WHERE scope_b.id = ${batch})`,
  project: 'none',
  owner: `(SELECT scope_b.created_by FROM points_grant_batch scope_b WHERE scope_b.id = ${batch})`,
});

/** Rows of a budget whose id is an expression. */
export const scopeOfBudget = (budget: string): ScopeColumns => ({
  tenant: `(SELECT scope_b.tenant_id FROM points_budget scope_b WHERE scope_b.id = ${budget})`,
  project: 'none',
  owner: 't.created_by',
});

/** Batches as those read of them who see the list. */
export const batchSight = listSight({
  entity: 'pointsGrantBatch',
  menu: SEND_MENU,
  table: 'points_grant_batch',
  scope: BATCH_SCOPE,
});

/** Changes of budgets as those read of them who see the budget. */
export const changeSight = listSight({
  entity: 'pointsBudgetChange',
  menu: SEND_MENU,
  table: 'points_budget_change',
  scope: scopeOfBudget('t.budget_id'),
});
