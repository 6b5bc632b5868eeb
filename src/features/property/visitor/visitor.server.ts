import { residentScope } from '../../../domain/residents/residents.server.ts';
import { visitPass } from '../../../domain/visitor/visit-pass.server.ts';
import { afterPassage, type PassedVisit, type VisitorState } from '../../../domain/visitor/visitor.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { businessDayOf, isoInstant, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { checkAttachable, showFiles } from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endpoint, type OptionSource, type TodoKind } from '../../../kernel/server/registration.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { visitor, type VisitPassAnswer } from './visitor.contract.ts';

const MENU = visitor.menu;
const HOUR = 3_600_000;
const SCOPE = residentScope('t.project_id', 't.created_by');
const OUTSIDE: Label = ['不在有效时间内', 'Outside the valid time'];
/** The house in words. Aliases: `b` building, `u` unit, `x` house. */
const ADDRESS = `b.name || ' ' || u.name || ' ' || x.number`;

const bound: BoundResource = bindResource(visitor, {
  table: 'visitor_registration',
  from: `visitor_registration t LEFT JOIN household hh ON hh.id = t.household_id LEFT JOIN member m ON m.id = hh.member_id`,
  joins: { project: 'project' },
  columns: {
    // Who is meant is told by the masked name beside it.
    inviter: { id: 't.household_id', title: 't.address' },
    house: { id: 't.house_id', title: 't.address' },
    inviterName: `coalesce(nullif(m.name, ''), m.nickname)`,
    freeParking: `CASE WHEN t.drives = 'yes' THEN t.free_parking_min END`,
    photo: 't.photo_id',
    source: `CASE WHEN t.on_behalf THEN 'desk' ELSE 'app' END`,
  },
  writes: { inviter: 'household_id' },
  scope: SCOPE,
  search: 't.search',
  searchExact: ['t.phone'],
  filters: { phone: (value, parameters) => `t.phone = ${parameters.bind(value.trim())}` },
  tabs: { overdue: () => `t.state = 'arrived' AND t.visit_to < now()` },
  unique: {
    visitor_registration_seat: [
      '该房屋当日访客刚刚有变化，请重试',
      'The visits of this house just changed, please try again',
    ],
  },
  extra: { carOf: 't.car_state' },
  ruleReads: ['carOf'],
  rowRules: {
    passCar: (row) =>
      row.carOf === 'waiting' || row.carOf === 'refused'
        ? undefined
        : ['没有待放行的车辆', 'There is no car to be let in'],
    refuseCar: (row) =>
      row.carOf === 'waiting' || row.carOf === 'passed'
        ? undefined
        : ['没有可拒绝的车辆', 'There is no car to be refused'],
  },
  checks: {
    pass: ({ row }) => {
      if ((row.visit_to as Date) <= new Date()) throw ruleBroken(OUTSIDE);
    },
    arrive: ({ row }) => {
      const now = new Date();
      if (now < (row.visit_from as Date) || now > (row.visit_to as Date)) throw ruleBroken(OUTSIDE);
    },
  },
  sets: { passCar: { car_state: 'passed' }, arrive: { arrived_at: NOW }, leave: { left_at: NOW } },
  handlers: {
    create,
    refuse: ({ row, input }) => decided(input, row.car_state === 'none' ? {} : { car_state: 'refused' }),
    refuseCar: ({ input }) => decided(input, { car_state: 'refused' }),
    cancel: ({ input }) => decided(input, {}),
    gateIn: (context) => passed(context, 'in'),
    gateOut: (context) => passed(context, 'out'),
  },
  present: (rows: DbRow[], db) => showFiles(rows, db, 'photo'),
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/visitor/:id/pass',
      title: ['访客通行码', 'Pass of a visit'],
      access: { code: MENU },
      handle: async (call): Promise<VisitPassAnswer> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const row = (await runOne<{ state: VisitorState; visit_from: Date; visit_to: Date }>(
          call.platform.database.db,
          'SELECT state, visit_from, visit_to FROM visitor_registration WHERE id = $1',
          [id],
        ))!;
        const now = new Date();
        const live = row.state === 'valid' || row.state === 'arrived';
        const why =
          row.state === 'expired' || (live && now > row.visit_to)
            ? 'over'
            : !live
              ? 'state'
              : now < row.visit_from
                ? 'early'
                : null;
        return {
          code: why ? null : visitPass(call.platform.config, id, row.visit_to),
          why,
          from: isoInstant(row.visit_from),
          to: isoInstant(row.visit_to),
        };
      },
    }),
  ],
  also: {
    options: [houses(), inviters()],
    todos: [toReview()],
    jobs: [
      dueJob(() => bound, {
        name: 'visit.expire',
        title: ['访客到期作废', 'Expire visits whose time is over'],
        cron: '* * * * *',
        action: 'expire',
        when: 't.visit_to < now()',
      }),
    ],
  },
});

/** Visits. */
export const registration = bound.registration;

const decided = async (
  input: Readonly<Record<string, unknown>>,
  set: Record<string, unknown>,
): Promise<ActionResult> => {
  const decision = String(input.decision ?? '');
  return { set: { ...set, decision }, remark: decision };
};

/** A visit entered at the desk: completes its columns and takes one of the house's places of that day. */
async function create({ tx, platform, caller, columns }: ActionContext): Promise<ActionResult> {
  const parameters = new Parameters();
  const place = placeCondition(caller, residentScope('x.project_id'), parameters);
  const home = await runOne<{ house: number; project: number; address: string; status: string }>(
    tx,
    `SELECT x.id AS house, x.project_id AS project, ${ADDRESS} AS address, hh.status
       FROM household hh JOIN house x ON x.id = hh.house_id JOIN building_unit u ON u.id = x.unit_id JOIN building b ON b.id = u.building_id
      WHERE hh.id = ${parameters.bind(columns.household_id)} AND ${place} FOR SHARE OF hh`,
    parameters.values,
  );
  if (!home) throw notFound();
  if (home.status !== 'normal')
    throw invalid({
      inviter: ['邀请人不是该房屋的正常住户', 'The inviter is no normal resident of the house'],
    });
  const at = { projectId: home.project };
  const from = new Date(columns.visit_from as string | Date);
  const to = new Date(columns.visit_to as string | Date);
  const [people, hours] = [
    await platform.settings.numberIn(tx, 'visit.max_people', at),
    await platform.settings.numberIn(tx, 'visit.max_hours', at),
  ];
  if (Number(columns.people) > people)
    throw invalid({ people: [`每次来访最多${people}人`, `At most ${people} people a visit`] });
  if (to <= from) throw invalid({ visitTo: ['须晚于来访时间', 'Must be later than the beginning'] });
  if (to.getTime() - from.getTime() > hours * HOUR)
    throw invalid({ visitTo: [`有效时间最长${hours}小时`, `Valid for ${hours} hours at most`] });
  if (to <= new Date()) throw invalid({ visitTo: ['有效期已过', 'This time is over'] });
  if (from < startOfBusinessDay(businessDayOf(new Date())))
    throw invalid({ visitFrom: ['不能早于今天', 'Not before today'] });
  const byCar = columns.drives === 'yes';
  const plate = String(columns.plate ?? '').toUpperCase();
  if (byCar && plate === '') throw invalid({ plate: ['开车来访请填写车牌', 'Enter the plate of the car'] });
  if (!byCar && plate !== '')
    throw invalid({ plate: ['未开车时不填车牌', 'Without a car there is no plate'] });
  if (columns.photo_id) await checkAttachable(tx, caller, 'photo', [String(columns.photo_id)]);
  const review = await platform.settings.flagIn(tx, 'visit.review', at);
  Object.assign(columns, {
    project_id: home.project,
    house_id: home.house,
    address: home.address,
    plate,
    car_state: byCar ? (review ? 'waiting' : 'passed') : 'none',
    free_parking_min: byCar ? await platform.settings.numberIn(tx, 'visit.free_parking_min', at) : 0,
    on_behalf: true,
    seat: await takeSeat(
      tx,
      home.house,
      from,
      await platform.settings.numberIn(tx, 'visit.daily_per_house', at),
    ),
  });
  return { to: review ? 'to_review' : 'valid' };
}

/** The first free place of the house on the day, at most `limit`; those who come at once wait for each other at the house. */
async function takeSeat(tx: Tx, house: number, from: Date, limit: number): Promise<number> {
  await run(tx, 'SELECT FROM house WHERE id = $1 FOR NO KEY UPDATE', [house]);
  const row = await runOne<{ seat: number | null }>(
    tx,
    `SELECT min(s)::integer AS seat FROM generate_series(1, $3::integer) s
      WHERE NOT EXISTS (SELECT FROM visitor_registration v WHERE v.house_id = $1 AND v.visit_day = ($2::timestamptz AT TIME ZONE 'Asia/Shanghai')::date
        AND v.seat = s AND v.state NOT IN ('refused', 'cancelled'))`,
    [house, from, limit],
  );
  if (row!.seat === null)
    throw ruleBroken([
      `该房屋当日访客已达${limit}次`,
      `The house has its ${limit} visits of the day already`,
    ]);
  return row!.seat;
}

/** What a passage makes of the visit, told with the passage's own time. */
async function passed({ row, input }: ActionContext, direction: 'in' | 'out'): Promise<ActionResult> {
  const next = afterPassage(visitOf(row), direction, new Date(input.at as string | Date))!;
  return {
    to: next.state,
    set: { arrived_at: next.arrivedAt, left_at: next.leftAt },
    remark: `${isoInstant(new Date(input.at as string | Date))}`,
  };
}

const visitOf = (row: DbRow): PassedVisit => ({
  state: row.state as VisitorState,
  from: row.visit_from as Date,
  to: row.visit_to as Date,
  arrivedAt: row.arrived_at as Date | null,
  leftAt: row.left_at as Date | null,
});

/** A visitor passed a door or gate: sets arrived or left where that follows. The visit stays locked until the end of `tx`. */
export async function noteVisitorPassage(
  tx: Tx,
  platform: Platform,
  visitId: number,
  direction: 'in' | 'out',
  at: Date,
): Promise<void> {
  const row = await runOne<DbRow>(tx, 'SELECT * FROM visitor_registration WHERE id = $1 FOR NO KEY UPDATE', [
    visitId,
  ]);
  if (!row || !afterPassage(visitOf(row), direction, at)) return;
  await bound.actAsSystem(tx, platform, direction === 'in' ? 'gateIn' : 'gateOut', visitId, {
    at: at.toISOString(),
  });
}

/** Houses with normal residents, for the form. */
function houses(): OptionSource {
  return {
    target: 'visitHouse',
    anyOf: [MENU],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [placeCondition(caller, residentScope('x.project_id'), parameters)];
      if (query.ids.length > 0) parts.push(`x.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else {
        parts.push(`EXISTS (SELECT FROM household hh WHERE hh.house_id = x.id AND hh.status = 'normal')`);
        if (query.searchVal)
          parts.push(
            `replace(${ADDRESS}, ' ', '') ILIKE ${parameters.bind(containing(query.searchVal.replaceAll(' ', '')))}`,
          );
      }
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT x.id, ${ADDRESS} AS title, p.name AS note FROM house x JOIN building_unit u ON u.id = x.unit_id
           JOIN building b ON b.id = u.building_id JOIN project p ON p.id = x.project_id
          WHERE ${parts.join(' AND ')} ORDER BY p.id, b.id, u.id, lpad(x.number, 20, '0'), x.id
          LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}

/** Normal residents of the chosen house, by masked name. */
function inviters(): OptionSource {
  return {
    target: 'visitInviter',
    anyOf: [MENU],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [placeCondition(caller, residentScope('x.project_id'), parameters)];
      if (query.ids.length > 0)
        parts.push(`hh.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else {
        parts.push(`hh.status = 'normal'`);
        if (query.within && query.within.length > 0)
          parts.push(`x.id = ANY(${parameters.bind(query.within.map(Number))}::bigint[])`);
        // Found by the whole phone or name only: neither is told.
        if (query.searchVal)
          parts.push(
            `(m.phone = ${parameters.bind(query.searchVal.trim())} OR m.name = ${parameters.bind(query.searchVal.trim())})`,
          );
      }
      const rows = await run<{ id: number; name: string; phone: string; identity: string; note: string }>(
        platform.database.db,
        `SELECT hh.id, coalesce(nullif(m.name, ''), m.nickname) AS name, m.phone, hh.identity, ${ADDRESS} AS note
           FROM household hh JOIN member m ON m.id = hh.member_id JOIN house x ON x.id = hh.house_id
           JOIN building_unit u ON u.id = x.unit_id JOIN building b ON b.id = u.building_id
          WHERE ${parts.join(' AND ')} ORDER BY hh.house_id, array_position(ARRAY['owner', 'tenant', 'family'], hh.identity), hh.id
          LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({
        id: String(row.id),
        title: `${maskValue('name', row.name)} ${maskValue('phone', row.phone)}`,
        note: row.note,
      }));
    },
  };
}

function toReview(): TodoKind {
  return {
    kind: 'visit_review',
    label: ['访客待审核', 'Visits to review'],
    menu: MENU,
    route: `/companymanager/${MENU}?tab=to_review`,
    order: 36,
    count: async ({ caller, platform }) => {
      const parameters = new Parameters();
      return (await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*)::integer AS count, min(t.created_at) AS oldest, count(*) FILTER (WHERE t.visit_from < now())::integer AS overdue
           FROM visitor_registration t WHERE t.state = 'to_review' AND ${scopeCondition(caller, MENU, SCOPE, parameters)}`,
        parameters.values,
      ))!;
    },
  };
}
