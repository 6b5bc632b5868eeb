import {
  agingBounds,
  freezeProject,
  startOfMonthBefore,
} from '../../../domain/work-order-report/freeze.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

/** Months that were frozen: the one before the last of every project, and the last one where its day has passed. */
export const demo = defineDemo({
  key: 'reportFreeze',
  after: ['workOrders', 'workPlans', 'tradeWorkOrders'],
  run: async ({ tx, now, platform }) => {
    const today = businessDayOf(now);
    const last = startOfMonthBefore(today);
    const months = [startOfMonthBefore(last), ...(Number(today.slice(8)) >= 5 ? [last] : [])];
    const projects = await run<{ id: number }>(tx, 'SELECT id FROM project ORDER BY id');
    const bounds = await agingBounds(platform);
    for (const month of months)
      for (const { id } of projects)
        for (const family of ['property', 'operations'] as const)
          await freezeProject(tx, family, month, id, bounds);
  },
});
