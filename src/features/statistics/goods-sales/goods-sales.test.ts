import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeMonth, registration as closing } from '../../../domain/sales-stat/month-close.server.ts';
import { addDays } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { rangeProblem } from '../../../kernel/client/report/report-state.rules.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { plantTrade } from '../../mall/sales-analysis/sales-fixture.ts';
import { plantMember, plantOrder, plantProduct, plantRefund } from '../statistics-fixture.ts';
import { goodsSale } from './goods-sales.contract.ts';
import { registration } from './goods-sales.server.ts';
import { registration as achievement } from '../performance/achievement.server.ts';
import {
  buildDay,
  differenceOf,
  registration as days,
} from '../../../domain/sales-stat/product-day.server.ts';
import { registration as visits } from './goods-visit.server.ts';
import { registration as lines } from './sold-line.server.ts';
import { registration as refunds } from './sold-refund.server.ts';
import { steps } from './goods-sales.rules.ts';

const MENU = 'sa_goodsSale';
let mall: Mall;
let admin: Caller;
let merchant: Caller;

beforeAll(async () => {
  mall = await openMall([registration, lines, refunds, visits, closing, days, achievement]);
  const platform = (await runOne<{ id: number }>(
    mall.platform.database.db,
    'SELECT id FROM tenant WHERE kind = 3',
  ))!.id;
  admin = callerOf(
    { staffId: await mall.staff('closer', platform), tenantId: platform },
    [MENU],
    [`${MENU}:btn_export`, 'sa_achievement:btn_closeMonth'],
  );
  merchant = callerOf(
    { staffId: 901, tenantId: mall.ids.merchantA, tenantKind: 2 },
    [MENU],
    [`${MENU}:btn_export`],
  );
});
afterAll(() => mall.close());

const ask = (caller: Caller, query: string) =>
  mall.call(caller, 'GET', `/jinmao/web/report/goodsSale?limit=200&${query}`);

/** Count and sums of the rows a figure opens. */
async function opened(caller: Caller, drill: Record<string, string>) {
  const { as, ...filters } = drill;
  const path = `/jinmao/web/${as === 'refunds' ? 'soldRefund' : 'soldLine'}`;
  const query = new URLSearchParams(filters).toString();
  const sums = await mall.call(caller, 'GET', `${path}/sums?${query}`);
  const page = await mall.call(caller, 'GET', `${path}/page?limit=1&${query}`);
  expect([page.http, sums.http], JSON.stringify(page.data)).toEqual([200, 200]);
  return { total: page.data.total, ...sums.data };
}

/** The worked order of the group: cash 262.48 and 52.42 of 359.90, paid on 28 November of a year, one A back on 2 December. */
async function worked(year: number, refunded = true) {
  const product = await plantProduct(mall, mall.ids.merchantA, `worked A ${year}`);
  const other = await plantProduct(mall, mall.ids.merchantA, `worked B ${year}`);
  const order = await plantOrder(mall, {
    tenant: mall.ids.merchantA,
    project: mall.ids.north,
    member: mall.ids.member,
    paidAt: `${year}-11-28T10:00:00`,
    lines: [
      { product, qty: 3, unit: 10_000, cash: 26_248 },
      { product: other, qty: 1, unit: 5_990, cash: 5_242 },
    ],
  });
  if (refunded)
    await plantRefund(mall, order, order.lines[0]!, { at: `${year}-12-02T09:00:00`, qty: 1, cash: 8_750 });
  return { product, other, order, only: `product=${product},${other}` };
}

/** The program behind the members' app. */
const appCaller = (): Caller => ({
  ...callerOf({ staffId: 0, tenantId: 0 }, []),
  application: { clientId: 'owner-app', scopes: ['member_event'] },
  program: { clientId: 'owner-app', tokenId: 1 },
});
let told = 0;
async function look(
  app: Caller,
  one: {
    readonly kind: string;
    readonly productId: number;
    readonly memberId?: number;
    readonly device?: string;
    readonly eventId?: string;
    readonly at?: string;
  },
) {
  told += 1;
  return mall.call(app, 'POST', '/jinmao/web/goodsVisit/app/tell', {
    eventId: `V${told}`,
    ...one,
    productId: String(one.productId),
    projectId: String(mall.ids.north),
    ...(one.memberId && { memberId: String(one.memberId) }),
  });
}

const sumsOf = async (query: string) => (await ask(admin, query)).data.sums;

describe('goods sales', () => {
  test('group 18 Must show 1: the worked order in November and December, by day of refund and of payment', async () => {
    const { only } = await worked(2021);
    const november = `range=2021-11-01~2021-11-30&${only}`;
    const december = `range=2021-12-01~2021-12-31&${only}`;
    expect(await sumsOf(november)).toMatchObject({
      goods: '359.90',
      discount: '45.00',
      paid: '314.90',
      refund: '0.00',
      net: '314.90',
      backRate: '25.0',
    });
    expect(await sumsOf(december)).toMatchObject({ paid: '0.00', refund: '87.50', net: '-87.50' });
    expect(await sumsOf(`${november}&view=payDay`)).toMatchObject({
      refund: '87.50',
      net: '227.40',
      backRate: '25.0',
    });
    expect(await sumsOf(`${december}&view=payDay`)).toMatchObject({
      paid: '0.00',
      refund: '0.00',
      net: '0.00',
    });
  });

  test('group 18 Must show 2: the refund rate of 25.0 % opens one refund of one piece and 87.50', async () => {
    const { only, product } = await worked(2022);
    const { data } = await ask(admin, `range=2022-11-01~2022-11-30&${only}`);
    expect(data.figures.backRate).toMatchObject({ value: '25.00', working: '1 ÷ 4' });
    const all = await opened(admin, data.sums.drill.backRate);
    expect(all).toMatchObject({ total: 1, pieces: 1, refunded: '87.50' });
    const row = data.rows.find((one: { id: string }) => one.id === String(product));
    expect(await opened(admin, row.drill.backRate)).toMatchObject({ total: 1, pieces: 1, refunded: '87.50' });
  });

  test('group 18 Must show 3: a group order counts when its team forms, one whose team fails never', async () => {
    const product = await plantProduct(mall, mall.ids.merchantA, 'team');
    const base = {
      tenant: mall.ids.merchantA,
      project: mall.ids.north,
      member: mall.ids.member,
      type: 'group' as const,
      paidAt: '2023-11-28T10:00:00',
      lines: [{ product, qty: 2, unit: 1_000, cash: 2_000 }],
    };
    await plantOrder(mall, { ...base, formedAt: '2023-12-01T08:00:00' });
    await plantOrder(mall, base);
    expect(await sumsOf(`range=2023-11-01~2023-11-30&product=${product}`)).toMatchObject({
      pieces: 0,
      paid: '0.00',
    });
    expect(await sumsOf(`range=2023-12-01~2023-12-31&product=${product}`)).toMatchObject({
      pieces: 2,
      paid: '20.00',
    });
  });

  test('group 18 Must show 4: 61 days by day are refused at the field and by the call; weeks and months may be longer', async () => {
    const long = `2021-03-01~${addDays('2021-03-01', 60)}`;
    expect(rangeProblem(goodsSale, long, {})).toEqual([
      '日期范围不能超过60天',
      'The range must not be longer than 60 days',
    ]);
    expect(rangeProblem(goodsSale, long, { grain: 'week' })).toBeUndefined();
    const refused = await ask(admin, `range=${long}`);
    expect([refused.http, refused.data.fields.range]).toEqual([422, '日期范围不能超过60天']);
    expect((await ask(admin, `range=${long}&grain=week`)).http).toBe(200);
    expect((await ask(admin, `range=2021-01-01~2022-01-02&grain=week`)).http).toBe(422);
    expect((await ask(admin, `range=2021-01-01~2023-12-31&grain=month`)).http).toBe(200);
    expect((await ask(admin, `range=2021-01-01~2024-12-31&grain=month`)).http).toBe(422);
    expect(steps('2021-03-03', '2021-03-15', 'week').map((one) => `${one.from}~${one.to}`)).toEqual([
      '2021-03-03~2021-03-07',
      '2021-03-08~2021-03-14',
      '2021-03-15~2021-03-15',
    ]);
  });

  test('group 18 Must show 5: the footer over all pages is the card and the sum of the export; buyers of two products count once', async () => {
    const buyers = [await plantMember(mall, 'one'), await plantMember(mall, 'two')];
    const products: number[] = [];
    for (let n = 0; n < 45; n++) products.push(await plantProduct(mall, mall.ids.merchantA, `many ${n}`));
    for (const [n, product] of products.entries())
      await plantOrder(mall, {
        tenant: mall.ids.merchantA,
        project: n % 2 ? mall.ids.north : mall.ids.south,
        member: buyers[n % 2]!,
        paidAt: '2020-05-10T10:00:00',
        lines: [{ product, qty: 1 + (n % 3), unit: 333, cash: 333 * (1 + (n % 3)) - n }],
      });
    // One of them looks at two products, a device at one of these; who put something into the cart is counted once, too.
    const app = appCaller();
    for (const [n, product] of [products[0]!, products[1]!].entries())
      for (const kind of n === 0 ? ['view', 'view', 'cart'] : ['view', 'cart', 'share'])
        await look(app, { kind, productId: product, memberId: buyers[0]! });
    await look(app, { kind: 'view', productId: products[0]!, device: 'device-0001' });
    await run(
      mall.platform.database.db,
      `UPDATE goods_visit SET at = '2020-05-10T08:00:00+08:00' WHERE product_id = ANY($1::bigint[])`,
      [products],
    );
    const query = 'range=2020-05-01~2020-05-31';
    const pages = [];
    for (const page of [1, 2, 3])
      pages.push(
        (await mall.call(admin, 'GET', `/jinmao/web/report/goodsSale?limit=20&page=${page}&${query}`)).data,
      );
    const rows = pages.flatMap((page) => page.rows);
    expect([rows.length, pages[2].rows.length]).toEqual([45, 5]);
    const fen = (value: string) => Math.round(100 * Number(value));
    const total = rows.reduce((sum, row) => sum + fen(row.paid), 0);
    for (const page of pages) expect(fen(page.sums.paid)).toBe(total);
    expect(fen(pages[0].figures.paid.value)).toBe(total);
    expect([pages[0].sums.buyers, rows.reduce((sum, row) => sum + row.buyers, 0)]).toEqual([2, 45]);
    expect([pages[0].sums.visitors, rows.reduce((sum, row) => sum + row.visitors, 0)]).toEqual([2, 3]);
    expect(pages[0].sums).toMatchObject({ views: 4, carters: 1, conversion: '100.0' });
    expect(pages[0].figures.visitors.value).toBe('2');
    expect(pages[0].figures.conversion.working).toBe('2 ÷ 2');
    expect(pages[0].charts.funnel.map((one: { values: { people: number } }) => one.values.people)).toEqual([
      2, 1, 2, 2,
    ]);
    const { as, ...drill } = pages[0].sums.drill.views;
    const behind = await mall.call(
      admin,
      'GET',
      `/jinmao/web/goodsVisit/page?limit=1&${new URLSearchParams(drill).toString()}`,
    );
    expect([as, behind.data.total]).toEqual(['visits', 4]);
    // A specification has no looks of its own.
    expect((await ask(admin, `${query}&group=spec`)).data).toMatchObject({
      titles: { visitors: null, conversion: null },
    });
    const source = registration.exports![0]!;
    const call = { caller: admin, platform: mall.platform, language: 'zh' as const };
    const titles = await source.columnsOf!(call, { range: '2020-05-01~2020-05-31' });
    const cells: (readonly (string | number | null)[])[] = [];
    for await (const batch of source.read(call, { range: '2020-05-01~2020-05-31' })) cells.push(...batch);
    const at = titles.findIndex((one) => one.title === '支付金额');
    expect(cells).toHaveLength(46);
    expect(cells.at(-1)![0]).toBe('合计');
    expect(fen(String(cells.at(-1)![at]))).toBe(total);
    expect(cells.slice(0, -1).reduce((sum, row) => sum + fen(String(row[at])), 0)).toBe(total);
  });

  test('group 18 Must show 6: a closed month stays as it is, what comes back later is a correction of its own day', async () => {
    const { only, order } = await worked(2019, false);
    const november = `range=2019-11-01~2019-11-30&${only}`;
    const before = [await sumsOf(november), await sumsOf(`${november}&view=payDay`)];
    const closed = await mall.call(admin, 'POST', '/jinmao/web/achievement/closeMonth', { month: '2019-11' });
    expect(closed.http).toBe(200);
    const again = await mall.call(admin, 'POST', '/jinmao/web/achievement/closeMonth', { month: '2019-11' });
    expect([again.http, again.data.fields.month]).toEqual([422, '2019-11 已关账']);
    await plantRefund(mall, order, order.lines[0]!, { at: '2019-12-06T09:00:00', qty: 1, cash: 8_750 });
    expect([await sumsOf(november), await sumsOf(`${november}&view=payDay`)]).toEqual(before);
    const { data } = await ask(admin, `range=2019-12-06~2019-12-06&view=payDay&group=day&${only}`);
    expect(data.sums).toMatchObject({ refund: '87.50', net: '-87.50' });
    const { as: _as, ...filters } = data.sums.drill.refund;
    const page = await mall.call(
      admin,
      'GET',
      `/jinmao/web/soldRefund/page?correction=true&${new URLSearchParams(filters).toString()}`,
    );
    expect(page.data.rows).toMatchObject([{ refunded: '87.50', correction: true, originMonth: '2019-11' }]);
    for (const invariant of closing.invariants!)
      expect((await invariant.check(mall.platform)).problems).toEqual([]);
  });

  test('group 18 Must show 11: a merchant sees its own goods and nothing of what the platform earns', async () => {
    const own = await plantProduct(mall, mall.ids.merchantA, 'own');
    const foreign = await plantProduct(mall, mall.ids.merchantB, 'foreign');
    for (const [product, tenant] of [
      [own, mall.ids.merchantA],
      [foreign, mall.ids.merchantB],
    ] as const)
      await plantOrder(mall, {
        tenant,
        project: mall.ids.north,
        member: mall.ids.member,
        paidAt: '2018-05-10T10:00:00',
        lines: [{ product, qty: 1, unit: 1_000, cash: 1_000 }],
      });
    const query = `range=2018-05-01~2018-05-31&merchant=${mall.ids.merchantB}`;
    const { data } = await ask(merchant, query);
    expect(data.rows.map((row: { id: string }) => row.id)).toEqual([String(own)]);
    expect(JSON.stringify([data.figures, data.rows, data.sums])).not.toMatch(/income|margin|uncosted/);
    expect(data.titles).toMatchObject({ income: null, margin: null, uncosted: null });
    const source = registration.exports![0]!;
    const call = { caller: merchant, platform: mall.platform, language: 'zh' as const };
    const titles = (await source.columnsOf!(call, {})).map((one) => one.title);
    expect(titles).not.toContain('平台收入');
    expect(titles).toContain('支付金额');
    const told = (await ask(admin, query)).data;
    expect(told.figures).toHaveProperty('income');
    const foreignRows = await mall.call(merchant, 'GET', `/jinmao/web/soldLine/page?product=${foreign}`);
    expect(foreignRows.data?.total ?? 0).toBe(0);
  });

  test('every figure of every grouping is what its rows add up to', async () => {
    await plantTrade(mall, '2026-03-01');
    const range = '2026-03-01~2026-04-29';
    for (const group of ['product', 'spec', 'class', 'business', 'merchant', 'project', 'day'])
      for (const view of ['refundDay', 'payDay']) {
        const { data } = await ask(admin, `range=${range}&group=${group}&view=${view}`);
        expect(data.rows.length, group).toBeGreaterThan(0);
        const add = (name: string) =>
          data.rows.reduce(
            (sum: number, row: Record<string, string>) => sum + Math.round(100 * Number(row[name])),
            0,
          );
        for (const name of ['paid', 'refund', 'net', 'goods'])
          expect(add(name), `${group} ${name}`).toBe(Math.round(100 * Number(data.sums[name])));
        for (const row of [data.sums, data.rows.at(-1)]) {
          expect(await opened(admin, row.drill.paid)).toMatchObject({
            pieces: row.pieces,
            goods: row.goods,
            paid: row.paid,
          });
          expect(await opened(admin, row.drill.refund)).toMatchObject({
            pieces: row.returned,
            refunded: row.refund,
          });
        }
      }
    const brute = (await runOne<{ cash: number }>(
      mall.platform.database.db,
      `SELECT sum(l.cash)::bigint AS cash FROM order_line l JOIN sales_order o ON o.id = l.order_id
        WHERE o.paid_at IS NOT NULL AND (CASE WHEN o.type = 'group' THEN (SELECT min(e.at) FROM order_event e WHERE e.order_id = o.id AND e.code = 16) ELSE o.paid_at END
              AT TIME ZONE 'Asia/Shanghai')::date BETWEEN '2026-03-01' AND '2026-04-29'`,
    ))!;
    expect(Math.round(100 * Number((await sumsOf(`range=${range}`)).paid))).toBe(brute.cash);
  });

  test('looks count once by the number of the app, never ahead of the clock, and a merchant sees those of its own goods', async () => {
    const product = await plantProduct(mall, mall.ids.merchantB, 'looked at');
    const app = appCaller();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () =>
        look(app, { kind: 'view', productId: product, device: 'device-0002', eventId: 'SAME' }),
      ),
    );
    expect(answers.map((one) => one.http)).toEqual([200, 200, 200, 200]);
    expect(answers.filter((one) => one.data.accepted)).toHaveLength(1);
    const bad = async (more: object) => (await look(app, { kind: 'view', productId: product, ...more })).http;
    expect(await bad({})).toBe(422);
    expect(await bad({ device: 'device-0002', at: new Date(Date.now() + 3_600_000).toISOString() })).toBe(
      422,
    );
    expect(
      await bad({ device: 'device-0002', at: new Date(Date.now() - 8 * 86_400_000).toISOString() }),
    ).toBe(422);
    expect(await bad({ device: 'device-0002', productId: 999_999_999 })).toBe(404);
    expect((await look(admin, { kind: 'view', productId: product, device: 'device-0002' })).http).toBe(403);
    const seen = (caller: Caller) =>
      mall.call(caller, 'GET', `/jinmao/web/goodsVisit/page?product=${product}`);
    expect((await seen(admin)).data.total).toBe(1);
    expect((await seen(merchant)).data?.total ?? 0).toBe(0);
  });

  test('group 18 Must show 12: a day built twice at the same time is one set of rows with one checksum, and what differs is named', async () => {
    const { db } = mall.platform.database;
    const { product, order } = await worked(2016);
    const build = (day: string) => transaction(db, (tx) => buildDay(tx, day));
    const sums = await Promise.all([build('2016-11-28'), build('2016-11-28'), build('2016-11-28')]);
    expect(new Set(sums).size).toBe(1);
    const rows = await run<{ product_id: number; pieces: number; cash: number; booked_cash: number }>(
      db,
      `SELECT product_id, pieces, cash, booked_cash, discount FROM stat_product_day WHERE day = '2016-11-28' ORDER BY product_id`,
    );
    expect(rows).toMatchObject([
      { product_id: product, pieces: 3, cash: 26_248, booked_cash: 8_750 },
      { pieces: 1, cash: 5_242, booked_cash: 0 },
    ]);
    expect(await build('2016-12-02')).not.toBe(sums[0]);
    expect(await run(db, `SELECT refund_cash FROM stat_product_day WHERE day = '2016-12-02'`)).toEqual([
      { refund_cash: 8_750 },
    ]);
    expect(await differenceOf(db, '2016-11-28')).toBeUndefined();
    for (const invariant of days.invariants!)
      expect((await invariant.check(mall.platform)).problems).toEqual([]);
    // A late refund: the day says otherwise until it is built again.
    await plantRefund(mall, order, order.lines[1]!, { at: '2016-12-03T09:00:00', qty: 1, cash: 1_000 });
    expect(await differenceOf(db, '2016-11-28')).toMatch(/^2016-11-28 PD/);
    expect(await build('2016-11-28')).not.toBe(sums[0]);
    expect(await differenceOf(db, '2016-11-28')).toBeUndefined();
    await run(db, `UPDATE stat_product_day SET cash = cash + 1 WHERE day = '2016-11-28'`);
    const broken = await Promise.all(days.invariants!.map((one) => one.check(mall.platform)));
    expect(broken.flatMap((one) => one.problems)).toHaveLength(1);
    await build('2016-11-28');
    // The night builds whatever is missing, once.
    const night = days.jobs!.find((one) => one.name === 'stat.day')!;
    await night.run({}, mall.platform);
    const built = async () =>
      (await runOne<{ n: number }>(
        db,
        `SELECT count(*)::int AS n FROM stat_day WHERE day >= current_date - 45`,
      ))!.n;
    const first = await built();
    expect(first).toBeGreaterThanOrEqual(40);
    await night.run({}, mall.platform);
    expect(await built()).toBe(first);
    await days.jobs!.find((one) => one.name === 'stat.check')!.run({}, mall.platform);
    expect(await run(db, `SELECT 1 FROM error_report WHERE place = 'stat.check'`)).toEqual([]);
  });

  test('group 18 Must show 12: a month is closed once, however many try at once', async () => {
    const { db } = mall.platform.database;
    const done = await Promise.all(
      Array.from({ length: 4 }, () => transaction(db, (tx) => closeMonth(tx, '2017-01', null))),
    );
    expect(done.filter(Boolean)).toHaveLength(1);
    expect(await run(db, `SELECT 1 FROM stat_month_close WHERE month = '2017-01'`)).toHaveLength(1);
    const open = await mall.call(admin, 'POST', '/jinmao/web/achievement/closeMonth', { month: '2999-01' });
    expect(open.http).toBe(422);
  });
});
