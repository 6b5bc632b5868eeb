import { defineGroup } from '../../kernel/contract/group.ts';

/** 运营服务. */
export const group = defineGroup({
  path: '/operService',
  screens: [
    {
      menu: 'os_integralUser',
      load: () => import('./points-member/points-member.screen.tsx').then((m) => m.screen),
    },
    {
      menu: 'os_integralUser',
      path: 'os_integralUser/:id',
      load: () => import('./points-member/points-member.screen.tsx').then((m) => m.screen),
    },
    {
      menu: 'os_integralConfigure',
      load: () => import('./points-config/points-config.screen.tsx').then((m) => m.screen),
    },
    {
      menu: 'os_conHallManage',
      load: () => import('./post/chamber-post.screen.tsx').then((m) => m.screen),
    },
    {
      menu: 'os_familyPosts',
      load: () => import('./post/family-post.screen.tsx').then((m) => m.screen),
    },
    {
      menu: 'os_topicTags',
      load: () => import('./topic-tag/topic-tag.contract.ts').then((m) => ({ contract: m.topicTag })),
    },
    {
      menu: 'os_communityTopic',
      load: () => import('./community-topic/community-topic.screen.tsx').then((m) => m.screen),
    },
    {
      menu: 'os_communityTopic',
      path: 'os_communityTopic/:id',
      load: () => import('./community-topic/community-topic.screen.tsx').then((m) => m.screen),
    },
    {
      menu: 'os_infoPush',
      load: () => import('./info-push/info-push.screen.tsx').then((m) => m.screen),
    },
    {
      menu: 'os_familyAdvert',
      load: () => import('./family-advert/family-advert.screen.tsx').then((m) => m.screen),
    },
    {
      menu: 'os_userSign',
      load: () => import('./sign-in/sign-in-rule.screen.tsx').then((m) => m.screen),
    },
    {
      menu: 'os_userGrade',
      load: () => import('./grade/grade.screen.tsx').then((m) => m.screen),
    },
    {
      menu: 'os_taskIntegral',
      load: () => import('./points-task/points-task.screen.tsx').then((m) => m.screen),
    },
    {
      menu: 'os_operationUser',
      load: () => import('./operation-user/operation-user.screen.tsx').then((m) => m.screen),
    },
    {
      menu: 'os_statData',
      load: () => import('./content-stat/content-stat.screen.tsx').then((m) => m.screen),
    },
    {
      menu: 'os_integralShop',
      load: () => import('./points-product/points-product.screen.tsx').then((m) => m.screen),
    },
    {
      menu: 'os_integralShopScreen',
      load: () => import('./points-range/points-range.screen.tsx').then((m) => m.screen),
    },
    {
      menu: 'os_integralCash',
      load: () => import('./redemption/redemption.screen.tsx').then((m) => m.screen),
    },
    {
      menu: 'os_resignCard',
      load: () => import('./resign-card/resign-card.screen.tsx').then((m) => m.screen),
    },
  ],
});
