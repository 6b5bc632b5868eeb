import { defineGroup } from '../../kernel/contract/group.ts';

const template = () =>
  import('./message-template/message-template.screen.tsx').then((module) => module.screen);
const send = () => import('./message-send/message-send.screen.tsx').then((module) => module.screen);
const seckill = () => import('./seckill/seckill.screen.tsx').then((module) => module.screen);
const seckillResume = () => import('./seckill/seckill-resume.screen.tsx').then((module) => module.screen);
const seckillReview = () => import('./seckill/seckill-review.screen.tsx').then((module) => module.screen);

const coupons = () => import('../mall/coupon/issued-coupon.screen.tsx').then((module) => module.screen);
const groups = () => import('./group-making/group-making.screen.tsx');
const parkingLot = () => import('./parking-lot/parking-lot.screen.tsx').then((module) => module.screen);
const parkingOrder = () => import('./parking-order/parking-order.screen.tsx').then((module) => module.screen);
const returnRule = () =>
  import('./points-return-rule/points-return-rule.screen.tsx').then((module) => module.screen);
const coinRule = () =>
  import('./coin-deduction-rule/coin-deduction-rule.screen.tsx').then((module) => module.screen);

/** 营销. */
export const group = defineGroup({
  path: '/marketing',
  screens: [
    { menu: 'mk_makeGroup', load: () => groups().then((module) => module.screen) },
    {
      menu: 'mk_productList',
      path: 'mk_productList/:id',
      load: () => groups().then((module) => module.products),
    },
    {
      menu: 'mk_memberRecord',
      path: 'mk_memberRecord/:id',
      load: () => groups().then((module) => module.members),
    },
    { menu: 'mk_coupon', load: coupons },
    { menu: 'mk_couponDetail', path: 'mk_couponDetail/:type/:id/:role', load: coupons },
    { menu: 'mk_seckillActivityManagement', load: seckill },
    { menu: 'mk_seckillActivityManagement_add', load: seckill },
    { menu: 'mk_seckillActivityManagement_edit', load: seckill },
    { menu: 'mk_seckillActivityManagement_detail', load: seckill },
    { menu: 'mk_seckillActivityResume', load: seckillResume },
    { menu: 'mk_seckillActivityPublish', load: seckillReview },
    { menu: 'mk_parkingPlace', load: parkingLot },
    { menu: 'mk_parkingPlaceDetails', path: 'mk_parkingPlaceDetails/:type/:id', load: parkingLot },
    { menu: 'mk_parkOrder', load: parkingOrder },
    { menu: 'mk_parkOrderDetails', load: parkingOrder },
    { menu: 'mk_returnIntegralRule', load: returnRule },
    { menu: 'mk_returnIntegralRule_add', load: returnRule },
    { menu: 'mk_returnIntegralRule_edit', load: returnRule },
    { menu: 'mk_returnIntegralRule_detail', load: returnRule },
    { menu: 'mk_coinDeductionRule', load: coinRule },
    { menu: 'mk_coinDeductionRule_add', load: coinRule },
    { menu: 'mk_coinDeductionRule_edit', load: coinRule },
    { menu: 'mk_coinDeductionRule_detail', load: coinRule },
    { menu: 'mm_messageTemplate', load: template },
    { menu: 'mm_messageTemplate_create', load: template },
    { menu: 'mm_messageTemplate_view', load: template },
    { menu: 'mm_messageTemplate_edit', load: template },
    { menu: 'mm_sendMessage', load: send },
    { menu: 'mm_sendMessage_view', load: send },
    { menu: 'mm_sendMessage_edit', load: send },
    { menu: 'mm_sendMessageDetails_create', load: send },
  ],
});
