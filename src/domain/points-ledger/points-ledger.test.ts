import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPlatform, type OpenPlatform } from '../../app/server/create-platform.ts';
import { run, runOne, transaction, type Tx } from '../../kernel/server/database.ts';
import { cloneDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { lockMembers } from './ledger-book.server.ts';
import { pointsInvariants } from './points-invariants.server.ts';
import {
  capturePoints,
  holdPoints,
  refundPoints,
  releasePoints,
  spendPoints,
  spendablePoints,
} from './points-ledger.server.ts';
import { grantPoints } from './points-grant.server.ts';

let database: TestDatabase;
let platform: OpenPlatform;
let member = 7_000;
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
  for (const invariant of pointsInvariants) {
    const { looked, problems } = await invariant.check(platform);
    expect([invariant.name, looked > 0, problems]).toEqual([invariant.name, true, []]);
  }
  await platform.close();
  await database.drop();
});

const inTx = <T>(work: (tx: Tx) => Promise<T>) => transaction(platform.database.db, work);
const source = (id: string, purpose: string) => ({ type: 'test', id: `${member}-${id}`, purpose });
const grant = (amount: number, id: string, expiresAt?: Date | null) =>
  inTx((tx) =>
    grantPoints(tx, platform.settings, {
      memberId: member,
      amount,
      source: source(id, 'grant'),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }),
  );
const spend = (amount: number, id: string) =>
  inTx((tx) => spendPoints(tx, { memberId: member, amount, source: source(id, 'spend') }));
const refund = (amount: number, id: string, of: string) =>
  inTx((tx) =>
    refundPoints(tx, platform.settings, {
      memberId: member,
      amount,
      spend: source(of, 'spend'),
      source: source(id, 'refund'),
    }),
  );
const lots = async () =>
  (
    await run<{ remaining: number }>(
      platform.database.db,
      `SELECT l.remaining FROM points_lot l JOIN ledger_account a ON a.id = l.account_id WHERE a.owner = $1 ORDER BY l.id`,
      [String(member)],
    )
  ).map((lot) => lot.remaining);
const available = () => spendablePoints(platform.database.db, member);
const day = (text: string) => new Date(`${text}T23:59:59+08:00`);

test('E1–E3: spending order, refund in reverse, a lot that expired meanwhile gives a child lot', async () => {
  member += 1;
  const year = new Date().getFullYear() + 1;
  await grant(100, 'a', day(`${year}-03-31`));
  await grant(200, 'b', day(`${year}-06-30`));
  await grant(50, 'c', day(`${year}-01-31`));
  await spend(180, 's');
  expect(await lots()).toEqual([0, 170, 0]);
  await refund(60, 'r1', 's');
  expect([await lots(), await available()]).toEqual([[30, 200, 0], 230]);
  await run(
    platform.database.db,
    `UPDATE points_lot l SET expires_at = now() - interval '10 days' FROM ledger_account a WHERE a.id = l.account_id AND a.owner = $1 AND l.amount = 50`,
    [String(member)],
  );
  await refund(120, 'r2', 's');
  expect([await lots(), await available()]).toEqual([[100, 200, 0, 50], 350]);
  const child = await runOne<{ ends: string; today: string }>(
    platform.database.db,
    `SELECT to_char(expires_at, 'YYYY-MM-DD HH24:MI:SS') AS ends, to_char(now() + interval '7 days', 'YYYY-MM-DD') AS today FROM points_lot WHERE parent_lot IS NOT NULL ORDER BY id DESC LIMIT 1`,
  );
  expect(child!.ends).toBe(`${child!.today} 23:59:59`);
  await expect(refund(1, 'r3', 's')).rejects.toMatchObject({
    status: 30101,
    label: ['退回超过已用积分', 'Refund exceeds points used'],
  });
});

test('E5: hold, release, capture; a hold ends once', async () => {
  member += 1;
  await grant(200, 'b', null);
  const hold = (id: string) =>
    inTx((tx) => holdPoints(tx, { memberId: member, amount: 150, source: source(id, 'hold') }));
  const release = (id: string) =>
    inTx((tx) =>
      releasePoints(tx, platform.settings, { hold: source(id, 'hold'), source: source(id, 'release') }),
    );
  const capture = (id: string) =>
    inTx((tx) => capturePoints(tx, { hold: source(id, 'hold'), source: source(id, 'capture') }));
  await hold('h1');
  expect(await available()).toBe(50);
  await release('h1');
  expect(await available()).toBe(200);
  expect((await release('h1')).repeated).toBe(true);
  await expect(capture('h1')).rejects.toMatchObject({ status: 30101 });
  await hold('h2');
  expect((await capture('h2')).amount).toBe(150);
  await expect(release('h2')).rejects.toMatchObject({ status: 30101 });
  expect(await available()).toBe(50);
  await inTx((tx) =>
    refundPoints(tx, platform.settings, {
      memberId: member,
      amount: 150,
      spend: source('h2', 'capture'),
      source: source('h2', 'refund'),
    }),
  );
  expect(await available()).toBe(200);
});

test('E8 and parallel spends: never below zero, each source once', async () => {
  member += 1;
  await grant(350, 'g', null);
  const two = await Promise.allSettled([spend(200, 'x'), spend(200, 'y')]);
  expect(two.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
  expect(two.find((one) => one.status === 'rejected')).toMatchObject({
    reason: { label: ['积分不足：可用 150，需要 200', expect.any(String)] },
  });
  const many = await Promise.allSettled(Array.from({ length: 30 }, (_one, index) => spend(10, `m${index}`)));
  expect(many.filter((one) => one.status === 'fulfilled')).toHaveLength(15);
  expect(await available()).toBe(0);
  const same = await Promise.all(Array.from({ length: 5 }, () => grant(40, 'same', null)));
  expect(new Set(same.map((one) => one.transferId)).size).toBe(1);
  expect(same.filter((one) => !one.repeated)).toHaveLength(1);
  expect(await available()).toBe(40);
});

test('forfeit: what goes back into an expired lot lapses', async () => {
  member += 1;
  await grant(100, 'g', day('2099-01-01'));
  await spend(100, 's');
  await run(
    platform.database.db,
    `UPDATE points_lot l SET expires_at = now() - interval '1 day' FROM ledger_account a WHERE a.id = l.account_id AND a.owner = $1`,
    [String(member)],
  );
  await run(
    platform.database.db,
    `INSERT INTO setting (key, value) VALUES ('points.refund.expired_lot_policy', '"forfeit"')`,
  );
  platform.settings.forget();
  await refund(100, 'r', 's');
  expect(await available()).toBe(0);
  await run(platform.database.db, `DELETE FROM setting WHERE key = 'points.refund.expired_lot_policy'`);
});

test('a grant expires with the twelfth month after its own; members are locked in ascending order', async () => {
  member += 1;
  await grant(10, 'g');
  const lot = await runOne<{ ends: string; month: string }>(
    platform.database.db,
    `SELECT to_char(l.expires_at, 'YYYY-MM-DD HH24:MI:SS') AS ends, to_char(date_trunc('month', now()) + interval '13 months' - interval '1 second', 'YYYY-MM-DD HH24:MI:SS') AS month
       FROM points_lot l JOIN ledger_account a ON a.id = l.account_id WHERE a.owner = $1`,
    [String(member)],
  );
  expect(lot!.ends).toBe(lot!.month);
  const locked = await inTx((tx) => lockMembers(tx, [9_003, 9_001, 9_002, 9_001]));
  expect(locked.map((one) => one.memberId)).toEqual([9_001, 9_002, 9_003]);
});
