import { z } from 'zod';
import { idText } from '../../../kernel/server/http/call-parts.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import { startReceiving } from '../../../domain/checkout/deadlines.server.ts';
import { writeOrderEvent } from '../../../domain/checkout/order-log.server.ts';
import { parsed } from './order-create.server.ts';

const partList = z
  .array(
    z.strictObject({
      lineId: idText,
      qty: z.number().int().min(1).max(99_999),
    }),
  )
  .min(1)
  .max(100);

/** Pieces of a line that wait for a parcel; `held` of them are in an unfinished refund or asked back by a case. */
export interface OpenLine {
  readonly id: number;
  readonly unshipped: number;
  readonly held: number;
}

/** SQL: pieces of the order line `l` that wait for a parcel. */
export const UNSHIPPED = 'l.qty - l.qty_shipped - l.qty_refunded_unshipped';
/** SQL: how many of them are in an unfinished refund or asked back by a case. */
export const HELD = `(coalesce((SELECT sum(rl.unshipped_qty) FROM refund_line rl JOIN refund r ON r.id = rl.refund_id
  WHERE rl.line_id = l.id AND r.state IN ('reviewing', 'refunding', 'failed')), 0)::integer
  + least(${UNSHIPPED}, coalesce((SELECT sum(c.qty) FROM after_sale_line c
    JOIN after_sale a ON a.id = c.after_sale_id WHERE c.line_id = l.id AND a.type = 'refund_only' AND a.state = 'applied'), 0))::integer)`;

/** Lines of an order with what is left to ship. Source: group 08, order state machine (发货). */
export async function openLines(db: Executor, orderId: number): Promise<OpenLine[]> {
  return run<OpenLine>(
    db,
    `SELECT l.id, ${UNSHIPPED} AS unshipped, ${HELD} AS held FROM order_line l WHERE l.order_id = $1 ORDER BY l.line_no`,
    [orderId],
  );
}

/**
 * btn_ship: one parcel. Throws 422 发货数量超过待发数量, or 30101 该商品退款处理中，不能发货 for units in an unfinished
 * refund. 部分发货 while units remain, else 待收货 with its deadline. Absent lines: everything that may be shipped.
 */
export async function shipOrder(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, caller, id, input } = context;
  const parcel = readParcel(input);
  const open = await openLines(tx, id);
  const parts = input.lines ? mergeParts(parsed('lines', partList, input.lines)) : restOf(open);
  for (const part of parts) {
    const line = open.find((one) => one.id === part.lineId);
    if (!line) throw notFound(['订单中没有该商品', 'The order has no such goods']);
    if (part.qty > line.unshipped) throw invalid({ lines: TOO_MANY }, TOO_MANY);
    if (part.qty > line.unshipped - line.held) throw ruleBroken(IN_REFUND);
  }
  const shipmentId = await insertRow(tx, 'shipment', { order_id: id, ...parcel, staff_id: caller.staffId });
  for (const part of parts) {
    await run(tx, 'INSERT INTO shipment_line (shipment_id, line_id, qty) VALUES ($1, $2, $3)', [
      shipmentId,
      part.lineId,
      part.qty,
    ]);
    await run(tx, 'UPDATE order_line SET qty_shipped = qty_shipped + $2 WHERE id = $1', [
      part.lineId,
      part.qty,
    ]);
  }
  const shipped = parts.reduce((sum, part) => sum + part.qty, 0);
  const rest = open.reduce((sum, line) => sum + line.unshipped, 0) - shipped;
  const remark = `${parcelText(parcel)} × ${shipped}`;
  await writeOrderEvent(tx, { orderId: id, code: 20, who: caller.name, remark });
  await run(tx, 'UPDATE sales_order SET shipped_at = coalesce(shipped_at, clock_timestamp()) WHERE id = $1', [
    id,
  ]);
  if (rest === 0) await startReceiving(tx, platform, id);
  return {
    to: rest === 0 ? 'to_receive' : 'part_shipped',
    remark,
    result: { shipmentId: String(shipmentId) },
  };
}

/** btn_logistics: another number for a parcel; the old one stays on the timeline. */
export async function changeLogistics(context: ActionContext): Promise<ActionResult> {
  const { tx, caller, id, input } = context;
  const old = await runOne<Parcel & { id: number }>(
    tx,
    'SELECT id, way, company, tracking_no, courier, courier_phone FROM shipment WHERE id = $1 AND order_id = $2',
    [input.shipment, id],
  );
  if (!old) throw notFound(['包裹不存在', 'The parcel does not exist']);
  const parcel = readParcel({ ...input, way: old.way });
  await run(
    tx,
    'UPDATE shipment SET company = $2, tracking_no = $3, courier = $4, courier_phone = $5 WHERE id = $1',
    [old.id, parcel.company, parcel.tracking_no, parcel.courier, parcel.courier_phone],
  );
  const remark = `${parcelText(old)} → ${parcelText(parcel)} · ${input.reason as string}`;
  await writeOrderEvent(tx, { orderId: id, code: 21, who: caller.name, remark });
  return { remark };
}

/** btn_sign: the customer has everything (event 25). */
export async function signOrder(context: ActionContext): Promise<ActionResult> {
  const { tx, id, caller } = context;
  await writeOrderEvent(tx, { orderId: id, code: 25, who: caller.name });
  // The after-sale window begins here, and is over by the database's clock too.
  await run(tx, 'UPDATE sales_order SET completed_at = clock_timestamp() WHERE id = $1', [id]);
  return { to: 'completed' };
}

/** Stored columns of a parcel. */
interface Parcel {
  readonly way: 'express' | 'own';
  readonly company: string;
  readonly tracking_no: string;
  readonly courier: string;
  readonly courier_phone: string;
}

/** Refusal of more pieces than wait for a parcel. */
export const TOO_MANY: Label = ['发货数量超过待发数量', 'More than is left to ship'];
/** Refusal of pieces that are being refunded. */
export const IN_REFUND: Label = [
  '该商品退款处理中，不能发货',
  'These goods are being refunded and cannot be shipped',
];
const REQUIRED: Label = ['此项必填', 'This field is required'];

/** Express needs company and number, own delivery courier and phone. Throws 422. */
function readParcel(input: Readonly<Record<string, unknown>>): Parcel {
  const text = (name: string) => ((input[name] as string | null | undefined) ?? '').trim();
  const way = input.way as Parcel['way'];
  const needed =
    way === 'express' ? (['company', 'trackingNo'] as const) : (['courier', 'courierPhone'] as const);
  const missing = needed.filter((name) => text(name) === '');
  if (missing.length > 0) throw invalid(Object.fromEntries(missing.map((name) => [name, REQUIRED])));
  return way === 'express'
    ? { way, company: text('company'), tracking_no: text('trackingNo'), courier: '', courier_phone: '' }
    : {
        way,
        company: text('company'),
        tracking_no: '',
        courier: text('courier'),
        courier_phone: text('courierPhone'),
      };
}

function parcelText(parcel: Parcel): string {
  return (parcel.way === 'express' ? [parcel.company, parcel.tracking_no] : [parcel.company, parcel.courier])
    .filter(Boolean)
    .join(' ');
}

function mergeParts(parts: readonly { lineId: number; qty: number }[]): { lineId: number; qty: number }[] {
  const sums = new Map<number, number>();
  for (const part of parts) sums.set(part.lineId, (sums.get(part.lineId) ?? 0) + part.qty);
  return [...sums].map(([lineId, qty]) => ({ lineId, qty }));
}

function restOf(open: readonly OpenLine[]): { lineId: number; qty: number }[] {
  const parts = open
    .map((line) => ({ lineId: line.id, qty: line.unshipped - line.held }))
    .filter((part) => part.qty > 0);
  if (parts.length === 0)
    throw ruleBroken(
      open.some((line) => line.held > 0) ? IN_REFUND : ['没有待发商品', 'Nothing is left to ship'],
    );
  return parts;
}
