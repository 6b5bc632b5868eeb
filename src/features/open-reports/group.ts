import { defineGroup } from '../../kernel/contract/group.ts';

const screens = () => import('./open-orders.screen.tsx');

/** Pages behind the reports that every staff may open. */
export const group = defineGroup({
  path: '/operReport',
  screens: [
    { menu: 'ProOperDetail', load: () => screens().then((module) => module.property) },
    { menu: 'operDetail', load: () => screens().then((module) => module.operations) },
  ],
});
