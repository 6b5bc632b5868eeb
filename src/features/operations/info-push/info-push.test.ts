import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { dispatchAt } from '../../marketing/message-send/message-send.server.ts';

const ROOT = '/jinmao/web/push';
let product: TestProduct;
let admin: string;
let clerk: string;
let projects: string[];
const db = () => product.platform.database.db;
const at = (time: string, day = '2031-03-10') => new Date(`${day}T${time}:00+08:00`);
const form = (more: object = {}) => ({
  name: '暴雨提醒',
  body: '今晚有暴雨，请关好门窗',
  audience: 'conditions',
  projects,
  jump: 'none',
  schedule: 'now',
  ...more,
});
const rowOf = async (id: string) => (await product.call(admin, 'GET', `${ROOT}/${id}`)).data;
const act = async (id: string, action: string, token = admin) =>
  product.call(token, 'POST', `${ROOT}/${id}/${action}`, { version: (await rowOf(id)).version });
const handIn = async (more: object = {}) => {
  const made = await product.call(admin, 'POST', ROOT, form(more));
  expect([made.http, made.message, made.data?.fields]).toEqual([200, '', undefined]);
  const id = String(made.data.id);
  const sent = await act(id, 'submit');
  expect([sent.http, sent.message]).toEqual([200, '']);
  return id;
};
const states = async (id: string) =>
  Object.fromEntries(
    (
      await run<{ state: string; n: number }>(
        db(),
        'SELECT state, count(*)::int AS n FROM message_recipient WHERE send_id = $1 GROUP BY state',
        [Number(id)],
      )
    ).map((one) => [one.state, one.n]),
  );
const place = async (code: string, people: number, phone: number) => {
  const id = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO project (code, name, centre_id, unit_id) SELECT $1, $2, centre_id, unit_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
    [code, `推送小区${code}`],
  ))!.id;
  await run(
    db(),
    `INSERT INTO member (name, phone, project_id) SELECT 'p' || n, ($2::bigint + n)::text, $1 FROM generate_series(1, $3::int) n`,
    [id, phone, people],
  );
  return String(id);
};

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  projects = [
    await place('PSH1', 3, 16_600_000_000),
    await place('PSH2', 2, 16_610_000_000),
    await place('PSH3', 1, 16_620_000_000),
  ];
  // Holds everything of the menu but the right to urgent pushes.
  await run(
    db(),
    `INSERT INTO staff (account, name, tenant_id, state, password_hash, all_projects, must_change_password)
     SELECT 'pushclerk', '推送员', tenant_id, 'normal', password_hash, true, false FROM staff WHERE account = 'admin'`,
  );
  await run(
    db(),
    `WITH made AS (INSERT INTO permission_group (type_id, tenant_id, code, name)
       SELECT (SELECT min(id) FROM group_type), tenant_id, 'pushclerk', '推送' FROM staff WHERE account = 'pushclerk' RETURNING id),
     menus AS (INSERT INTO menu_grant (group_id, menu_code) SELECT id, 'os_infoPush' FROM made),
     elements AS (INSERT INTO element_grant (group_id, element_code) SELECT made.id, 'os_infoPush:' || e FROM made, unnest(ARRAY['btn_add', 'btn_edit', 'btn_submit']) e)
     INSERT INTO group_member (group_id, staff_id) SELECT made.id, s.id FROM made, staff s WHERE s.account = 'pushclerk'`,
  );
  clerk = await product.signIn('pushclerk');
});
afterAll(() => product.close());

test('group 01 Must show 12: a push to three projects at 23:00 waits until 08:00; cancelled at 07:00 nothing is sent', async () => {
  const id = await handIn();
  await dispatchAt(product.platform, at('23:00'));
  expect(await states(id)).toEqual({ pending: 12 });
  await dispatchAt(product.platform, at('07:00', '2031-03-11'));
  expect((await act(id, 'cancel')).http).toBe(200);
  await dispatchAt(product.platform, at('08:00', '2031-03-11'));
  expect(await states(id)).toEqual({ skipped: 12 });
  expect((await rowOf(id)).sent).toBe(0);
  const other = await handIn();
  await dispatchAt(product.platform, at('23:00', '2031-03-12'));
  await dispatchAt(product.platform, at('08:00', '2031-03-13'));
  expect(await states(other)).toEqual({ submitted: 6, delivered: 6 });
  const row = await rowOf(other);
  expect([row.planned, row.sent, row.delivered, row.state]).toEqual([12, 12, 6, 'done']);
});

test('group 01 Must show 12: who had two marketing messages today is skipped; urgent needs its own right', async () => {
  await run(db(), 'DELETE FROM message_usage');
  await run(
    db(),
    `INSERT INTO message_usage (member_id, channel, day, count) SELECT id, 1, '2031-04-01', 2 FROM member WHERE phone = '16620000001'`,
  );
  const capped = await handIn({ projects: [projects[2]!] });
  await dispatchAt(product.platform, at('12:00', '2031-04-01'));
  expect(
    await run(db(), 'SELECT DISTINCT state, reason FROM message_recipient WHERE send_id = $1', [
      Number(capped),
    ]),
  ).toEqual([{ state: 'skipped', reason: 'capped' }]);
  const urgent = { projects: [projects[2]!], urgent: true, urgentReason: '台风红色预警' };
  expect((await product.call(clerk, 'POST', ROOT, form(urgent))).http).toBe(403);
  expect((await product.call(clerk, 'POST', ROOT, form({ projects: [projects[2]!] }))).http).toBe(200);
  const id = await handIn(urgent);
  await dispatchAt(product.platform, at('23:30', '2031-04-01'));
  expect(await states(id)).toEqual({ submitted: 1, delivered: 1 });
});

test('what is hidden or outside the chosen projects is refused, so is a time that passed', async () => {
  const topic = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO community_topic (title, content, state, published_at, created_by)
     SELECT '话题', '<p>x</p>', 'published', now(), id FROM staff WHERE account = 'admin' RETURNING id`,
  ))!.id;
  await run(db(), 'INSERT INTO community_topic_project (topic_id, project_id) VALUES ($1, $2)', [
    topic,
    Number(projects[0]),
  ]);
  const wrong = await product.call(admin, 'POST', ROOT, form({ jump: 'topic', jumpTopic: String(topic) }));
  expect([wrong.http, wrong.data.fields]).toEqual([422, { jumpTopic: '跳转内容不可见' }]);
  const made = await product.call(
    admin,
    'POST',
    ROOT,
    form({ jump: 'topic', jumpTopic: String(topic), projects: [projects[0]!] }),
  );
  expect(made.http).toBe(200);
  await run(db(), `UPDATE community_topic SET state = 'hidden' WHERE id = $1`, [topic]);
  expect((await act(String(made.data.id), 'submit')).message).toBe('跳转内容不可见');
  const past = await product.call(
    admin,
    'POST',
    ROOT,
    form({ schedule: 'at', sendAt: '2020-01-01T08:00:00+08:00' }),
  );
  expect([past.http, past.data.fields.sendAt]).toEqual([422, '时间不能早于现在']);
  const url = await product.call(admin, 'POST', ROOT, form({ jump: 'url', jumpUrl: 'http://example.com' }));
  expect(url.data.fields.jumpUrl).toBe('须为 https 链接');
});

test('the same row stands under message sending, where it is handled by nobody', async () => {
  const id = await handIn({ projects: [projects[1]!] });
  const { data } = await product.call(admin, 'GET', `/jinmao/web/messageSend/${id}`);
  expect([data.origin, data.actions]).toEqual(['ops_push', []]);
});

test('a push reaches members of a grade or a group alone, and opens an activity its projects see', async () => {
  const [place] = projects;
  const people = await run<{ id: number }>(
    db(),
    'SELECT id FROM member WHERE project_id = $1 ORDER BY id LIMIT 2',
    [place],
  );
  const top = (await runOne<{ id: number }>(db(), 'SELECT id FROM grade ORDER BY threshold DESC LIMIT 1'))!
    .id;
  await run(
    db(),
    'INSERT INTO member_grade (member_id, basis) SELECT $1, threshold FROM grade WHERE id = $2 ON CONFLICT (member_id) DO UPDATE SET basis = excluded.basis',
    [people[0]!.id, top],
  );
  const group = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO interest_group (name, logo_id, introduction, join_way, state) SELECT '推送小组', id, 'x', 'free', 'published' FROM stored_file LIMIT 1 RETURNING id`,
  ))!.id;
  await run(
    db(),
    `INSERT INTO interest_group_project (group_id, project_id, name) VALUES ($1, $2, '推送小组')`,
    [group, place],
  );
  await run(
    db(),
    `INSERT INTO interest_group_member (group_id, member_id, state, joined_at) VALUES ($1, $2, 'in', now())`,
    [group, people[1]!.id],
  );
  const reach = async (more: object) => {
    const made = await product.call(admin, 'POST', ROOT, form({ projects: [place], ...more }));
    expect([made.message, made.data?.fields]).toEqual(['', undefined]);
    return (await product.call(admin, 'GET', `${ROOT}/${made.data.id}/reach`)).data.total;
  };
  expect(await reach({ grades: [String(top)] })).toBe(1);
  expect(await reach({ groups: [String(group)] })).toBe(1);
  expect(await reach({ grades: [String(top)], groups: [String(group)] })).toBe(0);
  const activity = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO activity (title, cover_id, content_html, audience, address, starts_at, ends_at, deadline, contact, phone, state, published_at)
     SELECT '推送活动', id, '<p>x</p>', 'property', 'x', now() + interval '1 day', now() + interval '2 days', now(), 'x', '02588886666', 'published', now() FROM stored_file LIMIT 1 RETURNING id`,
  ))!.id;
  await run(db(), 'INSERT INTO activity_project VALUES ($1, $2)', [activity, place]);
  const jump = { jump: 'activity', jumpActivity: String(activity) };
  const wide = await product.call(admin, 'POST', ROOT, form(jump));
  expect(wide.data.fields).toEqual({ jumpActivity: '跳转内容不可见' });
  expect((await product.call(admin, 'POST', ROOT, form({ projects: [place], ...jump }))).message).toBe('');
});
