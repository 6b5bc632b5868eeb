import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../../../kernel/server/database.ts';
import { makeRoles } from '../../../testing/roles.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
beforeAll(async () => {
  product = await startTestProduct();
  await makeRoles(product.platform.database.db);
  await run(
    product.platform.database.db,
    `UPDATE staff SET phone = CASE account WHEN 'mall1' THEN '13812345678' ELSE '13912345678' END,
            staff_no = CASE account WHEN 'mall1' THEN 'E900017' ELSE staff_no END WHERE account IN ('mall1', 'merchant1')`,
  );
}, 180_000);
afterAll(() => product?.close());

const search = async (account: string, keyword: string) =>
  (
    await product.app.inject({
      url: `/api/admin/search?keyword=${encodeURIComponent(keyword)}`,
      headers: { authorization: await product.signIn(account) },
    })
  ).json<{ data: { kind: string; code: string; title: string; route: string }[] }>().data;

it('finds staff by the whole phone, masked, once, on the screen that can change them', async () => {
  const [found, ...more] = await search('admin', '13812345678');
  expect(more).toEqual([]);
  expect(found).toMatchObject({ kind: '员工', code: '138****5678' });
  expect(found!.route).toMatch(/^\/adminSys\/userManager\?detail=\d+$/);
  expect(JSON.stringify(found)).not.toContain('13812345678');
  // Staff of other companies stand on the screen of all staff.
  expect((await search('admin', '13912345678'))[0]!.route).toMatch(/^\/adminSys\/allUserManager\?detail=/);
});

it('finds nothing by a part of a phone, outside the scope or without the menu', async () => {
  expect(await search('admin', '1381234567')).toEqual([]);
  expect(await search('merchant1', '13812345678')).toEqual([]);
  expect(await search('role_nobody', '13812345678')).toEqual([]);
});

it('finds staff by their number in any case', async () => {
  expect(await search('admin', 'e900017')).toMatchObject([{ code: 'E900017' }]);
  expect(await search('admin', 'E90001')).toEqual([]);
});
