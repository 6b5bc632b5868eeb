import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeMemberEvent } from '../../../domain/member-event/door.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const IMAGE = '0a992000-0000-4000-8000-000000000001';
let product: TestProduct;
let admin: string;
let north: number;
let south: number;
let post: number;

const db = () => product.platform.database.db;
const one = async (sql: string, values: readonly unknown[] = []) =>
  (await runOne<{ id: number }>(db(), sql, values))!.id;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  [north, south] = (await run<{ id: number }>(db(), 'SELECT id FROM project ORDER BY id LIMIT 2')).map(
    (row) => row.id,
  ) as [number, number];
  const member = await one(
    `INSERT INTO member (name, phone, project_id) VALUES ('广告人', '13812340001', $1) RETURNING id`,
    [north],
  );
  post = await one(
    `INSERT INTO post (kind, member_id, project_id, content) VALUES ('family', $1, $2, '可以打开的帖子') RETURNING id`,
    [member, north],
  );
});
afterAll(() => product?.close());

const advert = (projects: readonly number[], more: object = {}) => ({
  title: '测试广告',
  image: IMAGE,
  projects: projects.map(String),
  jump: 'inner',
  innerClass: 'family',
  familyPost: String(post),
  startsAt: '2026-01-01T00:00:00+08:00',
  endsAt: '2099-01-01T00:00:00+08:00',
  sort: 1,
  ...more,
});
const create = (body: object) => product.call(admin, 'POST', '/jinmao/web/familyAdvert', body);

test('what an advert opens is seen in every project it is shown in, when it is made and when it is changed', async () => {
  const wide = await create(advert([north, south]));
  expect([wide.http, wide.data.fields.familyPost]).toEqual([422, '跳转内容不可见']);
  expect(
    (await create(advert([north], { innerClass: 'chamber', familyPost: null, chamberPost: String(post) })))
      .http,
  ).toBe(422);
  const made = await create(advert([north]));
  expect(made.http).toBe(200);
  const path = `/jinmao/web/familyAdvert/${made.data.id}`;
  const { version } = (await product.call(admin, 'GET', path)).data;
  const wider = await product.call(admin, 'PUT', path, { version, projects: [String(north), String(south)] });
  expect(wider.http).toBe(422);
  const plain = await product.call(admin, 'PUT', path, {
    version,
    jump: 'url',
    url: 'https://example.org/a',
    projects: [String(north), String(south)],
  });
  expect(plain.http).toBe(200);
  expect((await product.call(admin, 'GET', path)).data).toMatchObject({ familyPost: null, innerClass: null });
});

test('an advert whose post was hidden says that its target is gone', async () => {
  const made = await create(advert([north], { title: '会失效的广告' }));
  const path = `/jinmao/web/familyAdvert/${made.data.id}`;
  expect((await product.call(admin, 'GET', path)).data.dead).toBe(false);
  await run(db(), 'UPDATE post SET shown = false WHERE id = $1', [post]);
  expect((await product.call(admin, 'GET', path)).data).toMatchObject({ dead: true, phase: 'running' });
  await run(db(), 'UPDATE post SET shown = true WHERE id = $1', [post]);
});

test('a topic on top is not brought into a project that is full', async () => {
  await run(db(), 'UPDATE community_topic SET topped_at = NULL');
  const topic = async (projects: readonly number[], topped: boolean) => {
    const id = await one(
      `INSERT INTO community_topic (title, content, state, published_at, topped_at) VALUES ('置顶话题', '<p>x</p>', 'published', now(), CASE WHEN $1 THEN now() END) RETURNING id`,
      [topped],
    );
    await run(db(), 'INSERT INTO community_topic_project SELECT $1, unnest($2::bigint[])', [id, projects]);
    return id;
  };
  for (let n = 0; n < 3; n += 1) await topic([south], true);
  const id = await topic([north], true);
  const path = `/jinmao/web/communityTopic/${id}`;
  const { version } = (await product.call(admin, 'GET', path)).data;
  const refused = await product.call(admin, 'PUT', path, {
    version,
    projects: [String(north), String(south)],
  });
  expect(refused).toMatchObject({ status: 30101, message: '最多置顶3条' });
});

test('an activity and a post of a group are opened where their projects see them; gone with the group or the end', async () => {
  const activity = await one(
    `INSERT INTO activity (title, cover_id, content_html, audience, address, starts_at, ends_at, deadline, contact, phone, state, published_at)
     SELECT '广告活动', id, '<p>x</p>', 'property', 'x', now() + interval '1 day', now() + interval '2 days', now(), 'x', '02588886666', 'published', now() FROM stored_file LIMIT 1 RETURNING id`,
  );
  await run(db(), 'INSERT INTO activity_project VALUES ($1, $2)', [activity, north]);
  const group = await one(
    `INSERT INTO interest_group (name, logo_id, introduction, join_way, state) SELECT '广告小组', id, 'x', 'free', 'published' FROM stored_file LIMIT 1 RETURNING id`,
  );
  for (const project of [north, south])
    await run(
      db(),
      `INSERT INTO interest_group_project (group_id, project_id, name) VALUES ($1, $2, '广告小组')`,
      [group, project],
    );
  const groupPost = await one(
    `INSERT INTO post (kind, member_id, project_id, content, group_id) SELECT 'group_post', member_id, project_id, '小组里的帖子', $2 FROM post WHERE id = $1 RETURNING id`,
    [post, group],
  );
  const opens = (more: object, projects = [north]) => create(advert(projects, { familyPost: null, ...more }));
  const wide = await opens({ innerClass: 'activity', activity: String(activity) }, [north, south]);
  expect(wide.data.fields).toEqual({ activity: '跳转内容不可见' });
  const wrong = await opens({ innerClass: 'group_post', groupPost: String(post) });
  expect(wrong.http).not.toBe(200);
  const first = await opens({ innerClass: 'activity', activity: String(activity) });
  const second = await opens({ innerClass: 'group_post', groupPost: String(groupPost) }, [north, south]);
  expect([first.http, second.http]).toEqual([200, 200]);
  const seen = async (made: { data: { id: string } }) =>
    (await product.call(admin, 'GET', `/jinmao/web/familyAdvert/${made.data.id}`)).data;
  expect(await seen(first)).toMatchObject({
    dead: false,
    target: '广告活动',
    activity: { title: '广告活动' },
  });
  expect(await seen(second)).toMatchObject({ dead: false, target: '小组里的帖子', innerClass: 'group_post' });
  await run(db(), `UPDATE interest_group SET state = 'withdrawn' WHERE id = $1`, [group]);
  await run(
    db(),
    `UPDATE activity SET starts_at = now() - interval '2 hours', deadline = now() - interval '3 hours', ends_at = now() - interval '1 hour' WHERE id = $1`,
    [activity],
  );
  expect([(await seen(first)).dead, (await seen(second)).dead]).toEqual([true, true]);
});

test('an advert is shown and clicked through the door of member events, each event once', async () => {
  const made = await create(advert([north]));
  const member = await one(`SELECT id FROM member WHERE phone = '13812340001'`);
  const occurredAt = new Date().toISOString();
  const told = (eventId: string, type: string) =>
    takeMemberEvent(
      product.platform,
      {
        eventId,
        memberId: member,
        projectId: north,
        type,
        occurredAt,
        payload: { advertId: String(made.data.id) },
      },
      { clientId: 'app' },
    );
  const [show, click] = [randomUUID(), randomUUID()];
  await Promise.all([told(show, 'ad.show'), told(show, 'ad.show'), told(click, 'ad.click')]);
  const days = await product.call(admin, 'GET', `/jinmao/web/familyAdvert/${made.data.id}/days`);
  expect(days.data).toMatchObject([{ exposures: 1, clicks: 1, viewers: 1, clickers: 1 }]);
});
