import type { FastifyInstance } from 'fastify';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import { purgeNotifications } from '../../../kernel/server/tasks/purges.ts';
import { notifyAllChanged, notifyStaffChanged } from '../../../kernel/server/people/session-changes.ts';
import {
  makeCaller,
  openTestApp,
  openTestPlatform,
  rowsOf,
  until,
  type TestPlatform,
} from '../../../testing/kernel-fixtures.ts';
import { grantMenu, takeAllGroups } from '../../../testing/grant-menu.ts';
import { notify, type Notice, type NoticeText } from '../../../domain/notification/notify.server.ts';
import { listSight, type ToldRows } from '../../../domain/notification/row-sight.server.ts';
import { defineRegistration } from '../../../kernel/server/registration.ts';
import { registration as switches } from './notice-switches.server.ts';
import { registration } from './notification.server.ts';

let test: TestPlatform;
let app: FastifyInstance;
let staff: Caller;
let other: Caller;

beforeAll(async () => {
  test = await openTestPlatform([
    registration,
    switches,
    defineRegistration({ endpoints: [], sights: [ROWS] }),
  ]);
  [near, far] = await projects();
  staff = await makeCaller(test.platform, 'reader', ['mm_commodityMana', 'mm_businessOrder_wx']);
  other = await makeCaller(test.platform, 'stranger', ['mm_businessOrder_wx'], 2);
  app = await openTestApp(test.platform, () => [staff, other, ...(reader ? [reader] : [])]);
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
const put = async (who: Caller, kind: string, payload: object) =>
  (
    await app.inject({
      method: 'PUT',
      url: `/api/admin/notification/kinds/${kind}`,
      headers: { authorization: `Bearer ${who.sessionId}` },
      payload,
    })
  ).json();
const tell = (staffIds: readonly number[], more: Partial<NoticeText> & { readonly rows?: ToldRows } = {}) =>
  transaction(test.platform.database.db, (tx) =>
    notify(tx, {
      staffIds,
      kind: 'productReview',
      title: ['退款待审核', 'Refund to audit'],
      body: ['3笔', '3 of them'],
      route: '/service/mm_orderRefund',
      ...(more.rows ? {} : { aboutReceiver: true }),
      ...more,
    } as Notice),
  );

/** Rows for messages: projects, seen under the menu of goods by who works in them. */
const ROWS = listSight({
  entity: 'place',
  menu: 'mm_commodityMana',
  table: 'project',
  scope: { tenant: 'none', project: 't.id', owner: 'NULL::bigint' },
});
let [near, far] = [0, 0];
let reader: Caller | undefined;
async function projects(): Promise<[number, number]> {
  const rows = await run<{ id: number }>(
    test.platform.database.db,
    `WITH unit AS (INSERT INTO organisation (kind, code, name) VALUES ('management_unit', 'U1', 'U1') RETURNING id)
     INSERT INTO project (code, name, unit_id, centre_id) SELECT code, code, id, id FROM unit, unnest(ARRAY['P1', 'P2']) AS code RETURNING id`,
  );
  return [rows[0]!.id, rows[1]!.id];
}
const giveProject = (who: Caller, project: number) =>
  run(test.platform.database.db, 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [
    who.staffId,
    project,
  ]);

describe('notifications', () => {
  it("are the reader's own, in the reader's language", async () => {
    expect(await tell([staff.staffId, other.staffId], { kind: 'approval' })).toBe(2);
    const page = (await ask(staff, 'page?page=1&limit=50')).data;
    expect(page).toMatchObject({
      total: 1,
      rows: [
        {
          title: '退款待审核',
          body: '3笔',
          read: false,
          kind: 'approval',
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

  it('of rows reach those who see them when they are sent, by no way anybody else', async () => {
    const { db } = test.platform.database;
    const [holder, former, elsewhere, own] = [
      await makeCaller(test.platform, 'holder'),
      await makeCaller(test.platform, 'former'),
      await makeCaller(test.platform, 'elsewhere'),
      await makeCaller(test.platform, 'own'),
    ];
    for (const one of [holder, former, elsewhere]) await grantMenu(db, one.staffId, ROWS.menu);
    await takeAllGroups(db, former.staffId);
    for (const one of [holder, former, own]) await giveProject(one, near);
    await giveProject(elsewhere, far);
    const staffOf = [holder, former, elsewhere, own];
    for (const one of staffOf) {
      await run(db, 'UPDATE staff SET phone = $2 WHERE id = $1', [
        one.staffId,
        `1380000${one.staffId + 1000}`,
      ]);
      await run(
        db,
        `INSERT INTO staff_preference (staff_id, key, value) VALUES ($1, 'notification.kinds', '{"productReview": {"sms": true}}')`,
        [one.staffId],
      );
    }
    const all = staffOf.map((one) => one.staffId);
    expect(await tell(all, { rows: { sight: ROWS, ids: [near] } })).toBe(1);
    expect(await rowsOf(test.platform, 'SELECT phone FROM sms_message')).toEqual([
      { phone: `1380000${holder.staffId + 1000}` },
    ]);
    // Of several rows it takes every one.
    expect(await tell(all, { rows: { sight: ROWS, ids: [near, far] } })).toBe(0);
    await giveProject(holder, far);
    expect(await tell(all, { rows: { sight: ROWS, ids: [near, far] } })).toBe(1);
    // What is about the receiver itself needs neither.
    expect(await tell([own.staffId])).toBe(1);
    // A message about rows that names none is a fault, not one for everybody.
    await expect(tell([holder.staffId], { rows: { sight: ROWS, ids: [] } })).rejects.toThrow();
    await run(db, 'DELETE FROM sms_message');
    await run(db, 'DELETE FROM staff_preference');
  });

  it('of rows are read by those who see them when they read', async () => {
    const { db } = test.platform.database;
    const caller = await makeCaller(test.platform, 'late', [ROWS.menu]);
    await grantMenu(db, caller.staffId, ROWS.menu);
    await giveProject(caller, near);
    const { staffId } = caller;
    const kind = 'approval';
    expect(await tell([staffId], { kind, rows: { sight: ROWS, ids: [near] } })).toBe(1);
    expect(await tell([staffId], { kind, title: ['自己', 'Self'] })).toBe(1);
    // As releases left them that kept no rows.
    await run(
      db,
      `INSERT INTO notification (staff_id, kind, title_zh, title_en, menu) VALUES ($1, 'refund.7', '旧', 'Old', $2)`,
      [staffId, ROWS.menu],
    );
    const unlisted = { ...ROWS, entity: 'unlisted' };
    expect(
      await tell([staffId], {
        kind,
        title: ['未登记', 'Not listed'],
        rows: { sight: unlisted, ids: [near] },
      }),
    ).toBe(1);
    const [about] = await rowsOf<{ id: number }>(
      test.platform,
      `SELECT id FROM notification WHERE staff_id = ${staffId} AND entity = 'place'`,
    );
    const holds = (projectIds: readonly number[] | null, menus: Caller['menus'] = caller.menus) => {
      reader = { ...caller, projectIds, menus };
      return reader;
    };
    const seen = async (who: Caller) => {
      const page = (await ask(who, 'page?page=1&limit=50')).data;
      const unread = (await ask(who, 'unread')).data;
      expect([page.total, unread.total]).toEqual([
        page.rows.length,
        page.rows.filter((row: { read: boolean }) => !row.read).length,
      ]);
      return page.rows.map((row: { title: string }) => row.title);
    };
    const ALL = ['旧', '自己', '退款待审核'];
    expect(await seen(holds(null))).toEqual(ALL);
    expect(await seen(holds([near]))).toEqual(ALL);
    for (const [who, rest] of [
      [() => holds([far]), ['旧', '自己']],
      [() => holds([near], new Map([['other', [{ kind: 'all' }]]])), ['自己']],
      [() => holds([near], new Map([[ROWS.menu, [{ kind: 'self' }]]])), ['旧', '自己']],
    ] as const) {
      const without = who();
      expect(await seen(without)).toEqual(rest);
      expect((await ask(without, `${about!.id}/read`, 'POST')).status).toBe(404);
      expect((await ask(without, `${about!.id}`, 'DELETE')).status).toBe(404);
      expect((await ask(without, 'readAll', 'POST')).status).toBe(200);
    }
    // Back in sight it is still unread.
    expect((await ask(holds([near]), 'unread')).data.total).toBe(1);
    expect((await ask(reader!, `${about!.id}/read`, 'POST')).data).toBe(true);
    expect((await ask(reader!, 'unread')).data.total).toBe(0);
  });

  it('come the ways a staff chose; mandatory kinds always come in the product', async () => {
    const { db } = test.platform.database;
    type Kind = { code: string; mandatory: boolean; inApp: boolean; sms: boolean; email: boolean };
    const answer = (await ask(staff, 'kinds')).data as { phone: string | null; kinds: Kind[] };
    expect(answer.phone).toBeNull();
    expect(answer.kinds.map((kind) => kind.code)).toEqual([
      'approval',
      'productReview',
      'refundResult',
      'overtimeExpiry',
      'groupEnded',
      'phoneChanged',
      'ssoChanged',
      'emailChanged',
      'alertPayment',
      'alertStock',
    ]);
    // A merchant's staff holds the order screen too, but gets no alerts of the platform.
    expect((await ask(other, 'kinds', 'GET', 'en')).data.kinds.map((kind: Kind) => kind.code)).toEqual([
      'approval',
      'refundResult',
      'overtimeExpiry',
      'groupEnded',
      'phoneChanged',
      'ssoChanged',
      'emailChanged',
    ]);
    expect(answer.kinds[0]).toMatchObject({ mandatory: false, inApp: true, sms: false, email: false });

    expect((await put(staff, 'productReview', { inApp: false })).data).toEqual({
      inApp: false,
      sms: false,
      email: false,
    });
    expect(await tell([staff.staffId, other.staffId])).toBe(1);
    expect(await tell([staff.staffId], { kind: 'approval' })).toBe(1);

    expect((await put(staff, 'groupEnded', { inApp: false })).status).toBe(30101);
    // Written behind the product's back it still does not count.
    await run(
      db,
      `UPDATE staff_preference SET value = value || '{"groupEnded": {"inApp": false}}' WHERE key = 'notification.kinds'`,
    );
    expect(await tell([staff.staffId], { kind: 'groupEnded' })).toBe(1);

    expect((await put(staff, 'productReview', { sms: true })).data.fields.sms).toContain('手机号');
    await run(db, `UPDATE staff SET phone = '13812345678', email = 'reader@example.com' WHERE id = $1`, [
      staff.staffId,
    ]);
    expect((await ask(staff, 'kinds')).data).toMatchObject({
      phone: '138****5678',
      email: 'reader@example.com',
    });
    expect((await put(staff, 'productReview', { sms: true })).data).toMatchObject({
      inApp: false,
      sms: true,
    });
    await put(staff, 'productReview', { email: true });
    await tell([staff.staffId, other.staffId]);
    await run(
      db,
      `INSERT INTO staff_preference (staff_id, key, value) VALUES ($1, 'language', '"en"') ON CONFLICT (staff_id, key) DO UPDATE SET value = excluded.value`,
      [staff.staffId],
    );
    await tell([staff.staffId]);
    expect(await rowsOf(test.platform, 'SELECT phone, purpose, body FROM sms_message ORDER BY id')).toEqual([
      { phone: '13812345678', purpose: 'notification', body: '【社区零售系统】退款待审核：3笔' },
      {
        phone: '13812345678',
        purpose: 'notification',
        body: '[Community retail system] Refund to audit: 3 of them',
      },
    ]);
    expect(
      await rowsOf(test.platform, 'SELECT address, subject, state FROM email_message ORDER BY id'),
    ).toEqual([
      { address: 'reader@example.com', subject: '退款待审核', state: 'queued' },
      { address: 'reader@example.com', subject: 'Refund to audit', state: 'queued' },
    ]);
    // Nobody who cannot sign in is written to outside.
    await run(db, `UPDATE staff SET state = 'disabled' WHERE id = $1`, [staff.staffId]);
    await tell([staff.staffId]);
    expect(await rowsOf(test.platform, 'SELECT FROM sms_message')).toHaveLength(2);
    await run(db, `UPDATE staff SET state = 'normal', phone = NULL, email = NULL WHERE id = $1`, [
      staff.staffId,
    ]);
    await run(db, 'DELETE FROM sms_message');
    await run(db, 'DELETE FROM email_message');
    await run(db, 'DELETE FROM staff_preference');
  });

  it('refuse switches that are none', async () => {
    expect((await put(staff, 'nothing', { inApp: false })).status).toBe(404);
    expect((await put(staff, 'whitelistExpiry', { inApp: false })).status).toBe(404);
    expect((await put(staff, 'approval', {})).status).toBe(422);
    expect((await put(staff, 'approval', { inApp: 'no' })).status).toBe(422);
    expect((await put(staff, 'approval', { push: true })).status).toBe(422);
  });

  it('lose no switch when several are changed at once', async () => {
    const kinds = ['approval', 'productReview', 'overtimeExpiry'];
    await Promise.all(kinds.map((kind) => put(staff, kind, { inApp: false })));
    const after = (await ask(staff, 'kinds')).data.kinds as { code: string; inApp: boolean }[];
    expect(after.filter((kind) => !kind.inApp).map((kind) => kind.code)).toEqual(kinds);
    await run(test.platform.database.db, 'DELETE FROM staff_preference');
  });

  it('keep alerts apart, for their holders', async () => {
    await run(test.platform.database.db, 'DELETE FROM notification');
    expect((await ask(other, 'unread')).data.alerts).toBeNull();
    expect((await ask(staff, 'unread')).data.alerts).toBe(0);
    await tell([staff.staffId], { kind: 'alertStock', level: 'alert' });
    await tell([staff.staffId]);
    expect((await ask(staff, 'unread')).data).toMatchObject({ total: 2, alerts: 1 });
    const kindsOf = async (part: string) =>
      (await ask(staff, `page?part=${part}`)).data.rows.map((row: { kind: string }) => row.kind);
    expect(await kindsOf('alert')).toEqual(['alertStock']);
    expect(await kindsOf('message')).toEqual(['productReview']);
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
      await notify(tx, {
        staffIds: [staff.staffId],
        kind: 'approval',
        aboutReceiver: true,
        title: ['x', 'x'],
      });
      throw new Error('rolled back');
    }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(mine.text()).toBe(before);
    mine.close();
    theirs.close();
  });

  it('share their stream with changes of permissions: of the staff, of everybody', async () => {
    const mine = await openStream(staff);
    const theirs = await openStream(other);
    // The first stream opens the listening connection.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const told = (stream: Stream) => stream.text().split('event: permission').length - 1;
    await transaction(test.platform.database.db, (tx) => notifyStaffChanged(tx, staff.staffId));
    await until(async () => told(mine) === 1, 1_000);
    expect(told(theirs)).toBe(0);
    await transaction(test.platform.database.db, (tx) => notifyAllChanged(tx));
    await until(async () => told(mine) === 2 && told(theirs) === 1, 1_000);
    expect(mine.text()).not.toContain('event: notification');
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

  it('are purged after the days of the setting, with their SMS and e-mails', async () => {
    const { db } = test.platform.database;
    await run(db, 'DELETE FROM notification');
    await run(
      db,
      `INSERT INTO sms_message (phone, purpose, body) VALUES ('13800000000', 'password', 'code'), ('13800000000', 'ssoChanged', 'x'), ('13800000000', 'emailChanged', 'x')`,
    );
    await run(db, `UPDATE staff SET phone = '13811112222', email = 'r@example.com' WHERE id = $1`, [
      staff.staffId,
    ]);
    await put(staff, 'approval', { sms: true, email: true });
    await tell([staff.staffId], { kind: 'approval' });
    await tell([staff.staffId], { kind: 'overtimeExpiry' });
    for (const table of ['notification', 'sms_message', 'email_message'])
      await run(db, `UPDATE ${table} SET created_at = now() - interval '89 days'`);
    expect(await purgeNotifications(test.platform)).toBe(0);
    await run(db, `UPDATE notification SET created_at = now() - interval '91 days' WHERE kind = 'approval'`);
    for (const table of ['sms_message', 'email_message'])
      await run(db, `UPDATE ${table} SET created_at = now() - interval '91 days'`);
    expect(await purgeNotifications(test.platform)).toBe(1);
    expect(await rowsOf(test.platform, 'SELECT purpose FROM sms_message')).toEqual([{ purpose: 'password' }]);
    expect(await rowsOf(test.platform, 'SELECT FROM email_message')).toEqual([]);
    await run(
      db,
      `INSERT INTO setting (key, value) VALUES ('notification.keep_days', '30') ON CONFLICT (key) DO UPDATE SET value = '30'`,
    );
    test.platform.settings.forget();
    expect(await until(() => purgeNotifications(test.platform))).toBe(1);
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
