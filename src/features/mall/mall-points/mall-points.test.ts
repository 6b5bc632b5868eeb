import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { registration as places } from '../../base-data/places/places.server.ts';
import { registration as businessList } from '../../system/business-list/business-list.server.ts';
import { registration as productClass } from '../../system/product-class/product-class.server.ts';
import { registration as goods } from '../product/product.server.ts';
import { callerOf, openMall, type Mall } from '../product/mall-fixture.ts';
import { registration } from './mall-points.server.ts';

const PATH = '/jinmao/web/settings/mallPoints';
let mall: Mall;
let admin: Caller;

beforeAll(async () => {
  mall = await openMall([registration, goods, places, businessList, productClass]);
  const platform = (await runOne<{ id: number }>(
    mall.platform.database.db,
    'SELECT id FROM tenant WHERE kind = 3',
  ))!.id;
  admin = callerOf(
    { staffId: 1, tenantId: platform },
    ['mm_integral'],
    ['mm_integral:btn_save', 'mm_integral:btn_simulate'],
  );
  // Who writes works here: a transaction looks at its caller before it commits.
  for (const id of [1, 7])
    await run(
      mall.platform.database.db,
      `INSERT INTO staff (id, tenant_id, account, name) VALUES ($1::bigint, $2, 'keeper' || $1::bigint::text, 'staff') ON CONFLICT DO NOTHING`,
      [id, platform],
    );
});
afterAll(() => mall.close());

describe('settings', () => {
  test('defaults, saving, the divisibility rule, history, stale versions', async () => {
    const first = (await mall.call(admin, 'GET', PATH)).data;
    expect(first).toEqual({
      version: 0,
      values: {
        mall_points_enabled: true,
        mall_points_per_yuan: 100,
        mall_points_step: 100,
        mall_points_max_percent: 20,
        mall_points_max_per_order: 10_000,
        mall_points_with_coupon: true,
        mall_points_with_coin: false,
        mall_points_excluded_classes: [],
        mall_points_excluded_products: [],
        mall_points_project_overrides: [],
      },
    });
    const refused = await mall.call(admin, 'PUT', PATH, {
      version: 0,
      values: { mall_points_per_yuan: 300 },
    });
    expect(refused.http).toBe(422);
    expect(refused.data.fields).toEqual({ mall_points_step: '兑换比例必须能整除到分' });
    // 3 × 100 mod 300 = 0: three points are one fen.
    const saved = await mall.call(admin, 'PUT', PATH, {
      version: 0,
      values: { mall_points_per_yuan: 300, mall_points_step: 3 },
    });
    expect(saved.data).toMatchObject({
      version: 2,
      values: { mall_points_per_yuan: 300, mall_points_step: 3 },
    });
    expect(
      (await mall.call(admin, 'PUT', PATH, { version: 0, values: { mall_points_step: 6 } })).status,
    ).toBe(30101);
    const history = (await mall.call(admin, 'GET', `${PATH}/history`)).data;
    expect(history[0].changes).toContainEqual({ field: '兑换比例', before: '100', after: '300' });
    for (const values of [
      { mall_points_max_percent: 101 },
      { mall_points_step: 0 },
      { 'mall.points.step': 1 },
      { mall_points_enabled: 'yes' },
    ])
      expect((await mall.call(admin, 'PUT', PATH, { version: 2, values })).http).toBe(422);
    await mall.call(admin, 'PUT', PATH, {
      version: 2,
      values: { mall_points_per_yuan: 100, mall_points_step: 100 },
    });
  });

  test('left-out classes and goods, rules of projects: titles, refusals, history in words', async () => {
    const version = async () => (await mall.call(admin, 'GET', PATH)).data.version as number;
    const save = async (values: Record<string, unknown>) =>
      mall.call(admin, 'PUT', PATH, { version: await version(), values });
    const project = String(mall.ids.north);
    const rule = { project, perYuan: 200, maxPercent: 50 };
    for (const [values, field] of [
      [{ mall_points_excluded_classes: ['999999'] }, 'mall_points_excluded_classes'],
      [{ mall_points_excluded_products: ['999999'] }, 'mall_points_excluded_products'],
      [{ mall_points_excluded_products: ['x'] }, 'mall_points_excluded_products'],
      [
        { mall_points_project_overrides: [{ project: '999999', step: 200 }] },
        'mall_points_project_overrides',
      ],
      [{ mall_points_project_overrides: [rule, rule] }, 'mall_points_project_overrides'],
      [{ mall_points_project_overrides: [{ project }] }, 'mall_points_project_overrides'],
      [{ mall_points_project_overrides: [{ ...rule, perYuan: 300 }] }, 'mall_points_project_overrides'],
      [{ mall_points_project_overrides: [{ ...rule, maxPercent: 101 }] }, 'mall_points_project_overrides'],
      [{ mall_points_project_overrides: [{ ...rule, tenant: 1 }] }, 'mall_points_project_overrides'],
      [{ mall_points_project_overrides: 'x' }, 'mall_points_project_overrides'],
    ] as const)
      expect((await save(values)).data.fields, JSON.stringify(values)).toHaveProperty(field);
    // The project's rate stands on the product-wide step, which may not leave it.
    expect((await save({ mall_points_project_overrides: [rule] })).http).toBe(200);
    expect((await save({ mall_points_step: 1, mall_points_per_yuan: 1 })).data.fields).toHaveProperty(
      'mall_points_project_overrides',
    );
    const saved = await save({ mall_points_excluded_classes: [String(mall.classes[0])] });
    expect(saved.data.values).toMatchObject({
      mall_points_excluded_classes: [{ id: String(mall.classes[0]), title: expect.any(String) }],
      mall_points_project_overrides: [{ ...rule, projectName: 'project P1' }],
    });
    const history = (await mall.call(admin, 'GET', `${PATH}/history`)).data;
    expect(history[1].changes[0]).toMatchObject({
      field: '项目规则',
      before: '–',
      after: 'project P1：兑换比例 200、最高抵扣比例 50',
    });
    expect(history[0].changes[0].after).toBe(saved.data.values.mall_points_excluded_classes[0].title);
    // What the page sends back as it came is accepted, and the simulator takes the project's rules.
    const trial = await mall.call(admin, 'POST', `${PATH}/simulate`, {
      lines: [{ price: '100.00', qty: 1 }],
      balance: 100_000,
      values: { mall_points_project_overrides: saved.data.values.mall_points_project_overrides },
      project,
    });
    expect(trial.data).toMatchObject({ units: 10_000, points: '50.00', payable: '50.00' });
    const elsewhere = await mall.call(admin, 'POST', `${PATH}/simulate`, {
      lines: [{ price: '100.00', qty: 1 }],
      balance: 100_000,
      project: String(mall.ids.south),
    });
    expect(elsewhere.data).toMatchObject({ units: 2_000, points: '20.00' });
    await save({ mall_points_excluded_classes: [], mall_points_project_overrides: [] });
  });

  test('a keeper limited to projects adds and reads only what the pickers offer it; what others left out stays', async () => {
    const { db } = mall.platform.database;
    const productIn = async (name: string, project: number) => {
      const row = await runOne<{ id: number }>(
        db,
        `INSERT INTO product (code, tenant_id, business_id, name) VALUES ($1, $2, $3, $1) RETURNING id`,
        [name, mall.ids.merchantA, mall.ids.business],
      );
      await run(db, 'INSERT INTO product_project VALUES ($1, $2)', [row!.id, project]);
      return String(row!.id);
    };
    const here = await productIn('here', mall.ids.north);
    const there = await productIn('there', mall.ids.south);
    const north = { ...admin, staffId: 7, projectIds: [mall.ids.north] };
    const version = async () => (await mall.call(admin, 'GET', PATH)).data.version as number;
    const save = async (caller: Caller, values: Record<string, unknown>) =>
      mall.call(caller, 'PUT', PATH, { version: await version(), values });
    const refusals = [
      await save(north, { mall_points_excluded_products: [there] }),
      await save(north, { mall_points_excluded_products: ['999999'] }),
    ];
    // A row out of sight is refused in the very words of one that does not exist.
    expect(refusals.map((one) => [one.http, one.data.fields])).toEqual(
      refusals.map(() => [422, { mall_points_excluded_products: '请选择列表中的值' }]),
    );
    const rule = { project: String(mall.ids.south), maxPercent: 55 };
    const own = { project: String(mall.ids.north), maxPercent: 40 };
    const noProject = async () => {
      for (const project of [rule.project, '999999'])
        expect(
          (await save(north, { mall_points_project_overrides: [own, { ...rule, project }] })).data.fields,
        ).toEqual({ mall_points_project_overrides: '项目不存在' });
    };
    await noProject();

    expect(
      (
        await save(admin, {
          mall_points_excluded_products: [there],
          mall_points_project_overrides: [rule],
        })
      ).data.values,
    ).toMatchObject({
      mall_points_excluded_products: [{ id: there, title: 'there' }],
      mall_points_project_overrides: [{ projectName: 'project P2' }],
    });
    // Nor does it tell that the project has rules now; neither does a trial.
    await noProject();
    const trialFor = async (caller: Caller, project: string) => {
      const trial = { lines: [{ price: '100.00', qty: 1 }], balance: 100_000, project };
      return (await mall.call(caller, 'POST', `${PATH}/simulate`, trial)).data.points as string;
    };
    expect(await trialFor(admin, rule.project)).toBe('55.00');
    expect(await trialFor(north, rule.project)).toBe(await trialFor(north, '999999'));
    const saved = await save(north, {
      mall_points_excluded_products: [there, here],
      mall_points_project_overrides: [own],
    });
    expect((await mall.call(admin, 'GET', PATH)).data.values.mall_points_project_overrides).toEqual([
      { ...own, projectName: 'project P1' },
      { ...rule, projectName: 'project P2' },
    ]);
    const seen = {
      mall_points_excluded_products: [
        { id: there, title: `#${there}` },
        { id: here, title: 'here' },
      ],
      mall_points_project_overrides: [{ ...own, projectName: 'project P1' }],
    };
    expect(saved.data.values).toMatchObject(seen);
    expect((await mall.call(north, 'GET', PATH)).data.values).toMatchObject(seen);
    const stale = await mall.call(north, 'PUT', PATH, { version: 0, values: { mall_points_step: 200 } });
    expect(stale.data.current.values).toMatchObject(seen);
    const history = JSON.stringify((await mall.call(north, 'GET', `${PATH}/history`)).data);
    expect(history).toContain(`#${there}`);
    expect(history).not.toContain('there');
    expect(history).toContain('project P1');
    expect(history).not.toMatch(/project P2|最高抵扣比例 55/);
    // Its own rules are taken away, the others stay; a rate they do not go with is for who sees them.
    await save(north, { mall_points_project_overrides: [] });
    expect((await mall.call(admin, 'GET', PATH)).data.values.mall_points_project_overrides).toEqual([
      { ...rule, projectName: 'project P2' },
    ]);
    await save(admin, { mall_points_project_overrides: [{ ...rule, perYuan: 200 }] });
    expect((await save(north, { mall_points_per_yuan: 1, mall_points_step: 1 })).data.fields).toEqual({
      mall_points_step: expect.stringContaining('请由能看到全部项目的人员修改'),
    });
    await save(admin, { mall_points_excluded_products: [], mall_points_project_overrides: [] });
  });

  test('only the platform saves; without elements nothing', async () => {
    const merchant = callerOf(
      { staffId: 2, tenantId: mall.ids.merchantA, tenantKind: 2 },
      ['mm_integral'],
      ['mm_integral:btn_save'],
    );
    expect(
      (await mall.call(merchant, 'PUT', PATH, { version: 4, values: { mall_points_step: 200 } })).http,
    ).toBe(403);
    expect((await mall.call(merchant, 'POST', `${PATH}/simulate`, { lines: [], balance: 0 })).http).toBe(403);
  });
});

describe('simulator', () => {
  const cart = {
    lines: [
      { name: '大米', merchant: 'M1', price: '39.90', qty: 2 },
      { name: '食用油', merchant: 'M1', price: '59.90', qty: 1 },
      { name: '纸巾', merchant: 'M2', price: '19.90', qty: 3 },
    ],
    coupons: [
      { merchant: 'M1', kind: 'cash', face: '10.00', threshold: '100.00' },
      { kind: 'cash', face: '20.00', threshold: '150.00' },
    ],
    balance: 5000,
  };

  test('worked example A: 3,300 points, shares as in the table', async () => {
    const answer = await mall.call(admin, 'POST', `${PATH}/simulate`, cart);
    expect(answer.http).toBe(200);
    expect(
      answer.data.steps.map((step: { code: number; amount: string }) => [step.code, step.amount]),
    ).toEqual([
      [10, '199.40'],
      [20, '10.00'],
      [30, '20.00'],
      [40, '33.00'],
    ]);
    expect(answer.data.steps[3]).toMatchObject({ label: '积分抵扣', units: 3300 });
    expect(answer.data).toMatchObject({ units: 3300, points: '33.00', payable: '136.40', maxPoints: 3300 });
    expect(answer.data.lines).toMatchObject([
      { points: '12.91', cash: '53.36' },
      { points: '9.69', cash: '40.05' },
      { points: '10.40', cash: '42.99' },
    ]);
  });

  test('unsaved values count; what cannot be done is said', async () => {
    const half = await mall.call(admin, 'POST', `${PATH}/simulate`, {
      ...cart,
      values: { mall_points_max_percent: 10 },
    });
    expect(half.data.units).toBe(1600);
    const alone = await mall.call(admin, 'POST', `${PATH}/simulate`, {
      ...cart,
      values: { mall_points_with_coupon: false },
    });
    expect(alone.data.units).toBe(0);
    expect(alone.data.notices).toContain('积分不可与优惠券同时使用');
    const much = await mall.call(admin, 'POST', `${PATH}/simulate`, { ...cart, points: 5000 });
    expect(much.data.notices).toContain('本单最多可用3300积分');
    const short = await mall.call(admin, 'POST', `${PATH}/simulate`, {
      ...cart,
      coupons: [{ kind: 'cash', face: '20.00', threshold: '500.00' }],
    });
    expect(short.data.notices[0]).toContain('优惠券不可用');
    const bad = await mall.call(admin, 'POST', `${PATH}/simulate`, {
      ...cart,
      values: { mall_points_per_yuan: 300 },
    });
    expect(bad.data.fields.mall_points_step).toBe('兑换比例必须能整除到分');
    for (const body of [
      { ...cart, lines: [] },
      { ...cart, lines: [{ price: '0.00', qty: 1 }] },
      { ...cart, balance: -1 },
      { ...cart, more: 1 },
    ])
      expect((await mall.call(admin, 'POST', `${PATH}/simulate`, body)).http).toBe(422);
  });
});
