import { partsOfSaid, saidTwice } from '../../../domain/coupon/said-twice.rules.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { differenceOf, ruleScope, SCOPE_NAMES } from '../order-rule/order-rule.server.ts';
import { returnVersion } from './points-return-rule.contract.ts';
import { rateText, type RateFacts } from './rate.rules.ts';

const NAMES: Parameters<typeof differenceOf>[2] = {
  give: [['返还数量', 'Gives'], 'text'],
  perFen: [['每满', 'For every'], 'money'],
  grades: [['等级倍数', 'Multipliers'], 'count'],
  minPaid: [['最低实付', 'Paid at least'], 'money'],
  capOrder: [['单笔上限', 'Cap of an order'], 'cap'],
  capDay: [['日上限', 'Cap of a day'], 'cap'],
  capMonth: [['月上限', 'Cap of a month'], 'cap'],
  capTotal: [['总上限', 'Total cap'], 'cap'],
  grantAt: [['返还时点', 'Given'], 'text'],
  afterDays: [['完成后天数', 'Days after completion'], 'text'],
  validDays: [['有效天数', 'Valid days'], 'text'],
  budgetId: [['预算', 'Budget'], 'text'],
  priority: [['优先级', 'Priority'], 'text'],
  startsOn: [['开始', 'From'], 'text'],
  endsOn: [['结束', 'To'], 'text'],
  ...SCOPE_NAMES,
};

/** Versions of rules. */
export const registration = bindResource(returnVersion, {
  table: 'points_return_version',
  joins: { rule: 'points_return_rule', madeBy: { table: 'staff', column: 'made_by', title: 'name' } },
  columns: {
    rate: `t.terms::text`,
    period: `((t.terms->>'startsOn') || ' – ' || (t.terms->>'endsOn'))`,
    difference: `jsonb_build_object('now', t.terms, 'before', (SELECT b.terms FROM points_return_version b WHERE b.rule_id = t.rule_id AND b.no = t.no - 1))::text`,
  },
  scope: ruleScope(
    'points_return',
    't.rule_id',
    '(SELECT r.created_by FROM points_return_rule r WHERE r.id = t.rule_id)',
  ),
  words: {
    rate: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0],
    difference: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0],
  },
  present: (rows) => {
    for (const row of rows) {
      if (row.rate !== undefined) {
        const terms = JSON.parse(String(row.rate)) as {
          give: number;
          perFen: number;
          asset: RateFacts['asset'];
        };
        row.rate = saidTwice(rateText({ ...terms, per: terms.perFen }));
      }
      if (row.difference !== undefined) {
        const { now, before } = JSON.parse(String(row.difference)) as Record<
          'now' | 'before',
          Record<string, unknown>
        >;
        row.difference = saidTwice(differenceOf(before ?? undefined, now, NAMES));
      }
    }
    return Promise.resolve();
  },
}).registration;
