import type { CodeBook } from './code-book.ts';
import type { EventQueue } from './event-queue.ts';
import type { PointsBook } from './points-book.ts';
import type { Random } from './random.ts';
import type { StockBook } from './stock-book.ts';
import type { SeedCheckout, SeedEvent, SeedOrder, SeedRefund } from './trade.ts';
import { ORDER_WORDS } from './trade.ts';
import type { SeedMemberCoupon, SeedStaff, World } from './world.ts';

/** Everything the simulated trade works on: the world, its books and what happened so far. */
export interface Market {
  readonly world: World;
  readonly texts: Texts;
  readonly random: Random;
  readonly queue: EventQueue;
  readonly codes: CodeBook;
  readonly stock: StockBook;
  readonly points: PointsBook;
  readonly checkouts: SeedCheckout[];
  readonly refunds: SeedRefund[];
  /** Coupons that refunds gave back, with the coupon they come from. */
  readonly returned: { readonly from: SeedMemberCoupon; readonly at: number }[];
}

/** Shape of demo-texts.json. */
export interface Texts {
  couriers: [string, string][];
  ownDelivery: [string, string];
  closeReasons: { timeout: string; member: string; staff: string; refunded: string; team: string };
  refundReasons: [string, string][];
  rejectReasons: string[];
  failures: [string, string][];
  staffRemarks: string[];
  remarks: string[];
  cashReason: string;
  system: string;
  priceReason: string;
  stock: { first: string; more: string; less: string };
  points: Record<'purchase' | 'sign_in' | 'staff', string>;
  orderActions: Record<OrderAction, [string, string]>;
  refundActions: Record<string, [string, string]>;
  titleMore: string;
  kindsMore: string;
  /** How the buyer is called on timelines, which are not masked. */
  buyer: string;
  invoiceCompanies: string[];
}

export type OrderAction =
  | 'create'
  | 'pay'
  | 'price'
  | 'ship'
  | 'sign'
  | 'auto_receive'
  | 'comment'
  | 'close'
  | 'apply_refund'
  | 'audit_refund'
  | 'refund'
  | 'reject_refund'
  | 'complete_team';

/** Puts an entry on the order's timeline; `who` is a staff, or a name for members and the system. */
export function logOrder(
  market: Market,
  order: SeedOrder,
  at: number,
  action: OrderAction,
  code: number | null,
  who: SeedStaff | string,
  more: { from?: number; remark?: string } = {},
): void {
  const entry: SeedEvent = {
    at,
    code,
    action,
    label: market.texts.orderActions[action],
    who: typeof who === 'string' ? who : who.name,
    staffId: typeof who === 'string' ? null : who.id,
    from: more.from === undefined ? null : ORDER_WORDS[more.from]!,
    to: ORDER_WORDS[order.state.status]!,
    remark: more.remark ?? '',
  };
  order.events.push(entry);
  order.lastEventAt = at;
}

/** Moves an order to another state of the rules, by its code. */
export function setStatus(order: SeedOrder, status: number): number {
  const from = order.state.status;
  order.state = { ...order.state, status };
  return from;
}

/** The first staff of an order's merchant. */
export function merchantStaff(market: Market, order: SeedOrder): SeedStaff {
  return staffNamed(market, `merchant${order.merchant.no}`);
}

/** A staff by account; throws for an account the data file does not have. */
export function staffNamed(market: Market, account: string): SeedStaff {
  const staff = market.world.staff.get(account);
  if (!staff) throw new Error(`No staff ${account}`);
  return staff;
}

/** The instant moved into the hours 9 to 19 of the business day, or to the morning after. */
export function workingTime(at: number): number {
  const day = 86_400_000;
  const local = at + 8 * 3_600_000;
  const hour = ((local % day) / 3_600_000) % 24;
  if (hour < 9) return at + (9 - hour) * 3_600_000;
  if (hour > 19) return at + (33 - hour) * 3_600_000;
  return at;
}
