import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const TAGS = '/jinmao/web/topicTag';
let product: TestProduct;
let admin: string;
let north: string;
let south: string;

const db = () => product.platform.database.db;
const add = (name: string, projects: readonly string[]) =>
  product.call(admin, 'POST', TAGS, { name, position: 1, projects });
const made = async (name: string, projects: readonly string[]) => {
  const answer = await add(name, projects);
  expect([answer.http, answer.message]).toEqual([200, '']);
  return String(answer.data.id);
};
const topic = async (tag: string, project: string) =>
  (await runOne<{ id: number }>(
    db(),
    `INSERT INTO post (kind, member_id, project_id, tag_id, content)
     SELECT 'chamber', (SELECT min(id) FROM member), $1, $2, '话题' RETURNING id`,
    [Number(project), Number(tag)],
  ))!.id;
const tagOf = async (post: number) =>
  String((await runOne<{ tag_id: number }>(db(), 'SELECT tag_id FROM post WHERE id = $1', [post]))!.tag_id);

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  // Projects of their own: nothing of the demonstration set stands there.
  const ids: string[] = [];
  for (const [index, name] of ['标签甲', '标签乙'].entries())
    ids.push(
      String(
        (await runOne<{ id: number }>(
          db(),
          `INSERT INTO project (code, name, centre_id, unit_id) SELECT $1, $2, centre_id, unit_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
          [`TT0${index}`, name],
        ))!.id,
      ),
    );
  [north, south] = ids as [string, string];
});
afterAll(() => product.close());

test('of ten tags of one name in one project written at once one stands; elsewhere the name is free', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => add('同名', [north])));
  expect(answers.filter((one) => one.http === 200)).toHaveLength(1);
  expect(
    new Set(answers.filter((one) => one.http !== 200).map((one) => `${one.status} ${one.message}`)),
  ).toEqual(new Set(['30101 所选项目中已有同名标签']));
  const other = await made('同名', [south]);
  // Reaching into a project where the name stands is refused, a new name is not.
  const grown = await product.call(admin, 'PUT', `${TAGS}/${other}`, {
    version: 1,
    projects: [north, south],
  });
  expect(grown.message).toBe('所选项目中已有同名标签');
  const renamed = await product.call(admin, 'PUT', `${TAGS}/${other}`, { version: 1, name: '不同名' });
  expect(renamed.http).toBe(200);
  expect((await add('同名', [south])).http).toBe(200);
});

test('the code is TG and four digits; names have 2 to 12 characters', async () => {
  const id = await made('编号', [north]);
  const row = await product.call(admin, 'GET', `${TAGS}/${id}`);
  expect(row.data.code).toBe(`TG${id.padStart(4, '0')}`);
  for (const name of ['一', '一二三四五六七八九十一二三'])
    expect((await add(name, [north])).data.fields).toHaveProperty('name');
});

test('tags offered for a topic are those of its project', async () => {
  const [there, elsewhere] = [await made('北区的标签', [north]), await made('南区的标签', [south])];
  const offered = async (within: string) =>
    (
      (await product.call(admin, 'GET', `/jinmao/web/options/hallTag?limit=100&within=${within}`)).data as {
        id: string;
      }[]
    ).map((one) => one.id);
  expect(await offered(north)).toContain(there);
  expect(await offered(north)).not.toContain(elsewhere);
  expect(await offered('')).toEqual(expect.arrayContaining([there, elsewhere]));
});

test('a tag in use is not deleted and does not leave its project', async () => {
  const id = await made('在用', [north, south]);
  await topic(id, north);
  await topic(id, north);
  const removed = await product.call(admin, 'DELETE', `${TAGS}/${id}`);
  expect([removed.status, removed.message]).toEqual([30101, '仍有 2 个话题使用，可合并到另一个标签']);
  const left = await product.call(admin, 'PUT', `${TAGS}/${id}`, { version: 1, projects: [south] });
  expect([left.status, left.message]).toEqual([30101, '仍有 2 个话题使用']);
  expect((await product.call(admin, 'PUT', `${TAGS}/${id}`, { version: 1, projects: [north] })).http).toBe(
    200,
  );
});

test('merging moves every topic, the projects too, and deletes the tag with one record', async () => {
  const from = await made('旧标签', [north]);
  const into = await made('新标签', [south]);
  const post = await topic(from, north);
  const itself = await product.call(admin, 'POST', `${TAGS}/${from}/merge`, { into: from });
  expect(itself.data.fields).toHaveProperty('into');
  const merged = await product.call(admin, 'POST', `${TAGS}/${from}/merge`, { into });
  expect([merged.http, merged.message]).toEqual([200, '']);
  expect(await tagOf(post)).toBe(into);
  const target = await product.call(admin, 'GET', `${TAGS}/${into}`);
  expect(target.data.posts).toBe(1);
  expect(target.data.projects).toHaveLength(2);
  expect((await product.call(admin, 'GET', `${TAGS}/${from}`)).http).toBe(404);
  const told = await run(
    db(),
    `SELECT 1 FROM entity_event WHERE entity = 'topicTag' AND entity_id = $1 AND action = 'mergeIn'`,
    [Number(into)],
  );
  expect(told).toHaveLength(1);
});

test('two tags merged into each other at once: one is left, with all topics', async () => {
  const one = await made('互并一', [north]);
  const two = await made('互并二', [north]);
  const posts = [await topic(one, north), await topic(two, north)];
  const answers = await Promise.all([
    product.call(admin, 'POST', `${TAGS}/${one}/merge`, { into: two }),
    product.call(admin, 'POST', `${TAGS}/${two}/merge`, { into: one }),
  ]);
  expect(answers.filter((answer) => answer.http === 200)).toHaveLength(1);
  const tags = await Promise.all(posts.map(tagOf));
  expect(new Set(tags).size).toBe(1);
});

test('a tag reaching beyond the scope is listed and not changed; tags of other projects do not exist', async () => {
  const group = await runOne<{ group_id: number }>(
    db(),
    `SELECT m.group_id FROM group_member m JOIN staff s ON s.id = m.staff_id WHERE s.account = 'butler1'`,
  );
  await run(
    db(),
    `INSERT INTO menu_grant (group_id, menu_code) VALUES ($1, 'os_topicTags') ON CONFLICT DO NOTHING`,
    [group!.group_id],
  );
  await run(
    db(),
    `INSERT INTO element_grant (group_id, element_code) SELECT $1, code FROM element WHERE code LIKE 'os_topicTags:%' ON CONFLICT DO NOTHING`,
    [group!.group_id],
  );
  const home = String(
    (await runOne<{ id: number }>(db(), `SELECT id FROM project WHERE code = 'SH001'`))!.id,
  );
  const both = await made('跨项目', [home, north]);
  const foreign = await made('别处的', [north]);
  const own = await made('本项目', [home]);
  const post = await topic(both, north);
  const butler = await product.signIn('butler1');
  const call = (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: object) =>
    product.call(butler, method, `${TAGS}/${path}`, body);
  const seen = await call('GET', both);
  expect([seen.http, seen.data.projects.length, seen.data.posts]).toEqual([200, 1, 0]);
  const refusals = [
    await call('PUT', both, { version: 1, position: 5 }),
    await call('DELETE', both),
    await call('POST', `${both}/merge`, { into: own }),
    await call('POST', `${own}/merge`, { into: both }),
  ];
  for (const one of refusals) expect([one.status, one.message]).toEqual([30101, '包含您无权管理的项目']);
  expect((await call('GET', foreign)).http).toBe(404);
  expect((await call('POST', `${own}/merge`, { into: foreign })).http).toBe(404);
  expect(await tagOf(post)).toBe(both);
});

test('the topics a tag shows are those its deletion is refused for', async () => {
  const id = await made('数一数', [north]);
  await topic(id, north);
  await run(
    db(),
    `WITH t AS (INSERT INTO community_topic (title, content, tag_id) VALUES ('话题', '<p>x</p>', $1) RETURNING id)
     INSERT INTO community_topic_project (topic_id, project_id) SELECT id, $2 FROM t`,
    [id, north],
  );
  const { posts, version } = (await product.call(admin, 'GET', `${TAGS}/${id}`)).data;
  expect(posts).toBe(2);
  const gone = await product.call(admin, 'DELETE', `${TAGS}/${id}`, { version });
  expect([gone.status, gone.message]).toEqual([30101, '仍有 2 个话题使用，可合并到另一个标签']);
});
