import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { runOne, run, type Executor } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { RequestFacts } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { applyRefund } from '../../after-sales/refund/refund-apply.server.ts';
import { loadTrade } from '../../after-sales/refund/refund-order.server.ts';
import {
  cancelPercent,
  cancelService,
  type CancelCause,
  type Cancellation,
} from '../../../domain/trade-money/refund.rules.ts';
import { refuseRefunding } from '../../../domain/home-service/appointment/visit-commands.server.ts';
import {
  clock,
  freePlace,
  serviceTerms,
} from '../../../domain/home-service/appointment/visit-place.server.ts';
import {
  changeVisit,
  lockVisitOrder,
  moveOrder,
  openVisitOf,
  tellMember,
  tellPerson,
  timeText,
  type Acting,
  type Visit,
} from '../../../domain/home-service/appointment/visit-record.server.ts';
import { cancelTiersOf } from '../../../domain/home-service/appointment/visit-words.rules.ts';

/** Who ends a paid visit: the customer, or the merchant, who never takes a fee. */
export type CancelledBy = Extract<CancelCause, 'member' | 'merchant'>;

/** What a cancellation would cost and give back; amounts in fen. */
export interface CancelPreview extends Pick<Cancellation, 'percent' | 'fee' | 'orderStatus'> {
  readonly refund: number;
  readonly points: number;
}

/** What cancelling a paid order would give back now; nothing is written. Source: group 07, capacity rule 8. */
export async function previewCancel(
  db: Executor,
  platform: Platform,
  orderId: number,
  by: CancelledBy,
): Promise<CancelPreview> {
  const { cancelled } = await reckon(db, platform, orderId, by);
  return {
    percent: cancelled.percent,
    fee: cancelled.fee,
    refund: cancelled.split?.cash ?? 0,
    points: cancelled.split?.points ?? 0,
    orderStatus: cancelled.orderStatus,
  };
}

/**
 * 取消 of a paid order with all its visits to come: the place is free at once, the refund is what the tiers leave. Its amount is
 * the rule's and not the person's, so it needs no audit. Source: group 07, capacity rule 8; Must show 5.
 */
export async function cancelPaid(
  acting: Acting & { readonly facts?: RequestFacts | undefined },
  orderId: number,
  input: { readonly by: CancelledBy; readonly reason: string },
): Promise<{ readonly order: string; readonly fee: number; readonly refund: number }> {
  const { tx, platform, caller } = acting;
  const order = await lockVisitOrder(tx, orderId);
  if (order.state !== 'to_accept' && order.state !== 'to_visit')
    throw ruleBroken(['当前状态不能取消', 'The order cannot be cancelled now']);
  refuseRefunding(order);
  const { cancelled, visit } = await reckon(tx, platform, orderId, input.by);
  const remark = `${input.by === 'merchant' ? '商户取消' : '客户取消'} · ${input.reason}${
    cancelled.fee > 0 ? ` · 违约金 ${yuanFromFen(cancelled.fee)}` : ''
  }`;
  if (visit) {
    if (visit.state !== 'choose_again') await freePlace(tx, visit.slot_id!, visit.qty);
    await changeVisit(acting, visit, {
      action: 'cancel',
      label: CANCEL,
      to: 'cancelled',
      set: { reason: input.reason, fee: cancelled.fee },
      remark,
    });
    await tellPerson(
      tx,
      visit.person_id,
      `预约 ${visit.code}（${timeText(visit.starts_at)}）已取消，无需上门。`,
    );
    await tellMember(
      tx,
      visit,
      `您预约的服务（${timeText(visit.starts_at)}）已取消，退款 ${yuanFromFen(cancelled.split?.cash ?? 0)} 元。`,
    );
  }
  // With a fee the rest is returned on a completed order; without one the refund closes it when the money has gone.
  const ends = cancelled.fee > 0 || cancelled.split === null;
  const to = ends ? 'completed' : order.state;
  await moveOrder(acting, order, { to, code: 41, action: 'cancel', remark });
  if (cancelled.split !== null)
    await applyRefund(tx, {
      platform,
      ...(acting.facts ? { facts: acting.facts } : {}),
      ...(caller ? { caller } : {}),
      system: true,
      applicantType: 2,
      orderId,
      lines: 'all',
      cancelPercent: cancelled.percent,
      reasonCode: 'other',
      reason: remark,
    });
  const after = await runOne<{ state: string }>(tx, 'SELECT state FROM sales_order WHERE id = $1', [orderId]);
  return { order: after!.state, fee: cancelled.fee, refund: cancelled.split?.cash ?? 0 };
}

/**
 * btn_waiveFee: no fee is taken of the visit that is still to come, or the one taken before is given free, so that everything can
 * be refunded. Source: group 07, capacity rule 8; Must show 6.
 */
export async function waiveFee(acting: Acting, orderId: number, reason: string): Promise<string> {
  const { tx } = acting;
  const order = await lockVisitOrder(tx, orderId);
  const visits = await run<Visit>(
    tx,
    `SELECT * FROM appointment WHERE order_id = $1 AND NOT fee_waived
        AND (state IN ('to_accept', 'assigned', 'serving') OR (state IN ('no_show', 'cancelled') AND fee > 0)) ORDER BY id FOR NO KEY UPDATE`,
    [orderId],
  );
  if (visits.length === 0) throw ruleBroken(['没有可免收的违约金', 'There is no fee to waive']);
  for (const visit of visits)
    await changeVisit(acting, visit, {
      action: 'waive_fee',
      label: ['免收违约金', 'Fee waived'],
      set: { fee_waived: true, waive_reason: reason },
      remark: reason,
    });
  await moveOrder(acting, order, { to: order.state, code: 29, action: 'waive_fee', remark: reason });
  return order.state;
}

const CANCEL: Label = ['取消', 'Cancelled'];

async function reckon(
  db: Executor,
  platform: Platform,
  orderId: number,
  by: CancelledBy,
): Promise<{ cancelled: Cancellation; visit: Visit | undefined }> {
  const visit = await openVisitOf(db, orderId);
  const line = (await runOne<{ payment_id: number; product_id: number }>(
    db,
    `SELECT o.payment_id, l.product_id FROM sales_order o JOIN order_line l ON l.order_id = o.id WHERE o.id = $1 ORDER BY l.line_no LIMIT 1`,
    [orderId],
  ))!;
  const terms = await serviceTerms(db, platform, line.product_id);
  const waived = await runOne<{ waived: boolean }>(
    db,
    'SELECT fee_waived AS waived FROM appointment WHERE id = $1',
    [visit?.id ?? 0],
  );
  // Between two visits, and where another time has to be chosen, nobody waits at a door.
  const free = visit === undefined || visit.state === 'choose_again';
  const percent = free
    ? 0
    : cancelPercent(cancelTiersOf(terms.cancelTiers), {
        cause: by,
        minutesBeforeStart: (visit.starts_at.getTime() - (await clock(db)).getTime()) / 60_000,
        waived: waived?.waived ?? false,
      });
  const trade = await loadTrade(db, orderId, line.payment_id);
  try {
    return { cancelled: cancelService(trade.order, percent), visit };
  } catch (error) {
    if (error instanceof RangeError) throw ruleBroken(['没有可退的次数', 'No visit is left to refund']);
    throw error;
  }
}
