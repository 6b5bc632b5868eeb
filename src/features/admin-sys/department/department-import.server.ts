import type { Label } from '../../../kernel/contract/label.ts';
import { differences, writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Tx } from '../../../kernel/server/database.ts';
import { Refusal } from '../../../kernel/server/http/errors.ts';
import type {
  ImportCall,
  ImportProblem,
  ImportRow,
  ImportTarget,
} from '../../../kernel/server/tables/import-target.ts';
import { holds } from '../../../kernel/server/people/caller.ts';
import {
  checkLeader,
  createDepartment,
  DEPARTMENT,
  DEPARTMENT_SCOPE,
  moveBranch,
  type DepartmentInput,
} from './department-commands.server.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { keepOwnReach, rearrange } from '../permission-group/reach-rules.server.ts';
import { department } from './department.contract.ts';

const TYPES: Readonly<Record<string, string>> = {
  职能: 'function',
  项目: 'project',
  区域: 'region',
  function: 'function',
  project: 'project',
  region: 'region',
  '': 'function',
};

/** New departments from a table; rows may hang below one another in any order. */
export const departmentImport: ImportTarget = {
  source: 'department',
  menu: 'departManager',
  element: 'btn_import',
  title: ['部门', 'Departments'],
  maxRows: 2_000,
  columns: [
    { name: 'code', title: ['编码', 'Code'], required: true, max: 30, example: 'PT-SVC' },
    { name: 'name', title: ['名称', 'Name'], required: true, max: 30, example: '客服部' },
    {
      name: 'parent',
      title: ['上级编码', 'Parent code'],
      max: 30,
      example: 'PT',
      note: ['不填为最上级', 'Empty is the top'],
    },
    {
      name: 'type',
      title: ['类型', 'Type'],
      max: 10,
      example: '职能',
      note: ['职能、项目或区域', 'Function, project or region'],
    },
    { name: 'leader', title: ['负责人账号', 'Leader account'], max: 20, example: 'limin' },
    { name: 'phone', title: ['电话', 'Phone'], max: 20, example: '021-60001234' },
    { name: 'sort', title: ['排序', 'Order'], max: 4, example: '10' },
    { name: 'planned', title: ['计划编制', 'Planned heads'], max: 5, example: '8' },
  ],
  check: (call, rows) => dryRun(call, rows, false),
  commit: (tx, call, rows) => commit(tx, call, rows, false),
};

/** The same table with the switch "update existing departments": the code is the key, empty cells change nothing. */
export const departmentUpdateImport: ImportTarget = {
  ...departmentImport,
  source: 'departmentUpdate',
  title: ['部门（更新已存在的部门）', 'Departments (update existing ones)'],
  check: (call, rows) => dryRun(call, rows, true),
  commit: (tx, call, rows) => commit(tx, call, rows, true),
};

type Report = (row: ImportRow, column: string | undefined, message: Label) => void;

/** Every row is checked by writing it in a transaction that is thrown away: the very rules of the commit. */
async function dryRun(
  call: ImportCall,
  rows: readonly ImportRow[],
  update: boolean,
): Promise<ImportProblem[]> {
  const problems: ImportProblem[] = [];
  const dry = new Error('dry run');
  await transaction(call.platform.database.db, async (tx) => {
    await writeRows(tx, call, rows, update, (row, column, message) =>
      problems.push({ row: row.number, ...(column ? { column } : {}), message }),
    );
    throw dry;
  }).catch((error: unknown) => {
    if (error !== dry) throw error;
  });
  return problems.sort((a, b) => a.row - b.row);
}

async function commit(
  tx: Tx,
  call: ImportCall,
  rows: readonly ImportRow[],
  update: boolean,
): Promise<number> {
  const written = await writeRows(tx, call, rows, update, (row, _column, message) => {
    throw new Refusal(409, 30101, [`第${row.number}行：${message[0]}`, `Row ${row.number}: ${message[1]}`]);
  });
  await writeAudit(tx, {
    caller: call.caller,
    menu: 'departManager',
    action: 'import',
    entity: DEPARTMENT,
    after: { rows: written },
  });
  call.platform.changed(DEPARTMENT);
  return written;
}

async function writeRows(
  tx: Tx,
  call: ImportCall,
  rows: readonly ImportRow[],
  update: boolean,
  bad: Report,
): Promise<number> {
  const { tenantId } = call.caller;
  const parameters = new Parameters();
  const tenant = parameters.bind(tenantId);
  const inSight = scopeCondition(call.caller, department.menu, DEPARTMENT_SCOPE, parameters);
  const there = await run<{ id: number; code: string; seen: boolean }>(
    tx,
    `SELECT t.id, t.code, coalesce(${inSight}, false) AS seen FROM department t WHERE t.tenant_id = ${tenant}`,
    parameters.values,
  );
  const known = new Map(there.map((one) => [one.code, one.id]));
  // Only what the importer sees on the screen can be changed by a table.
  const seen = new Set(there.filter((one) => one.seen).map((one) => one.code));
  const leaders = new Map(
    (
      await run<{ id: number; account: string }>(
        tx,
        `SELECT id, lower(account) AS account FROM staff WHERE tenant_id = $1 AND lower(account) = ANY($2::text[])`,
        [tenantId, rows.map((row) => row.values.leader!.toLowerCase()).filter(Boolean)],
      )
    ).map((one) => [one.account, one.id]),
  );
  const first = new Map<string, number>();
  let waiting: ImportRow[] = [];
  for (const row of rows) {
    const twin = first.get(row.values.code!);
    if (twin !== undefined) {
      bad(row, 'code', [`与第${twin}行重复`, `The same as in row ${twin}`]);
      continue;
    }
    first.set(row.values.code!, row.number);
    if (cellsAreGood(call, row, { known, seen, leaders }, update, bad)) waiting.push(row);
  }
  let written = 0;
  // Parents first, whatever the order of the file; what is left in the end hangs below something that is not there.
  for (;;) {
    const ready = waiting.filter((row) => row.values.parent === '' || known.has(row.values.parent!));
    if (ready.length === 0) break;
    waiting = waiting.filter((row) => !ready.includes(row));
    for (const row of ready)
      try {
        const existing = known.get(row.values.code!);
        if (existing === undefined) known.set(row.values.code!, await add(tx, call, row, known, leaders));
        else await change(tx, call, existing, row, known, leaders);
        written += 1;
      } catch (error) {
        // A refusal is no database error, so the dry run goes on; a commit throws and undoes everything.
        if (!(error instanceof Refusal)) throw error;
        bad(row, undefined, error.label);
      }
  }
  for (const row of waiting) bad(row, 'parent', ['上级部门不存在', 'The parent department does not exist']);
  return written;
}

function cellsAreGood(
  call: ImportCall,
  row: ImportRow,
  {
    known,
    seen,
    leaders,
  }: {
    readonly known: ReadonlyMap<string, number>;
    readonly seen: ReadonlySet<string>;
    readonly leaders: ReadonlyMap<string, number>;
  },
  update: boolean,
  bad: Report,
): boolean {
  const { code, name, type, leader, sort, planned } = row.values as Record<string, string>;
  let good = true;
  const problem = (column: string, message: Label) => {
    good = false;
    bad(row, column, message);
  };
  const { pattern } = department.fields.code;
  if (!new RegExp(`^(?:${pattern!.source})$`).test(code!)) problem('code', pattern!.message);
  else if (known.has(code!) && !(update && seen.has(code!))) problem('code', ['编码已存在', 'Code exists']);
  else if (known.has(code!) && !holds(call.caller, 'departManager:btn_edit'))
    problem('code', ['没有编辑权限，不能更新已有部门', 'Existing departments need the right to edit']);
  if (Array.from(name!).length < 2) problem('name', ['至少2个字', 'At least 2 characters']);
  if (!(type!.toLowerCase() in TYPES))
    problem('type', ['请填写职能、项目或区域', 'Function, project or region']);
  if (leader && !leaders.has(leader.toLowerCase()))
    problem('leader', ['负责人须为本公司在职员工', 'The leader must be staff of the same tenant']);
  for (const [column, value] of [
    ['sort', sort],
    ['planned', planned],
  ] as const)
    if (value && !/^\d{1,5}$/.test(value)) problem(column, ['请输入整数', 'Please enter a whole number']);
  return good;
}

async function add(
  tx: Tx,
  { caller }: ImportCall,
  { values }: ImportRow,
  known: ReadonlyMap<string, number>,
  leaders: ReadonlyMap<string, number>,
): Promise<number> {
  const input: DepartmentInput = {
    code: values.code!,
    name: values.name!,
    parent: values.parent ? known.get(values.parent) : null,
    type: TYPES[values.type!.toLowerCase()],
    leader: values.leader ? leaders.get(values.leader.toLowerCase()) : null,
    phone: values.phone,
    sort: Number(values.sort || 0),
    planned: Number(values.planned || 0),
  };
  const id = await keepOwnReach(tx, caller, () => createDepartment(tx, caller, input));
  await writeTimeline(tx, {
    entity: DEPARTMENT,
    entityId: id,
    caller,
    action: 'create',
    label: ['导入新增', 'Added by import'],
  });
  return id;
}

async function change(
  tx: Tx,
  call: ImportCall,
  id: number,
  { values }: ImportRow,
  known: ReadonlyMap<string, number>,
  leaders: ReadonlyMap<string, number>,
): Promise<void> {
  const { caller } = call;
  const before = (await runOne<Record<string, unknown>>(
    tx,
    'SELECT name, parent_id, type, leader_id, phone, sort, planned, path, tenant_id FROM department WHERE id = $1 FOR UPDATE',
    [id],
  ))!;
  const after: Record<string, unknown> = {
    name: values.name,
    ...(values.parent ? { parent_id: known.get(values.parent) } : {}),
    ...(values.type ? { type: TYPES[values.type.toLowerCase()] } : {}),
    ...(values.leader ? { leader_id: leaders.get(values.leader.toLowerCase()) } : {}),
    ...(values.phone ? { phone: values.phone } : {}),
    ...(values.sort ? { sort: Number(values.sort) } : {}),
    ...(values.planned ? { planned: Number(values.planned) } : {}),
  };
  await checkLeader(tx, Number(before.tenant_id), after.leader_id);
  const moves = after.parent_id !== undefined && after.parent_id !== before.parent_id;
  const leads = after.leader_id !== undefined && after.leader_id !== before.leader_id;
  if (moves || leads)
    await rearrange(tx, call, async () => {
      if (leads) await run(tx, 'UPDATE department SET leader_id = $2 WHERE id = $1', [id, after.leader_id]);
      if (!moves) return;
      const place = { id, tenantId: Number(before.tenant_id), path: before.path as number[] };
      await moveBranch(tx, place, after.parent_id as number);
    });
  const changes = differences(before, after);
  if (changes.length === 0) return;
  await run(
    tx,
    `UPDATE department SET ${Object.keys(after)
      .map((column, index) => `${column} = $${index + 3}`)
      .join(', ')}, version = version + 1, updated_at = now(), updated_by = $2 WHERE id = $1`,
    [id, caller.staffId, ...Object.values(after)],
  );
  await writeTimeline(tx, {
    entity: DEPARTMENT,
    entityId: id,
    caller,
    action: 'update',
    label: ['导入更新', 'Changed by import'],
    changes,
  });
}
