import { afterAll, beforeAll, expect, test } from 'vitest';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { LINE_KINDS } from '../../../domain/points-ledger/ledger-book.server.ts';
import { grantPoints, type Grant } from '../../../domain/points-ledger/points-grant.server.ts';
import { refundPoints, spendPoints } from '../../../domain/points-ledger/points-ledger.server.ts';
import { grantPending, releaseDue } from '../../../domain/points-ledger/points-pending.server.ts';
import { clawbackPoints } from '../../../domain/points-ledger/points-take-back.server.ts';
import { pointsAccountInvariants } from '../../../domain/points-ledger/points-account-invariants.server.ts';
import { pointsInvariants } from '../../../domain/points-ledger/points-invariants.server.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { ACCOUNT_MENU, pointsAccount, pointsAdjustment } from './account.contract.ts';
import { registration as accounts } from './account.server.ts';
import { registration as adjustments } from './adjustment.server.ts';
import { registration as freezes } from './freeze.server.ts';
import { registration as holds } from './hold.server.ts';
import { registration as lots } from './lot.server.ts';
import { registration as pendings } from './pending.server.ts';
import { registration as skips } from './skip.server.ts';
import { registration as lines } from './statement.server.ts';

const ROOT = '/jinmao/web/pointsAccount';
const ELEMENTS = [pointsAccount, pointsAdjustment].flatMap((resource) =>
  Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)),
);
let mall: Mall;
let finance: Caller;
let second: Caller;
let narrow: Caller;
let platformTenant: number;
let turn = 0;
const db = () => mall.platform.database.db;
const inTx = <T>(work: Parameters<typeof transaction<T>>[1]) => transaction(db(), work);

beforeAll(async () => {
  mall = await openMall([accounts, adjustments, freezes, holds, lots, pendings, skips, lines]);
  platformTenant = (await runOne<{ id: number }>(db(), 'SELECT id FROM tenant WHERE kind = 3 LIMIT 1'))!.id;
  const staff = async (name: string) => ({
    staffId: await mall.staff(name, platformTenant),
    tenantId: platformTenant,
  });
  finance = callerOf(await staff('fin1'), [ACCOUNT_MENU], ELEMENTS);
  second = callerOf(await staff('fin2'), [ACCOUNT_MENU], ELEMENTS);
  narrow = callerOf(
    { ...(await staff('narrow1')), tenantKind: 1, projectIds: [mall.ids.north] },
    [ACCOUNT_MENU],
    ELEMENTS,
  );
});
afterAll(async () => {
  for (const invariant of [...pointsInvariants, ...pointsAccountInvariants]) {
    const { problems } = await invariant.check(mall.platform);
    expect([invariant.name, problems]).toEqual([invariant.name, []]);
  }
  await mall.close();
});

const makeMember = async (project = mall.ids.north) => {
  turn += 1;
  return (await runOne<{ id: number }>(
    db(),
    'INSERT INTO member (name, phone, project_id) VALUES ($1, $2, $3) RETURNING id',
    [`会员${turn}`, String(13_600_000_000 + turn), project],
  ))!.id;
};
const clock = (text: string) => new Date(`${text}+08:00`);
const grant = (memberId: number, amount: number, id: string, more: Partial<Grant> = {}) =>
  inTx((tx) =>
    grantPoints(tx, mall.platform.settings, {
      memberId,
      amount,
      source: { type: 'test', id: `${memberId}-${id}`, purpose: 'grant' },
      ...more,
    }),
  );
const page = async (resource: string, memberId: number, caller = finance) =>
  (await mall.call(caller, 'GET', `/jinmao/web/${resource}/page?account=${memberId}&limit=50`)).data
    .rows as Record<string, unknown>[];
const account = async (memberId: number, caller = finance) =>
  (await mall.call(caller, 'GET', `${ROOT}/${memberId}`)).data;
const act = async (memberId: number, action: string, input: Record<string, unknown>, caller = finance) => {
  const { version } = await account(memberId);
  return mall.call(caller, 'POST', `${ROOT}/${memberId}/${action}`, { version, ...input });
};

test('group 22 Must show 1: E1 to E3 show in lots and account', async () => {
  const member = await makeMember();
  const end = (day: string) => clock(`${day}T23:59:59`);
  const at = clock('2026-11-01T10:00:00');
  await grant(member, 100, 'a', { expiresAt: end('2027-03-31'), at });
  await grant(member, 200, 'b', { expiresAt: end('2027-06-30'), at });
  await grant(member, 50, 'c', { expiresAt: end('2027-01-31'), at });
  const spend = { type: 'test', id: String(member), purpose: 'spend' };
  const remaining = async () =>
    Object.fromEntries((await page('pointsLot', member)).map((lot) => [lot.amount, lot.remaining]));
  const back = (amount: number, id: string, day: string) =>
    inTx((tx) =>
      refundPoints(tx, mall.platform.settings, {
        memberId: member,
        amount,
        spend,
        source: { type: 'test', id: `${member}-${id}`, purpose: 'refund' },
        at: clock(`${day}T09:00:00`),
      }),
    );
  await inTx((tx) =>
    spendPoints(tx, { memberId: member, amount: 180, source: spend, at: clock('2026-12-01T09:00:00') }),
  );
  expect([await remaining(), (await account(member)).available]).toEqual([{ 50: 0, 100: 0, 200: 170 }, 170]);
  await back(60, 'r1', '2026-12-20');
  expect([await remaining(), (await account(member)).available]).toEqual([{ 50: 0, 100: 30, 200: 200 }, 230]);
  await back(120, 'r2', '2027-02-10');
  const after = await page('pointsLot', member);
  expect(after.map((lot) => [lot.amount, lot.remaining])).toEqual([
    [50, 0],
    [50, 50],
    [100, 100],
    [200, 200],
  ]);
  expect(String(after[1]!.expiresAt)).toContain('2027-02-17T23:59:59');
  expect((await account(member)).available).toBe(350);
  const overview = (await mall.call(finance, 'GET', `${ROOT}/${member}/overview`)).data;
  expect(overview).toMatchObject({
    available: 350,
    held: 0,
    owed: 0,
    granted: 350,
    used: 0,
    differences: [],
  });
  expect(overview.upcoming.map((lot: { running: number }) => lot.running)).toEqual([50, 150, 350]);
});

test('group 22 Must show 2: E7 ends with a debt that the next sign-in repays', async () => {
  const member = await makeMember();
  const returned = { type: 'test_order', id: String(member), purpose: 'return' };
  await inTx((tx) =>
    grantPending(tx, {
      memberId: member,
      amount: 128,
      source: returned,
      releaseAt: clock('2026-11-08T10:00:00'),
    }),
  );
  const takeBack = (amount: number, id: string) =>
    inTx((tx) =>
      clawbackPoints(tx, {
        grant: returned,
        amount,
        source: { type: 'test_refund', id: `${member}-${id}`, purpose: 'return' },
      }),
    );
  await takeBack(40, 'first');
  expect((await account(member)).pending).toBe(88);
  await releaseDue(mall.platform, clock('2026-11-08T10:00:00'));
  await inTx((tx) =>
    spendPoints(tx, {
      memberId: member,
      amount: 78,
      source: { type: 'test', id: String(member), purpose: 'spend' },
    }),
  );
  await grant(member, 10, 'sign', { kind: LINE_KINDS.signIn, activity: true });
  await takeBack(50, 'second');
  expect(await account(member)).toMatchObject({ available: 0, owed: 30, pending: 0 });
  await grant(member, 5, 'sign2', { kind: LINE_KINDS.signIn, activity: true });
  expect(await account(member)).toMatchObject({ available: 0, owed: 25 });
  const shown = await page('pointsStatement', member);
  expect(shown.find((line) => line.kind === '14')).toMatchObject({ amount: -5, owedChange: -5, balance: 0 });
});

test('group 22 Must show 3: 50 parallel redemptions of 10 on 300', async () => {
  const member = await makeMember();
  await grant(member, 300, 'g', { expiresAt: null });
  const all = await Promise.allSettled(
    Array.from({ length: 50 }, (_one, n) =>
      inTx((tx) =>
        spendPoints(tx, {
          memberId: member,
          amount: 10,
          source: { type: 'test', id: `${member}-${n}`, purpose: 'redeem' },
        }),
      ),
    ),
  );
  expect(all.filter((one) => one.status === 'fulfilled')).toHaveLength(30);
  expect(
    all.filter((one) => one.status === 'rejected' && (one.reason as { status: number }).status === 30101),
  ).toHaveLength(20);
  expect((await account(member)).available).toBe(0);
  expect((await page('pointsLot', member)).every((lot) => lot.remaining === 0)).toBe(true);
  const checked = await mall.call(finance, 'POST', `${ROOT}/reconcile`, { ids: [String(member)] });
  expect(checked.data).toMatchObject({ accounts: 1, differences: [] });
});

test('group 22 Must show 4: the same grant five times at once is one lot and one line', async () => {
  const member = await makeMember();
  const same = await Promise.all(Array.from({ length: 5 }, () => grant(member, 40, 'same')));
  expect(new Set(same.map((one) => `${one.transferId}:${one.amount}`)).size).toBe(1);
  expect([(await page('pointsLot', member)).length, (await page('pointsStatement', member)).length]).toEqual([
    1, 1,
  ]);
});

test('group 22 Must show 12: a frozen account redeems nothing, grants arrive, unfrozen it works', async () => {
  const member = await makeMember();
  await grant(member, 50, 'a');
  expect((await act(member, 'freeze', { reason: '核查账户' })).http).toBe(200);
  const spend = () =>
    inTx((tx) =>
      spendPoints(tx, {
        memberId: member,
        amount: 10,
        source: { type: 'test', id: String(member), purpose: 'redeem' },
      }),
    );
  await expect(spend()).rejects.toMatchObject({ label: ['积分账户已冻结', 'Points account is frozen'] });
  await grant(member, 20, 'b');
  expect(await account(member)).toMatchObject({ available: 70, frozen: 'frozen' });
  const again = await act(member, 'freeze', { reason: '再次冻结' });
  expect([again.http, again.status, again.message]).toEqual([409, 30101, '积分账户已冻结']);
  const two = await Promise.all([1, 2].map(() => act(member, 'unfreeze', { reason: '核查完毕' })));
  expect(two.filter((one) => one.http === 200)).toHaveLength(1);
  await spend();
  expect((await account(member)).available).toBe(60);
  expect(await page('pointsFreeze', member)).toHaveLength(1);
});

test('group 22 Must show 13: staff of one project neither open nor count accounts of another', async () => {
  const inside = await makeMember();
  const outside = await makeMember(mall.ids.south);
  await grant(inside, 11, 'a');
  await grant(outside, 1_000, 'b');
  expect((await mall.call(narrow, 'GET', `${ROOT}/${outside}`)).http).toBe(404);
  expect((await mall.call(narrow, 'GET', `${ROOT}/${outside}/overview`)).http).toBe(404);
  expect((await mall.call(narrow, 'POST', `${ROOT}/${outside}/freeze`, { reason: '越权' })).http).toBe(404);
  expect(await page('pointsLot', outside, narrow)).toEqual([]);
  const list = await mall.call(narrow, 'GET', `${ROOT}/page?limit=200`);
  const ids = (list.data.rows as { id: string }[]).map((row) => row.id);
  expect([ids.includes(String(inside)), ids.includes(String(outside))]).toEqual([true, false]);
  const [all, own] = [
    (await mall.call(finance, 'GET', `${ROOT}/figures`)).data,
    (await mall.call(narrow, 'GET', `${ROOT}/figures`)).data,
  ];
  expect(all.outstanding - own.outstanding).toBe(1_000);
  const checked = await mall.call(narrow, 'POST', `${ROOT}/reconcile`, {
    ids: [String(inside), String(outside)],
  });
  expect(checked.data.accounts).toBe(1);
});

test('group 22 Must show 14: an entry changed by SQL is named with what is found and expected', async () => {
  const member = await makeMember();
  await grant(member, 90, 'a');
  await run(
    db(),
    `UPDATE ledger_account SET balance = balance + 7 WHERE member_id = $1 AND kind = 'points_available'`,
    [member],
  );
  const checked = await mall.call(finance, 'POST', `${ROOT}/reconcile`, { ids: [String(member)] });
  expect(checked.data.differences).toContainEqual({
    rule: 'balance',
    account: String(member),
    subject: `points_available:${member}`,
    found: 97,
    expected: 90,
  });
  expect((await mall.call(finance, 'GET', `${ROOT}/figures`)).data.differences).toBeGreaterThan(0);
  const doctor = await pointsInvariants
    .find((one) => one.name === 'points.balance_is_sum_of_entries')!
    .check(mall.platform);
  expect(doctor.problems).toEqual([`account points_available:${member}: balance 97, entries 90`]);
  await run(
    db(),
    `UPDATE ledger_account SET balance = balance - 7 WHERE member_id = $1 AND kind = 'points_available'`,
    [member],
  );
});

test('group 22 Must show 15: a correction below zero needs the tick, and the right', async () => {
  const member = await makeMember();
  await grant(member, 200, 'a');
  const input = { amount: -500, reasonCode: 'cheat', reason: '违规获取积分扣回' };
  const refused = await act(member, 'adjust', input);
  expect([refused.http, refused.status, refused.message]).toEqual([409, 30101, '可用积分不足']);
  const short = await act(member, 'adjust', { ...input, reason: '扣回', allowDebt: true });
  expect([short.http, Object.keys(short.data.fields)]).toEqual([422, ['reason']]);
  expect((await act(member, 'adjust', { ...input, allowDebt: true })).http).toBe(200);
  expect(await account(member)).toMatchObject({ available: 0, owed: 300 });
  const reader = callerOf({ staffId: finance.staffId, tenantId: platformTenant }, [ACCOUNT_MENU], []);
  expect((await account(member, reader)).actions).not.toContain('adjust');
  expect((await act(member, 'adjust', { ...input, allowDebt: true }, reader)).http).toBe(403);
});

test('nobody corrects the own account; above the limit somebody else books it, once', async () => {
  const member = await makeMember();
  const phone = (await runOne<{ phone: string }>(db(), 'SELECT phone FROM member WHERE id = $1', [member]))!
    .phone;
  await run(db(), 'UPDATE staff SET phone = $2 WHERE id = $1', [finance.staffId, phone]);
  const own = await act(member, 'adjust', { amount: 10, reasonCode: 'other', reason: '补发给自己' });
  expect([own.http, own.message]).toEqual([409, '不能调整本人账户']);
  await run(db(), `UPDATE staff SET phone = NULL WHERE id = $1`, [finance.staffId]);
  // Nobody may decide yet: it is not handed in, and nothing is kept of it.
  const alone = await act(member, 'adjust', { amount: 5_000, reasonCode: 'error', reason: '系统差错补发' });
  if (alone.http !== 200) {
    expect(alone.status).toBe(30101);
    expect(await page('pointsAdjustment', member)).toEqual([]);
  }
  const group = (await runOne<{ id: number }>(
    db(),
    `SELECT id FROM permission_group WHERE code = 'platform_admin' AND built_in LIMIT 1`,
  ))!.id;
  await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    group,
    second.staffId,
  ]);
  const handed = await act(member, 'adjust', { amount: 5_000, reasonCode: 'error', reason: '系统差错补发' });
  expect(handed.http).toBe(200);
  expect((await account(member)).available).toBe(0);
  const waiting = (await page('pointsAdjustment', member)).find((row) => row.state === 'reviewing')!;
  const decide = (caller: Caller) =>
    mall.call(caller, 'POST', `/jinmao/web/pointsAdjustment/${String(waiting.id)}/approve`, {
      version: waiting.version,
    });
  expect((await decide(finance)).status).toBe(30101);
  const both = await Promise.all([decide(second), decide(second)]);
  expect(both.filter((one) => one.http === 200)).toHaveLength(1);
  expect((await account(member)).available).toBe(5_000);
});
