import { defineDemo } from '../../../kernel/server/demo.ts';
import { pointsRule } from './points-rule.contract.ts';

const DAY = 86_400_000;

type Rule = readonly [
  direction: 'earn' | 'spend',
  name: string,
  event: string,
  points: number,
  day: number,
  month: number,
  total: number,
  state: 'draft' | 'enabled' | 'stopped',
  description: string,
];

const RULES: readonly Rule[] = [
  ['earn', '每日签到', 'sign_in', 5, 5, -1, -1, 'enabled', '每天首次签到'],
  ['earn', '完善资料', 'task.profile', 50, -1, -1, 50, 'enabled', '首次补全个人资料'],
  ['earn', '绑定房屋', 'household.bound', 100, -1, -1, 300, 'enabled', '房屋审核通过后发放'],
  ['earn', '发布家人圈', 'post.create', 5, 12, 200, -1, 'enabled', '正文不少于 10 个字'],
  ['earn', '发表评论', 'comment.create', 2, 6, 120, -1, 'enabled', '正文不少于 10 个字'],
  ['earn', '获赞', 'like', 1, 10, -1, -1, 'enabled', '同一会员对同一帖子只计一次'],
  ['earn', '参与投票', 'vote.cast', 3, 6, -1, -1, 'enabled', '议事厅投票'],
  ['earn', '活动签到', 'activity.check_in', 20, 40, 400, -1, 'enabled', '线下活动现场签到'],
  ['earn', '点击开屏广告', 'ad.click', 1, 3, 30, -1, 'stopped', '效果不佳，暂停'],
  ['earn', '业主表决参与', 'ballot.cast', 30, -1, -1, -1, 'draft', '待业委会确认后启用'],
  ['spend', '补签扣分', 'sign_in', 50, -1, 150, -1, 'enabled', '每次补签消耗'],
];

/** Rules in their states; those of tasks are the system's own. */
export const demo = defineDemo({
  key: 'pointsRules',
  run: async ({ insert, tell, now, as }) => {
    const author = as('finance1');
    let earn = 0;
    let spend = 0;
    for (const [index, rule] of RULES.entries()) {
      const [direction, name, event, points, day, month, total, state, description] = rule;
      const made = new Date(now.getTime() - (90 - index) * DAY);
      const number = direction === 'earn' ? (earn += 1) : (spend += 1);
      const [id] = await insert('points_rule', [
        {
          code: `${direction === 'earn' ? 'A' : 'C'}${String(number).padStart(3, '0')}`,
          direction,
          name,
          event,
          points,
          day_limit: day,
          month_limit: month,
          total_limit: total,
          description,
          seeded: index < 8,
          state,
          created_at: made,
          created_by: author.staffId,
          updated_at: made,
          updated_by: author.staffId,
        },
      ]);
      const { create, enable, stop } = pointsRule.actions!;
      const told = { entity: 'pointsRule', entityId: id!, caller: author };
      await tell({ ...told, action: 'create', label: create.label, to: 'draft', at: made });
      if (state === 'draft') continue;
      const on = new Date(made.getTime() + 3_600_000);
      await tell({ ...told, action: 'enable', label: enable.label, from: 'draft', to: 'enabled', at: on });
      if (state === 'stopped')
        await tell({
          ...told,
          action: 'stop',
          label: stop.label,
          from: 'enabled',
          to: 'stopped',
          remark: description,
          at: new Date(made.getTime() + 20 * DAY),
        });
    }
  },
});
