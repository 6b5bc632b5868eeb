import { listSight } from '../../../domain/notification/row-sight.server.ts';
import type { ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { BATCH_MENU } from './distribution.contract.ts';

/** A batch is seen by who works in every project of its city: its sums tell of all of them. */
export const scopeOfBatch = (centre: string, owner: string): ScopeColumns => ({
  tenant: 'NULL::bigint',
  project: (ids) =>
    `(EXISTS (SELECT FROM project bp WHERE bp.centre_id = ${centre} AND bp.id = ANY(${ids}::bigint[]))
      AND NOT EXISTS (SELECT FROM project bp WHERE bp.centre_id = ${centre} AND bp.id <> ALL(${ids}::bigint[])))`,
  owner,
});

export const BATCH_SCOPE = scopeOfBatch('t.centre_id', 't.maker_id');

/** Batches as those read of them who see the list. */
export const batchSight = listSight({
  entity: 'incentiveBatch',
  menu: BATCH_MENU,
  table: 'incentive_batch',
  scope: BATCH_SCOPE,
});
