import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { openOvertimeBench, type OvertimeBench } from '../overtime/overtime-bench.ts';

let bench: OvertimeBench;
beforeAll(async () => {
  bench = await openOvertimeBench();
});
afterAll(() => bench?.product.close());

const bulk = (action: string, input: object) =>
  bench.call('POST', `/admin/staff/bulk/${action}`, 'admin', {
    ids: [String(bench.staff.anna), String(bench.staff.ben)],
    input,
  });

test('a group is added to and removed from many staff, the rest of their groups stay', async () => {
  const { db } = bench.product.platform.database;
  const group = await runOne<{ id: number }>(
    db,
    `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT id, $1, 'extra', '附加' FROM group_type WHERE code = 'role' RETURNING id`,
    [bench.tenantId],
  );
  const groups = async () =>
    (
      await run<{ code: string }>(
        db,
        'SELECT g.code FROM group_member m JOIN permission_group g ON g.id = m.group_id WHERE m.staff_id = $1 ORDER BY g.code',
        [bench.staff.anna],
      )
    ).map((row) => row.code);
  expect((await bulk('changeGroups', { group: String(group!.id) })).data).toMatchObject({ failed: [] });
  expect(await groups()).toEqual(['extra', 'overtime']);
  expect((await bulk('changeGroups', { group: String(group!.id), remove: true })).data).toMatchObject({
    failed: [],
  });
  expect(await groups()).toEqual(['overtime']);
});

test('many staff move to another department; an unknown one fails for each', async () => {
  const { db } = bench.product.platform.database;
  const top = await runOne<{ id: number }>(db, `SELECT id FROM department WHERE code = 'TOP'`);
  expect((await bulk('assignDepartment', { department: String(top!.id) })).data).toMatchObject({
    failed: [],
  });
  expect(await runOne(db, 'SELECT department_id FROM staff WHERE id = $1', [bench.staff.ben])).toEqual({
    department_id: top!.id,
  });
  expect((await bulk('assignDepartment', { department: '99999' })).data.failed).toHaveLength(2);
});

test('one session is ended with 40001, the own one and somebody else’s are not', async () => {
  expect((await bench.call('GET', '/admin/user/front/info', 'chief')).http).toBe(200);
  const sessions = (await bench.call('GET', `/admin/staff/${bench.staff.chief}/sessions`, 'admin'))
    .data as unknown as { id: string }[];
  const end = (staffId: number | undefined, sessionId: string) =>
    bench.call('POST', `/admin/staff/${staffId}/endSession`, 'admin', { sessionId });
  expect((await end(bench.staff.anna, sessions[0]!.id)).http).toBe(404);
  expect((await end(bench.staff.chief, sessions[0]!.id)).http).toBe(200);
  const after = await bench.call('GET', '/admin/user/front/info', 'chief');
  expect([after.http, after.status]).toEqual([401, 40001]);
});
