import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import type { Demo, DemoBase, DemoContext, DemoStaff } from '../../kernel/server/demo.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { SYSTEM_NAME, type Caller, type MenuScope } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { createRandom } from './seed-demo/random.ts';
import { readSeedFile } from './seed-demo/seed-file.ts';
import type { StaffData } from './seed-demo/staff.ts';
import { SEED_LOCK } from './seed-reference.ts';

/** How demonstration rows beside features are made; the same seed and now give the same rows. */
export interface RunDemosOptions {
  readonly seed?: number;
  /** The instant the rows are alive at; the current second when absent. */
  readonly now?: Date;
}

/**
 * Adds the demonstration rows a database with the base set does not have yet, each set once and in a transaction of its
 * own; returns their keys. Safe to run by several starters at once.
 */
export async function runDemos(
  platform: Platform,
  demos: readonly Demo[],
  options: RunDemosOptions = {},
): Promise<string[]> {
  const { db } = platform.database;
  const now = options.now ?? new Date(Math.floor(Date.now() / 1_000) * 1_000);
  const done: string[] = [];
  for (const demo of await pendingDemos(db, demos)) {
    const isNew = await transaction(db, async (tx) => {
      await run(tx, 'SELECT pg_advisory_xact_lock($1)', [SEED_LOCK]);
      const [row] = await run(
        tx,
        'INSERT INTO demo_set (key) VALUES ($1) ON CONFLICT DO NOTHING RETURNING key',
        [demo.key],
      );
      if (row) await demo.run(await contextOf(tx, platform, demo.key, options.seed ?? 42, now));
      return row !== undefined;
    });
    if (isNew) done.push(demo.key);
  }
  return done;
}

/** The sets still missing, in the order they are to run; none for a database without the base set. */
export async function pendingDemos(db: Executor, demos: readonly Demo[]): Promise<readonly Demo[]> {
  const order = sortDemos(demos);
  const rows = await run<{ key: string }>(db, 'SELECT key FROM demo_set');
  const has = new Set(rows.map((row) => row.key));
  return has.has(BASE) ? order.filter((demo) => !has.has(demo.key)) : [];
}

/** Demonstration sets in the order of their `after`, by key where that says nothing; throws on unknown keys and circles. */
export function sortDemos(demos: readonly Demo[]): readonly Demo[] {
  const byKey = new Map<string, Demo>();
  for (const demo of demos) {
    if (demo.key === BASE || byKey.has(demo.key))
      throw new Error(`Two demonstration sets are named ${demo.key}`);
    byKey.set(demo.key, demo);
  }
  const order: Demo[] = [];
  const placed = new Set<string>([BASE]);
  const place = (key: string, way: readonly string[]): void => {
    if (placed.has(key)) return;
    if (way.includes(key))
      throw new Error(`Demonstration sets wait for each other: ${[...way, key].join(' → ')}`);
    const demo = byKey.get(key);
    if (!demo) throw new Error(`Demonstration set ${way.at(-1)} comes after ${key}, which does not exist`);
    for (const before of demo.after.toSorted()) place(before, [...way, key]);
    placed.add(key);
    order.push(demo);
  };
  for (const key of [...byKey.keys()].sort()) place(key, []);
  return order;
}

/** Key of the set that seed-demo writes. */
const BASE = 'base';

async function contextOf(
  tx: Tx,
  platform: Platform,
  key: string,
  seed: number,
  now: Date,
): Promise<DemoContext> {
  const base = await readBase(tx);
  const rights = await everyRight(tx);
  const first = [...base.staff.values()].find((staff) => staff.tenantId === base.platformId);
  if (!first) throw new Error('The base set has no staff of the platform');
  const kinds = new Map(
    (await run<{ id: number; kind: Caller['tenantKind'] }>(tx, 'SELECT id, kind FROM tenant')).map((row) => [
      row.id,
      row.kind,
    ]),
  );
  const callerOf = (staff: DemoStaff, name: string): Caller => ({
    sessionId: 0,
    staffId: staff.id,
    account: staff.account,
    name,
    tenantId: staff.tenantId,
    tenantKind: kinds.get(staff.tenantId)!,
    departmentId: staff.departmentId,
    projectIds: null,
    ...rights,
    mustChangePassword: false,
    locked: false,
    epoch: 'demo',
  });
  return {
    tx,
    platform,
    random: createRandom(seed, `demo ${key}`),
    now,
    base,
    system: callerOf(first, SYSTEM_NAME),
    as: (account) => {
      const staff = base.staff.get(account);
      if (!staff) throw new Error(`The base set has no staff ${account}`);
      return callerOf(staff, staff.name);
    },
    facts: { address: '', userAgent: 'demo', language: 'zh', traceId: '' },
    insert: (table, rows) => insert(tx, table, rows),
    tell: async (entry) => {
      if (entry.at > now) throw new Error(`demo ${key}: ${entry.action} is told of an instant still to come`);
      await writeTimeline(tx, entry);
    },
  };
}

async function everyRight(tx: Tx): Promise<Pick<Caller, 'menus' | 'elements'>> {
  const menus = await run<{ code: string }>(tx, 'SELECT code FROM menu WHERE built AND NOT retired');
  const elements = await run<{ code: string }>(tx, 'SELECT code FROM element WHERE NOT retired');
  const all: readonly MenuScope[] = [{ kind: 'all' }];
  return {
    menus: new Map(menus.map((row) => [row.code, all])),
    elements: new Set(elements.map((row) => row.code)),
  };
}

async function readBase(tx: Tx): Promise<DemoBase> {
  const platform = await runOne<{ id: number }>(
    tx,
    'SELECT id FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1',
  );
  const tenants = await run<{ id: number; account: string; name: string; kind: number }>(
    tx,
    'SELECT id, account, name, kind FROM tenant ORDER BY id',
  );
  const accounts = readSeedFile<StaffData>('demo-staff').staff.map(([account]) => account);
  const staff = await run<DemoStaff>(
    tx,
    `SELECT id, account, name, tenant_id AS "tenantId", department_id AS "departmentId"
       FROM staff WHERE account = ANY ($1) ORDER BY id`,
    [accounts],
  );
  return {
    platformId: platform!.id,
    tenants: new Map(tenants.map((row) => [row.account, row.id])),
    merchants: tenants
      .filter((row) => row.kind === 2)
      .map(({ id, account, name }) => ({ id, account, name })),
    centres: await run(tx, `SELECT id, code, name FROM organisation WHERE kind = 'centre_city' ORDER BY id`),
    projects: await run(tx, 'SELECT id, code, name, centre_id AS "centreId" FROM project ORDER BY id'),
    departments: await run(tx, 'SELECT id, tenant_id AS "tenantId", code FROM department ORDER BY id'),
    staff: new Map(staff.map((row) => [row.account, row])),
  };
}

async function insert(
  tx: Tx,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<number[]> {
  const first = rows[0];
  if (!first) return [];
  const columns = Object.keys(first).join(', ');
  const made = await run<{ id?: number }>(
    tx,
    `INSERT INTO ${table} (${columns})
     SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb) RETURNING ${table}.*`,
    [JSON.stringify(rows)],
  );
  return made.map((row) => row.id ?? 0);
}
