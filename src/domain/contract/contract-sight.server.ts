import { listSight } from '../notification/row-sight.server.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import {
  Parameters,
  placeCondition,
  scopeCondition,
  type ScopeColumns,
} from '../../kernel/server/people/scope.ts';
import { run, type Executor } from '../../kernel/server/database.ts';

/** Menus that show contracts: the ledger, the own ones, and those in execution. */
export const LEDGER_MENU = 'pr_contractListManagement';
export const MINE_MENU = 'pr_contractMineManagement';
export const RUN_MENU = 'contractList';

/** Where a contract (`t`) stands: merchants see those in which they are party B. */
export const CONTRACT_SCOPE: ScopeColumns = {
  tenant: 't.merchant_id',
  project: 't.project_id',
  owner: 't.owner_id',
  ownerMoves: true,
};

/** SQL conditions over contracts (`t`) for a staff. */
export const contractsOf = {
  owned: (staff: string) => `t.owner_id = ${staff}`,
  participating: (staff: string) =>
    `EXISTS (SELECT FROM contract_participant x WHERE x.contract_id = t.id AND x.staff_id = ${staff})`,
  below: (staff: string) =>
    `(t.owner_id <> ${staff} AND EXISTS (SELECT FROM staff o JOIN department d ON d.id = o.department_id JOIN department l ON l.id = d.id OR l.id = ANY(d.path)
       WHERE o.id = t.owner_id AND l.leader_id = ${staff}))`,
} as const;

/** Own contracts, those one takes part in, and those of people one leads. */
export const MINE_SCOPE: ScopeColumns = {
  ...CONTRACT_SCOPE,
  own: (caller, parameters) => {
    const me = parameters.bind(caller.staffId);
    const people = Object.values(contractsOf).map((of) => of(me));
    return `(${people.join(' OR ')}) AND ${placeCondition(caller, CONTRACT_SCOPE, parameters)}`;
  },
};

/** Contracts as those read of them who see the ledger. */
export const contractSight = listSight({
  entity: 'contract',
  menu: LEDGER_MENU,
  table: 'contract',
  scope: CONTRACT_SCOPE,
});

/** Contracts as their owners read of them. */
export const mineSight = listSight({
  entity: 'contract',
  menu: MINE_MENU,
  table: 'contract',
  scope: MINE_SCOPE,
});

/** Changes (`t`) as those read of them who see the contract in the ledger. */
export const changeSight = listSight({
  entity: 'contractChange',
  menu: LEDGER_MENU,
  table: 'contract_change',
  scope: {
    tenant: '(SELECT c.merchant_id FROM contract c WHERE c.id = t.contract_id)',
    project: '(SELECT c.project_id FROM contract c WHERE c.id = t.contract_id)',
    owner: 't.created_by',
  },
});

/** Whether a contract may be named to a caller: it stands in one of its lists. */
export async function maySeeContract(db: Executor, caller: Caller, id: number): Promise<boolean> {
  return (await seenContracts(db, caller, [id])).has(id);
}

/** Those of some contracts that stand in one of a caller's lists. */
export async function seenContracts(
  db: Executor,
  caller: Caller,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const parameters = new Parameters();
  const conditions = [
    scopeCondition(caller, LEDGER_MENU, CONTRACT_SCOPE, parameters),
    scopeCondition(caller, RUN_MENU, CONTRACT_SCOPE, parameters),
    scopeCondition(caller, MINE_MENU, MINE_SCOPE, parameters),
  ];
  const rows = await run<{ id: number }>(
    db,
    `SELECT t.id FROM contract t WHERE t.id = ANY(${parameters.bind([...new Set(ids)])}::bigint[]) AND (${conditions.map((one) => `(${one})`).join(' OR ')})`,
    parameters.values,
  );
  return new Set(rows.map((row) => row.id));
}
