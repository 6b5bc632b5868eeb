import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, transaction, type Db, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { SYSTEM_NAME } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { applyRefund } from '../../features/after-sales/refund/refund-apply.server.ts';
import { closeUnpaidOrder } from '../checkout/close-unpaid.server.ts';
import { CLOSED_BECAUSE } from './group-buy.rules.ts';
import { MOVED, closeUnformed, formTeam, planTeam, type Seat } from './seats.server.ts';

/** What the end of a team's time led to; undefined: nothing was to be done. */
export type TeamEnd = 'formed' | 'failed' | 'disbanded' | undefined;

/**
 * Ends the time of a team: formed when enough have paid for a deadline, else failed with every paid order closed and
 * refunded in full. Does nothing before the deadline while the activity goes on, and nothing the second time.
 * Source: group 16, mk_makeGroup, Team; group 08, order state machine (6 → 45).
 */
export async function endTeam(platform: Platform, teamId: number): Promise<TeamEnd> {
  const result = await transaction(platform.database.db, async (tx): Promise<TeamEnd> => {
    const team = await lockTeam(tx, teamId);
    if (team?.state !== 'forming' || !team.due) return undefined;
    if (team.form_from !== null && team.joined >= team.form_from) {
      await formTeam(tx, platform, teamId, [
        '到期人数达到最低要求，自动成团',
        'Enough members had paid at the deadline',
      ]);
      return 'formed';
    }
    await failTeam(tx, platform, teamId, 'failed', CLOSED_BECAUSE.failed);
    return 'failed';
  });
  if (result) await afterEnd(platform, teamId);
  return result;
}

/** Disbands a forming team in the caller's transaction; whoever paid is refunded in full without review. False: it is over. */
export async function disbandTeam(
  tx: Tx,
  platform: Platform,
  teamId: number,
  reason: string,
): Promise<boolean> {
  const team = await lockTeam(tx, teamId);
  if (team?.state !== 'forming') return false;
  await failTeam(tx, platform, teamId, 'disbanded', CLOSED_BECAUSE.disbanded, reason);
  return true;
}

/**
 * Completes a forming team that lacks at most `most` paid members, in the caller's transaction. Throws 30101 where it lacks
 * more or nobody has paid. Source: group 16, mk_memberRecord (btn_complete).
 */
export async function completeTeam(
  tx: Tx,
  platform: Platform,
  teamId: number,
  most: number,
  reason: string,
): Promise<void> {
  const team = await lockTeam(tx, teamId);
  if (team?.state !== 'forming') throw ruleBroken(['该团已结束', 'The team is over']);
  const missing = team.size - team.joined;
  if (team.joined === 0 || missing > most)
    throw ruleBroken([
      `还差 ${missing} 人，最多差 ${most} 人可手动成团`,
      `${missing} are missing; a team may be completed by hand when at most ${most} are`,
    ]);
  await formTeam(tx, platform, teamId, [`手动成团：${reason}`, `Completed by hand: ${reason}`]);
}

/**
 * Gives a forming team more hours, once, never past the end of its activity; its new deadline. Throws 30101 the second time
 * and where the activity ends first. Source: group 16, mk_memberRecord (btn_extend).
 */
export async function extendTeam(tx: Tx, teamId: number, hours: number): Promise<Date> {
  const team = await lockTeam(tx, teamId);
  if (team?.state !== 'forming' || team.due) throw ruleBroken(['该团已结束', 'The team is over']);
  if (team.extended) throw ruleBroken(['每团只能延长一次', 'A team is extended once']);
  const moved = await runOne<{ deadline: Date }>(
    tx,
    `UPDATE group_buy_team t SET deadline = t.deadline + make_interval(hours => $2), extended_at = clock_timestamp()
       FROM group_buy_item i JOIN group_buy g ON g.id = i.group_buy_id
      WHERE t.id = $1 AND i.id = t.item_id AND t.deadline + make_interval(hours => $2) <= g.ends_at RETURNING t.deadline`,
    [teamId, hours],
  );
  if (!moved) throw ruleBroken(['不能超过活动结束时间', 'Not past the end of the activity']);
  await planTeam(tx, teamId, moved.deadline);
  return moved.deadline;
}

interface TeamRow {
  readonly size: number;
  readonly extended: boolean;
  readonly state: string;
  readonly joined: number;
  readonly form_from: number | null;
  readonly due: boolean;
}

async function lockTeam(tx: Tx, teamId: number): Promise<TeamRow | undefined> {
  return runOne<TeamRow>(
    tx,
    `SELECT t.state, t.joined, t.size, t.extended_at IS NOT NULL AS extended, CASE WHEN g.state = 'published' THEN g.form_at_deadline_from END AS form_from,
            (t.deadline <= clock_timestamp() OR g.state = 'ended') AS due
       FROM group_buy_team t JOIN group_buy_item i ON i.id = t.item_id JOIN group_buy g ON g.id = i.group_buy_id
      WHERE t.id = $1 FOR UPDATE OF t`,
    [teamId],
  );
}

async function failTeam(
  tx: Tx,
  platform: Platform,
  teamId: number,
  state: 'failed' | 'disbanded',
  why: Label,
  reason = why[0],
): Promise<void> {
  await run(
    tx,
    `UPDATE group_buy_team SET state = $2, ended_at = clock_timestamp(), end_reason = $3 WHERE id = $1`,
    [teamId, state, reason],
  );
  await refundSeats(
    tx,
    platform,
    await run<Seat>(tx, `SELECT * FROM group_buy_member WHERE team_id = $1 AND state = 'joined'`, [teamId]),
    why,
  );
}

/** Closes and refunds paid orders that did not form, in id order. */
async function refundSeats(tx: Tx, platform: Platform, seats: readonly Seat[], why: Label): Promise<void> {
  const ordered = [...seats].sort((a, b) => a.order_id - b.order_id);
  await run(tx, 'SELECT FROM sales_order WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE', [
    ordered.map((seat) => seat.order_id),
  ]);
  await closeUnformed(tx, platform, ordered, 'sold', why);
  for (const seat of ordered) await refundOrder(tx, platform, seat.order_id, why);
}

async function refundOrder(tx: Tx, platform: Platform, orderId: number, why: Label): Promise<void> {
  await applyRefund(tx, {
    platform,
    system: true,
    applicantType: 2,
    orderId,
    lines: 'all',
    reasonCode: 'system',
    reason: why[0],
  });
}

/** Refunds an order that was paid for a team that was over; once, however often it is asked. */
export async function refundLateSeat(platform: Platform, orderId: number): Promise<boolean> {
  const done = await transaction(platform.database.db, async (tx) => {
    await run(tx, 'SELECT FROM sales_order WHERE id = $1 FOR UPDATE', [orderId]);
    const owed = await runOne(
      tx,
      `SELECT 1 AS one FROM sales_order o JOIN group_buy_member m ON m.order_id = o.id
        WHERE o.id = $1 AND o.state = 'closed' AND o.paid_at IS NOT NULL AND m.given_back AND NOT EXISTS (
          SELECT FROM refund r WHERE r.order_id = o.id AND r.state <> 'cancelled')`,
      [orderId],
    );
    if (!owed) return false;
    await refundOrder(tx, platform, orderId, CLOSED_BECAUSE.late);
    return true;
  });
  if (done) platform.changed(MOVED);
  return done;
}

/** Unpaid orders of a team that is over are closed, each on its own: one that is being paid is refunded instead. */
export async function afterEnd(platform: Platform, teamId: number): Promise<void> {
  platform.changed(MOVED);
  const held = await run<{ order_id: number }>(
    platform.database.db,
    `SELECT m.order_id FROM group_buy_member m JOIN group_buy_team t ON t.id = m.team_id
      WHERE m.team_id = $1 AND m.state = 'held' AND t.state IN ('failed', 'disbanded') ORDER BY m.order_id`,
    [teamId],
  );
  for (const { order_id: orderId } of held)
    await transaction(platform.database.db, async (tx) => {
      const open = await runOne(
        tx,
        `SELECT 1 AS one FROM sales_order WHERE id = $1 AND state = 'pending_payment' FOR UPDATE`,
        [orderId],
      );
      if (open)
        await closeUnpaidOrder(tx, platform, orderId, { reason: CLOSED_BECAUSE.failed[0], who: SYSTEM_NAME });
    });
}

/** Teams whose time is over or whose activity was ended, and ended teams that still hold an unpaid order. */
export async function dueTeams(db: Db, limit = 500): Promise<number[]> {
  const rows = await run<{ id: number }>(
    db,
    `SELECT t.id FROM group_buy_team t JOIN group_buy_item i ON i.id = t.item_id
      WHERE t.state = 'forming' AND (t.deadline <= clock_timestamp() OR i.state = 'ended')
      ORDER BY t.deadline LIMIT $1`,
    [limit],
  );
  return rows.map((row) => row.id);
}

/** Orders paid for a team that was over whose refund did not begin yet. */
export async function owedRefunds(db: Db): Promise<number[]> {
  const rows = await run<{ id: number }>(
    db,
    `SELECT o.id FROM group_buy_member m JOIN sales_order o ON o.id = m.order_id
      WHERE m.given_back AND m.joined_at IS NULL AND o.state = 'closed' AND o.refund_status = 'none' AND o.paid_at IS NOT NULL
      ORDER BY o.id LIMIT 200`,
  );
  return rows.map((row) => row.id);
}

/**
 * Refunds what was paid in an activity that counts copies and ended below its number, some orders a time; true while
 * there may be more. Source: group 16, mk_makeGroup (mode 2).
 */
export async function refundTotal(platform: Platform, activityId: number): Promise<boolean> {
  const more = await transaction(platform.database.db, async (tx) => {
    const activity = await runOne(
      tx,
      `SELECT 1 AS one FROM group_buy WHERE id = $1 AND mode = 'total' AND state = 'ended' AND formed_at IS NULL FOR UPDATE`,
      [activityId],
    );
    if (!activity) return false;
    const seats = await run<Seat>(
      tx,
      `SELECT m.* FROM group_buy_member m JOIN group_buy_item i ON i.id = m.item_id
        WHERE i.group_buy_id = $1 AND m.state = 'joined' ORDER BY m.order_id LIMIT 50`,
      [activityId],
    );
    await refundSeats(tx, platform, seats, CLOSED_BECAUSE.failed);
    await run(tx, 'UPDATE group_buy SET paid_qty = paid_qty - $2 WHERE id = $1', [
      activityId,
      seats.reduce((sum, seat) => sum + seat.qty, 0),
    ]);
    return seats.length === 50;
  });
  platform.changed(MOVED);
  return more;
}

/** Ended activities that count copies, stayed below their number and still hold paid orders. */
export async function unreachedTotals(db: Db): Promise<number[]> {
  const rows = await run<{ id: number }>(
    db,
    `SELECT g.id FROM group_buy g WHERE g.mode = 'total' AND g.state = 'ended' AND g.formed_at IS NULL AND EXISTS (
       SELECT FROM group_buy_member m JOIN group_buy_item i ON i.id = m.item_id WHERE i.group_buy_id = g.id AND m.state = 'joined')
      ORDER BY g.id LIMIT 100`,
  );
  return rows.map((row) => row.id);
}
