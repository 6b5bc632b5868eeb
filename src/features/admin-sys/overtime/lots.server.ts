import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { hoursText } from './overtime.rules.ts';

/** One change of a staff's overtime and time off at a time: two requests must not see the same balance. */
export async function lockBalances(tx: Tx, staffIds: readonly number[]): Promise<void> {
  for (const id of [...new Set(staffIds)].sort((a, b) => a - b))
    await run(tx, 'SELECT pg_advisory_xact_lock(7004, $1::int)', [id % 2_000_000_000]);
}

/** Minutes a staff may take on a day: what is left in lots that still live then. */
export async function usableMinutes(db: Executor, staffId: number, day: string): Promise<number> {
  const row = await runOne<{ n: number }>(
    db,
    `SELECT coalesce(sum(minutes - used - expired), 0) AS n FROM leave_balance_lot WHERE staff_id = $1 AND NOT voided AND expires_on >= greatest($2::date, $3::date)`,
    [staffId, day, businessDayOf(new Date())],
  );
  return row!.n;
}

/**
 * Takes minutes from a staff's lots, the first to expire first, and notes for the line which gave how much.
 * Refuses with 30101 when they do not suffice. The balance must be locked.
 */
export async function takeFromLots(
  tx: Tx,
  line: { readonly id: number; readonly staffId: number; readonly day: string; readonly minutes: number },
): Promise<void> {
  const usable = await usableMinutes(tx, line.staffId, line.day);
  if (usable < line.minutes)
    throw ruleBroken([
      `可调休余额不足（结余 ${hoursText(usable)} 小时）`,
      `Not enough balance (${hoursText(usable)} h)`,
    ]);
  const lots = await run<{ id: number; left: number }>(
    tx,
    `SELECT id, minutes - used - expired AS "left" FROM leave_balance_lot
      WHERE staff_id = $1 AND NOT voided AND used + expired < minutes AND expires_on >= greatest($2::date, $3::date)
      ORDER BY expires_on, id FOR UPDATE`,
    [line.staffId, line.day, businessDayOf(new Date())],
  );
  let wanted = line.minutes;
  for (const lot of lots) {
    if (wanted === 0) break;
    const taken = Math.min(wanted, lot.left);
    await run(tx, 'UPDATE leave_balance_lot SET used = used + $2 WHERE id = $1', [lot.id, taken]);
    await run(tx, 'INSERT INTO leave_lot_use (leave_id, lot_id, minutes) VALUES ($1, $2, $3)', [
      line.id,
      lot.id,
      taken,
    ]);
    wanted -= taken;
  }
}

/** Gives the minutes of a line back to exactly the lots they came from; what has expired meanwhile expires at once. */
export async function returnToLots(tx: Tx, lineId: number): Promise<void> {
  const lots = await run<{ staff_id: number }>(
    tx,
    `WITH given AS (UPDATE leave_lot_use SET returned = true WHERE leave_id = $1 AND NOT returned RETURNING lot_id, minutes)
     UPDATE leave_balance_lot l SET used = used - given.minutes FROM given WHERE l.id = given.lot_id RETURNING l.staff_id`,
    [lineId],
  );
  if (lots[0]) await expireLots(tx, lots[0].staff_id);
}

/** Adds a lot that lives `overtime.expire_days` from the given day. */
export async function addLot(
  tx: Tx,
  platform: Pick<Platform, 'settings'>,
  lot: {
    readonly tenantId: number;
    readonly staffId: number;
    readonly minutes: number;
    readonly from: string;
    readonly overtimeId?: number;
    readonly adjustmentId?: number;
  },
): Promise<void> {
  const days = await platform.settings.numberIn(tx, 'overtime.expire_days');
  await run(
    tx,
    'INSERT INTO leave_balance_lot (tenant_id, staff_id, overtime_id, adjustment_id, minutes, expires_on) VALUES ($1, $2, $3, $4, $5, $6)',
    [
      lot.tenantId,
      lot.staffId,
      lot.overtimeId ?? null,
      lot.adjustmentId ?? null,
      lot.minutes,
      addDays(lot.from, days),
    ],
  );
  await expireLots(tx, lot.staffId);
}

/** Ends what is left in a staff's lots whose last day has passed, one line each. A repeat finds nothing. */
export async function expireLots(tx: Tx, staffId: number): Promise<number> {
  const lots = await run<{ id: number; tenant_id: number; left: number; expires_on: string }>(
    tx,
    `SELECT id, tenant_id, minutes - used - expired AS "left", expires_on FROM leave_balance_lot
      WHERE staff_id = $1 AND NOT voided AND used + expired < minutes AND expires_on < $2 ORDER BY expires_on, id FOR UPDATE`,
    [staffId, businessDayOf(new Date())],
  );
  for (const lot of lots) {
    await run(tx, 'UPDATE leave_balance_lot SET expired = expired + $2 WHERE id = $1', [lot.id, lot.left]);
    const line = await runOne<{ id: number }>(
      tx,
      `INSERT INTO leave_record (tenant_id, staff_id, kind, day, minutes, state) VALUES ($1, $2, 'expiry', $3, $4, 'approved') RETURNING id`,
      [lot.tenant_id, staffId, lot.expires_on, lot.left],
    );
    await run(tx, 'INSERT INTO leave_lot_use (leave_id, lot_id, minutes) VALUES ($1, $2, $3)', [
      line!.id,
      lot.id,
      lot.left,
    ]);
  }
  return lots.length;
}
