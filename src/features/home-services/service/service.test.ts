import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { openingProblem, readTiers } from './opening.rules.ts';

const ROOT = '/jinmao/web/service';
let product: TestProduct;
let admin: string;
let ids: { tenant: number; project: number; business: number; klass: number; image: string };

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  ids = (await one<typeof ids>(
    `SELECT p.tenant_id AS tenant, j.project_id AS project, p.business_id AS business, c.class_id AS klass, p.logo_ids[1] AS image
       FROM product p JOIN product_project j ON j.product_id = p.id JOIN product_class_member c ON c.product_id = p.id
      WHERE p.kind = 'service' AND p.status = 'published' ORDER BY p.id LIMIT 1`,
  ))!;
});
afterAll(() => product.close());

const one = <T extends object>(text: string, values: unknown[] = []) =>
  runOne<T>(product.platform.database.db, text, values);
const post = (path: string, body: object = {}) => product.call(admin, 'POST', `${ROOT}${path}`, body);
const read = async (id: string) => (await product.call(admin, 'GET', `${ROOT}/${id}`)).data;

/** A service with everything but its state. */
async function add(more: object = {}) {
  const model = (await one<{ id: number }>(
    `SELECT id FROM product WHERE kind = 'service' AND status = 'published' ORDER BY id LIMIT 1`,
  ))!;
  const { id } = (await post(`/${model.id}/copy`)).data.result;
  const row = await read(id);
  if (Object.keys(more).length > 0) {
    const saved = await product.call(admin, 'PUT', `${ROOT}/${id}`, { version: row.version, ...more });
    expect([saved.http, saved.message]).toEqual([200, '']);
  }
  return id as string;
}

/** A published service: as a second person would have passed it. */
async function published(more: object = {}) {
  const id = await add(more);
  await run(product.platform.database.db, `UPDATE product SET status = 'published' WHERE id = $1`, [id]);
  return id;
}

describe('openings', () => {
  test('end after they begin, hold a visit, do not overlap on a weekday while both are valid', () => {
    const row = { weekday: '1', from: '09:00', to: '12:00' };
    expect(openingProblem([row], 60)).toBeUndefined();
    expect(openingProblem([{ ...row, to: '09:00' }], 60)?.[0]).toBe('第 1 行结束须晚于开始');
    expect(openingProblem([{ ...row, to: '09:45' }], 60)?.[0]).toBe('第 1 行时段长度小于服务时长');
    expect(openingProblem([row, { ...row, from: '11:00', to: '14:00' }], 60)?.[0]).toBe(
      '第 2 行与第 1 行重叠',
    );
    expect(openingProblem([row, { ...row, weekday: '2' }], 60)).toBeUndefined();
    const apart = [
      { ...row, validTo: '2026-03-31' },
      { ...row, validFrom: '2026-04-01' },
    ];
    expect(openingProblem(apart, 60)).toBeUndefined();
    expect(readTiers('>24h:0|24h-start:30|after start or no_show:100')).toBe(true);
    expect(readTiers('>24h:0|24h-start:130|after start:100')).toBe(false);
    expect(readTiers('half price')).toBe(false);
  });
});

describe('services', () => {
  test('are sold goods of no list: goods and their pickers never show one, the list of services shows no goods', async () => {
    const id = await published();
    const { name } = await read(id);
    const goods = await product.call(
      admin,
      'GET',
      `/jinmao/web/product/page?searchVal=${encodeURIComponent(name)}&limit=50`,
    );
    expect(goods.data.total).toBe(0);
    const kinds = await run<{ kind: string }>(
      product.platform.database.db,
      'SELECT DISTINCT p.kind FROM product p WHERE p.code = ANY($1::text[])',
      [
        (await product.call(admin, 'GET', `${ROOT}/page?limit=200`)).data.rows.map(
          (row: { code: string }) => row.code,
        ),
      ],
    );
    expect(kinds).toEqual([{ kind: 'service' }]);
  });

  test('group 07 Must show 11: the price of a published service waits for review, its openings and places change at once', async () => {
    const id = await published();
    const before = await read(id);
    const saved = await product.call(admin, 'PUT', `${ROOT}/${id}`, {
      version: before.version,
      specs: [{ name: '标准', price: '188.00', unit: '次', stock: 0 }],
      slotCapacity: 9,
      template: [{ weekday: '3', from: '10:00', to: '16:00' }],
    });
    expect([saved.http, saved.message]).toEqual([200, '']);
    const after = await one<{ price: number; places: number; rows: number }>(
      `SELECT p.price_min AS price, s.slot_capacity AS places, (SELECT count(*)::int FROM service_template t WHERE t.product_id = p.id) AS rows
         FROM product p JOIN service_setting s ON s.product_id = p.id WHERE p.id = $1`,
      [id],
    );
    expect(after).toEqual({ price: Math.round(Number(before.price) * 100), places: 9, rows: 1 });
    const list = await product.call(admin, 'GET', `${ROOT}/${id}`);
    expect(list.data).toMatchObject({ price: before.price, pendingChange: true });

    const review = (await one<{ id: number; version: number }>(
      `SELECT id, version FROM product_review WHERE product_id = $1 AND state = 'waiting'`,
      [id],
    ))!;
    const own = await product.call(admin, 'POST', `/jinmao/web/serviceReview/${review.id}/pass`, {
      version: review.version,
    });
    expect([own.http, own.message]).toEqual([409, '不能审核自己提交的商品']);
    await run(
      product.platform.database.db,
      `UPDATE product_review SET applied_by = NULL, payload = payload - 'applicants' WHERE id = $1`,
      [review.id],
    );
    const passed = await product.call(admin, 'POST', `/jinmao/web/serviceReview/${review.id}/pass`, {
      version: review.version,
    });
    expect([passed.http, passed.message]).toEqual([200, '']);
    expect((await read(id)).price).toBe('188.00');
    const goods = await product.call(admin, 'POST', `/jinmao/web/productReview/${review.id}/pass`, {
      version: review.version,
    });
    expect(goods.http).toBe(404);
  });

  test('people for the skills must stand in every project, or somebody says it may go on', async () => {
    const id = await add();
    const row = await read(id);
    const bare = await product.call(admin, 'PUT', `${ROOT}/${id}`, {
      version: row.version,
      skills: ['潜水打捞'],
    });
    expect(bare.http).toBe(422);
    expect(bare.data.fields.unmanned).toContain('没有具备所需技能的人员');
    const ticked = await product.call(admin, 'PUT', `${ROOT}/${id}`, {
      version: row.version,
      skills: ['潜水打捞'],
      unmanned: true,
    });
    expect(ticked.http).toBe(200);
  });

  test('places of a day are never set below what is booked; a stop over booked visits needs a choice', async () => {
    const id = await published({
      template: [1, 2, 3, 4, 5, 6, 7].map((n) => ({ weekday: String(n), from: '09:00', to: '18:00' })),
    });
    const day = new Date(Date.now() + 8 * 3_600_000 + 5 * 86_400_000).toISOString().slice(0, 10);
    const change = (capacity: number) => post(`/${id}/day`, { project: String(ids.project), day, capacity });
    const made = await change(4);
    expect([made.http, made.data.result.n > 3]).toEqual([200, true]);
    await run(
      product.platform.database.db,
      `WITH place AS (UPDATE service_slot SET taken = 2 WHERE id = (SELECT min(id) FROM service_slot WHERE product_id = $1) RETURNING *),
            sold AS (SELECT id, order_id FROM order_line ORDER BY id LIMIT 1)
       INSERT INTO appointment (code, order_id, line_id, visit_no, product_id, tenant_id, project_id, slot_id, contact_name, contact_phone, address, period, busy, qty, state)
       SELECT 'BKSTOP', sold.order_id, sold.id, 41, $1, $2, $3, place.id, '陈思雨', '13800138000', '1-101',
              tstzrange(place.starts_at, place.ends_at), tstzrange(place.starts_at, place.ends_at), 2, 'to_accept' FROM place, sold`,
      [id, ids.tenant, ids.project],
    );
    const lower = await change(1);
    expect([lower.http, lower.message.startsWith('期间已有 1 个预约：BKSTOP')]).toEqual([409, true]);
    const span = { startsAt: `${day}T00:00:00+08:00`, endsAt: `${day}T23:59:00+08:00`, reason: '设备检修' };
    const asked = await post(`/${id}/stop`, span);
    expect(asked.http).toBe(409);
    expect(asked.message).toContain('BKSTOP');
    expect(await one('SELECT 1 AS one FROM service_stop WHERE product_id = $1', [id])).toBeUndefined();
    expect((await post(`/${id}/stop`, { ...span, moved: 'stay' })).http).toBe(200);
    const free = await one<{ n: number }>(
      `SELECT count(*)::int AS n FROM service_times($1, $2, $3::timestamptz, $4::timestamptz)`,
      [id, ids.project, span.startsAt, span.endsAt],
    );
    expect(free!.n).toBe(0);
  });

  test('btn_area: the range is chosen by regions or by projects; what a published service gains waits for review', async () => {
    const id = await add();
    const place = (await one<{ region: number; n: number }>(
      `SELECT coalesce(p.region_id, c.region_id) AS region, count(*)::int AS n FROM tenant_project x JOIN project p ON p.id = x.project_id JOIN organisation c ON c.id = p.centre_id
        WHERE x.tenant_id = $1 AND p.enabled GROUP BY 1 HAVING bool_or(p.id = $2)`,
      [ids.tenant, ids.project],
    ))!;
    const offered = async () =>
      (await one<{ n: number }>('SELECT count(*)::int AS n FROM product_project WHERE product_id = $1', [
        id,
      ]))!.n;
    const both = await post(`/${id}/area`, {
      regions: [String(place.region)],
      projects: [String(ids.project)],
    });
    expect([both.http, both.data.fields.regions]).toEqual([422, '请选择地区或项目其中一种']);
    expect((await post(`/${id}/area`, {})).http).toBe(422);
    const single = await post(`/${id}/area`, { projects: [String(ids.project)] });
    expect([single.message, await offered()]).toEqual(['', 1]);
    const byRegion = await post(`/${id}/area`, { regions: [String(place.region)] });
    expect([byRegion.message, byRegion.data.result.n, await offered()]).toEqual(['', place.n, place.n]);
    const foreign = (await one<{ id: number }>(
      `INSERT INTO project (code, name, unit_id, centre_id) SELECT 'PJAREA', '外部小区', unit_id, centre_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
    ))!;
    expect((await post(`/${id}/area`, { projects: [String(foreign.id)] })).http).toBe(422);
    const nowhere = (await one<{ id: number }>(
      `SELECT r.id FROM region r WHERE r.level = 3 AND NOT EXISTS (SELECT FROM project p WHERE p.region_id = r.id) AND NOT EXISTS (SELECT FROM organisation c WHERE c.region_id = r.id) LIMIT 1`,
    ))!;
    expect((await post(`/${id}/area`, { regions: [String(nowhere.id)] })).data.fields.regions).toBe(
      '这些地区没有合作小区',
    );
    await post(`/${id}/area`, { projects: [String(ids.project)] });
    await run(product.platform.database.db, `UPDATE product SET status = 'published' WHERE id = $1`, [id]);
    expect((await post(`/${id}/area`, { regions: [String(place.region)] })).message).toBe('');
    expect(await offered()).toBe(1);
    expect((await read(id)).pendingChange).toBe(place.n > 1);
  });

  test('hot services: as many as the setting says, with the bookings of their project', async () => {
    const id = await published();
    const added = await product.call(admin, 'POST', '/jinmao/web/hotService', {
      project: String(ids.project),
      products: [id],
      startsAt: new Date(Date.now() - 60_000).toISOString(),
      endsAt: new Date(Date.now() + 86_400_000).toISOString(),
    });
    expect(added.data.bookings).toBe(0);
    await run(
      product.platform.database.db,
      `WITH sold AS (SELECT id, order_id FROM order_line ORDER BY id LIMIT 1)
       INSERT INTO appointment (code, order_id, line_id, visit_no, product_id, tenant_id, project_id, contact_name, contact_phone, address, period, busy, state)
       SELECT 'BKHOT' || x.n, sold.order_id, sold.id, 50 + x.n, $1, $2, $3, '陈思雨', '13800138000', '1-101',
              tstzrange(now(), now() + interval '1 hour'), tstzrange(now(), now() + interval '1 hour'), x.state
         FROM sold, (VALUES (1, 'done'), (2, 'no_show'), (3, 'released')) AS x (n, state)`,
      [id, ids.tenant, ids.project],
    );
    const row = (await product.call(admin, 'GET', `/jinmao/web/hotService/${added.data.id}`)).data;
    expect(row.bookings).toBe(2);
  });

  test('hot services: a service that is booked out or withdrawn stays listed and is not shown', async () => {
    const id = await published();
    const added = await product.call(admin, 'POST', '/jinmao/web/hotService', {
      project: String(ids.project),
      products: [id],
      startsAt: new Date(Date.now() - 60_000).toISOString(),
      endsAt: new Date(Date.now() + 86_400_000).toISOString(),
    });
    expect([added.http, added.message]).toEqual([200, '']);
    const shown = async () =>
      (await product.call(admin, 'GET', `/jinmao/web/hotService/${added.data.id}`)).data.hiddenBecause;
    expect(await shown()).toBe('shown');
    const twice = await product.call(admin, 'POST', '/jinmao/web/hotService', {
      project: String(ids.project),
      products: [id],
      startsAt: new Date().toISOString(),
      endsAt: new Date(Date.now() + 86_400_000).toISOString(),
    });
    expect([twice.http, twice.message]).toEqual([409, '该服务已推荐']);
    await run(product.platform.database.db, 'DELETE FROM service_template WHERE product_id = $1', [id]);
    expect(await shown()).toBe('sold_out');
    await post(`/${id}/withdraw`, { reason: '人员不足' });
    expect(await shown()).toBe('taken_down');
  });
});
