import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, transactionBeside } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { freePlace, lockPlaces, serviceTerms, spanOf, takePlace, tooNear } from './visit-place.server.ts';
import { lockCandidate } from './visit-person.server.ts';
import {
  changeVisit,
  lockVisit,
  moveOrder,
  tellMember,
  tellPerson,
  timeText,
  verifyHash,
  visitsLeft,
  type Acting,
  type Visit,
  type VisitOrder,
} from './visit-record.server.ts';
import { NO_SHOW_MINUTES, VERIFY_TRIES, VISIT_STATES, type VisitState } from './visit-words.rules.ts';

/** What a command left behind: the states of visit and order. */
export interface VisitOutcome {
  readonly visit: VisitState;
  readonly order: string;
}

/**
 * 派单, and 改派 with a reason when somebody was named before. Throws 30101 with what speaks against the person; two desks at
 * once: the second is told of the first's visit. Source: group 07, service order states; Must show 2 and 13.
 */
export async function assignVisit(
  acting: Acting,
  visitId: number,
  input: { readonly personId: number; readonly reason?: string | undefined },
): Promise<VisitOutcome> {
  const { tx, platform } = acting;
  const { visit, order } = await lockVisit(tx, visitId);
  requireState(visit, ['to_accept', 'assigned']);
  refuseRefunding(order);
  const again = visit.state === 'assigned';
  if (again && !input.reason?.trim()) throw invalid({ reason: NEED_REASON });
  if (again && visit.person_id === input.personId)
    throw ruleBroken(['已派给该人员', 'This person has it already']);
  const terms = await serviceTerms(tx, platform, visit.product_id);
  const span = spanOf(terms, visit.starts_at);
  const person = await lockCandidate(
    tx,
    { terms, projectId: visit.project_id, ...span, except: visit.id },
    input.personId,
  );
  if (!person) throw invalid({ person: ['人员不存在', 'There is no such person'] });
  if (person.refusal) throw ruleBroken(person.refusal);
  const remark = [person.name, input.reason ?? ''].filter(Boolean).join(' · ');
  await changeVisit(acting, visit, {
    action: again ? 'reassign' : 'assign',
    label: again ? ['改派', 'Reassigned'] : ['派单', 'Assigned'],
    to: 'assigned',
    set: {
      person_id: person.id,
      alone: person.parallel === 1,
      ...(again ? {} : { accepted_at: new Date() }),
      assigned_at: new Date(),
    },
    remark,
  });
  await moveOrder(acting, order, {
    to: 'to_visit',
    code: again ? 19 : 18,
    action: again ? 'reassign' : 'assign',
    remark,
  });
  const where = `${visit.code} ${timeText(visit.starts_at)}`;
  if (again) await tellPerson(tx, visit.person_id, `预约 ${where} 已改派他人，无需上门。`);
  await tellPerson(tx, person.id, `您有新的上门服务：${where}，${terms.name}。`);
  await tellMember(
    tx,
    visit,
    `您预约的${terms.name}（${timeText(visit.starts_at)}）已安排服务人员 ${person.name}。`,
  );
  return { visit: 'assigned', order: 'to_visit' };
}

/**
 * Moves a visit to another time, and to another person with it: the old place is free and the new one taken in one
 * transaction. Members at most `service.reschedule_max` times and not inside the lead hours; staff any time with a reason.
 * Source: group 07, capacity rule 6.
 */
export async function rescheduleVisit(
  acting: Acting,
  visitId: number,
  input: {
    readonly startsAt: Date;
    readonly personId?: number | null | undefined;
    readonly reason?: string | undefined;
    readonly overbook?: { readonly reason: string } | undefined;
    readonly by: 'staff' | 'member';
  },
): Promise<VisitOutcome> {
  const { tx, platform } = acting;
  const { visit, order } = await lockVisit(tx, visitId);
  requireState(visit, ['to_accept', 'assigned', 'choose_again']);
  refuseRefunding(order);
  const terms = await serviceTerms(tx, platform, visit.product_id);
  const chooses = visit.state === 'choose_again';
  if (input.by === 'staff' && !chooses && !input.reason?.trim()) throw invalid({ reason: NEED_REASON });
  if (input.by === 'member' && !chooses) {
    const most = await platform.settings.numberIn(tx, 'service.reschedule_max');
    if (visit.member_reschedules >= most)
      throw ruleBroken([`最多可改约${most}次`, `At most ${most} changes of the time`]);
    if (visit.starts_at.getTime() < Date.now() + terms.leadHours * 3_600_000)
      throw invalid({ startsAt: tooNear(terms.leadHours) });
  }
  const personId = input.personId === undefined ? visit.person_id : input.personId;
  const sameTime = visit.starts_at.getTime() === input.startsAt.getTime() && !chooses;
  if (sameTime && personId === visit.person_id)
    throw invalid({ startsAt: ['时间未变化', 'The time is the same'] });
  const span = spanOf(terms, input.startsAt);
  await lockPlaces(tx, terms, visit.project_id, input.startsAt, visit.slot_id);
  let place = { slotId: visit.slot_id!, overbooked: visit.overbooked };
  if (!sameTime) {
    if (visit.slot_id !== null) await freePlace(tx, visit.slot_id, visit.qty);
    place = await takePlace(tx, {
      terms,
      projectId: visit.project_id,
      startsAt: input.startsAt,
      qty: visit.qty,
      overbook: input.overbook,
      anyTime: input.by === 'staff',
    });
  }
  const person =
    personId === null
      ? undefined
      : await lockCandidate(tx, { terms, projectId: visit.project_id, ...span, except: visit.id }, personId);
  if (person?.refusal) throw ruleBroken(person.refusal);
  const to: VisitState = person ? 'assigned' : 'to_accept';
  const remark = [
    `${timeText(visit.starts_at)} → ${timeText(input.startsAt)}`,
    personId === visit.person_id ? '' : (person?.name ?? ''),
    input.reason ?? '',
  ]
    .filter(Boolean)
    .join(' · ');
  await changeVisit(acting, visit, {
    action: 'reschedule',
    label: ['改约', 'Rescheduled'],
    to,
    set: {
      slot_id: place.slotId,
      period: `[${span.startsAt.toISOString()},${span.endsAt.toISOString()})`,
      busy: `[${span.busyFrom.toISOString()},${span.busyTo.toISOString()})`,
      person_id: person?.id ?? null,
      alone: (person?.parallel ?? 1) === 1,
      ...(sameTime
        ? {}
        : {
            overbooked: place.overbooked,
            overbook_reason: place.overbooked ? input.overbook!.reason : '',
          }),
      choose_until: null,
      reminded: 0,
      ...(input.by === 'member' && !chooses ? { member_reschedules: visit.member_reschedules + 1 } : {}),
      ...(person && visit.state !== 'assigned' ? { accepted_at: new Date(), assigned_at: new Date() } : {}),
    },
    remark,
  });
  await moveOrder(acting, order, {
    to: person ? 'to_visit' : 'to_accept',
    code: 17,
    action: 'reschedule',
    remark,
  });
  await tellMember(tx, visit, `您预约的${terms.name}已改到 ${timeText(input.startsAt)}。`);
  if (visit.person_id !== person?.id)
    await tellPerson(tx, visit.person_id, `预约 ${visit.code} 已改派他人，无需上门。`);
  await tellPerson(tx, person?.id ?? null, `预约 ${visit.code} 的时间为 ${timeText(input.startsAt)}。`);
  return { visit: to, order: person ? 'to_visit' : 'to_accept' };
}

/** btn_start: the person has arrived. */
export async function startVisit(acting: Acting, visitId: number): Promise<VisitOutcome> {
  const { visit, order } = await lockVisit(acting.tx, visitId);
  requireState(visit, ['assigned']);
  await changeVisit(acting, visit, {
    action: 'start',
    label: ['开始服务', 'Started'],
    to: 'serving',
    set: { started_at: new Date() },
  });
  await moveOrder(acting, order, { to: 'to_visit', code: 23, action: 'start' });
  return { visit: 'serving', order: 'to_visit' };
}

/**
 * 完成: with the customer's code where the service wants one; after five wrong ones the desk finishes with a reason. The order
 * is completed with its last visit. Throws 30101 for a wrong code and counts it, whatever becomes of the call.
 * Source: group 07, service order states; Must show 8 and 9.
 */
export async function finishVisit(
  acting: Acting,
  visitId: number,
  input: {
    readonly code?: string | undefined;
    readonly reason?: string | undefined;
    readonly photos?: readonly string[] | undefined;
  },
): Promise<VisitOutcome> {
  const { tx, platform } = acting;
  const { visit, order } = await lockVisit(tx, visitId);
  if (visit.state === 'done') throw ruleBroken(['该预约已核销', 'This visit is finished already']);
  requireState(visit, ['assigned', 'serving']);
  refuseRefunding(order);
  const terms = await serviceTerms(tx, platform, visit.product_id);
  let verified = false;
  if (terms.verify && visit.verify_hash !== null) {
    const tries = await triesOf(acting, visit.id);
    if (tries >= VERIFY_TRIES) {
      if (!input.reason?.trim()) throw ruleBroken(LOCKED);
    } else {
      const code = input.code?.trim() ?? '';
      if (!/^\d{6}$/.test(code))
        throw invalid({ verifyCode: ['请输入6位核销码', 'Please enter the 6 digits of the code'] });
      if (verifyHash(platform, visit.id, code) !== visit.verify_hash) {
        await transactionBeside(platform.database.db, (beside) =>
          run(beside, 'INSERT INTO appointment_try (appointment_id) VALUES ($1)', [visit.id]),
        );
        const left = VERIFY_TRIES - tries - 1;
        throw ruleBroken(
          left === 0 ? LOCKED : [`核销码错误，还可尝试${left}次`, `Wrong code, ${left} tries left`],
        );
      }
      verified = true;
    }
  }
  const now = new Date();
  await changeVisit(acting, visit, {
    action: 'finish',
    label: ['完成服务', 'Finished'],
    to: 'done',
    set: {
      finished_at: now,
      ...(verified ? { verified_at: now } : {}),
      ...(input.photos && input.photos.length > 0 ? { photo_ids: input.photos } : {}),
      reason: input.reason ?? '',
    },
    remark: input.reason ?? '',
  });
  await run(tx, 'UPDATE service_person SET visits = visits + 1 WHERE id = $1', [visit.person_id]);
  const left = await visitsLeft(tx, order.id);
  const to = left <= 0 ? 'completed' : 'to_visit';
  await moveOrder(acting, order, {
    to,
    code: 27,
    action: 'finish',
    remark: [left > 0 ? `剩余${left}次` : '', input.reason ?? ''].filter(Boolean).join(' · '),
  });
  return { visit: 'done', order: to };
}

/** btn_noShow: nobody opened, 15 minutes after the start at the earliest. The visit is used up unless its fee is waived. */
export async function markNoShow(
  acting: Acting,
  visitId: number,
  input: { readonly reason: string },
): Promise<VisitOutcome> {
  const { tx } = acting;
  const { visit, order } = await lockVisit(tx, visitId);
  requireState(visit, ['assigned', 'serving']);
  refuseRefunding(order);
  if (Date.now() < visit.starts_at.getTime() + NO_SHOW_MINUTES * 60_000)
    throw ruleBroken([
      `预约开始${NO_SHOW_MINUTES}分钟后才能标记爽约`,
      `Only ${NO_SHOW_MINUTES} minutes after the start`,
    ]);
  const line = (await runOne<{ left: number; units: number }>(
    tx,
    `SELECT l.cash - l.cash_refunded - l.cash_withheld AS left, greatest(1, l.times - (SELECT count(*) FROM appointment a
        WHERE a.line_id = l.id AND a.state IN ('done', 'no_show'))::integer) AS units FROM order_line l WHERE l.id = $1`,
    [visit.line_id],
  ))!;
  await changeVisit(acting, visit, {
    action: 'no_show',
    label: ['客户爽约', 'Customer not there'],
    to: 'no_show',
    set: { reason: input.reason, fee: Math.floor(line.left / line.units) },
    remark: input.reason,
  });
  const to = (await visitsLeft(tx, order.id)) <= 0 ? 'completed' : 'to_visit';
  await moveOrder(acting, order, { to, code: 24, action: 'no_show', remark: input.reason });
  await tellMember(tx, visit, `您预约的服务（${timeText(visit.starts_at)}）上门时无人，已按爽约处理。`);
  return { visit: 'no_show', order: to };
}

/** Wrong codes of a visit so far. */
export async function triesOf({ tx }: Acting, visitId: number): Promise<number> {
  const row = await runOne<{ tries: number }>(
    tx,
    'SELECT count(*)::integer AS tries FROM appointment_try WHERE appointment_id = $1',
    [visitId],
  );
  return row!.tries;
}

const NEED_REASON: Label = ['请填写原因', 'Please give a reason'];
const LOCKED: Label = [
  '核销码错误已达5次，请由前台填写原因后完成',
  'Five wrong codes: the desk finishes it with a reason',
];

/** Throws 30101 when a visit is not in one of the states. */
export function requireState(visit: Visit, states: readonly VisitState[]): void {
  if (states.includes(visit.state)) return;
  const label = VISIT_STATES[visit.state].label;
  throw ruleBroken([
    `预约当前为「${label[0]}」，不能执行此操作`,
    `The appointment is "${label[1]}": this is not possible`,
  ]);
}

/** Throws 30101 while a refund of the order is unfinished: what is paid back is not visited. */
export function refuseRefunding(order: VisitOrder): void {
  if (order.refund_status === 'refunding')
    throw ruleBroken(['该订单有未完成的退款', 'The order has an unfinished refund']);
}
