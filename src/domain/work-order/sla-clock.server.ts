import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { Label } from '../../kernel/contract/label.ts';
import { notify } from '../notification/notify.server.ts';
import { calendarHours } from './calendar.server.ts';
import { readClock, type Reading, type SlaStep } from './sla.rules.ts';
import { writeEvent } from './work-order-event.server.ts';
import { workOrderSight } from './work-order-scope.server.ts';
import type { PauseReason } from './work-order-words.rules.ts';

/** A clock as it is stored. */
export interface ClockRow {
  readonly id: number;
  readonly order_id: number;
  readonly target: 'response' | 'resolution';
  readonly round: number;
  readonly policy_id: number;
  readonly calendar_id: number;
  readonly target_minutes: number;
  readonly started_at: Date;
  readonly used_minutes: number;
  readonly paused_minutes: number;
  readonly paused_since: Date | null;
  readonly due_at: Date;
  readonly stopped_at: Date | null;
  readonly state: Reading['state'];
}

/** SQL: ids of a category and those above it, with `depth` counted from itself. `category` is SQL. */
export const categoryPath = (category: string): string =>
  `WITH RECURSIVE up AS (SELECT c.id, c.parent_id, 0 AS depth FROM work_category c WHERE c.id = ${category}
     UNION ALL SELECT c.id, c.parent_id, up.depth + 1 FROM work_category c JOIN up ON c.id = up.parent_id) SELECT id, depth FROM up`;

interface Policy {
  readonly id: number;
  readonly calendar_id: number;
  readonly response_min: number;
  readonly resolution_min: number;
}

/**
 * The policy of an order: of its urgency, its own project before all, its category (or the one above, or the policy a
 * category names) before all, the company's before the standard one.
 */
async function policyOf(db: Executor, orderId: number): Promise<Policy | undefined> {
  return runOne<Policy>(
    db,
    `WITH o AS (SELECT * FROM work_order WHERE id = $1), path AS (${categoryPath('(SELECT category_id FROM o)')}),
       named AS (SELECT c.sla_policy_id, min(path.depth) AS depth FROM work_category c JOIN path ON path.id = c.id WHERE c.sla_policy_id IS NOT NULL GROUP BY 1)
     SELECT p.id, p.calendar_id, p.response_min, p.resolution_min FROM sla_policy p CROSS JOIN o
       LEFT JOIN path ON path.id = p.category_id LEFT JOIN named ON named.sla_policy_id = p.id
      WHERE p.enabled AND p.urgency = o.urgency AND (p.tenant_id IS NULL OR p.tenant_id = o.tenant_id)
        AND (p.project_id IS NULL OR p.project_id = o.project_id) AND (p.category_id IS NULL OR path.id IS NOT NULL)
      ORDER BY p.project_id IS NULL, coalesce(path.depth, named.depth, 99), p.tenant_id IS NULL, p.id LIMIT 1`,
    [orderId],
  );
}

/** Starts both clocks of a new order from its creation. Without a policy of its urgency an order has none. */
export async function startClocks(tx: Tx, orderId: number): Promise<void> {
  const policy = await policyOf(tx, orderId);
  if (!policy) return;
  const { created_at } = (await runOne<{ created_at: Date }>(
    tx,
    'SELECT created_at FROM work_order WHERE id = $1',
    [orderId],
  ))!;
  await run(tx, 'UPDATE work_order SET sla_policy_id = $2 WHERE id = $1', [orderId, policy.id]);
  await addClock(tx, orderId, policy, 'response', 1, created_at);
  await addClock(tx, orderId, policy, 'resolution', 1, created_at);
  await showClock(tx, orderId);
}

/** A new round of the resolution clock, from now. */
export async function startRound(tx: Tx, orderId: number): Promise<void> {
  const last = await runOne<{ round: number; policy_id: number }>(
    tx,
    `SELECT round, policy_id FROM sla_clock WHERE order_id = $1 AND target = 'resolution' ORDER BY round DESC LIMIT 1`,
    [orderId],
  );
  if (!last) return;
  const policy = (await runOne<Policy>(
    tx,
    'SELECT id, calendar_id, response_min, resolution_min FROM sla_policy WHERE id = $1',
    [last.policy_id],
  ))!;
  await addClock(tx, orderId, policy, 'resolution', last.round + 1, new Date());
  await showClock(tx, orderId);
}

async function addClock(
  tx: Tx,
  orderId: number,
  policy: Policy,
  target: 'response' | 'resolution',
  round: number,
  startedAt: Date,
): Promise<void> {
  const minutes = target === 'response' ? policy.response_min : policy.resolution_min;
  const hours = await calendarHours(tx, policy.calendar_id);
  const reading = readClock(
    { startedAt, targetMinutes: minutes, pausedMinutes: 0, pausedSince: null, stoppedAt: null },
    startedAt,
    hours,
  );
  await run(
    tx,
    `INSERT INTO sla_clock (order_id, target, round, policy_id, calendar_id, target_minutes, started_at, due_at, next_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      orderId,
      target,
      round,
      policy.id,
      policy.calendar_id,
      minutes,
      startedAt,
      reading.dueAt,
      reading.nextAt,
    ],
  );
}

/** Stops the running clocks of an order, those of one target when it is given. */
export async function stopClocks(
  tx: Tx,
  orderId: number,
  target?: 'response' | 'resolution',
  at = new Date(),
): Promise<void> {
  for (const clock of await openClocks(tx, orderId))
    if (!target || clock.target === target) await rewrite(tx, { ...clock, stopped_at: at }, at);
  await showClock(tx, orderId);
}

/** Stops counting when the policy lists the reason; returns whether it does. */
export async function pauseClocks(tx: Tx, orderId: number, reason: PauseReason): Promise<boolean> {
  const now = new Date();
  let any = false;
  for (const clock of await openClocks(tx, orderId)) {
    const policy = (await runOne<Record<string, boolean>>(
      tx,
      'SELECT pause_parts AS parts, pause_owner AS owner, pause_weather AS weather, pause_third_party AS third_party FROM sla_policy WHERE id = $1',
      [clock.policy_id],
    ))!;
    if (!policy[reason]) continue;
    any = true;
    await rewrite(tx, { ...clock, paused_since: now }, now);
  }
  await showClock(tx, orderId);
  return any;
}

/** Counts on; returns the minutes of the calendar the pause took. */
export async function resumeClocks(tx: Tx, orderId: number, now = new Date()): Promise<number> {
  let minutes = 0;
  for (const clock of await openClocks(tx, orderId)) {
    if (!clock.paused_since) continue;
    const reading = readClock(clockOf(clock), now, await calendarHours(tx, clock.calendar_id));
    minutes = Math.max(minutes, reading.pausedMinutes - clock.paused_minutes);
    await rewrite(tx, { ...clock, paused_since: null, paused_minutes: reading.pausedMinutes }, now);
  }
  await showClock(tx, orderId);
  return minutes;
}

/** Reckons the running clocks of policies or calendars anew; used and paused minutes stay. Returns how many. */
export async function recalculateClocks(
  tx: Tx,
  by: { readonly policyId: number } | { readonly calendarId: number },
): Promise<number> {
  const [column, id] = 'policyId' in by ? ['policy_id', by.policyId] : ['calendar_id', by.calendarId];
  const clocks = await run<ClockRow>(
    tx,
    `SELECT * FROM sla_clock WHERE ${column} = $1 AND stopped_at IS NULL ORDER BY order_id, id FOR NO KEY UPDATE`,
    [id],
  );
  const now = new Date();
  for (const clock of clocks) {
    const policy = (await runOne<Policy>(
      tx,
      'SELECT id, calendar_id, response_min, resolution_min FROM sla_policy WHERE id = $1',
      [clock.policy_id],
    ))!;
    await rewrite(
      tx,
      {
        ...clock,
        calendar_id: policy.calendar_id,
        target_minutes: clock.target === 'response' ? policy.response_min : policy.resolution_min,
      },
      now,
    );
  }
  for (const orderId of new Set(clocks.map((clock) => clock.order_id))) await showClock(tx, orderId);
  return clocks.length;
}

const clockOf = (clock: ClockRow) => ({
  startedAt: clock.started_at,
  targetMinutes: clock.target_minutes,
  pausedMinutes: clock.paused_minutes,
  pausedSince: clock.paused_since,
  stoppedAt: clock.stopped_at,
});

async function openClocks(tx: Tx, orderId: number): Promise<ClockRow[]> {
  return run<ClockRow>(
    tx,
    'SELECT * FROM sla_clock WHERE order_id = $1 AND stopped_at IS NULL ORDER BY id FOR NO KEY UPDATE',
    [orderId],
  );
}

/** Writes a clock as it stands at an instant. Minutes of a pause that goes on are added when it ends. */
async function rewrite(tx: Tx, clock: ClockRow, at: Date): Promise<Reading> {
  const reading = readClock(clockOf(clock), at, await calendarHours(tx, clock.calendar_id));
  const ends = clock.stopped_at !== null && clock.paused_since !== null;
  await run(
    tx,
    `UPDATE sla_clock SET calendar_id = $2, target_minutes = $3, used_minutes = $4, paused_minutes = $5, paused_since = $6, due_at = $7,
            next_at = $8, stopped_at = $9, state = $10 WHERE id = $1`,
    [
      clock.id,
      clock.calendar_id,
      clock.target_minutes,
      reading.usedMinutes,
      ends ? reading.pausedMinutes : clock.paused_minutes,
      ends ? null : clock.paused_since,
      reading.dueAt,
      reading.nextAt,
      clock.stopped_at,
      reading.state,
    ],
  );
  return reading;
}

/** Puts the clock people look at onto the order: the response while it runs, then the newest resolution. */
async function showClock(tx: Tx, orderId: number): Promise<void> {
  await run(
    tx,
    `UPDATE work_order o SET sla_due_at = c.due_at, sla_state = c.state
       FROM (SELECT due_at, state FROM sla_clock WHERE order_id = $1
              ORDER BY (target = 'response' AND stopped_at IS NULL) DESC, target = 'resolution' DESC, round DESC LIMIT 1) c
      WHERE o.id = $1`,
    [orderId],
  );
}

/** Words of the steps of the ladder. */
const STEP_WORDS: Readonly<Record<SlaStep, Label>> = {
  70: ['时效已用70%，提醒处理人', '70 % of the time is used: the handler is told'],
  100: ['已超时，升级部门负责人', 'Overdue: the department leader is told'],
  150: ['超时150%，升级项目经理', '150 % of the time: the project manager is told'],
};

/**
 * Clocks whose next step has come: states, and each step of the ladder once, on the timeline and to its receiver. A repeat or
 * a second worker finds nothing more to do. Source: group 06, sla.tick. Returns how many clocks moved.
 */
export async function tickClocks(platform: Platform, now = new Date()): Promise<number> {
  const due = await run<{ id: number; order_id: number }>(
    platform.database.db,
    'SELECT id, order_id FROM sla_clock WHERE stopped_at IS NULL AND paused_since IS NULL AND next_at <= $1 ORDER BY next_at, id LIMIT 500',
    [now],
  );
  for (const { id, order_id } of due)
    await transaction(platform.database.db, async (tx) => {
      // The order first, as every action does.
      await run(tx, 'SELECT FROM work_order WHERE id = $1 FOR NO KEY UPDATE', [order_id]);
      const clock = await runOne<ClockRow>(
        tx,
        'SELECT * FROM sla_clock WHERE id = $1 AND stopped_at IS NULL AND paused_since IS NULL AND next_at <= $2 FOR NO KEY UPDATE',
        [id, now],
      );
      if (!clock) return;
      const reading = await rewrite(tx, clock, now);
      await showClock(tx, order_id);
      for (const step of reading.reached) await escalate(tx, clock, step);
    });
  if (due.length > 0) platform.changed('workOrder');
  return due.length;
}

async function escalate(tx: Tx, clock: ClockRow, step: SlaStep): Promise<void> {
  const policy = (await runOne<Record<string, boolean>>(
    tx,
    'SELECT step_70, step_100, step_150 FROM sla_policy WHERE id = $1',
    [clock.policy_id],
  ))!;
  if (!policy[`step_${step}`]) return;
  const order = (await runOne<{ code: string; title: string; staff: number[] }>(
    tx,
    `SELECT o.code, o.title, ${RECEIVERS[step]} AS staff FROM work_order o LEFT JOIN staff h ON h.id = o.handler_id WHERE o.id = $1`,
    [clock.order_id],
  ))!;
  const first = await runOne(
    tx,
    'INSERT INTO sla_escalation (clock_id, step, staff_ids) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id',
    [clock.id, step, order.staff],
  );
  if (!first) return;
  const target: Label = clock.target === 'response' ? ['响应', 'Response'] : ['解决', 'Resolution'];
  const words: Label = [
    `${target[0]}${STEP_WORDS[step][0]}`,
    `${target[1]}: ${STEP_WORDS[step][1].toLowerCase()}`,
  ];
  await writeEvent(tx, clock.order_id, 'sla', `${target[0]}${STEP_WORDS[step][0]}`);
  await writeTimeline(tx, { entity: 'workOrder', entityId: clock.order_id, action: 'sla', label: words });
  await notify(tx, {
    staffIds: order.staff,
    kind: 'workOrder',
    level: step === 70 ? 'normal' : 'important',
    title: [`${order.code} ${words[0]}`, `${order.code} ${words[1]}`],
    body: [order.title, order.title],
    rows: { sight: workOrderSight, ids: [clock.order_id] },
    route: `/companymanager/cs_workOrder?detail=${clock.order_id}`,
  });
}

/** SQL: the leader of the handler's department, else the handler's own; of an order nobody has, those who lead its company's departments. */
export const LEADERS = `ARRAY(SELECT DISTINCT x.id FROM (
    SELECT coalesce((SELECT d.leader_id FROM department d WHERE d.id = h.department_id AND d.leader_id <> h.id), h.leader_id) AS id WHERE h.id IS NOT NULL
    UNION ALL SELECT d.leader_id FROM department d WHERE h.id IS NULL AND d.tenant_id = o.tenant_id AND d.enabled) x WHERE x.id IS NOT NULL ORDER BY x.id LIMIT 20)`;

/** SQL by step: who is told. Managers are those on a station of managers who work in the project. */
const RECEIVERS: Readonly<Record<SlaStep, string>> = {
  70: `CASE WHEN h.id IS NULL THEN ${LEADERS} ELSE ARRAY[h.id] END`,
  100: LEADERS,
  150: `ARRAY(SELECT DISTINCT s.id FROM staff s JOIN staff_station ss ON ss.staff_id = s.id JOIN station n ON n.id = ss.station_id AND n.type = 'manager'
          WHERE s.tenant_id = o.tenant_id AND s.state = 'normal'
            AND (s.all_projects OR EXISTS (SELECT FROM staff_project p WHERE p.staff_id = s.id AND p.project_id = o.project_id)) ORDER BY s.id LIMIT 20)`,
};
