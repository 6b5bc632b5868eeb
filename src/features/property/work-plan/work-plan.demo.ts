import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { startsOf } from '../../../domain/work-plan/work-plan.rules.ts';
import { workPlan } from './work-plan.contract.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

const POINTS: readonly (readonly [string, string, boolean])[] = [
  ['东门岗亭', '东门值班室外墙', false],
  ['地下车库A区', 'B1 层 A12 车位旁立柱', false],
  ['配电房', '2 号楼负一层', true],
  ['消防泵房', '1 号楼负二层', true],
  ['屋顶水箱', '3 号楼楼顶', true],
  ['电梯机房', '2 号楼楼顶', true],
  ['儿童乐园', '中心花园南侧', false],
  ['垃圾投放点', '西门内侧', false],
];

/** The hour and minute of an instant, at a tenth minute. */
const clock = (at: Date) => `${new Date(at.getTime() + 8 * 60 * MINUTE).toISOString().slice(11, 15)}0`;

/** Name, category, cycle, days, start, minutes, sign-in, points of the list above, days it has run, state. */
const PLANS: readonly (readonly [
  string,
  number,
  'day' | 'week' | 'month',
  string,
  string,
  number,
  'qr' | 'position' | 'photo',
  readonly number[],
  number,
  'running' | 'stopped' | 'draft',
])[] = [
  ['秩序夜巡', 22, 'day', '', '22:00', 90, 'qr', [0, 1, 7, 6], 12, 'running'],
  ['晨间保洁巡查', 23, 'day', '', '07:30', 60, 'photo', [6, 7], 9, 'running'],
  ['配电房周检', 22, 'week', '1,4', '09:30', 60, 'qr', [2], 60, 'running'],
  ['消防设施月检', 2, 'month', '5,20', '14:00', 120, 'position', [3, 4], 120, 'running'],
  ['电梯机房巡检', 21, 'week', '2,5', '10:00', 45, 'qr', [5], 40, 'stopped'],
  ['春季绿化普查', 23, 'week', '6', '09:00', 180, 'photo', [6], 3, 'draft'],
];

/** Points, plans and the rounds of the last weeks: on time, late, absent, under way. */
export const demo = defineDemo({
  key: 'workPlans',
  after: ['workOrders'],
  run: async ({ tx, insert, tell, now, as }) => {
    const desk = as('mall1');
    const places = await run<{ tenant_id: number; project_id: number; project: string; staff: number[] }>(
      tx,
      `SELECT tp.tenant_id, p.id AS project_id, p.name AS project, ARRAY(SELECT s.id FROM staff s WHERE s.tenant_id = tp.tenant_id AND s.state = 'normal' AND s.is_service_staff
                AND (s.all_projects OR EXISTS (SELECT FROM staff_project x WHERE x.staff_id = s.id AND x.project_id = p.id)) ORDER BY s.id LIMIT 3) AS staff
         FROM project p JOIN LATERAL (SELECT min(t.tenant_id) AS tenant_id FROM tenant_project t JOIN tenant c ON c.id = t.tenant_id AND c.kind = 1 WHERE t.project_id = p.id) tp ON tp.tenant_id IS NOT NULL
        ORDER BY p.id LIMIT 3`,
    );
    for (const [where, place] of places.entries()) {
      if (place.staff.length === 0) continue;
      const common = { tenant_id: place.tenant_id, project_id: place.project_id, created_by: desk.staffId };
      const born = new Date(now.getTime() - 150 * DAY);
      const points = await insert(
        'work_point',
        POINTS.map(([name, text, photo], index) => ({
          ...common,
          name,
          place: text,
          photo_required: photo,
          longitude: 121.4737 + where * 0.02 + index * 0.0004,
          latitude: 31.2304 + where * 0.01 + index * 0.0003,
          created_at: born,
          updated_at: born,
        })),
      );
      // Two that are alive whenever somebody looks: one under way, one about to begin.
      const plans: (typeof PLANS)[number][] = [
        ...PLANS,
        [
          '设备房巡更',
          22,
          'day',
          '',
          clock(new Date(now.getTime() - 40 * MINUTE)),
          180,
          'qr',
          [2, 3, 5],
          5,
          'running',
        ],
        [
          '岗位交接检查',
          23,
          'day',
          '',
          clock(new Date(now.getTime() + 35 * MINUTE)),
          30,
          'qr',
          [0, 7],
          4,
          'running',
        ],
      ];
      for (const [
        index,
        [name, category, cycle, days, start, duration, signIn, route, ran, state],
      ] of plans.entries()) {
        if (where > 0 && index > 2 && index < 6) continue;
        const since = new Date(now.getTime() - ran * DAY);
        const from = since.toISOString().slice(0, 10);
        const [plan] = await insert('work_plan', [
          {
            ...common,
            category_id: category,
            name,
            cycle,
            days,
            start_time: start,
            duration,
            sign_in: signIn,
            valid_from: from,
            remark: '按路线逐点检查，发现异常拍照并另报修',
            state,
            acts_from: since,
            created_at: since,
            updated_at: since,
          },
        ]);
        await insert(
          'work_plan_point',
          route.map((one, position) => ({ plan_id: plan, position, point_id: points[one] })),
        );
        await insert(
          'work_plan_staff',
          place.staff.map((staff, position) => ({ plan_id: plan, position, staff_id: staff })),
        );
        const about = { entity: workPlan.name, entityId: plan!, caller: desk };
        await tell({
          ...about,
          action: 'create',
          label: workPlan.actions!.create.label,
          to: 'draft',
          at: since,
        });
        if (state !== 'draft')
          await tell({
            ...about,
            action: 'start',
            label: workPlan.actions!.start.label,
            from: 'draft',
            to: 'running',
            at: new Date(since.getTime() + MINUTE),
          });
        if (state === 'stopped')
          await tell({
            ...about,
            action: 'stop',
            label: workPlan.actions!.stop.label,
            from: 'running',
            to: 'stopped',
            at: new Date(now.getTime() - 2 * DAY),
          });
        if (state === 'draft') continue;
        const until = new Date(now.getTime() - (state === 'stopped' ? 2 * DAY : -60 * MINUTE));
        const starts = startsOf(
          { cycle, days, startTime: start, validFrom: from, validTo: null },
          since,
          until,
        );
        for (const [turn, at] of starts.entries()) {
          const end = new Date(at.getTime() + duration * MINUTE);
          const past = end.getTime() + 30 * MINUTE < now.getTime();
          const handler = place.staff[turn % place.staff.length]!;
          const missed = past && (turn + index) % 9 === 4;
          const late = past && (turn + index) % 7 === 3;
          const begun = past ? !missed : at.getTime() < now.getTime() - 5 * MINUTE;
          const done = past && !missed;
          const made = new Date(at.getTime() - 60 * MINUTE);
          const started = new Date(at.getTime() + 3 * MINUTE);
          const ended = new Date((late ? end.getTime() : at.getTime()) + 20 * MINUTE);
          const status = done
            ? 'finished'
            : missed
              ? 'cancelled_by_staff'
              : begun
                ? 'processing'
                : 'to_accept';
          const [order] = await insert('work_order', [
            {
              code: await nextCode(tx, 'WO', made),
              type: 'plan',
              status,
              source: 4,
              tenant_id: place.tenant_id,
              project_id: place.project_id,
              title: name,
              description: '按路线逐点检查，发现异常拍照并另报修',
              address: place.project,
              category_id: category,
              handler_id: handler,
              dispatched_at: made,
              accepted_at: begun ? new Date(made.getTime() + 8 * MINUTE) : null,
              started_at: begun ? started : null,
              finished_at: done ? ended : null,
              result: done ? '各点位正常' : '',
              cancel_reason: missed ? '缺勤' : '',
              cancelled_at: missed ? new Date(end.getTime() + 30 * MINUTE) : null,
              plan_id: plan,
              plan_staff_id: handler,
              plan_start: at,
              plan_end: end,
              plan_result: done ? (late ? 'late' : 'on_time') : missed ? 'absent' : null,
              created_at: made,
              updated_at: done ? ended : made,
            },
          ]);
          await insert(
            'work_plan_task',
            route.map((one, position) => {
              const seen = done
                ? new Date(ended.getTime() - (route.length - position) * 2 * MINUTE)
                : begun && !past && position === 0
                  ? started
                  : null;
              return {
                order_id: order,
                position: position + 1,
                point_id: points[one],
                sign_in: signIn,
                photo_required: signIn === 'photo' || POINTS[one]![2],
                window_from: at,
                window_to: end,
                checked_at: seen,
                checked_by: seen ? handler : null,
                distance: seen && signIn === 'position' ? 12 + position * 9 : null,
                state: seen ? (seen > end ? 'late' : 'on_time') : missed ? 'absent' : null,
              };
            }),
          );
          const told = { entity: 'workOrder', entityId: order! };
          await tell({
            ...told,
            action: 'create',
            label: ['按计划生成', 'Made by the plan'],
            to: 'to_accept',
            at: made,
          });
          const person = await runOne<{ name: string }>(tx, 'SELECT name FROM staff WHERE id = $1', [
            handler,
          ]);
          const caller = { ...desk, staffId: handler, name: person!.name };
          if (begun) {
            await tell({
              ...told,
              caller,
              action: 'accept',
              label: ['接单', 'Accept'],
              from: 'to_accept',
              to: 'accepted',
              at: new Date(made.getTime() + 8 * MINUTE),
            });
            await tell({
              ...told,
              caller,
              action: 'start',
              label: ['开始处理', 'Start'],
              from: 'accepted',
              to: 'processing',
              at: started,
            });
          }
          if (done)
            await tell({
              ...told,
              caller,
              action: 'finish',
              label: ['完成', 'Finish'],
              from: 'processing',
              to: 'finished',
              remark: '各点位正常',
              at: ended,
            });
          if (missed)
            await tell({
              ...told,
              action: 'absent',
              label: ['逾时未开始，记缺勤', 'Not begun in time: absent'],
              from: 'to_accept',
              to: 'cancelled_by_staff',
              at: new Date(end.getTime() + 30 * MINUTE),
            });
        }
        await run(tx, 'UPDATE work_plan SET turn = $2 WHERE id = $1', [
          plan,
          starts.length % place.staff.length,
        ]);
      }
    }
  },
});
