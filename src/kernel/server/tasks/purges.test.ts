import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestPlatform, rowsOf, type TestPlatform } from '../../../testing/kernel-fixtures.ts';
import { run } from '../database.ts';
import { addEffect } from './outbox.ts';
import * as purge from './purges.ts';

let test: TestPlatform;

beforeAll(async () => {
  test = await openTestPlatform([]);
});
afterAll(() => test.close());

const left = async (table: string) => (await rowsOf(test.platform, `SELECT FROM ${table}`)).length;

it('removes what is past its time and nothing else', async () => {
  const { db } = test.platform.database;
  await run(
    db,
    `INSERT INTO idempotency_key (staff_id, key, request, created_at)
     SELECT 1, 'key-' || n || '-----', 'x', now() - make_interval(hours => n) FROM generate_series(20, 30) AS n`,
  );
  expect(await purge.purgeIdempotencyKeys(test.platform)).toBe(7);
  expect(await left('idempotency_key')).toBe(4);

  await run(
    db,
    `INSERT INTO call_value (purpose, staff_id, value, at)
     SELECT 'x', n, decode(repeat('00', 32), 'hex'), now() - make_interval(hours => n) FROM generate_series(20, 30) AS n`,
  );
  expect(await purge.purgeCallValues(test.platform)).toBe(7);

  await run(
    db,
    `INSERT INTO captcha (id, answer_hash, expires_at) VALUES ('a', '', now() - interval '2 hours'), ('b', '', now() - interval '1 minute')`,
  );
  await run(
    db,
    `INSERT INTO phone_verification (phone, code_hash, expires_at) VALUES ('1', '', now() - interval '25 hours'), ('2', '', now() - interval '1 hour')`,
  );
  await run(
    db,
    `INSERT INTO sms_message (phone, purpose, body, created_at) SELECT '1', purpose, 'x', now() - make_interval(hours => h)
       FROM unnest(ARRAY['password', 'phone', 'initialPassword', 'notification']) AS purpose, unnest(ARRAY[23, 25]) AS h`,
  );
  // Three messages of yesterday that carry secrets, beside image and code.
  expect(await purge.purgeVerifications(test.platform)).toBe(5);

  await run(
    db,
    `INSERT INTO span (trace_id, span_id, name, kind, started_at, duration_us) SELECT 't', n, 'x', 'x', now() - make_interval(days => n), 1 FROM generate_series(1, 10) AS n`,
  );
  expect(await purge.purgeSpans(test.platform)).toBe(4);

  await run(
    db,
    `INSERT INTO menu_visit (staff_id, menu, day) VALUES (1, 'a', current_date - 181), (1, 'a', current_date - 180)`,
  );
  expect(await purge.purgeMenuVisits(test.platform)).toBe(1);
});

it('keeps the keys of delivered effects for good', async () => {
  const { db } = test.platform.database;
  // The messages above left effects of their own.
  await run(db, 'DELETE FROM outbox');
  await run(db, 'DELETE FROM graphile_worker._private_jobs');
  const first = await addEffect(db, 'x', {}, { key: 'kept' });
  await addEffect(db, 'x', {});
  await addEffect(db, 'x', {});
  await run(
    db,
    `UPDATE outbox SET state = 'done', done_at = now() - interval '91 days' WHERE id < (SELECT max(id) FROM outbox)`,
  );
  await run(
    db,
    `UPDATE graphile_worker._private_jobs SET attempts = max_attempts, updated_at = now() - interval '31 days' WHERE key = $1`,
    [`outbox:${first}`],
  );
  expect(await purge.purgeQueue(test.platform)).toBe(1);
  expect(await purge.purgeOutbox(test.platform)).toBe(1);
  expect(await left('outbox')).toBe(2);
  expect(await addEffect(db, 'x', {}, { key: 'kept' })).toBeUndefined();
});

it('works in pieces', async () => {
  const { db } = test.platform.database;
  await run(
    db,
    `INSERT INTO error_report (message, created_at) SELECT md5(n::text), now() - interval '40 days' FROM generate_series(1, 12000) AS n`,
  );
  expect(await purge.purgeErrorReports(test.platform)).toBe(12_000);
  expect(await left('error_report')).toBe(0);
});
