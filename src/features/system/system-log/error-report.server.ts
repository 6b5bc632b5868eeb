import { z } from 'zod';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { holds, staffIdOf } from '../../../kernel/server/people/caller.ts';
import { Parameters as Bound, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { errorReport, type ErrorDetail } from './error-report.contract.ts';

const scope = { tenant: 'none', project: 'none', owner: 't.handler_id', platformOnly: true } as const;
const sight = listSight({ entity: 'errorReport', menu: errorReport.menu, table: 'error_issue', scope });

const bound: BoundResource = bindResource(errorReport, {
  table: 'error_issue',
  scope,
  joins: { handler: 'staff' },
  columns: {
    affected: '(SELECT count(DISTINCT r.staff_id)::int FROM error_report r WHERE r.issue_id = t.id)',
  },
  search: `lower(t.message || ' ' || t.place)`,
  sets: { ignore: { returned: false } },
  handlers: {
    assign,
    resolve: async ({ platform, row, input }) => ({
      set: {
        resolved_at: new Date(),
        returned: false,
        // What runs now has no repair yet: only a release that comes later counts as newer.
        releases: [...new Set([platform.config.build, ...(row.releases as string[])])].slice(0, 50),
      },
      remark: String(input.note ?? ''),
    }),
    reopen: async ({ row }) => ({
      set: { resolved_at: null, returned: false },
      remark: String(row.release),
    }),
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/admin/errorReport/:id/occurrences',
      title: ['错误明细', 'Occurrences of an error'],
      access: { code: errorReport.menu },
      query: z.strictObject({}),
      handle: async (call): Promise<ErrorDetail> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const { db } = call.platform.database;
        const reports = await run<{
          id: number;
          created_at: Date;
          staff_id: number | null;
          staff_name: string | null;
          release: string;
          page: string;
          times: number;
          trace_id: string;
        }>(
          db,
          `SELECT r.id, r.created_at, r.staff_id, s.name AS staff_name, r.release, coalesce(nullif(r.route, ''), r.url) AS page, r.times, r.trace_id
             FROM error_report r LEFT JOIN staff s ON s.id = r.staff_id WHERE r.issue_id = $1 ORDER BY r.created_at DESC, r.id DESC LIMIT 20`,
          [id],
        );
        return {
          reports: reports.map((one) => ({
            id: String(one.id),
            at: isoInstant(one.created_at),
            staff: one.staff_name,
            release: one.release,
            page: one.page,
            times: one.times,
            traceId: one.trace_id,
          })),
          calls: holds(call.caller, GATE_MENU) ? await callsBefore(call, reports[0]) : null,
        };
      },
    }),
  ],
  also: {
    sights: [sight],
    jobs: [
      dueJob(() => bound, {
        name: 'errorReport.reopen',
        title: ['重新打开再次出现的错误', 'Errors that returned open again'],
        cron: '* * * * *',
        action: 'reopen',
        when: 't.returned',
      }),
    ],
  },
});

/** Errors by kind. */
export const registration = bound.registration;

const GATE_MENU = 'gateLogManager';

/** The last ten calls of the person the newest report is of, and those of its trace, as the caller may read them. */
async function callsBefore(
  { caller, platform }: Parameters<typeof bound.page>[0],
  newest:
    { readonly created_at: Date; readonly staff_id: number | null; readonly trace_id: string } | undefined,
): Promise<NonNullable<ErrorDetail['calls']>> {
  if (!newest) return [];
  const parameters = new Bound();
  const readable = scopeCondition(
    caller,
    GATE_MENU,
    { tenant: 't.tenant_id', project: 'none', owner: 't.staff_id' },
    parameters,
  );
  const at = parameters.bind(newest.created_at);
  const staff = parameters.bind(newest.staff_id);
  const trace = parameters.bind(newest.trace_id);
  const rows = await run<{
    at: Date;
    method: string;
    path: string;
    http: number;
    duration_ms: number;
    same: boolean;
  }>(
    platform.database.db,
    `SELECT t.at, t.method, t.path, t.http, t.duration_ms, t.trace_id = ${trace} AS same FROM gate_log t
      WHERE t.at BETWEEN ${at}::timestamptz - interval '5 minutes' AND ${at}::timestamptz + interval '10 seconds'
        AND (t.staff_id = ${staff}::bigint OR (t.trace_id = ${trace} AND ${trace} <> '')) AND ${readable} ORDER BY t.at DESC LIMIT 10`,
    parameters.values,
  );
  return rows.map((one) => ({
    at: isoInstant(one.at),
    method: one.method,
    path: one.path,
    http: one.http,
    ms: one.duration_ms,
    sameTrace: one.same,
  }));
}

/** Gives an error to somebody of the platform who works here, and tells them. */
async function assign({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const staff = await runOne<{ id: number; name: string }>(
    tx,
    `SELECT s.id, s.name FROM staff s JOIN tenant t ON t.id = s.tenant_id WHERE s.id = $1 AND t.kind = 3 AND s.state = 'normal'`,
    [input.handler],
  );
  if (!staff)
    throw invalid({
      handler: ['请选择在职的平台员工', 'Please choose somebody of the platform who works here'],
    });
  if (staff.id !== staffIdOf(caller))
    await notify(tx, {
      staffIds: [staff.id],
      kind: 'errorAssigned',
      title: ['有错误指派给你处理', 'An error was assigned to you'],
      body: [String(row.message).slice(0, 120), String(row.message).slice(0, 120)],
      route: `/sysManager/ssm_systemLog?detail=${id}`,
      rows: { sight, ids: [id] },
    });
  return {
    to: 'handling',
    set: { handler_id: staff.id, resolved_at: null, returned: false },
    remark: staff.name,
  };
}
