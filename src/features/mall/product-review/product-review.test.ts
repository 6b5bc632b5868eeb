import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { openDesk, wire, type ProductDesk } from '../product/product-desk.ts';
import { smallPriceChange, type ReviewedContent } from '../product/proposal.rules.ts';
import { changesText, waitedText } from './comparison.rules.ts';

const ROOT = '/jinmao/web/productReview';
const GOODS = '/jinmao/web/product';
let desk: ProductDesk;

beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.mall.close());

/** A colleague of the reviewer. */
const reviewerNamed = async (name: string, more: Partial<Caller> = {}): Promise<Caller> => ({
  ...desk.reviewer,
  staffId: await desk.mall.staff(name, desk.reviewer.tenantId),
  ...more,
});
const edit = async (more: Record<string, unknown>, by = desk.alice) => {
  const row = await desk.published();
  const answer = await desk.mall.call(by, 'PUT', `${GOODS}/${row.id}`, { version: row.version, ...more });
  expect(answer, answer.message).toMatchObject({ http: 200 });
  return { row, edited: answer.data, review: await desk.waiting(row.id) };
};
const pass = (caller: Caller, id: number | string, version?: number) =>
  desk.mall.call(caller, 'POST', `${ROOT}/${id}/pass`, version === undefined ? {} : { version });
const setting = async (key: string, value: unknown) => {
  await run(
    desk.mall.platform.database.db,
    `INSERT INTO setting (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [key, JSON.stringify(value)],
  );
  desk.mall.platform.settings.forget();
};

test('group 08 Must show 11 (the screen): the queue names the change, the detail stands both versions side by side, passing makes it live', async () => {
  const row = await desk.published();
  await desk.mall.call(desk.alice, 'PUT', `${GOODS}/${row.id}`, {
    version: row.version,
    name: '五常大米',
    specs: [{ ...wire(row.specs[0]), price: '29.90' }],
  });
  const review = await desk.waiting(row.id);
  const listed = await desk.mall.call(desk.reviewer, 'GET', `${ROOT}/page?tab=waiting&searchVal=${row.code}`);
  expect(listed.data.rows).toHaveLength(1);
  expect(listed.data.rows[0]).toMatchObject({
    kind: 'change',
    price: '19.90',
    applicant: { title: 'alice' },
    state: 'waiting',
    actions: expect.arrayContaining(['pass', 'reject']),
  });
  expect(changesText(listed.data.rows[0].changes, 'zh')).toBe('名称、5kg 19.90 → 29.90 (+50.25 %)');
  const { data } = await desk.mall.call(desk.reviewer, 'GET', `${ROOT}/${review.id}`);
  expect(data.comparison).toMatchObject({
    live: { name: '东北大米' },
    proposed: { name: '五常大米' },
    specs: [{ mark: 'changed', percent: '+50.25', live: { price: '19.90' }, proposed: { price: '29.90' } }],
  });
  expect(data.previous).toHaveLength(1);
  // The author holds the elements too, and sees no button.
  const author = {
    ...desk.alice,
    tenantKind: 3 as const,
    menus: new Map([...desk.alice.menus, ...desk.reviewer.menus]),
    elements: desk.reviewer.elements,
  };
  const own = await desk.mall.call(author, 'GET', `${ROOT}/${review.id}`);
  expect(own.data.actions).not.toContain('pass');
  expect(await pass(author, review.id, review.version)).toMatchObject({
    http: 409,
    status: 30101,
    message: '不能审核自己提交的商品',
  });
  expect((await pass(desk.reviewer, review.id, review.version)).data).toMatchObject({
    state: 'passed',
    reviewer: { title: 'carol' },
  });
  expect((await desk.mall.call(desk.alice, 'GET', `${GOODS}/${row.id}`)).data).toMatchObject({
    name: '五常大米',
    price: '29.90',
    pendingChange: false,
  });
});

test('a proposal changed after it was opened is refused in these words', async () => {
  const { row, edited, review } = await edit({ name: '第一版' });
  const again = await desk.mall.call(desk.alice, 'PUT', `${GOODS}/${row.id}`, {
    version: edited.version,
    name: '第二版',
  });
  expect(again.http).toBe(200);
  const stale = await pass(desk.reviewer, review.id, review.version);
  expect([stale.http, stale.status, stale.message]).toEqual([409, 30101, '内容已被修改，请重新审核']);
  expect((await desk.mall.call(desk.alice, 'GET', `${GOODS}/${row.id}`)).data.name).toBe('东北大米');
  expect((await pass(desk.reviewer, review.id, review.version + 1)).http).toBe(200);
});

test('whoever made, wrote or sent a new product in cannot pass it; a colleague can', async () => {
  const row = await desk.created(desk.admin, { merchant: String(desk.mall.ids.merchantA) });
  const edited = await desk.mall.call(desk.alice, 'PUT', `${GOODS}/${row.id}`, {
    version: row.version,
    name: '一起写的大米',
  });
  await desk.mall.call(desk.bob, 'GET', `${GOODS}/${row.id}`);
  const sender = await reviewerNamed('sender');
  const sent = await desk.mall.call(sender, 'POST', `${GOODS}/${row.id}/apply`, {
    version: edited.data.version,
  });
  expect(sent.http).toBe(200);
  const review = await desk.waiting(row.id);
  const as = (staffId: number) => ({ ...desk.reviewer, staffId });
  for (const staffId of [desk.admin.staffId, desk.alice.staffId, sender.staffId])
    expect((await pass(as(staffId), review.id, review.version)).message).toBe('不能审核自己提交的商品');
  expect((await pass(desk.reviewer, review.id, review.version)).http).toBe(200);
  expect((await desk.mall.call(desk.alice, 'GET', `${GOODS}/${row.id}`)).data.state).toBe('published');
});

test('merchants review nothing, other merchants see nothing', async () => {
  const { review } = await edit({ name: '商户自审' });
  const colleague = {
    ...desk.reviewer,
    staffId: await desk.mall.staff('colleague', desk.mall.ids.merchantA),
    tenantId: desk.mall.ids.merchantA,
    tenantKind: 2 as const,
  };
  expect((await pass(colleague, review.id, review.version)).message).toBe('商户不能审核商品');
  const stranger = { ...colleague, tenantId: desk.mall.ids.merchantB };
  expect((await pass(stranger, review.id, review.version)).http).toBe(404);
});

test('several reviewers at once: one decision takes effect, the others are refused', async () => {
  const { row, review } = await edit({ specs: undefined, name: '同时审核' });
  const reviewers = await Promise.all(Array.from({ length: 6 }, (_, n) => reviewerNamed(`rev${n}`)));
  const answers = await Promise.all(
    reviewers.map((one, index) =>
      index % 2 === 0
        ? pass(one, review.id, review.version)
        : desk.mall.call(one, 'POST', `${ROOT}/${review.id}/reject`, {
            version: review.version,
            reason: '名称不符合规范',
          }),
    ),
  );
  expect(answers.filter((one) => one.http === 200)).toHaveLength(1);
  expect(answers.filter((one) => one.http === 409)).toHaveLength(5);
  const decided = await runOne<{ state: string }>(
    desk.mall.platform.database.db,
    'SELECT state FROM product_review WHERE id = $1',
    [review.id],
  );
  const live = (await desk.mall.call(desk.alice, 'GET', `${GOODS}/${row.id}`)).data;
  expect(live.name).toBe(decided!.state === 'passed' ? '同时审核' : '东北大米');
});

test('edits and decisions at the same time never publish what nobody looked at', async () => {
  const { row, edited, review } = await edit({ name: '看过的' });
  const [passed, changed] = await Promise.all([
    pass(desk.reviewer, review.id, review.version),
    desk.mall.call(desk.alice, 'PUT', `${GOODS}/${row.id}`, { version: edited.version, name: '没看过的' }),
  ]);
  const live = (await desk.mall.call(desk.alice, 'GET', `${GOODS}/${row.id}`)).data;
  expect(live.name).not.toBe('没看过的');
  expect([passed.http, changed.http]).toContain(200);
});

test('several are passed together, at most 50; rejecting needs 5 to 200 characters', async () => {
  const ids = [];
  for (const name of ['批量一', '批量二']) ids.push(String((await edit({ name })).review.id));
  const bulk = await desk.mall.call(desk.reviewer, 'POST', `${ROOT}/bulk/pass`, { ids, input: {} });
  expect(bulk.data).toMatchObject({ done: ids, failed: [] });
  const many = await desk.mall.call(desk.reviewer, 'POST', `${ROOT}/bulk/pass`, {
    ids: Array.from({ length: 51 }, (_, n) => String(n + 1)),
    input: {},
  });
  expect(many.http).toBe(422);
  const { review } = await edit({ name: '驳回' });
  const reject = (reason: string) =>
    desk.mall.call(desk.reviewer, 'POST', `${ROOT}/${review.id}/reject`, { reason });
  expect((await reject('短')).http).toBe(422);
  expect((await reject('长'.repeat(201))).http).toBe(422);
  expect((await reject('图片与实物不符')).data).toMatchObject({
    state: 'rejected',
    reason: '图片与实物不符',
  });
});

test('small price changes of a trusted merchant pass by themselves while that is switched on', async () => {
  const priced = async (price: string, more: object = {}) => {
    const row = await desk.published();
    return (
      await desk.mall.call(desk.alice, 'PUT', `${GOODS}/${row.id}`, {
        version: row.version,
        specs: [{ ...wire(row.specs[0]), price }],
        ...more,
      })
    ).data;
  };
  await setting('product.auto_pass', true);
  expect((await priced('21.00')).pendingChange).toBe(true);
  const { review } = await edit({ name: '信任' });
  const trusted = await desk.mall.call(desk.reviewer, 'POST', `${ROOT}/${review.id}/trust`, {});
  expect(trusted.data.trusted).toBe(true);
  expect(await priced('21.00')).toMatchObject({ pendingChange: false, price: '21.00' });
  expect((await priced('21.90')).pendingChange).toBe(true);
  expect((await priced('21.00', { name: '改名' })).pendingChange).toBe(true);
  const auto = await desk.mall.call(desk.reviewer, 'GET', `${ROOT}/page?tab=decided&limit=200`);
  expect(auto.data.rows.filter((one: { automatic: boolean }) => one.automatic)).toHaveLength(1);
  await setting('product.auto_pass', false);
  expect((await priced('21.00')).pendingChange).toBe(true);
  const off = await desk.mall.call(desk.reviewer, 'POST', `${ROOT}/${review.id}/distrust`, {});
  expect(off.data.trusted).toBe(false);
});

test('rules: what counts as a small price change, how waiting reads', () => {
  const live = { specs: [{ id: 1, price: 1_000 }] } as unknown as ReviewedContent;
  expect(smallPriceChange(live, { specsChanged: [{ id: 1, price: 1_100 }] }, 10)).toBe(true);
  expect(smallPriceChange(live, { specsChanged: [{ id: 1, price: 1_101 }] }, 10)).toBe(false);
  expect(smallPriceChange(live, { specsChanged: [{ id: 1, price: 1_050, unit: '箱' }] }, 10)).toBe(false);
  expect(smallPriceChange(live, { specsChanged: [{ id: 1, price: 1_050 }], name: '新' }, 10)).toBe(false);
  expect(smallPriceChange(live, { specsAdded: [], applicants: [1] }, 10)).toBe(false);
  expect(waitedText(3_000, 'zh')).toBe('2 天 2 小时');
  expect(waitedText(61, 'en')).toBe('1 h 1 min');
});
