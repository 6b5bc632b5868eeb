import { runOne, transaction } from '../../kernel/server/database.ts';
import { notFound } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { inTurn } from '../checkout/checkout-turn.server.ts';
import {
  createCheckout,
  type CheckoutRequest,
  type CreatedCheckout,
} from '../checkout/create-checkout.server.ts';
import { priceCart, type PricedCart } from '../checkout/load-cart.server.ts';
import { ORDER_ENTITY } from '../checkout/order-log.server.ts';
import type { SeatWanted } from './group-cart.server.ts';

/** A seat somebody orders: the item decides what is bought. */
export interface GroupRequest extends Omit<
  CheckoutRequest,
  'lines' | 'group' | 'visit' | 'coupons' | 'pointsWanted'
> {
  readonly seat: SeatWanted;
  readonly qty: number;
  readonly coupons?: CheckoutRequest['coupons'];
  readonly pointsWanted?: CheckoutRequest['pointsWanted'];
  readonly visit?: CheckoutRequest['visit'];
}

/** What a seat became: the order and the team it stands in (null in an activity that counts copies). */
export interface GroupOrder extends CreatedCheckout {
  readonly orderId: number;
  readonly teamId: number | null;
  readonly teamCode: string | null;
  readonly isLeader: boolean;
}

async function checkoutOf(platform: Platform, request: Omit<GroupRequest, 'shownTotal'>) {
  const item = await runOne<{ spec_id: number }>(
    platform.database.db,
    'SELECT spec_id FROM group_buy_item WHERE id = $1',
    [request.seat.itemId],
  );
  if (!item) throw notFound(['团购商品不存在', 'The group-buy item does not exist']);
  const { seat, qty, ...rest } = request;
  return {
    ...rest,
    coupons: request.coupons ?? [],
    pointsWanted: request.pointsWanted ?? 0,
    lines: [{ specId: item.spec_id, qty }],
    group: seat,
  };
}

/** Prices a seat as it stands now, without taking it. Refuses as {@link openOrJoinTeam} does. */
export async function quoteSeat(
  platform: Platform,
  request: Omit<GroupRequest, 'shownTotal'>,
): Promise<PricedCart> {
  return priceCart(platform.database.db, platform, await checkoutOf(platform, request));
}

/**
 * Orders a seat for a member: opens a team (`teamId` null) or joins one, holds the seat and the copies and answers the
 * unpaid order. A team that is full or over opens a new one if `openNewIfFull` says so, else it is refused 该团已满.
 * Throws what createCheckout throws, and 活动未开始, 活动已结束, 已抢光, 超出每人限购, 您已在该团中, 仅限新会员参团.
 * Source: group 16, Stock reservation 2 and mk_makeGroup, Team.
 */
export async function openOrJoinTeam(platform: Platform, request: GroupRequest): Promise<GroupOrder> {
  const checkout = { ...(await checkoutOf(platform, request)), shownTotal: request.shownTotal };
  const made = await inTurn(() =>
    transaction(platform.database.db, async (tx): Promise<GroupOrder> => {
      const created = await createCheckout(tx, platform, checkout);
      const orderId = created.orderIds[0]!;
      const seat = (await runOne<{ id: number | null; code: string | null; leader: boolean }>(
        tx,
        `SELECT t.id, t.code, m.role = 'leader' AS leader FROM group_buy_member m LEFT JOIN group_buy_team t ON t.id = m.team_id
          WHERE m.order_id = $1`,
        [orderId],
      ))!;
      return { ...created, orderId, teamId: seat.id, teamCode: seat.code, isLeader: seat.leader };
    }),
  );
  platform.changed(ORDER_ENTITY);
  return made;
}
