import { defineDemo } from '../../../kernel/server/demo.ts';
import { jumpLink } from './jump-link.contract.ts';

const DAY = 86_400_000;

/** code, name, page of the app, parameters: name, required, sample. */
const LINKS: readonly (readonly [string, string, string, readonly (readonly [string, boolean, string])[]])[] =
  [
    ['home', '首页', 'home', []],
    ['mall_home', '优选商城', 'mall', []],
    ['goods_detail', '商品详情', 'goods', [['id', true, '1024']]],
    ['order_list', '我的订单', 'orders', [['state', false, 'to_ship']]],
    ['bill_pay', '物业缴费', 'bills', [['houseId', false, '88']]],
    ['repair_new', '在线报修', 'repair', [['projectId', false, '1']]],
    ['notice_detail', '公告详情', 'notice', [['id', true, '305']]],
    [
      'activity_detail',
      '活动详情',
      'activity',
      [
        ['id', true, '42'],
        ['from', false, 'push'],
      ],
    ],
    ['coupon_centre', '领券中心', 'coupons', []],
    ['points_shop', '积分商城', 'points', []],
    ['visitor_code', '访客通行码', 'visitor', []],
    ['old_bbs', '旧版论坛', 'bbs', []],
  ];

/** The pages of the owner's app that adverts and messages open. */
export const demo = defineDemo({
  key: 'jumpLinks',
  run: async ({ insert, tell, now, as }) => {
    const author = as('mall1');
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    const ids = await insert(
      'jump_link',
      LINKS.map(([code, name, page, parameters], index) => {
        const query = parameters.map(([one]) => `${one}={${one}}`).join('&');
        const tail = query ? `?${query}` : '';
        return {
          code,
          name,
          ios: `owner-app://${page}${tail}`,
          android: `owner-app://${page}${tail}`,
          h5: `https://h5.example.com/${page}${tail}`,
          mini_program: `pages/${page}/index${tail}`,
          enabled: code !== 'old_bbs',
          version: code === 'old_bbs' ? 2 : 1,
          created_at: at(120 - index),
          created_by: author.staffId,
          updated_at: at(code === 'old_bbs' ? 15 : 120 - index),
          updated_by: author.staffId,
        };
      }),
    );
    await insert(
      'jump_link_parameter',
      LINKS.flatMap(([, , , parameters], index) =>
        parameters.map(([name, required, sample], position) => ({
          jump_link_id: ids[index],
          position: position + 1,
          name,
          required,
          sample,
        })),
      ),
    );
    for (const [index, id] of ids.entries()) {
      const told = { entity: 'jumpLink', entityId: id, caller: author };
      await tell({ ...told, action: 'create', label: jumpLink.actions!.create.label, at: at(120 - index) });
      if (LINKS[index]![0] === 'old_bbs')
        await tell({ ...told, action: 'disable', label: jumpLink.actions!.disable.label, at: at(15) });
    }
  },
});
