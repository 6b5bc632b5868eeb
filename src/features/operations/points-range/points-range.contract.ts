import { json } from '../../../kernel/contract/fields.ts';
import { defineSettings } from '../../../kernel/contract/settings.ts';

/** Ranges of points members are searched by. Source: group 01, os_integralShopScreen. */
export const pointsRange = defineSettings({
  name: 'pointsRange',
  menu: 'os_integralShopScreen',
  title: ['积分范围筛选', 'Points ranges'],
  purpose: [
    '积分用户与积分商品按这些范围筛选；结束值含在范围内，最后一行 −1 为不封顶',
    'Members and points goods are searched by these ranges; the end belongs to its range, −1 in the last row has no end',
  ],
  fields: {
    points_screen_ranges: json(['积分范围', 'Ranges'], {
      help: [
        '最多10行；行与行之间可以有间隔，不可重叠',
        'At most 10 rows; there may be gaps between rows, they do not overlap',
      ],
    }),
  },
  keys: { points_screen_ranges: 'points.screen.ranges' },
  sections: [{ title: ['积分范围', 'Ranges'], fields: ['points_screen_ranges'] }],
});
