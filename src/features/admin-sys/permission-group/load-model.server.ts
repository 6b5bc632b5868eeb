import { run, type Executor } from '../../../kernel/server/database.ts';
import type { DataScope, Grants } from './grant-diff.rules.ts';
import { grantsOfState, type GroupState, type MemberState } from './grant-history.server.ts';
import type { ModelGroup, ModelMember, ModelStaff, PermissionModel } from './permission-model.server.ts';

/** What the model is loaded for. */
export interface ModelRequest {
  /** Only what concerns these staff; absent: everybody who is not left. */
  readonly staffIds?: readonly number[];
  /** Groups whose grants are wanted although none of the staff holds them: for what would be. */
  readonly groupIds?: readonly number[];
  /** A past instant, answered from the history; absent: now, from the tables. */
  readonly at?: Date | undefined;
}

/** Loads the rules' view of groups, members, grants and staff, now or at a past instant. */
export async function loadModel(db: Executor, request: ModelRequest = {}): Promise<PermissionModel> {
  const staff = await loadStaff(db, request);
  const parts = request.at
    ? await partsAt(db, request.at, request.staffIds)
    : await partsNow(db, request.staffIds, request.groupIds);
  const memberships = new Map<number, ModelMember[]>();
  for (const member of parts.members) {
    const list = memberships.get(member.staffId);
    if (list) list.push(member);
    else memberships.set(member.staffId, [member]);
  }
  const menus = await run<{ code: string; modeOf: string | null; parents: string[] }>(
    db,
    `SELECT m.code, m.mode_of AS "modeOf",
            array(SELECT p.parent_code FROM menu_place p WHERE p.menu_code = m.code AND p.parent_code IS NOT NULL) AS parents
       FROM menu m WHERE m.built AND NOT m.retired`,
  );
  const elements = await run<{ code: string; menu: string }>(
    db,
    `SELECT e.code, e.menu_code AS menu FROM element e JOIN menu m ON m.code = e.menu_code
      WHERE NOT e.retired AND m.built AND NOT m.retired`,
  );
  const departments = await run<{ id: number; parentId: number | null }>(
    db,
    'SELECT id, parent_id AS "parentId" FROM department',
  );
  const parents = request.at
    ? await valuesAt(db, request.at, { entities: ['department', 'allDepartment'], field: 'parent_id' })
    : new Map<number, number | null>();
  return {
    at: (request.at ?? parts.clock).getTime(),
    groups: parts.groups,
    grants: parts.grants,
    memberships,
    staff,
    menus,
    elements,
    departments: new Map(
      departments.map((one) => [one.id, parents.has(one.id) ? parents.get(one.id)! : one.parentId]),
    ),
  };
}

interface Parts {
  readonly clock: Date;
  readonly groups: ReadonlyMap<number, ModelGroup>;
  readonly members: readonly ModelMember[];
  readonly grants: ReadonlyMap<number, Grants>;
}

async function partsNow(
  db: Executor,
  staffIds: readonly number[] | undefined,
  groupIds: readonly number[] = [],
): Promise<Parts> {
  const groups = await loadGroups(db);
  const rows = await run<Omit<ModelMember, 'expiresAt'> & { expiresAt: Date | null }>(
    db,
    `SELECT group_id AS "groupId", staff_id AS "staffId", kind, source, expires_at AS "expiresAt" FROM group_member
      WHERE $1::bigint[] IS NULL OR staff_id = ANY($1::bigint[])`,
    [staffIds ?? null],
  );
  const members = rows.map((row) => ({ ...row, expiresAt: row.expiresAt?.getTime() ?? null }));
  // Only groups somebody of the asked ones can reach are worth their grants.
  const wanted = staffIds ? reachable(groups, members, groupIds) : undefined;
  const menus = await run<{ groupId: number; code: string; dataScope: DataScope; departmentIds: number[] }>(
    db,
    `SELECT group_id AS "groupId", menu_code AS code, data_scope AS "dataScope", department_ids AS "departmentIds" FROM menu_grant
      WHERE $1::bigint[] IS NULL OR group_id = ANY($1::bigint[])`,
    [wanted ?? null],
  );
  const elements = await run<{ groupId: number; codes: string[] }>(
    db,
    `SELECT group_id AS "groupId", array_agg(element_code) AS codes FROM element_grant
      WHERE $1::bigint[] IS NULL OR group_id = ANY($1::bigint[]) GROUP BY group_id`,
    [wanted ?? null],
  );
  const grants = new Map<number, { menus: Grants['menus'][number][]; elements: readonly string[] }>();
  for (const id of groups.keys()) grants.set(id, { menus: [], elements: [] });
  for (const { groupId, ...menu } of menus) grants.get(groupId)?.menus.push(menu);
  for (const one of elements) {
    const entry = grants.get(one.groupId);
    if (entry) entry.elements = one.codes;
  }
  const [clock] = await run<{ at: Date }>(db, 'SELECT now() AS at');
  return { clock: clock!.at, groups, members, grants };
}

async function partsAt(db: Executor, at: Date, staffIds: readonly number[] | undefined): Promise<Parts> {
  const rows = await run<{
    groupId: number;
    kind: string;
    state: GroupState & MemberState & Grants;
    early: boolean;
  }>(
    db,
    // Where the history begins later than asked, its first row is the nearest there is.
    `SELECT DISTINCT ON (group_id, kind) group_id AS "groupId", kind, state, at <= $1 AS early FROM grant_history
      ORDER BY group_id, kind, at <= $1 DESC, CASE WHEN at <= $1 THEN at END DESC, CASE WHEN at > $1 THEN at END, id * CASE WHEN at <= $1 THEN -1 ELSE 1 END`,
    [at],
  );
  const kept = new Map(rows.map((row) => [`${row.groupId}/${row.kind}`, row]));
  const current = await partsNow(db, undefined);
  const made = await run<{ id: number }>(db, 'SELECT id FROM permission_group WHERE created_at <= $1', [at]);
  const existed = new Set(made.map((row) => row.id));
  const groups = new Map<number, ModelGroup>();
  for (const id of new Set([...rows.map((row) => row.groupId), ...current.groups.keys()])) {
    const row = kept.get(`${id}/group`);
    if (row?.early) {
      if (!row.state.deleted) groups.set(id, { id, ...row.state });
    } else if (existed.has(id)) groups.set(id, row ? { id, ...row.state } : current.groups.get(id)!);
  }
  const grants = new Map<number, Grants>();
  const members: ModelMember[] = [];
  const only = staffIds ? new Set(staffIds) : undefined;
  for (const id of groups.keys()) {
    const grant = kept.get(`${id}/grant`);
    grants.set(
      id,
      grant ? grantsOfState(grant.state) : (current.grants.get(id) ?? { menus: [], elements: [] }),
    );
    const member = kept.get(`${id}/member`);
    const list = member
      ? member.state.members.map((one) => ({
          ...one,
          groupId: id,
          expiresAt: one.expiresAt === null ? null : Date.parse(one.expiresAt),
        }))
      : current.members.filter((one) => one.groupId === id);
    for (const one of list) if (!only || only.has(one.staffId)) members.push(one);
  }
  return { clock: at, groups, members, grants };
}

async function loadGroups(db: Executor): Promise<Map<number, ModelGroup>> {
  const rows = await run<ModelGroup>(
    db,
    `SELECT g.id, g.parent_id AS "parentId", g.inherit, g.enabled, g.department_id AS "departmentId", t.code AS type,
            g.code, g.name, g.built_in AS "builtIn"
       FROM permission_group g JOIN group_type t ON t.id = g.type_id`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

async function loadStaff(
  db: Executor,
  { staffIds, at }: ModelRequest,
): Promise<ReadonlyMap<number, ModelStaff>> {
  const rows = await run<{
    id: number;
    name: string;
    account: string;
    departmentId: number | null;
    kind: number;
  }>(
    db,
    `SELECT s.id, s.name, s.account, s.department_id AS "departmentId", n.kind FROM staff s JOIN tenant n ON n.id = s.tenant_id
      WHERE CASE WHEN $1::bigint[] IS NULL THEN s.state <> 'left' ELSE s.id = ANY($1::bigint[]) END`,
    [staffIds ?? null],
  );
  const moved = at
    ? await valuesAt(db, at, {
        entities: ['staff', 'projectStaff', 'allStaff'],
        field: 'department_id',
        ids: staffIds,
      })
    : new Map<number, number | null>();
  return new Map(
    rows.map(({ kind, ...row }) => [
      row.id,
      {
        ...row,
        departmentId: moved.has(row.id) ? moved.get(row.id)! : row.departmentId,
        isPlatform: kind === 3,
      },
    ]),
  );
}

/** A reference of rows as it was at an instant, for those that changed since: what the first change after it replaced. */
async function valuesAt(
  db: Executor,
  at: Date,
  what: {
    readonly entities: readonly string[];
    readonly field: string;
    readonly ids?: readonly number[] | undefined;
  },
): Promise<Map<number, number | null>> {
  const rows = await run<{ id: number; before: number | string | null }>(
    db,
    `SELECT DISTINCT ON (e.entity_id) e.entity_id AS id, c->'before' AS before
       FROM entity_event e CROSS JOIN LATERAL jsonb_array_elements(e.changes) c
      WHERE e.entity = ANY($1::text[]) AND e.at > $2 AND c->>'field' = $3
        AND ($4::bigint[] IS NULL OR e.entity_id = ANY($4::bigint[]))
      ORDER BY e.entity_id, e.at, e.id`,
    [what.entities, at, what.field, what.ids ?? null],
  );
  return new Map(rows.map((row) => [row.id, row.before === null ? null : Number(row.before)]));
}

function reachable(
  groups: ReadonlyMap<number, ModelGroup>,
  members: readonly ModelMember[],
  also: readonly number[],
): number[] {
  const found = new Set<number>();
  const climb = (id: number | null): void => {
    if (id === null || found.has(id)) return;
    found.add(id);
    climb(groups.get(id)?.parentId ?? null);
  };
  for (const member of members) climb(member.groupId);
  for (const id of also) climb(id);
  for (const group of groups.values()) if (group.departmentId !== null) climb(group.id);
  return [...found];
}
