import {
  feeOf,
  minutesAfter,
  minutesOf,
  type FeePlan,
  type ParkingWay,
} from '../../../domain/parking/parking.rules.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { parkingLot } from '../parking-lot/parking-lot.contract.ts';
import { parkingOrder } from './parking-order.contract.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const STAYS = 22;

const PLAN: FeePlan = {
  freeMinutes: 30,
  freeDeduct: false,
  firstMinutes: 60,
  firstFen: 500,
  unitMinutes: 30,
  unitFen: 200,
  capFen: 3000,
};
const LARGE: FeePlan = { ...PLAN, firstFen: 1000, unitFen: 400, capFen: 6000 };

const columnsOf = (plan: FeePlan) => ({
  free_minutes: plan.freeMinutes,
  free_deduct: plan.freeDeduct,
  first_minutes: plan.firstMinutes,
  first_fen: plan.firstFen,
  unit_minutes: plan.unitMinutes,
  unit_fen: plan.unitFen,
  cap_fen: plan.capFen,
});

/** Lots over the gates of the projects, with two weeks of stays: free ones, paid ones, passes, a debt, what is odd. */
export const demo = defineDemo({
  key: 'parking',
  after: ['roadGates', 'visitors'],
  run: async ({ tx, base, insert, tell, random, now, as }) => {
    const desk = as('mall1');
    const today = businessDayOf(now);
    const made = new Date(now.getTime() - 120 * 24 * HOUR);
    let number = 0;
    let payments = 0;
    const code = () => `TCD${String(++number).padStart(6, '0')}`;
    const plate = (province = '粤B') => `${province}${random.pick([...LETTERS])}${random.digits(4)}`;
    for (const [index, project] of base.projects.entries()) {
      const gates = await run<{ id: number; lot: string; direction: string }>(
        tx,
        'SELECT id, lot, direction FROM road_gate WHERE project_id = $1 ORDER BY id LIMIT 3',
        [project.id],
      );
      if (gates.length === 0) continue;
      const stamps = {
        created_at: made,
        created_by: desk.staffId,
        updated_at: made,
        updated_by: desk.staffId,
      };
      for (const name of new Set(gates.map((gate) => gate.lot))) {
        const own = gates.filter((gate) => gate.lot === name);
        const isGround = name.includes('地面');
        const [lot] = await insert('parking_lot', [
          {
            code: `${project.code}-${isGround ? 'P1' : 'P2'}`,
            name,
            project_id: project.id,
            kind: isGround ? 'ground' : 'underground',
            spaces: isGround ? 60 + index * 5 : 320 + index * 20,
            vendor: 'sandbox',
            enabled: true,
            ...stamps,
          },
        ]);
        await run(tx, 'INSERT INTO parking_lot_gate (lot_id, gate_id) SELECT $1, unnest($2::bigint[])', [
          lot,
          own.map((gate) => gate.id),
        ]);
        const told = { entity: 'parkingLot', entityId: lot!, caller: desk };
        const { create, addPlan, enable } = parkingLot.actions!;
        await tell({ ...told, action: 'create', label: create!.label, at: made });
        await tell({
          ...told,
          action: 'addPlan',
          label: addPlan!.label,
          remark: '小型车',
          at: new Date(made.getTime() + HOUR),
        });
        await tell({
          ...told,
          action: 'enable',
          label: enable!.label,
          at: new Date(made.getTime() + 2 * HOUR),
        });
        const place = { lot_id: lot, project_id: project.id };
        const [plan] = await insert('parking_fee_plan', [
          {
            ...place,
            vehicle_class: 'small',
            ...columnsOf(PLAN),
            valid_from: addDays(today, -120),
            created_at: made,
            created_by: desk.staffId,
          },
          {
            ...place,
            vehicle_class: 'large',
            ...columnsOf(LARGE),
            valid_from: addDays(today, -120),
            created_at: made,
            created_by: desk.staffId,
          },
          {
            ...place,
            vehicle_class: 'small',
            ...columnsOf({ ...PLAN, freeMinutes: 15 }),
            valid_from: addDays(today, 30),
            created_at: now,
            created_by: desk.staffId,
          },
        ]);
        const holder = plate();
        await insert('parking_pass', [
          {
            ...place,
            plate: holder,
            kind: 'owner',
            starts_on: addDays(today, -90),
            ends_on: addDays(today, 275),
            note: '',
            ...stamps,
          },
          {
            ...place,
            plate: plate(),
            kind: 'monthly',
            starts_on: addDays(today, -26),
            ends_on: addDays(today, 4),
            note: '物业前台代办',
            ...stamps,
          },
          {
            ...place,
            plate: plate(),
            kind: 'staff',
            starts_on: addDays(today, -200),
            ends_on: addDays(today, -20),
            note: '',
            ...stamps,
          },
        ]);
        const merchant = base.merchants[index % base.merchants.length]!;
        await insert('parking_coupon', [
          {
            ...place,
            kind: 'minutes',
            value: 60,
            tenant_id: merchant.id,
            plate: plate('沪A'),
            valid_to: addDays(today, 20),
            ...stamps,
          },
          {
            ...place,
            kind: 'percent',
            value: 80,
            tenant_id: null,
            plate: plate('京N'),
            valid_to: addDays(today, -3),
            ...stamps,
          },
        ]);
        const enters = own.find((gate) => gate.direction !== 'out')?.id ?? null;
        const leaves = own.find((gate) => gate.direction !== 'in')?.id ?? null;
        const { pay, leave, release, suspect } = parkingOrder.actions!;
        for (let n = 0; n < STAYS / (index < 2 ? 1 : 2); n++) {
          const sort =
            n < 5 ? 'inside' : n === 5 ? 'owed' : n === 6 ? 'abnormal' : n % 7 === 0 ? 'pass' : 'left';
          const minutes = random.pick([12, 25, 47, 95, 130, 220, 260, 540]);
          const end = new Date(
            now.getTime() - random.int(1, 14 * 24 - 1) * HOUR - random.int(0, 50) * MINUTE,
          );
          const entry =
            sort === 'inside'
              ? new Date(now.getTime() - random.int(5, 300) * MINUTE)
              : sort === 'abnormal'
                ? new Date(now.getTime() - 33 * 24 * HOUR)
                : new Date(end.getTime() - minutes * MINUTE);
          const paysAt = new Date(end.getTime() - 4 * MINUTE);
          const priced = feeOf(PLAN, minutesOf(entry, sort === 'owed' ? end : paysAt));
          const fee = sort === 'left' || sort === 'owed' ? priced.fee : 0;
          const way = random.pick(['wechat', 'wechat', 'alipay', 'cash'] as const) satisfies ParkingWay;
          const isPaid = sort === 'left' && fee > 0;
          const isGone = sort !== 'inside' && sort !== 'abnormal';
          const owed = sort === 'owed' ? fee : 0;
          const id = (
            await insert('parking_order', [
              {
                ...place,
                code: code(),
                plan_id: plan,
                plate: sort === 'pass' ? holder : plate(random.pick(['粤B', '粤A', '沪A', '京N'])),
                colour: '蓝',
                vehicle_class: 'small',
                entry_at: entry,
                exit_at: isGone ? end : null,
                entry_gate_id: enters,
                exit_gate_id: isGone ? leaves : null,
                gross: fee,
                paid: isPaid ? fee : 0,
                owed,
                covered_until: fee > 0 ? minutesAfter(entry, priced.covered) : null,
                release_kind: !isGone
                  ? null
                  : sort === 'pass'
                    ? 'pass'
                    : sort === 'owed'
                      ? 'manual'
                      : isPaid
                        ? 'paid'
                        : 'free',
                pay_way: isPaid ? way : null,
                abnormal: sort === 'abnormal' ? 'too_long' : '',
                state: sort === 'inside' ? 'parked' : sort === 'abnormal' ? 'abnormal' : 'left',
                created_at: entry,
                created_by: null,
                updated_at: isGone ? end : entry,
                updated_by: sort === 'owed' ? desk.staffId : null,
              },
            ])
          )[0]!;
          const line = { entity: 'parkingOrder', entityId: id, caller: undefined };
          await tell({ ...line, action: 'enter', label: ['入场', 'Came in'], to: 'parked', at: entry });
          await insert('parking_command', [
            {
              order_id: id,
              project_id: project.id,
              gate_id: enters,
              at: entry,
              origin: 'entry',
              opens: true,
              outcome: 'answered',
            },
            ...(isGone
              ? [
                  {
                    order_id: id,
                    project_id: project.id,
                    gate_id: leaves,
                    at: end,
                    origin: sort === 'owed' ? 'release' : 'exit',
                    opens: true,
                    outcome: sort === 'owed' ? 'opened' : 'answered',
                  },
                ]
              : []),
          ]);
          if (isPaid) {
            await insert('parking_payment', [
              {
                order_id: id,
                project_id: project.id,
                kind: 'payment',
                way,
                amount: fee,
                number: `PKD${String(++payments).padStart(8, '0')}`,
                state: 'succeeded',
                at: paysAt,
                ended_at: paysAt,
                operator_id: way === 'cash' ? desk.staffId : null,
              },
            ]);
            await tell({ ...line, action: 'pay', label: pay!.label, from: 'to_pay', to: 'paid', at: paysAt });
          }
          if (sort === 'abnormal')
            await tell({
              ...line,
              action: 'suspect',
              label: suspect!.label,
              from: 'parked',
              to: 'abnormal',
              at: new Date(now.getTime() - 3 * 24 * HOUR),
            });
          else if (sort === 'owed')
            await tell({
              ...line,
              caller: desk,
              action: 'release',
              label: release!.label,
              from: 'to_pay',
              to: 'left',
              remark: '业主手机没电，下次补缴',
              at: end,
            });
          else if (isGone)
            await tell({
              ...line,
              action: 'leave',
              label: leave!.label,
              from: isPaid ? 'paid' : 'parked',
              to: 'left',
              at: end,
            });
        }
      }
    }
  },
});
