import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import {
  effectiveGrants,
  type EffectiveGrant,
} from '../../../domain/permission/effective-permissions.server.ts';

/** One menu the staff holds, with its elements and the groups that give them. */
export interface HeldPermission {
  readonly code: string;
  readonly title: string;
  readonly titleEn: string;
  readonly scopes: readonly {
    readonly dataScope: string;
    readonly departments: readonly string[];
    readonly source: PermissionSource;
  }[];
  readonly elements: readonly {
    readonly code: string;
    readonly name: string;
    readonly nameEn: string;
    readonly sources: readonly PermissionSource[];
  }[];
}

/** Group that gives a right; `through` is the own group when the right is inherited. */
export interface PermissionSource {
  readonly group: string;
  readonly through: string | null;
  readonly memberKind: 'leader' | 'member';
  readonly kind: 'manual' | 'department';
  readonly until: string | null;
}

/** What the caller holds, menu by menu, with where each right comes from. */
export async function permissionsOfProfile(db: Executor, caller: Caller): Promise<HeldPermission[]> {
  const grants = await effectiveGrants(db, caller.staffId);
  const titles = await run<{ code: string; title: string; titleEn: string }>(
    db,
    `SELECT code, title_zh AS title, title_en AS "titleEn" FROM menu WHERE code = ANY($1::text[]) AND type <> 'dirt' ORDER BY owner_group, code`,
    [grants.filter((grant) => grant.kind === 'menu').map((grant) => grant.code)],
  );
  const names = await run<{ code: string; name: string; nameEn: string; menu: string }>(
    db,
    `SELECT code, name_zh AS name, name_en AS "nameEn", menu_code AS menu FROM element WHERE code = ANY($1::text[]) ORDER BY code`,
    [[...caller.elements]],
  );
  const departments = await run<{ id: number; name: string }>(
    db,
    'SELECT id, name FROM department WHERE id = ANY($1::bigint[])',
    [grants.flatMap((grant) => grant.departmentIds)],
  );
  const departmentName = new Map(departments.map((one) => [one.id, one.name]));
  const byCode = new Map<string, EffectiveGrant[]>();
  for (const grant of grants) byCode.set(grant.code, [...(byCode.get(grant.code) ?? []), grant]);
  return titles.map((menu) => ({
    ...menu,
    scopes: (byCode.get(menu.code) ?? []).map((grant) => ({
      dataScope: grant.dataScope ?? 'all',
      departments: grant.departmentIds.map((id) => departmentName.get(id) ?? String(id)),
      source: sourceOf(grant),
    })),
    elements: names
      .filter((element) => element.menu === menu.code)
      .map(({ code, name, nameEn }) => ({
        code,
        name,
        nameEn,
        sources: (byCode.get(code) ?? []).map(sourceOf),
      })),
  }));
}

function sourceOf(grant: EffectiveGrant): PermissionSource {
  return {
    group: grant.groupName,
    through: grant.throughId === grant.groupId ? null : grant.throughName,
    memberKind: grant.memberKind,
    kind: grant.source,
    until: grant.expiresAt === null ? null : isoInstant(grant.expiresAt),
  };
}
