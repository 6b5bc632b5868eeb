import type { Label } from '../../../kernel/contract/label.ts';
import type { Caller } from '../../../kernel/server/caller.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/errors.ts';
import { effectivePermissions } from '../../shared/permission/effective-permissions.server.ts';

/** Refusal of a change by which the caller would lock himself out of the administration. */
export const OWN_RIGHT: Label = ['不能移除自己的管理权限', 'You cannot remove your own administration right'];

const GRANTING = ['groupManager:btn_resourceManager', 'roleManager:btn_resourceManager'] as const;
const MENU = 'adminSys';

/** What of the administration a staff holds at this moment of the transaction. */
export async function administrationOf(
  db: Executor,
  staffId: number,
): Promise<{ menu: boolean; grants: boolean }> {
  const { menus, elements } = await effectivePermissions(db, staffId);
  return { menu: menus.has(MENU), grants: GRANTING.some((code) => elements.has(code)) };
}

/**
 * Refuses (30101) when the caller held the permission management, or the right to grant, before a change and holds none
 * of it after. `before` comes from `administrationOf` in the same transaction.
 */
export async function keepOwnRight(
  db: Executor,
  caller: Caller,
  before: { readonly menu: boolean; readonly grants: boolean },
): Promise<void> {
  if (!before.menu && !before.grants) return;
  const after = await administrationOf(db, caller.staffId);
  if ((before.menu && !after.menu) || (before.grants && !after.grants)) throw ruleBroken(OWN_RIGHT);
}

/** Titles of menus and elements in both languages by code; unknown codes are missing. */
export async function rightTitles(
  db: Executor,
  codes: readonly string[],
): Promise<ReadonlyMap<string, Label>> {
  const rows = await run<{ code: string; zh: string; en: string }>(
    db,
    `SELECT code, title_zh AS zh, title_en AS en FROM menu WHERE code = ANY($1::text[])
     UNION ALL SELECT e.code, m.title_zh || ' · ' || e.name_zh, m.title_en || ' · ' || e.name_en
       FROM element e JOIN menu m ON m.code = e.menu_code WHERE e.code = ANY($1::text[])`,
    [codes],
  );
  return new Map(rows.map((row) => [row.code, [row.zh, row.en] as const]));
}
