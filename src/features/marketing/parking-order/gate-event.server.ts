import { z } from 'zod';
import {
  classOfColour,
  lateness,
  minutesAfter,
  PARKING_WAYS,
  plateOf,
  type ParkingWay,
} from '../../../domain/parking/parking.rules.ts';
import { INSIDE, lockPlate, planInForce, stayById, type Stay } from '../../../domain/parking/stay.server.ts';
import { GATE_VENDORS, type GateVendorCode } from '../../../domain/road-gate/road-gate.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Tx } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import { noteVisitorPassage } from '../../property/visitor/visitor.server.ts';
import { addGateEvent, GATE_SCOPE } from '../../system/road-gate/gate-report.server.ts';
import { clock, command, priceNow } from './parking-actions.server.ts';

/** How far ahead the clock of a device may be. */
const AHEAD = 60_000;
/** A camera that reads the same car again within this time tells of the same passage. */
const REREAD = '120 seconds';
const ROOT = '/jinmao/web/parkingOrder';

const plate = z.string().max(20);
const event = z.strictObject({
  deviceNo: z.string().min(2).max(40),
  /** Needed only where two makers have a device of this number. */
  vendor: z.enum(Object.keys(GATE_VENDORS) as [GateVendorCode]).optional(),
  /** The device's number of the event: told again, it gets the same answer. */
  eventId: z.string().min(1).max(60),
  plate,
  plateColour: z.string().max(10).optional(),
  direction: z.enum(['in', 'out']),
  /** When it happened; it may come late. */
  occurredAt: z.iso.datetime({ offset: true }),
  imageUrl: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .optional(),
});

type GateEvent = z.infer<typeof event>;

/** What a gate is told. */
interface Answer {
  readonly open: boolean;
  readonly due: string;
  readonly orderId: string | null;
  readonly text: string;
}

interface Gate {
  readonly id: number;
  readonly name: string;
  readonly vendor: string;
  readonly lot_id: number;
  readonly project_id: number;
  readonly enabled: boolean;
}

const BAD_PLATE: Label = ['车牌不正确', 'The plate is not valid'];

/** What programs of gates and of payment call: passages, prices, payments. */
export function parkingPrograms(bound: () => BoundResource): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: `${ROOT}/gateEvent`,
      title: ['道闸过车上报', 'Cars at gates'],
      access: { program: GATE_SCOPE },
      body: event,
      handle: async ({ platform, body }): Promise<Answer> => {
        const answer = await transaction(platform.database.db, (tx) => take(tx, platform, bound(), body));
        for (const name of [
          'parkingOrder',
          'parkingLot',
          'parkingCommand',
          'passLog',
          'roadGate',
          'roadGateEvent',
        ])
          platform.changed(name);
        return answer;
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/quote`,
      title: ['停车报价', 'Price of parking'],
      access: { program: GATE_SCOPE },
      body: z.strictObject({ lot: z.string().min(1).max(32), plate }),
      handle: async ({ platform, body }) => {
        const answer = await transaction(platform.database.db, (tx) => quote(tx, platform, bound(), body));
        platform.changed('parkingOrder');
        return answer;
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/pay`,
      title: ['停车缴费', 'Payment of parking'],
      access: { program: GATE_SCOPE },
      body: z.strictObject({
        orderId: z.string().regex(/^\d{1,15}$/),
        amount: z.string().regex(/^\d{1,7}(\.\d{1,2})?$/),
        way: z.enum(['alipay', 'wechat']),
        /** The channel's number of the payment: told again, it counts once. */
        tradeNo: z.string().min(1).max(64),
        paidAt: z.iso.datetime({ offset: true }).optional(),
      }),
      handle: async ({ platform, body }) => {
        const answer = await transaction(platform.database.db, (tx) => pay(tx, platform, bound(), body));
        platform.changed('parkingOrder');
        platform.changed('parkingLot');
        return answer;
      },
    }),
  ];
}

async function take(tx: Tx, platform: Platform, bound: BoundResource, body: GateEvent): Promise<Answer> {
  const number = plateOf(body.plate);
  if (!/^[\p{L}\p{N}]{5,10}$/u.test(number)) throw invalid({ plate: BAD_PLATE });
  const gates = await run<Gate>(
    tx,
    `SELECT g.id, g.name, g.vendor, l.id AS lot_id, l.project_id, l.enabled FROM road_gate g
       JOIN parking_lot_gate x ON x.gate_id = g.id JOIN parking_lot l ON l.id = x.lot_id
      WHERE lower(g.device_no) = lower($1) AND ($2::text IS NULL OR g.vendor = $2) LIMIT 2`,
    [body.deviceNo, body.vendor ?? null],
  );
  if (gates.length > 1)
    throw invalid({
      vendor: ['多个厂商有此设备号，请注明厂商', 'Several makers have this device, name the maker'],
    });
  const [gate] = gates;
  if (!gate) throw notFound();
  const at = new Date(body.occurredAt);
  if (at.getTime() > (await clock(tx)).getTime() + AHEAD)
    throw invalid({ occurredAt: ['时间不能晚于现在', 'The time lies ahead'] });
  const device = `${gate.vendor}:${body.deviceNo.toLowerCase()}`;
  // Whoever tells it a second time waits here for the first and gets its answer.
  const fresh = await runOne(
    tx,
    `INSERT INTO parking_gate_event (device, event_id, gate_id, plate, direction, occurred_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT DO NOTHING RETURNING 1 AS fresh`,
    [device, body.eventId, gate.id, number, body.direction, at],
  );
  if (!fresh) {
    const known = await runOne<{ answer: Answer }>(
      tx,
      'SELECT answer FROM parking_gate_event WHERE device = $1 AND event_id = $2',
      [device, body.eventId],
    );
    return known!.answer;
  }
  await lockPlate(tx, gate.project_id, number);
  const passage = { gate, plate: number, at, body };
  const answer =
    body.direction === 'in'
      ? await enter(tx, platform, bound, passage)
      : await leave(tx, platform, bound, passage);
  await tell(tx, platform, passage, answer);
  if (answer.orderId !== null)
    await command(tx, {
      orderId: Number(answer.orderId),
      projectId: gate.project_id,
      gateId: gate.id,
      origin: body.direction === 'in' ? 'entry' : 'exit',
      opens: answer.open,
      due: fenFromYuan(answer.due)!,
    });
  await run(
    tx,
    'UPDATE parking_gate_event SET order_id = $3, answer = $4 WHERE device = $1 AND event_id = $2',
    [device, body.eventId, answer.orderId, JSON.stringify(answer)],
  );
  return answer;
}

interface Passage {
  readonly gate: Gate;
  readonly plate: string;
  readonly at: Date;
  readonly body: GateEvent;
}

const answered = (open: boolean, stay: { id: number } | undefined, text: string, due = 0): Answer => ({
  open,
  due: yuanFromFen(due),
  orderId: stay ? String(stay.id) : null,
  text,
});

/** The passage in the lists of gates and passages, and in the visit of the plate. */
async function tell(tx: Tx, platform: Platform, { gate, plate, at, body }: Passage, answer: Answer) {
  await addGateEvent(tx, gate.id, {
    kind: body.direction === 'in' ? 'enter' : 'exit',
    at,
    plate,
    eventNo: `P:${body.eventId}`,
  });
  const visit = await visitOf(tx, gate.project_id, plate, at);
  await runOne(
    tx,
    `INSERT INTO pass_log (at, received_at, project_id, gate_id, address, direction, method, result, reason, user_name, visit_id, visitor)
     VALUES ($1, clock_timestamp(), $2, $3, $4, $5, 'plate', $6, $7, $8, $9, $10) RETURNING 1 AS one`,
    [
      at,
      gate.project_id,
      gate.id,
      gate.name,
      body.direction,
      answer.open ? 'succeeded' : 'failed',
      answer.open ? '' : answer.text.slice(0, 100),
      plate,
      visit?.id ?? null,
      visit?.visitor ?? '',
    ],
  );
  if (visit && answer.open) await noteVisitorPassage(tx, platform, visit.id, body.direction, at);
}

/** The visit a plate was let in for, at its time or, on the way out, behind it. */
function visitOf(tx: Tx, projectId: number, plate: string, at: Date) {
  return runOne<{ id: number; visitor: string; free: number }>(
    tx,
    `SELECT id, visitor, free_parking_min AS free FROM visitor_registration
      WHERE project_id = $1 AND upper(plate) = $2 AND car_state = 'passed' AND state IN ('valid', 'arrived', 'left')
        AND visit_from <= $3 AND (visit_to >= $3 OR state = 'arrived') ORDER BY visit_from DESC, id DESC LIMIT 1`,
    [projectId, plate, at],
  );
}

async function openStay(tx: Tx, lotId: number, plate: string): Promise<Stay | undefined> {
  return runOne<Stay>(
    tx,
    `SELECT * FROM parking_order WHERE lot_id = $1 AND plate = $2 AND ${INSIDE} FOR NO KEY UPDATE`,
    [lotId, plate],
  );
}

async function enter(tx: Tx, platform: Platform, bound: BoundResource, passage: Passage): Promise<Answer> {
  const { gate, plate, at } = passage;
  if (!gate.enabled) return answered(false, undefined, '停车场已停用');
  const welcome = `欢迎光临 ${plate}`;
  const again = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM parking_order WHERE lot_id = $1 AND plate = $2 AND parent_id IS NULL AND state NOT IN ('abnormal', 'closed')
        AND entry_at BETWEEN $3::timestamptz - interval '${REREAD}' AND $3::timestamptz + interval '${REREAD}' ORDER BY id LIMIT 1`,
    [gate.lot_id, plate, at],
  );
  if (again) return answered(true, again, welcome);
  // The exit came before this entry: the stay it could not place gets its beginning.
  const orphan = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM parking_order WHERE lot_id = $1 AND plate = $2 AND entry_at IS NULL AND state IN ('abnormal', 'left')
        AND coalesce(exit_at, waiting_at) BETWEEN $3::timestamptz AND $3::timestamptz + interval '30 days'
      ORDER BY coalesce(exit_at, waiting_at) LIMIT 1`,
    [gate.lot_id, plate, at],
  );
  const open = await openStay(tx, gate.lot_id, plate);
  if (orphan && !open) {
    await bound.actAsSystem(tx, platform, 'heal', orphan.id, { entry: at.toISOString() });
    return answered(true, orphan, welcome);
  }
  let abnormal = '';
  if (open && open.entry_at! < at)
    await bound.actAsSystem(tx, platform, 'suspect', open.id, { why: 'second_entry' });
  else if (open) abnormal = 'second_entry';
  else if (
    await runOne(
      tx,
      `SELECT id FROM parking_order WHERE lot_id = $1 AND plate = $2 AND parent_id IS NULL AND entry_at <= $3 AND exit_at > $3 LIMIT 1`,
      [gate.lot_id, plate, at],
    )
  )
    abnormal = 'late_entry';
  const stay = await addStay(tx, passage, abnormal);
  return answered(true, stay, welcome);
}

async function addStay(tx: Tx, passage: Passage, abnormal: string): Promise<{ id: number }> {
  const { gate, plate, at, body } = passage;
  const isExit = body.direction === 'out';
  const vehicleClass = classOfColour(body.plateColour ?? '');
  const visit = isExit ? undefined : await visitOf(tx, gate.project_id, plate, at);
  const image = body.imageUrl ?? '';
  const id = await insertRow(tx, 'parking_order', {
    code: await nextCode(tx, 'TC'),
    lot_id: gate.lot_id,
    project_id: gate.project_id,
    plate,
    colour: body.plateColour ?? '',
    vehicle_class: vehicleClass,
    abnormal,
    state: abnormal ? 'abnormal' : 'parked',
    ...(isExit
      ? { exit_gate_id: gate.id, exit_image: image, waiting_gate_id: gate.id, waiting_at: at }
      : {
          entry_at: at,
          entry_gate_id: gate.id,
          entry_image: image,
          plan_id: await planInForce(tx, gate.lot_id, vehicleClass, at),
          free_minutes: visit?.free ?? null,
          visit_id: visit?.id ?? null,
        }),
  });
  await writeTimeline(tx, {
    entity: 'parkingOrder',
    entityId: id,
    action: isExit ? 'exit' : 'enter',
    label: isExit ? ['离场', 'At the exit'] : ['入场', 'Came in'],
    to: abnormal ? 'abnormal' : 'parked',
    remark: gate.name,
  });
  return { id };
}

async function leave(tx: Tx, platform: Platform, bound: BoundResource, passage: Passage): Promise<Answer> {
  const { gate, plate, at, body } = passage;
  const bye = `一路平安 ${plate}`;
  const exit = { at: at.toISOString(), gate: gate.id, ...(body.imageUrl && { image: body.imageUrl }) };
  const stay = await openStay(tx, gate.lot_id, plate);
  if (!stay || stay.entry_at! > at) return leaveLate(tx, platform, bound, passage);
  if (stay.state === 'paid' || stay.state === 'refunded') {
    const grace = await platform.settings.numberIn(tx, 'parking.overtime.grace_minutes', {
      projectId: stay.project_id,
    });
    if (lateness(stay.covered_until!, at, grace) !== 'over') {
      await bound.actAsSystem(tx, platform, 'leave', stay.id, exit);
      return answered(true, stay, bye);
    }
    const price = await priceNow(tx, platform, stay, at);
    if (price.due === 0) {
      await run(tx, 'UPDATE parking_order SET covered_until = $2 WHERE id = $1', [
        stay.id,
        price.coveredUntil,
      ]);
      await bound.actAsSystem(tx, platform, 'leave', stay.id, exit);
      return answered(true, stay, bye);
    }
    const child = await askMore(tx, platform, bound, stay, at, gate.id);
    return answered(false, { id: child.id }, toPay(child.due), child.due);
  }
  const held = stay.state === 'to_pay' && stay.quote_until !== null && at <= stay.quote_until;
  const price = held ? undefined : await priceNow(tx, platform, stay, at);
  const due = price ? price.due : stay.gross - stay.discount + stay.carried;
  if (due === 0) {
    await bound.actAsSystem(tx, platform, 'leave', stay.id, exit);
    return answered(true, stay, bye);
  }
  if (held)
    await run(
      tx,
      'UPDATE parking_order SET waiting_gate_id = $2, waiting_at = clock_timestamp() WHERE id = $1',
      [stay.id, gate.id],
    );
  else await bound.actAsSystem(tx, platform, 'quote', stay.id, { at: exit.at, gate: gate.id });
  return answered(false, stay, toPay(due), due);
}

const toPay = (due: number) => `请缴费 ${yuanFromFen(due)} 元`;

/** A way out that no car inside explains: that of a stay whose end was missed, the same one again, or one nobody saw begin. */
async function leaveLate(
  tx: Tx,
  platform: Platform,
  bound: BoundResource,
  passage: Passage,
): Promise<Answer> {
  const { gate, plate, at } = passage;
  const again = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM parking_order WHERE lot_id = $1 AND plate = $2 AND parent_id IS NULL AND state IN ('left', 'refunded')
        AND exit_at BETWEEN $3::timestamptz - interval '${REREAD}' AND $3::timestamptz + interval '${REREAD}' ORDER BY id DESC LIMIT 1`,
    [gate.lot_id, plate, at],
  );
  if (again) return answered(true, again, `一路平安 ${plate}`);
  const missed = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM parking_order WHERE lot_id = $1 AND plate = $2 AND state = 'abnormal' AND exit_at IS NULL AND entry_at <= $3
      ORDER BY entry_at DESC LIMIT 1`,
    [gate.lot_id, plate, at],
  );
  if (missed) {
    await bound.actAsSystem(tx, platform, 'heal', missed.id, { exit: at.toISOString(), gate: gate.id });
    return answered(true, missed, `一路平安 ${plate}`);
  }
  const text = '无入场记录，请联系管理人员';
  const waiting = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM parking_order WHERE lot_id = $1 AND plate = $2 AND state = 'abnormal' AND entry_at IS NULL AND exit_at IS NULL
        AND waiting_at > $3::timestamptz - interval '1 day' ORDER BY id DESC LIMIT 1`,
    [gate.lot_id, plate, at],
  );
  return answered(false, waiting ?? (await addStay(tx, passage, 'no_entry')), text);
}

/** Asks a car that paid and stayed beyond the grace for the difference, by an order of its own. */
async function askMore(
  tx: Tx,
  platform: Platform,
  bound: BoundResource,
  stay: Stay,
  at: Date,
  gateId: number | null,
): Promise<{ id: number; due: number }> {
  const waiting = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM parking_order WHERE parent_id = $1 AND state = 'to_pay'`,
    [stay.id],
  );
  const id = waiting?.id ?? (await addChild(tx, stay));
  await bound.actAsSystem(tx, platform, 'quote', id, {
    at: at.toISOString(),
    ...(gateId !== null && { gate: gateId }),
  });
  const child = (await stayById(tx, id))!;
  return { id, due: child.gross };
}

async function addChild(tx: Tx, stay: Stay): Promise<number> {
  const id = await insertRow(tx, 'parking_order', {
    code: await nextCode(tx, 'TC'),
    lot_id: stay.lot_id,
    project_id: stay.project_id,
    plan_id: stay.plan_id,
    plate: stay.plate,
    vehicle_class: stay.vehicle_class,
    entry_at: stay.entry_at,
    kind: 'over',
    parent_id: stay.id,
    state: 'parked',
  });
  await writeTimeline(tx, {
    entity: 'parkingOrder',
    entityId: id,
    action: 'more',
    label: ['超时补缴', 'Stayed longer than paid'],
    to: 'parked',
    remark: stay.code,
  });
  return id;
}

async function quote(
  tx: Tx,
  platform: Platform,
  bound: BoundResource,
  body: { readonly lot: string; readonly plate: string },
) {
  const number = plateOf(body.plate);
  const lot = await runOne<{ id: number; project_id: number }>(
    tx,
    'SELECT id, project_id FROM parking_lot WHERE lower(code) = lower($1)',
    [body.lot],
  );
  if (!lot) throw notFound();
  await lockPlate(tx, lot.project_id, number);
  const stay = await openStay(tx, lot.id, number);
  if (!stay) throw ruleBroken(['该车辆不在场', 'The car is not inside']);
  const now = await clock(tx);
  let id = stay.id;
  if (stay.state === 'paid' || stay.state === 'refunded') {
    const grace = await platform.settings.numberIn(tx, 'parking.overtime.grace_minutes', {
      projectId: stay.project_id,
    });
    if (
      lateness(stay.covered_until!, now, grace) !== 'over' ||
      (await priceNow(tx, platform, stay, now)).due === 0
    )
      return told(stay, 0);
    ({ id } = await askMore(tx, platform, bound, stay, now, null));
  } else {
    const held = stay.state === 'to_pay' && stay.quote_until! > now;
    if (!held && (await priceNow(tx, platform, stay, now)).due === 0) return told(stay, 0);
    if (!held) await bound.actAsSystem(tx, platform, 'quote', stay.id, {});
  }
  const quoted = (await stayById(tx, id))!;
  return told(quoted, quoted.gross - quoted.discount + quoted.carried);
}

const told = (stay: Stay, due: number) => ({
  orderId: String(stay.id),
  due: yuanFromFen(due),
  gross: yuanFromFen(stay.gross),
  discount: yuanFromFen(stay.discount),
  carried: yuanFromFen(stay.carried),
  coveredUntil: stay.covered_until ? isoInstant(stay.covered_until) : null,
  quoteUntil: stay.quote_until ? isoInstant(stay.quote_until) : null,
});

async function pay(
  tx: Tx,
  platform: Platform,
  bound: BoundResource,
  body: {
    readonly orderId: string;
    readonly amount: string;
    readonly way: Exclude<ParkingWay, 'cash'>;
    readonly tradeNo: string;
    readonly paidAt?: string | undefined;
  },
) {
  const id = Number(body.orderId);
  await run(tx, 'SELECT id FROM parking_order WHERE id = $1 FOR NO KEY UPDATE', [id]);
  const known = await runOne<{ order_id: number; amount: number }>(
    tx,
    `SELECT order_id, amount FROM parking_payment WHERE kind = 'payment' AND way = $1 AND number = $2`,
    [body.way, body.tradeNo],
  );
  const amount = fenFromYuan(body.amount)!;
  if (known && (known.order_id !== id || known.amount !== amount))
    throw ruleBroken(['该流水号已用于其他支付', 'The number belongs to another payment']);
  const now = await clock(tx);
  const at = body.paidAt ? new Date(body.paidAt) : now;
  if (at.getTime() > now.getTime() + AHEAD)
    throw invalid({ paidAt: ['时间不能晚于现在', 'The time lies ahead'] });
  if (!known) {
    const asked = await stayById(tx, id);
    if (!asked) throw notFound();
    // Paid while the price was held, told after it was let go: it is held again as it stood.
    if (asked.state === 'parked' && asked.quoted_at !== null) {
      const minutes = await platform.settings.numberIn(tx, 'parking.quote.minutes', {
        projectId: asked.project_id,
      });
      if (at >= asked.quoted_at && at <= minutesAfter(asked.quoted_at, minutes))
        await bound.actAsSystem(tx, platform, 'quote', id, { at: asked.quoted_at.toISOString() });
    }
    await bound.actAsSystem(tx, platform, 'pay', id, {
      amount: yuanFromFen(amount),
      way: body.way satisfies keyof typeof PARKING_WAYS,
      number: body.tradeNo,
      at: at.toISOString(),
    });
  }
  const stay = (await stayById(tx, id))!;
  return { orderId: body.orderId, state: stay.state, paid: yuanFromFen(stay.paid) };
}
