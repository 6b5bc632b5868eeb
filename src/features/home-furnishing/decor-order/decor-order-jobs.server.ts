import { isSettled, keepTrade, type DecorOrderRow } from '../../../domain/furnishing/decor-order.server.ts';
import { sendEvent } from '../../../domain/message-send/send-event.server.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne, transaction, type Tx } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { decorOrderSight } from './decor-order-scope.server.ts';
import { DECOR_MENU } from './decor-order.contract.ts';
import { TODAY } from '../../../kernel/server/today.ts';

/** SQL: the merchant has not accepted an order (`t`) in the hours it has for that. */
export const ACCEPT_LATE = `(t.state = 'to_accept' AND t.accept_until <= now())`;

interface Near {
  readonly id: number;
  /** Told once per order and word. */
  readonly what: string;
  readonly code: string;
  readonly staff: readonly (number | null)[];
  readonly amount: number | null;
  readonly seq: number;
  readonly day: string;
  /** The customer, where it is told too. */
  readonly member?: number;
}

/** SQL: staff of the platform, who look after orders merchants leave lying; only who sees the order hears of it. */
const DESK = `ARRAY(SELECT s.id FROM staff s JOIN tenant n ON n.id = s.tenant_id WHERE n.kind = 3 AND s.state = 'normal' ORDER BY s.id LIMIT 200)`;

/** A job that tells staff of orders, and customers by the event that is named, once per word. */
function tellJob(
  name: string,
  title: Label,
  cron: string,
  sql: string,
  say: (near: Near) => { readonly title: Label; readonly important?: boolean; readonly event?: string },
): Job {
  return {
    name,
    title,
    cron,
    run: async (_payload, platform, context) => {
      const { db } = platform.database;
      const rows = await run<Near>(
        db,
        `SELECT x.* FROM (${sql}) x WHERE NOT EXISTS (SELECT FROM decor_reminder m WHERE m.order_id = x.id AND m.what = x.what) ORDER BY x.id, x.what LIMIT 5000`,
      );
      for (const row of rows) {
        context?.signal.throwIfAborted();
        await transaction(db, async (tx) => {
          const made = await runOne(
            tx,
            'INSERT INTO decor_reminder (order_id, what) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING order_id',
            [row.id, row.what],
          );
          if (!made) return;
          const said = say(row);
          await notify(tx, {
            kind: 'decorOrder',
            level: said.important ? 'important' : 'normal',
            staffIds: [...new Set(row.staff.filter((one): one is number => one !== null).map(Number))],
            rows: { sight: decorOrderSight, ids: [row.id] },
            title: said.title,
            route: `/mercureManager/${DECOR_MENU}?detail=${row.id}`,
          });
          if (said.event === undefined || row.member === undefined) return;
          await sendEvent(tx, {
            event: said.event,
            memberIds: [row.member],
            variables: {
              order: row.code,
              amount: yuanFromFen(row.amount ?? 0),
              day: row.day,
              instalment: String(row.seq),
            },
            dedupKey: `${said.event}:${row.id}:${row.what}`,
          });
        });
      }
      if (rows.length > 0) context?.print(`${rows.length} 条提醒 / reminders`);
    },
  };
}

/** Quotes and deposits whose time is over, instalments, nodes and warranties somebody should know of. Source: group 14, jobs. */
export function decorJobs(bound: () => BoundResource): readonly Job[] {
  return [
    dueJob(bound, {
      name: 'decor.quote_expire',
      title: ['美居报价过期', 'Decor quotes that are over'],
      cron: '5 * * * *',
      action: 'expireQuote',
      when: `t.quote_until < ${TODAY}`,
    }),
    dueJob(bound, {
      name: 'decor.deposit_close',
      title: ['美居定金超时关闭', 'Decor orders without a deposit'],
      cron: '*/10 * * * *',
      action: 'expireDeposit',
      // A receipt that waits for its confirmation keeps the order open.
      when: `t.deposit_until <= now() AND NOT EXISTS (SELECT FROM receivable r WHERE r.source_kind = 'decor' AND r.source_id = t.id AND (r.received > 0
        OR EXISTS (SELECT FROM receipt_allocation a JOIN receipt c ON c.id = a.receipt_id WHERE a.receivable_id = r.id AND c.state = 'to_confirm')))`,
    }),
    tellJob(
      'decor.instalment_remind',
      ['美居分期款提醒', 'Decor instalments due'],
      // 09:00 in business time.
      '0 1 * * *',
      `SELECT t.id, 'due:' || i.seq || ':' || d.days AS what, t.code, to_jsonb(ARRAY[t.manager_id, t.created_by]) AS staff, r.principal + r.charges - r.received AS amount, i.seq, r.due_on::text AS day,
              t.member_id AS member FROM decor_order t JOIN decor_instalment i ON i.order_id = t.id JOIN receivable r ON r.id = i.receivable_id CROSS JOIN (VALUES (-3), (0), (1), (3), (7)) d (days)
        WHERE r.state IN ('open', 'part') AND r.due_on + d.days = ${TODAY}`,
      ({ what, code, seq, amount, day }) => {
        const days = Number(what.split(':')[2]);
        const money = yuanFromFen(amount!);
        return days > 0
          ? {
              important: true,
              event: 'decor_instalment_overdue',
              title: [
                `美居订单 ${code} 第 ${seq} 期款 ${money} 已逾期 ${days} 天`,
                `Decor order ${code}: instalment ${seq} of ${money} is ${days} days overdue`,
              ],
            }
          : {
              ...(days < 0 && { event: 'decor_instalment_due' }),
              title: [
                `美居订单 ${code} 第 ${seq} 期款 ${money} 于 ${day} 到期`,
                `Decor order ${code}: instalment ${seq} of ${money} is due on ${day}`,
              ],
            };
      },
    ),
    tellJob(
      'decor.accept_late',
      ['美居订单受理超时', 'Decor orders not accepted in time'],
      '*/10 * * * *',
      `SELECT t.id, 'accept:' || to_char(t.accept_until, 'YYYYMMDDHH24MI') AS what, t.code, to_jsonb(${DESK}) AS staff, NULL::bigint AS amount, 0 AS seq, '' AS day
         FROM decor_order t WHERE ${ACCEPT_LATE}`,
      ({ code }) => ({
        important: true,
        title: [
          `美居订单 ${code} 超时未受理，请跟进`,
          `Decor order ${code} was not accepted in time, please look after it`,
        ],
      }),
    ),
    tellJob(
      'decor.node_late',
      ['美居节点延误', 'Decor nodes that are late'],
      // 08:00 in business time.
      '0 0 * * *',
      `SELECT t.id, 'late:' || n.seq || ':' || d.days AS what, t.code, to_jsonb(CASE d.days WHEN 1 THEN ARRAY[t.manager_id] ELSE t.manager_id || ${DESK} END) AS staff,
              NULL::bigint AS amount, n.seq, n.planned_to::text AS day
         FROM decor_order t JOIN decor_node n ON n.order_id = t.id CROSS JOIN (VALUES (1), (4)) d (days)
        WHERE t.state = 'constructing' AND n.state <> 'passed' AND n.planned_to + d.days <= ${TODAY}
          AND NOT EXISTS (SELECT FROM decor_node b WHERE b.order_id = t.id AND b.seq < n.seq AND b.state <> 'passed')`,
      ({ code, seq, day }) => ({
        important: true,
        title: [
          `美居订单 ${code} 第 ${seq} 个节点已过计划日期 ${day}`,
          `Decor order ${code}: node ${seq} was planned until ${day}`,
        ],
      }),
    ),
    tellJob(
      'decor.warranty_notice',
      ['美居质保到期提醒', 'Decor warranties that end'],
      // 00:30 in business time.
      '30 16 * * *',
      `SELECT t.id, 'warranty:' || w.category AS what, t.code, to_jsonb(ARRAY[t.manager_id, t.created_by]) AS staff, NULL::bigint AS amount, 0 AS seq, w.to_on::text AS day, t.member_id AS member
         FROM decor_order t JOIN decor_warranty w ON w.order_id = t.id WHERE t.state = 'warranty' AND w.to_on BETWEEN ${TODAY} AND ${TODAY} + 30`,
      ({ code, day }) => ({
        event: 'decor_warranty_ending',
        title: [`美居订单 ${code} 有质保于 ${day} 到期`, `Decor order ${code}: a warranty ends on ${day}`],
      }),
    ),
    dueJob(bound, {
      name: 'decor.warranty_end',
      title: ['美居质保结束', 'Decor warranties that are over'],
      cron: '35 16 * * *',
      action: 'finish',
      when: `NOT EXISTS (SELECT FROM decor_warranty w WHERE w.order_id = t.id AND w.to_on >= ${TODAY})`,
    }),
  ];
}

/**
 * After money came in for receivables, or a receipt was taken back: the order of the trade follows; a paid deposit hands the order
 * to the merchant, a paid tail begins the warranty. Called with the receipt that was confirmed or reversed.
 */
export async function decorMoneyMoved(
  tx: Tx,
  platform: Platform,
  bound: BoundResource,
  receiptId: number,
): Promise<void> {
  const orders = await run<DecorOrderRow>(
    tx,
    `SELECT t.* FROM decor_order t WHERE t.id IN (SELECT r.source_id FROM receipt_allocation a JOIN receivable r ON r.id = a.receivable_id AND r.source_kind = 'decor' WHERE a.receipt_id = $1)
      ORDER BY t.id FOR UPDATE`,
    [receiptId],
  );
  for (const order of orders) {
    await keepTrade(tx, order);
    if (order.state === 'deposit_due') {
      const first = await runOne<{ paid: boolean }>(
        tx,
        `SELECT coalesce(r.state = 'paid', i.amount = 0) AS paid FROM decor_instalment i LEFT JOIN receivable r ON r.id = i.receivable_id WHERE i.order_id = $1 ORDER BY i.seq LIMIT 1`,
        [order.id],
      );
      if (first?.paid) await bound.actAsSystem(tx, platform, 'depositPaid', order.id);
    }
    if (order.state === 'tail_due' && (await isSettled(tx, order.id)))
      await bound.actAsSystem(tx, platform, 'settled', order.id);
  }
  if (orders.length > 0) platform.changed('decorOrder');
}
