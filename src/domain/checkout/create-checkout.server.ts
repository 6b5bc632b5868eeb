import { bookBudgets } from '../coupon/budget.server.ts';
import { fill, type Label } from '../../kernel/contract/label.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { insertRow } from '../../kernel/server/resource/run-action.ts';
import { checkShownTotal, type QuoteOrder, type QuoteShare } from '../trade-money/quote.rules.ts';
import { NOT_HERE, TOO_FEW } from '../coin-deduction/coin-deduction.server.ts';
import { holdMinutesOf } from '../home-service/appointment/visit-place.server.ts';
import { payMinutesOf, planClosing } from './deadlines.server.ts';
import { priceCart, type CartLine, type CartRequest, type PricedCart } from './load-cart.server.ts';
import { tellAttachments, type AttachedOrder } from './order-attachments.server.ts';
import type { CodesAhead } from './order-codes.server.ts';
import { recordOrderChange } from './order-log.server.ts';
import { holdOrderPoints } from './order-points.server.ts';
import { lockSpecs, partsOf, reserveStock, shortLabel } from './stock.server.ts';
import { settleCheckout } from './take-payment.server.ts';

/** Everything a checkout is created from. */
export interface CheckoutRequest extends CartRequest {
  readonly contactName: string;
  readonly contactPhone: string;
  readonly address: string;
  readonly remark: string;
  readonly source: 1 | 2 | 3 | 4 | 5;
  readonly onBehalf: boolean;
  /** The staff who orders on behalf; absent: the member. */
  readonly caller?: Caller | undefined;
  /** Name on the timeline. */
  readonly who: string;
  /** Total in fen the page showed; another result is refused (30101 价格已变化，请重新确认). Null: the price of an activity is taken as it is. */
  readonly shownTotal: number | null;
  /** Numbers that were taken ahead, see `withCodesAhead`; absent: they are taken in the transaction. */
  readonly codes?: CodesAhead | undefined;
  readonly invoice?: { readonly type: 0 | 1 | 2; readonly name: string; readonly dutyCode: string };
}

/** What a checkout became: one order per merchant under one payment. Amounts in fen. */
export interface CreatedCheckout {
  readonly paymentId: number;
  readonly checkoutCode: string;
  readonly payable: number;
  readonly orderIds: readonly number[];
  /** True when nothing was to be paid: the orders are 待发货 already, a group order waits for its team. */
  readonly paid: boolean;
}

/**
 * Creates the orders of a cart in the caller's transaction: prices it, locks coupons, holds points, plans the closing and at
 * last, as goods are wanted by everybody, reserves stock behind the locks of its goods (all or none). Throws 30101 价格已变化 when the total differs from
 * `shownTotal`, 库存不足，仅剩N件, or when a coupon or the points are used elsewhere; nothing is kept then.
 * Source: group 08, Money engine, Stock and order state machine (create).
 */
export async function createCheckout(
  tx: Tx,
  platform: Platform,
  request: CheckoutRequest,
): Promise<CreatedCheckout> {
  // Limits count the member's other orders: a second checkout of the member waits for this one.
  if (await hasLimits(tx, request))
    await run(tx, 'SELECT id FROM member WHERE id = $1 FOR NO KEY UPDATE', [request.memberId]);
  // Priced and written before the goods are locked: hot goods are held for the end only.
  const cart = await priceCart(tx, platform, request);
  refuseCoins(request, cart);
  const changed = request.shownTotal === null ? undefined : checkShownTotal(cart.quote, request.shownTotal);
  if (changed) throw ruleBroken(changed);
  // Pieces of a group or seckill order were taken from the shelf when its activity was published.
  const { group, seckill } = cart;
  const inActivity = group !== undefined || seckill !== undefined;
  if (!inActivity) refuseShort(cart.lines);
  const minutes = group
    ? await platform.settings.numberIn(tx, 'groupbuy.pay.minutes')
    : seckill
      ? seckill.payMinutes
      : request.visit
        ? await holdMinutesOf(tx, platform, { productId: cart.lines[0]!.productId, ...request.visit })
        : await payMinutesOf(
            tx,
            platform,
            cart.lines.map((line) => line.payMinutes),
          );
  const payment = (await runOne<{ id: number; checkout_code: string; deadline: Date }>(
    tx,
    `INSERT INTO payment (checkout_code, channel, amount, deadline)
     VALUES ($1, $2, $3, least(clock_timestamp() + make_interval(secs => $4), $5::timestamptz)) RETURNING id, checkout_code, deadline`,
    [
      request.codes?.checkout ?? (await nextCode(tx, 'CK')),
      cart.quote.payable === 0 ? 0 : 1,
      cart.quote.payable,
      minutes * 60,
      group?.until ?? null,
    ],
  ))!;
  const discounts = await lockCoupons(tx, cart, request.memberId, payment.id);
  const orderIds: number[] = [];
  for (const order of cart.quote.orders) {
    const code = (orderIds.length === 0 && request.codes?.order) || (await nextCode(tx, 'SO'));
    const attached = await insertOrder(tx, request, cart, order, payment, code);
    const orderId = attached.id;
    await holdOrderPoints(tx, { memberId: request.memberId, orderId, points: order.pointsUnits });
    await recordOrderChange(tx, {
      orderId,
      code: 5,
      who: request.who,
      action: 'create',
      from: undefined,
      to: 'pending_payment',
      caller: request.caller,
      after: { payable: order.payable },
      kind: attached.kind,
    });
    await tellAttachments(tx, attached, (attachment) => attachment.hold(tx, platform, attached, request));
    orderIds.push(orderId);
  }
  const paid = cart.quote.payable === 0;
  if (!paid) await planClosing(tx, payment.id, payment.deadline);
  if (!inActivity) await reserveCart(tx, cart, orderIds);
  await bookBudgets(tx, discounts);
  if (paid)
    await settleCheckout(tx, platform, {
      paymentId: payment.id,
      channel: 0,
      tradeNo: null,
      paidAt: undefined,
      who: request.who,
    });
  return {
    paymentId: payment.id,
    checkoutCode: payment.checkout_code,
    payable: cart.quote.payable,
    orderIds,
    paid,
  };
}

/** Writes the price of an unpaid order again: lines' cash, rows of step 60, sums and the stored quote. Amounts in fen. */
export async function rewritePrice(tx: Executor, orderId: number, order: QuoteOrder): Promise<void> {
  const lines = await run<{ id: number; line_no: number }>(
    tx,
    'SELECT id, line_no FROM order_line WHERE order_id = $1',
    [orderId],
  );
  const ids = new Map(lines.map((line) => [line.line_no, line.id]));
  await run(tx, 'DELETE FROM order_share WHERE step = 60 AND line_id = ANY($1::bigint[])', [
    [...ids.values()],
  ]);
  const offs: { lineId: number; shares: QuoteShare[] }[] = [];
  for (const line of order.lines) {
    const lineId = ids.get(line.lineNo)!;
    await run(tx, 'UPDATE order_line SET cash = $2 WHERE id = $1', [lineId, line.cash]);
    offs.push({ lineId, shares: line.shares.filter((share) => share.step === 60) });
  }
  await insertShares(tx, offs);
  await run(
    tx,
    'UPDATE sales_order SET manual_off = $2, freight = $3, payable = $4, quote = $5, updated_at = now() WHERE id = $1',
    [orderId, order.manualOff, order.freight, order.payable, JSON.stringify(order)],
  );
}

/** Lines whose pieces are counted. */
function stocked(lines: readonly CartLine[]): CartLine[] {
  return lines.filter((line) => line.stocked);
}

/** Says why the coins asked for cannot be used, rather than that the price is another one. */
function refuseCoins(request: CheckoutRequest, cart: PricedCart): void {
  const wanted = request.coinsWanted ?? 0;
  if (wanted === 0) return;
  const activity = cart.group ?? cart.seckill;
  if (activity && !activity.allowCoin) throw ruleBroken(NOT_HERE);
  if (wanted !== 'max' && wanted > cart.coinsBalance) throw ruleBroken(TOO_FEW);
}

/** Says at once that goods are short, without a place in the queue for their lock. */
function refuseShort(lines: readonly CartLine[]): void {
  const short = stocked(lines).find((line) => line.stock < line.qty);
  if (short) throw ruleBroken(shortLabel(short.stock), { specId: String(short.specId) });
}

/** Locks the goods of all orders and takes their pieces; the orders stand in the order of the quote. */
async function reserveCart(tx: Executor, cart: PricedCart, orderIds: readonly number[]): Promise<void> {
  await lockCart(tx, cart.lines);
  for (const [index, order] of cart.quote.orders.entries())
    await reserveStock(tx, partsOf(stocked(linesOf(cart, order))), {
      type: 'sales_order',
      id: orderIds[index]!,
    });
}

/** Locks the goods and looks whether price and sale are still what the cart was priced from. */
async function lockCart(tx: Executor, lines: readonly CartLine[]): Promise<void> {
  const current = new Map(
    (
      await lockSpecs(
        tx,
        lines.map((line) => line.specId),
      )
    ).map((spec) => [spec.id, spec]),
  );
  const isSame = lines.every((line) => {
    const spec = current.get(line.specId);
    return spec !== undefined && spec.price === line.price && spec.onSale;
  });
  if (!isSame) throw ruleBroken(PRICE_CHANGED);
}

async function hasLimits(tx: Executor, request: CheckoutRequest): Promise<boolean> {
  const row = await runOne(
    tx,
    `SELECT 1 AS one FROM product_spec s JOIN product p ON p.id = s.product_id
      WHERE s.id = ANY($1::bigint[]) AND p.account_limit > 0 LIMIT 1`,
    [request.lines.map((line) => line.specId)],
  );
  return row !== undefined;
}

async function lockCoupons(
  tx: Executor,
  cart: PricedCart,
  memberId: number,
  paymentId: number,
): Promise<readonly { readonly memberCouponId: number; readonly amount: number }[]> {
  const chosen = cart.quote.coupons.filter((option) => option.state === 'chosen');
  const ids = chosen.map((option) => Number(option.memberCouponId));
  if (ids.length === 0) return [];
  const rows = await run(
    tx,
    `UPDATE member_coupon SET locked_payment = $1
      WHERE id = ANY($2::bigint[]) AND member_id = $3 AND status = 'claimed' AND locked_payment IS NULL RETURNING id`,
    [paymentId, ids, memberId],
  );
  if (rows.length !== ids.length)
    throw ruleBroken(['优惠券已被其他订单使用', 'The coupon is used by another order']);
  return chosen.map((option) => ({
    memberCouponId: Number(option.memberCouponId),
    amount: option.discount,
  }));
}

function linesOf(cart: PricedCart, order: QuoteOrder): CartLine[] {
  const numbers = new Set(order.lines.map((line) => line.lineNo));
  return cart.lines.filter((line) => numbers.has(line.lineNo));
}

async function insertOrder(
  tx: Tx,
  request: CheckoutRequest,
  cart: PricedCart,
  order: QuoteOrder,
  payment: { readonly id: number; readonly deadline: Date },
  code: string,
): Promise<AttachedOrder> {
  const lines = linesOf(cart, order);
  const kind = request.visit ? 'service' : 'goods';
  const type = request.group ? 'group' : request.seckill ? 'seckill' : cart.rush ? 'rush' : 'ordinary';
  const tenantId = Number(order.merchantId);
  const orderId = await insertRow(tx, 'sales_order', {
    code,
    kind,
    type,
    source: request.source,
    tenant_id: tenantId,
    project_id: request.projectId,
    member_id: request.memberId,
    payment_id: payment.id,
    title: titleOf(lines),
    contact_name: request.contactName,
    contact_phone: request.contactPhone,
    address: request.address,
    remark: request.remark,
    on_behalf: request.onBehalf,
    state: 'pending_payment',
    goods: order.goods,
    merchant_coupon: order.merchantCoupon,
    platform_coupon: order.platformCoupon,
    points_value: order.points,
    points: order.pointsUnits,
    coins_value: order.coins,
    freight: order.freight,
    payable: order.payable,
    item_count: lines.reduce((sum, line) => sum + line.qty, 0),
    quote: JSON.stringify(order),
    invoice_type: request.invoice?.type ?? 0,
    invoice_name: request.invoice?.name ?? '',
    duty_code: request.invoice?.dutyCode ?? '',
    pay_deadline: payment.deadline,
    created_by: request.caller?.staffId ?? null,
    updated_by: request.caller?.staffId ?? null,
  });
  await insertLines(tx, orderId, order, lines);
  return {
    id: orderId,
    kind,
    type,
    tenantId,
    projectId: request.projectId,
    memberId: request.memberId,
    paymentId: payment.id,
    payDeadline: payment.deadline,
    coinsValue: order.coins,
  };
}

/** Lines and their shares in one statement each: the goods are locked while this runs. */
async function insertLines(
  tx: Tx,
  orderId: number,
  order: QuoteOrder,
  lines: readonly CartLine[],
): Promise<void> {
  const rows = order.lines.map((priced) => {
    const line = lines.find((one) => one.lineNo === priced.lineNo)!;
    return {
      line_no: line.lineNo,
      product_id: line.productId,
      spec_id: line.specId,
      product_name: line.productName,
      spec_name: line.specName,
      image_id: line.imageId,
      supplier: line.supplier,
      sales_way: line.salesWay,
      list_price: priced.listPrice,
      unit_price: priced.unitPrice,
      qty: priced.qty,
      goods: priced.goods,
      cash: priced.cash,
      times: line.times,
    };
  });
  const inserted = await run<{ id: number; line_no: number }>(
    tx,
    `INSERT INTO order_line (order_id, line_no, product_id, spec_id, product_name, spec_name, image_id, supplier, sales_way, list_price, unit_price, qty, goods, cash, times)
     SELECT $1, r.* FROM jsonb_to_recordset($2::jsonb) AS r (line_no smallint, product_id bigint, spec_id bigint, product_name text, spec_name text,
            image_id uuid, supplier text, sales_way text, list_price bigint, unit_price bigint, qty integer, goods bigint, cash bigint, times smallint)
     RETURNING id, line_no`,
    [orderId, JSON.stringify(rows)],
  );
  const ids = new Map(inserted.map((row) => [row.line_no, row.id]));
  await insertShares(
    tx,
    order.lines.map((line) => ({ lineId: ids.get(line.lineNo)!, shares: line.shares })),
  );
}

async function insertShares(
  tx: Executor,
  lines: readonly { readonly lineId: number; readonly shares: readonly QuoteShare[] }[],
): Promise<void> {
  const rows = lines.flatMap(({ lineId, shares }) =>
    shares.map((share) => ({
      line_id: lineId,
      step: share.step,
      source_type: share.sourceType,
      source_id: share.sourceId ?? '',
      amount: share.amount,
      platform_amount: share.platformAmount,
      units: share.units,
    })),
  );
  if (rows.length === 0) return;
  await run(
    tx,
    `INSERT INTO order_share (line_id, step, source_type, source_id, amount, platform_amount, units)
     SELECT r.* FROM jsonb_to_recordset($1::jsonb) AS r (line_id bigint, step smallint, source_type text, source_id text, amount bigint,
            platform_amount bigint, units bigint)`,
    [JSON.stringify(rows)],
  );
}

const PRICE_CHANGED: Label = ['价格已变化，请重新确认', 'The price has changed, please confirm again'];

/** Stored as it stands, so in the language of the buyers. */
function titleOf(lines: readonly CartLine[]): string {
  const name = lines[0]!.productName;
  return lines.length === 1
    ? name
    : fill(['{name}等{n}件', '{name} and {n} goods'], {
        name,
        n: lines.reduce((sum, line) => sum + line.qty, 0),
      })[0];
}
