import { defineGroup } from '../../kernel/contract/group.ts';

/** Routes of the system group. */
export const group = defineGroup({
  path: '/sysManager',
  screens: [
    {
      menu: 'jumpUrlManager',
      load: () => import('./jump-link/jump-link.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'dictManager',
      load: () => import('./dictionary/dict-manager.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'ssm_bizDict',
      load: () => import('./biz-dict/biz-dict.screen.tsx').then((module) => module.screen),
    },
  ],
});
