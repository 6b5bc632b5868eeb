import { defineGroup } from '../../kernel/contract/group.ts';

const client = () => import('./client/client.screen.tsx').then((module) => module.screen);

/** 悦商. */
export const group = defineGroup({
  path: '/yueshang',
  screens: [
    { menu: 'customerList', load: client },
    { menu: 'addCustomer', load: client },
    { menu: 'details', load: client },
    {
      menu: 'proAdministration',
      load: () => import('./space/space.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'busPerManagement',
      load: () => import('./business-person/business-person.screen.tsx').then((module) => module.screen),
    },
  ],
});
