import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { performanceTarget } from './performance.contract.ts';
import { isMoney, type Metric } from './performance.rules.ts';

const DAY = 86_400_000;

/** Targets of butlers, departments and projects of the last months and of this one; the newest are drafts. */
export const demo = defineDemo({
  key: 'performanceTarget',
  after: ['butlerResults'],
  run: async ({ tx, insert, tell, now, as }) => {
    const author = as('mall1');
    const staff = await run<{ id: number; department: number | null }>(
      tx,
      `SELECT k.staff_id AS id, s.department_id AS department FROM housekeeper k JOIN staff s ON s.id = k.staff_id WHERE k.left_at IS NULL ORDER BY k.id LIMIT 12`,
    );
    const projects = await run<{ id: number }>(tx, 'SELECT id FROM project ORDER BY id LIMIT 6');
    const departments = [...new Set(staff.map((one) => one.department))]
      .filter((one) => one !== null)
      .slice(0, 4);
    const today = new Date(now.getTime() + 8 * 3_600_000);
    for (const back of [3, 2, 1, 0]) {
      const first = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - back, 1));
      const month = first.toISOString().slice(0, 7);
      const made = new Date(first.getTime() - 3 * DAY);
      const rows = [
        ...staff.map((one, n) => ({
          subject_kind: 'staff',
          staff_id: one.id,
          metric: 'sales_valid' as Metric,
          value: 1_500_000 + 250_000 * (n % 5),
        })),
        ...staff.slice(0, 6).map((one, n) => ({
          subject_kind: 'staff',
          staff_id: one.id,
          metric: 'fee_collected' as Metric,
          value: 800_000 + 100_000 * n,
        })),
        ...staff.slice(0, 6).map((one, n) => ({
          subject_kind: 'staff',
          staff_id: one.id,
          metric: 'new_members' as Metric,
          value: 3 + n,
        })),
        ...departments.map((id) => ({
          subject_kind: 'department',
          department_id: id,
          metric: 'sales_valid' as Metric,
          value: 6_000_000,
        })),
        ...projects.map((one, n) => ({
          subject_kind: 'project',
          project_id: one.id,
          metric: 'sales_valid' as Metric,
          value: 2_500_000 + 300_000 * n,
        })),
        ...projects.map((one, n) => ({
          subject_kind: 'project',
          project_id: one.id,
          metric: 'orders' as Metric,
          value: 60 + 10 * n,
        })),
      ];
      for (const [index, { value, ...row }] of rows.entries()) {
        const confirmed = back > 0 || index % 5 !== 4;
        const confirmedAt = new Date(made.getTime() + DAY);
        const [id] = await insert('performance_target', [
          {
            ...row,
            month,
            amount: isMoney(row.metric) ? value : null,
            number: isMoney(row.metric) ? null : value,
            state: confirmed ? 'confirmed' : 'draft',
            confirmed_at: confirmed ? confirmedAt : null,
            created_at: made,
            created_by: author.staffId,
            updated_at: confirmed ? confirmedAt : made,
            updated_by: author.staffId,
          },
        ]);
        const told = { entity: performanceTarget.name, entityId: id!, caller: author };
        const { create, confirm } = performanceTarget.actions!;
        await tell({ ...told, at: made, action: 'create', label: create.label, to: 'draft' });
        if (confirmed)
          await tell({
            ...told,
            at: confirmedAt,
            action: 'confirm',
            label: confirm.label,
            from: 'draft',
            to: 'confirmed',
          });
      }
    }
  },
});
