import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { ImportRow, ImportTarget } from '../../../kernel/server/tables/import-target.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { staffImport, staffUpdateImport } from './staff-import.server.ts';
import { checkUnique } from './staff-unique.server.ts';

let product: TestProduct;
let caller: Caller;
beforeAll(async () => {
  product = await startTestProduct();
  caller = await product.caller('admin');
  await run(
    product.platform.database.db,
    `INSERT INTO department (tenant_id, code, name) VALUES ($1, 'IMP', '导入部')`,
    [caller.tenantId],
  );
});
afterAll(() => product?.close());

const call = () => ({ caller, platform: product.platform, language: 'zh' as const });
const row = (number: number, values: Record<string, string> = {}): ImportRow => ({
  number,
  values: {
    name: '员工甲',
    account: `imp${number}`,
    staffNo: `I${number}`,
    sex: '女',
    phone: `188${String(number).padStart(8, '0')}`,
    email: '',
    department: 'IMP',
    station: '',
    projects: '',
    groups: '',
    ...values,
  },
});
const check = (rows: readonly ImportRow[], target: ImportTarget = staffImport) => target.check(call(), rows);
const commit = (rows: readonly ImportRow[], target: ImportTarget = staffImport) =>
  transaction(product.platform.database.db, (tx) => target.commit(tx, call(), rows));
const imported = async () =>
  (await runOne<{ n: number }>(
    product.platform.database.db,
    `SELECT count(*) AS n FROM staff WHERE account LIKE 'imp%'`,
  ))!.n;

test('Must show 9 (Bad input, imports with duplicate accounts and unknown departments): 100 staff with 3 bad rows: the dry run names rows and columns and writes nothing; the good ones follow', async () => {
  const rows = Array.from({ length: 100 }, (_, at) => row(at + 1));
  rows[9] = row(10, { account: 'admin' });
  rows[49] = row(50, { department: 'NONE' });
  rows[79] = row(80, { phone: '12345' });
  const problems = await check(rows);
  expect(problems.map((one) => [one.row, one.column, one.message[0]])).toEqual([
    [10, 'account', '账号已存在'],
    [50, 'department', '部门不存在或已停用'],
    [80, 'phone', '请输入11位手机号'],
  ]);
  expect(await imported()).toBe(0);
  const bad = new Set(problems.map((one) => one.row));
  expect(await commit(rows.filter((one) => !bad.has(one.number)))).toBe(97);
  expect(await imported()).toBe(97);
  expect(
    await runOne(
      product.platform.database.db,
      `SELECT must_change_password, tenant_id FROM staff WHERE account = 'imp1'`,
    ),
  ).toEqual({ must_change_password: true, tenant_id: caller.tenantId });
});

test('doubles inside the file, unknown posts, projects and groups are named', async () => {
  const project = await runOne<{ name: string }>(
    product.platform.database.db,
    'SELECT name FROM project ORDER BY id LIMIT 1',
  );
  const problems = await check([
    row(201, { account: 'twin_a', phone: '18700000001' }),
    row(202, { account: 'Twin_A', phone: '18700000001' }),
    row(203, { account: 'other_a', station: 'NOPE', projects: `${project!.name}、天外天`, groups: 'nope' }),
  ]);
  expect(problems.map((one) => [one.row, one.column])).toEqual([
    [202, 'account'],
    [202, 'phone'],
    [203, 'station'],
    [203, 'projects'],
    [203, 'groups'],
  ]);
});

test('the switch updates existing accounts by their account and leaves empty cells alone', async () => {
  const again = [row(1, { name: '员工新名', staffNo: '' })];
  expect((await check(again)).map((one) => one.column)).toEqual(['account']);
  expect(await check(again, staffUpdateImport)).toEqual([]);
  await commit(again, staffUpdateImport);
  expect(
    await runOne(product.platform.database.db, `SELECT name, staff_no FROM staff WHERE account = 'imp1'`),
  ).toEqual({ name: '员工新名', staff_no: 'I1' });
});

test('accounts of other tenants can be neither taken nor updated', async () => {
  const foreign = await runOne<{ account: string }>(
    product.platform.database.db,
    'SELECT account FROM staff WHERE tenant_id <> $1 LIMIT 1',
    [caller.tenantId],
  );
  for (const target of [staffImport, staffUpdateImport])
    expect(
      (await check([row(300, { account: foreign!.account })], target)).map((one) => one.message[0]),
    ).toEqual(['账号已存在']);
});

test('a row that went bad after the check undoes the whole import', async () => {
  const rows = [row(401), row(402)];
  expect(await check(rows)).toEqual([]);
  await run(product.platform.database.db, `UPDATE staff SET phone = $1 WHERE account = 'imp2'`, [
    rows[1]!.values.phone,
  ]);
  await expect(commit(rows)).rejects.toThrow(/Row 402: Phone used by another staff/);
  expect(
    await runOne(product.platform.database.db, `SELECT 1 FROM staff WHERE account = 'imp401'`),
  ).toBeUndefined();
});

test('whom the importer does not see on the screen no table changes', async () => {
  const { db } = product.platform.database;
  const one = await runOne<{ id: number }>(
    db,
    `INSERT INTO staff (tenant_id, account, name, must_change_password) VALUES ($1, 'narrow_hr', '窄范围', false) RETURNING id`,
    [caller.tenantId],
  );
  const narrow: Caller = {
    ...caller,
    staffId: one!.id,
    account: 'narrow_hr',
    menus: new Map([...caller.menus, ['userManager', [{ kind: 'self' as const }]]]),
  };
  const rows = [row(1, { name: '被改名了' })];
  const context = { ...call(), caller: narrow };
  expect((await staffUpdateImport.check(context, rows)).map((problem) => problem.message[0])).toEqual([
    '账号已存在',
  ]);
  await expect(transaction(db, (tx) => staffUpdateImport.commit(tx, context, rows))).rejects.toThrow(
    /already exists/,
  );
});

test('departments, posts, projects and groups by name as well; a name of several is refused with the codes', async () => {
  const { db } = product.platform.database;
  const project = await runOne<{ name: string; code: string }>(
    db,
    'SELECT name, code FROM project ORDER BY id LIMIT 1',
  );
  await run(
    db,
    `INSERT INTO station (tenant_id, code, name, type) VALUES ($1, 'IMP-A', '收银员', 'other'), ($1, 'IMP-B', '同名岗', 'other'), ($1, 'IMP-C', '同名岗', 'other')`,
    [caller.tenantId],
  );
  expect(
    await check([
      row(501, { department: '导入部', station: '收银员、IMP-B', projects: project!.name }),
      row(502, { department: 'imp', station: 'IMP-C', projects: project!.code }),
    ]),
  ).toEqual([]);
  expect((await check([row(503, { station: '同名岗' })])).map((one) => [one.column, one.message])).toEqual([
    [
      'station',
      [
        '“同名岗”有 2 个同名，请改填：IMP-B、IMP-C',
        '“同名岗” is the name of 2; please write one of: IMP-B, IMP-C',
      ],
    ],
  ]);
  expect(await commit([row(504, { department: '导入部', station: '收银员' })])).toBe(1);
  expect(
    await runOne(
      db,
      `SELECT d.code AS department, p.code AS post FROM staff s JOIN department d ON d.id = s.department_id
         JOIN staff_station x ON x.staff_id = s.id JOIN station p ON p.id = x.station_id WHERE s.account = 'imp504'`,
    ),
  ).toEqual({ department: 'IMP', post: 'IMP-A' });
});

test('tells which phones are taken of rows only that could be written, and of twenty an hour', async () => {
  const { db } = product.platform.database;
  const foreign = (await runOne<{ id: number }>(
    db,
    'SELECT id FROM tenant WHERE id <> $1 ORDER BY id LIMIT 1',
    [caller.tenantId],
  ))!.id;
  const phone = (n: number) => `1770000${String(n).padStart(4, '0')}`;
  await run(
    db,
    `INSERT INTO staff (tenant_id, account, name, phone)
     SELECT $1, 'afar' || n, '远方', '1770000' || lpad(n::text, 4, '0') FROM generate_series(1, 40) AS n`,
    [foreign],
  );
  await run(db, `DELETE FROM call_value WHERE purpose = 'takenPhone'`);
  await run(db, `DELETE FROM call_window WHERE purpose = 'takenPhone'`);
  const asked = (from: number, to: number, more: Record<string, string> = {}) =>
    Array.from({ length: to - from + 1 }, (_, at) =>
      row(600 + from + at, { phone: phone(from + at), ...more }),
    );
  // Rows that cannot be written for another reason say nothing of their phone.
  const silent = await check(asked(1, 40, { department: 'NONE' }));
  expect(new Set(silent.map((one) => one.column))).toEqual(new Set(['department']));
  const told = await check(asked(1, 20));
  expect(told.map((one) => [one.column, one.message[0]])).toEqual(
    Array.from({ length: 20 }, () => ['phone', '手机号已被其他员工使用']),
  );
  // The same ones again tell nothing new; one more is too many, and none of those asked with it is told.
  expect(await check(asked(1, 20))).toHaveLength(20);
  await expect(check(asked(15, 21))).rejects.toMatchObject({ http: 429 });
  await expect(check([row(700, { phone: phone(40) })])).rejects.toMatchObject({ http: 429 });
  // The refusal must not tell taken ones from free ones: from then on nothing is looked at, in the form neither.
  const free = () => check(Array.from({ length: 50 }, (_, at) => row(800 + at)));
  await expect(free()).rejects.toMatchObject({ http: 429 });
  await run(db, `DELETE FROM call_window WHERE purpose = 'takenPhone'`);
  // Free phones are not counted, however many.
  expect(await free()).toEqual([]);
});

test('tells which accounts are taken, in no word where, and of 120 names of other companies an hour', async () => {
  const { db } = product.platform.database;
  const tenants = await run<{ id: number }>(db, 'SELECT id FROM tenant WHERE id <> $1 ORDER BY id LIMIT 2', [
    caller.tenantId,
  ]);
  const own = tenants[0]!.id;
  await run(
    db,
    `INSERT INTO staff (tenant_id, account, name) SELECT $1, 'near' || n, '同事' FROM generate_series(1, 200) AS n`,
    [own],
  );
  await run(
    db,
    `INSERT INTO staff (tenant_id, account, name) SELECT $1, 'other' || n, '别家' FROM generate_series(1, 200) AS n`,
    [tenants[1]!.id],
  );
  await run(db, `INSERT INTO department (tenant_id, code, name) VALUES ($1, 'IMP', '别处')`, [own]);
  const menus = new Map([...caller.menus].filter(([menu]) => menu !== 'allUserManager'));
  const clerk = { ...caller, tenantId: own, tenantKind: 1 as const, menus };
  const ask = (name: string, from: number, to: number) =>
    staffImport.check(
      { ...call(), caller: clerk },
      Array.from({ length: to - from + 1 }, (_, at) =>
        row(2_000 + from + at, { account: `${name}${from + at}` }),
      ),
    );
  const told = (problems: Awaited<ReturnType<typeof ask>>) => new Set(problems.map((one) => one.message[0]));
  // Colleagues are no secret, however many; nor do free names count.
  expect(told(await ask('near', 1, 200))).toEqual(new Set(['账号已存在']));
  expect(await ask('nobody', 1, 200)).toEqual([]);
  const taken = await ask('other', 1, 120);
  expect([taken.length, told(taken)]).toEqual([120, new Set(['账号已存在'])]);
  expect(await ask('Other', 1, 120)).toHaveLength(120);
  await expect(ask('other', 100, 121)).rejects.toMatchObject({ http: 429 });
  // A free name and a colleague are refused alike from then on.
  await expect(ask('nobody', 1, 1)).rejects.toMatchObject({ http: 429 });
  await expect(ask('near', 1, 1)).rejects.toMatchObject({ http: 429 });
  // The form is one with the import.
  const form = (account: string) =>
    transaction(db, (tx) => checkUnique(tx, { ...call(), caller: clerk }, 0, own, { account }));
  await expect(form('nobody1')).rejects.toMatchObject({ http: 429 });
  await run(db, `DELETE FROM call_window WHERE purpose = 'takenAccount'`);
  await expect(form('nobody1')).resolves.toBeUndefined();
  await expect(form('Other150')).rejects.toMatchObject({ http: 409 });
  const counted = await run(db, `SELECT 1 FROM call_value WHERE purpose = 'takenAccount'`);
  expect(counted).toHaveLength(121);
  // Who sees all users anyway is not limited.
  await run(db, `DELETE FROM call_window WHERE purpose = 'takenAccount'`);
  const wide = { ...clerk, menus: caller.menus };
  const rows = Array.from({ length: 200 }, (_, at) => row(3_000 + at, { account: `other${at + 1}` }));
  expect(await staffImport.check({ ...call(), caller: wide }, rows)).toHaveLength(200);
  await run(db, `DELETE FROM call_value WHERE purpose = 'takenAccount'`);
});
