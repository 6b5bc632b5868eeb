import { defineGroup } from '../../kernel/contract/group.ts';

const initiate = () => import('./initiate/initiate.screen.tsx').then((module) => module.screen);
const settlement = () => import('./settlement/settlement.screen.tsx').then((module) => module.screen);
const reconciliation = () =>
  import('./reconciliation/reconciliation.screen.tsx').then((module) => module.screen);

/** 财务结算. */
export const group = defineGroup({
  path: '/financialManage',
  screens: [
    { menu: 'fm_InitiateSettlement', load: initiate },
    { menu: 'fm_InitiateSettlement', path: 'fm_InitiateSettlement/:id', load: initiate },
    { menu: 'fm_financialReconciliation', load: reconciliation },
    { menu: 'fm_financialReconciliationDetails', load: reconciliation },
    { menu: 'fm_financialSettlement', load: settlement },
    { menu: 'fm_financialSettlementDetails', load: settlement },
  ],
});
