import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPlatform, type OpenPlatform } from '../../app/server/create-platform.ts';
import { run, runOne, transaction, type Tx } from '../../kernel/server/database.ts';
import { cloneDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { differencesOf, pointsAccountInvariants } from './points-account-invariants.server.ts';
import { loadBudget, lockBudget } from './points-budget.server.ts';
import { grantPoints } from './points-grant.server.ts';
import { pointsInvariants } from './points-invariants.server.ts';

const BUDGET = 955;
let database: TestDatabase;
let platform: OpenPlatform;
let members: readonly number[];
beforeAll(async () => {
  database = await cloneDatabase();
  platform = createPlatform({
    database: { ...database.app, connectionTimeoutMillis: 60_000 },
    registrations: [],
    config: { dataDir: '/tmp', storageUrl: undefined, secretKey: Buffer.alloc(32), build: 'test' } as never,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
  const rows = await run<{ id: number }>(
    platform.database.db,
    `INSERT INTO member (name, phone) SELECT 'b' || n, (13600000000 + n)::text FROM generate_series(1, 130) n RETURNING id`,
  );
  members = rows.map((row) => row.id);
  await inTx(async (tx) => {
    const accounts = await run<{ id: number }>(
      tx,
      `INSERT INTO ledger_account (kind, owner, unit, balance) VALUES ('points_budget', '955', 'point', 0), ('points_budget_hold', '955', 'point', 0) RETURNING id`,
    );
    await run(
      tx,
      `INSERT INTO points_budget (id, code, name, year, account_id, hold_account_id) VALUES ($1, 'PB955', 'last', 2026, $2, $3)`,
      [BUDGET, accounts[0]!.id, accounts[1]!.id],
    );
    await loadBudget(tx, { budgetId: BUDGET, amount: 510, reference: '1' });
  });
});
afterAll(async () => {
  for (const invariant of [...pointsInvariants, ...pointsAccountInvariants]) {
    const { problems } = await invariant.check(platform);
    expect([invariant.name, problems]).toEqual([invariant.name, []]);
  }
  expect((await differencesOf(platform.database.db)).differences).toEqual([]);
  await platform.close();
  await database.drop();
});

const inTx = <T>(work: (tx: Tx) => Promise<T>) => transaction(platform.database.db, work);
const grant = (tx: Tx, memberId: number, purpose: string) =>
  grantPoints(tx, platform.settings, {
    memberId,
    amount: 5,
    source: { type: 'test', id: String(memberId), purpose },
    activity: true,
    budgetId: BUDGET,
  });

test('an undone grant takes nothing of the budget, and a later one of the same transaction counts those before', async () => {
  const [member] = members;
  await inTx(async (tx) => {
    await run(tx, 'SAVEPOINT undone');
    expect((await grant(tx, member!, 'undone')).amount).toBe(5);
    await run(tx, 'ROLLBACK TO SAVEPOINT undone');
    expect((await grant(tx, member!, 'kept')).amount).toBe(5);
    expect((await lockBudget(tx, BUDGET)).left).toBe(500);
  });
  const left = await runOne<{ balance: number }>(
    platform.database.db,
    `SELECT balance FROM ledger_account WHERE kind = 'points_budget' AND owner = '955'`,
  );
  expect(left!.balance).toBe(505);
});

test('a budget that many take from at their end gives what it has and not one point more', async () => {
  const granted = await Promise.all(
    members.slice(1).map((memberId) => inTx((tx) => grant(tx, memberId, 'rush'))),
  );
  expect(granted.filter((one) => one.amount === 5)).toHaveLength(101);
  expect(granted.filter((one) => one.cut === 'budget')).toHaveLength(28);
  const sums = await runOne<{ balance: number; entries: number; wrong: number }>(
    platform.database.db,
    `SELECT a.balance, (SELECT sum(e.amount)::int FROM ledger_entry e WHERE e.account_id = a.id) AS entries,
            (SELECT count(*)::int FROM (SELECT e.balance_after - sum(e.amount) OVER (ORDER BY e.id) AS off FROM ledger_entry e WHERE e.account_id = a.id) x WHERE off <> 0) AS wrong
       FROM ledger_account a WHERE a.kind = 'points_budget' AND a.owner = '955'`,
  );
  expect(sums).toEqual({ balance: 0, entries: 0, wrong: 0 });
});
