import {
  protectAdministrators,
  putIntoDepartment,
  refuseOwnPhone,
  requireDepartmentRights,
  requireReach,
} from '../permission-group/reach-rules.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import {
  differences,
  writeAudit,
  writeTimeline,
  type FieldChange,
} from '../../../kernel/server/audit/audit.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { runOne, type Tx } from '../../../kernel/server/database.ts';
import { Refusal } from '../../../kernel/server/http/errors.ts';
import type {
  ImportCall,
  ImportProblem,
  ImportRow,
  ImportTarget,
} from '../../../kernel/server/tables/import-target.ts';
import { notifyStaffChanged } from '../../../kernel/server/people/session-changes.ts';
import { tellEmailChanged, tellPhoneChanged } from '../../frame/profile/sign-in-ways.server.ts';
import { lookUp, parts, type KnownNames } from './staff-import-names.server.ts';
import { setGroups, setProjects, setStations, STAFF } from './staff-commands.server.ts';
import {
  ACCOUNT_TAKEN,
  checkUnique,
  noteAskedPhones,
  noteTaken,
  PHONE_TAKEN,
  requireMayAsk,
} from './staff-unique.server.ts';
import { requireSeats } from '../../../domain/tenant/tenant-package.server.ts';

const SEX: Readonly<Record<string, number>> = {
  女: 0,
  男: 1,
  未知: 2,
  female: 0,
  male: 1,
  unknown: 2,
  '': 2,
};
const columns: ImportTarget['columns'] = [
  { name: 'name', title: ['姓名', 'Name'], required: true, max: 20, example: '李敏' },
  {
    name: 'account',
    title: ['账号', 'Account'],
    required: true,
    max: 20,
    example: 'limin',
    note: ['字母开头，3–20位', 'Starts with a letter, 3–20 characters'],
  },
  { name: 'staffNo', title: ['工号', 'Staff no.'], max: 20, example: 'A0001' },
  {
    name: 'sex',
    title: ['性别', 'Sex'],
    max: 10,
    example: '女',
    note: ['女、男或未知', 'Female, male or unknown'],
  },
  { name: 'phone', title: ['手机', 'Phone'], required: true, max: 11, example: '13900000001' },
  { name: 'email', title: ['邮箱', 'E-mail'], max: 120, example: 'limin@example.com' },
  {
    name: 'department',
    title: ['部门', 'Department'],
    required: true,
    max: 30,
    example: 'PT-SVC',
    note: ['名称或编码', 'Name or code'],
  },
  {
    name: 'station',
    title: ['岗位', 'Posts'],
    max: 200,
    note: ['名称或编码，多个用、分隔', 'Names or codes, several are separated by 、'],
  },
  {
    name: 'projects',
    title: ['项目', 'Projects'],
    max: 2_000,
    note: ['名称或编码，多个用、分隔', 'Names or codes, several are separated by 、'],
  },
  {
    name: 'groups',
    title: ['角色', 'Groups'],
    max: 500,
    note: ['名称或编码，多个用、分隔', 'Names or codes, several are separated by 、'],
  },
];

/** New staff from a table. Every bad row is named with its column before anything is written. */
export const staffImport: ImportTarget = {
  source: 'staff',
  menu: 'userManager',
  element: 'btn_import',
  title: ['员工', 'Staff'],
  maxRows: 2_000,
  columns,
  check: (call, rows) => checkRows(call, rows, false),
  commit: (tx, call, rows) => writeRows(tx, call, rows, false),
};

/** The same table with the switch "update existing accounts": the account is the key, empty cells change nothing. */
export const staffUpdateImport: ImportTarget = {
  ...staffImport,
  source: 'staffUpdate',
  title: ['员工（更新已存在的账号）', 'Staff (update existing accounts)'],
  check: (call, rows) => checkRows(call, rows, true),
  commit: (tx, call, rows) => writeRows(tx, call, rows, true),
};

const FORBIDDEN_UPDATE: Label = [
  '没有编辑权限，不能更新已有账号',
  'Existing accounts need the right to edit',
];

const PHONE = /^1\d{10}$/;

async function checkRows(
  { platform, caller }: ImportCall,
  rows: readonly ImportRow[],
  update: boolean,
): Promise<ImportProblem[]> {
  await requireMayAsk(platform.database.db, caller, ['account', 'phone']);
  const phones = rows.map((row) => row.values.phone ?? '').filter((phone) => PHONE.test(phone));
  await noteAskedPhones(platform, caller, phones);
  const known = await lookUp(platform.database.db, caller, rows);
  const problems: ImportProblem[] = [];
  const taken = { account: [] as string[], phone: [] as string[] };
  const seen = {
    account: new Map<string, number>(),
    staffNo: new Map<string, number>(),
    phone: new Map<string, number>(),
  };
  for (const row of rows) {
    const { account, staffNo, phone, email, sex, department, name } = row.values as Record<string, string>;
    const bad = (column: string, message: Label) => problems.push({ row: row.number, column, message });
    const existing = known.accounts.get(accountOf(row));
    const before = problems.length;
    if (Array.from(name!).length < 2) bad('name', ['至少2个字', 'At least 2 characters']);
    if (!/^[a-zA-Z][a-zA-Z0-9_.-]{2,19}$/.test(account!))
      bad('account', [
        '3–20位，字母开头，可含字母、数字、_ . -',
        '3–20 characters, starts with a letter; letters, digits, _ . -',
      ]);
    else if (existing && (!update || !existing.own)) {
      if (existing.foreign) taken.account.push(accountOf(row));
      bad('account', ACCOUNT_TAKEN);
    } else if (existing && !caller.elements.has('userManager:btn_edit')) bad('account', FORBIDDEN_UPDATE);
    if (!PHONE.test(phone!)) bad('phone', ['请输入11位手机号', 'Please enter a mobile number of 11 digits']);
    if (staffNo && isTaken(known.numbers.get(staffNo), existing))
      bad('staffNo', ['工号已被使用', 'Staff number in use']);
    if (email && !/^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/.test(email))
      bad('email', ['请输入正确的邮箱', 'Please enter a valid e-mail address']);
    if (!(sex!.toLowerCase() in SEX)) bad('sex', ['请填写女、男或未知', 'Female, male or unknown']);
    /** The id of what a cell names; says so when nothing or more than one thing is meant. */
    const meant = (column: 'department' | 'station' | 'projects' | 'groups', text: string, none: Label) => {
      const index = { ...known, department: known.departments, station: known.stations }[column];
      const id = index.get(text);
      if (id === undefined) bad(column, index.clash(text) ?? none);
      return id;
    };
    meant('department', department!, ['部门不存在或已停用', 'The department does not exist or is disabled']);
    for (const text of parts(row.values.station))
      meant('station', text, [`岗位 ${text} 不存在`, `There is no post ${text}`]);
    for (const text of parts(row.values.projects))
      meant('projects', text, [
        `项目 ${text} 不存在或无权分配`,
        `There is no project ${text} you may assign`,
      ]);
    for (const text of parts(row.values.groups)) {
      const group = meant('groups', text, [`角色 ${text} 不存在`, `There is no group ${text}`]);
      if (group !== undefined && known.beyondReach.has(group))
        bad('groups', [`不能授予自己没有的权限：${text}`, `You cannot grant what you do not hold: ${text}`]);
    }
    for (const [column, value] of [
      ['account', account!.toLowerCase()],
      ['staffNo', staffNo!],
      ['phone', phone!],
    ] as const) {
      if (!value) continue;
      const twin = seen[column].get(value);
      if (twin === undefined) seen[column].set(value, row.number);
      else bad(column, [`与第${twin}行重复`, `The same as in row ${twin}`]);
    }
    // Whether somebody anywhere has a phone is told of rows only that could be written otherwise.
    if (problems.length === before && isTaken(known.phones.get(phone!), existing)) {
      taken.phone.push(phone!);
      bad('phone', PHONE_TAKEN);
    }
  }
  await noteTaken(platform, caller, 'account', taken.account);
  await noteTaken(platform, caller, 'phone', taken.phone);
  return problems;
}

async function writeRows(
  tx: Tx,
  call: ImportCall,
  rows: readonly ImportRow[],
  update: boolean,
): Promise<number> {
  const { caller } = call;
  const known = await lookUp(tx, caller, rows);
  await requireSeats(tx, caller.tenantId, rows.filter((row) => !known.accounts.has(accountOf(row))).length);
  for (const row of rows) {
    const existing = known.accounts.get(accountOf(row));
    try {
      // Looked at again behind the lock of the unique indexes: the table may have changed since the check.
      if (existing && (!update || !existing.own)) {
        if (existing.foreign) await noteTaken(call.platform, caller, 'account', [accountOf(row)]);
        throw new Refusal(409, 30101, ACCOUNT_TAKEN);
      }
      await checkUnique(tx, call, existing?.id ?? 0, caller.tenantId, {
        ...(existing ? {} : { account: row.values.account }),
        staffNo: row.values.staffNo,
        phone: row.values.phone,
      });
      await (existing ? changeStaff(tx, call, existing.id, row, known) : addStaff(tx, call, row, known));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new Refusal(error.http, error.status, [
        `第${row.number}行：${error.label[0]}`,
        `Row ${row.number}: ${error.label[1]}`,
      ]);
    }
  }
  call.platform.changed(STAFF);
  return rows.length;
}

async function addStaff(
  tx: Tx,
  { caller, language }: ImportCall,
  { values }: ImportRow,
  known: KnownNames,
): Promise<void> {
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO staff (tenant_id, department_id, account, name, staff_no, phone, email, sex, created_by, updated_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) RETURNING id`,
    [
      caller.tenantId,
      known.departments.get(values.department!),
      values.account,
      values.name,
      values.staffNo || null,
      values.phone,
      values.email || null,
      SEX[values.sex!.toLowerCase()],
      caller.staffId,
    ],
  );
  await requireDepartmentRights(tx, caller, Number(known.departments.get(values.department!)));
  // Without a password, as nobody is shown hundreds of them: the account opens with a reset or the forgotten-password code.
  await tellPhoneChanged(tx, row!.id, {
    before: null,
    after: values.phone!,
    phone: null,
    by: caller.name,
    language,
  });
  await assign(tx, caller, row!.id, values, known);
  await note(tx, caller, row!.id, {
    action: 'create',
    label: ['导入新增', 'Added by import'],
    values,
    changes: [],
  });
}

async function changeStaff(
  tx: Tx,
  call: ImportCall,
  id: number,
  { values }: ImportRow,
  known: KnownNames,
): Promise<void> {
  const { caller, platform, language } = call;
  const before = await runOne<{ phone: string | null; email: string | null; department_id: number | null }>(
    tx,
    'SELECT name, department_id, phone, staff_no, email, sex FROM staff WHERE id = $1 FOR UPDATE',
    [id],
  );
  await protectAdministrators(tx, caller, id);
  // An empty cell changes nothing.
  const email = values.email || before!.email;
  if (before!.phone !== values.phone) refuseOwnPhone(caller, id);
  // A phone is a way to sign in: whoever changes it could become that person. E-mails tell of rows the person sees.
  // That it is asked tells of a hidden phone; a table always brings one, and how many of a form are asked is counted.
  if (before!.phone !== values.phone || before!.email !== email)
    await requireReach({ tx, platform, caller }, id);
  const department = known.departments.get(values.department!);
  if (department !== undefined && department !== before!.department_id)
    await putIntoDepartment(tx, call, id, department);
  const after = await runOne<Record<string, unknown>>(
    tx,
    `UPDATE staff SET name = $2, department_id = $3, phone = $4, staff_no = coalesce($5, staff_no), email = $6, sex = coalesce($7::smallint, sex),
            version = version + 1, updated_at = now(), updated_by = $8 WHERE id = $1 RETURNING name, department_id, phone, staff_no, email, sex`,
    [
      id,
      values.name,
      known.departments.get(values.department!),
      values.phone,
      values.staffNo || null,
      email,
      values.sex ? SEX[values.sex.toLowerCase()] : null,
      caller.staffId,
    ],
  );
  const told = { phone: before!.phone, by: caller.name, language };
  await tellPhoneChanged(tx, id, { ...told, before: before!.phone, after: values.phone! });
  if (id !== caller.staffId) await tellEmailChanged(tx, id, { ...told, before: before!.email, after: email });
  const assigned = await assign(tx, caller, id, values, known);
  await notifyStaffChanged(tx, id);
  await note(tx, caller, id, {
    action: 'update',
    label: ['导入更新', 'Changed by import'],
    values,
    changes: [...differences(before!, after!), ...assigned],
  });
}

/** Posts, projects and groups the row names; an empty cell leaves them as they are. */
async function assign(
  tx: Tx,
  caller: Caller,
  id: number,
  values: ImportRow['values'],
  known: KnownNames,
): Promise<FieldChange[]> {
  const stations = parts(values.station).map((text) => known.stations.get(text)!);
  const projects = parts(values.projects).map((text) => known.projects.get(text)!);
  const groups = parts(values.groups).map((text) => known.groups.get(text)!);
  return [
    ...(stations.length > 0 ? await setStations(tx, caller.tenantId, id, stations) : []),
    ...(projects.length > 0 ? await setProjects(tx, caller, id, projects, undefined) : []),
    ...(groups.length > 0 ? await setGroups(tx, caller, id, groups) : []),
  ];
}

async function note(
  tx: Tx,
  caller: Caller,
  id: number,
  {
    action,
    label,
    values,
    changes,
  }: {
    readonly action: string;
    readonly label: Label;
    readonly values: ImportRow['values'];
    readonly changes: readonly FieldChange[];
  },
): Promise<void> {
  await writeTimeline(tx, { entity: STAFF, entityId: id, caller, action, label, changes });
  await writeAudit(tx, {
    caller,
    menu: 'userManager',
    action: 'import',
    entity: STAFF,
    entityId: id,
    after: values,
  });
}

/** The account of a row as it is compared: case does not tell accounts apart. */
const accountOf = (row: ImportRow): string => row.values.account!.toLowerCase();

function isTaken(holder: number | undefined, existing: { readonly id: number } | undefined): boolean {
  return holder !== undefined && holder !== existing?.id;
}
