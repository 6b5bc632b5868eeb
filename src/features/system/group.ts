import { defineGroup } from '../../kernel/contract/group.ts';

/** Routes of the system group. */
export const group = defineGroup({
  path: '/sysManager',
  screens: [
    {
      menu: 'jumpUrlManager',
      load: () => import('./jump-link/jump-link.screen.tsx').then((module) => module.screen),
    },
  ],
});
