import { signIn } from '../../../domain/sign-in/sign-in.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

const DAY = 86_400_000;

/** Members who signed in on most, some or few of the last days. */
export const demo = defineDemo({
  key: 'signIns',
  after: ['pointsRules'],
  run: async ({ tx, platform, random, now }) => {
    const members = await run<{ id: number; project_id: number }>(
      tx,
      'SELECT id, project_id FROM member WHERE project_id IS NOT NULL AND NOT official ORDER BY id LIMIT 30',
    );
    for (const [index, member] of members.entries()) {
      const share = [0.9, 0.6, 0.3][index % 3]!;
      for (let back = 24; back >= 0; back -= 1)
        if (random.chance(share))
          await signIn(tx, platform.settings, {
            memberId: member.id,
            projectId: member.project_id,
            day: businessDayOf(new Date(now.getTime() - back * DAY)),
          });
    }
  },
});
