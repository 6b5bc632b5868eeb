import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { notify } from '../notification/notify.server.ts';
import { writeEvent } from '../work-order/work-order-event.server.ts';
import { listOf } from '../work-order/work-order-scope.server.ts';
import { startsOf, type Cycle } from './work-plan.rules.ts';

interface PlanRow {
  readonly id: number;
  readonly tenant_id: number;
  readonly project_id: number;
  readonly project: string;
  readonly category_id: number;
  readonly name: string;
  readonly cycle: Cycle['cycle'];
  readonly days: string;
  readonly start_time: string;
  readonly duration: number;
  readonly lead_minutes: number;
  readonly sign_in: string;
  readonly valid_from: string;
  readonly valid_to: string | null;
  readonly remark: string;
  readonly acts_from: Date;
  readonly turn: number;
}

/** Columns of a plan that say when it acts. */
export type CycleRow = Pick<PlanRow, 'cycle' | 'days' | 'start_time' | 'valid_from' | 'valid_to'>;

/** The cycle of a plan's row. */
export const cycleOf = (row: CycleRow): Cycle => ({
  cycle: row.cycle,
  days: row.days,
  startTime: row.start_time,
  validFrom: row.valid_from,
  validTo: row.valid_to,
});

/** Somebody of a rotation with approved leave in a span. */
export interface Rotating {
  readonly id: number;
  readonly name: string;
  readonly away: readonly { readonly from: Date; readonly to: Date }[];
}

/** The rotation of a plan in its order, without who was disabled. */
export async function rotationOf(db: Executor, planId: number, from: Date, to: Date): Promise<Rotating[]> {
  const people = await run<{ id: number; name: string }>(
    db,
    `SELECT s.id, s.name FROM work_plan_staff x JOIN staff s ON s.id = x.staff_id WHERE x.plan_id = $1 AND s.state = 'normal' ORDER BY x.position, x.id`,
    [planId],
  );
  const leave = await run<{ staff_id: number; starts_at: Date; ends_at: Date }>(
    db,
    `SELECT staff_id, starts_at, ends_at FROM leave_record WHERE staff_id = ANY($1::bigint[]) AND kind = 'leave' AND state = 'approved'
        AND starts_at < $3 AND ends_at > $2`,
    [people.map((person) => person.id), from, to],
  );
  return people.map((person) => ({
    ...person,
    away: leave
      .filter((one) => one.staff_id === person.id)
      .map((one) => ({ from: one.starts_at, to: one.ends_at })),
  }));
}

/** Whose turn a window is, and whose the next one will be; nobody when all are on leave. */
export function chooseOf(
  people: readonly Rotating[],
  turn: number,
  from: Date,
  to: Date,
): { readonly person: Rotating | undefined; readonly next: number } {
  for (let step = 0; step < people.length; step++) {
    const index = (turn + step) % people.length;
    const person = people[index]!;
    if (!person.away.some((span) => span.from < to && span.to > from))
      return { person, next: (index + 1) % people.length };
  }
  return { person: undefined, next: turn };
}

/**
 * Makes the orders of running plans whose lead time has come, each start once: a repeat or a second worker finds them made. Who is
 * on approved leave is passed over; where nobody is left the dispatcher is asked. Returns how many were made. Source: group 06,
 * cs_PlaneWorkOrder.
 */
export async function generatePlanOrders(
  platform: Pick<Platform, 'database' | 'changed'>,
  now = new Date(),
): Promise<number> {
  const { db } = platform.database;
  const plans = await run<{ id: number }>(db, `SELECT id FROM work_plan WHERE state = 'running' ORDER BY id`);
  let made = 0;
  for (const { id } of plans) made += await transaction(db, (tx) => generateOf(tx, id, now));
  if (made > 0) platform.changed('workOrder');
  return made;
}

async function generateOf(tx: Tx, planId: number, now: Date): Promise<number> {
  const plan = await runOne<PlanRow>(
    tx,
    `SELECT w.*, p.name AS project FROM work_plan w JOIN project p ON p.id = w.project_id WHERE w.id = $1 AND w.state = 'running' FOR UPDATE OF w`,
    [planId],
  );
  if (!plan) return 0;
  const window = plan.duration * 60_000;
  // What ended while nobody looked is past; what has begun is still of use.
  const since = new Date(Math.max(plan.acts_from.getTime(), now.getTime() - window));
  const starts = startsOf(cycleOf(plan), since, new Date(now.getTime() + plan.lead_minutes * 60_000));
  let turn = plan.turn;
  let made = 0;
  for (const start of starts) {
    const taken = await runOne(tx, 'SELECT FROM work_order WHERE plan_id = $1 AND plan_start = $2', [
      planId,
      start,
    ]);
    if (taken) continue;
    const end = new Date(start.getTime() + window);
    const chosen = chooseOf(await rotationOf(tx, planId, start, end), turn, start, end);
    turn = chosen.next;
    await writeOrder(tx, plan, start, end, chosen.person);
    made += 1;
  }
  if (turn !== plan.turn) await run(tx, 'UPDATE work_plan SET turn = $2 WHERE id = $1', [planId, turn]);
  return made;
}

async function writeOrder(
  tx: Tx,
  plan: PlanRow,
  start: Date,
  end: Date,
  person: Rotating | undefined,
): Promise<void> {
  const code = await nextCode(tx, 'WO');
  const { id } = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO work_order (code, type, status, source, tenant_id, project_id, title, description, address, category_id, handler_id, dispatched_at, to_dispatch,
       plan_id, plan_staff_id, plan_start, plan_end)
     VALUES ($1, 'plan', $2, 4, $3, $4, $5, $6, $7, $8, $9::bigint, CASE WHEN $9::bigint IS NOT NULL THEN now() END, $9::bigint IS NULL, $10, $9::bigint, $11, $12) RETURNING id`,
    [
      code,
      person ? 'to_accept' : 'pending_system',
      plan.tenant_id,
      plan.project_id,
      plan.name,
      plan.remark,
      plan.project,
      plan.category_id,
      person?.id ?? null,
      plan.id,
      start,
      end,
    ],
  ))!;
  await run(
    tx,
    `INSERT INTO work_plan_task (order_id, position, point_id, sign_in, photo_required, window_from, window_to)
     SELECT $1, row_number() OVER (ORDER BY x.position, x.id), x.point_id, $3, n.photo_required OR $3 = 'photo', $4, $5
       FROM work_plan_point x JOIN work_point n ON n.id = x.point_id WHERE x.plan_id = $2`,
    [id, plan.id, plan.sign_in, start, end],
  );
  await writeEvent(tx, id, 'create', person?.name ?? '轮值人员均休假，等待派单');
  await writeTimeline(tx, {
    entity: 'workOrder',
    entityId: id,
    action: 'create',
    label: ['按计划生成', 'Made by the plan'],
    to: person ? 'to_accept' : 'pending_system',
    remark: person?.name ?? '轮值人员均休假 / everybody is on leave',
  });
  if (person)
    await notify(tx, {
      staffIds: [person.id],
      kind: 'workOrder',
      title: [`计划工单 ${code}`, `Planned order ${code}`],
      body: [plan.name, plan.name],
      ...listOf({ type: 'plan' }, id),
    });
}
