import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ticketOf } from '../../../domain/activity/activity.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { programToken } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ROOT = '/jinmao/web/activity';
const HOUR = 3_600_000;
let product: TestProduct;
let admin: string;
let app: string;
let near: number;
let far: number;
let cover: string;
let turn = 0;

const db = () => product.platform.database.db;
const all = <T>(sql: string, values: unknown[] = []) => run<T>(db(), sql, values);
const one = async <T>(sql: string, values: unknown[] = []) => (await runOne<T>(db(), sql, values))!;
const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object, token = admin) =>
  product.call(token, method, `${ROOT}${path}`, body);
const at = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
const job = () =>
  product.platform.registrations
    .flatMap((one) => one.jobs ?? [])
    .find((one) => one.name === 'activity.phase')!
    .run({}, product.platform);

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  app = await programToken(product, { id: 'activity-app', scopes: ['member_event'] });
  const made = await all<{ id: number }>(
    `INSERT INTO project (code, name, centre_id, unit_id) SELECT c, c, p.centre_id, p.unit_id FROM (SELECT centre_id, unit_id FROM project ORDER BY id LIMIT 1) p, unnest(ARRAY['AC1', 'AC2']) c RETURNING id`,
  );
  [near, far] = made.map((row) => row.id) as [number, number];
  cover = (
    await one<{ id: string }>(
      `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access, owner_id)
       SELECT gen_random_uuid(), 'cover.png', 'image/png', 900, '\\x00', 'ac-cover', 'picture', min(id) FROM staff WHERE account = 'admin' RETURNING id`,
    )
  ).id;
});
afterAll(() => product?.close());

async function member(project = near): Promise<number> {
  turn += 1;
  return (
    await one<{ id: number }>(
      `INSERT INTO member (name, phone, project_id) VALUES ('周晓', $1, $2) RETURNING id`,
      [`1361000${String(turn).padStart(4, '0')}`, project],
    )
  ).id;
}
const members = (n: number) => Promise.all(Array.from({ length: n }, () => member()));
const form = (more: object = {}) => ({
  title: `活动${(turn += 1)}`,
  cover,
  content: '<p>欢迎参加</p>',
  projects: [String(near)],
  audience: 'property',
  address: '中央草坪',
  startsAt: at(72),
  endsAt: at(75),
  deadline: at(48),
  free: true,
  cancellable: true,
  cancelHours: 24,
  contact: '社区',
  phone: '025-88886666',
  personLimit: 0,
  mostSeats: 1,
  waitingList: true,
  givesPoints: true,
  questions: [],
  ...more,
});
async function made(more: object = {}, published = true): Promise<number> {
  const answer = await call('POST', '', form(more));
  expect([answer.http, answer.message, answer.data]).toEqual([200, '', expect.anything()]);
  const id = Number(answer.data.id);
  if (published) expect((await call('POST', `/${id}/publish`, {})).message).toBe('');
  return id;
}
const event = (memberId: number, type: string, payload: object, project = near) =>
  product.call(app, 'POST', '/jinmao/web/memberEvent', {
    eventId: randomUUID(),
    memberId: String(memberId),
    projectId: String(project),
    type: `activity.${type}`,
    occurredAt: new Date().toISOString(),
    payload,
  });
const signUp = (memberId: number, id: number, more: object = {}, project = near) =>
  event(memberId, 'signup', { activityId: String(id), ...more }, project);
const cancel = (memberId: number, id: number) => event(memberId, 'cancel', { activityId: String(id) });
const seen = async (id: number) => (await call('GET', `/${id}`)).data;
const save = async (id: number, more: object) =>
  call('PUT', `/${id}`, { version: (await seen(id)).version, ...more });
const states = async (id: number) =>
  (
    await all<{ state: string; n: number }>(
      'SELECT state, count(*)::int AS n FROM activity_signup WHERE activity_id = $1 GROUP BY state ORDER BY state',
      [id],
    )
  ).map((row) => [row.state, row.n]);
const signups = (id: number) =>
  all<{ id: number; member_id: number; state: string; order_id: number | null; free_until: Date | null }>(
    'SELECT id, member_id, state, order_id, free_until FROM activity_signup WHERE activity_id = $1 ORDER BY applied_at, id',
    [id],
  );

test('group 10 Must show 1: 40 sign up at once for 30 seats, 30 are signed and 10 wait; one cancels, the first waiting moves up', async () => {
  const id = await made({ personLimit: 30 });
  const people = await members(40);
  const answers = await Promise.all(people.map((who) => signUp(who, id)));
  expect(answers.map((answer) => answer.message).filter((text) => text !== '')).toEqual([]);
  expect(await states(id)).toEqual([
    ['signed', 30],
    ['waiting', 10],
  ]);
  expect(await seen(id)).toMatchObject({ taken: 30, personLimit: 30, signed: 30, waiting: 10 });
  const rows = await signups(id);
  const first = rows.find((row) => row.state === 'waiting')!;
  expect((await cancel(rows.find((row) => row.state === 'signed')!.member_id, id)).message).toBe('');
  expect((await signups(id)).find((row) => row.id === first.id)!.state).toBe('signed');
  expect(await seen(id)).toMatchObject({ taken: 30, signed: 30, waiting: 9 });
  // Many cancel at once: as many move up, no seat is given twice.
  const leaving = (await signups(id)).filter((row) => row.state === 'signed').slice(0, 12);
  const gone = await Promise.all(leaving.map((row) => cancel(row.member_id, id)));
  expect(gone.map((answer) => answer.message).filter((text) => text !== '')).toEqual([]);
  expect(await states(id)).toEqual([
    ['cancelled', 13],
    ['signed', 27],
  ]);
  expect((await seen(id)).taken).toBe(27);
});

test('without a waiting list the last seat goes to one of many; a member signs up once', async () => {
  const id = await made({ personLimit: 1, waitingList: false });
  const late = await members(6);
  const answers = await Promise.all(late.map((who) => signUp(who, id)));
  expect(answers.filter((answer) => answer.message === '')).toHaveLength(1);
  expect(new Set(answers.map((answer) => answer.message))).toEqual(new Set(['', '名额已满']));
  const open = await made();
  const who = await member();
  const twice = await Promise.all([1, 2, 3].map(() => signUp(who, open)));
  expect(twice.filter((answer) => answer.message === '')).toHaveLength(1);
  expect(twice.map((answer) => answer.message)).toContain('您已报名该活动');
});

test('group 10 Must show 3: a limit below the seats that are taken is refused at its field; time and place are told', async () => {
  const id = await made({ personLimit: 30 });
  for (const who of await members(25)) await signUp(who, id);
  const refused = await save(id, { personLimit: 20 });
  expect([refused.http, JSON.stringify(refused.data)]).toEqual([
    422,
    expect.stringContaining('不能小于已报名人数25'),
  ]);
  expect(JSON.stringify((await save(id, { personLimit: 20 })).data)).toContain('personLimit');
  expect((await save(id, { free: false, cost: '10.00' })).http).toBe(422);
  const group = await save(id, { audience: 'group' });
  expect(group.http).toBe(422);
  expect((await save(id, { personLimit: 25 })).message).toBe('');
  expect((await save(id, { address: '会所二楼' })).message).toBe('');
  expect((await signups(id)).every((row) => row.free_until !== null)).toBe(true);
  const told = await one<{ n: number }>(
    `SELECT count(*)::int AS n FROM sms_message WHERE purpose = 'activity' AND body LIKE '%时间或地点有变更%' AND params->>'title' = $1`,
    [(await seen(id)).title],
  );
  expect(told.n).toBe(25);
  // Waiting and a raised limit.
  const [last] = await members(1);
  expect((await signUp(last!, id)).data.result.state).toBe('waiting');
  expect((await save(id, { personLimit: 26 })).message).toBe('');
  expect(await seen(id)).toMatchObject({ taken: 26, waiting: 0 });
});

test('who is not meant, comes late or answers nothing is refused; cancelling ends when the activity says so', async () => {
  const id = await made({
    mostSeats: 2,
    questions: [{ question: '孩子年龄', required: true }],
  });
  const who = await member();
  expect((await signUp(await member(far), id, {}, far)).message).toBe('不在活动范围');
  expect((await signUp(who, id)).message).toBe('请回答：孩子年龄');
  expect((await signUp(who, id, { seats: 3, answers: ['6'] })).message).toBe('每次最多报名2人');
  expect((await signUp(who, id, { seats: 2, answers: ['6'] })).message).toBe('');
  const late = await member();
  await all(`UPDATE activity SET deadline = now() - interval '1 minute' WHERE id = $1`, [id]);
  const closed = await signUp(late, id, { answers: ['6'] });
  expect([closed.status, closed.message]).toEqual([30101, '报名已截止']);
  await all(`UPDATE activity SET starts_at = now() + interval '23 hours' WHERE id = $1`, [id]);
  expect((await cancel(who, id)).message).toBe('已超过取消时间');
  await all(`UPDATE activity_signup SET free_until = now() + interval '1 hour' WHERE activity_id = $1`, [id]);
  expect((await cancel(who, id)).message).toBe('');
  const draft = await made({ deadline: at(1) }, false);
  await all(`UPDATE activity SET deadline = now() - interval '1 minute' WHERE id = $1`, [draft]);
  expect((await call('POST', `/${draft}/publish`, {})).message).toBe('报名截止时间已过');
  expect((await signUp(late, draft)).http).toBe(404);
  for (const [wrong, field] of [
    [{ endsAt: at(71) }, 'endsAt'],
    [{ deadline: at(73) }, 'deadline'],
    [{ free: false }, 'cost'],
    [{ audience: 'group' }, 'groups'],
  ] as const) {
    const answer = await call('POST', '', form(wrong));
    expect([answer.http, JSON.stringify(answer.data)]).toEqual([422, expect.stringContaining(`"${field}"`)]);
  }
});

test('only members of the groups sign up for a group activity; who comes earns points for the group, once', async () => {
  const group = await one<{ id: number }>(
    `WITH g AS (INSERT INTO interest_group (name, logo_id, introduction, join_way, state) VALUES ('活动小组', $1, 'x', 'free', 'published') RETURNING id)
     INSERT INTO interest_group_project (group_id, project_id, name) SELECT id, $2, '活动小组' FROM g RETURNING group_id AS id`,
    [cover, near],
  );
  const id = await made({ audience: 'group', groups: [String(group.id)] });
  const who = await member();
  expect((await signUp(who, id)).message).toBe('不在活动范围');
  await all(
    `INSERT INTO interest_group_member (group_id, member_id, state, joined_at) VALUES ($1, $2, 'in', now())`,
    [group.id, who],
  );
  expect((await signUp(who, id)).message).toBe('');
  expect((await seen(id)).groups).toEqual([{ id: String(group.id), title: '活动小组' }]);
  await all(
    `UPDATE activity SET deadline = now(), starts_at = now(), ends_at = now() + interval '2 hours' WHERE id = $1`,
    [id],
  );
  const ticket = ticketOf(product.platform.config, id);
  const points = 5;
  await all(
    `INSERT INTO points_rule (code, direction, name, event, points, day_limit, dimension, description, state, project_ids)
     VALUES ('A998', 'earn', '小组活动签到', 'activity.check_in', $1, 100, 'group', '计入小组积分', 'enabled', ARRAY[$2::bigint])`,
    [points, near],
  );
  expect((await event(who, 'check_in', { ticket })).data.effects).toEqual([
    expect.objectContaining({ rule: 'T09' }),
    { kind: 'group_points', points, rule: 'activity.check_in' },
  ]);
  await event(who, 'check_in', { ticket });
  const earned = await one<{ n: number }>(
    'SELECT sum(points)::int AS n FROM interest_group_points WHERE group_id = $1',
    [group.id],
  );
  expect(earned.n).toBe(points);
});

test('the job reminds once, lets who waits in and closes the waiting list at the start; copies are drafts', async () => {
  const id = await made({ personLimit: 1 });
  const [first, second, third] = await members(3);
  for (const who of [first!, second!, third!]) await signUp(who, id);
  await all(
    `UPDATE activity SET starts_at = now() + interval '5 hours', deadline = now() - interval '1 hour' WHERE id = $1`,
    [id],
  );
  await job();
  await job();
  const { n } = await one<{ n: number }>(
    `SELECT count(*)::int AS n FROM entity_event WHERE entity = 'activity' AND entity_id = $1 AND action = 'remind'`,
    [id],
  );
  expect(n).toBe(1);
  expect((await call('POST', `/${id}/notice`, { to: 'all', body: '请带雨具' })).data.result).toEqual({
    n: 3,
  });
  await all(`UPDATE activity SET starts_at = now() - interval '1 minute' WHERE id = $1`, [id]);
  await job();
  expect(await states(id)).toEqual([
    ['cancelled', 2],
    ['signed', 1],
  ]);
  expect((await call('POST', `/${id}/copy`, {})).message).toBe('');
  const copy = await one<{ state: string; taken: number }>(
    `SELECT state, taken FROM activity WHERE title LIKE '% 副本' ORDER BY id DESC LIMIT 1`,
  );
  expect(copy).toEqual({ state: 'draft', taken: 0 });
  expect((await call('DELETE', `/${id}`)).http).toBe(409);
});

test('group 10 Must show 15: activities of another project stand in no list and answer 404; one of both is listed, not changed', async () => {
  const alone = await made({ projects: [String(far)] });
  const both = await made({ projects: [String(near), String(far)] });
  const [mine, other] = [await member(), await member(far)];
  await signUp(mine, both);
  await signUp(other, both, {}, far);
  const staff = await one<{ id: number }>(
    `INSERT INTO staff (tenant_id, account, name, must_change_password) SELECT id, 'circle2', '圈子', false FROM tenant WHERE kind = 3 RETURNING id`,
  );
  await all('INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [staff.id, near]);
  await grantMenu(db(), staff.id, 'cs_activityPromulgate');
  await all(
    `INSERT INTO element_grant (group_id, element_code) SELECT g.group_id, e.code FROM group_member g, element e
      WHERE g.staff_id = $1 AND e.code LIKE 'cs\\_activityPromulgate%'`,
    [staff.id],
  );
  const token = await product.signIn('circle2');
  const page = await call('GET', '/page?limit=100', undefined, token);
  const ids = page.data.rows.map((row: { id: string }) => Number(row.id));
  expect(ids).toContain(both);
  expect(ids).not.toContain(alone);
  expect((await call('GET', `/${alone}`, undefined, token)).http).toBe(404);
  expect((await call('GET', `/${alone}/checkIn`, undefined, token)).http).toBe(404);
  const version = page.data.rows.find((row: { id: string }) => Number(row.id) === both).version;
  const refused = await call('PUT', `/${both}`, { version, personLimit: 9 }, token);
  expect(refused.message).toBe('包含您无权管理的项目');
  const list = await product.call(token, 'GET', `/jinmao/web/activitySignup/page?activity=${both}&limit=50`);
  expect(list.data.rows).toHaveLength(1);
});

test('comments under activities: written by residents of the projects, hidden by staff, reported as comments of an activity', async () => {
  const id = await made();
  const [writer, reporter] = (await members(2)) as [number, number];
  const other = (memberId: number, type: string, payload: object, project = near) =>
    product.call(app, 'POST', '/jinmao/web/memberEvent', {
      eventId: randomUUID(),
      memberId: String(memberId),
      projectId: String(project),
      type,
      occurredAt: new Date().toISOString(),
      payload,
    });
  const wrote = await other(writer, 'comment.create', { activityId: String(id), content: '请问停车方便吗' });
  expect(wrote.message).toBe('');
  const comment = Number(wrote.data.result.commentId);
  expect(
    (await other(await member(far), 'comment.create', { activityId: String(id), content: '外面的人' }, far))
      .http,
  ).toBe(404);
  const report = (kind: string) =>
    other(reporter, 'report', { target: kind, targetId: String(comment), reason: 'advert' });
  expect((await report('comment')).http).toBe(404);
  const reported = await report('activity_comment');
  expect([reported.message, reported.data.result.counted]).toEqual(['', true]);
  const kept = await product.call(admin, 'GET', `/jinmao/web/reportCase/${reported.data.result.caseId}`);
  expect(kept.data).toMatchObject({
    target: 'activity_comment',
    contentState: 'visible',
    commentsAllowed: true,
  });
  const path = `/jinmao/web/activityComment/${comment}`;
  expect((await product.call(admin, 'POST', `${path}/hide`, { code: 'other', text: '短' })).http).toBe(422);
  expect((await product.call(admin, 'POST', `${path}/hide`, { code: 'advert' })).message).toBe('');
  const list = await product.call(admin, 'GET', `/jinmao/web/activityComment/page?activity=${id}`);
  expect(list.data.rows).toMatchObject([{ content: '请问停车方便吗', shown: false }]);
  expect((await product.call(admin, 'POST', `${path}/show`, {})).message).toBe('');
});
