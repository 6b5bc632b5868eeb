import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { grantableGroups } from '../permission-group/grant-rules.server.ts';
import { rightTitles } from '../permission-group/own-right.server.ts';
import { loadModel } from '../permission-group/load-model.server.ts';
import {
  permissionsOf,
  scopesKey,
  type PermissionModel,
} from '../permission-group/permission-model.server.ts';
import { requireOwnGroups } from './staff-commands.server.ts';

/**
 * What other groups would change for a staff: groups that come and go, rights gained and lost, menus with other rows.
 * Groups it does not hold already are those the caller may give it; others answer 404, as their rights are not its business.
 */
export async function previewGroups(
  db: Executor,
  caller: Caller,
  staffId: number,
  wanted: readonly number[],
): Promise<object> {
  const before = await loadModel(db, { staffIds: [staffId], groupIds: wanted });
  const held = (before.memberships.get(staffId) ?? []).map((member) => member.groupId);
  const added = [...new Set(wanted)].filter((id) => !held.includes(id));
  await requireOwnGroups(db, caller, staffId, added);
  if ((await grantableGroups(db, caller, added)).size !== added.length) throw notFound();
  const after = withGroups(before, staffId, wanted);
  const old = permissionsOf(before, staffId);
  const now = permissionsOf(after, staffId);
  const codes = {
    gained: [
      ...[...now.menus.keys()].filter((code) => !old.menus.has(code)),
      ...[...now.elements].filter((code) => !old.elements.has(code)),
    ],
    lost: [
      ...[...old.menus.keys()].filter((code) => !now.menus.has(code)),
      ...[...old.elements].filter((code) => !now.elements.has(code)),
    ],
    rescoped: [...now.menus.keys()].filter(
      (code) => old.menus.has(code) && scopesKey(old.menus.get(code)) !== scopesKey(now.menus.get(code)),
    ),
  };
  const titles = await rightTitles(db, Object.values(codes).flat());
  const named = (list: readonly string[]) =>
    list.map((code) => ({
      code,
      title: titles.get(code)?.[0] ?? code,
      titleEn: titles.get(code)?.[1] ?? code,
    }));
  const had = manualGroups(before, staffId);
  const rows = await run<{ id: number; name: string }>(
    db,
    'SELECT id, name FROM permission_group WHERE id = ANY($1::bigint[]) ORDER BY name, id',
    [[...new Set([...had, ...wanted])]],
  );
  const wire = (row: { id: number; name: string }) => ({ id: String(row.id), name: row.name });
  return {
    added: rows.filter((row) => !had.includes(row.id)).map(wire),
    removed: rows.filter((row) => !wanted.includes(row.id)).map(wire),
    gained: named(codes.gained),
    lost: named(codes.lost),
    rescoped: named(codes.rescoped),
  };
}

function manualGroups(model: PermissionModel, staffId: number): number[] {
  return (model.memberships.get(staffId) ?? [])
    .filter((member) => member.source === 'manual')
    .map((member) => member.groupId);
}

/** The model with other memberships by hand; those that stay keep their kind and end. */
function withGroups(model: PermissionModel, staffId: number, wanted: readonly number[]): PermissionModel {
  const held = model.memberships.get(staffId) ?? [];
  const kept = held.filter((member) => member.source === 'department' || wanted.includes(member.groupId));
  const added = wanted
    .filter((groupId) => !held.some((member) => member.groupId === groupId))
    .map((groupId) => ({
      groupId,
      staffId,
      kind: 'member' as const,
      source: 'manual' as const,
      expiresAt: null,
    }));
  return { ...model, memberships: new Map(model.memberships).set(staffId, [...kept, ...added]) };
}
