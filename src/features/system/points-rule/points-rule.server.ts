import { z } from 'zod';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { projectsInReach, requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { capsOf, cappedRule, cutByCaps } from '../../../domain/points-ledger/points-caps.server.ts';
import { now } from '../../../domain/points-ledger/points-lots.server.ts';
import { MEMBER_PLACE, pointsMembers } from '../../../domain/points-ledger/points-members.server.ts';
import { quotePoints } from '../../../domain/points-ledger/points-quote.server.ts';
import { POINTS_EVENTS } from './points-event.rules.ts';
import { pointsRule, type RuleTrial } from './points-rule.contract.ts';

const MENU = pointsRule.menu;
const TEST = `${MENU}:btn_test`;
const BOOKED = `EXISTS (SELECT FROM ledger_transfer l WHERE l.rule_id = t.id) OR EXISTS (SELECT FROM points_pending w WHERE w.rule_id = t.id)
  OR EXISTS (SELECT FROM points_skip s WHERE s.rule_id = t.id)`;

const bound: BoundResource = bindResource(pointsRule, {
  table: 'points_rule',
  // Rules are the platform's.
  scope: { tenant: 'none', project: 'none', owner: 't.created_by', platformOnly: true },
  search: `lower(t.code || ' ' || t.name)`,
  columns: {
    projects: `(SELECT coalesce(json_agg(json_build_object('id', x.id::text, 'title', x.name) ORDER BY x.id), '[]') FROM project x WHERE x.id = ANY(t.project_ids))`,
    givenThisMonth: `(SELECT coalesce(-sum(e.amount), 0)::bigint FROM ledger_transfer l JOIN ledger_entry e ON e.transfer_id = l.id JOIN ledger_account a ON a.id = e.account_id
      WHERE l.rule_id = t.id AND a.kind IN ('points_budget', 'points_issue')
        AND l.at >= date_trunc('month', now() AT TIME ZONE 'Asia/Shanghai') AT TIME ZONE 'Asia/Shanghai')`,
  },
  writes: { projects: 'project_ids' },
  extra: { booked: `(${BOOKED})` },
  ruleReads: ['seeded', 'booked'],
  rowRules: {
    remove: (row) =>
      row.seeded === true
        ? ['系统规则不能删除', 'Rules of the system cannot be deleted']
        : row.booked === true
          ? ['该规则已有积分记录，不能删除', 'Points were booked by it: it cannot be deleted']
          : undefined,
  },
  before: [checkRule],
  checks: { enable: ({ tx, row }) => requireAlone(tx, row) },
  present: (rows, _db, caller) => {
    for (const row of rows)
      if (row.projects) row.projects = projectsInReach(caller, row.projects as { id: string }[]);
    return Promise.resolve();
  },
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/pointsRule/test',
      title: ['积分试算', 'Try a points rule'],
      access: { code: TEST },
      body: z.strictObject({
        member: z.string().regex(/^\d{1,15}$/),
        event: z.enum(Object.keys(POINTS_EVENTS) as [string, ...string[]]),
        direction: z.enum(['earn', 'spend']).optional(),
        times: z.number().int().min(1).max(1_000).optional(),
      }),
      handle: async ({ caller, platform, body }): Promise<RuleTrial> => {
        const parameters = new Parameters();
        const id = parameters.bind(Number(body.member));
        const member = await runOne<{ id: number; project_id: number | null }>(
          platform.database.db,
          `SELECT t.id, t.project_id FROM member t WHERE t.id = ${id} AND ${scopeCondition(caller, MENU, MEMBER_PLACE, parameters)}`,
          parameters.values,
        );
        if (!member) throw notFound();
        return transaction(platform.database.db, async (tx) => {
          const day = businessDayOf(await now(tx));
          const rules = await run<{ id: number; code: string; name: string; points: number; runs: boolean }>(
            tx,
            `SELECT id, code, name, points, coalesce(starts_on <= $4::date, true) AND coalesce(ends_on >= $4::date, true) AS runs
               FROM points_rule WHERE state = 'enabled' AND event = $1 AND direction = $2
                AND (project_ids = '{}' OR $3::bigint = ANY(project_ids)) ORDER BY dimension DESC, id`,
            [body.event, body.direction ?? 'earn', member.project_id ?? 0, day],
          );
          const rule = rules.find((one) => one.runs);
          const wanted = (rule?.points ?? 0) * (body.times ?? 1);
          const { available, frozen } = await quotePoints(tx, member.id, wanted);
          if (!rule)
            return {
              rule: null,
              why: rules.length > 0 ? 'period' : 'none',
              wanted: 0,
              granted: 0,
              cut: null,
              caps: [],
              frozen,
              available,
            };
          const earns = (body.direction ?? 'earn') === 'earn';
          const caps = earns
            ? await capsOf(tx, platform.settings, {
                memberId: member.id,
                rule: await cappedRule(tx, rule.id),
                activity: !['bill.paid', 'order.completed'].includes(body.event),
                lock: false,
              })
            : [];
          const { granted, cut } = cutByCaps(wanted, caps);
          return {
            rule: { code: rule.code, name: rule.name },
            why: null,
            wanted,
            granted: earns ? granted : Math.min(wanted, frozen ? 0 : available),
            cut: cut ?? null,
            caps: caps.map((cap) => ({
              cap: cap.cap,
              limit: cap.limit,
              used: cap.used,
              left: Math.max(cap.limit - cap.used, 0),
            })),
            frozen,
            available,
          };
        });
      },
    }),
  ],
  also: { options: [pointsMembers] },
});

/** Rules by which events of members give or take points. */
export const registration = bound.registration;

/** Limits follow each other, the period is one, projects lie in reach; a new rule gets its number. */
async function checkRule({ tx, action, input, row, columns, caller }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const now = { ...row, ...columns };
  const [points, day, month, total] = [now.points, now.day_limit, now.month_limit, now.total_limit].map(
    Number,
  ) as [number, number, number, number];
  const problems: Record<string, readonly [string, string]> = {};
  for (const [name, value] of [
    ['dayLimit', day],
    ['monthLimit', month],
    ['totalLimit', total],
  ] as const)
    if (value !== -1 && value < points)
      problems[name] = ['不能小于单次积分，或填 -1 不限', 'Not below the points of one time, or -1 for none'];
  if (day !== -1 && month !== -1 && day > month)
    problems.monthLimit = ['每月上限不能小于每日上限', 'Not below the day limit'];
  const inner = Math.max(day, month);
  if (total !== -1 && inner > total)
    problems.totalLimit = ['总上限不能小于每日或每月上限', 'Not below the day or month limit'];
  if (now.starts_on && now.ends_on && String(now.starts_on) > String(now.ends_on))
    problems.endsOn = ['结束日期不能早于开始日期', 'The end is before the start'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (Array.isArray(input.projects)) requireProjectsInReach(caller, input.projects as number[]);
  if (action === 'create') {
    const letter = columns.direction === 'spend' ? 'C' : 'A';
    await run(tx, `SELECT pg_advisory_xact_lock(hashtext('points_rule code'))`);
    const last = await runOne<{ last: number }>(
      tx,
      `SELECT coalesce(max(substring(code FROM 2)::int), 0) AS last FROM points_rule WHERE code ~ ('^' || $1 || '[0-9]+$')`,
      [letter],
    );
    columns.code = `${letter}${String(last!.last + 1).padStart(3, '0')}`;
  }
}

/** Refuses (30101) with the other's code where one is enabled for the same event and a project of it. */
async function requireAlone(tx: ActionContext['tx'], row: ActionContext['row']): Promise<void> {
  await run(tx, `SELECT pg_advisory_xact_lock(hashtext('points_rule ' || $1 || ' ' || $2))`, [
    row.direction,
    row.event,
  ]);
  const other = await runOne<{ code: string }>(
    tx,
    `SELECT code FROM points_rule WHERE id <> $1 AND state = 'enabled' AND event = $2 AND direction = $3 AND dimension = $5
        AND (project_ids = '{}' OR $4::bigint[] = '{}' OR project_ids && $4::bigint[]) ORDER BY id LIMIT 1`,
    [row.id, row.event, row.direction, row.project_ids, row.dimension],
  );
  if (other)
    throw ruleBroken([
      `规则 ${other.code} 已对同一事件和项目启用`,
      `Rule ${other.code} is enabled for the same event and project`,
    ]);
}
