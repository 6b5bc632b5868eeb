import { run, runOne, transaction } from '../../kernel/server/database.ts';
import { SYSTEM_NAME } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { defineRegistration } from '../../kernel/server/registration.ts';
import { alertStaff } from '../checkout/alert.server.ts';
import { closeUnpaidOrder } from '../checkout/close-unpaid.server.ts';
import { CLOCK_JOB, CLOSE_JOB, dueActivities, tick } from './activity.server.ts';
import { CANCELLED } from './seckill.rules.ts';
import { equationsOf, seckillInvariants } from './verify.server.ts';

/** Jobs and invariants of seckills. The clock is queued for its times and swept every minute. Source: group 16, Jobs. */
export const registration = defineRegistration({
  endpoints: [],
  invariants: seckillInvariants,
  jobs: [
    {
      name: CLOCK_JOB,
      title: ['秒杀开始与结束', 'Starts and ends of seckills'],
      cron: '* * * * *',
      run: async (payload, platform) => {
        const { activityId } = payload as { activityId?: number };
        const ids = activityId === undefined ? await dueActivities(platform.database.db) : [activityId];
        await each(platform, CLOCK_JOB, ids, async (id) => {
          await tick(platform, id);
          const ended = await runOne(
            platform.database.db,
            `SELECT 1 AS one FROM seckill_activity WHERE id = $1 AND state = 'ended'`,
            [id],
          );
          if (ended) await verifyActivities(platform, [id]);
        });
      },
    },
    {
      name: CLOSE_JOB,
      title: ['关闭已取消秒杀的未付款订单', 'Close unpaid orders of cancelled seckills'],
      cron: '* * * * *',
      run: async (_payload, platform) => {
        const held = await run<{ order_id: number }>(
          platform.database.db,
          `SELECT c.order_id FROM seckill_claim c JOIN seckill_activity a ON a.id = c.activity_id
            WHERE c.state = 'held' AND a.state = 'cancelled' ORDER BY c.order_id LIMIT 2000`,
        );
        // Each on its own: one that is being paid at this moment stands.
        await each(
          platform,
          CLOSE_JOB,
          held.map((row) => row.order_id),
          (orderId) =>
            transaction(platform.database.db, async (tx) => {
              const open = await runOne(
                tx,
                `SELECT 1 AS one FROM sales_order WHERE id = $1 AND state = 'pending_payment' FOR UPDATE`,
                [orderId],
              );
              if (open)
                await closeUnpaidOrder(tx, platform, orderId, { reason: CANCELLED[0], who: SYSTEM_NAME });
            }),
        );
      },
    },
    {
      name: 'activity.verify',
      title: ['秒杀核对', 'Verify seckills'],
      cron: '0 3 * * *',
      run: async (_payload, platform) => {
        const live = await run<{ id: number }>(
          platform.database.db,
          `SELECT id FROM seckill_activity WHERE state IN ('scheduled', 'running', 'paused') OR ended_at > now() - interval '2 days' ORDER BY id`,
        );
        await verifyActivities(
          platform,
          live.map((row) => row.id),
        );
      },
    },
    {
      name: 'seckill.forget_refusals',
      title: ['清理秒杀拒绝计数', 'Forget refusals of seckills'],
      cron: '40 3 * * *',
      run: async (_payload, platform) => {
        await run(
          platform.database.db,
          `DELETE FROM activity_refusal_count WHERE second < now() - interval '30 days'`,
        );
      },
    },
  ],
});

/** Looks at the equations of activities; what does not hold is told to the people who must look. */
async function verifyActivities(platform: Platform, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    const broken = (await equationsOf(platform.database.db, id)).filter((one) => !one.ok);
    if (broken.length === 0) continue;
    platform.log.error({ activity: id, broken: broken.slice(0, 20) }, 'seckill equations broken');
    await transaction(platform.database.db, (tx) =>
      alertStaff(tx, {
        kind: 'alertStock',
        title: [`秒杀核对发现${broken.length}处差异`, `Seckill check found ${broken.length} differences`],
        body: [
          broken
            .slice(0, 5)
            .map((one) => `${one.name[0]} (${one.left} / ${one.right})`)
            .join('；'),
          broken
            .slice(0, 5)
            .map((one) => `${one.name[1]} (${one.left} / ${one.right})`)
            .join('; '),
        ],
      }),
    );
  }
}

/** One after the other; a broken one does not keep the others waiting. */
async function each(
  platform: Platform,
  job: string,
  ids: readonly number[],
  work: (id: number) => Promise<unknown>,
): Promise<void> {
  for (const id of ids)
    await work(id).catch((error: unknown) => {
      platform.log.error({ error, job, id }, 'seckill job failed');
      if (ids.length === 1) throw error;
    });
}
