import { z } from 'zod';
import { areaProblems, copiedName, type Room } from '../../../domain/furnishing/rooms.rules.ts';
import { refreshSpans } from '../../../domain/furnishing/decor-version.server.ts';
import { buildingOptions, houseOptions, residentScope } from '../../../domain/residents/residents.server.ts';
import { projectIdsInReach } from '../../../domain/permission/project-reach.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import { checkPictures, picturesOf } from '../../property/picture-columns.server.ts';
import { houseType, type TypedHouse } from './house-type.contract.ts';
import { houseTypeImport, isImporting } from './house-type-import.server.ts';

const MENU = houseType.menu;
const SCOPE = residentScope('t.project_id', 't.created_by');
/** Houses one look of the binding dialog shows at most. */
const SHOWN = 500;
const NO_LAYOUT: Label = ['请先上传户型图', 'Upload the layout first'];

const bound: BoundResource = bindResource(houseType, {
  table: 'house_type',
  joins: { project: 'project' },
  columns: {
    layout: 't.layout_id',
    shape: `t.bedrooms || '室' || t.halls || '厅' || t.baths || '卫'`,
    bedrooms: 'least(t.bedrooms, 5)::text',
    roomArea: 'house_type_area(t.rooms)',
    photos: picturesOf('t.photo_ids'),
    inUse: `(SELECT count(*)::integer FROM decor_order o WHERE o.house_type_id = t.id AND o.state NOT IN ('quoting', 'finished', 'closed'))`,
    houses: `(SELECT count(*)::integer FROM house h WHERE h.house_type_id = t.id AND h.merged_into_id IS NULL)`,
    packages: `(SELECT count(*)::integer FROM decor_price x JOIN decor_version v ON v.id = x.version_id AND v.standing = 'live'
                 JOIN product d ON d.id = v.product_id AND d.status = 'published' AND d.recycled_at IS NULL WHERE x.house_type_id = t.id)`,
  },
  writes: { photos: 'photo_ids' },
  scope: SCOPE,
  search: 't.search',
  unique: { house_type_name: ['该项目已有同名户型', 'The project has a type of this name'] },
  codePrefix: 'HT',
  extra: { pictured: '(t.layout_id IS NOT NULL)' },
  ruleReads: ['enabled', 'pictured'],
  rowRules: {
    enable: (row) =>
      row.enabled ? ['已启用', 'It is enabled already'] : row.pictured ? undefined : NO_LAYOUT,
  },
  words: {
    shape: (value, { language }) => (language === 'zh' ? String(value) : englishShape(String(value))),
  },
  before: [check],
  after: [
    async ({ action, tx, input, platform }, id) => {
      if (action !== 'update' || (input.builtArea === undefined && input.innerArea === undefined)) return [];
      await refreshSpans(tx, id);
      platform.changed('decorPackage');
      return [];
    },
  ],
  handlers: { bind, copy, remove },
  present: async (rows, db) => showFiles(rows, db, 'layout'),
  detail: async (db, id) => ({ boundHouses: await housesOf(db, 'h.house_type_id = $1', [id]) }),
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/houseType/:id/houses',
      title: ['可绑定的房屋', 'Houses to bind'],
      access: { code: `${MENU}:btn_bind` },
      query: z.strictObject({
        building: z
          .string()
          .regex(/^\d{1,15}$/)
          .optional(),
        unit: z
          .string()
          .regex(/^\d{1,15}$/)
          .optional(),
      }),
      handle: async ({ platform, caller, params, query }) => {
        const { db } = platform.database;
        const id = idOf(params.id);
        const parameters = new Parameters();
        const type = await runOne<{ project_id: number }>(
          db,
          `SELECT t.project_id FROM house_type t WHERE t.id = ${parameters.bind(id)} AND ${scopeCondition(caller, MENU, SCOPE, parameters)}`,
          parameters.values,
        );
        if (!type) throw notFound();
        return housesOf(
          db,
          `h.project_id = $1 AND ($3::bigint IS NULL OR u.building_id = $3) AND ($4::bigint IS NULL OR u.id = $4)`,
          [type.project_id, id, query.building ?? null, query.unit ?? null],
          // Houses of another type come first: whoever takes them over sees it.
          'CASE WHEN h.house_type_id = $2 THEN 1 WHEN h.house_type_id IS NULL THEN 2 ELSE 0 END,',
        );
      },
    }),
  ],
  also: {
    imports: [houseTypeImport(() => bound)],
    options: [
      houseOptions('typedHouse', [`${MENU}:btn_bind`]),
      ...buildingOptions([MENU]).map((source) => ({
        ...source,
        target: source.target === 'building' ? 'typeBuilding' : 'typeUnit',
      })),
    ],
  },
});

/** House types. */
export const registration = bound.registration;

/** 3室2厅2卫 in English. */
function englishShape(shape: string): string {
  const [bedrooms, halls, baths] = shape.match(/\d+/g) ?? [];
  return `${bedrooms} bed ${halls} living ${baths} bath`;
}

/** Areas fit each other and pictures are there. */
async function check(context: ActionContext): Promise<void> {
  const { action, input, row, columns, tx } = context;
  if (action !== 'create' && action !== 'update') return;
  const rooms = (input.rooms ?? row.rooms) as readonly Room[];
  const problems = areaProblems(
    rooms,
    String(input.innerArea ?? row.inner_area),
    String(input.builtArea ?? row.built_area),
  );
  const imported = isImporting(tx);
  if (!imported && (action === 'create' ? !input.layout : input.layout === null))
    problems.layout = ['请上传户型图', 'Upload the layout'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (input.rooms)
    columns.rooms = JSON.stringify(
      rooms.map(({ kind, name, area }) => ({ kind, name, area: Number(area).toFixed(2) })),
    );
  if (imported) columns.enabled = false;
  if (input.layout) {
    await checkPictures(
      context,
      'layout',
      [String(input.layout)],
      row.layout_id ? [String(row.layout_id)] : [],
    );
    const big = await runOne(
      tx,
      'SELECT 1 AS one FROM stored_file WHERE id = $1 AND size > 5 * 1024 * 1024',
      [input.layout],
    );
    if (big) throw invalid({ layout: ['图片不能超过 5 MB', 'At most 5 MB'] });
  }
  if (Array.isArray(input.photos))
    await checkPictures(context, 'photos', input.photos as string[], (row.photo_ids ?? []) as string[]);
  if (input.photos === null) columns.photo_ids = [];
}

/** btn_bind: houses of the type's project take it, others leave it. */
async function bind({ tx, id, row, input }: ActionContext): Promise<ActionResult> {
  const wanted = [...new Set((input.houses ?? []) as number[])];
  const release = [...new Set((input.release ?? []) as number[])].filter((house) => !wanted.includes(house));
  if (wanted.length + release.length === 0) throw invalid({ houses: ['请选择房屋', 'Choose houses'] });
  if (wanted.length > 0 && row.enabled !== true)
    throw ruleBroken(['户型已停用，不能绑定', 'The type is disabled']);
  const held = await run<{ id: number; house_type_id: number | null }>(
    tx,
    `SELECT id, house_type_id FROM house WHERE id = ANY($1::bigint[]) AND project_id = $2 AND merged_into_id IS NULL ORDER BY id FOR NO KEY UPDATE`,
    [[...wanted, ...release], row.project_id],
  );
  if (held.length < wanted.length + release.length) throw notFound();
  const take = held.filter((house) => wanted.includes(house.id) && house.house_type_id !== id);
  const leave = held.filter((house) => release.includes(house.id) && house.house_type_id === id);
  const moved = take.filter((house) => house.house_type_id !== null).length;
  await run(tx, 'UPDATE house SET house_type_id = $2 WHERE id = ANY($1::bigint[])', [
    take.map((one) => one.id),
    id,
  ]);
  await run(tx, 'UPDATE house SET house_type_id = NULL WHERE id = ANY($1::bigint[])', [
    leave.map((one) => one.id),
  ]);
  return {
    remark: `绑定 ${take.length} 套${moved > 0 ? `（其中改绑 ${moved} 套）` : ''}，解除 ${leave.length} 套`,
    result: { bound: take.length, released: leave.length },
  };
}

/** btn_copy: the same rooms and pictures in other projects, with another name where theirs is taken. */
async function copy({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const projects = [...new Set(input.projects as number[])];
  if (projectIdsInReach(caller, projects).length < projects.length) throw notFound();
  const names: string[] = [];
  for (const project of projects) {
    // Copies to one project come one after the other, so that each finds a name of its own.
    if (!(await runOne(tx, 'SELECT 1 AS one FROM project WHERE id = $1 FOR NO KEY UPDATE', [project])))
      throw notFound();
    const taken = await run<{ name: string }>(
      tx,
      'SELECT lower(name) AS name FROM house_type WHERE project_id = $1',
      [project],
    );
    const name = copiedName(String(row.name), new Set(taken.map((one) => one.name)));
    const made = await insertCopy(tx, caller, row, project, name);
    await writeTimeline(tx, {
      entity: houseType.name,
      entityId: made,
      caller,
      action: 'create',
      label: ['复制', 'Copied'],
      remark: String(row.code),
    });
    names.push(name);
  }
  return {
    remark: names.join('、').slice(0, 500),
    result: { n: names.length, names: names.join('、'), from: String(id) },
  };
}

async function insertCopy(
  tx: Tx,
  caller: Caller,
  row: Readonly<Record<string, unknown>>,
  project: number,
  name: string,
): Promise<number> {
  return insertRow(tx, 'house_type', {
    code: await nextCode(tx, 'HT'),
    project_id: project,
    name,
    rooms: JSON.stringify(row.rooms),
    built_area: row.built_area,
    inner_area: row.inner_area,
    orientation: row.orientation,
    layout_id: row.layout_id,
    photo_ids: row.photo_ids,
    enabled: row.enabled,
    created_by: caller.staffId,
    updated_by: caller.staffId,
  });
}

/** btn_del: only while no house has it and no package is priced by it. */
async function remove({ tx, id }: ActionContext): Promise<void> {
  const { houses } = (await runOne<{ houses: number }>(
    tx,
    'SELECT count(*)::integer AS houses FROM house WHERE house_type_id = $1',
    [id],
  ))!;
  const packages = await packagesOf(tx, id);
  if (houses + packages > 0)
    throw ruleBroken([
      `已被 ${houses} 套房屋、${packages} 个套餐使用`,
      `Used by ${houses} houses and ${packages} packages`,
    ]);
  await run(tx, 'DELETE FROM house_type WHERE id = $1', [id]);
}

/** Packages that have a price for a type, in any of their versions. */
async function packagesOf(tx: Executor, id: number): Promise<number> {
  return (await runOne<{ n: number }>(
    tx,
    `SELECT count(DISTINCT v.product_id)::integer AS n FROM decor_price x JOIN decor_version v ON v.id = x.version_id WHERE x.house_type_id = $1`,
    [id],
  ))!.n;
}

async function housesOf(
  db: Executor,
  condition: string,
  values: readonly unknown[],
  first = '',
): Promise<TypedHouse[]> {
  const rows = await run<{
    id: number;
    building: string;
    unit: string;
    number: string;
    area: string | null;
    type_id: number | null;
    type: string | null;
  }>(
    db,
    `SELECT h.id, b.name AS building, u.name AS unit, h.number, h.built_area::text AS area, y.id AS type_id, y.name AS type
       FROM house h JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id LEFT JOIN house_type y ON y.id = h.house_type_id
      WHERE h.merged_into_id IS NULL AND ${condition} ORDER BY ${first} b.name, u.name, h.floor, h.number, h.id LIMIT ${SHOWN}`,
    values,
  );
  return rows.map((row) => ({
    id: String(row.id),
    building: row.building,
    unit: row.unit,
    number: row.number,
    builtArea: row.area,
    type: row.type_id === null ? null : { id: String(row.type_id), name: row.type! },
  }));
}
