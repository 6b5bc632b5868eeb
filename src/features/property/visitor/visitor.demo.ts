import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import type { VisitorState } from '../../../domain/visitor/visitor.rules.ts';
import { visitor } from './visitor.contract.ts';

const HOUR = 3_600_000;
const NAMES = [
  '张敏',
  '李伟',
  '王芳',
  '刘洋',
  '陈静',
  '杨帆',
  '赵磊',
  '黄丽',
  '周涛',
  '吴倩',
  '徐强',
  '孙悦',
];
const REASONS = ['探亲访友', '送家具上门', '家电维修', '装修量房', '家教上课', '亲友聚餐', '搬家帮忙'];
const PLATES = ['粤B12K88', '沪A6D527', '京N88P21', '浙A3F719', '粤BD12345', '苏E70P36', '沪AF60218'];

/** state, begins how many hours from now, hours it holds. */
const PLANS: readonly (readonly [VisitorState, number, number])[] = [
  ['to_review', 3, 6],
  ['to_review', 20, 8],
  ['valid', -1, 10],
  ['valid', 2, 5],
  ['valid', 26, 12],
  ['arrived', -2, 6],
  ['arrived', -9, 5],
  ['left', -26, 8],
  ['left', -30, 4],
  ['left', -75, 10],
  ['left', -120, 6],
  ['refused', -50, 8],
  ['cancelled', -28, 6],
  ['expired', -54, 8],
  ['expired', -100, 4],
];

/** Visits to houses of every project in all states, with their passages. */
export const demo = defineDemo({
  key: 'visitors',
  after: ['registrations', 'roadGates'],
  run: async ({ tx, insert, tell, base, random, now, as }) => {
    const desk = as('mall1');
    const actions = visitor.actions!;
    const at = (hours: number) => new Date(now.getTime() + hours * HOUR);
    for (const [index, project] of base.projects.entries()) {
      const homes = await run<{ id: number; house: number; address: string }>(
        tx,
        `SELECT DISTINCT ON (x.id) hh.id, x.id AS house, b.name || ' ' || u.name || ' ' || x.number AS address
           FROM household hh JOIN house x ON x.id = hh.house_id JOIN building_unit u ON u.id = x.unit_id JOIN building b ON b.id = u.building_id
          WHERE x.project_id = $1 AND hh.status = 'normal' ORDER BY x.id, hh.id LIMIT 15`,
        [project.id],
      );
      const gates = await run<{ id: number; name: string }>(
        tx,
        'SELECT id, name FROM road_gate WHERE project_id = $1 ORDER BY id',
        [project.id],
      );
      if (homes.length === 0) continue;
      const plans = PLANS.filter((_plan, n) => index < 2 || (n + index) % 3 === 0);
      for (const [n, [state, begins, hours]] of plans.entries()) {
        const home = homes[n % homes.length]!;
        const car = random.chance(0.45);
        const behalf = random.chance(0.4);
        const from = at(begins);
        const arrived =
          state === 'arrived' || state === 'left' ? new Date(from.getTime() + 20 * 60_000) : null;
        const left = state === 'left' ? new Date(from.getTime() + 0.6 * hours * HOUR) : null;
        const made = new Date(Math.min(from.getTime(), now.getTime()) - random.int(2, 30) * HOUR);
        const visitorName = random.pick(NAMES);
        const reviewed = state === 'to_review' || state === 'refused';
        const decision = state === 'refused' ? '住户否认邀请' : state === 'cancelled' ? '行程有变' : '';
        const [id] = await insert('visitor_registration', [
          {
            project_id: project.id,
            house_id: home.house,
            household_id: home.id,
            address: home.address,
            visitor: visitorName,
            phone: `13${random.int(5, 9)}${random.digits(8)}`,
            people: random.int(1, 4),
            reason: random.pick(REASONS),
            visit_from: from,
            visit_to: new Date(from.getTime() + hours * HOUR),
            // Each plan of a house takes a place of its own, whatever day it falls on.
            seat: 1 + Math.floor(n / homes.length),
            drives: car ? 'yes' : 'no',
            plate: car ? random.pick(PLATES) : '',
            car_state: !car
              ? 'none'
              : state === 'to_review'
                ? 'waiting'
                : state === 'refused'
                  ? 'refused'
                  : 'passed',
            free_parking_min: car ? 120 : 0,
            state,
            decision,
            arrived_at: arrived,
            left_at: left,
            on_behalf: behalf,
            created_at: made,
            created_by: behalf ? desk.staffId : null,
            updated_at: left ?? arrived ?? made,
            updated_by: behalf ? desk.staffId : null,
          },
        ]);
        const line = (action: keyof typeof actions, when: Date, from: string, to: string, remark = '') =>
          tell({
            entity: 'visitor',
            entityId: id!,
            caller: behalf || action === 'refuse' ? desk : undefined,
            action,
            label: actions[action]!.label,
            ...(from && { from }),
            to,
            at: when,
            remark,
          });
        await line('create', made, '', reviewed ? 'to_review' : 'valid');
        if (arrived) await line('arrive', arrived, 'valid', 'arrived');
        if (left) await line('leave', left, 'arrived', 'left');
        if (state === 'refused')
          await line('refuse', new Date(made.getTime() + HOUR), 'to_review', state, decision);
        if (state === 'cancelled')
          await line('cancel', new Date(made.getTime() + HOUR), 'valid', state, decision);
        if (state === 'expired')
          await line('expire', new Date(from.getTime() + hours * HOUR), 'valid', state);
        const gate = gates[n % Math.max(1, gates.length)];
        for (const [direction, when] of [
          ['in', arrived],
          ['out', left],
        ] as const)
          if (when)
            await insert('pass_log', [
              {
                at: when,
                received_at: when,
                project_id: project.id,
                gate_id: gate?.id ?? null,
                address: gate?.name ?? `${project.name}大门`,
                direction,
                method: 'qr',
                result: 'succeeded',
                visit_id: id,
                visitor: visitorName,
              },
            ]);
      }
    }
  },
});
