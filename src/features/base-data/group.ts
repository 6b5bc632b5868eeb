import { defineGroup } from '../../kernel/contract/group.ts';

/** Routes of the base data. */
export const group = defineGroup({
  path: '/baseData',
  screens: [
    { menu: 'areaNew', load: () => import('./region/region.screen.tsx').then((module) => module.screen) },
    {
      menu: 'pm_account',
      load: () => import('./payee-account/payee-account.screen.tsx').then((module) => module.screen),
    },
  ],
});
