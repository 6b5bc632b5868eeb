import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ROOT = '/jinmao/web/decorationOffer';
let product: TestProduct;
let admin: string;
let picture: string;
let north: string;
let south: string;

const db = () => product.platform.database.db;
const form = (input: object = {}) => ({
  project: north,
  price: '1880.00',
  cost: '1050.00',
  images: [picture],
  introduction: '<p>全程驻场</p>',
  ...input,
});
const add = async (input: object = {}) => {
  const made = await product.call(admin, 'POST', ROOT, form(input));
  expect([made.http, made.message]).toEqual([200, '']);
  return made.data as { id: string };
};
const act = (id: string, action: string, token = admin) =>
  product.call(token, 'POST', `${ROOT}/${id}/${action}`, {});

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  picture = (await runOne<{ id: string }>(db(), `SELECT id FROM stored_file WHERE name = 'launch-1.png'`))!
    .id;
  const made: string[] = [];
  for (const code of ['DF01', 'DF02'])
    made.push(
      String(
        (await runOne<{ id: number }>(
          db(),
          `INSERT INTO project (code, name, centre_id, unit_id) SELECT $1, $2, centre_id, unit_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
          [code, `监理小区${code}`],
        ))!.id,
      ),
    );
  [north, south] = made as [string, string];
});
afterAll(() => product.close());

test('of twenty published at once in a project exactly one stands; another project and a withdrawn one make room', async () => {
  const made = [];
  for (let index = 0; index < 20; index++) made.push(await add({ price: `${1000 + index}.00` }));
  const answers = await Promise.all(made.map((one) => act(one.id, 'publish')));
  expect(answers.filter((one) => one.http === 200)).toHaveLength(1);
  expect(
    new Set(answers.filter((one) => one.http !== 200).map((one) => `${one.status} ${one.message}`)),
  ).toEqual(new Set(['30101 该项目已有发布的监理服务']));
  expect((await act((await add({ project: south })).id, 'publish')).http).toBe(200);
  const index = answers.findIndex((one) => one.http === 200);
  expect((await act(made[index]!.id, 'withdraw')).data.state).toBe('draft');
  expect((await act(made[(index + 1) % 20]!.id, 'publish')).http).toBe(200);
  await expect(
    run(db(), `UPDATE decoration_offer SET state = 'published', published_at = now() WHERE project_id = $1`, [
      Number(north),
    ]),
  ).rejects.toThrow(/decoration_offer_published/);
});

test('the form refuses prices below a cent and what is missing; what is published is neither edited nor deleted', async () => {
  const fields = async (input: object) =>
    Object.keys((await product.call(admin, 'POST', ROOT, form(input))).data?.fields ?? {});
  expect(await fields({ price: '0.00' })).toEqual(['price']);
  expect(await fields({ cost: '0.00' })).toEqual(['cost']);
  expect(await fields({ cost: null })).toEqual(['cost']);
  expect(await fields({ cost: undefined })).toEqual(['cost']);
  expect(await fields({ images: [] })).toEqual(['images']);
  expect(await fields({ images: Array.from({ length: 10 }, () => picture) })).toEqual(['images']);
  expect(await fields({ introduction: '' })).toEqual(['introduction']);
  expect(await fields({ project: null })).toEqual(['project']);
  const { id } = await add({ price: '0.01', cost: '0.01' });
  await run(db(), `UPDATE decoration_offer SET state = 'draft' WHERE project_id = $1`, [Number(north)]);
  expect((await act(id, 'publish')).data.state).toBe('published');
  expect((await product.call(admin, 'PUT', `${ROOT}/${id}`, { version: 2, price: '5.00' })).status).toBe(
    30101,
  );
  expect((await product.call(admin, 'DELETE', `${ROOT}/${id}`)).status).toBe(30101);
  await act(id, 'withdraw');
  expect((await product.call(admin, 'PUT', `${ROOT}/${id}`, { version: 3, price: '5.00' })).data.price).toBe(
    '5.00',
  );
  expect((await product.call(admin, 'DELETE', `${ROOT}/${id}`)).http).toBe(200);
});

test('the cost price is for holders of its element: not in list, detail or timeline of the others, who leave it as it is', async () => {
  const { id } = await add();
  await product.call(admin, 'PUT', `${ROOT}/${id}`, { version: 1, cost: '1111.00' });
  const staff = await runOne<{ id: number }>(
    db(),
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password)
     SELECT id, 'offerer', '同事', false, false FROM tenant WHERE kind = 3 LIMIT 1 RETURNING id`,
  );
  await run(db(), 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [
    staff!.id,
    Number(north),
  ]);
  await grantMenu(db(), staff!.id, 'cs_decoreteSupervise');
  await run(
    db(),
    `INSERT INTO element_grant (group_id, element_code) SELECT m.group_id, e.code FROM group_member m, element e
      WHERE m.staff_id = $1 AND e.code IN ('cs_decoreteSupervise:btn_edit', 'cs_decoreteSupervise:btn_add')`,
    [staff!.id],
  );
  const token = await product.signIn('offerer');
  const seen = await product.call(token, 'GET', `${ROOT}/${id}`);
  expect([seen.http, seen.data.price, seen.data.cost]).toEqual([200, '1880.00', null]);
  for (const path of [`${ROOT}/${id}`, `${ROOT}/page?limit=50`, `${ROOT}/${id}/timeline`])
    expect((await product.call(token, 'GET', path)).text).not.toMatch(/1050|1111/);
  expect((await product.call(admin, 'GET', `${ROOT}/${id}/timeline`)).text).toMatch(/1111/);
  expect((await product.call(token, 'PUT', `${ROOT}/${id}`, { version: 2, cost: '1.00' })).http).toBe(403);
  const kept = await product.call(token, 'PUT', `${ROOT}/${id}`, {
    version: 2,
    price: '1990.00',
    cost: null,
  });
  expect([kept.http, kept.data.price]).toEqual([200, '1990.00']);
  expect((await product.call(admin, 'GET', `${ROOT}/${id}`)).data.cost).toBe('1111.00');
  expect((await product.call(token, 'POST', ROOT, form({ project: south }))).http).toBe(404);
  const theirs = (await runOne<{ id: number }>(
    db(),
    'SELECT id FROM decoration_offer WHERE project_id = $1',
    [Number(south)],
  ))!.id;
  expect((await product.call(token, 'GET', `${ROOT}/${theirs}`)).http).toBe(404);
});
