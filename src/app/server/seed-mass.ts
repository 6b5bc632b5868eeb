import pg from 'pg';
import { addDays, businessDayOf } from '../../kernel/contract/time.rules.ts';
import { insertRows, type Runner, takeIds } from './seed-demo/insert-rows.ts';
import { createRandom } from './seed-demo/random.ts';
import { readSeedFile } from './seed-demo/seed-file.ts';
import { BATCH_SQL } from './seed-mass-sql.ts';

/** How many orders are wanted, and from which seed. */
export interface SeedMassOptions {
  rows: number;
  seed?: number;
  /** The orders lie in the three years before this day; today when absent. */
  now?: Date;
  log?: (line: string) => void;
  /** Connections writing at once. */
  connections?: number;
}

/** What seedMass wrote. */
export interface SeedMassResult {
  orders: number;
  lines: number;
  refunds: number;
  members: number;
}

/**
 * Adds `rows` goods orders with payments, lines, shares, parcels and refunds (about 2 in 100) to a database that has
 * the demonstration set; the goods, shops and projects are those of the set. The same options on the same database give
 * the same rows. `owner` must own the tables, as statistics are gathered at the end. Where it may, references are checked
 * once at the end instead of row by row. A run that breaks off leaves whole days, without their stock movements.
 */
export async function seedMass(owner: pg.PoolConfig, options: SeedMassOptions): Promise<SeedMassResult> {
  const { rows, seed = 42, log = () => {}, connections = 2 } = options;
  const today = businessDayOf(options.now ?? new Date());
  const bulk = await maySkipReferences(owner);
  const pool = new pg.Pool({
    ...owner,
    max: connections,
    options: `${owner.options ?? ''} ${SESSION} ${bulk ? '-c session_replication_role=replica' : ''}`,
  });
  pool.on('error', () => {});
  try {
    const members = await addMembers(pool, Math.min(MOST_MEMBERS, Math.floor(rows / 25)), seed);
    const coupons = await addCoupons(pool, rows, today);
    const days = await reserveDays(pool, rows, seed, today);
    const firstPayment = await takeIds(pool, 'payment', rows);
    const firstOrder = await takeIds(pool, 'sales_order', rows);
    const batches = batchesOf(days);
    const texts = JSON.stringify(readTexts());
    const total = { orders: 0, lines: 0, refunds: 0 };
    const started = Date.now();
    let next = 0;
    const work = async (): Promise<void> => {
      for (let batch = batches[next++]; batch; batch = batches[next++]) {
        const column = (name: keyof Day) => batch.map((day) => day[name]);
        const { rows: counts } = await pool.query<typeof total>(BATCH_SQL, [
          column('day'),
          column('first'),
          column('count'),
          column('usedCk'),
          column('usedSo'),
          column('usedRf'),
          firstPayment - 1,
          firstOrder - 1,
          seed,
          today,
          texts,
          coupons,
        ]);
        total.orders += counts[0]!.orders;
        total.lines += counts[0]!.lines;
        total.refunds += counts[0]!.refunds;
        log(`${total.orders} of ${rows} orders, ${((Date.now() - started) / 1_000).toFixed(0)} s`);
      }
    };
    await Promise.all(Array.from({ length: connections }, work));
    log('Booking stock and coupons, gathering statistics');
    const last: (() => Promise<unknown>)[] = [
      () => mergeKeywords(pool),
      () => withTriggers(pool, bulk, (client) => bookStock(client, firstOrder, rows)),
      () => pool.query(COUNT_COUPONS, [coupons]),
      // Vacuumed, so that deep pages are answered from the index alone, as in a database that has lived a while.
      ...WRITTEN_TABLES.map((table) => () => pool.query(`VACUUM (ANALYZE) ${table}`)),
    ];
    await Promise.all(last.map((step) => step()));
    if (bulk) {
      log('Checking references');
      await verifyReferences(pool, [...WRITTEN_TABLES, 'stock_movement']);
    }
    return { ...total, members };
  } finally {
    await pool.end();
  }
}

/** Whether a role may leave reference checks to the end of a run; elsewhere the database checks them row by row. */
async function maySkipReferences(owner: pg.PoolConfig): Promise<boolean> {
  const client = new pg.Client(owner);
  await client.connect();
  try {
    const { rows } = await client.query<{ may: boolean }>(
      `SELECT has_parameter_privilege(current_user, 'session_replication_role', 'SET') AS may`,
    );
    return rows[0]!.may;
  } finally {
    await client.end();
  }
}

/** Compares every foreign key of the named tables with what it refers to. Throws with the first constraint that does not hold. */
export async function verifyReferences(db: Runner, tables: readonly string[]): Promise<number> {
  const { rows: keys } = await db.query<{
    name: string;
    child: string;
    parent: string;
    pairs: [string, string][];
  }>(
    `SELECT c.conname AS name, c.conrelid::regclass::text AS child, c.confrelid::regclass::text AS parent,
            (SELECT json_agg(json_build_array(quote_ident(a.attname), quote_ident(b.attname)) ORDER BY k.place)
               FROM unnest(c.conkey, c.confkey) WITH ORDINALITY AS k (mine, theirs, place)
               JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.mine
               JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = k.theirs) AS pairs
       FROM pg_constraint c WHERE c.contype = 'f' AND c.conrelid::regclass::text = ANY ($1::text[]) ORDER BY 1`,
    [tables],
  );
  const check = async ({ name, child, parent, pairs }: (typeof keys)[number]): Promise<void> => {
    const match = pairs.map(([mine, theirs]) => `p.${theirs} = c.${mine}`).join(' AND ');
    const given = pairs.map(([mine]) => `c.${mine} IS NOT NULL`).join(' AND ');
    const { rows } = await db.query<{ lost: number }>(
      `SELECT count(*)::int AS lost FROM ${child} c WHERE ${given} AND NOT EXISTS (SELECT FROM ${parent} p WHERE ${match})`,
    );
    if (rows[0]!.lost > 0) throw new Error(`${name}: ${rows[0]!.lost} rows of ${child} refer to nothing`);
  };
  await Promise.all(keys.map(check));
  return keys.length;
}

const WRITTEN_TABLES = [
  'sales_order',
  'order_line',
  'payment',
  'order_share',
  'refund',
  'refund_line',
  'shipment',
  'shipment_line',
  'member_coupon',
  'sandbox_trade',
  'member',
];
const YEARS_OF_DAYS = 1_095;
const ORDERS_A_BATCH = 20_000;
const MOST_MEMBERS = 40_000;
/** Refunds carry the number of the third day on; the last days have none, so that no number of today is used. */
const LAST_REFUND_AGE = 4;
/** Row estimates of a statement in steps are far off, and a nested loop over them would never end. */
const SESSION =
  '-c statement_timeout=0 -c synchronous_commit=off -c enable_nestloop=off -c enable_mergejoin=off -c join_collapse_limit=1 -c from_collapse_limit=1 -c work_mem=64MB -c maintenance_work_mem=512MB -c gin_pending_list_limit=1GB -c jit=off';

interface Day {
  day: string;
  /** Number of its first order, from 1. */
  first: number;
  count: number;
  usedCk: number;
  usedSo: number;
  usedRf: number;
}

/** Spreads the orders over the days (growing, fuller at weekends) and reserves their readable numbers. */
async function reserveDays(db: Runner, rows: number, seed: number, today: string): Promise<Day[]> {
  const random = createRandom(seed, 'mass-days');
  const weights = Array.from({ length: YEARS_OF_DAYS }, (_, index) => {
    const weekday = new Date(`${addDays(today, index - YEARS_OF_DAYS)}T00:00:00Z`).getUTCDay();
    return (
      (0.6 + (0.8 * index) / YEARS_OF_DAYS) *
      (weekday === 0 || weekday === 6 ? 1.3 : 1) *
      (0.85 + random.next() * 0.3)
    );
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const days: Day[] = [];
  let reached = 0;
  let before = 0;
  weights.forEach((weight, index) => {
    reached += weight;
    const end = index === weights.length - 1 ? rows : Math.round((rows * reached) / total);
    const day = addDays(today, index - YEARS_OF_DAYS);
    if (end > before)
      days.push({ day, first: before + 1, count: end - before, usedCk: 0, usedSo: 0, usedRf: 0 });
    before = end;
  });
  const refundable = days.filter((day) => addDays(day.day, LAST_REFUND_AGE) < today);
  await reserveCodes(
    db,
    'CK',
    days,
    (day) => day.day,
    (day, used) => (day.usedCk = used),
  );
  await reserveCodes(
    db,
    'SO',
    days,
    (day) => day.day,
    (day, used) => (day.usedSo = used),
  );
  await reserveCodes(
    db,
    'RF',
    refundable,
    (day) => addDays(day.day, 3),
    (day, used) => (day.usedRf = used),
  );
  return days;
}

async function reserveCodes(
  db: Runner,
  prefix: string,
  days: readonly Day[],
  dayOf: (day: Day) => string,
  set: (day: Day, used: number) => void,
): Promise<void> {
  const { rows } = await db.query<{ day: string; value: string }>(
    `INSERT INTO code_counter (prefix, day, value)
     SELECT $1, d.day, d.count FROM unnest($2::date[], $3::bigint[]) AS d (day, count)
     ON CONFLICT (prefix, day) DO UPDATE SET value = code_counter.value + excluded.value
     RETURNING to_char(day, 'YYYY-MM-DD') AS day, value`,
    [prefix, days.map(dayOf), days.map((day) => day.count)],
  );
  const values = new Map(rows.map((row) => [row.day, Number(row.value)]));
  for (const day of days) set(day, values.get(dayOf(day))! - day.count);
}

/** Whole days until a batch is full. */
function batchesOf(days: readonly Day[]): Day[][] {
  const batches: Day[][] = [];
  let size = ORDERS_A_BATCH;
  for (const day of days) {
    if (size >= ORDERS_A_BATCH) {
      batches.push([]);
      size = 0;
    }
    batches.at(-1)!.push(day);
    size += day.count;
  }
  return batches;
}

async function addMembers(db: Runner, count: number, seed: number): Promise<number> {
  const people = readSeedFile<{ surnames: string; female: string[]; male: string[] }>('demo-people');
  const { rowCount } = await db.query(
    `INSERT INTO member (name, phone, sex, project_id, registered_at, last_active_on)
     SELECT substr($3, 1 + ((h & 255) % length($3))::int, 1) || ($4::text[])[1 + (h >> 8 & 1023) % cardinality($4::text[])],
            '170' || lpad(((SELECT coalesce(max(id), 0) FROM member) + n)::text, 8, '0'),
            CASE WHEN (h >> 8 & 1023) % cardinality($4::text[]) < $5 THEN 0 ELSE 1 END, p.id,
            now() - interval '3 years' - (h >> 20 & 511) * interval '1 day', current_date - (h >> 30 & 63)::int
       FROM generate_series(1, $1::int) AS n
       CROSS JOIN LATERAL (SELECT hashint8extended(n, $2) & 1152921504606846975) AS x (h)
       JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS projects FROM project) p
         ON p.place = (h >> 40) % p.projects`,
    [count, seed, people.surnames, [...people.female, ...people.male], people.female.length],
  );
  return rowCount ?? 0;
}

/** Coupons of the size a run needs: the platform's 20.00 off 150.00 and one 10.00 off 100.00 a merchant. */
async function addCoupons(db: Runner, rows: number, today: string): Promise<number[]> {
  const platformCoupons = Math.ceil(rows / 8_000_000);
  const { rows: tenants } = await db.query<{ id: string; kind: number }>(
    `SELECT id, kind FROM tenant t
      WHERE (kind = 3 OR (kind = 2 AND EXISTS (SELECT FROM product p WHERE p.tenant_id = t.id))) ORDER BY kind DESC, id`,
  );
  const wanted = tenants.flatMap((tenant) =>
    Array.from({ length: tenant.kind === 3 ? platformCoupons : Math.ceil(rows / 16_000_000) }, () => tenant),
  );
  if (wanted.length < 2) throw new Error('The demonstration set is missing; run seedDemo first');
  const { coupons } = readSeedFile<{ coupons: { name: string }[] }>('demo-goods');
  const first = await takeIds(db, 'coupon', wanted.length);
  await insertRows(
    db,
    'coupon',
    wanted.map((tenant, index) => ({
      id: first + index,
      code: `CP${String(first + index).padStart(6, '0')}`,
      name: coupons[tenant.kind === 3 ? 0 : 4]!.name.slice(-7),
      type: 'cash',
      issuer: tenant.kind === 3 ? 'platform' : 'merchant',
      tenant_id: tenant.id,
      threshold: tenant.kind === 3 ? 15_000 : 10_000,
      face: tenant.kind === 3 ? 2_000 : 1_000,
      bearer_platform_percent: tenant.kind === 3 ? 100 : 0,
      returnable: false,
      total: 1_000_000,
      per_limit: 99,
      starts_at: `${addDays(today, -YEARS_OF_DAYS - 10)}T00:00:00+08:00`,
      ends_at: `${addDays(today, 30)}T00:00:00+08:00`,
      status: 'in_use',
    })),
  );
  return wanted.map((_, index) => first + index);
}

function readTexts(): Record<string, string> {
  const texts = readSeedFile<{
    titleMore: string;
    closeReasons: { timeout: string; refunded: string };
    refundReasons: [string, string][];
    couriers: [string, string][];
  }>('demo-texts');
  const { words } = readSeedFile<{ words: Record<string, string> }>('demo-places');
  return {
    more: texts.titleMore,
    closed: texts.closeReasons.timeout,
    refunded: texts.closeReasons.refunded,
    reason: texts.refundReasons[0]![1],
    courier: texts.couriers[0]![0],
    ...words,
  };
}

/**
 * Movements of each kind for the whole run a spec, those of refunds one by one. What was sold came in before, and what
 * was given back went out again, so that what can be sold today stays as it was.
 */
async function bookStock(db: Runner, firstOrder: number, rows: number): Promise<void> {
  await db.query(
    `WITH written AS MATERIALIZED (
       SELECT l.order_id, l.spec_id, l.qty, l.qty_refunded_unshipped AS back, o.paid_at IS NULL AS unpaid
         FROM sales_order o JOIN order_line l ON l.order_id = o.id
        WHERE o.id BETWEEN $1::bigint AND $1::bigint + $2::bigint - 1),
     moved AS MATERIALIZED (
       SELECT spec_id, sum(qty)::int AS ordered, coalesce(sum(qty) FILTER (WHERE unpaid), 0)::int AS unpaid, sum(back)::int AS back
         FROM written GROUP BY spec_id),
     returned AS (
       SELECT w.spec_id, w.back AS qty, r.id AS refund_id, sum(w.back) OVER (PARTITION BY w.spec_id ORDER BY r.id) AS so_far
         FROM written w JOIN refund r ON r.order_id = w.order_id WHERE w.back > 0),
     step AS (
       SELECT m.spec_id, k.*, 'seed_mass' AS source, $1::bigint AS source_id
         FROM moved m CROSS JOIN LATERAL (VALUES (1, 1, m.ordered, 0, m.ordered), (2, 3, -m.ordered, m.ordered, 0),
           (3, 4, m.unpaid, 0, m.unpaid), (4, 5, m.unpaid - m.ordered, m.unpaid, m.unpaid),
           (6, 2, -m.unpaid - m.back, m.unpaid + m.back, 0)) AS k (place, op, qty, before, after)
        WHERE k.qty <> 0
       UNION ALL
       SELECT r.spec_id, 5, 6, r.qty, m.unpaid + r.so_far - r.qty, m.unpaid + r.so_far, 'refund', r.refund_id
         FROM returned r JOIN moved m USING (spec_id)),
     noted AS (
       INSERT INTO stock_movement (spec_id, op, qty, stock_before, stock_after, source_type, source_id)
       SELECT s.id, k.op, k.qty, s.stock + k.before, s.stock + k.after, k.source, k.source_id::text
         FROM step k JOIN product_spec s ON s.id = k.spec_id ORDER BY s.id, k.place, k.source_id)
     UPDATE product_spec s SET sold = s.sold + m.ordered - m.unpaid - m.back FROM moved m WHERE m.spec_id = s.id`,
    [firstOrder, rows],
  );
}

/** Runs what database triggers must follow: totals of products are kept by one, and a run without reference checks has none. */
async function withTriggers(pool: pg.Pool, bulk: boolean, work: (client: pg.PoolClient) => Promise<void>) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    if (bulk) await client.query('SET LOCAL session_replication_role = origin');
    await work(client);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

/** Keywords of new rows wait in a list that grows with the run, as merging them in small pieces takes far longer. */
async function mergeKeywords(db: Runner): Promise<void> {
  await db.query(
    `SELECT gin_clean_pending_list(i.indexrelid)
       FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
      WHERE a.amname = 'gin' AND i.indrelid IN ('sales_order'::regclass, 'refund'::regclass)`,
  );
}

const COUNT_COUPONS = `
  UPDATE coupon c SET claimed = m.claimed, used = m.used
    FROM (SELECT coupon_id, count(*)::int AS claimed, (count(*) FILTER (WHERE status = 'used'))::int AS used
            FROM member_coupon WHERE coupon_id = ANY ($1::bigint[]) GROUP BY coupon_id) m
   WHERE m.coupon_id = c.id`;
