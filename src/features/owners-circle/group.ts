import { defineGroup } from '../../kernel/contract/group.ts';

/** 业主圈. */
export const group = defineGroup({
  path: '/ownersmanager',
  screens: [
    {
      menu: 'cs_ownersCircle',
      load: () => import('./interest-group/interest-group.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_activityPromulgate',
      load: () => import('./activity/activity.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_interestGroupPost',
      load: () => import('../operations/post/group-post.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_reportManagement',
      load: () => import('./report/report.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_policyDecision',
      load: () => import('./decision/decision.screen.tsx').then((module) => module.screen),
    },
  ],
});
