import type { Label } from '../../../kernel/contract/label.ts';
import type { Tx } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller, RequestFacts } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { lockRefund, lockTrade } from './refund-order.server.ts';
import { startSending } from './refund-send.server.ts';
import { HANDLED, moveRefund } from './refund-transition.server.ts';

const RESTART: Label = ['重新退款', 'Restart'];
const OFFLINE_WAITS: Label = [
  '已登记线下退款，请先确认或撤销登记',
  'An offline refund is recorded; confirm it or withdraw the record first',
];

/**
 * Sends a failed refund again with its number: btn_restart of the screen that asked for it, who may is its matter. Throws
 * 30101 该退款已被处理 in another state. Source: group 21, states and transitions.
 */
export async function restartRefund(
  tx: Tx,
  request: {
    readonly platform: Platform;
    readonly caller: Caller;
    readonly facts: RequestFacts;
    readonly refundId: number;
  },
): Promise<'refunding' | 'succeeded'> {
  const refund = await lockRefund(tx, request.refundId);
  if (refund.state !== 'failed') throw ruleBroken(HANDLED);
  if (refund.offline_by !== null) throw ruleBroken(OFFLINE_WAITS);
  const { order, payment } = await lockTrade(tx, refund.order_id);
  const plan = await startSending(tx, request.platform, refund, order, payment);
  await moveRefund(tx, refund, {
    from: ['failed'],
    to: plan.to,
    action: 'restart',
    label: RESTART,
    set: plan.set,
    remark: plan.remark,
    caller: request.caller,
    facts: request.facts,
  });
  request.platform.changed('refund');
  return plan.to;
}
