import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestPlatform, rowsOf, until, type TestPlatform } from '../../../testing/kernel-fixtures.ts';
import { run, transaction } from '../database.ts';
import { startWorker, type JobRun, type Worker } from './jobs.ts';
import {
  addEffect,
  deliverEffect,
  EffectRefused,
  EFFECT_TRIES,
  pauseSeconds,
  reviveEffect,
  sweepOutbox,
} from './outbox.ts';
import { defineRegistration, type Effect, type Registration } from '../registration.ts';
import { recoverJobs } from './worker-timers.ts';

let test: TestPlatform;
const delivered: { payload: unknown; id: number }[] = [];
let failures = 0;
let refusals = 0;
const effect: Effect = {
  kind: 'test.send',
  deliver: async (payload: never, _platform, id) => {
    if (failures > 0) {
      failures -= 1;
      throw new Error('the other side is down');
    }
    if (refusals > 0) {
      refusals -= 1;
      throw new EffectRefused('no such number');
    }
    delivered.push({ payload, id });
  },
};
const service: Registration = defineRegistration({
  endpoints: [],
  effects: [effect],
  jobs: [
    { name: 'test.echo', title: ['测试', 'Test'], run: async (payload) => void echoed.push(payload) },
    {
      name: 'test.slow',
      title: ['测试', 'Test'],
      run: () => new Promise((resolve) => setTimeout(resolve, 600)),
    },
  ],
});
const echoed: unknown[] = [];
const effects = new Map([[effect.kind, effect]]);
const stateOf = async (id: number) =>
  (
    await rowsOf<{ state: string; attempts: number; last_error: string | null; wait: number }>(
      test.platform,
      `SELECT state, attempts, last_error, extract(epoch FROM available_at - now())::int AS wait FROM outbox WHERE id = $1`,
      [id],
    )
  )[0]!;
const jobsOf = (id: number) =>
  rowsOf(test.platform, `SELECT FROM graphile_worker._private_jobs WHERE key = $1`, [`outbox:${id}`]);

beforeAll(async () => {
  test = await openTestPlatform([service]);
});
afterAll(() => test.close());

describe('outbox', () => {
  it('writes effect and job together or not at all', async () => {
    const { db } = test.platform.database;
    await expect(
      transaction(db, async (tx) => {
        await addEffect(tx, 'test.send', { n: 1 });
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    expect(await rowsOf(test.platform, 'SELECT FROM outbox')).toHaveLength(0);
    expect(await rowsOf(test.platform, 'SELECT FROM graphile_worker._private_jobs')).toHaveLength(0);
    const id = await transaction(db, (tx) => addEffect(tx, 'test.send', { n: 2 }, { key: 'refund:1' }));
    expect(await jobsOf(id!)).toHaveLength(1);
    expect(
      await transaction(db, (tx) => addEffect(tx, 'test.send', { n: 3 }, { key: 'refund:1' })),
    ).toBeUndefined();
  });

  it('gives up at once what will never be taken, and tries again when revived', async () => {
    const { db } = test.platform.database;
    const id = (await transaction(db, (tx) => addEffect(tx, 'test.send', { n: 4 })))!;
    refusals = 1;
    expect(await deliverEffect(test.platform, effects, id)).toBe('dead');
    expect(await stateOf(id)).toMatchObject({ state: 'dead', attempts: 1, last_error: 'no such number' });
    expect(await deliverEffect(test.platform, effects, id)).toBe('skipped');
    expect(await transaction(db, (tx) => reviveEffect(tx, id))).toBe(true);
    expect(await deliverEffect(test.platform, effects, id)).toBe('done');
    delivered.pop();
  });

  it('delivers once, also when asked in parallel', async () => {
    delivered.length = 0;
    const id = (await addEffect(test.platform.database.db, 'test.send', { n: 4 }))!;
    const results = await Promise.all(
      Array.from({ length: 6 }, () => deliverEffect(test.platform, effects, id)),
    );
    expect(results.sort()).toEqual(['done', 'skipped', 'skipped', 'skipped', 'skipped', 'skipped']);
    expect(delivered).toEqual([{ payload: { n: 4 }, id }]);
    expect(await deliverEffect(test.platform, effects, id)).toBe('skipped');
  });

  it('waits longer after every failure and gives up after 20', async () => {
    expect([1, 2, 3, 4, 5, 6, 19].map(pauseSeconds)).toEqual([60, 120, 300, 600, 1800, 3600, 3600]);
    failures = EFFECT_TRIES;
    const { db } = test.platform.database;
    const id = (await addEffect(db, 'test.send', {}))!;
    expect(await deliverEffect(test.platform, effects, id)).toBe('retry');
    expect(await stateOf(id)).toMatchObject({
      state: 'pending',
      attempts: 1,
      last_error: 'the other side is down',
    });
    expect((await stateOf(id)).wait).toBeGreaterThan(55);
    expect(await deliverEffect(test.platform, effects, id)).toBe('skipped');
    for (let attempt = 2; attempt <= EFFECT_TRIES; attempt++) {
      await run(db, 'UPDATE outbox SET available_at = now() WHERE id = $1', [id]);
      expect(await deliverEffect(test.platform, effects, id)).toBe(attempt < EFFECT_TRIES ? 'retry' : 'dead');
    }
    expect((await stateOf(id)).state).toBe('dead');
    expect(await reviveEffect(db, id)).toBe(true);
    expect(await deliverEffect(test.platform, effects, id)).toBe('done');
    expect(await reviveEffect(db, id)).toBe(false);
  });

  it('waits for its time, refuses unknown kinds and sweeps what lost its job', async () => {
    const { db } = test.platform.database;
    const later = (await addEffect(db, 'test.send', {}, { delaySeconds: 60 }))!;
    expect(await deliverEffect(test.platform, effects, later)).toBe('skipped');
    const unknown = (await addEffect(db, 'test.unknown', {}))!;
    expect(await deliverEffect(test.platform, effects, unknown)).toBe('retry');
    expect((await stateOf(unknown)).last_error).toContain('test.unknown');

    const lost = (await addEffect(db, 'test.send', { lost: true }))!;
    await run(db, `UPDATE outbox SET available_at = now() - interval '1 minute' WHERE id = $1`, [lost]);
    const before = await sweepOutbox(test.platform);
    expect(await jobsOf(lost)).toHaveLength(1);
    await run(db, `DELETE FROM graphile_worker._private_jobs WHERE key = $1`, [`outbox:${lost}`]);
    expect(await sweepOutbox(test.platform)).toBe(before + 1);
    expect(await jobsOf(lost)).toHaveLength(1);
  });
});

describe('worker', () => {
  let worker: Worker;
  const runs: JobRun[] = [];

  beforeAll(async () => {
    worker = await startWorker(test.platform, [service], {
      connection: test.database.app,
      concurrency: 2,
      loadCaller: async () => undefined,
      onRun: (one) => runs.push(one),
    });
  });
  afterAll(() => worker.stop());

  it('runs as a role that cannot change the schema', async () => {
    await expect(run(test.platform.database.db, 'CREATE TABLE graphile_worker.x (id int)')).rejects.toThrow(
      'permission denied',
    );
  });

  it('runs jobs and effects in traces of their own', async () => {
    const { db } = test.platform.database;
    const { queueJob } = await import('./job-queue.ts');
    await queueJob(db, 'test.echo', { hello: 1 });
    const id = (await addEffect(db, 'test.send', { n: 9 }))!;
    await until(async () => echoed.length > 0);
    await until(async () => (await stateOf(id)).state === 'done');
    expect(echoed).toEqual([{ hello: 1 }]);
    const traces = runs.map((one) => one.traceId);
    expect(new Set(traces).size).toBe(traces.length);
    expect(traces.every((trace) => /^[0-9a-f]{32}$/.test(trace))).toBe(true);
  });

  it('retries a failed effect by itself', async () => {
    failures = 1;
    const { db } = test.platform.database;
    const id = (await addEffect(db, 'test.send', { again: true }))!;
    await until(async () => (await stateOf(id)).attempts === 1 && (await stateOf(id)).last_error !== null);
    await run(db, 'UPDATE outbox SET available_at = now() WHERE id = $1', [id]);
    await run(db, `UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key = $1`, [`outbox:${id}`]);
    await until(async () => (await stateOf(id)).state === 'done');
    expect(delivered.filter((one) => one.id === id)).toHaveLength(1);
  });

  it('frees jobs of dead workers and keeps those of living ones', async () => {
    const { db } = test.platform.database;
    const { queueJob } = await import('./job-queue.ts');
    await queueJob(db, 'test.dead', {}, { jobKey: 'dead' });
    await queueJob(db, 'test.alive', {}, { jobKey: 'alive' });
    await run(
      db,
      `UPDATE graphile_worker._private_jobs SET locked_by = 'gone', locked_at = now() - interval '61 seconds' WHERE key = 'dead'`,
    );
    await run(
      db,
      `UPDATE graphile_worker._private_jobs SET locked_by = 'busy', locked_at = now() - interval '20 seconds' WHERE key = 'alive'`,
    );
    // The worker's own timer may be first.
    await recoverJobs(test.platform);
    const locked = await rowsOf<{ key: string; locked_by: string | null }>(
      test.platform,
      `SELECT key, locked_by FROM graphile_worker._private_jobs WHERE key IN ('dead', 'alive') ORDER BY key`,
    );
    expect(locked).toEqual([
      { key: 'alive', locked_by: 'busy' },
      { key: 'dead', locked_by: null },
    ]);
    await run(db, `DELETE FROM graphile_worker._private_jobs WHERE key IN ('dead', 'alive')`);
  });

  it('waits for running jobs when stopped, and starts again', async () => {
    const { db } = test.platform.database;
    const { queueJob } = await import('./job-queue.ts');
    const before = runs.length;
    await queueJob(db, 'test.slow', {});
    await new Promise((resolve) => setTimeout(resolve, 200));
    await worker.stop();
    expect(runs.slice(before).some((one) => one.name === 'test.slow' && !one.error)).toBe(true);
    worker = await startWorker(test.platform, [service], {
      connection: test.database.app,
      loadCaller: async () => undefined,
    });
    echoed.length = 0;
    await queueJob(db, 'test.echo', 2);
    await until(async () => echoed.length > 0);
  });

  it('refuses two jobs of one name', async () => {
    await expect(
      startWorker(test.platform, [service, service], {
        connection: test.database.app,
        loadCaller: async () => undefined,
      }),
    ).rejects.toThrow('two');
  });
});
