import { boolean, integer, json, refs } from '../../../kernel/contract/fields.ts';
import { defineSettings } from '../../../kernel/contract/settings.ts';

/** How points pay a part of goods orders. Orders keep the values they were made with. Source: group 08, mm_integral. */
export const mallPoints = defineSettings({
  name: 'mallPoints',
  menu: 'mm_integral',
  title: ['商城积分', 'Mall points'],
  purpose: [
    '下单时积分抵扣现金的规则；修改只影响之后的订单，积分的获取规则在营销中维护',
    'How points pay a part of an order; a change concerns later orders only, earning rules are kept in marketing',
  ],
  fields: {
    mall_points_enabled: boolean(['启用积分抵扣', 'Points may pay']),
    mall_points_per_yuan: integer(['兑换比例', 'Rate'], {
      required: true,
      min: 1,
      max: 10_000,
      unit: ['积分 = 1元', 'points = ¥1'],
      help: [
        '抵扣1元需要的积分；步长 × 100 必须能被它整除',
        'Points for one yuan; step × 100 must be a multiple of it',
      ],
    }),
    mall_points_step: integer(['使用步长', 'Step'], {
      required: true,
      min: 1,
      max: 100_000,
      unit: ['积分', 'points'],
      help: ['积分按此数的整数倍使用', 'Points are used in multiples of it'],
    }),
    mall_points_max_percent: integer(['最高抵扣比例', 'Highest share'], {
      required: true,
      min: 0,
      max: 100,
      unit: ['%', '%'],
      help: [
        '优惠券之后剩余商品金额中可用积分抵扣的比例',
        'Share of what is left of the goods after coupons',
      ],
    }),
    mall_points_max_per_order: integer(['每单最多积分', 'Most points per order'], {
      required: true,
      min: 0,
      max: 10_000_000,
      unit: ['积分', 'points'],
    }),
    mall_points_with_coupon: boolean(['可与优惠券同用', 'Together with coupons']),
    mall_points_with_coin: boolean(['可与代币同用', 'Together with coins']),
    mall_points_excluded_classes: refs('productClass', ['不可用积分的分类', 'Classes without points'], {
      max: 200,
      help: ['包含其下级分类', 'With the classes below them'],
    }),
    mall_points_excluded_products: refs('product', ['不可用积分的商品', 'Goods without points'], {
      max: 500,
    }),
    mall_points_project_overrides: json(['项目规则', 'Rules of projects'], {
      help: [
        '填写的项目使用自己的规则，留空的项与上方一致',
        'A project uses its own values; what is left empty is as above',
      ],
    }),
  },
  keys: {
    mall_points_enabled: 'mall.points.enabled',
    mall_points_per_yuan: 'mall.points.per_yuan',
    mall_points_step: 'mall.points.step',
    mall_points_max_percent: 'mall.points.max_percent',
    mall_points_max_per_order: 'mall.points.max_per_order',
    mall_points_with_coupon: 'mall.points.with_coupon',
    mall_points_with_coin: 'mall.points.with_coin',
    mall_points_excluded_classes: 'mall.points.excluded_classes',
    mall_points_excluded_products: 'mall.points.excluded_products',
    mall_points_project_overrides: 'mall.points.project_overrides',
  },
  sections: [
    {
      title: ['抵扣规则', 'Rate'],
      fields: [
        'mall_points_enabled',
        'mall_points_per_yuan',
        'mall_points_step',
        'mall_points_max_percent',
        'mall_points_max_per_order',
      ],
    },
    { title: ['叠加规则', 'Together with'], fields: ['mall_points_with_coupon', 'mall_points_with_coin'] },
    {
      title: ['不参与的商品', 'Left out'],
      fields: ['mall_points_excluded_classes', 'mall_points_excluded_products'],
    },
    { title: ['按项目设置', 'By project'], fields: ['mall_points_project_overrides'] },
  ],
  elements: { btn_simulate: ['试算', 'Simulate'] },
});

/** Values a project may have of its own, with the field of the product-wide one. */
export const OVERRIDE_FIELDS = [
  ['enabled', 'mall_points_enabled'],
  ['perYuan', 'mall_points_per_yuan'],
  ['step', 'mall_points_step'],
  ['maxPercent', 'mall_points_max_percent'],
  ['maxPerOrder', 'mall_points_max_per_order'],
  ['withCoupon', 'mall_points_with_coupon'],
  ['withCoin', 'mall_points_with_coin'],
] as const;
