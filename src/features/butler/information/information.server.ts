import { keeperCandidates } from '../../../domain/property-staff/keeper-candidates.server.ts';
import { z } from 'zod';
import { butlerIn } from '../../../domain/butler/options.server.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { filteredProjects, projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { followStandIn, heldHouses, housesOf } from '../../../domain/property-staff/housekeeper.server.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf, isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, namedAsAsked, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Call, type OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { inReach } from '../../../kernel/server/resource/abilities/reach.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import {
  assignTo,
  checkHousekeeper,
  createHousekeeper,
  leaveHousekeeper,
  transferFrom,
} from '../../property/housekeeper/housekeeper.server.ts';
import {
  butlerCoverage,
  butlerInfo,
  type CoverageMatrix,
  type CoverageUnit,
  type HandoverLoad,
} from './information.contract.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const ROOT = '/jinmao/web/butlerInfo';
const MONTH = `(date_trunc('month', now() AT TIME ZONE 'Asia/Shanghai') AT TIME ZONE 'Asia/Shanghai')`;
const LEFT: Label = ['管家已离岗', 'The butler has left'];
const HELD = `FROM housekeeper_building a WHERE a.housekeeper_id = t.id AND a.kind = 'main' AND a.valid_from <= ${TODAY} AND (a.valid_to IS NULL OR a.valid_to >= ${TODAY})`;
const ON_LEAVE = `EXISTS (SELECT FROM leave_record l WHERE l.staff_id = t.staff_id AND l.kind = 'leave' AND l.state = 'approved' AND l.starts_at <= now() AND l.ends_at > now())`;
const DUTY = `(CASE WHEN t.left_at IS NOT NULL THEN 'left' WHEN ${ON_LEAVE} THEN 'leave' ELSE 'on' END)`;
const STANDS_IN = `coalesce(t.stand_in_from <= ${TODAY} AND t.stand_in_to >= ${TODAY}, false)`;
/** Off today and nobody acts for them. */
const UNCOVERED = `(${DUTY} = 'leave' AND NOT ${STANDS_IN})`;
/**
 * The first and last day of the approved time off of today or next within 60 days, which proposes a stand-in. A request is of a
 * day at most: those with less than three days between them are one time off.
 */
const OFF = `(SELECT to_char(min(y.starts_at) AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD') || ' – ' || to_char((max(y.ends_at) - interval '1 microsecond') AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD')
  FROM (SELECT x.starts_at, x.ends_at, sum(x.gap) OVER (ORDER BY x.starts_at) AS gaps
    FROM (SELECT l.starts_at, l.ends_at, (l.starts_at > coalesce(lag(l.ends_at) OVER (ORDER BY l.starts_at), l.starts_at) + interval '3 days')::int AS gap FROM leave_record l
      WHERE l.staff_id = t.staff_id AND l.kind = 'leave' AND l.state = 'approved' AND l.ends_at > now() AND l.starts_at < now() + interval '60 days') x) y
  WHERE y.gaps = 0)`;
const inPlaces = (column: 'id' | 'centre_id' | 'unit_id', ids: string) =>
  `t.id IN (SELECT a.housekeeper_id FROM housekeeper_building a JOIN project p ON p.id = a.project_id WHERE a.kind = 'main' AND a.valid_from <= ${TODAY}
     AND (a.valid_to IS NULL OR a.valid_to >= ${TODAY}) AND p.${column} = ANY(${ids}::bigint[]))`;
const ids = z.string().regex(/^(\d{1,15}(,\d{1,15}){0,499})?$/);
const id = z.string().regex(/^\d{1,15}$/);

/** Enabled staff of the company who are no butler. */
const candidates = keeperCandidates({
  target: 'butlerCandidate',
  menu: butlerInfo.menu,
  search: `(s.name || ' ' || s.account || ' ' || coalesce(s.staff_no, ''))`,
  note: 'coalesce(s.staff_no, s.account)',
});

/** Places by their full name, so that one text names one: who keeps butlers need not hold the menus of the property. */
const placeSource = (target: string, rows: string): OptionSource => ({
  target,
  anyOf: [butlerInfo.menu],
  find: async ({ caller, platform }, query) => {
    const parameters = new Parameters();
    const parts = [placeCondition(caller, residentScope('x.project_id'), parameters)];
    if (query.ids.length > 0) parts.push(`x.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    if (query.searchVal) parts.push(`x.title ILIKE ${parameters.bind(containing(query.searchVal))}`);
    const found = await run<{ id: number; title: string }>(
      platform.database.db,
      `SELECT x.id, x.title FROM (${rows}) x WHERE ${parts.join(' AND ')} ORDER BY ${nameOrder('x.title')}, x.id
        LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return found.map((row) => ({ ...row, id: String(row.id) }));
  },
});
const placeSources = [
  placeSource(
    'butlerBuilding',
    `SELECT b.id, b.project_id, p.name || ' ' || b.name AS title FROM building b JOIN project p ON p.id = b.project_id`,
  ),
  placeSource(
    'butlerBuildingUnit',
    `SELECT u.id, b.project_id, p.name || ' ' || b.name || u.name AS title FROM building_unit u JOIN building b ON b.id = u.building_id JOIN project p ON p.id = b.project_id`,
  ),
  placeSource(
    'butlerHouse',
    `SELECT h.id, h.project_id, p.name || ' ' || b.name || u.name || h.number AS title FROM house h JOIN building_unit u ON u.id = h.unit_id
       JOIN building b ON b.id = u.building_id JOIN project p ON p.id = b.project_id WHERE h.merged_into_id IS NULL`,
  ),
];

const atWork = (row: Readonly<Record<string, unknown>>): Label | undefined =>
  row.duty === 'left' ? LEFT : undefined;

const bound: BoundResource = bindResource(butlerInfo, {
  table: 'housekeeper',
  entity: 'housekeeper',
  from: 'housekeeper t LEFT JOIN staff s ON s.id = t.staff_id LEFT JOIN housekeeper o ON o.id = t.stand_in_id LEFT JOIN staff os ON os.id = o.staff_id',
  columns: {
    staff: { id: 't.staff_id', title: 's.name' },
    name: 's.name',
    photo: 't.photo_id',
    staffNo: 's.staff_no',
    contactPhone: `coalesce(nullif(t.contact_phone, ''), s.phone)`,
    firstBuildings: `'[]'::jsonb`,
    firstUnits: `'[]'::jsonb`,
    firstHouses: `'[]'::jsonb`,
    firstDay: 'NULL::date',
    centres: `(SELECT coalesce(jsonb_agg(DISTINCT jsonb_build_object('id', c.id::text, 'title', c.name)), '[]') FROM project p JOIN organisation c ON c.id = p.centre_id WHERE p.id IN (SELECT a.project_id ${HELD}))`,
    unit: `'[]'::jsonb`,
    projects: `(SELECT coalesce(jsonb_agg(DISTINCT jsonb_build_object('id', p.id::text, 'title', p.name)), '[]') FROM project p WHERE p.id IN (SELECT a.project_id ${HELD}))`,
    buildings: `(SELECT jsonb_agg(DISTINCT jsonb_build_object('name', b.name, 'project', b.project_id)) FROM building b WHERE b.id IN (SELECT a.building_id ${HELD}))`,
    // What a caller sees of them follows from the projects in reach; see `figures`.
    houses: '0',
    households: '0',
    validMonth: '0::bigint',
    standInNow: `(CASE WHEN ${STANDS_IN} THEN os.name END)`,
    standIn: { id: 't.stand_in_id', title: 'os.name' },
    leave: OFF,
    uncovered: UNCOVERED,
    duty: DUTY,
  },
  writes: {
    staff: 'staff_id',
    photo: 'photo_id',
    firstBuildings: false,
    firstUnits: false,
    firstHouses: false,
    firstDay: false,
  },
  filters: {
    centres: (value, parameters) => inPlaces('centre_id', parameters.bind(value.split(',').map(Number))),
    unit: (value, parameters) => inPlaces('unit_id', parameters.bind(value.split(',').map(Number))),
    projects: (value, parameters, caller) =>
      inPlaces('id', parameters.bind(filteredProjects(caller, 'projects', value))),
  },
  scope: { tenant: 's.tenant_id', project: (reach) => butlerIn(reach, 't.id'), owner: 't.staff_id' },
  search: `lower(s.name || ' ' || coalesce(s.staff_no, ''))`,
  searchExact: ['t.contact_phone', 's.phone'],
  ruleReads: ['duty'],
  rowRules: { update: atWork, assign: atWork, handover: atWork, standIn: atWork, leave: atWork },
  before: [checkHousekeeper],
  handlers: {
    create,
    assign: async (context) => {
      await placesInReach(context);
      const done = await assignTo(context);
      changed(context);
      return done;
    },
    handover,
    standIn,
    leave: async (context) => {
      const held = await heldHouses(context.tx, Number(context.row.staff_id));
      if (held > 0) throw ruleBroken([`还有 ${held} 户未交接`, `${held} houses not handed over`]);
      return leaveHousekeeper(context);
    },
  },
  present: async (rows, db, caller) => {
    await showFiles(rows, db, 'photo');
    await figures(rows, db, caller);
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/load`,
      title: ['交接随带事项', 'What goes along with a handover'],
      access: { code: `${butlerInfo.menu}:btn_handover` },
      query: z.strictObject({ buildings: ids.default(''), units: ids.default(''), houses: ids.default('') }),
      handle: async (call): Promise<HandoverLoad> => {
        const butler = idOf(call.params.id);
        await bound.find(call, butler);
        const list = (text: string) => (text ? text.split(',').map(Number) : []);
        return loadOf(call.platform.database.db, call.caller, butler, {
          buildings: list(call.query.buildings),
          units: list(call.query.units),
          houses: list(call.query.houses),
        });
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/matrix`,
      title: ['项目管家覆盖', 'Butlers of a project by building'],
      access: { code: butlerInfo.menu },
      query: z.strictObject({ project: id }),
      handle: (call) => matrixOf(call.platform.database.db, call.caller, Number(call.query.project)),
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/:id/receive`,
      title: ['覆盖图交接', 'Give a building or unit to a butler'],
      access: { code: `${butlerInfo.menu}:btn_handover` },
      body: z.strictObject({
        building: id.optional(),
        unit: id.optional(),
        from: z.string().refine(isBusinessDay),
        note: z.string().max(200).default(''),
      }),
      handle: async (call) => {
        const to = idOf(call.params.id);
        await bound.find(call, to);
        const { building, unit, from, note } = call.body;
        if (Boolean(building) === Boolean(unit)) throw notFound();
        const houses = await transaction(call.platform.database.db, (tx) =>
          receive(tx, call, to, { building, unit, from, note }),
        );
        for (const name of [
          'housekeeper',
          'butlerAssignment',
          'housekeeperAssignment',
          'butlerCoverage',
          'butlerHandover',
        ])
          call.platform.changed(name);
        return { houses };
      },
    }),
  ],
  also: {
    options: [candidates, ...placeSources],
    todos: [
      {
        kind: 'butlerStandIn',
        label: ['管家请假待安排代班', 'Butlers off without a stand-in'],
        menu: butlerInfo.menu,
        route: `/butlermanager/${butlerInfo.menu}?uncovered=true`,
        order: 640,
        count: async ({ caller, platform }) => {
          const parameters = new Parameters();
          const scope = scopeCondition(
            caller,
            butlerInfo.menu,
            { tenant: 's.tenant_id', project: (reach) => butlerIn(reach, 't.id'), owner: 't.staff_id' },
            parameters,
          );
          const row = await runOne<{ count: number }>(
            platform.database.db,
            `SELECT count(*)::int AS count FROM housekeeper t LEFT JOIN staff s ON s.id = t.staff_id WHERE ${scope} AND ${UNCOVERED}`,
            parameters.values,
          );
          return { count: row!.count, oldest: null, overdue: 0 };
        },
      },
    ],
  },
});

/** Butlers: the housekeepers as group 12 looks at them. */
export const registration = bound.registration;

const changed = ({ platform }: Pick<ActionContext, 'platform'>) => {
  for (const name of ['butlerAssignment', 'housekeeperAssignment', 'butlerCoverage', 'butlerHandover'])
    platform.changed(name);
};

/** Buildings, units and houses that are named have to be in the caller's reach. */
async function placesInReach(context: ActionContext): Promise<void> {
  const named = (name: string) => ((context.input[name] ?? []) as number[]).map(Number);
  const { input } = butlerInfo.actions!.assign;
  for (const name of ['buildings', 'units', 'houses'] as const)
    await inReach(context, input![name]!, named(name));
}

async function create(context: ActionContext): Promise<ActionResult> {
  const { input, tx, caller } = context;
  const named = {
    buildings: input.firstBuildings ?? [],
    units: input.firstUnits ?? [],
    houses: input.firstHouses ?? [],
  };
  if (Object.values(named).every((list) => (list as readonly unknown[]).length === 0))
    throw invalid({ firstBuildings: ['请选择管辖的楼栋、单元或房屋', 'Choose buildings, units or houses'] });
  const made = await createHousekeeper(context);
  await run(tx, 'UPDATE housekeeper SET contact_phone = $2 WHERE id = $1', [made.id, input.contactPhone]);
  const row = await runOne<Record<string, unknown>>(tx, 'SELECT * FROM housekeeper WHERE id = $1', [made.id]);
  const inner = { ...context, id: made.id!, row: row!, caller, input: { ...named, from: input.firstDay } };
  await placesInReach(inner);
  await assignTo(inner);
  changed(context);
  return made;
}

async function handover(context: ActionContext): Promise<ActionResult> {
  const { input, tx, id: from } = context;
  const vacant = input.vacant === true;
  if (vacant && input.successor)
    throw invalid({ successor: ['空缺时不选新管家', 'Nobody is chosen for vacant houses'] });
  if (!vacant && !input.successor) throw invalid({ successor: ['请选择新管家', 'Choose the new butler'] });
  if (String(input.handoverDay) < businessDayOf(new Date()))
    throw invalid({ handoverDay: ['不能早于今天', 'Not before today'] });
  await placesInReach(context);
  if (input.successor)
    await inReach(context, butlerInfo.actions!.handover.input!.successor!, [Number(input.successor)]);
  // What is wrong with receiver or day is said at the inputs of this form.
  const done = await namedAsAsked({ to: 'successor', from: 'handoverDay' }, () =>
    transferFrom({ ...context, input: { ...input, to: input.successor, from: input.handoverDay } }),
  );
  if (input.successor) await tellNew(tx, from, Number(input.successor), String(input.handoverDay));
  changed(context);
  return done;
}

/** The new butler learns what is coming. */
async function tellNew(tx: Tx, from: number, to: number, day: string): Promise<void> {
  const names = (await runOne<{ staffId: number; former: string }>(
    tx,
    `SELECT k.staff_id AS "staffId", (SELECT s.name FROM housekeeper f JOIN staff s ON s.id = f.staff_id WHERE f.id = $2) AS former FROM housekeeper k WHERE k.id = $1`,
    [to, from],
  ))!;
  await notify(tx, {
    kind: 'butler',
    staffIds: [names.staffId],
    title: ['有房屋交接给您', 'Houses are handed over to you'],
    body: [`${names.former} 的房屋自 ${day} 起由您负责`, `Houses of ${names.former} are yours from ${day}`],
    aboutReceiver: true,
  });
}

/** Somebody acts for all houses of the butler in a period. */
async function standIn(context: ActionContext): Promise<ActionResult> {
  const { tx, id: butler, input } = context;
  await inReach(context, butlerInfo.actions!.standIn.input!.standIn!, [Number(input.standIn)]);
  await checkHousekeeper({ ...context, action: 'update' });
  await run(
    tx,
    'UPDATE housekeeper SET stand_in_id = $2, stand_in_from = $3, stand_in_to = $4 WHERE id = $1',
    [butler, input.standIn, input.standInFrom, input.standInTo],
  );
  await followStandIn(tx, butler);
  changed(context);
  return { remark: `${String(input.standInFrom)} – ${String(input.standInTo)}` };
}

/** A building or unit goes to a butler: what others have of it is handed over, what nobody has is assigned. */
async function receive(
  tx: Tx,
  call: Pick<Call, 'caller' | 'platform' | 'facts'>,
  to: number,
  place: { building?: string | undefined; unit?: string | undefined; from: string; note: string },
): Promise<number> {
  const houses = await housesOf(tx, {
    buildings: place.building ? [Number(place.building)] : [],
    units: place.unit ? [Number(place.unit)] : [],
  });
  const all = houses.map((one) => one.id);
  const holders = await run<{ id: number | null; houses: number[] }>(
    tx,
    `SELECT x.housekeeper_id AS id, array_agg(DISTINCT h.id ORDER BY h.id) AS houses FROM unnest($1::bigint[]) h (id)
       LEFT JOIN housekeeper_house x ON x.house_id = h.id AND x.kind = 'main' AND x.days && daterange($2::date, NULL) GROUP BY 1 ORDER BY 1`,
    [all, place.from],
  );
  let count = 0;
  for (const holder of holders.filter((one) => one.id !== to)) {
    const named = { houses: holder.houses.map(String), ...(place.note && { note: place.note }) };
    await (holder.id === null
      ? bound.actIn(tx, call, 'assign', to, { ...named, from: place.from })
      : bound.actIn(tx, call, 'handover', holder.id, {
          ...named,
          successor: String(to),
          handoverDay: place.from,
        }));
    count += holder.houses.length;
  }
  if (count === 0) throw ruleBroken(['已全部由该管家负责', 'This butler has all of it already']);
  return count;
}

/** Houses, households and results of the rows, of the projects the caller works in. */
async function figures(rows: DbRow[], db: Executor, caller: Caller): Promise<void> {
  const found = await run<{ id: number; houses: number; households: number; valid: number }>(
    db,
    `SELECT t.id, (SELECT count(*)::int FROM housekeeper_house x JOIN house h ON h.id = x.house_id WHERE x.housekeeper_id = t.id AND x.kind = 'main' AND x.days @> ${TODAY}
               AND ($2::bigint[] IS NULL OR h.project_id = ANY($2::bigint[]))) AS houses,
            (SELECT count(*)::int FROM household m JOIN house h ON h.id = m.house_id WHERE m.status = 'normal' AND ($2::bigint[] IS NULL OR h.project_id = ANY($2::bigint[]))
               AND m.house_id IN (SELECT x.house_id FROM housekeeper_house x WHERE x.housekeeper_id = t.id AND x.kind = 'main' AND x.days @> ${TODAY})) AS households,
            (SELECT coalesce(sum(p.valid), 0)::bigint FROM butler_performance p WHERE p.housekeeper_id = t.id AND p.paid_at >= ${MONTH}
               AND ($2::bigint[] IS NULL OR p.project_id = ANY($2::bigint[]))) AS valid
       FROM unnest($1::bigint[]) t (id)`,
    [rows.map((row) => Number(row.id)), caller.projectIds],
  );
  const of = new Map(found.map((one) => [Number(one.id), one]));
  for (const row of rows) {
    const figure = of.get(Number(row.id));
    if ('houses' in row) row.houses = figure?.houses ?? 0;
    if ('households' in row) row.households = figure?.households ?? 0;
    if ('validMonth' in row) row.validMonth = figure?.valid ?? 0;
    if ('projects' in row)
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
    if ('buildings' in row)
      row.buildings = ((row.buildings ?? []) as readonly { name: string; project: number }[])
        .flatMap(({ name, project }) =>
          caller.projectIds === null || caller.projectIds.includes(project) ? [name] : [],
        )
        .join('、');
  }
}

/** Open work, reminders that were not read and unpaid bills of the houses a butler has of some places. */
async function loadOf(
  db: Executor,
  caller: Caller,
  butler: number,
  named: { buildings: number[]; units: number[]; houses: number[] },
): Promise<HandoverLoad> {
  const chosen = await housesOf(db, named);
  const row = (await runOne<Omit<HandoverLoad, 'owed'> & { owed: number }>(
    db,
    `WITH own AS (SELECT DISTINCT x.house_id AS id FROM housekeeper_house x JOIN house h ON h.id = x.house_id WHERE x.housekeeper_id = $1 AND x.kind = 'main'
         AND x.house_id = ANY($2::bigint[]) AND x.days && daterange(${TODAY}, NULL) AND ($3::bigint[] IS NULL OR h.project_id = ANY($3::bigint[])))
     SELECT (SELECT count(*)::int FROM own) AS houses,
            (SELECT count(*)::int FROM work_order w WHERE w.house_id IN (SELECT id FROM own) AND w.status NOT IN ('finished', 'cancelled_by_member', 'cancelled_by_staff')) AS "workOrders",
            (SELECT count(*)::int FROM butler_reminder_recipient r JOIN butler_reminder m ON m.id = r.reminder_id AND m.state = 'sent' WHERE r.housekeeper_id = $1 AND r.read_at IS NULL
               AND r.project_ids && ARRAY(SELECT h.project_id FROM house h WHERE h.id IN (SELECT id FROM own))) AS reminders,
            (SELECT count(*)::int FROM bill b WHERE b.house_id IN (SELECT id FROM own) AND b.state IN ('unpaid', 'part')) AS bills,
            (SELECT coalesce(sum(b.owed_principal + b.owed_late_fee), 0)::bigint FROM bill b WHERE b.house_id IN (SELECT id FROM own) AND b.state IN ('unpaid', 'part')) AS owed`,
    [butler, chosen.map((one) => one.id), caller.projectIds],
  ))!;
  return { ...row, owed: yuanFromFen(row.owed) };
}

/** Buildings of a project with their units, and who has how many houses of each today. */
async function matrixOf(db: Executor, caller: Caller, project: number): Promise<CoverageMatrix> {
  const parameters = new Parameters();
  const scope = scopeCondition(caller, butlerCoverage.menu, residentScope('b.project_id'), parameters);
  const rows = await run<{
    building: number;
    buildingName: string;
    unit: number;
    unitName: string;
    houses: number;
    butler: number | null;
    name: string | null;
  }>(
    db,
    `SELECT b.id AS building, b.name AS "buildingName", u.id AS unit, u.name AS "unitName", x.housekeeper_id AS butler, s.name, count(*)::int AS houses
       FROM building b JOIN building_unit u ON u.building_id = b.id JOIN house h ON h.unit_id = u.id
       LEFT JOIN housekeeper_house x ON x.house_id = h.id AND x.kind = 'main' AND x.days @> ${TODAY} LEFT JOIN housekeeper k ON k.id = x.housekeeper_id LEFT JOIN staff s ON s.id = k.staff_id
      WHERE b.project_id = ${parameters.bind(project)} AND ${scope} GROUP BY b.id, u.id, x.housekeeper_id, s.name
      ORDER BY ${nameOrder('b.name')}, b.id, ${nameOrder('u.name')}, u.id, x.housekeeper_id`,
    parameters.values,
  );
  const buildings = new Map<
    number,
    {
      id: string;
      name: string;
      units: Map<number, CoverageUnit & { butlers: CoverageUnit['butlers'][number][] }>;
    }
  >();
  for (const row of rows) {
    const building = buildings.get(row.building) ?? {
      id: String(row.building),
      name: row.buildingName,
      units: new Map(),
    };
    buildings.set(row.building, building);
    const before = building.units.get(row.unit);
    building.units.set(row.unit, {
      id: String(row.unit),
      name: row.unitName,
      houses: (before?.houses ?? 0) + row.houses,
      vacant: (before?.vacant ?? 0) + (row.butler === null ? row.houses : 0),
      butlers: [
        ...(before?.butlers ?? []),
        ...(row.butler === null ? [] : [{ id: String(row.butler), name: row.name!, houses: row.houses }]),
      ],
    });
  }
  const choose = new Parameters();
  const own = scopeCondition(
    caller,
    butlerInfo.menu,
    { tenant: 's.tenant_id', project: (reach) => butlerIn(reach, 't.id'), owner: 't.staff_id' },
    choose,
  );
  const at = choose.bind(project);
  const butlers =
    rows.length === 0
      ? []
      : await run<{ id: number; name: string; houses: number }>(
          db,
          `SELECT t.id, s.name, (SELECT count(*)::int FROM housekeeper_house x JOIN house h ON h.id = x.house_id WHERE x.housekeeper_id = t.id AND x.kind = 'main' AND x.days @> ${TODAY}
                AND h.project_id = ${at}) AS houses
             FROM housekeeper t JOIN staff s ON s.id = t.staff_id WHERE t.left_at IS NULL AND s.state = 'normal' AND ${own}
              AND EXISTS (SELECT FROM tenant n WHERE n.id = s.tenant_id AND (n.kind = 3 OR EXISTS (SELECT FROM tenant_project tp WHERE tp.tenant_id = n.id AND tp.project_id = ${at})))
            ORDER BY 3 DESC, ${nameOrder('s.name')}, t.id LIMIT 60`,
          choose.values,
        );
  return {
    buildings: [...buildings.values()].map((one) => ({ ...one, units: [...one.units.values()] })),
    butlers: butlers.map((one) => ({ ...one, id: String(one.id) })),
  };
}
