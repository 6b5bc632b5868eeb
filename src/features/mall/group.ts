import { defineGroup } from '../../kernel/contract/group.ts';

const goodsOrder = () => import('./goods-order/goods-order.screen.tsx').then((module) => module.screen);

const accountStatement = () =>
  import('./account-statement/statement.screen.tsx').then((module) => module.screen);

const groupOrder = () => import('./group-buy/group-order.screen.tsx').then((module) => module.screen);
const groupBuy = () => import('./group-buy/group-buy.screen.tsx').then((module) => module.screen);
const countedOrders = () => import('./order-count/counted-order.screen.tsx').then((module) => module.screen);
const mallAd = () => import('./mall-ad/mall-ad.screen.tsx').then((module) => module.screen);

const cases = () => import('../after-sales/case/case.screen.tsx').then((module) => module.screen);
const merchantInfo = () =>
  import('../service-resources/merchant-info/merchant-info.screen.tsx').then((module) => module.screen);

/** 商城. The refund audit of group 7 and the cases of group 21 stand here too: the same screens under their second path. */
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
    {
      menu: 'mm_businessOrder',
      load: () => import('./work-order/work-order.screen.tsx').then((module) => module.businessScreen),
    },
    { menu: 'mm_businessOrder_wx', load: goodsOrder },
    { menu: 'mm_businessOrder_wx', path: 'mm_businessOrder_wx/:id', load: goodsOrder },
    { menu: 'mm_groupOrder', load: groupOrder },
    { menu: 'mm_groupOrder', path: 'mm_groupOrder/:id', load: groupOrder },
    {
      menu: 'mm_groupOrderService',
      load: () =>
        import('../home-services/service-order/service-group-order.screen.tsx').then(
          (module) => module.screen,
        ),
    },
    { menu: 'mm_groupManagement', load: groupBuy },
    { menu: 'groupManagementDetail', load: groupBuy },
    {
      menu: 'mm_reservationOrder',
      load: () => import('./work-order/work-order.screen.tsx').then((module) => module.reservationScreen),
    },
    {
      menu: 'mm_reservationOrder_wx',
      load: () =>
        import('../home-services/service-order/service-order.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_appointment',
      load: () =>
        import('../home-services/appointment/appointment.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_orderRefund',
      load: () => import('../after-sales/refund/refund.screen.tsx').then((module) => module.screen),
    },
    { menu: 'mm_accountStatement', load: accountStatement },
    { menu: 'mm_accountStatement', path: 'mm_accountStatement/:id', load: accountStatement },
    {
      menu: 'mm_businessAna',
      load: () => import('./sales-analysis/sales-analysis.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_accountAna',
      load: () =>
        import('./account-analysis/account-analysis.contract.ts').then((module) => ({
          contract: module.accountAna,
        })),
    },
    { menu: 'mm_merchantInfo', load: merchantInfo },
    { menu: 'mm_merchantInfo', path: 'mm_merchantInfo/:id', load: merchantInfo },
    {
      menu: 'mm_numberOrders',
      load: () =>
        import('./order-count/order-count.contract.ts').then((module) => ({ contract: module.orderCount })),
    },
    // Where a clicked figure opens; the address with a merchant stays.
    { menu: 'numberOrdersDeatials', load: countedOrders },
    { menu: 'numberOrdersDeatials', path: 'numberOrdersDeatials/:id', load: countedOrders },
    {
      menu: 'mm_integral',
      load: () => import('./mall-points/mall-points.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_hotHomeServcie',
      load: () =>
        import('../home-services/hot-service/hot-service.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_busServicePerson',
      load: () =>
        import('../home-services/service-person/service-person.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_reservationSer',
      load: () => import('../home-services/service/service.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'mm_reservationApprove',
      load: () => import('./product-review/service-review.screen.tsx').then((module) => module.screen),
    },
    { menu: 'am_orderlist', load: cases },
    { menu: 'am_orderdetails', load: cases },
  ],
});
