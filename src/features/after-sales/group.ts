import { defineGroup } from '../../kernel/contract/group.ts';

const cases = () => import('./case/case.screen.tsx').then((module) => module.screen);

/** 售后管理: cases and return addresses; refunds are mounted by groups 7 and 8. */
export const group = defineGroup({
  path: '/afterSalesManage',
  screens: [
    { menu: 'am_orderlist', load: cases },
    { menu: 'am_orderdetails', load: cases },
    {
      menu: 'am_businessAddress',
      load: () => import('./return-address/return-address.screen.tsx').then((module) => module.screen),
    },
  ],
});
