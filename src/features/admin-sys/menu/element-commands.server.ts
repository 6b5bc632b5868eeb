import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { STALE } from '../../../kernel/server/resource/run-action.ts';
import { notifyAllChanged } from '../../../kernel/server/people/session-changes.ts';
import { elementFields } from './menu.contract.ts';
import { CODE_EXISTS, requirePlatform, requireUngranted, type Doing } from './menu-commands.server.ts';
import { checked, type MenuInput } from './menu-input.server.ts';

/** SQL: group `g` is one the caller may know of; `$2` and `$3` come from {@link sightOf}. */
export const GROUPS_IN_SIGHT = '($2 OR g.tenant_id = $3)';

/** The values of {@link GROUPS_IN_SIGHT}: the platform knows the groups of all companies. */
export function sightOf(caller: Caller): readonly [boolean, number] {
  return [caller.tenantKind === 3, caller.tenantId];
}

/** Elements of a menu with how many groups hold each and what each opens. */
export async function listElements(
  db: Executor,
  caller: Caller,
  menu: string,
  opened: ReadonlyMap<string, readonly string[]>,
): Promise<object[]> {
  const rows = await run<{ code: string } & Record<string, unknown>>(
    db,
    `SELECT e.code, e.type, e.name_zh AS name, e.name_en AS "nameEn", e.uri, e.method, e.description, e.built_in AS "builtIn", e.retired, e.version,
            (SELECT count(*) FROM element_grant x JOIN permission_group g ON g.id = x.group_id WHERE x.element_code = e.code AND ${GROUPS_IN_SIGHT}) AS groups
       FROM element e WHERE e.menu_code = $1 ORDER BY e.retired, e.code`,
    [menu, ...sightOf(caller)],
  );
  return rows.map((row) => ({ id: row.code, ...row, endpoints: opened.get(row.code) ?? [] }));
}

/** Adds an element to a menu; only platform_admin holds it at first. */
export async function createElement(tx: Tx, doing: Doing, menu: string, input: MenuInput): Promise<void> {
  requirePlatform(doing.caller);
  const values = checked(elementFields, Object.keys(elementFields), input, false);
  const code = String(values.code);
  if (!code.startsWith(`${menu}:`))
    throw invalid({ code: [`编码须以 ${menu}: 开头`, `The code must begin with ${menu}:`] });
  if (!(await runOne(tx, 'SELECT 1 FROM menu WHERE code = $1 AND built AND NOT retired FOR UPDATE', [menu])))
    throw notFound();
  if (await runOne(tx, 'SELECT 1 FROM element WHERE lower(code) = lower($1)', [code]))
    throw ruleBroken(CODE_EXISTS);
  await run(
    tx,
    `INSERT INTO element (code, menu_code, name_zh, name_en, type, uri, method, description, built_in, updated_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, false, $9)`,
    [
      code,
      menu,
      values.name,
      values.nameEn,
      values.type,
      values.uri ?? '',
      values.method,
      values.description ?? '',
      doing.caller.staffId,
    ],
  );
  await writeAudit(tx, {
    ...doing,
    menu: 'menuManager',
    action: 'create',
    entity: 'element',
    entityId: code,
    after: values,
  });
  await notifyAllChanged(tx);
}

/** Changes an element; of a built-in one only name and description, the rest comes with the release. */
export async function updateElement(
  tx: Tx,
  doing: Doing,
  code: string,
  version: number,
  input: MenuInput,
): Promise<void> {
  requirePlatform(doing.caller);
  const element = await lockElement(tx, code);
  if (element.version !== version) throw ruleBroken(STALE, { current: { ...element, id: element.code } });
  const columns: Readonly<Record<string, string>> = {
    name: 'name_zh',
    nameEn: 'name_en',
    description: 'description',
    ...(element.built_in ? {} : { type: 'type', uri: 'uri', method: 'method' }),
  };
  const values = checked(elementFields, Object.keys(columns), input, true);
  const set = Object.entries(values);
  await run(
    tx,
    `UPDATE element SET ${set.map(([name], index) => `${columns[name]} = $${index + 3}, `).join('')}version = version + 1, updated_at = now(), updated_by = $2 WHERE code = $1`,
    [code, doing.caller.staffId, ...set.map(([, value]) => value ?? '')],
  );
  await writeAudit(tx, {
    ...doing,
    menu: 'menuManager',
    action: 'update',
    entity: 'element',
    entityId: code,
    before: element,
    after: values,
  });
  await notifyAllChanged(tx);
}

/** Deletes an own element that no group holds. */
export async function removeElement(tx: Tx, doing: Doing, code: string): Promise<void> {
  requirePlatform(doing.caller);
  const element = await lockElement(tx, code);
  if (element.built_in) throw ruleBroken(['内置按钮不能删除', 'A built-in element cannot be deleted']);
  await requireUngranted(tx, [], [code]);
  await run(tx, 'DELETE FROM element WHERE code = $1', [code]);
  await writeAudit(tx, {
    ...doing,
    menu: 'menuManager',
    action: 'remove',
    entity: 'element',
    entityId: code,
    before: element,
  });
  await notifyAllChanged(tx);
}

/** Groups that hold an element: of every company for the platform, of the own one for everybody else. */
export async function groupsWith(db: Executor, caller: Caller, code: string): Promise<object[]> {
  const rows = await run<{ id: number } & Record<string, unknown>>(
    db,
    `SELECT g.id, g.name, g.code, n.name AS tenant FROM element_grant e JOIN permission_group g ON g.id = e.group_id JOIN tenant n ON n.id = g.tenant_id
      WHERE e.element_code = $1 AND ${GROUPS_IN_SIGHT} ORDER BY g.name`,
    [code, ...sightOf(caller)],
  );
  return rows.map((row) => ({ ...row, id: String(row.id) }));
}

async function lockElement(
  tx: Tx,
  code: string,
): Promise<{ code: string; built_in: boolean; version: number }> {
  const row = await runOne<{ code: string; built_in: boolean; version: number }>(
    tx,
    'SELECT code, name_zh AS name, name_en AS "nameEn", type, uri, method, description, built_in, version FROM element WHERE code = $1 FOR UPDATE',
    [code],
  );
  if (!row) throw notFound();
  return row;
}
