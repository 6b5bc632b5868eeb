import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run } from '../../../kernel/server/database.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { registration } from './merchant-list.server.ts';

const PATH = '/jinmao/web/baseTenantContract/getMerchantListPc';
let mall: Mall;
beforeAll(async () => {
  mall = await openMall([registration]);
  await run(mall.platform.database.db, `UPDATE tenant SET licence_no = '91310000MA1K35PT0X' WHERE kind = 2`);
});
afterAll(() => mall.close());

const staff = (more: Partial<Caller>, menus: readonly string[] = []) =>
  callerOf({ staffId: 5, tenantId: 1, ...more }, menus);
const rowsOf = async (caller: Caller, query = '') =>
  (await mall.call(caller, 'GET', `${PATH}?limit=200${query}`)).data.rows as Record<string, unknown>[];

test('names of projects are those the caller works in; asked for others, no merchant answers', async () => {
  const { north, south, merchantA } = mall.ids;
  const nameOf = async (caller: Caller) =>
    (await rowsOf(caller)).find((row) => row.id === String(merchantA))!.projectName;
  expect(await nameOf(staff({}))).toBe('project P1、project P2');
  const limited = staff({ tenantKind: 1, projectIds: [north] });
  expect(await nameOf(limited)).toBe('project P1');
  expect(await rowsOf(limited, `&projectId=${south}`)).toEqual([]);
  expect(await rowsOf(limited, `&projectId=${north}`)).not.toEqual([]);
  expect((await rowsOf(staff({}), `&projectId=${south}`)).map((row) => row.id)).toEqual([String(merchantA)]);
});

test('the licence number is told to those whose menu shows it, the field is always there', async () => {
  const licences = async (caller: Caller) => new Set((await rowsOf(caller)).map((row) => row.licenceNo));
  expect(await licences(staff({}))).toEqual(new Set([null]));
  // A merchant sees its own.
  const own = staff({ tenantId: mall.ids.merchantA, tenantKind: 2 });
  expect(await licences(own)).toEqual(new Set(['91310000MA1K35PT0X']));
  for (const menu of ['ssm_merchantManager', 'selfMerchants', 'residentMerchants'])
    expect(await licences(staff({}, [menu])), menu).toEqual(new Set(['91310000MA1K35PT0X']));
});

test('the state is that of the merchant, as its list shows it', async () => {
  const { merchantA, merchantB } = mall.ids;
  await run(mall.platform.database.db, `UPDATE tenant SET merchant_state = 'suspended' WHERE id = $1`, [
    merchantA,
  ]);
  await run(mall.platform.database.db, `UPDATE tenant SET merchant_state = 'operating' WHERE id = $1`, [
    merchantB,
  ]);
  const rows = await rowsOf(staff({}), '&state=suspended');
  expect(rows.map((row) => [row.id, row.state, row.stateDesc])).toEqual([
    [String(merchantA), 'suspended', '已停业'],
  ]);
  expect((await mall.call(staff({}), 'GET', `${PATH}?state=open`)).http).toBe(422);
});
