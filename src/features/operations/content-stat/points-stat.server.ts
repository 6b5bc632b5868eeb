import { LINE_KINDS } from '../../../domain/points-ledger/ledger-book.server.ts';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { addDays, endOfBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { bindReport } from '../../../kernel/server/report/bind.ts';
import { pointsStat } from './content-stat.contract.ts';
import { activeDays, DAY, memberCondition, projectIds, signRate } from './stat-queries.server.ts';

const GRANTS = {
  signIn: [LINE_KINDS.signIn, ['签到', 'Sign-in']],
  task: [LINE_KINDS.task, ['任务', 'Tasks']],
  purchase: [LINE_KINDS.purchase, ['消费返积分', 'Purchase return']],
  rebate: [LINE_KINDS.rebate, ['缴费返利', 'Rebate']],
  staff: [LINE_KINDS.staff, ['后台发放', 'Staff']],
  other: [0, ['其他发放', 'Other']],
} as const satisfies Readonly<Record<string, readonly [number, Label]>>;
type Grant = keyof typeof GRANTS;
const NAMES = Object.keys(GRANTS) as Grant[];

type Row = Record<Grant | 'granted' | 'used' | 'expired' | 'takenBack', number> & { readonly day: string };

/** Points by day: the other sides of what moved on members' accounts. */
export const registration = bindReport(pointsStat, {
  compute: async ({ caller, platform, language }, request) => {
    const db = platform.replica.db;
    const projects = projectIds(request.parameters.project);
    const rowsOf = async (from: string, to: string) => {
      const values = new Parameters();
      const kinds = NAMES.filter((name) => name !== 'other').map((name) => GRANTS[name][0]);
      const granted = (name: Grant) =>
        `-coalesce(sum(e.amount) FILTER (WHERE o.kind IN ('points_issue', 'points_budget', 'points_budget_hold') AND ${
          name === 'other'
            ? `coalesce(l.kind, 0) <> ALL('{${kinds.join(',')}}')`
            : `l.kind = ${GRANTS[name][0]}`
        }), 0)::bigint AS "${name}"`;
      const other = (name: string, kind: string) =>
        `coalesce(sum(e.amount) FILTER (WHERE o.kind = '${kind}'), 0)::bigint AS "${name}"`;
      return run<Row>(
        db,
        `SELECT ${DAY('l.at')}::text AS day, ${NAMES.map(granted).join(', ')},
                -coalesce(sum(e.amount) FILTER (WHERE o.kind IN ('points_issue', 'points_budget', 'points_budget_hold')), 0)::bigint AS granted,
                ${other('used', 'points_redeemed')}, ${other('expired', 'points_expired')}, ${other('takenBack', 'points_clawed_back')}
           FROM ledger_transfer l JOIN ledger_entry e ON e.transfer_id = l.id JOIN ledger_account o ON o.id = e.account_id
           JOIN member t ON t.id = l.member_id
          WHERE o.unit = 'point' AND l.at >= ${values.bind(startOfBusinessDay(from))} AND l.at < ${values.bind(endOfBusinessDay(to))}
            AND ${memberCondition(caller, projects, values)} GROUP BY 1`,
        values.values,
      );
    };
    const rows = await rowsOf(request.from, request.to);
    const before = await rowsOf(request.previousFrom, request.previousTo);
    const values = new Parameters();
    const left = (await runOne<{ n: number }>(
      db,
      `SELECT coalesce(sum(a.balance), 0)::bigint AS n FROM ledger_account a JOIN member t ON t.id = a.member_id
        WHERE a.unit = 'point' AND a.kind <> 'points_debt' AND ${memberCondition(caller, projects, values)}`,
      values.values,
    ))!.n;
    const fen = await platform.settings.number('points.fen_per_point');
    const days = await activeDays(db, caller, request.from, request.to, projects);
    const past = await activeDays(db, caller, request.previousFrom, request.previousTo, projects);
    const sum = (of: readonly Row[], name: keyof Omit<Row, 'day'>) =>
      of.reduce((total, row) => total + Number(row[name]), 0);
    const byDay = new Map(rows.map((row) => [row.day, row]));
    const all: Row[] = [];
    for (let day = request.from; day <= request.to; day = addDays(day, 1))
      all.push(
        byDay.get(day) ?? {
          day,
          signIn: 0,
          task: 0,
          purchase: 0,
          rebate: 0,
          staff: 0,
          other: 0,
          granted: 0,
          used: 0,
          expired: 0,
          takenBack: 0,
        },
      );
    const moved = ['granted', 'used', 'expired', 'takenBack'] as const;
    return {
      figures: {
        ...Object.fromEntries(
          moved.map((name) => [
            name,
            {
              value: sum(rows, name),
              previous: sum(before, name),
              spark: all.slice(-7).map((row) => Number(row[name])),
            },
          ]),
        ),
        outstanding: { value: left, previous: null, spark: [] },
        liability: { value: left * fen, previous: null, spark: [] },
        signRate: { value: signRate(days), previous: signRate(past), spark: [] },
      },
      charts: {
        days: all.map((row) => ({
          key: row.day,
          label: row.day.slice(5),
          values: { granted: Number(row.granted), used: Number(row.used), expired: Number(row.expired) },
        })),
        kinds: NAMES.filter((name) => sum(rows, name) > 0).map((name) => ({
          key: name,
          label: textOf(GRANTS[name][1], language),
          values: { granted: sum(rows, name) },
        })),
      },
      rows: all.map((row) => ({ id: row.day, ...row })),
      sums: Object.fromEntries([...NAMES, ...moved].map((name) => [name, sum(rows, name)])),
    };
  },
});
