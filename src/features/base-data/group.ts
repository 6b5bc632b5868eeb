import { defineGroup } from '../../kernel/contract/group.ts';

/** Routes of the base data. */
export const group = defineGroup({
  path: '/baseData',
  screens: [
    {
      menu: 'pm_account',
      load: () => import('./payee-account/payee-account.screen.tsx').then((module) => module.screen),
    },
  ],
});
