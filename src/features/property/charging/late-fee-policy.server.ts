import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { lateFeePolicy } from './fee-item.contract.ts';
import { ownCompany } from './own-company.server.ts';

/** Late-fee policies of companies and projects. */
export const registration = bindResource(lateFeePolicy, {
  table: 'late_fee_policy',
  joins: { company: { table: 'tenant', column: 'tenant_id' }, project: 'project' },
  columns: { items: `(SELECT count(*)::integer FROM fee_item x WHERE x.late_fee_policy_id = t.id)` },
  scope: { tenant: 't.tenant_id', project: 'none', owner: 't.created_by' },
  search: 'lower(t.name)',
  unique: { late_fee_policy_name: ['该公司已有同名规则', 'The company has a policy of this name'] },
  usedBy: { fee_item: ['收费项目', 'fee items'] },
  before: [
    ownCompany,
    async ({ columns, action }) => {
      if (action !== 'create' && action !== 'update') return;
      for (const name of ['once_fen', 'once_percent']) if (columns[name] === null) columns[name] = 0;
    },
  ],
}).registration;
