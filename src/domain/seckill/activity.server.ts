import type { Label } from '../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Db, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { queueJob } from '../../kernel/server/tasks/job-queue.ts';
import { planClosing } from '../checkout/deadlines.server.ts';
import { lockSpecs } from '../checkout/stock.server.ts';
import { returnToShelf, takeFromShelf } from '../group-buy/group-stock.server.ts';
import { endOccupancy } from '../group-buy/occupancy.server.ts';
import { checksOf, minute, refusalOfChecks, type CheckRules } from './seckill-checks.server.ts';

/** Name of the resource whose timeline tells the story of an activity. */
export const SECKILL_ENTITY = 'seckillActivity';
/** Job of starts and ends. */
export const CLOCK_JOB = 'seckill.clock';
/** Job that closes the unpaid orders of a cancelled activity. */
export const CLOSE_JOB = 'seckill.close_orders';

/** Settings the checks read. */
export async function checkRules(
  tx: Executor,
  platform: Platform,
  at: CheckRules['at'],
): Promise<CheckRules> {
  return {
    at,
    leadMinutes: await platform.settings.numberIn(tx, 'seckill.lead_minutes'),
    priceDays: await platform.settings.numberIn(tx, 'seckill.base_price.days'),
  };
}

/** Freezes the ordinary prices of an activity and refuses (30101) whatever its checks find. */
export async function checkForReview(tx: Tx, platform: Platform, activityId: number): Promise<void> {
  await run(
    tx,
    'UPDATE seckill_item i SET base_price = s.price FROM product_spec s WHERE i.activity_id = $1 AND s.id = i.spec_id',
    [activityId],
  );
  const refusal = refusalOfChecks(await checksOf(tx, activityId, await checkRules(tx, platform, 'submit')));
  if (refusal) throw ruleBroken(refusal);
}

/**
 * Publishes an activity in the caller's transaction: takes its copies from the shelf (op 7, all or none), marks its specs as
 * occupied for each session and plans its clock. The state is written by the caller. Throws 30101 naming all that stands in
 * the way. Source: group 16, Stock reservation 1 and mk_seckillActivityPublish.
 */
export async function publishSeckill(
  tx: Tx,
  platform: Platform,
  activityId: number,
  staffId: number | null,
): Promise<void> {
  const activity = (await runOne<{ name: string }>(
    tx,
    'SELECT name FROM seckill_activity WHERE id = $1 FOR UPDATE',
    [activityId],
  ))!;
  const items = await run<{ id: number; spec_id: number; reserved: number; starts_at: Date; ends_at: Date }>(
    tx,
    'SELECT id, spec_id, reserved, starts_at, ends_at FROM seckill_item WHERE activity_id = $1 ORDER BY spec_id, id',
    [activityId],
  );
  await lockSpecs(tx, [...new Set(items.map((item) => item.spec_id))]);
  const refusal = refusalOfChecks(await checksOf(tx, activityId, await checkRules(tx, platform, 'publish')));
  if (refusal) throw ruleBroken(refusal);
  for (const item of items) {
    const left = await takeFromShelf(tx, item.spec_id, item.reserved, {
      type: 'seckill_item',
      id: String(item.id),
      reason: `活动预留：${activity.name}`,
      staffId,
    });
    // Unreachable behind the locks; a shortage never passes silently.
    if (left !== undefined) throw ruleBroken(['库存不足', 'Not enough stock']);
    await run(
      tx,
      `INSERT INTO promotion_occupancy (spec_id, period, kind, source_id, name) VALUES ($1, tstzrange($2, $3), 'seckill', $4, $5)`,
      [item.spec_id, item.starts_at, item.ends_at, activityId, activity.name],
    );
  }
  await planClock(tx, activityId);
}

/** Queues the clock of an activity for its next start or end. */
export async function planClock(tx: Tx, activityId: number): Promise<void> {
  const next = await runOne<{ at: Date }>(
    tx,
    `SELECT min(x.at) AS at FROM (
       SELECT min(starts_at) AS at FROM seckill_session n JOIN seckill_activity a ON a.id = n.activity_id WHERE a.id = $1 AND a.state IN ('reviewing', 'scheduled')
       UNION ALL SELECT min(ends_at) FROM seckill_session WHERE activity_id = $1 AND closed_at IS NULL) x HAVING min(x.at) IS NOT NULL`,
    [activityId],
  );
  if (next)
    await queueJob(tx, CLOCK_JOB, { activityId }, { runAt: next.at, jobKey: `${CLOCK_JOB}:${activityId}` });
}

/** What is left of the items goes back on the shelf (op 8), once per item. */
async function returnItems(
  tx: Tx,
  where: 'activity_id' | 'session_id',
  id: number,
  by: { readonly reason: string; readonly staffId: number | null },
): Promise<void> {
  const items = await run<{ id: number; spec_id: number; left: number }>(
    tx,
    `SELECT id, spec_id, remaining AS "left" FROM seckill_item WHERE ${where} = $1 ORDER BY id FOR NO KEY UPDATE`,
    [id],
  );
  await run(
    tx,
    `UPDATE seckill_item SET returned = returned + remaining, remaining = 0 WHERE ${where} = $1 AND remaining > 0`,
    [id],
  );
  for (const item of [...items].sort((a, b) => a.spec_id - b.spec_id))
    await returnToShelf(tx, item.spec_id, item.left, { type: 'seckill_item', id: String(item.id), ...by });
}

/**
 * What the end of an activity brings, in the caller's transaction, which writes the state: payments go on, copies left go on
 * the shelf (op 8), the specs are free for others. Source: group 16, Stock reservation 4.
 */
export async function closeSeckill(
  tx: Tx,
  activityId: number,
  by: { readonly reason: string; readonly staffId: number | null },
): Promise<void> {
  await letPay(tx, activityId);
  await returnItems(tx, 'activity_id', activityId, by);
  await run(
    tx,
    'UPDATE seckill_session SET closed_at = clock_timestamp() WHERE activity_id = $1 AND closed_at IS NULL',
    [activityId],
  );
  await endOccupancy(tx, 'seckill', activityId);
}

/**
 * Payments of a paused activity go on: each unpaid deadline moves on by the paused time. Before the items, as payers take
 * their locks: the order first. Source: group 16, mk_seckillActivityResume.
 */
export async function letPay(tx: Tx, activityId: number): Promise<void> {
  const stopped = await runOne<{ paused_at: Date }>(
    tx,
    'SELECT paused_at FROM seckill_activity WHERE id = $1 AND payment_stopped FOR UPDATE',
    [activityId],
  );
  if (!stopped) return;
  await run(
    tx,
    `SELECT o.id FROM sales_order o JOIN seckill_claim c ON c.order_id = o.id WHERE c.activity_id = $1 AND o.state = 'pending_payment' ORDER BY o.id FOR UPDATE OF o`,
    [activityId],
  );
  const orders = await run<{ payment_id: number; at: Date }>(
    tx,
    `UPDATE sales_order o SET pay_deadline = o.pay_deadline + (clock_timestamp() - $2::timestamptz), updated_at = now()
       FROM seckill_claim c WHERE c.activity_id = $1 AND c.order_id = o.id AND o.state = 'pending_payment'
      RETURNING o.payment_id, o.pay_deadline AS at`,
    [activityId, stopped.paused_at],
  );
  for (const { payment_id: paymentId, at } of orders) {
    await run(tx, 'UPDATE payment SET deadline = $2 WHERE id = $1', [paymentId, at]);
    await planClosing(tx, paymentId, at);
  }
  await run(tx, 'UPDATE seckill_activity SET payment_stopped = false WHERE id = $1', [activityId]);
}

/**
 * Prepares a paused activity for going on, in the caller's transaction, which writes the state: its checks, the longer session
 * and the deadlines of unpaid orders. Answers the state it goes to. Source: group 16, mk_seckillActivityResume.
 */
export async function resumeSeckill(
  tx: Tx,
  platform: Platform,
  activityId: number,
  extension: number,
): Promise<'running' | 'scheduled'> {
  const row = (await runOne<{ paused: number; over: boolean; begun: boolean }>(
    tx,
    `SELECT ceil(extract(epoch FROM clock_timestamp() - a.paused_at) / 60)::integer AS paused, max(n.ends_at) <= clock_timestamp() AS over,
            min(n.starts_at) <= clock_timestamp() AS begun
       FROM seckill_activity a JOIN seckill_session n ON n.activity_id = a.id WHERE a.id = $1 GROUP BY a.id`,
    [activityId],
  ))!;
  if (row.over)
    throw ruleBroken(['末场已结束，活动已结束', 'The last session is over: the activity has ended']);
  if (extension > row.paused)
    throw ruleBroken([
      `最多延长暂停的 ${row.paused} 分钟`,
      `At most the ${row.paused} minutes it was paused can be added`,
    ]);
  const refusal = refusalOfChecks(await checksOf(tx, activityId, await checkRules(tx, platform, 'resume')));
  if (refusal) throw ruleBroken(refusal);
  if (extension > 0) await extendSession(tx, activityId, extension);
  await letPay(tx, activityId);
  await planClock(tx, activityId);
  return row.begun ? 'running' : 'scheduled';
}

async function extendSession(tx: Tx, activityId: number, minutes: number): Promise<void> {
  const session = await runOne<{ id: number; next: Date | null; until: Date }>(
    tx,
    `SELECT n.id, n.ends_at + make_interval(mins => $2) AS until,
            (SELECT min(x.starts_at) FROM seckill_session x WHERE x.activity_id = n.activity_id AND x.starts_at >= n.ends_at) AS next
       FROM seckill_session n WHERE n.activity_id = $1 AND n.starts_at <= clock_timestamp() AND n.ends_at > clock_timestamp() FOR UPDATE`,
    [activityId, minutes],
  );
  if (!session)
    throw ruleBroken(['没有进行中的场次，不能延长', 'No session is running now: nothing can be extended']);
  if (session.next && session.next < session.until)
    throw ruleBroken([
      `延长后与下一场（${minute(session.next)}）重叠`,
      `The longer session would meet the next one (${minute(session.next)})`,
    ]);
  const other = await runOne<{ name: string; from: Date; to: Date }>(
    tx,
    `SELECT o.name, lower(o.period) AS "from", upper(o.period) AS "to" FROM seckill_session n JOIN seckill_item i ON i.session_id = n.id
       JOIN promotion_occupancy o ON o.spec_id = i.spec_id AND NOT (o.kind = 'seckill' AND o.source_id = n.activity_id)
        AND o.period && tstzrange(n.ends_at, n.ends_at + make_interval(mins => $2)) WHERE n.id = $1 ORDER BY lower(o.period) LIMIT 1`,
    [session.id, minutes],
  );
  if (other)
    throw ruleBroken([
      `与「${other.name}」${minute(other.from)}–${minute(other.to)} 场次冲突`,
      `Conflicts with “${other.name}” ${minute(other.from)}–${minute(other.to)}`,
    ]);
  await run(
    tx,
    `UPDATE promotion_occupancy o SET period = tstzrange(lower(o.period), n.ends_at + make_interval(mins => $2))
       FROM seckill_session n WHERE n.id = $1 AND o.kind = 'seckill' AND o.source_id = n.activity_id AND upper(o.period) = n.ends_at`,
    [session.id, minutes],
  );
  await run(
    tx,
    'UPDATE seckill_session SET ends_at = ends_at + make_interval(mins => $2), extended_minutes = extended_minutes + $2 WHERE id = $1',
    [session.id, minutes],
  );
}

/**
 * Changes the copies of an item on sale by a signed number: more are taken from the shelf (op 7), fewer only from what is
 * left (op 8). `changeKey` makes a repeat harmless. Source: group 16, mk_seckillActivityManagement (addStock).
 */
export async function changeCopies(
  tx: Tx,
  item: { readonly id: number; readonly activityId: number },
  difference: number,
  by: { readonly changeKey: string; readonly reason: string; readonly staffId: number | null },
): Promise<void> {
  const row = await runOne<{ spec_id: number; remaining: number; open: boolean }>(
    tx,
    `SELECT spec_id, remaining, ends_at > clock_timestamp() AS open FROM seckill_item WHERE id = $1 AND activity_id = $2 FOR NO KEY UPDATE`,
    [item.id, item.activityId],
  );
  if (!row) throw ruleBroken(['商品不在该活动中', 'The item is not in this activity']);
  if (!row.open) throw ruleBroken(['该场次已结束', 'The session is over']);
  if (row.remaining + difference < 0)
    throw ruleBroken([`最多可减少 ${row.remaining} 份`, `At most ${row.remaining} copies can be taken away`]);
  await run(
    tx,
    'UPDATE seckill_item SET reserved = reserved + $2, remaining = remaining + $2, version = version + 1 WHERE id = $1',
    [item.id, difference],
  );
  const source = {
    type: 'seckill_change',
    id: `${item.id}:${by.changeKey}`,
    reason: by.reason,
    staffId: by.staffId,
  } as const;
  if (difference < 0) return returnToShelf(tx, row.spec_id, -difference, source);
  const left = await takeFromShelf(tx, row.spec_id, difference, source);
  if (left !== undefined)
    throw ruleBroken([
      `库存不足：可用 ${left}，还需 ${difference}`,
      `Not enough stock: ${left} left, ${difference} more needed`,
    ]);
}

/** Moves an activity by the database's clock: starts it, closes sessions that are over, ends it. Does nothing the second time. */
export async function tick(platform: Platform, activityId: number): Promise<boolean> {
  const moved = await transaction(platform.database.db, async (tx) => {
    const activity = await runOne<{ state: string; begun: boolean; over: boolean; stopped: boolean }>(
      tx,
      `SELECT a.state, a.payment_stopped AS stopped,
              EXISTS (SELECT FROM seckill_session n WHERE n.activity_id = a.id AND n.starts_at <= clock_timestamp()) AS begun,
              NOT EXISTS (SELECT FROM seckill_session n WHERE n.activity_id = a.id AND n.ends_at > clock_timestamp()) AS over
         FROM seckill_activity a WHERE a.id = $1 AND a.state IN ('scheduled', 'running', 'paused') FOR UPDATE`,
      [activityId],
    );
    if (!activity) return false;
    if (activity.over) {
      await closeSeckill(tx, activityId, { reason: '活动结束归还', staffId: null });
      await moveTo(tx, activityId, 'ended', { action: 'end', label: ENDED, from: activity.state });
      return true;
    }
    const due = await run<{ id: number; position: number }>(
      tx,
      'SELECT id, position FROM seckill_session WHERE activity_id = $1 AND closed_at IS NULL AND ends_at <= clock_timestamp() ORDER BY id FOR UPDATE',
      [activityId],
    );
    for (const session of due) {
      await returnItems(tx, 'session_id', session.id, { reason: '场次结束归还', staffId: null });
      await run(tx, 'UPDATE seckill_session SET closed_at = clock_timestamp() WHERE id = $1', [session.id]);
      await note(tx, activityId, {
        action: 'end_session',
        label: ['场次结束', 'Session over'],
        from: activity.state,
        to: activity.state,
        remark: String(session.position),
      });
    }
    const starts = activity.state === 'scheduled' && activity.begun;
    if (starts)
      await moveTo(tx, activityId, 'running', {
        action: 'start',
        label: ['活动开始', 'Started'],
        from: 'scheduled',
      });
    await planClock(tx, activityId);
    return starts || due.length > 0;
  });
  if (moved) platform.changed(SECKILL_ENTITY);
  return moved;
}

const ENDED: Label = ['活动结束', 'Ended'];

/** Activities whose clock has something to do. */
export async function dueActivities(db: Db): Promise<number[]> {
  const rows = await run<{ id: number }>(
    db,
    `SELECT DISTINCT a.id FROM seckill_activity a JOIN seckill_session n ON n.activity_id = a.id
      WHERE (a.state = 'scheduled' AND n.starts_at <= clock_timestamp())
         OR (a.state IN ('scheduled', 'running', 'paused') AND n.closed_at IS NULL AND n.ends_at <= clock_timestamp())
      ORDER BY a.id LIMIT 200`,
  );
  return rows.map((row) => row.id);
}

/** What happened to an activity outside of an action of its own. */
export interface SeckillNote {
  readonly action: string;
  readonly label: Label;
  readonly from: string;
  readonly to: string;
  readonly remark?: string;
  readonly caller?: Caller | undefined;
}

/** Writes the state of an activity outside of its actions, with timeline and audit record. */
export async function moveTo(
  tx: Tx,
  activityId: number,
  to: string,
  told: Omit<SeckillNote, 'to'>,
): Promise<void> {
  await run(
    tx,
    `UPDATE seckill_activity SET state = $2, ended_at = CASE WHEN $2 IN ('ended', 'cancelled') THEN clock_timestamp() END,
            paused_at = NULL, paused_by = NULL, paused_by_platform = false, payment_stopped = false,
            version = version + 1, updated_at = now() WHERE id = $1`,
    [activityId, to],
  );
  await note(tx, activityId, { ...told, to });
}

/** Writes a note on the timeline of an activity, and its audit record. */
export async function note(tx: Tx, activityId: number, told: SeckillNote): Promise<void> {
  const who = told.caller ? { caller: told.caller } : {};
  await writeTimeline(tx, {
    entity: SECKILL_ENTITY,
    entityId: activityId,
    ...who,
    action: told.action,
    label: told.label,
    from: told.from,
    to: told.to,
    remark: told.remark ?? '',
  });
  await writeAudit(tx, {
    ...who,
    action: told.action,
    entity: SECKILL_ENTITY,
    entityId: activityId,
    before: { state: told.from },
    after: { state: told.to },
  });
}

/** Ends what sells goods that have to leave the shelf whatever was announced. Source: group 03, closing and expired certificates. */
export async function endSeckillsOf(tx: Tx, productId: number, reason: string): Promise<void> {
  const live = await run<{ id: number; state: string }>(
    tx,
    `SELECT id, state FROM seckill_activity WHERE state IN ('scheduled', 'running', 'paused') AND id IN (
       SELECT activity_id FROM seckill_item WHERE product_id = $1) ORDER BY id FOR UPDATE`,
    [productId],
  );
  for (const { id, state } of live) {
    await closeSeckill(tx, id, { reason, staffId: null });
    await moveTo(tx, id, 'ended', {
      action: 'end',
      label: ['商品须下架，活动结束', 'Ended: its goods have to leave the shelf'],
      from: state,
      remark: reason,
    });
  }
}
