import type { Label } from '../../../kernel/contract/label.ts';
import { differences, writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import type { Caller, RequestFacts } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { insertRow, STALE } from '../../../kernel/server/resource/run-action.ts';
import { notifyStaffChanged } from '../../../kernel/server/people/session-changes.ts';
import { staffOfGroups } from '../../../domain/permission/effective-permissions.server.ts';
import { groupFor, isPlatformAdmins, type GroupRow } from './group-access.server.ts';
import { keepBaseline, writeHistory } from './grant-history.server.ts';
import {
  branchesOf,
  cannotGrant,
  heirGrants,
  inheritedGrants,
  missingOf,
  missingRights,
  withCounterparts,
} from './grant-rules.server.ts';
import { keepOwnRights, takeTurn, rightsOfCaller } from './own-right.server.ts';
import { granterOf } from './reach-rules.server.ts';

/** Name of groups in timelines and audit records. */
export const GROUP_ENTITY = 'permissionGroup';

/** Who does something, for a command. */
export interface Doing {
  readonly platform: Pick<Platform, 'registrations'>;
  readonly caller: Caller;
  readonly facts: RequestFacts;
}

/** The form of a group. */
export interface GroupInput {
  readonly name?: string | undefined;
  readonly code?: string | undefined;
  readonly parentId?: number | null | undefined;
  readonly departmentId?: number | null | undefined;
  readonly description?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly inherit?: boolean | undefined;
}

const CODE_TAKEN: Label = ['编码已存在', 'Code exists'];
const BELOW_ITSELF: Label = ['不能移动到自己的下级', 'Cannot move below itself'];
const BUILT_IN: Label = [
  '内置角色只能修改名称和描述',
  'Only name and description of a built-in group can be changed',
];

/** Makes a group of a type below `parentId` (of the same type and tenant), without grants and members; returns its id. */
export async function createGroup(
  tx: Tx,
  doing: Doing,
  type: string,
  menu: string,
  input: GroupInput & { readonly name: string; readonly code: string },
): Promise<number> {
  const { caller, facts } = doing;
  await takeTurn(tx);
  const kind = await runOne<{ id: number }>(tx, 'SELECT id FROM group_type WHERE code = $1', [type]);
  if (!kind) throw invalid({ type: ['请选择列表中的值', 'Please choose a value of the list'] });
  await requireFreeCode(tx, input.code);
  let tenantId = caller.tenantId;
  if (input.parentId) {
    const parent = await groupFor(tx, caller, input.parentId, undefined, true);
    // The leader of a platform group who works in a company makes no groups of the platform.
    requireSameTree(parent, { type, tenantId: caller.tenantKind === 3 ? parent.tenantId : caller.tenantId });
    tenantId = parent.tenantId;
  }
  await requireDepartment(tx, type, tenantId, input.departmentId ?? null, 0);
  if (input.inherit && input.parentId)
    await requireHeld(tx, doing, [input.parentId], { groupIds: [input.parentId] });
  const own = await rightsOfCaller(tx, caller);
  const id = await insertRow(tx, 'permission_group', {
    type_id: kind.id,
    tenant_id: tenantId,
    parent_id: input.parentId ?? null,
    department_id: input.departmentId ?? null,
    code: input.code,
    name: input.name,
    description: input.description ?? '',
    inherit: input.inherit ?? false,
    enabled: input.enabled ?? true,
    created_by: caller.staffId,
    updated_by: caller.staffId,
  });
  await writeHistory(tx, caller, {
    groupId: id,
    kind: 'group',
    reason: '',
    difference: { created: true, version: 1 },
  });
  await writeAudit(tx, {
    caller,
    facts,
    menu,
    action: 'create',
    entity: GROUP_ENTITY,
    entityId: id,
    after: { ...input, type },
  });
  await writeTimeline(tx, {
    entity: GROUP_ENTITY,
    entityId: id,
    caller,
    action: 'create',
    label: ['新增', 'Add'],
  });
  await notifyStaffChanged(tx, await staffOfGroups(tx, [id]));
  await keepOwnRights(tx, caller, own);
  return id;
}

/** Changes the form of a group. A stale version is refused with the group as it is now. */
export async function updateGroup(
  tx: Tx,
  doing: Doing,
  id: number,
  version: number,
  input: GroupInput,
): Promise<void> {
  const { caller, facts } = doing;
  await takeTurn(tx);
  const group = await groupFor(tx, caller, id, 'btn_edit', true);
  requireVersion(group, version);
  const set = changesOf(group, input);
  if (Object.keys(set).length === 0) return;
  if (group.builtIn && Object.keys(set).some((column) => column !== 'name' && column !== 'description'))
    throw ruleBroken(BUILT_IN);
  if (set.code !== undefined) await requireFreeCode(tx, set.code as string);
  if (set.parent_id) {
    await requireParent(tx, caller, group, set.parent_id as number);
    // Leaders above may change the members of everything below them: the move hands them these rights.
    await requireHeld(tx, doing, await branchesOf(tx, [id]), { groupIds: [id] });
  }
  if ('department_id' in set)
    await requireDepartment(tx, group.type, group.tenantId, set.department_id as number | null, id);
  const shapes = ['parent_id', 'inherit', 'enabled', 'department_id'].some((column) => column in set);
  const before = shapes ? await rightsOfCaller(tx, caller) : undefined;
  const touched = shapes ? await staffOfGroups(tx, [id]) : [];
  await keepBaseline(tx, [id]);
  await run(
    tx,
    `UPDATE permission_group SET ${Object.keys(set)
      .map((column, index) => `${column} = $${index + 3}`)
      .join(', ')}, version = version + 1, updated_at = now(), updated_by = $2 WHERE id = $1`,
    [id, caller.staffId, ...Object.values(set)],
  );
  await requireGains(tx, doing, group, set);
  const changes = differences(rowOf(group), set);
  if (shapes || 'name' in set || 'code' in set)
    await writeHistory(tx, caller, {
      groupId: id,
      kind: 'group',
      reason: '',
      difference: { changes, version: group.version + 1 },
    });
  await writeAudit(tx, {
    caller,
    facts,
    menu: group.menu,
    action: 'update',
    entity: GROUP_ENTITY,
    entityId: id,
    before: Object.fromEntries(changes.map((change) => [change.field, change.before])),
    after: set,
  });
  await writeTimeline(tx, {
    entity: GROUP_ENTITY,
    entityId: id,
    caller,
    action: 'update',
    label: ['编辑', 'Edit'],
    changes,
  });
  if (!before) return;
  await notifyStaffChanged(tx, [...new Set([...touched, ...(await staffOfGroups(tx, [id]))])]);
  await keepOwnRights(tx, caller, before);
}

/**
 * Refuses (30101) when somebody gains by a changed form what the caller does not hold: the members of the group, and those
 * of the groups below that inherit from it. Every changed column is looked at for itself, as one call may change several.
 */
async function requireGains(
  tx: Tx,
  doing: Doing,
  group: GroupRow,
  set: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { id } = group;
  const receivers = { groupIds: [id] };
  // The group gives again, or has other members: all it gives is new to somebody.
  if (set.enabled === true || 'department_id' in set)
    await requireHeld(tx, doing, (await isLed(tx, id)) ? await branchesOf(tx, [id]) : [id], receivers);
  const inherit = 'inherit' in set ? set.inherit === true : group.inherit;
  const parentId = 'parent_id' in set ? (set.parent_id as number | null) : group.parentId;
  if (inherit && parentId !== null && ('inherit' in set || 'parent_id' in set)) {
    // Own buttons work on the rows of inherited menus and the other way round, so both are needed.
    await requireHeld(tx, doing, [id, parentId], receivers);
    await requireHeirs(tx, doing, id, parentId);
  }
  if (set.enabled === true) await requireHeirs(tx, doing, id, id);
}

/** Deletes a group without members and groups below it; its history stays. */
export async function removeGroup(
  tx: Tx,
  { caller, facts }: Doing,
  id: number,
  version: number | undefined,
): Promise<void> {
  const group = await groupFor(tx, caller, id, 'btn_del', true);
  if (version !== undefined) requireVersion(group, version);
  if (group.builtIn) throw ruleBroken(['内置角色不能删除', 'A built-in group cannot be deleted']);
  const counts = await runOne<{ members: number; children: number }>(
    tx,
    `SELECT (SELECT count(*) FROM (${MEMBER_IDS}) m) AS members, (SELECT count(*) FROM permission_group c WHERE c.parent_id = $1) AS children`,
    [id],
  );
  if (counts!.members > 0)
    throw ruleBroken([
      `角色下有 ${counts!.members} 名成员，不能删除`,
      `${counts!.members} members, cannot delete`,
    ]);
  if (counts!.children > 0)
    throw ruleBroken([
      `角色下有 ${counts!.children} 个下级，不能删除`,
      `${counts!.children} groups below, cannot delete`,
    ]);
  await keepBaseline(tx, [id]);
  await writeHistory(tx, caller, {
    groupId: id,
    kind: 'group',
    reason: '',
    difference: { deleted: true },
    deleted: true,
  });
  await run(tx, 'DELETE FROM permission_group WHERE id = $1', [id]);
  await writeAudit(tx, {
    caller,
    facts,
    menu: group.menu,
    action: 'remove',
    entity: GROUP_ENTITY,
    entityId: id,
    before: rowOf(group),
  });
}

/** Refuses a stale version with the group as it is now. */
export function requireVersion(group: GroupRow, version: number): void {
  if (group.version !== version) throw ruleBroken(STALE, { current: wireOf(group) });
}

/** Refuses (30101, naming them) when the caller lacks a right of the groups, which the receivers would get. */
export async function requireHeld(
  tx: Tx,
  doing: Doing,
  groupIds: readonly number[],
  receivers: Parameters<typeof granterOf>[2],
): Promise<void> {
  const missing = await missingRights(tx, await granterOf(tx, doing, receivers), groupIds);
  if (missing.length > 0) throw cannotGrant(missing, doing.caller);
}

/** Refuses (30101) when what `from` passes on would meet buttons or rows of the groups below that the caller does not hold. */
async function requireHeirs(tx: Tx, doing: Doing, id: number, from: number): Promise<void> {
  const passed = await inheritedGrants(tx, from);
  const granter = await granterOf(tx, doing, { groupIds: [id] });
  const missing = await missingOf(tx, granter, withCounterparts(passed, await heirGrants(tx, id)));
  if (missing.length > 0) throw cannotGrant(missing, doing.caller);
}

/** Ids of those who are members of group `$1` now: by hand, or by its department. */
export const MEMBER_IDS = `
  SELECT s.id FROM staff s JOIN group_member gm ON gm.staff_id = s.id
   WHERE gm.group_id = $1 AND s.state <> 'left' AND (gm.expires_at IS NULL OR gm.expires_at > now())
  UNION
  SELECT s.id FROM staff s JOIN permission_group dg ON dg.department_id = s.department_id JOIN group_type dt ON dt.id = dg.type_id AND dt.code = 'depart'
   WHERE dg.id = $1 AND s.state <> 'left'`;

async function isLed(tx: Tx, id: number): Promise<boolean> {
  const leader = await runOne(
    tx,
    `SELECT 1 FROM group_member WHERE group_id = $1 AND kind = 'leader' AND (expires_at IS NULL OR expires_at > now()) LIMIT 1`,
    [id],
  );
  return leader !== undefined;
}

async function requireFreeCode(tx: Tx, code: string): Promise<void> {
  if (await runOne(tx, 'SELECT 1 FROM permission_group WHERE lower(code) = lower($1)', [code]))
    throw ruleBroken(CODE_TAKEN);
}

async function requireParent(tx: Tx, caller: Caller, group: GroupRow, parentId: number): Promise<void> {
  // Two moves at once could close a circle that neither of them sees.
  await run(tx, 'SELECT pg_advisory_xact_lock(7201, $1::int)', [group.tenantId % 2_000_000_000]);
  const parent = await groupFor(tx, caller, parentId);
  requireSameTree(parent, group);
  const circle = await runOne(
    tx,
    `WITH RECURSIVE up AS (
       SELECT id, parent_id FROM permission_group WHERE id = $1
       UNION SELECT p.id, p.parent_id FROM permission_group p JOIN up ON p.id = up.parent_id)
     SELECT 1 FROM up WHERE id = $2`,
    [parentId, group.id],
  );
  if (circle) throw ruleBroken(BELOW_ITSELF);
}

function requireSameTree(
  parent: GroupRow,
  group: { readonly type: string; readonly tenantId: number },
): void {
  if (parent.tenantId !== group.tenantId) throw notFound();
  if (parent.type !== group.type)
    throw invalid({ parentId: ['上级必须是同一类型', 'The group above must be of the same type'] });
  if (isPlatformAdmins(parent))
    throw invalid({
      parentId: ['内置管理员角色下不能有下级', 'The built-in administrators have no groups below'],
    });
}

async function requireDepartment(
  tx: Tx,
  type: string,
  tenantId: number,
  departmentId: number | null,
  id: number,
): Promise<void> {
  if (type !== 'depart') {
    if (departmentId !== null)
      throw invalid({
        departmentId: ['只有部门类型可以绑定部门', 'Only department groups are bound to one'],
      });
    return;
  }
  if (departmentId === null) throw invalid({ departmentId: ['此项必填', 'This field is required'] });
  if (
    !(await runOne(tx, 'SELECT 1 FROM department WHERE id = $1 AND tenant_id = $2', [departmentId, tenantId]))
  )
    throw notFound();
  if (
    await runOne(tx, 'SELECT 1 FROM permission_group WHERE department_id = $1 AND id <> $2', [
      departmentId,
      id,
    ])
  )
    throw ruleBroken(['该部门已有部门角色', 'The department has its group already']);
}

function changesOf(group: GroupRow, input: GroupInput): Record<string, unknown> {
  const wanted: Record<string, unknown> = {
    name: input.name,
    code: input.code,
    parent_id: input.parentId,
    department_id: input.departmentId,
    description: input.description,
    enabled: input.enabled,
    inherit: input.inherit,
  };
  const current = rowOf(group);
  return Object.fromEntries(
    Object.entries(wanted).filter(([column, value]) => value !== undefined && value !== current[column]),
  );
}

function rowOf(group: GroupRow): Record<string, unknown> {
  const { name, code, description, enabled, inherit } = group;
  return {
    name,
    code,
    parent_id: group.parentId,
    department_id: group.departmentId,
    description,
    enabled,
    inherit,
  };
}

function wireOf(group: GroupRow) {
  const { name, code, description, enabled, inherit, version } = group;
  const idText = (id: number | null) => (id === null ? null : String(id));
  return {
    id: String(group.id),
    version,
    name,
    code,
    description,
    enabled,
    inherit,
    parentId: idText(group.parentId),
    departmentId: idText(group.departmentId),
  };
}
