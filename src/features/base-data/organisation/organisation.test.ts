import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { ImportRow } from '../../../kernel/server/tables/import-target.ts';
import { until } from '../../../testing/kernel-fixtures.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { licenceCheck } from '../../../domain/places/organisation.rules.ts';
import { placesAt } from '../../../domain/places/places-at.server.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { spellingJob, licenceJob } from './organisation-jobs.server.ts';
import { organisationInvariants } from './organisation-invariants.server.ts';
import { registration } from './organisation.server.ts';

const ROOT = '/jinmao/web/organisation';
let product: TestProduct;
let admin: string;
const regions: Record<string, number> = {};

beforeAll(async () => {
  product = await startTestProduct({ demo: false });
  admin = await product.signIn('admin');
  const { db } = product.platform.database;
  const made = new Map<string, number>();
  for (const [code, name, level, parent] of [
    ['310000', '上海市', 1, null],
    ['310100', '上海市', 2, '310000'],
    ['310115', '浦东新区', 3, '310100'],
    ['320000', '江苏省', 1, null],
    ['320500', '苏州市', 2, '320000'],
    ['330000', '浙江省', 1, null],
    ['330100', '杭州市', 2, '330000'],
  ] as const) {
    const row =
      (await runOne<{ id: number }>(db, 'SELECT id FROM region WHERE code = $1', [code])) ??
      (await runOne<{ id: number }>(
        db,
        'INSERT INTO region (code, name, level, parent_id) VALUES ($1, $2, $3, $4) RETURNING id',
        [code, name, level, parent === null ? null : made.get(parent)],
      ));
    made.set(code, row!.id);
    regions[code] = row!.id;
  }
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const one = async (text: string, values: readonly unknown[] = []): Promise<any> => runOne(db(), text, values);
let turn = 0;
/** A credit code with the right check character. */
const licence = (): string => {
  const first = `91310000MA${String(++turn).padStart(7, '0')}`;
  return first + licenceCheck(first);
};
const post = (path: string, body: object = {}, token = admin) =>
  product.call(token, 'POST', `${ROOT}${path}`, body);
const get = (path: string, token = admin) => product.call(token, 'GET', `${ROOT}${path}`);

const papers = () => ({ licenceNo: licence(), legalPerson: '周启明' });
const add = (
  kind: 'company' | 'centre_city' | 'management_unit',
  name: string,
  parent: string | undefined,
  more: Record<string, unknown> = {},
  token = admin,
) =>
  post(
    '',
    {
      kind,
      name,
      code: `T-${++turn}`,
      ...(parent ? { parent } : {}),
      region: String(regions[kind === 'centre_city' ? '310100' : '310115']),
      contact: '陆志远',
      phone: '13900001234',
      ...(kind === 'company' ? papers() : {}),
      ...more,
    },
    token,
  );
const made = async (
  ...args: Parameters<typeof add>
): Promise<{ id: string; version: number; tenant: { id: string } }> => {
  const answer = await add(...args);
  expect([args[1], answer.http, answer.message, answer.data?.fields]).toEqual([args[1], 200, '', undefined]);
  return answer.data;
};

const project = async (unit: string, name = `项目${++turn}`): Promise<number> =>
  (
    await one(
      'INSERT INTO project (code, name, unit_id, centre_id) SELECT $1, $2, id, parent_id FROM organisation WHERE id = $3 RETURNING id',
      [`P${++turn}`, name, unit],
    )
  ).id;

/** A staff of a tenant that holds the menu and everything on it. */
async function staffOf(
  tenant: string | number,
  options: { projects?: number[]; menu?: boolean } = {},
): Promise<string> {
  const account = `o${++turn}x`;
  const { id } = await one(
    'INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password) VALUES ($1, $2, $3, $4, false) RETURNING id',
    [tenant, account, `员工${turn}`, options.projects === undefined],
  );
  for (const one of options.projects ?? [])
    await run(db(), 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [id, one]);
  if (options.menu !== false) {
    const group = await one(
      `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT min(id), $1, $2, '机构' FROM group_type RETURNING id`,
      [tenant, `org${turn}`],
    );
    await run(db(), `INSERT INTO menu_grant (group_id, menu_code) VALUES ($1, 'mechanism')`, [group.id]);
    await run(
      db(),
      `INSERT INTO element_grant (group_id, element_code) SELECT $1, code FROM element WHERE menu_code = 'mechanism'`,
      [group.id],
    );
    await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group.id, id]);
  }
  return account;
}

const cascades = async (token: string) => {
  const names = async (path: string, field: string) =>
    (
      (await product.call(token, 'POST', `/jinmao/web/${path}`, { limit: 200 })).data.rows as Record<
        string,
        string
      >[]
    ).map((row) => row[field]!);
  return {
    centres: await names('baseCentre/queryCentreCityPC/', 'centreName'),
    units: await names('baseManage/queryBaseManage/', 'manageName'),
    projects: await names('baseCentreProject/queryCentreProject/', 'projectName'),
  };
};

test('Must show 1: 华东公司 › 上海中心 › 浦东管理处 with two projects hung: the three cascades answer exactly these to the platform, and to a centre-city user of 上海 only his branch', async () => {
  const company = await made('company', '华东公司', undefined);
  const shanghai = await made('centre_city', '上海中心', company.id, { createTenant: true });
  const hangzhou = await made('centre_city', '杭州中心', company.id, {
    createTenant: true,
    region: String(regions['330100']),
  });
  const other = await made('management_unit', '滨江管理处', hangzhou.id);
  const moved = [await project(other.id, '锦绣云庭'), await project(other.id, '滨江和园')];
  await project(other.id, '望潮府');
  const pudong = await made('management_unit', '浦东管理处', shanghai.id);
  const hung = await post(`/${pudong.id}/hang`, { projects: moved.map(String) });
  expect([hung.http, hung.message, hung.data.projects]).toEqual([200, '', 2]);
  const all = await cascades(admin);
  expect(all).toEqual({
    centres: ['上海中心', '杭州中心'],
    units: ['滨江管理处', '浦东管理处'],
    projects: ['锦绣云庭', '滨江和园', '望潮府'],
  });
  const local = await product.signIn(await staffOf(shanghai.tenant.id));
  expect(await cascades(local)).toEqual({
    centres: ['上海中心'],
    units: ['浦东管理处'],
    projects: ['锦绣云庭', '滨江和园'],
  });
  const row = (
    await product.call(admin, 'POST', '/jinmao/web/baseCentre/queryCentreCityPC', { companyId: company.id })
  ).data.rows[0];
  expect(row).toEqual({
    id: shanghai.id,
    centreCode: expect.any(String),
    centreName: '上海中心',
    cityName: '上海市',
    regionCode: '310100',
    projectCount: 2,
    enableStatus: 1,
  });
  expect(
    (await product.call(local, 'POST', '/jinmao/web/baseManage/queryBaseManage', { searchVal: 'pdglc' })).data
      .rows,
  ).toMatchObject([
    { manageName: '浦东管理处', centreId: shanghai.id, centreName: '上海中心', projectCount: 2 },
  ]);
  // His screen shows his branch, and what stands above it does not exist.
  expect((await get('/page?limit=50', local)).data.rows.map((one: { name: string }) => one.name)).toEqual(
    expect.arrayContaining(['上海中心', '浦东管理处']),
  );
  expect((await get('/page?limit=50', local)).data.total).toBe(2);
  expect((await get(`/${company.id}`, local)).http).toBe(404);
  expect((await post(`/${company.id}/stop`, { reason: '越权' }, local)).http).toBe(404);
  expect((await post(`/${pudong.id}/move`, { parent: hangzhou.id }, local)).http).toBe(404);
  expect((await add('management_unit', '越权处', hangzhou.id, {}, local)).http).toBe(404);
});

test('Must show 2: moving 浦东 from 上海 to 苏州 lists 2 projects, 5 staff who lose rows and 3 who gain; both sides follow within a second; last month still shows 上海', async () => {
  const company = await made('company', '迁移公司', undefined);
  const shanghai = await made('centre_city', '迁移上海', company.id, { createTenant: true });
  const suzhou = await made('centre_city', '迁移苏州', company.id, {
    createTenant: true,
    region: String(regions['320500']),
  });
  const unit = await made('management_unit', '迁移浦东处', shanghai.id);
  const stays = await made('management_unit', '留下管理处', shanghai.id);
  const [first, second, kept] = [await project(unit.id), await project(unit.id), await project(stays.id)];
  for (const id of [first, second, kept])
    await run(db(), 'INSERT INTO tenant_project VALUES ($1, $2)', [shanghai.tenant.id, id]);
  // Five who lose: four with everything, one by name; one whose projects stay. Three who gain.
  const losers = [];
  for (let at = 0; at < 4; at++) losers.push(await staffOf(shanghai.tenant.id));
  losers.push(await staffOf(shanghai.tenant.id, { projects: [first!] }));
  await staffOf(shanghai.tenant.id, { projects: [kept!] });
  const gainers = [];
  for (let at = 0; at < 3; at++) gainers.push(await staffOf(suzhou.tenant.id));
  const [loser, gainer] = [await product.signIn(losers[0]!), await product.signIn(gainers[0]!)];
  const sees = async (token: string) =>
    (await product.call(token, 'GET', '/jinmao/web/baseProject/getProjectListForPC')).data.length as number;
  expect([await sees(loser), await sees(gainer)]).toEqual([3, 0]);

  const asked = await post('/consequences', { kind: 'move', id: unit.id, parent: suzhou.id });
  expect([
    asked.data.refusal,
    asked.data.projects.length,
    asked.data.lose.length,
    asked.data.gain.length,
  ]).toEqual([null, 2, 5, 3]);
  expect(asked.data.lose[0]).toMatchObject({ from: 3, to: 1 });
  expect(asked.data.gain[0]).toMatchObject({ from: 0, to: 2 });

  // While somebody loses rows the name is asked for, and nothing is written without it.
  const unsure = await post(`/${unit.id}/move`, { parent: suzhou.id, confirmName: '别的' });
  expect([unsure.http, unsure.data.fields.confirmName]).toEqual([
    422,
    '5 名员工将失去数据，请输入机构名称「迁移浦东处」确认',
  ]);
  expect(await sees(loser)).toBe(3);

  const done = await post(`/${unit.id}/move`, {
    parent: suzhou.id,
    confirmName: '迁移浦东处',
    reason: '区域调整',
  });
  expect([done.http, done.data.parent.title]).toEqual([200, '迁移苏州']);
  await until(async () => (await sees(loser)) === 1 && (await sees(gainer)) === 2, 1_000);
  expect((await one('SELECT centre_id FROM project WHERE id = $1', [first])).centre_id).toBe(
    Number(suzhou.id),
  );

  const today = businessDayOf(new Date());
  const lastMonth = addDays(`${today.slice(0, 7)}-01`, -1);
  const table = async (day: string) => {
    const answer = await product.call(
      admin,
      'GET',
      `/jinmao/web/report/organisationFigures?range=${day}~${day}&limit=200`,
    );
    return Object.fromEntries(
      (answer.data.rows as { id: string; parent: string; projects: number }[])
        .filter((row) => [unit.id, shanghai.id, suzhou.id].includes(row.id))
        .map((row) => [row.id, [row.parent, row.projects]]),
    );
  };
  expect(await table(lastMonth)).toEqual({
    [unit.id]: ['迁移上海', 2],
    [shanghai.id]: ['迁移公司', 3],
    [suzhou.id]: ['迁移公司', 0],
  });
  expect(await table(today)).toEqual({
    [unit.id]: ['迁移苏州', 2],
    [shanghai.id]: ['迁移公司', 1],
    [suzhou.id]: ['迁移公司', 2],
  });
  const centreThen = await one(
    `SELECT p.centre_id FROM ${placesAt(`now() - interval '1 day'`)} p WHERE p.project_id = $1`,
    [first],
  );
  expect(centreThen.centre_id).toBe(Number(shanghai.id));

  const history = (await get(`/${unit.id}/changes`)).data.rows;
  expect(history).toMatchObject([
    { kind: 'move', from: '迁移上海', to: '迁移苏州', reason: '区域调整', lose: 5, gain: 3 },
  ]);
  expect(history[0].projects).toHaveLength(2);
});

test('Must show 3: a centre with an enabled project is not stopped and says the number; a merged node is in no picker, its history stays', async () => {
  const company = await made('company', '停用公司', undefined);
  const centre = await made('centre_city', '停用中心', company.id);
  const unit = await made('management_unit', '停用管理处', centre.id);
  const held = await project(unit.id);
  const refused = await post(`/${unit.id}/stop`, { reason: '撤并' });
  expect([refused.http, refused.status, refused.message]).toEqual([
    409,
    30101,
    '机构下仍有 1 个启用的下级或项目',
  ]);
  expect((await post(`/${centre.id}/stop`, { reason: '撤并' })).message).toBe(
    '机构下仍有 1 个启用的下级或项目',
  );
  expect((await post('/consequences', { kind: 'stop', id: centre.id })).data.refusal).toBe(
    '机构下仍有 1 个启用的下级或项目',
  );
  const target = await made('management_unit', '接收管理处', centre.id);
  const merged = await post(`/${unit.id}/merge`, { into: target.id, reason: '合署办公' });
  expect([merged.http, merged.data.state, merged.data.mergedInto.title]).toEqual([
    200,
    'merged',
    '接收管理处',
  ]);
  expect((await one('SELECT unit_id FROM project WHERE id = $1', [held])).unit_id).toBe(Number(target.id));
  const picked = await product.call(admin, 'GET', `/jinmao/web/options/organisation?searchVal=停用管理处`);
  expect(picked.data.rows ?? picked.data).toEqual([]);
  for (const includeStopped of [false, true])
    expect(
      (
        await product.call(admin, 'POST', '/jinmao/web/baseManage/queryBaseManage', {
          centreId: centre.id,
          includeStopped,
        })
      ).data.rows.map((row: { manageName: string }) => row.manageName),
    ).toEqual(['接收管理处']);
  expect((await get(`/${unit.id}/changes`)).data.rows).toMatchObject([
    { kind: 'merge', to: '接收管理处', reason: '合署办公', projects: [expect.any(String)] },
  ]);
  expect((await get(`/${target.id}/timeline`)).data.map((event: { label: string }) => event.label)).toContain(
    '并入「停用管理处」',
  );
  // Nothing can be done with it any more.
  expect((await post(`/${unit.id}/enable`, { reason: 'x' })).http).toBe(409);
  expect((await get(`/${unit.id}`)).data.actions.filter((name: string) => name !== 'order')).toEqual([]);
});

test('Must show 4: one wrong digit of the credit code is told at the field; a second centre for the same city is refused', async () => {
  const good = licence();
  const bad = `${good.slice(0, 5)}${good[5] === '1' ? '2' : '1'}${good.slice(6)}`;
  const wrong = await add('company', '错码公司', undefined, { licenceNo: bad });
  expect([wrong.http, wrong.data.fields.licenceNo]).toEqual([422, '统一社会信用代码不正确']);
  const company = await made('company', '城市公司', undefined, { licenceNo: good });
  const twin = await add('company', '双胞公司', undefined, { licenceNo: good });
  expect([twin.http, twin.message, twin.data.fields.licenceNo]).toEqual([
    409,
    '执照号已存在',
    '执照号已存在',
  ]);
  await made('centre_city', '城市中心', company.id);
  const second = await add('centre_city', '第二中心', company.id);
  expect([second.http, second.message]).toEqual([409, '该城市已设中心城市']);
  const province = await add('centre_city', '省级中心', company.id, { region: String(regions['310000']) });
  expect(province.data.fields.region).toBe('中心城市须选择市级地区');
  // Two at once: the database lets one through.
  const both = await Promise.all(
    ['甲中心', '乙中心'].map((name) =>
      add('centre_city', name, company.id, { region: String(regions['320500']) }),
    ),
  );
  expect(both.map((answer) => answer.http).sort()).toEqual([200, 409]);
});

test('Must show 5: of two who save the same node the second gets 30101 with the row as it is now', async () => {
  const node = await made('company', '两人公司', undefined);
  const save = (shortName: string) =>
    product.call(admin, 'PUT', `${ROOT}/${node.id}`, { version: node.version, shortName });
  expect((await save('先')).http).toBe(200);
  const late = await save('后');
  expect([late.http, late.status, late.data.current.shortName]).toEqual([409, 30101, '先']);
});

test('Must show 6: an import of 50 takes a child before its parent, names the unknown region, and writes nothing before it is confirmed', async () => {
  const target = registration.imports![0]!;
  const caller = await product.caller('admin');
  const call = { caller, platform: product.platform, language: 'zh' as const };
  const row = (number: number, values: Record<string, string>): ImportRow => ({
    number,
    values: {
      code: `I-${number}`,
      name: `导入${number}处`,
      kind: '管理单元',
      parent: 'I-49',
      region: '310115',
      leader: '',
      contact: '',
      phone: '',
      address: '',
      licenceNo: '',
      ...values,
    },
  });
  const rows = Array.from({ length: 48 }, (_, at) => row(at + 1, {}));
  rows.push(row(49, { name: '导入中心', kind: '中心城市', parent: 'I-50', region: '310100' }));
  rows.push(row(50, { name: '导入公司', kind: '公司', parent: '', region: '310000' }));
  rows[6] = row(7, { region: '999999' });
  const count = async () =>
    (await one(`SELECT count(*)::int AS n FROM organisation WHERE code LIKE 'I-%'`)).n;
  const problems = await target.check(call, rows);
  expect(problems.map((problem) => [problem.row, problem.column])).toEqual([[7, 'region']]);
  expect(await count()).toBe(0);
  const good = rows.filter((one) => one.number !== 7);
  expect(await transaction(db(), (tx) => target.commit(tx, call, good))).toBe(49);
  expect(await count()).toBe(49);
  expect(await one(`SELECT cardinality(path) AS depth, pinyin FROM organisation WHERE code = 'I-1'`)).toEqual(
    {
      depth: 3,
      pinyin: 'daoru1chu dr1c',
    },
  );
  const seven = await target.check(call, [row(7, { kind: '公司', parent: 'I-49' })]);
  expect(seven.map((problem) => problem.message[0])).toEqual(['上级类型不正确']);
});

test('Must show 15: a centre-city user sees the organisations of his branch; those of another company answer 404 by id', async () => {
  const ours = await made('company', '甲方公司', undefined, { createTenant: true });
  const theirs = await made('company', '乙方公司', undefined, { createTenant: true });
  const centre = await made('centre_city', '甲方中心', ours.id);
  const foreign = await made('centre_city', '乙方中心', theirs.id);
  const company = await product.signIn(await staffOf(ours.tenant.id));
  expect((await get(`/${centre.id}`, company)).http).toBe(200);
  expect((await get('/page?limit=50', company)).data.total).toBe(2);
  for (const id of [theirs.id, foreign.id])
    expect(
      await Promise.all([
        get(`/${id}`, company),
        get(`/${id}/timeline`, company),
        get(`/${id}/changes`, company),
        get(`/${id}/staff`, company),
        post(`/${id}/stop`, { reason: 'x' }, company),
        post('/consequences', { kind: 'stop', id }, company),
        post(`/${centre.id}/move`, { parent: id }, company),
        post(`/${centre.id}/merge`, { into: id, reason: 'x' }, company),
        product.call(company, 'PUT', `${ROOT}/${id}`, { version: 1, name: '夺取' }),
      ]).then((answers) => answers.map((answer) => answer.http)),
    ).toEqual(Array(9).fill(404));
  // What stands at the top is the platform's to make and to move to.
  expect((await add('company', '自立公司', undefined, {}, company)).http).toBe(422);
  expect((await post(`/${ours.id}/move`, { parent: null }, company)).http).toBe(404);
});

describe('the shape of the tree', () => {
  test('wrong kinds of parent, places below itself and names taken on a level are refused; deleting what was ever used too', async () => {
    const company = await made('company', '规则公司', undefined);
    const centre = await made('centre_city', '规则中心', company.id);
    const unit = await made('management_unit', '规则管理处', centre.id);
    for (const [kind, parent] of [
      ['centre_city', undefined],
      ['management_unit', company.id],
      ['centre_city', centre.id],
      ['company', unit.id],
    ] as const) {
      const answer = await add(kind, `错位${++turn}`, parent);
      expect([kind, answer.http, answer.data.fields.parent]).toEqual([kind, 422, '上级类型不正确']);
    }
    const below = await made('company', '规则子公司', company.id);
    const ring = await post(`/${company.id}/move`, { parent: below.id });
    expect([ring.http, ring.message]).toEqual([422, '上级类型不正确']);
    const third = await made('company', '规则孙公司', below.id);
    expect((await add('company', '第四级公司', third.id)).data.fields.parent).toBe('公司最多 3 级');
    expect((await add('management_unit', '规则管理处', centre.id)).message).toBe('同级名称重复');
    const unused = await made('management_unit', '没用过的处', centre.id);
    expect((await product.call(admin, 'DELETE', `${ROOT}/${centre.id}`)).message).toBe('已被使用，只能停用');
    expect((await product.call(admin, 'DELETE', `${ROOT}/${unused.id}`)).http).toBe(200);
    expect((await post(`/${unit.id}/merge`, { into: centre.id, reason: 'x' })).data.fields.into).toBe(
      '只能合并到同类型的其他机构',
    );
    expect((await post(`/${unit.id}/merge`, { into: unit.id, reason: 'x' })).http).toBe(422);
    const code = await product.call(admin, 'PUT', `${ROOT}/${centre.id}`, {
      version: centre.version,
      code: 'NEW-1',
    });
    expect(code.data.fields.code).toBe('已被使用，编码不可修改');
    expect((await post(`/${centre.id}/stop`, {})).data.fields.reason).toBe('此项必填');
  });

  test('two moves at once never make a ring, and the past has no gap and no overlap', async () => {
    const top = await made('company', '环公司', undefined);
    const a = await made('company', '环甲', top.id);
    const b = await made('company', '环乙', top.id);
    const both = await Promise.all([
      post(`/${a.id}/move`, { parent: b.id }),
      post(`/${b.id}/move`, { parent: a.id }),
    ]);
    expect(both.map((answer) => answer.http).sort()).toEqual([200, 422]);
    // A unit that is moved to and fro by many ends somewhere, with one open period.
    const centres = [
      await made('centre_city', '环上海', top.id),
      await made('centre_city', '环苏州', top.id, { region: String(regions['320500']) }),
    ];
    const unit = await made('management_unit', '环管理处', centres[0]!.id);
    await project(unit.id);
    await Promise.all(
      Array.from({ length: 6 }, (_, at) => post(`/${unit.id}/move`, { parent: centres[(at + 1) % 2]!.id })),
    );
    for (const invariant of organisationInvariants)
      expect((await invariant.check(product.platform)).problems, invariant.name).toEqual([]);
    const periods = await run<{ n: number; open: number }>(
      db(),
      'SELECT count(*)::int AS n, count(*) FILTER (WHERE ended_at IS NULL)::int AS open FROM organisation_parent_period WHERE organisation_id = $1',
      [unit.id],
    );
    expect(periods[0]!.open).toBe(1);
    expect(periods[0]!.n).toBeGreaterThan(1);
  });

  test('one project hung by two at once stands under one of them, and the data scope agrees', async () => {
    const company = await made('company', '争抢公司', undefined);
    const centres = [
      await made('centre_city', '争抢上海', company.id, { createTenant: true }),
      await made('centre_city', '争抢苏州', company.id, {
        createTenant: true,
        region: String(regions['320500']),
      }),
      await made('centre_city', '争抢杭州', company.id, { region: String(regions['330100']) }),
    ];
    const units = [];
    for (const [at, centre] of centres.entries())
      units.push(await made('management_unit', `争抢处${at}`, centre.id));
    const id = await project(units[2]!.id);
    const answers = await Promise.all(
      units.slice(0, 2).map((unit) => post(`/${unit.id}/hang`, { projects: [String(id)] })),
    );
    expect(answers.map((answer) => answer.http)).toEqual([200, 200]);
    const place = await one('SELECT unit_id, centre_id FROM project WHERE id = $1', [id]);
    const at = units.findIndex((unit) => Number(unit.id) === place.unit_id);
    expect(place.centre_id).toBe(Number(centres[at]!.id));
    const tenants = await run<{ tenant_id: number }>(
      db(),
      'SELECT tenant_id FROM tenant_project WHERE project_id = $1',
      [id],
    );
    expect(tenants.map((row) => String(row.tenant_id))).toEqual([centres[at]!.tenant.id]);
  });

  test('children are dragged into another order, and a stopped branch comes back from the top', async () => {
    const company = await made('company', '排序公司', undefined);
    const centre = await made('centre_city', '排序中心', company.id);
    const ids = [];
    for (const name of ['一处', '二处', '三处'])
      ids.push((await made('management_unit', name, centre.id)).id);
    expect((await post('/order', { id: ids[2], before: ids[0] })).http).toBe(200);
    expect(
      (await get(`/page?parent=${centre.id}`)).data.rows.map((row: { name: string }) => row.name),
    ).toEqual(['三处', '一处', '二处']);
    for (const id of ids) expect((await post(`/${id}/stop`, { reason: '收缩' })).http).toBe(200);
    expect((await post(`/${centre.id}/stop`, { reason: '收缩' })).data.state).toBe('stopped');
    expect((await post(`/${ids[0]}/enable`, { reason: '恢复' })).message).toBe(
      '上级机构已停用，请先启用上级',
    );
    expect((await post(`/${centre.id}/enable`, { reason: '恢复' })).data.state).toBe('enabled');
    expect((await post(`/${ids[0]}/enable`, { reason: '恢复' })).http).toBe(200);
    const forest = async (query: string) =>
      ((await get(`/forest${query}`)).data.rows as { name: string; parentId: string }[])
        .filter((node) => node.parentId === centre.id)
        .map((node) => node.name);
    expect(await forest('')).toEqual(['一处']);
    expect(await forest('?includeStopped=1')).toEqual(['三处', '一处', '二处']);
    expect(
      (await get('/forest?searchVal=pxzx')).data.rows.map((node: { name: string }) => node.name),
    ).toEqual(['排序公司', '排序中心']);
  });
});

describe('the form', () => {
  test('asks a company for its licence, a centre and a unit for their parent, everybody for contact and phone', async () => {
    const bare = (kind: string) =>
      post('', { kind, name: '空白机构', code: `E-${++turn}`, region: String(regions['310100']) });
    expect((await bare('company')).data.fields).toEqual({
      contact: '此项必填',
      phone: '此项必填',
      licenceNo: '此项必填',
    });
    expect((await bare('management_unit')).data.fields.parent).toBe('上级类型不正确');
    const company = await made('company', '表单公司', undefined);
    const centre = await made('centre_city', '表单中心', company.id);
    const papersOfUnit = await add('management_unit', '表单处', centre.id, { licenceNo: licence() });
    expect(papersOfUnit.data.fields.licenceNo).toBe('此类型没有此项');
    const later = addDays(businessDayOf(new Date()), 1);
    expect((await add('company', '未来公司', undefined, { foundedOn: later })).data.fields.foundedOn).toBe(
      '不能晚于今天',
    );
    expect((await add('company', '半点公司', undefined, { longitude: '121.47' })).data.fields.latitude).toBe(
      '经纬度须同时填写',
    );
    expect((await get(`/proposal?parent=${centre.id}`)).data.code).toMatch(/^T-\d+-01$/);
  });

  test('a unit starts with projects; when staff lose rows by it the name is asked for', async () => {
    const company = await made('company', '起步公司', undefined);
    const from = await made('centre_city', '起步上海', company.id, { createTenant: true });
    const to = await made('centre_city', '起步苏州', company.id, { region: String(regions['320500']) });
    const old = await made('management_unit', '起步旧处', from.id);
    const id = await project(old.id);
    await run(db(), 'INSERT INTO tenant_project VALUES ($1, $2)', [from.tenant.id, id]);
    await staffOf(from.tenant.id, { menu: false });
    const asked = await post('/consequences', { kind: 'start', id: to.id, projects: [String(id)] });
    expect([asked.data.refusal, asked.data.lose.length, asked.data.projects]).toEqual([
      null,
      1,
      [expect.objectContaining({ from: '起步旧处' })],
    ]);
    const body = { hang: [String(id)] };
    expect((await add('management_unit', '起步新处', to.id, body)).data.fields.confirmName).toContain(
      '1 名员工',
    );
    expect(await one(`SELECT count(*)::int AS n FROM organisation WHERE name = '起步新处'`)).toEqual({
      n: 0,
    });
    const unit = await made('management_unit', '起步新处', to.id, { ...body, confirmName: '起步新处' });
    expect(await one('SELECT unit_id, centre_id FROM project WHERE id = $1', [id])).toEqual({
      unit_id: Number(unit.id),
      centre_id: Number(to.id),
    });
  });

  test('account numbers are sealed, shown masked, and in clear only to whoever may reveal them, once per look', async () => {
    const number = '6222021001116245702';
    const company = await made('company', '账号公司', undefined, {
      bankAccount: number,
      bankName: '工商银行',
    });
    const row = (await get(`/${company.id}`)).data;
    expect([row.bankAccount, row.phone]).toEqual(['622202********5702', '139****1234']);
    const everywhere = await run<{ text: string }>(
      db(),
      `SELECT to_jsonb(o)::text AS text FROM organisation o UNION ALL SELECT coalesce(after::text, '') FROM audit_record
       UNION ALL SELECT coalesce(changes::text, '') FROM entity_event UNION ALL SELECT encode(bank_account, 'escape') FROM organisation_secret`,
    );
    expect(everywhere.some(({ text }) => text.includes(number))).toBe(false);
    const reveal = (token: string) =>
      product.call(token, 'GET', `/jinmao/dataDecryption?encryptionField=${row.encryptionField}`);
    expect((await reveal(admin)).data).toMatchObject({ bankAccount: number, phone: '13900001234' });
    const reader = await staffOf((await one('SELECT min(id) AS id FROM tenant WHERE kind = 3')).id);
    await run(
      db(),
      `DELETE FROM element_grant WHERE element_code = 'mechanism:btn_reveal' AND group_id IN (SELECT group_id FROM group_member m JOIN staff s ON s.id = m.staff_id WHERE s.account = $1)`,
      [reader],
    );
    const seen = await run(db(), `SELECT id FROM audit_record WHERE action = 'reveal'`);
    expect((await reveal(await product.signIn(reader))).http).toBe(403);
    expect([
      seen.length,
      (await run(db(), `SELECT id FROM audit_record WHERE action = 'reveal'`)).length,
    ]).toEqual([1, 1]);
    // Saved again without touching it the number stays; emptied it is gone.
    const saved = await product.call(admin, 'PUT', `${ROOT}/${company.id}`, {
      version: row.version,
      shortName: '账',
    });
    expect(saved.data.bankAccount).toBe('622202********5702');
    const emptied = await product.call(admin, 'PUT', `${ROOT}/${company.id}`, {
      version: saved.data.version,
      bankAccount: null,
    });
    expect([
      emptied.http,
      (
        await one('SELECT count(*)::int AS n FROM organisation_secret WHERE organisation_id = $1', [
          company.id,
        ])
      ).n,
    ]).toEqual([200, 0]);
  });
});

test('figures add up: projects, houses and staff of a node are those of its children and its own', async () => {
  const company = await made('company', '统计公司', undefined);
  const centre = await made('centre_city', '统计中心', company.id, { createTenant: true });
  const units = [
    await made('management_unit', '统计一处', centre.id),
    await made('management_unit', '统计二处', centre.id),
  ];
  const projects = [await project(units[0]!.id), await project(units[0]!.id), await project(units[1]!.id)];
  for (const id of projects)
    await run(db(), 'INSERT INTO tenant_project VALUES ($1, $2)', [centre.tenant.id, id]);
  await staffOf(centre.tenant.id, { menu: false });
  await staffOf(centre.tenant.id, { menu: false, projects: [projects[0]!] });
  await staffOf(centre.tenant.id, { menu: false, projects: projects.slice(0, 2) });
  await staffOf(centre.tenant.id, { menu: false, projects: [projects[2]!] });
  await staffOf(centre.tenant.id, { menu: false, projects: projects });
  const answer = await product.call(
    admin,
    'GET',
    '/jinmao/web/report/organisationFigures?keyword=tj&limit=200',
  );
  const rows = Object.fromEntries(
    (answer.data.rows as Record<string, unknown>[]).map((row) => [
      String(row.place).trim(),
      [row.projects, row.staff, row.ownStaff],
    ]),
  );
  expect(rows).toEqual({
    统计公司: [3, 5, 0],
    统计中心: [3, 5, 2],
    统计一处: [2, 2, 2],
    统计二处: [1, 1, 1],
  });
  const drill = (answer.data.rows as { place: string; drill: { projects: { parent: string } } }[]).find(
    (row) => row.place.endsWith('统计中心'),
  )!.drill.projects.parent;
  expect(
    (await get(`/page?parent=${drill}`)).data.rows.map((row: { projects: number }) => row.projects),
  ).toEqual([2, 1]);
});

test('licences that end are told once a day to who keeps them, and wait in the to-do list', async () => {
  const today = businessDayOf(new Date());
  const company = await made('company', '到期公司', undefined, { licenceUntil: addDays(today, 7) });
  await licenceJob.run({}, product.platform);
  await licenceJob.run({}, product.platform);
  const told = await run<{ title_zh: string }>(
    db(),
    `SELECT title_zh FROM notification WHERE kind = 'licenceExpiry' AND route LIKE '%detail=' || $1`,
    [company.id],
  );
  expect(told).toEqual([{ title_zh: '「到期公司」的执照将在 7 天后到期' }]);
  expect((await get('/page?tab=licence')).data.rows.map((row: { name: string }) => row.name)).toEqual([
    '到期公司',
  ]);
  const todo = registration.todos![0]!;
  expect(
    await todo.count({ caller: await product.caller('admin'), platform: product.platform }),
  ).toMatchObject({
    count: 1,
    overdue: 0,
  });
});

test('names that came another way are spelled by the job', async () => {
  const row = await one(
    `INSERT INTO organisation (kind, code, name) VALUES ('company', 'RAW-1', '裸写公司') RETURNING id`,
  );
  await spellingJob.run({}, product.platform);
  expect((await get('/page?searchVal=lxgs')).data.rows.map((found: { id: string }) => found.id)).toEqual([
    String(row.id),
  ]);
});

test('features with something on the places say what follows, before and in the history', async () => {
  const company = await made('company', '审批公司', undefined);
  const centre = await made('centre_city', '审批中心', company.id, { createTenant: true });
  const other = await made('centre_city', '审批苏州', company.id, { region: String(regions['320500']) });
  const unit = await made('management_unit', '审批处', centre.id);
  const id = await project(unit.id, '审批花园');
  await run(db(), 'INSERT INTO tenant_project VALUES ($1, $2)', [centre.tenant.id, id]);
  await run(
    db(),
    `INSERT INTO approval_process (biz_type, name_zh, name_en, tenant_id, state) VALUES ('x', '加班审批', 'Overtime', $1, 'published')`,
    [centre.tenant.id],
  );
  for (const [at, node] of [centre, other].entries()) {
    const account = await one(
      `INSERT INTO payee_account (code, name, tenant_id, channel) SELECT $1, $2, id, 'bank' FROM tenant WHERE kind = 3 LIMIT 1 RETURNING id`,
      [`CQ-${at}`, `影响账户${at}`],
    );
    await run(
      db(),
      `INSERT INTO payee_assignment (account_id, level, organisation_id, business_type, channel, effective_from) VALUES ($1, 'centre_city', $2, 'parking', 'bank', now())`,
      [account.id, node.id],
    );
  }
  const asked = await post('/consequences', { kind: 'move', id: unit.id, parent: other.id });
  expect(asked.data.others).toEqual(
    expect.arrayContaining([
      { title: '审批', lines: ['流程「加班审批」（审批中心）'] },
      {
        title: '收款账户',
        lines: [
          '不再适用：「审批中心」停车 · 银行卡 → 影响账户0',
          '开始适用：「审批苏州」停车 · 银行卡 → 影响账户1',
        ],
      },
    ]),
  );
});
