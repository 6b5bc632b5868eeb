import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, transaction, type Db, type Tx } from '../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { queueJob } from '../../kernel/server/tasks/job-queue.ts';
import { lockSpecs } from '../checkout/stock.server.ts';
import { ACTIVITY_ENTITY, noteActivity } from './activity-log.server.ts';
import { returnToShelf, takeFromShelf } from './group-stock.server.ts';
import { endOccupancy, occupiedBy } from './occupancy.server.ts';
import { TEAM_JOB } from './seats.server.ts';

/** Job of an activity's end. */
export const END_JOB = 'group_buy.end';

interface Activity {
  readonly id: number;
  readonly name: string;
  readonly state: string;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly over: boolean;
  readonly started: boolean;
  readonly published_at: Date | null;
  readonly version: number;
}

interface Item {
  readonly id: number;
  readonly spec_id: number;
  readonly product_id: number;
  readonly label: string;
  readonly kind: string;
  readonly limited: boolean | null;
  readonly price: number;
  readonly base: number;
  readonly on_sale: boolean;
  readonly in_projects: boolean;
  readonly reserved: number;
  readonly stock: number;
}

/** Locks an activity and reads its items in the order of their specs. */
async function load(tx: Tx, activityId: number): Promise<{ activity: Activity; items: Item[] }> {
  const activity = (await runOne<Activity>(
    tx,
    `SELECT id, name, state, starts_at, ends_at, ends_at <= clock_timestamp() AS over, starts_at <= clock_timestamp() AS started, published_at, version
       FROM group_buy WHERE id = $1 FOR UPDATE`,
    [activityId],
  ))!;
  const items = await run<Item>(
    tx,
    `SELECT i.id, i.spec_id, i.product_id, p.name || ' ' || s.name AS label, p.kind, x.limited, i.price, s.price AS base,
            (s.enabled AND p.status = 'published' AND p.recycled_at IS NULL) AS on_sale,
            NOT EXISTS (SELECT FROM group_buy_project gp WHERE gp.group_buy_id = i.group_buy_id AND NOT EXISTS (
              SELECT FROM product_project pp WHERE pp.product_id = p.id AND pp.project_id = gp.project_id)) AS in_projects,
            i.reserved, s.stock
       FROM group_buy_item i JOIN product_spec s ON s.id = i.spec_id JOIN product p ON p.id = i.product_id
       LEFT JOIN service_setting x ON x.product_id = p.id WHERE i.group_buy_id = $1 ORDER BY i.spec_id`,
    [activityId],
  );
  return { activity, items };
}

/** What stands in the way of publishing, all of it; behind the locks of the specs it is final. */
async function problems(tx: Tx, activity: Activity, items: readonly Item[]): Promise<Label[]> {
  const found: Label[] = [];
  if (activity.over) found.push(['结束时间已过，请修改', 'The end has passed, please change it']);
  for (const item of items) {
    const { label } = item;
    if (!item.on_sale) found.push([`${label}：未上架`, `${label}: not on sale`]);
    if (!item.in_projects)
      found.push([`${label}：不在活动的全部项目销售`, `${label}: not sold in all projects of the activity`]);
    if (item.price >= item.base)
      found.push([
        `${label}：团购价须低于原价`,
        `${label}: the group price must be below the ordinary price`,
      ]);
    if (takesStock(item) && item.stock < item.reserved)
      found.push([
        `库存不足：${label} 可用 ${item.stock}，需预留 ${item.reserved}`,
        `Not enough stock: ${label} has ${item.stock}, needs ${item.reserved}`,
      ]);
    const other = await occupiedBy(tx, item.spec_id, activity.starts_at, activity.ends_at);
    if (other) {
      const period = `${minute(other.from)}–${minute(other.to)}`;
      found.push([
        `规格 ${label} 在 ${period} 已参加「${other.name}」`,
        `${label} is already in “${other.name}” ${period}`,
      ]);
    }
  }
  return found;
}

function takesStock(item: Pick<Item, 'kind' | 'limited'>): boolean {
  return item.kind !== 'service' || item.limited === true;
}

function minute(at: Date): string {
  return new Intl.DateTimeFormat('sv-SE', {
    timeZone: 'Asia/Shanghai',
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(at);
}

/**
 * Publishes an activity in the caller's transaction: takes its copies from the shelf (op 7, all or none), marks the specs
 * as occupied and plans the end. Writes the state of the activity and, by its trigger, of its items. Throws 30101 with all
 * that stands in the way. Source: group 16, Stock reservation 1 and 6.
 */
export async function publishActivity(tx: Tx, activityId: number, staffId: number | null): Promise<void> {
  const before = await load(tx, activityId);
  await lockSpecs(
    tx,
    before.items.map((item) => item.spec_id),
  );
  const { activity, items } = await load(tx, activityId);
  const found = await problems(tx, activity, items);
  if (items.length === 0) found.push(['请至少添加一个规格', 'Add at least one spec']);
  if (found.length > 0)
    throw ruleBroken([found.map((one) => one[0]).join('；'), found.map((one) => one[1]).join('; ')]);
  for (const item of items) {
    if (takesStock(item))
      await takeFromShelf(tx, item.spec_id, item.reserved, {
        type: 'group_buy_item',
        // Published again after it was taken back, it reserves again.
        id: activity.published_at ? `${item.id}:${activity.version}` : String(item.id),
        reason: activity.name,
        staffId,
      });
    await run(tx, 'UPDATE group_buy_item SET base_price = $2, takes_stock = $3 WHERE id = $1', [
      item.id,
      item.base,
      takesStock(item),
    ]);
    await run(
      tx,
      `INSERT INTO promotion_occupancy (spec_id, period, kind, source_id, name) VALUES ($1, tstzrange($2, $3), 'group', $4, $5)`,
      [item.spec_id, activity.starts_at, activity.ends_at, activityId, activity.name],
    );
  }
  await run(
    tx,
    `UPDATE group_buy SET state = 'published', state_reason = '', published_at = clock_timestamp(), version = version + 1, updated_at = now() WHERE id = $1`,
    [activityId],
  );
  await planEnd(tx, activityId, activity.ends_at);
}

/**
 * Takes a published activity back to a draft before it starts, in the caller's transaction: its copies go on the shelf (op 8)
 * and its specs are free for others. Throws 30101 once it has started or somebody has ordered. Source: group 16, mk_makeGroup.
 */
export async function unpublishActivity(tx: Tx, activityId: number, staffId: number | null): Promise<void> {
  const { activity, items } = await load(tx, activityId);
  if (activity.state !== 'published' || activity.started)
    throw ruleBroken(['活动已开始，不能取消发布', 'The activity has started']);
  const taken = await runOne(
    tx,
    'SELECT FROM group_buy_member m JOIN group_buy_item i ON i.id = m.item_id WHERE i.group_buy_id = $1 LIMIT 1',
    [activityId],
  );
  if (taken) throw ruleBroken(['已有订单，不能取消发布', 'There are orders already']);
  for (const item of items)
    if (takesStock(item))
      await returnToShelf(tx, item.spec_id, item.reserved, {
        type: 'group_buy_change',
        id: `${item.id}:back:${activity.version}`,
        reason: activity.name,
        staffId,
      });
  await endOccupancy(tx, 'group', activityId);
  await run(
    tx,
    `UPDATE group_buy SET state = 'draft', version = version + 1, updated_at = now() WHERE id = $1`,
    [activityId],
  );
}

async function planEnd(tx: Tx, activityId: number, at: Date): Promise<void> {
  await queueJob(tx, END_JOB, { activityId }, { runAt: at, jobKey: `${END_JOB}:${activityId}` });
}

/**
 * Ends a published activity in the caller's transaction, once: copies left go on the shelf (op 8), the specs are free for
 * others, forming teams and unreached numbers fail by their jobs. False: it was not published any more.
 * Source: group 16, Stock reservation 4 and mk_makeGroup (End early).
 */
export async function endActivity(
  tx: Tx,
  activityId: number,
  by: { readonly reason: string; readonly staffId: number | null },
): Promise<boolean> {
  const ended = await runOne(
    tx,
    `UPDATE group_buy SET state = 'ended', state_reason = $2, ended_at = clock_timestamp(), version = version + 1, updated_at = now()
      WHERE id = $1 AND state = 'published' RETURNING id`,
    [activityId, by.reason],
  );
  if (!ended) return false;
  const items = await run<{ id: number; spec_id: number; left: number; takes_stock: boolean }>(
    tx,
    `SELECT id, spec_id, remaining AS "left", takes_stock FROM group_buy_item WHERE group_buy_id = $1 ORDER BY id FOR NO KEY UPDATE`,
    [activityId],
  );
  await run(
    tx,
    'UPDATE group_buy_item SET returned = returned + remaining, remaining = 0 WHERE group_buy_id = $1 AND remaining > 0',
    [activityId],
  );
  for (const item of [...items].sort((a, b) => a.spec_id - b.spec_id))
    if (item.takes_stock)
      await returnToShelf(tx, item.spec_id, item.left, {
        type: 'group_buy_item',
        id: String(item.id),
        reason: by.reason,
        staffId: by.staffId,
      });
  await endOccupancy(tx, 'group', activityId);
  const teams = await run<{ id: number }>(
    tx,
    `SELECT t.id FROM group_buy_team t JOIN group_buy_item i ON i.id = t.item_id WHERE i.group_buy_id = $1 AND t.state = 'forming'`,
    [activityId],
  );
  for (const team of teams)
    await queueJob(tx, TEAM_JOB, { teamId: team.id }, { jobKey: `${TEAM_JOB}:${team.id}` });
  // The same job settles what stayed below its number.
  await planEnd(tx, activityId, new Date());
  return true;
}

/**
 * Ends the published activities that sell goods which have to leave the shelf whatever was announced: a merchant that is closed
 * down, a certificate that lapsed. Source: group 03, closing and expired certificates.
 */
export async function endActivitiesOf(tx: Tx, productId: number, reason: string): Promise<void> {
  const running = await run<{ id: number }>(
    tx,
    `SELECT id FROM group_buy WHERE state = 'published' AND id IN (
       SELECT i.group_buy_id FROM group_buy_item i JOIN product_spec s ON s.id = i.spec_id WHERE s.product_id = $1) ORDER BY id FOR UPDATE`,
    [productId],
  );
  for (const { id } of running) {
    await endActivity(tx, id, { reason, staffId: null });
    await noteActivity(tx, id, {
      action: 'end',
      label: ['商品须下架，活动结束', 'Ended: its goods have to leave the shelf'],
      from: 'published',
      to: 'ended',
      remark: reason,
    });
  }
}

/** Ends an activity whose time is over. Source: group 16, Jobs. */
export async function endDue(platform: Platform, activityId: number): Promise<boolean> {
  const ended = await transaction(platform.database.db, async (tx) => {
    const due = await runOne(
      tx,
      `SELECT 1 AS one FROM group_buy WHERE id = $1 AND state = 'published' AND ends_at <= clock_timestamp() FOR UPDATE`,
      [activityId],
    );
    if (!due) return false;
    await endActivity(tx, activityId, { reason: ENDED[0], staffId: null });
    await noteActivity(tx, activityId, { action: 'end', label: ENDED, from: 'published', to: 'ended' });
    return true;
  });
  if (ended) platform.changed(ACTIVITY_ENTITY);
  return ended;
}

/** Published activities whose time is over. */
export async function dueActivities(db: Db): Promise<number[]> {
  const rows = await run<{ id: number }>(
    db,
    `SELECT id FROM group_buy WHERE state = 'published' AND ends_at <= clock_timestamp() ORDER BY ends_at LIMIT 100`,
  );
  return rows.map((row) => row.id);
}

/**
 * Changes the copies of a published item by a signed number: more are taken from the shelf (op 7), fewer only from what is
 * left (op 8). `changeKey` makes a repeat harmless. Source: group 16, mk_productList (btn_addStock).
 */
export async function changeCopies(
  tx: Tx,
  itemId: number,
  difference: number,
  by: { readonly changeKey: string; readonly reason: string; readonly staffId: number | null },
): Promise<void> {
  if (difference === 0) return;
  const item = (await runOne<{ spec_id: number; takes_stock: boolean; remaining: number }>(
    tx,
    'SELECT spec_id, takes_stock, remaining FROM group_buy_item WHERE id = $1 FOR NO KEY UPDATE',
    [itemId],
  ))!;
  if (item.remaining + difference < 0)
    throw ruleBroken([
      `最多可减少 ${item.remaining} 份`,
      `At most ${item.remaining} copies can be taken away`,
    ]);
  await run(
    tx,
    'UPDATE group_buy_item SET reserved = reserved + $2, remaining = remaining + $2 WHERE id = $1',
    [itemId, difference],
  );
  if (!item.takes_stock) return;
  const source = {
    type: 'group_buy_change',
    id: by.changeKey,
    reason: by.reason,
    staffId: by.staffId,
  } as const;
  if (difference < 0) return returnToShelf(tx, item.spec_id, -difference, source);
  const left = await takeFromShelf(tx, item.spec_id, difference, source);
  if (left !== undefined)
    throw ruleBroken([
      `库存不足：可用 ${left}，还需 ${difference}`,
      `Not enough stock: ${left} left, ${difference} more needed`,
    ]);
}

/** Moves the end of a published activity later; its specs stay occupied until then. Throws when others want them. */
export async function extendActivity(tx: Tx, activityId: number, endsAt: Date): Promise<void> {
  const { activity, items } = await load(tx, activityId);
  if (endsAt < activity.ends_at)
    throw invalid({ endsAt: ['已发布的活动只能延后结束时间', 'A published activity can only end later'] });
  if (endsAt.getTime() === activity.ends_at.getTime()) return;
  await lockSpecs(
    tx,
    items.map((item) => item.spec_id),
  );
  for (const item of items) {
    const other = await occupiedBy(tx, item.spec_id, activity.ends_at, endsAt);
    if (other)
      throw ruleBroken([
        `规格 ${item.label} 在 ${minute(other.from)}–${minute(other.to)} 已参加「${other.name}」`,
        `${item.label} is already in “${other.name}” ${minute(other.from)}–${minute(other.to)}`,
      ]);
  }
  await run(
    tx,
    `UPDATE promotion_occupancy SET period = tstzrange(lower(period), $2) WHERE kind = 'group' AND source_id = $1`,
    [activityId, endsAt],
  );
  await run(
    tx,
    'UPDATE group_buy SET ends_at = $2, version = version + 1, updated_at = now() WHERE id = $1',
    [activityId, endsAt],
  );
  await planEnd(tx, activityId, endsAt);
}

const ENDED: Label = ['到期结束', 'Its time is over'];
