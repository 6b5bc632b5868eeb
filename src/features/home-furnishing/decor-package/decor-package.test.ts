import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ROOT = '/jinmao/web/decorPackage';
const REVIEW = '/jinmao/web/decorReview';
let product: TestProduct;
let admin: string;
let first: string;
let second: string;
let merchant: string;
let project: string;
let type: string;
let picture: string;

const db = () => product.platform.database.db;
const plan = (a = '30', b = '60', c = '10') => [
  { name: '定金', share: a, due: 'order', dueDays: 0 },
  { name: '进度款', share: b, due: 'started', dueDays: 0 },
  { name: '尾款', share: c, due: 'accepted', dueDays: 7 },
];
const warranty = (waterproof = 60) =>
  ['utilities', 'waterproof', 'masonry', 'carpentry', 'paint', 'furniture', 'other'].map((category) => ({
    category,
    months: category === 'utilities' ? 60 : category === 'waterproof' ? waterproof : 24,
  }));
const form = (more: object = {}) => ({
  merchant,
  name: '测试整装',
  projects: [project],
  images: [picture],
  days: 90,
  detailHtml: '<p>整装</p>',
  basis: 'built_area',
  prices: [{ houseType: type, amount: '899.00', cost: '720.00' }],
  items: [{ room: 'living', category: '地面', name: '地板', rule: 'per_m2', quantity: '1', included: true }],
  options: [{ code: 'LOCK', name: '智能门锁', mode: 'fixed', price: '1280.00' }],
  plan: plan(),
  nodes: [
    { name: '水电', weight: '40' },
    { name: '安装', weight: '60' },
  ],
  cancelPolicy: [
    { stage: 'ordered', fee: '0.00', share: '0' },
    { stage: 'measured', fee: '500.00', share: '0' },
    { stage: 'designed', fee: '0.00', share: '5' },
    { stage: 'started', fee: '0.00', share: '5', nodes: true },
  ],
  warranty: warranty(),
  ...more,
});
const add = async (more: object = {}) => {
  const made = await product.call(admin, 'POST', ROOT, form(more));
  expect([made.http, made.message]).toEqual([200, '']);
  return made.data.id as string;
};
const act = (token: string, root: string, id: string, action: string, body: object = {}) =>
  product.call(token, 'POST', `${root}/${id}/${action}`, body);
const read = async (id: string) => (await product.call(admin, 'GET', `${ROOT}/${id}`)).data;
const reviewOf = async (id: string) =>
  (await runOne<{ id: string; version: number; level: number; state: string }>(
    db(),
    'SELECT id::text AS id, version, level, state FROM product_review WHERE product_id = $1 ORDER BY id DESC LIMIT 1',
    [id],
  ))!;
const pass = async (token: string, id: string) => {
  const review = await reviewOf(id);
  return act(token, REVIEW, review.id, 'pass', { version: review.version });
};
const publish = async (more: object = {}) => {
  const id = await add(more);
  expect((await act(admin, ROOT, id, 'apply')).http).toBe(200);
  expect((await pass(first, id)).http).toBe(200);
  expect((await pass(second, id)).http).toBe(200);
  return id;
};

/** Somebody of the platform who holds both screens with every button. */
async function reviewer(account: string): Promise<string> {
  const staff = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password)
     SELECT id, $1, $1, true, false FROM tenant WHERE kind = 3 LIMIT 1 RETURNING id`,
    [account],
  ))!;
  for (const menu of ['mj_mercureCommodity', 'mj_mercureCommodityApprove'])
    await grantMenu(db(), staff.id, menu);
  await run(
    db(),
    `INSERT INTO element_grant (group_id, element_code) SELECT m.group_id, e.code FROM group_member m JOIN permission_group g ON g.id = m.group_id
       JOIN menu_grant x ON x.group_id = g.id JOIN element e ON e.code LIKE x.menu_code || ':%' WHERE m.staff_id = $1`,
    [staff.id],
  );
  return product.signIn(account);
}

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  picture = (await runOne<{ id: string }>(db(), `SELECT id FROM stored_file WHERE name = 'launch-1.png'`))!
    .id;
  const place = (await runOne<{ tenant: string; project: string; type: string }>(
    db(),
    `SELECT t.id::text AS tenant, y.project_id::text AS project, y.id::text AS type FROM tenant t JOIN tenant_project p ON p.tenant_id = t.id
       JOIN tenant_business b ON b.tenant_id = t.id JOIN house_type y ON y.project_id = p.project_id AND y.enabled
      WHERE t.kind = 2 AND t.merchant_state = 'operating' ORDER BY t.id, y.id LIMIT 1`,
  ))!;
  [merchant, project, type] = [place.tenant, place.project, place.type];
  [first, second] = [await reviewer('decor_first'), await reviewer('decor_second')];
});
afterAll(() => product.close());

test('shares, weights, warranty, options and foreign house types that do not fit are refused; the database holds the shares', async () => {
  const refused = async (more: object) => (await product.call(admin, 'POST', ROOT, form(more))).data?.fields;
  expect(await refused({ plan: plan('30', '60', '9') })).toEqual({ plan: '合计须为 100%' });
  expect(await refused({ nodes: [{ name: '水电', weight: '99.99' }] })).toEqual({ nodes: '合计须为 100%' });
  expect(await refused({ warranty: warranty().slice(1) })).toEqual({ warranty: '每个质保类别都须填写' });
  expect(
    await refused({
      options: [
        { code: 'A', name: '甲', mode: 'fixed', price: '1.00', requires: 'B' },
        { code: 'B', name: '乙', mode: 'fixed', price: '-1.00', requires: 'A' },
      ],
    }),
  ).toEqual({ options: '选项 甲 的依赖成环' });
  const outside = await runOne<{ id: string }>(
    db(),
    'SELECT id::text AS id FROM house_type WHERE project_id <> $1 ORDER BY id LIMIT 1',
    [project],
  );
  expect(await refused({ prices: [{ houseType: outside!.id, amount: '1.00' }] })).toHaveProperty('prices');
  const id = await add();
  await expect(
    run(db(), `UPDATE decor_version SET plan = '[{"share": 5000}, {"share": 4999}]' WHERE product_id = $1`, [
      id,
    ]),
  ).rejects.toThrow(/decor_version_plan/);
});

test('no house type on sale in the chosen projects: it cannot be handed in', async () => {
  const id = await add();
  await run(db(), 'UPDATE house_type SET enabled = false WHERE id = $1', [type]);
  const refused = await act(admin, ROOT, id, 'apply');
  await run(db(), 'UPDATE house_type SET enabled = true WHERE id = $1', [type]);
  expect([refused.status, refused.message]).toEqual([30101, '所选项目没有可售户型']);
});

test('group 14 Must show 4: the submitter and the first reviewer are refused, the second person publishes', async () => {
  const id = await add();
  await act(admin, ROOT, id, 'apply');
  const own = await pass(admin, id);
  expect([own.status, own.message]).toEqual([30101, '不能审核自己提交的套餐']);
  const row = (await product.call(admin, 'GET', `${REVIEW}/${(await reviewOf(id)).id}`)).data;
  expect(row.actions).not.toContain('pass');
  expect((await pass(first, id)).http).toBe(200);
  expect(await reviewOf(id)).toMatchObject({ level: 2, state: 'waiting' });
  const again = await pass(first, id);
  expect([again.status, again.message]).toEqual([30101, '初审人不能复审']);
  expect((await pass(second, id)).http).toBe(200);
  expect(await read(id)).toMatchObject({ state: 'published', versionNo: 1 });
});

test('many second reviewers at once publish one version', async () => {
  const id = await add();
  await act(admin, ROOT, id, 'apply');
  await pass(first, id);
  const review = await reviewOf(id);
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => act(second, REVIEW, review.id, 'pass', { version: review.version })),
  );
  expect(answers.filter((one) => one.http === 200)).toHaveLength(1);
  expect(
    await runOne(db(), 'SELECT count(*)::integer AS n FROM decor_version WHERE product_id = $1', [id]),
  ).toEqual({
    n: 1,
  });
});

test('group 14 Must show 3 (package): a raised price becomes version 2 when it is passed; what was sold at 899.00 stays and cannot be changed', async () => {
  const id = await publish();
  const sold = await read(id);
  const saved = await product.call(admin, 'PUT', `${ROOT}/${id}`, {
    version: sold.version,
    prices: [{ houseType: type, amount: '999.00', cost: '720.00' }],
  });
  expect([saved.http, saved.message]).toEqual([200, '']);
  const live = async () =>
    run<{ no: number | null; standing: string; amount: number }>(
      db(),
      'SELECT v.no, v.standing, p.amount FROM decor_version v JOIN decor_price p ON p.version_id = v.id WHERE v.product_id = $1 ORDER BY v.id',
      [id],
    );
  expect(await live()).toEqual([
    { no: 1, standing: 'live', amount: 89_900 },
    { no: null, standing: 'working', amount: 99_900 },
  ]);
  const listed = await product.call(admin, 'GET', `${ROOT}/page?searchVal=${sold.code}`);
  expect(listed.data.rows[0]).toMatchObject({ pendingChange: true, price: sold.price, state: 'published' });
  const seen = (await product.call(first, 'GET', `${REVIEW}/${(await reviewOf(id)).id}`)).data;
  expect([seen.priceLow, seen.prices[0].percent]).toEqual(['11.12', '+11.12']);
  await pass(first, id);
  await pass(second, id);
  expect(await live()).toEqual([
    { no: 1, standing: 'past', amount: 89_900 },
    { no: 2, standing: 'live', amount: 99_900 },
  ]);
  expect(await read(id)).toMatchObject({ versionNo: 2, pendingChange: false });
  await expect(
    run(
      db(),
      'UPDATE decor_price SET amount = 1 WHERE version_id IN (SELECT id FROM decor_version WHERE product_id = $1)',
      [id],
    ),
  ).rejects.toThrow(/decor_version_kept/);
});

test('group 14 Must show 5: refused with a note at the warranty, the form shows it there and the state is 已驳回', async () => {
  const id = await add({ warranty: warranty(24) });
  await act(admin, ROOT, id, 'apply');
  const review = await reviewOf(id);
  const seen = (await product.call(first, 'GET', `${REVIEW}/${review.id}`)).data;
  expect(seen.checks.find((one: { key: string }) => one.key === 'warranty').ok).toBe(false);
  const short = await act(first, REVIEW, review.id, 'reject', { version: review.version, reason: '太短' });
  expect(short.http).toBe(422);
  const refused = await act(first, REVIEW, review.id, 'reject', {
    version: review.version,
    reason: '防水质保低于法定下限',
    notes: [{ field: 'warranty', note: '防水须 60 个月' }],
  });
  expect(refused.http).toBe(200);
  expect(await read(id)).toMatchObject({
    state: 'rejected',
    fieldNotes: { reason: '防水质保低于法定下限', notes: [{ field: 'warranty', note: '防水须 60 个月' }] },
  });
  const row = await read(id);
  await product.call(admin, 'PUT', `${ROOT}/${id}`, { version: row.version, warranty: warranty() });
  expect((await act(admin, ROOT, id, 'apply')).http).toBe(200);
  expect((await read(id)).fieldNotes).toBeNull();
});

test('a proposal changed after it was opened is not decided, starts at the first review again, and can be returned to it', async () => {
  const id = await publish();
  const edit = async (name: string) =>
    product.call(admin, 'PUT', `${ROOT}/${id}`, { version: (await read(id)).version, name });
  await edit('改名一');
  await pass(first, id);
  const opened = await reviewOf(id);
  await edit('改名二');
  const stale = await act(second, REVIEW, opened.id, 'pass', { version: opened.version });
  expect([stale.status, stale.message]).toEqual([30101, '内容已被修改，请重新审核']);
  expect(await reviewOf(id)).toMatchObject({ level: 1 });
  await pass(first, id);
  const back = await reviewOf(id);
  expect(
    (await act(second, REVIEW, back.id, 'return', { version: back.version, reason: '请初审核对成本' })).http,
  ).toBe(200);
  expect(await reviewOf(id)).toMatchObject({ level: 1, state: 'waiting' });
  expect((await act(admin, ROOT, id, 'recall')).http).toBe(200);
  expect(await reviewOf(id)).toMatchObject({ state: 'withdrawn' });
  expect(await read(id)).toMatchObject({ state: 'published', liveName: '测试整装', name: '改名二' });
});

test('group 14 Must show 13 (packages): another merchant finds neither the package nor its review', async () => {
  const id = await publish();
  const other = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password)
     SELECT id, 'decor_rival', '他商户', true, false FROM tenant WHERE kind = 2 AND id <> $1 ORDER BY id LIMIT 1 RETURNING id`,
    [merchant],
  ))!;
  for (const menu of ['mj_mercureCommodity', 'mj_mercureCommodityApprove'])
    await grantMenu(db(), other.id, menu);
  const token = await product.signIn('decor_rival');
  expect((await product.call(token, 'GET', `${ROOT}/${id}`)).http).toBe(404);
  expect((await product.call(token, 'GET', `${REVIEW}/${(await reviewOf(id)).id}`)).http).toBe(404);
});

test('a package that was published is copied, taken down with a reason and handed in again as it was', async () => {
  const id = await publish();
  const { id: copied } = (await act(admin, ROOT, id, 'copy')).data.result;
  expect(await read(copied)).toMatchObject({
    state: 'draft',
    versionNo: null,
    prices: [{ amount: '899.00' }],
  });
  expect((await act(admin, ROOT, id, 'takeDown', { reason: '换季' })).http).toBe(200);
  expect(await read(id)).toMatchObject({ state: 'off_shelf', offReason: '换季' });
  expect((await act(admin, ROOT, id, 'apply')).http).toBe(200);
  await pass(first, id);
  await pass(second, id);
  expect(await read(id)).toMatchObject({ state: 'published', versionNo: 2 });
  expect((await product.call(admin, 'DELETE', `${ROOT}/${id}`)).status).toBe(30101);
  expect((await product.call(admin, 'DELETE', `${ROOT}/${copied}`)).http).toBe(200);
});

test('the price shown follows the area of the house type, versions stay; the doctor finds nothing', async () => {
  const id = await publish();
  const house = (await product.call(admin, 'GET', `/jinmao/web/houseType/${type}`)).data;
  const wider = (Number(house.builtArea) + 1).toFixed(2);
  const saved = await product.call(admin, 'PUT', `/jinmao/web/houseType/${type}`, {
    version: house.version,
    builtArea: wider,
  });
  expect(saved.http).toBe(200);
  expect((await read(id)).price).toBe(((Math.round(Number(wider) * 100) * 89_900) / 10_000).toFixed(2));
  const invariants = product.platform.registrations
    .flatMap((one) => one.invariants ?? [])
    .filter((one) => /decor packages|product totals/.test(one.name));
  expect(invariants).toHaveLength(2);
  for (const one of invariants) {
    const found = await one.check(product.platform);
    expect([one.name, found.problems]).toEqual([one.name, []]);
    expect(found.looked).toBeGreaterThan(0);
  }
});
