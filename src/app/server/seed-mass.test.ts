import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { cloneDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { registrations } from '../registry/registrations.gen.ts';
import { checkSeed } from './check-seed.ts';
import { seedDemo } from './seed-demo/seed-demo.ts';
import { seedMass, verifyReferences } from './seed-mass.ts';
import { seedReference } from './seed-reference.ts';

const NOW = new Date('2026-11-21T10:30:00+08:00');
const SUM = `SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) AS sum
  FROM (SELECT code, member_id, state, refund_status, payable, goods, created_at FROM sales_order WHERE source IS NOT NULL) t`;
let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await cloneDatabase();
  pool = new pg.Pool({ ...database.app, max: 2 });
  await seedReference(pool);
  await seedDemo(pool, { seed: 42, now: NOW });
}, 180_000);

afterAll(async () => {
  await pool.end();
  await database.drop();
});

test('adds exactly the rows asked for, twice, and everything still adds up', async () => {
  const count = async () => Number((await pool.query('SELECT count(*) AS n FROM sales_order')).rows[0].n);
  const before = await count();
  const lines: string[] = [];
  const result = await seedMass(database.owner, {
    rows: 6_000,
    seed: 7,
    now: NOW,
    log: (line) => lines.push(line),
  });
  expect(result.orders).toBe(6_000);
  expect(await count()).toBe(before + 6_000);
  expect(result.lines).toBeGreaterThan(8_500);
  expect(result.refunds).toBeGreaterThan(60);
  expect(lines.length).toBeGreaterThan(1);
  await seedMass(database.owner, { rows: 2_000, seed: 7, now: NOW });
  expect(await count()).toBe(before + 8_000);
  for (const check of await checkSeed(pool)) {
    expect(check.looked, check.name).toBeGreaterThan(0);
    expect(check.problems, check.name).toEqual([]);
  }
  // What `doctor` and the hourly checks of a running product look at holds as well.
  const opened = openDatabase(database.app, 1);
  try {
    for (const { name, check } of registrations.flatMap((service) => service.invariants ?? []))
      expect([name, (await check({ database: opened } as Platform)).problems]).toEqual([name, []]);
  } finally {
    await opened.close();
  }
}, 180_000);

test('references are checked, and a planted orphan is found', async () => {
  const owner = new pg.Pool({ ...database.owner, max: 1 });
  try {
    expect(await verifyReferences(owner, ['sales_order', 'order_line', 'refund'])).toBeGreaterThan(8);
    await owner.query(`SET session_replication_role = replica`);
    await owner.query('BEGIN');
    await owner.query('UPDATE order_line SET product_id = -1 WHERE id = (SELECT max(id) FROM order_line)');
    await expect(verifyReferences(owner, ['order_line'])).rejects.toThrow(
      '1 rows of order_line refer to nothing',
    );
    await owner.query('ROLLBACK');
  } finally {
    await owner.end();
  }
});

test('spreads over projects, merchants, states and three years, never over today', async () => {
  const { rows } = await pool.query(
    `SELECT count(DISTINCT project_id)::int AS projects, count(DISTINCT tenant_id)::int AS merchants, count(DISTINCT state)::int AS states,
            count(DISTINCT (created_at AT TIME ZONE 'Asia/Shanghai')::date)::int AS days,
            count(*) FILTER (WHERE merchant_coupon > 0)::int AS merchant_coupons, count(*) FILTER (WHERE platform_coupon > 0)::int AS platform_coupons,
            count(*) FILTER (WHERE manual_off > 0)::int AS lowered, max(created_at) < $1 AS past
       FROM sales_order WHERE id > (SELECT max(id) - 8000 FROM sales_order)`,
    [NOW],
  );
  expect(rows[0]).toMatchObject({ projects: 6, merchants: 8, past: true });
  expect(rows[0].states).toBeGreaterThanOrEqual(4);
  expect(rows[0].days).toBeGreaterThan(1_050);
  for (const kind of ['merchant_coupons', 'platform_coupons', 'lowered'])
    expect(rows[0][kind], kind).toBeGreaterThan(20);
});

test('the same seed gives the same rows, whatever the number of connections', async () => {
  const sums: unknown[] = [];
  for (const connections of [1, 2]) {
    const other = await cloneDatabase();
    const second = new pg.Pool({ ...other.app, max: 1 });
    try {
      await seedReference(second);
      await seedDemo(second, { seed: 42, now: NOW });
      await seedMass(other.owner, { rows: 22_000, seed: 7, now: NOW, connections });
      sums.push((await second.query(SUM)).rows[0]);
    } finally {
      await second.end();
      await other.drop();
    }
  }
  expect(sums[0]).toEqual(sums[1]);
}, 180_000);

test('a database without the demonstration set is refused', async () => {
  const empty = await cloneDatabase();
  try {
    const reference = new pg.Pool({ ...empty.app, max: 1 });
    await seedReference(reference);
    await reference.end();
    await expect(seedMass(empty.owner, { rows: 10, now: NOW })).rejects.toThrow('seedDemo');
  } finally {
    await empty.drop();
  }
});
