import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { addDays, businessDayOf, isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { withoutPersonal } from '../../../kernel/server/http/log-value.rules.ts';
import { holds } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import {
  endpoint,
  type Call,
  type Endpoint,
  type Registration,
} from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { filterCondition } from '../../../kernel/server/resource/list-query.ts';
import { auditWords, menuTitles } from '../business-log/audit-words.server.ts';
import { gateLog, type CallTrace } from './gate-log.contract.ts';

/** Days one question may span. Source: group 09, gateLogManager. */
const MAX_DAYS = 31;
const DAY_MS = 86_400_000;
const TOO_WIDE: Label = ['时间范围最多 31 天', 'The range has at most 31 days'];
const ROOT = '/admin/gateLog';

/** Refuses what reaches further; an open end is now, and without a beginning it would reach as far as anything is kept. */
function requireRange(value: string): void {
  const [from = '', to = ''] = value.split('~');
  const days = (Date.parse(to || businessDayOf(new Date())) - Date.parse(from)) / DAY_MS + 1;
  if (from === '' || days > MAX_DAYS) throw invalid({ at: TOO_WIDE });
}

const bound = bindResource(gateLog, {
  table: 'gate_log',
  // Who called stands in the row: staff of a company read the calls of its own people, the platform reads all.
  scope: { tenant: 't.tenant_id', project: 'none', owner: 't.staff_id' },
  joins: { tenant: 'tenant' },
  columns: {
    ms: `(extract(milliseconds FROM t.at)::integer % 1000)`,
    staff: { id: 't.staff_id', title: 't.staff_name' },
    statusClass: `left(t.http::text, 1)`,
    failed: '(t.http >= 400)',
    slow: 'FALSE',
  },
  extra: { version: '1' },
  filters: {
    at: (value, parameters) => {
      requireRange(value);
      const condition = filterCondition(gateLog.fields.at, 't.at', value, parameters);
      if (typeof condition !== 'string') throw invalid({ at: condition });
      return condition;
    },
    path: (value, parameters) => `t.path LIKE ${parameters.bind(`${containing(value).slice(1)}`)}`,
    menu: (value, parameters) => {
      const code = parameters.bind(value);
      const like = parameters.bind(containing(value));
      return `(t.menu = ${code} OR t.menu IN (SELECT m.code FROM menu m WHERE (m.title_zh ILIKE ${like} OR m.title_en ILIKE ${like}) AND NOT EXISTS (SELECT FROM menu own WHERE own.code = ${code})))`;
    },
    // The partial index knows this very condition.
    failed: (value) => (value === 'true' ? 't.http >= 400' : 't.http < 400'),
    slow: (value) =>
      `t.duration_ms ${value === 'true' ? '>=' : '<'} coalesce((SELECT (s.value #>> '{}')::integer FROM setting s WHERE s.key = 'log.slow_ms' LIMIT 1), 1000)`,
  },
  tabs: {
    today: (_caller, parameters) =>
      `t.at >= (${parameters.bind(businessDayOf(new Date()))}::date::timestamp AT TIME ZONE 'Asia/Shanghai')`,
    all: () => 'TRUE',
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/menus`,
      title: ['菜单名称', 'Titles of menus'],
      access: { code: gateLog.menu },
      handle: ({ platform, facts }) => menuTitles(platform.database.db, facts.language),
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/trace`,
      title: ['同链路', 'Same trace'],
      access: { code: gateLog.menu },
      handle: async (call): Promise<CallTrace> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const { db } = call.platform.database;
        const row = await runOne<{ trace_id: string }>(db, 'SELECT trace_id FROM gate_log WHERE id = $1', [
          id,
        ]);
        const trace = row!.trace_id;
        const words = auditWords(call.platform.registrations);
        const parameters = new Parameters();
        const place = parameters.bind(trace);
        const scope = scopeCondition(
          call.caller,
          'ssm_businessLog',
          { tenant: 't.tenant_id', project: 'none', owner: 't.staff_id' },
          parameters,
        );
        const changes = holds(call.caller, 'ssm_businessLog')
          ? await run<{ id: number; at: Date; action: string; entity: string }>(
              db,
              `SELECT t.id, t.at, t.action, t.entity FROM audit_record t WHERE t.trace_id = ${place} AND t.trace_id <> '' AND ${scope} ORDER BY t.id LIMIT 50`,
              parameters.values,
            )
          : null;
        // Faults tell of the program, so only the platform reads them.
        const errors =
          call.caller.tenantKind === 3
            ? await run<{ id: number; created_at: Date; message: string; origin: string }>(
                db,
                `SELECT id, created_at, message, origin FROM error_report WHERE trace_id = $1 AND trace_id <> '' ORDER BY id LIMIT 20`,
                [trace],
              )
            : null;
        const told = (label: readonly [string, string] | undefined, code: string) =>
          label ? textOf(label, call.facts.language) : code;
        return {
          changes:
            changes?.map((one) => ({
              id: String(one.id),
              at: isoInstant(one.at),
              action: told(words.action(one.entity, one.action), one.action),
              entity: told(words.entity(one.entity), one.entity),
            })) ?? null,
          errors:
            errors?.map((one) => ({
              id: String(one.id),
              at: isoInstant(one.created_at),
              message: withoutPersonal(one.message),
              origin: one.origin,
            })) ?? null,
        };
      },
    }),
  ],
});

/** Calls as they were answered. */
export const registration: Registration = {
  ...bound.registration,
  endpoints: bound.registration.endpoints.map((one) =>
    [`${ROOT}/page`, `${ROOT}/counts`, `${ROOT}/export`].includes(one.path) ? withinRange(one) : one,
  ),
};

/** Whoever names no time asks for the last 31 days: nobody reads a year of calls by a click on a tab. */
function withinRange(inner: Endpoint): Endpoint {
  const bounded = (query: Readonly<Record<string, unknown>>) => {
    // An export is written by and by: whoever asks for one hears at once.
    if (typeof query.at === 'string' && query.at !== '') requireRange(query.at);
    if (query.tab === 'today' || (query.at ?? '') !== '') return query;
    const today = businessDayOf(new Date());
    return { ...query, at: `${addDays(today, 1 - MAX_DAYS)}~${today}` };
  };
  return {
    ...inner,
    handle: (call: Call) => {
      const body = call.body as { readonly query?: unknown } | null;
      return inner.handle(
        inner.method === 'GET'
          ? ({ ...call, query: bounded(call.query as Record<string, unknown>) } as Call)
          : typeof body?.query === 'object' && !Array.isArray(body.query)
            ? ({
                ...call,
                body: { ...body, query: bounded((body.query ?? {}) as Record<string, unknown>) },
              } as Call)
            : body?.query === undefined
              ? ({ ...call, body: { query: bounded({}) } } as Call)
              : call,
      );
    },
  };
}

/** Makes the coming days and drops those older than `log.gate_days`; returns how many were dropped. The audit log is never touched. */
export async function dropOldDays(platform: Platform): Promise<number> {
  const { db } = platform.database;
  await run(db, 'SELECT make_gate_log_days()');
  const days = await platform.settings.number('log.gate_days');
  const row = await runOne<{ dropped: number }>(
    db,
    `SELECT drop_gate_log_before((clock_timestamp() AT TIME ZONE 'Asia/Shanghai')::date - $1::integer) AS dropped`,
    [days],
  );
  return row!.dropped;
}
