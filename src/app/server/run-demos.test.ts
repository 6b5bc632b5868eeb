import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { businessDayOf } from '../../kernel/contract/time.rules.ts';
import { openDatabase, run } from '../../kernel/server/database.ts';
import { defineDemo, type Demo } from '../../kernel/server/demo.ts';
import { demos } from '../registry/demos.gen.ts';
import { registrations } from '../registry/registrations.gen.ts';
import { clonePrepared, type TestDatabase } from '../../testing/test-database.ts';
import { startTestProduct } from '../../testing/test-product.ts';
import { createPlatform, type OpenPlatform } from './create-platform.ts';
import { migrate } from './migrate.ts';
import { pendingDemos, runDemos, sortDemos } from './run-demos.ts';
import { seedDemo } from './seed-demo/seed-demo.ts';
import { ensureFirstAdministrator } from './session/first-administrator.ts';
import { syncMenus } from './session/sync-menus.ts';

/*
 * Demonstration rows beside features: run by key, once, in the order of their `after`, the same for the same moment, and
 * such that every rule of `doctor` holds.
 */

const HOUR = 3_600_000;
/** This hour: commands compare what they are given with the clock, so that rows of a moment long past could not be made. */
const NOW = new Date(Math.floor(Date.now() / HOUR) * HOUR);
const opened: { database: TestDatabase; platform: OpenPlatform }[] = [];

/** An installation with the base set, as one that was seeded by an earlier release. */
async function installation(): Promise<OpenPlatform> {
  const database = await clonePrepared('test_demo_base', async ({ app }) => {
    const open = openDatabase(app, 4);
    try {
      await syncMenus(open.db, registrations);
      await ensureFirstAdministrator(open.db, { password: 'Xk7#mQ2vLp9!' });
      await seedDemo(open.pool, { seed: 42, now: NOW });
    } finally {
      await open.close();
    }
  });
  const platform = createPlatform({
    database: database.app,
    registrations,
    config: {
      dataDir: path.join(os.tmpdir(), `demos-${process.pid}`),
      storageUrl: undefined,
      secretKey: Buffer.alloc(32),
      build: 'test',
    },
    log: { info: () => {}, warn: () => {}, error: (data: object | string) => console.error(data) },
    poolSize: 3,
  });
  opened.push({ database, platform });
  return platform;
}

let platform: OpenPlatform;
beforeAll(async () => {
  platform = await installation();
}, 400_000);
afterAll(async () => {
  for (const { database, platform: one } of opened) {
    await one.close();
    await database.drop();
  }
});

const set = (key: string, after: string[] = [], work: Demo['run'] = async () => {}) =>
  defineDemo({ key, after, run: work });

describe('the order', () => {
  test('follows what each comes after, then the keys', () => {
    const order = sortDemos([
      set('visits', ['posts', 'base']),
      set('posts', ['zones']),
      set('zones'),
      set('a'),
    ]);
    expect(order.map((demo) => demo.key)).toEqual(['a', 'zones', 'posts', 'visits']);
  });
  test('refuses circles, unknown names and names used twice', () => {
    expect(() => sortDemos([set('a', ['b']), set('b', ['a'])])).toThrow(/a → b → a/);
    expect(() => sortDemos([set('a', ['places'])])).toThrow(/a comes after places, which does not exist/);
    expect(() => sortDemos([set('a'), set('a')])).toThrow(/Two demonstration sets are named a/);
    expect(() => sortDemos([set('base')])).toThrow(/base/);
  });
});

describe('a running installation', () => {
  test('gets new sets once, also when several start at once; one that fails leaves nothing behind', async () => {
    const one = await installation();
    let runs = 0;
    const posts = set('posts', [], async ({ insert, tell, base, now, system, as, random }) => {
      runs++;
      const [id] = await insert('group_type', [
        { code: 'shown', name: `示例${random.digits(2)}`, created_by: as('mall1').staffId, version: 1 },
      ]);
      await tell({
        entity: 'groupType',
        entityId: id!,
        caller: system,
        action: 'create',
        label: ['新增', 'Add'],
        at: now,
      });
      expect(base.projects).toHaveLength(6);
      expect([base.merchants.length, base.centres.length > 0, base.departments.length > 10]).toEqual([
        8,
        true,
        true,
      ]);
      expect([system.tenantKind, system.menus.has('groupTypeManager')]).toEqual([3, true]);
      expect(() => as('nobody')).toThrow(/no staff nobody/);
      await expect(
        tell({
          entity: 'groupType',
          entityId: id!,
          action: 'later',
          label: ['后', 'Later'],
          at: new Date(now.getTime() + 1),
        }),
      ).rejects.toThrow(/still to come/);
    });
    const broken = set('broken', ['posts'], async ({ insert }) => {
      await insert('group_type', [{ code: 'halfway', name: '半途', version: 1 }]);
      throw new Error('planted');
    });
    const both = await Promise.all([
      runDemos(one, [posts], { now: NOW }),
      runDemos(one, [posts], { now: NOW }),
    ]);
    expect([both.flat(), runs]).toEqual([['posts'], 1]);
    await expect(runDemos(one, [posts, broken], { now: NOW })).rejects.toThrow('planted');
    expect((await pendingDemos(one.database.db, [posts, broken])).map((demo) => demo.key)).toEqual([
      'broken',
    ]);
    const rows = await run<{ code: string }>(
      one.database.db,
      `SELECT code FROM group_type WHERE code IN ('shown', 'halfway')`,
    );
    expect(rows).toEqual([{ code: 'shown' }]);
    const events = await run<{ at: Date }>(
      one.database.db,
      `SELECT at FROM entity_event WHERE entity = 'groupType'`,
    );
    expect(events).toEqual([{ at: NOW }]);
  });

  test('counts as having the base set when an earlier release seeded it', async () => {
    const one = await installation();
    const { owner } = opened.at(-1)!.database;
    const asOwner = openDatabase(owner, 1);
    try {
      await run(asOwner.db, 'DROP TABLE demo_set');
      await run(asOwner.db, `DELETE FROM schema_migration WHERE name = '202611221720_demo_sets.sql'`);
    } finally {
      await asOwner.close();
    }
    expect((await migrate(owner)).applied).toEqual(['202611221720_demo_sets.sql']);
    expect(await runDemos(one, [set('posts')], { now: NOW })).toEqual(['posts']);
  });

  test('without the base set gets nothing', async () => {
    const one = await installation();
    await run(one.database.db, 'DELETE FROM demo_set');
    expect(await runDemos(one, [set('posts')])).toEqual([]);
  });
});

describe('the sets of this release', () => {
  /** The moment so many minutes after a month begins, in months from now. */
  const turn = (months: number, minutes: number): Date => {
    const [year, month] = businessDayOf(NOW).split('-').map(Number) as [number, number];
    return new Date(Date.UTC(year, month - 1 + months) - 8 * HOUR + minutes * 60_000);
  };

  // The hour of the run is that of the rows all other tests stand on.
  test('a month begins: they stand once, give the same rows for the same moment, and all rules of doctor hold', async () => {
    const now = turn(1, 4);
    const other = await installation();
    const keys = sortDemos(demos).map((demo) => demo.key);
    expect(keys.length).toBeGreaterThan(0);
    const before = await contents(platform);
    for (const each of [platform, other])
      expect(await runDemos(each, demos, { seed: 42, now })).toEqual(keys);
    const after = await contents(platform);
    expect(after).not.toEqual(before);
    expect(await contents(other)).toEqual(after);
    expect(await runDemos(platform, demos, { seed: 42, now })).toEqual([]);
    expect(await contents(platform)).toEqual(after);
    await expectSound(platform);
  }, 400_000);

  test('a month ends: they stand, and all rules of doctor hold', async () => {
    const one = await installation();
    expect((await runDemos(one, demos, { seed: 42, now: turn(2, -4) })).length).toBe(demos.length);
    await expectSound(one);
  }, 400_000);

  test('now: all rules of doctor hold', async () => {
    const product = await startTestProduct();
    await expectSound(product.platform);
    await product.close();
  }, 400_000);
});

async function expectSound(one: OpenPlatform): Promise<void> {
  for (const invariant of registrations.flatMap((service) => service.invariants ?? []))
    expect([invariant.name, (await invariant.check(one)).problems]).toEqual([invariant.name, []]);
}

/** A sum of the rows of every table but for columns that the database fills by the clock or by chance. */
async function contents(one: OpenPlatform): Promise<Record<string, string>> {
  const tables = await run<{ name: string; columns: string }>(
    one.database.db,
    `SELECT c.relname AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attname) AS columns
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND c.relname NOT IN ('audit_record', 'setting', 'work_order_seen')
        -- The store names its files at random, sealed amounts are drawn; versions of orders are told by transactions and the clock,
        -- as are the ends of stages and the moments of bookings, which triggers note.
        AND (c.relname, a.attname) NOT IN (('stored_file', 'storage_key'), ('payee_account', 'verify_amount'),
          ('client_stage', 'left_at'), ('points_line', 'at'))
        AND coalesce(pg_get_expr(d.adbin, d.adrelid), '') !~ '(now|clock_timestamp|gen_random_uuid)\\('
      GROUP BY c.relname ORDER BY c.relname`,
  );
  const sums: Record<string, string> = {};
  for (const { name, columns } of tables) {
    const [row] = await run<{ sum: string }>(
      one.database.db,
      `SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) AS sum FROM (SELECT ${columns} FROM ${name}) t`,
    );
    sums[name] = row!.sum;
  }
  return sums;
}
