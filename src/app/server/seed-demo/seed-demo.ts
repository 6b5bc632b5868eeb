import { hash } from '@node-rs/argon2';
import type pg from 'pg';
import { SEED_LOCK } from '../seed-reference.ts';
import { CodeBook } from './code-book.ts';
import { couponCode, planCoupons, writeCoupons, writeMemberCoupons } from './coupons.ts';
import { planGoods, writeGoods } from './goods.ts';
import { grantDemoGroups, type GrantCount } from './grants.ts';
import { insertRows, type Runner, takeIds } from './insert-rows.ts';
import type { Market } from './market.ts';
import { seedOvertime } from './overtime.ts';
import { seedPeople } from './people.ts';
import { seedPictures } from './pictures.ts';
import { seedPlaces } from './places.ts';
import { createRandom } from './random.ts';
import { writeRefunds } from './refund-rows.ts';
import { simulateTrade } from './simulate.ts';
import { seedStaff } from './staff.ts';
import { takeTradeIds, writeOrders, writePayments } from './trade-rows.ts';
import type { World } from './world.ts';

/** How a demonstration set is made; the same seed and now give the same rows. */
export interface SeedDemoOptions {
  seed?: number;
  /** The instant the set is alive at; the current second when absent. */
  now?: Date;
  /** Password of all demonstration staff. Without it none of them can sign in. */
  demoPassword?: string;
  /** The data folder; pictures go to its folder `files`. Without it products have no pictures. */
  dataDir?: string;
  log?: (line: string) => void;
}

/** What seedDemo wrote, or that there was nothing to do. */
export interface SeedDemoResult {
  seeded: boolean;
  rows: Record<string, number>;
  grants: GrantCount;
}

/**
 * Writes the demonstration set in one transaction: places, people, staff, goods, coupons, points and 120 days of trade.
 * Needs seedReference. A database that has the set already only gets the grants a newer release brings.
 */
export async function seedDemo(db: pg.Pool, options: SeedDemoOptions = {}): Promise<SeedDemoResult> {
  const log = options.log ?? (() => {});
  const passwordHash = options.demoPassword ? await hash(options.demoPassword) : null;
  const client = await db.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [SEED_LOCK]);
    const seeded = !(await hasDemo(client));
    if (seeded) await writeDemo(client, options, passwordHash);
    // What stands beside features refers to this set; see run-demos.ts.
    await client.query(`INSERT INTO demo_set (key) VALUES ('base') ON CONFLICT DO NOTHING`);
    const grants = await grantDemoGroups(client);
    const rows = await countRows(client);
    await client.query('COMMIT');
    log(
      `Demonstration groups hold ${grants.menus} menus and ${grants.elements} elements; ${grants.missing} do not exist yet`,
    );
    if (seeded) await analyze(client);
    return { seeded, rows, grants };
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {}); // the connection itself may be gone
    throw error;
  } finally {
    client.release();
  }
}

/** Tables a demonstration set fills. */
export const DEMO_TABLES = [
  'tenant', 'organisation', 'project', 'house', 'member', 'household', 'department', 'station', 'staff',
  'permission_group', 'product', 'product_spec', 'coupon', 'member_coupon', 'payment', 'sales_order', 'order_line',
  'order_share', 'shipment', 'order_event', 'refund', 'refund_line', 'refund_line_share', 'refund_event',
  'stock_movement', 'ledger_account', 'ledger_transfer', 'ledger_entry', 'points_lot', 'points_lot_use',
  'sandbox_trade', 'sandbox_refund', 'stored_file', 'entity_event',
] as const; // prettier-ignore

async function hasDemo(client: Runner): Promise<boolean> {
  const { rows } = await client.query(`SELECT FROM tenant WHERE account = 'M000001'`);
  return rows.length > 0;
}

async function writeDemo(
  client: Runner,
  options: SeedDemoOptions,
  passwordHash: string | null,
): Promise<void> {
  const now = options.now ?? new Date(Math.floor(Date.now() / 1_000) * 1_000);
  const seed = options.seed ?? 42;
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1',
  );
  if (!rows[0]) throw new Error('The platform tenant is missing; run seedReference first');
  const world: World = {
    seed,
    now,
    platformId: Number(rows[0].id),
    tenants: new Map(),
    projects: [],
    merchants: [],
    members: [],
    staff: new Map(),
    products: [],
    coupons: [],
    memberCoupons: [],
  };
  const houses = await seedPlaces(client, world);
  await seedPeople(client, world, houses);
  await seedStaff(client, world, passwordHash);
  await seedOvertime(client, world);
  await planGoods(client, world, await seedPictures(client, { seed, now, dataDir: options.dataDir }));
  await planCoupons(client, world);
  const codes = new CodeBook();
  const market = simulateTrade(world, codes);
  await takeTradeIds(client, market);
  await giveBackCoupons(client, market);
  await writeGoods(client, world, codes);
  await writeCoupons(client, world);
  await writePayments(client, market);
  await writeMemberCoupons(client, world);
  await writeOrders(client, market);
  await writeRefunds(client, market, codes);
  await insertRows(client, 'stock_movement', market.stock.rows());
  await market.points.write(client);
  await insertRows(client, 'code_counter', codes.rows());
}

/** Statuses never go back: a coupon that a refund returns is a new row with the same end. Source: group 08. */
async function giveBackCoupons(client: Runner, market: Market): Promise<void> {
  const { memberCoupons } = market.world;
  const random = createRandom(market.world.seed, 'returned-coupons');
  const first = await takeIds(client, 'member_coupon', market.returned.length);
  market.returned.forEach(({ from, at }, index) => {
    const claims = memberCoupons.filter(
      (row) => row.coupon === from.coupon && row.memberId === from.memberId,
    );
    memberCoupons.push({
      id: first + index,
      code: couponCode(random.digits(6), first + index),
      coupon: from.coupon,
      memberId: from.memberId,
      claimSeq: claims.length + 1,
      claimedAt: new Date(at),
      returnedFrom: from,
      status: 'claimed',
      lockedPayment: null,
      usedPayment: null,
      usedAt: null,
    });
  });
}

async function countRows(client: Runner): Promise<Record<string, number>> {
  const counts = DEMO_TABLES.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
  const { rows } = await client.query<Record<string, number>>(`SELECT ${counts.join(', ')}`);
  return rows[0]!;
}

/** The planner knows nothing of rows just written; the owner alone may ask, and then it is only slower at first. */
async function analyze(client: Runner): Promise<void> {
  await client.query('ANALYZE').catch(() => {});
}
