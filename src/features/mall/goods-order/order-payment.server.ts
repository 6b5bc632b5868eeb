import { z } from 'zod';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import type { Call } from '../../../kernel/server/registration.ts';
import { sameText } from '../../../kernel/server/http/signed-ticket.ts';
import { releaseOrder, settleIfNothingIsLeft } from '../../../domain/checkout/close-unpaid.server.ts';
import { rewritePrice } from '../../../domain/checkout/create-checkout.server.ts';
import { loadPostage } from '../../../domain/checkout/load-cart.server.ts';
import { writeOrderEvent } from '../../../domain/checkout/order-log.server.ts';
import { requireSandbox } from '../../../domain/payment-channel/channels.server.ts';
import { askChannel, linkMark, paySandbox } from '../../../domain/checkout/sandbox-pay.server.ts';
import { lockPayment } from '../../../domain/checkout/take-payment.server.ts';
import { fixPayee } from '../../../domain/payee/payment-payee.server.ts';
import { freightOf, reprice, type QuoteOrder } from '../../../domain/trade-money/quote.rules.ts';

/**
 * btn_pay: asks the channel whether the checkout was paid meanwhile (after commit, through the callback handler) and
 * answers the link to pay it. The link pays the whole checkout; a merchant is told its own part of the amount. A payment that failed for a wrong amount is open again.
 */
export async function askForPayment(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, caller, id, row, input } = context;
  const channel = Number(input.channel) as 1 | 2;
  await lockPayment(tx, row.payment_id as number);
  await fixPayee(tx, platform, row.payment_id as number, channel);
  const payment = (await runOne<{ checkout_code: string; amount: number; deadline: Date }>(
    tx,
    'UPDATE payment SET channel = $2, state = 1 WHERE id = $1 AND state <> 2 RETURNING checkout_code, amount, deadline',
    [row.payment_id, channel],
  ))!;
  await askChannel(tx, payment.checkout_code, channel);
  // An order's timeline is read by its merchant, who learns nothing of the other orders of the checkout.
  const own = row.payable as number;
  await writeOrderEvent(tx, { orderId: id, code: 6, who: caller.name, remark: yuanFromFen(own) });
  const mark = linkMark(platform.config, payment.checkout_code, payment.amount);
  return {
    result: {
      checkoutCode: payment.checkout_code,
      amount: yuanFromFen(caller.tenantKind === 2 ? own : payment.amount),
      partial: caller.tenantKind === 2 && own !== payment.amount,
      channel,
      deadline: isoInstant(payment.deadline),
      mark,
      // The mark stands for the amount: a price change voids every link given out before.
      payLink: `sandbox://pay/${payment.checkout_code}?mark=${mark}&channel=${channel}`,
    },
  };
}

/** Body of the sandbox's cashier. `simulate` provokes what a channel does on a bad day. */
export const sandboxPayBody = z.strictObject({
  mark: z.string().max(64),
  channel: z.enum(['1', '2']),
  simulate: z.enum(['ok', 'wrong_amount', 'duplicate', 'delay', 'lost', 'fail', 'late']).default('ok'),
});

/**
 * The sandbox's cashier: the buyer pays the link. Throws 30101 when the link is void (price changed, closed, paid) or the
 * channel is a real one. A late payment is one whose order is closed already; its link has to be right all the same. The result arrives through the callback handler, as with a real channel.
 */
export async function payInSandbox(call: Call<unknown, z.infer<typeof sandboxPayBody>>, orderId: number) {
  const row = (await runOne<{
    checkout_code: string;
    amount: number;
    channel: number;
    state: string;
  }>(
    call.platform.database.db,
    'SELECT p.checkout_code, p.amount, p.channel, o.state FROM sales_order o JOIN payment p ON p.id = o.payment_id WHERE o.id = $1',
    [orderId],
  ))!;
  const { simulate } = call.body;
  const mark = linkMark(call.platform.config, row.checkout_code, row.amount);
  // The way the link was given out for, and the one that is named now.
  for (const channel of [row.channel, Number(call.body.channel)]) requireSandbox(call.platform, channel);
  const isOpen = row.state === 'pending_payment' || simulate === 'late';
  if (!isOpen || !sameText(call.body.mark, mark))
    throw ruleBroken([
      '支付链接已失效，请重新发起支付',
      'The pay link is void, please ask for payment again',
    ]);
  const tradeNo = await paySandbox(call.platform, {
    checkoutCode: row.checkout_code,
    amount: simulate === 'wrong_amount' ? row.amount - 1 : row.amount,
    channel: Number(call.body.channel) as 1 | 2,
    ...(simulate === 'ok' || simulate === 'wrong_amount' || simulate === 'late' ? {} : { mode: simulate }),
  });
  if (!tradeNo) throw ruleBroken(['支付失败，请更换支付方式', 'The payment failed, please try another way']);
  return { tradeNo };
}

/** btn_price: step 60 on the stored quote; the payment follows. Throws 422 above the order's cash. Source: Must show 13. */
export async function changePrice(context: ActionContext): Promise<ActionResult> {
  const { row, input } = context;
  const answer = reprice(row.quote as QuoteOrder, { manualOff: input.off as number });
  if (!answer.ok) throw invalid({ off: answer.message });
  const to = await applyPrice(context, answer.order);
  const { manualOff, payable } = answer.order;
  const remark = [`−${yuanFromFen(manualOff)} → ${yuanFromFen(payable)}`, input.reason ?? '']
    .filter(Boolean)
    .join(' · ');
  await writeOrderEvent(context.tx, { orderId: context.id, code: 7, who: context.caller.name, remark });
  return { to, remark, result: { payable: yuanFromFen(payable) } };
}

/** btn_address: a new receiver; the freight is computed again from the merchant's bands as they are now. */
export async function changeAddress(context: ActionContext): Promise<ActionResult> {
  const { tx, caller, id, row, input } = context;
  const order = row.quote as QuoteOrder;
  const bands = (await loadPostage(tx, [row.tenant_id as number]))[String(row.tenant_id)] ?? [];
  const base = order.lines.reduce(
    (sum, line) =>
      sum + line.goods - line.shares.reduce((off, share) => off + (share.step === 20 ? share.amount : 0), 0),
    0,
  );
  const freight = freightOf(base, bands);
  let to = 'pending_payment';
  if (freight !== order.freight) {
    const answer = reprice(order, { freight });
    if (answer.ok) to = await applyPrice(context, answer.order);
  }
  await writeOrderEvent(tx, {
    orderId: id,
    code: 8,
    who: caller.name,
    remark: `${row.address as string} → ${input.address as string}`,
  });
  return {
    to,
    set: {
      address: input.address,
      ...(input.contactName ? { contact_name: input.contactName } : {}),
      ...(input.contactPhone ? { contact_phone: input.contactPhone } : {}),
    },
    remark: input.address as string,
    result: { freight: yuanFromFen(freight) },
  };
}

/** btn_close: sets stock, coupons and points free and takes the order out of its payment. */
export async function closeOrder(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, caller, id, row, input } = context;
  const reason = input.reason as string;
  await releaseOrder(tx, platform, {
    id,
    paymentId: row.payment_id as number,
    payable: row.payable as number,
  });
  await writeOrderEvent(tx, { orderId: id, code: 40, who: caller.name, remark: reason });
  // Written before the other orders of the checkout are looked at; the action writes the same state again. The database's
  // clock: a late payment goes to the order that was closed last, whichever server closed it.
  await run(tx, `UPDATE sales_order SET state = 'closed', closed_at = clock_timestamp() WHERE id = $1`, [id]);
  await settleIfNothingIsLeft(tx, platform, row.payment_id as number, caller.name);
  return { to: 'closed', set: { close_reason: reason }, remark: reason };
}

/** btn_remark: a note for colleagues only. */
export async function remarkOrder(context: ActionContext): Promise<ActionResult> {
  const remark = (context.input.staffRemark as string | null) ?? '';
  await writeOrderEvent(context.tx, { orderId: context.id, code: 22, who: context.caller.name, remark });
  return { set: { staff_remark: remark }, remark };
}

/** Writes a new price and moves the payment's amount along; an order with nothing left to pay is paid at once. */
async function applyPrice(context: ActionContext, order: QuoteOrder): Promise<'pending_payment' | 'to_ship'> {
  const { tx, platform, caller, id, row } = context;
  const paymentId = row.payment_id as number;
  await lockPayment(tx, paymentId);
  await rewritePrice(tx, id, order);
  await run(tx, 'UPDATE payment SET amount = amount + $2 WHERE id = $1', [
    paymentId,
    order.payable - (row.payable as number),
  ]);
  return (await settleIfNothingIsLeft(tx, platform, paymentId, caller.name)) ? 'to_ship' : 'pending_payment';
}
