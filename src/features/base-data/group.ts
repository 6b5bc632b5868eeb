import { defineGroup } from '../../kernel/contract/group.ts';

/** 基础数据. */
export const group = defineGroup({
  path: '/baseData',
  screens: [
    { menu: 'areaNew', load: () => import('./region/region.screen.tsx').then((module) => module.screen) },
  ],
});
