import { afterAll, beforeAll, expect, test } from 'vitest';
import { runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
}, 240_000);
afterAll(() => product?.close());

const idOf = async (text: string) =>
  String((await runOne<{ id: number }>(product.platform.database.db, text))!.id);
const call = async (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
  language: 'zh' | 'en' = 'zh',
) => {
  const answer = await product.app.inject({
    method,
    url: `/api${path}`,
    headers: { authorization: admin, 'accept-language': language },
    ...(body ? { payload: body } : {}),
  });
  return { http: answer.statusCode, ...answer.json<{ status: number; message: string; data: any }>() };
};

test('group 09 Must show 14: a kind that 3 contracts have stays, named with the count; disabled it is offered no more', async () => {
  const made = await call('POST', '/jinmao/web/bizDict', {
    parent: await idOf(`SELECT id FROM biz_dict WHERE code = 'contract_kind'`),
    val: 'mast',
    name: '基站',
    nameEn: 'Mast',
  });
  expect([made.http, made.message]).toEqual([200, '']);
  const kind = String(made.data.id);
  const project = await idOf('SELECT id FROM project ORDER BY id LIMIT 1');
  const add = (name: string) =>
    call('POST', '/jinmao/web/contractMine', {
      name,
      direction: 'income',
      kind,
      project,
      partyName: '某通信公司',
      startsOn: '2027-01-01',
      endsOn: '2027-12-31',
      priceBasis: 'month',
      payInterval: '1',
      payTiming: 'prepaid',
      dueOffset: 0,
      prorate: 'actual_month',
      positions: [],
    });
  const contracts: string[] = [];
  for (const name of ['基站合同一', '基站合同二', '基站合同三']) {
    const contract = await add(name);
    expect([contract.http, contract.message]).toEqual([200, '']);
    contracts.push(String(contract.data.id));
  }

  const refused = await call('DELETE', `/jinmao/web/bizDict/${kind}`);
  expect([refused.http, refused.status, refused.message]).toEqual([
    409,
    30101,
    '已被 3 个合同 使用，不能删除',
  ]);
  expect((await call('DELETE', `/jinmao/web/bizDict/${kind}`, undefined, 'en')).message).toBe(
    'Used by 3 × contract, it cannot be deleted',
  );
  expect((await call('GET', `/jinmao/web/bizDict/${kind}`)).data.used).toBe(3);

  const offered = async () =>
    ((await call('GET', '/jinmao/web/options/bizDict.contract_kind?limit=200')).data as { id: string }[])
      .map((one) => one.id)
      .includes(kind);
  expect(await offered()).toBe(true);
  expect((await call('POST', `/jinmao/web/bizDict/${kind}/disable`, {})).http).toBe(200);
  expect(await offered()).toBe(false);
  // Nor does a call take it; what holds it keeps its label in both languages, in lists and in files.
  const late = await add('基站合同四');
  expect([late.http, late.data]).toMatchObject([422, { fields: { kind: '该选项已停用，请选择其他值' } }]);
  const held = await call('GET', `/jinmao/web/contractMine/${contracts[0]}`);
  expect(held.data.kind).toEqual({ id: kind, title: '基站', titleEn: 'Mast' });
  const listed = await call(
    'GET',
    `/jinmao/web/contractMine/page?searchVal=${encodeURIComponent('基站合同一')}`,
  );
  expect(listed.data.rows[0].kind).toEqual({ id: kind, title: '基站', titleEn: 'Mast' });
});
