import { partsOfSaid, saidTwice } from '../../../domain/coupon/said-twice.rules.ts';
import { defaultBudget } from '../../../domain/points-ledger/points-budget.server.ts';
import {
  pointsReturnEffect,
  pointsReturnInvariants,
} from '../../../domain/points-return/points-return.server.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import {
  checkPeriod,
  keepVersion,
  ruleBinding,
  showProjects,
  standing,
} from '../order-rule/order-rule.server.ts';
import { returnRule } from './points-return-rule.contract.ts';
import { rateText, type RateFacts } from './rate.rules.ts';
import { returnEndpoints } from './return-endpoints.server.ts';
import { returnBudgets, returnGrades } from './return-options.server.ts';
import { returnReplay } from './return-replay.server.ts';

const shared = ruleBinding('points_return');
const grants = (what: string) =>
  `(SELECT coalesce(sum(g.${what}), 0)::int FROM points_return_grant g WHERE g.rule_id = t.id)`;
const capText = (column: string) => `CASE WHEN t.${column} < 0 THEN '∞' ELSE t.${column}::text END`;

const bound: BoundResource = bindResource(returnRule, {
  table: 'points_return_rule',
  ...shared,
  joins: { budget: 'points_budget' },
  lines: {
    grades: {
      table: 'points_return_grade',
      own: 'rule_id',
      joins: { grade: { table: 'grade', title: 'title' } },
    },
  },
  columns: {
    ...shared.columns,
    rate: `json_build_object('give', t.give, 'per', t.per, 'asset', t.asset)::text`,
    caps: `(${['cap_order', 'cap_day', 'cap_month', 'cap_total'].map(capText).join(` || ' / ' || `)})`,
    granted: grants('granted'),
    takenBack: grants('taken_back'),
    budgetUsed: grants('booked'),
  },
  unique: {
    points_return_grade_once: ['同一等级只能设置一个倍数', 'A grade has one multiplier'],
  },
  words: { rate: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0] },
  before: [checkRule],
  after: [
    async (context, id) => {
      await keepVersion('points_return', context, id);
      return [];
    },
  ],
  present: (rows, _db, caller) => {
    for (const row of rows)
      if (row.rate !== undefined) row.rate = saidTwice(rateText(JSON.parse(String(row.rate)) as RateFacts));
    showProjects(rows, caller);
    return Promise.resolve();
  },
  endpoints: returnEndpoints(() => bound),
  also: {
    options: [returnBudgets, returnGrades],
    exports: [returnReplay],
    effects: [pointsReturnEffect],
    invariants: pointsReturnInvariants,
    jobs: [
      dueJob(() => bound, {
        name: 'points_return.clock',
        title: ['返积分规则到期停用', 'Points-return rules whose time is over'],
        cron: '0 16 * * *',
        action: 'expire',
        when: `t.ends_on < (now() AT TIME ZONE 'Asia/Shanghai')::date`,
      }),
    ],
  },
});

/** Rules by which orders give points back. */
export const registration = bound.registration;

async function checkRule(context: ActionContext): Promise<void> {
  const { action, columns, tx, platform } = context;
  if (action !== 'create' && action !== 'update') return;
  checkPeriod(context);
  const value = standing(context);
  if (value('asset', 'asset') === 'coin') {
    if (context.input.budget) throw invalid({ budget: ['代币不占积分预算', 'Coins take no points budget'] });
    columns.budget_id = null;
  } else if (!value('budget', 'budget_id')) columns.budget_id = await defaultBudget(tx, platform.settings);
  if (value('grantAt', 'grant_at') === 'after' && (value('afterDays', 'after_days') ?? null) === null)
    throw invalid({ afterDays: ['请填写完成后天数', 'Say the days after completion'] });
  // The column has a value of its own where none is asked for.
  if (columns.after_days === null) columns.after_days = 7;
}
