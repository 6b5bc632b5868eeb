import { runOne, type Executor } from '../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import { gradeIdSql } from '../grade/member-grade.server.ts';
import { CLAIM_REFUSALS, UNPAID_LEFT, type ClaimRefusal } from './seckill.rules.ts';

/** What a claim of a seckill wants: the item decides goods and price. */
export interface SeckillWanted {
  readonly activityId: number;
  readonly itemId: number;
  readonly requestKey: string;
  readonly requestDigest: Buffer;
}

/** What a seckill order costs, and how long it may wait for its payment. Amounts in fen. */
export interface SeckillOffer {
  readonly unitPrice: number;
  readonly payMinutes: number;
  readonly allowCoupon: boolean;
  readonly allowPoints: boolean;
  readonly allowCoin: boolean;
}

/** The refusal of a claim with its word in `data.reason`. */
export function refused(reason: ClaimRefusal, held = 0) {
  return ruleBroken(reason === 'SOLD_OUT' && held > 0 ? UNPAID_LEFT : CLAIM_REFUSALS[reason], { reason });
}

interface OfferRow {
  readonly spec_id: number;
  readonly price: number;
  readonly remaining: number;
  readonly held: number;
  readonly per_order_limit: number;
  readonly per_member_limit: number;
  readonly state: string;
  readonly begun: boolean;
  readonly over: boolean;
  readonly pay_minutes: number;
  readonly allow_coupon: boolean;
  readonly allow_points: boolean;
  readonly allow_coin: boolean;
  readonly eligible: boolean;
}

/**
 * Looks what a claim may cost now. It only answers early: limit and copies are decided by the statements that take them.
 * Throws 404 for an item nobody may know of and 30101 with `data.reason`. Source: group 16, Stock reservation 2.
 */
export async function seckillOffer(
  db: Executor,
  wanted: SeckillWanted,
  buyer: {
    readonly memberId: number;
    readonly projectId: number;
    readonly lines: readonly { readonly specId: number; readonly qty: number }[];
  },
): Promise<SeckillOffer> {
  const item = await runOne<OfferRow>(
    db,
    `SELECT i.spec_id, i.price, i.remaining, i.held, i.per_order_limit, i.per_member_limit, i.state,
            i.starts_at <= clock_timestamp() AS begun, i.ends_at <= clock_timestamp() AS over,
            a.pay_minutes, a.allow_coupon, a.allow_points, a.allow_coin,
            EXISTS (SELECT FROM seckill_project p WHERE p.activity_id = a.id AND p.project_id = $3) AND CASE a.audience
              WHEN 'household' THEN EXISTS (SELECT FROM household h WHERE h.member_id = $4 AND h.status = 'normal')
              WHEN 'grade' THEN coalesce((SELECT g.threshold FROM grade g WHERE g.id = ${gradeIdSql('$4::bigint')}), -1)
                >= (SELECT w.threshold FROM grade w WHERE w.id = a.audience_grade_id)
              WHEN 'new' THEN EXISTS (SELECT FROM member m WHERE m.id = $4 AND m.registered_at > now() - make_interval(days => a.audience_days))
              ELSE TRUE END AS eligible
       FROM seckill_item i JOIN seckill_activity a ON a.id = i.activity_id
      WHERE i.id = $1 AND i.activity_id = $2 AND i.state NOT IN ('draft', 'reviewing', 'rejected')`,
    [wanted.itemId, wanted.activityId, buyer.projectId, buyer.memberId],
  );
  if (!item) throw notFound(['秒杀商品不存在', 'The seckill item does not exist']);
  if (buyer.lines.length !== 1 || buyer.lines[0]!.specId !== item.spec_id)
    throw invalid({ lines: ['秒杀订单只能购买一种商品', 'A seckill order has exactly one line'] });
  const qty = buyer.lines[0]!.qty;
  const closed = closedBecause(item);
  if (closed) throw refused(closed);
  if (!item.eligible) throw refused('NOT_ELIGIBLE');
  if (qty > item.per_order_limit) throw refused('OVER_ORDER_LIMIT');
  if (qty > item.per_member_limit) throw refused('OVER_MEMBER_LIMIT');
  if (item.remaining < qty) throw refused('SOLD_OUT', item.held);
  return {
    unitPrice: item.price,
    payMinutes: item.pay_minutes,
    allowCoupon: item.allow_coupon,
    allowPoints: item.allow_points,
    allowCoin: item.allow_coin,
  };
}

/** Why an item is not on sale at this moment, or undefined. */
export function closedBecause(item: {
  readonly state: string;
  readonly begun: boolean;
  readonly over: boolean;
}): ClaimRefusal | undefined {
  if (item.state === 'ended' || item.state === 'cancelled' || item.over) return 'ENDED';
  if (item.state === 'paused') return 'PAUSED';
  return item.begun ? undefined : 'NOT_STARTED';
}
