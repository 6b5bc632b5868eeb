import { defineGroup } from '../../kernel/contract/group.ts';

/** Routes of permission management. */
export const group = defineGroup({
  path: '/adminSys',
  screens: [
    { menu: 'userManager', load: () => import('./staff/staff.screen.tsx').then((module) => module.screen) },
    {
      menu: 'userManager1',
      load: () => import('./staff/project-staff.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'allUserManager',
      load: () => import('./staff/all-staff.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'departManager',
      load: () => import('./department/department.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'departManager1',
      load: () => import('./department/all-departments.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'WhiteManage',
      load: () => import('./whitelist/whitelist.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'stationManage',
      load: () => import('./station/station.contract.ts').then((module) => ({ contract: module.station })),
    },
    {
      menu: 'workOvertimeManager',
      load: () => import('./overtime/overtime.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'workOvertime',
      path: 'workOvertime/:nameCode/:name',
      load: () => import('./overtime/staff-overtime.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'leaveTimeDetail',
      path: 'leaveTimeDetail/:nameCode/:name',
      load: () => import('./overtime/staff-leave.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'roleManager',
      load: () => import('./permission-group/role.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'groupManager',
      load: () => import('./permission-group/group-manager.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'menuManager',
      load: () => import('./menu/menu-manager.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'groupTypeManager',
      load: () => import('./group-type/group-type.screen.tsx').then((module) => module.screen),
    },
  ],
});
