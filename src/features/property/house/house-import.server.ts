import type { Label } from '../../../kernel/contract/label.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import {
  importFacts,
  type ImportCall,
  type ImportProblem,
  type ImportRow,
  type ImportTarget,
} from '../../../kernel/server/tables/import-target.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { boundBuilding } from './building.server.ts';
import { boundUnit } from './building-unit.server.ts';
import { HOUSE_STATES } from './house.contract.ts';
import { HOUSE_MENU } from './house-parts.contract.ts';

interface Draft {
  readonly row: ImportRow;
  readonly project: number;
  readonly state: string;
}

const AREA = /^\d{1,6}(\.\d{1,2})?$/;

/** Houses as a table: buildings and units that are not there yet are made on the way. */
export function houseImport(bound: () => BoundResource): ImportTarget {
  return {
    source: 'house',
    menu: HOUSE_MENU,
    element: 'btn_import',
    title: ['房屋', 'Houses'],
    maxRows: 10_000,
    columns: [
      {
        name: 'project',
        title: ['项目', 'Project'],
        required: true,
        max: 40,
        note: ['名称或编码', 'Name or code'],
      },
      { name: 'building', title: ['楼栋', 'Building'], required: true, max: 30, example: '1号楼' },
      { name: 'unit', title: ['单元', 'Unit'], required: true, max: 30, example: '1单元' },
      { name: 'floor', title: ['楼层', 'Floor'], required: true, max: 4, example: '3' },
      { name: 'number', title: ['房号', 'Number'], required: true, max: 20, example: '301' },
      { name: 'builtArea', title: ['建筑面积', 'Built area'], required: true, max: 9, example: '98.50' },
      { name: 'innerArea', title: ['套内面积', 'Inner area'], max: 9, example: '80.20' },
      { name: 'houseType', title: ['户型', 'Type'], max: 20, example: '三室两厅' },
      {
        name: 'state',
        title: ['状态', 'Use'],
        max: 10,
        example: '自住',
        note: ['自住 / 出租 / 空置，空为自住', 'Own use / Let / Vacant; empty: own use'],
      },
    ],
    check: async (call, rows) => (await read(call.platform.database.db, call, rows)).problems,
    summary: async (call, rows) => {
      const { db } = call.platform.database;
      const { drafts } = await read(db, call, rows);
      const { buildings, units } = await missing(db, drafts);
      return [
        [`新增房屋 ${drafts.length}`, `Houses added: ${drafts.length}`],
        [`新建楼栋 ${buildings.length}`, `Buildings made: ${buildings.length}`],
        [`新建单元 ${units.length}`, `Units made: ${units.length}`],
      ];
    },
    commit: async (tx, call, rows) => {
      const { drafts } = await read(tx, call, rows);
      const context = { ...call, facts: importFacts(call) };
      const gaps = await missing(tx, drafts);
      for (const { project, building } of gaps.buildings)
        await boundBuilding.actIn(tx, context, 'create', undefined, {
          project: String(project),
          name: building,
        });
      const buildings = await buildingsOf(tx, drafts);
      for (const { project, building, unit } of gaps.units)
        await boundUnit.actIn(tx, context, 'create', undefined, {
          building: String(buildings.get(key(project, building))!.id),
          name: unit,
        });
      const all = await buildingsOf(tx, drafts);
      for (const { row, project, state } of drafts) {
        const { values } = row;
        const building = all.get(key(project, values.building!))!;
        await bound().actIn(tx, context, 'create', undefined, {
          project: String(project),
          building: String(building.id),
          unit: String(building.units.get(values.unit!.toLowerCase())!),
          floor: Number(values.floor),
          number: values.number!,
          builtArea: values.builtArea!,
          ...(values.innerArea ? { innerArea: values.innerArea } : {}),
          ...(values.houseType ? { houseType: values.houseType } : {}),
          state,
        });
      }
      for (const name of ['house', 'enquiryBuilding', 'enquiryUnit']) call.platform.changed(name);
      return drafts.length;
    },
  };
}

const key = (...parts: readonly (string | number)[]) =>
  parts.map((one) => String(one).toLowerCase()).join('\n');

/** The file beside what stands: read anew at the commit, so that the dry run may be old. */
async function read(db: Executor, call: ImportCall, rows: readonly ImportRow[]) {
  const problems: ImportProblem[] = [];
  const parameters = new Parameters();
  const projects = await run<{ id: number; name: string; code: string }>(
    db,
    `SELECT p.id, p.name, p.code FROM project p WHERE p.enabled AND ${placeCondition(call.caller, residentScope('p.id'), parameters)}`,
    parameters.values,
  );
  const first = new Map<string, number>();
  const drafts: Draft[] = [];
  for (const row of rows) {
    const before = problems.length;
    const bad = (column: string, zh: string, en: string) =>
      problems.push({ row: row.number, column, message: [zh, en] as Label });
    const { values } = row;
    const asked = values.project!.toLowerCase();
    const byCode = projects.filter((one) => one.code.toLowerCase() === asked);
    const found = byCode.length > 0 ? byCode : projects.filter((one) => one.name.toLowerCase() === asked);
    if (found.length === 0) bad('project', '没有此项目', 'There is no such project');
    if (found.length > 1)
      bad('project', '有多个同名项目，请填写编码', 'Several of this name: write the code');
    if (!/^-?\d{1,3}$/.test(values.floor!) || Number(values.floor) < -9 || Number(values.floor) > 200)
      bad('floor', '须为 -9 到 200 的整数', 'A whole number from -9 to 200');
    for (const name of ['builtArea', 'innerArea'] as const)
      if (values[name] && (!AREA.test(values[name]) || Number(values[name]) <= 0))
        bad(name, '须大于 0，最多两位小数', 'Above 0, at most two decimals');
    if (values.innerArea && Number(values.innerArea) > Number(values.builtArea))
      bad('innerArea', '套内面积不能大于建筑面积', 'The inner area is not above the built area');
    const state =
      values.state === '' || values.state === undefined
        ? 'self_use'
        : Object.entries(HOUSE_STATES).find(
            ([word, { label }]) =>
              word === values.state ||
              label[0] === values.state ||
              label[1].toLowerCase() === values.state!.toLowerCase(),
          )?.[0];
    if (!state) bad('state', '请填写 自住、出租 或 空置', 'Write own use, let or vacant');
    const place = key(found[0]?.id ?? 0, values.building!, values.unit!, values.number!);
    if (first.has(place)) bad('number', `与第${first.get(place)}行重复`, `Same as row ${first.get(place)}`);
    else first.set(place, row.number);
    if (problems.length === before) drafts.push({ row, project: found[0]!.id, state: state! });
  }
  const standing = await run<{ project_id: number; building: string; unit: string; number: string }>(
    db,
    `SELECT b.project_id, b.name AS building, u.name AS unit, h.number FROM house h JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id
      WHERE b.project_id = ANY($1::bigint[]) AND lower(b.name) = ANY($2::text[]) AND lower(h.number) = ANY($3::text[])`,
    [
      [...new Set(drafts.map((one) => one.project))],
      [...new Set(drafts.map((one) => one.row.values.building!.toLowerCase()))],
      [...new Set(drafts.map((one) => one.row.values.number!.toLowerCase()))],
    ],
  );
  const taken = new Set(standing.map((one) => key(one.project_id, one.building, one.unit, one.number)));
  const good = drafts.filter(({ row, project }) => {
    const { building, unit, number } = row.values;
    if (!taken.has(key(project, building!, unit!, number!))) return true;
    problems.push({
      row: row.number,
      column: 'number',
      message: ['该单元已有此房号', 'The unit has a house of this number'],
    });
    return false;
  });
  return { drafts: good, problems };
}

/** Buildings the rows name, with their units by name. */
async function buildingsOf(db: Executor, drafts: readonly Draft[]) {
  const rows = await run<{
    id: number;
    project_id: number;
    name: string;
    units: { id: number; name: string }[];
  }>(
    db,
    `SELECT b.id, b.project_id, b.name, coalesce((SELECT jsonb_agg(jsonb_build_object('id', u.id, 'name', u.name)) FROM building_unit u WHERE u.building_id = b.id), '[]') AS units
       FROM building b WHERE b.project_id = ANY($1::bigint[])`,
    [[...new Set(drafts.map((one) => one.project))]],
  );
  return new Map(
    rows.map((row) => [
      key(row.project_id, row.name),
      { id: row.id, units: new Map(row.units.map((unit) => [unit.name.toLowerCase(), unit.id])) },
    ]),
  );
}

/** Buildings and units that have to be made first, each once. */
async function missing(db: Executor, drafts: readonly Draft[]) {
  const known = await buildingsOf(db, drafts);
  const buildings = new Map<string, { project: number; building: string }>();
  const units = new Map<string, { project: number; building: string; unit: string }>();
  for (const { project, row } of drafts) {
    const { building, unit } = row.values as { building: string; unit: string };
    const there = known.get(key(project, building));
    if (!there && !buildings.has(key(project, building)))
      buildings.set(key(project, building), { project, building });
    if (!there?.units.has(unit.toLowerCase()) && !units.has(key(project, building, unit)))
      units.set(key(project, building, unit), { project, building, unit });
  }
  return { buildings: [...buildings.values()], units: [...units.values()] };
}
