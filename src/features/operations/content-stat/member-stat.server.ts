import { addDays, endOfBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { bindReport } from '../../../kernel/server/report/bind.ts';
import { memberStat } from './content-stat.contract.ts';
import {
  activeDays,
  activeInAll,
  DAY,
  memberCondition,
  projectIds,
  signRate,
} from './stat-queries.server.ts';

/** Members by day. */
export const registration = bindReport(memberStat, {
  compute: async ({ caller, platform }, request) => {
    const db = platform.replica.db;
    const projects = projectIds(request.parameters.project);
    const freshOf = (from: string, to: string) => {
      const values = new Parameters();
      return run<{ day: string; n: number }>(
        db,
        `SELECT ${DAY('t.registered_at')}::text AS day, count(*)::int AS n FROM member t
          WHERE NOT t.official AND t.registered_at >= ${values.bind(startOfBusinessDay(from))} AND t.registered_at < ${values.bind(endOfBusinessDay(to))}
            AND ${memberCondition(caller, projects, values)} GROUP BY 1`,
        values.values,
      );
    };
    const days = await activeDays(db, caller, request.from, request.to, projects);
    const past = await activeDays(db, caller, request.previousFrom, request.previousTo, projects);
    const whole = await activeInAll(db, caller, request.from, request.to, projects);
    const wholePast = await activeInAll(db, caller, request.previousFrom, request.previousTo, projects);
    const fresh = await freshOf(request.from, request.to);
    const freshPast = await freshOf(request.previousFrom, request.previousTo);
    const sum = (rows: readonly { n: number }[]) => rows.reduce((total, row) => total + row.n, 0);
    const rows: {
      id: string;
      day: string;
      fresh: number;
      active: number;
      signed: number;
      signRate: number | null;
    }[] = [];
    for (let day = request.from; day <= request.to; day = addDays(day, 1)) {
      const active = days.find((one) => one.day === day);
      rows.push({
        id: day,
        day,
        fresh: fresh.find((one) => one.day === day)?.n ?? 0,
        active: active?.active ?? 0,
        signed: active?.signed ?? 0,
        signRate: active ? signRate([active]) : null,
      });
    }
    const spark = (name: 'fresh' | 'active' | 'signed') => rows.slice(-7).map((row) => row[name]);
    return {
      figures: {
        fresh: { value: sum(fresh), previous: sum(freshPast), spark: spark('fresh') },
        active: { value: whole.active, previous: wholePast.active, spark: spark('active') },
        signed: { value: whole.signed, previous: wholePast.signed, spark: spark('signed') },
        signRate: { value: signRate(days), previous: signRate(past), spark: [] },
      },
      charts: {
        days: rows.map((row) => ({
          key: row.day,
          label: row.day.slice(5),
          values: { active: row.active, signed: row.signed, fresh: row.fresh },
        })),
      },
      rows,
      sums: { fresh: sum(fresh), active: whole.active, signed: whole.signed, signRate: signRate(days) },
    };
  },
});
