import type { FastifyInstance } from 'fastify';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../../kernel/server/caller.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import { purgeNotifications } from '../../../kernel/server/purges.ts';
import {
  makeCaller,
  openTestApp,
  openTestPlatform,
  until,
  type TestPlatform,
} from '../../../kernel/testing/kernel-fixtures.ts';
import { notify } from '../../shared/notification/notify.server.ts';
import { service } from './notification.server.ts';

let test: TestPlatform;
let app: FastifyInstance;
let staff: Caller;
let other: Caller;

beforeAll(async () => {
  test = await openTestPlatform([service]);
  staff = await makeCaller(test.platform, 'reader');
  other = await makeCaller(test.platform, 'stranger');
  app = await openTestApp(test.platform, () => [staff, other]);
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await app.close();
  await test.close();
});

const ask = async (who: Caller, url: string, method: 'GET' | 'POST' | 'DELETE' = 'GET', language = 'zh') =>
  (
    await app.inject({
      method,
      url: `/api/admin/notification/${url}`,
      headers: { authorization: `Bearer ${who.sessionId}`, 'accept-language': language },
    })
  ).json();
const tell = (staffIds: readonly number[], more: Partial<Parameters<typeof notify>[1]> = {}) =>
  transaction(test.platform.database.db, (tx) =>
    notify(tx, {
      staffIds,
      kind: 'refundAudit',
      title: ['退款待审核', 'Refund to audit'],
      body: ['3笔', '3 of them'],
      route: '/service/mm_orderRefund',
      menu: 'mm_orderRefund',
      ...more,
    }),
  );

describe('notifications', () => {
  it("are the reader's own, in the reader's language", async () => {
    expect(await tell([staff.staffId, other.staffId])).toBe(2);
    const page = (await ask(staff, 'page?page=1&limit=50')).data;
    expect(page).toMatchObject({
      total: 1,
      rows: [
        {
          title: '退款待审核',
          body: '3笔',
          read: false,
          kind: 'refundAudit',
          level: 'normal',
          route: '/service/mm_orderRefund',
        },
      ],
    });
    expect(page.rows[0].at).toMatch(/\+08:00$/);
    expect((await ask(staff, 'page', 'GET', 'en')).data.rows[0].title).toBe('Refund to audit');
    expect((await ask(staff, 'unread')).data).toMatchObject({ total: 1, important: 0 });
    const { id } = page.rows[0];
    expect((await ask(other, `${id}/read`, 'POST')).status).toBe(404);
    expect((await ask(other, id, 'DELETE')).status).toBe(404);
    expect((await ask(staff, `${id}/read`, 'POST')).data).toBe(true);
    expect((await ask(staff, 'unread')).data.total).toBe(0);
    await tell([staff.staffId], { level: 'important' });
    expect((await ask(staff, 'unread')).data).toMatchObject({ total: 1, important: 1 });
    expect((await ask(staff, 'readAll', 'POST')).status).toBe(200);
    expect((await ask(staff, 'unread')).data.total).toBe(0);
    expect((await ask(other, 'unread')).data.total).toBe(1);
    expect((await ask(staff, id, 'DELETE')).data).toBe(true);
    expect((await ask(staff, id, 'DELETE')).status).toBe(404);
    expect((await ask(staff, 'page?limit=201')).status).toBe(422);
    expect((await ask(staff, 'page?nonsense=1')).status).toBe(422);
  });

  it('respect what a staff switched off, unless mandatory', async () => {
    await run(
      test.platform.database.db,
      `INSERT INTO staff_preference (staff_id, key, value) VALUES ($1, 'notification.kinds', '{"refundAudit": {"inApp": false}}')`,
      [staff.staffId],
    );
    expect(await tell([staff.staffId])).toBe(0);
    expect(await tell([staff.staffId], { kind: 'another' })).toBe(1);
    expect(await tell([staff.staffId], { mandatory: true })).toBe(1);
    await run(test.platform.database.db, 'DELETE FROM staff_preference');
  });

  it('reach an open stream within two seconds, and only its owner', async () => {
    const mine = await openStream(staff);
    const theirs = await openStream(other);
    await until(async () => mine.text().includes('retry'));
    // The first stream opens the listening connection.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const started = Date.now();
    await tell([staff.staffId]);
    await until(async () => mine.text().includes('event: notification'), 2_000);
    expect(Date.now() - started).toBeLessThan(2_000);
    expect(theirs.text()).not.toContain('event:');
    // Rolled back is never told.
    const before = mine.text();
    await transaction(test.platform.database.db, async (tx) => {
      await notify(tx, { staffIds: [staff.staffId], kind: 'x', title: ['x', 'x'] });
      throw new Error('rolled back');
    }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(mine.text()).toBe(before);
    mine.close();
    theirs.close();
  });

  it('limit the streams of a staff', async () => {
    const streams = await Promise.all(Array.from({ length: 9 }, () => openStream(staff)));
    expect(streams.filter((one) => one.status === 200)).toHaveLength(8);
    expect(streams.filter((one) => one.status === 429)).toHaveLength(1);
    for (const stream of streams) stream.close();
    await until(async () => {
      const again = await openStream(staff);
      again.close();
      return again.status === 200;
    });
  });

  it('are purged after 90 days', async () => {
    await tell([staff.staffId], { kind: 'old' });
    await run(
      test.platform.database.db,
      `UPDATE notification SET created_at = now() - interval '91 days' WHERE kind = 'old'`,
    );
    expect(await purgeNotifications(test.platform)).toBe(1);
  });

  it('end with the server', async () => {
    const stream = await openStream(staff);
    const second = await openTestApp(test.platform, () => [staff]);
    await second.close();
    const started = Date.now();
    await app.close();
    expect(Date.now() - started).toBeLessThan(4_000);
    expect(stream.ended()).toBe(true);
  });
});

interface Stream {
  readonly status: number;
  text(): string;
  ended(): boolean;
  close(): void;
}

function openStream(who: Caller): Promise<Stream> {
  const { port } = app.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const request = http.get(
      {
        port,
        host: '127.0.0.1',
        path: '/api/admin/notification/stream',
        headers: { authorization: `Bearer ${who.sessionId}` },
        agent: false,
      },
      (response) => {
        let text = '';
        let over = false;
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('close', () => (over = true));
        response.on('error', () => {});
        resolve({
          status: response.statusCode ?? 0,
          text: () => text,
          ended: () => over,
          close: () => request.destroy(),
        });
      },
    );
    request.on('error', reject);
  });
}
