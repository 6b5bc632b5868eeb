import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import {
  addDays,
  businessDayOf,
  isoInstant,
  startOfBusinessDay,
} from '../../../kernel/contract/time.rules.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import { receivePayment } from '../../../domain/checkout/take-payment.server.ts';
import { registration as refunds } from '../../after-sales/refund/refund.server.ts';
import {
  all,
  callAs,
  deliverAll,
  one,
  openShop,
  runJob,
  type Answer,
  type Shop,
} from '../../mall/goods-order/order-fixture.ts';
import { appointment } from '../appointment/appointment.contract.ts';
import { registration as appointments } from '../appointment/appointment.server.ts';
import { registration as jobs } from './visit-jobs.server.ts';
import { serviceOrder } from './service-order.contract.ts';
import { registration as orders } from './service-order.server.ts';

/** Where service orders and appointments live. */
export const ORDERS = '/jinmao/web/serviceOrder';
export const VISITS = '/jinmao/web/appointment';

/** A shop that sells a visit of an hour, 128.00, with buffers of 15 minutes, open 08:00–20:00 each day, and two people. */
export interface Salon extends Shop {
  readonly service: number;
  readonly spec: number;
  readonly li: number;
  readonly wang: number;
}

/** Opens the shop of the tests of visits. */
export async function openSalon(instances = 1, more: readonly Registration[] = []): Promise<Salon> {
  const shop = await openShop([orders, appointments, jobs, refunds, checkout, ...more], instances, 20);
  for (const caller of Object.values(shop.callers)) {
    for (const resource of [serviceOrder, appointment]) {
      (caller.menus as Map<string, unknown>).set(resource.menu, [{ kind: 'all' }]);
      for (const element of Object.keys(elementsOf(resource)))
        (caller.elements as Set<string>).add(elementCode(resource, element));
    }
  }
  const { ids } = shop;
  const made = await transaction(shop.platforms[0]!.database.db, async (tx) => {
    const { spec, service } = await addService(shop, tx, 'clean', 12_800, {});
    const person = async (name: string, phone: string) => {
      const id = await insertRow(tx, 'service_person', {
        tenant_id: ids.merchant1,
        name,
        sex: 1,
        phone,
        skills: ['cleaning'],
      });
      await run(tx, 'INSERT INTO service_person_project VALUES ($1, $2)', [id, ids.project]);
      return id;
    };
    return {
      spec,
      service,
      li: await person('李强', '13900000001'),
      wang: await person('王芳', '13900000002'),
    };
  });
  return Object.assign(shop, made);
}

/** A published service of the first merchant. */
export async function addService(
  shop: Shop,
  tx: Parameters<typeof insertRow>[0],
  code: string,
  price: number,
  more: { readonly times?: number; readonly verify?: boolean },
): Promise<{ service: number; spec: number }> {
  const business = await one(shop, `SELECT id FROM business WHERE code = 'service'`);
  const service = await insertRow(tx, 'product', {
    code: `PD${code}`,
    kind: 'service',
    tenant_id: shop.ids.merchant1,
    business_id: business.id,
    name: code,
    status: 'published',
  });
  await run(tx, 'INSERT INTO product_project VALUES ($1, $2)', [service, shop.ids.project]);
  const spec = await insertRow(tx, 'product_spec', {
    product_id: service,
    code: 'S01',
    name: 'one',
    price,
    stock: 0,
    unit: '次',
  });
  await run(
    tx,
    `INSERT INTO service_setting (product_id, duration_min, step_min, buffer_before, buffer_after, slot_capacity, verify, skills, times)
     VALUES ($1, 60, 30, 15, 15, 3, $2, '{cleaning}', $3)`,
    [service, more.verify ?? true, more.times ?? 1],
  );
  for (let weekday = 1; weekday <= 7; weekday++)
    await insertRow(tx, 'service_template', {
      product_id: service,
      weekday,
      from_minute: 480,
      to_minute: 1200,
    });
  return { service, spec };
}

/** An instant so many days ahead at a time of the day in Asia/Shanghai. */
export function at(days: number, hour: number, minute = 0): string {
  const day = startOfBusinessDay(addDays(businessDayOf(new Date()), days));
  return isoInstant(new Date(day.getTime() + (hour * 60 + minute) * 60_000));
}

/** What btn_create takes. */
export function booking(salon: Salon, startsAt: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    member: String(salon.ids.member),
    house: String(salon.ids.house),
    spec: String(salon.spec),
    qty: 1,
    startsAt,
    coupons: [],
    shownTotal: '128.00',
    ...more,
  };
}

/** Books and pays; the ids of the order and of its visit. */
export async function paidOrder(
  salon: Salon,
  startsAt: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<{ order: string; visit: string }> {
  const made = await callAs(salon, 'platform', 'POST', ORDERS, booking(salon, startsAt, more));
  if (made.http !== 200) throw new Error(made.message);
  const order = String(made.data.id);
  await pay(salon, order);
  const visit = await one(salon, 'SELECT id FROM appointment WHERE order_id = $1', [order]);
  return { order, visit: String(visit.id) };
}

/** The channel reports the payment of an order. */
export async function pay(salon: Salon, order: string): Promise<string> {
  const payment = await one(
    salon,
    'SELECT p.checkout_code, p.amount FROM payment p JOIN sales_order o ON o.payment_id = p.id WHERE o.id = $1',
    [order],
  );
  await all(salon, 'INSERT INTO sandbox_trade (trade_no, checkout_code, amount) VALUES ($1, $2, $3)', [
    `T-${order}`,
    payment.checkout_code,
    payment.amount,
  ]);
  return receivePayment(salon.platforms[0]!, {
    checkoutCode: payment.checkout_code,
    tradeNo: `T-${order}`,
    amount: payment.amount,
    channel: 1,
    paidAt: new Date(),
  });
}

/** An action on a service order or, with `root`, on an appointment. */
export function act(
  salon: Salon,
  id: string,
  action: string,
  body: object = {},
  root = ORDERS,
  who: 'platform' | 'merchant1' | 'merchant2' = 'platform',
): Promise<Answer> {
  return callAs(salon, who, 'POST', `${root}/${id}/${action}`, body);
}

/** State and refund_status of an order with the state of its newest visit. */
export async function states(salon: Salon, order: string) {
  const row = await one(
    salon,
    `SELECT o.state, o.refund_status, (SELECT a.state FROM appointment a WHERE a.order_id = o.id ORDER BY a.id DESC LIMIT 1) AS visit
       FROM sales_order o WHERE o.id = $1`,
    [order],
  );
  return [row.state, row.refund_status, row.visit];
}

/** Moves a visit in time as if it had been booked so, without the rules that would refuse it. */
export async function shift(salon: Salon, visit: string, toHours: number): Promise<void> {
  await all(
    salon,
    `UPDATE appointment a SET period = tstzrange(x.at, x.at + interval '1 hour'), busy = tstzrange(x.at - interval '15 minutes', x.at + interval '75 minutes')
       FROM (SELECT now() + make_interval(secs => $2) AS at) x WHERE a.id = $1`,
    [visit, toHours * 3600],
  );
}

/** The code at the door: what the customer was told. */
export async function codeOf(salon: Salon): Promise<string> {
  const sms = await one(
    salon,
    `SELECT params FROM sms_message WHERE purpose = 'visitCode' ORDER BY id DESC LIMIT 1`,
  );
  return sms.params.code;
}

/** Sends what is to be refunded and lets the channel pay it. */
export async function settle(salon: Salon): Promise<void> {
  await deliverAll(salon);
  const sent = await all<{ no: string }>(
    salon,
    `SELECT channel_refund_no AS no FROM refund WHERE state = 'refunding' ORDER BY id`,
  );
  for (const { no } of sent) await runJob(salon, 'sandbox.refund_result', { refundNo: no });
  await deliverAll(salon);
}
