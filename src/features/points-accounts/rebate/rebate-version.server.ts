import { partsOfSaid, saidTwice } from '../../../domain/coupon/said-twice.rules.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { rebateVersion } from './rebate.contract.ts';
import { rewardText, type RewardFacts } from './reward.rules.ts';

const said = (name: string) => `(t.terms->>'${name}')::integer`;
const unlimited = (name: string) => `CASE WHEN ${said(name)} < 0 THEN '∞' ELSE t.terms->>'${name}' END`;

/** Versions of rules. */
export const registration = bindResource(rebateVersion, {
  table: 'payment_rebate_version',
  joins: { rule: 'payment_rebate_rule', madeBy: { table: 'staff', column: 'made_by', title: 'name' } },
  columns: {
    reward: `t.terms::text`,
    period: `(t.terms->>'startsOn') || ' – ' || (t.terms->>'endsOn')`,
    caps: `${unlimited('capPayment')} || ' / ' || ${unlimited('capHouseYear')} || ' / ' || ${unlimited('capTotal')}`,
    priority: said('priority'),
    finalDays: said('finalDays'),
    projects: 'cardinality(t.project_ids)',
    items: 'cardinality(t.item_ids)',
  },
  scope: {
    tenant: 'NULL::bigint',
    project: (ids) =>
      `EXISTS (SELECT FROM payment_rebate_project p WHERE p.rule_id = t.rule_id AND p.project_id = ANY(${ids}::bigint[]))`,
    owner: '(SELECT r.created_by FROM payment_rebate_rule r WHERE r.id = t.rule_id)',
  },
  words: { reward: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0] },
  present: (rows) => {
    for (const row of rows) row.reward = saidTwice(rewardText(JSON.parse(String(row.reward)) as RewardFacts));
    return Promise.resolve();
  },
}).registration;
