import { afterAll, beforeAll, expect, test } from 'vitest';
import { openOvertimeBench, type OvertimeBench } from '../overtime/overtime-bench.ts';

let bench: OvertimeBench;
beforeAll(async () => {
  bench = await openOvertimeBench();
});
afterAll(() => bench?.product.close());

const list = async () => (await bench.call('GET', '/admin/groupType/page', 'admin')).data.rows as Type[];
interface Type {
  readonly id: string;
  readonly number: string;
  readonly code: string;
  readonly name: string;
  readonly nameEn: string;
  readonly version: number;
  readonly updatedAddress: string;
}

test('of a built-in type the names change and nothing else; a used type is not deleted', async () => {
  const role = (await list()).find((one) => one.code === 'role')!;
  expect([role.number, role.nameEn]).toEqual([role.id, 'Roles']);
  const save = (input: object) => bench.call('PUT', `/admin/groupType/${role.id}`, 'admin', input);
  const refused = await save({ version: role.version, description: '别的说明' });
  expect([refused.status, refused.message]).toEqual([30101, '内置类型只能修改名称']);
  const saved = await save({ version: role.version, name: '岗位角色', nameEn: 'Post roles' });
  expect([saved.data.name, saved.data.nameEn, saved.data.updatedAddress]).toEqual([
    '岗位角色',
    'Post roles',
    '127.0.0.1',
  ]);
  const tree = await bench.call('GET', '/admin/permissionGroup/tree', 'admin');
  expect((tree.data.types as Type[]).find((one) => one.code === 'role')).toMatchObject({
    nameEn: 'Post roles',
  });
  expect((await bench.call('DELETE', `/admin/groupType/${role.id}`, 'admin')).message).toBe(
    '内置类型不能删除',
  );
});

test('Bad input, deleting what is in use: a type with groups stays; without an English name the English page shows the name', async () => {
  const made = await bench.call('POST', '/admin/groupType', 'admin', {
    code: 'shift',
    name: '班组类型',
    description: '按班组',
  });
  expect(made.data.nameEn).toBe('');
  const emptied = await bench.call('PUT', `/admin/groupType/${String(made.data.id)}`, 'admin', {
    version: made.data.version,
    nameEn: null,
  });
  expect(emptied.http).toBe(200);
  const tree = await bench.call('GET', '/admin/permissionGroup/tree', 'admin');
  expect((tree.data.types as Type[]).find((one) => one.code === 'shift')).toMatchObject({
    nameEn: '班组类型',
  });
  const group = await bench.call('POST', '/admin/permissionGroup', 'admin', {
    type: 'shift',
    name: '早班',
    code: 'early_shift',
  });
  expect(group.http).toBe(200);
  expect((await bench.call('DELETE', `/admin/groupType/${String(made.data.id)}`, 'admin')).message).toBe(
    '该类型下有角色，不能删除',
  );
});
