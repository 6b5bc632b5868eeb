import { createHash } from 'node:crypto';
import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import { Refusal, invalid, notFound } from '../../kernel/server/http/errors.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { inTurn } from '../checkout/checkout-turn.server.ts';
import { createCheckout } from '../checkout/create-checkout.server.ts';
import { ORDER_ENTITY } from '../checkout/order-log.server.ts';
import { refused } from './seckill-offer.server.ts';

/** A claim a member makes, or staff for a member. */
export interface ClaimRequest {
  readonly activityId: number;
  /** Session the item must stand in; absent: whichever it stands in. */
  readonly sessionId?: number;
  readonly itemId: number;
  readonly qty: number;
  readonly memberId: number;
  /** Repeats with this key get the first answer. */
  readonly requestKey: string;
  readonly receiver: {
    readonly name: string;
    readonly phone: string;
    readonly regionId: number | null;
    readonly address: string;
  };
  readonly source: 1 | 2 | 3 | 4 | 5;
  readonly caller?: Caller | undefined;
}

/** An accepted claim; amounts in fen. */
export interface Claimed {
  readonly claimId: number;
  readonly orderId: number;
  readonly orderCode: string;
  readonly qty: number;
  readonly price: number;
  readonly amount: number;
  readonly payDeadline: Date;
}

/**
 * Claims copies of a seckill for a member in a transaction of its own: the unpaid order holds them. The same key and body get
 * the first answer again, another body 422. Throws 404, and 30101 with `data.reason`; refusals are counted for the live board.
 * Source: group 16, Stock reservation 2 and mk_seckillActivityManagement, API.
 */
export async function claimSeckill(platform: Platform, request: ClaimRequest): Promise<Claimed> {
  try {
    await refuseSoldOut(platform.database.db, request);
    const claimed = await inTurn(() =>
      transaction(platform.database.db, (tx) => claimIn(tx, platform, request)),
    );
    platform.changed(ORDER_ENTITY);
    return claimed;
  } catch (error) {
    await countRefusal(platform, request.itemId, error);
    throw error;
  }
}

/** Claims in the caller's transaction, as {@link claimSeckill}. */
export async function claimIn(tx: Tx, platform: Platform, request: ClaimRequest): Promise<Claimed> {
  // Repeats of one request wait for the first, so that they read its answer.
  await run(tx, 'SELECT pg_advisory_xact_lock(hashtextextended($1, $2))', [
    `seckill:${request.requestKey}`,
    request.activityId,
  ]);
  const digest = digestOf(request);
  const first = await runOne<{ order_id: number; request_digest: Buffer }>(
    tx,
    'SELECT order_id, request_digest FROM seckill_claim WHERE activity_id = $1 AND request_key = $2',
    [request.activityId, request.requestKey],
  );
  if (first) {
    if (!first.request_digest.equals(digest))
      throw invalid({
        requestKey: ['请求标识已用于其他请求', 'The request key was used for another request'],
      });
    return claimedOf(tx, first.order_id);
  }
  const place = await runOne<{ spec_id: number; project_id: number | null; who: string }>(
    tx,
    `SELECT i.spec_id, m.project_id, coalesce(nullif(m.name, ''), m.nickname) AS who FROM seckill_item i, member m
      WHERE i.id = $1 AND i.activity_id = $2 AND ($3::bigint IS NULL OR i.session_id = $3) AND m.id = $4`,
    [request.itemId, request.activityId, request.sessionId ?? null, request.memberId],
  );
  if (!place) throw notFound(['秒杀商品或会员不存在', 'The seckill item or the member does not exist']);
  if (place.project_id === null) throw refused('NOT_ELIGIBLE');
  await refuseRegion(tx, place.spec_id, request.receiver.regionId);
  const created = await createCheckout(tx, platform, {
    memberId: request.memberId,
    projectId: place.project_id,
    lines: [{ specId: place.spec_id, qty: request.qty }],
    seckill: {
      activityId: request.activityId,
      itemId: request.itemId,
      requestKey: request.requestKey,
      requestDigest: digest,
    },
    coupons: [],
    pointsWanted: 0,
    contactName: request.receiver.name,
    contactPhone: request.receiver.phone,
    address: request.receiver.address,
    remark: '',
    source: request.source,
    onBehalf: request.caller !== undefined,
    caller: request.caller,
    who: request.caller?.name ?? place.who,
    shownTotal: null,
  });
  return claimedOf(tx, created.orderIds[0]!);
}

function digestOf(request: ClaimRequest): Buffer {
  const { itemId, qty, memberId, receiver } = request;
  return createHash('sha256')
    .update(JSON.stringify([itemId, qty, memberId, Object.entries(receiver).sort()]))
    .digest();
}

async function claimedOf(tx: Executor, orderId: number): Promise<Claimed> {
  return (await runOne<Claimed>(
    tx,
    `SELECT c.id AS "claimId", o.id AS "orderId", o.code AS "orderCode", c.qty, i.price, o.payable AS amount, o.pay_deadline AS "payDeadline"
       FROM seckill_claim c JOIN seckill_item i ON i.id = c.item_id JOIN sales_order o ON o.id = c.order_id WHERE c.order_id = $1`,
    [orderId],
  ))!;
}

/** Answers early, without a place in the queue, what the hot row would refuse; repeats of a request are let through. */
async function refuseSoldOut(db: Executor, request: ClaimRequest): Promise<void> {
  const row = await runOne<{ held: number }>(
    db,
    `SELECT held FROM seckill_item WHERE id = $1 AND activity_id = $2 AND remaining < $3 AND state IN ('scheduled', 'running')
        AND starts_at <= clock_timestamp() AND ends_at > clock_timestamp()
        AND NOT EXISTS (SELECT FROM seckill_claim c WHERE c.activity_id = $2 AND c.request_key = $4)`,
    [request.itemId, request.activityId, request.qty, request.requestKey],
  );
  if (row) throw refused('SOLD_OUT', row.held);
}

/** The receiver's region itself is blocked by the merchant; the project's is looked at with every order. */
async function refuseRegion(tx: Executor, specId: number, regionId: number | null): Promise<void> {
  if (regionId === null) return;
  const blocked = await runOne(
    tx,
    `WITH RECURSIVE place AS (
       SELECT id, parent_id FROM region WHERE id = $2 UNION ALL SELECT r.id, r.parent_id FROM place JOIN region r ON r.id = place.parent_id)
     SELECT 1 AS one FROM no_delivery_area a JOIN place ON place.id = a.region_id
       JOIN product_spec s ON s.id = $1 JOIN product p ON p.id = s.product_id
      WHERE a.tenant_id = p.tenant_id AND (a.product_id IS NULL OR a.product_id = p.id) LIMIT 1`,
    [specId, regionId],
  );
  if (blocked) throw refused('NO_DELIVERY');
}

/** Counts a refusal beside the claim's own transaction, which is gone. */
async function countRefusal(platform: Platform, itemId: number, error: unknown): Promise<void> {
  const reason =
    error instanceof Refusal ? (error.data as { reason?: string } | undefined)?.reason : undefined;
  if (!reason) return;
  await run(
    platform.database.db,
    `INSERT INTO activity_refusal_count AS c (item_id, second, reason, count)
     SELECT $1, date_trunc('second', clock_timestamp()), $2, 1 WHERE EXISTS (SELECT FROM seckill_item WHERE id = $1)
     ON CONFLICT (item_id, second, reason) DO UPDATE SET count = c.count + 1`,
    [itemId, reason],
  );
}
