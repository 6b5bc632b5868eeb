import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { ImportRow } from '../../../kernel/server/tables/import-target.ts';
import { projectsInScope } from '../../base-data/places/places.server.ts';
import {
  nameIndex,
  type NamedThing,
  type NameIndex,
} from '../../../domain/import-names/import-names.rules.ts';
import { isForeign } from './staff-unique.server.ts';
import { missingRights } from '../permission-group/grant-rules.server.ts';
import { STAFF_SCOPE } from './staff-commands.server.ts';

/** What the rows of a staff table may name, read with one query each. */
export interface KnownNames {
  readonly departments: NameIndex;
  readonly stations: NameIndex;
  readonly projects: NameIndex;
  readonly groups: NameIndex;
  /** Groups the importer may not grant, as they hold more than the importer does. */
  readonly beyondReach: ReadonlySet<number>;
  /** Staff of any tenant by lower account; `own`: the importer may change them; `foreign`: of another company. */
  readonly accounts: ReadonlyMap<
    string,
    { readonly id: number; readonly own: boolean; readonly foreign: boolean }
  >;
  readonly numbers: ReadonlyMap<string, number>;
  readonly phones: ReadonlyMap<string, number>;
}

/** Reads everything the rows name, inside the importer's tenant and projects. */
export async function lookUp(db: Executor, caller: Caller, rows: readonly ImportRow[]): Promise<KnownNames> {
  const all = (column: string) => [...new Set(rows.map((row) => row.values[column] ?? '').filter(Boolean))];
  const tenant = caller.tenantId;
  const departments = await run<NamedThing>(
    db,
    'SELECT id, code, name FROM department WHERE tenant_id = $1 AND enabled',
    [tenant],
  );
  const stations = await run<NamedThing>(
    db,
    'SELECT id, code, name FROM station WHERE tenant_id = $1 AND enabled',
    [tenant],
  );
  const projects = await projectsInScope(db, caller, {});
  const groups = nameIndex(
    await run<NamedThing>(
      db,
      `SELECT g.id, g.code, g.name FROM permission_group g JOIN group_type t ON t.id = g.type_id AND t.code <> 'depart' WHERE g.tenant_id = $1 AND g.enabled`,
      [tenant],
    ),
  );
  const named = new Set(rows.flatMap((row) => parts(row.values.groups)).map((text) => groups.get(text)));
  const beyondReach = new Set<number>();
  for (const id of named)
    if (
      id !== undefined &&
      (!caller.elements.has('userManager:btn_group') || (await missingRights(db, caller, [id])).length > 0)
    )
      beyondReach.add(id);
  // Only whom the importer sees on the screen can be changed by a table.
  const parameters = new Parameters();
  const wanted = parameters.bind(all('account').map((one) => one.toLowerCase()));
  const inSight = scopeCondition(caller, 'userManager', STAFF_SCOPE, parameters);
  const accounts = await run<{ id: number; account: string; tenant: number; own: boolean }>(
    db,
    `SELECT t.id, lower(t.account) AS account, t.tenant_id AS tenant, t.state <> 'left' AND ${inSight} AS own FROM staff t WHERE lower(t.account) = ANY(${wanted}::text[])`,
    parameters.values,
  );
  const numbers = await run<{ id: number; staff_no: string }>(
    db,
    'SELECT id, staff_no FROM staff WHERE tenant_id = $1 AND staff_no = ANY($2::text[])',
    [tenant, all('staffNo')],
  );
  const phones = await run<{ id: number; phone: string }>(
    db,
    `SELECT id, phone FROM staff WHERE state <> 'left' AND phone = ANY($1::text[])`,
    [all('phone')],
  );
  return {
    departments: nameIndex(departments),
    stations: nameIndex(stations),
    projects: nameIndex(projects),
    groups,
    beyondReach,
    accounts: new Map(
      accounts.map(({ account, tenant, ...row }) => [
        account,
        { ...row, foreign: isForeign(caller, tenant) },
      ]),
    ),
    numbers: new Map(numbers.map((row) => [row.staff_no, row.id])),
    phones: new Map(phones.map((row) => [row.phone, row.id])),
  };
}

/** The entries of a cell that holds several, separated by 、, comma or semicolon. */
export function parts(value: string | undefined): string[] {
  return (value ?? '')
    .split(/[、,，;；]/)
    .map((part) => part.trim())
    .filter(Boolean);
}
