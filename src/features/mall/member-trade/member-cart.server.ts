import { z } from 'zod';
import { idText } from '../../../kernel/server/http/call-parts.ts';
import { textOf, type Language } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import type { CartRequest, PricedCart } from '../../../domain/checkout/load-cart.server.ts';

/** The fields of a cart as a program sends them. */
export const cartBody = {
  memberId: idText,
  projectId: idText,
  lines: z
    .array(z.strictObject({ specId: idText, qty: z.number().int().min(1).max(9_999) }))
    .min(1)
    .max(50),
  coupons: z.union([z.literal('best'), z.array(idText).max(20)]).default('best'),
  points: z.union([z.literal('max'), z.number().int().min(0)]).default(0),
  coins: z.union([z.literal('max'), z.number().int().min(0)]).default(0),
  /** A seat in a team; without a team the order opens one. */
  group: z
    .strictObject({ itemId: idText, teamId: idText.optional(), openNewIfFull: z.boolean().default(true) })
    .optional(),
  /** The time of a visit. */
  visit: z
    .strictObject({
      startsAt: z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
      personId: idText.optional(),
      houseId: idText.optional(),
    })
    .optional(),
} as const;

const shape = z.object(cartBody);

/** The cart a member's program asks for. */
export function cartOf(body: z.infer<typeof shape>): CartRequest {
  const { group, visit } = body;
  return {
    memberId: body.memberId,
    projectId: body.projectId,
    lines: body.lines,
    coupons: body.coupons,
    pointsWanted: body.points,
    coinsWanted: body.coins,
    ...(group ? { group: { ...group, teamId: group.teamId ?? null } } : {}),
    ...(visit
      ? {
          visit: {
            startsAt: visit.startsAt,
            personId: visit.personId ?? null,
            houseId: visit.houseId ?? null,
          },
        }
      : {}),
  };
}

/** A price as the member sees it: amounts as yuan text, the total also in fen for `shownTotal`. */
export function wireQuote(cart: PricedCart, language: Language) {
  const { quote } = cart;
  const names = new Map(cart.coupons.map((coupon) => [coupon.memberCouponId, coupon.name]));
  return {
    total: quote.payable,
    payable: yuanFromFen(quote.payable),
    goods: yuanFromFen(quote.goods),
    freight: yuanFromFen(quote.freight),
    points: quote.pointsUnits,
    maxPoints: quote.maxPoints,
    pointsBalance: cart.pointsBalance,
    coins: quote.coinsUnits,
    coinsValue: yuanFromFen(quote.coins),
    maxCoins: quote.maxCoins,
    coinsBalance: cart.coinsBalance,
    notices: quote.notices.map((notice) => textOf(notice, language)),
    orders: quote.orders.map((order) => ({
      merchantId: order.merchantId,
      payable: yuanFromFen(order.payable),
      freight: yuanFromFen(order.freight),
      lines: order.lines.map((line) => ({
        specId: line.specId,
        qty: line.qty,
        price: yuanFromFen(line.unitPrice),
        cash: yuanFromFen(line.cash),
      })),
    })),
    coupons: quote.coupons.map((option) => ({
      id: option.memberCouponId,
      name: names.get(option.memberCouponId) ?? '',
      state: option.state,
      discount: yuanFromFen(option.discount),
      reason: option.reason ? textOf(option.reason, language) : null,
    })),
  };
}
