import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOne } from '../../../kernel/server/database.ts';
import { declaredJobs } from '../../../kernel/server/tasks/kernel-jobs.ts';
import { addEffect, deliverEffect } from '../../../kernel/server/tasks/outbox.ts';
import { effectsOf } from '../../../kernel/server/tasks/kernel-jobs.ts';
import { carryOutRun, PAUSE_JOB } from '../../../kernel/server/tasks/job-run.ts';
import { run } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestAnswer, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
let company: string;

beforeAll(async () => {
  product = await startTestProduct({ demo: false });
  admin = await product.signIn('admin');
  const { db } = product.platform.database;
  const tenant = await runOne<{ id: number }>(
    db,
    `INSERT INTO tenant (kind, account, name) VALUES (1, 'C77', '测试公司') RETURNING id`,
  );
  await run(
    db,
    `INSERT INTO staff (tenant_id, account, name, staff_no) VALUES ($1, 'c77', '王小明', 'E7700001')`,
    [tenant!.id],
  );
  company = await product.signIn('c77');
});
afterAll(() => product.close());

const db = () => product.platform.database.db;
const idOf = async (code: string) =>
  (await runOne<{ id: number }>(db(), 'SELECT id FROM job WHERE code = $1', [code]))!.id;
const post = (path: string, body: object = {}): Promise<TestAnswer> =>
  product.call(admin, 'POST', path, body);
const detail = async (id: number) => (await product.call(admin, 'GET', `/admin/job/${id}`)).data;
const staffId = async () =>
  String((await runOne<{ id: number }>(db(), `SELECT id FROM staff WHERE account = 'admin'`))!.id);

describe('jobs', () => {
  it('lists every declared job of every feature from the first start, with next run and words', async () => {
    const declared = declaredJobs(product.platform.registrations).filter((job) => job.cron !== undefined);
    const rows: { code: string; state: string; nextDueAt: string; builtIn: boolean }[] = [];
    for (let page = 1; rows.length < declared.length; page++) {
      const { data } = await product.call(admin, 'GET', `/admin/job/page?limit=50&page=${page}`);
      if (data.rows.length === 0) break;
      rows.push(...data.rows);
    }
    expect(rows.map((row) => row.code).sort()).toEqual(declared.map((job) => job.name).sort());
    expect(rows.every((row) => row.state === 'running' && row.nextDueAt && row.builtIn)).toBe(true);
    const verify = rows.find((row) => row.code === 'audit.verify') as unknown as { cron: string };
    expect(verify.cron).toBe('0 4 * * 0');
  });

  it('is the platform’s alone', async () => {
    expect((await product.call(company, 'GET', '/admin/job/page')).http).toBe(403);
    expect((await product.call(company, 'GET', '/admin/jobRun/page')).http).toBe(403);
    expect((await product.call(company, 'GET', '/admin/job/handlers')).http).toBe(403);
  });

  it('edits schedule, waits and limits, and refuses what never comes due', async () => {
    const id = await idOf('audit.verify');
    const { version } = await detail(id);
    const edit = (body: object) => product.call(admin, 'PUT', `/admin/job/${id}`, { version, ...body });
    const owner = await staffId();
    for (const cron of ['0 0 30 2 *', '61 * * * *', 'x'])
      expect(await edit({ cron, owner })).toMatchObject({
        http: 422,
        data: { fields: { cron: expect.stringContaining('表达式无效') } },
      });
    expect(await edit({ handler: 'log.retention', owner })).toMatchObject({
      http: 422,
      data: { fields: { handler: '内置任务不能更换处理器' } },
    });
    expect(await edit({ params: { from: 0 }, owner })).toMatchObject({
      http: 422,
      data: { fields: { params: expect.stringContaining('起始序号') } },
    });
    expect(await edit({ params: { table: 'x' }, owner })).toMatchObject({ http: 422 });
    expect(await edit({ ladder: '15,99999', owner })).toMatchObject({
      http: 422,
      data: { fields: { ladder: '每个间隔最多 86400 秒' } },
    });
    expect(await edit({ ladder: '15;30', owner })).toMatchObject({ http: 422 });
    expect(await edit({ retries: 11, owner })).toMatchObject({ http: 422 });
    expect(
      (await edit({ cron: '30  0 * * *', ladder: '5, 10', params: { from: 1 }, owner, alertAfter: 1 })).http,
    ).toBe(200);
    const row = await detail(id);
    expect(row).toMatchObject({ cron: '30 0 * * *', ladder: '5,10', params: { from: 1 }, alertAfter: 1 });
    expect(row.nextDueAt).toContain('T00:30:00+08:00');
  });

  it('pauses and resumes from the next time on', async () => {
    const id = await idOf('span.purge');
    expect((await post(`/admin/job/${id}/pause`, {})).http).toBe(422);
    expect((await post(`/admin/job/${id}/pause`, { reason: '排查' })).http).toBe(200);
    expect(await detail(id)).toMatchObject({ state: 'paused', nextDueAt: null });
    expect(await post(`/admin/job/${id}/pause`, { reason: '排查' })).toMatchObject({
      http: 409,
      status: 30101,
    });
    expect((await post(`/admin/job/${id}/resume`)).http).toBe(200);
    expect((await detail(id)).nextDueAt).not.toBeNull();
  });

  it('runs once with a reason, and one at a time: of ten at once one is queued, the others hear 任务正在运行', async () => {
    const id = await idOf('callValue.purge');
    expect((await post(`/admin/job/${id}/runOnce`, {})).http).toBe(422);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post(`/admin/job/${id}/runOnce`, { reason: '手动清理' })),
    );
    expect(answers.map((one) => one.http).sort()).toEqual([200, ...Array<number>(9).fill(409)]);
    const refused = answers.find((one) => one.http === 409)!;
    expect([refused.status, refused.message]).toEqual([30101, '任务正在运行']);
    const runs = await run<{ id: number; trigger: string; reason: string; asked_by: number }>(
      db(),
      'SELECT id, trigger, reason, asked_by FROM job_run WHERE job_id = $1',
      [id],
    );
    expect(runs).toMatchObject([{ trigger: 'manual', reason: '手动清理' }]);
    const jobs = new Map(declaredJobs(product.platform.registrations).map((one) => [one.name, one]));
    expect(await carryOutRun(product.platform, { jobs, instance: 'test' }, runs[0]!.id)).toBe('success');
    const row = await detail(id);
    expect(row).toMatchObject({ lastState: 'success', successShare: '100.00', failures: 0 });
    expect(row.p95Ms).toBeGreaterThanOrEqual(0);
    expect((await post(`/admin/jobRun/${runs[0]!.id}/rerun`, { reason: 'x' })).status).toBe(30101);
  });

  it('stops what waits at once and what runs when it heeds it, and runs a failed one again with all its tries', async () => {
    const id = await idOf('menuVisit.purge');
    await post(`/admin/job/${id}/runOnce`, { reason: '一' });
    const runId = (await runOne<{ id: number }>(db(), 'SELECT id FROM job_run WHERE job_id = $1', [id]))!.id;
    const stopped = await post(`/admin/jobRun/${runId}/stop`);
    expect(stopped.http).toBe(200);
    const state = async () =>
      (await runOne<{ state: string; attempt: number; tries: { state: string }[] }>(
        db(),
        'SELECT state, attempt, tries FROM job_run WHERE id = $1',
        [runId],
      ))!;
    expect((await state()).state).toBe('cancelled');
    expect((await post(`/admin/jobRun/${runId}/rerun`, { reason: '再来' })).http).toBe(200);
    let end = () => {};
    const heeding = {
      name: 'menuVisit.purge',
      title: ['', ''] as const,
      run: (_payload: unknown, _platform: unknown, context?: { signal: AbortSignal }) =>
        new Promise<void>((_resolve, reject) => {
          end = () => reject(context!.signal.reason as Error);
          context!.signal.addEventListener('abort', end);
        }),
    };
    const going = carryOutRun(
      product.platform,
      { jobs: new Map([[heeding.name, heeding]]), beatMs: 20 },
      runId,
    );
    await expect.poll(async () => (await state()).state).toBe('running');
    expect(await post(`/admin/job/${id}/remove`)).toMatchObject({ status: 404 });
    expect((await post(`/admin/jobRun/${runId}/stop`)).http).toBe(200);
    expect(await going).toBe('cancelled');
    expect(await state()).toMatchObject({ state: 'cancelled', attempt: 1 });
    expect((await post(`/admin/jobRun/${runId}/rerun`, { reason: '再来' })).http).toBe(200);
    expect((await state()).tries).toMatchObject([{ state: 'cancelled' }]);
    const output = await product.call(admin, 'GET', `/admin/jobRun/${runId}/output`);
    expect(output.data).toMatchObject({ state: 'queued', stopAsked: false });
  });

  it('adds jobs of registered handlers and deletes these only', async () => {
    const owner = await staffId();
    const good = {
      name: '月末校验',
      handler: 'audit.verify',
      cron: '0 22 28-31 * *',
      params: { from: 1, to: 100 },
      owner,
      timeoutSeconds: 300,
      retries: 5,
      ladder: '15,15,30,180,1800',
      allowConcurrent: false,
      misfire: 'skip',
      alertAfter: 3,
      pauseAfter: 0,
    };
    expect(await post('/admin/job', { ...good, handler: 'os.exec' })).toMatchObject({
      http: 422,
      data: { fields: { handler: '请选择已注册的处理器' } },
    });
    const made = await post('/admin/job', good);
    expect(made.http).toBe(200);
    const id = Number(made.data.id);
    expect(await detail(id)).toMatchObject({
      state: 'running',
      builtIn: false,
      misfire: 'skip',
      params: { from: 1, to: 100 },
    });
    const builtIn = await product.call(admin, 'DELETE', `/admin/job/${await idOf('audit.verify')}`);
    expect(builtIn).toMatchObject({ http: 409, status: 30101, message: '内置任务不能删除，可暂停' });
    expect((await product.call(admin, 'DELETE', `/admin/job/${id}`)).http).toBe(200);
  });

  it('is paused by itself when the run log asks for it', async () => {
    const id = await idOf('file.purge');
    const outboxId = (await addEffect(db(), PAUSE_JOB, { jobId: id, failures: 4 }))!;
    const effects = effectsOf(product.platform.registrations);
    expect(await deliverEffect(product.platform, effects, outboxId)).toBe('done');
    expect((await detail(id)).state).toBe('paused');
    const told = await product.call(admin, 'GET', `/admin/job/${id}/timeline`);
    expect(told.text).toContain('连续失败 4 次');
    // A repeat finds it paused and is content.
    const again = (await addEffect(db(), PAUSE_JOB, { jobId: id, failures: 4 }))!;
    expect(await deliverEffect(product.platform, effects, again)).toBe('done');
  });
});

describe('outbox', () => {
  it('shows waiting, failing and dead effects with the reason, tries them again and drops them', async () => {
    const make = async (state: string, error: string | null) =>
      (await runOne<{ id: number }>(
        db(),
        `INSERT INTO outbox (kind, payload, state, attempts, last_error, available_at) VALUES ('payment.query', '{"secret":"4711"}', $1, 3, $2, now() + interval '1 hour') RETURNING id`,
        [state, error],
      ))!.id;
    const waiting = await make('pending', null);
    const failing = await make('pending', '渠道没有应答');
    const dead = await make('dead', '渠道没有应答');
    const tab = async (name: string) =>
      (await product.call(admin, 'GET', `/admin/effect/page?tab=${name}&kind=payment.query`)).data.rows.map(
        (row: { id: string }) => Number(row.id),
      );
    expect([await tab('waiting'), await tab('failing'), await tab('dead')]).toEqual([
      [waiting],
      [failing],
      [dead],
    ]);
    const list = await product.call(admin, 'GET', '/admin/effect/page?kind=payment.query');
    expect(list.text).toContain('渠道没有应答');
    expect(list.text).not.toContain('4711');
    expect(list.data.rows[0].channel).toBe('payment');
    expect(await post(`/admin/effect/${waiting}/retry`)).toMatchObject({ status: 30101 });
    for (const id of [failing, dead]) expect((await post(`/admin/effect/${id}/retry`)).http).toBe(200);
    const rows = await run<{ state: string; attempts: number; due: boolean; queued: boolean }>(
      db(),
      `SELECT state, attempts, available_at <= clock_timestamp() AS due,
              EXISTS (SELECT FROM graphile_worker._private_jobs j WHERE j.key = 'outbox:' || o.id) AS queued
         FROM outbox o WHERE id = ANY($1) ORDER BY id`,
      [[failing, dead]],
    );
    expect(rows).toEqual([
      { state: 'pending', attempts: 3, due: true, queued: true },
      { state: 'pending', attempts: 0, due: true, queued: true },
    ]);
    expect((await post(`/admin/effect/${dead}/drop`, {})).http).toBe(422);
    expect((await post(`/admin/effect/${dead}/drop`, { reason: '对方已入账' })).http).toBe(200);
    expect(await deliverEffect(product.platform, new Map(), dead)).toBe('skipped');
  });
});
