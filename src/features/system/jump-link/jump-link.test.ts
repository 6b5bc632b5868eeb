import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { filledLink, placesOf, templateProblem } from './jump-link.rules.ts';

let product: TestProduct;
let admin: string;
beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
});
afterAll(() => product?.close());

const LINK = {
  code: 'test_goods',
  name: '测试商品',
  ios: 'owner-app://goods?id={id}',
  android: 'owner-app://goods?id={id}',
  h5: 'https://h5.example.com/goods?id={id}&from={from}',
  miniProgram: 'pages/goods/index?id={id}',
  parameters: [
    { name: 'id', required: true, sample: '1' },
    { name: 'from', required: false, sample: '' },
  ],
};
const add = (input: object = {}) =>
  product.call(admin, 'POST', '/jinmao/web/jumpLink', { ...LINK, ...input });

describe('templates', () => {
  const parameters = [{ name: 'id' }];
  const problem = (
    platform: 'ios' | 'h5' | 'miniProgram',
    template: string,
    schemes = ['https', 'app schemes'],
  ) => templateProblem(platform, template, parameters, schemes)?.[1];

  test('schemes that run code or read files are refused in every spelling, the web takes https only', () => {
    for (const template of [
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'vbscript:x',
      'http://x.cn',
    ])
      expect([template, problem('ios', template)]).toEqual([
        template,
        expect.stringContaining('is not allowed'),
      ]);
    for (const template of [
      'java\tscript:alert(1)',
      ' javascript:x',
      '\u200bhttps://x.cn',
      'https://x.cn/\n',
    ])
      expect(problem('ios', template)).toContain('invisible');
    expect(problem('ios', '//x.cn')).toContain('whole link');
    expect([problem('ios', 'owner-app://x'), problem('h5', 'owner-app://x')]).toEqual([
      undefined,
      'The scheme owner-app is not allowed',
    ]);
    expect(problem('ios', 'owner-app://x', ['https'])).toContain('not allowed');
    expect([problem('miniProgram', 'pages/a/b?id={id}'), problem('miniProgram', 'https://x.cn')]).toEqual([
      undefined,
      'Please enter a page path such as pages/home/index',
    ]);
    expect(problem('h5', 'https://x.cn/{other}')).toBe('The parameter other is not defined');
  });

  test('places are filled with encoded values', () => {
    expect(placesOf('a={id}&b={id}&c={x}')).toEqual(['id', 'x']);
    expect(filledLink('https://x.cn?id={id}&x={x}', { id: '1&2 3' })).toBe('https://x.cn?id=1%262%203&x=');
  });
});

test('a link keeps its parameters in order; bad templates are told at their fields, foreign parameters too', async () => {
  const made = await add();
  expect([made.http, made.data.parameters.map((one: { name: string }) => one.name)]).toEqual([
    200,
    ['id', 'from'],
  ]);
  expect((await add()).data.fields.code).toBe('编码已存在');
  const bad = await add({ code: 'test_bad', ios: 'javascript:alert(1)', h5: 'http://x.cn' });
  expect([bad.http, Object.keys(bad.data.fields).sort()]).toEqual([422, ['h5', 'ios']]);
  expect((await add({ code: 'test_bad', parameters: [] })).data.fields.ios).toBe('参数 id 未定义');
  expect(
    (await add({ code: 'test_bad', parameters: [...LINK.parameters, { name: 'id' }] })).data.fields
      .parameters,
  ).toBe('参数 id 重复');
  expect((await add({ code: 'test_bad', parameters: [...LINK.parameters, { name: 'extra' }] })).message).toBe(
    '参数 extra 未在任何链接中使用',
  );
  // A change of one template is checked against the parameters that stand.
  const changed = await product.call(admin, 'PUT', `/jinmao/web/jumpLink/${made.data.id}`, {
    version: 1,
    ios: 'owner-app://{nope}',
  });
  expect(changed.data.fields.ios).toBe('参数 nope 未定义');
  const saved = await product.call(admin, 'PUT', `/jinmao/web/jumpLink/${made.data.id}`, {
    version: 1,
    parameters: [made.data.parameters[1], made.data.parameters[0]],
  });
  expect(saved.data.parameters.map((one: { name: string }) => one.name)).toEqual(['from', 'id']);
});

test('pickers offer enabled links; a disabled one keeps its name where it is used', async () => {
  const options = async (query: string) =>
    (await product.call(admin, 'GET', `/jinmao/web/options/jumpLink?${query}`)).data as {
      id: string;
      title: string;
    }[];
  const [one] = await options('searchVal=商品详情');
  expect(one!.title).toBe('商品详情');
  await product.call(admin, 'POST', `/jinmao/web/jumpLink/${one!.id}/disable`, {});
  expect((await options('searchVal=商品详情')).map((each) => each.id)).not.toContain(one!.id);
  expect((await options(`ids=${one!.id}`))[0]!.title).toBe('商品详情');
});

test('a link tells who leads to it, and stays while somebody does', async () => {
  const made = (await add({ code: 'test_used' })).data;
  const { db } = product.platform.database;
  await run(
    db,
    `INSERT INTO launch_advert (title, android_image_id, ios_image_id, starts_at, ends_at, jump, jump_link_id)
     SELECT title, android_image_id, ios_image_id, starts_at, ends_at, 'link', $1 FROM launch_advert ORDER BY id LIMIT 1`,
    [made.id],
  );
  const row = (await product.call(admin, 'GET', `/jinmao/web/jumpLink/page?code=test_used`)).data.rows[0];
  expect(row.used).toBe(1);
  expect((await product.call(admin, 'GET', `/jinmao/web/jumpLink/${made.id}/usage`)).data).toEqual([
    { noun: '启动页', count: 1 },
  ]);
  const refused = await product.call(
    admin,
    'DELETE',
    `/jinmao/web/jumpLink/${made.id}?version=${made.version}`,
  );
  expect([refused.http, refused.message]).toEqual([409, '已被 1 个启动页 使用，不能删除']);
});
