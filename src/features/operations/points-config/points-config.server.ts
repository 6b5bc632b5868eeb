import type { Label } from '../../../kernel/contract/label.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { bindSettings } from '../../../kernel/server/settings/bind.ts';
import { pointsConfig } from './points-config.contract.ts';

/** Worth, life and earning of points. */
export const registration = bindSettings(pointsConfig, {
  check: async (values, tx, _call, stored) => {
    const problems: Record<string, Label> = {};
    if (values.points_fen_per_point !== stored.points_fen_per_point) {
      const sending = await runOne(tx, `SELECT FROM points_grant_batch WHERE state = 'sending' LIMIT 1`);
      if (sending)
        problems.points_fen_per_point = [
          '有积分批次正在发放，不能修改',
          'It cannot be changed while a batch of points is being sent',
        ];
    }
    if (values.points_budget_default !== stored.points_budget_default) {
      const known = await runOne(tx, 'SELECT FROM points_budget WHERE code = $1 AND enabled', [
        values.points_budget_default,
      ]);
      if (!known)
        problems.points_budget_default = ['没有此预算或已停用', 'There is no such budget, or it is disabled'];
    }
    return problems;
  },
});
