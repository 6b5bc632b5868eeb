import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPlatform, type OpenPlatform } from '../../app/server/create-platform.ts';
import { run, runOne, transaction, type Tx } from '../../kernel/server/database.ts';
import { cloneDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { differencesOf, pointsAccountInvariants } from './points-account-invariants.server.ts';
import { holdBudget, loadBudget } from './points-budget.server.ts';
import { expireLots, noteExpiring, snapshotMonth } from './points-expiry.server.ts';
import { freezeAccount, unfreezeAccount } from './points-freeze.server.ts';
import { grantPoints, type Grant } from './points-grant.server.ts';
import { pointsInvariants } from './points-invariants.server.ts';
import {
  capturePoints,
  holdPoints,
  refundPoints,
  releasePoints,
  spendPoints,
} from './points-ledger.server.ts';
import { grantPending, releaseDue } from './points-pending.server.ts';
import { quotePoints } from './points-quote.server.ts';
import { grantMany, recallMany } from './points-many.server.ts';
import { adjustPoints, clawbackPoints } from './points-take-back.server.ts';
import { LINE_KINDS } from './ledger-book.server.ts';

let database: TestDatabase;
let platform: OpenPlatform;
let member = 0;
beforeAll(async () => {
  database = await cloneDatabase();
  platform = createPlatform({
    database: { ...database.app, connectionTimeoutMillis: 60_000 },
    registrations: [],
    config: { dataDir: '/tmp', storageUrl: undefined, secretKey: Buffer.alloc(32), build: 'test' } as never,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
});
afterAll(async () => {
  for (const invariant of [...pointsInvariants, ...pointsAccountInvariants]) {
    const { looked, problems } = await invariant.check(platform);
    expect([invariant.name, looked > 0, problems]).toEqual([invariant.name, true, []]);
  }
  expect((await differencesOf(platform.database.db)).differences).toEqual([]);
  await platform.close();
  await database.drop();
});
let turn = 0;
beforeEach(async () => {
  turn += 1;
  member = (await one<{ id: number }>('INSERT INTO member (name, phone) VALUES ($1, $2) RETURNING id', [
    `m${turn}`,
    String(13_900_000_000 + turn),
  ]))!.id;
});

const one = <T>(sql: string, values: readonly unknown[] = []) => runOne<T>(platform.database.db, sql, values);
const inTx = <T>(work: (tx: Tx) => Promise<T>) => transaction(platform.database.db, work);
const source = (id: string, purpose = 'grant') => ({ type: 'test', id: `${member}-${id}`, purpose });
const clock = (text: string) => new Date(`${text}+08:00`);
const end = (day: string) => clock(`${day}T23:59:59`);
const grant = (amount: number, id: string, more: Partial<Grant> = {}) =>
  inTx((tx) => grantPoints(tx, platform.settings, { memberId: member, amount, source: source(id), ...more }));
const spend = (amount: number, id: string, at?: Date) =>
  inTx((tx) => spendPoints(tx, { memberId: member, amount, source: source(id, 'spend'), at }));
const refund = (amount: number, id: string, of: string, at?: Date) =>
  inTx((tx) =>
    refundPoints(tx, platform.settings, {
      memberId: member,
      amount,
      spend: source(of, 'spend'),
      source: source(id, 'refund'),
      at,
    }),
  );
const balances = async () =>
  one<{ available: number; held: number; owed: number }>(
    `SELECT coalesce(sum(balance) FILTER (WHERE kind = 'points_available'), 0)::int AS available,
            coalesce(sum(balance) FILTER (WHERE kind = 'points_held'), 0)::int AS held, coalesce(-sum(balance) FILTER (WHERE kind = 'points_debt'), 0)::int AS owed
       FROM ledger_account WHERE member_id = $1`,
    [member],
  );
const lots = async () =>
  run<{ remaining: number; ends: string | null }>(
    platform.database.db,
    `SELECT l.remaining, to_char(l.expires_at AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD HH24:MI:SS') AS ends
       FROM points_lot l JOIN ledger_account a ON a.id = l.account_id WHERE a.member_id = $1 ORDER BY l.id`,
    [member],
  );
const left = async () => (await lots()).map((lot) => lot.remaining);
const lines = async () =>
  run<{ kind: number; amount: number; balance: number }>(
    platform.database.db,
    'SELECT kind, amount, balance FROM points_statement WHERE member_id = $1 ORDER BY id',
    [member],
  );
const kinds = async () => (await lines()).map((line) => [line.kind, line.amount, line.balance]);

test('E1–E4: spend, refunds before and after an expiry, and the job that books it', async () => {
  const at = clock('2026-11-01T10:00:00');
  await grant(100, 'a', { expiresAt: end('2027-03-31'), at });
  await grant(200, 'b', { expiresAt: end('2027-06-30'), at });
  await grant(50, 'c', { expiresAt: end('2027-01-31'), at });
  expect((await quotePoints(platform.database.db, member, 400, clock('2026-12-01T09:00:00'))).missing).toBe(
    50,
  );
  await spend(180, 's', clock('2026-12-01T09:00:00'));
  expect([await left(), (await balances())!.available]).toEqual([[0, 170, 0], 170]);
  await refund(60, 'r1', 's', clock('2026-12-20T09:00:00'));
  expect([await left(), (await balances())!.available]).toEqual([[30, 200, 0], 230]);
  await refund(120, 'r2', 's', clock('2027-02-10T09:00:00'));
  expect(await lots()).toEqual([
    { remaining: 100, ends: '2027-03-31 23:59:59' },
    { remaining: 200, ends: '2027-06-30 23:59:59' },
    { remaining: 0, ends: '2027-01-31 23:59:59' },
    { remaining: 50, ends: '2027-02-17 23:59:59' },
  ]);
  expect((await balances())!.available).toBe(350);
  await expect(refund(1, 'r3', 's', clock('2027-02-10T09:00:00'))).rejects.toMatchObject({
    status: 30101,
    label: ['退回超过已用积分', 'Refund exceeds points used'],
  });
  await expireLots(platform, clock('2027-02-18T00:05:00'));
  expect((await balances())!.available).toBe(300);
  await expireLots(platform, clock('2027-04-01T00:05:00'));
  await expireLots(platform, clock('2027-04-01T00:05:00'));
  expect((await balances())!.available).toBe(200);
  expect((await kinds()).slice(-2)).toEqual([
    [LINE_KINDS.expiry, -50, 300],
    [LINE_KINDS.expiry, -100, 200],
  ]);
  const named = await run<{ lot: number }>(
    platform.database.db,
    `SELECT u.lot_id AS lot FROM points_lot_use u JOIN ledger_transfer t ON t.id = u.transfer_id WHERE t.member_id = $1 AND u.kind = 'expire'`,
    [member],
  );
  expect(named).toHaveLength(2);
});

test('an expired lot cannot be spent from that second on, before any job has run', async () => {
  await grant(40, 'a', { expiresAt: end('2027-01-31') });
  await expect(spend(1, 'late', clock('2027-01-31T23:59:59'))).rejects.toMatchObject({
    label: ['积分不足：可用 0，需要 1', expect.any(String)],
  });
  await spend(1, 'early', clock('2027-01-31T23:59:58'));
});

test('E5: a hold is released in parts, captured, and lines of it move nothing in all', async () => {
  await grant(200, 'b', { expiresAt: null });
  await inTx((tx) => holdPoints(tx, { memberId: member, amount: 150, source: source('h', 'hold') }));
  expect(await balances()).toEqual({ available: 50, held: 150, owed: 0 });
  await inTx((tx) =>
    releasePoints(tx, platform.settings, {
      hold: source('h', 'hold'),
      amount: 30,
      source: source('h', 'release-1'),
    }),
  );
  expect(await balances()).toEqual({ available: 80, held: 120, owed: 0 });
  await inTx((tx) => capturePoints(tx, { hold: source('h', 'hold'), source: source('h', 'capture') }));
  expect(await balances()).toEqual({ available: 80, held: 0, owed: 0 });
  expect(await kinds()).toEqual([
    [LINE_KINDS.staff, 200, 200],
    [LINE_KINDS.hold, 0, 200],
    [LINE_KINDS.hold, 0, 200],
    [LINE_KINDS.redemption, -120, 80],
  ]);
});

test('E6: caps of a rule cut and skip; taking back does not open them again', async () => {
  const rule = (await one<{ id: number }>(
    `INSERT INTO points_rule (code, direction, name, event, points, day_limit, state) VALUES ('A901', 'earn', 'post', 'post.create', 5, 12, 'enabled') RETURNING id`,
  ))!.id;
  const at = clock('2026-11-20T10:00:00');
  const post = (n: number) =>
    grant(5, `post${n}`, { ruleId: rule, activity: true, at, kind: LINE_KINDS.task });
  const given = [];
  for (const n of [1, 2, 3, 4]) given.push(await post(n));
  expect(given.map((one) => [one.amount, one.cut])).toEqual([
    [5, undefined],
    [5, undefined],
    [2, 'day'],
    [0, 'day'],
  ]);
  expect(await post(4)).toMatchObject({ repeated: true, amount: 0, cut: 'day' });
  await inTx((tx) =>
    clawbackPoints(tx, { grant: source('post1'), amount: 5, source: source('post1', 'deleted') }),
  );
  expect((await post(5)).amount).toBe(0);
  expect((await balances())!.available).toBe(7);
  // The next day counts anew.
  expect(
    (await grant(5, 'post6', { ruleId: rule, activity: true, at: clock('2026-11-21T00:00:00') })).amount,
  ).toBe(5);
});

test('the cap of all activities of a day holds under parallel events', async () => {
  const all = await Promise.all(
    Array.from({ length: 30 }, (_one, n) =>
      grant(10, `sign${n}`, { activity: true, kind: LINE_KINDS.signIn, at: clock('2026-11-22T10:00:00') }),
    ),
  );
  expect(all.reduce((sum, one) => sum + one.amount, 0)).toBe(200);
  expect((await balances())!.available).toBe(200);
});

test('E7: a purchase return is reduced, released, taken back, and its debt repaid by what comes next', async () => {
  const returned = { type: 'test_order', id: String(member), purpose: 'return' };
  const pay = clock('2026-11-01T10:00:00');
  await inTx((tx) =>
    grantPending(tx, {
      memberId: member,
      amount: 128,
      source: returned,
      releaseAt: clock('2026-11-08T10:00:00'),
      at: pay,
    }),
  );
  const takeBack = (amount: number, id: string) =>
    inTx((tx) => clawbackPoints(tx, { grant: returned, amount, source: source(id, 'refund') }));
  await takeBack(40, 'first');
  expect(await takeBack(40, 'first')).toMatchObject({ repeated: true, fromPending: 40 });
  await releaseDue(platform, clock('2026-11-08T09:59:59'));
  expect(await balances()).toEqual({ available: 0, held: 0, owed: 0 });
  await Promise.all([1, 2, 3].map(() => releaseDue(platform, clock('2026-11-08T10:00:00'))));
  expect((await balances())!.available).toBe(88);
  await spend(78, 'other');
  await grant(10, 'signin', { activity: true, kind: LINE_KINDS.signIn });
  expect(await takeBack(50, 'second')).toMatchObject({ fromLots: 20, owed: 30 });
  expect(await balances()).toEqual({ available: 0, held: 0, owed: 30 });
  await grant(5, 'next', { activity: true, kind: LINE_KINDS.signIn });
  expect(await balances()).toEqual({ available: 0, held: 0, owed: 25 });
  expect((await kinds()).slice(-3)).toEqual([
    [LINE_KINDS.takeBack, -20, 0],
    [LINE_KINDS.signIn, 5, 5],
    [LINE_KINDS.debt, -5, 0],
  ]);
  await grant(40, 'after');
  expect([await balances(), (await left()).at(-1)]).toEqual([{ available: 15, held: 0, owed: 0 }, 15]);
  await expect(takeBack(39, 'third')).rejects.toMatchObject({ status: 30101 });
});

test('E8 and 50 parallel redemptions of 10 on 300: thirty succeed and nothing is below zero', async () => {
  await grant(350, 'g', { expiresAt: null });
  const two = await Promise.allSettled([spend(200, 'x'), spend(200, 'y')]);
  expect(two.find((each) => each.status === 'rejected')).toMatchObject({
    reason: {
      status: 30101,
      label: ['积分不足：可用 150，需要 200', 'Not enough points: 150 available, 200 needed'],
    },
  });
  await grant(150, 'g2', { expiresAt: null });
  const many = await Promise.allSettled(Array.from({ length: 50 }, (_one, n) => spend(10, `m${n}`)));
  expect(many.filter((each) => each.status === 'fulfilled')).toHaveLength(30);
  expect([await balances(), (await left()).every((lot) => lot === 0)]).toEqual([
    { available: 0, held: 0, owed: 0 },
    true,
  ]);
});

test('one source sent five times at once: one lot, one line, five equal answers', async () => {
  const same = await Promise.all(Array.from({ length: 5 }, () => grant(40, 'same')));
  expect(new Set(same.map((each) => `${each.transferId} ${each.amount}`)).size).toBe(1);
  expect([await left(), await kinds()]).toEqual([[40], [[LINE_KINDS.staff, 40, 40]]]);
});

test('a frozen account neither holds nor spends; grants arrive; unfrozen it spends again', async () => {
  await grant(50, 'a');
  const freeze = () =>
    inTx((tx) => freezeAccount(tx, { memberId: member, reason: '核查', until: null, staffId: 1 }));
  await freeze();
  await expect(freeze()).rejects.toMatchObject({ status: 30101 });
  await expect(spend(10, 's')).rejects.toMatchObject({
    label: ['积分账户已冻结', 'Points account is frozen'],
  });
  await grant(20, 'b');
  expect((await balances())!.available).toBe(70);
  await inTx((tx) => unfreezeAccount(tx, { memberId: member, reason: '核查完毕', staffId: 1 }));
  await spend(10, 's');
});

test('a correction below zero is refused unless a debt is allowed', async () => {
  await grant(200, 'a');
  const adjust = (allowDebt: boolean) =>
    inTx((tx) =>
      adjustPoints(tx, platform.settings, {
        memberId: member,
        amount: -500,
        allowDebt,
        source: source('adj', 'adjust'),
      }),
    );
  await expect(adjust(false)).rejects.toMatchObject({ label: ['可用积分不足', 'Not enough points'] });
  await adjust(true);
  expect(await balances()).toEqual({ available: 0, held: 0, owed: 300 });
});

test('a budget gives no more than it has, refuses with both figures, and skips activities', async () => {
  const accounts = await inTx(async (tx) => {
    const rows = await run<{ id: number }>(
      tx,
      `INSERT INTO ledger_account (kind, owner, unit, balance) VALUES ('points_budget', '901', 'point', 0), ('points_budget_hold', '901', 'point', 0) RETURNING id`,
    );
    await run(
      tx,
      `INSERT INTO points_budget (id, code, name, year, account_id, hold_account_id) VALUES (901, 'PB901', 'small', 2026, $1, $2)`,
      [rows[0]!.id, rows[1]!.id],
    );
    await loadBudget(tx, { budgetId: 901, amount: 50_000, reference: '1' });
    await loadBudget(tx, { budgetId: 901, amount: 50_000, reference: '1' });
    return rows.map((row) => row.id);
  });
  const hold = (amount: number, id: string) =>
    inTx((tx) => holdBudget(tx, { budgetId: 901, amount, source: source(id, 'budget') }));
  const held = await Promise.allSettled([hold(40_000, 'one'), hold(40_000, 'two')]);
  expect(held.filter((each) => each.status === 'fulfilled')).toHaveLength(1);
  await expect(hold(20_000, 'three')).rejects.toMatchObject({
    status: 30101,
    label: ['预算可用 10,000，不足 20,000', 'Budget has 10,000 left, 20,000 needed'],
  });
  await expect(grant(10_001, 'big', { budgetId: 901 })).rejects.toMatchObject({ status: 30101 });
  const given = await grant(199, 'in', { budgetId: 901, fromHold: true });
  expect(given.amount).toBe(199);
  await expect(
    inTx((tx) => loadBudget(tx, { budgetId: 901, amount: -10_001, reference: '2' })),
  ).rejects.toMatchObject({ status: 30101 });
  await inTx((tx) => loadBudget(tx, { budgetId: 901, amount: -10_000, reference: '3' }));
  expect((await grant(5, 'empty', { budgetId: 901, activity: true })).cut).toBe('budget');
  // A recall gives back what is left of the lot and nothing else.
  await spend(99, 's');
  const recalled = await inTx((tx) =>
    recallMany(tx, { budgetAccountId: accounts[0]!, note: '' }, [
      { memberId: member, grantId: given.transferId, source: source('in', 'recall') },
    ]),
  );
  expect(recalled).toEqual([100]);
});

test('points for many at once book what points for one book: debts are repaid, grades reached, nothing is booked twice', async () => {
  const others = await run<{ id: number }>(
    platform.database.db,
    `INSERT INTO member (name, phone) SELECT 'many', 'many' || $1 || n FROM generate_series(1, 3) n RETURNING id`,
    [member],
  );
  const people = [member, ...others.map((row) => row.id)];
  // One owes 30, one has a lot, two have no accounts yet.
  await inTx((tx) =>
    adjustPoints(tx, platform.settings, {
      memberId: member,
      amount: -30,
      allowDebt: true,
      source: source('owed'),
    }),
  );
  await inTx((tx) =>
    grantPoints(tx, platform.settings, { memberId: people[1]!, amount: 7, source: source('lot') }),
  );
  const hold = source('hold', 'many');
  await inTx((tx) => holdBudget(tx, { budgetId: 1, amount: 4_160, source: hold }));
  const grants = people.map((memberId, n) => ({
    memberId,
    amount: [20, 1_000, 40, 1_000][n]!,
    source: source(`m${n}`),
  }));
  const batch = { budgetId: 1, staffId: 1, note: '批次', countsForGrade: true };
  const give = () => inTx((tx) => grantMany(tx, platform.settings, batch, grants));
  const transfers = await give();
  await expect(give()).rejects.toMatchObject({ code: '23505' });
  await expect(
    inTx((tx) =>
      grantMany(tx, platform.settings, batch, [{ memberId: member, amount: 2_101, source: source('more') }]),
    ),
  ).rejects.toMatchObject({ label: ['预算可用 2,100，不足 2,101', 'Budget has 2,100 left, 2,101 needed'] });
  const of = async (memberId: number) => {
    const rows = await run<{ kind: string; balance: number }>(
      platform.database.db,
      'SELECT kind, balance FROM ledger_account WHERE member_id = $1 ORDER BY kind',
      [memberId],
    );
    return rows.map((row) => row.balance);
  };
  // Available, owed, held.
  expect(await Promise.all(people.map(of))).toEqual([
    [0, -10, 0],
    [1_007, 0, 0],
    [40, 0, 0],
    [1_000, 0, 0],
  ]);
  expect(await kinds()).toEqual([
    [6, 0, 0],
    [5, 20, 20],
    [14, -20, 0],
  ]);
  const told = await run<{ member_id: number }>(
    platform.database.db,
    `SELECT member_id FROM member_notification WHERE member_id = ANY($1::bigint[]) AND title_zh = '等级提升' ORDER BY 1`,
    [people],
  );
  expect(told.map((row) => row.member_id)).toEqual([people[1], people[3]]);
  const [back] = await run<{ account_id: number }>(
    platform.database.db,
    'SELECT account_id FROM points_budget WHERE id = 1',
  );
  const recalled = await inTx((tx) =>
    recallMany(
      tx,
      { budgetAccountId: back!.account_id, note: '' },
      people.map((memberId, n) => ({
        memberId,
        grantId: transfers[n]!,
        source: { ...grants[n]!.source, purpose: 'recall' },
      })),
    ),
  );
  expect(recalled).toEqual([0, 1_000, 40, 1_000]);
  expect(await Promise.all(people.map(of))).toEqual([
    [0, -10, 0],
    [7, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ]);
  await inTx((tx) =>
    holdBudget(tx, { budgetId: 1, amount: -2_100, source: { ...hold, purpose: 'many-release' } }),
  );
});

test('what may not be: lots do not change, two rules of one event are not enabled, jobs run twice write once', async () => {
  await grant(30, 'a');
  await expect(run(platform.database.db, 'UPDATE points_lot SET amount = amount + 1')).rejects.toThrow();
  await run(
    platform.database.db,
    `INSERT INTO points_rule (code, direction, name, event, points, state) VALUES ('A902', 'earn', 'one', 'like', 1, 'enabled')`,
  );
  await expect(
    run(
      platform.database.db,
      `INSERT INTO points_rule (code, direction, name, event, points, project_ids, state) VALUES ('A903', 'earn', 'two', 'like', 1, '{7}', 'enabled')`,
    ),
  ).rejects.toThrow(/two enabled points rules/);
  await grant(9, 'soon', { expiresAt: new Date(Date.now() + 7 * 86_400_000) });
  expect(await noteExpiring(platform, [30, 7])).toBe(1);
  expect(await noteExpiring(platform, [30, 7])).toBe(0);
  await snapshotMonth(platform);
  await snapshotMonth(platform);
  const snapshot = await one<{ points: number; outstanding: number }>(
    `SELECT (SELECT sum(outstanding)::bigint FROM points_snapshot) AS points, (SELECT sum(remaining + held)::bigint FROM points_lot) AS outstanding`,
  );
  expect(snapshot!.points).toBe(snapshot!.outstanding);
});
