import { run } from '../../../kernel/server/database.ts';
import { defineDemo, type DemoContext } from '../../../kernel/server/demo.ts';
import { SYSTEM_NAME } from '../../../kernel/server/people/caller.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { ORDER_ENTITY } from '../../../domain/checkout/order-log.server.ts';
import { orderEventLabel } from '../../../domain/checkout/order-events.rules.ts';
import { CLOSED_BECAUSE } from '../../../domain/group-buy/group-buy.rules.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Days an earlier activity lasted at most. */
const ROUND = 50;
const SIZE = 2;

/** A paid order of the base set that sits in no team yet. */
interface Order {
  readonly id: number;
  readonly code: string;
  readonly state: string;
  readonly tenant_id: number;
  readonly member_id: number;
  readonly product_id: number;
  readonly spec_id: number;
  readonly product_name: string;
  readonly list_price: number;
  readonly unit_price: number;
  readonly qty: number;
  readonly paid_at: Date;
  /** When it went on, by its own story. */
  readonly formed_at: Date | null;
  readonly closed_at: Date | null;
}

/**
 * The trade of the base set knows group orders by their price only. Their activities and teams: earlier rounds that ended;
 * whoever still waited goes on. They took their pieces from the ordinary stock.
 */
export const demo = defineDemo({
  key: 'groupBuyEarlierTeams',
  after: ['group-buy', 'serviceGroupOrders'],
  run: async (context) => {
    const { tx, now } = context;
    const orders = await run<Order>(
      tx,
      `SELECT o.id, o.code, o.state, o.tenant_id, o.member_id, l.product_id, l.spec_id, l.product_name, l.list_price, l.unit_price, l.qty, o.paid_at,
              (SELECT min(e.at) FROM order_event e WHERE e.order_id = o.id AND e.code = 16) AS formed_at, o.closed_at
         FROM sales_order o JOIN order_line l ON l.order_id = o.id
        WHERE o.type = 'group' AND o.kind = 'goods' AND o.paid_at <= $1 AND l.unit_price < l.list_price
          AND (o.state <> 'grouping' OR o.refund_status = 'none')
          AND NOT EXISTS (SELECT FROM group_buy_member m WHERE m.order_id = o.id) ORDER BY o.paid_at, o.id`,
      [now],
    );
    const rounds = new Map<string, Order[]>();
    for (const order of orders) {
      const round = Math.floor((now.getTime() - order.paid_at.getTime()) / (ROUND * DAY));
      // An activity has one price.
      const key = `${order.spec_id} ${order.unit_price} ${round}`;
      rounds.set(key, [...(rounds.get(key) ?? []), order]);
    }
    for (const round of rounds.values()) await tellRound(context, round);
  },
});

async function tellRound(context: DemoContext, orders: readonly Order[]): Promise<void> {
  const { tx, insert, now, as } = context;
  const author = as('mall1');
  const [first] = orders;
  const last = orders.at(-1)!;
  const starts = new Date(first!.paid_at.getTime() - 2 * HOUR);
  const ends = new Date(
    Math.max(
      ...orders.map((one) => (one.formed_at ?? one.closed_at ?? now).getTime()),
      last.paid_at.getTime(),
    ),
  );
  const made = new Date(starts.getTime() - DAY);
  const stamps = { created_at: made, updated_at: made, created_by: author.staffId };
  const [activity] = await insert('group_buy', [
    {
      code: await nextCode(tx, 'GB', made),
      name: `${first!.product_name}往期两人团`,
      tenant_id: first!.tenant_id,
      mode: 'team',
      group_size: SIZE,
      valid_hours: 48,
      starts_at: starts,
      ends_at: ends,
      state: 'ended',
      published_at: starts,
      ended_at: ends,
      ...stamps,
    },
  ]);
  await run(
    tx,
    'INSERT INTO group_buy_project SELECT $1, project_id FROM product_project WHERE product_id = $2',
    [activity, first!.product_id],
  );
  const failed = orders.filter(isFailed);
  const total = sum(orders);
  const [item] = await insert('group_buy_item', [
    {
      group_buy_id: activity,
      tenant_id: first!.tenant_id,
      product_id: first!.product_id,
      spec_id: first!.spec_id,
      base_price: first!.list_price,
      price: first!.unit_price,
      reserved: total,
      remaining: 0,
      sold: total - sum(failed),
      returned: sum(failed),
      per_member_limit: 9,
      takes_stock: false,
      state: 'ended',
      ...stamps,
    },
  ]);
  for (const team of teamsOf(orders)) await tellTeam(context, item!, team);
  await run(
    tx,
    `INSERT INTO purchase_counter (member_id, subject, subject_id, qty)
     SELECT member_id, 'group_buy_item', item_id, sum(qty) FROM group_buy_member WHERE item_id = $1 AND NOT given_back GROUP BY 1, 3`,
    [item],
  );
}

/** Two by two as they came; whoever found nobody is alone. */
function teamsOf(orders: readonly Order[]): Order[][] {
  const teams: Order[][] = [];
  for (const order of orders) {
    const open = teams.at(-1);
    const joins =
      open?.length === 1 && !isFailed(order) && !isFailed(open[0]!) && open[0]!.member_id !== order.member_id;
    if (joins) open.push(order);
    else teams.push([order]);
  }
  return teams;
}

async function tellTeam(context: DemoContext, item: number, team: readonly Order[]): Promise<void> {
  const { tx, insert, tell, now } = context;
  const [leader] = team;
  const failed = isFailed(leader!);
  const ended = new Date(
    Math.max(...team.map((one) => ((failed ? one.closed_at : one.formed_at) ?? now).getTime())),
  );
  const [id] = await insert('group_buy_team', [
    {
      code: await nextCode(tx, 'GT', leader!.paid_at),
      item_id: item,
      leader_id: leader!.member_id,
      size: SIZE,
      joined: team.length,
      deadline: new Date(leader!.paid_at.getTime() + 48 * HOUR),
      state: failed ? 'failed' : 'formed',
      opened_at: leader!.paid_at,
      ended_at: ended,
      end_reason: failed ? CLOSED_BECAUSE.failed[0] : team.length < SIZE ? '手动成团：库存充足' : '',
      updated_at: ended,
    },
  ]);
  await insert(
    'group_buy_member',
    team.map((order, at) => ({
      item_id: item,
      team_id: id,
      member_id: order.member_id,
      order_id: order.id,
      qty: order.qty,
      role: at === 0 ? 'leader' : 'member',
      state: order.state === 'closed' ? 'refunded' : 'joined',
      given_back: isFailed(order),
      created_at: order.paid_at,
      joined_at: order.paid_at,
    })),
  );
  // Whoever still waited goes on with the round's end.
  for (const order of team.filter((one) => one.state === 'grouping')) {
    await run(tx, `UPDATE sales_order SET state = 'to_ship', updated_at = $2 WHERE id = $1`, [order.id, now]);
    await run(tx, 'INSERT INTO order_event (order_id, code, at, who) VALUES ($1, 16, $2, $3)', [
      order.id,
      now,
      SYSTEM_NAME,
    ]);
    await tell({
      entity: ORDER_ENTITY,
      entityId: order.id,
      at: now,
      action: 'form_team',
      label: orderEventLabel(16),
      from: 'grouping',
      to: 'to_ship',
    });
  }
}

/** Paid, but its team never formed. */
const isFailed = (order: Order): boolean => order.state === 'closed' && order.formed_at === null;

const sum = (orders: readonly Order[]): number => orders.reduce((all, one) => all + one.qty, 0);
