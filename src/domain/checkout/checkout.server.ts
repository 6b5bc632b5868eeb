import { transaction } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { defineRegistration } from '../../kernel/server/registration.ts';
import { alertStaff } from './alert.server.ts';
import { closeOverdue } from './close-unpaid.server.ts';
import { AUTO_RECEIVE_JOB, CLOSE_UNPAID_JOB, dueReceipts, overduePayments } from './deadlines.server.ts';
import { checkStock, orderInvariants } from './order-checks.server.ts';
import { orderSight, paymentSight, tradeSight } from './order-sights.server.ts';
import { receiveOverdue } from './receive-order.server.ts';
import { paymentEffects } from './sandbox-pay.server.ts';

/** Jobs, effects and invariants of orders and payments. Every job is queued at its deadline and swept each minute. */
export const registration = defineRegistration({
  endpoints: [],
  effects: paymentEffects,
  invariants: orderInvariants,
  sights: [orderSight, paymentSight, tradeSight],
  jobs: [
    {
      name: CLOSE_UNPAID_JOB,
      title: ['关闭超时未支付订单', 'Close orders nobody paid in time'],
      cron: '* * * * *',
      run: (payload, platform) =>
        eachOf(
          platform,
          (payload as { paymentId?: number }).paymentId,
          overduePayments,
          closeOverdue,
          CLOSE_UNPAID_JOB,
        ),
    },
    {
      name: AUTO_RECEIVE_JOB,
      title: ['自动签收', 'Receive orders automatically'],
      cron: '* * * * *',
      run: (payload, platform) =>
        eachOf(
          platform,
          (payload as { orderId?: number }).orderId,
          dueReceipts,
          receiveOverdue,
          AUTO_RECEIVE_JOB,
        ),
    },
    {
      // stock.check of the product folder logs; this one tells the people who must look. Source: group 08, Jobs.
      name: 'stock.alert',
      title: ['库存差异告警', 'Alert when stock differs from its movements'],
      cron: '23 * * * *',
      run: async (_payload, platform) => {
        const problems = await checkStock(platform);
        if (problems.length === 0) return;
        platform.log.error({ problems: problems.slice(0, 20) }, 'stock differs from its movements');
        const list = problems.slice(0, 5).join('; ');
        await transaction(platform.database.db, (tx) =>
          alertStaff(tx, {
            kind: 'alertStock',
            title: [
              `库存核对发现${problems.length}处差异`,
              `Stock check found ${problems.length} differences`,
            ],
            body: [list, list],
          }),
        );
      },
    },
  ],
});

/** One queued row, or all that are due; a broken one does not keep the others waiting. */
async function eachOf(
  platform: Platform,
  id: number | undefined,
  due: (db: Platform['database']['db']) => Promise<number[]>,
  work: (platform: Platform, id: number) => Promise<unknown>,
  job: string,
): Promise<void> {
  if (id !== undefined) return void (await work(platform, id));
  for (const one of await due(platform.database.db))
    await work(platform, one).catch((error: unknown) =>
      platform.log.error({ error, job, id: one }, 'deadline job failed'),
    );
}
