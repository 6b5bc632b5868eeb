import { defineGroup } from '../../kernel/contract/group.ts';

/** Routes of service management. */
export const group = defineGroup({
  path: '/authManager',
  screens: [
    {
      menu: 'apiManager',
      load: () => import('./api/api-call.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'oauthClientDetailsManager',
      load: () => import('./oauth-client/oauth-client.screen.tsx').then((module) => module.screen),
    },
  ],
});
