import { defineGroup } from '../../kernel/contract/group.ts';

/** 运营服务. */
export const group = defineGroup({
  path: '/operService',
  screens: [
    {
      menu: 'os_topicTags',
      load: () => import('./topic-tag/topic-tag.contract.ts').then((m) => ({ contract: m.topicTag })),
    },
    {
      menu: 'os_taskIntegral',
      load: () => import('./points-task/points-task.screen.tsx').then((m) => m.screen),
    },
    {
      menu: 'os_integralShopScreen',
      load: () => import('./points-range/points-range.screen.tsx').then((m) => m.screen),
    },
  ],
});
