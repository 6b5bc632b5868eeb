import { membersQuietSince } from '../../../domain/points-ledger/demo-members.server.ts';
import { signIn } from '../../../domain/sign-in/sign-in.server.ts';
import { businessDayOf, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

const DAY = 86_400_000;

/** Members who signed in on most, some or few of the last days. */
export const demo = defineDemo({
  key: 'signIns',
  after: ['pointsRules'],
  run: async ({ tx, platform, random, now }) => {
    const members = await membersQuietSince(tx, new Date(now.getTime() - 25 * DAY), 30);
    for (const [index, member] of members.entries()) {
      const share = [0.9, 0.6, 0.3][index % 3]!;
      for (let back = 24; back >= 0; back -= 1)
        if (random.chance(share)) {
          const day = businessDayOf(new Date(now.getTime() - back * DAY));
          // A little before this hour of the day, and never on the day before.
          const at = new Date(
            Math.max(
              startOfBusinessDay(day).getTime(),
              now.getTime() - back * DAY - random.int(1, 50) * 60_000,
            ),
          );
          await signIn(tx, platform.settings, {
            memberId: member.id,
            projectId: member.project_id,
            day,
            at,
          });
        }
    }
  },
});
