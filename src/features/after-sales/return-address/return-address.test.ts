import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { openCases } from '../case/case-fixture.ts';

let shop: Awaited<ReturnType<typeof openCases>>;
let clerk: Awaited<ReturnType<typeof shop.staff>>;
beforeAll(async () => {
  shop = await openCases();
  clerk = await shop.staff({ merchant: 1 });
});
afterAll(() => shop.close());

const ROOT = '/jinmao/web/returnAddress';
const body = (more: Record<string, unknown> = {}) => ({
  merchant: String(shop.ids.merchants[1]),
  use: 'return',
  receiver: '李仓管',
  phone: '021-66668888',
  region: String(shop.region),
  address: '仓储路1号B库',
  ...more,
});
const make = (more: Record<string, unknown> = {}) => shop.call(clerk, 'POST', ROOT, body(more));
const defaults = () =>
  run<{ id: number }>(
    shop.db,
    `SELECT id FROM return_address WHERE tenant_id = $1 AND use = 'return' AND is_default ORDER BY id`,
    [shop.ids.merchants[1]],
  );

test('a merchant writes its own addresses alone; a region is a district, a phone mobile or landline', async () => {
  expect((await make({ isDefault: true })).http).toBe(200);
  expect((await make({ merchant: String(shop.ids.merchants[0]) })).http).not.toBe(200);
  const foreign = await runOne<{ id: number }>(
    shop.db,
    'SELECT id FROM return_address WHERE tenant_id = $1',
    [shop.ids.merchants[0]],
  );
  expect((await shop.call(clerk, 'GET', `${ROOT}/${foreign!.id}`)).http).toBe(404);
  const city = await runOne<{ id: number }>(shop.db, `SELECT id FROM region WHERE code = '990100'`);
  expect((await make({ region: String(city!.id) })).data.fields).toHaveProperty('region');
  expect((await make({ phone: '12345' })).data.fields).toHaveProperty('phone');
});

test('ten at once make theirs the default: one default, never two', async () => {
  const made = await Promise.all(Array.from({ length: 5 }, () => make()));
  const ids = made.map((one) => Number(one.data.id));
  await Promise.all([...ids, ...ids].map((id) => shop.call(clerk, 'POST', `${ROOT}/${id}/setDefault`, {})));
  expect(await defaults()).toHaveLength(1);
  await expect(
    run(shop.db, `UPDATE return_address SET is_default = true WHERE tenant_id = $1 AND use = 'return'`, [
      shop.ids.merchants[1],
    ]),
  ).rejects.toThrow('return_address_one_default');
});

test('the default can be neither disabled nor deleted, nor lose its mark: 请先设置其他默认地址', async () => {
  const [one] = await defaults();
  const before = await shop.call(clerk, 'GET', `${ROOT}/${one!.id}`);
  const said = [
    await shop.call(clerk, 'POST', `${ROOT}/${one!.id}/disable`, {}),
    await shop.call(clerk, 'DELETE', `${ROOT}/${one!.id}?version=${before.data.version}`),
  ];
  expect(said.map((answer) => answer.message)).toEqual(['请先设置其他默认地址', '请先设置其他默认地址']);
  const changed = await shop.call(clerk, 'PUT', `${ROOT}/${one!.id}`, {
    isDefault: false,
    version: before.data.version,
  });
  expect(changed.message).toBe('请先设置其他默认地址');
});

test('an address of a live case is deleted, the case keeps its copy', async () => {
  const seller = await shop.staff({ merchant: 0 });
  const spare = await shop.call(
    seller,
    'POST',
    ROOT,
    body({ address: '备用路99号仓', merchant: String(shop.ids.merchants[0]) }),
  );
  const made = await shop.order([{ name: 'A', price: 2_000, qty: 1, shipped: 1 }], shop.received);
  const { id } = await shop.apply(made);
  expect((await shop.act(seller, id, 'agree', { address: spare.data.id })).http).toBe(200);
  expect((await shop.call(seller, 'DELETE', `${ROOT}/${spare.data.id}?version=1`)).http).toBe(200);
  expect(await shop.row(id)).toMatchObject({
    return_address_id: null,
    return_address: { receiver: '李仓管', address: '备用路99号仓' },
  });
});

test('at most 20 of a merchant, also when 30 are made at once', async () => {
  const answers = await Promise.all(Array.from({ length: 30 }, () => make({ use: 'send' })));
  const count = await runOne<{ n: number }>(
    shop.db,
    'SELECT count(*)::int AS n FROM return_address WHERE tenant_id = $1',
    [shop.ids.merchants[1]],
  );
  expect(count!.n).toBe(20);
  const refused = answers.find((one) => one.http !== 200)!;
  expect(refused.message).toBe('每个商户最多20个地址');
});
