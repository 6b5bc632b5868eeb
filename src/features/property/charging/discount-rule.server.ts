import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { filteredProjects, projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { discountRule } from './discount.contract.ts';
import { ownCompany } from './own-company.server.ts';

/** Rules that lower what is paid. */
export const registration = bindResource(discountRule, {
  table: 'discount_rule',
  joins: { company: { table: 'tenant', column: 'tenant_id' } },
  links: {
    projects: { table: 'discount_rule_project', own: 'rule_id', other: 'project_id', to: 'project' },
    items: { table: 'discount_rule_item', own: 'rule_id', other: 'fee_item_id', to: 'fee_item' },
  },
  columns: {
    uses: `CASE WHEN t.kind = 'vacant_percent' THEN (SELECT count(*)::integer FROM bill x WHERE x.vacant_rule_id = t.id AND x.state <> 'void')
      ELSE (SELECT count(*)::integer FROM bill_payment x WHERE x.discount_rule_id = t.id AND x.state = 'valid') END`,
    given: `CASE WHEN t.kind = 'vacant_percent' THEN (SELECT coalesce(sum(l.amount), 0)::bigint FROM bill x JOIN bill_line l ON l.bill_id = x.id AND l.kind = 'discount' AND l.payment_id IS NULL WHERE x.vacant_rule_id = t.id AND x.state <> 'void')
      ELSE (SELECT coalesce(sum(x.discount), 0)::bigint FROM bill_payment x WHERE x.discount_rule_id = t.id AND x.state = 'valid') END`,
  },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM discount_rule_project p WHERE p.rule_id = t.id AND p.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  scope: { tenant: 't.tenant_id', project: 'none', owner: 't.created_by' },
  search: 'lower(t.name)',
  unique: { discount_rule_name: ['该公司已有同名优惠', 'The company has a discount of this name'] },
  usedBy: {
    bill_payment: ['缴费', 'payments'],
    bill: ['账单', 'bills'],
    vacancy: ['空置申请', 'vacancies'],
  },
  before: [ownCompany, check],
  present: (rows, _db, caller) => {
    for (const row of rows)
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
    return Promise.resolve();
  },
}).registration;

/** Each kind asks for its own numbers and keeps no others. */
async function check({ action, columns, row }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const value = (name: string) => Number((name in columns ? columns[name] : row[name]) ?? 0);
  const kind = String(columns.kind ?? row.kind);
  const problems: Record<string, Label> = {};
  const above = (field: string, column: string) => {
    if (value(column) <= 0) problems[field] = ['须大于0', 'Must be above 0'];
  };
  if (kind === 'prepay_percent' || kind === 'gift_months') above('threshold', 'threshold');
  if (kind === 'prepay_percent' || kind === 'no_arrears_percent' || kind === 'vacant_percent')
    above('percent', 'percent');
  if (kind === 'gift_months') above('monthsGiven', 'months_given');
  if (kind === 'amount_off') {
    above('thresholdAmount', 'threshold_amount');
    above('amountOff', 'amount_off');
    if (value('amount_off') > value('threshold_amount'))
      problems.amountOff = ['减金额不能大于满金额', 'More would be taken off than is paid'];
  }
  const day = (name: string) => String(columns[name] ?? row[name] ?? '');
  if (day('valid_to') < day('valid_from')) problems.validTo = ['结束早于开始', 'It ends before it starts'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  const used: Readonly<Record<string, readonly string[]>> = {
    prepay_percent: ['threshold', 'percent'],
    amount_off: ['threshold_amount', 'amount_off'],
    gift_months: ['threshold', 'months_given'],
    no_arrears_percent: ['threshold', 'percent'],
    vacant_percent: ['percent'],
  };
  for (const name of ['threshold', 'threshold_amount', 'percent', 'amount_off', 'months_given'])
    columns[name] = used[kind]?.includes(name) ? value(name) : 0;
}
