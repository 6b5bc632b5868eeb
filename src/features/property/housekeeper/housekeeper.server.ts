import { keeperCandidates } from '../../../domain/property-staff/keeper-candidates.server.ts';
import { z } from 'zod';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { addDays, businessDayOf, isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Call } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { filteredProjects, projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { houseOptions, residentScope } from '../../../domain/residents/residents.server.ts';
import {
  assignHouseSet,
  followStandIn,
  heldHouses,
  housesOf,
  transferHouses,
} from '../../../domain/property-staff/housekeeper.server.ts';
import { checkPictures } from '../picture-columns.server.ts';
import { housekeeper, type KeptPlace } from './housekeeper.contract.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const SCOPE = { tenant: 's.tenant_id', project: 'none', owner: 't.staff_id' } as const;
/** Main assignments in force today. */
const HELD = `FROM housekeeper_building a WHERE a.housekeeper_id = t.id AND a.kind = 'main' AND a.valid_from <= ${TODAY} AND (a.valid_to IS NULL OR a.valid_to >= ${TODAY})`;

/** Staff of the company who are none yet, and (by id) those who are. */
const candidates = keeperCandidates({
  target: 'housekeeperCandidate',
  menu: housekeeper.menu,
  search: `(s.name || ' ' || s.account)`,
  note: `concat_ws(' · ', s.account, n.name)`,
});

const bound = bindResource(housekeeper, {
  table: 'housekeeper',
  from: 'housekeeper t LEFT JOIN staff s ON s.id = t.staff_id LEFT JOIN housekeeper o ON o.id = t.stand_in_id LEFT JOIN staff os ON os.id = o.staff_id',
  where: 't.left_at IS NULL',
  columns: {
    staff: { id: 't.staff_id', title: 's.name' },
    name: 's.name',
    photo: 't.photo_id',
    sex: 's.sex::text',
    phone: 's.phone',
    email: 's.email',
    projects: `(SELECT coalesce(jsonb_agg(DISTINCT jsonb_build_object('id', p.id::text, 'title', p.name)), '[]') FROM project p WHERE p.id IN (SELECT a.project_id ${HELD}))`,
    buildings: `(SELECT coalesce(jsonb_agg(DISTINCT jsonb_build_object('id', b.id::text, 'title', p.name || ' ' || b.name, 'project', b.project_id::text)), '[]') FROM building b JOIN project p ON p.id = b.project_id WHERE b.id IN (SELECT a.building_id ${HELD}))`,
    houses: `(SELECT count(*)::integer FROM housekeeper_house x WHERE x.housekeeper_id = t.id AND x.kind = 'main' AND x.days @> ${TODAY})`,
    score: `(SELECT round(avg(CASE e.grade WHEN 'satisfied' THEN 3 WHEN 'fair' THEN 2 ELSE 1 END), 2)::text FROM evaluation e WHERE e.housekeeper_id = t.id)`,
    onLeave: `(EXISTS (SELECT FROM leave_record l WHERE l.staff_id = t.staff_id AND l.kind = 'leave' AND l.state = 'approved' AND l.starts_at <= now() AND l.ends_at > now()))`,
    standIn: { id: 't.stand_in_id', title: 'os.name' },
    enabled: `(s.state = 'normal')`,
  },
  writes: { staff: 'staff_id', photo: 'photo_id', standIn: 'stand_in_id' },
  filters: {
    projects: (value, parameters, caller) =>
      `t.id IN (SELECT a.housekeeper_id FROM housekeeper_building a WHERE a.kind = 'main' AND a.valid_from <= ${TODAY} AND (a.valid_to IS NULL OR a.valid_to >= ${TODAY})
         AND a.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
    enabled: (value) => (value === 'true' ? `s.state = 'normal'` : `s.state <> 'normal'`),
  },
  scope: SCOPE,
  search: 'lower(s.name)',
  searchExact: ['s.phone'],
  before: [checkHousekeeper],
  handlers: { create: createHousekeeper, leave: leaveHousekeeper, assign: assignTo, transfer: transferFrom },
  after: [
    async ({ action, tx, input }, id) => {
      if (action === 'create' || (action === 'update' && 'standIn' in input)) await followStandIn(tx, id);
      if (action === 'update' && 'standInFrom' in input && !('standIn' in input)) await followStandIn(tx, id);
      return [];
    },
  ],
  present: async (rows, db, caller) => {
    await showFiles(rows, db, 'photo');
    for (const row of rows) {
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
      const reach = new Set((row.projects as readonly RefValue[]).map((one) => one.id));
      row.buildings = ((row.buildings ?? []) as readonly (RefValue & { readonly project: string })[]).flatMap(
        ({ id, title, project }) => (reach.has(project) ? [{ id, title }] : []),
      );
    }
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/housekeeper/places',
      title: ['管辖范围树', 'Tree of places and their housekeepers'],
      access: { code: housekeeper.menu },
      query: z.strictObject({
        parent: z
          .string()
          .regex(/^(project|building|unit):\d{1,15}$/)
          .optional(),
        day: z.string().refine(isBusinessDay).optional(),
        housekeeper: z
          .string()
          .regex(/^\d{1,15}$/)
          .optional(),
      }),
      handle: (call) => placesOf(call, call.query),
    }),
  ],
  also: { options: [candidates, houseOptions('housekeeperHouse', [housekeeper.menu])] },
});

/** Housekeepers of the property companies. */
export const registration = bound.registration;

/** The stand-in comes with its period, is another housekeeper of the company and stands for nobody else in it. */
export async function checkHousekeeper(context: ActionContext): Promise<void> {
  const { action, tx, input, row } = context;
  if (action !== 'create' && action !== 'update') return;
  if (input.photo)
    await checkPictures(context, 'photo', [String(input.photo)], row.photo_id ? [String(row.photo_id)] : []);
  const now = (name: string, column: string) => (name in input ? input[name] : row[column]) ?? null;
  const [who, from, to] = [
    now('standIn', 'stand_in_id'),
    now('standInFrom', 'stand_in_from'),
    now('standInTo', 'stand_in_to'),
  ];
  if (who === null && from === null && to === null) return;
  if (who === null) throw invalid({ standIn: ['请选择代班人', 'Choose the stand-in'] });
  if (from === null) throw invalid({ standInFrom: ['请填写代班期', 'Give the period'] });
  if (to === null) throw invalid({ standInTo: ['请填写代班期', 'Give the period'] });
  if (String(to) < String(from))
    throw invalid({ standInTo: ['不能早于开始日期', 'Not before the first day'] });
  if (String(to) > addDays(String(from), 59))
    throw invalid({ standInTo: ['代班最长60天', 'At most 60 days'] });
  if (Number(who) === context.id) throw invalid({ standIn: ['不能由本人代班', 'Not the same person'] });
  const same = await runOne(
    tx,
    `SELECT 1 FROM housekeeper k JOIN staff s ON s.id = k.staff_id JOIN staff m ON m.id = $2 WHERE k.id = $1 AND k.left_at IS NULL AND s.state = 'normal' AND s.tenant_id = m.tenant_id`,
    [who, action === 'create' ? input.staff : row.staff_id],
  );
  if (!same) throw invalid({ standIn: ['须为本公司在职管家', 'A housekeeper at work of the same company'] });
}

/** A staff becomes a housekeeper; who was one before gets the old row back, with its ratings and days. */
export async function createHousekeeper({ tx, input, caller }: ActionContext): Promise<ActionResult> {
  const parameters = new Parameters();
  const staff = await runOne<{ id: number }>(
    tx,
    `SELECT s.id FROM staff s JOIN tenant n ON n.id = s.tenant_id AND n.kind <> 2 WHERE s.state = 'normal' AND s.id = ${parameters.bind(input.staff)}
        AND ${placeCondition(caller, { tenant: 's.tenant_id', project: 'none' }, parameters)} FOR UPDATE OF s`,
    parameters.values,
  );
  if (!staff) throw notFound();
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO housekeeper AS k (staff_id, photo_id, introduction, service_hours, stand_in_id, stand_in_from, stand_in_to, created_by, updated_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
     ON CONFLICT ON CONSTRAINT housekeeper_staff DO UPDATE SET photo_id = EXCLUDED.photo_id, introduction = EXCLUDED.introduction, service_hours = EXCLUDED.service_hours,
       stand_in_id = EXCLUDED.stand_in_id, stand_in_from = EXCLUDED.stand_in_from, stand_in_to = EXCLUDED.stand_in_to, left_at = NULL, updated_by = EXCLUDED.updated_by, updated_at = now()
       WHERE k.left_at IS NOT NULL
     RETURNING id`,
    [
      staff.id,
      input.photo ?? null,
      input.introduction ?? '',
      input.serviceHours ?? '',
      input.standIn ?? null,
      input.standInFrom ?? null,
      input.standInTo ?? null,
      caller.staffId,
    ],
  );
  if (!row) throw ruleBroken(['该员工已是管家', 'This person is a housekeeper already']);
  await run(tx, 'UPDATE staff SET is_housekeeper = true WHERE id = $1', [staff.id]);
  return { id: row.id };
}

/** Nobody leaves while houses are assigned, stands in for somebody or is waited for. The past stays. */
export async function leaveHousekeeper({ tx, id, row }: ActionContext): Promise<ActionResult> {
  if ((await heldHouses(tx, Number(row.staff_id))) > 0)
    throw ruleBroken(['请先移交楼栋', 'Transfer the buildings first']);
  const standing = await runOne(
    tx,
    `SELECT 1 FROM housekeeper WHERE stand_in_id = $1 AND left_at IS NULL AND stand_in_to >= ${TODAY}`,
    [id],
  );
  if (standing)
    throw ruleBroken(['正在或将要代班，请先更换代班人', 'Stands in for somebody: name another first']);
  await run(tx, 'UPDATE staff SET is_housekeeper = false WHERE id = $1', [row.staff_id]);
  return { set: { left_at: new Date(), stand_in_id: null, stand_in_from: null, stand_in_to: null } };
}

/** Houses get their main housekeeper for some days. */
export async function assignTo({ tx, id, input, row, caller }: ActionContext): Promise<ActionResult> {
  const day = String(input.from);
  const until = (input.to ?? null) as string | null;
  if (day < addDays(businessDayOf(new Date()), -366))
    throw invalid({ from: ['最早为一年前', 'At most a year back'] });
  if (until !== null && until < day) throw invalid({ to: ['不能早于开始日期', 'Not before the first day'] });
  await requireAtWork(tx, Number(row.staff_id));
  const houses = await chosen(tx, input);
  await requireServes(tx, Number(row.staff_id), houses);
  const count = await assignHouseSet(tx, {
    housekeeperId: id,
    kind: 'main',
    from: day,
    to: until,
    note: String(input.note ?? ''),
    houseIds: houses.map((one) => one.id),
    staffId: caller.staffId,
  });
  await followStandIn(tx, id);
  return {
    result: { houses: count },
    remark: `${count} 户，${day} 起${until ? `至 ${until}` : ''} ${String(input.note ?? '')}`.trim(),
  };
}

/** Houses go to another housekeeper from a day on; with `vacant` to nobody. */
export async function transferFrom({ tx, id, input, caller }: ActionContext): Promise<ActionResult> {
  const day = String(input.from);
  if (day < businessDayOf(new Date())) throw invalid({ from: ['不能早于今天', 'Not before today'] });
  const to = input.vacant === true ? undefined : await receiver(tx, id, Number(input.to));
  // Of a building or unit what this housekeeper has of it.
  const wanted = await chosen(tx, input);
  const named = new Set((input.houses as number[] | undefined) ?? []);
  const held = await run<{ id: number }>(
    tx,
    `SELECT DISTINCT x.house_id AS id FROM housekeeper_house x WHERE x.housekeeper_id = $1 AND x.kind = 'main' AND x.house_id = ANY($2::bigint[]) AND x.days && daterange($3::date, NULL)`,
    [id, wanted.map((one) => one.id), day],
  );
  const mine = new Set(held.map((one) => one.id));
  const houses = wanted.filter((one) => mine.has(one.id) || named.has(one.id));
  if (houses.length === 0)
    throw ruleBroken([
      '所选范围内没有其管辖的房屋',
      'No house of the chosen range is looked after by this person',
    ]);
  if (to) await requireServes(tx, to.staff_id, houses);
  const count = await transferHouses(tx, {
    fromId: id,
    toId: to ? Number(input.to) : null,
    houseIds: houses.map((one) => one.id),
    date: day,
    reason: to ? '移交' : '空缺',
    note: String(input.note ?? ''),
    by: caller.staffId,
  });
  return {
    result: { houses: count },
    remark: `${count} 户 → ${to?.name ?? '空缺'}，${day} 起 ${String(input.note ?? '')}`.trim(),
  };
}

/** Another housekeeper of the company who works. */
async function receiver(tx: Tx, from: number, id: number): Promise<{ staff_id: number; name: string }> {
  if (id === from) throw invalid({ to: ['不能移交给本人', 'Not to the same person'] });
  const to = await runOne<{ staff_id: number; name: string; same: boolean }>(
    tx,
    `SELECT k.staff_id, s.name, s.tenant_id = (SELECT m.tenant_id FROM housekeeper f JOIN staff m ON m.id = f.staff_id WHERE f.id = $2) AS same
       FROM housekeeper k JOIN staff s ON s.id = k.staff_id WHERE k.id = $1 AND k.left_at IS NULL`,
    [id, from],
  );
  if (!to?.same) throw invalid({ to: ['须为本公司管家', 'A housekeeper of the same company'] });
  await requireAtWork(tx, to.staff_id);
  return to;
}

const chosen = (tx: Tx, input: Readonly<Record<string, unknown>>) =>
  housesOf(tx, {
    buildings: (input.buildings as number[] | undefined) ?? [],
    units: (input.units as number[] | undefined) ?? [],
    houses: (input.houses as number[] | undefined) ?? [],
  });

async function requireAtWork(tx: Tx, staffId: number): Promise<void> {
  const row = await runOne<{ state: string }>(tx, 'SELECT state FROM staff WHERE id = $1 FOR UPDATE', [
    staffId,
  ]);
  if (row?.state !== 'normal') throw ruleBroken(['该员工已停用', 'This person is disabled']);
}

/** Houses of projects the company of the housekeeper runs. */
async function requireServes(
  tx: Tx,
  staffId: number,
  houses: readonly { projectId: number }[],
): Promise<void> {
  const other = await runOne<{ name: string }>(
    tx,
    `SELECT p.name FROM project p JOIN staff s ON s.id = $1 JOIN tenant n ON n.id = s.tenant_id WHERE p.id = ANY($2::bigint[]) AND n.kind <> 3
        AND NOT EXISTS (SELECT FROM tenant_project tp WHERE tp.tenant_id = s.tenant_id AND tp.project_id = p.id) LIMIT 1`,
    [staffId, [...new Set(houses.map((one) => one.projectId))]],
  );
  if (other)
    throw ruleBroken([
      `管家所在公司不服务于项目“${other.name}”`,
      `The company of the housekeeper does not run the project ${other.name}`,
    ]);
}

/** One level of the tree: projects, buildings of one, units, houses; with who has them on the day or later. */
async function placesOf(
  { caller, platform }: Pick<Call, 'caller' | 'platform'>,
  query: {
    readonly parent?: string | undefined;
    readonly day?: string | undefined;
    readonly housekeeper?: string | undefined;
  },
): Promise<KeptPlace[]> {
  const [above, parent] = (query.parent ?? '').split(':');
  const parameters = new Parameters();
  const scope = scopeCondition(caller, housekeeper.menu, residentScope('p.id'), parameters);
  if (!above) {
    const rows = await run<{ id: number; name: string; houses: number }>(
      platform.database.db,
      `SELECT p.id, p.name, (SELECT count(*)::integer FROM house h WHERE h.project_id = p.id) AS houses FROM project p
        WHERE p.enabled AND ${scope} AND EXISTS (SELECT FROM building b WHERE b.project_id = p.id) ORDER BY ${nameOrder('p.name')}, p.id`,
      parameters.values,
    );
    return rows.map((row) => ({
      ...row,
      id: String(row.id),
      key: `project:${row.id}`,
      kind: 'project',
      taken: 0,
      mine: 0,
      holders: [],
      isChoose: 0,
    }));
  }
  const [kind, id, name, order] = (
    {
      project: ['building', 'b.id', 'b.name', `${nameOrder('b.name')}, b.id`],
      building: ['unit', 'u.id', 'u.name', `${nameOrder('u.name')}, u.id`],
      unit: ['house', 'h.id', 'h.number', `house_number_key(h.number) COLLATE "C", h.id`],
    } as const
  )[above as 'project' | 'building' | 'unit'];
  const column = above === 'project' ? 'p.id' : above === 'building' ? 'b.id' : 'u.id';
  const at = parameters.bind(Number(parent));
  const day = parameters.bind(query.day ?? businessDayOf(new Date()));
  const holder = parameters.bind(query.housekeeper ? Number(query.housekeeper) : null);
  const rows = await run<Omit<KeptPlace, 'id' | 'key' | 'kind' | 'isChoose'> & { id: number }>(
    platform.database.db,
    `SELECT ${id} AS id, ${name} AS name, count(DISTINCT h.id)::integer AS houses, count(DISTINCT x.house_id)::integer AS taken,
            count(DISTINCT x.house_id) FILTER (WHERE x.housekeeper_id = ${holder}::bigint)::integer AS mine,
            coalesce(array_agg(DISTINCT s.name) FILTER (WHERE s.id IS NOT NULL), '{}') AS holders
       FROM project p JOIN building b ON b.project_id = p.id JOIN building_unit u ON u.building_id = b.id JOIN house h ON h.unit_id = u.id
       LEFT JOIN housekeeper_house x ON x.house_id = h.id AND x.kind = 'main' AND x.days && daterange(${day}::date, NULL)
       LEFT JOIN housekeeper k ON k.id = x.housekeeper_id LEFT JOIN staff s ON s.id = k.staff_id
      WHERE ${column} = ${at} AND ${scope} GROUP BY ${id}, ${name} ORDER BY ${order}`,
    parameters.values,
  );
  return rows.map((row) => ({
    ...row,
    id: String(row.id),
    key: `${kind}:${row.id}`,
    kind,
    isChoose: row.taken > 0 ? 1 : 0,
  }));
}
