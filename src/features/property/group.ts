import { defineGroup } from '../../kernel/contract/group.ts';

/** 物业管理. */
export const group = defineGroup({
  path: '/companymanager',
  screens: [
    {
      menu: 'cs_visitRegistration',
      load: () => import('./visitor/visitor.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_propertyChargingBill',
      load: () => import('./charging/charging.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_propertyBill',
      load: () => import('./bill-payment/bill-payment.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_passLog',
      load: () => import('./pass-log/pass-log.screen.tsx').then((module) => module.screen),
    },
  ],
});
