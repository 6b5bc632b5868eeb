import type { Label } from '../../../kernel/contract/label.ts';
import { menuOfElement } from '../../../kernel/contract/resource.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { outOfSight } from '../department/department-commands.server.ts';
import { department } from '../department/department.contract.ts';
import { holds, isOneself, type Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { ruleBroken, type Refusal } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import {
  effectiveGrants,
  PLATFORM_ADMIN_GROUP,
  staffOfGroups,
  type EffectiveGrant,
} from '../../../domain/permission/effective-permissions.server.ts';
import { APPROVALS_MENU } from '../../../domain/approval/approve.server.ts';
import { approvalsFollow, type Changing } from '../../../domain/approval/follow-structure.server.ts';
import { subjectsOf } from '../../../domain/approval/approvers.server.ts';
import { staffInScopes } from '../../../domain/permission/staff-reach.server.ts';
import { branchesOf, cannotGrant, heldDepartments, missingOf, missingRights } from './grant-rules.server.ts';
import type { Grants } from './grant-diff.rules.ts';
import { openNothing, takeTurn, rightsAfter, rightsOfCaller, type RightsAt } from './own-right.server.ts';
import { projectsOfStaff } from './staff-caller.server.ts';

/** Why nobody else acts on an administrator. */
export const ADMINISTRATOR: Label = [
  '仅平台管理员可以操作平台管理员',
  'Only platform administrators may act on platform administrators',
];
const OWN_PHONE: Label = ['修改自己的手机号请到个人中心', 'Change your own phone in your profile'];
const OWN_SSO: Label = [
  '自己的单点登录账号请由其他管理员修改',
  'Another administrator has to change your own single sign-on account',
];
const BEYOND_PROJECTS: Label = [
  '该员工负责您范围外的项目，请由负责全部这些项目的人员操作',
  'This staff works in projects that you do not: somebody who works in all of them has to do this',
];
const BEYOND: Label = [
  '该员工拥有您没有的权限，不能执行此操作',
  'This staff holds rights that you do not hold',
];
const BEYOND_COMPANY: Label = [
  '该员工管理其所在公司，请由该公司的管理员或平台管理员操作',
  'This staff manages its own company: an administrator of that company or a platform administrator has to do this',
];

/** Refuses (30101) to act on a platform administrator unless the caller is one. */
export async function protectAdministrators(tx: Tx, caller: Caller, staffId: number): Promise<void> {
  if (!isOneself(caller, staffId) && (await protectedStaff(tx, caller)).has(staffId))
    throw ruleBroken(ADMINISTRATOR);
}

/** Platform administrators, on whom the caller may not act: none when the caller is one. */
export async function protectedStaff(db: Executor, caller: Caller): Promise<ReadonlySet<number>> {
  const administrators = await platformAdministrators(db);
  return isOneOf(administrators, caller) ? new Set() : administrators;
}

const RESET_EVERYWHERE = 'allUserManager:btn_resetPwd';

/** Who does something to an account, in which transaction of which product. */
interface Reaching {
  readonly tx: Tx;
  readonly platform: Pick<Platform, 'registrations'>;
  readonly caller: Caller;
}

/**
 * Refuses (30101) what would let the caller sign in as somebody who may do more: a new password, another phone or
 * single sign-on account. Whoever holds every right of the other, over its projects and its own rows too, and what it may
 * hand out as leader of groups, gains nothing by it. Staff of another company count what the caller holds there.
 */
export async function requireReach({ tx, platform, caller }: Reaching, staffId: number): Promise<void> {
  if (isOneself(caller, staffId)) return;
  await takeTurn(tx);
  await protectAdministrators(tx, caller, staffId);
  const other = await runOne<{ tenant: number }>(tx, 'SELECT tenant_id AS tenant FROM staff WHERE id = $1', [
    staffId,
  ]);
  const among = await callerAmong(tx, { platform, caller }, [other!.tenant]);
  const grants = await effectiveGrants(tx, staffId);
  const missing = await missingOf(tx, among, {
    menus: grants
      .filter((grant) => grant.kind === 'menu')
      .map((grant) => ({
        code: grant.code,
        dataScope: grant.dataScope ?? 'all',
        departmentIds: [...grant.departmentIds],
      })),
    elements: grants.filter((grant) => grant.kind === 'element').map((grant) => grant.code),
  } as Grants);
  const beyond = [
    ...missing.map((one) => one[2]),
    ...(await ownRowsBeyond(tx, among, staffId, grants)),
    ...(await ledBeyond(tx, among, staffId)),
    ...(await applicationsBeyond(tx, among, staffId, grants)),
    ...(await departmentsBeyond(tx, among, staffId, grants)),
  ];
  if (beyond.length > 0) {
    const ofCompany =
      among !== caller &&
      beyond.some((code) => caller.menus.has(menuOfElement(code)) && !among.menus.has(menuOfElement(code)));
    throw ruleBroken(ofCompany ? BEYOND_COMPANY : BEYOND, { missing: [...new Set(beyond)] });
  }
  // Without any rights too: groups the caller may give would then reach these projects.
  if (!(await coversProjects(tx, caller, staffId))) throw ruleBroken(BEYOND_PROJECTS);
}

/** Menus that show each company its own rows only: "all" of one of them is something else in every company. */
export function menusOfOwnCompany(platform: Pick<Platform, 'registrations'>): ReadonlySet<string> {
  return new Set(
    platform.registrations.flatMap((service) =>
      service.ownTenant && service.contract ? [service.contract.menu] : [],
    ),
  );
}

/**
 * What the caller counts for among the staff of some companies: in another one than its own it holds none of the menus that
 * show the own company, unless it is a platform administrator.
 */
export async function callerAmong(
  tx: Executor,
  { platform, caller }: Pick<Reaching, 'platform' | 'caller'>,
  tenantIds: readonly number[],
): Promise<Caller> {
  if (tenantIds.every((id) => id === caller.tenantId) || isOneOf(await platformAdministrators(tx), caller))
    return caller;
  const without = menusOfOwnCompany(platform);
  return {
    ...caller,
    menus: new Map([...caller.menus].filter(([code]) => !without.has(code))),
    elements: new Set([...caller.elements].filter((code) => !without.has(menuOfElement(code)))),
  };
}

/**
 * The caller as it gives rights to groups and staff: who could sign in as staff of other companies may not give these
 * what it holds in its own only, else it would make itself an administrator there in two steps. It is not asked whether
 * it could at this moment: the button could be laid down first.
 */
export async function granterOf(
  tx: Executor,
  doing: Pick<Reaching, 'platform' | 'caller'>,
  receivers: { readonly groupIds?: readonly number[]; readonly staffIds?: readonly number[] },
): Promise<Caller> {
  const { groupIds = [], staffIds = [] } = receivers;
  const companies = await run<{ id: number }>(
    tx,
    `SELECT DISTINCT tenant_id AS id FROM staff WHERE id = ANY($1::bigint[])
     UNION SELECT tenant_id FROM permission_group WHERE id = ANY($2::bigint[])`,
    [[...staffIds, ...(await staffOfGroups(tx, groupIds))], groupIds],
  );
  return callerAmong(
    tx,
    doing,
    companies.map((company) => company.id),
  );
}

/**
 * Refuses (30101) to change the own phone among the users: the profile asks for the present password and a code, which
 * whoever found an open session does not have.
 */
export function refuseOwnPhone(caller: Caller, staffId: number): void {
  if (staffId === caller.staffId) throw ruleBroken(OWN_PHONE);
}

/** Refuses (30101) to change the own single sign-on account, for the same reason: it would outlive every new password. */
export function refuseOwnSso(caller: Caller, staffId: number): void {
  if (staffId === caller.staffId) throw ruleBroken(OWN_SSO);
}

/**
 * Refuses (30101) to put somebody into a department whose own group gives rights the caller does not hold. What the group
 * gives "in the own department" is counted for `worksIn`: the department itself, or the one it is merged with.
 */
export async function requireDepartmentRights(
  tx: Tx,
  caller: Caller,
  departmentId: number,
  worksIn = departmentId,
): Promise<void> {
  await takeTurn(tx);
  const group = await runOne<{ id: number }>(
    tx,
    'SELECT id FROM permission_group WHERE department_id = $1 AND enabled',
    [departmentId],
  );
  if (!group) return;
  const missing = await missingRights(tx, caller, [group.id], worksIn);
  if (missing.length === 0) return;
  throw cannotGrant(missing);
}

/**
 * Runs a change of departments, of who works in them or of who leads, and refuses (30101) when it shows the caller rows of
 * staff that no scope of its own reached before, or brings it the applications of staff whose records it does not see:
 * nobody widens the own data scope. See docs/decisions/0009.
 */
export async function keepOwnReach<T>(tx: Tx, caller: Caller, change: () => Promise<T>): Promise<T> {
  await takeTurn(tx);
  const newest = await runOne<{ id: number }>(tx, 'SELECT coalesce(max(id), 0)::bigint AS id FROM staff');
  const rights = await rightsOfCaller(tx, caller);
  const before = await staffByMenus(tx, rights);
  const subjects = await subjectsOf(tx, caller.staffId);
  // Nobody decides about those without a department: whoever takes them in takes nothing from anybody.
  const homeless = await run<{ id: number }>(
    tx,
    'SELECT id FROM staff WHERE tenant_id = $1 AND department_id IS NULL',
    [caller.tenantId],
  );
  const result = await change();
  const changed = await rightsAfter(tx, caller, rights);
  openNothing(rights, changed);
  const gained = new Set<number>();
  for (const [index, reach] of (await staffByMenus(tx, changed)).entries())
    for (const [menu, staff] of reach) {
      const known = before[index]!.get(menu);
      // Without it every row was seen before, as new menus are refused above; new staff own no rows yet.
      if (known) for (const id of staff) if (id <= newest!.id && !known.has(id)) gained.add(id);
    }
  gained.delete(caller.staffId);
  if (gained.size > 0) throw await widened(tx, gained, 'rows');
  const known = new Set([...subjects, caller.staffId, ...homeless.map((one) => one.id)]);
  const brought = [...(await subjectsOf(tx, caller.staffId))].filter(
    (id) => id <= newest!.id && !known.has(id),
  );
  const unseen = new Set<number>();
  for (const { menus } of changed) {
    const seen = await staffInScopes(tx, caller.staffId, menus.get(APPROVALS_MENU), brought);
    for (const id of brought) if (!seen.has(id)) unseen.add(id);
  }
  if (unseen.size > 0) throw await widened(tx, unseen, 'applications');
  return result;
}

async function widened(tx: Tx, gained: ReadonlySet<number>, what: 'rows' | 'applications'): Promise<Refusal> {
  const rows = await run<{ name: string }>(
    tx,
    'SELECT name FROM staff WHERE id = ANY($1::bigint[]) ORDER BY id LIMIT 5',
    [[...gained]],
  );
  const names = rows.map((row) => row.name);
  const shown = (comma: string) => `${names.join(comma)}${gained.size > names.length ? '…' : ''}`;
  return ruleBroken([
    what === 'rows'
      ? `不能扩大自己的数据范围：这样您将看到另外${gained.size}名员工的数据（${shown('、')}）。请由双方部门共同上级的负责人，或能看到全部员工的管理员操作`
      : `不能扩大自己的数据范围：这样您将审批另外${gained.size}名员工的加班与调休，而您看不到他们的记录（${shown('、')}）。请由其他管理员操作`,
    what === 'rows'
      ? `Nobody widens the own data scope: you would see the data of ${gained.size} more staff (${shown(', ')}). Ask the leader above both departments, or an administrator who sees all staff, to do it`
      : `Nobody widens the own data scope: you would decide the overtime and time off of ${gained.size} more staff whose records you do not see (${shown(', ')}). Another administrator has to do it`,
  ]);
}

/** Menus that show the other its own rows while the caller does not see them: "own rows" are others' for each person. */
async function ownRowsBeyond(
  tx: Tx,
  caller: Caller,
  staffId: number,
  grants: readonly EffectiveGrant[],
): Promise<string[]> {
  const own = grants.filter((grant) => grant.kind === 'menu' && grant.dataScope === 'self');
  if (own.length === 0) return [];
  const row = await runOne<{ department: number | null }>(
    tx,
    'SELECT department_id AS department FROM staff WHERE id = $1',
    [staffId],
  );
  return own
    .map((grant) => grant.code)
    .filter((code) => {
      const held = caller.menus.get(code) ?? [];
      if (held.some((scope) => scope.kind === 'all')) return false;
      return row!.department === null || !heldDepartments(held).has(row!.department);
    });
}

/**
 * The approve button, when the other decides about staff whose records the caller neither sees nor decides about, or would
 * as soon as the caller gave it the button.
 */
async function applicationsBeyond(
  tx: Tx,
  caller: Caller,
  staffId: number,
  grants: readonly EffectiveGrant[],
): Promise<string[]> {
  if (!caller.elements.has(APPROVE) && !grants.some((grant) => grant.code === APPROVE)) return [];
  const own = await subjectsOf(tx, caller.staffId);
  const others = [...(await subjectsOf(tx, staffId))].filter((id) => !own.has(id) && id !== caller.staffId);
  const seen = await staffInScopes(tx, caller.staffId, caller.menus.get(APPROVALS_MENU), others);
  return others.every((id) => seen.has(id)) ? [] : [APPROVE];
}

const APPROVE = `${APPROVALS_MENU}:btn_approve`;

/**
 * The menu of departments, when the other leads some the caller does not see: "own rows" of it are the led ones, which the
 * other sees, or would as soon as the caller gave it the menu.
 */
async function departmentsBeyond(
  tx: Tx,
  caller: Caller,
  staffId: number,
  grants: readonly EffectiveGrant[],
): Promise<string[]> {
  const menu = department.menu;
  if (!caller.menus.has(menu) && !grants.some((grant) => grant.code === menu)) return [];
  const parameters = new Parameters();
  const rows = await run(
    tx,
    `SELECT 1 FROM department t WHERE t.leader_id = ${parameters.bind(staffId)} AND t.tenant_id = ${parameters.bind(caller.tenantId)}
        AND ${outOfSight(caller, parameters)} LIMIT 1`,
    parameters.values,
  );
  return rows.length > 0 ? [menu] : [];
}

/**
 * True when the caller could act through an account that is not its own: it may make accounts or change how others sign in,
 * or it once made one of these or gave it a password, phone or single sign-on account, itself or through an account it had
 * opened before. The button could be laid down first. An outside program has no colleagues: it gives what it holds only.
 */
export async function mayBeBehind(
  tx: Executor,
  caller: Caller,
  staffIds: readonly number[],
): Promise<boolean> {
  if (caller.application || ACCOUNT_BUTTONS.some((code) => holds(caller, code))) return true;
  const opened = await runOne(
    tx,
    `WITH RECURSIVE behind AS (
       SELECT opener_id, last_at FROM account_opener WHERE staff_id = ANY($1::bigint[])
       UNION SELECT o.opener_id, o.last_at FROM account_opener o JOIN behind b ON o.staff_id = b.opener_id AND o.first_at <= b.last_at
     ) SELECT 1 FROM behind WHERE opener_id = $2 LIMIT 1`,
    [staffIds, caller.staffId],
  );
  return opened !== undefined;
}

const ACCOUNT_BUTTONS = [
  ...['userManager', 'userManager1'].flatMap((menu) =>
    ['btn_add', 'btn_edit', 'btn_import', 'btn_resetPwd'].map((button) => `${menu}:${button}`),
  ),
  RESET_EVERYWHERE,
];

/** Rights of the groups the other leads, and of those below them, that the caller does not hold: leaders let others in. */
async function ledBeyond(tx: Tx, caller: Caller, staffId: number): Promise<string[]> {
  const led = await run<{ id: number }>(
    tx,
    `SELECT m.group_id AS id FROM group_member m JOIN permission_group g ON g.id = m.group_id
      WHERE m.staff_id = $1 AND m.kind = 'leader' AND g.enabled AND (m.expires_at IS NULL OR m.expires_at > now())`,
    [staffId],
  );
  const branches = await branchesOf(
    tx,
    led.map((group) => group.id),
  );
  return (await missingRights(tx, caller, branches)).map((one) => one[2]);
}

/** True when the caller works in every project the other works in. */
async function coversProjects(tx: Tx, caller: Caller, staffId: number): Promise<boolean> {
  if (caller.projectIds === null) return true;
  const held = new Set(caller.projectIds);
  return (await projectsOfStaff(tx, staffId))?.every((project) => held.has(project)) ?? false;
}

/** A change `keepOwnReach` allows, after which open approvals go to those who stand above then. */
export function rearrange<T>(tx: Tx, changing: Changing, change: () => Promise<T>): Promise<T> {
  return approvalsFollow(tx, changing, () => keepOwnReach(tx, changing.caller, change));
}

/** Puts one staff into a department where that gives neither rights the caller does not hold nor rows it does not see. */
export async function putIntoDepartment(
  tx: Tx,
  changing: Changing,
  staffId: number,
  departmentId: number,
): Promise<void> {
  await requireDepartmentRights(tx, changing.caller, departmentId);
  await rearrange(tx, changing, () =>
    run(tx, 'UPDATE staff SET department_id = $2 WHERE id = $1', [staffId, departmentId]),
  );
}

/** Staff whose rows somebody sees by department, per menu that is limited to departments, at each of the instants. */
async function staffByMenus(
  tx: Tx,
  rights: readonly RightsAt[],
): Promise<Map<string, ReadonlySet<number>>[]> {
  const reaches: Map<string, ReadonlySet<number>>[] = [];
  for (const { menus } of rights) reaches.push(await staffByMenu(tx, menus));
  return reaches;
}

async function staffByMenu(tx: Tx, menus: RightsAt['menus']): Promise<Map<string, ReadonlySet<number>>> {
  const byDepartments = new Map<string, ReadonlySet<number>>();
  const reach = new Map<string, ReadonlySet<number>>();
  for (const [menu, scopes] of menus) {
    if (scopes.some((scope) => scope.kind === 'all')) continue;
    const departments = [
      ...new Set(scopes.flatMap((scope) => (scope.kind === 'departments' ? scope.ids : []))),
    ].sort((a, b) => a - b);
    const key = departments.join();
    let staff = byDepartments.get(key);
    if (!staff) {
      const rows = await run<{ id: number }>(
        tx,
        'SELECT id FROM staff WHERE department_id = ANY($1::bigint[])',
        [departments],
      );
      byDepartments.set(key, (staff = new Set(rows.map((row) => row.id))));
    }
    reach.set(menu, staff);
  }
  return reach;
}

/** Whether the caller is a platform administrator in person: an outside program has the rights of its scopes only. */
function isOneOf(administrators: ReadonlySet<number>, caller: Caller): boolean {
  return !caller.application && administrators.has(caller.staffId);
}

async function platformAdministrators(db: Executor): Promise<ReadonlySet<number>> {
  const rows = await run<{ id: number }>(
    db,
    'SELECT m.staff_id AS id FROM group_member m JOIN permission_group g ON g.id = m.group_id WHERE g.code = $1 AND (m.expires_at IS NULL OR m.expires_at > now())',
    [PLATFORM_ADMIN_GROUP],
  );
  return new Set(rows.map((row) => row.id));
}
