import { lockMembers } from '../../../domain/points-ledger/ledger-book.server.ts';
import {
  giveUpRedemption,
  orderReached,
  refundCash,
} from '../../../domain/points-shop/give-up-redemption.server.ts';
import { isVirtual } from '../../../domain/points-shop/points-shop.rules.ts';
import { giveBackRedemption } from '../../../domain/points-shop/redemption-row.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Invariant } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { SYSTEM_NAME } from '../../../kernel/server/people/caller.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { redemption } from './redemption.contract.ts';
import { shipImport } from './redemption-import.server.ts';

const bound: BoundResource = bindResource(redemption, {
  table: 'points_redemption',
  from: `points_redemption t LEFT JOIN member m ON m.id = t.member_id LEFT JOIN sales_order o ON o.id = t.order_id
    LEFT JOIN payment y ON y.id = o.payment_id`,
  joins: { project: 'project' },
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by' },
  columns: {
    product: { id: 't.product_id', title: 't.product_name' },
    member: 'm.name',
    phone: 'm.phone',
    orderCode: 'o.code',
    lots: `(SELECT string_agg('L' || u.lot || ' × ' || u.amount, ', ' ORDER BY u.seq) FROM (
        SELECT u.lot_id AS lot, u.seq, CASE u.kind WHEN 'hold' THEN u.amount - u.returned ELSE u.amount END AS amount FROM ledger_transfer x
          JOIN points_lot_use u ON u.transfer_id = x.id AND u.kind IN ('hold', 'capture', 'spend')
         WHERE x.source_type = 'points_redemption' AND x.source_id = t.id::text) u WHERE u.amount > 0)`,
    couponCodes: `nullif(array_to_string(t.coupon_codes, ', '), '')`,
    // Money is told from the order and its refunds alone.
    paid: 'CASE WHEN o.paid_at IS NOT NULL THEN o.payable ELSE 0 END',
    cashBack: 'coalesce(o.cash_refunded, 0)',
    paidAt: 'o.paid_at',
    payUntil: `CASE WHEN t.state = 'pending_payment' THEN o.pay_deadline END`,
    tradeNo: 'y.trade_no',
    refundState: '(SELECT r.state FROM refund r WHERE r.order_id = t.order_id ORDER BY r.id DESC LIMIT 1)',
  },
  keyword: (value, parameters) => {
    const [exact, part] = [parameters.bind(value), parameters.bind(containing(value.toLowerCase()))];
    return `(lower(t.code || ' ' || t.product_name) LIKE ${part} OR m.name = ${exact} OR m.phone = ${exact} OR t.collect_code = ${exact} OR o.code = ${exact})`;
  },
  rowRules: {
    refund: (row, caller) =>
      isVirtual(row.way)
        ? ['补签卡与优惠券兑换后不能退回', 'A redeemed make-up card or coupon is not given back']
        : caller.tenantKind === 3
          ? undefined
          : ['仅平台可退回', 'Only the platform gives back'],
  },
  ruleReads: ['way'],
  handlers: {
    ship: async ({ tx, input, platform }) => {
      const days = await platform.settings.numberIn(tx, 'redemption.auto_receive_days');
      const now = new Date();
      return {
        set: {
          company: input.company,
          tracking_no: input.trackingNo,
          shipped_at: now,
          receive_by: new Date(now.getTime() + days * 86_400_000),
        },
        remark: `${String(input.company)} ${String(input.trackingNo)}`,
      };
    },
    verify: async ({ tx, id, input, row, caller }) => {
      const held = await runOne<{ code: string; over: boolean }>(
        tx,
        'SELECT collect_code AS code, collect_until <= now() AS over FROM points_redemption WHERE id = $1',
        [id],
      );
      if (held?.over) throw ruleBroken(['已超过自提期限', 'The time to collect it is over']);
      if (held?.code !== input.collectCode)
        throw invalid({ collectCode: ['自提码不正确', 'The code is not right'] });
      await orderReached(tx, orderOf(row), { code: 25, who: caller.name, action: 'sign' });
      return { set: { collect_code: null, collect_until: null, completed_at: new Date() } };
    },
    cancel: (context) => cancel(context, String(context.input.reason), context),
    expire: (context) => cancel(context, '逾期未自提'),
    refund: async ({ tx, id, input, row, platform, caller, facts }): Promise<ActionResult> => {
      const orderId = orderOf(row);
      if (orderId !== null) await run(tx, 'SELECT FROM sales_order WHERE id = $1 FOR UPDATE', [orderId]);
      await lockMembers(tx, [Number(row.member_id)]);
      const qty = Number(input.qty);
      const points = await giveBackRedemption(tx, platform.settings, {
        id,
        qty,
        restock: input.restock === true,
        note: String(input.reason),
      });
      if (orderId !== null)
        await refundCash(tx, platform, orderId, qty, { reason: String(input.reason), caller, facts });
      touch(platform);
      const whole = Number(row.qty_back) + qty === Number(row.qty);
      return { to: whole ? 'refunded' : 'completed', remark: `${String(input.reason)} ×${qty} +${points}` };
    },
    autoReceive: async ({ tx, row }) => {
      await orderReached(tx, orderOf(row), { code: 26, who: SYSTEM_NAME, action: 'auto_receive' });
      return { set: { receive_by: null, completed_at: new Date() } };
    },
  },
  also: {
    imports: [shipImport(() => bound)],
    jobs: [
      dueJob(() => bound, {
        name: 'redemption.receive',
        title: ['兑换商品自动签收', 'Shipped redemptions received'],
        cron: '*/3 * * * *',
        action: 'autoReceive',
        when: 't.receive_by <= now()',
      }),
      dueJob(() => bound, {
        name: 'redemption.collect',
        title: ['逾期未自提的兑换', 'Redemptions nobody collected'],
        cron: '*/3 * * * *',
        action: 'expire',
        when: 't.collect_until <= now()',
      }),
    ],
    invariants: invariants(),
  },
});

/** Redemptions of members. */
export const registration = bound.registration;

function touch(platform: ActionContext['platform']): void {
  for (const name of ['pointsProduct', 'pointsAccount', 'pointsMember']) platform.changed(name);
}

const orderOf = (row: DbRow): number | null => (row.order_id === null ? null : Number(row.order_id));

async function cancel(
  { tx, id, row, platform }: ActionContext,
  reason: string,
  by?: Pick<ActionContext, 'caller' | 'facts'>,
): Promise<ActionResult> {
  const orderId = orderOf(row);
  if (orderId !== null) await run(tx, 'SELECT FROM sales_order WHERE id = $1 FOR UPDATE', [orderId]);
  await lockMembers(tx, [Number(row.member_id)]);
  const points = await giveUpRedemption(
    tx,
    platform,
    { id, state: String(row.state), order_id: orderId },
    { reason, ...by },
  );
  touch(platform);
  return { set: { collect_code: null, collect_until: null }, remark: `${reason} +${points}` };
}

/** What must hold of the points shop whatever happened. */
function invariants(): Invariant[] {
  const check = (name: string, broken: string): Invariant => ({
    name,
    check: async ({ database: { db } }) => {
      const looked = (await runOne<{ n: number }>(db, 'SELECT count(*)::int AS n FROM points_redemption'))!.n;
      const rows = await run<{ what: string }>(db, `${broken} LIMIT 200`);
      return { looked, problems: rows.map((row) => row.what) };
    },
  });
  return [
    // Pieces that were given back without restocking stay taken.
    check(
      'points_shop.taken',
      `SELECT 'spec ' || s.id || ': taken ' || s.taken || ', redeemed ' || coalesce(x.n, 0) AS what FROM points_product_spec s
         LEFT JOIN (SELECT spec_id, sum(qty) AS n, sum(qty - CASE WHEN state = 'cancelled' THEN qty ELSE qty_back END) AS least FROM points_redemption GROUP BY 1) x ON x.spec_id = s.id
        WHERE s.taken > coalesce(x.n, 0) OR s.taken < coalesce(x.least, 0)`,
    ),
    check(
      'points_shop.limits',
      `SELECT 'product ' || c.product_id || ' member ' || c.member_id || ': counted ' || c.n || ', holds ' || coalesce(x.n, 0) AS what FROM points_redemption_count c
         LEFT JOIN (SELECT product_id, member_id, sum(qty - qty_back) AS n FROM points_redemption GROUP BY 1, 2) x ON x.product_id = c.product_id AND x.member_id = c.member_id
        WHERE c.period = 'all' AND c.n <> coalesce(x.n, 0)`,
    ),
    // What is paid stands in the order alone; a redemption goes on with it.
    check(
      'points_shop.cash',
      `SELECT r.code || ': cash ' || r.cash || ', order ' || o.code || ' ' || o.kind || ' ' || o.payable || ' ' || o.state AS what
         FROM points_redemption r JOIN sales_order o ON o.id = r.order_id
        WHERE o.kind <> 'points' OR o.payable <> r.cash OR o.member_id <> r.member_id
           OR (r.state = 'pending_payment') <> (o.state = 'pending_payment')
           OR (r.state IN ('to_fulfil', 'shipped', 'to_collect', 'completed', 'refunded') AND o.paid_at IS NULL)`,
    ),
  ];
}
