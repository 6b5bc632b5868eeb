import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { programClient } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const FUNCTIONS = '/jinmao/web/assistantFunction';
const QUESTIONS = '/jinmao/web/assistantQuestion';
const UNANSWERED = '/jinmao/web/assistantUnanswered';
let product: TestProduct;
let admin: string;
let app: string;
let point: string;
let kind: string;

const db = () => product.platform.database.db;
const valueOf = async (dictionary: string) =>
  String(
    (await runOne<{ id: number }>(
      db(),
      `SELECT v.id FROM dictionary_value v JOIN dictionary_type d ON d.id = v.type_id WHERE d.code = $1 ORDER BY v.position LIMIT 1`,
      [dictionary],
    ))!.id,
  );
const question = (input: object = {}) => ({
  title: '充电桩怎么申请安装',
  class: kind,
  functionPoint: point,
  answer: '<p>到服务中心填写申请表</p>',
  ...input,
});
const add = async (path: string, input: object): Promise<string> => {
  const made = await product.call(admin, 'POST', path, input);
  expect([made.http, made.message]).toEqual([200, '']);
  return made.data.id as string;
};
const act = (path: string, id: string, action: string, input: object = {}) =>
  product.call(admin, 'POST', `${path}/${id}/${action}`, input);

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  await programClient(db(), {
    id: 'assistant-app',
    secret: 'a-long-secret',
    grants: ['client_credentials'],
    scopes: ['member_event'],
  });
  const answer = await product.app.inject({
    method: 'POST',
    url: '/api/auth/oauth/token',
    headers: {
      authorization: `Basic ${Buffer.from('assistant-app:a-long-secret').toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: 'grant_type=client_credentials&scope=member_event',
  });
  app = `Bearer ${answer.json<{ access_token: string }>().access_token}`;
  point = await valueOf('function_point');
  kind = await valueOf('question_class');
  // What stands there of the demonstration set would be in the way of counts and scores.
  for (const table of ['assistant_function', 'assistant_unanswered', 'assistant_question'])
    await run(db(), `DELETE FROM ${table}`);
});
afterAll(() => product.close());

describe('functions', () => {
  test('states, what the form refuses, and that only what is not published is edited or deleted', async () => {
    const fields = async (input: object) =>
      Object.keys(
        (await product.call(admin, 'POST', FUNCTIONS, { functionPoint: point, content: '说明', ...input }))
          .data?.fields ?? {},
      );
    expect(await fields({ content: '长'.repeat(501) })).toEqual(['content']);
    expect(await fields({ content: '' })).toEqual(['content']);
    expect(await fields({ functionPoint: null })).toEqual(['functionPoint']);
    const id = await add(FUNCTIONS, { functionPoint: point, content: '说明' });
    expect((await act(FUNCTIONS, id, 'pin')).status).toBe(30101);
    expect((await act(FUNCTIONS, id, 'publish')).data.state).toBe('published');
    expect(
      (await product.call(admin, 'PUT', `${FUNCTIONS}/${id}`, { version: 2, content: '别的' })).status,
    ).toBe(30101);
    expect((await product.call(admin, 'DELETE', `${FUNCTIONS}/${id}`)).status).toBe(30101);
    const shown = await product.call(app, 'GET', `${FUNCTIONS}/app/list`);
    expect(shown.data.map((one: { id: string }) => one.id)).toEqual([id]);
    expect((await act(FUNCTIONS, id, 'withdraw')).data.state).toBe('withdrawn');
    expect((await product.call(app, 'GET', `${FUNCTIONS}/app/list`)).data).toEqual([]);
    expect((await product.call(admin, 'DELETE', `${FUNCTIONS}/${id}`)).http).toBe(200);
  });

  test('of twelve pinned at once exactly four stand at the bottom; a withdrawn one leaves its place', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 12; index++) {
      const id = await add(FUNCTIONS, { functionPoint: point, content: `说明${index}` });
      await act(FUNCTIONS, id, 'publish');
      ids.push(id);
    }
    const answers = await Promise.all(ids.map((id) => act(FUNCTIONS, id, 'pin')));
    expect(answers.filter((one) => one.http === 200)).toHaveLength(4);
    expect(
      new Set(answers.filter((one) => one.http !== 200).map((one) => `${one.status} ${one.message}`)),
    ).toEqual(new Set(['30101 底部最多置顶 4 个，请先取消其他置顶']));
    const pinned = ids.filter((_id, index) => answers[index]!.http === 200);
    const free = ids.filter((id) => !pinned.includes(id));
    expect((await act(FUNCTIONS, pinned[0]!, 'pin')).status).toBe(30101);
    expect((await act(FUNCTIONS, pinned[0]!, 'withdraw')).data.pinned).toBe(false);
    expect((await act(FUNCTIONS, free[0]!, 'pin')).http).toBe(200);
    expect((await act(FUNCTIONS, pinned[1]!, 'unpin')).data.pinned).toBe(false);
    expect((await product.call(admin, 'GET', `${FUNCTIONS}/page?pinned=true`)).data.total).toBe(3);
    await product.call(admin, 'POST', `${FUNCTIONS}/order`, { id: ids[11], before: ids[0] });
    const rows = (await product.call(admin, 'GET', `${FUNCTIONS}/page?limit=20`)).data.rows;
    expect(rows[0].id).toBe(ids[11]);
    const list = [ids[3], ids[1]].map((id, index) => ({ id, name: '说明', viewSort: 50 - index }));
    expect((await product.call(admin, 'POST', `${FUNCTIONS}/sort`, { list })).data.sorted).toBe(2);
    const last = (await product.call(admin, 'GET', `${FUNCTIONS}/page?limit=20`)).data.rows;
    const order = last.map((one: { id: string }) => one.id) as string[];
    expect(order.indexOf(ids[3]!) - order.indexOf(ids[1]!)).toBe(1);
  });

  test('a hit counts once by its number, and only of what is published', async () => {
    const id = await add(FUNCTIONS, { functionPoint: point, content: '计数' });
    const hit = (eventId: string) =>
      product.call(app, 'POST', `${FUNCTIONS}/app/event`, { eventId, kind: 'function', id, type: 'hit' });
    expect((await hit('f-1')).data.accepted).toBe(false);
    await act(FUNCTIONS, id, 'publish');
    await Promise.all(['f-2', 'f-2', 'f-2', 'f-3'].map(hit));
    expect((await product.call(admin, 'GET', `${FUNCTIONS}/${id}`)).data.hits).toBe(2);
  });
});

describe('questions', () => {
  test('a title stands once, whatever its case, and wordings are at most twenty', async () => {
    const id = await add(
      QUESTIONS,
      question({ similarTexts: ['装充电桩', '装充电桩', '充电桩怎么申请安装'] }),
    );
    const kept = await product.call(admin, 'GET', `${QUESTIONS}/${id}`);
    expect(kept.data.similarTexts).toEqual(['装充电桩']);
    expect(kept.data.answer).toBe('<p>到服务中心填写申请表</p>');
    const taken = await product.call(admin, 'POST', QUESTIONS, question());
    expect([taken.status, taken.data.fields.title]).toEqual([30101, '标题已存在']);
    const many = Array.from({ length: 21 }, (_one, index) => `问法${index}`);
    const refused = await product.call(
      admin,
      'POST',
      QUESTIONS,
      question({ title: '另一个', similarTexts: many }),
    );
    expect(Object.keys(refused.data.fields)).toEqual(['similarTexts']);
    expect((await act(QUESTIONS, id, 'addWording', { wording: '装充电桩' })).message).toBe('该问法已有');
    expect((await act(QUESTIONS, id, 'addWording', { wording: '想装一个充电桩' })).http).toBe(200);
    await act(QUESTIONS, id, 'publish');
  });

  test('a typed sentence shows the three best published answers with their score', async () => {
    for (const [title, publish] of [
      ['充电桩收费标准', true],
      ['充电桩故障报修', true],
      ['充电桩夜间能用吗', true],
      ['充电桩可以装在地面吗', false],
    ] as const) {
      const id = await add(QUESTIONS, question({ title }));
      if (publish) await act(QUESTIONS, id, 'publish');
    }
    const asked = await product.call(admin, 'POST', `${QUESTIONS}/try`, { text: '想装一个充电桩！' });
    expect(asked.data.answers).toHaveLength(3);
    expect(asked.data.answers[0]).toMatchObject({
      title: '充电桩怎么申请安装',
      wording: '想装一个充电桩',
      score: 100,
    });
    const scores = asked.data.answers.map((one: { score: number }) => one.score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(JSON.stringify(asked.data)).not.toContain('地面');
    const none = await product.call(admin, 'POST', `${QUESTIONS}/try`, { text: '？！' });
    expect(none.data.answers).toEqual([]);
  });

  test('what nothing fits is counted together, loses long numbers, and becomes a question or a wording', async () => {
    const ask = (eventId: string, text: string) =>
      product.call(app, 'POST', `${QUESTIONS}/app/ask`, { eventId, text });
    const hits = async () =>
      (await product.call(admin, 'GET', `${QUESTIONS}/page?searchVal=${encodeURIComponent('申请安装')}`)).data
        .rows[0].hits;
    expect((await ask('q-1', '充电桩怎么申请安装')).data.answers[0].score).toBe(100);
    expect(await hits()).toBe(1);
    await Promise.all([
      ask('u-1', '楼顶可以晒被子吗'),
      ask('u-2', '楼顶可以晒被子吗？'),
      ask('u-2', '楼顶可以晒被子吗？'),
      ask('u-3', ' 楼顶可以 晒被子吗'),
    ]);
    await ask('u-4', '我的电话13812345678请回电');
    const list = (await product.call(admin, 'GET', `${UNANSWERED}/page?sort=-times`)).data;
    expect(list.rows.map((one: { times: number }) => one.times)).toEqual([3, 1]);
    expect(list.rows[1].sentence).toBe('我的电话***请回电');
    const made = await act(UNANSWERED, list.rows[0].id, 'makeQuestion', {
      class: kind,
      functionPoint: point,
      answer: '<p>不可以</p>',
    });
    expect([made.http, made.data.state]).toEqual([200, 'made']);
    const id = made.data.question.id as string;
    expect((await product.call(admin, 'GET', `${QUESTIONS}/${id}`)).data.state).toBe('draft');
    expect((await act(UNANSWERED, list.rows[1].id, 'addTo', { question: id })).http).toBe(200);
    expect((await product.call(admin, 'GET', `${QUESTIONS}/${id}`)).data.similarTexts).toEqual([
      '我的电话***请回电',
    ]);
    await act(QUESTIONS, id, 'publish');
    expect((await ask('u-5', '楼顶可以晒被子吗')).data.answers[0].id).toBe(id);
  });
});
