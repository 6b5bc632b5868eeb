import { notify } from '../../../domain/notification/notify.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne, transaction, type Tx } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { orderSight } from './package-order-scope.server.ts';
import { TODAY } from '../../../kernel/server/today.ts';

/** Has an instalment that is late by more than the setting allows. */
const arrears = (days: number) =>
  `EXISTS (SELECT FROM receivable r WHERE r.source_kind = 'package' AND r.source_id = t.id AND r.state IN ('open', 'part') AND r.due_on < ${TODAY} - ${days})`;

/** Orders whose day has come, and reminders of what is near. */
export function packageJobs(bound: () => BoundResource): readonly Job[] {
  const name = 'package.state';
  const title: Label = ['套餐订单状态', 'States of package orders'];
  // 00:20 in business time.
  const cron = '20 16 * * *';
  return [
    {
      name,
      title,
      cron,
      run: async (payload, platform, context) => {
        const late = Math.trunc(await platform.settings.number('package.suspend_overdue_days'));
        const first = Math.trunc(await platform.settings.number('package.first_pay_days'));
        const due: readonly (readonly [action: string, when: string])[] = [
          ['pauseOver', `NOT t.frozen AND t.pause_kind = 'request' AND t.pause_until <= ${TODAY}`],
          // Paid while it was frozen.
          [
            'paid',
            `NOT t.frozen AND (SELECT r.state FROM receivable r WHERE r.source_kind = 'package' AND r.source_id = t.id ORDER BY r.period_no LIMIT 1) = 'paid'`,
          ],
          ['start', `NOT t.frozen AND coalesce(t.start_on, t.start_by) <= ${TODAY}`],
          ['unsuspend', `NOT t.frozen AND t.pause_kind = 'arrears' AND NOT ${arrears(late)}`],
          ['finish', `NOT t.frozen AND t.end_on < ${TODAY} AND t.pause_kind IS DISTINCT FROM 'request'`],
          ['suspend', `NOT t.frozen AND ${arrears(late)}`],
          [
            'expire',
            `NOT t.frozen AND (t.confirmed_at AT TIME ZONE 'Asia/Shanghai')::date + ${first} < ${TODAY}
             AND NOT EXISTS (SELECT FROM receivable r WHERE r.source_kind = 'package' AND r.source_id = t.id AND r.received > 0)`,
          ],
        ];
        for (const [action, when] of due)
          await dueJob(bound, { name, title, cron, action, when }).run(payload, platform, context);
      },
    },
    {
      name: 'package.remind',
      title: ['套餐到期与付款提醒', 'Packages that end, parts that fall due'],
      // 09:00 in business time.
      cron: '0 1 * * *',
      run: async (_payload, platform, context) => {
        const { db } = platform.database;
        const near = await run<{
          id: number;
          what: string;
          code: string;
          day: string;
          amount: number | null;
          seller: number;
        }>(
          db,
          `SELECT x.* FROM (
             SELECT t.id, 'end' || d.days || ':' || t.end_on AS what, t.code, t.end_on::text AS day, NULL::bigint AS amount, t.seller_id AS seller
               FROM package_order t CROSS JOIN (VALUES (30), (7)) d (days)
              WHERE t.state IN ('in_service', 'paused') AND t.end_on BETWEEN ${TODAY} AND ${TODAY} + d.days AND (d.days = 7 OR t.end_on > ${TODAY} + 7)
             UNION ALL
             SELECT t.id, 'due:' || r.id, t.code, r.due_on::text, r.principal + r.charges - r.received, t.seller_id
               FROM package_order t JOIN receivable r ON r.source_kind = 'package' AND r.source_id = t.id
              WHERE t.state IN ('pending_first', 'to_start', 'in_service', 'paused') AND r.state IN ('open', 'part') AND r.due_on BETWEEN ${TODAY} AND ${TODAY} + 3) x
            WHERE NOT EXISTS (SELECT FROM package_reminder m WHERE m.order_id = x.id AND m.what = x.what) ORDER BY x.id LIMIT 5000`,
        );
        for (const one of near) {
          context?.signal.throwIfAborted();
          await transaction(db, async (tx) => {
            const made = await runOne(
              tx,
              'INSERT INTO package_reminder (order_id, what) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING order_id',
              [one.id, one.what],
            );
            if (!made) return;
            await notify(tx, {
              kind: 'packageOrder',
              staffIds: [one.seller],
              rows: { sight: orderSight, ids: [one.id] },
              title:
                one.amount === null
                  ? [
                      `套餐订单 ${one.code} 将于 ${one.day} 到期`,
                      `Package order ${one.code} ends on ${one.day}`,
                    ]
                  : [
                      `套餐订单 ${one.code} ${one.day} 应付 ${yuanFromFen(one.amount)}`,
                      `Package order ${one.code}: ${yuanFromFen(one.amount)} due on ${one.day}`,
                    ],
              route: `/lifeService/orderDetails/${one.id}/todo`,
            });
          });
        }
        if (near.length > 0) context?.print(`${near.length} 条提醒 / reminders`);
      },
    },
  ];
}

/**
 * After money came in for receivables: orders whose first part is paid begin, those that rested for arrears go on. Called with what
 * a confirmed receipt paid.
 */
export async function packageMoneyCame(
  tx: Tx,
  platform: Platform,
  bound: BoundResource,
  receiptId: number,
): Promise<void> {
  const late = Math.trunc(await platform.settings.numberIn(tx, 'package.suspend_overdue_days'));
  const orders = await run<{ id: number; state: string; first: boolean; arrears: boolean }>(
    tx,
    `SELECT t.id, t.state, ${arrears(late)} AS arrears,
            coalesce((SELECT r.state = 'paid' FROM receivable r WHERE r.source_kind = 'package' AND r.source_id = t.id ORDER BY r.period_no LIMIT 1), true) AS first
       FROM package_order t WHERE (t.state = 'pending_first' OR t.pause_kind = 'arrears') AND NOT t.frozen
        AND t.id IN (SELECT r.source_id FROM receipt_allocation a JOIN receivable r ON r.id = a.receivable_id AND r.source_kind = 'package' WHERE a.receipt_id = $1)
      ORDER BY t.id`,
    [receiptId],
  );
  for (const order of orders) {
    if (order.state === 'pending_first' && order.first)
      await bound.actAsSystem(tx, platform, 'paid', order.id);
    if (order.state === 'paused' && !order.arrears)
      await bound.actAsSystem(tx, platform, 'unsuspend', order.id);
  }
  if (orders.length > 0) platform.changed('packageOrder');
}
