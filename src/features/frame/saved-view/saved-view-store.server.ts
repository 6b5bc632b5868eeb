import { randomBytes } from 'node:crypto';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { belongsToGroup } from '../../../domain/permission/effective-permissions.server.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';

/** A row of saved_view with the name of its group. */
export interface ViewRow {
  readonly id: number;
  readonly menu: string;
  readonly owner_id: number;
  readonly name: string;
  readonly group_id: number | null;
  readonly group_name: string | null;
  readonly share_key: string | null;
  readonly is_default: boolean;
  readonly is_group_default: boolean;
  readonly filters: Readonly<Record<string, unknown>>;
  readonly columns: readonly unknown[];
  readonly sort: string;
  readonly page_size: number;
  readonly version: number;
  /** The asking staff is of the group. */
  readonly in_group: boolean;
  /** The asking staff may hand views to the group. */
  readonly may_share: boolean;
}

/** What is written of a view. Null columns, sort and page size: those of the product. */
export interface ViewContent {
  readonly name: string;
  readonly filters: Readonly<Record<string, unknown>>;
  readonly columns: readonly unknown[] | null;
  readonly sort: string | null;
  readonly pageSize: number | null;
  readonly shared: boolean;
  readonly groupId: string | null;
  readonly isDefault: boolean;
  readonly isGroupDefault: boolean;
}

/**
 * A view as the page gets it. Only the owner learns the share key, and who came with it gets it back; the group is named
 * to who is of it or may share with it.
 */
export function wireOf(row: ViewRow, staffId: number, key?: string) {
  const own = row.owner_id === staffId;
  const knowsGroup = row.in_group || row.may_share;
  const columns = row.columns.length > 0 ? row.columns : null;
  return {
    id: String(row.id),
    name: row.name,
    menu: row.menu,
    own,
    shared: row.share_key !== null || row.group_id !== null,
    shareKey: own || row.share_key === key ? row.share_key : null,
    // The owner sends the view back as it came.
    groupId: row.group_id === null || !(own || knowsGroup) ? null : String(row.group_id),
    groupName: knowsGroup ? row.group_name : null,
    canWithdraw: !own && row.in_group && row.may_share,
    isDefault: own && row.is_default,
    isGroupDefault: row.is_group_default,
    filters: row.filters,
    columns,
    sort: row.sort || null,
    pageSize: row.page_size,
    version: row.version,
  };
}

/** Own views, then those of the caller's groups, then the one of the share key; each in order of name. */
export async function visibleViews(
  db: Executor,
  caller: Caller,
  menu: string,
  key?: string,
): Promise<ViewRow[]> {
  return viewsOf(db, caller, (bind) => {
    const staff = bind(caller.staffId);
    return `WHERE v.menu = ${bind(menu)} AND (v.owner_id = ${staff} OR v.share_key = ${bind(key ?? null)} OR ${belongsToGroup('v.group_id', staff)})
      ORDER BY v.owner_id <> ${staff}, ${nameOrder('v.name')}, v.id`;
  });
}

/** All own views in order of menu and name, whichever menus the staff holds today. */
export async function ownViews(db: Executor, caller: Caller): Promise<ViewRow[]> {
  return viewsOf(
    db,
    caller,
    (bind) => `WHERE v.owner_id = ${bind(caller.staffId)} ORDER BY v.menu, ${nameOrder('v.name')}, v.id`,
  );
}

/** SQL: group `g` is one the caller manages, inside the data scope of the screen of groups. */
function manages(caller: Caller, parameters: Parameters): string {
  const place = { tenant: 'g.tenant_id', project: 'none', owner: 'g.created_by' } as const;
  return `coalesce(${scopeCondition(caller, 'groupManager', place, parameters)}, false)`;
}

/** SQL: the staff leads group `g` now. */
const leads = (staff: string): string => `EXISTS (
  SELECT FROM group_member m WHERE m.group_id = g.id AND m.staff_id = ${staff} AND m.kind = 'leader'
     AND (m.expires_at IS NULL OR m.expires_at > now()))`;

/** SQL: the caller may hand views to group `g`, an enabled one it leads or manages. */
const sharesWith = (caller: Caller, parameters: Parameters): string =>
  `(g.enabled AND (${manages(caller, parameters)} OR ${leads(parameters.bind(caller.staffId))}))`;

/** Groups the caller may hand views to: enabled ones it leads, or manages. */
export async function groupsToShareWith(
  db: Executor,
  caller: Caller,
  query: { searchVal: string; ids: readonly string[]; offset: number; limit: number },
): Promise<{ id: string; title: string }[]> {
  const parameters = new Parameters();
  const parts = [sharesWith(caller, parameters)];
  const named = query.ids.length > 0;
  if (named) parts.push(`g.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
  if (query.searchVal)
    parts.push(`position(lower(${parameters.bind(query.searchVal)}) IN lower(g.name)) > 0`);
  const rows = await run<{ id: number; name: string }>(
    db,
    `SELECT g.id, g.name FROM permission_group g WHERE ${parts.join(' AND ')}
      ORDER BY ${nameOrder('g.name')}, g.id LIMIT ${parameters.bind(named ? 500 : query.limit)} OFFSET ${parameters.bind(named ? 0 : query.offset)}`,
    parameters.values,
  );
  return rows.map((row) => ({ id: String(row.id), title: row.name }));
}

/** The view of a share link, or undefined. */
export async function sharedView(db: Executor, caller: Caller, key: string): Promise<ViewRow | undefined> {
  return key === ''
    ? undefined
    : (await viewsOf(db, caller, (bind) => `WHERE v.share_key = ${bind(key)}`))[0];
}

/** A view by id, or undefined; `lock` keeps it until the transaction ends. */
export async function viewById(
  db: Executor,
  caller: Caller,
  id: number,
  lock = false,
): Promise<ViewRow | undefined> {
  return (
    await viewsOf(db, caller, (bind) => `WHERE v.id = ${bind(id)}${lock ? ' FOR UPDATE OF v' : ''}`)
  )[0];
}

/** Makes changes to the views of a staff and menu stand in line, so that limits and defaults hold. */
export async function lockViews(tx: Executor, staffId: number, menu: string): Promise<void> {
  await run(tx, `SELECT pg_advisory_xact_lock(hashtextextended('savedView:' || $2, $1))`, [staffId, menu]);
}

/** Number of views of a staff for a menu. */
export async function countViews(tx: Executor, staffId: number, menu: string): Promise<number> {
  const row = await runOne<{ count: number }>(
    tx,
    'SELECT count(*) AS count FROM saved_view WHERE owner_id = $1 AND menu = $2',
    [staffId, menu],
  );
  return row!.count;
}

/** True when another view of the staff and menu has the name. */
export async function isNameTaken(
  tx: Executor,
  staffId: number,
  menu: string,
  name: string,
  except?: number,
): Promise<boolean> {
  const row = await runOne(
    tx,
    'SELECT FROM saved_view WHERE owner_id = $1 AND menu = $2 AND name = $3 AND id <> $4',
    [staffId, menu, name, except ?? 0],
  );
  return row !== undefined;
}

/** True when the caller may hand views to the group: its leader, or who manages it. */
export async function mayShareWith(tx: Executor, caller: Caller, groupId: number): Promise<boolean> {
  const parameters = new Parameters();
  const row = await runOne(
    tx,
    `SELECT FROM permission_group g WHERE g.id = ${parameters.bind(groupId)} AND ${sharesWith(caller, parameters)}`,
    parameters.values,
  );
  return row !== undefined;
}

/** Inserts a view and returns its id. Defaults of the same owner or group give way. */
export async function insertView(
  tx: Executor,
  staffId: number,
  menu: string,
  content: ViewContent,
): Promise<number> {
  await clearDefaults(tx, staffId, menu, content, 0);
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO saved_view (menu, owner_id, name, filters, columns, sort, page_size, group_id, share_key, is_default, is_group_default)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CASE WHEN $9 THEN $10::text END, $11, $12) RETURNING id`,
    [menu, staffId, ...valuesOf(content)],
  );
  return row!.id;
}

/** Writes a view; its share key stays while it is shared. */
export async function updateView(
  tx: Executor,
  id: number,
  staffId: number,
  menu: string,
  content: ViewContent,
): Promise<void> {
  await clearDefaults(tx, staffId, menu, content, id);
  await run(
    tx,
    `UPDATE saved_view SET name = $2, filters = $3, columns = $4, sort = $5, page_size = $6, group_id = $7,
            share_key = CASE WHEN $8 THEN coalesce(share_key, $9::text) END, is_default = $10, is_group_default = $11,
            version = version + 1, updated_at = now()
      WHERE id = $1`,
    [id, ...valuesOf(content)],
  );
}

/** Takes a view away from its group; its owner and its link keep it. */
export async function withdrawView(tx: Executor, id: number): Promise<void> {
  await run(
    tx,
    `UPDATE saved_view SET group_id = NULL, is_group_default = false, version = version + 1, updated_at = now() WHERE id = $1`,
    [id],
  );
}

/** Deletes a view. */
export async function deleteView(tx: Executor, id: number): Promise<void> {
  await run(tx, 'DELETE FROM saved_view WHERE id = $1', [id]);
}

/** Views with what the asking staff is to their group; `rest` gives condition and order over `v`. */
async function viewsOf(
  db: Executor,
  caller: Caller,
  rest: (bind: (value: unknown) => string) => string,
): Promise<ViewRow[]> {
  const parameters = new Parameters();
  return run<ViewRow>(
    db,
    `SELECT v.id, v.menu, v.owner_id, v.name, v.group_id, g.name AS group_name, v.share_key, v.is_default, v.is_group_default,
            v.filters, v.columns, v.sort, v.page_size, v.version,
            ${belongsToGroup('v.group_id', parameters.bind(caller.staffId))} AS in_group,
            coalesce(${sharesWith(caller, parameters)}, false) AS may_share
       FROM saved_view v LEFT JOIN permission_group g ON g.id = v.group_id
      ${rest((value) => parameters.bind(value))}`,
    parameters.values,
  );
}

const PAGE_SIZE = 20;

/** What members of its group see of a view as it is written, in the words of `storedForGroup`. */
export function seenByGroup(content: ViewContent) {
  return {
    name: content.name,
    filters: content.filters,
    columns: content.columns ?? [],
    sort: content.sort ?? '',
    pageSize: content.pageSize ?? PAGE_SIZE,
    groupId: content.groupId,
    isGroupDefault: content.isGroupDefault,
  };
}

/** What members of its group see of a stored view. */
export function storedForGroup(row: ViewRow): ReturnType<typeof seenByGroup> {
  return {
    name: row.name,
    filters: row.filters,
    columns: row.columns,
    sort: row.sort,
    pageSize: row.page_size,
    groupId: row.group_id === null ? null : String(row.group_id),
    isGroupDefault: row.is_group_default,
  };
}

function valuesOf(content: ViewContent): unknown[] {
  return [
    content.name,
    JSON.stringify(content.filters),
    JSON.stringify(content.columns ?? []),
    content.sort ?? '',
    content.pageSize ?? PAGE_SIZE,
    content.groupId === null ? null : Number(content.groupId),
    content.shared,
    randomBytes(16).toString('base64url'),
    content.isDefault,
    content.isGroupDefault,
  ];
}

/** There is one default per owner and one per group. */
async function clearDefaults(
  tx: Executor,
  staffId: number,
  menu: string,
  content: ViewContent,
  except: number,
): Promise<void> {
  if (content.isDefault)
    await run(
      tx,
      'UPDATE saved_view SET is_default = false WHERE menu = $1 AND owner_id = $2 AND is_default AND id <> $3',
      [menu, staffId, except],
    );
  if (content.isGroupDefault && content.groupId !== null)
    await run(
      tx,
      'UPDATE saved_view SET is_group_default = false WHERE menu = $1 AND group_id = $2 AND is_group_default AND id <> $3',
      [menu, Number(content.groupId), except],
    );
}
