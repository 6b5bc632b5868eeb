import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { notifyGroupsChanged } from '../../../domain/permission/effective-permissions.server.ts';
import { requireWithinPackage } from '../../../domain/tenant/tenant-package.server.ts';
import {
  diffGrants,
  isUnchanged,
  isWidening,
  type GrantDifference,
  type Grants,
  type MenuGrant,
} from './grant-diff.rules.ts';
import { grantsOfState, keepBaseline, writeHistory } from './grant-history.server.ts';
import {
  cannotGrant,
  grantsOf,
  heirGrants,
  inheritedGrants,
  missingOf,
  missingRights,
  NO_GRANTS,
  withCounterparts,
  type MissingRight,
} from './grant-rules.server.ts';
import { groupFor, isPlatformAdmins, type GroupRow } from './group-access.server.ts';
import { createGroup, GROUP_ENTITY, type Doing } from './group-commands.server.ts';
import { keepOwnRights, takeTurn, rightsOfCaller, rightTitles } from './own-right.server.ts';
import { granterOf } from './reach-rules.server.ts';

/** Grants of a group as somebody wants them. `inherit` undefined leaves the switch. */
export interface WantedGrants extends Grants {
  readonly inherit?: boolean | undefined;
}

/** A checked wish: what it changes, and what stands in its way. */
export interface CheckedGrants {
  readonly before: Grants;
  readonly after: Grants;
  readonly difference: GrantDifference;
  /** New value of the switch, undefined when it stays. */
  readonly inherit: boolean | undefined;
  readonly missing: readonly MissingRight[];
  readonly needsReason: boolean;
}

/** Refusal of any change of the built-in administrators' grants. */
export const READ_ONLY: Label = [
  '内置管理员角色的权限只读',
  'Grants of the built-in administrators are read-only',
];

/** Codes that can be given: built menus and their elements, without the home page, which everybody has. */
export async function offeredCodes(
  db: Executor,
): Promise<{ readonly menus: ReadonlySet<string>; readonly elements: ReadonlySet<string> }> {
  const menus = await run<{ code: string }>(
    db,
    `SELECT code FROM menu WHERE built AND NOT retired AND code <> 'dashboard'`,
  );
  const elements = await run<{ code: string }>(
    db,
    `SELECT e.code FROM element e JOIN menu m ON m.code = e.menu_code AND m.built AND NOT m.retired AND m.code <> 'dashboard' WHERE NOT e.retired`,
  );
  return {
    menus: new Set(menus.map((row) => row.code)),
    elements: new Set(elements.map((row) => row.code)),
  };
}

/**
 * Compares wanted grants with those of a group. Rights that cannot be given at present are neither shown nor changed.
 * Throws 422 for unknown codes, scopes without departments and departments of other tenants.
 */
export async function checkGrants(
  db: Executor,
  doing: Pick<Doing, 'platform' | 'caller'>,
  group: GroupRow,
  wanted: WantedGrants,
): Promise<CheckedGrants> {
  const granter = await granterOf(db, doing, { groupIds: [group.id] });
  const offered = await offeredCodes(db);
  const unknown = [
    ...wanted.menus.map((menu) => menu.code).filter((code) => !offered.menus.has(code)),
    ...wanted.elements.filter((code) => !offered.elements.has(code)),
  ];
  if (unknown.length > 0)
    throw invalid({
      menus: [
        `没有此权限：${unknown.slice(0, 5).join('、')}`,
        `No such right: ${unknown.slice(0, 5).join(', ')}`,
      ],
    });
  const after = cleaned(wanted);
  const before = onlyOffered(await grantsOf(db, group.id), offered);
  const difference = diffGrants(before, after);
  await requireDepartments(db, group, difference);
  const inherit =
    wanted.inherit === undefined || wanted.inherit === group.inherit ? undefined : wanted.inherit;
  const above =
    (wanted.inherit ?? group.inherit) && group.parentId !== null
      ? onlyOffered(await inheritedGrants(db, group.parentId), offered)
      : NO_GRANTS;
  const news = gained(difference, inherit ? above : NO_GRANTS);
  const heirs = await heirGrants(db, group.id);
  const missing = [...(await missingOf(db, granter, withCounterparts(news, [after, above, ...heirs])))];
  if (inherit && group.parentId !== null)
    for (const one of await missingRights(db, granter, [group.parentId]))
      if (!missing.some((known) => known[2] === one[2])) missing.push(one);
  const needsReason = isWidening(difference) || (inherit === true && group.parentId !== null);
  return { before, after, difference, inherit, missing, needsReason };
}

/**
 * Makes the grants of a group exactly those wanted. Refuses (30101) the administrators' group, rights the caller lacks
 * (named, nothing saved), losing the own administration, and a stale version with the difference; 422 without a reason
 * where somebody may gain something. Returns the version afterwards.
 */
export async function saveGrants(
  tx: Tx,
  doing: Doing,
  groupId: number,
  input: WantedGrants & {
    readonly version: number;
    readonly reason: string;
    readonly restores?: number | undefined;
  },
): Promise<number> {
  const { caller, facts } = doing;
  await takeTurn(tx);
  const group = await groupFor(tx, caller, groupId, 'btn_resourceManager', true);
  if (isPlatformAdmins(group)) throw ruleBroken(READ_ONLY);
  if (group.version !== input.version) throw await staleGrants(tx, group, input.version);
  const checked = await checkGrants(tx, doing, group, input);
  if (checked.missing.length > 0) throw cannotGrant(checked.missing, caller);
  await requireWithinPackage(tx, group.tenantId, [
    ...checked.after.menus.map((menu) => menu.code),
    ...checked.after.elements,
  ]);
  const reason = input.reason.trim();
  if (checked.needsReason && reason.length < 2)
    throw invalid({ reason: ['扩大权限需填写原因', 'Widening rights needs a reason'] });
  if (isUnchanged(checked.difference) && checked.inherit === undefined) return group.version;
  const own = await rightsOfCaller(tx, caller);
  await keepBaseline(tx, [groupId]);
  await writeGrants(tx, groupId, checked.difference);
  await run(
    tx,
    'UPDATE permission_group SET inherit = coalesce($3, inherit), version = version + 1, updated_at = now(), updated_by = $2 WHERE id = $1',
    [groupId, caller.staffId, checked.inherit ?? null],
  );
  const version = group.version + 1;
  const kept = {
    version,
    ...checked.difference,
    ...(checked.inherit === undefined ? {} : { inherit: checked.inherit }),
    ...(input.restores ? { restores: input.restores } : {}),
  };
  await writeHistory(tx, caller, { groupId, kind: 'grant', reason, difference: kept });
  if (checked.inherit !== undefined)
    await writeHistory(tx, caller, {
      groupId,
      kind: 'group',
      reason,
      difference: {
        version,
        changes: [{ field: 'inherit', before: group.inherit, after: checked.inherit }],
      },
    });
  await writeAudit(tx, {
    caller,
    facts,
    menu: group.menu,
    action: 'grant',
    entity: GROUP_ENTITY,
    entityId: groupId,
    before: { menus: checked.before.menus.length, elements: checked.before.elements.length },
    after: { reason, ...kept },
  });
  await writeTimeline(tx, {
    entity: GROUP_ENTITY,
    entityId: groupId,
    caller,
    action: 'grant',
    label: input.restores ? ['恢复权限', 'Restore grants'] : ['权限分配', 'Grants'],
    remark: reason,
  });
  await notifyGroupsChanged(tx, [groupId]);
  await keepOwnRights(tx, caller, own);
  return version;
}

/** Grants a kept row of the history would bring back, without what cannot be given any more. */
export async function grantsOfHistory(
  db: Executor,
  groupId: number,
  historyId: number,
): Promise<{ readonly grants: Grants; readonly gone: readonly string[] }> {
  const row = await runOne<{ state: Grants }>(
    db,
    `SELECT state FROM grant_history WHERE id = $1 AND group_id = $2 AND kind = 'grant'`,
    [historyId, groupId],
  );
  if (!row) throw notFound();
  const all = grantsOfState(row.state);
  const offered = await offeredCodes(db);
  const grants = onlyOffered(all, offered);
  const kept = new Set([...grants.menus.map((menu) => menu.code), ...grants.elements]);
  const gone = [...all.menus.map((menu) => menu.code), ...all.elements].filter((code) => !kept.has(code));
  return { grants, gone };
}

/** Makes a group of the same type with the same grants; refuses rights the caller lacks. Returns its id. */
export async function copyGroup(
  tx: Tx,
  doing: Doing,
  id: number,
  input: { readonly name: string; readonly code: string },
): Promise<number> {
  await takeTurn(tx);
  const group = await groupFor(tx, doing.caller, id, 'btn_copy');
  if (isPlatformAdmins(group)) throw ruleBroken(READ_ONLY);
  const offered = await offeredCodes(tx);
  const grants = onlyOffered(await grantsOf(tx, id), offered);
  const missing = await missingOf(tx, doing.caller, grants);
  if (missing.length > 0) throw cannotGrant(missing);
  const bound = group.type === 'depart';
  const copy = await createGroup(tx, doing, bound ? 'role' : group.type, group.menu, {
    ...input,
    description: group.description,
    parentId: bound ? null : group.parentId,
    inherit: !bound && group.inherit,
  });
  const difference = diffGrants({ menus: [], elements: [] }, grants);
  await keepBaseline(tx, [copy]);
  await writeGrants(tx, copy, difference);
  await writeHistory(tx, doing.caller, {
    groupId: copy,
    kind: 'grant',
    reason: `复制自「${group.name}」`,
    difference: { version: 1, copied: id, ...difference },
  });
  return copy;
}

/** Grants restricted to what can be given at present. */
export function onlyOffered(
  grants: Grants,
  offered: { readonly menus: ReadonlySet<string>; readonly elements: ReadonlySet<string> },
): Grants {
  return {
    menus: grants.menus.filter((menu) => offered.menus.has(menu.code)),
    elements: grants.elements.filter((code) => offered.elements.has(code)),
  };
}

async function staleGrants(tx: Tx, group: GroupRow, version: number) {
  const base = await runOne<{ state: Grants }>(
    tx,
    `SELECT state FROM grant_history WHERE group_id = $1 AND kind = 'grant' AND coalesce((difference->>'version')::int, 0) <= $2
      ORDER BY at DESC, id DESC LIMIT 1`,
    [group.id, version],
  );
  const last = await runOne<{ who: string }>(
    tx,
    `SELECT who FROM grant_history WHERE group_id = $1 AND (difference->>'version')::int > $2 ORDER BY at DESC, id DESC LIMIT 1`,
    [group.id, version],
  );
  const current = await grantsOf(tx, group.id);
  const difference = diffGrants(base ? grantsOfState(base.state) : current, current);
  const added = [...difference.addedMenus.map((menu) => menu.code), ...difference.addedElements];
  const removed = [...difference.removedMenus.map((menu) => menu.code), ...difference.removedElements];
  const scoped = difference.scopes.map((change) => change.code);
  const titles = await rightTitles(tx, [...added, ...removed, ...scoped]);
  const part = (codes: readonly string[], verb: Label): readonly Label[] =>
    codes.length === 0
      ? []
      : [
          [
            `${verb[0]}${named(codes, titles, 0, '、')}${codes.length > 5 ? `等${codes.length}项` : ''}`,
            `${verb[1]} ${named(codes, titles, 1, ', ')}${codes.length > 5 ? ` and ${codes.length - 5} more` : ''}`,
          ],
        ];
  const parts = [
    ...part(added, ['新增', 'added']),
    ...part(removed, ['移除', 'removed']),
    ...part(scoped, ['范围变更', 'scope of']),
  ];
  const who = last?.who ?? '';
  return ruleBroken(
    [
      `该角色已被${who || '他人'}修改${parts.length > 0 ? `：${parts.map((one) => one[0]).join('；')}` : '，请核对后重试'}`,
      `${who || 'Somebody else'} changed this group${parts.length > 0 ? `: ${parts.map((one) => one[1]).join('; ')}` : ', please check and try again'}`,
    ],
    { current: { id: String(group.id), version: group.version, ...current }, difference },
  );
}

function named(
  codes: readonly string[],
  titles: ReadonlyMap<string, Label>,
  language: 0 | 1,
  comma: string,
): string {
  return codes
    .slice(0, 5)
    .map((code) => titles.get(code)?.[language] ?? code)
    .join(comma);
}

async function writeGrants(tx: Tx, groupId: number, difference: GrantDifference): Promise<void> {
  await run(tx, 'DELETE FROM menu_grant WHERE group_id = $1 AND menu_code = ANY($2::text[])', [
    groupId,
    difference.removedMenus.map((menu) => menu.code),
  ]);
  await run(tx, 'DELETE FROM element_grant WHERE group_id = $1 AND element_code = ANY($2::text[])', [
    groupId,
    difference.removedElements,
  ]);
  const written = [...difference.addedMenus, ...difference.scopes.map((change) => change.after)];
  await run(
    tx,
    `INSERT INTO menu_grant (group_id, menu_code, data_scope, department_ids)
     SELECT $1, code, "dataScope", array(SELECT jsonb_array_elements_text("departmentIds")::bigint)
       FROM jsonb_to_recordset($2::jsonb) AS w (code text, "dataScope" text, "departmentIds" jsonb)
     ON CONFLICT (group_id, menu_code) DO UPDATE SET data_scope = excluded.data_scope, department_ids = excluded.department_ids`,
    [groupId, JSON.stringify(written)],
  );
  await run(tx, 'INSERT INTO element_grant (group_id, element_code) SELECT $1, unnest($2::text[])', [
    groupId,
    difference.addedElements,
  ]);
}

/** What members gain by the difference, and by inheriting from now on. */
function gained(difference: GrantDifference, inherited: Grants): Grants {
  return {
    menus: [
      ...difference.addedMenus,
      ...difference.scopes.filter((change) => change.direction !== 'narrower').map((change) => change.after),
      ...inherited.menus,
    ],
    elements: [...difference.addedElements, ...inherited.elements],
  };
}

function cleaned(wanted: Grants): Grants {
  const menus = new Map<string, MenuGrant>();
  for (const menu of wanted.menus) {
    const departmentIds =
      menu.dataScope === 'depts' ? [...new Set(menu.departmentIds)].sort((a, b) => a - b) : [];
    if (menu.dataScope === 'depts' && departmentIds.length === 0)
      throw invalid({ departmentIds: ['请选择部门', 'Please choose departments'] });
    menus.set(menu.code, { code: menu.code, dataScope: menu.dataScope, departmentIds });
  }
  return { menus: [...menus.values()], elements: [...new Set(wanted.elements)] };
}

async function requireDepartments(db: Executor, group: GroupRow, difference: GrantDifference): Promise<void> {
  const ids = [
    ...new Set(
      [...difference.addedMenus, ...difference.scopes.map((change) => change.after)].flatMap(
        (menu) => menu.departmentIds,
      ),
    ),
  ];
  if (ids.length === 0) return;
  const row = await runOne<{ n: number }>(
    db,
    'SELECT count(*) AS n FROM department WHERE id = ANY($1::bigint[]) AND tenant_id = $2',
    [ids, group.tenantId],
  );
  if (row!.n !== ids.length)
    throw invalid({ departmentIds: ['请选择列表中的值', 'Please choose values of the list'] });
}
