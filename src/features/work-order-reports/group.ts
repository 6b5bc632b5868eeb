import { defineGroup } from '../../kernel/contract/group.ts';

const screens = () => import('./order-statistics/statistics.screen.tsx');
const statistics = () => import('./order-statistics/order-statistics.contract.ts');

/** 运营报表. */
export const group = defineGroup({
  path: '/ProOperReport',
  screens: [
    {
      menu: 'or_operIndex',
      load: () => screens().then((module) => module.operations),
    },
    {
      menu: 'or_operDetail',
      load: () => statistics().then((module) => ({ contract: module.operationsReportOrder })),
    },
    {
      menu: 'or_ProOperIndex',
      load: () => screens().then((module) => module.property),
    },
    {
      menu: 'or_ProOperDetail',
      load: () => statistics().then((module) => ({ contract: module.propertyReportOrder })),
    },
    { menu: 'or_agingCount', load: () => import('./ageing/ageing.screen.tsx').then((m) => m.screen) },
  ],
});
