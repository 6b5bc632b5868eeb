import {
  addDays,
  businessDayOf,
  endOfBusinessDay,
  startOfBusinessDay,
} from '../../kernel/contract/time.rules.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { defineRegistration } from '../../kernel/server/registration.ts';
import { sqlInvariant } from '../../kernel/server/sql-invariant.ts';
import { dayOf } from '../../kernel/server/today.ts';
import { TEAM_DAYS } from './goods-sales.server.ts';

const KEYS = 'tenant_id, project_id, product_id, spec_id, source';
const SUMS = [
  'views',
  'visitors',
  'carters',
  'orders',
  'buyers',
  'pieces',
  'goods',
  'discount',
  'cash',
  'refund_pieces',
  'refund_cash',
  'booked_pieces',
  'booked_cash',
] as const;
const COLUMNS = `${KEYS}, ${SUMS.join(', ')}`;

/** One of the sources of a day: its keys, and what it adds; everything else is nothing. */
const part = (from: string, sums: Readonly<Partial<Record<(typeof SUMS)[number], string>>>, keys = true) =>
  `SELECT s.tenant_id, s.project_id, s.product_id, ${keys ? 's.spec_id, s.source' : 'NULL::bigint AS spec_id, NULL::smallint AS source'}, ${SUMS.map(
    (name) => `${sums[name] ?? '0'}::bigint AS ${name}`,
  ).join(', ')} FROM ${from} GROUP BY 1, 2, 3, 4, 5`;

/** SQL: the rows of a day ($1 to $2) as they follow from sales, refunds and looks. */
const FRESH = `SELECT ${KEYS}, ${SUMS.map((name) => `sum(${name})::bigint AS ${name}`).join(', ')} FROM (
  ${part(
    // The payment comes first: it is what an index finds; a team forms within days of it.
    `goods_sale s WHERE s.paid_at >= $1::timestamptz - interval '${TEAM_DAYS} days' AND s.paid_at < $2 AND s.sold_at >= $1 AND s.sold_at < $2`,
    {
      orders: 'count(DISTINCT s.order_id)',
      buyers: 'count(DISTINCT s.member_id)',
      pieces: 'sum(s.qty)',
      goods: 'sum(s.goods)',
      discount: 'sum(s.discount)',
      cash: 'sum(s.cash)',
    },
  )}
  UNION ALL ${part('goods_sale_refund s WHERE s.succeeded_at >= $1 AND s.succeeded_at < $2', {
    refund_pieces: 'sum(s.qty)',
    refund_cash: 'sum(s.cash)',
  })}
  UNION ALL ${part(
    'goods_sale_refund s WHERE s.succeeded_at >= $1 AND s.booked_at >= $1 AND s.booked_at < $2',
    {
      booked_pieces: 'sum(s.qty)',
      booked_cash: 'sum(s.cash)',
    },
  )}
  UNION ALL ${part(
    'goods_visit s WHERE s.at >= $1 AND s.at < $2',
    {
      views: `count(*) FILTER (WHERE s.kind = 'view')`,
      visitors: `count(DISTINCT s.visitor) FILTER (WHERE s.kind = 'view')`,
      carters: `count(DISTINCT s.visitor) FILTER (WHERE s.kind = 'cart')`,
    },
    false,
  )}) x GROUP BY ${KEYS}`;

const CHECKSUM = `md5(coalesce(string_agg(concat_ws('|', ${COLUMNS}), ',' ORDER BY project_id, product_id, spec_id NULLS FIRST, source NULLS FIRST), ''))`;

/** Builds the rows of a day anew and returns their checksum; two who build one day come one after the other. */
export async function buildDay(tx: Tx, day: string): Promise<string> {
  await run(tx, `SELECT pg_advisory_xact_lock(hashtext('stat_day'), ($1::date - date '2000-01-01'))`, [day]);
  await run(tx, 'DELETE FROM stat_product_day WHERE day = $1', [day]);
  await run(
    tx,
    `INSERT INTO stat_product_day (day, ${COLUMNS}) SELECT $3::date, ${COLUMNS} FROM (${FRESH}) f`,
    [startOfBusinessDay(day), endOfBusinessDay(day), day],
  );
  const built = (await runOne<{ checksum: string }>(
    tx,
    `INSERT INTO stat_day (day, row_count, checksum) SELECT $1, count(*), ${CHECKSUM} FROM stat_product_day WHERE day = $1
     ON CONFLICT (day) DO UPDATE SET built_at = clock_timestamp(), row_count = excluded.row_count, checksum = excluded.checksum RETURNING checksum`,
    [day],
  ))!;
  return built.checksum;
}

/** The first row of a built day that its sources say otherwise now, in words; undefined where all agree. */
export async function differenceOf(db: Executor, day: string): Promise<string | undefined> {
  const stored = `SELECT ${COLUMNS} FROM stat_product_day WHERE day = $3`;
  const row = await runOne<{ product: string; project: string }>(
    db,
    `SELECT p.code AS product, j.name AS project FROM ((${FRESH} EXCEPT ${stored}) UNION ALL (${stored} EXCEPT ${FRESH})) d
       JOIN product p ON p.id = d.product_id JOIN project j ON j.id = d.project_id ORDER BY d.product_id, d.project_id LIMIT 1`,
    [startOfBusinessDay(day), endOfBusinessDay(day), day],
  );
  return row && `${day} ${row.product} ${row.project}`;
}

/** Days of the last while that were never built, yesterday, and those that a refund came back to since. */
async function dueDays(platform: Platform, today: string): Promise<readonly string[]> {
  const days = Math.trunc(await platform.settings.number('stat.rebuild_days'));
  const rows = await run<{ day: string }>(
    platform.database.db,
    `SELECT d.day::text AS day FROM (SELECT generate_series($1::date - $2::int, $1::date - 1, interval '1 day')::date AS day) d
       LEFT JOIN stat_day b ON b.day = d.day
      WHERE b.day IS NULL OR d.day = $1::date - 1 OR d.day IN (
        SELECT ${dayOf('x.at')} FROM goods_sale_refund s CROSS JOIN LATERAL (VALUES (s.booked_at), (s.succeeded_at)) x (at)
         WHERE s.succeeded_at >= $1::date - 2) ORDER BY 1`,
    [today, days],
  );
  return rows.map((row) => row.day);
}

const CHECKED = 3;

/** Days of sales: built at night, three of them reckoned again each morning. Patterns are UTC. */
export const registration = defineRegistration({
  endpoints: [],
  invariants: [
    sqlInvariant(
      'stat.day: the rows of a built day are those its checksum was made of',
      `SELECT 'day ' || b.day AS what, ARRAY[b.row_count, (b.checksum = x.sum)::int] AS found, ARRAY[x.n, 1] AS wanted FROM stat_day b
         CROSS JOIN LATERAL (SELECT count(*) AS n, ${CHECKSUM} AS sum FROM stat_product_day WHERE day = b.day) x`,
    ),
  ],
  jobs: [
    {
      name: 'stat.day',
      title: ['销售日统计', 'Sales figures of days'],
      // 01:30 in business time.
      cron: '30 17 * * *',
      timeoutSeconds: 1_800,
      run: async (_payload, platform, context) => {
        const days = await dueDays(platform, businessDayOf(new Date()));
        for (const day of days) {
          context?.signal.throwIfAborted();
          await transaction(platform.database.db, (tx) => buildDay(tx, day));
        }
        context?.print(`${days.length} 天 / days`);
      },
    },
    {
      name: 'stat.check',
      title: ['销售日统计抽查', 'Sales figures of days, reckoned again'],
      // 04:30 in business time.
      cron: '30 20 * * *',
      run: async (_payload, platform) => {
        const { db } = platform.database;
        // What was refunded since is put right by the next night.
        const days = await run<{ day: string }>(
          db,
          `SELECT b.day::text AS day FROM stat_day b WHERE b.day >= $1::date AND NOT EXISTS (SELECT FROM goods_sale_refund s WHERE s.succeeded_at >= b.built_at
              AND b.day IN (${dayOf('s.booked_at')}, ${dayOf('s.succeeded_at')})) ORDER BY random() LIMIT ${CHECKED}`,
          [addDays(businessDayOf(new Date()), -366)],
        );
        for (const { day } of days) {
          const found = await differenceOf(db, day);
          if (found)
            await run(
              db,
              `INSERT INTO error_report (origin, message, place) VALUES ('server', $1, 'stat.check')`,
              [`sales figures differ from their rows: ${found}`],
            );
        }
      },
    },
  ],
});
