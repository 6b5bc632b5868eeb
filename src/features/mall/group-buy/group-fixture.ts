import { run, transaction } from '../../../kernel/server/database.ts';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import { publishActivity } from '../../../domain/group-buy/activity.server.ts';
import {
  openOrJoinTeam,
  type GroupOrder,
  type GroupRequest,
} from '../../../domain/group-buy/join-team.server.ts';
import { receivePayment, type PaymentOutcome } from '../../../domain/checkout/take-payment.server.ts';
import { all, one, type Shop } from '../goods-order/order-fixture.ts';

/** What an activity of the tests has beside its defaults. Prices in fen. */
export interface MadeActivity {
  readonly id: number;
  readonly itemId: number;
}

/** Publishes an activity over the rice of the shop, by default a team of three at 29.90 with 30 copies. */
export async function makeActivity(
  shop: Shop,
  more: Record<string, unknown> = {},
  item: Record<string, unknown> = {},
  publish = true,
): Promise<MadeActivity> {
  return transaction(shop.platforms[0]!.database.db, async (tx) => {
    const specId = (item.spec_id as number | undefined) ?? shop.ids.rice;
    const spec = await one(
      shop,
      'SELECT s.product_id, s.price, p.tenant_id FROM product_spec s JOIN product p ON p.id = s.product_id WHERE s.id = $1',
      [specId],
    );
    const { n } = await one(shop, 'SELECT count(*)::int AS n FROM group_buy');
    const id = await insertRow(tx, 'group_buy', {
      code: `GB${n + 1}`,
      name: `Group ${n + 1}`,
      tenant_id: spec.tenant_id,
      mode: 'team',
      group_size: 3,
      valid_hours: 24,
      starts_at: new Date(Date.now() - 60_000),
      ends_at: new Date(Date.now() + 10 * 86_400_000),
      ...more,
    });
    await run(tx, 'INSERT INTO group_buy_project VALUES ($1, $2)', [id, shop.ids.project]);
    const itemId = await insertRow(tx, 'group_buy_item', {
      group_buy_id: id,
      tenant_id: spec.tenant_id,
      product_id: spec.product_id,
      spec_id: specId,
      base_price: spec.price,
      price: 2_990,
      reserved: 30,
      remaining: (item.reserved as number | undefined) ?? 30,
      ...item,
    });
    if (publish) await publishActivity(tx, id, null);
    return { id, itemId };
  });
}

/** So many new members of the shop's project. */
export async function makeMembers(shop: Shop, count: number): Promise<number[]> {
  const rows = await all<{ id: number }>(
    shop,
    `INSERT INTO member (name, phone, project_id) SELECT 'M' || n, '139' || lpad((n + (SELECT count(*) FROM member))::text, 8, '0'), $1
       FROM generate_series(1, $2) n RETURNING id`,
    [shop.ids.project, count],
  );
  return rows.map((row) => row.id);
}

/** Orders a seat; the price of the item plus the freight of its merchant unless told otherwise. */
export async function order(
  shop: Shop,
  memberId: number,
  itemId: number,
  more: {
    readonly teamId?: number | null;
    readonly openNewIfFull?: boolean;
    readonly qty?: number;
    readonly shownTotal?: number;
  } = {},
  instance = 0,
): Promise<GroupOrder> {
  const request: GroupRequest = {
    memberId,
    projectId: shop.ids.project,
    seat: { itemId, teamId: more.teamId ?? null, openNewIfFull: more.openNewIfFull ?? false },
    qty: more.qty ?? 1,
    contactName: 'M',
    contactPhone: '13900000000',
    address: 'B1 U1 101',
    remark: '',
    source: 1,
    onBehalf: false,
    who: 'M',
    shownTotal: more.shownTotal ?? 2_990 * (more.qty ?? 1) + 600,
  };
  return openOrJoinTeam(shop.platforms[instance]!, request);
}

/** The channel reports a checkout as paid. */
export async function pay(shop: Shop, made: GroupOrder, instance = 0): Promise<PaymentOutcome> {
  await all(
    shop,
    'INSERT INTO sandbox_trade (trade_no, checkout_code, amount) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [`T-${made.checkoutCode}`, made.checkoutCode, made.payable],
  );
  return receivePayment(shop.platforms[instance]!, {
    checkoutCode: made.checkoutCode,
    tradeNo: `T-${made.checkoutCode}`,
    amount: made.payable,
    channel: 1,
    paidAt: new Date(),
  });
}

/** Copies of an item: reserved, remaining, held, sold, returned. */
export async function copies(shop: Shop, itemId: number): Promise<number[]> {
  const row = await one(
    shop,
    'SELECT reserved, remaining, held, sold, returned FROM group_buy_item WHERE id = $1',
    [itemId],
  );
  return [row.reserved, row.remaining, row.held, row.sold, row.returned];
}

/** Stock, reserved and sold of a spec. */
export async function shelf(shop: Shop, specId: number): Promise<number[]> {
  const row = await one(shop, 'SELECT stock, reserved, sold FROM product_spec WHERE id = $1', [specId]);
  return [row.stock, row.reserved, row.sold];
}
