import { defineGroup } from '../../kernel/contract/group.ts';

/** Routes of the system group. */
export const group = defineGroup({
  path: '/sysManager',
  screens: [
    {
      menu: 'applicationProtocolManager',
      load: () => import('./protocol-version/protocol-version.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'sysTreeManager',
      load: () => import('./app-module/app-module.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'jumpUrlManager',
      load: () => import('./jump-link/jump-link.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'dictManager',
      load: () => import('./dictionary/dict-manager.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'jobManager',
      load: () => import('./job/job-manager.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'Busmanagement',
      load: () => import('./business/business.contract.ts').then((module) => ({ contract: module.business })),
    },
    {
      menu: 'Proclass',
      load: () => import('./product-class/product-class.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'listSort',
      load: () => import('./display-order/display-order.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'ssm_registrationReport',
      load: () =>
        import('./registration-report/registration-report.contract.ts').then((module) => ({
          contract: module.registrationReport,
        })),
    },
    {
      menu: 'ssm_registrationDetails',
      load: () =>
        import('./registration/registration.contract.ts').then((module) => ({
          contract: module.registration,
        })),
    },
    {
      menu: 'ssm_bizDict',
      load: () => import('./biz-dict/biz-dict.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'ssm_registerByHouse',
      load: () =>
        import('./house-registration/house-registration.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'ssm_registerLog',
      load: () => import('./registration-log/registration-log.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'gateLogManager',
      load: () => import('./gate-log/gate-log.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'ssm_businessLog',
      load: () => import('./business-log/business-log.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'ssm_systemLog',
      load: () => import('./system-log/system-log.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'ssm_personIntegralRule',
      load: () => import('./points-rule/points-rule.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'ssm_sensitiveWords',
      load: () => import('./sensitive-word/sensitive-word.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'ssm_roadGate',
      load: () => import('./road-gate/road-gate.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'ssm_appAdvertPage',
      load: () => import('./launch-advert/launch-advert.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'userLive',
      load: () => import('./user-live/user-live.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'ssm_coverageStat',
      load: () => import('./coverage/coverage.contract.ts').then((module) => ({ contract: module.coverage })),
    },
    {
      menu: 'ssm_mallPayment',
      load: () => import('./mall-payment/mall-payment.screen.tsx').then((module) => module.screen),
    },
  ],
});
