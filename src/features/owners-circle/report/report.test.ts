import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { afterBusinessHours } from '../../../domain/business-calendar/business-hours.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { programToken } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { differenceOf } from './difference.rules.ts';

const MENU = 'cs_reportManagement';
const DAY = 86_400_000;
let product: TestProduct;
let admin: string;
let second: string;
let app: string;
let near: number;
let far: number;
let houses: number[];
let group: number;
let number = 0;

const db = () => product.platform.database.db;
const all = <T>(sql: string, values: unknown[] = []) => run<T>(db(), sql, values);
const one = async <T>(sql: string, values: unknown[] = []) => (await runOne<T>(db(), sql, values))!;
const call = (method: 'GET' | 'POST', path: string, body?: object, token = admin) =>
  product.call(token, method, `/jinmao/web/${path}`, method === 'GET' ? undefined : (body ?? {}));
const job = (name: string) =>
  product.platform.registrations
    .flatMap((registration) => registration.jobs ?? [])
    .find((found) => found.name === name)!
    .run({}, product.platform);

/** A platform staff with every right of this menu; in some projects, or in all. */
async function colleague(account: string, projects?: readonly number[]): Promise<string> {
  const staff = await one<{ id: number }>(
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password)
     SELECT id, $1, $1, $2, false FROM tenant WHERE kind = 3 LIMIT 1 RETURNING id`,
    [account, projects === undefined],
  );
  for (const project of projects ?? [])
    await all('INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [staff.id, project]);
  await grantMenu(db(), staff.id, MENU);
  await all(
    `INSERT INTO element_grant (group_id, element_code) SELECT g.group_id, e.code FROM group_member g, element e
      WHERE g.staff_id = $1 AND e.code LIKE 'cs\\_reportManagement%'`,
    [staff.id],
  );
  return product.signIn(account);
}

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  app = await programToken(product, { id: 'report-app', scopes: ['member_event'] });
  const made = await all<{ id: number }>(
    `INSERT INTO project (code, name, centre_id, unit_id) SELECT c, c, p.centre_id, p.unit_id FROM (SELECT centre_id, unit_id FROM project ORDER BY id LIMIT 1) p, unnest(ARRAY['RC1', 'RC2']) c RETURNING id`,
  );
  [near, far] = made.map((row) => row.id) as [number, number];
  const unit = await one<{ id: number }>(
    `WITH b AS (INSERT INTO building (project_id, name) VALUES ($1, '1幢') RETURNING id)
     INSERT INTO building_unit (building_id, name) SELECT id, '1单元' FROM b RETURNING id`,
    [near],
  );
  houses = (
    await all<{ id: number }>(
      `INSERT INTO house (project_id, unit_id, number, built_area) SELECT $1, $2, n::text, 90 FROM generate_series(101, 130) n RETURNING id`,
      [near, unit.id],
    )
  ).map((row) => row.id);
  second = await colleague('report_two');
  group = (
    await one<{ id: number }>(
      `WITH f AS (INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access) VALUES (gen_random_uuid(), 'l.png', 'image/png', 9, '\\x00', 'rc-logo', 'picture') RETURNING id),
         g AS (INSERT INTO interest_group (name, logo_id, introduction, join_way, state) SELECT '举报测试组', id, 'x', 'free', 'published' FROM f RETURNING id)
       INSERT INTO interest_group_project (group_id, project_id, name) SELECT id, $1, '举报测试组' FROM g RETURNING group_id AS id`,
      [near],
    )
  ).id;
});
afterAll(() => product?.close());

/** A member of the project, in a house where one is named. */
async function member(house?: number, project = near): Promise<number> {
  number += 1;
  const { id } = await one<{ id: number }>(
    `INSERT INTO member (name, phone, project_id) VALUES ('钱晓', $1, $2) RETURNING id`,
    [`1370000${String(number).padStart(4, '0')}`, project],
  );
  if (house !== undefined)
    await all(
      `INSERT INTO household (member_id, house_id, identity, status, bound_at) VALUES ($1, $2, 'family', 'normal', now())`,
      [id, house],
    );
  return id;
}
const event = (memberId: number, type: string, payload: object, project = near) =>
  call(
    'POST',
    'memberEvent',
    {
      eventId: randomUUID(),
      memberId: String(memberId),
      projectId: String(project),
      type,
      occurredAt: new Date().toISOString(),
      payload,
    },
    app,
  );
async function post(author: number, project = near): Promise<number> {
  const answer = await event(
    author,
    'post.create',
    { kind: 'family', content: '一条会被举报的足够长的帖子' },
    project,
  );
  expect(answer.message).toBe('');
  return Number(answer.data.result.postId);
}
const report = (memberId: number, id: number, more: object = {}) =>
  event(memberId, 'report', { target: 'post', targetId: String(id), reason: 'advert', ...more });
const shown = async (id: number) =>
  (await one<{ shown: boolean }>('SELECT shown FROM post WHERE id = $1', [id])).shown;
const cases = (id: number) =>
  all<{
    id: number;
    state: string;
    reports: number;
    auto_hidden: boolean;
    urgent: boolean;
    due_at: Date;
    last_at: Date;
  }>('SELECT * FROM report_case WHERE post_id = $1 ORDER BY id', [id]);
const points = async (memberId: number) =>
  (
    await one<{ sum: number }>(
      `SELECT coalesce(sum(balance), 0)::int AS sum FROM ledger_account WHERE member_id = $1 AND kind = 'points_available'`,
      [memberId],
    )
  ).sum;
/** A claimed case against a new post. */
async function claimed(author: number, token = admin): Promise<{ id: number; post: number }> {
  const target = await post(author);
  const answer = await report(await member(houses[9]), target);
  const id = Number(answer.data.result.caseId);
  expect((await call('POST', `reportCase/${id}/claim`, {}, token)).message).toBe('');
  return { id, post: target };
}
const uphold = (id: number, more: object = {}, token = admin) =>
  call(
    'POST',
    `reportCase/${id}/uphold`,
    { contentAction: 'hide', code: 'advert', penalty: 'none', note: '', ...more },
    token,
  );

test('group 10 Must show 5: five of two houses leave it visible, a sixth of a third house hides it, due in 4 business hours; again counts once', async () => {
  const id = await post(await member());
  const five = await Promise.all([0, 0, 0, 1, 1].map((at) => member(houses[at])));
  const answers = await Promise.all(five.map((who) => report(who, id)));
  expect(answers.map((answer) => answer.message)).toEqual(['', '', '', '', '']);
  expect(await shown(id)).toBe(true);
  const before = (await cases(id))[0]!;
  expect(before).toMatchObject({ reports: 5, auto_hidden: false });
  await report(await member(houses[2]), id);
  expect(await shown(id)).toBe(false);
  const [now, ...more] = await cases(id);
  expect(more).toEqual([]);
  expect(now).toMatchObject({ reports: 6, auto_hidden: true, urgent: true });
  const due = await afterBusinessHours(db(), now!.last_at, 4);
  expect(Math.abs(now!.due_at.getTime() - due.getTime())).toBeLessThan(120_000);
  const again = await report(five[0]!, id);
  expect([again.message, again.data.result.counted]).toEqual(['', false]);
  expect((await cases(id))[0]!.reports).toBe(6);
  expect(
    (await one<{ n: number }>('SELECT count(*)::int AS n FROM post_report WHERE post_id = $1', [id])).n,
  ).toBe(6);
});

test('five reports of five houses at the same moment, each sent twice, hide the content once and make one case', async () => {
  const id = await post(await member());
  const people = await Promise.all([0, 1, 2, 3, 4].map((at) => member(houses[at])));
  await Promise.all([...people, ...people].map((who) => report(who, id)));
  expect(await cases(id)).toMatchObject([{ reports: 5, auto_hidden: true }]);
  expect(
    await all(
      `SELECT 1 FROM entity_event WHERE entity = 'familyPost' AND entity_id = $1 AND action = 'hide'`,
      [id],
    ),
  ).toHaveLength(1);
});

test('group 10 Must show 6: dismissed content is visible, ten reports of this version do not hide it; an edit counts anew', async () => {
  const author = await member();
  const id = await post(author);
  for (const at of [0, 1, 2, 3, 4]) await report(await member(houses[at]), id);
  expect(await shown(id)).toBe(false);
  const [first] = await cases(id);
  await call('POST', `reportCase/${first!.id}/claim`);
  expect((await call('POST', `reportCase/${first!.id}/dismiss`, { note: '正常转让' })).message).toBe('');
  expect(await shown(id)).toBe(true);
  for (let at = 0; at < 10; at += 1) await report(await member(houses[10 + at]), id);
  expect(await shown(id)).toBe(true);
  expect(await cases(id)).toMatchObject([{ state: 'dismissed', reports: 15 }]);
  await event(author, 'post.edit', { postId: String(id), content: '改成了另外一段足够长的内容' });
  for (const at of [20, 21, 22, 23]) await report(await member(houses[at]), id);
  expect(await shown(id)).toBe(true);
  await report(await member(houses[24]), id);
  expect(await shown(id)).toBe(false);
  expect((await cases(id)).map((one) => [one.state, one.reports])).toEqual([
    ['dismissed', 15],
    ['open', 5],
  ]);
});

test('group 10 Must show 7: a trusted author of grade 4 stays visible after 20 reports, the case leads the queue', async () => {
  const author = await member();
  await all(
    `INSERT INTO member_grade (member_id, basis) VALUES ($1, 6000) ON CONFLICT (member_id) DO UPDATE SET basis = 6000`,
    [author],
  );
  const older = await post(await member());
  await report(await member(houses[0]), older);
  const id = await post(author);
  for (let at = 0; at < 20; at += 1) await report(await member(houses[at]), id);
  expect(await shown(id)).toBe(true);
  const [found] = await cases(id);
  expect(found).toMatchObject({ reports: 20, auto_hidden: false, urgent: true });
  const page = await call(
    'GET',
    `reportCase/page?tab=todo&limit=100&project=${near}&urgent=true&autoHidden=false`,
  );
  expect(page.data.rows[0].id).toBe(String(found!.id));
  const queue = (await call('GET', `reportCase/page?tab=todo&limit=100&project=${near}`)).data.rows.map(
    (row: { id: string }) => row.id,
  );
  const urgent = (
    await all<{ id: string }>(
      `SELECT id::text FROM report_case WHERE urgent AND state = 'open' AND project_id = $1`,
      [near],
    )
  ).map((row) => row.id);
  expect(new Set(queue.slice(0, urgent.length))).toEqual(new Set(urgent));
});

test('group 10 Must show 8: 30 days of one person hold 7 until a second approves; the own is refused; muted members post nothing', async () => {
  const author = await member();
  const { id } = await claimed(author);
  expect((await uphold(id, { penalty: 'd30' })).message).toBe('');
  const penalty = () =>
    one<{ id: number; state: string; days: number; length: number }>(
      `SELECT id, state, days, round(extract(epoch FROM until_at - from_at) / 86400)::int AS length FROM member_penalty WHERE case_id = $1`,
      [id],
    );
  expect(await penalty()).toMatchObject({ state: 'waiting', length: 7 });
  const banned = async () =>
    (await one<{ at: Date }>('SELECT banned_until AS at FROM member WHERE id = $1', [author])).at.getTime();
  expect(Math.round(((await banned()) - Date.now()) / DAY)).toBe(7);
  const row = (await call('GET', `memberPenalty/page?case=${id}`)).data.rows[0];
  expect(row.state).toBe('waiting');
  const own = await call('POST', `memberPenalty/${row.id}/approve`, { opinion: '' });
  expect([own.http, own.status, own.message]).toEqual([409, 30101, '不能审批自己提交的记录']);
  expect((await call('POST', `memberPenalty/${row.id}/approve`, { opinion: '同意' }, second)).message).toBe(
    '',
  );
  expect(await penalty()).toMatchObject({ state: 'running', length: 30 });
  expect(Math.round(((await banned()) - Date.now()) / DAY)).toBe(30);
  const refused = await event(author, 'post.create', { kind: 'family', content: '还想说话' });
  expect([refused.status, refused.message]).toEqual([
    30101,
    expect.stringMatching(/^您已被禁言至 \d{4}-\d\d-\d\d \d\d:\d\d$/),
  ]);
});

test('a refused long penalty keeps its seven days and ends by itself; a ban into groups keeps its member out', async () => {
  const author = await member();
  const { id } = await claimed(author);
  const reason = await one<{ id: number }>(
    `SELECT v.id FROM dictionary_value v JOIN dictionary_type d ON d.id = v.type_id WHERE d.code = 'penalty_reason' AND v.value = 'repeat'`,
  );
  const punish = (kind: string, length: string) =>
    call('POST', `reportCase/${id}/penalty`, { kind, length, reason: String(reason.id), text: '' });
  expect((await punish('no_comment', 'forever')).message).toBe('');
  expect((await punish('no_group', 'd3')).message).toBe('');
  const rows = (await call('GET', `memberPenalty/page?case=${id}`)).data.rows as {
    id: string;
    kind: string;
  }[];
  const muted = rows.find((row) => row.kind === 'no_comment')!.id;
  expect((await call('POST', `memberPenalty/${muted}/reject`, { opinion: '过重' }, second)).message).toBe('');
  expect(await one('SELECT state, days FROM member_penalty WHERE id = $1', [Number(muted)])).toEqual({
    state: 'running',
    days: 7,
  });
  await all(
    `UPDATE member_penalty SET from_at = now() - interval '8 days', until_at = now() - interval '1 second' WHERE id = $1`,
    [Number(muted)],
  );
  await job('penalty.end');
  expect(
    (await one<{ at: Date | null }>('SELECT banned_until AS at FROM member WHERE id = $1', [author])).at,
  ).toBeNull();
  expect((await event(author, 'group.join', { groupId: String(group) })).message).toMatch(
    /^您在 .* 前不能加入小组$/,
  );
});

test('group 10 Must show 9: a hidden group post is gone for members, its points go back, the case tells every step', async () => {
  const author = await member(houses[3]);
  const reader = await member(houses[4]);
  for (const who of [author, reader])
    expect((await event(who, 'group.join', { groupId: String(group) })).message).toBe('');
  const answer = await event(author, 'post.create', {
    kind: 'group_post',
    groupId: String(group),
    content: '小组里一条足够长的广告内容',
  });
  expect(answer.message).toBe('');
  const id = Number(answer.data.result.postId);
  const had = await points(author);
  expect(had).toBe(5);
  const made = await report(reader, id);
  const caseId = Number(made.data.result.caseId);
  await call('POST', `reportCase/${caseId}/claim`);
  expect((await call('POST', `reportCase/${caseId}/hide`)).message).toBe('');
  expect(await points(author)).toBe(5);
  expect((await uphold(caseId)).message).toBe('');
  expect(await points(author)).toBe(0);
  expect((await event(reader, 'comment.create', { postId: String(id), content: '还在吗' })).http).toBe(404);
  expect((await event(reader, 'like', { postId: String(id) })).http).toBe(404);
  expect(
    (
      await all<{ action: string }>(
        `SELECT action FROM entity_event WHERE entity = 'reportCase' AND entity_id = $1 ORDER BY id`,
        [caseId],
      )
    ).map((step) => step.action),
  ).toEqual(['open', 'claim', 'hide', 'uphold']);
});

test('members outside a group write nothing there, and a withdrawn group takes its posts along', async () => {
  const stranger = await member();
  const wish = { kind: 'group_post', groupId: String(group), content: '外人想发的足够长的内容' };
  expect((await event(stranger, 'post.create', wish)).message).toBe('仅小组成员可发帖');
  await event(stranger, 'group.join', { groupId: String(group) });
  const id = (await event(stranger, 'post.create', wish)).data.result.postId;
  await all(`UPDATE interest_group SET state = 'withdrawn' WHERE id = $1`, [group]);
  expect((await event(stranger, 'like', { postId: id })).http).toBe(404);
  expect((await event(stranger, 'post.create', wish)).http).toBe(404);
  await all(`UPDATE interest_group SET state = 'published' WHERE id = $1`, [group]);
});

test('an appeal is made once within seven days and decided by somebody else; accepted it restores content, points and speech', async () => {
  const author = await member();
  const { id, post: target } = await claimed(author);
  await uphold(id, { contentAction: 'delete', penalty: 'd7' });
  expect(await points(author)).toBe(0);
  const appeal = (who: number) =>
    event(who, 'report.appeal', { caseId: String(id), text: '这不是广告，请复核' });
  expect((await appeal(await member())).http).toBe(404);
  expect((await appeal(author)).message).toBe('');
  expect((await appeal(author)).message).toBe('只能申诉一次');
  const own = await call('POST', `reportCase/${id}/acceptAppeal`, { answer: '误判' });
  expect([own.status, own.message]).toEqual([30101, '申诉须由他人处理']);
  expect((await call('POST', `reportCase/${id}/acceptAppeal`, { answer: '误判' }, second)).message).toBe('');
  expect(await one('SELECT shown, deleted_at FROM post WHERE id = $1', [target])).toEqual({
    shown: true,
    deleted_at: null,
  });
  expect(await points(author)).toBe(5);
  expect(
    (await one<{ at: Date | null }>('SELECT banned_until AS at FROM member WHERE id = $1', [author])).at,
  ).toBeNull();
  const late = await claimed(author);
  await uphold(late.id);
  await all(`UPDATE report_case SET decided_at = now() - interval '8 days' WHERE id = $1`, [late.id]);
  expect(
    (await event(author, 'report.appeal', { caseId: String(late.id), text: '这不是广告，请复核' })).message,
  ).toBe('申诉期已过');
});

test('an accepted appeal brings back what staff deleted, never a comment or post its author deleted', async () => {
  for (const first of ['author', 'staff'] as const) {
    const author = await member();
    const under = await post(await member());
    const said = await event(author, 'comment.create', {
      postId: String(under),
      content: '转让闲置自行车一辆',
    });
    const { commentId } = said.data.result;
    const told = await report(await member(houses[9]), Number(commentId), { target: 'comment' });
    expect(told.message).toBe('');
    const id = Number(told.data.result.caseId);
    await call('POST', `reportCase/${id}/claim`);
    if (first === 'author') expect((await event(author, 'comment.delete', { commentId })).message).toBe('');
    expect((await uphold(id, { contentAction: 'delete' })).message).toBe('');
    expect(
      (await event(author, 'report.appeal', { caseId: String(id), text: '这不是广告，请复核' })).message,
    ).toBe('');
    expect((await call('POST', `reportCase/${id}/acceptAppeal`, { answer: '误判' }, second)).message).toBe(
      '',
    );
    const kept = await one<{ visible: boolean; n: number }>(
      `SELECT c.deleted_at IS NULL AND c.shown AS visible, p.comments AS n FROM content_comment c JOIN post p ON p.id = c.post_id WHERE c.id = $1`,
      [Number(commentId)],
    );
    expect([first, kept]).toEqual([first, { visible: first === 'staff', n: first === 'staff' ? 1 : 0 }]);
  }
});

test('a case decided anew takes back what its verdict did: dismissed, nothing hides and nobody stays muted; kept, the content is back', async () => {
  for (const first of ['hide', 'delete'] as const)
    for (const then of ['dismiss', 'keep'] as const) {
      const author = await member();
      const { id, post: target } = await claimed(author);
      await uphold(id, { contentAction: first, penalty: 'd7' });
      expect((await call('POST', `reportCase/${id}/reopen`, { reason: '误判' })).message).toBe('');
      expect((await call('POST', `reportCase/${id}/claim`)).message).toBe('');
      const decided =
        then === 'dismiss'
          ? await call('POST', `reportCase/${id}/dismiss`, { note: '正常内容' })
          : await uphold(id, { contentAction: 'keep' });
      expect(decided.message).toBe('');
      const post = await one('SELECT shown, deleted_at FROM post WHERE id = $1', [target]);
      const { banned } = await one<{ banned: boolean }>(
        'SELECT coalesce(banned_until > now(), false) AS banned FROM member WHERE id = $1',
        [author],
      );
      expect([first, then, post, banned, await points(author)]).toEqual([
        first,
        then,
        { shown: true, deleted_at: null },
        false,
        5,
      ]);
    }
});

test('the own content is not reported, others decide only what they claimed, closed comments take none', async () => {
  const author = await member();
  const { id, post: target } = await claimed(author);
  expect((await report(author, target)).message).toBe('不能举报自己的内容');
  expect((await uphold(id, {}, second)).message).toBe('由认领人处理');
  expect((await call('POST', `reportCase/${id}/closeComments`)).message).toBe('');
  const speaker = await member();
  expect((await event(speaker, 'comment.create', { postId: String(target), content: '评论' })).message).toBe(
    '该内容不允许评论',
  );
  await call('POST', `reportCase/${id}/openComments`);
  expect((await event(speaker, 'comment.create', { postId: String(target), content: '评论' })).message).toBe(
    '',
  );
});

test('reports of somebody whose reports were mostly dismissed do not count for hiding', async () => {
  const crier = await member(houses[5]);
  for (let n = 0; n < 5; n += 1) {
    const id = await post(await member());
    const answer = await report(crier, id);
    await all(`UPDATE report_case SET state = 'dismissed', decided_at = now() WHERE id = $1`, [
      Number(answer.data.result.caseId),
    ]);
  }
  const id = await post(await member());
  await report(crier, id);
  for (const at of [0, 1, 2, 3]) await report(await member(houses[at]), id);
  expect(await shown(id)).toBe(true);
  await report(await member(houses[6]), id);
  expect(await shown(id)).toBe(false);
});

test('group 10 Must show 15: cases of another project stand in no list and answer 404', async () => {
  const answer = await event(
    await member(undefined, far),
    'report',
    { target: 'post', targetId: String(await post(await member(undefined, far), far)), reason: 'abuse' },
    far,
  );
  const id = Number(answer.data.result.caseId);
  const scoped = await colleague('report_near', [near]);
  const page = await call('GET', 'reportCase/page?limit=200', undefined, scoped);
  const ids = page.data.rows.map((row: { id: string }) => Number(row.id));
  expect(ids.length).toBeGreaterThan(0);
  expect(ids).not.toContain(id);
  expect((await call('GET', `reportCase/${id}`, undefined, scoped)).http).toBe(404);
});

test('what differs between two versions is cut out of what they share', () => {
  expect(differenceOf('转让婴儿床，加微信', '转让婴儿床，请留言')).toEqual([
    [
      { text: '转让婴儿床，', differs: false },
      { text: '加微信', differs: true },
    ],
    [
      { text: '转让婴儿床，', differs: false },
      { text: '请留言', differs: true },
    ],
  ]);
  expect(differenceOf('一样', '一样')[0]).toEqual([{ text: '一样', differs: false }]);
});

test('both sides are told the verdict, reporters are never named; figures count cases of the last 30 days', async () => {
  const author = await member(houses[20]);
  const reporter = await member(houses[21]);
  const { id } = await one<{ id: number }>(
    `INSERT INTO post (kind, member_id, project_id, content) VALUES ('family', $1, $2, '会被举报的一段话') RETURNING id`,
    [author, near],
  );
  const before = (await call('GET', 'reportCase/figures')).data;
  const reported = await call(
    'POST',
    'memberEvent',
    {
      eventId: randomUUID(),
      memberId: String(reporter),
      projectId: String(near),
      type: 'report',
      occurredAt: new Date().toISOString(),
      payload: { target: 'post', targetId: String(id), reason: 'advert' },
    },
    app,
  );
  const { caseId } = reported.data.result;
  await call('POST', `reportCase/${caseId}/claim`);
  const upheld = await call('POST', `reportCase/${caseId}/uphold`, {
    contentAction: 'hide',
    code: 'advert',
    penalty: 'none',
    messageText: '请勿再发广告',
  });
  expect(upheld.message).toBe('');
  const told = (memberId: number) =>
    all<{ body_zh: string }>('SELECT body_zh FROM member_notification WHERE member_id = $1 AND notice', [
      memberId,
    ]).then((rows) => rows.map((row) => row.body_zh));
  expect(await told(author)).toEqual(['您的内容已被隐藏（广告）：请勿再发广告']);
  expect(await told(reporter)).toEqual(['您举报的内容：举报属实，已处理']);
  const after = (await call('GET', 'reportCase/figures')).data;
  expect([
    after.opened - before.opened,
    after.decided - before.decided,
    after.upheld - before.upheld,
  ]).toEqual([1, 1, 1]);
  expect(after.days).toHaveLength(30);
  const elsewhere = await colleague('report_figures', [far]);
  const { n } = await one<{ n: number }>(
    `SELECT count(*)::int AS n FROM report_case WHERE project_id = $1 AND first_at > now() - interval '29 days'`,
    [far],
  );
  expect((await call('GET', 'reportCase/figures', undefined, elsewhere)).data.opened).toBe(n);
});
