import { runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { bookVisit } from '../../../domain/home-service/appointment/visit-attachment.server.ts';
import {
  assignVisit,
  finishVisit,
  markNoShow,
  rescheduleVisit,
  startVisit,
} from '../../../domain/home-service/appointment/visit-commands.server.ts';
import {
  moveOrder,
  lockVisitOrder,
  openVisitOf,
  timeText,
  visitsLeft,
  type Visit,
} from '../../../domain/home-service/appointment/visit-record.server.ts';
import { applyRefund, type RefundLineRequest } from '../../after-sales/refund/refund-apply.server.ts';
import type { RefundReason } from '../../after-sales/refund/refund.contract.ts';
import { changePrice } from '../../mall/goods-order/order-payment.server.ts';
import { cancelPaid, waiveFee, type CancelledBy } from './visit-cancel.server.ts';
import { actingOf, idInput, instantOf, optionalId, overbookOf } from './visit-dialogs.server.ts';

/** btn_assign and btn_reassign on the order's open visit. */
export async function assignOrder(context: ActionContext): Promise<ActionResult> {
  const visit = await visitOf(context.tx, context.id);
  const done = await assignVisit(actingOf(context), visit.id, {
    personId: idInput('person', context.input.person),
    reason: (context.input.reason as string | undefined) ?? undefined,
  });
  return { to: done.order, told: true };
}

/** btn_reschedule on the open visit; between two visits of a package it gives the next one its time. */
export async function rescheduleOrder(context: ActionContext): Promise<ActionResult> {
  const { tx, id, input } = context;
  const acting = actingOf(context);
  const startsAt = instantOf(input.startsAt);
  const personId = optionalId('person', input.person);
  const overbook = overbookOf(context);
  const visit = await openVisitOf(tx, id);
  if (visit) {
    const done = await rescheduleVisit(acting, visit.id, {
      startsAt,
      ...(personId === undefined ? {} : { personId }),
      reason: (input.reason as string | null) ?? undefined,
      overbook,
      by: 'staff',
    });
    return { to: done.order, told: true };
  }
  const order = await lockVisitOrder(tx, id);
  const left = await visitsLeft(tx, id);
  if (left <= 0) throw ruleBroken(['没有剩余次数', 'No visit is left']);
  const row = (await runOne<{ project_id: number; house_id: number | null; last: number }>(
    tx,
    `SELECT o.project_id, (SELECT house_id FROM appointment WHERE order_id = o.id ORDER BY id DESC LIMIT 1) AS house_id,
            coalesce((SELECT max(visit_no) FROM appointment WHERE order_id = o.id), 0) AS last FROM sales_order o WHERE o.id = $1`,
    [id],
  ))!;
  const made = await bookVisit(
    acting,
    { id, projectId: row.project_id, tenantId: order.tenant_id },
    {
      visitNo: row.last + 1,
      startsAt,
      personId: null,
      houseId: row.house_id,
      overbook,
      anyTime: true,
      state: 'to_accept',
    },
  );
  if (personId !== undefined) {
    const done = await assignVisit(acting, made, { personId });
    return { to: done.order, told: true };
  }
  await moveOrder(acting, order, {
    to: 'to_accept',
    code: 17,
    action: 'reschedule',
    remark: timeText(startsAt),
  });
  return { to: 'to_accept', told: true };
}

/** btn_start. */
export async function startOrder(context: ActionContext): Promise<ActionResult> {
  const visit = await visitOf(context.tx, context.id);
  await startVisit(actingOf(context), visit.id);
  return { told: true };
}

/** btn_finish. */
export async function finishOrder(context: ActionContext): Promise<ActionResult> {
  const visit = await visitOf(context.tx, context.id);
  const done = await finishVisit(actingOf(context), visit.id, finishInput(context));
  return { to: done.order, told: true };
}

/** What a finishing dialog was filled in with. */
export function finishInput({ input }: Pick<ActionContext, 'input'>) {
  return {
    code: (input.verifyCode as string | null) ?? undefined,
    reason: (input.reason as string | null) ?? undefined,
    photos: (input.photos as readonly string[] | null) ?? undefined,
  };
}

/** btn_noShow. */
export async function noShowOrder(context: ActionContext): Promise<ActionResult> {
  const visit = await visitOf(context.tx, context.id);
  const done = await markNoShow(actingOf(context), visit.id, { reason: context.input.reason as string });
  return { to: done.order, told: true };
}

/** btn_cancel of a paid order. */
export async function cancelOrder(context: ActionContext): Promise<ActionResult> {
  const done = await cancelPaid({ ...actingOf(context), facts: context.facts }, context.id, {
    by: context.input.by as CancelledBy,
    reason: context.input.reason as string,
  });
  return {
    to: done.order,
    told: true,
    result: { fee: yuanFromFen(done.fee), refund: yuanFromFen(done.refund) },
  };
}

/** btn_waiveFee. */
export async function waiveOrder(context: ActionContext): Promise<ActionResult> {
  await waiveFee(actingOf(context), context.id, context.input.reason as string);
  return { told: true };
}

/** btn_price: a service with nothing left to pay waits for a person at once. */
export async function priceOrder(context: ActionContext): Promise<ActionResult> {
  const done = await changePrice(context);
  const now = await runOne<{ state: string }>(context.tx, 'SELECT state FROM sales_order WHERE id = $1', [
    context.id,
  ]);
  return { ...done, to: now!.state };
}

/** btn_refund and btn_returnAudit: visits not made, or an amount; caps, window and levels are those of the refund engine. */
export async function refundService(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, caller, facts, id, input } = context;
  if (input.liable === 'platform' && caller.tenantKind !== 3)
    throw invalid({ liable: ['仅平台可选择由平台承担', 'Only the platform may choose this'] });
  const line = (await runOne<{ id: number }>(
    tx,
    'SELECT id FROM order_line WHERE order_id = $1 ORDER BY line_no LIMIT 1',
    [id],
  ))!;
  const units = (input.units as number | null) ?? 0;
  const amount = (input.amount as number | null) ?? 0;
  if (units > 0 === amount > 0)
    throw invalid({ units: ['请填写退次数或退金额之一', 'Please enter either visits or an amount'] });
  const lines: RefundLineRequest[] = [
    units > 0 ? { lineId: line.id, qty: units } : { lineId: line.id, amount },
  ];
  const refund = await applyRefund(tx, {
    platform,
    caller,
    facts,
    applicantType: 2,
    orderId: id,
    lines,
    reasonCode: input.reasonCode as RefundReason,
    reason: input.reason as string,
    ...(input.liable ? { liable: input.liable as 'merchant' | 'platform' } : {}),
  });
  return {
    remark: `${refund.code} · ${yuanFromFen(refund.cash)} · ${input.reason as string}`,
    result: {
      refundId: String(refund.id),
      code: refund.code,
      state: refund.state,
      cash: yuanFromFen(refund.cash),
    },
  };
}

async function visitOf(db: Executor, orderId: number): Promise<Visit> {
  const visit = await openVisitOf(db, orderId);
  if (!visit)
    throw ruleBroken([
      '下一次服务尚未预约时间，请先改约',
      'The next visit has no time yet, please give it one first',
    ]);
  return visit;
}
