import { afterAll, beforeAll, expect, test } from 'vitest';
import { decideApproval, NO_REQUEST } from '../../../domain/approval/approve.server.ts';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { ImportRow } from '../../../kernel/server/tables/import-target.ts';
import { grantPoints } from '../../../domain/points-ledger/points-grant.server.ts';
import { holdBudget } from '../../../domain/points-ledger/points-budget.server.ts';
import { holdPoints, spendPoints } from '../../../domain/points-ledger/points-ledger.server.ts';
import { pointsAccountInvariants } from '../../../domain/points-ledger/points-account-invariants.server.ts';
import { pointsInvariants } from '../../../domain/points-ledger/points-invariants.server.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { registration as budgets } from './budget.server.ts';
import { registration as changes } from './change.server.ts';
import { registration as lines } from './line.server.ts';
import { pointsBudget, pointsGrantBatch, SEND_MENU } from './send.contract.ts';
import { sendImport } from './send-import.server.ts';
import { registration as batches } from './send.server.ts';

const ROOT = '/jinmao/web/pointsGrantBatch';
let mall: Mall;
let applicant: Caller;
let approver: Caller;
let members: number[];
let turn = 0;
const db = () => mall.platform.database.db;

beforeAll(async () => {
  mall = await openMall([batches, lines, budgets, changes]);
  const tenantId = (await runOne<{ id: number }>(db(), 'SELECT id FROM tenant WHERE kind = 3 LIMIT 1'))!.id;
  const elements = [pointsGrantBatch, pointsBudget].flatMap((resource) =>
    Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)),
  );
  const staff = async (name: string) =>
    callerOf({ staffId: await mall.staff(name, tenantId), tenantId }, [SEND_MENU], elements);
  applicant = await staff('applicant');
  approver = await staff('approver');
  const group = (await runOne<{ id: number }>(
    db(),
    `SELECT id FROM permission_group WHERE code = 'platform_admin' AND built_in LIMIT 1`,
  ))!.id;
  for (const one of [applicant, approver])
    await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group, one.staffId]);
  const made = await run<{ id: number }>(
    db(),
    `INSERT INTO member (name, phone, project_id) SELECT 'm' || n, (13500000000 + n)::text, $1 FROM generate_series(1, 400) n RETURNING id`,
    [mall.ids.south],
  );
  members = made.map((row) => row.id);
});
afterAll(async () => {
  for (const invariant of [...pointsInvariants, ...pointsAccountInvariants]) {
    const { problems } = await invariant.check(mall.platform);
    expect([invariant.name, problems]).toEqual([invariant.name, []]);
  }
  await mall.close();
});

async function act(id: string, action: string, caller = applicant, input: Record<string, unknown> = {}) {
  const { data } = await mall.call(caller, 'GET', `${ROOT}/${id}`);
  return mall.call(caller, 'POST', `${ROOT}/${id}/${action}`, { version: data.version, ...input });
}

/** A budget with points in it. */
async function makeBudget(loaded: number): Promise<string> {
  turn += 1;
  const made = await mall.call(applicant, 'POST', '/jinmao/web/pointsBudget', {
    name: `预算${turn}`,
    year: 2026,
    warnPercent: 80,
  });
  const id = String(made.data.id);
  const answer = await mall.call(applicant, 'POST', `/jinmao/web/pointsBudget/${id}/load`, {
    version: 1,
    amount: loaded,
    reason: '年度预算',
  });
  expect([made.http, answer.http]).toEqual([200, 200]);
  return id;
}
const budget = async (id: string) =>
  (await mall.call(applicant, 'GET', `/jinmao/web/pointsBudget/${id}`)).data as Record<string, number>;

async function makeBatch(budgetId: string, more: Record<string, unknown>): Promise<string> {
  turn += 1;
  const made = await mall.call(applicant, 'POST', ROOT, {
    name: `批次${turn}`,
    budget: budgetId,
    reasonCode: 'event',
    validity: 'default',
    audience: 'chosen',
    points: 100,
    ...more,
  });
  expect([made.http, made.message]).toEqual([200, '']);
  return String(made.data.id);
}
const some = (count: number) => members.slice(0, count).map(String);
const everybody = () => ({ audience: 'filter', projects: [String(mall.ids.south)] });
const state = async (id: string) => (await mall.call(applicant, 'GET', `${ROOT}/${id}`)).data.state as string;
const job = () => batches.jobs!.find((one) => one.name === 'points.send.run')!;
const work = (signal?: AbortSignal) =>
  job().run({}, mall.platform, signal ? { runId: 1, signal, print: () => {} } : undefined);
const sums = async (id: string) =>
  runOne<{ sent: number; points: number; granted: number }>(
    db(),
    `SELECT count(*) FILTER (WHERE state IN ('sent', 'recalled'))::int AS sent, coalesce(sum(points) FILTER (WHERE state IN ('sent', 'recalled')), 0)::int AS points,
            (SELECT coalesce(sum(l.amount), 0)::int FROM points_lot l JOIN points_grant_line g ON g.transfer_id = l.transfer_id WHERE g.batch_id = $1) AS granted
       FROM points_grant_line WHERE batch_id = $1`,
    [Number(id)],
  );

test('group 22 Must show 5: a small batch needs nobody, a large one somebody else', async () => {
  const source = await makeBudget(50_000);
  const small = await makeBatch(source, { chosen: some(3), points: 500 });
  expect((await act(small, 'submit')).http).toBe(200);
  expect(await state(small)).toBe('to_send');
  await work();
  expect([await state(small), await sums(small)]).toEqual([
    'sent',
    { sent: 3, points: 1_500, granted: 1_500 },
  ]);
  await mall.call(applicant, 'POST', `/jinmao/web/pointsBudget/${source}/load`, {
    version: 1,
    amount: 1_500,
    reason: '补足',
  });
  const large = await makeBatch(source, everybody());
  const shown = (await mall.call(applicant, 'GET', `${ROOT}/${large}/preview`)).data;
  expect(shown).toMatchObject({
    members: 400,
    total: 40_000,
    liability: '400.00',
    budgetLeft: 50_000,
    budgetAfter: 10_000,
    approvals: 1,
  });
  expect(shown.first).toHaveLength(20);
  await act(large, 'submit');
  expect(await state(large)).toBe('reviewing');
  const own = await act(large, 'approve');
  expect([own.http, own.status, own.message]).toEqual([409, 30101, '申请人不能审批']);
  expect((await act(large, 'approve', approver)).http).toBe(200);
  await work();
  expect(await state(large)).toBe('sent');
  expect((await budget(source)).left).toBe(10_000);
});

test('who made a batch never approves it: a colleague cannot hand it in where the maker alone would be left to decide', async () => {
  const source = await makeBudget(50_000);
  const id = await makeBatch(source, everybody());
  const before = await state(id);
  const handed = await act(id, 'submit', approver);
  expect([handed.http, handed.status]).toEqual([409, 30101]);
  expect(await state(id)).toBe(before);
  expect((await budget(source)).left).toBe(50_000);
});

test('group 22 Must show 6: what one batch holds another cannot; rejecting the first makes it pass', async () => {
  const source = await makeBudget(50_000);
  const first = await makeBatch(source, everybody());
  const next = await makeBatch(source, { chosen: some(200) });
  await act(first, 'submit');
  const refused = await act(next, 'submit');
  expect([refused.http, refused.status]).toEqual([409, 30101]);
  expect(refused.message).toBe('预算可用 10,000，不足 20,000');
  expect((await budget(source)).held).toBe(40_000);
  expect((await act(first, 'reject', approver, { opinion: '名单过宽' })).http).toBe(200);
  expect([await state(first), (await budget(source)).left]).toEqual(['rejected', 50_000]);
  // Of two at once that do not fit together one passes.
  const other = await makeBatch(source, everybody());
  const both = await Promise.all([act(first, 'submit'), act(other, 'submit')]);
  expect(both.filter((one) => one.http === 200)).toHaveLength(1);
});

test('group 22 Must show 7: a recall gives back what is neither spent nor held', async () => {
  const source = await makeBudget(50_000);
  await run(db(), `UPDATE points_account_freeze SET lifted_at = now()`);
  // Only points of this batch are there to be spent.
  const id = await makeBatch(source, everybody());
  await act(id, 'submit');
  await act(id, 'approve', approver);
  await run(
    db(),
    `UPDATE points_lot l SET expires_at = now() FROM ledger_account a WHERE a.id = l.account_id AND a.member_id = ANY($1::bigint[])`,
    [members],
  );
  await work();
  for (let n = 0; n < 123; n += 1)
    await transaction(db(), (tx) =>
      spendPoints(tx, {
        memberId: members[n]!,
        amount: 100,
        source: { type: 'test', id: `${id}-${n}`, purpose: 'spend' },
      }),
    );
  await transaction(db(), (tx) =>
    spendPoints(tx, {
      memberId: members[200]!,
      amount: 40,
      source: { type: 'test', id: `${id}-200`, purpose: 'spend' },
    }),
  );
  await transaction(db(), (tx) =>
    holdPoints(tx, {
      memberId: members[201]!,
      amount: 60,
      source: { type: 'test', id: `${id}-201`, purpose: 'hold' },
    }),
  );
  const before = (await budget(source)).left!;
  expect((await act(id, 'recall', applicant, { reason: '发放名单有误' })).http).toBe(200);
  expect((await budget(source)).left! - before).toBe(27_600);
  const held = await runOne<{ held: number }>(
    db(),
    `SELECT balance::int AS held FROM ledger_account WHERE member_id = $1 AND kind = 'points_held'`,
    [members[201]],
  );
  expect([await state(id), held!.held]).toEqual(['recalled', 60]);
  const shown = await runOne<{ back: number; none: number }>(
    db(),
    `SELECT sum(recalled)::int AS back, count(*) FILTER (WHERE recalled = 0)::int AS none FROM points_grant_line WHERE batch_id = $1`,
    [Number(id)],
  );
  expect(shown).toEqual({ back: 27_600, none: 123 });
  const late = await makeBatch(source, { chosen: some(2) });
  await act(late, 'submit');
  await work();
  await run(db(), `UPDATE points_grant_batch SET sent_at = now() - interval '31 days' WHERE id = $1`, [late]);
  expect((await act(late, 'recall', applicant, { reason: '太晚了' })).message).toBe('已超过撤回期限');
});

test('group 22 Must show 8: a worker killed in the middle and three started again send 400 lines once each', async () => {
  const source = await makeBudget(50_000);
  const id = await makeBatch(source, everybody());
  await act(id, 'submit');
  await act(id, 'approve', approver);
  const stop = new AbortController();
  const killed = work(stop.signal).catch((error: unknown) => error);
  // Dies as soon as some lines are sent.
  while ((await sums(id))!.sent < 20) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  await killed;
  const middle = (await sums(id))!.sent;
  expect([middle < 400, await state(id)]).toEqual([true, 'sending']);
  await Promise.all([work(), work(), work()]);
  expect([await state(id), await sums(id)]).toEqual(['sent', { sent: 400, points: 40_000, granted: 40_000 }]);
});

test('a worker whose connection dies with a chunk half done has given none of it; the next one gives each once', async () => {
  const source = await makeBudget(50_000);
  const id = await makeBatch(source, everybody());
  await act(id, 'submit');
  await act(id, 'approve', approver);
  const total = () =>
    runOne<{ sum: number }>(
      db(),
      `SELECT sum(balance)::int AS sum FROM ledger_account WHERE member_id = ANY($1::bigint[])`,
      [members],
    );
  const before = (await total())!.sum;
  // Notices are written last and wait for the row of their member: everything else of the chunk is done by then.
  await transaction(db(), async (tx) => {
    await run(tx, 'SELECT FROM member WHERE id = $1 FOR UPDATE', [members[9]]);
    const dying = work().catch((error: unknown) => error);
    const waiting = () =>
      runOne<{ pid: number }>(
        db(),
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'INSERT INTO member_notification%'`,
      );
    let found: { pid: number } | undefined;
    while (!(found = await waiting())) await new Promise((resolve) => setTimeout(resolve, 5));
    await run(db(), 'SELECT pg_terminate_backend($1)', [found.pid]);
    expect(await dying).toBeInstanceOf(Error);
  });
  expect([(await sums(id))!.sent, (await total())!.sum, (await budget(source)).held]).toEqual([
    0,
    before,
    40_000,
  ]);
  await work();
  expect([await state(id), await sums(id), (await total())!.sum - before]).toEqual([
    'sent',
    { sent: 400, points: 40_000, granted: 40_000 },
    40_000,
  ]);
});

test('where a chunk is refused each line goes alone: who is within what is held gets it, the others say why and can be sent again', async () => {
  const source = await makeBudget(50_000);
  const id = await makeBatch(source, { chosen: some(30) });
  await act(id, 'submit');
  // As if somebody had taken from the hold by hand.
  const move = (points: number, name: string) =>
    transaction(db(), (tx) =>
      holdBudget(tx, {
        budgetId: Number(source),
        amount: points,
        source: { type: 'test', id: `${id}-${name}`, purpose: 'hold' },
      }),
    );
  await move(-1_000, 'less');
  await work();
  const rows = await run<{ state: string; reason_en: string; n: number }>(
    db(),
    'SELECT state, reason_en, count(*)::int AS n FROM points_grant_line WHERE batch_id = $1 GROUP BY 1, 2 ORDER BY 1',
    [Number(id)],
  );
  expect([await state(id), rows]).toEqual([
    'part_sent',
    [
      { state: 'failed', reason_en: 'Budget has 0 left, 100 needed', n: 10 },
      { state: 'sent', reason_en: '', n: 20 },
    ],
  ]);
  await move(1_000, 'more');
  expect((await act(id, 'retry')).http).toBe(200);
  await work();
  expect([await state(id), await sums(id)]).toEqual(['sent', { sent: 30, points: 3_000, granted: 3_000 }]);
});

test('group 22 Must show 9: an import names rows and columns of what is wrong, the good ones become lines', async () => {
  const rows: ImportRow[] = [
    ...Array.from({ length: 7 }, (_one, n) => ({
      number: n + 1,
      values: { phone: String(13_500_000_001 + n), name: '', points: String(10 * (n + 1)), remark: '' },
    })),
    { number: 8, values: { phone: '13999999999', name: '', points: '10', remark: '' } },
    { number: 9, values: { phone: '13500000001', name: '', points: '10', remark: '' } },
    { number: 10, values: { phone: '13500000020', name: '', points: '1.5', remark: '' } },
  ];
  const call = { caller: applicant, platform: mall.platform, language: 'zh' as const };
  const problems = await sendImport.check(call, rows);
  expect(problems.map((one) => [one.row, one.column])).toEqual([
    [8, 'phone'],
    [9, 'phone'],
    [10, 'points'],
  ]);
  const bad = new Set(problems.map((one) => one.row));
  const good = rows.filter((row) => !bad.has(row.number));
  expect(await transaction(db(), (tx) => sendImport.commit(tx, call, good))).toBe(7);
  const made = await runOne<{ id: number; lines: number; total: number }>(
    db(),
    `SELECT b.id, count(l.id)::int AS lines, sum(l.points)::int AS total FROM points_grant_batch b JOIN points_grant_line l ON l.batch_id = b.id
      WHERE b.audience = 'import' GROUP BY b.id`,
  );
  expect(made).toMatchObject({ lines: 7, total: 280 });
  // Its lines stay as they are when it is submitted.
  expect((await act(String(made!.id), 'submit')).http).toBe(200);
  await work();
  expect(await sums(String(made!.id))).toEqual({ sent: 7, points: 280, granted: 280 });
});

test('above a million two approve in turn; a load above 100,000 waits for somebody else', async () => {
  const source = await makeBudget(100_000);
  const load = await mall.call(applicant, 'POST', `/jinmao/web/pointsBudget/${source}/load`, {
    version: 1,
    amount: 2_000_000,
    reason: '专项预算',
  });
  expect([load.http, (await budget(source)).left]).toEqual([200, 100_000]);
  const change = (
    await mall.call(approver, 'GET', `/jinmao/web/pointsBudgetChange/page?budget=${source}&state=reviewing`)
  ).data.rows[0];
  const booked = await mall.call(approver, 'POST', `/jinmao/web/pointsBudgetChange/${change.id}/approve`, {
    version: change.version,
  });
  expect([booked.http, (await budget(source)).left]).toEqual([200, 2_100_000]);
  const third = callerOf(
    { staffId: await mall.staff('third', applicant.tenantId), tenantId: applicant.tenantId },
    [SEND_MENU],
    [...applicant.elements],
  );
  await run(
    db(),
    `INSERT INTO group_member (group_id, staff_id) SELECT id, $1 FROM permission_group WHERE code = 'platform_admin' AND built_in LIMIT 1`,
    [third.staffId],
  );
  const id = await makeBatch(source, { ...everybody(), points: 5_000 });
  await act(id, 'submit');
  expect((await act(id, 'approve', approver)).http).toBe(200);
  expect(await state(id)).toBe('reviewing');
  expect((await act(id, 'approve', approver)).http).toBe(409);
  expect((await act(id, 'approve', third)).http).toBe(200);
  expect(await state(id)).toBe('to_send');
  expect((await act(id, 'cancel')).http).toBe(200);
  expect(await budget(source)).toMatchObject({ left: 2_100_000, held: 0 });
});

test('a budget is not loaded past its approval in pieces, by whomever; what was approved counts for nothing', async () => {
  const source = await makeBudget(20_000);
  const change = async (amount: number, who = applicant) => {
    const { data } = await mall.call(who, 'GET', `/jinmao/web/pointsBudget/${source}`);
    const answer = await mall.call(who, 'POST', `/jinmao/web/pointsBudget/${source}/load`, {
      version: data.version,
      amount,
      reason: '分次充值',
    });
    return [answer.http, (await budget(source)).left];
  };
  // Two at once are two after the other: one of them is too much.
  await Promise.all([change(50_000), change(50_000)]);
  expect((await budget(source)).left).toBe(70_000);
  expect(await change(30_001, approver)).toEqual([200, 70_000]);
  expect(await change(30_000, approver)).toEqual([200, 100_000]);
  // Reductions are counted by themselves.
  expect(await change(-10)).toEqual([200, 99_990]);
  const waits = (
    await mall.call(approver, 'GET', `/jinmao/web/pointsBudgetChange/page?budget=${source}&state=reviewing`)
  ).data.rows as { id: string; version: number; amount: number }[];
  expect(waits.map((one) => one.amount).sort()).toEqual([30_001, 50_000]);
  // Each is decided by the other one.
  for (const { id, version, amount } of waits) {
    const [own, other] = amount === 50_000 ? [applicant, approver] : [approver, applicant];
    const path = `/jinmao/web/pointsBudgetChange/${id}/approve`;
    expect((await mall.call(own, 'POST', path, { version })).http).not.toBe(200);
    expect((await mall.call(other, 'POST', path, { version })).message).toBe('');
  }
  expect(await change(-99_990)).toEqual([200, 80_001]);
});

test('a batch goes to members of a grade, never to operation users; who is given points is told', async () => {
  const [good, official] = members.slice(-2) as [number, number];
  const grade = (await runOne<{ id: number; threshold: number }>(
    db(),
    'SELECT id, threshold FROM grade ORDER BY threshold DESC LIMIT 1',
  ))!;
  for (const id of [good, official])
    await run(
      db(),
      'INSERT INTO member_grade (member_id, fixed_id, fixed_until) VALUES ($1, $2, current_date + 9) ON CONFLICT (member_id) DO UPDATE SET fixed_id = excluded.fixed_id, fixed_until = excluded.fixed_until',
      [id, grade.id],
    );
  await run(db(), 'UPDATE member SET official = true WHERE id = $1', [official]);
  const id = await makeBatch(await makeBudget(1_000), everybody());
  // The picker of grades is no part of this small product.
  await run(db(), 'UPDATE points_grant_batch SET grade_ids = ARRAY[$2::bigint] WHERE id = $1', [
    id,
    grade.id,
  ]);
  expect((await mall.call(applicant, 'GET', `${ROOT}/${id}/preview`)).data.members).toBe(1);
  await act(id, 'submit');
  await work();
  expect(await state(id)).toBe('sent');
  const told = await run<{ body_zh: string }>(
    db(),
    'SELECT body_zh FROM member_notification WHERE member_id = $1 AND notice',
    [good],
  );
  expect(told.map((one) => one.body_zh).at(-1)).toContain('+100 积分');
  await run(db(), 'UPDATE member SET official = false WHERE id = $1', [official]);
});

test('what a form refuses: no audience, a date that has passed, a budget of another company', async () => {
  const source = await makeBudget(1_000);
  const bad = await mall.call(applicant, 'POST', ROOT, {
    name: '错误批次',
    budget: source,
    reasonCode: 'event',
    validity: 'fixed',
    expiresOn: '2020-01-01',
    audience: 'chosen',
    points: 10,
    chosen: [],
  });
  expect([bad.http, Object.keys(bad.data.fields).sort()]).toEqual([422, ['chosen', 'expiresOn']]);
  const other = callerOf(
    { staffId: await mall.staff('company', mall.ids.merchantA), tenantId: mall.ids.merchantA, tenantKind: 2 },
    [SEND_MENU],
    [...applicant.elements],
  );
  const foreign = await mall.call(other, 'POST', ROOT, {
    name: '越权批次',
    budget: source,
    reasonCode: 'event',
    validity: 'default',
    audience: 'filter',
    points: 10,
  });
  expect(foreign.http).not.toBe(200);
  expect((await mall.call(other, 'GET', `/jinmao/web/pointsBudget/${source}`)).http).toBe(404);
  await transaction(db(), (tx) =>
    grantPoints(tx, mall.platform.settings, {
      memberId: members[399]!,
      amount: 1,
      source: { type: 'test', id: 'last', purpose: 'grant' },
    }),
  );
});

test('whoever made a batch does not decide it in the approval centre either', async () => {
  const source = await makeBudget(60_000);
  turn += 1;
  const made = await mall.call(approver, 'POST', ROOT, {
    name: `批次${turn}`,
    budget: source,
    reasonCode: 'event',
    validity: 'default',
    points: 100,
    ...everybody(),
  });
  const id = String(made.data.id);
  expect((await act(id, 'submit')).message).toBe('');
  expect((await act(id, 'approve', approver)).message).toBe('申请人不能审批');
  const decided = transaction(db(), (tx) =>
    decideApproval(tx, mall.platform, {
      kind: 'points_grant',
      bizId: Number(id),
      caller: approver,
      facts: NO_REQUEST,
      approved: true,
      opinion: '',
    }),
  );
  await expect(decided).rejects.toThrow();
  expect(await state(id)).toBe('reviewing');
});
