import { addDays, businessDayOf, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { VISIT_STATES, type VisitState } from '../../../domain/home-service/appointment/visit-words.rules.ts';
import { quote } from '../../../domain/trade-money/quote.rules.ts';
import { orderEventLabel } from '../../../domain/checkout/order-events.rules.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** Services by the skill they need: name, skill, price in fen, minutes, visits. */
const SERVICES: readonly (readonly [string, string, number, number, number])[] = [
  ['日常保洁 2 小时', '日常保洁', 12_800, 120, 1],
  ['深度保洁套餐 4 次', '深度保洁', 59_900, 180, 4],
  ['空调清洗', '空调清洗', 9_900, 60, 1],
];

/** Day from now, hour, service, state of the visit, a person. */
const VISITS: readonly (readonly [number, number, number, VisitState, boolean])[] = [
  [-6, 9, 0, 'done', true],
  [-5, 14, 2, 'done', true],
  [-4, 10, 0, 'no_show', true],
  [-3, 9, 1, 'done', true],
  [-2, 15, 2, 'done', true],
  [-2, 9, 0, 'cancelled', true],
  [-1, 13, 0, 'done', true],
  [-1, 16, 2, 'assigned', true],
  [0, 9, 0, 'serving', true],
  [0, 14, 2, 'assigned', true],
  [0, 16, 0, 'assigned', true],
  [1, 9, 0, 'assigned', true],
  [1, 11, 2, 'assigned', true],
  [1, 14, 0, 'to_accept', false],
  [2, 10, 0, 'to_accept', false],
  [2, 10, 2, 'assigned', true],
  [2, 15, 1, 'to_accept', false],
  [3, 9, 0, 'held', false],
  [3, 14, 2, 'held', false],
  [4, 10, 0, 'choose_again', false],
  [5, 10, 0, 'released', false],
  [6, 13, 2, 'to_accept', false],
];

/** Order of a visit: state, event codes of its life. */
const ORDER_OF: Readonly<Record<VisitState, readonly [string, readonly number[]]>> = {
  held: ['pending_payment', [5]],
  released: ['closed', [5, 40]],
  to_accept: ['to_accept', [5, 10]],
  choose_again: ['to_accept', [5, 10, 28]],
  assigned: ['to_visit', [5, 10, 18]],
  serving: ['to_visit', [5, 10, 18, 23]],
  done: ['completed', [5, 10, 18, 23, 27]],
  no_show: ['completed', [5, 10, 18, 24]],
  cancelled: ['completed', [5, 10, 18, 41]],
};

/** A fortnight of visits in every state, with their orders, places and people. */
export const demo = defineDemo({
  key: 'serviceOrders',
  after: ['servicePeople'],
  run: async ({ tx, insert, tell, random, now, as }) => {
    const desk = as('mall1');
    const people = await run<{ id: number; tenant_id: number; skills: string[]; project_id: number }>(
      tx,
      `SELECT p.id, p.tenant_id, p.skills, min(j.project_id) AS project_id FROM service_person p JOIN service_person_project j ON j.person_id = p.id
        WHERE p.enabled GROUP BY p.id ORDER BY p.id`,
    );
    const business = await runOne<{ id: number }>(tx, `SELECT id FROM business WHERE code = 'service'`);
    const members = await run<{ id: number; name: string; phone: string }>(
      tx,
      `SELECT id, coalesce(nullif(name, ''), nickname) AS name, phone FROM member WHERE phone ~ '^1[0-9]{10}$' ORDER BY id LIMIT 40`,
    );
    if (people.length === 0 || !business || members.length === 0) return;
    const services = [];
    for (const [index, [name, skill, price, minutes, times]] of SERVICES.entries()) {
      const person = people.find((one) => one.skills.includes(skill)) ?? people[index % people.length]!;
      const [product] = await insert('product', [
        {
          code: await nextCode(tx, 'PD'),
          kind: 'service',
          tenant_id: person.tenant_id,
          business_id: business.id,
          name,
          status: 'published',
          published_at: new Date(now.getTime() - 60 * DAY),
          created_by: desk.staffId,
        },
      ]);
      await run(tx, 'INSERT INTO product_project (product_id, project_id) VALUES ($1, $2)', [
        product,
        person.project_id,
      ]);
      const [spec] = await insert('product_spec', [
        { product_id: product, code: 'S01', name: '标准', price, stock: 0, unit: '次' },
      ]);
      await run(
        tx,
        `INSERT INTO service_setting (product_id, duration_min, step_min, buffer_before, buffer_after, slot_capacity, verify, times, skills)
         VALUES ($1, $2, 60, 15, 15, 2, false, $3, ARRAY[$4])`,
        [product, minutes, times, skill],
      );
      await insert(
        'service_template',
        [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({
          product_id: product,
          weekday,
          from_minute: 480,
          to_minute: 1200,
        })),
      );
      services.push({ product: product!, spec: spec!, name, price, minutes, times, person });
    }
    const today = businessDayOf(now);
    for (const [index, [days, hour, at, state, manned]] of VISITS.entries()) {
      const service = services[at]!;
      const member = members[(index * 7) % members.length]!;
      const start = new Date(startOfBusinessDay(addDays(today, days)).getTime() + hour * 60 * MINUTE);
      const end = new Date(start.getTime() + service.minutes * MINUTE);
      const ordered = new Date(
        Math.min(now.getTime() - (30 + index) * MINUTE, start.getTime() - (2 * DAY + index * 17 * MINUTE)),
      );
      const paid = state === 'held' || state === 'released' ? null : new Date(ordered.getTime() + 6 * MINUTE);
      const assigned = new Date(
        Math.min(now.getTime() - 10 * MINUTE, ordered.getTime() + (45 + index * 3) * MINUTE),
      );
      const [orderState, events] = ORDER_OF[state];
      const isPackage = service.times > 1 && state === 'done';
      const stored = isPackage ? 'to_visit' : orderState;
      const [payment] = await insert('payment', [
        {
          checkout_code: await nextCode(tx, 'CK'),
          channel: 1 + (index % 2),
          state: paid ? 2 : 1,
          amount: service.price,
          trade_no: paid ? `DEMO-SV-${index}` : null,
          paid_at: paid,
          deadline:
            state === 'held'
              ? new Date(now.getTime() + (25 - index) * DAY)
              : new Date(ordered.getTime() + 30 * MINUTE),
          created_at: ordered,
        },
      ]);
      const person = service.person;
      const [order] = await insert('sales_order', [
        {
          code: await nextCode(tx, 'SO'),
          kind: 'service',
          type: 'ordinary',
          source: 1 + (index % 5),
          tenant_id: person.tenant_id,
          project_id: person.project_id,
          member_id: member.id,
          payment_id: payment,
          title: service.name,
          contact_name: member.name,
          contact_phone: member.phone,
          address: `${1 + (index % 9)}号楼 ${1 + (index % 3)}单元 ${(2 + (index % 8)) * 100 + 1}`,
          remark: index % 4 === 0 ? '家里有宠物，请提前电话' : '',
          state: stored,
          goods: service.price,
          payable: service.price,
          quote: pricedOf(service, person, now),
          pay_deadline:
            state === 'held'
              ? new Date(now.getTime() + (25 - index) * DAY)
              : new Date(ordered.getTime() + 30 * MINUTE),
          paid_at: paid,
          pay_channel: paid ? 1 + (index % 2) : 0,
          completed_at: stored === 'completed' ? end : null,
          closed_at: stored === 'closed' ? new Date(ordered.getTime() + 30 * MINUTE) : null,
          close_reason: stored === 'closed' ? '超时未支付，系统自动关闭' : '',
          created_at: ordered,
          updated_at: ordered,
        },
      ]);
      const [line] = await insert('order_line', [
        {
          order_id: order,
          line_no: 1,
          product_id: service.product,
          spec_id: service.spec,
          product_name: service.name,
          spec_name: '标准',
          list_price: service.price,
          unit_price: service.price,
          qty: 1,
          times: service.times,
          goods: service.price,
          cash: service.price,
        },
      ]);
      const holds = !['cancelled', 'released', 'choose_again'].includes(state);
      const slot = await runOne<{ id: number }>(
        tx,
        `INSERT INTO service_slot (product_id, project_id, starts_at, ends_at, capacity, taken) VALUES ($1, $2, $3, $4, 2, $5)
         ON CONFLICT (product_id, project_id, starts_at) DO UPDATE SET taken = service_slot.taken + excluded.taken RETURNING id`,
        [service.product, person.project_id, start, end, holds ? 1 : 0],
      );
      const range = (before: number, after: number) =>
        `[${new Date(start.getTime() - before * MINUTE).toISOString()},${new Date(end.getTime() + after * MINUTE).toISOString()})`;
      const [visit] = await insert('appointment', [
        {
          code: await nextCode(tx, 'BK'),
          order_id: order,
          line_id: line,
          product_id: service.product,
          tenant_id: person.tenant_id,
          project_id: person.project_id,
          slot_id: state === 'choose_again' ? null : slot!.id,
          person_id: manned ? person.id : null,
          contact_name: member.name,
          contact_phone: member.phone,
          address: `${1 + (index % 9)}号楼 ${1 + (index % 3)}单元 ${(2 + (index % 8)) * 100 + 1}`,
          period: range(0, 0),
          busy: range(15, 15),
          state,
          reason:
            state === 'no_show' ? '敲门无人应答，电话未接' : state === 'cancelled' ? '客户临时出差' : '',
          fee: state === 'no_show' || state === 'cancelled' ? service.price : 0,
          choose_until: state === 'choose_again' ? new Date(now.getTime() + 20 * 60 * MINUTE) : null,
          paid_at: paid,
          accepted_at: manned ? assigned : null,
          assigned_at: manned ? assigned : null,
          accept_due: paid ? new Date(paid.getTime() + DAY) : null,
          // Nobody has begun in an hour to come, whenever the demonstration is made.
          started_at: ['serving', 'done'].includes(state)
            ? new Date(Math.min(start.getTime() + random.int(-5, 20) * MINUTE, now.getTime() - 10 * MINUTE))
            : null,
          finished_at: state === 'done' ? end : null,
          reminded: days <= 0 ? 2 : 0,
          created_at: ordered,
          updated_at: ordered,
        },
      ]);
      const moments = [ordered, new Date(ordered.getTime() + 6 * MINUTE), assigned, start, end];
      for (const [step, code] of events.entries()) {
        const when = new Date(Math.min(moments[step]!.getTime(), now.getTime() - (10 - step) * MINUTE));
        const who = [5, 10].includes(code) ? member.name : desk.name;
        await run(tx, 'INSERT INTO order_event (order_id, code, at, who) VALUES ($1, $2, $3, $4)', [
          order,
          code,
          when,
          who,
        ]);
        await tell({
          entity: 'serviceOrder',
          entityId: order!,
          at: when,
          caller: desk,
          action: `event_${code}`,
          label: orderEventLabel(code),
          to: step === events.length - 1 ? stored : '',
        });
      }
      await tell({
        entity: 'appointment',
        entityId: visit!,
        at: ordered,
        caller: desk,
        action: 'create',
        label: ['预约', 'Booked'],
        to: 'held',
      });
      if (state !== 'held')
        await tell({
          entity: 'appointment',
          entityId: visit!,
          at: manned
            ? assigned
            : new Date(Math.min(now.getTime() - 10 * MINUTE, ordered.getTime() + 31 * MINUTE)),
          caller: desk,
          action: state,
          label: VISIT_STATES[state].label,
          from: 'held',
          to: state,
        });
      if (state === 'done')
        await run(tx, 'UPDATE service_person SET visits = visits + 1 WHERE id = $1', [person.id]);
    }
  },
});

/** The price as the engine stores it with an order: it is changed and explained from there. */
export function pricedOf(
  service: { readonly product: number; readonly spec: number; readonly price: number },
  person: { readonly tenant_id: number; readonly project_id: number },
  now: Date,
) {
  return quote({
    now: now.getTime(),
    projectId: String(person.project_id),
    lines: [
      {
        lineNo: 1,
        merchantId: String(person.tenant_id),
        productId: String(service.product),
        classIds: [],
        specId: String(service.spec),
        listPrice: service.price,
        unitPrice: service.price,
        qty: 1,
        priceKind: 'ordinary',
        activityAllowsCoupon: false,
        activityAllowsPoints: false,
        activityAllowsCoins: false,
        pointsAllowed: false,
        service: true,
      },
    ],
    coupons: [],
    choice: { kind: 'named', memberCouponIds: [] },
    pointsSettings: {
      enabled: false,
      perYuan: 100,
      step: 100,
      maxPercent: 20,
      maxPerOrder: 10_000,
      withCoupon: true,
      withCoin: false,
    },
    pointsBalance: 0,
    pointsWanted: 0,
    coinRules: [],
    coinsBalance: 0,
    coinsWanted: 0,
    postage: {},
  }).orders[0];
}
