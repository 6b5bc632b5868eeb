import { ids, idsOfRows, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';
import { notAboutOneself, oracle as orders, orderStanding } from '../work-order/work-order.oracle.ts';

const { overdue: _overdue, to_call: _call, cancelled_by_member: _member, ...tabs } = orders.tabs!;

export const oracle = defineOracle({
  name: 'planOrder',
  menu: 'cs_PlaneWorkOrder',
  table: 'work_order',
  where: (row) => row.type === 'plan',
  standing: orderStanding,
  extra: notAboutOneself,
  filters: {
    state: orders.filters!.state!,
    project: ids('project_id', 'project'),
    plan: idsOfRows('plan_id', 'work_order'),
    category: orders.filters!.category!,
    planResult: words('plan_result', ['on_time', 'early', 'late', 'absent']),
  },
  tabs: { ...tabs, absent: (row) => row.plan_result === 'absent' },
  text: orders.text!,
  export: orders.export!,
  owner: 'created_by',
  reads: ['work_category', 'building'],
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 40).entries()) {
      const status = dice.pick([
        'pending_system',
        'to_accept',
        'accepted',
        'processing',
        'finished',
        'cancelled_by_staff',
      ]);
      await run(
        db,
        `WITH place AS (SELECT tp.tenant_id, tp.project_id FROM tenant_project tp JOIN tenant c ON c.id = tp.tenant_id AND c.kind = 1 ORDER BY (tp.project_id * 31) % (5 + $1::int), tp.project_id LIMIT 1),
              plan AS (INSERT INTO work_plan (tenant_id, project_id, category_id, name, cycle, start_time, duration, sign_in, valid_from, created_by)
                SELECT tenant_id, project_id, (SELECT min(id) FROM work_category), 'filled ' || $1, 'day', '08:00', 60, 'qr', current_date - 90, $2::bigint FROM place RETURNING id, tenant_id, project_id, category_id)
         INSERT INTO work_order (code, type, status, source, tenant_id, project_id, category_id, title, handler_id, plan_id, plan_start, plan_end, plan_result, created_at, created_by)
         SELECT 'WO20200102' || lpad($1::text, 6, '0'), 'plan', $3, 4, tenant_id, project_id, category_id, '巡检 ' || $1, CASE WHEN $3 = 'pending_system' THEN NULL ELSE $2::bigint END, id,
                date_trunc('minute', now()) - make_interval(days => $4), date_trunc('minute', now()) - make_interval(days => $4) + interval '1 hour',
                CASE WHEN $3 = 'cancelled_by_staff' THEN 'absent' WHEN $3 = 'finished' THEN $5 END, now() - make_interval(days => $4), $2::bigint FROM plan`,
        [index, id, status, dice.upTo(50), dice.pick(['on_time', 'early', 'late'])],
      );
    }
  },
});
