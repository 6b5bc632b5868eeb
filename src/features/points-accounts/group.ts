import { defineGroup } from '../../kernel/contract/group.ts';

const pointsAccount = () => import('./account/account.screen.tsx').then((module) => module.screen);
const rebate = () => import('./rebate/rebate.screen.tsx').then((module) => module.screen);
const pointsSend = () => import('./send/send.screen.tsx').then((module) => module.screen);

/** 积分账户. */
export const group = defineGroup({
  path: '/vipAccount',
  screens: [
    { menu: 'pointsAccount', load: pointsAccount },
    { menu: 'pointsAccount', path: 'pointsAccount/:id', load: pointsAccount },
    { menu: 'pointsSend', load: pointsSend },
    { menu: 'mk_propertyPaymentRebateRules', load: rebate },
    { menu: 'mk_propertyPaymentRebateRules_add', load: rebate },
    { menu: 'mk_propertyPaymentRebateRules_edit', load: rebate },
    { menu: 'mk_propertyPaymentRebateRules_detail', load: rebate },
  ],
});
