import type { Label } from '../../../kernel/contract/label.ts';
import type { Caller } from '../../../kernel/server/caller.ts';
import { runOne, type Tx } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/errors.ts';
import {
  effectiveGrants,
  PLATFORM_ADMIN_GROUP,
} from '../../shared/permission/effective-permissions.server.ts';
import { cannotGrant, missingOf, missingRights } from './grant-rules.server.ts';

const ADMINISTRATOR: Label = [
  '仅平台管理员可以操作平台管理员',
  'Only platform administrators may act on platform administrators',
];
const BEYOND: Label = [
  '该员工拥有您没有的权限，不能执行此操作',
  'This staff holds rights that you do not hold',
];

/** Refuses (30101) to act on a platform administrator unless the caller is one. */
export async function protectAdministrators(tx: Tx, caller: Caller, staffId: number): Promise<void> {
  if (staffId === caller.staffId || !(await isAdministrator(tx, staffId))) return;
  if (!(await isAdministrator(tx, caller.staffId))) throw ruleBroken(ADMINISTRATOR);
}

/**
 * Refuses (30101) what would let the caller sign in as somebody who may do more: a new password, another phone or
 * single sign-on account. Whoever holds every right of the other gains nothing by it.
 */
export async function requireReach(tx: Tx, caller: Caller, staffId: number): Promise<void> {
  if (staffId === caller.staffId) return;
  await protectAdministrators(tx, caller, staffId);
  const grants = await effectiveGrants(tx, staffId);
  const missing = await missingOf(tx, caller, {
    menus: grants
      .filter((grant) => grant.kind === 'menu')
      .map((grant) => ({
        code: grant.code,
        dataScope: grant.dataScope ?? 'all',
        departmentIds: [...grant.departmentIds],
      })),
    elements: grants.filter((grant) => grant.kind === 'element').map((grant) => grant.code),
  } as Parameters<typeof missingOf>[2]);
  if (missing.length > 0) throw ruleBroken(BEYOND, { missing: missing.map((one) => one[2]) });
}

/** Refuses (30101) to put somebody into a department whose own group gives rights the caller does not hold. */
export async function requireDepartmentRights(tx: Tx, caller: Caller, departmentId: number): Promise<void> {
  const group = await runOne<{ id: number }>(
    tx,
    'SELECT id FROM permission_group WHERE department_id = $1 AND enabled',
    [departmentId],
  );
  if (!group) return;
  const missing = await missingRights(tx, caller, [group.id]);
  if (missing.length === 0) return;
  throw cannotGrant(missing);
}

async function isAdministrator(tx: Tx, staffId: number): Promise<boolean> {
  const row = await runOne(
    tx,
    'SELECT 1 FROM group_member m JOIN permission_group g ON g.id = m.group_id WHERE g.code = $1 AND m.staff_id = $2 AND (m.expires_at IS NULL OR m.expires_at > now())',
    [PLATFORM_ADMIN_GROUP, staffId],
  );
  return row !== undefined;
}
