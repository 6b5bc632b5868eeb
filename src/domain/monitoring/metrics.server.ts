import { run, runOne, transaction, type Executor } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { Measured } from './process-meter.server.ts';

/** Writes the values of one moment; one statement whatever their number. */
export async function writeRecent(
  db: Executor,
  instance: string,
  at: number,
  values: readonly Measured[],
): Promise<void> {
  if (values.length === 0) return;
  await run(
    db,
    `INSERT INTO metric_recent (instance, metric, labels, at, value)
     SELECT $1, m, l, to_timestamp($2::float8 / 1000), v FROM unnest($3::text[], $4::text[], $5::float8[]) AS x(m, l, v)`,
    [
      instance,
      at,
      values.map((one) => one.metric),
      values.map((one) => one.labels),
      values.map((one) => one.value),
    ],
  );
}

/**
 * Makes the minutes of an instance that are over into rows of the history, and forgets what is older than an hour. A repeat
 * writes nothing new. Returns how many rows were written.
 */
export async function rollUp(
  platform: Platform,
  instance: string,
  service: string,
  now: number,
): Promise<number> {
  const { db } = platform.database;
  const rows = await run(
    db,
    `INSERT INTO metric_sample (minute, metric, labels, instance, service, min, avg, max, last, count)
     SELECT date_trunc('minute', at), metric, labels, instance, $2, min(value), avg(value), max(value),
            (array_agg(value ORDER BY at DESC))[1], count(*)
       FROM metric_recent
      WHERE instance = $1 AND at >= to_timestamp($3::float8 / 1000) - interval '5 minutes'
        AND at < date_trunc('minute', to_timestamp($3::float8 / 1000))
      GROUP BY 1, metric, labels, instance
     ON CONFLICT (metric, instance, labels, minute) DO NOTHING RETURNING 1`,
    [instance, service, now],
  );
  await run(
    db,
    `DELETE FROM metric_recent WHERE instance = $1 AND at < to_timestamp($2::float8 / 1000) - interval '1 hour'`,
    [instance, now],
  );
  return rows.length;
}

/** Adds what was answered to the totals of the day. */
export async function addDayTotals(
  db: Executor,
  service: string,
  totals: { readonly calls: number; readonly faults: number },
): Promise<void> {
  if (totals.calls === 0) return;
  await run(
    db,
    `INSERT INTO http_day_total (day, service, calls, faults) VALUES ((now() AT TIME ZONE 'Asia/Shanghai')::date, $1, $2, $3)
     ON CONFLICT (day, service) DO UPDATE SET calls = http_day_total.calls + excluded.calls, faults = http_day_total.faults + excluded.faults`,
    [service, totals.calls, totals.faults],
  );
}

/**
 * Values of the product as a whole, by one instance at a time and at most once in ten seconds; 0 where another one did it.
 * Its instance is the empty text.
 */
export async function sampleProduct(platform: Platform, instance: string, now: number): Promise<number> {
  return transaction(platform.database.db, async (tx) => {
    const turn = await runOne(
      tx,
      `SELECT 1 FROM monitor_turn WHERE work = 'product' AND done_at <= to_timestamp($1::float8 / 1000) - interval '9 seconds' FOR UPDATE SKIP LOCKED`,
      [now],
    );
    if (!turn) return 0;
    await run(
      tx,
      `UPDATE monitor_turn SET done_at = to_timestamp($1::float8 / 1000), by_instance = $2 WHERE work = 'product'`,
      [now, instance],
    );
    const values = await productValues(tx);
    await writeRecent(tx, '', now, values);
    return values.length;
  });
}

async function productValues(db: Executor): Promise<readonly Measured[]> {
  const row = await runOne<Record<string, number | null>>(
    db,
    `SELECT pg_database_size(current_database()) / 1048576.0 AS db_size,
            (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()) AS db_connections,
            (SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::float8 FROM pg_stat_activity
              WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()) AS db_longest_tx,
            (SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()) AS db_deadlocks,
            j.due AS job_due, j.late AS job_late, j.failed AS job_failed, j.oldest AS job_oldest_s,
            (SELECT count(*) FROM task WHERE state = 'exporting') AS export_running,
            (SELECT count(*) FROM task WHERE state = 'queued') AS export_waiting,
            o.backlog AS outbox_backlog, o.oldest AS outbox_oldest_s,
            (SELECT count(DISTINCT staff_id) FROM session WHERE ended_at IS NULL AND last_seen_at > now() - interval '30 minutes') AS sessions_live,
            (SELECT count(*) FROM payment WHERE state = 2 AND paid_at > now() - interval '10 minutes') AS business_orders_paid,
            (SELECT count(*) FROM work_order WHERE created_at > now() - interval '10 minutes') AS business_wo_new
       FROM (SELECT count(*) FILTER (WHERE run_at <= now()) AS due,
                    count(*) FILTER (WHERE run_at <= now() - interval '60 seconds') AS late,
                    count(*) FILTER (WHERE attempts > 0 AND last_error IS NOT NULL) AS failed,
                    coalesce(extract(epoch FROM now() - min(run_at) FILTER (WHERE run_at <= now())), 0)::float8 AS oldest
               FROM graphile_worker._private_jobs WHERE locked_at IS NULL AND attempts < max_attempts) j,
            (SELECT count(*) AS backlog, coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS oldest
               FROM outbox WHERE state = 'pending') o`,
  );
  const facts = await run<{ metric: string; value: number }>(
    db,
    `SELECT metric, value FROM monitor_fact WHERE metric NOT LIKE '#%'`,
  );
  // Effects are what goes to channels outside; the first word of their kind names the channel.
  const channels = await run<{ channel: string; good: number; bad: number }>(
    db,
    `SELECT split_part(kind, '.', 1) AS channel, count(*) FILTER (WHERE state = 'done') AS good,
            count(*) FILTER (WHERE state <> 'done' AND last_error IS NOT NULL) AS bad
       FROM outbox
      WHERE (state = 'done' AND done_at > now() - interval '5 minutes')
         OR (state <> 'done' AND last_error IS NOT NULL AND available_at > now() - interval '5 minutes')
      GROUP BY 1`,
  );
  const answers = await run<{ channel: string; p95: number }>(
    db,
    `SELECT CASE channel WHEN 1 THEN 'alipay' ELSE 'wechat' END AS channel, percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_ms) AS p95
       FROM channel_call WHERE direction = 'request' AND at > now() - interval '5 minutes' GROUP BY 1`,
  );
  const routes = await run<{ route: string; share: number }>(
    db,
    `SELECT r.code AS route, (100.0 * sum(m.failed) / sum(m.calls))::float8 AS share
       FROM gateway_route r JOIN api_minute m ON m.api_id = r.api_id
      WHERE r.state = 'published' AND m.minute > now() - interval '5 minutes' AND m.calls > 0 GROUP BY 1`,
  );
  return [
    ...Object.entries(row!).flatMap(([metric, value]) =>
      value === null ? [] : [{ metric, labels: '', value: Number(value) }],
    ),
    ...facts.map(({ metric, value }) => ({ metric, labels: '', value })),
    ...answers.map(({ channel, p95 }) => ({ metric: 'channel_p95', labels: channel, value: Number(p95) })),
    ...routes.map(({ route, share }) => ({ metric: 'gateway_error_rate', labels: route, value: share })),
    ...channels.flatMap(({ channel, good, bad }) => [
      { metric: 'channel_calls', labels: channel, value: good + bad },
      { metric: 'channel_success', labels: channel, value: (100 * good) / Math.max(1, good + bad) },
    ]),
  ];
}

/** Own clock minus the clock of the database, half the way there and back taken off. */
export async function clockSkew(db: Executor): Promise<number> {
  const before = Date.now();
  const row = await runOne<{ now: Date }>(db, 'SELECT clock_timestamp() AS now');
  return (before + Date.now()) / 2 - row!.now.getTime();
}

/** Makes coming days, drops those nobody keeps any more, and old alerts and totals. */
export async function keepMonitoring(platform: Platform): Promise<void> {
  const { db } = platform.database;
  await run(db, `SELECT make_day_partitions('metric_sample')`);
  const days = await platform.settings.number('monitor.keep_days');
  await run(
    db,
    `SELECT drop_day_partitions('metric_sample', (clock_timestamp() AT TIME ZONE 'Asia/Shanghai')::date - $1::integer)`,
    [days],
  );
  await run(db, `DELETE FROM alert WHERE state = 'recovered' AND recovered_at < now() - interval '180 days'`);
  await run(db, `DELETE FROM http_day_total WHERE day < (now() AT TIME ZONE 'Asia/Shanghai')::date - 400`);
  await run(db, `DELETE FROM service_up_total WHERE day < (now() AT TIME ZONE 'Asia/Shanghai')::date - 400`);
  await run(db, `DELETE FROM diagnosis WHERE ended_at < now() - interval '90 days'`);
  // Instances that ended without a word.
  await run(db, `DELETE FROM metric_recent WHERE at < now() - interval '2 hours'`);
  await run(db, `DELETE FROM instance_memory WHERE at < now() - interval '2 hours'`);
}
