import { run, transaction } from '../../../kernel/server/database.ts';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import { publishSeckill } from '../../../domain/seckill/activity.server.ts';
import { claimSeckill, type Claimed } from '../../../domain/seckill/claim.server.ts';
import { receivePayment, type PaymentOutcome } from '../../../domain/checkout/take-payment.server.ts';
import { all, one, type Shop } from '../../mall/goods-order/order-fixture.ts';

/** An activity of the tests. */
export interface MadeSeckill {
  readonly id: number;
  readonly sessionIds: readonly number[];
  /** Item of the first session. */
  readonly itemId: number;
}

/** What a made activity has beside its defaults; sessions in minutes from now, prices in fen. */
export interface SeckillOptions {
  readonly sessions?: readonly (readonly [from: number, to: number])[];
  readonly item?: Record<string, unknown>;
  readonly more?: Record<string, unknown>;
  /** Leaves it in review, published otherwise. */
  readonly publish?: boolean;
}

/** Makes an activity over the rice of the shop: by default 100 copies at 9.90, limit 1, published and on sale for an hour. */
export async function makeSeckill(shop: Shop, options: SeckillOptions = {}): Promise<MadeSeckill> {
  const platform = shop.platforms[0]!;
  const { sessions = [[-1, 60]], item = {}, more = {}, publish = true } = options;
  return transaction(platform.database.db, async (tx) => {
    const specId = (item.spec_id as number | undefined) ?? shop.ids.rice;
    const spec = await one(
      shop,
      'SELECT s.product_id, s.price, p.tenant_id FROM product_spec s JOIN product p ON p.id = s.product_id WHERE s.id = $1',
      [specId],
    );
    const { n } = await one(shop, 'SELECT count(*)::int AS n FROM seckill_activity');
    const id = await insertRow(tx, 'seckill_activity', {
      code: `SK${n + 1}-${specId}-${Math.floor(performance.now() * 1000)}`,
      name: `Rush ${n + 1}`,
      tenant_id: spec.tenant_id,
      state: 'reviewing',
      submitted_at: new Date(),
      ...more,
    });
    await run(tx, 'INSERT INTO seckill_project VALUES ($1, $2)', [id, shop.ids.project]);
    const sessionIds: number[] = [];
    let itemId = 0;
    for (const [index, [from, to]] of sessions.entries()) {
      // Publishing wants a first session that lies ahead; it is moved to its time afterwards.
      const ahead = Math.max(0, 2 - sessions[0]![0]);
      const starts = new Date(Date.now() + (from + ahead) * 60_000);
      const ends = new Date(Date.now() + (to + ahead) * 60_000);
      const sessionId = await insertRow(tx, 'seckill_session', {
        activity_id: id,
        position: index + 1,
        starts_at: starts,
        ends_at: ends,
      });
      sessionIds.push(sessionId);
      const made = await insertRow(tx, 'seckill_item', {
        activity_id: id,
        session_id: sessionId,
        product_id: spec.product_id,
        spec_id: specId,
        base_price: spec.price,
        price: 990,
        reserved: 100,
        remaining: (item.reserved as number | undefined) ?? 100,
        per_order_limit: 1,
        per_member_limit: 1,
        state: 'reviewing',
        starts_at: starts,
        ends_at: ends,
        ...item,
      });
      itemId ||= made;
    }
    if (publish) {
      await publishSeckill(tx, platform, id, null);
      const ahead = Math.max(0, 2 - sessions[0]![0]);
      await shift(tx, id, ahead);
      await run(
        tx,
        `UPDATE seckill_activity SET state = CASE WHEN (SELECT min(starts_at) FROM seckill_session WHERE activity_id = $1) <= now() THEN 'running' ELSE 'scheduled' END WHERE id = $1`,
        [id],
      );
    }
    return { id, sessionIds, itemId };
  });
}

/** Moves an activity by some minutes into the past, with everything that knows its times. */
export async function shift(
  tx: Parameters<typeof run>[0],
  activityId: number,
  minutes: number,
): Promise<void> {
  if (minutes === 0) return;
  // The exclusion constraint looks at each row: the earliest session moves first.
  for (const { id } of await run<{ id: number }>(
    tx,
    'SELECT id FROM seckill_session WHERE activity_id = $1 ORDER BY starts_at',
    [activityId],
  ))
    await run(
      tx,
      `UPDATE seckill_session SET starts_at = starts_at - make_interval(mins => $2), ends_at = ends_at - make_interval(mins => $2) WHERE id = $1`,
      [id, minutes],
    );
  for (const { id } of await run<{ id: number }>(
    tx,
    `SELECT id FROM promotion_occupancy WHERE kind = 'seckill' AND source_id = $1 ORDER BY lower(period)`,
    [activityId],
  ))
    await run(
      tx,
      `UPDATE promotion_occupancy SET period = tstzrange(lower(period) - make_interval(mins => $2), upper(period) - make_interval(mins => $2)) WHERE id = $1`,
      [id, minutes],
    );
}

/** Claims one copy unless told otherwise. */
export async function claim(
  shop: Shop,
  made: MadeSeckill,
  memberId: number,
  more: {
    readonly key?: string;
    readonly qty?: number;
    readonly itemId?: number;
    readonly phone?: string;
  } = {},
  instance = 0,
): Promise<Claimed> {
  return claimSeckill(shop.platforms[instance]!, {
    activityId: made.id,
    itemId: more.itemId ?? made.itemId,
    qty: more.qty ?? 1,
    memberId,
    requestKey: more.key ?? `${memberId}-${performance.now()}-${instance}`,
    receiver: { name: 'M', phone: more.phone ?? '13900000000', regionId: null, address: 'B1 U1 101' },
    source: 1,
  });
}

/** The channel reports the checkout of a claim as paid. */
export async function pay(shop: Shop, claimed: Claimed, instance = 0): Promise<PaymentOutcome> {
  const { checkout_code: checkoutCode } = await one(
    shop,
    'SELECT p.checkout_code FROM payment p JOIN sales_order o ON o.payment_id = p.id WHERE o.id = $1',
    [claimed.orderId],
  );
  await all(
    shop,
    'INSERT INTO sandbox_trade (trade_no, checkout_code, amount) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [`T-${checkoutCode}`, checkoutCode, claimed.amount],
  );
  return receivePayment(shop.platforms[instance]!, {
    checkoutCode,
    tradeNo: `T-${checkoutCode}`,
    amount: claimed.amount,
    channel: 1,
    paidAt: new Date(),
  });
}

/** Copies of an item: reserved, remaining, held, sold, returned. */
export async function copies(shop: Shop, itemId: number): Promise<number[]> {
  const row = await one(
    shop,
    'SELECT reserved, remaining, held, sold, returned FROM seckill_item WHERE id = $1',
    [itemId],
  );
  return [row.reserved, row.remaining, row.held, row.sold, row.returned];
}
