import { z } from 'zod';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { oncePerRequest, requestId } from '../../../kernel/server/http/program-request.ts';
import { defineRegistration, endpoint, type Call } from '../../../kernel/server/registration.ts';
import { closeUnpaidOrder } from '../../../domain/checkout/close-unpaid.server.ts';
import { withCodesAhead } from '../../../domain/checkout/order-codes.server.ts';
import { createCheckout } from '../../../domain/checkout/create-checkout.server.ts';
import { priceCart } from '../../../domain/checkout/load-cart.server.ts';
import { claimTogether } from '../../../domain/coupon/claim-together.server.ts';
import { claimByCode } from '../../../domain/coupon/codes.server.ts';
import { claimCoupon, type Claimed } from '../../../domain/coupon/claim.server.ts';
import { ORDER_ENTITY } from '../../../domain/checkout/order-log.server.ts';
import { receiveByMember, delayReceipt } from '../../../domain/checkout/receive-order.server.ts';
import { paySandbox } from '../../../domain/checkout/sandbox-pay.server.ts';
import { applyRefund } from '../../after-sales/refund/refund-apply.server.ts';
import { cartBody, cartOf, wireQuote } from './member-cart.server.ts';
import { COMMENT_LISTS } from '../../../domain/order-comment/rate-order.server.ts';
import { rateForTask, ratingBody } from '../../../domain/points-task/task-events.server.ts';
import { idText } from '../../../kernel/server/http/call-parts.ts';

/** Scope of the tokens of programs that trade for members. */
export const MEMBER_ORDER_SCOPE = 'member_order';
const ROOT = '/jinmao/web/memberTrade';
const ACCESS = { program: MEMBER_ORDER_SCOPE } as const;

const orderBody = { requestId, memberId: idText, orderId: idText } as const;

/**
 * What members do in the app, for the programs that stand behind it (OAuth clients with the scope `member_order`) and
 * for simulations: price, order, pay in the sandbox, cancel, receive, rate, ask for a refund. The same commands as those of
 * staff, with the rules for buyers. Writes are carried out once per `requestId`. Orders of others answer as missing ones.
 * Source: group 08, order state machine (app); issue of trade, member-side simulator.
 */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'POST',
      path: `${ROOT}/quote`,
      title: ['会员下单报价', 'Quote for a member'],
      access: ACCESS,
      body: z.strictObject(cartBody),
      handle: async (call) => {
        const { db } = call.platform.database;
        await requireMember(db, call.body.memberId);
        return wireQuote(await priceCart(db, call.platform, cartOf(call.body)), call.facts.language);
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/checkout`,
      title: ['会员下单', 'Order for a member'],
      access: ACCESS,
      body: z.strictObject({
        ...cartBody,
        requestId,
        contactName: z.string().trim().min(1).max(40),
        contactPhone: z.string().regex(/^1\d{10}$/),
        address: z.string().trim().min(1).max(200),
        remark: z.string().max(200).default(''),
        source: z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)]).default(1),
        /** Total in fen the member saw. */
        shownTotal: z.number().int().min(0),
      }),
      handle: (call) =>
        withCodesAhead(call.platform, (codes) =>
          write(call, async (tx) => {
            const who = await requireMember(tx, call.body.memberId);
            const created = await createCheckout(tx, call.platform, {
              ...cartOf(call.body),
              contactName: call.body.contactName,
              contactPhone: call.body.contactPhone,
              address: call.body.address,
              remark: call.body.remark,
              source: call.body.source,
              onBehalf: false,
              who,
              shownTotal: call.body.shownTotal,
              codes,
            });
            return {
              checkoutCode: created.checkoutCode,
              payable: yuanFromFen(created.payable),
              paid: created.paid,
              orderIds: created.orderIds.map(String),
            };
          }),
        ),
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/pay`,
      title: ['会员沙箱支付', 'Pay in the sandbox for a member'],
      access: ACCESS,
      body: z.strictObject({
        memberId: idText,
        checkoutCode: z.string().max(40),
        channel: z.union([z.literal(1), z.literal(2)]),
        simulate: z.enum(['ok', 'duplicate', 'delay', 'lost', 'fail', 'wrong_amount']).default('ok'),
      }),
      handle: async (call) => {
        const { memberId, checkoutCode, channel, simulate } = call.body;
        const payment = await runOne<{ amount: number; state: number }>(
          call.platform.database.db,
          `SELECT p.amount, p.state FROM payment p WHERE p.checkout_code = $1
              AND EXISTS (SELECT FROM sales_order o WHERE o.payment_id = p.id AND o.member_id = $2)`,
          [checkoutCode, memberId],
        );
        if (!payment) throw notFound();
        const tradeNo = await paySandbox(call.platform, {
          checkoutCode,
          amount: simulate === 'wrong_amount' ? payment.amount - 1 : payment.amount,
          channel,
          ...(simulate === 'ok' || simulate === 'wrong_amount' ? {} : { mode: simulate }),
        });
        if (!tradeNo)
          throw ruleBroken(['支付失败，请更换支付方式', 'The payment failed, please try another way']);
        return { tradeNo };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/cancel`,
      title: ['会员取消订单', 'Cancel for a member'],
      access: ACCESS,
      body: z.strictObject({ ...orderBody, reason: z.string().trim().min(1).max(200) }),
      handle: (call) =>
        write(call, async (tx) => {
          const who = await requireMember(tx, call.body.memberId);
          await requireOrder(tx, call.body);
          await closeUnpaidOrder(tx, call.platform, call.body.orderId, { reason: call.body.reason, who });
          return wireOrder(tx, call.body);
        }),
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/claimCoupon`,
      title: ['会员领券', 'Claim a coupon for a member'],
      access: ACCESS,
      body: z.strictObject({ requestId, memberId: idText, couponId: idText }),
      handle: (call) => {
        const { requestId: id, ...body } = call.body;
        return claimTogether(call.platform, {
          caller: call.caller,
          requestId: id,
          path: call.request.url,
          body,
          ...body,
          answerOf: wireClaim,
          alone: () =>
            write(call, async (tx) => {
              await requireMember(tx, body.memberId);
              return wireClaim(await claimCoupon(tx, call.platform, body));
            }),
        });
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/claimByCode`,
      title: ['会员兑换优惠券码', 'Exchange a code for a coupon for a member'],
      access: ACCESS,
      body: z.strictObject({ requestId, memberId: idText, code: z.string().trim().min(4).max(40) }),
      handle: (call) =>
        write(call, async (tx) => {
          await requireMember(tx, call.body.memberId);
          return wireClaim(await claimByCode(tx, call.platform, call.body));
        }),
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/receive`,
      title: ['会员确认收货', 'Receive for a member'],
      access: ACCESS,
      body: z.strictObject(orderBody),
      handle: (call) =>
        write(call, async (tx) => {
          const who = await requireMember(tx, call.body.memberId);
          await requireOrder(tx, call.body);
          await receiveByMember(tx, call.body.orderId, who);
          return wireOrder(tx, call.body);
        }),
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/delay`,
      title: ['会员延长收货', 'Put the receipt off for a member'],
      access: ACCESS,
      body: z.strictObject(orderBody),
      handle: (call) =>
        write(call, async (tx) => {
          const who = await requireMember(tx, call.body.memberId);
          await requireOrder(tx, call.body);
          await delayReceipt(tx, call.body.orderId, who);
          return wireOrder(tx, call.body);
        }),
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/refund`,
      title: ['会员申请退款', 'Apply for a refund for a member'],
      access: ACCESS,
      body: z.strictObject({
        ...orderBody,
        lines: z.union([
          z.literal('all'),
          z
            .array(z.strictObject({ lineId: idText, qty: z.number().int().min(1).max(9_999) }))
            .min(1)
            .max(50),
        ]),
        reason: z.string().trim().min(1).max(200),
      }),
      handle: (call) =>
        write(call, async (tx) => {
          await requireMember(tx, call.body.memberId);
          await requireOrder(tx, call.body);
          const refund = await applyRefund(tx, {
            platform: call.platform,
            facts: call.facts,
            applicantType: 1,
            orderId: call.body.orderId,
            lines: call.body.lines,
            reason: call.body.reason,
          });
          return {
            refundId: String(refund.id),
            code: refund.code,
            state: refund.state,
            cash: yuanFromFen(refund.cash),
            points: refund.points,
          };
        }),
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/rate`,
      title: ['会员评价订单', 'Rate an order for a member'],
      access: ACCESS,
      body: z.strictObject({ ...orderBody, ...ratingBody }),
      handle: async (call) => {
        const { orderId, memberId, ...said } = call.body;
        const answer = await write(call, async (tx) => {
          await requireMember(tx, memberId);
          const made = await rateForTask(tx, call.platform, { ...said, orderId, memberId });
          return { commentId: String(made.id), state: made.state };
        });
        for (const entity of COMMENT_LISTS) call.platform.changed(entity);
        return answer;
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/order`,
      title: ['会员订单', 'An order of a member'],
      access: ACCESS,
      query: z.strictObject({ memberId: idText, orderId: idText }),
      handle: (call) => wireOrder(call.platform.database.db, call.query),
    }),
  ],
});

const wireClaim = ({ memberCouponId, code, endsAt }: Claimed) => ({
  memberCouponId: String(memberCouponId),
  code,
  endsAt,
});

/** A write of a program in one transaction, once per request id; lists of orders show it at once. */
async function write<B extends { readonly requestId: string }, T>(
  call: Call<unknown, B>,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { requestId: id, ...body } = call.body;
  const answer = await transaction(call.platform.database.db, (tx) =>
    oncePerRequest(tx, call.caller, { requestId: id, path: call.request.url, body }, () => work(tx)),
  );
  call.platform.changed(ORDER_ENTITY);
  return answer;
}

/** What timelines call a member, which are not masked; 404 when there is none. */
async function requireMember(db: Executor, memberId: number): Promise<string> {
  if (!(await runOne(db, 'SELECT 1 AS one FROM member WHERE id = $1', [memberId])))
    throw notFound(['会员不存在', 'The member does not exist']);
  return '买家';
}

async function requireOrder(
  db: Executor,
  asked: { readonly memberId: number; readonly orderId: number },
): Promise<void> {
  const own = await runOne(db, 'SELECT 1 AS one FROM sales_order WHERE id = $1 AND member_id = $2', [
    asked.orderId,
    asked.memberId,
  ]);
  if (!own) throw notFound(['订单不存在', 'The order does not exist']);
}

/** An order as its buyer sees it; money as yuan text. */
async function wireOrder(
  db: Executor,
  asked: { readonly memberId: number; readonly orderId: number },
): Promise<object> {
  await requireOrder(db, asked);
  const order = (await runOne<Record<string, number | string | Date | null>>(
    db,
    `SELECT o.id, o.code, o.kind, o.type, o.state, o.refund_status, o.payable, o.cash_refunded, o.freight, o.points, o.pay_deadline,
            p.checkout_code FROM sales_order o JOIN payment p ON p.id = o.payment_id WHERE o.id = $1`,
    [asked.orderId],
  ))!;
  const lines = await run<{
    id: number;
    product_name: string;
    spec_name: string;
    qty: number;
    qty_refunded: number;
    qty_shipped: number;
    cash: number;
  }>(
    db,
    'SELECT id, product_name, spec_name, qty, qty_refunded, qty_shipped, cash FROM order_line WHERE order_id = $1 ORDER BY line_no',
    [asked.orderId],
  );
  return {
    orderId: String(order.id),
    orderCode: order.code,
    checkoutCode: order.checkout_code,
    kind: order.kind,
    type: order.type,
    state: order.state,
    refundStatus: order.refund_status,
    payable: yuanFromFen(order.payable as number),
    refunded: yuanFromFen(order.cash_refunded as number),
    freight: yuanFromFen(order.freight as number),
    points: order.points,
    payDeadline: order.pay_deadline,
    lines: lines.map((line) => ({
      lineId: String(line.id),
      productName: line.product_name,
      specName: line.spec_name,
      qty: line.qty,
      refunded: line.qty_refunded,
      shipped: line.qty_shipped,
      cash: yuanFromFen(line.cash),
    })),
  };
}
