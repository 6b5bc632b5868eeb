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
} from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';
import { teamState } from '../../mall/goods-order/goods-order.oracle.ts';

const OPEN = ['held', 'to_accept', 'assigned', 'serving', 'choose_again'];

/** The visit an order's row shows: the open one, else the last. */
function visitOf(order: Raw, world: World): Raw | undefined {
  const visits = [...(by(world, 'appointment', 'order_id').get(order.id) ?? [])];
  const rank = (visit: Raw) => (OPEN.includes(String(visit.state)) ? 1 : 0);
  visits.sort(
    (a, b) => rank(b) - rank(a) || Number(b.visit_no) - Number(a.visit_no) || Number(b.id) - Number(a.id),
  );
  return visits[0];
}

export const oracle = defineOracle({
  name: 'serviceOrder',
  menu: 'mm_reservationOrder_wx',
  table: 'sales_order',
  where: (row) => row.kind === 'service',
  standing: inProject,
  filters: {
    state: words('state', ['pending_payment', 'to_accept', 'to_visit', 'completed', 'closed', 'grouping']),
    merchant: ids('tenant_id', 'tenant', isMerchant),
    project: ids('project_id', 'project'),
    centre: centres(),
    type: words('type', ['ordinary', 'group', 'rush', 'seckill']),
    teamState,
    refundStatus: words('refund_status', ['none', 'refunding', 'part', 'full']),
    commentStatus: words('comment_status', ['0', '1']),
    source: words('source', ['1', '2', '3', '4', '5']),
    payChannel: words((row) => (row.paid_at === null ? '' : row.pay_channel), ['0', '1', '2']),
    payable: moneyRange('payable'),
    createdAt: dayRange('created_at'),
    paidAt: dayRange('paid_at'),
    visitAt: {
      value: (dice) => {
        const from = Date.now() - (dice.upTo(40) - 20) * 86_400_000;
        return `${dayOf(new Date(from))}~${dayOf(new Date(from + dice.upTo(20) * 86_400_000))}`;
      },
      keeps: (row, value, world) => {
        const at = visitOf(row, world)?.starts_at as Date | undefined;
        const [from, to] = value.split('~');
        return at !== undefined && dayOf(at) >= from! && dayOf(at) <= to!;
      },
    },
  },
  tabs: {
    all: () => true,
    ...stateTabs('pending_payment', 'grouping', 'to_accept', 'to_visit', 'completed', 'closed'),
    to_comment: (row) =>
      row.state === 'completed' && row.comment_status === 0 && row.refund_status === 'none',
    refunding: (row) => row.refund_status === 'refunding',
    refunded: (row) => row.refund_status === 'full',
  },
  text: (row) => `${row.code} ${row.title}`.toLowerCase(),
  export: { title: '订单号', key: (row) => String(row.code) },
  owner: 'created_by',
  reads: ['appointment', 'group_buy_member', 'group_buy_team', 'group_buy_item', 'group_buy'],
});
