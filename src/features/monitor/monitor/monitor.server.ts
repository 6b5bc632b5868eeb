import { z } from 'zod';
import { textOf, type Label, type Language } from '../../../kernel/contract/label.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { defineRegistration, endpoint } from '../../../kernel/server/registration.ts';
import { isSandbox } from '../../../domain/payment-channel/channels.server.ts';
import { METRICS, metricSpec } from '../../../domain/monitoring/metric-names.rules.ts';
import { diagnosisSource } from '../../../domain/monitoring/diagnosis.server.ts';
import { diagnosisEndpoints } from './diagnose.server.ts';
import { instanceEvent } from '../registry/instance-event.contract.ts';
import { levelEndpoints } from './log-level.server.ts';
import { reportEndpoint } from './monitor-report.server.ts';
import { forPlatform } from '../../../domain/services/platform-only.server.ts';
import {
  monitorPage,
  type InstanceDetail,
  type MetricAnswer,
  type MetricLine,
  type Wall,
  type WallTile,
} from './monitor.contract.ts';

/** Types of the journal in words. */
const JOURNAL: Readonly<Record<string, { readonly label: Label }>> = instanceEvent.fields.type.choices;
const STATES: Readonly<Record<string, { readonly label: Label }>> = instanceEvent.fields.toStatus.choices;
const READ = { code: monitorPage.menu };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Most lines of a chart. */
const MAX_LINES = 6;

/** Wallboard, charts and details of instances. */
export const registration = defineRegistration({
  contract: monitorPage,
  menus: [monitorPage.menu],
  elements: Object.fromEntries(
    Object.entries(monitorPage.elements!).map(([element, label]) => [
      `${monitorPage.menu}:${element}`,
      label,
    ]),
  ),
  endpoints: forPlatform([
    endpoint({
      method: 'GET',
      path: '/admin/monitor/wall',
      title: ['监控总览', 'Wallboard'],
      access: READ,
      handle: ({ platform }) => wall(platform),
    }),
    endpoint({
      method: 'GET',
      path: '/admin/monitor/series',
      title: ['指标曲线', 'Lines of metrics'],
      access: READ,
      query: z.strictObject({
        metrics: z.string().min(1).max(400),
        instance: z.string().max(64).optional(),
        from: z.iso.datetime({ offset: true }),
        to: z.iso.datetime({ offset: true }),
        sum: z.enum(['true', 'false']).optional(),
        compare: z.enum(['day', 'week']).optional(),
      }),
      handle: async ({ platform, query, facts }): Promise<MetricAnswer> => {
        const metrics = query.metrics.split(',');
        if (metrics.length > MAX_LINES) throw invalid({ metrics: ['最多6个指标', 'At most 6 metrics'] });
        if (metrics.some((one) => !metricSpec(one)))
          throw invalid({ metrics: ['没有此指标', 'There is no such metric'] });
        const [from, to] = [Date.parse(query.from), Date.parse(query.to)];
        const keep = await platform.settings.number('monitor.keep_days');
        if (!(to > from) || to - from > keep * DAY)
          throw invalid({
            to: [`时间范围最多 ${keep} 天`, `The window has at most ${keep} days`],
          });
        const { db } = platform.database;
        const step = stepOf(to - from);
        const lines: MetricLine[] = [];
        for (const shift of query.compare ? [0, query.compare === 'day' ? DAY : 7 * DAY] : [0])
          lines.push(
            ...(await readLines(db, {
              metrics,
              instance: query.instance,
              from: from - shift,
              to: to - shift,
              // What lies back more than an hour is there by minutes only.
              step: shift > 0 ? Math.max(60, step) : step,
              shift,
              sum: query.sum === 'true',
            })),
          );
        return { step, lines, marks: await readMarks(db, facts.language, query.instance, from, to) };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/monitor/instance/:instanceId',
      title: ['实例详情', 'Detail of an instance'],
      access: READ,
      handle: ({ platform, params }) => detail(platform.database.db, params.instanceId!),
    }),
    endpoint({
      method: 'GET',
      path: '/admin/monitor/environment',
      title: ['生效的参数', 'Settings in force'],
      access: { code: `${monitorPage.menu}:btn_env` },
      handle: async ({ platform }) => {
        const rows = await run<{ key: string; value: unknown }>(
          platform.database.db,
          'SELECT key, value FROM setting',
        );
        const stored = new Map(rows.map((row) => [row.key, row.value]));
        return platform.settings.declarations.map(({ key }) => ({
          key,
          value: SECRET.test(key)
            ? '••••'
            : JSON.stringify(stored.has(key) ? stored.get(key) : platform.settings.defaultOf(key)),
          source: stored.has(key) ? 'set' : 'default',
        }));
      },
    }),
    ...levelEndpoints,
    ...diagnosisEndpoints,
    reportEndpoint,
  ]),
  exports: [diagnosisSource],
});

const SECRET = /secret|password|private_key|token(?!_seconds)/i;

/** Seconds between the points of a window: 10 s to an hour, a minute to a day, else ten minutes. */
export function stepOf(milliseconds: number): 10 | 60 | 600 {
  return milliseconds <= HOUR ? 10 : milliseconds <= DAY ? 60 : 600;
}

async function wall(platform: Platform): Promise<Wall> {
  const { db } = platform.database;
  const rows = await run<{
    id: number;
    instance_id: string;
    service: string;
    host: string;
    release: string;
    status: WallTile['status'];
    uptime: number;
    alerts: number;
  }>(
    db,
    `SELECT t.id, t.instance_id, t.service, t.host, t.release, t.status, extract(epoch FROM now() - t.started_at)::integer AS uptime,
            (SELECT count(*) FROM alert a WHERE a.state IN ('firing', 'acknowledged')
              AND (a.instance = t.instance_id OR a.series = t.service || '@' || t.host)) AS alerts
       FROM service_instance t ORDER BY t.service, t.id LIMIT 200`,
  );
  const values = await run<{ instance: string; metric: string; labels: string; value: number; at: Date }>(
    db,
    `SELECT DISTINCT ON (instance, metric, labels) instance, metric, labels, value, at FROM metric_recent
      WHERE at > now() - interval '30 seconds' ORDER BY instance, metric, labels, at DESC`,
  );
  const of = (instance: string) =>
    Object.fromEntries(
      values
        .filter((one) => one.instance === instance && one.labels === '')
        .map((one) => [one.metric, one.value]),
    );
  const whole = of('');
  const web = rows.map((row) => of(row.instance_id));
  const sum = (metric: string) => web.reduce((total, one) => total + (one[metric] ?? 0), 0);
  const most = (metric: string) => Math.max(...web.map((one) => one[metric] ?? -Infinity));
  const calls = sum('http_calls');
  const derived: Record<string, number> = {
    http_rps: sum('http_rps'),
    http_error_rate: calls > 0 ? (100 * sum('http_faults')) / calls : 0,
    ...(Number.isFinite(most('http_p95')) ? { http_p95: most('http_p95') } : {}),
    ...(Number.isFinite(most('disk_free_share'))
      ? { disk_free_share: Math.min(...web.flatMap((one) => one.disk_free_share ?? [])) }
      : {}),
    db_used: sum('db_used'),
  };
  const firing = await runOne<{ n: number }>(
    db,
    `SELECT count(*) AS n FROM alert WHERE state IN ('firing', 'acknowledged')`,
  );
  const sandboxes = await sandboxChannels(platform);
  return {
    at: isoInstant(new Date()),
    tiles: rows.map((row) => ({
      id: String(row.id),
      instanceId: row.instance_id,
      service: row.service,
      host: row.host,
      release: row.release,
      status: row.status,
      uptime: row.uptime,
      alerts: row.alerts,
      values: of(row.instance_id),
    })),
    product: { ...whole, ...derived },
    channels: values
      .filter((one) => one.metric === 'channel_success')
      .map((one) => ({ channel: one.labels, success: one.value, sandbox: sandboxes.has(one.labels) })),
    firing: firing!.n,
  };
}

/** Channels that are played by the sandbox as things are set now. */
async function sandboxChannels(platform: Platform): Promise<ReadonlySet<string>> {
  const { settings } = platform;
  const paid = isSandbox(platform, 1) && isSandbox(platform, 2);
  return new Set([
    ...(paid ? ['payment', 'refund', 'recon', 'channel', 'payee'] : []),
    ...((await settings.text('sms.sender')) === 'sandbox' ? ['sms'] : []),
    ...((await settings.text('email.sender')) === 'sandbox' ? ['mail'] : []),
  ]);
}

interface LineQuestion {
  readonly metrics: readonly string[];
  readonly instance: string | undefined;
  readonly from: number;
  readonly to: number;
  readonly step: number;
  /** Milliseconds the points are moved forward, to lie over those of now. */
  readonly shift: number;
  readonly sum: boolean;
}

async function readLines(db: Executor, question: LineQuestion): Promise<MetricLine[]> {
  const { step, shift } = question;
  const source =
    step === 10
      ? { table: 'metric_recent', at: 'at', avg: 'value', max: 'value' }
      : { table: 'metric_sample', at: 'minute', avg: 'avg', max: 'max' };
  // Of the product there is one series; what processes measure is one line each, or all together.
  const rows = await run<{
    metric: string;
    instance: string;
    labels: string;
    at: number;
    avg: number;
    max: number;
  }>(
    db,
    `SELECT metric, CASE WHEN $6 THEN '' ELSE instance END AS instance, labels,
            floor(extract(epoch FROM ${source.at}) / $5)::bigint * $5 AS at,
            CASE WHEN $6 AND metric = ANY($7::text[]) THEN sum(${source.avg}) / greatest(1, count(DISTINCT ${source.at})) ELSE avg(${source.avg}) END AS avg,
            CASE WHEN $6 AND metric = ANY($7::text[]) THEN sum(${source.max}) / greatest(1, count(DISTINCT ${source.at})) ELSE max(${source.max}) END AS max
       FROM ${source.table}
      WHERE metric = ANY($1::text[]) AND (labels <> '') = (metric = ANY($8::text[])) AND ($2::text IS NULL OR instance = $2 OR instance = '')
        AND ${source.at} >= to_timestamp($3::float8 / 1000) AND ${source.at} <= to_timestamp($4::float8 / 1000)
      GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
    [
      question.metrics,
      question.instance ?? null,
      question.from,
      question.to,
      step,
      question.sum,
      Object.entries(METRICS).flatMap(([name, spec]) => ('sum' in spec ? [name] : [])),
      // Channels and routes have a line each; of groups of routes the whole is shown.
      Object.entries(METRICS).flatMap(([name, spec]) => ('by' in spec ? [name] : [])),
    ],
  );
  const lines = new Map<
    string,
    { metric: string; instance: string; labels: string; points: [number, number, number][] }
  >();
  for (const { metric, instance, labels, ...row } of rows) {
    const key = `${metric} ${instance} ${labels}`;
    let line = lines.get(key);
    if (!line) lines.set(key, (line = { metric, instance, labels, points: [] }));
    line.points.push([Number(row.at) * 1_000 + shift, row.avg, row.max]);
  }
  return [...lines.values()].slice(0, MAX_LINES).map((line) => ({ ...line, compared: shift > 0 }));
}

async function readMarks(
  db: Executor,
  language: Language,
  instance: string | undefined,
  from: number,
  to: number,
) {
  const rows = await run<{ at: Date; type: string; status: string; text: string; kind: 'event' | 'alert' }>(
    db,
    `SELECT * FROM (
       (SELECT at, type, to_status AS status, coalesce(service, '') AS text, 'event' AS kind FROM instance_event
         WHERE at BETWEEN to_timestamp($1::float8 / 1000) AND to_timestamp($2::float8 / 1000) AND ($3::text IS NULL OR instance_id = $3)
         ORDER BY at DESC LIMIT 100)
       UNION ALL
       (SELECT a.fired_at, '', '', CASE WHEN $4 = 'en' AND r.name_en <> '' THEN r.name_en ELSE r.name END || ' ' || a.series, 'alert' FROM alert a JOIN alert_rule r ON r.id = a.rule_id
         WHERE a.fired_at BETWEEN to_timestamp($1::float8 / 1000) AND to_timestamp($2::float8 / 1000)
           AND ($3::text IS NULL OR a.instance IN ('', $3)) ORDER BY a.fired_at DESC LIMIT 100)) m ORDER BY at`,
    [from, to, instance ?? null, language],
  );
  const said = (label: Label | undefined) => (label ? `${textOf(label, language)} ` : '');
  return rows.map(({ at, type, status, text, kind }) => ({
    at: at.getTime(),
    text: `${said(JOURNAL[type]?.label)}${said(STATES[status]?.label)}${text}`,
    kind,
  }));
}

async function detail(db: Executor, instanceId: string): Promise<InstanceDetail> {
  const row = await runOne<Record<string, any>>(
    db,
    `SELECT t.*, m.requests, m.statements, m.lines FROM service_instance t LEFT JOIN instance_memory m ON m.instance_id = t.instance_id
      WHERE t.instance_id = $1`,
    [instanceId],
  );
  if (!row) throw notFound(['实例已离开', 'The instance is gone']);
  const events = await run<{ at: Date; type: string; from: string; to: string; reason: string }>(
    db,
    `SELECT at, type, from_status AS "from", to_status AS "to", reason FROM instance_event WHERE instance_id = $1 ORDER BY id DESC LIMIT 50`,
    [instanceId],
  );
  // A run is known by the machine and the process it was in.
  const jobs = await run<{
    code: string;
    name: string;
    nameEn: string;
    state: string;
    started: Date;
    ms: number | null;
  }>(
    db,
    `SELECT j.code, j.name, j.name_en AS "nameEn", r.state, r.started_at AS started, round(extract(epoch FROM r.ended_at - r.started_at) * 1000)::int AS ms
       FROM job_run r JOIN job j ON j.id = r.job_id
      WHERE r.instance = $1 AND r.started_at >= $2 ORDER BY r.state = 'running' DESC, r.started_at DESC LIMIT 50`,
    [`${row.host}:${row.pid}`, row.started_at],
  );
  return {
    facts: {
      service: row.service,
      status: row.status,
      release: row.release,
      host: row.host,
      port: row.port === null ? '' : String(row.port),
      pid: row.pid === null ? '' : String(row.pid),
      runtime: row.runtime,
      zone: row.zone,
      weight: String(row.weight),
      startedAt: isoInstant(row.started_at as Date),
      lastHeartbeatAt: isoInstant(row.last_heartbeat_at as Date),
    },
    checks: row.checks,
    requests: row.requests ?? [],
    statements: row.statements ?? [],
    lines: row.lines ?? [],
    jobs: jobs.map(({ started, ...one }) => ({ ...one, startedAt: isoInstant(started) })),
    events: events.map((one) => ({ ...one, at: isoInstant(one.at) })),
  };
}
