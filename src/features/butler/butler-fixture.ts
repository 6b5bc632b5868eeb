import { settleButler } from '../../domain/butler/attribution.server.ts';
import { registration as butler } from '../../domain/butler/butler.server.ts';
import { assignHouses } from '../../domain/property-staff/housekeeper.server.ts';
import { registration as checkout } from '../../domain/checkout/checkout.server.ts';
import { run, runOne, transaction } from '../../kernel/server/database.ts';
import { insertRow } from '../../kernel/server/resource/run-action.ts';
import { registration as refunds } from '../after-sales/refund/refund.server.ts';
import { registration as orders } from '../mall/goods-order/goods-order.server.ts';
import { openShop, type Shop } from '../mall/goods-order/order-fixture.ts';
import { registration as products } from '../mall/product/product.server.ts';

/** A shop with butlers: what tests of results and incentives plant. */
export interface Butlers {
  readonly shop: Shop;
  readonly plan: number;
  readonly platformTenant: number;
  /** A butler at work, by a staff of its own. */
  butler(name?: string): Promise<{ readonly id: number; readonly staffId: number }>;
  /** Gives the butler the house of the shop's member. */
  assign(butlerId: number, from: string, to?: string): Promise<void>;
  goods(productId: number, incentive: { fixedFen?: number; rate?: number }): Promise<number>;
  share(butlerId: number, productId: number): Promise<{ readonly id: number; readonly code: string }>;
  visit(shareId: number, at: Date, memberId?: number): Promise<void>;
  /** A paid order by SQL; `lines` are product, pieces and cash. */
  order(
    paidAt: Date,
    lines: readonly (readonly [product: number, qty: number, cash: number])[],
    more?: { completedAt?: Date; memberId?: number; state?: string; settle?: boolean },
  ): Promise<{ readonly id: number; readonly lines: readonly number[] }>;
  /** Gives units and cash of a line back, as a refund that succeeded, and works the order out again. */
  refund(orderId: number, lineId: number, qty: number, cash: number): Promise<void>;
  settle(orderId: number): Promise<void>;
  incentives(
    orderId: number,
  ): Promise<
    { kind: string; amount: number; state: string; batch: number | null; way: number; butler: number }[]
  >;
}

/** Products of the shop's rice and oil specs. */
export async function productsOf(shop: Shop): Promise<{ readonly a: number; readonly b: number }> {
  const of = async (spec: number) =>
    (await runOne<{ id: number }>(
      shop.platforms[0]!.database.db,
      'SELECT product_id AS id FROM product_spec WHERE id = $1',
      [spec],
    ))!.id;
  return { a: await of(shop.ids.rice), b: await of(shop.ids.oil) };
}

/** Opens it, with the plan of the worked example: 300 bp, tiers from 10,000.00 and 30,000.00. */
export async function openButlers(): Promise<Butlers> {
  const shop = await openShop([orders, checkout, products, refunds, butler], 1, 20);
  const { db } = shop.platforms[0]!.database;
  const platform = shop.platforms[0]!;
  let made = 0;
  const plan = await transaction(db, async (tx) => {
    const id = await insertRow(tx, 'incentive_plan', { name: '方案', default_bp: 300 });
    for (const [fromFen, extraBp] of [
      [1_000_000, 100],
      [3_000_000, 200],
    ])
      await run(tx, 'INSERT INTO incentive_plan_tier (plan_id, from_fen, extra_bp) VALUES ($1, $2, $3)', [
        id,
        fromFen,
        extraBp,
      ]);
    for (const [score, bp] of [
      [90, 11_000],
      [80, 10_000],
      [60, 8000],
      [0, 5000],
    ])
      await run(
        tx,
        'INSERT INTO incentive_plan_step (plan_id, from_score, coefficient_bp) VALUES ($1, $2, $3)',
        [id, score, bp],
      );
    await run(
      tx,
      `UPDATE incentive_plan SET no = 1, state = 'active', effective_from = '2020-01-01', activated_at = now() WHERE id = $1`,
      [id],
    );
    return id;
  });
  const settle = (orderId: number) => transaction(db, (tx) => settleButler(tx, platform.settings, orderId));
  return {
    shop,
    plan,
    platformTenant: shop.ids.platformTenant,
    butler: async (name = '管家') => {
      made += 1;
      const row = (await runOne<{ id: number }>(
        db,
        `INSERT INTO staff (tenant_id, account, name, is_housekeeper, phone) VALUES ($1, $2, $3, true, $4) RETURNING id`,
        [shop.ids.platformTenant, `butler-${made}`, `${name}${made}`, `137${String(made).padStart(8, '0')}`],
      ))!;
      const keeper = (await runOne<{ id: number }>(
        db,
        'INSERT INTO housekeeper (staff_id) VALUES ($1) RETURNING id',
        [row.id],
      ))!;
      return { id: keeper.id, staffId: row.id };
    },
    assign: async (butlerId, from, to) => {
      const place = (await runOne<{ building: number }>(
        db,
        'SELECT u.building_id AS building FROM house h JOIN building_unit u ON u.id = h.unit_id WHERE h.id = $1',
        [shop.ids.house],
      ))!;
      await transaction(db, (tx) =>
        assignHouses(tx, {
          housekeeperId: butlerId,
          buildingId: place.building,
          kind: 'main',
          from,
          to: to ?? null,
        }),
      );
    },
    goods: async (productId, { fixedFen, rate }) => {
      const id = (await runOne<{ id: number }>(
        db,
        `INSERT INTO butler_goods (product_id, incentive, fixed_fen, rate, valid_from, created_at) VALUES ($1, $2, $3, $4, '2020-01-01', '2020-01-01') RETURNING id`,
        [productId, fixedFen ? 'fixed' : rate ? 'rate' : 'plan', fixedFen ?? null, rate ?? null],
      ))!.id;
      await run(db, 'INSERT INTO butler_goods_project VALUES ($1, $2)', [id, shop.ids.project]);
      return id;
    },
    share: async (butlerId, productId) => {
      made += 1;
      return (await runOne<{ id: number; code: string }>(
        db,
        `INSERT INTO butler_share (code, housekeeper_id, project_id, target_kind, product_id, target_id, channel, shared_at, expires_at)
         VALUES ($1, $2, $3, 'product', $4, $4, 'link', '2020-01-01', '2099-01-01') RETURNING id, code`,
        [`TESTCODE${String(made).padStart(2, '0')}`, butlerId, shop.ids.project, productId],
      ))!;
    },
    visit: async (shareId, at, memberId = shop.ids.member) => {
      await run(
        db,
        `INSERT INTO butler_share_visit (share_id, visitor_key, member_id, at, until, counted) VALUES ($1, $2, $3, $4, $4::timestamptz + interval '30 minutes', true)`,
        [shareId, `member-visitor-${memberId}`, memberId, at],
      );
    },
    order: async (paidAt, lines, more = {}) => {
      made += 1;
      const cash = lines.reduce((sum, [, , amount]) => sum + amount, 0);
      const payment = (await runOne<{ id: number }>(
        db,
        `INSERT INTO payment (checkout_code, channel, state, amount, paid_at, deadline) VALUES ($1, 1, 2, $2, $3, now()) RETURNING id`,
        [`CKB${made}`, cash, paidAt],
      ))!.id;
      const order = (await runOne<{ id: number }>(
        db,
        `INSERT INTO sales_order (code, source, tenant_id, project_id, member_id, payment_id, title, contact_name, contact_phone, address, state, goods, payable, paid_at, completed_at, created_at)
         VALUES ($1, 1, $2, $3, $4, $5, 't', 'c', '13800138000', 'B1U1101', $6, $7, $7, $8, $9, $8) RETURNING id`,
        [
          `SOB${made}`,
          shop.ids.merchant1,
          shop.ids.project,
          more.memberId ?? shop.ids.member,
          payment,
          more.state ?? (more.completedAt ? 'completed' : 'to_receive'),
          cash,
          paidAt,
          more.completedAt ?? null,
        ],
      ))!.id;
      const ids: number[] = [];
      for (const [index, [product, qty, amount]] of lines.entries())
        ids.push(
          (await runOne<{ id: number }>(
            db,
            `INSERT INTO order_line (order_id, line_no, product_id, spec_id, product_name, spec_name, list_price, unit_price, qty, goods, cash)
             SELECT $1, $2, $3, (SELECT min(id) FROM product_spec WHERE product_id = $3), 'p', 's', u, u, $4, u * $4, $5 FROM (SELECT ceil($5::numeric / $4)::bigint AS u) x RETURNING id`,
            [order, index + 1, product, qty, amount],
          ))!.id,
        );
      if (more.settle !== false) await settle(order);
      return { id: order, lines: ids };
    },
    refund: async (orderId, lineId, qty, cash) => {
      made += 1;
      await run(
        db,
        `WITH r AS (INSERT INTO refund (code, order_id, payment_id, tenant_id, project_id, member_id, business_type, applicant_type, state, kind, apply_price, suggested_cash, cash, succeeded_at, channel_refund_no)
           SELECT $1, o.id, o.payment_id, o.tenant_id, o.project_id, o.member_id, 0, 2, 'succeeded', 'units', $4, $4, $4, now(), $1 FROM sales_order o WHERE o.id = $2 RETURNING id)
         INSERT INTO refund_line (refund_id, line_id, qty, cash) SELECT r.id, $3, $5, $4 FROM r`,
        [`RFB${made}`, orderId, lineId, cash, qty],
      );
      await run(
        db,
        'UPDATE order_line SET cash_refunded = cash_refunded + $2, qty_refunded = qty_refunded + $3 WHERE id = $1',
        [lineId, cash, qty],
      );
      await settle(orderId);
    },
    settle,
    incentives: (orderId) =>
      run(
        db,
        `SELECT i.kind, i.amount, i.state, i.batch_id AS batch, p.way, i.housekeeper_id AS butler FROM incentive i JOIN butler_performance p ON p.id = i.performance_id
          WHERE p.order_id = $1 ORDER BY p.line_id, i.id`,
        [orderId],
      ),
  };
}
