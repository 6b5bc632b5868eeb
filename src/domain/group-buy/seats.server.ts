import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import { SYSTEM_NAME } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { queueJob } from '../../kernel/server/tasks/job-queue.ts';
import { addEffect } from '../../kernel/server/tasks/outbox.ts';
import { BUTLER_EFFECT } from '../butler/effect.rules.ts';
import type { AttachedOrder, OrderAttachment } from '../checkout/order-attachments.server.ts';
import { ORDER_ENTITY, recordOrderChange } from '../checkout/order-log.server.ts';
import { acceptFormed, releaseVisit } from '../home-service/appointment/visit-attachment.server.ts';
import { CLOSED_BECAUSE, REFUSED } from './group-buy.rules.ts';
import { soldOut, teamClosed, type SeatWanted } from './group-cart.server.ts';
import { ACTIVITY_ORDER, returnToShelf, sellFromActivity } from './group-stock.server.ts';

/** Subject of purchase_counter. */
export const COUNTED = 'group_buy_item';
/** Job of a team's deadline. */
export const TEAM_JOB = 'group_buy.team';
/** Job that refunds an order whose team was over when it was paid. */
export const REFUND_JOB = 'group_buy.refund';

/** A seat as it is stored. */
export interface Seat {
  readonly id: number;
  readonly item_id: number;
  readonly team_id: number | null;
  readonly member_id: number;
  readonly order_id: number;
  readonly qty: number;
  readonly state: 'held' | 'joined' | 'released' | 'refunded';
  readonly open_new: boolean;
}

interface ItemRow {
  readonly id: number;
  readonly group_buy_id: number;
  readonly spec_id: number;
  readonly per_member_limit: number;
  readonly takes_stock: boolean;
  readonly mode: 'team' | 'total';
  readonly group_size: number;
  readonly valid_hours: number;
  readonly ends_at: Date;
}

/**
 * The seat of a group order: held with the order, taken by its payment, given back with its closing.
 * Locks in this order: order, team or activity, counter, item, product and spec; whoever ends a team locks it before the
 * paid orders of its members, which nobody holds who waits for a team. Source: group 16, Stock reservation.
 */
export const groupSeat: OrderAttachment = {
  matches: (order) => order.type === 'group',
  hold: async (tx, _platform, order, request) => {
    if (request.group) await holdSeat(tx, order, request.group);
  },
  paid: async (tx, platform, order) => takeSeat(tx, platform, order),
  released: async (tx, _platform, order) => releaseSeat(tx, order.id),
  refunded: async (tx, _platform, order, refund) => {
    if (refund.state === 'closed')
      await run(
        tx,
        `UPDATE group_buy_member SET state = 'refunded' WHERE order_id = $1 AND state = 'joined'`,
        [order.id],
      );
  },
};

/** An item with what its activity says. */
async function itemOf(tx: Executor, itemId: number): Promise<ItemRow> {
  const row = await runOne<ItemRow>(
    tx,
    `SELECT i.id, i.group_buy_id, i.spec_id, i.per_member_limit, i.takes_stock, g.mode, g.group_size, g.valid_hours, g.ends_at
       FROM group_buy_item i JOIN group_buy g ON g.id = i.group_buy_id WHERE i.id = $1`,
    [itemId],
  );
  if (!row) throw notFound();
  return row;
}

async function holdSeat(tx: Tx, order: AttachedOrder, wanted: SeatWanted): Promise<void> {
  const item = await itemOf(tx, wanted.itemId);
  const { qty } = (await runOne<{ qty: number }>(
    tx,
    'SELECT sum(qty)::integer AS qty FROM order_line WHERE order_id = $1',
    [order.id],
  ))!;
  let teamId: number | null = null;
  let role: 'leader' | 'member' = 'member';
  if (item.mode === 'team') {
    teamId = wanted.teamId === null ? null : await holdPlace(tx, wanted, order.memberId);
    if (teamId === null) {
      teamId = await openTeam(tx, item, order.memberId, { held: 1, joined: 0 });
      role = 'leader';
    }
  }
  await countUp(tx, order.memberId, item, qty);
  const taken = await runOne(
    tx,
    `UPDATE group_buy_item i SET remaining = i.remaining - $2, held = i.held + $2 FROM group_buy g
      WHERE i.id = $1 AND g.id = i.group_buy_id AND i.state = 'published' AND i.remaining >= $2
        AND g.starts_at <= clock_timestamp() AND g.ends_at > clock_timestamp() RETURNING i.id`,
    [item.id, qty],
  );
  if (!taken) throw await whyNot(tx, item.id, qty);
  await run(
    tx,
    `INSERT INTO group_buy_member (item_id, team_id, member_id, order_id, qty, role, open_new) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [item.id, teamId, order.memberId, order.id, qty, role, wanted.openNewIfFull],
  );
}

/** Takes a place in a forming team, or answers null when a new one is to be opened instead. */
async function holdPlace(tx: Tx, wanted: SeatWanted, memberId: number): Promise<number | null> {
  const row = await runOne<{ id: number }>(
    tx,
    `UPDATE group_buy_team SET held_seats = held_seats + 1
      WHERE id = $1 AND item_id = $2 AND state = 'forming' AND deadline > clock_timestamp() AND held_seats + joined < size RETURNING id`,
    [wanted.teamId, wanted.itemId],
  );
  if (await isInside(tx, wanted.teamId!, memberId))
    throw ruleBroken(REFUSED.already, { reason: 'ALREADY_IN_TEAM' });
  if (row) return row.id;
  if (wanted.openNewIfFull) return null;
  const team = await runOne<{ forming: boolean }>(
    tx,
    `SELECT state = 'forming' AND deadline > clock_timestamp() AS forming FROM group_buy_team WHERE id = $1`,
    [wanted.teamId],
  );
  throw teamClosed(team?.forming ?? false);
}

/** Read behind the team's lock, so a second seat of a member is seen. */
async function isInside(tx: Tx, teamId: number, memberId: number): Promise<boolean> {
  return (
    (await runOne(
      tx,
      `SELECT 1 AS one FROM group_buy_member WHERE team_id = $1 AND member_id = $2 AND state IN ('held', 'joined')`,
      [teamId, memberId],
    )) !== undefined
  );
}

async function openTeam(
  tx: Tx,
  item: ItemRow,
  leaderId: number,
  seats: { readonly held: number; readonly joined: number },
): Promise<number> {
  const team = (await runOne<{ id: number; deadline: Date }>(
    tx,
    `INSERT INTO group_buy_team (code, item_id, leader_id, size, held_seats, joined, deadline)
     VALUES ($1, $2, $3, $4, $5, $6, least(clock_timestamp() + make_interval(hours => $7), $8::timestamptz)) RETURNING id, deadline`,
    [
      await nextCode(tx, 'GT'),
      item.id,
      leaderId,
      item.group_size,
      seats.held,
      seats.joined,
      item.valid_hours,
      item.ends_at,
    ],
  ))!;
  await planTeam(tx, team.id, team.deadline);
  return team.id;
}

/** Plans the end of a team's time. */
export async function planTeam(tx: Tx, teamId: number, at: Date): Promise<void> {
  await queueJob(tx, TEAM_JOB, { teamId }, { runAt: at, jobKey: `${TEAM_JOB}:${teamId}` });
}

/** Raises the member's counter if the limit allows it; one row decides. */
async function countUp(tx: Tx, memberId: number, item: ItemRow, qty: number): Promise<void> {
  const row =
    qty <= item.per_member_limit
      ? await runOne(
          tx,
          `INSERT INTO purchase_counter AS c (member_id, subject, subject_id, qty) VALUES ($1, $2, $3, $4)
           ON CONFLICT (member_id, subject, subject_id) DO UPDATE SET qty = c.qty + $4 WHERE c.qty + $4 <= $5 RETURNING 1 AS one`,
          [memberId, COUNTED, item.id, qty, item.per_member_limit],
        )
      : undefined;
  if (!row) throw ruleBroken(REFUSED.limit, { reason: 'OVER_MEMBER_LIMIT' });
}

async function countDown(tx: Tx, seat: Seat): Promise<void> {
  await run(
    tx,
    'UPDATE purchase_counter SET qty = greatest(qty - $4, 0) WHERE member_id = $1 AND subject = $2 AND subject_id = $3',
    [seat.member_id, COUNTED, seat.item_id, seat.qty],
  );
}

async function whyNot(tx: Tx, itemId: number, qty: number) {
  const row = (await runOne<{ held: number; short: boolean; begun: boolean }>(
    tx,
    `SELECT i.held, i.remaining < $2 AND i.state = 'published' AS short, g.starts_at <= clock_timestamp() AS begun
       FROM group_buy_item i JOIN group_buy g ON g.id = i.group_buy_id WHERE i.id = $1`,
    [itemId, qty],
  ))!;
  if (row.short) return soldOut(row.held);
  return row.begun
    ? ruleBroken(REFUSED.ended, { reason: 'ENDED' })
    : ruleBroken(REFUSED.notStarted, { reason: 'NOT_STARTED' });
}

/** The seat of an order, locked; undefined for orders from before activities were kept. */
async function lockSeat(tx: Tx, orderId: number): Promise<Seat | undefined> {
  return runOne<Seat>(tx, 'SELECT * FROM group_buy_member WHERE order_id = $1 FOR UPDATE', [orderId]);
}

async function takeSeat(tx: Tx, platform: Platform, order: AttachedOrder): Promise<void> {
  const seat = await lockSeat(tx, order.id);
  if (seat?.state !== 'held') return;
  const item = await itemOf(tx, seat.item_id);
  if (seat.team_id === null) return takeCopies(tx, platform, seat, item);
  const team = await runOne<{ joined: number; size: number }>(
    tx,
    `UPDATE group_buy_team SET held_seats = held_seats - 1, joined = joined + 1 WHERE id = $1 AND state = 'forming' RETURNING joined, size`,
    [seat.team_id],
  );
  if (team) {
    await join(tx, seat, item, seat.team_id);
    if (team.joined >= team.size) await formTeam(tx, platform, seat.team_id);
    return;
  }
  await run(tx, 'UPDATE group_buy_team SET held_seats = held_seats - 1 WHERE id = $1', [seat.team_id]);
  // Not locked: opening a team takes its number before the item; a team of an item that closed meanwhile is ended by its job.
  if (seat.open_new && (await isOpen(tx, item.id, false))) {
    const teamId = await openTeam(tx, item, seat.member_id, { held: 0, joined: 1 });
    await run(tx, `UPDATE group_buy_member SET role = 'leader' WHERE id = $1`, [seat.id]);
    await join(tx, seat, item, teamId);
  } else await refuseLate(tx, platform, seat, item);
}

/** Activities that count copies: everybody waits for the number, who comes after it does not. */
async function takeCopies(tx: Tx, platform: Platform, seat: Seat, item: ItemRow): Promise<void> {
  const activity = await runOne<{ reached: boolean; first: boolean }>(
    tx,
    `UPDATE group_buy SET paid_qty = paid_qty + $2,
            formed_at = CASE WHEN formed_at IS NULL AND paid_qty + $2 >= group_size THEN clock_timestamp() ELSE formed_at END
      WHERE id = $1 AND (formed_at IS NOT NULL OR state = 'published')
      RETURNING formed_at IS NOT NULL AS reached, paid_qty >= group_size AND paid_qty - $2 < group_size AS first`,
    [item.group_buy_id, seat.qty],
  );
  if (!activity) return refuseLate(tx, platform, seat, item);
  await join(tx, seat, item, null);
  if (activity.first) await formTotal(tx, platform, item.group_buy_id);
  else if (activity.reached) await formOrders(tx, platform, [seat.order_id]);
}

async function join(tx: Tx, seat: Seat, item: ItemRow, teamId: number | null): Promise<void> {
  await run(
    tx,
    `UPDATE group_buy_member SET state = 'joined', team_id = $2, joined_at = clock_timestamp() WHERE id = $1`,
    [seat.id, teamId],
  );
  await run(tx, 'UPDATE group_buy_item SET held = held - $2, sold = sold + $2 WHERE id = $1', [
    item.id,
    seat.qty,
  ]);
  await sellFromActivity(tx, item.spec_id, seat.qty, seat.order_id);
}

/** The team is complete: it and all orders of its members move on together, event 16. Source: group 08, order state machine. */
export async function formTeam(
  tx: Tx,
  platform: Platform,
  teamId: number,
  reason: Label | undefined = undefined,
): Promise<void> {
  await run(
    tx,
    `UPDATE group_buy_team SET state = 'formed', ended_at = clock_timestamp(), end_reason = $2 WHERE id = $1`,
    [teamId, reason?.[0] ?? ''],
  );
  const seats = await run<{ order_id: number }>(
    tx,
    `SELECT order_id FROM group_buy_member WHERE team_id = $1 AND state = 'joined'`,
    [teamId],
  );
  await formOrders(
    tx,
    platform,
    seats.map((seat) => seat.order_id),
  );
}

async function formTotal(tx: Tx, platform: Platform, activityId: number): Promise<void> {
  const seats = await run<{ order_id: number }>(
    tx,
    `SELECT m.order_id FROM group_buy_member m JOIN group_buy_item i ON i.id = m.item_id WHERE i.group_buy_id = $1 AND m.state = 'joined'`,
    [activityId],
  );
  await formOrders(
    tx,
    platform,
    seats.map((seat) => seat.order_id),
  );
}

/** Orders whose team is complete wait for their parcel, those of services for their acceptance. */
async function formOrders(tx: Tx, platform: Platform, orderIds: readonly number[]): Promise<void> {
  const orders = await run<{ id: number; kind: string }>(
    tx,
    `SELECT id, kind FROM sales_order WHERE id = ANY($1::bigint[]) AND state = 'grouping' ORDER BY id FOR UPDATE`,
    [orderIds],
  );
  for (const order of orders) {
    const to = order.kind === 'service' ? 'to_accept' : 'to_ship';
    await run(
      tx,
      'UPDATE sales_order SET state = $2, version = version + 1, updated_at = now() WHERE id = $1',
      [order.id, to],
    );
    await recordOrderChange(tx, {
      orderId: order.id,
      code: 16,
      who: SYSTEM_NAME,
      action: 'form_team',
      from: 'grouping',
      to,
    });
    if (order.kind === 'service') await acceptFormed({ tx, platform }, order.id);
    // Results of butlers count from here on.
    await addEffect(tx, BUTLER_EFFECT, { orderId: order.id });
  }
}

/** True while an item may give copies to others: published and before its end. */
async function isOpen(tx: Tx, itemId: number, locked: boolean): Promise<boolean> {
  const row = await runOne<{ open: boolean }>(
    tx,
    `SELECT i.state = 'published' AND g.ends_at > clock_timestamp() AS open FROM group_buy_item i JOIN group_buy g ON g.id = i.group_buy_id
      WHERE i.id = $1${locked ? ' FOR NO KEY UPDATE OF i' : ''}`,
    [itemId],
  );
  return row!.open;
}

/**
 * Copies of one order go back: into the activity while it is open, else on the shelf (op 8, once per order). `from` is
 * where they are now. Source: group 16, Stock reservation 3.
 */
export async function giveCopiesBack(
  tx: Tx,
  seat: Seat,
  from: 'held' | 'sold',
  why: Label | undefined = undefined,
): Promise<void> {
  const item = await itemOf(tx, seat.item_id);
  const open = await isOpen(tx, item.id, true);
  await run(
    tx,
    `UPDATE group_buy_item SET ${from} = ${from} - $2, ${open ? 'remaining = remaining' : 'returned = returned'} + $2 WHERE id = $1`,
    [item.id, seat.qty],
  );
  if (!open && item.takes_stock)
    await returnToShelf(tx, item.spec_id, seat.qty, {
      type: ACTIVITY_ORDER,
      id: String(seat.order_id),
      reason: why?.[0] ?? '',
    });
}

async function releaseSeat(tx: Tx, orderId: number): Promise<void> {
  const seat = await lockSeat(tx, orderId);
  if (seat?.state !== 'held') return;
  await run(tx, `UPDATE group_buy_member SET state = 'released' WHERE id = $1`, [seat.id]);
  if (seat.team_id !== null)
    // A team nobody is in any more is over; it was never one of anybody.
    await run(
      tx,
      `UPDATE group_buy_team SET held_seats = held_seats - 1,
              state = CASE WHEN state = 'forming' AND held_seats = 1 AND joined = 0 THEN 'failed' ELSE state END,
              ended_at = CASE WHEN state = 'forming' AND held_seats = 1 AND joined = 0 THEN clock_timestamp() ELSE ended_at END,
              end_reason = CASE WHEN state = 'forming' AND held_seats = 1 AND joined = 0 THEN '团内无人付款' ELSE end_reason END
        WHERE id = $1`,
      [seat.team_id],
    );
  await countDown(tx, seat);
  await giveCopiesBack(tx, seat, 'held');
}

/** Paid for a team that is over: the order is closed with its payment, the money goes back by its own job. */
async function refuseLate(tx: Tx, platform: Platform, seat: Seat, item: ItemRow): Promise<void> {
  await sellFromActivity(tx, item.spec_id, seat.qty, seat.order_id);
  await closeUnformed(tx, platform, [seat], 'held', CLOSED_BECAUSE.late);
  await queueJob(tx, REFUND_JOB, { orderId: seat.order_id }, { jobKey: `${REFUND_JOB}:${seat.order_id}` });
}

/**
 * Closes paid orders whose team did not form and gives their copies, the members' limits and the times of
 * visits back; their refunds follow.
 * The orders are locked by the caller or not yet visible to others. Source: group 16, mk_makeGroup, Team.
 */
export async function closeUnformed(
  tx: Tx,
  platform: Platform,
  seats: readonly Seat[],
  from: 'held' | 'sold',
  why: Label,
): Promise<void> {
  for (const seat of seats) {
    await run(
      tx,
      `UPDATE sales_order SET state = 'closed', closed_at = clock_timestamp(), close_reason = $2, version = version + 1, updated_at = now() WHERE id = $1`,
      [seat.order_id, why[0]],
    );
    await recordOrderChange(tx, {
      orderId: seat.order_id,
      code: 40,
      who: SYSTEM_NAME,
      action: 'close',
      from: 'grouping',
      to: 'closed',
      remark: why[0],
    });
    await releaseVisit({ tx, platform }, seat.order_id);
    await run(tx, `UPDATE group_buy_member SET state = 'refunded', given_back = true WHERE id = $1`, [
      seat.id,
    ]);
  }
  // All counters before the item, as whoever holds a seat takes them.
  for (const seat of [...seats].sort((a, b) => a.member_id - b.member_id)) await countDown(tx, seat);
  for (const seat of seats) await giveCopiesBack(tx, seat, from, why);
}

/** Name of the order's resource, told when orders moved on their own. */
export const MOVED = ORDER_ENTITY;
