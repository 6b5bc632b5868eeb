import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { elementsOf } from '../../../kernel/contract/resource.ts';
import type { Caller } from '../../../kernel/server/caller.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { callerOf, openMall, type Mall } from './mall-fixture.ts';
import { passReview, rejectReview } from './product-review.server.ts';
import { stockInvariants } from './product-stock.server.ts';
import { product } from './product.contract.ts';
import { service } from './product.server.ts';

let mall: Mall;
let alice: Caller; // writes for merchant A
let bob: Caller; // merchant B
let admin: Caller; // platform
let reviewer: Caller;
let picture: string;

const ELEMENTS = Object.keys(elementsOf(product)).map((element) => `${product.menu}:${element}`);
const FACTS = { address: '127.0.0.1', userAgent: '', language: 'zh', traceId: 't' } as const;
const root = '/jinmao/web/product';

beforeAll(async () => {
  mall = await openMall([service]);
  const { merchantA, merchantB } = mall.ids;
  const platformId = (await runOne<{ id: number }>(
    mall.platform.database.db,
    'SELECT id FROM tenant WHERE kind = 3',
  ))!.id;
  const make = async (
    name: string,
    tenantId: number,
    tenantKind: 2 | 3,
    menus: readonly string[],
    elements: readonly string[],
  ) => callerOf({ staffId: await mall.staff(name, tenantId), tenantId, tenantKind }, menus, elements);
  alice = await make('alice', merchantA, 2, [product.menu, 'mm_businessOrder_wx'], ELEMENTS);
  bob = await make('bobby', merchantB, 2, [product.menu], ELEMENTS);
  admin = await make('admin', platformId, 3, [product.menu, 'mm_businessOrder_wx'], ELEMENTS);
  reviewer = await make(
    'carol',
    platformId,
    3,
    ['mm_commodityApprove', product.menu],
    ['mm_commodityApprove:btn_pass', 'mm_commodityApprove:btn_reject', ...ELEMENTS],
  );
  picture = await mall.picture();
});
afterAll(() => mall.close());

function spec(name: string, more: Record<string, unknown> = {}) {
  return {
    name,
    price: '19.90',
    marketPrice: null,
    stock: 100,
    stockAlert: 10,
    unit: '袋',
    weightG: 500,
    barcode: null,
    ...more,
  };
}

function form(more: Record<string, unknown> = {}) {
  return {
    business: String(mall.ids.business),
    name: '东北大米',
    classes: [String(mall.classes[1])],
    projects: [String(mall.ids.north)],
    images: [picture],
    summary: '新米',
    labels: ['新品'],
    supplier: '粮油公司',
    salesWay: 'self',
    delivery: 'third',
    accountLimit: 0,
    pointsAllowed: true,
    afterSaleText: '',
    detailHtml: '<p>好米<script>alert(1)</script><img src="javascript:x" onerror="x"></p>',
    specs: [spec('5kg')],
    ...more,
  };
}

async function created(caller: Caller, more: Record<string, unknown> = {}) {
  const answer = await mall.call(caller, 'POST', root, form(more));
  expect(answer, answer.message).toMatchObject({ http: 200 });
  return answer.data;
}

async function published(more: Record<string, unknown> = {}) {
  const row = await created(alice, more);
  expect((await mall.call(alice, 'POST', `${root}/${row.id}/apply`, { version: row.version })).http).toBe(
    200,
  );
  const review = await waiting(row.id);
  await transaction(mall.platform.database.db, (tx) =>
    passReview(tx, { caller: reviewer, facts: FACTS }, review.id, review.version),
  );
  return (await mall.call(alice, 'GET', `${root}/${row.id}`)).data;
}

async function waiting(productId: string) {
  const row = await runOne<{ id: number; version: number; kind: string; difference: unknown[] }>(
    mall.platform.database.db,
    `SELECT id, version, kind, difference FROM product_review WHERE product_id = $1 AND state = 'waiting'`,
    [productId],
  );
  return row!;
}

describe('writing', () => {
  test('a merchant creates a draft of its own with specs, opening stock and harmless text', async () => {
    const row = await created(alice, {
      merchant: String(mall.ids.merchantB),
      specs: [spec('5kg'), spec('10kg', { price: '35.00', stock: 0 })],
    });
    expect(row).toMatchObject({
      state: 'draft',
      price: '19.90',
      priceMax: '35.00',
      stock: 100,
      merchant: { id: String(mall.ids.merchantA) },
    });
    expect(row.code).toMatch(/^PD\d{8}\d{6}$/);
    expect(row.detailHtml).toBe('<p>好米<img></p>');
    expect(row.specs.map((one: { name: string; stockNow: number }) => [one.name, one.stockNow])).toEqual([
      ['5kg', 100],
      ['10kg', 0],
    ]);
    expect(row.images[0]).toMatchObject({ id: picture, url: `/api/file/${picture}` });
    const movements = (await mall.call(alice, 'GET', `${root}/${row.id}/movements`)).data;
    expect(movements.rows).toMatchObject([{ op: 1, qty: 100, before: 0, after: 100, opText: '后台添加' }]);
  });

  test('refusals of the form', async () => {
    const refused = async (more: Record<string, unknown>, field: string, message: string, caller = alice) => {
      const answer = await mall.call(caller, 'POST', root, form(more));
      expect(answer.http).toBe(422);
      expect(answer.data.fields[field]).toContain(message);
    };
    await refused({ specs: [] }, 'specs', '请至少添加一个规格');
    await refused({ specs: [spec('5kg'), spec('5kg')] }, 'specs', '规格重复');
    await refused({ specs: [spec('5kg', { price: '0.00' })] }, 'specs', '价格应为');
    await refused(
      { specs: [spec('5kg', { price: '20.00', marketPrice: '19.99' })] },
      'specs',
      '市场价不能低于价格',
    );
    await refused(
      { specs: Array.from({ length: 101 }, (_, index) => spec(`s${index}`)) },
      'specs',
      '最多100个规格',
    );
    await refused({ business: String(mall.ids.otherBusiness) }, 'business', '业务不在合作范围');
    await refused({ projects: [String(mall.ids.south)] }, 'projects', '项目不在合作范围', bob);
    await refused({ images: ['00000000-0000-4000-8000-000000000000'] }, 'images', '文件不存在');
    await refused({ status: 'published' }, 'status', '不接受此字段');
    await refused({}, 'merchant', '请选择商户', admin);
    await created(alice, { specs: [spec('5kg', { barcode: '6901' })] });
    await refused({ specs: [spec('5kg', { barcode: '6901' })] }, 'specs', '条码 6901');
    await created(bob, { specs: [spec('5kg', { barcode: '6901' })] });
  });

  test('a spec matrix: 2 dimensions, a removed one comes back with its stock as a signed difference', async () => {
    const row = await created(alice, {
      specs: [spec('红 / L', { stock: 7 }), spec('红 / M'), spec('蓝 / L')],
    });
    const kept = row.specs.filter((one: { name: string }) => one.name !== '红 / L').map(wire);
    const without = (
      await mall.call(alice, 'PUT', `${root}/${row.id}`, { version: row.version, specs: kept })
    ).data;
    expect(without.stock).toBe(200);
    const swapped = [
      { ...kept[0], name: '蓝 / L' },
      { ...kept[1], name: '红 / M' },
      spec('红 / L', { stock: 9 }),
    ];
    const back = await mall.call(alice, 'PUT', `${root}/${row.id}`, {
      version: without.version,
      specs: swapped,
    });
    expect(back.data.stock).toBe(209);
    expect(back.data.specs.map((one: { id: string; name: string }) => [one.id, one.name]).sort()).toEqual(
      [
        [row.specs[0].id, '红 / L'],
        [kept[0].id, '蓝 / L'],
        [kept[1].id, '红 / M'],
      ].sort(),
    );
    const first = (await mall.call(alice, 'GET', `${root}/${row.id}/movements`)).data.rows[0];
    expect(first).toMatchObject({ op: 2, qty: 2, before: 7, after: 9 });
  });
});

describe('stock', () => {
  test('a signed difference with reason, never below zero, never an overwrite', async () => {
    const row = await created(alice);
    const id = row.specs[0].id;
    const change = (difference: number, version = row.version) =>
      mall.call(alice, 'POST', `${root}/${row.id}/stock`, {
        version,
        changes: [{ specId: id, difference }],
        reason: '盘点',
      });
    // Two staff who both saw 100: the version lets one of them through.
    const answers = await Promise.all([change(-30), change(-30)]);
    expect(answers.map((answer) => answer.http).sort()).toEqual([200, 409]);
    const now = (await mall.call(alice, 'GET', `${root}/${row.id}`)).data;
    expect(now.stock).toBe(70);
    const short = await change(-71, now.version);
    expect(short).toMatchObject({ http: 409, status: 30101 });
    expect(short.message).toContain('库存不足，仅剩70件');
    expect((await change(0, now.version)).http).toBe(422);
    // An order takes 5 meanwhile; the difference is added to what is there.
    await run(
      mall.platform.database.db,
      'UPDATE product_spec SET stock = stock - 5, reserved = reserved + 5 WHERE id = $1',
      [id],
    );
    await run(
      mall.platform.database.db,
      `INSERT INTO stock_movement (spec_id, op, qty, stock_before, stock_after, source_type, source_id) VALUES ($1, 3, -5, 70, 65, 'sales_order', '1')`,
      [id],
    );
    expect((await change(10, now.version)).data.stock).toBe(75);
    const rows = (await mall.call(alice, 'GET', `${root}/${row.id}/movements`)).data.rows;
    expect(rows[0]).toMatchObject({ op: 2, qty: 10, before: 65, after: 75, reason: '盘点', who: 'alice' });
  });

  test('the invariants hold and find a planted difference', async () => {
    const checks = () => Promise.all(stockInvariants.map((one) => one.check(mall.platform)));
    for (const { looked, problems } of await checks()) {
      expect(looked).toBeGreaterThan(3);
      expect(problems).toEqual([]);
    }
    const target = await runOne<{ id: number }>(
      mall.platform.database.db,
      'UPDATE product_spec SET stock = stock + 1 WHERE id = (SELECT min(id) FROM product_spec) RETURNING id',
    );
    expect((await checks())[1]!.problems).toHaveLength(1);
    await run(mall.platform.database.db, 'UPDATE product_spec SET stock = stock - 1 WHERE id = $1', [
      target!.id,
    ]);
    await run(
      mall.platform.database.db,
      'UPDATE product SET stock_total = stock_total + 1 WHERE id = (SELECT min(id) FROM product)',
    );
    expect((await checks())[0]!.problems).toHaveLength(1);
    await run(
      mall.platform.database.db,
      'UPDATE product SET stock_total = stock_total - 1 WHERE id = (SELECT min(id) FROM product)',
    );
  });
});

describe('review', () => {
  test('must show 11: the live price stays, the reviewer sees +50.25 %, the author may not pass it', async () => {
    const row = await published();
    expect(row.state).toBe('published');
    const specs = [{ ...wire(row.specs[0]), price: '29.90' }];
    const edited = await mall.call(alice, 'PUT', `${root}/${row.id}`, {
      version: row.version,
      specs,
      accountLimit: 3,
    });
    expect(edited.data).toMatchObject({
      state: 'published',
      price: '19.90',
      pendingChange: true,
      accountLimit: 3,
    });
    expect(edited.data.proposed.specs[0].price).toBe('29.90');
    const review = await waiting(row.id);
    expect(review.difference).toEqual([
      { field: 'price', spec: '5kg', before: '19.90', after: '29.90', percent: '+50.25' },
    ]);
    const pass = (caller: Caller, version = review.version) =>
      transaction(mall.platform.database.db, (tx) =>
        passReview(tx, { caller, facts: FACTS }, review.id, version),
      );
    const author = {
      ...alice,
      menus: new Map([...alice.menus, ...reviewer.menus]),
      elements: reviewer.elements,
    };
    await expect(pass(author)).rejects.toMatchObject({
      status: 30101,
      label: ['不能审核自己提交的商品', expect.anything()],
    });
    await expect(pass(alice)).rejects.toMatchObject({ http: 403 });
    await expect(pass({ ...reviewer, tenantKind: 2, tenantId: mall.ids.merchantB })).rejects.toMatchObject({
      http: 404,
    });
    await pass(reviewer);
    const after = (await mall.call(alice, 'GET', `${root}/${row.id}`)).data;
    expect(after).toMatchObject({ price: '29.90', pendingChange: false, proposed: null, state: 'published' });
    await expect(pass(reviewer)).rejects.toMatchObject({ status: 30101 });
  });

  test('a proposal changed after it was opened is refused, the next edit goes on from the proposal', async () => {
    const row = await published();
    const put = (version: number, more: object) =>
      mall.call(alice, 'PUT', `${root}/${row.id}`, { version, ...more });
    const first = (await put(row.version, { name: '五常大米' })).data;
    const opened = await waiting(row.id);
    const second = (await put(first.version, { summary: '当季' })).data;
    expect(second.proposed).toMatchObject({ name: '五常大米', summary: '当季' });
    const pass = (version: number) =>
      transaction(mall.platform.database.db, (tx) =>
        passReview(tx, { caller: reviewer, facts: FACTS }, opened.id, version),
      );
    await expect(pass(opened.version)).rejects.toMatchObject({
      label: ['内容已被修改，请重新审核', expect.anything()],
    });
    await pass(opened.version + 1);
    const after = (await mall.call(alice, 'GET', `${root}/${row.id}`)).data;
    expect(after).toMatchObject({ name: '五常大米', summary: '当季' });
    // Back to the live values: nothing waits any more.
    const third = (await put(after.version, { name: '大米' })).data;
    expect((await put(third.version, { name: '五常大米' })).data).toMatchObject({ pendingChange: false });
    const notice = await runOne(
      mall.platform.database.db,
      `SELECT 1 AS one FROM notification WHERE staff_id = $1 AND kind = 'productReview'`,
      [alice.staffId],
    );
    expect(notice).toBeDefined();
  });

  test('specs and projects: added ones wait, removed projects leave at once, removed specs wait', async () => {
    const row = await published({ projects: [String(mall.ids.north)], specs: [spec('5kg'), spec('10kg')] });
    const specs = [wire(row.specs[0]), spec('20kg', { stock: 8 })];
    const edited = await mall.call(alice, 'PUT', `${root}/${row.id}`, {
      version: row.version,
      specs,
      projects: [String(mall.ids.south)],
    });
    expect(edited.data.projects).toEqual([]);
    expect(edited.data.specs.map((one: { name: string }) => one.name)).toEqual(['5kg', '10kg']);
    const review = await waiting(row.id);
    expect(review.difference).toMatchObject([
      { field: 'projects', after: ['project P2'] },
      { field: 'specAdded', spec: '20kg' },
      { field: 'specRemoved', spec: '10kg' },
    ]);
    await transaction(mall.platform.database.db, (tx) =>
      passReview(tx, { caller: reviewer, facts: FACTS }, review.id, review.version),
    );
    const after = (await mall.call(alice, 'GET', `${root}/${row.id}`)).data;
    expect(after.projects).toEqual([{ id: String(mall.ids.south), title: 'project P2' }]);
    expect(after.specs.map((one: { name: string }) => one.name)).toEqual(['5kg', '20kg']);
    expect(after.stock).toBe(108);
  });

  test('rejecting needs a reason and leaves the live version; a new product becomes rejected', async () => {
    const row = await published();
    await mall.call(alice, 'PUT', `${root}/${row.id}`, { version: row.version, name: '新名字' });
    const change = await waiting(row.id);
    const reject = (review: { id: number; version: number }, reason: string) =>
      transaction(mall.platform.database.db, (tx) =>
        rejectReview(tx, { caller: reviewer, facts: FACTS }, review.id, review.version, reason),
      );
    await expect(reject(change, '不行')).rejects.toMatchObject({ http: 422 });
    await reject(change, '名称含有夸大词');
    expect((await mall.call(alice, 'GET', `${root}/${row.id}`)).data).toMatchObject({
      name: '东北大米',
      state: 'published',
      pendingChange: false,
    });
    const fresh = await created(alice);
    await mall.call(alice, 'POST', `${root}/${fresh.id}/apply`, { version: fresh.version });
    await reject(await waiting(fresh.id), '图片不清晰，请重拍');
    const after = (await mall.call(alice, 'GET', `${root}/${fresh.id}`)).data;
    expect(after.state).toBe('rejected');
    expect(after.reviews[0]).toMatchObject({
      state: 'rejected',
      reason: '图片不清晰，请重拍',
      reviewer: 'carol',
      applicant: 'alice',
    });
  });

  test('recall, take down, recycle, restore, copy', async () => {
    const row = await created(alice);
    const act = (name: string, version: number, more: object = {}) =>
      mall.call(alice, 'POST', `${root}/${row.id}/${name}`, { version, ...more });
    const applied = (await act('apply', row.version)).data;
    expect(applied.state).toBe('reviewing');
    expect(
      (await mall.call(alice, 'PUT', `${root}/${row.id}`, { version: applied.version, name: '改' })).status,
    ).toBe(30101);
    const recalled = (await act('recall', applied.version)).data;
    expect(recalled.state).toBe('draft');
    const removed = await mall.call(alice, 'DELETE', `${root}/${row.id}?version=${recalled.version}`);
    expect(removed.http).toBe(200);
    const counts = (await mall.call(alice, 'GET', `${root}/counts`)).data;
    expect(counts.recycled).toBe(1);
    const bin = (await mall.call(alice, 'GET', `${root}/page?tab=recycled`)).data.rows[0];
    expect(bin.actions).toEqual(['restore']);
    expect((await act('apply', bin.version)).message).toContain('回收站');
    const restored = (await act('restore', bin.version)).data;
    expect(restored.state).toBe('off_shelf');
    const copied = await act('copy', restored.version);
    const copyRow = (await mall.call(alice, 'GET', `${root}/${copied.data.result.id}`)).data;
    expect(copyRow).toMatchObject({ name: '东北大米（副本）', state: 'draft', stock: 0, price: '19.90' });
    const live = await published();
    await mall.call(alice, 'PUT', `${root}/${live.id}`, { version: live.version, name: '改' });
    expect(
      (await mall.call(alice, 'POST', `${root}/bulk/takeDown`, { ids: [live.id], input: {} })).http,
    ).toBe(422);
    const down = await mall.call(alice, 'POST', `${root}/bulk/takeDown`, {
      ids: [live.id, row.id],
      input: { reason: '换季下架' },
    });
    expect(down.data).toMatchObject({ done: [live.id], failed: [{ id: String(row.id) }] });
    expect((await mall.call(alice, 'GET', `${root}/${live.id}`)).data).toMatchObject({
      state: 'off_shelf',
      offReason: '换季下架',
      pendingChange: false,
    });
  });

  test('a closed merchant edits but does not apply', async () => {
    const row = await created(alice);
    await run(mall.platform.database.db, `UPDATE tenant SET state = 'closed' WHERE id = $1`, [
      mall.ids.merchantA,
    ]);
    const edited = await mall.call(alice, 'PUT', `${root}/${row.id}`, {
      version: row.version,
      name: '打烊也能改',
    });
    expect(edited.http).toBe(200);
    expect(edited.data.actions).not.toContain('apply');
    const answer = await mall.call(alice, 'POST', `${root}/${row.id}/apply`, {
      version: edited.data.version,
    });
    expect(answer).toMatchObject({ http: 409, message: '商户已打烊，不能提交审核' });
    await run(mall.platform.database.db, `UPDATE tenant SET state = 'open' WHERE id = $1`, [
      mall.ids.merchantA,
    ]);
  });
});

describe('who sees what', () => {
  test('must show 10: another merchant sees nothing, whatever it asks for', async () => {
    const mine = await created(alice);
    const theirs = await created(bob);
    const page = await mall.call(alice, 'GET', `${root}/page?limit=200&merchant=${mall.ids.merchantB}`);
    expect(page.data.total).toBeGreaterThan(0);
    expect(new Set(page.data.rows.map((row: { merchant: { id: string } }) => row.merchant.id))).toEqual(
      new Set([String(mall.ids.merchantA)]),
    );
    expect((await mall.call(alice, 'GET', `${root}/${theirs.id}`)).http).toBe(404);
    expect(
      (await mall.call(alice, 'PUT', `${root}/${theirs.id}`, { version: theirs.version, name: 'x' })).http,
    ).toBe(404);
    expect(
      (
        await mall.call(alice, 'POST', `${root}/${theirs.id}/stock`, {
          version: 1,
          changes: [{ specId: theirs.specs[0].id, difference: 1 }],
          reason: '盘点',
        })
      ).http,
    ).toBe(404);
    // A spec of somebody else under an own product.
    expect(
      (
        await mall.call(alice, 'POST', `${root}/${mine.id}/stock`, {
          version: mine.version,
          changes: [{ specId: theirs.specs[0].id, difference: 1 }],
          reason: '盘点',
        })
      ).http,
    ).toBe(404);
    expect((await mall.call(alice, 'GET', `${root}/${theirs.id}/movements`)).http).toBe(404);
    const source = service.exports![0]!;
    const names: unknown[] = [];
    for await (const batch of source.read({ caller: alice, platform: mall.platform, language: 'zh' }, {}))
      for (const row of batch) names.push(row[4]);
    expect(new Set(names)).toEqual(new Set(['merchant MA']));
    expect(
      (await mall.call(admin, 'GET', `${root}/page?merchant=${mall.ids.merchantB}`)).data.total,
    ).toBeGreaterThan(0);
  });

  test('staff of projects see what is sold there and touch no other project', async () => {
    const row = await created(alice, { projects: [String(mall.ids.south)] });
    const city = callerOf(
      { staffId: admin.staffId, tenantId: admin.tenantId, tenantKind: 4, projectIds: [mall.ids.north] },
      [product.menu],
      ELEMENTS,
    );
    expect((await mall.call(city, 'GET', `${root}/${row.id}`)).http).toBe(404);
    const north = await created(alice);
    expect((await mall.call(city, 'GET', `${root}/${north.id}`)).http).toBe(200);
    const answer = await mall.call(city, 'PUT', `${root}/${north.id}`, {
      version: north.version,
      projects: [String(mall.ids.north), String(mall.ids.south)],
    });
    expect(answer.data.fields.projects).toContain('只能增减您负责的项目');
  });

  test('pickers, palette and the path of finder articles', async () => {
    const row = await published({ name: '长粒香米' });
    const draft = await created(alice, { name: '长粒香米草稿' });
    const options = await mall.call(
      alice,
      'GET',
      `/jinmao/web/options/productSpec?searchVal=${encodeURIComponent('长粒香米')}`,
    );
    expect(options.data).toEqual([
      { id: row.specs[0].id, title: '长粒香米 / 5kg', note: '¥19.90 · 库存 100袋' },
    ]);
    expect(
      (await mall.call(bob, 'GET', `/jinmao/web/options/productSpec?searchVal=${encodeURIComponent('长粒')}`))
        .data,
    ).toEqual([]);
    const find = (call: Caller, number: string) =>
      service.prefixes![0]!.find({ caller: call, platform: mall.platform }, number);
    expect(await find(alice, row.code)).toEqual([
      { code: row.code, title: '长粒香米', route: `/merchantManager/mm_commodityMana?detail=${row.id}` },
    ]);
    expect(await find(bob, row.code)).toEqual([]);
    expect((await find(alice, draft.code.slice(-6))).length).toBe(1);
    const path = (project: number) =>
      `/jinmao/web/bizProductGoodtoVisit/getProductInfoPc?projectId=${project}&searchVal=${encodeURIComponent('长粒')}&page=1&limit=10`;
    const info = await mall.call(alice, 'GET', path(mall.ids.north));
    expect(info.data).toEqual({
      total: 1,
      rows: [
        {
          id: row.id,
          productCode: row.code,
          productName: '长粒香米',
          price: '19.90',
          image: `/api/file/${picture}`,
        },
      ],
    });
    expect((await mall.call(alice, 'GET', path(mall.ids.south))).data.total).toBe(0);
  });

  test('every filter and sort runs; price asks for overlap, a class for those below it', async () => {
    const row = await created(alice, {
      name: '筛选商品',
      specs: [spec('小', { price: '50.00' }), spec('大', { price: '80.00', stock: 3 })],
    });
    const names = async (query: string) =>
      (
        await mall.call(
          alice,
          'GET',
          `${root}/page?limit=200&searchVal=${encodeURIComponent('筛选')}&${query}`,
        )
      ).data.rows.map((one: { id: string }) => one.id);
    for (const query of [
      'price=60~70',
      'price=80~',
      'price=~50',
      `classes=${mall.classes[0]}`,
      `projects=${mall.ids.north}`,
      'stockState=low',
      'state=draft',
      `business=${mall.ids.business}`,
    ])
      expect(await names(query), query).toEqual([row.id]);
    for (const query of [
      'price=81~',
      'price=~49.99',
      `classes=${mall.classes[2]}`,
      `projects=${mall.ids.south}`,
      'stockState=out',
      'state=published',
    ])
      expect(await names(query), query).toEqual([]);
    for (const [name, field] of Object.entries(product.fields))
      if (field.sortable)
        for (const sort of [name, `-${name}`])
          expect((await mall.call(alice, 'GET', `${root}/page?sort=${sort}`)).http, sort).toBe(200);
    expect((await mall.call(alice, 'GET', `${root}/page?price=x`)).http).toBe(422);
    expect((await mall.call(callerOf({ staffId: 1, tenantId: 1 }, []), 'GET', `${root}/page`)).http).toBe(
      403,
    );
  });
});

function wire(one: Record<string, unknown>): Record<string, unknown> {
  const { code: _code, stockNow: _now, reserved: _reserved, sold: _sold, ...rest } = one;
  return rest;
}
