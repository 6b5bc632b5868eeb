import { randomUUID } from 'node:crypto';
import http, { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queueSms } from '../domain/message/queue-message.server.ts';
import { notify } from '../domain/notification/notify.server.ts';
import { run, runOne, transaction } from '../kernel/server/database.ts';
import { hashPassword } from '../kernel/server/people/password-hash.ts';
import { defineRegistration, type Registration } from '../kernel/server/registration.ts';
import { queueJob } from '../kernel/server/tasks/job-queue.ts';
import { startWorker, type Worker } from '../kernel/server/tasks/jobs.ts';
import { until } from '../testing/kernel-fixtures.ts';
import { PASSWORD, startTestProduct, type TestInstance, type TestProduct } from '../testing/test-product.ts';
// @ts-expect-error a tool without types
import { roundRobin } from '../../tools/round-robin.mjs';
import { askToken } from './server/session/session-bench.ts';

/*
 * Two servers, each with pool, caches, listeners and worker of its own, on one database behind a proxy that takes them by
 * turns, as people meet them. What acts on the other within a second is two-instances.test.ts; here is what both do together.
 */

interface Proxy {
  readonly url: string;
  readonly counts: readonly number[];
  close(): Promise<void>;
}

let product: TestProduct;
let second: TestInstance;
let proxy: Proxy;
let admin: string;
let staffId: number;
const workers: Worker[] = [];
const ran: string[] = [];

/** Counted by worker, so that the test sees which of them ran what. */
const counting = (worker: string): Registration =>
  defineRegistration({
    endpoints: [],
    jobs: [
      {
        name: 'twins.echo',
        title: ['测试', 'Test'],
        run: async (payload) => {
          ran.push(`${worker}:${(payload as { n: number }).n}`);
          // Long enough that one worker alone cannot take them all before the other looks.
          await new Promise((resolve) => setTimeout(resolve, 30));
        },
      },
    ],
  });

beforeAll(async () => {
  product = await startTestProduct();
  second = await product.another();
  const addresses = [product.app, second.app].map((app) => app.listen({ host: '127.0.0.1', port: 0 }));
  proxy = (await roundRobin(await Promise.all(addresses))) as Proxy;
  const made = await runOne<{ id: number }>(
    product.platform.database.db,
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password, password_hash)
     SELECT id, 'roundrobin', '轮流', true, false, $1 FROM tenant WHERE kind = 3 LIMIT 1 RETURNING id`,
    [await hashPassword(PASSWORD)],
  );
  staffId = made!.id;
  admin = await product.signIn('admin');
  for (const [name, platform] of [
    ['a', product.platform],
    ['b', second.platform],
  ] as const)
    workers.push(
      await startWorker(platform, [...platform.registrations, counting(name)], {
        connection: product.database.app,
        concurrency: 2,
        loadCaller: platform.loadCaller,
      }),
    );
}, 240_000);
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await proxy?.close();
  await second?.close();
  await product?.close();
});

async function call(token: string, method: string, path: string, body?: object, key?: string) {
  const answer = await fetch(`${proxy.url}/api${path}`, {
    method,
    headers: {
      authorization: token,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(key ? { 'idempotency-key': key } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return {
    http: answer.status,
    by: answer.headers.get('x-served-by'),
    ...((await answer.json()) as { status: number; message: string; data: any }),
  };
}

/** The same call to both: the proxy takes them by turns. */
const both = async (token: string, path: string) => [
  await call(token, 'GET', path),
  await call(token, 'GET', path),
];

test('a session of one server is good at both, and ends at both', async () => {
  const { access_token: token } = (
    await askToken(product.app, { username: 'roundrobin', password: PASSWORD, address: '192.0.2.31' })
  ).json<{ access_token: string }>();
  const mine = `Bearer ${token}`;
  const answers = await both(mine, '/admin/preference');
  expect(answers.map((answer) => answer.http)).toEqual([200, 200]);
  expect(new Set(answers.map((answer) => answer.by))).toEqual(new Set(['1', '2']));
  await fetch(`${proxy.url}/api/auth/oauth/remove/token?access_token=${token}`, { method: 'POST' });
  const since = performance.now();
  await until(async () =>
    (await both(mine, '/admin/preference')).every((answer) => answer.http === 401) ? true : undefined,
  );
  expect(performance.now() - since).toBeLessThan(1_000);
});

test('what one server wrote the other reads, and a value both are given at once is taken once', async () => {
  const key = 'order.comment_days';
  const { data } = await call(admin, 'GET', `/admin/setting/${key}`);
  const changes = await Promise.all(
    [41, 42].map((value) => call(admin, 'PUT', `/admin/setting/${key}`, { value, version: data.version })),
  );
  expect(changes.map((answer) => answer.http).sort()).toEqual([200, 409]);
  const won = changes.find((answer) => answer.http === 200)!.data.value as number;
  const rows = await both(admin, `/admin/setting/${key}`);
  expect(rows.map((answer) => answer.data.value)).toEqual([won, won]);
  for (const { platform } of [product, second])
    await until(async () => ((await platform.settings.number(key)) === won ? true : undefined), 5_000);
});

test('a write repeated at the other server under the same key is done once', async () => {
  const key = randomUUID();
  const body = { range: '198.51.100.0/24', purpose: 'allow', reason: '办公网络' };
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => call(admin, 'POST', '/admin/whitelist', body, key)),
  );
  const rows = await run(
    product.platform.database.db,
    `SELECT FROM login_whitelist WHERE range = '198.51.100.0/24'`,
  );
  expect([rows.length, answers.filter((answer) => answer.http === 200).length > 0]).toEqual([1, true]);
  const again = await both(admin, '/admin/preference');
  expect(again.every((answer) => answer.http === 200)).toBe(true);
  const repeat = await call(admin, 'POST', '/admin/whitelist', body, key);
  expect(repeat.data).toEqual(answers.find((answer) => answer.http === 200)!.data);
});

test('jobs are shared by both workers, each run once', async () => {
  await transaction(product.platform.database.db, async (tx) => {
    for (let n = 0; n < 40; n++) await queueJob(tx, 'twins.echo', { n });
  });
  await until(async () => (ran.length >= 40 ? true : undefined));
  const numbers = ran.map((one) => Number(one.slice(2))).sort((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: 40 }, (_, n) => n));
  expect(new Set(ran.map((one) => one[0]))).toEqual(new Set(['a', 'b']));
});

test('messages leave once, whichever worker takes them', async () => {
  const got: string[] = [];
  const gateway = createServer((request, reply) => {
    got.push(String(request.headers['idempotency-key']));
    request.resume();
    request.on('end', () => reply.end('ok'));
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  try {
    for (const [key, value] of [
      ['sms.http.url', `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`],
      ['sms.http.body', '{text}'],
      ['sms.sender', 'http'],
    ] as const) {
      const { data } = await call(admin, 'GET', `/admin/setting/${key}`);
      const { version } = data;
      expect((await call(admin, 'PUT', `/admin/setting/${key}`, { value, version })).http).toBe(200);
    }
    for (const { platform } of [product, second])
      await until(async () => ((await platform.settings.text('sms.sender')) === 'http' ? true : undefined));
    const ids = await transaction(product.platform.database.db, async (tx) => {
      const written: number[] = [];
      for (let n = 0; n < 20; n++)
        written.push(await queueSms(tx, { phone: `139123400${10 + n}`, purpose: 'notification', body: 'x' }));
      return written;
    });
    await until(async () => {
      const row = await runOne<{ n: number }>(
        product.platform.database.db,
        `SELECT count(*)::int AS n FROM sms_message WHERE id = ANY($1::bigint[]) AND state = 'sent'`,
        [ids],
      );
      return row!.n === 20 ? true : undefined;
    });
    // Whatever waited before may leave now as well.
    const sent = got.map((number) => Number(number.split('-')[1])).filter((id) => ids.includes(id));
    expect(sent.sort((a, b) => a - b)).toEqual(ids);
  } finally {
    gateway.close();
  }
});

test('an export asked of one server is told and given by both', async () => {
  const asked = await call(admin, 'POST', '/admin/setting/export', { query: { searchVal: 'sms.' } });
  expect(asked.http).toBe(200);
  const { taskId } = asked.data as { taskId: string };
  const stateAt = async () =>
    (await both(admin, '/jinmao/web/exportTask/list')).map(
      (answer) => (answer.data as { id: string; state: string }[]).find((task) => task.id === taskId)?.state,
    );
  await until(async () => ((await stateAt()).every((state) => state === 'ready') ? true : undefined));
  // The address holds for the session at whichever server: cookie and ticket come from one, the file from both.
  const list = await fetch(`${proxy.url}/api/jinmao/web/exportTask/list`, {
    headers: { authorization: admin },
  });
  const cookie = list.headers
    .getSetCookie()
    .map((one) => one.split(';')[0]!)
    .join('; ');
  const { data } = (await list.json()) as { data: { id: string; exportUrl: string }[] };
  const { exportUrl } = data.find((task) => task.id === taskId)!;
  const files: Buffer[] = [];
  const servers = new Set<string | null>();
  for (let turn = 0; turn < 2; turn++) {
    const file = await fetch(new URL(exportUrl, proxy.url), { headers: { cookie } });
    expect(file.status).toBe(200);
    servers.add(file.headers.get('x-served-by'));
    files.push(Buffer.from(await file.arrayBuffer()));
  }
  expect([servers.size, files[0]!.equals(files[1]!), files[0]!.length > 1_000]).toEqual([2, true, true]);
});

test('streams open at both servers hear of a message either of them writes', async () => {
  const token = await product.signIn('roundrobin');
  const open = () =>
    new Promise<{ by: string; text: () => string; close: () => void }>((resolve, reject) => {
      const request = http.get(
        `${proxy.url}/api/admin/notification/stream`,
        { headers: { authorization: token }, agent: false },
        (answer) => {
          let text = '';
          answer.on('data', (part: Buffer) => (text += part.toString('utf8')));
          answer.on('error', () => {});
          resolve({
            by: String(answer.headers['x-served-by']),
            text: () => text,
            close: () => request.destroy(),
          });
        },
      );
      request.on('error', reject);
    });
  const streams = [await open(), await open()];
  try {
    expect(new Set(streams.map((stream) => stream.by))).toEqual(new Set(['1', '2']));
    await until(async () => (streams.every((one) => one.text().includes('retry')) ? true : undefined));
    // The first stream of a server opens its listening connection.
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (const [turn, { platform }] of [product, second].entries()) {
      await transaction(platform.database.db, (tx) =>
        notify(tx, {
          staffIds: [staffId],
          kind: 'phoneChanged',
          title: ['登录手机号已更改', 'The phone of your account was changed'],
          aboutReceiver: true,
        }),
      );
      await until(
        async () =>
          streams.every((one) => one.text().split('event: notification').length - 1 === turn + 1)
            ? true
            : undefined,
        2_000,
      );
    }
  } finally {
    for (const stream of streams) stream.close();
  }
});

test('a server that is gone is passed over', async () => {
  await second.close();
  const answers = [...(await both(admin, '/admin/preference')), ...(await both(admin, '/admin/preference'))];
  expect(answers.map((answer) => [answer.http, answer.by])).toEqual(answers.map(() => [200, '1']));
});
