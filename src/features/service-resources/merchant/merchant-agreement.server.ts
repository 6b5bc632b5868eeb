import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { agreementApproval, agreementSight } from './agreement-approval.server.ts';
import { agreementBinding } from './agreement-binding.server.ts';
import { merchantAgreement } from './merchant-agreement.contract.ts';

const bound: BoundResource = bindResource(merchantAgreement, {
  ...agreementBinding,
  also: {
    approvals: [agreementApproval],
    sights: [agreementSight],
    jobs: [
      dueJob(() => bound, {
        name: 'merchant.agreements',
        title: ['协议换版', 'Agreements change over'],
        cron: '* * * * *',
        action: 'supersede',
        when: `t.state = 'active' AND t.effective_to <= now() AND EXISTS (SELECT FROM merchant_agreement n WHERE n.tenant_id = t.tenant_id AND n.state = 'active' AND n.effective_from = t.effective_to)`,
      }),
      dueJob(() => bound, {
        name: 'merchant.agreementsEnd',
        title: ['协议到期', 'Agreements end'],
        cron: '* * * * *',
        action: 'expire',
        when: `t.state = 'active' AND t.effective_to <= now() AND NOT EXISTS (SELECT FROM merchant_agreement n WHERE n.tenant_id = t.tenant_id AND n.state = 'active' AND n.effective_from = t.effective_to)`,
      }),
    ],
  },
});

/** Agreements of all merchants, which change over and end by themselves. */
export const registration = bound.registration;
