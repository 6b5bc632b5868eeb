import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { ImportRow } from '../../../kernel/server/tables/import-target.ts';
import { FACTS, openDesk, spec, wire, type ProductDesk } from './product-desk.ts';
import { productImport } from './product-import.server.ts';
import { emptyRecycleBin } from './product-recycle.server.ts';
import { passReview } from './product-review.server.ts';
import { stockInvariants } from './product-stock.server.ts';

const ROOT = '/jinmao/web/product';
let desk: ProductDesk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.mall.close());

const db = () => desk.mall.platform.database.db;
const bulk = (action: string, ids: readonly string[], input: Record<string, unknown>, who = desk.alice) =>
  desk.mall.call(who, 'POST', `${ROOT}/bulk/${action}`, { ids, input });
const read = async (id: string) => (await desk.mall.call(desk.alice, 'GET', `${ROOT}/${id}`)).data;
const pass = async (id: string) => {
  const review = await desk.waiting(id);
  await transaction(db(), (tx) =>
    passReview(tx, { caller: desk.reviewer, facts: FACTS }, review.id, review.version),
  );
};

describe('several goods at once', () => {
  test('prices by percent: drafts at once, published ones after review, refusals leave the others', async () => {
    const draft = await desk.created(desk.alice, { specs: [spec('a'), spec('b', { price: '39.90' })] });
    const live = await desk.published({ specs: [spec('a')] });
    const capped = await desk.created(desk.alice, { specs: [spec('a', { marketPrice: '20.00' })] });
    const foreign = await desk.created(desk.bob, { classes: [String(desk.mall.classes[1])] });
    const answer = await bulk('bulkPrice', [draft.id, live.id, capped.id, foreign.id], {
      mode: 'percent',
      change: '10',
    });
    expect(answer.data.done).toEqual([draft.id, live.id]);
    expect(answer.data.failed.map((one: { id: string }) => one.id)).toEqual([capped.id, foreign.id]);
    expect(answer.data.failed[0].message).toBe('「a」调整后的价格高于市场价');
    expect((await read(draft.id)).specs.map((one: { price: string }) => one.price)).toEqual([
      '21.89',
      '43.89',
    ]);
    const waiting = await read(live.id);
    expect([waiting.specs[0].price, waiting.pendingChange, waiting.proposed.specs[0].price]).toEqual([
      '19.90',
      true,
      '21.89',
    ]);
    expect((await desk.waiting(live.id)).difference).toEqual([
      { field: 'price', spec: 'a', before: '19.90', after: '21.89', percent: '+10.00' },
    ]);
    // The next change goes on from what waits.
    await bulk('bulkPrice', [live.id], { mode: 'amount', change: '-1.89' });
    await pass(live.id);
    expect((await read(live.id)).specs[0].price).toBe('20.00');
    for (const input of [
      { mode: 'percent', change: '0' },
      { mode: 'percent', change: '-100' },
      { mode: 'percent', change: '1.234' },
      { mode: 'both', change: '1' },
    ])
      expect((await bulk('bulkPrice', [draft.id], input)).data.done ?? []).toEqual([]);
    const none = { ...desk.alice, elements: new Set(['mm_commodityMana:btn_stock']), staffId: 9_001 };
    expect((await bulk('bulkPrice', [draft.id], { mode: 'percent', change: '5' }, none)).http).toBe(403);
  });

  test('classes and stock', async () => {
    const draft = await desk.created(desk.alice, {});
    const live = await desk.published({});
    const other = String(desk.mall.classes[2]);
    expect((await bulk('bulkClass', [draft.id, live.id], { classes: [other] })).data.done).toHaveLength(2);
    expect((await read(draft.id)).classes.map((one: { id: string }) => one.id)).toEqual([other]);
    expect((await read(live.id)).classes.map((one: { id: string }) => one.id)).toEqual([
      String(desk.mall.classes[1]),
    ]);
    await pass(live.id);
    expect((await read(live.id)).classes.map((one: { id: string }) => one.id)).toEqual([other]);

    const few = await desk.created(desk.alice, {
      specs: [spec('a', { stock: 5 }), spec('b', { stock: 50 })],
    });
    const taken = await bulk('bulkStock', [live.id, few.id], { difference: -10, reason: '盘点' });
    expect(taken.data.done).toEqual([live.id]);
    expect(taken.data.failed[0].message).toBe('「a」库存不足，仅剩5件');
    // All or none of a product: b keeps its pieces when a is short.
    expect((await read(few.id)).specs.map((one: { stockNow: number }) => one.stockNow)).toEqual([5, 50]);
    const many = await Promise.all(
      Array.from({ length: 10 }, () => bulk('bulkStock', [few.id], { difference: -1, reason: '盘点' })),
    );
    expect(many.filter((one) => one.data.done.length === 1)).toHaveLength(5);
    expect((await read(few.id)).specs.map((one: { stockNow: number }) => one.stockNow)).toEqual([0, 45]);
    for (const rule of stockInvariants)
      expect((await rule.check(desk.mall.platform)).problems, rule.name).toEqual([]);
  });
});

describe('pictures', () => {
  test('featured images and spec images wait for review, foreign files are refused, copies keep them', async () => {
    const second = await desk.mall.picture();
    const live = await desk.published({
      featured: [desk.picture],
      specs: [spec('a', { imageId: desk.picture }), spec('b')],
    });
    expect(live.featured.map((file: { id: string }) => file.id)).toEqual([desk.picture]);
    expect(live.specs.map((one: { imageId: string | null }) => one.imageId)).toEqual([desk.picture, null]);
    const save = (more: Record<string, unknown>) =>
      desk.mall.call(desk.alice, 'PUT', `${ROOT}/${live.id}`, { version: live.version, ...more });
    const specs = live.specs.map(wire);
    const unknown = '00000000-0000-4000-8000-0000000000ff';
    expect((await save({ featured: [unknown] })).data.fields).toHaveProperty('featured');
    expect((await save({ specs: [{ ...specs[0], imageId: unknown }, specs[1]] })).data.fields).toHaveProperty(
      'specs',
    );
    expect((await save({ specs: [{ ...specs[0], imageId: 'x' }, specs[1]] })).http).toBe(422);
    expect(
      (await save({ featured: Array.from({ length: 11 }, () => desk.picture) })).data.fields,
    ).toHaveProperty('featured');
    expect(
      (await save({ featured: [second], specs: [specs[0], { ...specs[1], imageId: second }] })).http,
    ).toBe(200);
    const waiting = await read(live.id);
    expect(waiting.featured.map((file: { id: string }) => file.id)).toEqual([desk.picture]);
    expect(waiting.reviews[0].difference.map((one: { field: string }) => one.field)).toEqual([
      'featured',
      'specImage',
    ]);
    expect(waiting.reviews[0].difference[1].after).toMatchObject([
      { id: second, url: `/api/file/${second}` },
    ]);
    await pass(live.id);
    const passed = await read(live.id);
    expect([passed.featured[0].id, passed.specs[1].imageId]).toEqual([second, second]);
    const copied = await desk.mall.call(desk.alice, 'POST', `${ROOT}/${live.id}/copy`, {});
    const copy = await read(copied.data.result.id);
    expect([copy.featured[0].id, copy.specs[1].imageId]).toEqual([second, second]);
  });
});

describe('recycle bin', () => {
  test('after product.recycle_days products without orders are emptied, others and fresh ones stay', async () => {
    const make = async (days: number) => {
      const row = await desk.created(desk.alice, {});
      expect(
        (await desk.mall.call(desk.alice, 'DELETE', `${ROOT}/${row.id}?version=${row.version}`)).http,
      ).toBe(200);
      await run(db(), 'UPDATE product SET recycled_at = now() - make_interval(days => $2) WHERE id = $1', [
        row.id,
        days,
      ]);
      return String(row.id);
    };
    const [old, sold, fresh] = [await make(31), await make(31), await make(29)];
    const { member, merchantA, north } = desk.mall.ids;
    await run(
      db(),
      `WITH p AS (INSERT INTO payment (checkout_code, channel, amount, deadline) VALUES ('CK1', 1, 1990, now()) RETURNING id),
            o AS (INSERT INTO sales_order (code, source, tenant_id, project_id, member_id, payment_id, title, contact_name, contact_phone, address, state, goods, payable)
                  SELECT 'SO1', 5, $1, $2, $3, p.id, 't', 'c', '1', 'a', 'closed', 1990, 1990 FROM p RETURNING id)
       INSERT INTO order_line (order_id, line_no, product_id, spec_id, product_name, spec_name, list_price, unit_price, qty, goods, cash)
       SELECT o.id, 1, s.product_id, s.id, 'p', 's', 1990, 1990, 1, 1990, 1990 FROM o, product_spec s WHERE s.product_id = $4`,
      [merchantA, north, member, sold],
    );
    // Two instances at once: each product once.
    const counts = await Promise.all([
      emptyRecycleBin(desk.mall.platform),
      emptyRecycleBin(desk.mall.platform),
    ]);
    expect(counts[0]! + counts[1]!).toBe(1);
    const http = async (id: string) => (await desk.mall.call(desk.alice, 'GET', `${ROOT}/${id}`)).http;
    expect([await http(old), await http(sold), await http(fresh)]).toEqual([404, 200, 200]);
    const restore = await desk.mall.call(desk.alice, 'POST', `${ROOT}/${old}/restore`, {});
    expect(restore.http).toBe(404);
    const bin = await desk.mall.call(desk.alice, 'GET', `${ROOT}/page?tab=recycled&limit=50`);
    expect(bin.data.rows.map((row: { id: string }) => row.id).sort()).toEqual([sold, fresh].sort());
    const emptied = await runOne(
      db(),
      `SELECT logo_ids, detail_html, (SELECT count(*) FROM product_project WHERE product_id = p.id) AS projects FROM product p WHERE id = $1`,
      [old],
    );
    expect(emptied).toEqual({ logo_ids: [], detail_html: '', projects: 0 });
    expect(await emptyRecycleBin(desk.mall.platform)).toBe(0);
    for (const rule of stockInvariants)
      expect((await rule.check(desk.mall.platform)).problems, rule.name).toEqual([]);
  });
});

describe('import', () => {
  const rows = (...values: Record<string, string>[]): ImportRow[] =>
    values.map((one, index) => ({ number: index + 2, values: { ...EMPTY, ...one } }));
  const EMPTY = Object.fromEntries(productImport.columns.map((column) => [column.name, '']));
  const names = async () => {
    const one = async (text: string, id: number) => (await runOne<{ name: string }>(db(), text, [id]))!.name;
    return {
      business: await one('SELECT name FROM business WHERE id = $1', desk.mall.ids.business),
      classes: await one('SELECT name FROM product_class WHERE id = $1', desk.mall.classes[1]),
      projects: await one('SELECT name FROM project WHERE id = $1', desk.mall.ids.north),
    };
  };
  const call = (caller = desk.alice) => ({
    caller,
    platform: desk.mall.platform,
    language: 'zh' as const,
  });
  const check = async (list: ImportRow[], caller = desk.alice) =>
    (await productImport.check(call(caller), list)).map((one) => [one.row, one.column, one.message[0]]);

  test('rows of one name are one product; everything is a draft with opening stock', async () => {
    const first = {
      ...(await names()),
      name: '进口牛奶',
      spec: '1L',
      price: '12.50',
      marketPrice: '15.00',
      stock: '40',
      unit: '盒',
      barcode: 'IMP-1',
      salesWay: '代销',
      delivery: 'Own delivery',
      accountLimit: '5',
    };
    const list = rows(
      first,
      { name: '进口牛奶', spec: '2L', price: '22.00', stock: '0', unit: '盒' },
      { ...first, name: '进口酸奶', barcode: 'IMP-2' },
    );
    expect(await check(list)).toEqual([]);
    const written = await transaction(db(), (tx) => productImport.commit(tx, call(), list));
    expect(written).toBe(3);
    const found = await desk.mall.call(
      desk.alice,
      'GET',
      `${ROOT}/page?searchVal=${encodeURIComponent('进口')}`,
    );
    expect(found.data.total).toBe(2);
    const milk = found.data.rows.find((row: { name: string }) => row.name === '进口牛奶');
    const detail = await read(milk.id);
    expect(detail).toMatchObject({ state: 'draft', salesWay: 'consign', delivery: 'self', accountLimit: 5 });
    expect(
      detail.specs.map((one: Record<string, unknown>) => [
        one.name,
        one.price,
        one.marketPrice,
        one.stockNow,
      ]),
    ).toEqual([
      ['1L', '12.50', '15.00', 40],
      ['2L', '22.00', null, 0],
    ]);
    // Without a picture and a description nobody sends it for review.
    const applied = await desk.mall.call(desk.alice, 'POST', `${ROOT}/${milk.id}/apply`, {});
    expect(applied.message).toBe('请上传商品图');
    expect(await check(rows(first))).toEqual([[2, 'barcode', expect.stringContaining('条码已被商品')]]);
    for (const rule of stockInvariants)
      expect((await rule.check(desk.mall.platform)).problems, rule.name).toEqual([]);
  });

  test('every bad cell is named, a product with one bad row is left out whole, other merchants are out of reach', async () => {
    const good = { ...(await names()), name: '面粉', spec: '1kg', price: '9.90', stock: '1', unit: '袋' };
    expect(
      await check(
        rows(
          { ...good, price: '0' },
          { name: '面粉', spec: '2kg', price: '19.90', stock: '1', unit: '袋' },
          { ...good, name: '糖', projects: 'nowhere', classes: '', accountLimit: '1000' },
          { ...good, name: '盐', business: '没有' },
          { ...good, name: '油', marketPrice: '1.00', stock: 'many', salesWay: '租' },
          { ...good, name: '醋' },
          { name: '醋', spec: '1kg', price: '9.90', stock: '1', unit: '袋', supplier: '别家' },
        ),
      ),
    ).toEqual([
      [2, 'price', '价格应为0.01至999,999.99'],
      [3, undefined, '同一商品的其他行有错误'],
      [4, 'projects', '项目「nowhere」不在合作范围'],
      [4, 'classes', '请填写分类'],
      [4, 'accountLimit', '限购应为0至999'],
      [5, 'business', '业务不在合作范围'],
      [6, 'salesWay', '没有此选项'],
      [6, 'marketPrice', '市场价不能低于价格'],
      [6, 'stock', '库存应为0至999,999'],
      [8, 'supplier', '与该商品第一行不一致'],
      [8, 'spec', '规格重复'],
      [7, undefined, '同一商品的其他行有错误'],
    ]);
    // South is a project of merchant A only; a merchant's own name column is ignored.
    const south = (await runOne<{ name: string }>(db(), 'SELECT name FROM project WHERE id = $1', [
      desk.mall.ids.south,
    ]))!.name;
    expect(await check(rows({ ...good, projects: south }), desk.bob)).toEqual([
      [2, 'projects', `项目「${south}」不在合作范围`],
    ]);
    expect(await check(rows({ ...good, merchant: 'merchant MA' }), desk.bob)).toEqual([]);
    expect(await check(rows({ ...good, merchant: 'nobody' }), desk.admin)).toEqual([
      [2, 'merchant', '商户不存在或已停用'],
    ]);
    expect(await check(rows({ ...good, merchant: 'merchant MA' }), desk.admin)).toEqual([]);
    await expect(
      transaction(db(), (tx) => productImport.commit(tx, call(), rows({ ...good, price: '0' }))),
    ).rejects.toMatchObject({ status: 30101 });
  });
});

describe('names in an import', () => {
  const EMPTY = Object.fromEntries(productImport.columns.map((column) => [column.name, '']));
  const call = (caller = desk.alice) => ({ caller, platform: desk.mall.platform, language: 'zh' as const });

  test('code or name for merchant, business and project, a path for a class; names of several are refused with the choice', async () => {
    const { ids, classes } = desk.mall;
    const one = (text: string, id: number) =>
      runOne<{ name: string; code: string }>(db(), text, [id]) as Promise<{ name: string; code: string }>;
    const merchant = await one('SELECT name, account AS code FROM tenant WHERE id = $1', ids.merchantA);
    const business = await one('SELECT name, code FROM business WHERE id = $1', ids.business);
    const project = await one('SELECT name, code FROM project WHERE id = $1', ids.north);
    const parent = await one('SELECT name, name AS code FROM product_class WHERE id = $1', classes[0]);
    const child = await one('SELECT name, name AS code FROM product_class WHERE id = $1', classes[1]);
    const good = { ...EMPTY, name: '挂面', spec: '1kg', price: '5.90', stock: '1', unit: '袋' };
    const check = async (values: Record<string, string>, caller = desk.admin) =>
      (await productImport.check(call(caller), [{ number: 2, values: { ...good, ...values } }])).map(
        (problem) => [problem.column, problem.message[0]],
      );
    const byName = {
      merchant: merchant.name,
      business: business.name,
      projects: project.name,
      classes: child.name,
    };
    expect(await check(byName)).toEqual([]);
    expect(
      await check({
        merchant: merchant.code.toUpperCase(),
        business: business.code,
        projects: project.code,
        classes: `${parent.name}/${child.name}`,
      }),
    ).toEqual([]);

    // The south project takes the name of the north one; another class takes the child's name at the top.
    const south = await one('SELECT name, code FROM project WHERE id = $1', ids.south);
    await run(db(), 'UPDATE project SET name = $2 WHERE id = $1', [ids.south, project.name]);
    await run(db(), 'UPDATE product_class SET name = $2 WHERE id = $1', [classes[2], child.name]);
    expect(await check(byName)).toEqual([
      ['classes', `“${child.name}”有 2 个同名，请改填：${parent.name}/${child.name}、/${child.name}`],
      ['projects', `“${project.name}”有 2 个同名，请改填：${project.code}、${south.code}`],
    ]);
    // Unique in the reach of who imports: merchant B works in one of the two only.
    const bobs = await check({ ...byName, merchant: '', classes: `${parent.name}/${child.name}` }, desk.bob);
    expect(bobs).toEqual([]);
    await run(db(), 'UPDATE project SET name = $2 WHERE id = $1', [ids.south, south.name]);
    await run(db(), 'UPDATE product_class SET name = $2 WHERE id = $1', [classes[2], '其他']);
  });
});

describe('no-delivery areas of a product', () => {
  const places = async () =>
    (await run<{ id: number }>(db(), 'SELECT id FROM region WHERE level = 3 ORDER BY id LIMIT 3')).map(
      (row) => String(row.id),
    );
  const set = (id: string, regions: unknown, who = desk.alice) =>
    desk.mall.call(who, 'POST', `${ROOT}/${id}/noDelivery`, { regions });

  test('btn_noDelivery replaces the set, the merchant’s own places are added to it', async () => {
    const [a, b, c] = await places();
    const live = await desk.published({});
    await run(db(), 'INSERT INTO no_delivery_area (tenant_id, region_id) VALUES ($1, $2)', [
      desk.mall.ids.merchantA,
      c,
    ]);
    expect((await set(live.id, [a, b])).http).toBe(200);
    const seen = async () => {
      const answer = (await desk.mall.call(desk.alice, 'GET', `${ROOT}/${live.id}/noDelivery`)).data;
      return [answer.own, answer.merchant].map((list) => list.map((one: { id: string }) => one.id));
    };
    expect(await seen()).toEqual([[a, b], [c]]);
    expect((await read(live.id)).noDelivery.own[0].title).toMatch(/ \/ .+ \/ /);
    // Nothing of it waits for review: it holds at once.
    expect((await read(live.id)).pendingChange).toBe(false);
    expect((await set(live.id, [b])).http).toBe(200);
    expect(await seen()).toEqual([[b], [c]]);
    for (const bad of [['0'], ['x'], 'x', [a, '999999999']])
      expect((await set(live.id, bad)).http, JSON.stringify(bad)).toBe(422);
    expect((await set(live.id, [a], desk.bob)).http).toBe(404);
    const none = { ...desk.alice, elements: new Set<string>(), staffId: 9_002 };
    expect((await set(live.id, [a], none)).http).toBe(403);
    expect((await desk.mall.call(desk.bob, 'GET', `${ROOT}/${live.id}/noDelivery`)).http).toBe(404);
    expect(await seen()).toEqual([[b], [c]]);
    const timeline = (await desk.mall.call(desk.alice, 'GET', `${ROOT}/${live.id}/timeline`)).data;
    expect(timeline[0]).toMatchObject({ action: 'noDelivery', remark: '+0 −1' });
    expect((await set(live.id, [])).http).toBe(200);
    expect(await seen()).toEqual([[], [c]]);
    await run(db(), 'DELETE FROM no_delivery_area');
  });
});
