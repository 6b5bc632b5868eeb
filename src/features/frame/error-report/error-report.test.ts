import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run } from '../../../kernel/server/database.ts';
import { purgeErrorReports } from '../../../kernel/server/tasks/purges.ts';
import {
  makeCaller,
  openTestApp,
  openTestPlatform,
  rowsOf,
  type TestPlatform,
} from '../../../testing/kernel-fixtures.ts';
import { registration } from './error-report.server.ts';

let test: TestPlatform;
let app: FastifyInstance;
const callers: Caller[] = [];

beforeAll(async () => {
  test = await openTestPlatform([registration]);
  for (const name of ['one', 'two', 'three']) callers.push(await makeCaller(test.platform, name));
  app = await openTestApp(test.platform, () => callers);
});
afterAll(async () => {
  await app.close();
  await test.close();
});

const report = (who: number, more: object = {}) =>
  app.inject({
    method: 'POST',
    url: '/api/admin/errorReport',
    headers: { authorization: `Bearer ${callers[who]!.sessionId}` },
    payload: {
      message: 'x is undefined',
      where: 'render',
      url: 'http://h/a?access_token=secret&b=1',
      stack: 'at a',
      traceId: 'a'.repeat(32),
      release: 'r1',
      userAgent: 'UA',
      ...more,
    },
  });
const kept = () =>
  rowsOf<{ message: string; times: number; url: string; stack: string; trace_id: string }>(
    test.platform,
    'SELECT * FROM error_report ORDER BY id',
  );

describe('error reports', () => {
  it('are kept without secrets, equal ones counted', async () => {
    expect((await report(0)).json()).toEqual({ status: 200, message: '', data: true });
    await report(0, { traceId: 'b'.repeat(32) });
    await report(1);
    await report(0, { message: 'other', stack: `<script>${'s'.repeat(15_000)}` });
    const rows = await kept();
    expect(rows.map((row) => [row.message, row.times])).toEqual([
      ['x is undefined', 2],
      ['x is undefined', 1],
      ['other', 1],
    ]);
    expect(rows[0]).toMatchObject({
      url: 'http://h/a?access_token=***&b=1',
      trace_id: 'b'.repeat(32),
      place: 'render',
      release: 'r1',
      user_agent: 'UA',
      staff_id: callers[0]!.staffId,
      origin: 'browser',
    });
    expect(rows[2]!.stack).toHaveLength(8_000);
    await report(0, {
      message: 'call with Bearer abcdefgh12345 failed',
      stack: 'at http://h/x?ticket=abc\nat y',
    });
    const last = (await kept()).at(-1)!;
    expect([last.message, last.stack]).toEqual([
      'call with Bearer *** failed',
      'at http://h/x?ticket=***\nat y',
    ]);
    await run(test.platform.database.db, `DELETE FROM error_report WHERE message LIKE 'call with%'`);
  });

  it('are refused when huge, unknown or too many', async () => {
    expect((await report(1, { stack: 's'.repeat(20_001) })).statusCode).toBe(422);
    expect((await report(1, { form: 'x' })).statusCode).toBe(422);
    expect((await report(1, { message: '' })).statusCode).toBe(422);
    expect((await report(1, { traceId: '<b>' })).statusCode).toBe(422);
    expect((await report(1, { message: 'a\u0000' })).statusCode).toBe(422);
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_unused, n) => report(2, { message: `m${n}` })),
    );
    const codes = answers.map((answer) => answer.statusCode);
    expect(codes.filter((code) => code === 200)).toHaveLength(20);
    expect(codes.filter((code) => code === 429)).toHaveLength(5);
    expect(
      Number(answers.find((answer) => answer.statusCode === 429)!.headers['retry-after']),
    ).toBeGreaterThan(50);
    expect((await report(0, { message: 'still' })).statusCode).toBe(200);
  });

  it('are purged after 30 days', async () => {
    await run(
      test.platform.database.db,
      `UPDATE error_report SET created_at = now() - interval '31 days' WHERE message = 'other'`,
    );
    expect(await purgeErrorReports(test.platform)).toBe(1);
  });
});
