import {
  ALL_CLIENTS,
  leadersOf,
  seenClients,
  writersOf,
} from '../../../domain/commercial-client/client-sight.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';

const READER: Label = ['您只能查看该客户', 'You may only read this client'];
const IN_POOL: Label = ['客户在公海，请先认领', 'It is in the pool, claim it first'];

/** Extra columns of rows (`t`) below a client: who may change them. */
export const PARENT_RIGHTS = {
  parentOwner: '(SELECT c.owner_id FROM client c WHERE c.id = t.client_id)',
  parentLeaders: leadersOf('(SELECT c.owner_id FROM client c WHERE c.id = t.client_id)'),
  parentWriters: writersOf('t.client_id'),
};

const has = (ids: unknown, caller: Caller) => (ids as readonly number[]).map(Number).includes(caller.staffId);

/** Why a caller does not write below a client, by the columns of {@link PARENT_RIGHTS}. */
export function parentRefuses(row: DbRow, caller: Caller): Label | undefined {
  if (has(row.parentLeaders, caller) || caller.elements.has(ALL_CLIENTS)) return undefined;
  if (row.parentOwner === null) return IN_POOL;
  return Number(row.parentOwner) === caller.staffId || has(row.parentWriters, caller) ? undefined : READER;
}

/** Locks a client below which something is written. Throws 404 where the caller does not see it, 30101 where it may only read. */
export async function requireWriter(tx: Tx, caller: Caller, clientId: number): Promise<void> {
  const problem = parentRefuses(await lockParent(tx, caller, clientId), caller);
  if (problem) throw ruleBroken(problem);
}

async function lockParent(tx: Tx, caller: Caller, clientId: number): Promise<DbRow> {
  await run(tx, 'SELECT 1 FROM client WHERE id = $1 FOR UPDATE', [clientId]);
  const parameters = new Parameters();
  const row = await runOne<DbRow>(
    tx,
    `SELECT t.owner_id AS "parentOwner", ${leadersOf('t.owner_id')} AS "parentLeaders",
            ${writersOf('t.id')} AS "parentWriters"
       FROM client t WHERE t.id = ${parameters.bind(clientId)} AND ${seenClients(caller, parameters)}`,
    parameters.values,
  );
  if (!row) throw notFound();
  return row;
}

/** Locks a client somebody comments on: whoever reads it, and in the pool who leads it. */
export async function requireReader(tx: Tx, caller: Caller, clientId: number): Promise<void> {
  const row = await lockParent(tx, caller, clientId);
  if (row.parentOwner === null && managerRefuses(row, caller)) throw ruleBroken(IN_POOL);
}

/** Whether a caller leads the owner of the client a row hangs on. */
export const leadsParent = (row: DbRow, caller: Caller): boolean =>
  has(row.parentLeaders, caller) || caller.elements.has(ALL_CLIENTS);

const NOT_OWNER: Label = ['只有负责人或上级可以操作', 'Only the owner or a leader may do this'];

/** Why a caller does not say who shares a client. */
export function managerRefuses(row: DbRow, caller: Caller): Label | undefined {
  if (has(row.parentLeaders, caller) || caller.elements.has(ALL_CLIENTS)) return undefined;
  return row.parentOwner !== null && Number(row.parentOwner) === caller.staffId ? undefined : NOT_OWNER;
}

/** As {@link requireWriter}, for what the owner or a leader alone does. */
export async function requireManager(tx: Tx, caller: Caller, clientId: number): Promise<void> {
  const row = await lockParent(tx, caller, clientId);
  const problem = managerRefuses(row, caller);
  if (problem) throw ruleBroken(problem);
}
