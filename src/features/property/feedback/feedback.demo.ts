import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { feedback } from './feedback.contract.ts';

const HOUR = 3_600_000;
/** Text, source, version, hours ago, note when handled. */
const WRITTEN: readonly (readonly [string, string, string, number, string])[] = [
  ['物业缴费页面点进去一直转圈，退出重进才好。', 'ios_owner', '4.8.2', 3, ''],
  ['希望门禁二维码可以放到首页，现在要点三次。', 'android_owner', '4.8.2', 9, ''],
  ['报修上传视频失败，提示网络异常，但 Wi-Fi 正常。', 'android_owner', '4.8.1', 27, ''],
  ['员工端接单后列表没有自动刷新。', 'android_staff', '3.2.0', 31, '已确认为缓存问题，下个版本修复'],
  ['深色模式下订单详情的字看不清。', 'ios_owner', '4.8.0', 52, '已转产品处理'],
  ['地下车库 B2 的灯坏了好几盏，App 里找不到报修入口。', 'ios_owner', '4.8.1', 70, ''],
  ['访客登记能不能记住常来的人？每次都要重新填。', 'android_owner', '4.7.9', 96, '建议已收录，评估中'],
  ['消息推送太多，希望可以分类关闭。', 'ios_owner', '4.7.9', 120, ''],
  ['电梯广告声音太大，建议晚上九点后静音。', 'android_owner', '4.8.1', 145, ''],
  ['员工端扫码巡检在弱网下会重复提交。', 'ios_staff', '3.1.8', 170, '已修复，请更新到 3.2.0'],
  ['积分商城的图片加载很慢。', 'android_owner', '4.7.8', 260, '图片已压缩'],
  ['新版界面清爽多了，点赞！', 'ios_owner', '4.8.2', 300, '感谢支持'],
];

/** Feedback of members of several projects, half of it handled. */
export const demo = defineDemo({
  key: 'feedback',
  run: async ({ tx, insert, tell, now, as }) => {
    const members = await run<{ id: number; name: string; phone: string; project_id: number }>(
      tx,
      `SELECT id, coalesce(nullif(name, ''), nickname) AS name, phone, project_id FROM member
        WHERE project_id IS NOT NULL AND coalesce(nullif(name, ''), nickname) <> '' ORDER BY id % 7, id LIMIT $1`,
      [WRITTEN.length],
    );
    const author = as('service1');
    const at = (hours: number) => new Date(now.getTime() - hours * HOUR);
    const rows = members.map((member, index) => {
      const [content, source, version, hours, note] = WRITTEN[index]!;
      return {
        member_id: member.id,
        name: member.name,
        phone: member.phone,
        project_id: member.project_id,
        content,
        source,
        app_version: version,
        state: note ? 'handled' : 'open',
        note,
        handled_at: note ? at(hours - 2) : null,
        handled_by: note ? author.staffId : null,
        created_at: at(hours),
        updated_at: at(note ? hours - 2 : hours),
      };
    });
    const ids = await insert('feedback', rows);
    for (const [index, id] of ids.entries()) {
      const row = rows[index]!;
      if (row.handled_at)
        await tell({
          entity: feedback.name,
          entityId: id,
          at: row.handled_at,
          caller: author,
          action: 'handle',
          label: ['处理', 'Handle'],
          from: 'open',
          to: 'handled',
          remark: row.note,
        });
    }
  },
});
