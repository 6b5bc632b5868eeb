import { clientOptions } from '../../../domain/commercial-client/client-options.server.ts';
import { z } from 'zod';
import { bizDictValue, dictionaryOptions } from '../../../domain/dictionary/dictionary.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import {
  areaText,
  bringPosition,
  closeSpaces,
  combineSpaces,
  disableClosed,
  makePosition,
  requireNotLet,
  splitSpace,
} from '../../../domain/space/space.server.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Job, type OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import { checkPictures, picturesOf } from '../../property/picture-columns.server.ts';
import { hold } from '../../public-resource/position/position.server.ts';
import { interestedClients, overviewOf } from './space-figures.server.ts';
import { PRESENT, SCOPE, TAKEN_TODAY } from './space-sight.server.ts';
import { space, SPACE_MENU, type FloorLine, type PlanSpace } from './space.contract.ts';

const STANDING = `(CASE n.kind WHEN 'lease' THEN 'leased' WHEN 'repair' THEN 'repair' WHEN 'hold' THEN 'held' ELSE 'free' END)`;
const AREA = (column: string) => `(${column} / 100.0)::numeric(9, 2)`;
const numbers = (where: string) =>
  `(SELECT string_agg(x.number || ' ' || to_char(x.built_area / 100.0, 'FM999990.00') || ' m²', '、' ORDER BY x.id) FROM space x WHERE ${where})`;

const closed = (row: DbRow): Label | undefined =>
  row.gone === true
    ? ['铺位已关闭', 'The space is closed']
    : row.closedOn
      ? ['铺位已定关闭日', 'The day it closes is set already']
      : undefined;
const offered = (row: DbRow): Label | undefined =>
  row.gone === true
    ? ['铺位已关闭', 'The space is closed']
    : row.enabled === false
      ? ['点位已停用', 'The position is disabled']
      : undefined;

/** Spaces. */
export const boundSpace: BoundResource = bindResource(space, {
  table: 'space',
  from: `space t LEFT JOIN position q ON q.id = t.id LEFT JOIN project p ON p.id = t.project_id ${TAKEN_TODAY}`,
  scope: SCOPE,
  joins: { building: 'building', format: bizDictValue },
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    place: `t.building_id || '.' || t.floor`,
    builtArea: AREA('t.built_area'),
    usableArea: AREA('t.usable_area'),
    standing: STANDING,
    tenant: `(CASE n.kind WHEN 'lease' THEN n.tenant END)`,
    endsOn: `(CASE n.kind WHEN 'lease' THEN n.to_on END)`,
    vacantDays: `(CASE WHEN n.kind = 'lease' OR NOT ${PRESENT} THEN NULL ELSE greatest(0, ${TODAY} - greatest(coalesce(t.opens_on, t.delivered_on, (t.created_at AT TIME ZONE 'Asia/Shanghai')::date),
        (SELECT max(o.to_on) + 1 FROM position_occupancy o WHERE o.position_id = t.id AND o.kind = 'lease' AND o.released_at IS NULL AND o.to_on < ${TODAY}))) END)`,
    // Depends on who looks: see `present`.
    interested: '0',
    photos: picturesOf('q.photo_ids'),
    plan: 'q.plan_id',
    pin: `(q.pin_x || ',' || q.pin_y)`,
    origin: numbers('x.closed_by_id = t.made_by_id'),
    successors: numbers('x.made_by_id = t.closed_by_id'),
  },
  writes: { builtArea: false, usableArea: false, photos: false, plan: false, pin: false },
  search: 'lower(t.number)',
  unique: {
    space_number: ['该项目已有此铺位号', 'The project has a space of this number'],
    position_code: ['该项目已有此编码的点位', 'The project has a position of this code'],
  },
  filters: {
    place: (value, parameters) => {
      const [, building, floor] = /^(\d{1,15})\.(-?\d{1,2})$/.exec(value) ?? [];
      if (building === undefined) return ['楼层位置不正确', 'There is no such floor'];
      return `(t.building_id = ${parameters.bind(Number(building))} AND t.floor = ${parameters.bind(Number(floor))})`;
    },
  },
  tabs: { present: () => PRESENT, closed: () => `NOT ${PRESENT}` },
  present: async (rows, db, caller) => {
    await showFiles(rows, db, 'plan');
    const shown = rows.filter((row) => 'interested' in row);
    const counts = await interestedClients(
      db,
      caller,
      shown.map((row) => Number(row.id)),
    );
    for (const row of shown) row.interested = counts.get(Number(row.id)) ?? 0;
  },
  extra: { gone: `NOT ${PRESENT}`, enabled: 'q.enabled' },
  ruleReads: ['closedOn', 'gone', 'enabled'],
  rowRules: {
    update: closed,
    hold: offered,
    contract: offered,
    split: closed,
    combine: closed,
    close: closed,
  },
  before: [check],
  after: [place],
  handlers: {
    // Its position has the same id.
    hold,
    split,
    combine,
    close: async ({ tx, id, input, caller }) => {
      await closeSpaces(tx, [id], String(input.on), {
        reason: String(input.reason),
        staffId: staffIdOf(caller),
      });
      return { remark: `${String(input.on)} · ${String(input.reason)}` };
    },
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/space/places',
      title: ['铺位楼层树', 'Floors of spaces'],
      access: { code: SPACE_MENU },
      handle: async ({ caller, platform }) => {
        const parameters = new Parameters();
        const scope = scopeCondition(caller, SPACE_MENU, SCOPE, parameters);
        const rows = await run<FloorLine>(
          platform.database.db,
          `SELECT t.project_id::text AS "projectId", p.name AS project, t.building_id::text AS "buildingId", b.name AS building, t.floor::integer AS floor,
                  count(*)::integer AS spaces, (count(*) FILTER (WHERE n.kind IS NULL))::integer AS vacant
             FROM space t JOIN project p ON p.id = t.project_id JOIN building b ON b.id = t.building_id ${TAKEN_TODAY}
            WHERE ${PRESENT} AND ${scope} GROUP BY t.project_id, p.name, t.building_id, b.name, t.floor ORDER BY p.name, t.project_id, b.name, t.building_id, t.floor`,
          parameters.values,
        );
        return { rows };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/space/plan',
      title: ['铺位平面图', 'Floor plan of spaces'],
      access: { code: SPACE_MENU },
      query: z.strictObject({
        project: z.string().regex(/^\d{1,15}$/),
        building: z
          .string()
          .regex(/^\d{1,15}$/)
          .optional(),
        floor: z
          .string()
          .regex(/^-?\d{1,2}$/)
          .optional(),
      }),
      handle: async ({ caller, platform, query }) => {
        const parameters = new Parameters();
        const parts = [
          PRESENT,
          scopeCondition(caller, SPACE_MENU, SCOPE, parameters),
          `t.project_id = ${parameters.bind(Number(query.project))}`,
        ];
        if (query.building) parts.push(`t.building_id = ${parameters.bind(Number(query.building))}`);
        if (query.floor) parts.push(`t.floor = ${parameters.bind(Number(query.floor))}`);
        const rows = await run<Omit<PlanSpace, 'rent'> & { rent: number }>(
          platform.database.db,
          `SELECT t.id::text, t.number, q.plan_id AS "planId", q.pin_x AS "pinX", q.pin_y AS "pinY", ${STANDING} AS standing,
                  CASE n.kind WHEN 'lease' THEN coalesce(n.tenant, '') ELSE '' END AS tenant, CASE n.kind WHEN 'lease' THEN n.to_on::text END AS "endsOn", t.rent
             FROM space t JOIN position q ON q.id = t.id ${TAKEN_TODAY} WHERE ${parts.join(' AND ')} ORDER BY t.building_id, t.floor, t.number LIMIT 1000`,
          parameters.values,
        );
        return { rows: rows.map((row): PlanSpace => ({ ...row, rent: yuanFromFen(row.rent) })) };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/space/overview',
      title: ['商业项目概况', 'Overview of a commercial project'],
      access: { code: SPACE_MENU },
      query: z.strictObject({ project: z.string().regex(/^\d{1,15}$/) }),
      handle: async ({ caller, platform, query }) => {
        requireProjectsInReach(caller, [Number(query.project)]);
        return overviewOf(platform.replica.db, caller, Number(query.project));
      },
    }),
  ],
  also: {
    options: [
      dictionaryOptions({ catalogue: 'business', dictionary: 'space_type' }),
      clientOptions('spaceClient', [SPACE_MENU]),
      spacesBeside(),
    ],
    jobs: [closingJob()],
  },
});

export const registration = boundSpace.registration;

/** Looks at the values of the form, and makes the position of a new space. Source: group 20, proAdministration. */
async function check(context: ActionContext): Promise<void> {
  const { action, input, row, columns, tx, caller, id } = context;
  if (action !== 'create' && action !== 'update') return;
  const problems: Record<string, Label> = {};
  for (const [name, column] of [
    ['builtArea', 'built_area'],
    ['usableArea', 'usable_area'],
  ] as const)
    if (input[name] !== undefined)
      columns[column] = input[name] === null ? null : fenFromYuan(String(input[name]));
  if (action === 'create') {
    requireProjectsInReach(caller, [Number(input.project)]);
    const building = await runOne(tx, 'SELECT 1 FROM building WHERE id = $1 AND project_id = $2', [
      input.building,
      input.project,
    ]);
    if (!building) problems.building = ['楼栋不在所选项目中', 'The building stands in another project'];
    if (Number(input.floor) === 0) problems.floor = ['没有 0 层', 'There is no floor 0'];
  }
  const now: DbRow = { rent_min: 0, ...row, ...columns };
  if (now.usable_area && Number(now.usable_area) > Number(now.built_area))
    problems.usableArea = ['不能大于建筑面积', 'Not above the built area'];
  if (Number(now.rent_min) > Number(now.rent))
    problems.rentMin = ['不能高于期望租金', 'Not above the expected rent'];
  if (
    input.pin &&
    String(input.pin)
      .split(',')
      .some((side) => Number(side) > 10_000)
  )
    problems.pin = ['格式为 横向,纵向（0–10000）', 'Across,down (0 to 10000)'];
  const old = await shownOf(tx, id);
  if (
    (input.pin ?? (input.pin === undefined ? old?.pin : null)) &&
    !(input.plan ?? (input.plan === undefined ? old?.plan : null))
  )
    problems.plan = ['标注位置须有平面图', 'A pin needs a floor plan'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (input.photos) await checkPictures(context, 'photos', input.photos as string[], old?.photos ?? []);
  if (input.plan) await checkPictures(context, 'plan', [String(input.plan)], [old?.plan ?? '']);
  if (action === 'create') columns.id = await makePosition(tx, now as never, staffIdOf(caller));
  else if (
    Number(now.built_area) !== Number(row.built_area) ||
    (now.usable_area ?? null) !== (row.usable_area ?? null)
  )
    await requireNotLet(tx, id);
}

/** What the position of a space shows. */
const shownOf = (tx: ActionContext['tx'], id: number) =>
  runOne<{ photos: string[]; plan: string | null; pin: number | null }>(
    tx,
    'SELECT photo_ids::text[] AS photos, plan_id::text AS plan, pin_x AS pin FROM position WHERE id = $1',
    [id],
  );

/** Brings the position to what the space became. */
async function place({ action, input, row, tx, caller }: ActionContext, id: number): Promise<readonly []> {
  if (action !== 'create' && action !== 'update') return [];
  const now = (await runOne<DbRow>(tx, 'SELECT * FROM space WHERE id = $1', [id]))!;
  if (
    action === 'update' &&
    ['number', 'built_area', 'rent', 'rent_min'].some((name) => now[name] !== row[name])
  )
    await bringPosition(tx, id, now as never, staffIdOf(caller));
  if (input.photos === undefined && input.plan === undefined && input.pin === undefined) return [];
  const [x, y] = input.pin ? String(input.pin).split(',').map(Number) : [null, null];
  await run(
    tx,
    `UPDATE position SET photo_ids = CASE WHEN $2 THEN $3::uuid[] ELSE photo_ids END, plan_id = CASE WHEN $4 THEN $5::uuid ELSE plan_id END,
            pin_x = CASE WHEN $6 THEN $7::integer ELSE pin_x END, pin_y = CASE WHEN $6 THEN $8::integer ELSE pin_y END,
            version = version + 1, updated_at = now(), updated_by = $9 WHERE id = $1`,
    [
      id,
      input.photos !== undefined,
      input.photos ?? [],
      input.plan !== undefined,
      input.plan ?? null,
      input.pin !== undefined,
      x,
      y,
      staffIdOf(caller),
    ],
  );
  return [];
}

interface PieceInput {
  readonly number: string;
  readonly builtArea: string;
  readonly usableArea?: string | null;
}

async function split({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const pieces = (input.pieces as PieceInput[]).map((one) => ({
    number: one.number,
    built: fenFromYuan(one.builtArea)!,
    usable: one.usableArea ? fenFromYuan(one.usableArea)! : null,
  }));
  const problems: Record<string, Label> = {};
  for (const [index, one] of pieces.entries())
    if (one.usable !== null && one.usable > one.built)
      problems[`pieces.${index}.usableArea`] = ['不能大于建筑面积', 'Not above the built area'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  const on = String(input.on);
  const made = await splitSpace(tx, id, pieces, {
    on,
    reason: String(input.reason),
    staffId: staffIdOf(caller),
  });
  const words = pieces.map((one) => `${one.number} ${areaText(one.built)} m²`).join('、');
  for (const one of made)
    await tellMade(tx, caller, one, ['由拆分建立', 'Made by a split'], `${String(row.number)} · ${on}`);
  return {
    remark: `${words} · ${on} · ${String(input.reason)}`,
    result: { numbers: pieces.map((one) => one.number).join('、') },
  };
}

async function combine({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const parameters = new Parameters();
  const others = [...new Set((input.others as number[]).map(Number))].filter((one) => one !== id);
  const seen = await run<{ id: number; number: string }>(
    tx,
    `SELECT t.id, t.number FROM space t WHERE t.id = ANY(${parameters.bind(others)}::bigint[]) AND ${scopeCondition(caller, SPACE_MENU, SCOPE, parameters)} ORDER BY t.number`,
    parameters.values,
  );
  if (seen.length < others.length) throw notFound();
  const on = String(input.on);
  const number = String(input.number);
  const made = await combineSpaces(
    tx,
    id,
    others,
    { number },
    {
      on,
      reason: String(input.reason),
      staffId: staffIdOf(caller),
    },
  );
  const remark = `${number} · ${on} · ${String(input.reason)}`;
  for (const other of seen)
    await tellMade(tx, caller, other.id, ['合并到新铺位', 'Combined into another'], remark, 'combine');
  const names = [String(row.number), ...seen.map((one) => one.number)].join('、');
  await tellMade(tx, caller, made, ['由合并建立', 'Made by a combination'], `${names} · ${on}`);
  return { remark, result: { number } };
}

const tellMade = (
  tx: ActionContext['tx'],
  caller: ActionContext['caller'],
  entityId: number,
  label: Label,
  remark: string,
  action = 'create',
) => writeTimeline(tx, { entity: space.name, entityId, caller, action, label, remark });

/** Spaces one may be combined with: those of own projects that are not closed. */
function spacesBeside(): OptionSource {
  return {
    target: 'spaceBeside',
    anyOf: [SPACE_MENU],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const chosen =
        query.ids.length > 0
          ? `t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`
          : `t.number ILIKE ${parameters.bind(containing(query.searchVal))}`;
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT t.id, t.number AS title, p.name || ' ' || b.name || ' ' || t.floor || 'F' AS note FROM space t JOIN project p ON p.id = t.project_id JOIN building b ON b.id = t.building_id
          WHERE ${chosen} AND t.closed_on IS NULL AND ${scopeCondition(caller, SPACE_MENU, SCOPE, parameters)}
          ORDER BY p.name, b.name, t.floor, t.number, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}

/** Spaces whose last day was yesterday: their positions are offered no more. */
function closingJob(): Job {
  return {
    name: 'space.close',
    title: ['铺位到期关闭', 'Spaces that close'],
    cron: '5 16 * * *',
    run: async (_payload, platform) => {
      const done = await transaction(platform.database.db, disableClosed);
      if (done > 0) for (const name of ['space', 'position']) platform.changed(name);
    },
  };
}
