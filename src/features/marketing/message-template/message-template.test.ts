import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { smsSegments, smsText } from '../../../domain/message-send/message.rules.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ROOT = '/jinmao/web/messageTemplate';
let product: TestProduct;
let admin: string;
const db = () => product.platform.database.db;
beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
});
afterAll(() => product.close());

const form = (more: object = {}) => ({
  name: '秋日满减',
  category: 'marketing',
  channels: ['2'],
  variables: [{ name: 'name', type: 'text', sample: '满150减30', fallback: '优惠' }],
  smsSign: '金茂',
  smsBody: '亲爱的{{nickname}}，{{name}}已上线',
  ...more,
});
const add = (more: object = {}) => product.call(admin, 'POST', ROOT, form(more));
const rowOf = async (id: string) => (await product.call(admin, 'GET', `${ROOT}/${id}`)).data;
const act = async (id: string, action: string, input: object = {}) =>
  product.call(admin, 'POST', `${ROOT}/${id}/${action}`, { version: (await rowOf(id)).version, ...input });

test('group 16 Must show 15: {{nmae}} that is not defined is refused at the field', async () => {
  const wrong = await add({ smsBody: '亲爱的{{nmae}}' });
  expect([wrong.http, wrong.data.fields]).toEqual([422, { smsBody: '变量 {{nmae}} 未定义' }]);
  const open = await add({ smsBody: '亲爱的{{name' });
  expect(open.data.fields.smsBody).toBe('变量 {{name}} 未定义');
  expect((await add()).http).toBe(200);
});

test('every chosen channel has to be written, and only those', async () => {
  const missing = await add({ channels: ['1', '3'] });
  expect(Object.keys(missing.data.fields).sort()).toEqual([
    'inAppBody',
    'inAppTitle',
    'pushBody',
    'pushTitle',
  ]);
});

test('a change of an enabled template makes a new version; one of an event stays enabled without another', async () => {
  const event = String(
    (await runOne<{ id: number }>(db(), `SELECT id FROM message_event WHERE code = 'group_failed'`))!.id,
  );
  const one = String((await add({ name: '拼团失败一', event, category: 'business' })).data.id);
  expect((await act(one, 'enable')).http).toBe(200);
  const before = await rowOf(one);
  await product.call(admin, 'PUT', `${ROOT}/${one}`, { name: '拼团失败甲', version: before.version });
  expect((await rowOf(one)).versionNo).toBe(2);
  const refused = await act(one, 'disable');
  expect([refused.status, refused.message]).toEqual([30101, '该事件没有其他启用的模板，不能停用']);
  const two = String((await add({ name: '拼团失败二', event, category: 'business' })).data.id);
  await act(two, 'enable');
  expect((await act(one, 'disable')).http).toBe(200);
});

test('a test goes to named members only, marked as such', async () => {
  const id = String((await add({ name: '测试用' })).data.id);
  const member = (await runOne<{ id: number; phone: string }>(
    db(),
    'SELECT id, phone FROM member ORDER BY id LIMIT 1',
  ))!;
  const sent = await act(id, 'test', { members: [String(member.id)] });
  expect([sent.http, sent.message]).toEqual([200, '']);
  const [sms] = await run<{ body: string }>(
    db(),
    `SELECT body FROM sms_message WHERE phone = $1 AND purpose = 'test' ORDER BY id DESC`,
    [member.phone],
  );
  expect(sms!.body).toMatch(/^【测试】【金茂】亲爱的.*，满150减30已上线 拒收请回复R$/);
});

test('SMS are charged by 70, then 67 characters, with signature and opt-out', () => {
  expect(smsText('a', '金茂', 'marketing')).toBe('【金茂】a 拒收请回复R');
  expect([smsSegments('好'.repeat(70)), smsSegments('好'.repeat(71)), smsSegments('好'.repeat(135))]).toEqual(
    [1, 2, 3],
  );
});
