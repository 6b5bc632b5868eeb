import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, run, runOne, type OpenDatabase } from '../../kernel/server/database.ts';
import { cloneDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { readSecretKey } from './config.ts';
import { createPlatform } from './create-platform.ts';
import { replicaLag, watchReplica } from './replica-gate.ts';

let main: TestDatabase;
let copy: TestDatabase;
const open: OpenDatabase[] = [];
beforeAll(async () => {
  [main, copy] = [await cloneDatabase(), await cloneDatabase()];
}, 240_000);
afterAll(async () => {
  for (const database of open) await database.close();
  await main?.drop();
  await copy?.drop();
});

const opened = (config: TestDatabase['app']) => {
  const database = openDatabase(config, 2);
  open.push(database);
  return database;
};
const log = () => {
  const lines: string[] = [];
  const line = (level: string) => (_data: object | string, message?: string) =>
    void lines.push(`${level}: ${message}`);
  return { lines, info: line('info'), warn: line('warn'), error: line('error') };
};

test('is read from while at most five seconds behind, and left out while it lags, fails or says nothing', async () => {
  const [primary, replica] = [opened(main.app), opened(copy.app)];
  const told = log();
  let lag: number | undefined | Error = 0;
  let now = 0;
  const gate = watchReplica({
    primary,
    replica,
    log: told,
    now: () => now,
    byItself: false,
    measure: async () => {
      if (lag instanceof Error) throw lag;
      return lag;
    },
  });
  const chosen = async (measured: typeof lag) => {
    lag = measured;
    await gate.look();
    return gate.current() === replica ? 'replica' : 'primary';
  };
  expect(gate.current()).toBe(primary);
  for (const [measured, wanted] of [
    [0, 'replica'],
    [5, 'replica'],
    [5.01, 'primary'],
    [3600, 'primary'],
    [0.2, 'replica'],
    [undefined, 'primary'],
    [1, 'replica'],
    [new Error('connection refused'), 'primary'],
    [0, 'replica'],
  ] as const)
    expect([measured, await chosen(measured)]).toEqual([measured, wanted]);
  // Nobody looks any more: what was measured grows old and holds no longer than the limit.
  now += 5_900;
  expect(gate.current()).toBe(replica);
  now += 200;
  expect(gate.current()).toBe(primary);
  expect(told.lines.filter((line) => line.startsWith('warn'))).toHaveLength(3);
  gate.close();
});

test('a database that is no standby is never read from, whatever it holds', async () => {
  const [primary, replica] = [opened(main.app), opened(copy.app)];
  expect(await replicaLag(replica)).toBeUndefined();
  const gate = watchReplica({ primary, replica, log: log(), byItself: false });
  await gate.look();
  expect(gate.current()).toBe(primary);
});

test('reports and exports follow the choice at their next reading; everything else stays on the primary', async () => {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'replica-'));
  let lag = 60;
  const platform = createPlatform({
    database: main.app,
    replica: copy.app,
    replicaLook: { measure: async () => lag },
    registrations: [],
    config: { dataDir, storageUrl: undefined, secretKey: readSecretKey(dataDir), build: 'test' },
    log: log(),
    poolSize: 2,
  });
  try {
    await run(opened(copy.app).db, `INSERT INTO setting (key, value) VALUES ('replica.mark', '1')`);
    const marked = async () =>
      (await runOne(platform.replica.db, `SELECT FROM setting WHERE key = 'replica.mark'`)) !== undefined;
    const until = async (wanted: boolean) => {
      for (let turn = 0; turn < 100 && (await marked()) !== wanted; turn++)
        await new Promise((resolve) => setTimeout(resolve, 50));
      return marked();
    };
    expect(await marked()).toBe(false);
    lag = 1;
    expect(await until(true)).toBe(true);
    expect(
      await runOne(platform.database.db, `SELECT FROM setting WHERE key = 'replica.mark'`),
    ).toBeUndefined();
    lag = 6;
    expect(await until(false)).toBe(false);
  } finally {
    await platform.close();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
});
