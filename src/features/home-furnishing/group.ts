import { defineGroup } from '../../kernel/contract/group.ts';

/** 美居. */
export const group = defineGroup({
  path: '/mercureManager',
  screens: [
    {
      menu: 'mj_houseTypeMana',
      load: () => import('./house-type/house-type.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mj_mercureCommodity',
      load: () => import('./decor-package/decor-package.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mj_mercureCommodityApprove',
      load: () => import('./decor-review/decor-review.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mj_mercureCommodityOrder',
      load: () => import('./decor-order/decor-order.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mj_mercureCommodityAfterSales',
      load: () => import('./decor-case/decor-case.screen.tsx').then((module) => module.screen),
    },
  ],
});
