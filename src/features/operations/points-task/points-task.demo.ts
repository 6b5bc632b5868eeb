import { membersQuietSince } from '../../../domain/points-ledger/demo-members.server.ts';
import { grantTask } from '../../../domain/points-task/points-task.server.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

const DAY = 86_400_000;
const TASKS = ['T01', 'T02', 'T04', 'T05', 'T07', 'T08', 'T09', 'T12', 'T14'] as const;

/** Tasks of the last weeks: what members were rewarded for, and what came over a limit. */
export const demo = defineDemo({
  key: 'pointsTasks',
  after: ['pointsRules'],
  run: async ({ tx, platform, random, now }) => {
    const members = await membersQuietSince(tx, new Date(now.getTime() - 30 * DAY), 24);
    for (const [index, member] of members.entries()) {
      const times = Array.from({ length: 6 }, () => random.int(0, 28) * DAY + random.int(1, 600) * 60_000);
      for (const [n, ago] of times.sort((a, b) => b - a).entries()) {
        const at = new Date(now.getTime() - ago);
        await grantTask(tx, platform.settings, {
          task: random.pick(TASKS),
          memberId: member.id,
          projectId: member.project_id,
          subject: `demo:${index}:${n}`,
          at,
          bookedAt: at,
        });
      }
    }
  },
});
