import { run, type Executor } from '../../kernel/server/database.ts';
import { PLATFORM_ADMIN_GROUP } from './effective-permissions.server.ts';

/** Staff who hold a menu by a group of their own, platform administrators included: whom its matters are told to. */
export async function holdersOfMenu(db: Executor, menu: string): Promise<number[]> {
  const rows = await run<{ id: number }>(
    db,
    `SELECT s.id FROM staff s
      WHERE s.state = 'normal' AND EXISTS (
        SELECT FROM group_member m JOIN permission_group g ON g.id = m.group_id AND g.enabled
         WHERE m.staff_id = s.id AND (m.expires_at IS NULL OR m.expires_at > now())
           AND ((g.built_in AND g.code = $2) OR EXISTS (SELECT FROM menu_grant x WHERE x.group_id = g.id AND x.menu_code = $1)))
      ORDER BY s.id`,
    [menu, PLATFORM_ADMIN_GROUP],
  );
  return rows.map((row) => row.id);
}
