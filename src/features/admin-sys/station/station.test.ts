import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineRegistration, type Registration } from '../../../kernel/server/registration.ts';
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

const byId = (a: { id: string }, b: { id: string }) => Number(a.id) - Number(b.id);

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
  const declaring = defineRegistration({
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
  (platform.registrations as Registration[]).push(declaring);
  try {
    expect((await change({ type: 'repair' })).message).toBe('请先解除楼栋');
    expect((await change({ name: '金牌管家', type: 'housekeeper' })).http).toBe(200);
    buildings = 0;
    expect((await change({ type: 'repair' })).data.type).toBe('repair');
  } finally {
    (platform.registrations as Registration[]).splice(platform.registrations.indexOf(declaring), 1);
  }
});

test('whoever gets or loses a post has it in the own timeline, and the audit records name them', async () => {
  const { db } = bench.product.platform.database;
  const id = (await add({ code: 'S3', name: '门岗' })).data.id as string;
  const { id: other } = (await runOne<{ id: number }>(
    db,
    `INSERT INTO station (tenant_id, code, name, type) VALUES ($1, 'S4', '夜班', 'repair') RETURNING id`,
    [bench.tenantId],
  ))!;
  const { anna, ben, chief } = bench.staff as Record<string, number>;
  await run(db, 'DELETE FROM staff_station WHERE staff_id = ANY($1)', [[anna, ben]]);
  await run(db, 'INSERT INTO staff_station (staff_id, station_id) VALUES ($1, $2)', [anna, other]);
  // Who sees no staff and keeps the own posts only.
  await run(db, `UPDATE station SET created_by = $2 WHERE id = $1`, [id, chief]);
  await run(
    db,
    `WITH g AS (INSERT INTO permission_group (type_id, tenant_id, code, name)
         SELECT id, $1, 'post_keeper', '岗位管理' FROM group_type WHERE code = 'role' RETURNING id),
       m AS (INSERT INTO menu_grant (group_id, menu_code, data_scope) SELECT id, 'stationManage', 'self' FROM g),
       e AS (INSERT INTO element_grant (group_id, element_code) SELECT id, 'stationManage:btn_user' FROM g)
     INSERT INTO group_member (group_id, staff_id) SELECT id, $2 FROM g`,
    [bench.tenantId, chief],
  );
  bench.product.platform.changed('session');
  const bind = async (...staff: number[]) => {
    const { http, message } = await bench.call('POST', `/admin/station/${id}/bindStaff`, 'chief', {
      staff: staff.map(String),
    });
    expect([http, message]).toEqual([200, '']);
  };
  const versions = () =>
    run<{ version: number }>(db, 'SELECT version FROM staff WHERE id = ANY($1) ORDER BY id', [
      [anna, ben].sort((a, b) => a! - b!),
    ]).then((rows) => rows.map((row) => row.version));
  const told = (staff: number) =>
    run<{ who: string; action: string; changes: { field: string }[] }>(
      db,
      `SELECT staff_id AS who, action, changes FROM entity_event WHERE entity = 'staff' AND entity_id = $1 AND action = 'bindStaff' AND staff_id = $2 ORDER BY id`,
      [staff, chief],
    );
  const audited = () =>
    run<{ id: string }>(
      db,
      `SELECT entity_id AS id, before, after FROM audit_record
        WHERE entity = 'staff' AND action = 'bindStaff' AND menu = 'stationManage' AND staff_id = $1 ORDER BY audit_record.id`,
      [chief],
    );
  const [post, night] = [
    { id, title: '门岗' },
    { id: String(other), title: '夜班' },
  ];
  const before = await versions();
  await bind(anna!, ben!);
  await bind(anna!, ben!);
  await bind(ben!);
  const change = (had: object[], has: object[]) => ({
    who: chief,
    action: 'bindStaff',
    changes: [{ field: 'stations', before: had, after: has }],
  });
  const ofAnna = [change([night], [post, night].sort(byId)), change([post, night].sort(byId), [night])];
  expect(await told(anna!)).toEqual(ofAnna);
  expect(await told(ben!)).toEqual([change([], [post])]);
  const records = await audited();
  expect(records.map((record) => record.id).sort()).toEqual([anna, anna, ben].map(String).sort());
  expect(records.at(-1)).toEqual({
    id: String(anna),
    before: { stations: ofAnna[1]!.changes[0]!.before },
    after: { stations: [night] },
  });
  // Whoever has the form of one of them open is told that it changed.
  const both = [anna, ben].sort((a, b) => a! - b!);
  expect(await versions()).toEqual(before.map((one, index) => one + (both[index] === anna ? 2 : 1)));
  // The staff's own timeline says it in words, and that of the post names who came and went.
  const shown = await bench.call('GET', `/admin/staff/${anna}/timeline`, 'admin');
  expect(JSON.stringify(shown.data)).toContain('门岗');
  const remarks = await run<{ remark: string }>(
    db,
    `SELECT remark FROM entity_event WHERE entity = 'station' AND entity_id = $1 AND action = 'bindStaff' ORDER BY id`,
    [Number(id)],
  );
  expect(remarks.map((one) => one.remark)).toEqual(['+ 孙安、李本', '', '− 孙安']);
  // Deleting the post takes it from those who have left too.
  await bind();
  await run(db, 'INSERT INTO staff_station (staff_id, station_id) VALUES ($1, $2)', [anna, Number(id)]);
  await run(db, `UPDATE staff SET state = 'left' WHERE id = $1`, [anna]);
  const gone = await bench.call('DELETE', `/admin/station/${id}`, 'admin');
  expect([gone.http, gone.message]).toEqual([200, '']);
  await run(db, `UPDATE staff SET state = 'normal' WHERE id = $1`, [anna]);
  const last = await runOne<{ action: string; changes: unknown }>(
    db,
    `SELECT action, changes FROM entity_event WHERE entity = 'staff' AND entity_id = $1 ORDER BY id DESC LIMIT 1`,
    [anna],
  );
  expect(last).toEqual({
    action: 'bindStaff',
    changes: [{ field: 'stations', before: ofAnna[1]!.changes[0]!.before, after: [night] }],
  });
});
