import { areaProblems, roomsFromText, type Room } from '../../../domain/furnishing/rooms.rules.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import {
  importFacts,
  type ImportCall,
  type ImportProblem,
  type ImportRow,
  type ImportTarget,
} from '../../../kernel/server/tables/import-target.ts';
import { houseType, ORIENTATIONS } from './house-type.contract.ts';

interface Draft {
  readonly row: ImportRow;
  readonly project: number;
  readonly rooms: readonly Room[];
  readonly orientation: string | undefined;
}

const AREA = /^\d{1,3}(\.\d{1,2})?$/;
const importing = new WeakSet<object>();

/** Whether a transaction writes rows of a file: they have no picture yet and are enabled once they have. */
export const isImporting = (tx: Tx): boolean => importing.has(tx);

/** House types as a table, rooms in one cell. */
export function houseTypeImport(bound: () => BoundResource): ImportTarget {
  return {
    source: houseType.name,
    menu: houseType.menu,
    element: 'btn_import',
    title: ['户型', 'House types'],
    maxRows: 1_000,
    columns: [
      {
        name: 'project',
        title: ['项目', 'Project'],
        required: true,
        max: 40,
        note: ['名称或编码', 'Name or code'],
      },
      { name: 'name', title: ['名称', 'Name'], required: true, max: 30, example: 'A户型 三室两厅' },
      {
        name: 'rooms',
        title: ['房间', 'Rooms'],
        required: true,
        max: 600,
        example: '客厅 28.50；主卧 15.20；卫生间 主卫 4.60',
        note: [
          '类型 名称 面积，用分号隔开，名称可省略',
          'Kind, name, area; semicolons between rooms; the name may be left out',
        ],
      },
      { name: 'builtArea', title: ['建筑面积', 'Built area'], required: true, max: 6, example: '89.36' },
      { name: 'innerArea', title: ['套内面积', 'Inner area'], required: true, max: 6, example: '72.10' },
      { name: 'orientation', title: ['朝向', 'Orientation'], max: 20, example: '南北通透' },
    ],
    check: async (call, rows) => (await read(call.platform.database.db, call, rows)).problems,
    commit: async (tx, call, rows) => {
      const { drafts } = await read(tx, call, rows);
      const context = { ...call, facts: importFacts(call) };
      importing.add(tx);
      try {
        for (const { row, project, rooms, orientation } of drafts)
          await bound().actIn(tx, context, 'create', undefined, {
            project: String(project),
            name: row.values.name!,
            rooms,
            builtArea: row.values.builtArea!,
            innerArea: row.values.innerArea!,
            ...(orientation ? { orientation } : {}),
          });
      } finally {
        importing.delete(tx);
      }
      call.platform.changed(houseType.name);
      return drafts.length;
    },
  };
}

/** The file beside what stands: read anew at the commit, so that the dry run may be old. */
async function read(db: Executor, call: ImportCall, rows: readonly ImportRow[]) {
  const problems: ImportProblem[] = [];
  const parameters = new Parameters();
  const projects = await run<{ id: number; name: string; code: string; types: string[] }>(
    db,
    `SELECT p.id, p.name, p.code, ARRAY(SELECT lower(y.name) FROM house_type y WHERE y.project_id = p.id) AS types
       FROM project p WHERE p.enabled AND ${placeCondition(call.caller, residentScope('p.id'), parameters)}`,
    parameters.values,
  );
  const first = new Map<string, number>();
  const drafts: Draft[] = [];
  for (const row of rows) {
    const before = problems.length;
    const bad = (column: string, message: Label) => problems.push({ row: row.number, column, message });
    const { values } = row;
    const asked = values.project!.toLowerCase();
    const byCode = projects.filter((one) => one.code.toLowerCase() === asked);
    const found = byCode.length > 0 ? byCode : projects.filter((one) => one.name.toLowerCase() === asked);
    if (found.length === 0) bad('project', ['没有此项目', 'There is no such project']);
    if (found.length > 1)
      bad('project', ['有多个同名项目，请填写编码', 'Several of this name: write the code']);
    const rooms = roomsFromText(values.rooms ?? '');
    if (!rooms)
      bad('rooms', ['请按「客厅 28.50；主卧 15.20」填写', 'Write rooms like “客厅 28.50；主卧 15.20”']);
    if (!AREA.test(values.builtArea!) || Number(values.builtArea) < 10)
      bad('builtArea', ['须为 10.00 到 999.99', 'From 10.00 to 999.99']);
    if (!AREA.test(values.innerArea!) || Number(values.innerArea) < 1)
      bad('innerArea', ['须为 1.00 到 999.99', 'From 1.00 to 999.99']);
    const orientation = values.orientation
      ? Object.entries(ORIENTATIONS).find(([, { label }]) =>
          label.some((word) => word.toLowerCase() === values.orientation!.toLowerCase()),
        )?.[0]
      : undefined;
    if (values.orientation && !orientation)
      bad('orientation', ['没有此朝向', 'There is no such orientation']);
    if (problems.length === before)
      for (const [column, message] of Object.entries(
        areaProblems(rooms!, values.innerArea!, values.builtArea!),
      ))
        bad(column, message);
    if (found.length === 1) {
      const name = values.name!.toLowerCase();
      const place = `${found[0]!.id} ${name}`;
      if (found[0]!.types.includes(name))
        bad('name', ['该项目已有同名户型', 'The project has a type of this name']);
      else if (first.has(place))
        bad('name', [`与第${first.get(place)}行重复`, `Same as row ${first.get(place)}`]);
      else first.set(place, row.number);
    }
    if (problems.length === before) drafts.push({ row, project: found[0]!.id, rooms: rooms!, orientation });
  }
  return { drafts, problems };
}
