import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

/** Early and late shifts of service staff, and areas of those who look after some buildings only. */
export const demo = defineDemo({
  key: 'propertyStaff',
  after: ['workOrders'],
  run: async ({ tx, insert }) => {
    const staff = await run<{ id: number; buildings: number[] }>(
      tx,
      `SELECT s.id, ARRAY(SELECT b.id FROM building b WHERE b.project_id = (SELECT min(p.project_id) FROM staff_project p WHERE p.staff_id = s.id) ORDER BY b.id) AS buildings
         FROM staff s WHERE s.is_service_staff ORDER BY s.id`,
    );
    for (const [index, one] of staff.entries()) {
      if (index % 3 === 2) continue;
      await insert(
        'staff_shift',
        [1, 2, 3, 4, 5, ...(index % 2 === 0 ? [6, 7] : [])].map((weekday, position) => ({
          staff_id: one.id,
          position: position + 1,
          weekday: String(weekday),
          from_time: index % 3 === 0 ? '08:00' : '14:00',
          to_time: index % 3 === 0 ? '17:30' : '22:30',
        })),
      );
    }
  },
});
