import { afterAll, beforeAll, expect, test } from 'vitest';
import { grantPoints } from '../../../domain/points-ledger/points-grant.server.ts';
import { spendPoints } from '../../../domain/points-ledger/points-ledger.server.ts';
import { clawbackPoints } from '../../../domain/points-ledger/points-take-back.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
let project: number;
let number = 0;
const API = '/jinmao/web';

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  project = (await one<{ id: number }>('SELECT id FROM project ORDER BY id LIMIT 1')).id;
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const one = async <T>(sql: string, values: unknown[] = []) => (await runOne<T>(db(), sql, values))!;
const settings = () => product.platform.settings;
async function member(): Promise<number> {
  number += 1;
  const { id } = await one<{ id: number }>(
    `INSERT INTO member (name, phone, project_id, registered_at) VALUES ('高升级', $1, $2, '2026-01-01') RETURNING id`,
    [`1350000${String(number).padStart(4, '0')}`, project],
  );
  return id;
}
const grant = (memberId: number, amount: number, kind: number, id: string) =>
  transaction(db(), (tx) =>
    grantPoints(tx, settings(), { memberId, amount, kind, source: { type: 'test', id, purpose: 'grant' } }),
  );
const row = async (id: number) => (await product.call(admin, 'GET', `${API}/pointsMember/${id}`)).data as Row;
interface Row {
  readonly grade: { title: string };
  readonly basis: number;
  readonly version: number;
}
const gradeAt = (threshold: number) =>
  one<{ id: number; version: number }>('SELECT id, version FROM grade WHERE threshold = $1', [threshold]);

test('group 01 Must show 10: a threshold from 500 to 600 names who falls; spending 400 of 550 leaves the grade', async () => {
  const id = await member();
  await grant(id, 550, 1, `g${id}`);
  expect(await row(id)).toMatchObject({ grade: { title: '热心邻居' }, basis: 550 });
  await transaction(db(), (tx) =>
    spendPoints(tx, {
      memberId: id,
      amount: 400,
      source: { type: 'test', id: `s${id}`, purpose: 'spend' },
    }),
  );
  expect(await row(id)).toMatchObject({ grade: { title: '热心邻居' }, available: 150 });
  const before = await product.call(
    admin,
    'GET',
    `${API}/grade/preview?id=${(await gradeAt(500)).id}&threshold=550`,
  );
  const preview = await product.call(
    admin,
    'GET',
    `${API}/grade/preview?id=${(await gradeAt(500)).id}&threshold=600`,
  );
  expect(preview.data.rise).toBe(0);
  expect(preview.data.fall).toBeGreaterThan(before.data.fall);
  const { id: gradeId, version } = await gradeAt(500);
  const saved = await product.call(admin, 'PUT', `${API}/grade/${gradeId}`, { version, threshold: 600 });
  expect(saved.status).toBe(200);
  expect((await row(id)).grade.title).toBe('新邻居');
  const now = await gradeAt(600);
  await product.call(admin, 'PUT', `${API}/grade/${gradeId}`, { version: now.version, threshold: 500 });
  expect((await row(id)).grade.title).toBe('热心邻居');
});

test('what staff give does not count, what is taken back counts no longer, and the ledger agrees', async () => {
  const id = await member();
  await grant(id, 700, 5, `a${id}`);
  expect((await row(id)).basis).toBe(0);
  await grant(id, 600, 2, `b${id}`);
  expect((await row(id)).grade.title).toBe('热心邻居');
  await transaction(db(), (tx) =>
    clawbackPoints(tx, {
      memberId: id,
      amount: 150,
      grant: { type: 'test', id: `b${id}`, purpose: 'grant' },
      source: { type: 'test', id: `c${id}`, purpose: 'back' },
    } as never),
  );
  expect(await row(id)).toMatchObject({ basis: 450, grade: { title: '新邻居' } });
  const { gradeInvariants } = await import('../../../domain/grade/member-grade.server.ts');
  expect((await gradeInvariants[0]!.check(product.platform)).problems).toEqual([]);
  await run(db(), 'UPDATE member_grade SET basis = basis + 1 WHERE member_id = $1', [id]);
  expect((await gradeInvariants[0]!.check(product.platform)).problems.join()).toContain(`member ${id}: 451`);
  await run(db(), 'UPDATE member_grade SET basis = basis - 1 WHERE member_id = $1', [id]);
});

test('a fixed grade holds until its day whatever was earned; the grade at 0 stays and one with members is not deleted', async () => {
  const id = await member();
  const top = await gradeAt(10_000);
  const fixed = await product.call(admin, 'POST', `${API}/pointsMember/${id}/grade`, {
    version: (await row(id)).version,
    grade: String(top.id),
    until: '2099-12-31',
    reason: '社区志愿者',
  });
  expect(fixed.status).toBe(200);
  expect((await row(id)).grade.title).toBe('荣誉邻居');
  const held = await product.call(admin, 'DELETE', `${API}/grade/${top.id}`, { version: top.version });
  expect(held.status).toBe(30101);
  const first = await gradeAt(0);
  const gone = await product.call(admin, 'DELETE', `${API}/grade/${first.id}`, { version: first.version });
  expect(gone).toMatchObject({ status: 30101, message: '最低等级不能删除' });
  await expect(run(db(), 'DELETE FROM grade WHERE threshold = 0')).rejects.toMatchObject({
    constraint: 'grade_first',
  });
  const lifted = await product.call(admin, 'POST', `${API}/pointsMember/${id}/grade`, {
    version: (await row(id)).version,
    reason: '到期',
  });
  expect(lifted.status).toBe(200);
  expect((await row(id)).grade.title).toBe('新邻居');
});

test('staff record what a member did, with a reason; a draft of coupons is made for the chosen', async () => {
  const id = await member();
  const event = {
    type: 'sign_in',
    occurredAt: new Date().toISOString(),
    payload: {},
    reason: '设备故障补录',
  };
  const recorded = await product.call(admin, 'POST', `${API}/pointsMember/${id}/recordEvent`, event);
  expect(recorded.status).toBe(200);
  const kept = await one<{ reason: string; staff: number | null }>(
    'SELECT reason, staff_id AS staff FROM member_event WHERE member_id = $1',
    [id],
  );
  expect(kept.reason).toBe('设备故障补录');
  expect(kept.staff).not.toBeNull();
  const again = await product.call(admin, 'POST', `${API}/pointsMember/${id}/recordEvent`, event);
  expect(again).toMatchObject({
    status: 30101,
    message: '今日已签到',
  });
  expect((await product.call(admin, 'GET', `${API}/pointsMember/${id}`)).data).toMatchObject({
    streak: 1,
    signDays: 1,
  });
  const overview = await product.call(admin, 'GET', `${API}/pointsMember/${id}/overview`);
  expect(overview.data.days.at(-1)).toMatchObject({ state: 'signed' });
  for (const name of ['coupon', 'order', 'afterSale', 'house', 'family', 'chamber']) {
    const list = await product.call(admin, 'GET', `${API}/pointsMember/${id}/list/${name}`);
    expect([name, list.http, list.data]).toEqual([name, 200, []]);
  }
});

test('points settings ask for a reason, tell it in the history, and are set back', async () => {
  const path = `${API}/settings/pointsConfig`;
  const first = (await product.call(admin, 'GET', path)).data;
  expect(first.values.grade_count_kinds).toEqual(['sign-in', 'task', 'purchase return', 'rebate']);
  const silent = await product.call(admin, 'PUT', path, {
    version: first.version,
    values: { points_expiry_months: 18 },
  });
  expect(silent.status).toBe(422);
  const saved = await product.call(admin, 'PUT', path, {
    version: first.version,
    values: { points_expiry_months: 18, grade_count_kinds: ['task'] },
    reason: '年度规则调整',
  });
  expect(saved.data.values).toMatchObject({ points_expiry_months: 18, grade_count_kinds: ['task'] });
  const id = await member();
  await grant(id, 50, 1, `k${id}`);
  expect((await row(id)).basis).toBe(0);
  const told = await product.call(admin, 'GET', `${path}/history`);
  expect(told.message).toBe('');
  const [entry] = told.data;
  expect(entry).toMatchObject({ reason: '年度规则调整' });
  const back = await product.call(admin, 'POST', `${path}/restore`, {
    version: saved.data.version,
    record: entry.id,
    reason: '撤销调整',
  });
  expect(back.data.values).toMatchObject({
    points_expiry_months: 12,
    grade_count_kinds: ['sign-in', 'task', 'purchase return', 'rebate'],
  });
});

test('pickers of recorded events offer what belongs to the member, to nobody without the right', async () => {
  const { id, project: home } = await one<{ id: number; project: number }>(
    `SELECT r.member_id AS id, m.project_id AS project FROM points_redemption r JOIN member m ON m.id = r.member_id
      WHERE r.state = 'to_fulfil' AND m.project_id = r.project_id ORDER BY r.id LIMIT 1`,
  );
  const offered = async (target: string, within: string) =>
    (await product.call(admin, 'GET', `${API}/options/${target}?within=${within}`)).data as { id: string }[];
  const open = await run<{ id: number }>(
    db(),
    `SELECT id FROM points_redemption WHERE member_id = $1 AND state IN ('pending_payment', 'to_fulfil', 'shipped', 'to_collect')`,
    [id],
  );
  expect((await offered('eventRedemption', String(id))).map((row) => row.id).sort()).toEqual(
    open.map((row) => String(row.id)).sort(),
  );
  const groups = await run<{ id: number }>(
    db(),
    `SELECT g.id FROM interest_group g JOIN interest_group_project p ON p.group_id = g.id AND p.project_id = $1 WHERE g.state = 'published'
        AND NOT EXISTS (SELECT FROM interest_group_member m WHERE m.group_id = g.id AND m.member_id = $2 AND m.state IN ('in', 'applying'))`,
    [home, id],
  );
  expect((await offered('eventGroup', String(id))).map((row) => row.id).sort()).toEqual(
    groups.map((row) => String(row.id)).sort(),
  );
  const vote = await one<{ post: number; member: number; options: number }>(
    `SELECT v.post_id AS post, (SELECT m.id FROM member m WHERE m.project_id = p.project_id AND NOT m.official ORDER BY m.id LIMIT 1) AS member,
            (SELECT count(*)::int FROM post_vote_option o WHERE o.post_id = v.post_id) AS options
       FROM post_vote v JOIN post p ON p.id = v.post_id WHERE p.review_state = 'passed' AND p.shown AND p.deleted_at IS NULL ORDER BY v.post_id LIMIT 1`,
  );
  expect((await offered('eventVoteOption', `${vote.member},${vote.post}`)).length).toBe(vote.options);
  expect(await offered('eventVoteOption', String(vote.member))).toEqual([]);
  expect(await offered('eventPost', '')).toEqual([]);
  // Every picker of every form is there and answers.
  const types = (await product.call(admin, 'GET', `${API}/pointsMember/eventTypes`)).data as {
    form: Record<string, { field: { target?: string } }>;
  }[];
  const targets = new Set(
    types.flatMap(({ form }) => Object.values(form).flatMap(({ field }) => field.target ?? [])),
  );
  expect(targets.size).toBeGreaterThan(20);
  for (const target of targets)
    for (const word of ['', 'x']) {
      const answer = await product.call(
        admin,
        'GET',
        `${API}/options/${target}?within=${id},1&searchVal=${word}&ids=${word && '1'}`,
      );
      expect([target, answer.http]).toEqual([target, 200]);
    }
  const clerk = await product.signIn('service1');
  expect((await product.call(clerk, 'GET', `${API}/options/eventPost?within=${id}`)).http).toBe(403);
});

test('demonstration members stand in every grade, and the ledger agrees', async () => {
  const grades = await run<{ title: string; n: number }>(
    db(),
    `SELECT g.title, count(m.id)::int AS n FROM grade g LEFT JOIN LATERAL (
       SELECT mg.member_id AS id FROM member_grade mg WHERE mg.basis >= g.threshold
          AND NOT EXISTS (SELECT FROM grade o WHERE o.threshold > g.threshold AND o.threshold <= mg.basis)) m ON true
      WHERE g.threshold IN (0, 500, 2000, 5000, 10000) GROUP BY g.id ORDER BY g.threshold`,
  );
  expect(grades.filter((grade) => grade.n < 2)).toEqual([]);
  const { gradeInvariants } = await import('../../../domain/grade/member-grade.server.ts');
  expect((await gradeInvariants[0]!.check(product.platform)).problems).toEqual([]);
});

test('lines of demonstration statements follow in time, so that each balance is that of its order', async () => {
  const behind = await run(
    db(),
    `SELECT member_id, at, before FROM (
       SELECT member_id, at, max(at) OVER (PARTITION BY member_id ORDER BY transfer_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
         FROM points_line) x WHERE before > at ORDER BY member_id LIMIT 20`,
  );
  expect(behind).toEqual([]);
});
