import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSensitive, noteSensitiveHits } from '../../../domain/sensitive-words/sensitive-words.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { findImportTarget, type ImportRow } from '../../../kernel/server/tables/import-target.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { programToken } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { runRescan } from './rescan.server.ts';

const ROOT = '/jinmao/web/sensitiveWord';

let product: TestProduct;
let admin: string;
beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  await run(product.platform.database.db, 'DELETE FROM sensitive_word');
});
afterAll(() => product?.close());

const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  product.call(admin, method, `${ROOT}${path}`, body);
const add = async (input: object) => {
  const made = await call('POST', '', { category: 'custom', level: 'review', variants: true, ...input });
  expect([made.http, made.message]).toEqual([200, '']);
  return made.data as { id: string; version: number };
};
const box = async (text: string) =>
  (await call('POST', '/test', { text })).data as {
    level: string | null;
    shown: string | null;
    hits: { word: string; start: number; end: number }[];
  };
const remove = () => run(product.platform.database.db, 'DELETE FROM sensitive_word');

describe('a word', () => {
  test('is unique after normalising, also in a race, at its field', async () => {
    await add({ word: '微信' });
    const twin = await call('POST', '', { word: ' 微-信。', category: 'custom', level: 'review' });
    expect([twin.status, twin.message, twin.data.fields.word]).toEqual([
      30101,
      '敏感词已存在',
      '敏感词已存在',
    ]);
    const racing = await Promise.all(
      ['ＱＱ群', 'qq群', 'Q Q群', 'qQ-群'].map((word) =>
        call('POST', '', { word, category: 'contact', level: 'block' }),
      ),
    );
    expect(racing.map((one) => one.http).sort()).toEqual([200, 409, 409, 409]);
    const other = await add({ word: '别的词' });
    expect((await call('PUT', `/${other.id}`, { version: other.version, word: '微 信' })).status).toBe(30101);
    await remove();
  });

  test('gets the level of the setting where none is chosen; what is no word is refused', async () => {
    const level = async (word: string) =>
      (await call('POST', '', { word, category: 'custom' })).data.level as string;
    expect(await level('甲词')).toBe('review');
    await run(
      product.platform.database.db,
      `INSERT INTO setting (key, value) VALUES ('post.sensitive.action', '"block"')`,
    );
    product.platform.settings.forget();
    expect(await level('乙词')).toBe('block');
    expect((await call('GET', '/initial')).data).toEqual({ level: 'block' });
    await run(product.platform.database.db, `DELETE FROM setting WHERE key = 'post.sensitive.action'`);
    product.platform.settings.forget();
    expect((await call('POST', '', { word: '…', category: 'custom' })).data.fields.word).toBe(
      '至少包含一个文字或数字',
    );
    expect(
      (await call('POST', '', { word: '办证', category: 'custom', exceptions: ['大厅'] })).data.fields
        .exceptions,
    ).toBe('「大厅」不包含该敏感词');
    // A new spelling is held to the exceptions that stand.
    const one = await add({ word: '贷款', exceptions: ['公积金贷款'] });
    expect(
      (await call('PUT', `/${one.id}`, { version: one.version, word: '借款' })).data.fields.exceptions,
    ).toBe('「公积金贷款」不包含该敏感词');
    await remove();
  });
});

test('many words at once: all of them or none, bad lines are named', async () => {
  await add({ word: '旧词' });
  const bad = await call('POST', '/action/addMany', {
    words: `新词一\n旧-词\n${'长'.repeat(51)}\n新词一`,
    category: 'abuse',
  });
  expect([bad.http, bad.data.fields.words]).toEqual([
    422,
    '第 2 行：已存在；第 3 行：最多50个字；第 4 行：与第1行重复',
  ]);
  const good = await call('POST', '/action/addMany', {
    words: '新词一\n\n新词二\n',
    category: 'abuse',
    level: null,
    exact: true,
    note: null,
  });
  expect([good.http, good.data]).toEqual([200, { count: 2 }]);
  const rows = (await call('GET', '/page?category=abuse')).data.rows as Record<string, unknown>[];
  expect(rows.map((row) => [row.word, row.level, row.variants]).sort()).toEqual([
    ['新词一', 'review', false],
    ['新词二', 'review', false],
  ]);
  await remove();
});

test('Must show 5: word 加微信 with variants: the test box marks 加 微-信, the level decides, and disabling acts on a second instance', async () => {
  const second = await product.another();
  try {
    const made = await add({ word: '加微信', level: 'block' });
    const text = '欢迎 加 微-信 了解';
    const verdict = await box(text);
    expect(verdict.hits.map((hit) => text.slice(hit.start, hit.end))).toEqual(['加 微-信']);
    expect([verdict.level, verdict.shown]).toEqual(['block', null]);
    // The second instance has the list in memory before it changes.
    let now = 1_000_000;
    expect((await checkSensitive(second.platform, text, now)).level).toBe('block');
    expect((await call('POST', `/${made.id}/disable`, {})).data.enabled).toBe(false);
    expect((await box(text)).level).toBeNull();
    // Five seconds are more than it waits before it looks again, even where the notice of the change was lost.
    now += 5_000;
    expect((await checkSensitive(second.platform, text, now)).level).toBeNull();
    await call('POST', `/${made.id}/enable`, {});
    expect((await checkSensitive(second.platform, text, now + 5_000)).level).toBe('block');
    const row = (await call('GET', `/${made.id}`)).data as { version: number };
    await call('PUT', `/${made.id}`, { version: row.version, level: 'replace' });
    expect((await box(text)).shown).toBe('欢迎 *** 了解');
    await call('DELETE', `/${made.id}`);
    expect((await box(text)).level).toBeNull();
  } finally {
    await second.close();
  }
});

test('group 09 Must show 5: a word of level block refuses a post of the app; disabled it refuses none, on a second instance too', async () => {
  const { db } = product.platform.database;
  const app = await programToken(product, { id: 'word-app', scopes: ['member_event'] });
  const project = (await runOne<{ id: number }>(db, 'SELECT id FROM project ORDER BY id LIMIT 1'))!.id;
  const author = (await runOne<{ id: number }>(
    db,
    `INSERT INTO member (name, phone, project_id) VALUES ('方圆', '13900095005', $1) RETURNING id`,
    [project],
  ))!.id;
  const second = await product.another();
  const send = async (instance: Pick<TestProduct, 'app'>) => {
    const answer = await instance.app.inject({
      method: 'POST',
      url: '/api/jinmao/web/memberEvent',
      headers: { authorization: app },
      payload: {
        eventId: randomUUID(),
        memberId: String(author),
        projectId: String(project),
        type: 'post.create',
        occurredAt: new Date().toISOString(),
        payload: { kind: 'family', content: '欢迎 加 微-信 了解' },
      },
    });
    const { status, message } = answer.json<{ status: number; message: string }>();
    return [answer.statusCode, status, message];
  };
  const posts = async () =>
    (await runOne<{ n: number }>(db, 'SELECT count(*)::int AS n FROM post WHERE member_id = $1', [author]))!
      .n;
  try {
    const made = await add({ word: '加微信', level: 'block' });
    expect(await send(product)).toEqual([409, 30101, '内容包含敏感词']);
    await expect.poll(() => send(second), { timeout: 5_000 }).toEqual([409, 30101, '内容包含敏感词']);
    const before = await posts();
    expect((await call('POST', `/${made.id}/disable`, {})).http).toBe(200);
    await expect.poll(() => send(second), { timeout: 5_000 }).toEqual([200, 200, '']);
    expect(await posts()).toBe(before + 1);
    expect(await send(product)).toEqual([200, 200, '']);
  } finally {
    await second.close();
    await remove();
  }
});

test('the list is not read again while its number stands', async () => {
  await add({ word: '静止' });
  let reads = 0;
  const counting = {
    ...product.platform,
    // The notice of the new word may come in between; it is another test's matter.
    changeCount: () => 1,
    database: {
      ...product.platform.database,
      pool: {} as never,
      db: new Proxy(product.platform.database.db, {
        get(target, name) {
          if (name === 'getExecutor' || name === 'executeQuery') reads++;
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
        },
      }),
    },
  };
  const at = 5_000_000;
  await checkSensitive(counting, '静止', at);
  const first = reads;
  expect(first).toBeGreaterThan(0);
  for (let turn = 0; turn < 50; turn++) await checkSensitive(counting, '静止', at + turn);
  expect(reads).toBe(first);
  await checkSensitive(counting, '静止', at + 2_000);
  expect(reads).toBeGreaterThan(first);
  expect(reads - first).toBeLessThan(first);
  await remove();
});

test('the test box takes 10,000 characters and needs its element', async () => {
  expect((await call('POST', '/test', { text: '字'.repeat(10_000) })).http).toBe(200);
  expect((await call('POST', '/test', { text: '字'.repeat(10_001) })).http).toBe(422);
  const viewer = await product.signIn('service1');
  expect((await product.call(viewer, 'POST', `${ROOT}/test`, { text: '字' })).http).toBe(403);
  expect((await product.call(viewer, 'GET', `${ROOT}/hits`)).http).toBe(403);
});

test('Must show 6: import of 1,000 words with 3 too long and 2 doubles: the dry run lists 5 rows, the commit of the good ones writes 995', async () => {
  const target = findImportTarget(product.platform, 'sensitiveWord')!;
  const caller = await product.caller('admin');
  const importing = { caller, platform: product.platform, language: 'zh' as const };
  const rows: ImportRow[] = Array.from({ length: 1_000 }, (_, index) => ({
    number: index + 1,
    values: {
      word: `导入词${index + 1}号`,
      category: '广告',
      level: '',
      variants: '',
      exceptions: '',
      note: '',
    },
  }));
  const put = (number: number, word: string) =>
    (rows[number - 1] = { number, values: { ...rows[number - 1]!.values, word } });
  for (const number of [10, 400, 990]) put(number, `${number}${'长'.repeat(51)}`);
  put(500, '导入词1号');
  // The same word in another writing.
  put(700, '导-入 词２号');
  const problems = await target.check(importing, rows);
  expect(
    problems.map((one) => [one.row, one.column, one.message[0]]).sort(([a], [b]) => Number(a) - Number(b)),
  ).toEqual([
    [10, 'word', '最多50个字'],
    [400, 'word', '最多50个字'],
    [500, 'word', '与第1行重复'],
    [700, undefined, '敏感词已存在'],
    [990, 'word', '最多50个字'],
  ]);
  const count = async () =>
    (await runOne<{ n: number }>(
      product.platform.database.db,
      `SELECT count(*)::int AS n FROM sensitive_word WHERE word LIKE '导入词%'`,
    ))!.n;
  expect(await count()).toBe(0);
  const bad = new Set(problems.map((one) => one.row));
  const written = await transaction(product.platform.database.db, (tx) =>
    target.commit(
      tx,
      importing,
      rows.filter((row) => !bad.has(row.number)),
    ),
  );
  expect([written, await count()]).toEqual([995, 995]);
  // New words have the level of the setting and find variants; they act at once.
  expect((await box('见 导入-词 3 号！')).level).toBe('review');
  await remove();
});

describe('hits', () => {
  test('are noted once a word with what became of the text, counted for 30 days and kept for 90', async () => {
    const { db } = product.platform.database;
    const one = await add({ word: '刷单', level: 'block' });
    const other = await add({ word: '坏蛋', level: 'replace' });
    await run(db, 'DELETE FROM sensitive_hit');
    const members = await run<{ id: number; project_id: number }>(
      db,
      'SELECT DISTINCT ON (project_id) id, project_id FROM member WHERE project_id IS NOT NULL ORDER BY project_id, id LIMIT 2',
    );
    const verdict = await checkSensitive(product.platform, '刷单刷单坏蛋');
    for (const { id } of members)
      expect(
        await transaction(db, (tx) =>
          noteSensitiveHits(tx, verdict, { type: 'post', id: null, memberId: id }),
        ),
      ).toBe(2);
    expect(
      await transaction(db, async (tx) =>
        noteSensitiveHits(tx, await checkSensitive(product.platform, '你好'), {
          type: 'comment',
          id: 5,
          memberId: members[0]!.id,
        }),
      ),
    ).toBe(0);
    await run(
      db,
      `INSERT INTO sensitive_hit (word_id, word, target_type, member_id, action_taken, at) VALUES
        ($1, '刷单', 'post', $2, 'block', now() - interval '31 days'), ($1, '刷单', 'post', $2, 'block', now() - interval '91 days')`,
      [Number(one.id), members[0]!.id],
    );
    const count = async (token: string) =>
      ((await product.call(token, 'GET', `${ROOT}/${one.id}`)).data as { hits: number }).hits;
    expect(await count(admin)).toBe(2);
    const hits = async (token: string, query: string) =>
      (await product.call(token, 'GET', `${ROOT}/hits?${query}`)).data;
    const recent = await hits(admin, `word=${one.id}&days=30`);
    expect([recent.total, recent.rows[0].action, recent.rows[0].targetId]).toEqual([2, 'block', null]);
    expect(recent.rows[0].member).toContain('*');
    expect((await hits(admin, `word=${one.id}`)).total).toBe(3);
    expect((await hits(admin, 'limit=1&page=2')).rows).toHaveLength(1);
    // Who works in one project sees the hits of its members, in the figure and in the list.
    const { staffId } = await product.caller('service1');
    await grantMenu(db, staffId, 'ssm_sensitiveWords');
    await run(
      db,
      `INSERT INTO element_grant (group_id, element_code) SELECT m.group_id, 'ssm_sensitiveWords:btn_hits' FROM group_member m JOIN menu_grant g ON g.group_id = m.group_id AND g.menu_code = 'ssm_sensitiveWords' WHERE m.staff_id = $1`,
      [staffId],
    );
    await run(db, 'UPDATE staff SET all_projects = false WHERE id = $1', [staffId]);
    await run(db, 'DELETE FROM staff_project WHERE staff_id = $1', [staffId]);
    await run(db, 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [
      staffId,
      members[0]!.project_id,
    ]);
    const limited = await product.signIn('service1');
    expect([await count(limited), (await hits(limited, `word=${one.id}&days=30`)).total]).toEqual([1, 1]);
    await product.platform.registrations
      .flatMap((service) => service.jobs ?? [])
      .find((job) => job.name === 'sensitiveHit.expire')!
      .run({}, product.platform);
    expect(
      (await runOne<{ n: number }>(db, 'SELECT count(*)::int AS n FROM sensitive_hit WHERE word_id = $1', [
        Number(one.id),
      ]))!.n,
    ).toBe(3);
    // A word that is deleted leaves its hits.
    expect((await call('DELETE', `/${other.id}`)).http).toBe(200);
    expect((await hits(admin, '')).rows.filter((row: { word: string }) => row.word === '坏蛋')).toHaveLength(
      2,
    );
    await remove();
  });
});

test('a look over what was written notes hits once and makes cases of what is shown; one at a time, with its own right', async () => {
  const { db } = product.platform.database;
  const post = (await runOne<{ id: number; member: number }>(
    db,
    `INSERT INTO post (kind, member_id, project_id, content) SELECT 'family', m.id, m.project_id, '转让二手电动车' FROM member m WHERE m.project_id IS NOT NULL ORDER BY m.id LIMIT 1
     RETURNING id, member_id AS member`,
  ))!;
  await run(
    db,
    `INSERT INTO post (kind, member_id, project_id, content, published_at) SELECT kind, member_id, project_id, content, now() - interval '40 days' FROM post WHERE id = $1`,
    [post.id],
  );
  await run(
    db,
    `INSERT INTO content_comment (post_id, member_id, content) VALUES ($1, $2, '电-动 车多少钱')`,
    [post.id, post.member],
  );
  const word = await add({ word: '电动车', level: 'block' });
  const start = (days: number) => call('POST', '/rescan', { days });
  expect((await start(91)).http).toBe(422);
  const first = await start(30);
  expect(first.http).toBe(200);
  expect((await start(30)).message).toBe('重扫正在进行');
  await runRescan(product.platform, Number(first.data.id));
  const look = async () => (await call('GET', '/rescan')).data[0];
  expect(await look()).toMatchObject({ state: 'done', found: 2, cases: 2, days: 30 });
  const cases = () =>
    run(
      db,
      `SELECT target, reports, state FROM report_case WHERE content LIKE '%电%动%车%' ORDER BY target DESC`,
    );
  expect(await cases()).toEqual([
    { target: 'post', reports: 0, state: 'open' },
    { target: 'comment', reports: 0, state: 'open' },
  ]);
  expect((await call('GET', `/hits?word=${word.id}`)).data.total).toBe(2);
  // A repeat finds nothing new; a longer look finds the older one.
  await runRescan(product.platform, Number((await start(30)).data.id));
  expect(await look()).toMatchObject({ state: 'done', found: 0, cases: 0 });
  await runRescan(product.platform, Number((await start(90)).data.id));
  expect(await look()).toMatchObject({ found: 1, cases: 1 });
  expect(
    (await product.call(await product.signIn('service2'), 'POST', `${ROOT}/rescan`, { days: 1 })).http,
  ).toBe(403);
  await remove();
});
