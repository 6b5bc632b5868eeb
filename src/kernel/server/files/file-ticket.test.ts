import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  makeCaller,
  makeSession,
  openTestApp,
  openTestPlatform,
  type TestPlatform,
} from '../../../testing/kernel-fixtures.ts';
import type { Caller } from '../people/caller.ts';
import { run, transaction } from '../database.ts';
import { ticketQuery } from './file-ticket.ts';
import { defineRegistration } from '../registration.ts';
import { createExportTask } from '../tasks/task-centre.ts';
import { registration as tasks } from '../tasks/task-endpoints.ts';
import { runTask } from '../tasks/task-run.ts';

let test: TestPlatform;
let app: FastifyInstance;
let staff: Caller;
let other: Caller;
const callers: Caller[] = [];
const service = defineRegistration({
  endpoints: [],
  exports: [
    {
      source: 'testRows',
      columns: () => [{ title: 'n', kind: 'integer' }],
      count: async () => 1,
      async *read() {
        yield [[1]];
      },
    },
  ],
});

beforeAll(async () => {
  test = await openTestPlatform([service, tasks]);
  const rights = ['mm_test', 'mm_test:btn_export'];
  staff = await makeCaller(test.platform, 'exporter', rights);
  other = await makeCaller(test.platform, 'stranger', rights);
  callers.push(staff, other);
  app = await openTestApp(test.platform, () => callers);
});
afterAll(async () => {
  await app.close();
  await test.close();
});

const list = async (who: Caller) => {
  const answer = await app.inject({
    url: '/api/jinmao/web/exportTask/list',
    headers: { authorization: `Bearer ${who.sessionId}` },
  });
  const cookies = [answer.headers['set-cookie'] ?? []].flat();
  const cookie = cookies.find((one) => one.includes('exportTask'))?.split(';')[0] ?? '';
  return { body: answer.json(), cookies, cookie };
};

describe('exportUrl', () => {
  const ready = async () => {
    const id = await transaction(test.platform.database.db, (tx) =>
      createExportTask(tx, staff, {
        source: 'testRows',
        menu: 'mm_test',
        name: ['a', 'a'],
        query: {},
        language: 'zh',
      }),
    );
    await runTask(test.platform, id, { loadCaller: async () => staff });
    const { body, cookie, cookies } = await list(staff);
    return { id, url: body.data[0].exportUrl as string, cookie, cookies };
  };
  const get = (url: string, cookie?: string) => app.inject({ url, headers: cookie ? { cookie } : {} });

  it('opens for its owner by cookie and ticket, as a download', async () => {
    const { url, cookie, cookies } = await ready();
    expect(cookies.every((one) => /HttpOnly; SameSite=Strict$/.test(one))).toBe(true);
    expect(cookies.map((one) => /Path=([^;]+)/.exec(one)![1]).sort()).toEqual([
      '/api/file',
      '/api/jinmao/web/exportTask',
    ]);
    const answer = await get(url, cookie);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-disposition']).toContain('attachment');
    expect(answer.headers['content-type']).toContain('spreadsheetml');
    expect(answer.headers['cache-control']).toBe('private, no-store');
    expect(answer.rawPayload.subarray(0, 2).toString()).toBe('PK');
    // Polling again leaves addresses of other windows good.
    await list(staff);
    expect((await get(url, cookie)).statusCode).toBe(200);
  });

  it('is 404 for everybody else and after everything ended', async () => {
    const { id, url, cookie } = await ready();
    const strangers = await list(other);
    const second = await makeSession(test.platform, staff);
    callers.push(second);
    const secondCookie = (await list(second)).cookie;
    const { config } = test.platform;
    const cases: [string, string, string | undefined][] = [
      ['no cookie', url, undefined],
      ['cookie of another staff', url, strangers.cookie],
      ['another session of the owner', url, secondCookie],
      ['no ticket', url.split('?')[0]!, cookie],
      ['changed ticket', `${url.slice(0, -3)}abc`, cookie],
      ['forged cookie', url, `FileKey=${staff.sessionId}.AAAA`],
      ['ticket of another task', url.replace(id, '00000000-0000-4000-8000-000000000000'), cookie],
      [
        'own ticket of another staff',
        `${url.split('?')[0]}?${ticketQuery(config, other.sessionId, `task:${id}`)}`,
        strangers.cookie,
      ],
      [
        'old ticket',
        `${url.split('?')[0]}?${ticketQuery(config, staff.sessionId, `task:${id}`, Date.now() - 601_000)}`,
        cookie,
      ],
      ['nonsense id', '/api/jinmao/web/exportTask/..%2f..%2fetc%2fpasswd/file?ticket=a.b', cookie],
    ];
    for (const [what, target, sent] of cases) expect((await get(target, sent)).statusCode, what).toBe(404);
    expect(
      (
        await get(
          `${url.split('?')[0]}?${ticketQuery(config, staff.sessionId, `task:${id}`, Date.now() - 590_000)}`,
          cookie,
        )
      ).statusCode,
    ).toBe(200);

    const { db } = test.platform.database;
    await run(db, 'UPDATE session SET locked_at = now() WHERE id = $1', [staff.sessionId]);
    expect((await get(url, cookie)).statusCode).toBe(403);
    await run(db, 'UPDATE session SET locked_at = NULL, ended_at = now() WHERE id = $1', [staff.sessionId]);
    expect((await get(url, cookie)).statusCode).toBe(404);
    await run(
      db,
      "UPDATE session SET ended_at = NULL, last_seen_at = now() - interval '31 minutes' WHERE id = $1",
      [staff.sessionId],
    );
    expect((await get(url, cookie)).statusCode).toBe(404);
    await run(db, 'UPDATE session SET last_seen_at = now() WHERE id = $1', [staff.sessionId]);
    await run(db, `UPDATE staff SET state = 'disabled' WHERE id = $1`, [staff.staffId]);
    expect((await get(url, cookie)).statusCode).toBe(404);
    await run(db, `UPDATE staff SET state = 'normal', must_change_password = true WHERE id = $1`, [
      staff.staffId,
    ]);
    expect((await get(url, cookie)).statusCode).toBe(404);
    await run(db, 'UPDATE staff SET must_change_password = false WHERE id = $1', [staff.staffId]);
    // A company that is closed for now keeps its staff signed in; one that is switched off does not.
    await run(db, `UPDATE tenant SET state = 'closed' WHERE id = $1`, [staff.tenantId]);
    expect((await get(url, cookie)).statusCode).toBe(200);
    await run(db, `UPDATE tenant SET state = 'open', enabled = false WHERE id = $1`, [staff.tenantId]);
    expect((await get(url, cookie)).statusCode).toBe(404);
    await run(db, 'UPDATE tenant SET enabled = true WHERE id = $1', [staff.tenantId]);
    expect((await get(url, cookie)).statusCode).toBe(200);
  });
});
