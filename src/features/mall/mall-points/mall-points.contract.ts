import { boolean, integer } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { defineSettings } from '../../../kernel/contract/settings.ts';

/** Refusal of a rate that leaves parts of a fen. Source: group 08, mm_integral. */
export const NOT_DIVISIBLE: Label = ['兑换比例必须能整除到分', 'The rate must divide to the fen'];

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
    mall_points_with_coin: boolean(['可与金币同用', 'Together with coins']),
  },
  keys: {
    mall_points_enabled: 'mall.points.enabled',
    mall_points_per_yuan: 'mall.points.per_yuan',
    mall_points_step: 'mall.points.step',
    mall_points_max_percent: 'mall.points.max_percent',
    mall_points_max_per_order: 'mall.points.max_per_order',
    mall_points_with_coupon: 'mall.points.with_coupon',
    mall_points_with_coin: 'mall.points.with_coin',
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
  ],
  elements: { btn_simulate: ['试算', 'Simulate'] },
});
