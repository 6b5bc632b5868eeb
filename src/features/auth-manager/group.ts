import { defineGroup } from '../../kernel/contract/group.ts';

/** Routes of service management. */
export const group = defineGroup({
  path: '/authManager',
  screens: [
    {
      menu: 'deployServerManager',
      load: () => import('./deploy-server/deploy-server.screen.tsx').then((module) => module.screen),
    },
  ],
});
