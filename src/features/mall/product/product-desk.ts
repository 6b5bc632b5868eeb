import { expect } from 'vitest';
import { elementsOf } from '../../../kernel/contract/resource.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { runOne, transaction } from '../../../kernel/server/database.ts';
import { callerOf, openMall, type Mall } from './mall-fixture.ts';
import { passReview } from './product-review.server.ts';
import { product } from './product.contract.ts';
import { registration as reviews } from '../product-review/product-review.server.ts';
import { registration } from './product.server.ts';

/** Everything the product's tests act with: staff of two merchants, of the platform, and a reviewer. */
export interface ProductDesk {
  readonly mall: Mall;
  /** Writes for merchant A. */
  readonly alice: Caller;
  /** Writes for merchant B. */
  readonly bob: Caller;
  readonly admin: Caller;
  readonly reviewer: Caller;
  /** Id of a picture everybody may use. */
  readonly picture: string;
  form(more?: Record<string, unknown>): Record<string, unknown>;
  // Tests read whatever comes.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  created(caller: Caller, more?: Record<string, unknown>): Promise<any>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  published(more?: Record<string, unknown>): Promise<any>;
  waiting(productId: string): Promise<{ id: number; version: number; kind: string; difference: unknown[] }>;
}

/** Every element of the goods screen. */
export const PRODUCT_ELEMENTS = Object.keys(elementsOf(product)).map(
  (element) => `${product.menu}:${element}`,
);
/** Facts of a call made without HTTP. */
export const FACTS = { address: '127.0.0.1', userAgent: '', language: 'zh', traceId: 't' } as const;

/** Opens a mall that serves products. */
export async function openDesk(): Promise<ProductDesk> {
  const mall = await openMall([registration, reviews]);
  const db = mall.platform.database.db;
  const { merchantA, merchantB } = mall.ids;
  const platformId = (await runOne<{ id: number }>(db, 'SELECT id FROM tenant WHERE kind = 3'))!.id;
  const make = async (
    name: string,
    tenantId: number,
    tenantKind: 2 | 3,
    menus: readonly string[],
    elements: readonly string[] = PRODUCT_ELEMENTS,
  ) => callerOf({ staffId: await mall.staff(name, tenantId), tenantId, tenantKind }, menus, elements);
  const alice = await make('alice', merchantA, 2, [product.menu, 'mm_businessOrder_wx']);
  const bob = await make('bobby', merchantB, 2, [product.menu]);
  const admin = await make('admin', platformId, 3, [product.menu, 'mm_businessOrder_wx']);
  const reviewer = await make(
    'carol',
    platformId,
    3,
    ['mm_commodityApprove', product.menu],
    [
      'mm_commodityApprove:btn_pass',
      'mm_commodityApprove:btn_reject',
      'mm_commodityApprove:btn_trust',
      ...PRODUCT_ELEMENTS,
    ],
  );
  const picture = await mall.picture();
  const root = '/jinmao/web/product';
  const form: ProductDesk['form'] = (more = {}) => ({
    business: String(mall.ids.business),
    name: '东北大米',
    classes: [String(mall.classes[1])],
    projects: [String(mall.ids.north)],
    images: [picture],
    summary: '新米',
    labels: ['新品'],
    supplier: '粮油公司',
    salesWay: 'self',
    delivery: 'third',
    accountLimit: 0,
    pointsAllowed: true,
    afterSaleText: '',
    detailHtml: '<p>好米<script>alert(1)</script><img src="javascript:x" onerror="x"></p>',
    specs: [spec('5kg')],
    ...more,
  });
  const created: ProductDesk['created'] = async (caller, more) => {
    const answer = await mall.call(caller, 'POST', root, form(more));
    expect(answer, answer.message).toMatchObject({ http: 200 });
    return answer.data;
  };
  const waiting: ProductDesk['waiting'] = async (productId) =>
    (await runOne(
      db,
      `SELECT id, version, kind, difference FROM product_review WHERE product_id = $1 AND state = 'waiting'`,
      [productId],
    ))!;
  return {
    mall,
    alice,
    bob,
    admin,
    reviewer,
    picture,
    form,
    created,
    waiting,
    published: async (more) => {
      const row = await created(alice, more);
      expect((await mall.call(alice, 'POST', `${root}/${row.id}/apply`, { version: row.version })).http).toBe(
        200,
      );
      const review = await waiting(row.id);
      await transaction(db, (tx) =>
        passReview(tx, { caller: reviewer, facts: FACTS }, review.id, review.version),
      );
      return (await mall.call(alice, 'GET', `${root}/${row.id}`)).data;
    },
  };
}

/** A spec of the form. */
export function spec(name: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name,
    price: '19.90',
    marketPrice: null,
    stock: 100,
    stockAlert: 10,
    unit: '袋',
    weightG: 500,
    barcode: null,
    ...more,
  };
}

/** A spec of the detail as the form sends it back. */
export function wire(one: Record<string, unknown>): Record<string, unknown> {
  const { code: _code, stockNow: _now, reserved: _reserved, sold: _sold, ...rest } = one;
  return rest;
}
