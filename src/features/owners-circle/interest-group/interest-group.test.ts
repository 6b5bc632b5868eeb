import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { programToken } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { gradeOf } from '../../../domain/interest-group/interest-group.rules.ts';

const ROOT = '/jinmao/web/interestGroup';
let product: TestProduct;
let admin: string;
let app: string;
let near: number;
let far: number;
let logo: string;
let sport: number;
let turn = 0;

const db = () => product.platform.database.db;
const all = <T>(sql: string, values: unknown[] = []) => run<T>(db(), sql, values);
const one = async <T>(sql: string, values: unknown[] = []) => (await runOne<T>(db(), sql, values))!;
const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object, token = admin) =>
  product.call(token, method, `${ROOT}${path}`, body);

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  app = await programToken(product, { id: 'circle-app', scopes: ['member_event'] });
  const made = await all<{ id: number }>(
    `INSERT INTO project (code, name, centre_id, unit_id) SELECT c, c, p.centre_id, p.unit_id FROM (SELECT centre_id, unit_id FROM project ORDER BY id LIMIT 1) p, unnest(ARRAY['IG1', 'IG2']) c RETURNING id`,
  );
  [near, far] = made.map((row) => row.id) as [number, number];
  logo = (
    await one<{ id: string }>(
      `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access, owner_id)
       SELECT gen_random_uuid(), 'logo.png', 'image/png', 900, '\\x00', 'ig-logo', 'picture', min(id) FROM staff WHERE account = 'admin' RETURNING id`,
    )
  ).id;
  sport = (
    await one<{ id: number }>(
      `SELECT v.id FROM dictionary_value v JOIN dictionary_type d ON d.id = v.type_id WHERE d.code = 'group_class' AND v.value = 'sport'`,
    )
  ).id;
});
afterAll(() => product?.close());

async function member(project = near): Promise<number> {
  turn += 1;
  return (
    await one<{ id: number }>(
      `INSERT INTO member (name, phone, project_id) VALUES ('周晓', $1, $2) RETURNING id`,
      [`1351000${String(turn).padStart(4, '0')}`, project],
    )
  ).id;
}
const form = (more: object = {}) => ({
  name: `小组${(turn += 1)}`,
  logo,
  introduction: '一起运动',
  classes: [String(sport)],
  projects: [String(near)],
  joinWay: 'free',
  memberLimit: 0,
  ...more,
});
async function made(more: object = {}, published = true): Promise<number> {
  const answer = await call('POST', '', form({ leader: String(await member()), ...more }));
  expect([answer.http, answer.message]).toEqual([200, '']);
  const id = Number(answer.data.id);
  if (published) expect((await call('POST', `/${id}/publish`, {})).message).toBe('');
  return id;
}
const event = (memberId: number, type: string, groupId: number, project = near) =>
  product.call(app, 'POST', '/jinmao/web/memberEvent', {
    eventId: randomUUID(),
    memberId: String(memberId),
    projectId: String(project),
    type,
    occurredAt: new Date().toISOString(),
    payload: { groupId: String(groupId) },
  });
const people = (group: number) =>
  all<{ id: number; member_id: number; role: string; state: string }>(
    'SELECT id, member_id, role, state FROM interest_group_member WHERE group_id = $1 ORDER BY id',
    [group],
  );
const act = (id: number, action: string, body: object = {}) =>
  action === 'remove'
    ? product.call(admin, 'DELETE', `/jinmao/web/interestGroupMember/${id}`, body)
    : product.call(admin, 'POST', `/jinmao/web/interestGroupMember/${id}/${action}`, body);

test('a group is not published without a leader, and a name is used once in a project', async () => {
  const answer = await call('POST', '', form({ name: '无主小组' }));
  const id = Number(answer.data.id);
  const refused = await call('POST', `/${id}/publish`, {});
  expect([refused.http, refused.status, refused.message]).toEqual([409, 30101, '请先设置组长']);
  const twins = await Promise.all([1, 2].map(() => call('POST', '', form({ name: '同名小组' }))));
  expect(twins.map((twin) => twin.http).sort()).toEqual([200, 409]);
  expect((await call('POST', '', form({ name: '同名小组', projects: [String(far)] }))).http).toBe(200);
});

test('two at once on the last seat: one is in, the other is told that the group is full', async () => {
  const id = await made({ memberLimit: 3 });
  expect((await event(await member(), 'group.join', id)).data.result).toEqual({ state: 'in' });
  const late = await Promise.all(Array.from({ length: 6 }, () => member()));
  const answers = await Promise.all(late.map((one) => event(one, 'group.join', id)));
  expect(answers.filter((answer) => answer.message === '')).toHaveLength(1);
  expect(new Set(answers.map((answer) => answer.message))).toEqual(new Set(['', '小组人数已满']));
  expect((await call('GET', `/${id}`)).data.members).toBe(3);
  expect(
    (await call('PUT', `/${id}`, { version: (await call('GET', `/${id}`)).data.version, memberLimit: 2 }))
      .http,
  ).toBe(422);
});

test('on application staff let in and refuse; only members of the projects may ask', async () => {
  const id = await made({ joinWay: 'apply' });
  const [first, second] = [await member(), await member()];
  expect((await event(first, 'group.join', id)).data.result).toEqual({ state: 'applying' });
  await event(second, 'group.join', id);
  expect((await event(first, 'group.join', id)).message).toBe('申请正在审核');
  expect((await event(await member(far), 'group.join', id, far)).http).toBe(404);
  const rows = await people(id);
  const idOf = (who: number) => rows.find((row) => row.member_id === who)!.id;
  expect((await act(idOf(first), 'approve')).message).toBe('');
  expect((await act(idOf(second), 'refuse', { reason: '资料不全' })).message).toBe('');
  expect((await people(id)).map((row) => row.state)).toEqual(['in', 'in', 'out']);
  expect((await call('GET', `/${id}`)).data.members).toBe(2);
});

test('a new leader turns the old one into a member; a fourth deputy is refused; the leader neither leaves nor is removed', async () => {
  const id = await made();
  const joined = await Promise.all(Array.from({ length: 5 }, () => member()));
  for (const who of joined) await event(who, 'group.join', id);
  const rows = await people(id);
  const answers = await Promise.all(rows.slice(1, 5).map((row) => act(row.id, 'makeVice')));
  expect(answers.filter((answer) => answer.message === '')).toHaveLength(3);
  expect((await act(rows[5]!.id, 'makeLeader')).message).toBe('');
  const now = await people(id);
  expect(now.filter((row) => row.role === 'leader').map((row) => row.id)).toEqual([rows[5]!.id]);
  expect(now[0]!.role).toBe('member');
  expect((await event(now[5]!.member_id, 'group.leave', id)).message).toBe('组长须先移交');
  expect((await act(rows[5]!.id, 'remove', { reason: '试一试' })).message).toBe('请先设置其他组长');
  expect((await event(now[0]!.member_id, 'group.leave', id)).message).toBe('');
});

test('a project that goes takes its members with it, after a confirmation that says how many', async () => {
  const id = await made({ projects: [String(near), String(far)] });
  for (const who of [await member(far), await member(far), await member()])
    await event(
      who,
      'group.join',
      id,
      (await one<{ project_id: number }>('SELECT project_id FROM member WHERE id = $1', [who])).project_id,
    );
  const save = async (more: object) =>
    call('PUT', `/${id}`, {
      version: (await call('GET', `/${id}`)).data.version,
      projects: [String(near)],
      ...more,
    });
  const asked = await save({});
  expect([asked.http, JSON.stringify(asked.data)]).toEqual([
    422,
    expect.stringContaining('将有2名成员被移出小组'),
  ]);
  expect((await save({ moveOut: true })).message).toBe('');
  expect((await people(id)).map((row) => row.state)).toEqual(['in', 'removed', 'removed', 'in']);
});

test('withdrawn groups are joined by nobody; drafts alone are deleted', async () => {
  const id = await made();
  const reason = await one<{ id: number }>(
    `SELECT v.id FROM dictionary_value v JOIN dictionary_type d ON d.id = v.type_id WHERE d.code = 'group_withdraw_reason' AND v.value = 'inactive'`,
  );
  const inside = await member();
  await event(inside, 'group.join', id);
  expect(
    (await call('POST', `/${id}/withdraw`, { reason: String(reason.id), note: '半年无人发言' })).message,
  ).toBe('');
  const told = await one<{ body_zh: string }>(
    'SELECT body_zh FROM member_notification WHERE member_id = $1 AND notice ORDER BY id DESC LIMIT 1',
    [inside],
  );
  expect(told.body_zh).toContain('半年无人发言');
  expect((await call('GET', `/${id}`)).data.withdrawReason).toBe('长期不活跃：半年无人发言');
  expect((await event(await member(), 'group.join', id)).http).toBe(404);
  expect((await call('DELETE', `/${id}`)).http).toBe(409);
  const draft = await made({}, false);
  expect((await call('DELETE', `/${draft}`)).message).toBe('');
});

test('grades follow the points of a group', async () => {
  const from = [0, 500, 2000, 5000, 10000];
  expect([0, 499, 500, 4_999, 5_000, 99_999].map((points) => gradeOf(points, from))).toEqual([
    1, 1, 2, 3, 4, 5,
  ]);
});

test('group 10 Must show 15: groups of another project stand in no list and answer 404; one of both is listed, not changed', async () => {
  const alone = await made({ projects: [String(far)], leader: String(await member(far)) });
  const both = await made({ projects: [String(near), String(far)] });
  const staff = await one<{ id: number }>(
    `INSERT INTO staff (tenant_id, account, name, must_change_password) SELECT id, 'circle1', '圈子', false FROM tenant WHERE kind = 3 RETURNING id`,
  );
  await all('INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [staff.id, near]);
  await grantMenu(db(), staff.id, 'cs_ownersCircle');
  await all(
    `INSERT INTO element_grant (group_id, element_code) SELECT g.group_id, e.code FROM group_member g, element e
      WHERE g.staff_id = $1 AND e.code LIKE 'cs\\_ownersCircle%'`,
    [staff.id],
  );
  const token = await product.signIn('circle1');
  const page = await call('GET', '/page?limit=100', undefined, token);
  const ids = page.data.rows.map((row: { id: string }) => Number(row.id));
  expect(ids).toContain(both);
  expect(ids).not.toContain(alone);
  expect((await call('GET', `/${alone}`, undefined, token)).http).toBe(404);
  const refused = await call(
    'PUT',
    `/${both}`,
    {
      version: page.data.rows.find((row: { id: string }) => Number(row.id) === both).version,
      memberLimit: 9,
    },
    token,
  );
  expect(refused.message).toBe('包含您无权管理的项目');
});
