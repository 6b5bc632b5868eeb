import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { insertRow } from '../../kernel/server/resource/run-action.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { writeOrderEvent } from '../checkout/order-log.server.ts';
import { SENSITIVE } from '../content/content.rules.ts';
import { requireImages } from '../content/content.server.ts';
import { requireNotBanned } from '../member-event/member-standing.server.ts';
import { checkSensitive } from '../sensitive-words/sensitive-words.server.ts';

/** How timelines and audit records call comments of orders. */
export const ORDER_COMMENT = 'orderComment';
/** Lists that show a comment. */
export const COMMENT_LISTS = [ORDER_COMMENT, 'productComment', 'serviceComment', 'personComment'] as const;

/** What a member says of an order. */
export interface OrderRating {
  readonly orderId: number;
  readonly memberId: number;
  readonly stars: number;
  readonly content: string;
  readonly imageIds: readonly string[];
}

/**
 * Keeps what a member says of an own order that was completed without a refund, once, within `order.comment_days`. Blocked words are
 * refused; words to be reviewed make it wait until staff show it. Throws 404 and 30101. Returns the comment's id and state.
 */
export async function rateOrder(
  tx: Tx,
  platform: Platform,
  rating: OrderRating,
): Promise<{ readonly id: number; readonly state: 'shown' | 'waiting' }> {
  const { orderId, memberId, stars } = rating;
  const days = await platform.settings.numberIn(tx, 'order.comment_days');
  const order = await runOne<{
    tenant_id: number;
    project_id: number;
    rates: boolean;
    rated: boolean;
    over: boolean;
  }>(
    tx,
    `SELECT tenant_id, project_id, state = 'completed' AND refund_status = 'none' AS rates, comment_status = 1 AS rated,
            coalesce(completed_at + make_interval(days => $3) < now(), false) AS over
       FROM sales_order WHERE id = $1 AND member_id = $2 AND kind IN ('goods', 'service') FOR UPDATE`,
    [orderId, memberId, days],
  );
  if (!order) throw notFound(['订单不存在', 'There is no such order']);
  if (order.rated) throw ruleBroken(['该订单已评价', 'The order was rated already']);
  if (!order.rates)
    throw ruleBroken(['已完成且未退款的订单才能评价', 'Completed orders without a refund are rated']);
  if (order.over) throw ruleBroken([`已超过 ${days} 天的评价期限`, `Orders are rated within ${days} days`]);
  await requireNotBanned(tx, memberId);
  await requireImages(tx, rating.imageIds);
  const inside = { ...platform, database: { ...platform.database, db: tx as never } };
  const verdict = await checkSensitive(inside, rating.content);
  if (verdict.level === 'block') throw ruleBroken(SENSITIVE);
  const content = verdict.level === 'replace' ? verdict.shown : rating.content;
  const state = verdict.level === 'review' ? 'waiting' : 'shown';
  const person = await runOne<{ id: number }>(
    tx,
    `SELECT person_id AS id FROM appointment WHERE order_id = $1 AND state = 'done' AND person_id IS NOT NULL ORDER BY starts_at DESC LIMIT 1`,
    [orderId],
  );
  const id = await insertRow(tx, 'order_comment', {
    order_id: orderId,
    tenant_id: order.tenant_id,
    project_id: order.project_id,
    member_id: memberId,
    person_id: person?.id ?? null,
    stars,
    content,
    image_ids: rating.imageIds,
    state,
  });
  await run(
    tx,
    'UPDATE sales_order SET comment_status = 1, version = version + 1, updated_at = now() WHERE id = $1',
    [orderId],
  );
  await run(tx, 'UPDATE order_line SET comment_status = 1 WHERE order_id = $1', [orderId]);
  await writeOrderEvent(tx, { orderId, code: 30, who: '会员', remark: `${stars}★ ${content}`.trim() });
  await writeTimeline(tx, {
    entity: ORDER_COMMENT,
    entityId: id,
    action: 'rate',
    label: ['评价', 'Rated'],
    to: state,
  });
  return { id, state };
}
