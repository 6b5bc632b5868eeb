import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { registration } from './company.server.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
let turn = 0;
beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
});
afterAll(() => product?.close());
const db = () => product.platform.database.db;
const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object, token = admin) =>
  product.call(token, method, path.startsWith('/admin/') ? path : `/jinmao/web${path}`, body);

const WEIGHTS = [1, 3, 9, 27, 19, 26, 16, 17, 20, 29, 25, 13, 8, 24, 10, 30, 28];
const LETTERS = '0123456789ABCDEFGHJKLMNPQRTUWXY';
const licence = () => {
  const body = `91310120${String((turn += 1)).padStart(9, '0')}`;
  const sum = WEIGHTS.reduce((total, weight, at) => total + weight * LETTERS.indexOf(body[at]!), 0);
  return body + LETTERS[(31 - (sum % 31)) % 31]!;
};
/** A project of nobody, below the first management unit. */
const freeProject = async () =>
  String(
    (await runOne<{ id: number }>(
      db(),
      `INSERT INTO project (code, name, unit_id, centre_id) SELECT $1, $2, unit_id, centre_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
      [`TC-${(turn += 1)}`, `无主项目${turn}`],
    ))!.id,
  );
const aPackage = async (more: object = {}) => {
  const made = await call('POST', '/tenantPackage', {
    name: `测试套餐${(turn += 1)}`,
    kind: 'company',
    maxStaff: 3,
    months: 12,
    rights: ['userManager', 'userManager:btn_add', 'WhiteManage', 'tenantManager'],
    ...more,
  });
  expect(made.message).toBe('');
  return String(made.data.id);
};
const body = async (more: object = {}) => ({
  name: `测试公司${(turn += 1)}`,
  licenceNo: licence(),
  contact: '李小红',
  phone: '021-5566778',
  email: 'a@example.com',
  projects: [await freeProject()],
  package: await aPackage(),
  ...more,
});
const company = async (more: object = {}) => {
  const made = await call('POST', '/tenantCompany', await body(more));
  expect([made.message, made.data?.fields]).toEqual(['', undefined]);
  return { id: String(made.data.id), ...(made.data.result as { account: string; password: string }) };
};

test('group 03 Must show 1: a project of another company is neither offered nor taken, and nothing is made', async () => {
  const one = await company({ name: '甲物业' });
  const [taken] = (await call('GET', `/tenantCompany/${one.id}`)).data.projects as {
    id: string;
    title: string;
  }[];
  const offered = (await call('GET', `/options/freeProject?searchVal=${encodeURIComponent(taken!.title)}`))
    .data;
  expect((offered.rows ?? offered) as unknown[]).toEqual([]);
  const before = (await runOne<{ n: number }>(db(), 'SELECT count(*)::int AS n FROM tenant'))!.n;
  const second = await call('POST', '/tenantCompany', await body({ projects: [taken!.id] }));
  expect([second.status, second.message]).toEqual([30101, '该项目已属于“甲物业”']);
  expect((await runOne<{ n: number }>(db(), 'SELECT count(*)::int AS n FROM tenant'))!.n).toBe(before);
  await expect(
    run(
      db(),
      `INSERT INTO tenant_project (tenant_id, project_id) SELECT id, $1 FROM tenant WHERE account = 'C000001'`,
      [Number(taken!.id)],
    ),
  ).rejects.toThrow(/belongs to another tenant/);
});

test('one project asked for by two new companies at once goes to one of them', async () => {
  const project = await freeProject();
  const shared = await aPackage();
  const bodies = await Promise.all([1, 2, 3, 4].map(() => body({ projects: [project], package: shared })));
  const answers = await Promise.all(bodies.map((one) => call('POST', '/tenantCompany', one)));
  expect(answers.map((one) => one.http).sort()).toEqual([200, 409, 409, 409]);
  expect(
    await run(
      db(),
      'SELECT FROM tenant_project o JOIN tenant t ON t.id = o.tenant_id WHERE project_id = $1',
      [Number(project)],
    ),
  ).toHaveLength(1);
});

test('a new company has an account, a first password told once, and exactly what its package holds', async () => {
  const one = await company();
  expect([/^C\d{6}$/.test(one.account), one.password.length >= 14]).toEqual([true, true]);
  expect(JSON.stringify((await call('GET', `/tenantCompany/${one.id}`)).data)).not.toContain(one.password);
  const token = await product.signIn(one.account);
  const own = await call('GET', '/tenantCompany/page?page=1&limit=20', undefined, token);
  expect((own.data.rows as { id: string }[]).map((row) => row.id)).toEqual([one.id]);
  expect(
    (await call('POST', `/tenantCompany/${one.id}/enable`, { version: 1, reason: '试试' }, token)).http,
  ).toBe(403);
  // Something the package does not hold.
  const group = (await runOne<{ id: number }>(db(), 'SELECT id FROM permission_group WHERE code = $1', [
    `${one.account.toLowerCase()}_admin`,
  ]))!.id;
  await expect(
    run(db(), `INSERT INTO menu_grant (group_id, menu_code) VALUES ($1, 'mm_commodityMana')`, [group]),
  ).rejects.toThrow(/beyond the package/);
});

test('a company that is added without an end has the months of its package; one added with an end keeps it', async () => {
  const endOf = async (more: object) =>
    (await call('GET', `/tenantCompany/${(await company(more)).id}`)).data.expiresOn as string;
  const { day } = (await runOne<{ day: string }>(
    db(),
    `SELECT ((now() AT TIME ZONE 'Asia/Shanghai')::date + interval '12 months')::date::text AS day`,
  ))!;
  expect([
    await endOf({}),
    await endOf({ expiresOn: null }),
    await endOf({ expiresOn: '2031-05-01' }),
  ]).toEqual([day, day, '2031-05-01']);
});

test('another package tells what it changes, takes what is beyond from every group, and gives what is new', async () => {
  const one = await company();
  const token = await product.signIn(one.account);
  const smaller = await aPackage({ rights: ['userManager', 'mechanism'] });
  const difference = (await call('GET', `/tenantCompany/${one.id}/packageDifference?package=${smaller}`))
    .data as {
    gained: string[][];
    lost: string[][];
    staff: number;
  };
  expect(difference.gained.map((title) => title[2])).toEqual(['mechanism']);
  expect(difference.lost.map((title) => title[2]).sort()).toEqual([
    'WhiteManage',
    'tenantManager',
    'userManager:btn_add',
  ]);
  expect(difference.staff).toBe(1);
  const { version } = (await call('GET', `/tenantCompany/${one.id}`)).data;
  const saved = await call('PUT', `/tenantCompany/${one.id}`, { version, package: smaller });
  expect(saved.message).toBe('');
  expect((await call('GET', '/tenantCompany/page?page=1&limit=20', undefined, token)).http).toBe(403);
  const rights = await run<{ code: string }>(
    db(),
    `SELECT m.menu_code AS code FROM menu_grant m JOIN permission_group g ON g.id = m.group_id WHERE g.tenant_id = $1
     UNION ALL SELECT e.element_code FROM element_grant e JOIN permission_group g ON g.id = e.group_id WHERE g.tenant_id = $1 ORDER BY 1`,
    [Number(one.id)],
  );
  expect(rights.map((row) => row.code)).toEqual(['mechanism', 'userManager']);
  expect((await call('GET', `/tenantPackage/affects?id=${smaller}`)).data).toMatchObject([
    { id: one.id, staff: 1 },
  ]);
});

test('staff beyond the package are refused, also when they come at once', async () => {
  const one = await company();
  const add = (index: number) =>
    run(db(), `INSERT INTO staff (tenant_id, account, name) VALUES ($1, $2, '新同事')`, [
      Number(one.id),
      `seat-${one.account.toLowerCase()}-${index}`,
    ]).then(
      () => true,
      () => false,
    );
  const came = await Promise.all(Array.from({ length: 8 }, (_, index) => add(index)));
  expect(came.filter(Boolean)).toHaveLength(2);
  const token = await product.signIn(one.account);
  const department = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO department (tenant_id, code, name) VALUES ($1, 'seats', '客服部') RETURNING id`,
    [Number(one.id)],
  ))!.id;
  const refused = await call(
    'POST',
    '/admin/staff',
    {
      department: String(department),
      account: `late${turn}`,
      name: '晚到',
      mobilePhone: '13711112222',
      sex: 'female',
    },
    token,
  );
  expect([refused.status, refused.message]).toEqual([30101, '员工数已达套餐上限 3']);
});

test('after the end of its package a company reads and exports, and writes no more', async () => {
  const one = await company();
  const token = await product.signIn(one.account);
  const { version } = (await call('GET', `/tenantCompany/${one.id}`)).data;
  expect((await call('PUT', `/tenantCompany/${one.id}`, { version, expiresOn: '2020-01-01' })).message).toBe(
    '',
  );
  await run(
    db(),
    `UPDATE session SET last_seen_at = now() WHERE staff_id = (SELECT id FROM staff WHERE account = $1)`,
    [one.account],
  );
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect((await call('GET', '/tenantCompany/page?page=1&limit=20', undefined, token)).http).toBe(200);
  const refused = await call('POST', '/admin/staff', { account: 'x123', name: '晚到' }, token);
  expect([refused.status, refused.message]).toEqual([
    30101,
    '公司套餐已到期，只能查看与导出，请联系平台续期',
  ]);
  await registration.jobs!.find((job) => job.name === 'tenant.close')!.run({}, product.platform);
  const closed = (await call('GET', `/tenantCompany/${one.id}`)).data;
  expect(closed.enabled).toBe(false);
  expect((await call('GET', '/tenantCompany/page?page=1&limit=20', undefined, token)).http).toBe(401);
  // It would be closed again the same night: its end comes first.
  const enable = (body: object) =>
    call('POST', `/tenantCompany/${one.id}/enable`, { reason: '已续期', ...body });
  const early = await enable({ version: closed.version });
  expect([early.status, early.message]).toEqual([30101, '套餐到期已满90天，请先延长到期日']);
  const later = await call('PUT', `/tenantCompany/${one.id}`, {
    version: closed.version,
    expiresOn: '2090-01-01',
  });
  expect(later.message).toBe('');
  expect((await enable({ version: later.data.version })).message).toBe('');
});

test('refusals: the platform stays, licences are checked, a project with open bills stays, names are taken', async () => {
  const platform = (await runOne<{ id: number; version: number }>(
    db(),
    'SELECT id, version FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1',
  ))!;
  const stay = await call('POST', `/tenantCompany/${platform.id}/disable`, {
    version: platform.version,
    reason: '试试看',
  });
  expect([stay.status, stay.message]).toEqual([30101, '平台租户不能禁用']);
  const wrong = await call('POST', '/tenantCompany', await body({ licenceNo: '913101200000000009' }));
  expect(wrong.data?.fields ?? wrong).toHaveProperty('licenceNo');
  const one = await company();
  const twin = await call(
    'POST',
    '/tenantCompany',
    await body({ name: (await call('GET', `/tenantCompany/${one.id}`)).data.name }),
  );
  expect([twin.status, twin.message]).toEqual([30101, '该类型已有同名公司']);
  const busy = (await runOne<{ id: number; project: number }>(
    db(),
    `SELECT o.tenant_id AS id, o.project_id AS project FROM tenant_project o JOIN tenant t ON t.id = o.tenant_id AND t.kind = 1
      WHERE EXISTS (SELECT FROM bill b WHERE b.project_id = o.project_id AND b.state IN ('unpaid', 'part')) LIMIT 1`,
  ))!;
  const detail = (await call('GET', `/tenantCompany/${busy.id}`)).data;
  const kept = await call('PUT', `/tenantCompany/${busy.id}`, {
    version: detail.version,
    projects: [
      await freeProject(),
      ...(detail.projects as { id: string }[])
        .map((row) => row.id)
        .filter((id) => id !== String(busy.project)),
    ],
  });
  expect([kept.status, /^该项目还有 \d+ 项未结业务，不能移出$/.test(kept.message)]).toEqual([30101, true]);
});

test('payment steps draft payee accounts whose keys nobody reads, whole or not at all', async () => {
  const half = await call('POST', '/tenantCompany', await body({ alipayName: '甲物业' }));
  expect(Object.keys(half.data.fields).sort()).toEqual([
    'alipayAppId',
    'alipayPartner',
    'alipayPrivateKey',
    'alipayPublicKey',
  ]);
  const { generateKeyPairSync } = await import('node:crypto');
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const one = await company({
    alipayName: '甲物业支付宝',
    alipayPartner: '2088123456789012',
    alipayAppId: '2021000100000001',
    alipayPrivateKey: privateKey,
    alipayPublicKey: publicKey,
    alipayFee: '3.80',
  });
  const listed = await call('GET', `/payeeAccount/page?page=1&limit=20&owner=${one.id}`);
  expect(listed.message).toBe('');
  expect(listed.data.rows).toMatchObject([
    { channel: 'alipay', state: 'draft', number: '****9012', feeRate: '3.80' },
  ]);
  expect(JSON.stringify((await call('GET', `/tenantCompany/${one.id}`)).data)).not.toContain('BEGIN');
});

test('a centre city is opened by its city, with an account of its own kind', async () => {
  const region = (await runOne<{ id: number; name: string }>(
    db(),
    `SELECT r.id, r.name FROM region r WHERE r.level = 2 AND r.enabled AND NOT EXISTS (SELECT FROM tenant t WHERE t.kind = 4 AND t.name = r.name) ORDER BY r.id LIMIT 1`,
  ))!;
  const input = {
    city: String(region.id),
    contact: '秦立',
    phone: '021-5588990',
    email: 's@example.com',
    cityProjects: [await freeProject()],
    package: await aPackage({ kind: 'city' }),
  };
  const made = await call('POST', '/tenantCompany/action/addCity', input);
  expect([made.message, /^S\d{6}$/.test(made.data?.account)]).toEqual(['', true]);
  const again = await call('POST', '/tenantCompany/action/addCity', {
    ...input,
    cityProjects: [await freeProject()],
  });
  expect([again.status, again.message]).toEqual([30101, `中心城市“${region.name}”已存在`]);
});
