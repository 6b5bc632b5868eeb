import { defineGroup } from '../../kernel/contract/group.ts';

/** Routes of the base data. */
export const group = defineGroup({
  path: '/baseData',
  screens: [
    {
      menu: 'mechanism',
      load: () => import('./organisation/organisation.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mechanismAdd',
      load: () => import('./organisation/organisation-page.screen.tsx').then((module) => module.screen),
    },
    { menu: 'areaNew', load: () => import('./region/region.screen.tsx').then((module) => module.screen) },
    {
      menu: 'pm_account',
      load: () => import('./payee-account/payee-account.screen.tsx').then((module) => module.screen),
    },
  ],
});
