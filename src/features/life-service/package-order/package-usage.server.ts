import { businessDayOf, daysBetween } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { packageUsage } from './package-order-parts.contract.ts';
import { ofOrders } from './package-order-scope.server.ts';
import { boundOrder } from './package-order.server.ts';

/** Uses of packages; a use is undone for some days. */
export const registration = bindResource(packageUsage, {
  table: 'package_usage',
  from: `package_usage t LEFT JOIN package_order o ON o.id = t.order_id LEFT JOIN package_order_item i ON i.id = t.item_id
    LEFT JOIN staff s ON s.id = t.person_id`,
  scope: { tenant: 'none', project: 'none', owner: 'NULL::bigint', own: ofOrders('t.order_id') },
  columns: {
    order: { id: 't.order_id', title: 'o.code' },
    item: 'i.name',
    person: { id: 't.person_id', title: 's.name' },
    undoneReason: `nullif(t.undone_reason, '')`,
    bookedAt: 't.created_at',
  },
  extra: { orderState: 'o.state', orderFrozen: 'o.frozen' },
  ruleReads: ['orderState', 'orderFrozen'],
  rowRules: {
    undo: (row) =>
      row.orderState === 'cancelled' || row.orderFrozen === true
        ? ['订单已取消或冻结，不能撤销', 'The order is cancelled or frozen']
        : undefined,
  },
  handlers: { undo },
}).registration;

/** Gives a use back; an order that its last use ended goes on while its term does. */
async function undo({ tx, row, input, platform }: ActionContext): Promise<ActionResult> {
  const order = (await runOne<{ id: number; project_id: number; state: string; end_on: string | null }>(
    tx,
    'SELECT id, project_id, state, end_on FROM package_order WHERE id = $1 FOR NO KEY UPDATE',
    [row.order_id],
  ))!;
  const days = await platform.settings.numberIn(tx, 'package.usage_undo_days', {
    projectId: order.project_id,
  });
  const today = businessDayOf(new Date());
  if (daysBetween(businessDayOf(row.created_at as Date), today) - 1 > days)
    throw ruleBroken([`登记超过 ${days} 天，不能撤销`, `It was booked more than ${days} days ago`]);
  if (order.state === 'cancelled')
    throw ruleBroken(['订单已取消或冻结，不能撤销', 'The order is cancelled or frozen']);
  await run(tx, 'UPDATE package_order_item SET used = used - $2 WHERE id = $1', [row.item_id, row.qty]);
  if (order.state === 'finished' && order.end_on !== null && order.end_on >= today)
    await boundOrder.actAsSystem(tx, platform, 'reopen', order.id);
  platform.changed('packageOrder');
  return { set: { undone_reason: input.reason }, remark: String(input.reason) };
}
