import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { voteShares, plainContent } from '../../../domain/content/content.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { registration as topics } from '../community-topic/community-topic.server.ts';
import { programToken } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
let app: string;
let near: number;
let far: number;
let number = 0;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  app = await programToken(product, { id: 'post-app', scopes: ['member_event'] });
  const made = await all<{ id: number }>(
    `INSERT INTO project (code, name, centre_id, unit_id) SELECT c, c, p.centre_id, p.unit_id FROM (SELECT centre_id, unit_id FROM project ORDER BY id LIMIT 1) p, unnest(ARRAY['PO1', 'PO2']) c RETURNING id`,
  );
  [near, far] = made.map((one) => one.id) as [number, number];
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const all = <T>(sql: string, values: unknown[] = []) => run<T>(db(), sql, values);
const one = async <T>(sql: string, values: unknown[] = []) => (await runOne<T>(db(), sql, values))!;
const call = (method: 'GET' | 'POST', path: string, body?: object, token = admin) =>
  product.call(token, method, `/jinmao/web/${path}`, method === 'GET' ? undefined : (body ?? {}));

async function member(project = near): Promise<number> {
  number += 1;
  const { id } = await one<{ id: number }>(
    `INSERT INTO member (name, phone, project_id) VALUES ('孙晓', $1, $2) RETURNING id`,
    [`1360000${String(number).padStart(4, '0')}`, project],
  );
  return id;
}
const event = (memberId: number, type: string, payload: object, more: object = {}) =>
  call(
    'POST',
    'memberEvent',
    {
      eventId: randomUUID(),
      memberId: String(memberId),
      projectId: String(near),
      type,
      occurredAt: new Date().toISOString(),
      payload,
      ...more,
    },
    app,
  );
const post = async (memberId: number, content: string, more: object = {}, outer: object = {}) => {
  const answer = await event(memberId, 'post.create', { kind: 'family', content, ...more }, outer);
  expect(answer.message).toBe('');
  return answer.data.result.postId as string;
};
const points = async (memberId: number) =>
  (
    await one<{ sum: number }>(
      `SELECT coalesce(sum(balance), 0)::int AS sum FROM ledger_account WHERE member_id = $1 AND kind = 'points_available'`,
      [memberId],
    )
  ).sum;
const see = async (id: string, token = admin) =>
  (await call('GET', `familyPost/${id}`, undefined, token)).data;
const waiting = async () => (await call('GET', 'familyPost/page?tab=waiting&limit=20')).data.total as number;

/** A moderator of some projects with every right of operations. */
async function moderator(account: string, projects: readonly number[]): Promise<string> {
  const tenant = await one<{ id: number }>('SELECT id FROM tenant WHERE kind = 3');
  const staff = await one<{ id: number }>(
    `INSERT INTO staff (tenant_id, account, name, must_change_password) VALUES ($1, $2, $2, false) RETURNING id`,
    [tenant.id, account],
  );
  await all('INSERT INTO staff_project (staff_id, project_id) SELECT $1, unnest($2::bigint[])', [
    staff.id,
    projects,
  ]);
  const group = await one<{ id: number }>(
    `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT min(id), $1, $2, $2 FROM group_type RETURNING id`,
    [tenant.id, account],
  );
  await all(
    `INSERT INTO menu_grant (group_id, menu_code) SELECT $1, code FROM menu WHERE code LIKE 'os\\_%'`,
    [group.id],
  );
  await all(
    `INSERT INTO element_grant (group_id, element_code) SELECT $1, code FROM element WHERE code LIKE 'os\\_%'`,
    [group.id],
  );
  await all('INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group.id, staff.id]);
  return product.signIn(account);
}

test('group 01 Must show 2: a hidden word waits for review, is marked, and a second moderator is told who was first', async () => {
  await call('POST', 'sensitiveWord', {
    word: '测试敏感',
    category: 'abuse',
    level: 'review',
    variants: true,
    exceptions: [],
  });
  await all(`UPDATE sensitive_word SET enabled = true WHERE word = '测试敏感'`);
  product.platform.changed('sensitiveWord');
  const before = await waiting();
  const author = await member();
  const id = await post(author, '测 试 敏 感，今天天气不错');
  expect(await waiting()).toBe(before + 1);
  const shown = await see(id);
  expect([shown.state, shown.hits.map((hit: { word: string }) => hit.word)]).toEqual([
    'pending',
    ['测试敏感'],
  ]);
  expect(await points(author)).toBe(0);
  // Members neither like nor comment what they do not see.
  expect((await event(await member(), 'like', { postId: id })).http).toBe(404);
  const [first, second] = [await moderator('po_first', [near]), await moderator('po_second', [near])];
  expect((await call('POST', `familyPost/${id}/pass`, {}, first)).message).toBe('');
  const late = await call('POST', `familyPost/${id}/refuse`, { code: 'advert' }, second);
  expect([late.status, late.message]).toEqual([30101, '已被 po_first 处理']);
  expect((await event(await member(), 'like', { postId: id })).message).toBe('');
  expect(await points(author)).toBe(5 + 1);
  await all(`UPDATE sensitive_word SET level = 'block' WHERE word = '测试敏感'`);
  product.platform.changed('sensitiveWord');
  expect((await event(author, 'post.create', { kind: 'family', content: '测-试-敏-感' })).message).toBe(
    '内容包含敏感词',
  );
});

test('group 01 Must show 1 (export): the file holds the codes of emoji as they were written', async () => {
  const content = '今天[玫瑰][大笑]开心[未知]';
  const id = await post(await member(), content);
  expect((await see(id)).content).toBe(content);
  const source = product.platform.registrations
    .flatMap((each) => each.exports ?? [])
    .find((each) => each.source === 'familyPost')!;
  const rows: unknown[][] = [];
  const asked = {
    caller: await product.caller('admin'),
    platform: product.platform,
    language: 'zh' as const,
  };
  for await (const batch of source.read(asked, { project: String(near) }))
    rows.push(...(batch as unknown[][]));
  expect(rows.filter((row) => row.includes(content))).toHaveLength(1);
});

test('group 01 Must show 3: hiding a topped post takes it from the top and its points back, showing it gives them once', async () => {
  const author = await member();
  const id = await post(author, '一段足够长的家人圈内容，值得奖励');
  expect(await points(author)).toBe(5);
  await call('POST', `familyPost/${id}/top`);
  const short = await call('POST', `familyPost/${id}/hide`, { code: 'other', text: '短' });
  expect(short.http).toBe(422);
  expect((await call('POST', `post/${id}/operate`, { operation: 0, reasonCode: 'advert' })).message).toBe('');
  expect(await see(id)).toMatchObject({ shown: false, topped: false, hideCode: 'advert' });
  expect(await points(author)).toBe(0);
  expect((await event(await member(), 'view', { postId: id })).data.result).toEqual({ counted: false });
  const log = await call('GET', `familyPost/${id}/timeline`);
  expect(JSON.stringify(log.data)).toContain('广告 -5');
  for (let n = 0; n < 2; n += 1) {
    expect((await call('POST', `familyPost/${id}/show`)).message).toBe('');
    expect(await points(author)).toBe(n === 0 ? 5 : 0);
    await call('POST', `familyPost/${id}/hide`, { code: 'advert' });
  }
  expect(await points(author)).toBe(0);
});

test('group 01 Must show 4: a fourth on top of a project is refused, also when two are topped at once', async () => {
  const author = await member();
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.push(await post(author, `置顶测试 ${n}`));
  for (const id of ids.slice(0, 2)) await call('POST', `familyPost/${id}/top`);
  const answers = await Promise.all(ids.slice(2).map((id) => call('POST', `familyPost/${id}/top`)));
  expect(answers.map((answer) => answer.message).sort()).toEqual(['', '最多置顶3条', '最多置顶3条']);
  const batch = await call('POST', 'post/batchOperate', { ids: ids.slice(0, 3), operation: 4 });
  expect((batch.data as { ok: boolean }[]).filter((one) => one.ok).length).toBeGreaterThanOrEqual(2);
});

test('group 01 Must show 13: posts of another project answer 404 by id and stand in no list', async () => {
  const author = await member(far);
  const id = await post(author, '别的小区的帖子内容', {}, { projectId: String(far) });
  const token = await moderator('po_near', [near]);
  expect((await call('GET', `familyPost/${id}`, undefined, token)).http).toBe(404);
  for (const action of ['hide', 'top', 'essence'])
    expect((await call('POST', `familyPost/${id}/${action}`, { code: 'advert' }, token)).http).toBe(404);
  expect((await call('POST', `post/${id}/operate`, { operation: 3 }, token)).http).toBe(404);
  const list = await call('GET', 'familyPost/page?limit=100', undefined, token);
  expect((list.data.rows as { id: string }[]).map((row) => row.id)).not.toContain(id);
});

test('group 01 Must show 13: a topic of one own and one other project is listed, its edit is refused', async () => {
  const body = { title: '跨项目话题', content: '<p>内容</p>', commentsAllowed: true, pictures: [] };
  const made = await call('POST', 'communityTopic', { ...body, projects: [String(near), String(far)] });
  expect(made.message).toBe('');
  const id = String(made.data.id);
  const token = await moderator('po_topic', [near]);
  const list = await call('GET', 'communityTopic/page?limit=100', undefined, token);
  const row = (list.data.rows as { id: string; projects: { id: string }[] }[]).find((each) => each.id === id);
  expect(row?.projects.map((each) => each.id)).toEqual([String(near)]);
  const { version } = (await call('GET', `communityTopic/${id}`, undefined, token)).data;
  const edit = await product.call(token, 'PUT', `/jinmao/web/communityTopic/${id}`, { version, title: '改' });
  expect([edit.status, edit.message]).toEqual([30101, '包含您无权管理的项目']);
  expect((await call('POST', `communityTopic/${id}/publish`, {}, token)).message).toBe(
    '包含您无权管理的项目',
  );
});

test('a topic with a time waits for it, is answered officially, and goes with a reason', async () => {
  const made = await call('POST', 'communityTopic', {
    title: '定时话题',
    content: '<p>内容</p>',
    projects: [String(near)],
    commentsAllowed: true,
    pictures: [],
    publishAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const id = String(made.data.id);
  await call('POST', `communityTopic/${id}/publish`);
  const state = async () => (await call('GET', `communityTopic/${id}`)).data.state as string;
  expect(await state()).toBe('scheduled');
  expect((await call('POST', `communityTopic/${id}/reply`, { answer: '早了' })).http).toBe(409);
  await all(`UPDATE community_topic SET publish_at = now() - interval '1 minute' WHERE id = $1`, [
    Number(id),
  ]);
  const job = topics.jobs!.find((one) => one.name === 'topic.publish')!;
  await job.run({}, product.platform);
  expect(await state()).toBe('published');
  expect((await call('POST', `communityTopic/${id}/reply`, { answer: '欢迎留言[爱心]' })).message).toBe('');
  const comments = await call('GET', `topicComment/page?topic=${id}&limit=20`);
  expect(comments.data.rows).toMatchObject([{ official: true, content: '欢迎留言[爱心]' }]);
  expect((await call('POST', `communityTopic/${id}/hide`, { code: 'other', text: '短' })).http).toBe(422);
  const gone = await product.call(admin, 'DELETE', `/jinmao/web/communityTopic/${id}`, {
    reason: '活动取消',
  });
  expect(gone.message).toBe('');
  expect(await state()).toBe('deleted');
});

test('group 01 Must show 15: one event five times at once is one post and one grant; another body is refused', async () => {
  const author = await member();
  const body = {
    eventId: randomUUID(),
    memberId: String(author),
    projectId: String(near),
    type: 'post.create',
    occurredAt: new Date().toISOString(),
    payload: { kind: 'family', content: '同一个事件只会产生一条帖子' },
  };
  const answers = await Promise.all(Array.from({ length: 5 }, () => call('POST', 'memberEvent', body, app)));
  expect(answers.map((answer) => answer.message)).toEqual(['', '', '', '', '']);
  expect(new Set(answers.map((answer) => answer.data.result.postId)).size).toBe(1);
  expect(await all('SELECT 1 FROM post WHERE member_id = $1', [author])).toHaveLength(1);
  expect(await points(author)).toBe(5);
  const other = await call(
    'POST',
    'memberEvent',
    { ...body, payload: { kind: 'family', content: '别的' } },
    app,
  );
  expect(other.http).toBe(422);
});

test('own likes and comments earn nothing, a liker counts once, a deleted post gives its points back', async () => {
  const [author, fan] = [await member(), await member()];
  const id = await post(author, '点赞与评论的奖励规则测试');
  await event(author, 'like', { postId: id });
  await event(author, 'comment.create', { postId: id, content: '自己给自己评论是没有积分的' });
  expect(await points(author)).toBe(5);
  for (let n = 0; n < 2; n += 1) {
    await event(fan, 'like', { postId: id });
    await event(fan, 'unlike', { postId: id });
  }
  expect(await points(author)).toBe(6);
  const said = await event(fan, 'comment.create', { postId: id, content: '邻居的评论足够长，有积分' });
  expect(await points(fan)).toBe(2);
  expect(await see(id)).toMatchObject({ likes: 1, comments: 2 });
  await event(fan, 'comment.delete', { commentId: said.data.result.commentId });
  expect([await points(fan), (await see(id)).comments]).toEqual([0, 1]);
  expect((await event(fan, 'post.delete', { postId: id })).http).toBe(404);
  expect((await event(author, 'post.delete', { postId: id })).data.result).toEqual({ takenBack: 5 });
  expect((await event(fan, 'comment.create', { postId: id, content: '已删除' })).http).toBe(404);
  expect((await call('POST', `familyPost/${id}/hide`, { code: 'advert' })).message).toBe('内容已被作者删除');
});

test('a comment gives its points back when staff hide it, and once more when they show it; one that waited earns when it passes', async () => {
  const [author, fan] = [await member(), await member()];
  const id = await post(author, '评论奖励与隐藏的规则测试');
  const said = await event(fan, 'comment.create', { postId: id, content: '邻居的评论足够长，有积分' });
  const comment = said.data.result.commentId as string;
  const seen: number[] = [];
  for (const action of ['hide', 'show', 'hide', 'show']) {
    expect(
      (
        await call(
          'POST',
          `familyPostComment/${comment}/${action}`,
          action === 'hide' ? { code: 'advert' } : {},
        )
      ).message,
    ).toBe('');
    seen.push(await points(fan));
  }
  expect(seen).toEqual([0, 2, 0, 0]);
  const late = await member();
  const other = await event(late, 'comment.create', { postId: id, content: '另一条足够长的邻居评论内容' });
  await all(`UPDATE content_comment SET review_state = 'pending' WHERE id = $1`, [
    Number(other.data.result.commentId),
  ]);
  await all(`DELETE FROM points_task_done WHERE subject = $1`, [`comment:${other.data.result.commentId}`]);
  const before = await points(late);
  await call('POST', `familyPostComment/${other.data.result.commentId}/pass`);
  expect(await points(late)).toBe(before + 2);
});

test('what its author deletes waits for no review', async () => {
  const author = await member();
  const id = await post(author, '等待审核时被作者删除的帖子');
  await all(`UPDATE post SET review_state = 'pending' WHERE id = $1`, [Number(id)]);
  const before = await waiting();
  await event(author, 'post.delete', { postId: id });
  expect(await waiting()).toBe(before - 1);
});

test('a poll takes one vote of a member, none after its end, and shares add up', async () => {
  const author = await member();
  const answer = await event(author, 'post.create', {
    kind: 'chamber',
    content: '大家怎么看？',
    vote: { options: ['甲', '乙', '丙'], endsAt: new Date(Date.now() + 3_600_000).toISOString() },
  });
  const id = answer.data.result.postId as string;
  const voters = await Promise.all(Array.from({ length: 3 }, () => member()));
  for (const [index, voter] of voters.entries())
    expect((await event(voter, 'vote.cast', { postId: id, options: [index + 1] })).message).toBe('');
  expect((await event(voters[0]!, 'vote.cast', { postId: id, options: [2] })).message).toBe('您已投过票');
  const stranger = await event(
    await member(far),
    'vote.cast',
    { postId: id, options: [2] },
    { projectId: String(far) },
  );
  expect([stranger.http, stranger.message]).toEqual([409, '仅本项目的会员可投票']);
  expect((await event(author, 'vote.cast', { postId: id, options: [1, 2] })).http).toBe(422);
  const shown = (await call('GET', `chamberPost/${id}`)).data;
  expect(shown.vote.options.map((option: { share: number }) => option.share)).toEqual([334, 333, 333]);
  await all(`UPDATE post_vote SET ends_at = now() - interval '1 second' WHERE post_id = $1`, [Number(id)]);
  expect((await event(author, 'vote.cast', { postId: id, options: [1] })).message).toBe('投票已结束');
});

test('an edit keeps the version before and is looked at again; muted members write nothing', async () => {
  const author = await member();
  const id = await post(author, '第一版内容');
  await event(author, 'post.edit', { postId: id, content: '第二版内容' });
  expect((await see(id)).revisions.map((one: { content: string }) => one.content)).toEqual(['第一版内容']);
  await all(`UPDATE member SET banned_until = '2099-01-01' WHERE id = $1`, [author]);
  const muted = await event(author, 'post.create', { kind: 'family', content: '说话' });
  expect(muted.message).toMatch(/^您已被禁言至 2099-01-01/);
});

test('an operation user writes officially: no review, no points, only in own projects', async () => {
  const author = await member();
  const { phone } = await one<{ phone: string }>('SELECT phone FROM member WHERE id = $1', [author]);
  const made = await call('POST', 'operationUser', {
    memberPhone: phone,
    projects: [String(near)],
    note: '',
  });
  expect(made.message).toBe('');
  await all(
    `INSERT INTO setting (key, value) VALUES ('post.review.mode', '"before"') ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  );
  product.platform.settings.forget();
  const write = (project: number, more: object = {}) =>
    call('POST', `operationUser/${made.data.id}/postAs`, {
      kind: 'family',
      project: String(project),
      content: '官方发布的一条足够长的内容',
      pictures: [],
      options: '',
      voteDays: 7,
      ...more,
    });
  expect((await write(far)).http).toBe(422);
  const done = await write(near);
  expect(done.message).toBe('');
  const id = (done.data.result as { postId: string }).postId;
  expect(await see(id)).toMatchObject({ state: 'passed', official: true });
  expect(await points(author)).toBe(0);
  // Planned, it appears at its time and once, as the user is by then.
  const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
  expect((await write(near, { publishAt: at(-5) })).data.fields).toEqual({ publishAt: '定时须晚于现在' });
  const plan = async () =>
    ((await write(near, { publishAt: at(3_600) })).data.result as { plannedId: string }).plannedId;
  const [first, second, third] = [await plan(), await plan(), await plan()];
  const published = async () =>
    (
      await one<{ n: number }>(
        'SELECT count(*)::int AS n FROM post WHERE member_id = $1 AND staff_id IS NOT NULL',
        [author],
      )
    ).n;
  const publish = () =>
    product.platform.registrations
      .flatMap((one) => one.jobs ?? [])
      .find((job) => job.name === 'operation.publish')!
      .run({}, product.platform);
  await publish();
  expect(await published()).toBe(1);
  expect((await call('POST', `plannedPost/${second}/cancel`)).message).toBe('');
  await all(`UPDATE planned_post SET publish_at = now() - interval '1 second' WHERE id = ANY($1::bigint[])`, [
    [first, second].map(Number),
  ]);
  await Promise.all([publish(), publish()]);
  await publish();
  expect(await published()).toBe(2);
  await all('UPDATE operation_user SET enabled = false WHERE member_id = $1', [author]);
  await all(`UPDATE planned_post SET publish_at = now() WHERE id = $1`, [Number(third)]);
  await publish();
  const stands = (await call('GET', `plannedPost/page?user=${made.data.id}&limit=20`)).data.rows as {
    id: string;
    state: string;
    failure: string | null;
  }[];
  expect(Object.fromEntries(stands.map((one) => [one.id, one.state]))).toEqual({
    [first]: 'published',
    [second]: 'cancelled',
    [third]: 'failed',
  });
  expect([await published(), stands.find((one) => one.id === third)!.failure]).toEqual([
    2,
    expect.stringContaining('该运营用户已停用'),
  ]);
  const ordinary = await event(await member(), 'post.create', { kind: 'family', content: '先审后发模式' });
  expect(ordinary.data.result.reviewState).toBe('pending');
  await all(`DELETE FROM setting WHERE key = 'post.review.mode'`);
  product.platform.settings.forget();
});

test('an operation user shows e-mail and photo of the member, as the member keeps them; its votes may allow several choices', async () => {
  const author = await member();
  const { phone } = await one<{ phone: string }>('SELECT phone FROM member WHERE id = $1', [author]);
  const made = await call('POST', 'operationUser', {
    memberPhone: phone,
    projects: [String(near)],
    note: '',
  });
  const shown = async () => (await call('GET', `operationUser/${made.data.id}`)).data;
  expect(await shown()).toMatchObject({ email: null, photo: null });
  const picture = await one<{ id: string }>(
    `SELECT id FROM stored_file WHERE access = 'picture' AND type LIKE 'image/%' ORDER BY id LIMIT 1`,
  );
  const profile = (payload: object) => event(author, 'profile.update', payload);
  expect((await profile({ email: 'no mail' })).http).toBe(422);
  expect((await profile({ photoId: randomUUID() })).data.fields).toEqual({ photoId: '图片不存在' });
  expect((await profile({ email: 'sunxiao@example.com', photoId: picture.id })).message).toBe('');
  expect(await shown()).toMatchObject({ email: 's***@example.com', photo: { id: picture.id } });
  expect((await profile({ nickname: '晓晓' })).message).toBe('');
  expect(await shown()).toMatchObject({ email: 's***@example.com', photo: { id: picture.id } });
  expect((await profile({ email: '', photoId: null })).message).toBe('');
  expect(await shown()).toMatchObject({ email: null, photo: null });
  const vote = await call('POST', `operationUser/${made.data.id}/postAs`, {
    kind: 'chamber',
    project: String(near),
    content: '周末想参加哪些活动？',
    pictures: [],
    options: '爬山\n读书\n包饺子',
    multiple: true,
    voteDays: 3,
  });
  expect(vote.message).toBe('');
  const { postId } = vote.data.result as { postId: string };
  expect((await call('GET', `chamberPost/${postId}`)).data.vote).toMatchObject({
    multiple: true,
    over: false,
  });
});

test('figures of the home page are the numbers of the lists they open', async () => {
  const asked = await product.call(admin, 'GET', '/admin/home/figures?period=30days');
  const figures = asked.data.figures as { code: string; value: string; route: string }[];
  for (const [code, list] of [
    ['family_posts', 'familyPost'],
    ['hall_topics', 'chamberPost'],
    ['redemptions', 'redemption'],
  ]) {
    const figure = figures.find((one) => one.code === code)!;
    const { total } = (await call('GET', `${list}/page?${figure.route.split('?')[1]}`)).data;
    expect([code, Number(figure.value)]).toEqual([code, total]);
    expect(total).toBeGreaterThan(0);
  }
});

test('texts lose signs that turn the direction of writing, and nothing else', () => {
  expect(plainContent('\u202e<b>a\u0000</b>\r\nb ')).toBe('<b>a</b>\nb');
  expect(voteShares([1, 1, 1], 3, false)).toEqual([334, 333, 333]);
  expect(voteShares([2, 1], 2, true)).toEqual([1_000, 500]);
  expect(voteShares([0, 0], 0, false)).toEqual([0, 0]);
});

test('what is hidden earns nothing when it passes, its author is told of a refusal, a poll that is over is not made', async () => {
  const author = await member();
  const id = await post(author, '藏起来的帖子也要等审核通过才行');
  await all(`UPDATE post SET shown = false, review_state = 'pending' WHERE id = $1`, [id]);
  await all('DELETE FROM points_task_done WHERE member_id = $1', [author]);
  const before = await points(author);
  expect((await call('POST', `familyPost/${id}/pass`)).message).toBe('');
  expect((await points(author)) - before).toBe(0);
  const other = await post(author, '这条内容会被拒绝，作者会收到原因');
  await all(`UPDATE post SET review_state = 'pending' WHERE id = $1`, [other]);
  expect((await call('POST', `familyPost/${other}/refuse`, { code: 'advert', text: '' })).message).toBe('');
  const told = await one<{ body_zh: string }>(
    'SELECT body_zh FROM member_notification WHERE member_id = $1 AND notice ORDER BY id DESC LIMIT 1',
    [author],
  );
  expect(told.body_zh).toContain('广告');
  const late = await event(author, 'post.create', {
    kind: 'chamber',
    content: '已经结束的投票',
    vote: { options: ['一', '二'], endsAt: '2026-01-01T00:00:00+08:00' },
  });
  expect(late.data.fields['vote.endsAt']).toBe('投票须晚于现在结束');
});

test('a topic is commented and liked by members of its projects, once each; strangers do not find it', async () => {
  const { id } = await one<{ id: number }>(
    `INSERT INTO community_topic (title, content, state, published_at) VALUES ('邻里话题', '<p>x</p>', 'published', now()) RETURNING id`,
  );
  await all('INSERT INTO community_topic_project VALUES ($1, $2)', [id, near]);
  const [first, second, stranger] = [await member(), await member(), await member(far)];
  const topicId = String(id);
  const said = await event(first, 'comment.create', { topicId, content: '这个话题很好，希望多组织几次' });
  expect(said.data.effects).toMatchObject([{ rule: 'T05', points: 2 }]);
  const likes = await Promise.all([first, second, first].map((one) => event(one, 'like', { topicId })));
  expect(Math.max(...likes.map((one) => one.data.result.likes))).toBe(2);
  expect((await event(second, 'unlike', { topicId })).data.result.likes).toBe(1);
  const outside = { projectId: String(far) };
  for (const [type, payload] of [
    ['like', { topicId }],
    ['comment.create', { topicId, content: '路过' }],
  ] as const)
    expect((await event(stranger, type, payload, outside)).http).toBe(404);
  await event(second, 'view', { topicId });
  expect((await call('GET', `communityTopic/${id}`)).data).toMatchObject({
    likes: 1,
    comments: 1,
    views: 1,
    viewers: 1,
  });
  const { commentId } = said.data.result;
  expect((await call('POST', `topicComment/${commentId}/hide`, { code: 'false', text: '' })).message).toBe(
    '',
  );
  expect([await points(first), (await call('GET', `communityTopic/${id}`)).data.comments]).toEqual([0, 0]);
});

test('posts of a project are commented, liked and looked at by its members alone', async () => {
  const [author, neighbour, stranger] = [await member(), await member(), await member(far)];
  const postId = await post(author, '本小区的一条足够长的帖子');
  const outside = { projectId: String(far) };
  for (const [type, payload] of [
    ['like', { postId }],
    ['comment.create', { postId, content: '路过的外小区住户' }],
  ] as const)
    expect((await event(stranger, type, payload, outside)).http).toBe(404);
  expect((await event(stranger, 'view', { postId }, outside)).data.result).toEqual({ counted: false });
  expect((await event(neighbour, 'like', { postId })).data.result).toEqual({ likes: 1 });
  await event(neighbour, 'view', { postId });
  expect(await see(postId)).toMatchObject({ likes: 1, comments: 0, views: 1 });
});
