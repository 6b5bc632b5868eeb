import { partsOfSaid, saidTwice } from '../../../domain/coupon/said-twice.rules.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { differenceOf, ruleScope, SCOPE_NAMES } from '../order-rule/order-rule.server.ts';
import { coinVersion } from './coin-deduction-rule.contract.ts';

const NAMES: Parameters<typeof differenceOf>[2] = {
  coinsPerYuan: [['1元代币数', 'Coins per yuan'], 'text'],
  step: [['使用步长', 'Multiples of'], 'text'],
  maxPercent: [['最高比例', 'Most'], 'text'],
  maxPerOrder: [['每单最高', 'Most per order'], 'money'],
  minOrder: [['最低订单额', 'Order at least'], 'money'],
  capDay: [['日上限', 'Cap of a day'], 'money'],
  capMonth: [['月上限', 'Cap of a month'], 'money'],
  withCoupon: [['优惠券同用', 'With coupons'], 'flag'],
  withPoints: [['积分同用', 'With points'], 'flag'],
  withSeckill: [['秒杀可用', 'In seckill'], 'flag'],
  withGroup: [['拼团可用', 'In group-making'], 'flag'],
  budget: [['预算', 'Budget'], 'money'],
  priority: [['优先级', 'Priority'], 'text'],
  startsOn: [['开始', 'From'], 'text'],
  endsOn: [['结束', 'To'], 'text'],
  ...SCOPE_NAMES,
};

/** Versions of rules. */
export const registration = bindResource(coinVersion, {
  table: 'coin_deduction_version',
  joins: { rule: 'coin_deduction_rule', madeBy: { table: 'staff', column: 'made_by', title: 'name' } },
  columns: {
    coinsPerYuan: `(t.terms->>'coinsPerYuan')::integer`,
    maxPercent: `(t.terms->>'maxPercent')::integer`,
    period: `((t.terms->>'startsOn') || ' – ' || (t.terms->>'endsOn'))`,
    difference: `jsonb_build_object('now', t.terms, 'before', (SELECT b.terms FROM coin_deduction_version b WHERE b.rule_id = t.rule_id AND b.no = t.no - 1))::text`,
  },
  scope: ruleScope(
    'coin_deduction',
    't.rule_id',
    '(SELECT r.created_by FROM coin_deduction_rule r WHERE r.id = t.rule_id)',
  ),
  words: { difference: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0] },
  present: (rows) => {
    for (const row of rows)
      if (row.difference !== undefined) {
        const { now, before } = JSON.parse(String(row.difference)) as Record<
          'now' | 'before',
          Record<string, unknown>
        >;
        row.difference = saidTwice(differenceOf(before ?? undefined, now, NAMES));
      }
    return Promise.resolve();
  },
}).registration;
