import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import type { RegionNode } from '../../../domain/region/region.rules.ts';
import { registration as orders } from '../goods-order/goods-order.server.ts';
import { all, callAs, exampleCart, one, openShop, type Shop } from '../goods-order/order-fixture.ts';
import { filteredTree, halfTicked, levelCounts, ticked, toggled, topmost } from './area-tree.rules.ts';
import { registration } from './no-delivery-area.server.ts';

const SET = '/jinmao/web/noDeliveryArea/set';
const ORDERS = '/jinmao/web/goodsOrder';
let shop: Shop;
const region: Record<'province' | 'city' | 'district' | 'elsewhere', string> = {} as never;

beforeAll(async () => {
  shop = await openShop([orders, checkout, registration]);
  const add = async (code: string, level: number, parent: string | null) =>
    String(
      (
        await one<{ id: number }>(
          shop,
          `INSERT INTO region (code, name, level, parent_id) VALUES ($1, $1, $2, $3)
           ON CONFLICT (code) DO UPDATE SET name = excluded.name RETURNING id`,
          [code, level, parent],
        )
      ).id,
    );
  region.province = await add('X10000', 1, null);
  region.city = await add('X10100', 2, region.province);
  region.district = await add('X10101', 3, region.city);
  region.elsewhere = await add('X10102', 3, region.city);
  await all(shop, 'UPDATE project SET region_id = $1', [Number(region.district)]);
});
afterAll(() => shop.close());

const read = async (tenantId: number) =>
  (await callAs(shop, 'platform', 'GET', `${SET}?tenantId=${tenantId}`)).data as {
    version: number;
    areas: { id: string; title: string }[];
    updatedBy: string | null;
  };
const save = (tenantId: number, version: number, regions: readonly string[]) =>
  callAs(shop, 'platform', 'POST', SET, { tenantId: String(tenantId), version, regions });

test('group 08 Must show 12 (the screen): the saved set refuses quote and order, the set without the district passes', async () => {
  const { merchant1 } = shop.ids;
  const quote = () => {
    const { lines, coupons } = exampleCart(shop);
    return callAs(shop, 'platform', 'POST', `${ORDERS}/quote`, {
      memberId: String(shop.ids.member),
      houseId: String(shop.ids.house),
      lines,
      coupons,
      points: 3_300,
    });
  };
  const first = await read(merchant1);
  expect(first).toMatchObject({ version: 1, areas: [], updatedBy: null });
  const saved = await save(merchant1, first.version, [region.district, region.elsewhere]);
  expect([saved.http, saved.message]).toEqual([200, '']);
  expect(saved.data.areas).toHaveLength(2);
  expect((await quote()).message).toBe('该地区不配送：rice、oil');
  const made = await callAs(shop, 'platform', 'POST', ORDERS, exampleCart(shop));
  expect([made.status, made.message]).toEqual([30101, '该地区不配送：rice、oil']);
  expect((await save(merchant1, saved.data.version, [region.elsewhere])).http).toBe(200);
  expect((await quote()).data.payable).toBe('142.40');
});

test('the set is replaced as a whole by the version that was looked at; of several who save at once one does', async () => {
  const { merchant2 } = shop.ids;
  const { version } = await read(merchant2);
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      save(merchant2, version, [n % 2 === 0 ? region.district : region.elsewhere]),
    ),
  );
  expect(answers.filter((one_) => one_.http === 200)).toHaveLength(1);
  expect(new Set(answers.filter((one_) => one_.http !== 200).map((one_) => one_.status))).toEqual(
    new Set([30101]),
  );
  const now = await read(merchant2);
  expect([now.version, now.areas.length]).toEqual([version + 1, 1]);
  // Those below a chosen region go into it.
  const whole = await save(merchant2, now.version, [region.province, region.city, region.district]);
  expect(whole.data.areas.map((area: { id: string }) => area.id)).toEqual([region.province]);
  expect((await save(merchant2, whole.data.version, ['999999999'])).data.fields).toEqual({
    regions: '地区不存在',
  });
  const told = await all(
    shop,
    `SELECT remark FROM entity_event WHERE entity = 'noDeliverySet' AND entity_id = $1 ORDER BY id`,
    [merchant2],
  );
  expect(told).toEqual([{ remark: '+1 −0' }, { remark: '+1 −1' }]);
});

test('a merchant keeps its own set whatever it asks for', async () => {
  const { merchant1, merchant2 } = shop.ids;
  const own = await callAs(shop, 'merchant1', 'GET', `${SET}?tenantId=${merchant2}`);
  expect(own.data.tenantId).toBe(String(merchant1));
  const saved = await callAs(shop, 'merchant1', 'POST', SET, {
    tenantId: String(merchant2),
    version: own.data.version,
    regions: [],
  });
  expect(saved.data).toMatchObject({ tenantId: String(merchant1), areas: [] });
  expect((await read(merchant2)).areas).toHaveLength(1);
  const listed = await callAs(
    shop,
    'merchant1',
    'GET',
    `/jinmao/web/noDeliveryArea/page?merchant=${merchant2}`,
  );
  expect(listed.data.total).toBe(0);
  expect((await callAs(shop, 'platform', 'GET', SET)).http).toBe(422);
  expect((await callAs(shop, 'platform', 'GET', `${SET}?tenantId=999999`)).http).toBe(404);
});

describe('the tree', () => {
  const leaf = (id: string): RegionNode => ({ id, code: id, name: `区${id}`, level: 3, children: [] });
  const tree: RegionNode[] = [
    {
      id: 'p',
      code: 'p',
      name: '省',
      level: 1,
      children: [
        { id: 'c', code: 'c', name: '市', level: 2, children: [leaf('a'), leaf('b')] },
        { id: 'd', code: 'd', name: '城', level: 2, children: [leaf('e')] },
      ],
    },
  ];

  test('ticks stand for all below, half ticks for a part', () => {
    const one_ = toggled(tree, new Set(), 'a', true);
    expect([...one_]).toEqual(['a']);
    expect(halfTicked(tree, one_)).toEqual(['p', 'c']);
    const both = toggled(tree, one_, 'b', true);
    expect([...both]).toEqual(['c']);
    expect(ticked(tree, both)).toEqual(['c', 'a', 'b']);
    const whole = toggled(tree, both, 'd', true);
    expect([...whole]).toEqual(['p']);
    expect([...toggled(tree, whole, 'b', false)].sort()).toEqual(['a', 'd']);
    expect([...toggled(tree, new Set(['gone', 'p']), 'p', false)]).toEqual(['gone']);
    expect(topmost(tree, new Set(['a', 'b', 'e']))).toEqual(['p']);
    expect(levelCounts(tree, new Set(['c', 'e']))).toEqual({ provinces: 0, cities: 1, districts: 1 });
  });

  test('what is looked for keeps its way up; a name keeps all below it', () => {
    const ids = (nodes: readonly RegionNode[]): string[] =>
      nodes.flatMap((node) => [node.id, ...ids(node.children)]);
    expect(ids(filteredTree(tree, '区a', undefined))).toEqual(['p', 'c', 'a']);
    expect(ids(filteredTree(tree, '城', undefined))).toEqual(['p', 'd', 'e']);
    expect(ids(filteredTree(tree, '', new Set(['c'])))).toEqual(['p', 'c', 'a', 'b']);
    expect(filteredTree(tree, 'zz', undefined)).toEqual([]);
  });
});
