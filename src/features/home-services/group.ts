import { defineGroup } from '../../kernel/contract/group.ts';

/** 到家服务. Refund audit lives in the after-sales folder; group 8 mounts the same screen. */
export const group = defineGroup({
  path: '/service',
  screens: [
    {
      menu: 'cs_busServicePerson',
      load: () =>
        import('./service-person/service-person.contract.ts').then((module) => ({
          contract: module.servicePerson,
        })),
    },
    {
      menu: 'mm_orderRefund',
      load: () => import('../after-sales/refund/refund.screen.tsx').then((module) => module.screen),
    },
  ],
});
