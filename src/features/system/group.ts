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
      menu: 'gateLogManager',
      load: () => import('./gate-log/gate-log.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'ssm_businessLog',
      load: () => import('./business-log/business-log.screen.tsx').then((module) => module.screen),
    },
  ],
});
