import { defineGroup } from '../../kernel/contract/group.ts';

const goodsOrder = () => import('./goods-order/goods-order.screen.tsx').then((module) => module.screen);

const mallAd = () => import('./mall-ad/mall-ad.contract.ts').then((m) => ({ contract: m.mallAd }));

/** 商城. The refund audit of group 7 stands here too: the same screen under its second path. */
export const group = defineGroup({
  path: '/merchantManager',
  screens: [
    {
      menu: 'mm_commodityMana',
      load: () => import('./product/product.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_commodityApprove',
      load: () => import('./product-review/product-review.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_couponManagement',
      load: () => import('./coupon/coupon.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_targetedCoupons',
      load: () => import('./coupon-push/coupon-push.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_commodityRecommenda',
      load: () =>
        import('./recommended-product/recommended-product.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_findGoods',
      load: () => import('./find-goods/find-goods.contract.ts').then((m) => ({ contract: m.findGoods })),
    },
    { menu: 'mm_advertForMall', load: mallAd },
    { menu: 'mm_advertForMallDetails', path: 'mm_advertForMallDetails/:type/:id', load: mallAd },
    {
      menu: 'mm_noDeliveryArea',
      load: () => import('./no-delivery-area/no-delivery-area.screen.tsx').then((module) => module.screen),
    },
    { menu: 'mm_businessOrder_wx', load: goodsOrder },
    { menu: 'mm_businessOrder_wx', path: 'mm_businessOrder_wx/:id', load: goodsOrder },
    {
      menu: 'mm_orderRefund',
      load: () => import('../after-sales/refund/refund.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_businessAna',
      load: () => import('./sales-analysis/sales-analysis.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_numberOrders',
      load: () =>
        import('./order-count/order-count.contract.ts').then((module) => ({ contract: module.orderCount })),
    },
    {
      menu: 'numberOrdersDeatials',
      path: 'numberOrdersDeatials/:id',
      load: () => import('./order-count/counted-order.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_integral',
      load: () => import('./mall-points/mall-points.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_busServicePerson',
      load: () =>
        import('../home-services/service-person/service-person.contract.ts').then((module) => ({
          contract: module.servicePerson,
        })),
    },
  ],
});
