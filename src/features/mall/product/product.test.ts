import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { openDesk, spec, wire, type ProductDesk } from './product-desk.ts';
import { stockInvariants } from './product-stock.server.ts';

const root = '/jinmao/web/product';
let desk: ProductDesk;

beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.mall.close());

describe('writing', () => {
  test('a merchant creates a draft of its own with specs, opening stock and harmless text', async () => {
    const row = await desk.created(desk.alice, {
      merchant: String(desk.mall.ids.merchantB),
      specs: [spec('5kg'), spec('10kg', { price: '35.00', stock: 0 })],
    });
    expect(row).toMatchObject({
      state: 'draft',
      price: '19.90',
      priceMax: '35.00',
      stock: 100,
      merchant: { id: String(desk.mall.ids.merchantA) },
    });
    expect(row.code).toMatch(/^PD\d{8}\d{6}$/);
    expect(row.detailHtml).toBe('<p>好米<img></p>');
    expect(row.specs.map((one: { name: string; stockNow: number }) => [one.name, one.stockNow])).toEqual([
      ['5kg', 100],
      ['10kg', 0],
    ]);
    expect(row.images[0]).toMatchObject({ id: desk.picture, url: `/api/file/${desk.picture}` });
    const movements = (await desk.mall.call(desk.alice, 'GET', `${root}/${row.id}/movements`)).data;
    expect(movements.rows).toMatchObject([{ op: 1, qty: 100, before: 0, after: 100, opText: '后台添加' }]);
  });

  test('refusals of the form', async () => {
    const refused = async (
      more: Record<string, unknown>,
      field: string,
      message: string,
      caller = desk.alice,
    ) => {
      const answer = await desk.mall.call(caller, 'POST', root, desk.form(more));
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
    await refused({ business: String(desk.mall.ids.otherBusiness) }, 'business', '业务不在合作范围');
    await refused({ projects: [String(desk.mall.ids.south)] }, 'projects', '项目不在合作范围', desk.bob);
    await refused({ images: ['00000000-0000-4000-8000-000000000000'] }, 'images', '文件不存在');
    await refused({ status: 'published' }, 'status', '不接受此字段');
    await refused({}, 'merchant', '请选择商户', desk.admin);
    await desk.created(desk.alice, { specs: [spec('5kg', { barcode: '6901' })] });
    await refused({ specs: [spec('5kg', { barcode: '6901' })] }, 'specs', '条码 6901');
    await desk.created(desk.bob, { specs: [spec('5kg', { barcode: '6901' })] });
  });

  test('a spec matrix: 2 dimensions, a removed one comes back with its stock as a signed difference', async () => {
    const row = await desk.created(desk.alice, {
      specs: [spec('红 / L', { stock: 7 }), spec('红 / M'), spec('蓝 / L')],
    });
    const kept = row.specs.filter((one: { name: string }) => one.name !== '红 / L').map(wire);
    const without = (
      await desk.mall.call(desk.alice, 'PUT', `${root}/${row.id}`, { version: row.version, specs: kept })
    ).data;
    expect(without.stock).toBe(200);
    const swapped = [
      { ...kept[0], name: '蓝 / L' },
      { ...kept[1], name: '红 / M' },
      spec('红 / L', { stock: 9 }),
    ];
    const back = await desk.mall.call(desk.alice, 'PUT', `${root}/${row.id}`, {
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
    const first = (await desk.mall.call(desk.alice, 'GET', `${root}/${row.id}/movements`)).data.rows[0];
    expect(first).toMatchObject({ op: 2, qty: 2, before: 7, after: 9 });
  });
});

describe('stock', () => {
  test('a signed difference with reason, never below zero, never an overwrite', async () => {
    const row = await desk.created(desk.alice);
    const id = row.specs[0].id;
    const change = (difference: number, version = row.version) =>
      desk.mall.call(desk.alice, 'POST', `${root}/${row.id}/stock`, {
        version,
        changes: [{ specId: id, difference }],
        reason: '盘点',
      });
    // Two staff who both saw 100: the version lets one of them through.
    const answers = await Promise.all([change(-30), change(-30)]);
    expect(answers.map((answer) => answer.http).sort()).toEqual([200, 409]);
    const now = (await desk.mall.call(desk.alice, 'GET', `${root}/${row.id}`)).data;
    expect(now.stock).toBe(70);
    const short = await change(-71, now.version);
    expect(short).toMatchObject({ http: 409, status: 30101 });
    expect(short.message).toContain('库存不足，仅剩70件');
    expect((await change(0, now.version)).http).toBe(422);
    // An order takes 5 meanwhile; the difference is added to what is there.
    await run(
      desk.mall.platform.database.db,
      'UPDATE product_spec SET stock = stock - 5, reserved = reserved + 5 WHERE id = $1',
      [id],
    );
    await run(
      desk.mall.platform.database.db,
      `INSERT INTO stock_movement (spec_id, op, qty, stock_before, stock_after, source_type, source_id) VALUES ($1, 3, -5, 70, 65, 'sales_order', '1')`,
      [id],
    );
    expect((await change(10, now.version)).data.stock).toBe(75);
    const rows = (await desk.mall.call(desk.alice, 'GET', `${root}/${row.id}/movements`)).data.rows;
    expect(rows[0]).toMatchObject({ op: 2, qty: 10, before: 65, after: 75, reason: '盘点', who: 'alice' });
  });

  test('the invariants hold and find a planted difference', async () => {
    const checks = () => Promise.all(stockInvariants.map((one) => one.check(desk.mall.platform)));
    for (const { looked, problems } of await checks()) {
      expect(looked).toBeGreaterThan(3);
      expect(problems).toEqual([]);
    }
    const target = await runOne<{ id: number }>(
      desk.mall.platform.database.db,
      'UPDATE product_spec SET stock = stock + 1 WHERE id = (SELECT min(id) FROM product_spec) RETURNING id',
    );
    expect((await checks())[1]!.problems).toHaveLength(1);
    await run(desk.mall.platform.database.db, 'UPDATE product_spec SET stock = stock - 1 WHERE id = $1', [
      target!.id,
    ]);
    await run(
      desk.mall.platform.database.db,
      'UPDATE product SET stock_total = stock_total + 1 WHERE id = (SELECT min(id) FROM product)',
    );
    expect((await checks())[0]!.problems).toHaveLength(1);
    await run(
      desk.mall.platform.database.db,
      'UPDATE product SET stock_total = stock_total - 1 WHERE id = (SELECT min(id) FROM product)',
    );
  });
});
