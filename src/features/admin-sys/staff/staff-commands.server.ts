import { fill, textOf, type Label, type Language } from '../../../kernel/contract/label.ts';
import { ONE_TIME_DAYS } from '../../../kernel/contract/password.rules.ts';
import {
  differences,
  writeAudit,
  writeTimeline,
  type FieldChange,
} from '../../../kernel/server/audit/audit.ts';
import { holds, type Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { forbidden, invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { notifyStaffChanged } from '../../../kernel/server/people/session-changes.ts';
import { queueSms } from '../../../domain/message/queue-message.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import {
  projectIdsInReach,
  requireProjectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import { PLATFORM_ADMIN_GROUP } from '../../../domain/permission/effective-permissions.server.ts';
import { keepBaseline } from '../permission-group/grant-history.server.ts';
import { cannotGrant, missingRights, writeMemberHistory } from '../permission-group/grant-rules.server.ts';
import { keepOwnRights, rightsOverTime, takeTurn } from '../permission-group/own-right.server.ts';
import { protectAdministrators } from '../permission-group/reach-rules.server.ts';
import { projectsOfStaff } from '../permission-group/staff-caller.server.ts';
import { projectsInScope } from '../../base-data/places/places.server.ts';

/** Name of staff in timelines and audit records, whatever view they were changed through. */
export const STAFF = 'staff';

/** True when the caller sees phones and e-mails of staff in clear on one of their screens. */
export function mayReveal(caller: Caller): boolean {
  return ['userManager', 'allUserManager', 'userManager1'].some((menu) =>
    holds(caller, `${menu}:btn_reveal`),
  );
}

export const SELF: Label = ['不能对自己执行该操作', 'You cannot do this to yourself'];
const NOT_ALL: Label = [
  '您未负责全部项目，不能开启或取消“全部项目”，请由负责全部项目的管理员操作',
  'You do not work in all projects, so you cannot switch "all projects" on or off: ask an administrator who works in all of them',
];
const OWN_PROJECTS: Label = [
  '不能给自己增加项目，请由其他管理员操作',
  'Nobody gives itself projects: ask another administrator to do it',
];
const PROJECTS_CHANGED: Label = [
  '您负责的项目刚刚发生变更，请刷新页面后重试',
  'Your projects have just changed, please reload the page and try again',
];
const LAST_ADMINISTRATOR: Label = [
  '至少保留一名平台管理员',
  'At least one platform administrator must remain',
];

/**
 * Refuses (30101) when the staff is the last platform administrator who can sign in. Locks the group, so that two
 * administrators who disable each other at once cannot both succeed; without `lock` it only says so early.
 */
export async function keepOneAdministrator(tx: Tx, leaving: number, lock = true): Promise<void> {
  const group = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM permission_group WHERE code = $1${lock ? ' FOR UPDATE' : ''}`,
    [PLATFORM_ADMIN_GROUP],
  );
  if (!group) return;
  const isMember = await runOne(tx, 'SELECT 1 FROM group_member WHERE group_id = $1 AND staff_id = $2', [
    group.id,
    leaving,
  ]);
  if (!isMember) return;
  const other = await runOne(
    tx,
    `SELECT 1 FROM group_member m JOIN staff s ON s.id = m.staff_id
     WHERE m.group_id = $1 AND m.staff_id <> $2 AND s.state = 'normal' AND m.expires_at IS NULL LIMIT 1`,
    [group.id, leaving],
  );
  if (!other) throw ruleBroken(LAST_ADMINISTRATOR);
}

/**
 * Makes the groups of a staff exactly those given. Adding needs that the caller holds every right of the group; groups of
 * other tenants answer 404. Removing the last platform administrator is refused.
 */
export async function setGroups(
  tx: Tx,
  caller: Caller,
  staffId: number,
  groupIds: readonly number[],
): Promise<FieldChange[]> {
  await takeTurn(tx);
  const before = await run<{ group_id: number; code: string }>(
    tx,
    `SELECT m.group_id, g.code FROM group_member m JOIN permission_group g ON g.id = m.group_id WHERE m.staff_id = $1 AND m.source = 'manual'`,
    [staffId],
  );
  const had = new Set(before.map((row) => row.group_id));
  const wanted = new Set(groupIds);
  const added = [...wanted].filter((id) => !had.has(id));
  const removed = before.filter((row) => !wanted.has(row.group_id));
  if (added.length === 0 && removed.length === 0) return [];
  const names = await namesOf(tx, 'groups', staffId);
  await protectAdministrators(tx, caller, staffId);
  // Whoever may edit a person may not by that alone change what the person can do.
  if (!caller.elements.has('userManager:btn_group')) throw forbidden();
  await requireOwnGroups(tx, caller, staffId, added);
  const missing = await missingRights(tx, caller, added);
  if (missing.length > 0) throw cannotGrant(missing);
  if (removed.some((row) => row.code === PLATFORM_ADMIN_GROUP)) await keepOneAdministrator(tx, staffId);
  const own = staffId === caller.staffId ? await rightsOverTime(tx, staffId) : undefined;
  await keepBaseline(tx, [...added, ...removed.map((row) => row.group_id)]);
  if (removed.length > 0)
    await run(tx, 'DELETE FROM group_member WHERE staff_id = $1 AND group_id = ANY($2::bigint[])', [
      staffId,
      removed.map((row) => row.group_id),
    ]);
  for (const id of added)
    await run(tx, 'INSERT INTO group_member (group_id, staff_id, created_by) VALUES ($1, $2, $3)', [
      id,
      staffId,
      caller.staffId,
    ]);
  for (const id of [...added, ...removed.map((row) => row.group_id)])
    await writeMemberHistory(tx, caller, id, '');
  await notifyStaffChanged(tx, staffId);
  if (own) await keepOwnRights(tx, caller, own);
  return [{ field: 'groups', before: names, after: await namesOf(tx, 'groups', staffId) }];
}

/**
 * Makes the projects of a staff those given; others the staff works in, which the caller does not, stay. Projects the
 * caller does not work in answer 404, whatever the staff works in; those of a platform administrator are for platform
 * administrators. "All projects" is switched on and off by those who have it, and nobody gives itself projects.
 */
export async function setProjects(
  tx: Tx,
  caller: Caller,
  staffId: number,
  projectIds: readonly number[],
  all: boolean | null | undefined,
): Promise<FieldChange[]> {
  requireProjectsInReach(caller, projectIds);
  await takeTurn(tx);
  await protectAdministrators(tx, caller, staffId);
  const now = await runOne<{ all_projects: boolean; own: boolean }>(
    tx,
    'SELECT s.all_projects, o.all_projects AS own FROM staff s, staff o WHERE s.id = $1 AND o.id = $2',
    [staffId, caller.staffId],
  );
  const hadAll = now!.all_projects;
  const hasAll = all ?? hadAll;
  // For somebody without the flag both directions are out of reach: it would give, or take, projects it does not see.
  if (hasAll !== hadAll && !now!.own) throw ruleBroken(NOT_ALL);
  const held = new Set(
    (await projectsInScope(tx, caller, { includeStopped: true })).map((project) => project.id),
  );
  const names = await namesOf(tx, 'projects', staffId);
  const before = await projectIdsOf(tx, staffId);
  for (const id of projectIds) if (!held.has(id) && !before.includes(id)) throw notFound();
  const added = projectIds.filter((id) => !before.includes(id));
  const joins = added.length > 0;
  if (joins) await requireStillHeld(tx, caller, added);
  // Whoever lays down "all projects" keeps some of them.
  if (joins && staffId === caller.staffId && !(hadAll && !hasAll)) throw ruleBroken(OWN_PROJECTS);
  if (all === true || joins) await requireColleagues(tx, caller, [staffId]);
  // Projects the caller cannot see stay as they are.
  const kept = before.filter((id) => !held.has(id));
  await run(tx, 'DELETE FROM staff_project WHERE staff_id = $1', [staffId]);
  await run(tx, 'INSERT INTO staff_project (staff_id, project_id) SELECT $1, unnest($2::bigint[])', [
    staffId,
    [...new Set([...projectIds, ...kept])],
  ]);
  if (hasAll !== hadAll) await run(tx, 'UPDATE staff SET all_projects = $2 WHERE id = $1', [staffId, hasAll]);
  await notifyStaffChanged(tx, staffId);
  return differences(
    { projects: names, all_projects: hadAll },
    { projects: await namesOf(tx, 'projects', staffId), all_projects: hasAll },
  );
}

/** Refuses (30101) projects to be given in which the caller does not work at this moment, whatever it did when the call came in. */
async function requireStillHeld(tx: Tx, caller: Caller, projectIds: readonly number[]): Promise<void> {
  const now = await projectsOfStaff(tx, caller.staffId);
  if (now !== null && !projectIds.every((id) => now.includes(id))) throw ruleBroken(PROJECTS_CHANGED);
}

/**
 * Refuses (30101) to take staff into projects who work in others only, none of which the caller sees: by that alone it
 * would see their details and sign-ins, and could disable them. Whoever sees them among the users sees all that already;
 * staff without projects are free. See docs/decisions/0009.
 */
export async function requireColleagues(tx: Tx, caller: Caller, staffIds: readonly number[]): Promise<void> {
  if (caller.projectIds === null) return;
  const parameters = new Parameters();
  const ids = parameters.bind(staffIds);
  const own = parameters.bind(caller.projectIds);
  const users = scopeCondition(caller, 'userManager', STAFF_SCOPE, parameters);
  const strangers = await run<{ name: string }>(
    tx,
    `SELECT t.name FROM staff t WHERE t.id = ANY(${ids}::bigint[]) AND NOT t.all_projects AND (${users}) IS NOT TRUE
        AND EXISTS (SELECT FROM staff_project sp WHERE sp.staff_id = t.id)
        AND NOT EXISTS (SELECT FROM staff_project sp WHERE sp.staff_id = t.id AND sp.project_id = ANY(${own}::bigint[]))
      ORDER BY t.id LIMIT 5`,
    parameters.values,
  );
  if (strangers.length === 0) return;
  const names = (comma: string) => strangers.map((one) => one.name).join(comma);
  throw ruleBroken([
    `他们只在您范围外的项目工作，不能由您加入项目，请由负责其现有项目的人员，或在用户管理中能看到他们的管理员操作：${names('、')}`,
    `They work in projects only that are outside your scope. Somebody who works in these, or an administrator who sees them among the users, has to do it: ${names(', ')}`,
  ]);
}

/** Where a staff `t` stands among the users of the own tenant. */
export const STAFF_SCOPE = {
  tenant: 't.tenant_id',
  project: 'none',
  owner: 't.id',
  ownTenant: true,
} as const;

/** Staff as the list of users shows them. */
export const userSight = listSight({
  entity: STAFF,
  menu: 'userManager',
  table: 'staff',
  scope: STAFF_SCOPE,
});

/** Condition for staff (`t`) of one of the projects; who works in all of them works in these too. */
export function worksIn(ids: string): string {
  return `(t.all_projects AND cardinality(${ids}::bigint[]) > 0 OR ${attachedTo(ids)})`;
}

/** Condition for staff (`t`) who are attached to one of the projects one by one. */
export function attachedTo(ids: string): string {
  return `EXISTS (SELECT 1 FROM staff_project sp WHERE sp.staff_id = t.id AND sp.project_id = ANY(${ids}::bigint[]))`;
}

/** Projects a staff is attached to one by one; with a caller those the caller works in too. */
export async function projectIdsOf(
  tx: Executor,
  staffId: number,
  caller?: Caller,
): Promise<readonly number[]> {
  const rows = await run<{ project_id: number }>(
    tx,
    'SELECT project_id FROM staff_project WHERE staff_id = $1 ORDER BY project_id',
    [staffId],
  );
  const ids = rows.map((row) => row.project_id);
  return caller ? projectIdsInReach(caller, ids) : ids;
}

/** Makes the posts of a staff exactly those given, all of its own tenant. */
export async function setStations(
  tx: Tx,
  tenantId: number,
  staffId: number,
  stationIds: readonly number[],
): Promise<FieldChange[]> {
  const known = await run<{ id: number }>(
    tx,
    'SELECT id FROM station WHERE tenant_id = $1 AND id = ANY($2::bigint[])',
    [tenantId, stationIds],
  );
  if (known.length !== new Set(stationIds).size) throw notFound();
  const before = await namesOf(tx, 'stations', staffId);
  await run(tx, 'DELETE FROM staff_station WHERE staff_id = $1', [staffId]);
  await run(tx, 'INSERT INTO staff_station (staff_id, station_id) SELECT $1, unnest($2::bigint[])', [
    staffId,
    [...new Set(stationIds)],
  ]);
  return differences({ stations: before }, { stations: await namesOf(tx, 'stations', staffId) });
}

/**
 * Makes the staff of a post exactly those given. Whoever gets or loses it has that in the own timeline and in the audit
 * record, as with every other change of a staff: the caller need not see the staff, colleagues are no secret.
 */
export async function setStaffOfStation(
  tx: Tx,
  { caller, facts }: Pick<ActionContext, 'caller' | 'facts'>,
  station: { readonly id: number; readonly menu: string; readonly action: string; readonly label: Label },
  staffIds: readonly number[],
): Promise<{ readonly bound: readonly string[]; readonly released: readonly string[] }> {
  const changed = await run<{ id: number; name: string; binds: boolean }>(
    tx,
    `SELECT s.id, s.name, s.id = ANY($2::bigint[]) AS binds FROM staff s
      WHERE (s.id = ANY($2::bigint[])) <> EXISTS (SELECT FROM staff_station ss WHERE ss.staff_id = s.id AND ss.station_id = $1)
      ORDER BY s.id FOR NO KEY UPDATE`,
    [station.id, staffIds],
  );
  const before = new Map<number, object[]>();
  for (const { id } of changed) before.set(id, await namesOf(tx, 'stations', id));
  await run(tx, 'DELETE FROM staff_station WHERE station_id = $1 AND NOT staff_id = ANY($2::bigint[])', [
    station.id,
    staffIds,
  ]);
  await run(
    tx,
    'INSERT INTO staff_station (staff_id, station_id) SELECT unnest($2::bigint[]), $1 ON CONFLICT DO NOTHING',
    [station.id, staffIds],
  );
  await run(
    tx,
    'UPDATE staff SET version = version + 1, updated_at = now(), updated_by = $2 WHERE id = ANY($1::bigint[])',
    [changed.map((one) => one.id), caller.staffId],
  );
  for (const { id } of changed) {
    const [had, has] = [before.get(id)!, await namesOf(tx, 'stations', id)];
    await writeTimeline(tx, {
      entity: STAFF,
      entityId: id,
      caller,
      action: station.action,
      label: station.label,
      changes: differences({ stations: had }, { stations: has }),
    });
    await writeAudit(tx, {
      caller,
      facts,
      menu: station.menu,
      action: station.action,
      entity: STAFF,
      entityId: id,
      before: { stations: had },
      after: { stations: has },
    });
  }
  const names = (binds: boolean) => changed.filter((one) => one.binds === binds).map((one) => one.name);
  return { bound: names(true), released: names(false) };
}

/**
 * Moves staff of one tenant into a department, each with an entry in the own timeline: past permissions are read from it.
 * Throws 404 when one of them is not there. `from` limits to those who are in that department now.
 */
export async function moveStaff(
  tx: Tx,
  caller: Caller,
  move: {
    readonly staffIds: readonly number[];
    readonly tenantId: number;
    readonly into: number;
    readonly from?: number;
  },
): Promise<string[]> {
  const ids = [...new Set(move.staffIds)];
  const rows = await run<{ id: number; name: string; department_id: number | null }>(
    tx,
    `SELECT id, name, department_id FROM staff WHERE id = ANY($1::bigint[]) AND tenant_id = $2 AND state <> 'left'
        AND ($3::bigint IS NULL OR department_id = $3) ORDER BY id FOR UPDATE`,
    [ids, move.tenantId, move.from ?? null],
  );
  if (rows.length !== ids.length) throw notFound();
  for (const row of rows)
    if (row.department_id !== move.into) await protectAdministrators(tx, caller, row.id);
  await run(
    tx,
    'UPDATE staff SET department_id = $1, version = version + 1, updated_at = now(), updated_by = $3 WHERE id = ANY($2::bigint[])',
    [move.into, ids, caller.staffId],
  );
  for (const row of rows)
    if (row.department_id !== move.into)
      await writeTimeline(tx, {
        entity: STAFF,
        entityId: row.id,
        caller,
        action: 'move',
        label: ['调整部门', 'Moved to another department'],
        changes: [{ field: 'department_id', before: row.department_id, after: move.into }],
      });
  await notifyStaffChanged(tx, ids);
  return rows.map((row) => row.name);
}

/** Sends a one-time password to the phone of a staff. Throws 422 when there is no phone. */
export async function sendInitialPassword(
  tx: Tx,
  staffId: number,
  password: string,
  language: Language,
): Promise<void> {
  const row = await runOne<{ account: string; phone: string | null }>(
    tx,
    'SELECT account, phone FROM staff WHERE id = $1',
    [staffId],
  );
  if (!row?.phone) throw invalid({ sendSms: ['该员工没有手机号', 'The staff has no phone'] });
  await queueSms(tx, {
    phone: row.phone,
    purpose: 'initialPassword',
    body: textOf(fill(INITIAL_PASSWORD, { account: row.account, password, n: ONE_TIME_DAYS }), language),
    params: { account: row.account, password, days: String(ONE_TIME_DAYS) },
    validSeconds: ONE_TIME_DAYS * 86_400,
  });
}

const INITIAL_PASSWORD: Label = [
  '您的后台账号 {account} 的一次性密码为 {password}，{n}天内有效，首次登录须修改。',
  'The one-time password of your back-office account {account} is {password}. Use it within {n} days; it must be changed at the first sign-in.',
];

const NAMES = {
  groups:
    'SELECT g.id, g.name AS title FROM group_member m JOIN permission_group g ON g.id = m.group_id WHERE m.staff_id = $1 ORDER BY g.id',
  projects:
    'SELECT p.id, p.name AS title FROM staff_project m JOIN project p ON p.id = m.project_id WHERE m.staff_id = $1 ORDER BY p.id',
  stations:
    'SELECT s.id, s.name AS title FROM staff_station m JOIN station s ON s.id = m.station_id WHERE m.staff_id = $1 ORDER BY s.id',
} as const;

async function namesOf(tx: Executor, what: keyof typeof NAMES, staffId: number): Promise<object[]> {
  const rows = await run<{ id: number; title: string }>(tx, NAMES[what], [staffId]);
  return rows.map((row) => ({ id: String(row.id), title: row.title }));
}

/** Throws 404 for groups that are not given to this staff: disabled ones and those of another company; 30101 for groups of departments. */
export async function requireOwnGroups(
  tx: Executor,
  caller: Caller,
  staffId: number,
  groupIds: readonly number[],
): Promise<void> {
  if (groupIds.length === 0) return;
  const rows = await run<{ id: number; type: string }>(
    tx,
    `SELECT g.id, t.code AS type FROM permission_group g JOIN group_type t ON t.id = g.type_id
     WHERE g.id = ANY($1::bigint[]) AND g.enabled AND g.tenant_id = (SELECT tenant_id FROM staff WHERE id = $2) AND ($3 = 3 OR g.tenant_id = $4)`,
    [groupIds, staffId, caller.tenantKind, caller.tenantId],
  );
  if (rows.length !== groupIds.length) throw notFound();
  if (rows.some((row) => row.type === 'depart'))
    throw ruleBroken(['部门角色的成员由部门决定', 'Members of a department group follow the department']);
}
