import { defineGroup } from '../../kernel/contract/group.ts';

/** 统计分析. The order counts are the mall's, under their second path. */
export const group = defineGroup({
  path: '/statisticalAnalysis',
  screens: [
    {
      menu: 'sa_goodsSale',
      load: () => import('./goods-sales/goods-sales.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'sa_achievement',
      load: () => import('./performance/performance.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'achievementDetails',
      path: 'achievementDetails/:isAdmin',
      load: () => import('./performance/performance.screen.tsx').then((module) => module.detailScreen),
    },
    {
      menu: 'mm_numberOrders',
      load: () =>
        import('../mall/order-count/order-count.contract.ts').then((module) => ({
          contract: module.orderCount,
        })),
    },
  ],
});
