import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  makeCaller,
  openTestApp,
  openTestPlatform,
  type TestPlatform,
} from '../../../testing/kernel-fixtures.ts';
import type { Caller } from '../people/caller.ts';
import { defineRegistration, endpoint } from '../registration.ts';

let bench: TestPlatform;
let app: FastifyInstance;
let caller: Caller;
let times = 0;

const service = defineRegistration({
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/test/once',
      title: ['只做一次', 'Once'],
      access: 'staff',
      handle: async () => {
        times++;
        // No jsonb holds it, so the answer of this call cannot be kept.
        return { times, text: '\u0000' };
      },
    }),
  ],
});

beforeAll(async () => {
  bench = await openTestPlatform([service]);
  caller = await makeCaller(bench.platform, 'repeater');
  app = await openTestApp(bench.platform, () => [caller]);
});
afterAll(async () => {
  await app?.close();
  await bench?.close();
});

test('a finished call whose answer cannot be kept is not done once more by a repeat', async () => {
  const send = () =>
    app.inject({
      method: 'POST',
      url: '/api/test/once',
      headers: { authorization: `Bearer ${caller.sessionId}`, 'idempotency-key': 'once-0001' },
      payload: {},
    });
  const first = await send();
  expect([first.statusCode, (first.json() as { data: { times: number } }).data.times]).toEqual([200, 1]);
  expect((await send()).statusCode).toBe(409);
  expect(times).toBe(1);
  expect(bench.logged.map((line) => line.message)).toContain(
    'the answer of a finished call could not be kept',
  );
});
