import { defineGroup } from '../../kernel/contract/group.ts';

/** Routes of permission management. */
export const group = defineGroup({
  path: '/adminSys',
  screens: [{ menu: 'groupTypeManager', load: () => import('./group-type/group-type.contract.ts').then((module) => ({ contract: module.groupType })) }],
});
