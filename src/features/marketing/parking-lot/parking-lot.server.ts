import { parkingOptions } from '../../../domain/parking/options.server.ts';
import { z } from 'zod';
import {
  COUPON_KINDS,
  minutesAfter,
  minutesOf,
  plateOf,
  quoteStay,
  VEHICLE_CLASSES,
  type CouponKind,
  type VehicleClass,
} from '../../../domain/parking/parking.rules.ts';
import { INSIDE, planInForce, planOf } from '../../../domain/parking/stay.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import {
  addDays,
  businessDayOf,
  isoInstant,
  startOfBusinessDay,
} from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { endpoint, type Registration } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { dayOf } from '../../../kernel/server/today.ts';
import { LOT_DAYS, LOT_MENU, parkingLot, type LotDay, type LotTrial } from './parking-lot.contract.ts';

const ROOT = '/jinmao/web/parkingLot/:id';
const PARKED = `(SELECT count(*)::int FROM parking_order WHERE lot_id = t.id AND ${INSIDE})`;
const NO_PLAN: Label = ['请先设置小型车收费方案', 'Set the fee plan of small cars first'];

const bound: BoundResource = bindResource(parkingLot, {
  table: 'parking_lot',
  from: `parking_lot t LEFT JOIN LATERAL (SELECT f.* FROM parking_fee_plan f WHERE f.lot_id = t.id AND f.vehicle_class = 'small'
    AND f.valid_from <= (now() AT TIME ZONE 'Asia/Shanghai')::date ORDER BY f.valid_from DESC LIMIT 1) plan ON true`,
  joins: { project: 'project' },
  links: {
    gates: { table: 'parking_lot_gate', own: 'lot_id', other: 'gate_id', to: 'road_gate' },
  },
  columns: {
    parked: PARKED,
    free: `greatest(0, t.spaces - ${PARKED})`,
    load: `(CASE WHEN ${PARKED} > t.spaces THEN 'over' WHEN ${PARKED} = t.spaces THEN 'full' ELSE 'free' END)`,
    plan: `(CASE WHEN plan.id IS NOT NULL THEN plan.first_minutes || 'min ¥' || to_char(plan.first_fen / 100.0, 'FM999990.00') || ' + ' || plan.unit_minutes
      || 'min ¥' || to_char(plan.unit_fen / 100.0, 'FM999990.00') || CASE WHEN plan.cap_fen IS NULL THEN '' ELSE ' ≤ ¥' || to_char(plan.cap_fen / 100.0, 'FM999990.00') || '/24h' END END)`,
    freeMinutes: 'plan.free_minutes',
    gatesOnline: `(SELECT count(*) FILTER (WHERE g.state = 'online' AND g.enabled) || '/' || count(*) FROM parking_lot_gate x JOIN road_gate g ON g.id = x.gate_id WHERE x.lot_id = t.id)`,
  },
  scope: residentScope('t.project_id', 't.created_by'),
  search: 't.search',
  unique: {
    parking_lot_name: ['该项目已有同名停车场', 'The project has a lot of this name'],
    parking_lot_gate_once: ['道闸已属于其他停车场', 'A gate belongs to another lot'],
    parking_fee_plan_day: ['该车型在此生效日已有方案', 'The class has a plan from that day already'],
    parking_pass_once: ['车牌在此期间已有月卡', 'A plate has a pass at that time already'],
  },
  usedBy: {
    parking_lot_gate: false,
    parking_fee_plan: false,
    parking_pass: false,
    parking_coupon: false,
    parking_order: ['停车订单', 'Parking orders'],
  },
  extra: { planId: 'plan.id' },
  ruleReads: ['enabled', 'parked', 'planId'],
  rowRules: {
    enable: (row) =>
      row.enabled === true ? ['已启用', 'Enabled already'] : row.planId === null ? NO_PLAN : undefined,
    disable: (row) =>
      row.enabled === false
        ? ['已停用', 'Disabled already']
        : Number(row.parked) > 0
          ? [`仍有 ${String(row.parked)} 辆车在场`, `${String(row.parked)} vehicles still inside`]
          : undefined,
  },
  before: [check],
  handlers: { addPlan, addPass, issue },
  endpoints: [
    endpoint({
      method: 'POST',
      path: `${ROOT}/simulate`,
      title: ['停车费试算', 'Parking fee on trial'],
      access: { code: `${LOT_MENU}:btn_simulate` },
      body: z.strictObject({
        vehicleClass: z.enum(Object.keys(VEHICLE_CLASSES) as [VehicleClass]),
        entry: z.iso.datetime({ offset: true }),
        exit: z.iso.datetime({ offset: true }),
        coupon: z
          .strictObject({
            kind: z.enum(Object.keys(COUPON_KINDS) as [CouponKind]),
            value: z.number().int().min(0).max(1_000_000),
          })
          .optional(),
      }),
      handle: async (call): Promise<LotTrial> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const { db } = call.platform.database;
        const [entry, exit] = [new Date(call.body.entry), new Date(call.body.exit)];
        if (exit < entry) throw invalid({ exit: ['离场不能早于入场', 'The exit lies before the entry'] });
        if (minutesOf(entry, exit) > 366 * 1440) throw invalid({ exit: ['最长一年', 'One year at most'] });
        const plan = await planInForce(db, id, call.body.vehicleClass, entry);
        if (plan === null) throw ruleBroken(['入场当天没有收费方案', 'No plan is in force on that day']);
        const quote = quoteStay(await planOf(db, plan), minutesOf(entry, exit), call.body.coupon);
        return {
          minutes: quote.minutes,
          windows: quote.windows.map((one) => ({
            ...one,
            raw: yuanFromFen(one.raw),
            fee: yuanFromFen(one.fee),
          })),
          gross: yuanFromFen(quote.gross),
          discount: yuanFromFen(quote.discount),
          due: yuanFromFen(quote.gross - quote.discount),
          coveredUntil: isoInstant(minutesAfter(entry, quote.covered)),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/today`,
      title: ['停车场今日', 'A lot today'],
      access: { code: LOT_MENU },
      handle: async (call): Promise<LotDay> => {
        const id = idOf(call.params.id);
        const lot = await bound.find(call, id);
        const rows = await run<{
          hour: number;
          entries: number;
          exits: number;
          income: number;
          refunded: number;
        }>(
          call.platform.database.db,
          `SELECT x.hour, sum(x.entries)::int AS entries, sum(x.exits)::int AS exits, sum(x.income)::bigint AS income, sum(x.refunded)::bigint AS refunded FROM (
             SELECT extract(hour FROM entry_at AT TIME ZONE 'Asia/Shanghai')::int AS hour, 1 AS entries, 0 AS exits, 0 AS income, 0 AS refunded
               FROM parking_order WHERE lot_id = $1 AND parent_id IS NULL AND entry_at >= $2
             UNION ALL SELECT extract(hour FROM exit_at AT TIME ZONE 'Asia/Shanghai')::int, 0, 1, 0, 0
               FROM parking_order WHERE lot_id = $1 AND parent_id IS NULL AND exit_at >= $2
             UNION ALL SELECT extract(hour FROM p.at AT TIME ZONE 'Asia/Shanghai')::int, 0, 0, CASE p.kind WHEN 'payment' THEN p.amount ELSE 0 END,
                      CASE p.kind WHEN 'refund' THEN p.amount ELSE 0 END
               FROM parking_payment p JOIN parking_order o ON o.id = p.order_id WHERE o.lot_id = $1 AND p.state = 'succeeded' AND p.at >= $2) x GROUP BY x.hour`,
          [id, startOfBusinessDay(businessDayOf(new Date()))],
        );
        const by = new Map(rows.map((row) => [row.hour, row]));
        const sum = (name: 'entries' | 'exits' | 'income' | 'refunded') =>
          rows.reduce((all, row) => all + row[name], 0);
        return {
          entries: sum('entries'),
          exits: sum('exits'),
          income: yuanFromFen(sum('income')),
          refunded: yuanFromFen(sum('refunded')),
          hours: Array.from({ length: 24 }, (_, hour) => ({
            hour: String(hour).padStart(2, '0'),
            entries: by.get(hour)?.entries ?? 0,
            exits: by.get(hour)?.exits ?? 0,
            income: (by.get(hour)?.income ?? 0) / 100,
          })),
          days: await lastDays(call.platform.database.db, id, Number(lot.spaces)),
        };
      },
    }),
  ],
  also: { options: [parkingOptions('parkingGate', LOT_MENU, 'road_gate')] },
});

/** Car parks. */
export const registration: Registration = bound.registration;

/** What the cars that left on each of the last days paid, further payments with the stay they belong to, and how often a space was used. */
async function lastDays(db: Executor, lotId: number, spaces: number): Promise<LotDay['days']> {
  const today = businessDayOf(new Date());
  const from = addDays(today, 1 - LOT_DAYS);
  const rows = await run<{ day: string; income: number; exits: number }>(
    db,
    `SELECT ${dayOf('x.at')}::text AS day, sum(x.income)::bigint AS income, sum(x.exits)::int AS exits FROM (
       SELECT o.exit_at AS at, o.paid - o.refunded AS income, 1 AS exits FROM parking_order o
        WHERE o.lot_id = $1 AND o.parent_id IS NULL AND o.exit_at >= $2
       UNION ALL SELECT o.exit_at, c.paid - c.refunded, 0 FROM parking_order o JOIN parking_order c ON c.parent_id = o.id
        WHERE o.lot_id = $1 AND o.parent_id IS NULL AND o.exit_at >= $2) x GROUP BY 1`,
    [lotId, startOfBusinessDay(from)],
  );
  const by = new Map(rows.map((row) => [row.day, row]));
  return Array.from({ length: LOT_DAYS }, (_, index) => {
    const day = addDays(from, index);
    const exits = by.get(day)?.exits ?? 0;
    return {
      day,
      income: (by.get(day)?.income ?? 0) / 100,
      exits,
      turnover: Math.round((100 * exits) / spaces) / 100,
    };
  });
}

/** The gates of a lot are gates of its project. */
async function check({ action, input, row, tx, caller, columns }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const project = Number(action === 'create' ? input.project : row.project_id);
  if (action === 'create') {
    requireProjectsInReach(caller, [project]);
    columns.enabled = false;
  }
  const gates = (input.gates ?? []) as readonly number[];
  if (gates.length === 0) return;
  const foreign = await runOne(
    tx,
    'SELECT id FROM road_gate WHERE id = ANY($1::bigint[]) AND project_id <> $2',
    [gates, project],
  );
  if (foreign) throw invalid({ gates: ['道闸不属于该项目', 'A gate belongs to another project'] });
}

async function addPlan({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const from = String(input.validFrom);
  if (from < businessDayOf(new Date()))
    throw invalid({ validFrom: ['生效日不能早于今天', 'Not before today'] });
  await run(
    tx,
    `INSERT INTO parking_fee_plan (lot_id, project_id, vehicle_class, free_minutes, free_deduct, first_minutes, first_fen, unit_minutes, unit_fen, cap_fen, valid_from, created_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      id,
      row.project_id,
      input.vehicleClass,
      input.freeMinutes,
      input.freeDeduct === true,
      input.firstMinutes,
      input.first,
      input.unitMinutes,
      input.unit,
      input.cap ?? null,
      from,
      staffIdOf(caller),
    ],
  );
  return { remark: `${VEHICLE_CLASSES[input.vehicleClass as VehicleClass].label[0]} · ${from}` };
}

/** Plates as they are kept, each once. */
function platesOf(value: unknown): string[] {
  const plates = [...new Set((value as readonly string[]).map(plateOf))];
  const bad = plates.find((plate) => !/^[\p{L}\p{N}]{5,10}$/u.test(plate));
  if (bad !== undefined) throw invalid({ plates: [`车牌「${bad}」不正确`, `“${bad}” is no plate`] });
  return plates;
}

async function addPass({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const plates = platesOf(input.plates);
  if (String(input.endsOn) < String(input.startsOn))
    throw invalid({ endsOn: ['不能早于开始日', 'Not before the first day'] });
  if (input.member && plates.length > 1)
    throw invalid({ member: ['会员只用于单个车牌', 'A member stands for one plate'] });
  await run(
    tx,
    `INSERT INTO parking_pass (lot_id, project_id, plate, kind, starts_on, ends_on, member_id, note, created_by, updated_by)
     SELECT $1, $2, x.plate, $4, $5, $6, $7, $8, $9, $9 FROM unnest($3::text[]) AS x (plate)`,
    [
      id,
      row.project_id,
      plates,
      input.kind,
      input.startsOn,
      input.endsOn,
      input.member ?? null,
      input.note ?? '',
      staffIdOf(caller),
    ],
  );
  return { remark: plates.join('、').slice(0, 200), result: { n: String(plates.length) } };
}

async function issue({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const plates = platesOf(input.plates);
  if (String(input.validTo) < businessDayOf(new Date()))
    throw invalid({ validTo: ['不能早于今天', 'Not before today'] });
  const kind = input.kind as CouponKind;
  const value = kind === 'free' ? 0 : input[kind];
  if (value === undefined || value === null)
    throw invalid({ [kind]: ['此项必填', 'This field is required'] });
  await run(
    tx,
    `INSERT INTO parking_coupon (lot_id, project_id, kind, value, tenant_id, plate, valid_to, created_by, updated_by)
     SELECT $1, $2, $4, $5, $6, x.plate, $7, $8, $8 FROM unnest($3::text[]) AS x (plate)`,
    [id, row.project_id, plates, kind, value, input.merchant ?? null, input.validTo, staffIdOf(caller)],
  );
  return { remark: plates.join('、').slice(0, 200), result: { n: String(plates.length) } };
}
