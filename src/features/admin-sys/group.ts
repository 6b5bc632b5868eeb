import { defineGroup } from '../../kernel/contract/group.ts';

/** Routes of permission management. */
export const group = defineGroup({
  path: '/adminSys',
  screens: [
    { menu: 'userManager', load: () => import('./staff/staff.contract.ts').then((module) => ({ contract: module.staff })) },
    { menu: 'userManager1', load: () => import('./staff/staff.contract.ts').then((module) => ({ contract: module.projectStaff })) },
    { menu: 'allUserManager', load: () => import('./staff/staff.contract.ts').then((module) => ({ contract: module.allStaff })) },
    { menu: 'departManager', load: () => import('./department/department.contract.ts').then((module) => ({ contract: module.department })) },
    { menu: 'departManager1', load: () => import('./department/department.contract.ts').then((module) => ({ contract: module.allDepartments })) },
    { menu: 'WhiteManage', load: () => import('./whitelist/whitelist.contract.ts').then((module) => ({ contract: module.whitelist })) },
    { menu: 'stationManage', load: () => import('./station/station.contract.ts').then((module) => ({ contract: module.station })) },
    { menu: 'workOvertimeManager', load: () => import('./overtime/overtime.contract.ts').then((module) => ({ contract: module.overtime })) },
    { menu: 'roleManager', load: () => import('./permission-group/role.screen.tsx').then((module) => module.screen) },
    { menu: 'groupManager', load: () => import('./permission-group/group-manager.screen.tsx').then((module) => module.screen) },
    { menu: 'menuManager', load: () => import('./menu/menu-manager.screen.tsx').then((module) => module.screen) },
    { menu: 'groupTypeManager', load: () => import('./group-type/group-type.contract.ts').then((module) => ({ contract: module.groupType })) },
  ],
});
