import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { grantMenu, takeAllGroups } from '../../../testing/grant-menu.ts';
import { FACTS, openDesk, spec, wire, type ProductDesk } from './product-desk.ts';
import { product } from './product.contract.ts';
import { passReview, rejectReview } from './product-review.server.ts';

const root = '/jinmao/web/product';
let desk: ProductDesk;

beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.mall.close());

describe('review', () => {
  test('group 08 Must show 11: the live price stays, the desk.reviewer sees +50.25 %, the author may not pass it', async () => {
    const row = await desk.published();
    expect(row.state).toBe('published');
    const specs = [{ ...wire(row.specs[0]), price: '29.90' }];
    const edited = await desk.mall.call(desk.alice, 'PUT', `${root}/${row.id}`, {
      version: row.version,
      specs,
      accountLimit: 3,
    });
    expect(edited.data).toMatchObject({
      state: 'published',
      price: '19.90',
      pendingChange: true,
      accountLimit: 3,
    });
    expect(edited.data.proposed.specs[0].price).toBe('29.90');
    const listed = await desk.mall.call(desk.alice, 'GET', `${root}/page?searchVal=${row.code}`);
    expect(listed.data.rows).toMatchObject([{ price: '19.90', pendingChange: true }]);
    // What the app sells at is the price of the spec.
    expect(
      await run(desk.mall.platform.database.db, 'SELECT price FROM product_spec WHERE product_id = $1', [
        row.id,
      ]),
    ).toEqual([{ price: 1_990 }]);
    const review = await desk.waiting(row.id);
    expect(review.difference).toEqual([
      { field: 'price', spec: '5kg', before: '19.90', after: '29.90', percent: '+50.25' },
    ]);
    const pass = (caller: Caller, version = review.version) =>
      transaction(desk.mall.platform.database.db, (tx) =>
        passReview(tx, { caller, facts: FACTS }, review.id, version),
      );
    const author = {
      ...desk.alice,
      menus: new Map([...desk.alice.menus, ...desk.reviewer.menus]),
      elements: desk.reviewer.elements,
    };
    await expect(pass(author)).rejects.toMatchObject({
      status: 30101,
      label: ['不能审核自己提交的商品', expect.anything()],
    });
    await expect(pass(desk.alice)).rejects.toMatchObject({ http: 403 });
    await expect(
      pass({ ...desk.reviewer, tenantKind: 2, tenantId: desk.mall.ids.merchantB }),
    ).rejects.toMatchObject({
      http: 404,
    });
    await pass(desk.reviewer);
    const after = (await desk.mall.call(desk.alice, 'GET', `${root}/${row.id}`)).data;
    expect(after).toMatchObject({ price: '29.90', pendingChange: false, proposed: null, state: 'published' });
    await expect(pass(desk.reviewer)).rejects.toMatchObject({ status: 30101 });
  });

  test('a proposal changed after it was opened is refused, the next edit goes on from the proposal', async () => {
    const { db } = desk.mall.platform.database;
    await grantMenu(db, desk.alice.staffId, product.menu);
    await run(db, 'UPDATE staff SET all_projects = true WHERE id = $1', [desk.alice.staffId]);
    const row = await desk.published();
    const put = (version: number, more: object) =>
      desk.mall.call(desk.alice, 'PUT', `${root}/${row.id}`, { version, ...more });
    const first = (await put(row.version, { name: '五常大米' })).data;
    const opened = await desk.waiting(row.id);
    const second = (await put(first.version, { summary: '当季' })).data;
    expect(second.proposed).toMatchObject({ name: '五常大米', summary: '当季' });
    const pass = (version: number) =>
      transaction(desk.mall.platform.database.db, (tx) =>
        passReview(tx, { caller: desk.reviewer, facts: FACTS }, opened.id, version),
      );
    await expect(pass(opened.version)).rejects.toMatchObject({
      label: ['内容已被修改，请重新审核', expect.anything()],
    });
    await pass(opened.version + 1);
    const after = (await desk.mall.call(desk.alice, 'GET', `${root}/${row.id}`)).data;
    expect(after).toMatchObject({ name: '五常大米', summary: '当季' });
    // Back to the live values: nothing waits any more.
    const third = (await put(after.version, { name: '大米' })).data;
    expect((await put(third.version, { name: '五常大米' })).data).toMatchObject({ pendingChange: false });
    const told = async () =>
      (await runOne<{ n: number }>(
        db,
        `SELECT count(*) AS n FROM notification WHERE staff_id = $1 AND kind = 'productReview'`,
        [desk.alice.staffId],
      ))!.n;
    const before = await told();
    expect(before).toBeGreaterThan(0);
    // Who works elsewhere since is not told of goods it does not see any more; back there it is.
    await run(db, 'UPDATE staff SET all_projects = false WHERE id = $1', [desk.alice.staffId]);
    await desk.published({ name: '别处大米' });
    expect(await told()).toBe(before);
    const { north } = desk.mall.ids;
    await run(db, 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [
      desk.alice.staffId,
      north,
    ]);
    await desk.published({ name: '近处大米' });
    expect(await told()).toBe(before + 1);
    // Who may see goods no more is told nothing of them, whatever it sent in once.
    await takeAllGroups(db, desk.alice.staffId);
    await desk.published({ name: '秘密大米' });
    expect(await told()).toBe(before + 1);
  });

  test('specs and projects: added ones wait, removed projects leave at once, removed specs wait', async () => {
    const row = await desk.published({
      projects: [String(desk.mall.ids.north)],
      specs: [spec('5kg'), spec('10kg')],
    });
    const specs = [wire(row.specs[0]), spec('20kg', { stock: 8 })];
    const edited = await desk.mall.call(desk.alice, 'PUT', `${root}/${row.id}`, {
      version: row.version,
      specs,
      projects: [String(desk.mall.ids.south)],
    });
    expect(edited.data.projects).toEqual([]);
    expect(edited.data.specs.map((one: { name: string }) => one.name)).toEqual(['5kg', '10kg']);
    const review = await desk.waiting(row.id);
    expect(review.difference).toMatchObject([
      { field: 'projects', after: ['project P2'] },
      { field: 'specAdded', spec: '20kg' },
      { field: 'specRemoved', spec: '10kg' },
    ]);
    await transaction(desk.mall.platform.database.db, (tx) =>
      passReview(tx, { caller: desk.reviewer, facts: FACTS }, review.id, review.version),
    );
    const after = (await desk.mall.call(desk.alice, 'GET', `${root}/${row.id}`)).data;
    expect(after.projects).toEqual([{ id: String(desk.mall.ids.south), title: 'project P2' }]);
    expect(after.specs.map((one: { name: string }) => one.name)).toEqual(['5kg', '20kg']);
    expect(after.stock).toBe(108);
  });

  test('rejecting needs a reason and leaves the live version; a new product becomes rejected', async () => {
    const row = await desk.published();
    await desk.mall.call(desk.alice, 'PUT', `${root}/${row.id}`, { version: row.version, name: '新名字' });
    const change = await desk.waiting(row.id);
    const reject = (review: { id: number; version: number }, reason: string) =>
      transaction(desk.mall.platform.database.db, (tx) =>
        rejectReview(tx, { caller: desk.reviewer, facts: FACTS }, review.id, review.version, reason),
      );
    await expect(reject(change, '不行')).rejects.toMatchObject({ http: 422 });
    await reject(change, '名称含有夸大词');
    expect((await desk.mall.call(desk.alice, 'GET', `${root}/${row.id}`)).data).toMatchObject({
      name: '东北大米',
      state: 'published',
      pendingChange: false,
    });
    const fresh = await desk.created(desk.alice);
    await desk.mall.call(desk.alice, 'POST', `${root}/${fresh.id}/apply`, { version: fresh.version });
    await reject(await desk.waiting(fresh.id), '图片不清晰，请重拍');
    const after = (await desk.mall.call(desk.alice, 'GET', `${root}/${fresh.id}`)).data;
    expect(after.state).toBe('rejected');
    expect(after.reviews[0]).toMatchObject({
      state: 'rejected',
      reason: '图片不清晰，请重拍',
      reviewer: 'carol',
      applicant: 'alice',
    });
  });

  test('recall, take down, recycle, restore, copy', async () => {
    const row = await desk.created(desk.alice);
    const act = (name: string, version: number, more: object = {}) =>
      desk.mall.call(desk.alice, 'POST', `${root}/${row.id}/${name}`, { version, ...more });
    const applied = (await act('apply', row.version)).data;
    expect(applied.state).toBe('reviewing');
    expect(
      (await desk.mall.call(desk.alice, 'PUT', `${root}/${row.id}`, { version: applied.version, name: '改' }))
        .status,
    ).toBe(30101);
    const recalled = (await act('recall', applied.version)).data;
    expect(recalled.state).toBe('draft');
    const removed = await desk.mall.call(
      desk.alice,
      'DELETE',
      `${root}/${row.id}?version=${recalled.version}`,
    );
    expect(removed.http).toBe(200);
    const counts = (await desk.mall.call(desk.alice, 'GET', `${root}/counts`)).data;
    expect(counts.recycled).toBe(1);
    const bin = (await desk.mall.call(desk.alice, 'GET', `${root}/page?tab=recycled`)).data.rows[0];
    expect(bin.actions).toEqual(['restore']);
    expect((await act('apply', bin.version)).message).toContain('回收站');
    const restored = (await act('restore', bin.version)).data;
    expect(restored.state).toBe('off_shelf');
    const copied = await act('copy', restored.version);
    const copyRow = (await desk.mall.call(desk.alice, 'GET', `${root}/${copied.data.result.id}`)).data;
    expect(copyRow).toMatchObject({ name: '东北大米（副本）', state: 'draft', stock: 0, price: '19.90' });
    const live = await desk.published();
    await desk.mall.call(desk.alice, 'PUT', `${root}/${live.id}`, { version: live.version, name: '改' });
    expect(
      (await desk.mall.call(desk.alice, 'POST', `${root}/bulk/takeDown`, { ids: [live.id], input: {} })).http,
    ).toBe(422);
    const down = await desk.mall.call(desk.alice, 'POST', `${root}/bulk/takeDown`, {
      ids: [live.id, row.id],
      input: { reason: '换季下架' },
    });
    expect(down.data).toMatchObject({ done: [live.id], failed: [{ id: String(row.id) }] });
    expect((await desk.mall.call(desk.alice, 'GET', `${root}/${live.id}`)).data).toMatchObject({
      state: 'off_shelf',
      offReason: '换季下架',
      pendingChange: false,
    });
  });

  test('a suspended or closing merchant puts nothing on sale, neither by applying nor by a review that passes', async () => {
    const db = desk.mall.platform.database.db;
    const become = (state: string) =>
      run(db, `UPDATE tenant SET merchant_state = $2 WHERE id = $1`, [desk.mall.ids.merchantA, state]);
    const refused = { http: 409, message: '商户已停业或清退，不能发布' };
    const apply = (row: { id: string; version: number }) =>
      desk.mall.call(desk.alice, 'POST', `${root}/${row.id}/apply`, { version: row.version });
    const waiting = await desk.created(desk.alice);
    expect((await apply(waiting)).http).toBe(200);
    for (const state of ['suspended', 'closing', 'closed']) {
      await become(state);
      expect(await apply(await desk.created(desk.alice))).toMatchObject(refused);
    }
    const review = await desk.waiting(waiting.id);
    await expect(
      transaction(db, (tx) =>
        passReview(tx, { caller: desk.reviewer, facts: FACTS }, review.id, review.version),
      ),
    ).rejects.toMatchObject({ label: [refused.message, expect.anything()] });
    await become('operating');
  });

  test('a closed merchant edits but does not apply', async () => {
    const row = await desk.created(desk.alice);
    await run(desk.mall.platform.database.db, `UPDATE tenant SET state = 'closed' WHERE id = $1`, [
      desk.mall.ids.merchantA,
    ]);
    const edited = await desk.mall.call(desk.alice, 'PUT', `${root}/${row.id}`, {
      version: row.version,
      name: '打烊也能改',
    });
    expect(edited.http).toBe(200);
    expect(edited.data.actions).not.toContain('apply');
    const answer = await desk.mall.call(desk.alice, 'POST', `${root}/${row.id}/apply`, {
      version: edited.data.version,
    });
    expect(answer).toMatchObject({ http: 409, message: '商户已打烊，不能提交审核' });
    await run(desk.mall.platform.database.db, `UPDATE tenant SET state = 'open' WHERE id = $1`, [
      desk.mall.ids.merchantA,
    ]);
  });
});
