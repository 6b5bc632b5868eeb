import type { Label } from '../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../kernel/server/audit/audit.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import { orderEventLabel } from './order-events.rules.ts';

/** Name of sales orders of kind goods in timeline and audit: the name of their resource. */
export const ORDER_ENTITY = 'goodsOrder';
/** The same of orders of services. */
export const SERVICE_ORDER_ENTITY = 'serviceOrder';

/** The resource whose timeline tells an order's story. */
export async function orderEntityOf(tx: Executor, orderId: number): Promise<string> {
  const order = await runOne<{ kind: string }>(tx, 'SELECT kind FROM sales_order WHERE id = $1', [orderId]);
  return entityOfKind(order?.kind);
}

const entityOfKind = (kind: string | undefined): string =>
  kind === 'service' ? SERVICE_ORDER_ENTITY : ORDER_ENTITY;

/** An entry of an order's timeline. `code` is one of order-events.rules.ts. */
export interface OrderEvent {
  readonly orderId: number;
  readonly code: number;
  readonly who: string;
  readonly remark?: string;
}

/** Appends to order_event, the timeline the order page and the specification's operationList show. */
export async function writeOrderEvent(tx: Executor, event: OrderEvent): Promise<void> {
  await run(tx, 'INSERT INTO order_event (order_id, code, who, remark) VALUES ($1, $2, $3, $4)', [
    event.orderId,
    event.code,
    event.who,
    event.remark ?? '',
  ]);
}

/** What changed an order outside of a staff action: a channel, a deadline, or the second order of one checkout. */
export interface OrderChange extends OrderEvent {
  readonly action: string;
  readonly from: string | undefined;
  readonly to: string;
  /** Staff behind it; absent: the system or the member named by `who`. */
  readonly caller?: Pick<Caller, 'staffId' | 'name' | 'tenantId'> | undefined;
  readonly label?: Label;
  readonly after?: Readonly<Record<string, unknown>>;
  /** Kind of the order where it is known; absent: it is looked up. */
  readonly kind?: string;
}

/**
 * Writes what the kernel's action function writes for a staff action: timeline entry, audit record and order_event.
 * Used where an order changes without an action of its own. Source: ground rules 8 and 11.
 */
export async function recordOrderChange(tx: Executor, change: OrderChange): Promise<void> {
  await writeOrderEvent(tx, change);
  const entity = change.kind ? entityOfKind(change.kind) : await orderEntityOf(tx, change.orderId);
  await writeTimeline(tx, {
    entity,
    entityId: change.orderId,
    caller: change.caller ?? { staffId: null as unknown as number, name: change.who },
    action: change.action,
    label: change.label ?? orderEventLabel(change.code),
    from: change.from,
    to: change.to,
    remark: change.remark ?? '',
  });
  await writeAudit(tx, {
    ...(change.caller ? { caller: change.caller } : {}),
    action: change.action,
    entity,
    entityId: change.orderId,
    before: { state: change.from ?? null },
    after: { state: change.to, ...change.after },
  });
}
