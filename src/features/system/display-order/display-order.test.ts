import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { putAt } from './display-order.rules.ts';

let product: TestProduct;
let admin: string;
let projects: readonly number[];
beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  await run(db(), 'DELETE FROM display_order');
  projects = (await run<{ id: number }>(db(), 'SELECT id FROM project WHERE enabled ORDER BY id')).map(
    (one) => one.id,
  );
}, 180_000);
afterAll(() => product?.close());

const ROOT = '/jinmao/web/displayOrder';
const db = () => product.platform.database.db;
interface Item {
  readonly type: string;
  readonly id: string;
  readonly title: string;
  readonly shown: boolean;
  readonly fresh: boolean;
}
const board = async (list: string, project?: number, token = admin) =>
  (await product.call(token, 'GET', `${ROOT}/board?list=${list}${project ? `&project=${project}` : ''}`))
    .data as {
    lists: { code: string }[];
    stored: { id: string; version: number } | null;
    mayEdit: boolean;
    customised: { id: string }[];
    items: Item[];
  };
const sent = (items: readonly Item[]) =>
  items.map((item) => ({ itemType: item.type, itemId: item.id, shown: item.shown }));
const titles = (items: readonly Item[]) => items.map((item) => item.title);

test('the default is arranged once, projects follow it until they differ, and go back to it', async () => {
  const first = await board('notice_types');
  expect([first.stored, first.mayEdit, titles(first.items).slice(0, 3)]).toEqual([
    null,
    true,
    ['停水通知', '停电通知', '保洁养护'],
  ]);
  const turned = [...first.items].reverse().map((item) => ({ ...item, shown: item.title !== '绿化保养' }));
  const saved = await product.call(admin, 'POST', ROOT, { list: 'notice_types', items: sent(turned) });
  expect([saved.http, saved.data.version]).toEqual([200, 1]);
  const [one, other] = [projects[0]!, projects[1]!];
  expect(titles((await board('notice_types', one)).items)[0]).toBe('高温预警');
  const mine = [...turned].sort((a, b) => (a.id < b.id ? -1 : 1));
  const own = await product.call(admin, 'POST', ROOT, {
    list: 'notice_types',
    project: String(one),
    items: sent(mine),
  });
  expect(own.http).toBe(200);
  expect(titles((await board('notice_types', one)).items)[0]).toBe('停水通知');
  expect(titles((await board('notice_types', other)).items)[0]).toBe('高温预警');
  expect((await board('notice_types')).customised.map((row) => row.id)).toEqual([String(one)]);
  expect((await product.call(admin, 'DELETE', `${ROOT}/${saved.data.id}`)).message).toBe('默认顺序不能恢复');
  expect((await product.call(admin, 'DELETE', `${ROOT}/${own.data.id}`)).http).toBe(200);
  const back = await board('notice_types', one);
  expect([
    back.stored,
    titles(back.items)[0],
    back.items.find((row) => row.title === '绿化保养')!.shown,
  ]).toEqual([null, '高温预警', false]);
});

test('saving over somebody newer is refused, also when both are the first', async () => {
  const { items } = await board('mall_business');
  const answers = await Promise.all(
    Array.from({ length: 5 }, () =>
      product.call(admin, 'POST', ROOT, { list: 'mall_business', items: sent(items) }),
    ),
  );
  expect(answers.map((one) => one.status).sort()).toEqual([200, 30101, 30101, 30101, 30101]);
  expect(answers.find((one) => one.status !== 200)!.message).toBe('数据已被他人修改，请核对后重试');
  const { stored } = await board('mall_business');
  const put = (version: number) =>
    product.call(admin, 'PUT', `${ROOT}/${stored!.id}`, { version, items: sent([...items].reverse()) });
  expect((await put(stored!.version)).http).toBe(200);
  expect([(await put(stored!.version)).status, (await put(stored!.version + 1)).http]).toEqual([30101, 200]);
});

test('new items come last in every scope, what is gone is left out, doubles count once', async () => {
  const { items } = await board('mall_class');
  expect(
    (await product.call(admin, 'POST', ROOT, { list: 'mall_class', items: [...sent(items), ...sent(items)] }))
      .http,
  ).toBe(200);
  const project = projects[2]!;
  await product.call(admin, 'POST', ROOT, {
    list: 'mall_class',
    project: String(project),
    items: [...sent([...items].reverse()), { itemType: 'productClass', itemId: '999999', shown: true }],
  });
  const goods = (await runOne<{ id: number }>(db(), `SELECT id FROM business WHERE code = 'goods'`))!.id;
  const made = await product.call(admin, 'POST', '/jinmao/web/productClass', {
    business: String(goods),
    name: '新上一级',
    nameEn: 'Brand new',
  });
  expect(made.http).toBe(200);
  for (const scope of [undefined, project]) {
    const now = (await board('mall_class', scope)).items;
    expect([now.at(-1)!.title, now.at(-1)!.fresh, now.length]).toEqual(['新上一级', true, items.length + 1]);
  }
  expect((await product.call(admin, 'DELETE', `/jinmao/web/productClass/${made.data.id}`)).http).toBe(200);
  expect((await board('mall_class')).items).toHaveLength(items.length);
});

test('an order is copied to projects, replacing what they have, each with its timeline', async () => {
  const { items } = await board('notice_types');
  const stored = (await board('notice_types')).stored!;
  const [one, other] = [projects[3]!, projects[4]!];
  await product.call(admin, 'POST', ROOT, {
    list: 'notice_types',
    project: String(one),
    items: sent([...items].reverse()),
  });
  const done = await product.call(admin, 'POST', `${ROOT}/${stored.id}/copyTo`, {
    projects: [String(one), String(other)],
  });
  expect([done.http, done.data.result]).toEqual([200, { n: 2 }]);
  for (const project of [one, other]) {
    const now = await board('notice_types', project);
    expect([now.stored !== null, titles(now.items)]).toEqual([true, titles(items)]);
  }
  const replaced = (await board('notice_types', one)).stored!;
  expect(replaced.version).toBe(2);
  const timeline = (await product.call(admin, 'GET', `${ROOT}/${replaced.id}/timeline`)).data as {
    changes: unknown[];
  }[];
  expect(JSON.stringify(timeline[0]!.changes)).toContain('高温预警');
});

test('staff of some projects arrange those only, and leave the default alone', async () => {
  await run(
    db(),
    `WITH g AS (INSERT INTO permission_group (type_id, tenant_id, code, name)
         SELECT t.id, s.tenant_id, 'list_order', '列表排序' FROM group_type t, staff s WHERE t.code = 'role' AND s.account = 'company1' RETURNING id),
       m AS (INSERT INTO menu_grant (group_id, menu_code) SELECT id, 'listSort' FROM g),
       e AS (INSERT INTO element_grant (group_id, element_code) SELECT g.id, e.code FROM g, element e WHERE e.menu_code = 'listSort')
     INSERT INTO group_member (group_id, staff_id) SELECT g.id, s.id FROM g, staff s WHERE s.account = 'company1'`,
  );
  product.platform.changed('session');
  const company = await product.signIn('company1');
  const { projectIds } = await product.caller('company1');
  const foreign = projects.find((id) => !projectIds!.includes(id));
  const base = await board('notice_types', undefined, company);
  expect([base.mayEdit, base.stored, base.items.length]).toEqual([false, null, 7]);
  const { stored } = await board('notice_types');
  const save = (body: object) => product.call(company, 'POST', ROOT, { list: 'service_business', ...body });
  const { items } = await board('service_business', undefined, company);
  expect((await save({ items: sent(items) })).message).toBe('默认顺序由平台维护');
  expect(
    (
      await product.call(company, 'PUT', `${ROOT}/${stored!.id}`, {
        version: stored!.version,
        items: sent(base.items),
      })
    ).http,
  ).toBe(404);
  expect((await save({ project: String(projectIds![0]), items: sent(items) })).http).toBe(200);
  if (foreign) {
    expect((await save({ project: String(foreign), items: sent(items) })).http).toBe(404);
    expect(
      (await product.call(company, 'GET', `${ROOT}/board?list=notice_types&project=${foreign}`)).http,
    ).toBe(404);
    expect(
      (
        await product.call(company, 'POST', `${ROOT}/${stored!.id}/copyTo`, {
          projects: [String(foreign)],
        })
      ).http,
    ).toBe(404);
  }
  for (const { id } of base.customised) expect(projectIds).toContain(Number(id));
});

test('a row is put before or after another, or stays where it is', () => {
  const rows = ['a', 'b', 'c'];
  const put = (moved: string, target: string, after: boolean) =>
    putAt(rows, (row) => row, moved, target, after).join('');
  expect([put('c', 'a', false), put('a', 'b', true), put('a', 'x', true), put('x', 'a', true)]).toEqual([
    'cab',
    'bac',
    'abc',
    'abc',
  ]);
});
