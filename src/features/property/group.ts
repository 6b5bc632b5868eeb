import { defineGroup } from '../../kernel/contract/group.ts';

/** 物业管理. */
export const group = defineGroup({
  path: '/companymanager',
  screens: [
    {
      menu: 'cs_maintenance',
      load: () => import('./maintenance/maintenance.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_workOrder',
      load: () => import('./work-order/work-order.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_propertyChargingBill',
      load: () => import('./charging/charging.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_orderDetail',
      load: () => import('./order-detail/order-detail.screen.tsx').then((module) => module.screen),
    },
  ],
});
