import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { calendarHours } from '../../../domain/work-order/calendar.server.ts';
import { readClock } from '../../../domain/work-order/sla.rules.ts';
import type { ClockRow } from '../../../domain/work-order/sla-clock.server.ts';
import type { ClockPart, FeePart, MaterialPart } from './work-order-parts.ts';

/** The clocks of an order as they stand now, with how they were reckoned. */
export async function clocksOf(db: Executor, orderId: number, now = new Date()): Promise<ClockPart[]> {
  const rows = await run<
    ClockRow & { calendar: string; calendar_en: string; policy: string; steps: number[] }
  >(
    db,
    `SELECT k.*, c.name AS calendar, c.name_en AS calendar_en, p.name AS policy,
            ARRAY(SELECT e.step FROM sla_escalation e WHERE e.clock_id = k.id ORDER BY e.step) AS steps
       FROM sla_clock k JOIN work_calendar c ON c.id = k.calendar_id JOIN sla_policy p ON p.id = k.policy_id
      WHERE k.order_id = $1 ORDER BY k.target = 'resolution', k.round`,
    [orderId],
  );
  const parts: ClockPart[] = [];
  for (const row of rows) {
    const reading = readClock(
      {
        startedAt: row.started_at,
        targetMinutes: row.target_minutes,
        pausedMinutes: row.paused_minutes,
        pausedSince: row.paused_since,
        stoppedAt: row.stopped_at,
      },
      now,
      await calendarHours(db, row.calendar_id),
    );
    parts.push({
      id: String(row.id),
      target: row.target,
      round: row.round,
      policy: row.policy,
      calendar: [row.calendar, row.calendar_en || row.calendar],
      targetMinutes: row.target_minutes,
      usedMinutes: reading.usedMinutes,
      pausedMinutes: reading.pausedMinutes,
      startedAt: isoInstant(row.started_at),
      dueAt: isoInstant(reading.dueAt),
      stoppedAt: row.stopped_at ? isoInstant(row.stopped_at) : null,
      state: reading.state,
      steps: row.steps,
    });
  }
  return parts;
}

/** Materials of an order, those that went back included. */
export async function materialsOf(db: Executor, orderId: number): Promise<MaterialPart[]> {
  const rows = await run<{
    id: number;
    name: string;
    spec: string;
    unit: string;
    qty: number;
    price: number;
    amount: number;
    round: number;
    returned: boolean;
  }>(
    db,
    `SELECT x.id, m.name, m.spec, m.unit, x.qty, x.price, x.amount, x.round, x.returned FROM work_order_material x JOIN material m ON m.id = x.material_id
      WHERE x.order_id = $1 ORDER BY x.id`,
    [orderId],
  );
  return rows.map((row) => ({
    ...row,
    id: String(row.id),
    price: yuanFromFen(row.price),
    amount: yuanFromFen(row.amount),
  }));
}

/** Fee lines of an order with the bill they went into. */
export async function feesOf(db: Executor, orderId: number): Promise<FeePart[]> {
  const rows = await run<{
    id: number;
    name: string;
    amount: number;
    bill: string | null;
    state: FeePart['state'];
  }>(
    db,
    `SELECT x.id, x.name, x.amount, b.code AS bill, b.state FROM work_order_fee x LEFT JOIN bill b ON b.work_order_id = x.order_id AND b.work_round = x.round
      WHERE x.order_id = $1 ORDER BY x.id`,
    [orderId],
  );
  return rows.map((row) => ({ ...row, id: String(row.id), amount: yuanFromFen(row.amount) }));
}
