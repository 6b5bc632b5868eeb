import { z } from 'zod';
import { idText } from '../../../kernel/server/http/call-parts.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { holds } from '../../../kernel/server/people/caller.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { createCheckout } from '../../../domain/checkout/create-checkout.server.ts';
import { priceCart } from '../../../domain/checkout/load-cart.server.ts';
import { candidates } from '../../../domain/home-service/appointment/visit-person.server.ts';
import {
  clock,
  serviceTerms,
  spanOf,
  timesBetween,
} from '../../../domain/home-service/appointment/visit-place.server.ts';
import {
  cartOf,
  invoiceOf,
  placeOf,
  requireProject,
  wireCart,
} from '../../mall/goods-order/order-create.server.ts';
import {
  findOrderMember,
  housesOf,
  membersByPhone,
  wireMember,
} from '../../mall/goods-order/order-lookup.server.ts';
import { memberTicket } from '../../mall/goods-order/member-ticket.server.ts';
import { idInput, instantOf, optionalId, overbookOf } from './visit-dialogs.server.ts';

const ROOT = '/jinmao/web/serviceOrder';
const CREATE = { anyOf: ['mm_reservationOrder_wx:btn_create', 'mm_appointment:btn_add'] } as const;

/** Look-ups and the live quote of 代客预约. */
export const serviceCreateEndpoints: readonly Endpoint[] = [
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
    title: ['可预约服务', 'Services to book'],
    access: CREATE,
    query: z.strictObject({ projectId: idText, searchVal: z.string().max(100).default('') }),
    handle: async (call) => {
      const { caller, query } = call;
      const db = call.platform.database.db;
      await requireProject(db, caller, query.projectId);
      const parameters = new Parameters();
      const parts = [
        `p.kind = 'service' AND p.status = 'published' AND p.recycled_at IS NULL AND s.enabled AND m.enabled AND m.state = 'open'`,
        `EXISTS (SELECT FROM product_project pp WHERE pp.product_id = p.id AND pp.project_id = ${parameters.bind(query.projectId)})`,
      ];
      if (caller.tenantKind === 2) parts.push(`p.tenant_id = ${parameters.bind(caller.tenantId)}`);
      const searchVal = query.searchVal.trim().toLowerCase();
      if (searchVal !== '') parts.push(`p.search LIKE ${parameters.bind(containing(searchVal))}`);
      const rows = await run<{
        id: number;
        product_name: string;
        name: string;
        unit: string;
        price: number;
        min_qty: number;
        times: number;
        duration_min: number;
        merchant: string;
      }>(
        db,
        `SELECT s.id, p.name AS product_name, s.name, s.unit, s.price, v.min_qty, v.times, v.duration_min, m.name AS merchant
           FROM product_spec s JOIN product p ON p.id = s.product_id JOIN service_setting v ON v.product_id = p.id JOIN tenant m ON m.id = p.tenant_id
          WHERE ${parts.join(' AND ')} ORDER BY p.name, s.id LIMIT 50`,
        parameters.values,
      );
      return rows.map((row) => ({
        id: String(row.id),
        productName: row.product_name,
        specName: row.name,
        unit: row.unit,
        price: yuanFromFen(row.price),
        minQty: row.min_qty,
        times: row.times,
        minutes: row.duration_min,
        merchant: row.merchant,
      }));
    },
  }),
  endpoint({
    method: 'GET',
    path: `${ROOT}/spec/:id/times`,
    title: ['可约时间', 'Times of a service'],
    access: CREATE,
    query: z.strictObject({ projectId: idText, startsAt: z.iso.datetime({ offset: true }).optional() }),
    handle: async (call) => {
      const { caller, query } = call;
      const db = call.platform.database.db;
      await requireProject(db, caller, query.projectId);
      const spec = await runOne<{ product_id: number }>(
        db,
        `SELECT s.product_id FROM product_spec s JOIN product p ON p.id = s.product_id
          WHERE s.id = $1 AND p.kind = 'service' AND p.status = 'published' AND ($2::bigint IS NULL OR p.tenant_id = $2)`,
        [idInput('id', call.params.id), caller.tenantKind === 2 ? caller.tenantId : null],
      );
      if (!spec) throw invalid({ spec: ['服务不存在', 'There is no such service'] });
      const terms = await serviceTerms(db, call.platform, spec.product_id);
      const now = await clock(db);
      const place = { productId: spec.product_id, projectId: query.projectId };
      const from = new Date(now.getTime() + terms.leadHours * 3_600_000);
      const to = new Date(now.getTime() + terms.horizonDays * 86_400_000);
      const times = await timesBetween(db, place, from, to);
      const people = query.startsAt
        ? await candidates(db, {
            terms,
            projectId: query.projectId,
            ...spanOf(terms, new Date(query.startsAt)),
            except: null,
          })
        : [];
      return {
        canOverbook: holds(caller, 'mm_appointment:btn_overbook'),
        times: times.map((time) => ({
          at: isoInstant(time.startsAt),
          left: Math.max(0, time.capacity - time.taken),
        })),
        people: people
          .filter((one) => !one.refusal)
          .map((one) => ({ id: String(one.id), name: one.name, load: one.load })),
      };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${ROOT}/quote`,
    title: ['预约报价', 'Quote'],
    access: CREATE,
    body: z.strictObject({
      memberId: idText,
      memberTicket: z.string().max(80).optional(),
      houseId: idText.optional(),
      projectId: idText.optional(),
      specId: idText,
      qty: z.number().int().min(1).max(999),
    }),
    handle: async (call) => {
      const db = call.platform.database.db;
      const { body } = call;
      const member = await findOrderMember(db, call.caller, call.platform.config, {
        memberId: body.memberId,
        ticket: body.memberTicket,
      });
      const place = await placeOf(db, call.caller, member, {
        house: body.houseId,
        project: body.projectId,
        address: undefined,
      });
      const lines = [{ specId: body.specId, qty: body.qty }];
      const cart = await priceCart(db, call.platform, {
        ...cartOf(call.caller, member, place.projectId, lines, 'best', 0),
        visit: { startsAt: new Date(), personId: null, houseId: null },
      });
      return wireCart(cart, call.facts.language);
    },
  }),
];

/** Handler of btn_create: the order of one service with the time of its first visit. Source: group 07, btn_create. */
export async function createServiceOrder(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, caller, input } = context;
  const member = await findOrderMember(tx, caller, platform.config, {
    memberId: input.member as number,
    ticket: input.memberTicket as string | null | undefined,
  });
  const place = await placeOf(tx, caller, member, {
    house: (input.house as number | null | undefined) ?? undefined,
    project: (input.project as number | null | undefined) ?? undefined,
    address: (input.address as string | null | undefined) ?? undefined,
  });
  if (place.address === '') throw invalid({ address: ['请填写服务地址', 'Please enter the address'] });
  const lines = [{ specId: idInput('spec', input.spec), qty: input.qty as number }];
  const coupons = Array.isArray(input.coupons) ? input.coupons.map((one) => idInput('coupons', one)) : 'best';
  const created = await createCheckout(tx, platform, {
    ...cartOf(caller, member, place.projectId, lines, coupons, (input.points as number | null) ?? 0),
    visit: {
      startsAt: instantOf(input.startsAt),
      personId: optionalId('person', input.person) ?? null,
      houseId: (input.house as number | null | undefined) ?? null,
      overbook: overbookOf(context),
    },
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
  const id = created.orderIds[0]!;
  const order = await runOne<{ state: string }>(tx, 'SELECT state FROM sales_order WHERE id = $1', [id]);
  return {
    id,
    to: order!.state,
    result: {
      checkoutCode: created.checkoutCode,
      payable: yuanFromFen(created.payable),
      paid: created.paid,
      orderIds: created.orderIds.map(String),
    },
  };
}
