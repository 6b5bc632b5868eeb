import { grantTask } from '../../../domain/points-task/points-task.server.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

const DAY = 86_400_000;
const TASKS = ['T01', 'T02', 'T04', 'T05', 'T07', 'T08', 'T09', 'T12', 'T14'] as const;

/** Tasks of the last weeks: what members were rewarded for, and what came over a limit. */
export const demo = defineDemo({
  key: 'pointsTasks',
  after: ['pointsRules'],
  run: async ({ tx, platform, random, now }) => {
    const members = await run<{ id: number; project_id: number }>(
      tx,
      'SELECT id, project_id FROM member WHERE project_id IS NOT NULL ORDER BY id LIMIT 24',
    );
    for (const [index, member] of members.entries())
      for (let n = 0; n < 6; n += 1)
        await grantTask(tx, platform.settings, {
          task: random.pick(TASKS),
          memberId: member.id,
          projectId: member.project_id,
          subject: `demo:${index}:${n}`,
          at: new Date(now.getTime() - random.int(0, 28) * DAY - random.int(1, 600) * 60_000),
        });
  },
});
