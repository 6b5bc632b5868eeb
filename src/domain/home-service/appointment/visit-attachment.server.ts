import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { afterBusinessHours } from '../../business-calendar/business-hours.server.ts';
import type { AttachedOrder, OrderAttachment } from '../../checkout/order-attachments.server.ts';
import { writeOrderEvent } from '../../checkout/order-log.server.ts';
import { SYSTEM_NAME } from '../../../kernel/server/people/caller.ts';
import { queueSms } from '../../message/queue-message.server.ts';
import { assignVisit } from './visit-commands.server.ts';
import { freePlace, serviceTerms, spanOf, takePlace, type ServiceTerms } from './visit-place.server.ts';
import { candidates, lockCandidate } from './visit-person.server.ts';
import {
  changeVisit,
  lockVisit,
  moveOrder,
  newVerifyCode,
  openVisitOf,
  tellMember,
  tellPerson,
  tellVisit,
  timeText,
  VISIT_CODE_SMS,
  type Acting,
  type Visit,
} from './visit-record.server.ts';

/** The time of a visit is held with its order, taken when it is paid and free again when it is not. Source: group 07, capacity rules 2 and 4. */
export const visitOfOrder: OrderAttachment = {
  matches: (order) => order.kind === 'service',
  hold: async (tx, platform, order, request) => {
    const { visit } = request;
    if (!visit) throw invalid({ startsAt: ['请选择预约时间', 'Please choose a time'] });
    await bookVisit({ tx, platform, caller: (request as { caller?: Caller }).caller }, order, {
      visitNo: 1,
      startsAt: visit.startsAt,
      personId: visit.personId,
      houseId: visit.houseId,
      overbook: visit.overbook,
      state: 'held',
    });
  },
  paid: async (tx, platform, order) => {
    // A team holds its times until it is complete.
    if (order.type !== 'group') await acceptVisit({ tx, platform }, order.id);
  },
  released: async (tx, platform, order) => releaseVisit({ tx, platform }, order.id),
  refunded: async (tx, platform, order, refund) => {
    if (refund.state !== 'closed' && refund.state !== 'completed') return;
    const visit = await openVisitOf(tx, order.id);
    if (!visit) return;
    if (visit.state !== 'choose_again') await freePlace(tx, visit.slot_id!, visit.qty);
    await changeVisit({ tx, platform }, visit, {
      action: 'cancel',
      label: ['全部退款，预约取消', 'Everything refunded, visit cancelled'],
      to: 'cancelled',
    });
  },
};

/** The order is given up before its visit was accepted: its time is free again. Does nothing for orders without one. */
export async function releaseVisit(acting: Acting, orderId: number): Promise<void> {
  const visit = await openVisitOf(acting.tx, orderId);
  if (!visit) return;
  await freePlace(acting.tx, visit.slot_id!, visit.qty);
  await changeVisit(acting, visit, { action: 'release', label: ['释放', 'Released'], to: 'released' });
}

/** A visit of a paid order of several visits, or the first one with its order. */
export async function bookVisit(
  acting: Acting,
  order: Pick<AttachedOrder, 'id' | 'projectId' | 'tenantId'>,
  wanted: {
    readonly visitNo: number;
    readonly startsAt: Date;
    readonly personId: number | null;
    readonly houseId: number | null;
    readonly overbook?: { readonly reason: string } | undefined;
    readonly anyTime?: boolean;
    readonly state: 'held' | 'to_accept';
  },
): Promise<number> {
  const { tx, platform, caller } = acting;
  const line = (await runOne<{
    id: number;
    product_id: number;
    qty: number;
    unit: string;
    contact_name: string;
    contact_phone: string;
    address: string;
    remark: string;
    paid_at: Date | null;
  }>(
    tx,
    `SELECT l.id, l.product_id, l.qty, s.unit, o.contact_name, o.contact_phone, o.address, o.remark, o.paid_at
       FROM order_line l JOIN sales_order o ON o.id = l.order_id JOIN product_spec s ON s.id = l.spec_id WHERE l.order_id = $1 ORDER BY l.line_no LIMIT 1`,
    [order.id],
  ))!;
  const terms = await serviceTerms(tx, platform, line.product_id);
  // Hours and square metres are sizes of one visit; only visits take a place each.
  const qty = ['小时', '平米', 'hour', 'm²'].includes(line.unit) ? 1 : line.qty;
  const place = await takePlace(tx, { terms, projectId: order.projectId, qty, ...wanted });
  const span = spanOf(terms, wanted.startsAt);
  const person =
    wanted.personId === null
      ? undefined
      : await chosenPerson(tx, terms, order.projectId, span, wanted.personId, caller !== undefined);
  const inserted = await insertRow(tx, 'appointment', {
    code: await nextCode(tx, 'BK'),
    order_id: order.id,
    line_id: line.id,
    visit_no: wanted.visitNo,
    product_id: line.product_id,
    tenant_id: order.tenantId,
    project_id: order.projectId,
    house_id: wanted.houseId,
    slot_id: place.slotId,
    person_id: person?.id ?? null,
    alone: (person?.parallel ?? 1) === 1,
    contact_name: line.contact_name,
    contact_phone: line.contact_phone,
    address: line.address,
    remark: line.remark,
    period: rangeOf(span.startsAt, span.endsAt),
    busy: rangeOf(span.busyFrom, span.busyTo),
    qty,
    overbooked: place.overbooked,
    overbook_reason: place.overbooked ? wanted.overbook!.reason : '',
    state: wanted.state,
    paid_at: line.paid_at,
    created_by: caller?.staffId ?? null,
    updated_by: caller?.staffId ?? null,
  });
  await tellVisit(tx, inserted, caller, {
    action: 'create',
    label: ['预约', 'Booked'],
    to: wanted.state,
    remark: [timeText(wanted.startsAt), wanted.overbook?.reason ?? ''].filter(Boolean).join(' · '),
  });
  if (wanted.state === 'to_accept') await giveCode(acting, inserted, terms);
  return inserted;
}

/**
 * The order of a visit is paid: it waits for a person, or has one where the service accepts by itself. A visit that was
 * released meanwhile takes its place again if that is free, else another time has to be chosen. Source: group 07, capacity rule 4 and service order states (5 → 110).
 */
export async function acceptVisit(acting: Acting, orderId: number): Promise<void> {
  const { tx, platform } = acting;
  const found = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM appointment WHERE order_id = $1 AND state IN ('held', 'released') ORDER BY id DESC LIMIT 1`,
    [orderId],
  );
  if (!found) return;
  const { visit, order } = await lockVisit(tx, found.id);
  const terms = await serviceTerms(tx, platform, visit.product_id);
  const back = visit.state === 'held' ? undefined : await placeAgain(acting, visit, terms);
  if (back === false) {
    await chooseAgain(acting, visit, ['付款时时段已被占用', 'The time was taken when it was paid']);
    return;
  }
  const paid = (await runOne<{ paid_at: Date }>(tx, 'SELECT paid_at FROM sales_order WHERE id = $1', [
    orderId,
  ]))!;
  await changeVisit(acting, visit, {
    action: 'accept',
    label: ['已支付，待受理', 'Paid, waits for a person'],
    to: 'to_accept',
    set: { paid_at: paid.paid_at, accept_due: await acceptDue(acting, paid.paid_at), ...(back ?? {}) },
  });
  await giveCode(acting, visit.id, terms);
  const fresh = (await runOne<Visit>(tx, 'SELECT * FROM appointment WHERE id = $1', [visit.id]))!;
  if (fresh.person_id === null && terms.autoAccept) {
    const span = spanOf(terms, visit.starts_at);
    const [free] = await candidates(tx, {
      terms,
      projectId: visit.project_id,
      ...span,
      except: visit.id,
    });
    if (free && !free.refusal) await assignVisit({ tx, platform }, visit.id, { personId: free.id });
    return;
  }
  // Whom the customer chose when booking is held with the time already.
  if (fresh.person_id !== null && order.state === 'to_accept')
    await assignVisit({ tx, platform }, visit.id, { personId: fresh.person_id });
}

/**
 * The team of an order is complete: its visit waits for a person, or another time has to be chosen where the time was
 * given back because the team took too long. Source: group 07, mm_groupOrderService.
 */
export async function acceptFormed(acting: Acting, orderId: number): Promise<void> {
  const { tx, platform } = acting;
  const hours = await platform.settings.numberIn(tx, 'service.group_hold_hours');
  const found = await runOne<{ id: number; late: boolean }>(
    tx,
    `SELECT id, state = 'released' OR starts_at <= clock_timestamp() + make_interval(hours => $2) AS late FROM appointment
      WHERE order_id = $1 AND state IN ('held', 'released') ORDER BY id DESC LIMIT 1`,
    [orderId, hours],
  );
  if (!found) return;
  if (!found.late) return acceptVisit(acting, orderId);
  const { visit, order } = await lockVisit(tx, found.id);
  await run(tx, 'UPDATE appointment SET paid_at = $2 WHERE id = $1', [visit.id, order.paid_at]);
  await chooseAgain(acting, visit, [
    '成团时已不足以保留所选时段',
    'The team was complete too late to keep the chosen time',
  ]);
}

/** Another time has to be chosen: desk and customer are told, the place is free for others. */
export async function chooseAgain(
  acting: Acting,
  visit: Visit,
  why: readonly [string, string],
): Promise<void> {
  const { tx, platform } = acting;
  const hours = await platform.settings.numberIn(tx, 'service.choose_hours');
  if (visit.slot_id !== null && visit.state !== 'released') await freePlace(tx, visit.slot_id, visit.qty);
  const until = new Date(Date.now() + hours * 3_600_000);
  await changeVisit(acting, visit, {
    action: 'choose_again',
    label: ['待改约', 'Another time is needed'],
    to: 'choose_again',
    set: { choose_until: until, person_id: null, slot_id: null },
    remark: why[0],
  });
  const order = (await lockVisit(tx, visit.id)).order;
  const details = { code: 28, action: 'choose_again', remark: why[0] };
  if (order.state === 'to_visit') await moveOrder(acting, order, { to: 'to_accept', ...details });
  else
    await writeOrderEvent(tx, {
      orderId: order.id,
      code: 28,
      who: acting.caller?.name ?? SYSTEM_NAME,
      remark: why[0],
    });
  await tellMember(
    tx,
    visit,
    `您预约的服务（${timeText(visit.starts_at)}）需要改约，请在${hours}小时内重新选择时间，逾期将全额退款。`,
  );
  await tellPerson(
    tx,
    visit.person_id,
    `预约 ${visit.code}（${timeText(visit.starts_at)}）已改为待改约，无需上门。`,
  );
}

async function acceptDue({ tx, platform }: Acting, paidAt: Date): Promise<Date> {
  return afterBusinessHours(tx, paidAt, await platform.settings.numberIn(tx, 'service.accept_hours'));
}

async function placeAgain(
  { tx }: Acting,
  visit: Visit,
  terms: ServiceTerms,
): Promise<false | Record<string, unknown>> {
  const taken = await runOne<{ id: number }>(
    tx,
    `UPDATE service_slot SET taken = taken + $2 WHERE id = $1 AND taken + $2 <= capacity AND starts_at > clock_timestamp() RETURNING id`,
    [visit.slot_id, visit.qty],
  );
  if (!taken) return false;
  if (visit.person_id === null) return {};
  const span = spanOf(terms, visit.starts_at);
  const wanted = { terms, projectId: visit.project_id, ...span, except: visit.id };
  const person = await lockCandidate(tx, wanted, visit.person_id);
  // The time counts more than who comes: the desk finds somebody else.
  return person && !person.refusal ? {} : { person_id: null };
}

async function chosenPerson(
  tx: Tx,
  terms: ServiceTerms,
  projectId: number,
  span: ReturnType<typeof spanOf>,
  personId: number,
  byStaff: boolean,
) {
  if (!terms.personChoice && !byStaff)
    throw invalid({ personId: ['该服务不能指定人员', 'No person can be chosen for this service'] });
  const person = await lockCandidate(tx, { terms, projectId, ...span, except: null }, personId);
  if (!person) throw invalid({ personId: ['人员不存在', 'There is no such person'] });
  if (person.refusal) throw ruleBroken(person.refusal);
  return person;
}

async function giveCode({ tx, platform }: Acting, visitId: number, terms: ServiceTerms): Promise<void> {
  if (!terms.verify) return;
  const { code, hash } = newVerifyCode(platform, visitId);
  await run(tx, 'UPDATE appointment SET verify_hash = $2 WHERE id = $1', [visitId, hash]);
  const visit = (await runOne<Visit>(tx, 'SELECT * FROM appointment WHERE id = $1', [visitId]))!;
  const body = `您预约的${terms.name}（${timeText(visit.starts_at)}）核销码 ${code}，服务完成时请出示给上门人员。`;
  await queueSms(tx, {
    phone: visit.contact_phone,
    purpose: VISIT_CODE_SMS,
    body,
    params: { code, text: body },
  });
}

/** A period as the database writes it: from, included, to its end, not included. */
export function rangeOf(from: Date, to: Date): string {
  return `[${from.toISOString()},${to.toISOString()})`;
}
