import { defineGroup } from '../../kernel/contract/group.ts';

/** 业主圈. */
export const group = defineGroup({
  path: '/ownersmanager',
  screens: [
    {
      menu: 'cs_policyDecision',
      load: () => import('./decision/decision.screen.tsx').then((module) => module.screen),
    },
  ],
});
