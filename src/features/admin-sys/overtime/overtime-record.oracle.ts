import { words, ids, ownTenant, stateTabs, counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'overtimeRecord',
  menu: 'workOvertimeManager',
  table: 'overtime_record',
  standing: ownTenant('staff_id'),
  leftOut: ['department'],
  filters: {
    state: words('state', ['pending', 'approved', 'rejected', 'cancelled', 'void']),
    compensation: words('compensation', ['time_off', 'pay']),
    staff: ids('staff_id', 'staff'),
  },
  tabs: { all: () => true, ...stateTabs('pending', 'approved') },
  export: counted,
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id, tenantId }] of staff.slice(0, 120).entries())
      await run(
        db,
        `INSERT INTO overtime_record (tenant_id, staff_id, day, starts_at, ends_at, day_type, minutes, rate, credited, compensation, reason, state, created_by)
         VALUES ($1, $2, $3::text::date, ($3::text || 'T20:00:00+08')::timestamptz, ($3::text || 'T21:00:00+08')::timestamptz, 'workday', 60, 100, $5, $6, '盘点', $4, $2)`,
        [
          tenantId,
          id,
          `2026-10-${String(1 + (index % 28)).padStart(2, '0')}`,
          dice.pick(['pending', 'approved', 'rejected', 'cancelled', 'void']),
          index % 2 === 0 ? 60 : 0,
          index % 2 === 0 ? 'time_off' : 'pay',
        ],
      );
  },
});
