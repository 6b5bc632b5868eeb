import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registrations } from '../../../app/registry/registrations.gen.ts';
import { commentScore } from '../../../domain/order-comment/comment-score.server.ts';
import { SENSITIVE_WORDS } from '../../../domain/sensitive-words/sensitive-words.server.ts';
import { all, callAs, one, openShop, type Shop } from '../goods-order/order-fixture.ts';

const WEB = '/jinmao/web';
let shop: Shop;
let requests = 0;

beforeAll(async () => {
  shop = await openShop(registrations, 2);
  const may = ['mm_commodityMana', 'mm_reservationSer', 'cs_busServicePerson'];
  for (const who of ['platform', 'merchant1', 'merchant2'] as const) {
    const caller = shop.callers[who] as unknown as { menus: Map<string, unknown>; elements: Set<string> };
    for (const menu of may) {
      caller.menus.set(menu, [{ kind: 'all' }]);
      caller.elements.add(`${menu}:btn_comment`);
    }
  }
});
afterAll(() => shop.close());

/** An order of oil (of merchant 1) that was received so many days ago. */
async function received(daysAgo = 0): Promise<number> {
  const body = {
    memberId: String(shop.ids.member),
    projectId: String(shop.ids.project),
    lines: [{ specId: String(shop.ids.oil), qty: 1 }],
    coupons: [],
  };
  const quote = await callAs(shop, 'program', 'POST', `${WEB}/memberTrade/quote`, body);
  const made = await callAs(shop, 'program', 'POST', `${WEB}/memberTrade/checkout`, {
    ...body,
    requestId: `comment-${(requests += 1)}-order`,
    contactName: '陈思雨',
    contactPhone: '13800138000',
    address: '1-101',
    shownTotal: quote.data.total,
  });
  expect(made.message).toBe('');
  const id = Number(made.data.orderIds[0]);
  await all(
    shop,
    `UPDATE sales_order SET state = 'completed', paid_at = now() - make_interval(days => $2), shipped_at = now() - make_interval(days => $2),
            completed_at = now() - make_interval(days => $2), pay_deadline = NULL WHERE id = $1`,
    [id, daysAgo],
  );
  return id;
}

const rate = (orderId: number, more: object = {}, instance = 0) =>
  callAs(
    shop,
    'program',
    'POST',
    `${WEB}/memberTrade/rate`,
    {
      requestId: `comment-${(requests += 1)}-rate`,
      memberId: String(shop.ids.member),
      orderId: String(orderId),
      stars: 5,
      content: '很好',
      ...more,
    },
    instance,
  );
const commentOf = (orderId: number) =>
  one<{ id: number; stars: number; state: string; content: string }>(
    shop,
    'SELECT id, stars, state, content FROM order_comment WHERE order_id = $1',
    [orderId],
  );
const act = (who: 'platform' | 'merchant1' | 'merchant2', id: number, action: string, body: object = {}) =>
  callAs(shop, who, 'POST', `${WEB}/productComment/${id}/${action}`, body);

test('an order is rated once however often it is asked for, on two instances at once; its product, story and page tell it', async () => {
  const id = await received();
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => rate(id, { stars: 4 }, n % 2)));
  expect(answers.filter((each) => each.http === 200)).toHaveLength(1);
  expect(new Set(answers.filter((each) => each.http !== 200).map((each) => each.message))).toEqual(
    new Set(['该订单已评价']),
  );
  expect(await all(shop, 'SELECT stars FROM order_comment WHERE order_id = $1', [id])).toEqual([
    { stars: 4 },
  ]);
  const { product } = await one<{ product: number }>(
    shop,
    'SELECT product_id AS product FROM order_line WHERE order_id = $1',
    [id],
  );
  const seen = await callAs(shop, 'merchant1', 'GET', `${WEB}/productComment/page?product=${product}`);
  expect(seen.data.rows).toEqual([
    expect.objectContaining({
      stars: '4',
      content: '很好',
      state: 'shown',
      customer: expect.stringContaining('*'),
    }),
  ]);
  // Another merchant's do not exist.
  expect(
    (await callAs(shop, 'merchant2', 'GET', `${WEB}/productComment/page?product=${product}`)).data.total,
  ).toBe(0);
  const page = await callAs(shop, 'merchant1', 'GET', `${WEB}/goodsOrder/${id}`);
  expect(page.data).toMatchObject({
    commentStatus: '1',
    comment: { stars: 4, content: '很好', reply: '', shown: true },
  });
  expect(page.data.operations.at(-1)).toMatchObject({ code: 30, remark: '4★ 很好' });
});

test('only own orders that are completed and not refunded, within the days of the setting', async () => {
  const late = await received(31);
  expect((await rate(late)).message).toBe('已超过 30 天的评价期限');
  const soon = await received(29);
  expect((await rate(soon)).http).toBe(200);
  const open = await received();
  await all(shop, `UPDATE sales_order SET state = 'to_receive', completed_at = NULL WHERE id = $1`, [open]);
  expect((await rate(open)).message).toBe('已完成且未退款的订单才能评价');
  const foreign = await rate(await received(), { memberId: '999999999' });
  expect(foreign.http).toBe(404);
  expect((await rate(await received(), { stars: 6 })).http).toBe(422);
  expect((await rate(await received(), { imageIds: [randomUUID()] })).http).toBe(422);
});

test('a blocked word is refused, one to review waits for staff, who show, hide and answer it', async () => {
  await all(
    shop,
    `INSERT INTO sensitive_word (word, normalised, category, level) VALUES ('假货贩子', '假货贩子', 'abuse', 'block'), ('加微信', '加微信', 'contact', 'review')`,
  );
  shop.platforms.forEach((platform) => platform.changed(SENSITIVE_WORDS));
  await new Promise((wait) => setTimeout(wait, 2_100));
  const id = await received();
  expect((await rate(id, { content: '这是假货贩子' })).http).toBe(409);
  expect(await all(shop, 'SELECT 1 FROM order_comment WHERE order_id = $1', [id])).toEqual([]);
  expect((await rate(id, { content: '想买的加微信' })).data.state).toBe('waiting');
  const comment = await commentOf(id);
  expect((await act('merchant2', comment.id, 'show')).http).toBe(404);
  expect((await act('merchant1', comment.id, 'show')).message).toBe('');
  expect((await act('merchant1', comment.id, 'hide', { reason: '' })).http).toBe(422);
  expect((await act('merchant1', comment.id, 'hide', { reason: '含联系方式' })).message).toBe('');
  expect((await commentOf(id)).state).toBe('hidden');
  expect((await act('merchant1', comment.id, 'reply', { reply: '假货贩子' })).http).toBe(409);
  expect((await act('merchant1', comment.id, 'reply', { reply: '谢谢光临' })).message).toBe('');
  const row = await callAs(shop, 'merchant1', 'GET', `${WEB}/productComment/${comment.id}`);
  expect(row.data).toMatchObject({ reply: '谢谢光临', hideReason: '含联系方式', state: 'hidden' });
});

test('scores: the average of shown comments of 180 days with one decimal, from five on; hiding one moves it', async () => {
  const person = await one<{ id: number }>(
    shop,
    `INSERT INTO service_person (tenant_id, name, sex, phone) VALUES ($1, '王秀英', 2, '13711110000') RETURNING id`,
    [shop.ids.merchant1],
  );
  const score = async () =>
    (
      await one<{ score: string | null }>(shop, `SELECT ${commentScore('c.person_id = $1')} AS score`, [
        person.id,
      ])
    ).score;
  const ids: number[] = [];
  for (const stars of [5, 5, 4, 3]) {
    const id = await received();
    expect((await rate(id, { stars })).http).toBe(200);
    ids.push(id);
  }
  await all(shop, 'UPDATE order_comment SET person_id = $1 WHERE order_id = ANY($2::bigint[])', [
    person.id,
    ids,
  ]);
  expect(await score()).toBeNull();
  const last = await received();
  expect((await rate(last, { stars: 1 })).http).toBe(200);
  await all(shop, 'UPDATE order_comment SET person_id = $1 WHERE order_id = $2', [person.id, last]);
  expect(await score()).toBe('3.6');
  const old = await received();
  expect((await rate(old, { stars: 1 })).http).toBe(200);
  await all(
    shop,
    `UPDATE order_comment SET person_id = $1, created_at = now() - interval '181 days' WHERE order_id = $2`,
    [person.id, old],
  );
  expect(await score()).toBe('3.6');
  const extra = await received();
  expect((await rate(extra, { stars: 5 })).http).toBe(200);
  await all(shop, 'UPDATE order_comment SET person_id = $1 WHERE order_id = $2', [person.id, extra]);
  expect(await score()).toBe('3.8');
  expect((await act('merchant1', (await commentOf(last)).id, 'hide', { reason: '恶意差评' })).http).toBe(200);
  expect(await score()).toBe('4.4');
  const shown = await callAs(shop, 'merchant1', 'GET', `${WEB}/servicePerson/${person.id}`);
  expect(shown.data.score).toBe('4.4');
});
