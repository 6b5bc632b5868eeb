import { addDays, businessDayOf, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { insertRows, type Runner, type SeedRow, takeIds } from './insert-rows.ts';
import { createRandom } from './random.ts';
import { DAY, type World } from './world.ts';

const HOUR = 3_600_000;
const LOT_DAYS = 180;
const REASONS = [
  '系统上线值守',
  '业主大会筹备',
  '台风应急值班',
  '月末对账',
  '设备抢修',
  '商户活动支持',
  '数据盘点',
];
const LEAVE_REASONS = ['家中有事', '陪同就医', '孩子家长会', '办理证件'];

/** Writes overtime of half a year with its lots, time off taken from them, and a few of both that wait for approval. */
export async function seedOvertime(client: Runner, world: World): Promise<void> {
  const random = createRandom(world.seed, 'overtime');
  const today = businessDayOf(world.now);
  const { rows: staff } = await client.query<{
    id: string;
    tenant_id: string;
    leader: string | null;
    boss: string | null;
  }>(
    `SELECT s.id, s.tenant_id, d.leader_id AS leader, p.leader_id AS boss FROM staff s JOIN department d ON d.id = s.department_id LEFT JOIN department p ON p.id = d.parent_id WHERE s.tenant_id IN (SELECT id FROM tenant WHERE kind IN (1, 3)) ORDER BY s.id`,
  );
  const calendar = await client.query<{ day: string }>('SELECT day::text FROM business_calendar');
  const special = new Set(calendar.rows.map((row) => row.day));
  const people = staff.map((row) => ({
    id: Number(row.id),
    tenantId: Number(row.tenant_id),
    leader: [row.leader, row.boss].map(Number).find((id) => id && id !== Number(row.id)),
  }));
  const [overtime, credits, lots, leaves, uses, approvals, tasks]: SeedRow[][] = [[], [], [], [], [], [], []];
  let [overtimeId, leaveId, lotId, approvalId] = [
    await takeIds(client, 'overtime_record', 400),
    await takeIds(client, 'leave_record', 800),
    await takeIds(client, 'leave_balance_lot', 400),
    await takeIds(client, 'approval_instance', 100),
  ];
  for (const person of people.filter((one) => one.leader !== undefined)) {
    for (let round = 0; round < 3; round++) {
      const day = saturdayBefore(today, 1 + random.int(0, 20));
      if (special.has(day) || overtime!.some((row) => row.staff_id === person.id && row.day === day))
        continue;
      const hours = random.int(2, 6);
      const startsAt = new Date(startOfBusinessDay(day).getTime() + 9 * HOUR);
      const pending = round === 2 && random.int(0, 3) === 0;
      const state = pending ? 'pending' : random.int(0, 8) === 0 ? 'rejected' : 'approved';
      const id = overtimeId++;
      const recorder = person.id;
      const createdAt = new Date(Math.min(startsAt.getTime() + DAY, world.now.getTime() - HOUR));
      overtime!.push({
        id,
        tenant_id: person.tenantId,
        staff_id: person.id,
        day,
        starts_at: startsAt,
        ends_at: new Date(startsAt.getTime() + hours * HOUR),
        day_type: 'rest_day',
        minutes: hours * 60,
        rate: 100,
        credited: hours * 60,
        compensation: 'time_off',
        reason: random.pick(REASONS),
        state,
        decided_by: pending ? null : person.leader,
        decided_at: pending ? null : createdAt,
        created_by: recorder,
        updated_by: recorder,
        created_at: createdAt,
        updated_at: createdAt,
      });
      if (state === 'pending') {
        approvals!.push({
          id: approvalId,
          code: `AP${today.replaceAll('-', '')}9${String(approvalId).padStart(5, '0')}`,
          biz_type: 'overtime',
          biz_id: id,
          tenant_id: person.tenantId,
          title_zh: `加班 ${day} 09:00-${String(9 + hours).padStart(2, '0')}:00`,
          title_en: `Overtime ${day} 09:00–${String(9 + hours).padStart(2, '0')}:00`,
          starter_id: recorder,
          subject_id: person.id,
          started_at: createdAt,
        });
        tasks!.push({
          instance_id: approvalId,
          first_assignee_id: person.leader,
          assignee_id: person.leader,
          arrived_at: createdAt,
        });
        approvalId += 1;
      }
      if (state !== 'approved') continue;
      const lot = lotId++;
      const used = random.int(0, 2) === 0 ? 120 : 0;
      credits!.push(
        line(leaveId++, person, 'credit', day, hours * 60, {
          overtime_id: id,
          reason: String(overtime!.at(-1)!.reason),
          created_at: createdAt,
          created_by: recorder,
        }),
      );
      lots!.push({
        id: lot,
        tenant_id: person.tenantId,
        staff_id: person.id,
        overtime_id: id,
        minutes: hours * 60,
        used,
        expires_on: addDays(day, LOT_DAYS),
        created_at: createdAt,
      });
      if (used === 0) continue;
      const off = addDays(day, 3);
      const offStart = new Date(startOfBusinessDay(off).getTime() + 14 * HOUR);
      const leave = leaveId++;
      leaves!.push(
        line(leave, person, 'leave', off, used, {
          starts_at: offStart,
          ends_at: new Date(offStart.getTime() + 2 * HOUR),
          reason: random.pick(LEAVE_REASONS),
          created_at: new Date(createdAt.getTime() + HOUR),
          created_by: recorder,
          decided_by: person.leader,
          decided_at: new Date(createdAt.getTime() + 2 * HOUR),
        }),
      );
      uses!.push({ leave_id: leave, lot_id: lot, minutes: used });
    }
  }
  await insertRows(client, 'overtime_record', overtime!);
  await insertRows(client, 'leave_record', credits!);
  await insertRows(client, 'leave_record', leaves!);
  await insertRows(client, 'leave_balance_lot', lots!);
  await insertRows(client, 'leave_lot_use', uses!);
  await insertRows(client, 'approval_instance', approvals!);
  await insertRows(client, 'approval_task', tasks!);
  // They stand at the one node of the built-in process.
  await insertRows(
    client,
    'approval_node_run',
    approvals!.map((one) => ({
      instance_id: one.id,
      round: 1,
      node: 'leader',
      step: 1,
      seats: 1,
      need: 1,
      arrived_at: one.started_at,
    })),
  );
}

function line(
  id: number,
  person: { id: number; tenantId: number },
  kind: string,
  day: string,
  minutes: number,
  more: SeedRow,
): SeedRow {
  return {
    id,
    tenant_id: person.tenantId,
    staff_id: person.id,
    kind,
    day,
    minutes,
    state: 'approved',
    ...more,
  };
}

/** The Saturday on or before today, `weeks` further back. */
function saturdayBefore(today: string, weeks: number): string {
  const weekday = new Date(`${today}T00:00:00Z`).getUTCDay();
  return addDays(today, -((weekday + 1) % 7) - 7 * weeks);
}
