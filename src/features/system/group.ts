import { defineGroup } from '../../kernel/contract/group.ts';

/** Routes of the system group. */
export const group = defineGroup({
  path: '/sysManager',
  screens: [
    {
      menu: 'applicationProtocolManager',
      load: () => import('./protocol-version/protocol-version.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'sysTreeManager',
      load: () => import('./app-module/app-module.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'jumpUrlManager',
      load: () => import('./jump-link/jump-link.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'ssm_sensitiveWords',
      load: () => import('./sensitive-word/sensitive-word.screen.tsx').then((module) => module.screen),
    },
  ],
});
