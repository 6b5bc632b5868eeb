import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { buildApp } from '../../../app/server/app.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { recordSpans } from '../../../domain/monitoring/span-recorder.server.ts';
import { defineRegistration, endpoint } from '../../../kernel/server/registration.ts';
import { inputLogger } from '../../../kernel/server/http/logged-input.ts';
import { dropOldDays } from './gate-log.server.ts';

let product: TestProduct;
let app: FastifyInstance;
let admin: string;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  app = await buildApp({ platform: product.platform, authenticator: product.sessions, logCalls: true });
  await app.ready();
});
afterAll(async () => {
  await app?.close();
  await product?.close();
});

const db = () => product.platform.database.db;
const ask = (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object, authorization = admin) =>
  app.inject({ method, url: `/api${url}`, headers: { authorization }, ...(payload ? { payload } : {}) });

interface Logged {
  readonly id: number;
  readonly query: string;
  readonly body: string;
  readonly menu: string;
  readonly element: string;
  readonly http: number;
  readonly status: number;
  readonly path: string;
  readonly staff_name: string;
  readonly duration_ms: number;
}

async function lineOf(trace: unknown): Promise<Logged> {
  await expect
    .poll(() => runOne(db(), 'SELECT 1 FROM gate_log WHERE trace_id = $1', [trace]), { timeout: 10_000 })
    .toBeDefined();
  return (await runOne<Logged>(db(), 'SELECT * FROM gate_log WHERE trace_id = $1', [trace]))!;
}

test('group 09 Must show 10: a failing call has its row, the same trace shows error and business changes, and no password, token or code', async () => {
  const token = await app.inject({
    method: 'POST',
    url: '/api/auth/oauth/token?ticket=tick-1234',
    headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Basic d2ViOndlYg==' },
    payload: 'grant_type=password&username=admin&password=Secret%23Pass1&verificationCode=8341&code=8341',
  });
  const failed = await lineOf(token.headers['x-trace-id']);
  expect([failed.http, failed.path]).toEqual([token.statusCode, '/api/auth/oauth/token']);
  expect(failed.http).toBeGreaterThanOrEqual(400);
  for (const secret of ['Secret', '8341', 'tick-1234', 'd2ViOndlYg'])
    expect(JSON.stringify(failed)).not.toContain(secret);
  expect(JSON.parse(failed.body).password).toBe('******');

  // A change, and an error the page reports under its trace.
  const link = (await runOne<{ id: number }>(db(), `SELECT id FROM jump_link WHERE code = 'mall_home'`))!;
  const changed = await ask('POST', `/jinmao/web/jumpLink/${link.id}/disable`, {});
  const trace = changed.headers['x-trace-id'];
  await ask('POST', '/admin/errorReport', { message: 'boom of 13812345678', traceId: trace });
  const line = await lineOf(trace);
  expect([line.menu, line.element, line.http, line.status, line.staff_name !== '']).toEqual([
    'jumpUrlManager',
    'jumpUrlManager:btn_edit',
    200,
    200,
    true,
  ]);
  const related = (await ask('GET', `/admin/gateLog/${line.id}/trace`)).json().data;
  expect(related.changes).toEqual([expect.objectContaining({ action: '停用', entity: '跳转链接' })]);
  expect(related.errors).toEqual([
    expect.objectContaining({ message: 'boom of 138****5678', origin: 'browser' }),
  ]);
  const bearer = await run(db(), `SELECT FROM gate_log WHERE position($1 IN gate_log::text) > 0`, [
    admin.slice(7),
  ]);
  expect(bearer).toEqual([]);
});

test('group 09 Must show 10: the trace of a failing call shows its spans with the fault, the error and the business changes, and no secret', async () => {
  const spans = recordSpans(product.platform, { service: 'backoffice-web' });
  const broken = defineRegistration({
    endpoints: [
      endpoint({
        method: 'POST',
        path: '/jinmao/web/brokenTest',
        title: ['测试', 'Test'],
        access: 'staff',
        body: z.strictObject({ password: z.string() }),
        handle: () => Promise.reject(new Error('the printer is on fire')),
      }),
    ],
  });
  const platform = {
    ...product.platform,
    registrations: [...product.platform.registrations, broken],
    log: { ...product.platform.log, error: () => {} },
  };
  const server = await buildApp({ platform, authenticator: product.sessions, logCalls: true, spans });
  await server.ready();
  try {
    // One step of a page: what it changed, and the call behind it that failed, under one trace.
    const trace = '5af92f3577b34da6a3ce929d0e0e4710';
    const send = (url: string, payload: object) =>
      server.inject({
        method: 'POST',
        url: `/api${url}`,
        headers: { authorization: admin, traceparent: `00-${trace}-00f067aa0ba902b7-01` },
        payload,
      });
    const link = (await runOne<{ id: number }>(
      db(),
      `INSERT INTO jump_link (code, name, ios, android, h5, mini_program) VALUES ('trace_0910', '测试链接', 'a', 'a', 'a', 'a') RETURNING id`,
    ))!;
    expect((await send(`/jinmao/web/jumpLink/${link.id}/disable`, {})).statusCode).toBe(200);
    const failed = await send('/jinmao/web/brokenTest', { password: 'Hidden#Pass0910' });
    expect([failed.statusCode, failed.headers['x-trace-id']]).toEqual([500, trace]);
    expect(failed.body).not.toContain('printer');

    const rows = async () =>
      (await product.call(admin, 'GET', `/admin/gateLog/page?traceId=${trace}&failed=true`)).data
        .rows as Record<string, any>[];
    await expect.poll(async () => (await rows()).length, { timeout: 10_000 }).toBe(1);
    const [row] = await rows();
    expect([row!.path, row!.http, row!.traceId]).toEqual(['/api/jinmao/web/brokenTest', 500, trace]);
    await expect
      .poll(async () => (await product.call(admin, 'GET', `/admin/gateLog/${row!.id}/trace`)).data, {
        timeout: 10_000,
      })
      .toMatchObject({
        changes: [{ action: '停用', entity: '跳转链接' }],
        errors: [{ message: 'the printer is on fire', origin: 'server' }],
      });

    // The link of the row leads to the spans of the same trace.
    await spans.stop();
    const shown = await product.call(admin, 'GET', `/admin/trace/one/${row!.traceId}`);
    const request = (shown.data.spans as Record<string, any>[]).find(
      (span) => span.name === 'POST /api/jinmao/web/brokenTest',
    )!;
    expect([request.service, request.failed, request.status]).toEqual(['backoffice-web', true, 500]);
    expect(shown.data.links).toEqual({ gateLog: 2, changes: 1, errors: 1 });
    const logged = JSON.stringify(await run(db(), 'SELECT * FROM gate_log WHERE trace_id = $1', [trace]));
    for (const secret of ['Hidden#Pass0910', admin.slice(7)])
      expect([shown.text.includes(secret), logged.includes(secret)]).toEqual([false, false]);
  } finally {
    await server.close();
  }
});

test('a refusal keeps its body status; personal values of query and body are masked; at most 4 KB', async () => {
  const refused = await ask('PUT', '/admin/staff/999999', {
    version: 1,
    mobilePhone: '13812345678',
    email: 'zhang@example.com',
  });
  const line = await lineOf(refused.headers['x-trace-id']);
  expect([line.http, line.status]).toEqual([refused.statusCode, refused.json().status]);
  expect(JSON.parse(line.body)).toEqual({
    version: 1,
    mobilePhone: '138****5678',
    email: 'z***@example.com',
  });
  const asked = await ask('GET', '/admin/staff/page?searchVal=13812345678&limit=20');
  expect((await lineOf(asked.headers['x-trace-id'])).query).toBe('{"searchVal":"138****5678","limit":"20"}');
  const long = await ask('POST', '/admin/errorReport', {
    message: '长'.repeat(900),
    stack: '栈'.repeat(1_900),
  });
  expect(Buffer.byteLength((await lineOf(long.headers['x-trace-id'])).body)).toBeLessThanOrEqual(4_096);
});

test('secrets are known by name, codes by name and form, people by the contract', () => {
  const logged = inputLogger(product.platform.registrations);
  const told = (value: object, path = '/api/x') => JSON.parse(logged(undefined, path, value));
  expect(
    told({
      newPassword: 'a',
      access_token: 'b',
      smsCode: '123456',
      code: 'ST001',
      receiverName: '王小明',
      nested: [{ idCard: '110101199003071234', apiKey: 'k' }],
    }),
  ).toEqual({
    newPassword: '******',
    access_token: '******',
    smsCode: '******',
    code: 'ST001',
    receiverName: '王*明',
    nested: [{ idCard: '110101********1234', apiKey: '******' }],
  });
  expect(told({ code: 'abcd' }, '/api/auth/x')).toEqual({ code: '******' });
});

test('a call is answered while the log cannot be written, and the log comes back', async () => {
  const owner = new (await import('pg')).default.Client(product.database.owner);
  await owner.connect();
  await owner.query('ALTER TABLE gate_log RENAME TO gate_log_gone');
  const answered = await ask('GET', '/jinmao/web/jumpLink/page');
  expect(answered.statusCode).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  await owner.query('ALTER TABLE gate_log_gone RENAME TO gate_log');
  await owner.end();
  const next = await ask('GET', '/jinmao/web/jumpLink/page');
  expect((await lineOf(next.headers['x-trace-id'])).http).toBe(200);
});

test('filters: range of at most 31 days, beginning of the path, only failed, only slow, menu by its title', async () => {
  const of = async (query: string) =>
    (await product.call(admin, 'GET', `/admin/gateLog/page?limit=200&${query}`)) as any;
  const wide = await of('at=2026-01-01~2026-03-01');
  expect([wide.http, wide.data.fields.at]).toEqual([422, '时间范围最多 31 天']);
  // Open ends are ranges too, wherever they are asked for.
  const today = businessDayOf(new Date());
  for (const at of [
    '~2026-03-01',
    `~${today}`,
    `${addDays(today, -31)}~`,
    `${addDays(today, -31)}~${today}`,
  ]) {
    expect([at, (await of(`at=${at}`)).http]).toEqual([at, 422]);
    expect((await product.call(admin, 'GET', `/admin/gateLog/counts?at=${at}`)).http).toBe(422);
    expect((await product.call(admin, 'POST', '/admin/gateLog/export', { query: { at } })).http).toBe(422);
  }
  for (const at of [`${addDays(today, -30)}~`, `${addDays(today, -30)}~${today}`])
    expect((await of(`at=${at}`)).http).toBe(200);
  // Without a range the last 31 days are looked at, in lists, counts and exports.
  await run(
    db(),
    `INSERT INTO gate_log (at, trace_id, staff_name, address, method, path, menu, http, status, duration_ms, client)
     SELECT now() - make_interval(days => n), 'range-test', '', '10.0.0.1', 'GET', '/api/range', '', 200, 200, 5, 'web' FROM unnest(ARRAY[1, 40]) n`,
  );
  expect((await of('traceId=range-test&tab=all')).data.total).toBe(1);
  expect((await of('traceId=range-test')).data.total).toBe(1);
  expect((await product.call(admin, 'GET', '/admin/gateLog/counts?traceId=range-test')).data).toEqual({
    today: 0,
    all: 1,
  });
  expect((await of(`traceId=range-test&at=${addDays(today, -45)}~${addDays(today, -35)}`)).data.total).toBe(
    1,
  );
  await product.call(admin, 'POST', '/admin/gateLog/export', { query: { traceId: 'range-test' } });
  expect(
    await runOne(
      db(),
      `SELECT query ->> 'at' AS at FROM task WHERE source = 'gateLog' ORDER BY created_at DESC LIMIT 1`,
    ),
  ).toEqual({ at: `${addDays(today, -30)}~${today}` });
  const failed = (await of('failed=true')).data.rows;
  expect(failed.length).toBeGreaterThan(0);
  expect(failed.every((row: any) => row.http >= 400)).toBe(true);
  const slow = (await of('slow=true')).data.rows;
  expect(slow.length).toBeGreaterThan(0);
  expect(slow.every((row: any) => row.durationMs >= 1_000)).toBe(true);
  const links = (await of(`path=/api/jinmao/web/jumpLink&menu=${encodeURIComponent('跳转')}`)).data.rows;
  expect(links.length).toBeGreaterThan(0);
  expect(links.every((row: any) => row.path.startsWith('/api/jinmao/web/jumpLink'))).toBe(true);
  expect((await of('path=jinmao')).data.total).toBe(0);
  expect((await of('statusClass=5,4')).data.rows.every((row: any) => row.http >= 400)).toBe(true);
});

test('staff of a company read the calls of their own people only, and no errors of the program', async () => {
  const merchant = (await runOne<{ id: number; account: string; tenant_id: number }>(
    db(),
    `SELECT s.id, s.account, s.tenant_id FROM staff s JOIN tenant t ON t.id = s.tenant_id WHERE t.kind = 2 AND s.state = 'normal' ORDER BY s.id LIMIT 1`,
  ))!;
  await grantMenu(db(), merchant.id, 'gateLogManager');
  const token = await product.signIn(merchant.account);
  const own = await ask('GET', '/admin/gateLog/page', undefined, token);
  const line = await lineOf(own.headers['x-trace-id']);
  const { data } = await product.call(token, 'GET', '/admin/gateLog/page?limit=200');
  expect(data.rows.map((row: any) => row.id)).toContain(String(line.id));
  expect(new Set(data.rows.map((row: any) => row.tenant.id))).toEqual(new Set([String(merchant.tenant_id)]));
  expect((await product.call(token, 'GET', `/admin/gateLog/${line.id}/trace`)).data).toEqual({
    changes: null,
    errors: null,
  });
  const foreign = (await runOne<{ id: number }>(
    db(),
    'SELECT max(id) AS id FROM gate_log WHERE tenant_id <> $1',
    [merchant.tenant_id],
  ))!;
  expect((await product.call(token, 'GET', `/admin/gateLog/${foreign.id}/trace`)).http).toBe(404);
});

test('log.retention drops whole days older than log.gate_days and makes the coming ones', async () => {
  const days = async () =>
    (
      await run<{ name: string }>(
        db(),
        `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'gate_log'::regclass AND c.relname ~ '[0-9]{8}$' ORDER BY 1`,
      )
    ).map((row) => row.name);
  const before = await days();
  // A database made before midnight has a day more behind it.
  expect(before.length).toBeGreaterThanOrEqual(22);
  await run(
    db(),
    `INSERT INTO gate_log (at, method, path, http, status, duration_ms) VALUES (now() - interval '40 days', 'GET', '/api/old', 200, 200, 1)`,
  );
  expect(await dropOldDays(product.platform)).toBe(0);
  expect(await run(db(), `SELECT FROM gate_log WHERE path = '/api/old'`)).toEqual([]);
  await run(
    db(),
    `INSERT INTO setting (key, value) VALUES ('log.gate_days', '3') ON CONFLICT (key) DO UPDATE SET value = '3'`,
  );
  product.platform.settings.forget();
  const oldest = `gate_log_${addDays(businessDayOf(new Date()), -3).replaceAll('-', '')}`;
  const old = before.filter((name) => name < oldest);
  expect(old.length).toBeGreaterThanOrEqual(4);
  expect(await dropOldDays(product.platform)).toBe(old.length);
  expect((await days())[0]).toBe(oldest);
});
