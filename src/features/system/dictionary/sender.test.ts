import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { senderSecret } from '../../../domain/message/sender-secret.server.ts';
import { queueMail, queueSms, SMS_EFFECT } from '../../../domain/message/queue-message.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { effectsOf } from '../../../kernel/server/tasks/kernel-jobs.ts';
import { startWorker } from '../../../kernel/server/tasks/jobs.ts';
import {
  deliverEffect,
  EFFECT_TRIES,
  pauseSeconds,
  reviveEffect,
} from '../../../kernel/server/tasks/outbox.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { until } from '../../../testing/kernel-fixtures.ts';

let product: TestProduct;
let admin: string;
let gateway: Server;
let address: string;
let mails: SMTPServer;
let mailPort: number;
const calls: { url: string; key: string; body: string }[] = [];
const letters: { to: string; source: string }[] = [];
/** What the gateway answers next; then 200. */
const answers: number[] = [];
/** Phones whose messages the gateway refuses: a running worker may send others' at the same time. */
const unreachable = new Set<string>();

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  gateway = createServer((request, reply) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString('utf8')));
    request.on('end', () => {
      calls.push({ url: request.url!, key: String(request.headers['idempotency-key']), body });
      const refused = [...unreachable].some((phone) => request.url!.includes(phone));
      reply.writeHead(refused ? 503 : (answers.shift() ?? 200)).end('{"ok":true}');
    });
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  mails = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, session, done) => {
      let source = '';
      stream.on('data', (part: Buffer) => (source += part.toString('utf8')));
      stream.on('end', () => {
        letters.push({ to: session.envelope.rcptTo[0]!.address, source });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => void mails.listen(0, '127.0.0.1', resolve));
  mailPort = (mails.server.address() as AddressInfo).port;
}, 240_000);
afterAll(async () => {
  gateway?.closeAllConnections();
  gateway?.close();
  await new Promise<void>((resolve) => void mails?.close(resolve));
  await product?.close();
});
beforeEach(async () => {
  calls.length = letters.length = answers.length = 0;
  unreachable.clear();
  const { db } = product.platform.database;
  await run(db, `DELETE FROM setting WHERE key LIKE 'sms.%' OR key LIKE 'email.%'`);
  await run(db, 'DELETE FROM sender_secret');
  await run(db, 'DELETE FROM sms_message');
  await run(db, 'DELETE FROM email_message');
  await run(db, 'DELETE FROM outbox');
  product.platform.settings.forget();
});

const set = async (key: string, value: unknown) => {
  const { data } = await product.call(admin, 'GET', `/admin/setting/${key}`);
  return product.call(admin, 'PUT', `/admin/setting/${key}`, { value, version: data.version });
};
const put = async (values: Record<string, unknown>) => {
  for (const [key, value] of Object.entries(values)) {
    const answer = await set(key, value);
    expect([key, answer.http, answer.message]).toEqual([key, 200, '']);
  }
};
const useGateway = () =>
  put({
    'sms.http.url': `${address}/send?to={phone}`,
    'sms.http.body': '{"text":"{text}","key":"{secret}"}',
    'sms.sender': 'http',
  });
const useMail = () =>
  put({
    'email.smtp.host': '127.0.0.1',
    'email.smtp.port': mailPort,
    'email.smtp.security': 'none',
    'email.from': 'noreply@community.example',
    'email.sender': 'smtp',
  });
const one = <T>(sql: string, values: readonly unknown[] = []) =>
  runOne<T>(product.platform.database.db, sql, values);
const sms = (id: number) =>
  one<{ state: string; error: string | null; sender: string | null; body: string; params: object }>(
    'SELECT state, error, sender, body, params FROM sms_message WHERE id = $1',
    [id],
  );
const effect = async (id: number) =>
  (await one<{
    id: number;
    state: string;
    attempts: number;
    last_error: string | null;
    wait: number;
    payload: unknown;
  }>(
    `SELECT id, state, attempts, last_error, payload, extract(epoch FROM available_at - clock_timestamp())::float8 AS wait
       FROM outbox WHERE payload ->> 'id' = $1 ORDER BY id DESC LIMIT 1`,
    [String(id)],
  ))!;
/** Delivers the effect of a message now, whatever its pause. */
const deliver = async (id: number) => {
  const { id: outboxId } = await effect(id);
  await run(
    product.platform.database.db,
    'UPDATE outbox SET available_at = clock_timestamp() WHERE id = $1',
    [outboxId],
  );
  return deliverEffect(product.platform, effectsOf(product.platform.registrations), outboxId);
};
const code = {
  phone: '13912340001',
  purpose: 'password',
  body: '您的验证码 654321',
  params: { code: '654321' },
};
const write = (more: object = {}) =>
  transaction(product.platform.database.db, (tx) => queueSms(tx, { ...code, ...more }));

test('without a choice everything stays in the sandbox, and stays there when a provider is chosen later', async () => {
  const id = await write();
  expect(await effect(id)).toMatchObject({ state: 'pending', payload: { id } });
  expect(await deliver(id)).toBe('done');
  expect(await sms(id)).toMatchObject({ state: 'sandbox', sender: 'sandbox', body: code.body });
  const mail = await transaction(product.platform.database.db, (tx) =>
    queueMail(tx, { address: 'a@example.com', purpose: 'notification', subject: 'x', body: 'y' }),
  );
  expect(await deliver(mail)).toBe('done');
  expect(await one('SELECT state FROM email_message WHERE id = $1', [mail])).toEqual({ state: 'sandbox' });
  await useGateway();
  await run(product.platform.database.db, `UPDATE outbox SET state = 'pending'`);
  expect(await deliver(id)).toBe('done');
  expect(calls).toEqual([]);
});

test('a message leaves once after the commit, its code leaves the table, and neither reaches outbox or log', async () => {
  await useGateway();
  await expect(
    transaction(product.platform.database.db, async (tx) => {
      await queueSms(tx, code);
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  expect(await one('SELECT FROM outbox')).toBeUndefined();
  const id = await write();
  expect(calls).toEqual([]);
  expect(await deliver(id)).toBe('done');
  expect(calls).toMatchObject([
    { url: '/send?to=13912340001', body: '{"text":"您的验证码 654321","key":""}' },
  ]);
  expect(await sms(id)).toEqual({ state: 'sent', error: null, sender: 'http', body: '', params: {} });
  // Whatever delivers it again finds it sent.
  await run(product.platform.database.db, `UPDATE outbox SET state = 'pending'`);
  expect(await deliver(id)).toBe('done');
  expect(calls).toHaveLength(1);
  const rows = JSON.stringify(await run(product.platform.database.db, 'SELECT * FROM outbox'));
  expect(rows).not.toMatch(/13912340001|654321/);
});

test('failures climb the ladder with the same number, and end as a dead letter that can be revived', async () => {
  await useGateway();
  const id = await write({ validSeconds: undefined });
  for (let attempt = 1; attempt <= EFFECT_TRIES; attempt++) {
    answers.push(503);
    expect(await deliver(id)).toBe(attempt < EFFECT_TRIES ? 'retry' : 'dead');
    const now = await effect(id);
    expect(now).toMatchObject({ attempts: attempt, last_error: 'http: 503' });
    if (attempt < EFFECT_TRIES) {
      expect(now.wait).toBeGreaterThan(pauseSeconds(attempt) - 30);
      expect(now.wait).toBeLessThanOrEqual(pauseSeconds(attempt));
    }
  }
  expect(await sms(id)).toMatchObject({ state: 'failed', error: 'http: 503', body: code.body });
  expect(new Set(calls.map((call) => call.key)).size).toBe(1);
  expect(calls[0]!.key).toMatch(new RegExp(`^sms-${id}-[0-9a-f]{12}$`));
  await transaction(product.platform.database.db, async (tx) => reviveEffect(tx, (await effect(id)).id));
  expect(await deliver(id)).toBe('done');
  expect(await sms(id)).toMatchObject({ state: 'sent', error: null });
});

test('what the provider will never take is given up at once, and a code that lapsed is not sent at all', async () => {
  await useGateway();
  const refused = await write();
  answers.push(400);
  expect(await deliver(refused)).toBe('dead');
  expect(await effect(refused)).toMatchObject({ state: 'dead', attempts: 1, last_error: 'http: 400' });
  const late = await write({ validSeconds: 300 });
  answers.push(503);
  expect(await deliver(late)).toBe('retry');
  await run(
    product.platform.database.db,
    `UPDATE sms_message SET expires_at = clock_timestamp() WHERE id = $1`,
    [late],
  );
  calls.length = 0;
  expect(await deliver(late)).toBe('done');
  expect([calls.length, (await sms(late))!.error]).toEqual([0, 'expired before it could be sent']);
});

test('a phone of nobody costs the same work and gets nothing', async () => {
  await useGateway();
  expect(await write({ onlyStaff: true, phone: '19900000000' })).toBe(0);
  expect(await one('SELECT kind, state FROM outbox')).toEqual({ kind: SMS_EFFECT, state: 'pending' });
  expect(await deliver(0)).toBe('done');
  expect(calls).toEqual([]);
});

test('a way is chosen only when it can send, and what it needs cannot be taken away while it is', async () => {
  const refused = await set('email.sender', 'smtp');
  expect([refused.http, refused.message]).toEqual([422, '发送通道还缺少：邮件服务器地址、发件人地址']);
  expect((await set('sms.sender', 'aliyun')).message).toBe(
    '发送通道还缺少：阿里云 AccessKey ID、阿里云 AccessKey Secret、短信签名、短信模板',
  );
  await useMail();
  expect((await set('email.smtp.host', '')).message).toBe('发送通道还缺少：邮件服务器地址');
  expect((await set('email.smtp.user', 'mailer')).message).toBe(
    '发送通道还缺少：邮件服务器密码、不加密的连接不能使用登录账号',
  );
  expect((await set('email.from', 'nobody')).message).toBe('请输入正确的邮箱地址');
  expect((await set('sms.templates', ['password'])).message).toBe(
    '格式为 用途=模板编号:变量+变量，如 password=SMS_1234:code',
  );
  const secret = await product.call(admin, 'PUT', '/admin/messageSender/secret', {
    kind: 'tencent',
    secret: 'tencent-key-9',
  });
  expect(secret.http).toBe(200);
  await put({
    'sms.tencent.secret_id': 'AKIDx',
    'sms.tencent.app_id': '1400006666',
    'sms.sign_name': '社区零售',
    'sms.templates': ['password=100:code', '*=200:text'],
    'sms.sender': 'tencent',
  });
  const kept = await product.call(admin, 'POST', '/admin/messageSender/secret/remove', { kind: 'tencent' });
  expect([kept.http, kept.status, kept.message]).toEqual([409, 30101, '发送通道还缺少：腾讯云 SecretKey']);
  await put({ 'sms.sender': 'sandbox' });
  const gone = await product.call(admin, 'POST', '/admin/messageSender/secret/remove', { kind: 'tencent' });
  expect(gone.http).toBe(200);
  const again = await product.call(admin, 'POST', '/admin/messageSender/secret/remove', { kind: 'tencent' });
  expect([again.http, again.message]).toEqual([409, '尚未设置']);
});

test('secrets are sealed, used, and never given out or recorded', async () => {
  const secret = 'K9"very-secret-key';
  const answer = await product.call(admin, 'PUT', '/admin/messageSender/secret', { kind: 'http', secret });
  expect(answer.http).toBe(200);
  expect(answer.data.channels.sms.secrets[0]).toMatchObject({ kind: 'http', setBy: expect.any(String) });
  const read = await product.call(admin, 'GET', '/admin/messageSender');
  expect(answer.text + read.text).not.toContain('very-secret');
  const { db } = product.platform.database;
  for (const table of ['sender_secret', 'audit_record', 'idempotency_key', 'gate_log'])
    expect([
      table,
      await one(`SELECT FROM ${table} t WHERE to_jsonb(t)::text LIKE '%very-secret%' LIMIT 1`),
    ]).toEqual([table, undefined]);
  expect(await senderSecret(db, product.platform, 'http')).toBe(secret);
  expect(
    await one(
      `SELECT action, entity_id FROM audit_record WHERE entity = 'messageSender' ORDER BY id DESC LIMIT 1`,
    ),
  ).toEqual({ action: 'setSenderSecret', entity_id: 'http' });
  await useGateway();
  const id = await write();
  expect(await deliver(id)).toBe('done');
  expect(JSON.parse(calls[0]!.body)).toMatchObject({ key: secret });
  // Sealed under another key, as after a restore: an error that says what to do, and no crash.
  await run(db, `UPDATE sender_secret SET sealed = set_byte(sealed, 20, 1 - least(get_byte(sealed, 20), 1))`);
  const next = await write();
  expect(await deliver(next)).toBe('retry');
  expect((await sms(next))!.error).toBe('http: its secret cannot be opened');
});

test('the test button goes the whole way through the worker and tells the answer', async () => {
  await useGateway();
  await useMail();
  const { platform } = product;
  const worker = await startWorker(platform, platform.registrations, {
    connection: product.database.app,
    loadCaller: platform.loadCaller,
  });
  try {
    const send = (channel: string, to: string) =>
      product.call(admin, 'POST', '/admin/messageSender/test', { channel, to });
    const ended = (channel: string, id: string) =>
      until(async () => {
        const { data } = await product.call(admin, 'GET', `/admin/messageSender/test/${channel}/${id}`);
        return data.state === 'queued' ? undefined : (data as { state: string; error: string | null });
      });
    const mail = await send('email', 'keeper@example.com');
    expect([mail.http, mail.data.state]).toEqual([200, 'queued']);
    expect(await ended('email', mail.data.id)).toMatchObject({ state: 'sent', error: null });
    expect(letters).toMatchObject([{ to: 'keeper@example.com' }]);
    unreachable.add('13912340002');
    const failed = await send('sms', '13912340002');
    expect(await ended('sms', failed.data.id)).toMatchObject({ state: 'failed', error: 'http: 503' });
    // Tried once: nobody wants the message an hour later.
    expect(
      await until(async () => ((await effect(failed.data.id)).state === 'done' ? true : undefined)),
    ).toBe(true);
    const soon = await send('sms', '13912340002');
    expect([soon.http, soon.message]).toEqual([429, expect.stringMatching(/^请 \d+ 秒后再试$/)]);
    expect((await send('sms', '12345')).data.fields.to).toBe('请输入正确的手机号');
    expect((await send('email', 'a@b, c@d')).data.fields.to).toBe('请输入正确的邮箱地址');
    const trail = await one<{ after: unknown }>(
      `SELECT after FROM audit_record WHERE action = 'testSender' AND entity_id = 'sms' ORDER BY id DESC LIMIT 1`,
    );
    expect(trail!.after).toEqual({ to: '139****0002' });
    // Messages of others are none of its business.
    const other = await write();
    expect((await product.call(admin, 'GET', `/admin/messageSender/test/sms/${other}`)).http).toBe(404);
  } finally {
    await worker.stop();
  }
});

test('each button is a right of its own', async () => {
  const { db } = product.platform.database;
  const made = await one<{ id: number }>(
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password)
     SELECT id, 'sender-none', '无权', true, false FROM tenant WHERE kind = 3 LIMIT 1 RETURNING id`,
  );
  const group = await one<{ id: number }>(
    `INSERT INTO permission_group (type_id, tenant_id, code, name)
     SELECT t.id, n.id, 'senders', '发送通道' FROM group_type t, tenant n WHERE t.code = 'role' AND n.kind = 3 LIMIT 1 RETURNING id`,
  );
  await run(db, 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group!.id, made!.id]);
  await run(
    db,
    `INSERT INTO menu_grant (group_id, menu_code, data_scope) VALUES ($1, 'dictManager', 'all')`,
    [group!.id],
  );
  const token = await product.signIn('sender-none');
  const tries = [
    ['GET', '/admin/messageSender', undefined],
    ['PUT', '/admin/messageSender/secret', { kind: 'smtp', secret: 'x' }],
    ['POST', '/admin/messageSender/secret/remove', { kind: 'smtp' }],
    ['POST', '/admin/messageSender/test', { channel: 'sms', to: '13912340003' }],
    ['GET', '/admin/messageSender/test/sms/1', undefined],
  ] as const;
  for (const [method, path, body] of tries)
    expect([path, (await product.call(token, method, path, body)).http]).toEqual([path, 403]);
});
