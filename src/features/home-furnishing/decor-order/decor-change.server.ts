import type { DecorOrderRow } from '../../../domain/furnishing/decor-order.server.ts';
import { redateNodes } from '../../../domain/furnishing/decor-order.server.ts';
import { tellReceivables } from '../../../domain/receivable/receivable.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import { checkPictures, picturesOf } from '../../property/picture-columns.server.ts';
import { decorChange } from './decor-change.contract.ts';
import { changePrice } from './decor-order-actions.server.ts';
import { ofDecorOrders } from './decor-order-scope.server.ts';

/** Changes of decor orders, for those who see the order. */
export const registration = bindResource(decorChange, {
  table: 'decor_change',
  from: 'decor_change t LEFT JOIN decor_order o ON o.id = t.order_id',
  scope: { tenant: 'none', project: 'none', owner: 'NULL::bigint', own: ofDecorOrders('t.order_id') },
  columns: {
    order: { id: 't.order_id', title: 'o.code' },
    proofs: picturesOf('t.proof_ids'),
    refuseReason: `nullif(t.refuse_reason, '')`,
  },
  sets: { refuse: { refuse_reason: fromInput('reason') } },
  handlers: {
    confirm,
  },
}).registration;

const OPEN_STATES = ['signing', 'to_start', 'constructing', 'accepting'];

/** The customer agreed: price and later instalments follow, what was paid above the new price goes back. */
async function confirm(context: ActionContext): Promise<ActionResult> {
  const { tx, row, id, input, caller, platform } = context;
  await checkPictures(context, 'proofs', input.proofs as string[]);
  const order = (await runOne<DecorOrderRow>(tx, 'SELECT * FROM decor_order WHERE id = $1 FOR UPDATE', [
    row.order_id,
  ]))!;
  if (!OPEN_STATES.includes(order.state))
    throw ruleBroken(['订单当前阶段不能变更', 'The order is past changes']);
  const amount = Number(row.amount);
  const price = order.price + amount;
  if (price < 0) throw ruleBroken(['变更后总价不能小于 0', 'The price would be below 0']);
  const refund = await changePrice(context, order, price);
  const lines = row.lines as readonly { readonly name: string; readonly amount: number }[];
  const last = await runOne<{ at: number }>(
    tx,
    'SELECT coalesce(max(position), -1) AS at FROM decor_line WHERE order_id = $1',
    [order.id],
  );
  for (const [index, line] of lines.entries())
    await insertRow(tx, 'decor_line', {
      order_id: order.id,
      position: last!.at + 1 + index,
      kind: 'change',
      source: row.code,
      name: line.name,
      quantity: 100,
      unit_price: line.amount,
      amount: line.amount,
      change_id: id,
    });
  const days = Number(row.days);
  let end = order.planned_end;
  if (end !== null && days !== 0) {
    end = addDays(end, days);
    const day = businessDayOf(new Date());
    const from = order.planned_start ?? day;
    if (end < from) end = from;
    await redateNodes(tx, order, end, day);
  }
  await run(
    tx,
    `UPDATE decor_order SET changes = changes + $2, price = $3, overpaid = overpaid + $4, planned_end = $5, version = version + 1, updated_at = now() WHERE id = $1`,
    [order.id, amount, price, refund, end],
  );
  const said: Label =
    refund > 0
      ? [
          `变更已生效，总价 ${yuanFromFen(price)}，应退 ${yuanFromFen(refund)}，退款审核中`,
          `In force, price ${yuanFromFen(price)}, ${yuanFromFen(refund)} to pay back, in the refund audit`,
        ]
      : [`变更已生效，总价 ${yuanFromFen(price)}`, `In force, price ${yuanFromFen(price)}`];
  await writeTimeline(tx, {
    entity: 'decorOrder',
    entityId: order.id,
    caller,
    action: 'change',
    label: ['变更生效', 'Change in force'],
    from: order.state,
    to: order.state,
    remark: `${String(row.code)} ${yuanFromFen(amount)} · ${yuanFromFen(price)}`,
  });
  tellReceivables(platform);
  platform.changed('decorOrder');
  return {
    set: { confirmed_at: new Date(), proof_ids: input.proofs, refund },
    remark: said[0],
    result: { said: said[0], saidEn: said[1] },
  };
}
