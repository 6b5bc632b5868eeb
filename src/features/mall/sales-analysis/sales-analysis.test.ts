import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDays } from '../../../kernel/contract/time.rules.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { callerOf, openMall, type Mall } from '../product/mall-fixture.ts';
import {
  ordersOfProduct,
  ordersSoldAt,
  refundsOfProduct,
  refundsSoldAt,
  refundsSucceededAt,
} from './sales-drill.server.ts';
import { businessAna } from './sales-analysis.contract.ts';
import { classesBelow, sliceOf } from './sales-figures.rules.ts';
import { plantTrade, type RefundPart, type SoldLine, type Trade } from './sales-fixture.ts';
import { registration } from './sales-analysis.server.ts';

const PATH = '/jinmao/web/report/businessAna';
const FROM = '2026-03-01';
const TO = addDays(FROM, 59);
const RANGE = `${FROM}~${TO}`;

let mall: Mall;
let admin: Caller;
let merchant: Caller;

let sold: readonly SoldLine[] = [];
let refunds: readonly RefundPart[] = [];
let products: Trade['products'] = [];

beforeAll(async () => {
  mall = await openMall([registration]);
  const platform = (await runOne<{ id: number }>(
    mall.platform.database.db,
    'SELECT id FROM tenant WHERE kind = 3',
  ))!.id;
  admin = callerOf({ staffId: 900, tenantId: platform }, ['mm_businessAna'], ['mm_businessAna:btn_export']);
  merchant = callerOf({ staffId: 901, tenantId: mall.ids.merchantA, tenantKind: 2 }, ['mm_businessAna']);
  ({ sold, refunds, products } = await plantTrade(mall, FROM));
});
afterAll(() => mall.close());

interface Expected {
  qty: number;
  returned: number;
  goods: number;
  paid: number;
  refund: number;
}

function brute(
  from: string,
  to: string,
  view: 'refundDay' | 'payDay',
  keep: (line: SoldLine) => boolean,
): { byProduct: Map<number, Expected>; orders: Set<number>; freight: number } {
  const byProduct = new Map<number, Expected>();
  const of = (line: SoldLine) => {
    if (!byProduct.has(line.product))
      byProduct.set(line.product, { qty: 0, returned: 0, goods: 0, paid: 0, refund: 0 });
    return byProduct.get(line.product)!;
  };
  const orders = new Map<number, number>();
  for (const line of sold) {
    if (line.day === null || line.day < from || line.day > to || !keep(line)) continue;
    const sum = of(line);
    sum.qty += line.qty;
    sum.goods += line.goods;
    sum.paid += line.cash;
    orders.set(line.order, line.freight);
  }
  for (const part of refunds) {
    const day = view === 'payDay' ? part.line.day! : part.day;
    if (day < from || day > to || !keep(part.line)) continue;
    of(part.line).returned += part.qty;
    of(part.line).refund += part.cash;
  }
  return {
    byProduct,
    orders: new Set(orders.keys()),
    freight: [...orders.values()].reduce((sum, one) => sum + one, 0),
  };
}

const yuan = (fen: number) => (fen / 100).toFixed(2);

async function ask(caller: Caller, query: string) {
  return mall.call(caller, 'GET', `${PATH}?limit=200&${query}`);
}

describe('range and drill', () => {
  test('group 08 Must show 14: 61 days are refused, 60 days are not; the ring sums to the table', async () => {
    const long = await ask(admin, `range=${FROM}~${addDays(TO, 1)}`);
    expect(long.http).toBe(422);
    expect(long.data.fields.range).toBe('时间跨度不能超过60天');
    const answer = await ask(admin, `range=${RANGE}`);
    expect(answer.http).toBe(200);
    const { rows, sums, charts } = answer.data;
    expect(rows.length).toBeGreaterThan(8);
    const ring = (key: string, measure: string) =>
      charts[key].reduce(
        (sum: number, point: { values: Record<string, number> }) => sum + point.values[measure]!,
        0,
      );
    for (const key of ['business', 'class', 'day', 'project']) {
      expect(ring(key, 'qty'), key).toBe(sums.qty);
      expect(ring(key, 'net').toFixed(2), key).toBe(sums.net);
    }
    const total = (name: string) =>
      rows.reduce(
        (sum: number, row: Record<string, string>) =>
          sum + Math.round(Number(row[name]) * (name === 'qty' ? 1 : 100)),
        0,
      );
    expect(total('qty')).toBe(sums.qty);
    expect(yuan(total('net'))).toBe(sums.net);
    expect(charts.day).toHaveLength(60);
  });

  test('group 08 Must show 14: a figure opens exactly its orders, a refund figure exactly its refunds', async () => {
    for (const view of ['refundDay', 'payDay']) {
      const { rows } = (await ask(admin, `range=${RANGE}&view=${view}`)).data;
      for (const row of rows) {
        const parameters = new Parameters();
        const { product, soldAt } = row.drill.qty;
        const [orders] = await run<{ qty: number; paid: number }>(
          mall.platform.database.db,
          `SELECT coalesce(sum(l.qty), 0)::bigint AS qty, coalesce(sum(l.cash), 0)::bigint AS paid FROM sales_order t JOIN order_line l ON l.order_id = t.id AND l.product_id = ${row.id}
            WHERE t.kind = 'goods' AND ${ordersOfProduct(product, parameters)} AND ${ordersSoldAt(soldAt, parameters)}`,
          parameters.values,
        );
        expect([orders!.qty, yuan(orders!.paid)]).toEqual([row.qty, row.paid]);
        const more = new Parameters();
        const drill = row.drill.refund;
        expect(drill.state).toBe('succeeded');
        const days =
          view === 'payDay' ? refundsSoldAt(drill.soldAt, more) : refundsSucceededAt(drill.backAt, more);
        const [back] = await run<{ qty: number; cash: number }>(
          mall.platform.database.db,
          `SELECT coalesce(sum(rl.qty), 0)::bigint AS qty, coalesce(sum(rl.cash), 0)::bigint AS cash FROM refund t JOIN refund_line rl ON rl.refund_id = t.id
             JOIN order_line l ON l.id = rl.line_id AND l.product_id = ${row.id}
            WHERE t.state = 'succeeded' AND ${refundsOfProduct(drill.product, more)} AND ${days}`,
          more.values,
        );
        expect([back!.qty, yuan(back!.cash)], `${view} ${row.code}`).toEqual([row.returned, row.refund]);
      }
    }
  });
});

test('staff of projects are told of no other project of the products they sell', async () => {
  const { north, south } = mall.ids;
  await run(
    mall.platform.database.db,
    'INSERT INTO product_project SELECT id, $1 FROM product ON CONFLICT DO NOTHING',
    [south],
  );
  const projectsOf = async (caller: Caller) => {
    const { data } = await mall.call(caller, 'GET', `${PATH}?range=${RANGE}&limit=200`);
    expect(data.rows.length).toBeGreaterThan(0);
    return new Set(
      data.rows.flatMap((row: { projects: { title: string }[] }) => row.projects.map((one) => one.title)),
    );
  };
  expect(await projectsOf(admin)).toEqual(new Set(['project P1', 'project P2']));
  expect(await projectsOf({ ...admin, staffId: 902, projectIds: [north] })).toEqual(new Set(['project P1']));
});

describe('equals brute force', () => {
  const cases: [string, string, () => Caller, (line: SoldLine) => boolean, string, string][] = [
    ['everything', '', () => admin, () => true, FROM, TO],
    ['one day', '', () => admin, () => true, '2026-03-17', '2026-03-17'],
    ['a project', 'project=NORTH', () => admin, (line) => line.project === mall.ids.north, FROM, TO],
    ['a merchant', 'merchant=B', () => admin, (line) => line.tenant === mall.ids.merchantB, FROM, TO],
    [
      'a merchant asks for another',
      'merchant=B',
      () => merchant,
      (line) => line.tenant === mall.ids.merchantA,
      FROM,
      TO,
    ],
    [
      'a class with those below it',
      'class=PARENT',
      () => admin,
      (line) => products.find((one) => one.id === line.product)!.cls === mall.classes[1],
      FROM,
      TO,
    ],
    [
      'no class',
      'class=0',
      () => admin,
      (line) => products.find((one) => one.id === line.product)!.cls === null,
      FROM,
      TO,
    ],
    ['a keyword', 'keyword=goods%203', () => admin, (line) => line.product === products[3]!.id, FROM, TO],
    [
      'staff of a project',
      '',
      () =>
        callerOf({ staffId: 5, tenantId: 1, tenantKind: 4, projectIds: [mall.ids.south] }, [
          'mm_businessAna',
        ]),
      (line) => line.project === mall.ids.south,
      FROM,
      TO,
    ],
  ];
  for (const view of ['refundDay', 'payDay'] as const)
    test.each(cases)(`${view}: %s`, async (_name, query, caller, keep, from, to) => {
      const text = query
        .replace('NORTH', String(mall.ids.north))
        .replace('=B', `=${mall.ids.merchantB}`)
        .replace('PARENT', String(mall.classes[0]));
      const answer = await ask(caller(), `range=${from}~${to}&view=${view}${text ? `&${text}` : ''}`);
      expect(answer.http).toBe(200);
      const expected = brute(from, to, view, keep);
      const found = new Map(
        answer.data.rows.map((row: Record<string, string | number>) => [
          Number(row.id),
          { qty: row.qty, returned: row.returned, goods: row.goods, paid: row.paid, refund: row.refund },
        ]),
      );
      expect(found).toEqual(
        new Map(
          [...expected.byProduct].map(([id, one]) => [
            id,
            { ...one, goods: yuan(one.goods), paid: yuan(one.paid), refund: yuan(one.refund) },
          ]),
        ),
      );
      const sum = (part: 'paid' | 'refund' | 'qty', of = expected) =>
        [...of.byProduct.values()].reduce((all, one) => all + one[part], 0);
      const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
      const before = brute(addDays(from, -days), addDays(from, -1), view, keep);
      const { figures } = answer.data;
      expect(figures.netted).toMatchObject({
        value: yuan(sum('paid') - sum('refund')),
        previous: yuan(sum('paid', before) - sum('refund', before)),
      });
      expect(figures.freight).toMatchObject({
        value: yuan(expected.freight),
        previous: yuan(before.freight),
      });
      expect(figures.average.value).toBe(
        expected.orders.size === 0 ? null : yuan(Math.round(sum('paid') / expected.orders.size)),
      );
      expect(figures.pieces.spark).toHaveLength(7);
      const last = brute(to, to, view, keep);
      expect(figures.pieces.spark[6]).toBe(sum('qty', last));
    });
});

describe('scope and form', () => {
  test('without the menu nothing, a menu without scope sees nothing', async () => {
    expect((await ask(callerOf({ staffId: 1, tenantId: 1 }, []), `range=${RANGE}`)).http).toBe(403);
    const own = {
      ...callerOf({ staffId: 77, tenantId: 1 }, ['mm_businessAna']),
      menus: new Map([['mm_businessAna', [{ kind: 'self' as const }]]]),
    };
    expect((await ask(own, `range=${RANGE}`)).data.total).toBe(0);
  });

  test('every sort runs, the export equals the table', async () => {
    for (const sort of ['code', '-qty', 'refund', '-merchant', 'publishedAt'])
      expect((await ask(admin, `range=${RANGE}&sort=${sort}`)).http, sort).toBe(200);
    expect((await ask(admin, `range=${RANGE}&sort=drill`)).http).toBe(422);
    const answer = await ask(admin, `range=${RANGE}`);
    const lines: unknown[][] = [];
    for await (const batch of registration.exports![0]!.read(
      { caller: admin, platform: mall.platform, language: 'zh' },
      { range: RANGE },
    ))
      for (const row of batch) lines.push([...row]);
    const at = (name: string) => businessAna.columns.indexOf(name);
    expect(lines.map((line) => ['code', 'qty', 'net'].map((name) => line[at(name)]))).toEqual(
      answer.data.rows.map((row: Record<string, unknown>) => [row.code, row.qty, row.net]),
    );
  });

  test('slices of the class ring go one level down', () => {
    const tree = new Map([
      [1, { id: 1, name: 'a', parentId: null }],
      [2, { id: 2, name: 'b', parentId: 1 }],
      [3, { id: 3, name: 'c', parentId: 2 }],
    ]);
    expect([
      sliceOf(3, undefined, tree),
      sliceOf(3, 1, tree),
      sliceOf(3, 2, tree),
      sliceOf(3, 3, tree),
      sliceOf(1, 1, tree),
      sliceOf(null, undefined, tree),
    ]).toEqual([1, 2, 3, 3, 1, 0]);
    expect(classesBelow([2], tree).sort()).toEqual([2, 3]);
  });
});
