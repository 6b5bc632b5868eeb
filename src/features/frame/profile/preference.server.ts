import { z } from 'zod';
import { businessDayOf, isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { defineRegistration, endpoint } from '../../../kernel/server/registration.ts';
import { preferenceProblem } from './preference.rules.ts';
import { MENUS_OF_EVERYBODY } from '../../../domain/permission/effective-permissions.server.ts';

/** What a staff set for itself, and which menus it visits: the same on every computer. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/admin/preference',
      title: ['偏好设置', 'Preferences'],
      access: 'staff',
      handle: async ({ platform, caller }) => {
        const rows = await run<{ key: string; value: unknown }>(
          platform.database.db,
          'SELECT key, value FROM staff_preference WHERE staff_id = $1',
          [caller.staffId],
        );
        return Object.fromEntries(rows.map((row) => [row.key, row.value]));
      },
    }),
    endpoint({
      method: 'PUT',
      path: '/admin/preference/:key',
      title: ['保存偏好设置', 'Store a preference'],
      access: 'staff',
      body: z.strictObject({ value: z.unknown() }),
      handle: async ({ platform, caller, params, body }) => {
        const key = params.key ?? '';
        const problem = preferenceProblem(key, body.value);
        if (problem) throw invalid({ value: problem });
        await run(
          platform.database.db,
          `INSERT INTO staff_preference (staff_id, key, value) VALUES ($1, $2, $3::jsonb)
           ON CONFLICT (staff_id, key) DO UPDATE SET value = excluded.value, version = staff_preference.version + 1, updated_at = now()`,
          [caller.staffId, key, JSON.stringify(body.value)],
        );
        return true;
      },
    }),
    endpoint({
      method: 'POST',
      path: '/admin/profile/visit',
      title: ['记录菜单访问', 'Count a visit of a menu'],
      access: 'staff',
      body: z.strictObject({ menu: z.string().max(80) }),
      handle: async ({ platform, caller, body }) => {
        if (!caller.menus.has(body.menu) && !MENUS_OF_EVERYBODY.includes(body.menu)) throw notFound();
        await run(
          platform.database.db,
          `INSERT INTO menu_visit (staff_id, menu, day) VALUES ($1, $2, $3::date)
           ON CONFLICT (staff_id, menu, day) DO UPDATE SET count = menu_visit.count + 1, last_at = now()`,
          [caller.staffId, body.menu, businessDayOf(new Date())],
        );
        return true;
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/profile/visits',
      title: ['常用菜单', 'Most visited menus'],
      access: 'staff',
      handle: async ({ platform, caller }) => {
        const rows = await run<{ menu: string; count: number; last_at: Date }>(
          platform.database.db,
          `SELECT menu, sum(count) AS count, max(last_at) AS last_at FROM menu_visit
            WHERE staff_id = $1 AND day > ($2::date - 30) GROUP BY menu ORDER BY sum(count) DESC, max(last_at) DESC LIMIT 50`,
          [caller.staffId, businessDayOf(new Date())],
        );
        return rows
          .filter((row) => caller.menus.has(row.menu))
          .map((row) => ({ menu: row.menu, count: row.count, lastAt: isoInstant(row.last_at) }));
      },
    }),
  ],
});
