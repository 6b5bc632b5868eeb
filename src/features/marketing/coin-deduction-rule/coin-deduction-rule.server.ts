import { partsOfSaid, saidTwice } from '../../../domain/coupon/said-twice.rules.ts';
import { coinDeductionInvariants } from '../../../domain/coin-deduction/coin-deduction.server.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { checkPeriod, keepVersion, ruleBinding, showProjects } from '../order-rule/order-rule.server.ts';
import { COIN_MENU, coinRule } from './coin-deduction-rule.contract.ts';
import { coinEndpoints } from './coin-endpoints.server.ts';
import { coinReplay } from './coin-replay.server.ts';
import { stacksText, type StackFacts } from './stacks.rules.ts';

/** Share of its budget at which staff are told. */
const NOTICE_PERCENT = 80;
const shared = ruleBinding('coin_deduction');

const sight = listSight({
  entity: coinRule.name,
  menu: COIN_MENU,
  table: 'coin_deduction_rule',
  scope: shared.scope,
});

const bound: BoundResource = bindResource(coinRule, {
  table: 'coin_deduction_rule',
  ...shared,
  columns: {
    ...shared.columns,
    stacks: `json_build_object('coupon', t.with_coupon, 'points', t.with_points, 'seckill', t.with_seckill, 'group', t.with_group)::text`,
    deducted: `(SELECT coalesce(sum(u.amount - u.amount_back), 0)::bigint FROM coin_deduction_use u WHERE u.rule_id = t.id AND u.state <> 'held')`,
  },
  words: { stacks: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0] },
  before: [checkRule],
  after: [
    async (context, id) => {
      await keepVersion('coin_deduction', context, id);
      return [];
    },
  ],
  sets: { ...shared.sets, exhaust: { stop_reason: '预算已用完' } },
  present: (rows, _db, caller) => {
    for (const row of rows)
      if (row.stacks !== undefined)
        row.stacks = saidTwice(stacksText(JSON.parse(String(row.stacks)) as StackFacts));
    showProjects(rows, caller);
    return Promise.resolve();
  },
  endpoints: coinEndpoints(() => bound),
  also: {
    sights: [sight],
    exports: [coinReplay],
    invariants: coinDeductionInvariants,
    jobs: [
      dueJob(() => bound, {
        name: 'coin_deduction.clock',
        title: ['代币抵扣规则到期停用', 'Coin-deduction rules whose time is over'],
        cron: '0 16 * * *',
        action: 'expire',
        when: `t.ends_on < (now() AT TIME ZONE 'Asia/Shanghai')::date`,
      }),
      dueJob(() => bound, {
        name: 'coin_deduction.exhaust',
        title: ['代币抵扣预算用完停用', 'Coin-deduction rules whose budget is used up'],
        cron: '* * * * *',
        action: 'exhaust',
        when: 't.booked >= t.budget',
      }),
      budgetJob(),
    ],
  },
});

/** Rules by which coins pay for orders. */
export const registration = bound.registration;

function checkRule(context: ActionContext): Promise<void> {
  const { action, input, row } = context;
  if (action === 'enable' && row.budget !== null && Number(row.booked) >= Number(row.budget))
    throw invalid({ budget: ['预算已用完，请先增加预算', 'The budget is used up, raise it first'] });
  if (action !== 'create' && action !== 'update') return Promise.resolve();
  checkPeriod(context);
  const booked = Number(row.booked ?? 0);
  if (input.budget && Number(input.budget) < booked)
    throw invalid({
      budget: [
        `已占用 ${yuanFromFen(booked)}，预算不能更低`,
        `${yuanFromFen(booked)} are used, the budget cannot be lower`,
      ],
    });
  // Told again after the budget was changed.
  if (action === 'update' && 'budget' in input) context.columns.budget_told_at = null;
  return Promise.resolve();
}

/** Tells once when a budget is nearly used: who made the rule, and who sees it. */
function budgetJob(): Job {
  return {
    name: 'coin_deduction.budget',
    title: ['代币抵扣预算提醒', 'Budgets of coin-deduction rules nearly used'],
    cron: '* * * * *',
    run: async (_payload, platform) => {
      await transaction(platform.database.db, async (tx) => {
        const rows = await run<{ id: number; name: string; created_by: number | null; percent: number }>(
          tx,
          `UPDATE coin_deduction_rule SET budget_told_at = now() WHERE budget_told_at IS NULL AND budget IS NOT NULL AND state = 'enabled'
              AND booked * 100 >= budget * ${NOTICE_PERCENT} RETURNING id, name, created_by, floor(booked * 100.0 / budget)::int AS percent`,
        );
        for (const row of rows)
          await notify(tx, {
            kind: 'coinBudget',
            level: 'important',
            staffIds: row.created_by ? [row.created_by] : [],
            rows: { sight, ids: [row.id] },
            title: [
              `代币抵扣规则「${row.name}」预算已用 ${row.percent}%`,
              `Coin-deduction rule “${row.name}” used ${row.percent}% of its budget`,
            ],
            body: ['预算用完后规则自动停用', 'When it is used up the rule is stopped'],
            route: `/marketing/mk_coinDeductionRule_detail?id=${row.id}`,
          });
      });
    },
  };
}
