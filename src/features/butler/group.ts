import { defineGroup } from '../../kernel/contract/group.ts';

/** 管家. */
export const group = defineGroup({
  path: '/butlermanager',
  screens: [
    {
      menu: 'butler_information',
      load: () => import('./information/information.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'butler_achievement',
      load: () => import('./achievement/achievement.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'butlerAchievementDeatils',
      load: () => import('./achievement/performance.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'butler_incentiveDistribution',
      load: () => import('./distribution/distribution.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'butler_operate',
      load: () => import('./operate/operate.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'butler_remind',
      load: () => import('./remind/remind.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'butler_configuration',
      load: () => import('./configuration/configuration.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'butler_share',
      load: () => import('./share/butler-share.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'butler_goods',
      load: () => import('./goods/butler-goods.screen.tsx').then((module) => module.screen),
    },
  ],
});
