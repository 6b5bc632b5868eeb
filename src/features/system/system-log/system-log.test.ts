import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { JobContext } from '../../../kernel/server/registration.ts';
import { effectsOf } from '../../../kernel/server/tasks/kernel-jobs.ts';
import { addEffect, deliverEffect } from '../../../kernel/server/tasks/outbox.ts';
import { writeSystemEvent } from '../../../kernel/server/tasks/system-event.ts';
import { startTestProduct, type TestAnswer, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
let adminId: number;

beforeAll(async () => {
  product = await startTestProduct({ demo: false });
  admin = await product.signIn('admin');
  adminId = (await runOne<{ id: number }>(db(), `SELECT id FROM staff WHERE account = 'admin'`))!.id;
});
afterAll(() => product.close());

const db = () => product.platform.database.db;
const get = (path: string): Promise<TestAnswer> => product.call(admin, 'GET', path);
const post = (path: string, body: object = {}): Promise<TestAnswer> =>
  product.call(admin, 'POST', path, body);
const jobRun = async (name: string, payload: unknown = {}, context?: JobContext) => {
  const job = product.platform.registrations
    .flatMap((one) => one.jobs ?? [])
    .find((one) => one.name === name)!;
  await job.run(payload, product.platform, context);
};
const deliver = (id: number) =>
  deliverEffect(product.platform, effectsOf(product.platform.registrations), id);

describe('errors', () => {
  const report = (more: object = {}) =>
    post('/admin/errorReport', {
      message: 'x of row 17 is undefined',
      where: 'render index-AbCd12_4.js:10',
      route: '/mall/mm_commodityMana',
      release: 'r1',
      stack: 'at a (17)',
      ...more,
    });
  const issues = async () => (await get('/admin/errorReport/page?limit=50')).data.rows;

  it('groups equal faults whatever numbers stand in them, counts them and who is hit', async () => {
    await report();
    await report();
    await report({ message: 'x of row 98 is undefined', where: 'render index-ZZcd12_9.js:77' });
    await report({ message: 'another' });
    const rows = await issues();
    expect(rows).toHaveLength(2);
    const one = rows.find((row: { times: number }) => row.times === 3);
    expect(one).toMatchObject({
      origin: 'browser',
      state: 'open',
      affected: 1,
      release: 'r1',
      path: '/mall/mm_commodityMana',
    });
    const detail = await get(`/admin/errorReport/${one.id}/occurrences`);
    expect(detail.data.reports.map((row: { times: number }) => row.times).sort()).toEqual([1, 2]);
    expect(Array.isArray(detail.data.calls)).toBe(true);
    expect((await get(`/admin/errorReport/${one.id}`)).data.stack).toContain('at a');
  });

  it('counts reports that come at once without losing one', async () => {
    await Promise.all(
      Array.from({ length: 12 }, (_unused, n) =>
        run(
          db(),
          `INSERT INTO error_report (origin, message, place, release) VALUES ('server', $1, 'GET /p', 'r1')`,
          [`timeout after ${n} ms`],
        ),
      ),
    );
    const row = await runOne<{ times: number }>(
      db(),
      `SELECT times FROM error_issue WHERE origin = 'server' AND place = 'GET /p'`,
    );
    expect(row!.times).toBe(12);
  });

  it('is assigned to people of the platform only, resolved, and opens again in a newer release', async () => {
    const { id } = (await issues()).find((row: { message: string }) => row.message === 'another');
    const tenant = await runOne<{ id: number }>(
      db(),
      `INSERT INTO tenant (kind, account, name) VALUES (1, 'C78', '公司') RETURNING id`,
    );
    const outsider = await runOne<{ id: number }>(
      db(),
      `INSERT INTO staff (tenant_id, account, name, staff_no) VALUES ($1, 'c78', '李雷', 'E7800001') RETURNING id`,
      [tenant!.id],
    );
    const foreign = await post(`/admin/errorReport/${id}/assign`, { handler: String(outsider!.id) });
    expect(foreign).toMatchObject({ http: 422, data: { fields: { handler: '请选择在职的平台员工' } } });
    expect((await post(`/admin/errorReport/${id}/assign`, { handler: String(adminId) })).http).toBe(200);
    const state = async () => (await get(`/admin/errorReport/${id}`)).data;
    expect(await state()).toMatchObject({ state: 'handling', handler: { id: String(adminId) } });
    expect((await post(`/admin/errorReport/${id}/resolve`, { note: '已修复' })).http).toBe(200);
    expect(await post(`/admin/errorReport/${id}/resolve`)).toMatchObject({ status: 30101 });
    // An open page of the old release, and the release it was resolved in, tell nothing new.
    for (const release of ['r1', product.platform.config.build]) {
      await report({ message: 'another', release });
      await jobRun('errorReport.reopen');
      expect((await state()).state).toBe('resolved');
    }
    await report({ message: 'another', release: 'r2' });
    await jobRun('errorReport.reopen');
    expect(await state()).toMatchObject({ state: 'open', resolvedAt: null, release: 'r2' });
    expect((await get(`/admin/errorReport/${id}/timeline`)).text).toContain('在新版本中再次出现');
    expect((await post(`/admin/errorReport/${id}/ignore`, {})).http).toBe(422);
    expect((await post(`/admin/errorReport/${id}/ignore`, { note: '第三方脚本' })).http).toBe(200);
    await report({ message: 'another', release: 'r3' });
    await jobRun('errorReport.reopen');
    expect((await state()).state).toBe('ignored');
  });

  it('keeps no personal data and no secret', async () => {
    await report({ message: 'bad phone 13812345678 token=abc?access_token=s3cr3t' });
    const list = await get('/admin/errorReport/page?limit=50');
    expect(list.text).not.toContain('13812345678');
    expect(list.text).not.toContain('s3cr3t');
  });
});

describe('events', () => {
  it('are written where a setting changes, never changed, and alerts reach the platform administrators once', async () => {
    await run(
      db(),
      `INSERT INTO setting (key, value) VALUES ('log.slow_ms', '500') ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    );
    const list = await get('/admin/systemEvent/page?kind=setting');
    expect(list.data.rows[0]).toMatchObject({ text: '系统参数已修改：log.slow_ms', level: 'info' });
    await expect(run(db(), 'UPDATE system_event SET text = $1', ['x'])).rejects.toThrow('append-only');
    await expect(run(db(), 'DELETE FROM system_event')).rejects.toThrow('append-only');
    const id = await writeSystemEvent(db(), {
      kind: 'job_dead',
      level: 'error',
      text: ['任务「对账」连续失败 3 次', 'The job "reconcile" failed 3 times in a row'],
      alert: true,
    });
    const effect = (await runOne<{ id: number }>(db(), `SELECT id FROM outbox WHERE key = $1`, [
      `systemEvent.tell:${id}`,
    ]))!;
    expect(await deliver(effect.id)).toBe('done');
    // The mark was lost in a crash: the repeat tells nobody twice.
    await run(db(), `UPDATE outbox SET state = 'pending', available_at = now() WHERE id = $1`, [effect.id]);
    expect(await deliver(effect.id)).toBe('done');
    const told = await run<{ staff_id: number; title_en: string }>(
      db(),
      `SELECT staff_id, title_en FROM notification WHERE kind = 'alertSystem'`,
    );
    expect(told).toEqual([{ staff_id: adminId, title_en: 'The job "reconcile" failed 3 times in a row' }]);
  });
});

describe('outbox', () => {
  it('carries messages out and shows receiver and content without codes, passwords and numbers', async () => {
    await run(
      db(),
      `INSERT INTO sms_message (phone, purpose, body) VALUES ('13812345678', 'password', '验证码 482913，5 分钟内有效'),
         ('13812345678', 'initialPassword', '账号 zhang3 的初始密码 Xk7#mQ2vLp9!'), ('13812345678', 'notification', '请联系 13987654321')`,
    );
    await run(
      db(),
      `INSERT INTO email_message (address, purpose, subject, body) VALUES ('zhangsan@example.com', 'notification', 's', 'Hello')`,
    );
    await addEffect(db(), 'file.remove', { storageKey: 'x' });
    const list = await get('/admin/outbox/page?limit=50');
    expect(list.http).toBe(200);
    for (const secret of ['482913', 'Xk7#mQ2vLp9!', '13812345678', '13987654321', 'zhangsan@'])
      expect(list.text).not.toContain(secret);
    const rows = list.data.rows as {
      kind: string;
      receiver: string;
      content: string;
      template: string;
      id: string;
      state: string;
    }[];
    expect(rows.filter((row) => row.kind === 'file.remove')).toEqual([]);
    const code = rows.find((row) => row.template === 'password')!;
    expect(code).toMatchObject({
      receiver: '138****5678',
      content: '验证码 ******，5 分钟内有效',
      state: 'pending',
    });
    expect(rows.find((row) => row.kind === 'mail.send')!.receiver).toBe('z***@example.com');
    expect(await deliver(Number(code.id))).toBe('done');
    expect(await runOne(db(), `SELECT state FROM sms_message WHERE purpose = 'password'`)).toEqual({
      state: 'sandbox',
    });
    const failing = rows.find((row) => row.template === 'notification' && row.kind === 'sms.send')!;
    await run(
      db(),
      `UPDATE outbox SET last_error = '网关超时', attempts = 2, available_at = now() + interval '1 hour' WHERE id = $1`,
      [failing.id],
    );
    expect((await post(`/admin/outbox/${failing.id}/retry`)).http).toBe(200);
    expect((await post(`/admin/outbox/${failing.id}/drop`, { reason: '号码已停用' })).http).toBe(200);
    expect(await deliver(Number(failing.id))).toBe('skipped');
  });
});

it('log.retention removes what is past its time and never the audit log', async () => {
  const job = (await runOne<{ id: number }>(db(), `SELECT id FROM job WHERE code = 'log.retention'`))!;
  const audit = await runOne<{ n: number }>(db(), 'SELECT count(*) AS n FROM audit_record');
  for (const days of [89, 91]) {
    await run(
      db(),
      `INSERT INTO job_run (job_id, due_at, trigger, state, run_at) VALUES ($1, now() - make_interval(days => $2), 'schedule', 'success', now())`,
      [job.id, days],
    );
    for (const state of ['done', 'dropped', 'dead'])
      await run(
        db(),
        `INSERT INTO outbox (kind, payload, state, created_at, done_at) VALUES ('old.kind', '{}', $1, now() - make_interval(days => $2), CASE WHEN $1 = 'done' THEN now() - make_interval(days => $2) END)`,
        [state, days],
      );
  }
  for (const [days, state] of [
    [179, 'resolved'],
    [181, 'resolved'],
    [181, 'ignored'],
  ] as const)
    await run(
      db(),
      `INSERT INTO error_issue (fingerprint, origin, message, first_at, last_at, state, resolved_at) VALUES ($1, 'server', $1, now(), now(), $2, CASE WHEN $2 = 'resolved' THEN now() - make_interval(days => $3) END)`,
      [`old-${days}-${state}`, state, days],
    );
  const lines: string[] = [];
  await jobRun(
    'log.retention',
    {},
    { runId: 1, signal: new AbortController().signal, print: (line) => void lines.push(line) },
  );
  const left = async (sql: string) => (await run(db(), sql)).length;
  expect(await left(`SELECT FROM job_run WHERE job_id = ${job.id}`)).toBe(1);
  expect(await left(`SELECT FROM outbox WHERE kind = 'old.kind'`)).toBe(4);
  expect(
    (
      await run<{ message: string }>(
        db(),
        `SELECT message FROM error_issue WHERE message LIKE 'old-%' ORDER BY 1`,
      )
    ).map((row) => row.message),
  ).toEqual(['old-179-resolved', 'old-181-ignored']);
  expect(await runOne(db(), 'SELECT count(*) AS n FROM audit_record')).toEqual(audit);
  expect(lines).toHaveLength(4);
});
