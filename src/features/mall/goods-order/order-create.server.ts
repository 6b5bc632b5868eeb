import { z } from 'zod';
import { idText } from '../../../kernel/server/http/call-parts.ts';
import { textOf, type Label, type Language } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { endpoint, type Endpoint, type OptionSource } from '../../../kernel/server/registration.ts';
import { createCheckout, type CheckoutRequest } from '../../../domain/checkout/create-checkout.server.ts';
import { priceCart, type CartRequest, type PricedCart } from '../../../domain/checkout/load-cart.server.ts';
import type { Wanted } from '../../../domain/trade-money/quote.rules.ts';
import { memberTicket } from './member-ticket.server.ts';
import {
  findHouse,
  findOrderMember,
  findSpecs,
  housesOf,
  membersByIds,
  membersByPhone,
  wireMember,
  type OrderHouse,
  type OrderMember,
} from './order-lookup.server.ts';
import { wireShares, wireSteps } from './quote-wire.rules.ts';

const ROOT = '/jinmao/web/goodsOrder';
const CREATE = { code: 'mm_businessOrder_wx:btn_create' } as const;
const lineList = z
  .array(z.strictObject({ specId: idText, qty: z.number().int().min(1).max(9_999) }))
  .min(1)
  .max(50);
const couponList = z.union([z.literal('best'), z.array(idText).max(20)]);

/** Look-ups and the live quote of 代客下单. */
export const createEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: `${ROOT}/member`,
    title: ['查找会员', 'Find a member'],
    access: CREATE,
    query: z.strictObject({ phone: z.string().max(20) }),
    handle: async (call) => {
      const db = call.platform.database.db;
      const members = await membersByPhone(call.platform, call.caller, call.query.phone.trim());
      return Promise.all(
        members.map(async (member) => ({
          ...wireMember(member),
          ticket: memberTicket(call.platform.config, call.caller, member.id),
          houses: (await housesOf(db, call.caller, member.id)).map((house) => ({
            id: String(house.id),
            address: house.address,
            projectId: String(house.projectId),
            projectName: house.projectName,
          })),
        })),
      );
    },
  }),
  endpoint({
    method: 'GET',
    path: `${ROOT}/spec`,
    title: ['可下单商品', 'Goods to order'],
    access: CREATE,
    query: z.strictObject({
      projectId: idText,
      searchVal: z.string().max(100).default(''),
      limit: z.coerce.number().int().min(1).max(100).default(30),
    }),
    handle: async (call) => {
      await requireProject(call.platform.database.db, call.caller, call.query.projectId);
      return findSpecs(call.platform.database.db, call.caller, {
        ...call.query,
        searchVal: call.query.searchVal.trim(),
      });
    },
  }),
  endpoint({
    method: 'POST',
    path: `${ROOT}/quote`,
    title: ['下单报价', 'Quote'],
    access: CREATE,
    body: z.strictObject({
      memberId: idText,
      memberTicket: z.string().max(80).optional(),
      houseId: idText.optional(),
      projectId: idText.optional(),
      lines: lineList,
      coupons: couponList.default('best'),
      points: z.union([z.literal('max'), z.number().int().min(0)]).default(0),
      coins: z.union([z.literal('max'), z.number().int().min(0)]).default(0),
    }),
    handle: async (call) => {
      const db = call.platform.database.db;
      const member = await findOrderMember(db, call.caller, call.platform.config, {
        memberId: call.body.memberId,
        ticket: call.body.memberTicket,
      });
      const place = await placeOf(db, call.caller, member, {
        house: call.body.houseId,
        project: call.body.projectId,
        address: undefined,
      });
      const cart = await priceCart(
        db,
        call.platform,
        cartOf(
          call.caller,
          member,
          place.projectId,
          call.body.lines,
          call.body.coupons,
          call.body.points,
          call.body.coins,
        ),
      );
      return wireCart(cart, call.facts.language);
    },
  }),
];

/** Pickers of the create form; members by exact phone only, by id those the caller sees anyway. */
export const createOptions: readonly OptionSource[] = [
  {
    target: 'orderMember',
    anyOf: [CREATE.code],
    find: async (call, query) => {
      const db = call.platform.database.db;
      const members =
        query.ids.length > 0
          ? await membersByIds(db, call.caller, query.ids.map(Number))
          : await membersByPhone(call.platform, call.caller, query.searchVal);
      return members.map((member) => ({
        id: String(member.id),
        title: wireMember(member).name,
        note: wireMember(member).phone,
      }));
    },
  },
];

/** Handler of btn_create: one order per merchant under one payment; the row of the action is the first of them. */
export async function createOrders(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, caller, input } = context;
  const lines = parsed('lines', lineList, input.lines);
  const coupons = parsed('coupons', couponList, input.coupons ?? 'best');
  const member = await findOrderMember(tx, caller, platform.config, {
    memberId: input.member as number,
    ticket: input.memberTicket as string | null | undefined,
  });
  const place = await placeOf(tx, caller, member, {
    house: (input.house as number | null | undefined) ?? undefined,
    project: (input.project as number | null | undefined) ?? undefined,
    address: (input.address as string | null | undefined) ?? undefined,
  });
  if (place.address === '') throw invalid({ address: ['请填写收货地址', 'Please enter the address'] });
  const created = await createCheckout(tx, platform, {
    ...cartOf(
      caller,
      member,
      place.projectId,
      lines,
      coupons,
      (input.points as number | null) ?? 0,
      (input.coins as number | null) ?? 0,
    ),
    contactName: (input.contactName as string | null) ?? member.name,
    contactPhone: (input.contactPhone as string | null) ?? member.phone,
    address: place.address,
    remark: (input.remark as string | null) ?? '',
    source: 5,
    onBehalf: true,
    caller,
    who: caller.name,
    shownTotal: input.shownTotal as number,
    invoice: invoiceOf(input),
  });
  return {
    id: created.orderIds[0]!,
    to: created.paid ? 'to_ship' : 'pending_payment',
    result: {
      checkoutCode: created.checkoutCode,
      payable: yuanFromFen(created.payable),
      paid: created.paid,
      orderIds: created.orderIds.map(String),
    },
  };
}

/** The invoice asked for: a title always, a tax number for a company. Throws 422. */
export function invoiceOf(input: Readonly<Record<string, unknown>>): NonNullable<CheckoutRequest['invoice']> {
  const type = Number(input.invoiceType ?? '0') as 0 | 1 | 2;
  if (type === 0) return { type, name: '', dutyCode: '' };
  const name = (input.invoiceName as string | null | undefined) ?? '';
  const dutyCode = type === 2 ? ((input.dutyCode as string | null | undefined) ?? '') : '';
  const missing: Record<string, Label> = {};
  if (name === '') missing.invoiceName = ['请填写发票抬头', 'Please enter the invoice title'];
  if (type === 2 && dutyCode === '') missing.dutyCode = ['请填写税号', 'Please enter the tax number'];
  if (Object.keys(missing).length > 0) throw invalid(missing);
  return { type, name, dutyCode };
}

/** Reads a json input with a schema; its first problem becomes the field's message (422). */
export function parsed<T>(field: string, schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (!result.success) throw invalid({ [field]: ['输入不正确', 'The input is not valid'] });
  return result.data;
}

/** The cart of a staff for a member, inside of what the staff may sell. */
export function cartOf(
  caller: Caller,
  member: OrderMember,
  projectId: number,
  lines: CartRequest['lines'],
  coupons: CartRequest['coupons'],
  pointsWanted: Wanted,
  coinsWanted: Wanted = 0,
): CartRequest {
  return {
    memberId: member.id,
    projectId,
    lines,
    coupons,
    pointsWanted,
    coinsWanted,
    onlyTenantId: caller.tenantKind === 2 ? caller.tenantId : undefined,
    onlyProjectIds: caller.projectIds ?? undefined,
  };
}

/** Where the goods go: a house of the member, or an address in a project the caller may sell in. */
export async function placeOf(
  db: Executor,
  caller: Caller,
  member: OrderMember,
  wanted: {
    readonly house: number | undefined;
    readonly project: number | undefined;
    readonly address: string | undefined;
  },
): Promise<{ projectId: number; address: string }> {
  let house: OrderHouse | undefined;
  if (wanted.house !== undefined) {
    house =
      (await housesOf(db, caller, member.id)).find((one) => one.id === wanted.house) ??
      (await foreignHouse(db, wanted.house));
    // Whether there is such a house in a project the caller does not work in is not told.
    if (!house || !(await mayUseProject(db, caller, house.projectId)))
      throw notFound(['房屋不存在', 'The house does not exist']);
  }
  const projectId = house?.projectId ?? wanted.project ?? (await ownProjectOf(db, caller, member));
  if (projectId === undefined) throw invalid({ project: ['请选择项目', 'Please choose a project'] });
  await requireProject(db, caller, projectId);
  return { projectId, address: wanted.address ?? house?.address ?? '' };
}

/** A present goes to somebody else's house only when it has no household: nobody's address is given away by its number. */
async function foreignHouse(db: Executor, houseId: number): Promise<OrderHouse | undefined> {
  const lived = await runOne(
    db,
    `SELECT 1 AS one FROM household WHERE house_id = $1 AND status = 'normal' LIMIT 1`,
    [houseId],
  );
  return lived ? undefined : findHouse(db, houseId);
}

/** The project of a member, as far as the caller works in it. */
async function ownProjectOf(db: Executor, caller: Caller, member: OrderMember): Promise<number | undefined> {
  const { projectId } = member;
  return projectId !== null && (await mayUseProject(db, caller, projectId)) ? projectId : undefined;
}

/** Throws 404 for a project the caller does not work in. */
export async function requireProject(db: Executor, caller: Caller, projectId: number): Promise<void> {
  if (!(await mayUseProject(db, caller, projectId)))
    throw notFound(['项目不存在或无权查看', 'The project does not exist or is not visible to you']);
}

async function mayUseProject(db: Executor, caller: Caller, projectId: number): Promise<boolean> {
  if (caller.projectIds) return caller.projectIds.includes(projectId);
  if (caller.tenantKind === 3) return true;
  return (
    (await runOne(db, 'SELECT 1 AS one FROM tenant_project WHERE tenant_id = $1 AND project_id = $2', [
      caller.tenantId,
      projectId,
    ])) !== undefined
  );
}

/** A priced cart as the page sees it. */
export function wireCart(cart: PricedCart, language: Language) {
  const { quote } = cart;
  const names = new Map(cart.coupons.map((coupon) => [coupon.memberCouponId, coupon.name]));
  const lineOf = new Map(cart.lines.map((line) => [line.lineNo, line]));
  const sums = (of: typeof quote | (typeof quote.orders)[number]) => ({
    goods: yuanFromFen(of.goods),
    merchantCoupon: yuanFromFen(of.merchantCoupon),
    platformCoupon: yuanFromFen(of.platformCoupon),
    pointsValue: yuanFromFen(of.points),
    points: of.pointsUnits,
    coinsValue: yuanFromFen(of.coins),
    coins: of.coinsUnits,
    freight: yuanFromFen(of.freight),
    payable: yuanFromFen(of.payable),
  });
  return {
    ...sums(quote),
    maxPoints: quote.maxPoints,
    pointsBalance: cart.pointsBalance,
    maxCoins: quote.maxCoins,
    coinsBalance: cart.coinsBalance,
    notices: quote.notices.map((notice) => textOf(notice, language)),
    orders: quote.orders.map((order) => ({
      ...sums(order),
      merchant: { id: order.merchantId, title: lineOf.get(order.lines[0]!.lineNo)!.merchantName },
      lines: order.lines.map((line) => {
        const goods = lineOf.get(line.lineNo)!;
        return {
          lineNo: line.lineNo,
          specId: line.specId,
          productName: goods.productName,
          specName: goods.specName,
          image: goods.imageId,
          price: yuanFromFen(line.unitPrice),
          qty: line.qty,
          goods: yuanFromFen(line.goods),
          cash: yuanFromFen(line.cash),
          shares: wireShares(line.shares),
          stock: goods.stock,
          short: goods.stock < line.qty,
        };
      }),
    })),
    coupons: quote.coupons.map((option) => ({
      id: option.memberCouponId,
      name: names.get(option.memberCouponId) ?? '',
      state: option.state,
      discount: yuanFromFen(option.discount),
      reason: option.reason ? textOf(option.reason, language) : null,
    })),
    steps: wireSteps(quote.steps),
  };
}
