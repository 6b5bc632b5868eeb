import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { programClient } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { readableText } from '../find-goods/readable-text.rules.ts';

const ADS = '/jinmao/web/mallAd';
const RECOMMENDED = '/jinmao/web/recommendedProduct';
const ARTICLES = '/jinmao/web/findGoods';
const DAY = 86_400_000;
let product: TestProduct;
let admin: string;
let app: string;
let north: string;
let south: string;
let picture: string;
let goods: readonly string[];
let elsewhere: string;

const db = () => product.platform.database.db;
const at = (days: number) => new Date(Date.now() + days * DAY).toISOString();
const job = (name: string) =>
  product.platform.registrations
    .flatMap((one) => one.jobs ?? [])
    .find((one) => one.name === name)!
    .run({}, product.platform);

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  await programClient(db(), {
    id: 'mall-app',
    secret: 'a-long-secret',
    grants: ['client_credentials'],
    scopes: ['member_event'],
  });
  const answer = await product.app.inject({
    method: 'POST',
    url: '/api/auth/oauth/token',
    headers: {
      authorization: `Basic ${Buffer.from('mall-app:a-long-secret').toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: 'grant_type=client_credentials&scope=member_event',
  });
  app = `Bearer ${answer.json<{ access_token: string }>().access_token}`;
  // Projects of their own: nothing of the demonstration set stands there.
  const made: string[] = [];
  for (const [index, name] of ['商城甲', '商城乙'].entries())
    made.push(
      String(
        (await runOne<{ id: number }>(
          db(),
          `INSERT INTO project (code, name, centre_id, unit_id) SELECT $1, $2, centre_id, unit_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
          [`MC0${index}`, name],
        ))!.id,
      ),
    );
  [north, south] = made as [string, string];
  const rows = await run<{ id: number }>(
    db(),
    `SELECT id FROM product WHERE kind = 'goods' AND status = 'published' AND recycled_at IS NULL AND stock_total > 0 ORDER BY id LIMIT 4`,
  );
  picture = (await runOne<{ id: string }>(db(), `SELECT id FROM stored_file WHERE name = 'launch-1.png'`))!
    .id;
  goods = rows.slice(0, 3).map((one) => String(one.id));
  elsewhere = String(rows[3]!.id);
  for (const id of goods)
    await run(db(), 'INSERT INTO product_project (product_id, project_id) VALUES ($1, $2), ($1, $3)', [
      Number(id),
      Number(north),
      Number(south),
    ]);
});
afterAll(() => product.close());

describe('adverts of the mall', () => {
  const advert = (input: object = {}) => ({
    title: '广告',
    slot: 'home',
    projects: [north],
    jump: 'url',
    url: 'https://example.com/a',
    images: [picture],
    startsAt: at(-1),
    endsAt: at(5),
    sort: 100,
    ...input,
  });
  const add = async (input: object = {}) => {
    const made = await product.call(admin, 'POST', ADS, advert(input));
    expect([made.http, made.message]).toEqual([200, '']);
    return made.data as { id: string; version: number };
  };
  const put = (id: string, action: 'on' | 'off') => product.call(admin, 'POST', `${ADS}/${id}/${action}`, {});

  test('of twenty put on at once exactly eight stand in the slot; another time, slot or project has room', async () => {
    const made = [];
    for (let index = 0; index < 20; index++) made.push(await add({ title: `并发${index}` }));
    const answers = await Promise.all(made.map((one) => put(one.id, 'on')));
    expect(answers.filter((one) => one.http === 200)).toHaveLength(8);
    const refused = answers.filter((one) => one.http !== 200);
    expect(new Set(refused.map((one) => `${one.status} ${one.message}`))).toEqual(
      new Set(['30101 「商城甲」该位置同一时段最多上架 8 个广告']),
    );
    for (const input of [{ startsAt: at(5), endsAt: at(6) }, { slot: 'category' }, { projects: [south] }])
      expect((await put((await add(input)).id, 'on')).http).toBe(200);
    // One that runs in both projects is refused where one of them is full.
    expect((await put((await add({ projects: [north, south] })).id, 'on')).status).toBe(30101);
    const stood = made.find((_one, index) => answers[index]!.http === 200)!;
    expect((await put(stood.id, 'off')).http).toBe(200);
    expect((await put((await add({ projects: [north, south] })).id, 'on')).http).toBe(200);
    const listed = await product.call(app, 'GET', `${ADS}/app/list?projectId=${north}&slot=home`);
    expect(listed.data).toHaveLength(8);
  });

  test('the form refuses what cannot be opened; states and the end of the period', async () => {
    const fields = async (input: object) =>
      Object.keys((await product.call(admin, 'POST', ADS, advert(input))).data?.fields ?? {});
    expect(await fields({ url: 'http://example.com' })).toEqual(['url']);
    expect(await fields({ url: null })).toEqual(['url']);
    expect(await fields({ jump: 'inner' })).toEqual(['innerClass', 'product']);
    expect(await fields({ endsAt: at(-2) })).toEqual(['endsAt']);
    expect(await fields({ startsAt: at(-9), endsAt: at(-8) })).toEqual(['endsAt']);
    expect(await fields({ images: [] })).toEqual(['images']);
    expect(await fields({ title: '长'.repeat(31) })).toEqual(['title']);
    const inner = await add({
      jump: 'inner',
      innerClass: 'mall',
      product: goods[0],
      slot: 'popup',
      projects: [south],
    });
    expect((await put(inner.id, 'on')).data.state).toBe('on');
    const edited = await product.call(admin, 'PUT', `${ADS}/${inner.id}`, { version: 2, sort: 1 });
    expect(edited.status).toBe(30101);
    expect((await product.call(admin, 'DELETE', `${ADS}/${inner.id}`)).status).toBe(30101);
    await run(db(), `UPDATE mall_ad SET ends_at = now() WHERE id = $1`, [Number(inner.id)]);
    // The app does not wait for the job.
    const listed = await product.call(app, 'GET', `${ADS}/app/list?projectId=${south}&slot=popup`);
    expect(listed.data).toEqual([]);
    await job('ad.period');
    expect((await product.call(admin, 'GET', `${ADS}/${inner.id}`)).data.state).toBe('ended');
  });

  test('what the app tells of is counted once', async () => {
    const one = await add({ title: '计数', slot: 'popup' });
    const tell = (eventId: string, type: string) =>
      product.call(app, 'POST', `${ADS}/app/event`, { eventId, type, advertId: one.id, projectId: north });
    const same = await Promise.all(Array.from({ length: 8 }, () => tell('m1', 'ad.show')));
    expect(same.filter((answer) => answer.data.accepted)).toHaveLength(1);
    await tell('m2', 'ad.show');
    await tell('m3', 'ad.click');
    expect((await product.call(admin, 'GET', `${ADS}/${one.id}`)).data).toMatchObject({
      shown: 2,
      clicked: 1,
      clickRate: '50.00',
    });
    expect((await product.call(admin, 'POST', `${ADS}/app/event`, {})).http).toBe(403);
  });
});

describe('recommended goods', () => {
  const form = (input: object = {}) => ({
    project: north,
    products: goods.slice(0, 2),
    startsAt: at(-1),
    endsAt: at(9),
    ...input,
  });
  const page = async (query = '') =>
    (await product.call(admin, 'GET', `${RECOMMENDED}/page?project=${north}&sort=position${query}`)).data
      .rows as {
      id: string;
      version: number;
      product: { id: string };
      state: string;
      hiddenBecause: string;
    }[];
  const shown = async (project: string) =>
    (
      (await product.call(app, 'GET', `${RECOMMENDED}/app/list?projectId=${project}`)).data as {
        productId: string;
      }[]
    ).map((one) => one.productId);

  test('several at once, each once a project; dragged, copied, and grey with the reason when they cannot be shown', async () => {
    const made = await product.call(admin, 'POST', RECOMMENDED, form());
    expect([made.http, made.message]).toEqual([200, '']);
    expect(await shown(north)).toEqual(expect.arrayContaining(goods.slice(0, 2)));
    const again = await product.call(admin, 'POST', RECOMMENDED, form({ products: [goods[1]] }));
    expect([again.status, again.message]).toEqual([30101, '该商品已推荐']);
    const races = await Promise.all(
      Array.from({ length: 5 }, () =>
        product.call(admin, 'POST', RECOMMENDED, form({ products: [goods[2]] })),
      ),
    );
    expect(races.filter((one) => one.http === 200)).toHaveLength(1);
    const foreign = await product.call(admin, 'POST', RECOMMENDED, form({ products: [elsewhere] }));
    expect(foreign.data.fields.products).toContain('未在该小区出售');
    const rows = await page();
    const [first, , last] = rows;
    const moved = await product.call(admin, 'POST', `${RECOMMENDED}/order`, {
      id: last!.id,
      before: first!.id,
    });
    expect([moved.http, moved.message]).toEqual([200, '']);
    expect((await page())[0]!.id).toBe(last!.id);
    const copied = await product.call(admin, 'POST', `${RECOMMENDED}/${last!.id}/copyTo`, {
      projects: [south, north],
    });
    expect(copied.data.result).toEqual({ n: 1, skipped: 0 });
    expect(await shown(south)).toEqual([last!.product.id]);
    const hidden = async (id: string) => (await page()).find((one) => one.product.id === id)!.hiddenBecause;
    await run(db(), 'DELETE FROM product_project WHERE product_id = $1 AND project_id = $2', [
      Number(last!.product.id),
      Number(north),
    ]);
    expect(await hidden(last!.product.id)).toBe('left_project');
    await run(db(), `UPDATE product SET stock_total = 0 WHERE id = $1`, [Number(first!.product.id)]);
    expect(await hidden(first!.product.id)).toBe('sold_out');
    await run(db(), `UPDATE product SET status = 'off_shelf' WHERE id = $1`, [Number(first!.product.id)]);
    expect(await hidden(first!.product.id)).toBe('taken_down');
    expect(await shown(north)).toHaveLength(1);
    await run(db(), `UPDATE product SET status = 'published' WHERE id = $1`, [Number(first!.product.id)]);
  });

  test('they begin and end by themselves; a click counts once', async () => {
    const [one] = await page();
    const state = async () => (await page()).find((row) => row.id === one!.id)!.state;
    const period = (from: number, until: number, now: string) =>
      run(
        db(),
        `UPDATE recommended_product SET starts_at = now() + make_interval(hours => $2), ends_at = now() + make_interval(hours => $3), state = $4 WHERE id = $1`,
        [Number(one!.id), from, until, now],
      );
    await period(-1, 5, 'waiting');
    await job('recommend.period');
    expect(await state()).toBe('running');
    await period(-5, -1, 'running');
    await job('recommend.period');
    expect(await state()).toBe('ended');
    const click = (eventId: string) =>
      product.call(app, 'POST', `${RECOMMENDED}/app/click`, { eventId, id: one!.id });
    await Promise.all([click('r1'), click('r1'), click('r2')]);
    const row = await runOne<{ clicks: number }>(
      db(),
      'SELECT clicks FROM recommended_product WHERE id = $1',
      [Number(one!.id)],
    );
    expect(row!.clicks).toBe(2);
  });
});

describe('finder articles', () => {
  const form = (input: object = {}) => ({
    title: '探访',
    subtitle: '副标题',
    projects: [north],
    products: [goods[0]],
    images: [picture],
    body: '<p>正文</p>',
    ...input,
  });

  test('sensitive words are refused with the words found, when written and again when published', async () => {
    const word = async (text: string) =>
      run(
        db(),
        `INSERT INTO sensitive_word (word, normalised, category, level) VALUES ($1, $1, 'advert', 'review')`,
        [text],
      );
    await word('绝对第一');
    product.platform.changed('sensitiveWord');
    const refused = await product.call(admin, 'POST', ARTICLES, form({ body: '<p>本店<b>绝对</b>第一</p>' }));
    expect([refused.http, refused.data.fields]).toEqual([422, { body: '含敏感词：绝对第一' }]);
    const made = await product.call(admin, 'POST', ARTICLES, form({ title: '国货精选' }));
    expect([made.http, made.message]).toEqual([200, '']);
    const { id } = made.data as { id: string };
    await word('国货精选');
    product.platform.changed('sensitiveWord');
    const published = await product.call(admin, 'POST', `${ARTICLES}/${id}/publish`, {});
    expect([published.status, published.message]).toEqual([30101, '含敏感词：国货精选']);
    expect(
      (await product.call(admin, 'PUT', `${ARTICLES}/${id}`, { version: 1, title: '国货清单' })).http,
    ).toBe(200);
    expect((await product.call(admin, 'POST', `${ARTICLES}/${id}/publish`, {})).data.state).toBe('published');
    expect((await product.call(admin, 'DELETE', `${ARTICLES}/${id}`)).status).toBe(30101);
    expect((await product.call(admin, 'PUT', `${ARTICLES}/${id}`, { version: 3, title: 'x' })).status).toBe(
      30101,
    );
    const listed = await product.call(app, 'GET', `${ARTICLES}/app/list?projectId=${north}`);
    expect(listed.data.map((one: { title: string }) => one.title)).toEqual(['国货清单']);
    const withdrawn = await product.call(admin, 'POST', `${ARTICLES}/${id}/withdraw`, {});
    expect(withdrawn.data.state).toBe('withdrawn');
    expect((await product.call(app, 'GET', `${ARTICLES}/app/${id}?projectId=${north}`)).http).toBe(404);
    expect((await product.call(admin, 'DELETE', `${ARTICLES}/${id}`)).http).toBe(200);
  });

  test('limits of the form; reads and likes count once', async () => {
    const fields = async (input: object) =>
      Object.keys((await product.call(admin, 'POST', ARTICLES, form(input))).data?.fields ?? {});
    expect(await fields({ title: '长'.repeat(41) })).toEqual(['title']);
    expect(await fields({ subtitle: '长'.repeat(61) })).toEqual(['subtitle']);
    expect(await fields({ images: [] })).toEqual(['images']);
    expect(await fields({ images: Array.from({ length: 4 }, () => picture) })).toEqual(['images']);
    expect(await fields({ projects: [] })).toEqual(['projects']);
    expect(await fields({ body: '<p></p>' })).toEqual(['body']);
    const { id } = (await product.call(admin, 'POST', ARTICLES, form())).data as { id: string };
    await product.call(admin, 'POST', `${ARTICLES}/${id}/publish`, {});
    const member = String(
      (await runOne<{ id: number }>(db(), 'SELECT id FROM member ORDER BY id LIMIT 1'))!.id,
    );
    const tell = (eventId: string, type: string) =>
      product.call(app, 'POST', `${ARTICLES}/app/event`, { eventId, type, id, memberId: member });
    await Promise.all([tell('a1', 'read'), tell('a1', 'read'), tell('a2', 'read')]);
    await Promise.all([tell('a3', 'like'), tell('a4', 'like'), tell('a5', 'like')]);
    expect((await product.call(admin, 'GET', `${ARTICLES}/${id}`)).data).toMatchObject({
      reads: 2,
      likes: 1,
    });
    await tell('a6', 'unlike');
    const shown = await product.call(app, 'GET', `${ARTICLES}/app/${id}?projectId=${north}`);
    expect(shown.data).toMatchObject({ likes: 0, body: '<p>正文</p>' });
  });

  test('what a reader sees of formatted text', () => {
    expect(readableText('<p>绝<b>对</b></p><p>a&amp;b&lt;</p>')).toBe('绝对\na&b<');
  });
});
