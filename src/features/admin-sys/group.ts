import { defineGroup } from '../../kernel/contract/group.ts';

/** Routes of permission management. */
export const group = defineGroup({
  path: '/adminSys',
  screens: [
    { menu: 'userManager', load: () => import('./staff/staff.contract.ts').then((module) => ({ contract: module.staff })) },
    { menu: 'userManager1', load: () => import('./staff/staff.contract.ts').then((module) => ({ contract: module.projectStaff })) },
    { menu: 'allUserManager', load: () => import('./staff/staff.contract.ts').then((module) => ({ contract: module.allStaff })) },
    { menu: 'groupTypeManager', load: () => import('./group-type/group-type.contract.ts').then((module) => ({ contract: module.groupType })) },
  ],
});
