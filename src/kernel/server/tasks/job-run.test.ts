import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPlatform, type OpenPlatform } from '../../../app/server/create-platform.ts';
import { openTestPlatform, rowsOf, until, type TestPlatform } from '../../../testing/kernel-fixtures.ts';
import { run, transaction } from '../database.ts';
import type { Job, JobContext } from '../registration.ts';
import { addManualRun, carryOutRun, JOB_RUNNING, recoverRuns, type JobRunner } from './job-run.ts';
import { scheduleDue, syncJobs, watchLate } from './job-schedule.ts';
import { planDue, ladderSeconds } from './job-plan.rules.ts';
import { parseCron } from '../../contract/cron.rules.ts';
import { startWorker } from './jobs.ts';

let test: TestPlatform;
let second: OpenPlatform;
let work: (context: JobContext) => Promise<void> = async () => {};
const job: Job = {
  name: 'test.minute',
  title: ['每分钟测试', 'Test of the minute'],
  cron: '* * * * *',
  run: (_payload, _platform, context) => work(context!),
};
const jobs = new Map([[job.name, job]]);
const first: JobRunner = { jobs, instance: 'one', beatMs: 20 };
const other: JobRunner = { jobs, instance: 'two', beatMs: 20 };

/** Minute `n` of a morning long ago, a second after its due time. */
const minute = (n: number, seconds = 0) =>
  new Date(Date.parse('2020-01-06T00:00:00Z') + n * 60_000 + seconds * 1_000);
const idOf = async () =>
  (await rowsOf<{ id: number }>(test.platform, `SELECT id FROM job WHERE code = 'test.minute'`))[0]!.id;
const both = (at: Date) => Promise.all([scheduleDue(test.platform, { at }), scheduleDue(second, { at })]);
interface RunRow {
  id: number;
  due_at: Date;
  trigger: string;
  state: string;
  attempt: number;
  instance: string;
  missed: number;
  error: string;
  output: string;
  tries: { attempt: number; state: string; instance: string }[];
  wait: number;
}
const runs = () =>
  rowsOf<RunRow>(
    test.platform,
    `SELECT *, round(extract(epoch FROM run_at - clock_timestamp()))::int AS wait FROM job_run ORDER BY due_at`,
  );
const events = () =>
  rowsOf<{ kind: string; level: string; text: string; alert: boolean }>(
    test.platform,
    `SELECT e.kind, e.level, e.text, EXISTS (SELECT FROM outbox o WHERE o.kind = 'systemEvent.tell' AND o.payload ->> 'eventId' = e.id::text) AS alert
       FROM system_event e WHERE e.kind = 'job_dead' ORDER BY e.id`,
  );
/** Both instances reach for everything that waits, at the same time. */
async function drain(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    const open = await rowsOf<{ id: number }>(
      test.platform,
      `SELECT id FROM job_run WHERE state = 'queued' AND run_at <= clock_timestamp() ORDER BY due_at`,
    );
    if (open.length === 0) return;
    await Promise.all(
      open.flatMap(({ id }) => [carryOutRun(test.platform, first, id), carryOutRun(second, other, id)]),
    );
  }
}

beforeAll(async () => {
  test = await openTestPlatform([]);
  second = createPlatform({
    database: test.database.app,
    registrations: [],
    config: test.platform.config,
    log: test.platform.log,
  });
  await syncJobs(test.platform.database.db, [job]);
});
afterAll(async () => {
  await second.close();
  await test.close();
});
beforeEach(async () => {
  work = async () => {};
  const { db } = test.platform.database;
  await run(db, 'DELETE FROM job_run');
  await run(db, `DELETE FROM outbox WHERE kind IN ('systemEvent.tell', 'job.autoPause')`);
  await run(
    db,
    `UPDATE job SET state = 'running', next_due_at = $1, misfire = 'run_once', retries = 0, failures = 0, alert_after = 3, pause_after = 0,
       allow_concurrent = false, timeout_seconds = 300, late_told_for = NULL WHERE code = 'test.minute'`,
    [minute(1)],
  );
});

describe('group 09 Must show 7', () => {
  it('group 09 Must show 7: every minute, two instances, 10 minutes: 10 runs, each once', async () => {
    let done = 0;
    work = async () => {
      done += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
    };
    for (let n = 1; n <= 10; n++) {
      await both(minute(n, 1));
      await drain();
    }
    const rows = await runs();
    expect(rows.map((row) => row.due_at.toISOString())).toEqual(
      Array.from({ length: 10 }, (_unused, n) => minute(n + 1).toISOString()),
    );
    expect(
      rows.every((row) => row.state === 'success' && row.attempt === 1 && row.trigger === 'schedule'),
    ).toBe(true);
    expect(done).toBe(10);
  });

  it('group 09 Must show 7: a server killed during a run: retried after the lease, one success per due time', async () => {
    let wakeDead = () => {};
    work = () => new Promise((resolve) => (wakeDead = resolve));
    await both(minute(1, 1));
    const [before] = await runs();
    const dead = carryOutRun(test.platform, first, before!.id);
    await until(async () => (await runs())[0]!.state === 'running');
    work = async () => {};
    // Nobody takes it before the lease ends: time-out and 30 seconds.
    expect(await recoverRuns(second)).toBe(0);
    expect(await carryOutRun(second, other, before!.id)).toBeUndefined();
    const [lease] = await rowsOf<{ seconds: number }>(
      test.platform,
      'SELECT round(extract(epoch FROM lease_until - started_at))::int AS seconds FROM job_run',
    );
    expect(lease!.seconds).toBe(330);
    await run(second.database.db, `UPDATE job_run SET lease_until = clock_timestamp() - interval '1 second'`);
    expect(
      (await Promise.all([recoverRuns(second), recoverRuns(test.platform)])).reduce((a, b) => a + b),
    ).toBe(1);
    await drain();
    wakeDead();
    // The dead one comes back and finds that it lost the run.
    expect(await dead).toBeUndefined();
    const [after, ...more] = await runs();
    expect(more).toEqual([]);
    expect(after).toMatchObject({ state: 'success', attempt: 2, trigger: 'retry' });
    expect(after!.tries).toMatchObject([{ attempt: 1, state: 'failed', instance: 'one' }]);
  });

  it('group 09 Must show 7: 5 minutes down with run_once: one 补跑, told once', async () => {
    await both(minute(5, 30));
    await drain();
    expect(await runs()).toMatchObject([
      { trigger: 'makeup', state: 'success', missed: 4, due_at: minute(5) },
    ]);
    const told = (await events()).at(-1)!;
    expect(told).toMatchObject({ level: 'warning', alert: true });
    expect(told.text).toContain('每分钟测试');
    // The next minute is an ordinary one again.
    await both(minute(6, 1));
    expect((await runs()).at(-1)).toMatchObject({ trigger: 'schedule', due_at: minute(6) });
  });
});

it('leaves out what was missed where the job says skip, and tells it', async () => {
  await run(test.platform.database.db, `UPDATE job SET misfire = 'skip'`);
  const before = (await events()).length;
  await both(minute(5, 30));
  const rows = await runs();
  // 00:01 to 00:03 are over two minutes old; 00:04 and 00:05 are on time.
  expect(rows.map((row) => [row.state, row.trigger, row.missed, row.due_at])).toEqual([
    ['missed', 'schedule', 2, minute(3)],
    ['queued', 'schedule', 0, minute(4)],
    ['queued', 'schedule', 0, minute(5)],
  ]);
  expect(await events()).toHaveLength(before + 1);
});

it('alerts of a due time nobody took up in 2 minutes, once', async () => {
  expect(await watchLate(test.platform, { at: minute(2, 59) })).toEqual([]);
  expect(
    await Promise.all([
      watchLate(test.platform, { at: minute(3, 1) }),
      watchLate(second, { at: minute(3, 1) }),
    ]),
  ).toEqual(expect.arrayContaining([['test.minute'], []]));
  expect(await watchLate(test.platform, { at: minute(30) })).toEqual([]);
  expect((await events()).at(-1)).toMatchObject({ level: 'error', alert: true });
  // Scheduled, but no instance has a free place.
  await run(test.platform.database.db, `UPDATE job SET late_told_for = NULL, next_due_at = $1`, [minute(1)]);
  await scheduleDue(test.platform, { at: minute(1, 1) });
  await run(test.platform.database.db, `UPDATE job SET next_due_at = $1`, [minute(50)]);
  expect(await watchLate(test.platform, { at: minute(3, 2) })).toEqual(['test.minute']);
});

it('never runs two at a time unless it may, and lets one wait', async () => {
  let running = 0;
  let most = 0;
  work = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 30));
    running -= 1;
  };
  for (let n = 1; n <= 3; n++) await scheduleDue(test.platform, { at: minute(n, 1) });
  await drain();
  expect(most).toBe(1);
  expect((await runs()).map((row) => row.state)).toEqual(['success', 'success', 'success']);

  // One runs and one waits: the next due time is left out.
  let end = () => {};
  work = () => new Promise((resolve) => (end = resolve));
  await both(minute(4, 1));
  const run4 = carryOutRun(test.platform, first, (await runs()).at(-1)!.id);
  await until(async () => (await runs()).at(-1)!.state === 'running');
  await both(minute(5, 1));
  await both(minute(6, 1));
  expect((await runs()).slice(-3).map((row) => row.state)).toEqual(['running', 'queued', 'skipped']);
  const id = await idOf();
  await expect(
    transaction(test.platform.database.db, (tx) =>
      addManualRun(tx, { id, allowConcurrent: false }, { reason: 'x', staffId: null }),
    ),
  ).rejects.toMatchObject({ status: 30101, message: JOB_RUNNING[1] });
  end();
  expect(await run4).toBe('success');

  // With leave to, they run beside each other.
  await run(test.platform.database.db, 'DELETE FROM job_run');
  await run(test.platform.database.db, 'UPDATE job SET allow_concurrent = true');
  running = most = 0;
  work = async () => {
    most = Math.max(most, ++running);
    await until(async () => most === 2);
  };
  for (let n = 7; n <= 8; n++) await scheduleDue(test.platform, { at: minute(n, 1) });
  await drain();
  expect(most).toBe(2);
});

it('waits by the ladder, gives up, tells after n failures and asks for a pause', async () => {
  await run(
    test.platform.database.db,
    `UPDATE job SET retries = 2, ladder = '{15,40}', alert_after = 2, pause_after = 3`,
  );
  work = async () => {
    throw new Error('手机 13812345678 没有回应');
  };
  await scheduleDue(test.platform, { at: minute(1, 1) });
  const now = () => run(test.platform.database.db, 'UPDATE job_run SET run_at = clock_timestamp()');
  const told = (await events()).length;
  for (const [wait, failures] of [
    [15, 1],
    [40, 2],
  ] as const) {
    await drain();
    const [row] = await runs();
    expect(row).toMatchObject({ state: 'queued', trigger: 'retry', wait });
    expect(await rowsOf(test.platform, 'SELECT failures FROM job')).toMatchObject([{ failures }]);
    await now();
  }
  await drain();
  const [row] = await runs();
  expect(row).toMatchObject({ state: 'failed', attempt: 3 });
  expect(row!.error).not.toContain('13812345678');
  expect(row!.tries.map((one) => one.attempt)).toEqual([1, 2]);
  const after = (await events()).slice(told);
  expect(after.map((one) => one.alert)).toEqual([true, false]);
  expect(
    await rowsOf(
      test.platform,
      `SELECT payload ->> 'failures' AS n FROM outbox WHERE kind = 'job.autoPause'`,
    ),
  ).toEqual([{ n: '3' }]);
  // A success ends the count.
  work = async () => {};
  await scheduleDue(test.platform, { at: minute(2, 1) });
  await drain();
  expect(await rowsOf(test.platform, 'SELECT failures, last_state FROM job')).toEqual([
    { failures: 0, last_state: 'success' },
  ]);
});

it('ends a run over its time, one that is stopped and one whose process ends, and keeps its output', async () => {
  const heeds = (context: JobContext) =>
    new Promise<void>((_resolve, reject) => {
      context.print('第一行');
      context.signal.addEventListener('abort', () => reject(context.signal.reason as Error));
    });
  work = heeds;
  await run(test.platform.database.db, 'UPDATE job SET timeout_seconds = 1');
  await scheduleDue(test.platform, { at: minute(1, 1) });
  await drain();
  expect(await runs()).toMatchObject([{ state: 'timeout', output: '第一行\n' }]);

  await run(test.platform.database.db, 'UPDATE job SET timeout_seconds = 300');
  await scheduleDue(test.platform, { at: minute(2, 1) });
  const id = (await runs()).at(-1)!.id;
  const stopped = carryOutRun(test.platform, first, id);
  // What it printed is there while it runs.
  await until(async () => (await runs()).at(-1)!.output === '第一行\n');
  await run(test.platform.database.db, 'UPDATE job_run SET stop_asked_at = clock_timestamp() WHERE id = $1', [
    id,
  ]);
  expect(await stopped).toBe('cancelled');
  expect((await runs()).at(-1)).toMatchObject({ state: 'cancelled' });

  await scheduleDue(test.platform, { at: minute(3, 1) });
  const stopping = new AbortController();
  const last = (await runs()).at(-1)!.id;
  const given = carryOutRun(test.platform, { ...first, stopping: stopping.signal }, last);
  await until(async () => (await runs()).at(-1)!.state === 'running');
  stopping.abort();
  await given;
  expect((await runs()).at(-1)).toMatchObject({ state: 'queued', trigger: 'schedule' });
  work = async (context) => {
    for (let line = 0; line < 3_000; line++) context.print('很长的一行输出'.repeat(5));
  };
  await drain();
  const row = (await runs()).at(-1)!;
  expect(row.state).toBe('success');
  expect(Buffer.byteLength(row.output)).toBeGreaterThan(60_000);
  expect(Buffer.byteLength(row.output)).toBeLessThanOrEqual(65_536);
});

it('runs in a worker, by hand and in the language of the queue', async () => {
  await run(test.platform.database.db, `UPDATE job SET state = 'paused', next_due_at = NULL`);
  let seen = 0;
  work = async () => void (seen += 1);
  const workers = await Promise.all(
    ['eins', 'zwei'].map((instance, index) =>
      startWorker(
        index === 0 ? test.platform : second,
        [{ menus: [], elements: {}, endpoints: [], jobs: [job] }],
        {
          connection: test.database.app,
          concurrency: 2,
          instance,
          loadCaller: async () => undefined,
        },
      ),
    ),
  );
  try {
    const id = await idOf();
    await transaction(test.platform.database.db, (tx) =>
      addManualRun(tx, { id, allowConcurrent: false }, { reason: '试一次', staffId: null }),
    );
    const of = async () =>
      (await rowsOf<RunRow>(test.platform, 'SELECT * FROM job_run WHERE job_id = $1', [id]))[0]!;
    await until(async () => (await of()).state === 'success');
    expect(seen).toBe(1);
    expect(['eins', 'zwei']).toContain((await of()).instance);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
});

describe('declared jobs', () => {
  it('start with the declared pattern, follow it, and keep what somebody edited', async () => {
    const { db } = test.platform.database;
    const daily = (cron: string): Job => ({ ...job, name: 'test.daily', cron });
    const [row] = await (async () => {
      await syncJobs(db, [daily('30 19 * * *')]);
      return rowsOf<{ cron: string; retries: number }>(
        test.platform,
        `SELECT cron, retries FROM job WHERE code = 'test.daily'`,
      );
    })();
    expect(row).toEqual({ cron: '30 3 * * *', retries: 5 });
    await syncJobs(db, [daily('0 20 * * *')]);
    const cronNow = async () =>
      (
        await rowsOf<{ cron: string; state: string }>(
          test.platform,
          `SELECT cron, state FROM job WHERE code = 'test.daily'`,
        )
      )[0];
    expect(await cronNow()).toEqual({ cron: '0 4 * * *', state: 'running' });
    await run(db, `UPDATE job SET cron = '5 5 * * *' WHERE code = 'test.daily'`);
    await syncJobs(db, [daily('0 21 * * *')]);
    expect(await cronNow()).toEqual({ cron: '5 5 * * *', state: 'running' });
    await syncJobs(db, [job], { retire: true });
    expect(await cronNow()).toMatchObject({ state: 'retired' });
    await syncJobs(db, [daily('0 21 * * *')]);
    expect(await cronNow()).toMatchObject({ state: 'running' });
  });
});

it('plans due times and waits as the rules say', () => {
  const cron = parseCron('*/10 * * * *')!;
  const at = (text: string) => new Date(`2020-01-06T${text}Z`);
  expect(planDue(cron, at('00:10:00'), at('00:10:01'), 'run_once')).toMatchObject({
    late: 0,
    next: at('00:20:00'),
  });
  expect(planDue(cron, at('00:10:00'), at('00:12:00'), 'run_once').late).toBe(0);
  expect(planDue(cron, at('00:10:00'), at('00:12:01'), 'run_once')).toMatchObject({
    late: 1,
    runs: [{ due: at('00:10:00'), trigger: 'makeup', missed: 0 }],
  });
  expect(planDue(cron, at('00:10:00'), at('00:12:01'), 'skip')).toMatchObject({
    runs: [],
    left: { due: at('00:10:00'), missed: 0 },
  });
  expect([1, 2, 3, 9].map((failed) => ladderSeconds([15, 30], failed))).toEqual([15, 30, 30, 30]);
});
