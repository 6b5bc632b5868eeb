import { defineGroup } from '../../kernel/contract/group.ts';

/** 物业管理. */
export const group = defineGroup({
  path: '/companymanager',
  screens: [
    {
      menu: 'cs_workOrder',
      load: () => import('./work-order/work-order.screen.tsx').then((module) => module.screen),
    },
  ],
});
