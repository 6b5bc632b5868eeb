import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineService, type Service } from '../../../kernel/server/service.ts';
import { openOvertimeBench, type OvertimeBench } from '../overtime/overtime-bench.ts';

let bench: OvertimeBench;
beforeAll(async () => {
  bench = await openOvertimeBench();
});
afterAll(() => bench?.product.close());

const add = (input: Record<string, unknown> = {}) =>
  bench.call('POST', '/admin/station', 'admin', {
    code: 'S1',
    name: '维修工',
    type: 'repair',
    planned: 3,
    departments: [String(bench.departmentId)],
    ...input,
  });

test('posts are unique by code, carry departments, and count their staff', async () => {
  const added = await add();
  expect([added.http, added.data.departments]).toEqual([
    200,
    [{ id: String(bench.departmentId), title: '工程部' }],
  ]);
  expect((await add()).message).toBe('编码已存在');
  expect((await add({ code: 'S2', type: 'wizard' })).http).toBe(422);
  expect((await add({ code: 'S2', planned: 1000 })).http).toBe(422);
  expect((await add({ code: 'S2', departments: ['99999'] })).http).toBe(404);
  const id = added.data.id as string;
  const bound = await bench.call('POST', `/admin/station/${id}/bindStaff`, 'admin', {
    staff: [String(bench.staff.anna), String(bench.staff.ben)],
  });
  expect(bound.data.staffCount).toBe(2);
  expect(
    (
      await bench.call('POST', `/admin/station/${id}/bindStaff`, 'admin', {
        staff: [String(bench.staff.ben)],
      })
    ).data.staffCount,
  ).toBe(1);
  expect(
    (await bench.call('POST', `/admin/station/${id}/bindStaff`, 'admin', { staff: ['99999'] })).http,
  ).toBe(404);
  const found = await bench.call(
    'GET',
    `/admin/station/page?departments=${bench.departmentId}&searchVal=维修`,
    'admin',
  );
  expect(found.data.total).toBe(1);
});

test('Bad input, deleting what is in use: a post with staff is not deleted; emptied it is, and an update keeps what was not sent', async () => {
  const { id } = (await runOne<{ id: number }>(
    bench.product.platform.database.db,
    `SELECT id FROM station WHERE code = 'S1'`,
  ))!;
  const refused = await bench.call('DELETE', `/admin/station/${id}?version=1`, 'admin');
  expect(refused.status).toBe(30101);
  const row = await bench.call('GET', `/admin/station/${id}`, 'admin');
  expect(row.data.actions).not.toContain('remove');
  const saved = await bench.call('PUT', `/admin/station/${id}`, 'admin', {
    version: row.data.version,
    name: '高级维修工',
  });
  expect([saved.data.name, saved.data.departments]).toEqual(['高级维修工', row.data.departments]);
  await bench.call('POST', `/admin/station/${id}/bindStaff`, 'admin', { staff: [] });
  const now = await bench.call('GET', `/admin/station/${id}`, 'admin');
  expect(
    (await bench.call('DELETE', `/admin/station/${id}?version=${String(now.data.version)}`, 'admin')).http,
  ).toBe(200);
  expect(await run(bench.product.platform.database.db, 'SELECT 1 FROM station WHERE id = $1', [id])).toEqual(
    [],
  );
});

test('posts of another tenant answer 404', async () => {
  const { db } = bench.product.platform.database;
  const tenant = await runOne<{ id: number }>(
    db,
    `INSERT INTO tenant (kind, account, name) VALUES (2, 'M8', '商户') RETURNING id`,
  );
  const foreign = await runOne<{ id: number }>(
    db,
    `INSERT INTO station (tenant_id, code, name, type) VALUES ($1, 'F1', '店长', 'merchant') RETURNING id`,
    [tenant!.id],
  );
  expect((await bench.call('GET', `/admin/station/${foreign!.id}`, 'admin')).http).toBe(404);
  expect(
    (await bench.call('POST', `/admin/station/${foreign!.id}/bindStaff`, 'admin', { staff: [] })).http,
  ).toBe(404);
});

test('the type of a post stays while its staff hold something because of it', async () => {
  const { platform } = bench.product;
  const made = await add({ code: 'HK1', name: '管家', type: 'housekeeper' });
  const id = String(made.data.id);
  await bench.call('POST', `/admin/station/${id}/bindStaff`, 'admin', { staff: [String(bench.staff.anna)] });
  const change = async (input: object) => {
    const row = await bench.call('GET', `/admin/station/${id}`, 'admin');
    return bench.call('PUT', `/admin/station/${id}`, 'admin', { version: row.data.version, ...input });
  };
  // Buildings of housekeepers belong to another group; here a service of the test declares them.
  let buildings = 2;
  const declaring = defineService({
    endpoints: [],
    stationHolds: [
      {
        type: 'housekeeper',
        refusal: ['请先解除楼栋', 'Release buildings first'],
        count: async (db, stationId) =>
          (await run(db, 'SELECT 1 FROM staff_station WHERE station_id = $1', [stationId])).length *
          buildings,
      },
    ],
  });
  (platform.services as Service[]).push(declaring);
  try {
    expect((await change({ type: 'repair' })).message).toBe('请先解除楼栋');
    expect((await change({ name: '金牌管家', type: 'housekeeper' })).http).toBe(200);
    buildings = 0;
    expect((await change({ type: 'repair' })).data.type).toBe('repair');
  } finally {
    (platform.services as Service[]).splice(platform.services.indexOf(declaring), 1);
  }
});
