import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessDayOf, isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { describe, describeCall } from '../../../kernel/server/http/openapi.ts';
import { endpoint, type Call, type Endpoint } from '../../../kernel/server/registration.ts';
import { NOW, fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { readListRequest } from '../../../kernel/server/resource/list-query.ts';
import {
  apiCall,
  type ApiCaller,
  type ApiFailure,
  type ApiHour,
  type ReleaseDiff,
} from './api-call.contract.ts';
import { PLATFORM_ADMIN_GROUP } from '../../../domain/permission/effective-permissions.server.ts';
import { keyOf } from './api-desk.server.ts';
import { API_SCOPE, apiSight } from './api-notice.server.ts';
import { forPlatform } from '../../../domain/services/platform-only.server.ts';
import { yamlOf } from './yaml.rules.ts';

const ROOT = '/admin/apiCall';
/** Days minute counters are kept. Source: group 04, apiManager. */
const KEEP_DAYS = 7;

const DAY_AGO = `now() - interval '24 hours'`;
const inADay = (sum: string) =>
  `(SELECT ${sum} FROM api_minute m WHERE m.api_id = t.id AND m.minute > ${DAY_AGO})`;
const CALLS = inADay('coalesce(sum(m.calls), 0)::int');
const ERRORS = inADay('coalesce(sum(m.refused + m.failed), 0)::int');
const P95 = `p95_of(t.id, ${DAY_AGO})`;

/** Signing in and out, who one is, and this screen itself: without them nobody could switch anything on again. */
const ESSENTIAL = [
  '/api/auth/',
  '/api/admin/user/front/',
  '/api/admin/apiCall',
  '/api/jinmao/web/home',
  '/api/admin/preference',
];
const STAYS: Label = ['该接口不能停用', 'This API cannot be switched off'];

const bound: BoundResource = bindResource(apiCall, {
  table: 'api_call',
  scope: API_SCOPE,
  search: `lower(t.path || ' ' || t.title_zh || ' ' || t.title_en)`,
  columns: {
    title: 't.title_zh',
    group: `(SELECT p.parent_code FROM menu_place p WHERE p.menu_code = t.menu ORDER BY p.id LIMIT 1)`,
    noElement: `(t.level = 'permission' AND NOT EXISTS (SELECT FROM unnest(t.codes) code WHERE code LIKE '%:%'))`,
    calls: CALLS,
    errors: ERRORS,
    errorRate: inADay('round(100.0 * sum(m.refused + m.failed) / nullif(sum(m.calls), 0), 2)'),
    averageMs: inADay('round(sum(m.total_ms)::numeric / nullif(sum(m.calls), 0))::int'),
    p95: P95,
    neverCalled: `(t.last_called_at IS NULL OR t.last_called_at <= now() - interval '30 days')`,
    hasErrors: `(${ERRORS} > 0)`,
  },
  filters: {
    group: (value, parameters) => {
      const word = parameters.bind(containing(value));
      return `EXISTS (SELECT FROM menu_place p JOIN menu g ON g.code = p.parent_code WHERE p.menu_code = t.menu AND (g.code ILIKE ${word} OR g.title_zh ILIKE ${word} OR g.title_en ILIKE ${word}))`;
    },
  },
  tabs: {
    live: () => `t.state <> 'removed'`,
    public: () => `t.level = 'public' AND t.state <> 'removed'`,
    all: () => 'TRUE',
  },
  ruleReads: ['path', 'method'],
  rowRules: {
    off: (row) => (ESSENTIAL.some((start) => String(row.path).startsWith(start)) ? STAYS : undefined),
  },
  checks: {
    deprecate: ({ input }) => {
      if (String(input.sunsetOn) <= businessDayOf(new Date()))
        throw invalid({ sunsetOn: ['下线日期必须晚于今天', 'The sunset must lie ahead'] });
    },
  },
  sets: {
    deprecate: {
      sunset_on: fromInput('sunsetOn'),
      replacement: fromInput('replacement'),
      deprecated_at: NOW,
    },
    restore: { sunset_on: null, replacement: '', deprecated_at: null },
  },
  handlers: {
    limit: async ({ input, row }) => ({
      set: { limit_per_minute: input.limitPerMinute ?? null },
      changes: [
        {
          field: 'limit_per_minute',
          before: row.limit_per_minute,
          after: input.limitPerMinute ?? null,
        },
      ],
    }),
    on: async ({ row }) => ({ to: row.sunset_on === null ? 'active' : 'deprecated' }),
  },
  also: {
    sights: [apiSight],
    jobs: [
      {
        name: 'apiCall.purge',
        title: ['清理接口分钟计数', 'Drop old minutes of calls'],
        cron: '35 19 * * *',
        run: async (_payload, platform) => {
          await run(
            platform.database.db,
            'DELETE FROM api_minute WHERE minute < now() - make_interval(days => $1)',
            [KEEP_DAYS],
          );
        },
      },
    ],
  },
  endpoints: forPlatform([
    endpoint({
      method: 'GET',
      path: `${ROOT}/summary`,
      title: ['接口概况', 'Calls at a glance'],
      access: { code: apiCall.menu },
      handle: ({ platform }) =>
        runOne(
          platform.database.db,
          `SELECT count(*) FILTER (WHERE state <> 'removed')::int AS total, count(*) FILTER (WHERE level = 'public' AND state <> 'removed')::int AS public,
                  count(*) FILTER (WHERE state = 'off')::int AS off FROM api_call`,
        ),
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/top`,
      title: ['耗时最多的接口', 'Calls that take most time'],
      access: { code: apiCall.menu },
      query: z.strictObject({ days: z.enum(['1', '7']).default('1') }),
      handle: ({ platform, query, facts }) =>
        run(
          platform.replica.db,
          `SELECT c.id::text AS id, c.method, c.path, CASE WHEN $2 = 'en' THEN c.title_en ELSE c.title_zh END AS title, sum(m.calls)::int AS calls, sum(m.total_ms)::float8 AS "totalMs",
                  round(sum(m.total_ms)::numeric / sum(m.calls))::int AS "averageMs"
             FROM api_minute m JOIN api_call c ON c.id = m.api_id WHERE m.minute > now() - make_interval(days => $1)
            GROUP BY c.id HAVING sum(m.calls) > 0 ORDER BY sum(m.total_ms) DESC, c.id LIMIT 20`,
          [Number(query.days), facts.language],
        ),
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/releases`,
      title: ['版本列表', 'Releases'],
      access: { code: `${apiCall.menu}:btn_diff` },
      handle: async ({ platform }) =>
        (
          await run<{ release: string; at: Date; calls: number }>(
            platform.database.db,
            `SELECT release, first_seen_at AS at, (SELECT count(*)::int FROM jsonb_object_keys(calls)) AS calls FROM api_release ORDER BY first_seen_at DESC LIMIT 100`,
          )
        ).map((row) => ({ ...row, at: isoInstant(row.at) })),
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/diff`,
      title: ['版本对比', 'Compare releases'],
      access: { code: `${apiCall.menu}:btn_diff` },
      query: z.strictObject({ from: z.string().max(100), to: z.string().max(100) }),
      handle: async ({ platform, query }): Promise<ReleaseDiff> => {
        const [before, after] = await Promise.all(
          [query.from, query.to].map((release) =>
            runOne<{ calls: Record<string, string> }>(
              platform.database.db,
              'SELECT calls FROM api_release WHERE release = $1',
              [release],
            ),
          ),
        );
        if (!before || !after) throw notFound();
        return diffOf(before.calls, after.calls);
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/openapi`,
      title: ['导出 OpenAPI', 'Export OpenAPI'],
      access: { code: `${apiCall.menu}:btn_export` },
      body: z.strictObject({
        format: z.enum(['json', 'yaml']),
        query: z.record(z.string(), z.string()).default({}),
      }),
      handle: async (call) => {
        const chosen = await selected(call, call.body.query);
        const document = describe(
          routes(call).filter((one) => chosen.has(keyOf(one))),
          call.facts.language,
          call.platform.config.build,
        );
        return {
          name: `openapi.${call.body.format}`,
          text: call.body.format === 'json' ? JSON.stringify(document, null, 2) : yamlOf(document),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/description`,
      title: ['接口描述', 'Description of a call'],
      access: { code: apiCall.menu },
      handle: async (call) => {
        const row = await bound.find(call, idOf(call.params.id));
        const one = routes(call).find(
          (route) => keyOf(route) === `${String(row.method)} ${String(row.path)}`,
        );
        return one ? describeCall(one, call.facts.language) : null;
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/callers`,
      title: ['谁可以调用', 'Who may call'],
      access: { code: apiCall.menu },
      handle: async (call): Promise<ApiCaller[]> => {
        const row = await bound.find(call, idOf(call.params.id));
        return run<ApiCaller>(
          call.platform.database.db,
          `SELECT g.id::text AS id, g.name, (SELECT count(DISTINCT m.staff_id)::int FROM group_member m WHERE m.group_id = g.id) AS staff
             FROM permission_group g WHERE g.enabled AND (g.code = $2 OR EXISTS (SELECT FROM menu_grant x WHERE x.group_id = g.id AND x.menu_code = ANY($1::text[]))
               OR EXISTS (SELECT FROM element_grant x WHERE x.group_id = g.id AND x.element_code = ANY($1::text[]))) ORDER BY g.name, g.id LIMIT 200`,
          [row.codes, PLATFORM_ADMIN_GROUP],
        );
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/traffic`,
      title: ['7天调用', 'Calls of 7 days'],
      access: { code: apiCall.menu },
      handle: async (call): Promise<ApiHour[]> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const rows = await run<{ at: Date; calls: number; errors: number; p95: number | null }>(
          call.platform.replica.db,
          `WITH hours AS (
             SELECT date_trunc('hour', m.minute) AS at, sum(m.calls)::int AS calls, sum(m.refused + m.failed)::int AS errors
               FROM api_minute m WHERE m.api_id = $1 AND m.minute > now() - interval '7 days' GROUP BY 1),
           steps AS (
             SELECT date_trunc('hour', m.minute) AS at, u.n, sum(u.calls) AS calls
               FROM api_minute m, unnest(m.buckets) WITH ORDINALITY AS u (calls, n) WHERE m.api_id = $1 AND m.minute > now() - interval '7 days' GROUP BY 1, 2),
           running AS (SELECT at, n, sum(calls) OVER (PARTITION BY at ORDER BY n) AS up_to, sum(calls) OVER (PARTITION BY at) AS of_all FROM steps)
           SELECT h.at, h.calls, h.errors, (SELECT ceil(power(2, (min(r.n) - 1) / 2.0))::int FROM running r WHERE r.at = h.at AND r.up_to >= 0.95 * r.of_all) AS p95
             FROM hours h ORDER BY h.at`,
          [id],
        );
        return rows.map((row) => ({ ...row, at: isoInstant(row.at) }));
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/failures`,
      title: ['最近错误', 'Last errors'],
      access: { code: apiCall.menu },
      handle: async (call): Promise<ApiFailure[]> => {
        const row = await bound.find(call, idOf(call.params.id));
        const path = String(row.path);
        const rows = await run<{
          id: number;
          at: Date;
          http: number;
          duration_ms: number;
          staff_name: string;
          trace_id: string;
        }>(
          call.platform.replica.db,
          // The beginning of the path is what the index knows; the rest is compared segment by segment.
          `SELECT id, at, http, duration_ms, staff_name, trace_id FROM gate_log
            WHERE at > now() - interval '7 days' AND http >= 400 AND method = $1 AND path LIKE $2 AND path ~ $3
              AND NOT EXISTS (SELECT FROM api_call o WHERE o.method = $1 AND o.path = rtrim(gate_log.path, '/') AND o.path <> $4)
            ORDER BY at DESC, id DESC LIMIT 20`,
          [
            row.method,
            `${path.split('{')[0]!.replace(/[%_\\]/g, '\\$&')}%`,
            `^${path
              .split('/')
              .map((part) => (part.startsWith('{') ? '[^/]+' : part.replace(/[.*+?^$()[\]|\\]/g, '\\$&')))
              .join('/')}/?$`,
            path,
          ],
        );
        return rows.map((one) => ({
          id: String(one.id),
          at: isoInstant(one.at),
          http: one.http,
          durationMs: one.duration_ms,
          staff: one.staff_name,
          traceId: one.trace_id,
        }));
      },
    }),
  ]),
});

/** The list of calls, platform only. */
export const registration = bound.registration;

/** What two releases do not have in common, by "GET /api/…". */
export function diffOf(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): ReleaseDiff {
  return {
    added: Object.keys(after)
      .filter((key) => !(key in before))
      .sort(),
    removed: Object.keys(before)
      .filter((key) => !(key in after))
      .sort(),
    changed: Object.keys(after)
      .filter((key) => key in before && before[key] !== after[key])
      .sort(),
  };
}

/** The calls of this server, the kernel's own too. */
function routes(call: Pick<Call, 'request'>): readonly Endpoint[] {
  return call.request.server.apiDesk.endpoints;
}

/** Keys of the rows a list of these filters shows. */
async function selected(call: Call, query: Readonly<Record<string, string>>): Promise<ReadonlySet<string>> {
  // One page of all: the calls of a product are some thousands, and every page would count them anew.
  const request = { ...readListRequest(apiCall as never, query), page: 1, limit: 20_000 };
  const { rows } = await bound.rawPage(call, request);
  return new Set(rows.map((row) => `${String(row.method)} ${String(row.path)}`));
}
