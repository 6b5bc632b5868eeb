import { run, runOne, type Db } from '../kernel/server/database.ts';

/** Gives a staff a menu with all of its rows, through a group of its own; the menu is made where the test has none. */
export async function grantMenu(db: Db, staffId: number, menu: string): Promise<void> {
  await run(
    db,
    `INSERT INTO menu (code, title_zh, title_en, built) VALUES ($1, '菜单', 'Menu', true) ON CONFLICT (code) DO UPDATE SET built = true`,
    [menu],
  );
  const group = await runOne<{ id: number }>(
    db,
    `INSERT INTO permission_group (type_id, tenant_id, code, name)
     SELECT (SELECT min(id) FROM group_type), tenant_id, $2, '持有菜单' FROM staff WHERE id = $1 RETURNING id`,
    [staffId, `h${staffId}_${menu}`.slice(0, 30)],
  );
  await run(db, 'INSERT INTO menu_grant (group_id, menu_code) VALUES ($1, $2)', [group!.id, menu]);
  await run(db, 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group!.id, staffId]);
}

/** Takes everything from a staff that groups give it. */
export async function takeAllGroups(db: Db, staffId: number): Promise<void> {
  await run(db, 'DELETE FROM group_member WHERE staff_id = $1', [staffId]);
}
