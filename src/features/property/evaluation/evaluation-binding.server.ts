import { z } from 'zod';
import type { RatingTarget } from '../../../domain/evaluation/evaluation.rules.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import {
  businessDayOf,
  endOfBusinessDay,
  isBusinessDay,
  startOfBusinessDay,
} from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import {
  endpoint,
  type Call,
  type OptionSource,
  type TodoKind,
} from '../../../kernel/server/registration.ts';
import { CALLER, NOW, fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { RankedLine, RankingAnswer } from './evaluation.contract.ts';

/** Months of the trend. Source: group 06, cs_housekeeperEvaluate. */
const MONTHS = 6;
const SCOPE = residentScope('t.project_id', 't.created_by');
const query = z.strictObject({
  project: z
    .string()
    .regex(/^(\d{1,15}(,\d{1,15}){0,99})?$/)
    .optional(),
  ratedAt: z.string().max(30).optional(),
});

/** Ratings of one target: lists, follow-up and ranking are the same, the menu and the rows differ. */
export function bindEvaluations(contract: Resource, target: RatingTarget): BoundResource {
  const byHousekeeper = target === 'housekeeper';
  return bindResource(contract, {
    table: 'evaluation',
    entity: 'evaluation',
    from: `evaluation t LEFT JOIN house x ON x.id = t.house_id LEFT JOIN building_unit u ON u.id = x.unit_id LEFT JOIN building b ON b.id = u.building_id
      LEFT JOIN member m ON m.id = t.member_id LEFT JOIN housekeeper k ON k.id = t.housekeeper_id LEFT JOIN staff ks ON ks.id = k.staff_id`,
    where: `t.target = '${target}'`,
    joins: { project: 'project', followedBy: { table: 'staff', column: 'followed_by' } },
    columns: {
      address: `b.name || ' ' || u.name || ' ' || x.number`,
      userName: `coalesce(nullif(m.name, ''), m.nickname)`,
      ...(byHousekeeper && { housekeeper: { id: 't.housekeeper_id', title: 'ks.name' } }),
    },
    scope: SCOPE,
    search: 't.search',
    tabs: {
      overdue: (_caller, parameters) =>
        `t.state = 'to_follow' AND t.follow_due < ${parameters.bind(businessDayOf(new Date()))}::date`,
    },
    sets: { follow: { result: fromInput('result'), followed_by: CALLER, followed_at: NOW } },
    endpoints: [
      endpoint({
        method: 'GET',
        path: `/jinmao/web/${contract.name}/ranking`,
        title: byHousekeeper ? ['管家排名', 'Ranking of housekeepers'] : ['物业排名', 'Ranking of projects'],
        access: { code: contract.menu },
        query,
        handle: (call) => ranking(call, contract.menu, target, call.query),
      }),
    ],
    also: {
      todos: [toFollow(contract, target)],
      ...(byHousekeeper && { options: [ratedHousekeepers(contract.menu)] }),
    },
  });
}

/** Who is rated how, best first, with six months up to the end of the days asked for; inside the caller's scope. */
async function ranking(
  call: Pick<Call, 'caller' | 'platform'>,
  menu: string,
  target: RatingTarget,
  asked: z.infer<typeof query>,
): Promise<RankingAnswer> {
  const [from = '', to = ''] = (asked.ratedAt ?? '').split('~');
  for (const day of [from, to])
    if (day !== '' && !isBusinessDay(day))
      throw invalid({ ratedAt: ['日期范围不正确', 'The date range is not valid'] });
  const { db } = call.platform.replica;
  const last = to === '' ? businessDayOf(new Date()) : to;
  const cut = (since?: Date) => {
    const parameters = new Parameters();
    const parts = [`t.target = '${target}'`, scopeCondition(call.caller, menu, SCOPE, parameters)];
    if (asked.project)
      parts.push(`t.project_id = ANY(${parameters.bind(asked.project.split(',').map(Number))}::bigint[])`);
    parts.push(`t.rated_at < ${parameters.bind(endOfBusinessDay(last))}`);
    if (since) parts.push(`t.rated_at >= ${parameters.bind(since)}`);
    return { parameters, where: parts.join(' AND ') };
  };
  const key = target === 'housekeeper' ? 't.housekeeper_id' : 't.project_id';
  const own = cut(from === '' ? undefined : startOfBusinessDay(from));
  const rows = await run<{
    id: number;
    name: string;
    projects: string;
    count: number;
    satisfied: string | null;
    average: string | null;
  }>(
    db,
    `SELECT ${key} AS id, ${target === 'housekeeper' ? 'ks.name' : 'p.name'} AS name, string_agg(DISTINCT p.name, '、') AS projects, count(*)::integer AS count,
            to_char(100.0 * count(*) FILTER (WHERE t.grade = 'satisfied') / count(*), 'FM990.0') AS satisfied,
            to_char(avg(array_position(ARRAY['unsatisfied', 'fair', 'satisfied'], t.grade)), 'FM0.00') AS average
       FROM evaluation t JOIN project p ON p.id = t.project_id LEFT JOIN housekeeper k ON k.id = t.housekeeper_id LEFT JOIN staff ks ON ks.id = k.staff_id
      WHERE ${own.where} GROUP BY 1, 2
      ORDER BY avg(array_position(ARRAY['unsatisfied', 'fair', 'satisfied'], t.grade)) DESC, count(*) DESC, 1`,
    own.parameters.values,
  );
  const months = Array.from({ length: MONTHS }, (_, n) => {
    const [year = 0, month = 0] = last.split('-').map(Number);
    return new Date(Date.UTC(year, month - MONTHS + n, 1)).toISOString().slice(0, 7);
  });
  const long = cut(startOfBusinessDay(`${months[0]!}-01`));
  const trends = await run<{ id: number; month: string; count: number; satisfied: string }>(
    db,
    `SELECT ${key} AS id, to_char(t.rated_month, 'YYYY-MM') AS month, count(*)::integer AS count,
            to_char(100.0 * count(*) FILTER (WHERE t.grade = 'satisfied') / count(*), 'FM990.0') AS satisfied
       FROM evaluation t WHERE ${long.where} GROUP BY 1, 2`,
    long.parameters.values,
  );
  const reasons = cut(from === '' ? undefined : startOfBusinessDay(from));
  const named = await run<{ reason: string; count: number; share: string }>(
    db,
    `SELECT r.reason, count(*)::integer AS count, to_char(100.0 * count(*) / sum(count(*)) OVER (), 'FM990.0') AS share
       FROM evaluation t CROSS JOIN LATERAL unnest(t.reasons) AS r (reason) WHERE ${reasons.where} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 12`,
    reasons.parameters.values,
  );
  return {
    rows: rows.map((row): RankedLine => ({
      ...row,
      id: String(row.id),
      trend: months.map((month) => {
        const found = trends.find((one) => one.id === row.id && one.month === month);
        return { month, count: found?.count ?? 0, satisfied: found?.satisfied ?? null };
      }),
    })),
    reasons: named,
  };
}

/** Housekeepers of ratings the caller sees, for the filter. */
function ratedHousekeepers(menu: string): OptionSource {
  return {
    target: 'ratedHousekeeper',
    anyOf: [menu],
    find: async ({ caller, platform }, { ids, searchVal, within, limit, offset }) => {
      const parameters = new Parameters();
      const scope = scopeCondition(caller, menu, SCOPE, parameters);
      const parts = [
        ids.length > 0
          ? `k.id = ANY(${parameters.bind(ids.map(Number))}::bigint[])`
          : `s.name ILIKE ${parameters.bind(containing(searchVal))}`,
      ];
      const near =
        ids.length === 0 && within && within.length > 0
          ? ` AND t.project_id = ANY(${parameters.bind(within.map(Number))}::bigint[])`
          : '';
      const rows = await run<{ id: number; title: string }>(
        platform.database.db,
        `SELECT k.id, s.name AS title FROM housekeeper k JOIN staff s ON s.id = k.staff_id
          WHERE ${parts.join(' AND ')} AND EXISTS (SELECT FROM evaluation t WHERE t.housekeeper_id = k.id AND ${scope}${near})
          ORDER BY s.name, k.id LIMIT ${parameters.bind(limit)} OFFSET ${parameters.bind(offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}

function toFollow(contract: Resource, target: RatingTarget): TodoKind {
  const { menu } = contract;
  return {
    kind: `${target}_rating_follow`,
    label:
      target === 'housekeeper'
        ? ['管家评价待跟进', 'Housekeeper ratings to follow up']
        : ['物业评价待跟进', 'Property ratings to follow up'],
    menu,
    route: `/companymanager/${menu}?tab=to_follow`,
    order: 37,
    count: async ({ caller, platform }) => {
      const parameters = new Parameters();
      const today = parameters.bind(businessDayOf(new Date()));
      return (await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*)::integer AS count, min(t.rated_at) AS oldest, count(*) FILTER (WHERE t.follow_due < ${today}::date)::integer AS overdue
           FROM evaluation t WHERE t.target = '${target}' AND t.state = 'to_follow' AND ${scopeCondition(caller, menu, SCOPE, parameters)}`,
        parameters.values,
      ))!;
    },
  };
}
