import { z } from 'zod';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { withoutPersonal } from '../../../kernel/server/http/log-value.rules.ts';
import { holds } from '../../../kernel/server/people/caller.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { defineRegistration, endpoint } from '../../../kernel/server/registration.ts';
import { writeSpans, type StoredSpan } from '../../../domain/monitoring/span-recorder.server.ts';
import { SERVICE_SCOPE, serviceOfToken } from '../../../domain/services/service-token.server.ts';
import { setSettings } from '../set-settings.server.ts';
import { forPlatform } from '../../../domain/services/platform-only.server.ts';
import {
  tracingPage,
  type Edge,
  type FoundTrace,
  type Held,
  type TraceDetail,
  type TraceSpan,
} from './tracing.contract.ts';

const READ = { code: tracingPage.menu };
const DAY = 86_400_000;
const MOST_SPANS = 5_000;
const NOT_FOUND = notFound(['未找到该链路，可能未被采样或已过期', 'Trace not found, not sampled or expired']);

const period = {
  from: z.iso.datetime({ offset: true }),
  to: z.iso.datetime({ offset: true }),
};
const hex = z.string().regex(/^[0-9a-f]{8,32}$/);

/** Search, traces, dependencies, and what other programs send. */
export const registration = defineRegistration({
  contract: tracingPage,
  menus: [tracingPage.menu],
  elements: Object.fromEntries(
    Object.entries(tracingPage.elements!).map(([element, label]) => [
      `${tracingPage.menu}:${element}`,
      label,
    ]),
  ),
  endpoints: forPlatform([
    endpoint({
      method: 'GET',
      path: '/admin/trace/search',
      title: ['查找链路', 'Search traces'],
      access: READ,
      query: z.strictObject({
        ...period,
        service: z.string().max(60).optional(),
        name: z.string().max(200).optional(),
        tag: z.string().max(200).optional(),
        status: z.enum(['ok', 'error']).optional(),
        staff: z
          .string()
          .regex(/^\d{1,15}$/)
          .optional(),
        minMs: z.coerce.number().min(0).max(3_600_000).optional(),
        maxMs: z.coerce.number().min(0).max(3_600_000).optional(),
        limit: z.enum(['10', '50', '100', '200']).default('50'),
        sort: z.enum(['newest', 'longest', 'spans']).default('newest'),
      }),
      handle: async ({ platform, query }) => {
        await checkPeriod(platform, query.from);
        return searchTraces(platform.replica.db, query);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/trace/held',
      title: ['保留的链路', 'What is held'],
      access: READ,
      handle: ({ platform }) => held(platform),
    }),
    endpoint({
      method: 'GET',
      path: '/admin/trace/dependencies',
      title: ['服务依赖', 'Dependencies'],
      access: READ,
      query: z.strictObject(period),
      handle: async ({ platform, query }) => {
        await checkPeriod(platform, query.from);
        return dependencies(platform.replica.db, query.from, query.to);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/trace/one/:traceId',
      title: ['链路', 'Trace'],
      access: READ,
      handle: async ({ platform, params, caller }): Promise<TraceDetail> => {
        const traceId = params.traceId!.toLowerCase();
        const spans = await readTrace(platform.database.db, traceId);
        if (spans.length === 0) throw NOT_FOUND;
        const count = async (menu: string, table: string) =>
          holds(caller, menu) && caller.tenantKind === 3
            ? (await runOne<{ n: number }>(
                platform.database.db,
                `SELECT count(*) AS n FROM ${table} WHERE trace_id = $1`,
                [traceId],
              ))!.n
            : null;
        return {
          traceId,
          spans,
          links: {
            gateLog: await count('gateLogManager', 'gate_log'),
            changes: await count('ssm_businessLog', 'audit_record'),
            errors: await count(tracingPage.menu, 'error_report'),
          },
        };
      },
    }),
    endpoint({
      method: 'PUT',
      path: '/admin/trace/setting',
      title: ['采样设置', 'Sampling'],
      access: { code: `${tracingPage.menu}:btn_setting` },
      body: z.strictObject({
        sampleRate: z.number().min(0).max(1),
        slowMs: z.number().int().min(1).max(600_000),
        days: z.number().int().min(1).max(90),
      }),
      handle: async (call) => {
        await setSettings(call, tracingPage.menu, 'setting', {
          'trace.sample_rate': call.body.sampleRate,
          'trace.slow_ms': call.body.slowMs,
          'trace.keep_days': call.body.days,
        });
        return true;
      },
    }),
    endpoint({
      method: 'POST',
      path: '/admin/trace/span',
      title: ['接收跨度', 'Take spans'],
      access: { program: SERVICE_SCOPE },
      mostValues: 60_000,
      body: z
        .array(
          z.object({
            traceId: hex,
            id: hex,
            parentId: hex.optional(),
            name: z.string().max(200).default(''),
            kind: z.enum(['SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']).optional(),
            timestamp: z.number().positive(),
            duration: z.number().min(0).max(86_400e6).default(0),
            localEndpoint: z.looseObject({ serviceName: z.string().max(60).optional() }).optional(),
            remoteEndpoint: z.looseObject({ serviceName: z.string().max(60).optional() }).optional(),
            tags: z.record(z.string().max(100), z.string().max(1_000)).default({}),
          }),
        )
        .max(1_000),
      handle: async (call) => {
        const service = await serviceOfToken(call);
        const now = Date.now();
        // Whatever they call themselves: the token says whose they are.
        const spans = call.body.map((span): StoredSpan => ({
          traceId: span.traceId.padStart(32, '0'),
          spanId: span.id,
          parentId: span.parentId ?? '',
          entry: span.kind === 'SERVER' || span.kind === 'CONSUMER' || !span.parentId,
          service,
          instance: '',
          peer: span.kind === 'CLIENT' ? (span.remoteEndpoint?.serviceName ?? '') : '',
          name: withoutPersonal(span.name),
          kind: span.kind ?? 'INTERNAL',
          startedAt: Math.min(now, span.timestamp / 1_000),
          durationUs: Math.round(span.duration),
          status: Number(span.tags['http.status_code'] ?? 0) || 0,
          failed: 'error' in span.tags,
          staffId: null,
          attributes: Object.fromEntries(
            Object.entries(span.tags)
              .slice(0, 30)
              .map(([key, value]) => [key, withoutPersonal(value)]),
          ),
        }));
        const days = await call.platform.settings.number('trace.keep_days');
        const kept = spans.filter((span) => span.startedAt > now - days * DAY);
        await writeSpans(call.platform, kept);
        return { taken: kept.length };
      },
    }),
  ]),
  jobs: [
    {
      name: 'span.keep',
      title: ['整理链路数据', 'Keep the days of traces'],
      // 03:40 in Shanghai.
      cron: '40 19 * * *',
      run: (_payload, platform) => keepSpans(platform),
    },
  ],
});

async function checkPeriod(platform: Platform, from: string): Promise<void> {
  const days = await platform.settings.number('trace.keep_days');
  // A minute of grace: the question was asked a moment ago.
  if (Date.parse(from) < Date.now() - days * DAY - 60_000)
    throw ruleBroken([`仅保留最近 ${days} 天`, `Only the last ${days} days are kept`]);
}

/** What a search asks for. */
export interface TraceQuestion {
  readonly from: string;
  readonly to: string;
  readonly service?: string | undefined;
  readonly name?: string | undefined;
  readonly tag?: string | undefined;
  readonly status?: 'ok' | 'error' | undefined;
  readonly staff?: string | undefined;
  readonly minMs?: number | undefined;
  readonly maxMs?: number | undefined;
  readonly limit: string;
  readonly sort: 'newest' | 'longest' | 'spans';
}

/** Traces whose first span in a process fits. */
export async function searchTraces(db: Executor, question: TraceQuestion): Promise<readonly FoundTrace[]> {
  const parameters = new Parameters();
  const conditions = [
    't.entry',
    `t.started_at >= ${parameters.bind(question.from)}::timestamptz`,
    `t.started_at <= ${parameters.bind(question.to)}::timestamptz`,
  ];
  if (question.service) conditions.push(`t.service = ${parameters.bind(question.service)}`);
  if (question.name) conditions.push(`t.name = ${parameters.bind(question.name)}`);
  if (question.staff) conditions.push(`t.staff_id = ${parameters.bind(Number(question.staff))}`);
  if (question.status) conditions.push(question.status === 'error' ? 't.failed' : 'NOT t.failed');
  if (question.minMs !== undefined)
    conditions.push(`t.duration_us >= ${parameters.bind(Math.round(question.minMs * 1_000))}`);
  if (question.maxMs !== undefined)
    conditions.push(`t.duration_us <= ${parameters.bind(Math.round(question.maxMs * 1_000))}`);
  if (question.tag) {
    const [, key, value] = /^([^=]+)=(.*)$/.exec(question.tag) ?? [];
    if (!key) throw invalid({ tag: ['格式为 键=值', 'The form is key=value'] });
    conditions.push(
      `t.attributes @> ${parameters.bind(JSON.stringify({ [key.trim()]: value!.trim() }))}::jsonb`,
    );
  }
  const limit = Number(question.limit);
  const order = question.sort === 'longest' ? 't.duration_us DESC' : 't.started_at DESC';
  // A trace has an entry in each process it passes; how many spans it has is asked of those found only.
  const entries = await run<{
    trace_id: string;
    started_at: Date;
    name: string;
    service: string;
    duration_us: number;
    status: number;
    failed: boolean;
  }>(
    db,
    `SELECT t.trace_id, t.started_at, t.name, t.service, t.duration_us, t.status, t.failed FROM span t
      WHERE ${conditions.join(' AND ')} ORDER BY ${order} LIMIT ${parameters.bind(question.sort === 'spans' ? 1_000 : limit * 3)}`,
    parameters.values,
  );
  const first = new Map<string, (typeof entries)[number]>();
  for (const entry of entries) {
    const known = first.get(entry.trace_id);
    if (!known || entry.started_at < known.started_at) first.set(entry.trace_id, entry);
  }
  const chosen = question.sort === 'spans' ? [...first.values()] : [...first.values()].slice(0, limit);
  const counts = await run<{ trace_id: string; service: string; count: number; errors: number }>(
    db,
    `SELECT trace_id, service, count(*), count(*) FILTER (WHERE failed) AS errors FROM span
      WHERE trace_id = ANY($1::text[]) GROUP BY 1, 2 ORDER BY 1, 2`,
    [chosen.map((one) => one.trace_id)],
  );
  const byTrace = new Map<string, typeof counts>();
  for (const row of counts) byTrace.set(row.trace_id, [...(byTrace.get(row.trace_id) ?? []), row]);
  const found = chosen.map((one): FoundTrace => {
    const own = byTrace.get(one.trace_id) ?? [];
    return {
      traceId: one.trace_id,
      startedAt: one.started_at.getTime(),
      name: one.name,
      service: one.service,
      durationUs: one.duration_us,
      status: one.status,
      failed: one.failed,
      spans: own.reduce((sum, row) => sum + row.count, 0),
      errors: own.reduce((sum, row) => sum + row.errors, 0),
      services: own.map(({ service, count }) => ({ service, count })),
    };
  });
  return question.sort === 'spans' ? found.sort((a, b) => b.spans - a.spans).slice(0, limit) : found;
}

async function readTrace(db: Executor, traceId: string): Promise<TraceSpan[]> {
  if (!/^[0-9a-f]{16,32}$/.test(traceId)) return [];
  const rows = await run<{
    span_id: string;
    parent_id: string | null;
    service: string;
    peer: string;
    name: string;
    kind: string;
    started_at: Date;
    us: number;
    duration_us: number;
    failed: boolean;
    status: number;
    attributes: Record<string, unknown>;
  }>(
    db,
    `SELECT span_id, parent_id, service, peer, name, kind, (extract(epoch FROM started_at) * 1000)::float8 AS us, duration_us, failed, status, attributes
       FROM span WHERE trace_id = $1 ORDER BY started_at, span_id LIMIT ${MOST_SPANS}`,
    [traceId],
  );
  return rows.map((row) => ({
    id: row.span_id,
    parentId: row.parent_id,
    service: row.service,
    peer: row.peer,
    name: row.name,
    kind: row.kind,
    startedAt: row.us,
    durationUs: row.duration_us,
    failed: row.failed,
    status: row.status,
    tags: Object.fromEntries(Object.entries(row.attributes).map(([key, value]) => [key, String(value)])),
  }));
}

/** Who called whom: calls that leave a process, and calls that came from another service. */
export async function dependencies(db: Executor, from: string, to: string): Promise<readonly Edge[]> {
  const rows = await run<{ from: string; to: string; calls: number; errors: number; p95: number }>(
    db,
    `SELECT "from", "to", count(*) AS calls, count(*) FILTER (WHERE failed) AS errors,
            percentile_cont(0.95) WITHIN GROUP (ORDER BY duration_us) / 1000.0 AS p95
       FROM (SELECT service AS "from", peer AS "to", failed, duration_us FROM span
              WHERE peer <> '' AND started_at >= $1::timestamptz AND started_at <= $2::timestamptz
             UNION ALL
             SELECT p.service, c.service, c.failed, c.duration_us FROM span c JOIN span p ON p.trace_id = c.trace_id AND p.span_id = c.parent_id
              WHERE c.entry AND c.parent_id IS NOT NULL AND p.service <> c.service
                AND c.started_at >= $1::timestamptz AND c.started_at <= $2::timestamptz) e
      GROUP BY 1, 2 ORDER BY calls DESC LIMIT 100`,
    [from, to],
  );
  return rows.map((row) => ({
    from: row.from,
    to: row.to,
    calls: row.calls,
    errors: row.errors,
    p95Ms: Math.round(Number(row.p95) * 10) / 10,
  }));
}

async function held(platform: Platform): Promise<Held> {
  const { db } = platform.database;
  const [days, sampleRate, slowMs] = await Promise.all([
    platform.settings.number('trace.keep_days'),
    platform.settings.number('trace.sample_rate'),
    platform.settings.number('trace.slow_ms'),
  ]);
  const oldest = await runOne<{ at: Date }>(
    db,
    'SELECT started_at AS at FROM span WHERE entry ORDER BY started_at LIMIT 1',
  );
  const dropped = await runOne<{ n: number }>(
    db,
    `SELECT coalesce(sum(value), 0)::integer AS n FROM (SELECT DISTINCT ON (instance) value FROM metric_recent
       WHERE metric = 'spans_dropped' AND at > now() - interval '1 minute' ORDER BY instance, at DESC) d`,
  );
  return {
    since: oldest ? isoInstant(oldest.at) : null,
    days,
    spans: await spanCount(db),
    dropped: dropped!.n,
    sampleRate,
    slowMs,
  };
}

/** About how many spans there are, without counting them. */
async function spanCount(db: Executor): Promise<number> {
  const row = await runOne<{ n: number }>(
    db,
    `SELECT coalesce(sum(greatest(c.reltuples, s.n_live_tup)), 0)::bigint AS n FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       LEFT JOIN pg_stat_user_tables s ON s.relid = c.oid WHERE i.inhparent = 'span'::regclass`,
  );
  return row!.n;
}

/** Makes coming days, drops those that are too old, and the oldest ones while there are more spans than allowed. */
export async function keepSpans(platform: Platform): Promise<void> {
  const { db } = platform.database;
  await run(db, `SELECT make_day_partitions('span')`);
  const [days, most] = await Promise.all([
    platform.settings.number('trace.keep_days'),
    platform.settings.number('trace.max_spans'),
  ]);
  const drop = (keep: number) =>
    run(
      db,
      `SELECT drop_day_partitions('span', (clock_timestamp() AT TIME ZONE 'Asia/Shanghai')::date - $1::integer)`,
      [keep],
    );
  await drop(days);
  for (let keep = days - 1; keep >= 1 && (await spanCount(db)) > most; keep--) await drop(keep);
}
