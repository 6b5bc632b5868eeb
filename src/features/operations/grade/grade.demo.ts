import { membersQuietSince } from '../../../domain/points-ledger/demo-members.server.ts';
import { LINE_KINDS } from '../../../domain/points-ledger/ledger-book.server.ts';
import { grantPoints } from '../../../domain/points-ledger/points-grant.server.ts';
import { spendablePoints, spendPoints } from '../../../domain/points-ledger/points-ledger.server.ts';
import { grantTask } from '../../../domain/points-task/points-task.server.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

const DAY = 86_400_000;
/** What members who have lived here for long earned in a year; the others stand where the base set left them. */
const EARNED = [5_300, 10_600, 6_900, 2_400, 12_800, 8_200, 5_800, 3_100, 11_400, 7_500] as const;
const MONTHS = 13;

/** Members of the upper grades: a year of returns and tasks, some of it spent. */
export const demo = defineDemo({
  key: 'gradeGrowth',
  after: ['pointsRules'],
  run: async ({ tx, platform, random, now }) => {
    const members = await membersQuietSince(
      tx,
      new Date(now.getTime() - (MONTHS + 1) * 30 * DAY),
      EARNED.length,
    );
    for (const [index, member] of members.entries()) {
      const source = (id: string, purpose: string) => ({
        type: 'demo_points',
        id: `${purpose === 'spend' ? 'EX' : 'EV'}${String(member.id).padStart(6, '0')}${id}`,
        purpose,
      });
      for (let month = MONTHS; month >= 1; month -= 1) {
        const at = new Date(now.getTime() - month * 30 * DAY - random.int(0, 300) * 60_000);
        const no = String(month).padStart(2, '0');
        await grantPoints(tx, platform.settings, {
          memberId: member.id,
          amount: Math.ceil(EARNED[index]! / MONTHS),
          source: source(no, 'return'),
          kind: LINE_KINDS.purchase,
          note: '消费返积分',
          at,
        });
        const later = new Date(at.getTime() + 2 * DAY);
        await grantTask(tx, platform.settings, {
          task: 'T05',
          memberId: member.id,
          projectId: member.project_id,
          subject: `growth:${month}`,
          at: later,
          bookedAt: later,
        });
        if (month % 3 !== 0) continue;
        const spent = new Date(at.getTime() + 5 * DAY);
        await spendPoints(tx, {
          memberId: member.id,
          amount: Math.floor((await spendablePoints(tx, member.id, 'point', spent)) * 0.7),
          source: source(no, 'spend'),
          note: '积分商城兑换',
          at: spent,
        });
      }
    }
  },
});
