import { defineGroup } from '../../kernel/contract/group.ts';

/** 到家服务. Refund audit lives in the after-sales folder; group 8 mounts the same screen. */
export const group = defineGroup({
  path: '/service',
  screens: [
    {
      menu: 'mm_hotHomeServcie',
      load: () => import('./hot-service/hot-service.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_groupOrderService',
      load: () => import('./service-order/service-group-order.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_busServicePerson',
      load: () => import('./service-person/service-person.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_reservationSer',
      load: () => import('./service/service.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_reservationApprove',
      load: () => import('../mall/product-review/service-review.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_appointment',
      load: () => import('./appointment/appointment.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_reservationOrder_wx',
      load: () => import('./service-order/service-order.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_orderRefund',
      load: () => import('../after-sales/refund/refund.screen.tsx').then((module) => module.screen),
    },
  ],
});
