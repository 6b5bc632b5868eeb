import { defineGroup } from '../../kernel/contract/group.ts';

/** Routes of base data. */
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
  ],
});
