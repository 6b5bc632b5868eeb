import { defineGroup } from '../../kernel/contract/group.ts';

const positions = () => import('./position/position.screen.tsx').then((module) => module.screen);
const contracts = () => import('./contract/contract.screen.tsx');

/** Routes of the public resources. */
export const group = defineGroup({
  path: '/publicResource',
  screens: [
    {
      menu: 'statisticalAnalysis',
      load: () =>
        import('./position-statistics/position-statistics.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'pointList',
      load: () => import('./position-board/position-board.screen.tsx').then((module) => module.screen),
    },
    { menu: 'positionList', load: positions },
    { menu: 'positionDetails', load: positions },
    {
      menu: 'approvalProcess',
      load: () => import('./approval-process/approval-process.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'createProcess',
      load: () => import('./approval-process/process-designer.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'pr_auditManagement',
      load: () => import('./approval-centre/approval-centre.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'pr_approvalProcess',
      path: 'pr_approvalProcess/:id',
      load: () => import('./approval-handling/approval-handling.screen.tsx').then((module) => module.screen),
    },
    { menu: 'pr_contractListManagement', load: () => contracts().then((module) => module.ledgerScreen) },
    { menu: 'pr_contractMineManagement', load: () => contracts().then((module) => module.mineScreen) },
    {
      menu: 'pr_contractCreart',
      path: 'pr_contractCreart/:type/:id',
      load: () => contracts().then((module) => module.mineScreen),
    },
    {
      menu: 'pr_contractSee',
      path: 'pr_contractSee/:type/:id',
      load: () => contracts().then((module) => module.seeScreen),
    },
    { menu: 'contractList', load: () => contracts().then((module) => module.runScreen) },
  ],
});
