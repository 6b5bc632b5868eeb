import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import { run } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { databaseDay } from '../../../domain/sign-in/sign-in.server.ts';
import { signInRule, type SignInFigures } from './sign-in-rule.contract.ts';
import { TODAY } from '../../../kernel/server/today.ts';

/** Exactly one daily rule is enabled. Source: group 01, os_userSign, form. */
const DAILY_STAYS: Label = [
  '须有一条启用的每日签到规则，请直接编辑其积分',
  'One daily rule stays enabled; edit its points instead',
];

/** Rules of sign-ins, and figures of the projects in reach. */
export const registration = bindResource(signInRule, {
  table: 'sign_in_rule',
  columns: {
    given: `(CASE t.type WHEN 'daily' THEN
        (SELECT coalesce(sum(s.points), 0) - coalesce((SELECT sum(b.points) FROM sign_in_bonus b JOIN sign_in x ON x.id = b.sign_in_id WHERE x.day > ${TODAY} - 30), 0) FROM sign_in s WHERE s.day > ${TODAY} - 30)
        ELSE (SELECT coalesce(sum(b.points), 0) FROM sign_in_bonus b JOIN sign_in s ON s.id = b.sign_in_id WHERE b.rule_id = t.id AND s.day > ${TODAY} - 30) END)::int`,
  },
  scope: { tenant: 'none', project: 'none', owner: 't.created_by' },
  keyword: (value, parameters) => `lower(t.code) = lower(${parameters.bind(value)})`,
  unique: {
    sign_in_rule_one_daily: ['已有启用的每日签到规则', 'A daily rule is enabled already'],
    sign_in_rule_days_of_type: ['该类型已有相同天数的规则', 'This type has a rule of as many days'],
  },
  ruleReads: ['type', 'enabled'],
  rowRules: {
    disable: (row) => (row.type === 'daily' ? DAILY_STAYS : undefined),
    remove: (row) => (row.type === 'daily' && row.enabled ? DAILY_STAYS : undefined),
  },
  usedBy: { sign_in_rule_version: false, sign_in_bonus: ['已发放的奖励', 'bonuses given'] },
  before: [
    async ({ tx, action, input, row, platform }: ActionContext) => {
      if (action !== 'create' && action !== 'update') return;
      const type = String(input.type ?? row.type);
      const days = Number(input.days ?? row.days);
      if (type === 'daily' ? days !== 1 : days < 2)
        throw invalid({
          days:
            type === 'daily'
              ? ['每日签到的天数为1', 'A daily rule has one day']
              : ['连续与累计至少2天', 'At least two days'],
        });
      const cycle = await platform.settings.textIn(tx, 'signin.cycle');
      if (cycle === 'week' && days > 7)
        throw invalid({ days: ['按周循环时不超过7天', 'At most 7 days in weekly cycles'] });
    },
  ],
  after: [
    async ({ tx, action }, id) => {
      if (action === 'remove') return [];
      // From tomorrow on; a rule of today was never used yet and may be replaced.
      await run(
        tx,
        `INSERT INTO sign_in_rule_version (rule_id, from_day, type, days, points, enabled)
         SELECT id, $2::date + 1, type, days, points, enabled FROM sign_in_rule WHERE id = $1
         ON CONFLICT (rule_id, from_day) DO UPDATE SET type = excluded.type, days = excluded.days, points = excluded.points, enabled = excluded.enabled`,
        [id, await databaseDay(tx)],
      );
      return [];
    },
  ],
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/signInRule/figures',
      title: ['签到数据', 'Figures of sign-ins'],
      access: { code: signInRule.menu },
      query: z.strictObject({}),
      handle: async ({ caller, platform }): Promise<SignInFigures> => {
        const parameters = new Parameters();
        const seen = scopeCondition(
          caller,
          signInRule.menu,
          { tenant: 'NULL::bigint', project: 's.project_id', owner: 'NULL::bigint' },
          parameters,
        );
        const days = await run<{ day: string; signed: number; points: number }>(
          platform.database.db,
          `SELECT d.day::date::text AS day, count(s.id) FILTER (WHERE ${seen})::int AS signed, coalesce(sum(s.points) FILTER (WHERE ${seen}), 0)::int AS points
             FROM generate_series(${TODAY} - 29, ${TODAY}, interval '1 day') AS d (day) LEFT JOIN sign_in s ON s.day = d.day::date
            GROUP BY 1 ORDER BY 1`,
          parameters.values,
        );
        const streaks = await run<{ streak: string; members: number }>(
          platform.database.db,
          `SELECT CASE WHEN s.streak >= 15 THEN '15+' WHEN s.streak >= 7 THEN '7–14' WHEN s.streak >= 3 THEN '3–6' ELSE '1–2' END AS streak, count(*)::int AS members
             FROM sign_in s WHERE s.day = ${TODAY} AND ${seen} GROUP BY 1 ORDER BY min(s.streak)`,
          parameters.values,
        );
        return {
          today: days.at(-1)?.signed ?? 0,
          yesterday: days.at(-2)?.signed ?? 0,
          points: days.reduce((sum, one) => sum + one.points, 0),
          days,
          streaks,
        };
      },
    }),
  ],
}).registration;
