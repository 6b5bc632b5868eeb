import {
  words,
  ids,
  moneyRange,
  dayRange,
  dayOf,
  centres,
  inProject,
  stateTabs,
  isMerchant,
  type FilterRule,
} from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

/** When an order counts as sold: paid, a group order when its team formed. */
export function soldAt(order: Raw, world: World): Date | null {
  if (order.paid_at === null) return null;
  if (order.type !== 'group') return order.paid_at as Date;
  return (by(world, 'formed', 'id').get(order.id)?.[0]?.at as Date | undefined) ?? null;
}

/** The state of the team an order stands in; an activity that counts copies is one team of everybody. */
export const teamState: FilterRule = {
  ...words('id', ['forming', 'formed', 'failed', 'disbanded']),
  keeps: (order, value, world) => {
    const seat = by(world, 'group_buy_member', 'order_id').get(order.id)?.[0];
    if (!seat) return false;
    const team = by(world, 'group_buy_team', 'id').get(seat.team_id)?.[0];
    const item = by(world, 'group_buy_item', 'id').get(seat.item_id)![0]!;
    const activity = by(world, 'group_buy', 'id').get(item.group_buy_id)![0]!;
    const whole = activity.formed_at !== null ? 'formed' : activity.state === 'ended' ? 'failed' : 'forming';
    return value.split(',').includes(String(team ? team.state : whole));
  },
};

export const oracle = defineOracle({
  name: 'goodsOrder',
  menu: 'mm_businessOrder_wx',
  table: 'sales_order',
  where: (row) => row.kind === 'goods',
  standing: inProject,
  filters: {
    state: words('state', ['pending_payment', 'to_ship', 'to_receive', 'completed', 'closed', 'grouping']),
    merchant: ids('tenant_id', 'tenant', isMerchant),
    project: ids('project_id', 'project'),
    centre: centres(),
    type: words('type', ['ordinary', 'group', 'rush', 'seckill']),
    refundStatus: words('refund_status', ['none', 'refunding', 'part', 'full']),
    teamState,
    source: words('source', ['1', '2', '3', '4', '5']),
    payChannel: words((row) => (row.paid_at === null ? '' : row.pay_channel), ['0', '1', '2']),
    payable: moneyRange('payable'),
    createdAt: dayRange('created_at'),
    paidAt: dayRange('paid_at'),
    soldAt: {
      value: (dice) => {
        const from = Date.now() - dice.upTo(60) * 86_400_000;
        return `${dayOf(new Date(from))}~${dayOf(new Date(from + dice.upTo(40) * 86_400_000))}`;
      },
      keeps: (row, value, world) => {
        const at = soldAt(row, world);
        const [from, to] = value.split('~');
        return at !== null && dayOf(at) >= from! && dayOf(at) <= to!;
      },
    },
    product: {
      value: (dice, world) => String(dice.pick(world.rows.product!).id),
      keeps: (row, value, world) =>
        (by(world, 'order_line', 'order_id').get(row.id) ?? []).some(
          (one) => String(one.product_id) === value,
        ),
    },
  },
  tabs: {
    all: () => true,
    ...stateTabs(
      'pending_payment',
      'grouping',
      'to_ship',
      'part_shipped',
      'to_receive',
      'completed',
      'closed',
    ),
    to_comment: (row) =>
      row.state === 'completed' && row.comment_status === 0 && row.refund_status === 'none',
    refunding: (row) => row.refund_status === 'refunding',
    refunded: (row) => row.refund_status === 'full',
  },
  text: (row) => `${row.code} ${row.title}`.toLowerCase(),
  export: {
    title: '订单号',
    key: (row) => String(row.code),
    lines: (row, world) => (by(world, 'order_line', 'order_id').get(row.id) ?? []).length,
  },
  owner: 'created_by',
  reads: ['order_line', 'product', 'group_buy_member', 'group_buy_team', 'group_buy_item', 'group_buy'],
  queries: {
    formed: 'SELECT order_id AS id, min(at) AS at FROM order_event WHERE code = 16 GROUP BY order_id',
  },
});
