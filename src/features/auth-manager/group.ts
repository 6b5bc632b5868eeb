import { defineGroup } from '../../kernel/contract/group.ts';

/** Routes of service management. */
export const group = defineGroup({
  path: '/authManager',
  screens: [
    {
      menu: 'serviceManager',
      load: () => import('./service/service-client.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'apiManager',
      load: () => import('./api/api-call.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'gatewayManager',
      load: () => import('./gateway/gateway-route.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'oauthClientDetailsManager',
      load: () => import('./oauth-client/oauth-client.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'deployServerManager',
      load: () => import('./deploy-server/deploy-server.screen.tsx').then((module) => module.screen),
    },
  ],
});
