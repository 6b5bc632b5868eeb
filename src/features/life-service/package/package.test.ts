import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { instalments, listTotal } from '../../../domain/life-service/package.rules.ts';
import { keepVersion } from '../../../domain/life-service/package-version.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ROOT = '/jinmao/web/package';
let product: TestProduct;
let admin: string;
let auditor: string;
let project: number;
let images: string[];
let number = 0;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  // A second person with every right, so that somebody else decides.
  await all(
    `INSERT INTO group_member (group_id, staff_id) SELECT g.id, s.id FROM permission_group g, staff s WHERE g.code = 'platform_admin' AND g.built_in AND s.account = 'audit1'`,
  );
  auditor = await product.signIn('audit1');
  project = (await one<{ id: number }>('SELECT id FROM project ORDER BY id LIMIT 1')).id;
  images = (await one<{ image_ids: string[] }>('SELECT image_ids FROM service_package ORDER BY id LIMIT 1'))
    .image_ids;
});
afterAll(() => product.close());

const all = <T extends object>(text: string, values: unknown[] = []) =>
  run<T>(product.platform.database.db, text, values);
const one = async <T extends object>(text: string, values: unknown[] = []) =>
  (await runOne<T>(product.platform.database.db, text, values))!;
const act = (id: string, action: string, body: object = {}, token = admin) =>
  product.call(token, 'POST', `${ROOT}/${id}/${action}`, body);
const read = async (id: string) => (await product.call(admin, 'GET', `${ROOT}/${id}`)).data;
const change = async (id: string, body: object) =>
  product.call(admin, 'PUT', `${ROOT}/${id}`, { version: (await read(id)).version, ...body });
const versions = (id: string) =>
  all<{ no: number; price: number; difference: string }>(
    'SELECT no, price, difference FROM service_package_version WHERE package_id = $1 ORDER BY no',
    [id],
  );

const add = (more: object = {}) => {
  number += 1;
  return product.call(admin, 'POST', ROOT, {
    name: `测试套餐${number}`,
    // Files may be attached once more by whoever reads them.
    images,
    projects: [String(project)],
    items: [{ name: '日常保洁', times: 12, unlimited: false, listPrice: '150.00' }],
    price: '1200.00',
    validity: 12,
    validityUnit: 'month',
    startRule: 'first_payment',
    payOnce: true,
    plans: [{ parts: 3, intervalMonths: '1' }],
    refundMethod: 'by_times',
    cancelFee: '0.00',
    maxRunning: 0,
    terms: '有效期内使用',
    ...more,
  });
};
async function added(more: object = {}): Promise<string> {
  const made = await add(more);
  expect([made.http, made.message, made.data?.fields]).toEqual([200, '', undefined]);
  return String(made.data.id);
}
async function published(more: object = {}): Promise<string> {
  const id = await added(more);
  expect((await act(id, 'submit')).message).toBe('');
  expect((await act(id, 'approve', {}, auditor)).message).toBe('');
  return id;
}

describe('parts of a sum', () => {
  test('group 19 Must show 1: 1,000.00 in three equal parts', () => {
    expect(instalments(100_000, 3)).toEqual([33_334, 33_333, 33_333]);
  });

  test('a first share weighs first, missing fen go to the earliest, together exactly the sum', () => {
    expect(instalments(100_000, 4, 40)).toEqual([40_000, 20_000, 20_000, 20_000]);
    expect(instalments(100_001, 3, 30)).toEqual([30_001, 35_000, 35_000]);
    for (const total of [1, 7, 99_999, 9_999_999])
      for (let parts = 2; parts <= 12; parts++)
        for (const first of [null, 1, 33, 99]) {
          const shares = instalments(total, parts, first);
          expect(shares.length).toBe(parts);
          expect(shares.reduce((left, right) => left + right, 0)).toBe(total);
        }
  });

  test('the list total counts items with a number of uses', () => {
    const item = { name: 'a', times: 12, listPrice: 15_000 };
    expect(listTotal([item, { name: 'b', times: null, listPrice: 100 }])).toBe(180_000);
    expect(listTotal([{ name: 'b', times: null, listPrice: 100 }])).toBeNull();
  });
});

describe('service packages', () => {
  test('by use is refused with an unlimited item, in the form and in the table', async () => {
    const items = [{ name: '探访', unlimited: true, listPrice: '50.00' }];
    const refused = await add({ items });
    expect(refused.http).toBe(422);
    expect(JSON.stringify(refused)).toContain('含不限次项目的套餐不能按次退款');
    const id = await added({ items, refundMethod: 'by_days' });
    expect((await change(id, { refundMethod: 'by_times' })).http).toBe(422);
    await expect(
      all(`UPDATE service_package SET refund_method = 'by_times' WHERE id = $1`, [id]),
    ).rejects.toThrow('service_package_by_times');
    const row = await read(id);
    expect([row.contents, row.listTotal, row.saving]).toEqual(['探访×∞', null, null]);
  });

  test('a price above the list total is said, not refused', async () => {
    const id = await added({ price: '1980.00' });
    const row = await read(id);
    expect([row.listTotal, row.saving]).toEqual(['1800.00', '-10.00']);
  });

  test('items need a name and a number, a first use its days, somebody a way to pay, months end at 36', async () => {
    const service = await one<{ id: number; name: string }>(
      `SELECT id, name FROM product WHERE kind = 'service' AND status = 'published' ORDER BY id LIMIT 1`,
    );
    const named = await added({ items: [{ service: String(service.id), times: 2, listPrice: '10.00' }] });
    expect((await read(named)).contents).toBe(`${service.name}×2`);
    for (const [more, words] of [
      [{ items: [{ times: 2, listPrice: '10.00' }] }, '第 1 行请选择服务或填写名称'],
      [{ items: [{ name: '保洁', listPrice: '10.00' }] }, '第 1 行请填写次数或选不限次'],
      [{ startRule: 'first_use' }, '请填写首次使用期限'],
      [{ payOnce: false, plans: [] }, '请至少选择一种付款方式'],
      [{ validity: 37 }, '最多 36 个月'],
    ] as const) {
      const refused = await add(more);
      expect([refused.http, JSON.stringify(refused).includes(words)]).toEqual([422, true]);
    }
  });

  test('is handed in once, decided by somebody else and sold with its first version', async () => {
    const id = await added();
    const sent = await Promise.all(Array.from({ length: 5 }, () => act(id, 'submit')));
    expect(sent.filter((answer) => answer.http === 200)).toHaveLength(1);
    const waiting = await all(
      `SELECT FROM approval_instance WHERE biz_type = 'product' AND biz_id = $1 AND state = 'running'`,
      [id],
    );
    expect(waiting).toHaveLength(1);
    expect((await change(id, { price: '1.00' })).http).not.toBe(200);
    expect((await act(id, 'approve')).http).not.toBe(200);
    expect((await act(id, 'approve', { opinion: '可售' }, auditor)).message).toBe('');
    const row = await read(id);
    expect([row.state, row.versionNo, row.opinion]).toEqual(['published', 1, '可售']);
    expect(row.publishedAt).not.toBeNull();
  });

  test('a rejected one says why and is handed in again; who handed it in withdraws it', async () => {
    const id = await added();
    await act(id, 'submit');
    expect((await act(id, 'withdraw', {}, auditor)).message).toBe('只有提交人可以撤回');
    expect((await act(id, 'withdraw')).message).toBe('');
    expect((await read(id)).state).toBe('draft');
    await act(id, 'submit');
    expect((await act(id, 'reject', { opinion: '价格过高' }, auditor)).message).toBe('');
    const row = await read(id);
    expect([row.state, row.opinion, row.versionNo]).toEqual(['rejected', '价格过高', null]);
    expect((await act(id, 'submit')).message).toBe('');
  });

  test('changes of a published one make a version that says what differs; what changes nothing makes none', async () => {
    const id = await published();
    expect((await change(id, { price: '1100.00' })).message).toBe('');
    expect((await change(id, { detail: '<p>新图文</p>' })).message).toBe('');
    expect(
      (
        await change(id, {
          items: [{ name: '日常保洁', times: 10, unlimited: false, listPrice: '150.00' }],
        })
      ).message,
    ).toBe('');
    expect((await versions(id)).map((one) => [one.no, one.price, one.difference])).toEqual([
      [1, 120_000, ''],
      [2, 110_000, '价格 1200.00→1100.00｜Price 1200.00→1100.00'],
      [
        3,
        110_000,
        '减 日常保洁×12 @150.00；增 日常保洁×10 @150.00｜Out 日常保洁×12 @150.00; In 日常保洁×10 @150.00',
      ],
    ]);
  });

  test('eight changes at once: numbers follow each other, the last version is what the row says', async () => {
    const id = await published();
    const { db } = product.platform.database;
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        transaction(db, async (tx) => {
          await run(tx, 'UPDATE service_package SET price = $2 WHERE id = $1', [id, 100_000 + index]);
          await keepVersion(tx, Number(id), null);
        }),
      ),
    );
    const kept = await versions(id);
    expect(kept.map((one) => one.no)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const row = await one<{ price: number }>('SELECT price FROM service_package WHERE id = $1', [id]);
    expect(kept.at(-1)!.price).toBe(row.price);
  });

  test('off the shelf needs a reason, is not deleted while published, is copied as a draft', async () => {
    const id = await published();
    expect((await act(id, 'remove')).http).not.toBe(200);
    expect((await act(id, 'off', { reason: '' })).http).toBe(422);
    expect((await act(id, 'off', { reason: '人员调整' })).message).toBe('');
    expect((await read(id)).offReason).toBe('人员调整');
    const copied = (await act(id, 'copy')).data.result.id as string;
    const [old, copy] = [await read(id), await read(copied)];
    expect([copy.state, copy.price, copy.contents, copy.versionNo]).toEqual([
      'draft',
      old.price,
      old.contents,
      null,
    ]);
    expect((await product.call(admin, 'DELETE', `${ROOT}/${copied}`)).http).toBe(200);
  });
});
