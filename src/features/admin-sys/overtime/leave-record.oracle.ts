import { words, ownTenant, stateTabs, counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'leaveRecord',
  menu: 'workOvertimeManager',
  table: 'leave_record',
  standing: ownTenant('staff_id'),
  leftOut: ['department'],
  filters: {
    state: words('state', ['pending', 'approved', 'rejected', 'cancelled', 'void']),
    kind: words('kind', ['leave', 'credit', 'expiry', 'adjustment']),
  },
  tabs: { all: () => true, leave: (row) => row.kind === 'leave', ...stateTabs('pending') },
  export: counted,
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id, tenantId }] of staff.slice(120).entries())
      await run(
        db,
        `INSERT INTO leave_record (tenant_id, staff_id, kind, day, starts_at, ends_at, minutes, reason, state, created_by)
         VALUES ($1, $2, 'leave', $3::text::date, ($3::text || 'T09:00:00+08')::timestamptz, ($3::text || 'T10:00:00+08')::timestamptz, 60, '事假', $4, $2)`,
        [
          tenantId,
          id,
          `2026-10-${String(1 + (index % 28)).padStart(2, '0')}`,
          dice.pick(['pending', 'approved', 'rejected', 'cancelled', 'void']),
        ],
      );
  },
});
