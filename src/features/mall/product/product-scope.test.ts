import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { callerOf } from './mall-fixture.ts';
import { openDesk, PRODUCT_ELEMENTS, spec, type ProductDesk } from './product-desk.ts';
import { productImport } from './product-import.server.ts';
import { product } from './product.contract.ts';
import { registration } from './product.server.ts';

const root = '/jinmao/web/product';
let desk: ProductDesk;

beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.mall.close());

describe('who sees what', () => {
  test('group 08 Must show 10: another merchant sees nothing, whatever it asks for', async () => {
    const mine = await desk.created(desk.alice);
    const theirs = await desk.created(desk.bob);
    const page = await desk.mall.call(
      desk.alice,
      'GET',
      `${root}/page?limit=200&merchant=${desk.mall.ids.merchantB}`,
    );
    expect(page.data.total).toBeGreaterThan(0);
    expect(new Set(page.data.rows.map((row: { merchant: { id: string } }) => row.merchant.id))).toEqual(
      new Set([String(desk.mall.ids.merchantA)]),
    );
    expect((await desk.mall.call(desk.alice, 'GET', `${root}/${theirs.id}`)).http).toBe(404);
    expect(
      (
        await desk.mall.call(desk.alice, 'PUT', `${root}/${theirs.id}`, {
          version: theirs.version,
          name: 'x',
        })
      ).http,
    ).toBe(404);
    expect(
      (
        await desk.mall.call(desk.alice, 'POST', `${root}/${theirs.id}/stock`, {
          version: 1,
          changes: [{ specId: theirs.specs[0].id, difference: 1 }],
          reason: '盘点',
        })
      ).http,
    ).toBe(404);
    // A spec of somebody else under an own product.
    expect(
      (
        await desk.mall.call(desk.alice, 'POST', `${root}/${mine.id}/stock`, {
          version: mine.version,
          changes: [{ specId: theirs.specs[0].id, difference: 1 }],
          reason: '盘点',
        })
      ).http,
    ).toBe(404);
    expect((await desk.mall.call(desk.alice, 'GET', `${root}/${theirs.id}/movements`)).http).toBe(404);
    const source = registration.exports![0]!;
    const names: unknown[] = [];
    for await (const batch of source.read(
      { caller: desk.alice, platform: desk.mall.platform, language: 'zh' },
      {},
    ))
      for (const row of batch) names.push(row[4]);
    expect(new Set(names)).toEqual(new Set(['merchant MA']));
    expect(
      (await desk.mall.call(desk.admin, 'GET', `${root}/page?merchant=${desk.mall.ids.merchantB}`)).data
        .total,
    ).toBeGreaterThan(0);
  });

  test('staff of projects see what is sold there and touch no other project', async () => {
    const row = await desk.created(desk.alice, { projects: [String(desk.mall.ids.south)] });
    const city = callerOf(
      {
        staffId: desk.admin.staffId,
        tenantId: desk.admin.tenantId,
        tenantKind: 4,
        projectIds: [desk.mall.ids.north],
      },
      [product.menu],
      PRODUCT_ELEMENTS,
    );
    expect((await desk.mall.call(city, 'GET', `${root}/${row.id}`)).http).toBe(404);
    const north = await desk.created(desk.alice);
    expect((await desk.mall.call(city, 'GET', `${root}/${north.id}`)).http).toBe(200);
    const answer = await desk.mall.call(city, 'PUT', `${root}/${north.id}`, {
      version: north.version,
      projects: [String(desk.mall.ids.north), String(desk.mall.ids.south)],
    });
    expect(answer.data.fields.projects).toContain('只能增减您负责的项目');
  });

  test('staff of projects are told of no other project of a product, and leave the others as they are', async () => {
    const { north, south } = desk.mall.ids;
    const both = await desk.created(desk.alice, { projects: [String(north), String(south)] });
    const city = callerOf(
      { staffId: desk.admin.staffId, tenantId: desk.admin.tenantId, tenantKind: 4, projectIds: [north] },
      [product.menu],
      PRODUCT_ELEMENTS,
    );
    const seen = [{ id: String(north), title: 'project P1' }];
    const read = (caller: Caller) => desk.mall.call(caller, 'GET', `${root}/${both.id}`);
    const inList = async (caller: Caller, query = '') =>
      (await desk.mall.call(caller, 'GET', `${root}/page?limit=200${query}`)).data.rows.find(
        (row: { id: string }) => row.id === both.id,
      );
    expect((await inList(city)).projects).toEqual(seen);
    expect((await inList(desk.alice)).projects).toHaveLength(2);
    // Nor does a filter tell.
    expect(await inList(city, `&projects=${south}`)).toBeUndefined();
    expect(await inList(desk.alice, `&projects=${south}`)).toBeDefined();
    expect((await read(city)).data.projects).toEqual(seen);
    const names: unknown[] = [];
    for await (const batch of registration.exports![0]!.read(
      { caller: city, platform: desk.mall.platform, language: 'zh' },
      {},
    ))
      names.push(JSON.stringify(batch));
    expect(names.join()).toContain('project P1');
    expect(names.join()).not.toContain('project P2');
    // What the form was shown is sent back: the other project stays.
    const { version } = (await read(city)).data;
    const saved = await desk.mall.call(city, 'PUT', `${root}/${both.id}`, {
      version,
      summary: '改过',
      projects: [String(north)],
    });
    expect(saved.http).toBe(200);
    expect((await read(desk.alice)).data.projects).toHaveLength(2);
  });

  test('a project the staff do not work in is refused in one way, whether it exists and whether the goods are sold there', async () => {
    const { north, south } = desk.mall.ids;
    const { db } = desk.mall.platform.database;
    const { id: outside } = (await runOne<{ id: number }>(
      db,
      `INSERT INTO project (code, name, unit_id, centre_id) SELECT 'OUT', 'outside', unit_id, centre_id FROM project WHERE id = $1 RETURNING id`,
      [north],
    ))!;
    const city = callerOf(
      { staffId: desk.admin.staffId, tenantId: desk.admin.tenantId, tenantKind: 4, projectIds: [north] },
      [product.menu],
      PRODUCT_ELEMENTS,
    );
    const drafts = [
      await desk.created(desk.alice, { projects: [String(north), String(south)] }),
      await desk.created(desk.alice),
    ];
    const live = await desk.published();
    const proposed = await desk.published();
    await desk.mall.call(desk.alice, 'PUT', `${root}/${proposed.id}`, {
      version: proposed.version,
      projects: [String(north), String(south)],
    });
    const versionOf = async (id: string) =>
      (await desk.mall.call(desk.alice, 'GET', `${root}/${id}`)).data.version;
    const answers: unknown[] = [];
    for (const project of [south, outside, 987_654_321]) {
      const projects = [String(north), String(project)];
      answers.push(
        await desk.mall.call(
          city,
          'POST',
          root,
          desk.form({ merchant: String(desk.mall.ids.merchantA), projects }),
        ),
      );
      for (const { id } of [...drafts, live, proposed])
        answers.push(
          await desk.mall.call(city, 'PUT', `${root}/${id}`, { version: await versionOf(id), projects }),
        );
    }
    expect(answers).toHaveLength(15);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ http: 422, data: { fields: { projects: '只能增减您负责的项目' } } });
    // Of a project somebody else proposed nothing is said either, and it stays proposed.
    await run(db, 'DELETE FROM tenant_project WHERE project_id = $1', [south]);
    const saved = await desk.mall.call(city, 'PUT', `${root}/${proposed.id}`, {
      version: await versionOf(proposed.id),
      summary: '改过',
      projects: [String(north)],
    });
    expect([saved.http, saved.message]).toEqual([200, '']);
    await run(db, 'INSERT INTO tenant_project (tenant_id, project_id) VALUES ($1, $2)', [
      desk.mall.ids.merchantA,
      south,
    ]);
    const { data } = await desk.mall.call(desk.alice, 'GET', `${root}/${proposed.id}`);
    expect(data.proposed.projects.map((one: { id: string }) => one.id)).toEqual([
      String(north),
      String(south),
    ]);
  });

  test('a proposal of projects is told as far as the reader works in them', async () => {
    const { north, south } = desk.mall.ids;
    const live = await desk.published();
    await desk.mall.call(desk.alice, 'PUT', `${root}/${live.id}`, {
      version: live.version,
      summary: '更多项目',
      projects: [String(north), String(south)],
    });
    const detail = async (projectIds: readonly number[] | null) => {
      const caller = callerOf(
        { staffId: 77, tenantId: desk.admin.tenantId, tenantKind: projectIds ? 4 : 3, projectIds },
        [product.menu],
        PRODUCT_ELEMENTS,
      );
      const { data } = await desk.mall.call(caller, 'GET', `${root}/${live.id}`);
      return {
        lines: data.reviews[0].difference.map((line: { field: string }) => line.field),
        proposed: data.proposed.projects.map((project: { id: string }) => project.id),
      };
    };
    expect(await detail(null)).toEqual({
      lines: ['summary', 'projects'],
      proposed: [String(north), String(south)],
    });
    expect(await detail([north])).toEqual({ lines: ['summary'], proposed: [String(north)] });
  });

  test('a taken barcode names its product to those who see it, and to nobody else', async () => {
    const { north, south } = desk.mall.ids;
    const theirs = await desk.created(desk.alice, {
      projects: [String(south)],
      specs: [spec('1', { barcode: '6901234567892' })],
    });
    const business = await runOne<{ name: string }>(
      desk.mall.platform.database.db,
      'SELECT name FROM business WHERE id = $1',
      [desk.mall.ids.business],
    );
    const ask = async (projectIds: readonly number[] | null) => {
      const caller = callerOf(
        { staffId: desk.admin.staffId, tenantId: desk.admin.tenantId, projectIds },
        [product.menu],
        PRODUCT_ELEMENTS,
      );
      const form = await desk.mall.call(caller, 'POST', root, {
        ...desk.form({ specs: [spec('1', { barcode: '6901234567892' })] }),
        merchant: String(desk.mall.ids.merchantA),
      });
      const row = {
        merchant: 'merchant MA',
        name: '米',
        business: business!.name,
        spec: '1',
        price: '1.00',
        stock: '1',
        unit: '袋',
        barcode: '6901234567892',
      };
      const problems = await productImport.check({ caller, platform: desk.mall.platform, language: 'zh' }, [
        { number: 2, values: row },
      ]);
      return [form.data.fields.specs, problems.find((one) => one.column === 'barcode')?.message[0]];
    };
    expect(await ask(null)).toEqual([
      `条码 6901234567892 已被商品 ${theirs.code} 使用`,
      `条码已被商品 ${theirs.code} 使用`,
    ]);
    expect(await ask([north])).toEqual([
      '条码 6901234567892 已被该商户的其他商品使用',
      '条码已被该商户的其他商品使用',
    ]);
  });

  test('a copy stands in the own projects only', async () => {
    const { north, south } = desk.mall.ids;
    const both = await desk.created(desk.alice, { projects: [String(north), String(south)] });
    const projectsOf = async (caller: Caller) => {
      const copy = await desk.mall.call(caller, 'POST', `${root}/${both.id}/copy`, {});
      expect(copy, copy.message).toMatchObject({ http: 200 });
      const made = await desk.mall.call(desk.alice, 'GET', `${root}/${copy.data.result.id}`);
      return made.data.projects.map((project: { id: string }) => project.id);
    };
    const city = callerOf(
      { staffId: desk.admin.staffId, tenantId: desk.admin.tenantId, tenantKind: 4, projectIds: [north] },
      [product.menu],
      PRODUCT_ELEMENTS,
    );
    expect(await projectsOf(city)).toEqual([String(north)]);
    expect(await projectsOf(desk.alice)).toEqual([String(north), String(south)]);
  });

  test('pickers, palette and the path of finder articles', async () => {
    const row = await desk.published({ name: '长粒香米' });
    const draft = await desk.created(desk.alice, { name: '长粒香米草稿' });
    const options = await desk.mall.call(
      desk.alice,
      'GET',
      `/jinmao/web/options/productSpec?searchVal=${encodeURIComponent('长粒香米')}`,
    );
    expect(options.data).toEqual([
      { id: row.specs[0].id, title: '长粒香米 / 5kg', note: '¥19.90 · 库存 100袋' },
    ]);
    expect(
      (
        await desk.mall.call(
          desk.bob,
          'GET',
          `/jinmao/web/options/productSpec?searchVal=${encodeURIComponent('长粒')}`,
        )
      ).data,
    ).toEqual([]);
    const find = (call: Caller, number: string) =>
      registration.prefixes![0]!.find({ caller: call, platform: desk.mall.platform }, number);
    expect(await find(desk.alice, row.code)).toEqual([
      { code: row.code, title: '长粒香米', route: `/merchantManager/mm_commodityMana?detail=${row.id}` },
    ]);
    expect(await find(desk.bob, row.code)).toEqual([]);
    expect((await find(desk.alice, draft.code.slice(-6))).length).toBe(1);
    const path = (project: number) =>
      `/jinmao/web/bizProductGoodtoVisit/getProductInfoPc?projectId=${project}&searchVal=${encodeURIComponent('长粒')}&page=1&limit=10`;
    const info = await desk.mall.call(desk.alice, 'GET', path(desk.mall.ids.north));
    expect(info.data).toEqual({
      total: 1,
      rows: [
        {
          id: row.id,
          productCode: row.code,
          productName: '长粒香米',
          price: '19.90',
          image: `/api/file/${desk.picture}`,
        },
      ],
    });
    expect((await desk.mall.call(desk.alice, 'GET', path(desk.mall.ids.south))).data.total).toBe(0);
  });

  test('every filter and sort runs; price asks for overlap, a class for those below it', async () => {
    const row = await desk.created(desk.alice, {
      name: '筛选商品',
      specs: [spec('小', { price: '50.00' }), spec('大', { price: '80.00', stock: 3 })],
    });
    const names = async (query: string) =>
      (
        await desk.mall.call(
          desk.alice,
          'GET',
          `${root}/page?limit=200&searchVal=${encodeURIComponent('筛选')}&${query}`,
        )
      ).data.rows.map((one: { id: string }) => one.id);
    for (const query of [
      'price=60~70',
      'price=80~',
      'price=~50',
      `classes=${desk.mall.classes[0]}`,
      `projects=${desk.mall.ids.north}`,
      'stockState=low',
      'state=draft',
      `business=${desk.mall.ids.business}`,
    ])
      expect(await names(query), query).toEqual([row.id]);
    for (const query of [
      'price=81~',
      'price=~49.99',
      `classes=${desk.mall.classes[2]}`,
      `projects=${desk.mall.ids.south}`,
      'stockState=out',
      'state=published',
    ])
      expect(await names(query), query).toEqual([]);
    for (const [name, field] of Object.entries(product.fields))
      if (field.sortable)
        for (const sort of [name, `-${name}`])
          expect((await desk.mall.call(desk.alice, 'GET', `${root}/page?sort=${sort}`)).http, sort).toBe(200);
    expect((await desk.mall.call(desk.alice, 'GET', `${root}/page?price=x`)).http).toBe(422);
    expect(
      (await desk.mall.call(callerOf({ staffId: 1, tenantId: 1 }, []), 'GET', `${root}/page`)).http,
    ).toBe(403);
  });
});
