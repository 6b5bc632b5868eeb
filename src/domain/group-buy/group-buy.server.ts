import type { Platform } from '../../kernel/server/platform.ts';
import { defineRegistration } from '../../kernel/server/registration.ts';
import { END_JOB, dueActivities, endDue } from './activity.server.ts';
import { groupBuyInvariants } from './group-buy-checks.server.ts';
import { REFUND_JOB, TEAM_JOB } from './seats.server.ts';
import {
  afterEnd,
  dueTeams,
  endTeam,
  owedRefunds,
  refundLateSeat,
  refundTotal,
  unreachedTotals,
} from './teams.server.ts';

/** Jobs and invariants of group-buying. Each job is queued for its time and swept every minute. Source: group 16, Jobs. */
export const registration = defineRegistration({
  endpoints: [],
  invariants: groupBuyInvariants,
  jobs: [
    {
      name: TEAM_JOB,
      title: ['到期的团成团或退款', 'Teams at their deadline'],
      cron: '* * * * *',
      run: async (payload, platform) => {
        const { teamId } = payload as { teamId?: number };
        const ids = teamId === undefined ? await dueTeams(platform.database.db) : [teamId];
        await each(platform, TEAM_JOB, ids, async (id) => {
          await endTeam(platform, id);
          await afterEnd(platform, id);
        });
      },
    },
    {
      name: END_JOB,
      title: ['到期的团购活动结束', 'Group-buys at their end'],
      cron: '* * * * *',
      run: async (payload, platform) => {
        const { activityId } = payload as { activityId?: number };
        const due = activityId === undefined ? await dueActivities(platform.database.db) : [activityId];
        await each(platform, END_JOB, due, (id) => endDue(platform, id));
        const unreached = await unreachedTotals(platform.database.db);
        await each(platform, END_JOB, unreached, async (id) => {
          while (await refundTotal(platform, id));
        });
      },
    },
    {
      name: REFUND_JOB,
      title: ['成团后到账的订单退款', 'Refund orders paid after their team was over'],
      cron: '* * * * *',
      run: async (payload, platform) => {
        const { orderId } = payload as { orderId?: number };
        const ids = orderId === undefined ? await owedRefunds(platform.database.db) : [orderId];
        await each(platform, REFUND_JOB, ids, (id) => refundLateSeat(platform, id));
      },
    },
  ],
});

/** One after the other; a broken one does not keep the others waiting. */
async function each(
  platform: Platform,
  job: string,
  ids: readonly number[],
  work: (id: number) => Promise<unknown>,
): Promise<void> {
  for (const id of ids)
    await work(id).catch((error: unknown) => {
      platform.log.error({ error, job, id }, 'group-buy job failed');
      // A queued row is tried again by the queue, a swept one by the next sweep.
      if (ids.length === 1) throw error;
    });
}
