import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, transaction } from '../../../kernel/server/database.ts';
import {
  endSessions,
  notifyAllChanged,
  notifyStaffChanged,
} from '../../../kernel/server/people/session-changes.ts';
import { notifyGroupsChanged } from '../../../domain/permission/effective-permissions.server.ts';
import {
  addGroup,
  addStaff,
  callWith,
  openBench,
  signIn,
  type Bench,
  type Instance,
} from './session-bench.ts';

let bench: Bench;
let other: Instance;

beforeAll(async () => {
  bench = await openBench();
  other = await bench.start();
  await new Promise((resolve) => setTimeout(resolve, 100));
});
afterAll(() => bench.close());

const inTx = <T>(work: Parameters<typeof transaction<T>>[1]) =>
  transaction(bench.first.platform.database.db, work);
const status = async (instance: Instance, token: string, url = '/api/probe/caller') => {
  const answer = await callWith(instance.app, token, 'GET', url);
  return [answer.statusCode, answer.json<{ status: number }>().status];
};
/** Polls until the other instance answers so; returns the milliseconds it took. */
const until = async (token: string, expected: readonly number[], url?: string): Promise<number> => {
  const started = performance.now();
  while (performance.now() - started < 3_000) {
    if (String(await status(other, token, url)) === String(expected)) return performance.now() - started;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`still ${await status(other, token, url)}`);
};

describe('tokens', () => {
  it.each([undefined, '', 'Bearer ', 'Bearer x', `Bearer ${'a'.repeat(43)}`, `Basic ${'a'.repeat(43)}`])(
    'refuses %s with 40101',
    async (header) => {
      const answer = await bench.first.app.inject({
        url: '/api/probe/caller',
        headers: header === undefined ? {} : { authorization: header },
      });
      expect([answer.statusCode, answer.json<{ status: number }>().status]).toEqual([401, 40101]);
    },
  );

  it('stores no token in clear', async () => {
    await addStaff(bench, { account: 'hashed' });
    const token = await signIn(bench.first.app, 'hashed');
    const rows = await bench.query<{ text: string }>('SELECT session::text AS text FROM session');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.some((row) => row.text.includes(token))).toBe(false);
  });

  it('never answers by a look-up from before a change', async () => {
    const id = await addStaff(bench, { account: 'joined', mustChange: true });
    const token = `Bearer ${await signIn(bench.first.app, 'joined')}`;
    const { platform, sessions } = bench.first;
    const pool = platform.database.pool as unknown as { query: (...values: unknown[]) => Promise<unknown> };
    const real = pool.query;
    platform.changed('session');
    // The row is read at once, the answer comes late: the change falls between.
    let read = () => {};
    const isRead = new Promise<void>((resolve) => (read = resolve));
    pool.query = async (...values) => {
      const answer = await real.apply(pool, values);
      if ((values[0] as { name?: string }).name === 'session_look_up') {
        read();
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      return answer;
    };
    try {
      const early = sessions.authenticate(token);
      await isRead;
      await real.call(pool, 'UPDATE staff SET must_change_password = false WHERE id = $1', [id]);
      platform.changed('session');
      const late = await sessions.authenticate(token);
      expect([(await early).mustChangePassword, late.mustChangePassword]).toEqual([true, false]);
      expect((await sessions.authenticate(token)).mustChangePassword).toBe(false);
    } finally {
      pool.query = real;
    }
  });

  it('costs no query while cached and one look-up for many parallel calls afterwards', async () => {
    await addStaff(bench, { account: 'cached' });
    const token = await signIn(bench.first.app, 'cached');
    await callWith(bench.first.app, token, 'GET', '/api/probe/caller');
    const before = { ...bench.first.sessions.statistics };
    for (let call = 0; call < 50; call++) await bench.first.sessions.authenticate(`Bearer ${token}`);
    expect(bench.first.sessions.statistics).toEqual(before);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await Promise.all(Array.from({ length: 20 }, () => bench.first.sessions.authenticate(`Bearer ${token}`)));
    expect(bench.first.sessions.statistics.lookUps).toBe(before.lookUps + 1);
    expect(bench.first.sessions.statistics.loads).toBe(before.loads);
  });

  it('expires when idle and after its longest life, by the database clock', async () => {
    await addStaff(bench, { account: 'idler' });
    const idle = await signIn(bench.first.app, 'idler');
    const old = await signIn(bench.first.app, 'idler');
    const alive = await signIn(bench.first.app, 'idler');
    const ids = await bench.query<{ id: number }>(
      `SELECT s.id FROM session s JOIN staff t ON t.id = s.staff_id WHERE t.account = 'idler' ORDER BY s.id`,
    );
    await bench.query(`UPDATE session SET last_seen_at = now() - interval '31 minutes' WHERE id = $1`, [
      ids[0]!.id,
    ]);
    await bench.query(`UPDATE session SET absolute_expires_at = now() - interval '1 second' WHERE id = $1`, [
      ids[1]!.id,
    ]);
    await bench.query(`UPDATE session SET last_seen_at = now() - interval '29 minutes' WHERE id = $1`, [
      ids[2]!.id,
    ]);
    expect(await status(bench.first, idle)).toEqual([401, 40101]);
    expect(await status(bench.first, old)).toEqual([401, 40101]);
    expect(await status(bench.first, alive)).toEqual([200, 200]);
    const [row] = await bench.query<{ end_reason: string }>('SELECT end_reason FROM session WHERE id = $1', [
      ids[0]!.id,
    ]);
    expect(row!.end_reason).toBe('expired');
  });

  it('writes the time of use in batches', async () => {
    const id = await addStaff(bench, { account: 'seen' });
    const token = await signIn(bench.first.app, 'seen');
    await bench.query(`UPDATE session SET last_seen_at = now() - interval '10 minutes' WHERE staff_id = $1`, [
      id,
    ]);
    await status(bench.first, token);
    const age = async () =>
      (
        await bench.query<{ age: number }>(
          `SELECT extract(epoch FROM now() - last_seen_at)::float8 AS age FROM session WHERE staff_id = $1`,
          [id],
        )
      )[0]!.age;
    expect(await age()).toBeGreaterThan(500);
    await bench.first.sessions.flush();
    expect(await age()).toBeLessThan(5);
  });
});

describe('the shop of a staff', () => {
  const tenant = async (account: string) =>
    (
      await bench.query<{ id: number }>(
        `INSERT INTO tenant (kind, account, name, merchant_kind) VALUES (2, $1, $1, 'resident') RETURNING id`,
        [account],
      )
    )[0]!.id;

  it('closed for now lets its staff sign in and work on; disabled ends that', async () => {
    const tenantId = await tenant('closed_shop');
    await addStaff(bench, { account: 'shopkeeper', tenantId });
    await bench.query(`UPDATE tenant SET state = 'closed' WHERE id = $1`, [tenantId]);
    const token = await signIn(bench.first.app, 'shopkeeper');
    expect(await status(bench.first, token)).toEqual([200, 200]);
    expect(await status(other, token)).toEqual([200, 200]);
    await bench.query(`UPDATE tenant SET enabled = false WHERE id = $1`, [tenantId]);
    expect(await until(token, [401, 40001])).toBeLessThan(1_100);
    await expect(signIn(bench.first.app, 'shopkeeper')).rejects.toThrow();
  });
});

describe('revocation on another instance within a second', () => {
  it.each([
    ['kicked', 40001],
    ['disabled', 40001],
    ['reset', 40001],
    ['whitelist', 40001],
    ['logout', 40101],
  ] as const)('ended as %s answers %i', async (reason, expected) => {
    const staffId = await addStaff(bench, { account: `ended_${reason}` });
    const token = await signIn(bench.first.app, `ended_${reason}`);
    expect(await status(other, token)).toEqual([200, 200]);
    await inTx((tx) => endSessions(tx, { staffId }, reason));
    expect(await until(token, [401, expected])).toBeLessThan(1_000);
  });

  it('sees a disabled staff even when nobody ended the session', async () => {
    const staffId = await addStaff(bench, { account: 'disabled' });
    const token = await signIn(bench.first.app, 'disabled');
    expect(await status(other, token)).toEqual([200, 200]);
    await bench.query(`UPDATE staff SET state = 'disabled' WHERE id = $1`, [staffId]);
    expect(await until(token, [401, 40001])).toBeLessThan(1_100);
  });

  it('does not depend on notices', async () => {
    const deaf = await bench.start({ listen: false });
    const staffId = await addStaff(bench, { account: 'deaf' });
    const token = await signIn(bench.first.app, 'deaf');
    expect(await status(deaf, token)).toEqual([200, 200]);
    await bench.query(`UPDATE session SET ended_at = now(), end_reason = 'kicked' WHERE staff_id = $1`, [
      staffId,
    ]);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await status(deaf, token)).toEqual([401, 40001]);
    await deaf.close();
  });

  it('listens again after its connection was cut', async () => {
    const staffId = await addStaff(bench, { account: 'cut_off' });
    const token = await signIn(bench.first.app, 'cut_off');
    await bench.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'listener' AND datname = current_database()`,
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    const [row] = await bench.query<{ n: number }>(
      `SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'listener' AND datname = current_database()`,
    );
    expect(row!.n).toBe(2);
    expect(await status(other, token)).toEqual([200, 200]);
    await inTx((tx) => endSessions(tx, { staffId }, 'kicked'));
    // Below the life of a cache entry: the notice did it.
    expect(await until(token, [401, 40001])).toBeLessThan(700);
  });

  it('takes a menu away and changes the epoch; a change of everybody changes it too', async () => {
    const groupId = await addGroup(bench, 'takeaway', { menus: { cs_workOrder: 'all' } });
    await addStaff(bench, { account: 'takeaway', groupIds: [groupId] });
    const token = await signIn(bench.first.app, 'takeaway');
    const before = await callWith(other.app, token, 'GET', '/api/probe/order');
    expect(before.statusCode).toBe(200);
    await inTx(async (tx) => {
      await run(tx, 'DELETE FROM menu_grant WHERE group_id = $1', [groupId]);
      await notifyGroupsChanged(tx, [groupId]);
    });
    expect(await until(token, [403, 403], '/api/probe/order')).toBeLessThan(1_000);
    const after = await callWith(other.app, token, 'GET', '/api/probe/caller');
    expect(after.headers['x-permission-epoch']).not.toBe(before.headers['x-permission-epoch']);
    await inTx((tx) => notifyAllChanged(tx));
    await new Promise((resolve) => setTimeout(resolve, 200));
    const again = await callWith(other.app, token, 'GET', '/api/probe/caller');
    expect(again.headers['x-permission-epoch']).not.toBe(after.headers['x-permission-epoch']);
  });

  it('tells nobody about a change that was rolled back', async () => {
    const staffId = await addStaff(bench, { account: 'rolled' });
    const token = await signIn(bench.first.app, 'rolled');
    await status(other, token);
    await expect(
      inTx(async (tx) => {
        await notifyStaffChanged(tx, staffId);
        await endSessions(tx, { staffId }, 'kicked');
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await status(other, token)).toEqual([200, 200]);
  });
});
