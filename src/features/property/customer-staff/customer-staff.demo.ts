import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { customerStaff } from './customer-staff.contract.ts';

/** Customer service of every company: early and late, one answering complaints only, one disabled. */
export const demo = defineDemo({
  key: 'customerStaff',
  run: async ({ tx, insert, tell, now, system }) => {
    const staff = await run<{ id: number; tenant_id: number }>(
      tx,
      `SELECT id, tenant_id FROM (SELECT s.id, s.tenant_id, row_number() OVER (PARTITION BY s.tenant_id ORDER BY s.id) AS n
         FROM staff s JOIN tenant n ON n.id = s.tenant_id WHERE n.kind = 1 AND s.state = 'normal') x WHERE n <= 4 ORDER BY n, id LIMIT 8`,
    );
    if (staff.length === 0) return;
    await run(tx, 'UPDATE staff SET is_customer_service = true WHERE id = ANY($1::bigint[])', [
      staff.map((one) => one.id),
    ]);
    const at = (index: number) => new Date(now.getTime() - (160 - index * 9) * 86_400_000);
    const ids = await insert(
      'customer_staff',
      staff.map((one, index) => ({
        staff_id: one.id,
        tenant_id: one.tenant_id,
        complaint: index % 4 !== 2,
        suggestion: index % 4 !== 1,
        enquiry: index % 4 !== 1,
        enabled: index !== 7,
        created_at: at(index),
        updated_at: at(index),
      })),
    );
    for (const [index, id] of ids.entries()) {
      await insert(
        'customer_duty',
        [1, 2, 3, 4, 5, ...(index % 3 === 0 ? [6, 7] : [])].map((weekday, position) => ({
          customer_staff_id: id,
          position,
          weekday: String(weekday),
          from_time: index % 2 === 0 ? '08:30' : '12:00',
          to_time: index % 2 === 0 ? '17:30' : '20:30',
        })),
      );
      await tell({
        entity: customerStaff.name,
        entityId: id,
        at: at(index),
        caller: system,
        action: 'create',
        label: ['新增', 'Added'],
      });
    }
  },
});
