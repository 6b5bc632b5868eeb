import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { SYSTEM_NAME, type Caller, type RequestFacts } from '../../../kernel/server/people/caller.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { addEffect, finishEffect } from '../../../kernel/server/tasks/outbox.ts';
import type { Effect } from '../../../kernel/server/registration.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { whoSees } from '../../../domain/notification/row-sight.server.ts';
import { ORDER_MENU, orderSight } from '../../../domain/checkout/order-sights.server.ts';
import { refund as contract } from './refund.contract.ts';
import { refundSight } from './refund-scope.server.ts';
import { orderEntity, type OrderRow, type RefundRecord } from './refund-order.server.ts';

/** What the second of two people is told. Source: group 21, states and transitions. */
export const HANDLED: Label = ['该退款已被处理', 'The refund was handled already'];

/** Effect that tells the people concerned what became of a refund. Payload `{ refundId, state }`. */
export const NOTICE_EFFECT = 'refund.notice';

/** Codes of order_event that refunds write. Source: group 21, case detail (timeline). */
export const ORDER_EVENTS = { audited: 45, rejected: 46, afterSale: 50, refunded: 60 } as const;

/** A step of the system, or of a command outside the refund screen. */
export interface Move {
  readonly from: readonly RefundRecord['state'][];
  readonly to: RefundRecord['state'];
  readonly action: string;
  readonly label: Label;
  /** Columns written with the state. */
  readonly set?: Readonly<Record<string, unknown>>;
  readonly remark?: string;
  readonly channelAnswer?: string;
  readonly caller?: Caller | undefined;
  readonly facts?: RequestFacts | undefined;
}

/**
 * The one transition function of everything that is no staff action: compares the state of a locked refund, writes
 * state and columns, appends both timelines and the audit record. Throws 30101 该退款已被处理 in another state.
 */
export async function moveRefund(tx: Tx, refund: RefundRecord, move: Move): Promise<void> {
  if (!move.from.includes(refund.state)) throw ruleBroken(HANDLED);
  const columns = Object.entries(move.set ?? {});
  const assignments = columns.map(([name], index) => `"${name}" = $${index + 3}`);
  await run(
    tx,
    `UPDATE refund SET state = $2, version = version + 1, updated_at = now()${assignments.map((one) => `, ${one}`).join('')} WHERE id = $1`,
    [refund.id, move.to, ...columns.map(([, value]) => value)],
  );
  await noteRefund(tx, refund.id, {
    from: refund.state,
    to: move.to,
    who: move.caller?.name,
    remark: move.remark,
    channelAnswer: move.channelAnswer,
  });
  await writeTimeline(tx, {
    entity: contract.name,
    entityId: refund.id,
    ...(move.caller ? { caller: move.caller } : {}),
    action: move.action,
    label: move.label,
    from: refund.state,
    to: move.to,
    remark: [move.remark, move.channelAnswer].filter(Boolean).join(' '),
  });
  await writeAudit(tx, {
    ...(move.caller ? { caller: move.caller } : {}),
    ...(move.facts ? { facts: move.facts } : {}),
    menu: contract.menu,
    action: move.action,
    entity: contract.name,
    entityId: refund.id,
    before: { state: refund.state },
    after: { state: move.to, ...move.set, channelAnswer: move.channelAnswer },
  });
}

/** Appends to refund_event, the money timeline of a refund; the channel's own words go to `channelAnswer`. */
export async function noteRefund(
  tx: Executor,
  refundId: number,
  event: {
    readonly from: string | null;
    readonly to: string;
    readonly who?: string | undefined;
    readonly remark?: string | undefined;
    readonly channelAnswer?: string | undefined;
  },
): Promise<void> {
  await run(
    tx,
    'INSERT INTO refund_event (refund_id, from_state, to_state, who, remark, channel_answer) VALUES ($1, $2, $3, $4, $5, $6)',
    [refundId, event.from, event.to, event.who ?? SYSTEM_NAME, event.remark ?? '', event.channelAnswer ?? ''],
  );
}

/** Puts what a refund did to an order on the order's timeline; `code` also writes the order_event of that code. */
export async function noteOrder(
  tx: Tx,
  order: OrderRow,
  entry: {
    readonly action: string;
    readonly label: Label;
    readonly code?: number;
    readonly remark?: string;
    readonly to?: string;
    readonly caller?: Caller | undefined;
    /** Name where no staff acted: the buyer, or the system when absent. */
    readonly who?: string | undefined;
  },
): Promise<void> {
  if (entry.code !== undefined)
    await run(tx, 'INSERT INTO order_event (order_id, code, who, remark) VALUES ($1, $2, $3, $4)', [
      order.id,
      entry.code,
      entry.caller?.name ?? entry.who ?? SYSTEM_NAME,
      entry.remark ?? '',
    ]);
  await writeTimeline(tx, {
    entity: orderEntity(order.kind),
    entityId: order.id,
    ...(entry.caller ? { caller: entry.caller } : {}),
    action: entry.action,
    label: entry.label,
    from: order.state,
    to: entry.to ?? order.state,
    remark: entry.remark ?? '',
  });
}

/** Queues the notice of a state; once for each state and attempt. */
export async function addNotice(
  tx: Tx,
  refund: Pick<RefundRecord, 'id' | 'attempts'>,
  state: RefundRecord['state'],
): Promise<void> {
  await addEffect(
    tx,
    NOTICE_EFFECT,
    { refundId: refund.id, state },
    { key: `${NOTICE_EFFECT}:${refund.id}:${state}:${refund.attempts}` },
  );
}

/**
 * Tells the applicant, and for a failure also who passed the refund, as long as they see it among the refunds, or at least
 * its order among the orders, which then is where the message leads. Buyers are told by the message engine (group 16).
 */
export const noticeEffect: Effect = {
  kind: NOTICE_EFFECT,
  deliver: async (
    payload: { readonly refundId: number; readonly state: RefundRecord['state'] },
    platform,
    outboxId,
  ) => {
    const label = contract.states![payload.state]!.label;
    const failed = payload.state === 'failed';
    await transaction(platform.database.db, async (tx) => {
      if (!(await finishEffect(tx, outboxId))) return;
      const refund = await runOne<{ code: string; name: string; order_id: number; staff: number[] }>(
        tx,
        `SELECT r.code, r.product_name AS name, r.order_id,
                ARRAY(SELECT DISTINCT s.id FROM staff s
                       WHERE s.state = 'normal' AND (s.id = r.applicant_id OR ($2 AND s.id = coalesce(r.auditor2, r.auditor1)))) AS staff
           FROM refund r WHERE r.id = $1`,
        [payload.refundId, failed],
      );
      if (!refund) return;
      const notice = {
        kind: 'refundResult',
        level: failed ? 'important' : 'normal',
        title: [`${refund.code} ${label[0]}`, `${refund.code} ${label[1]}`],
        body: [refund.name, refund.name],
      } as const;
      const rows = { sight: refundSight, ids: [payload.refundId] };
      const auditors = await whoSees(tx, refund.staff, rows);
      await notify(tx, {
        ...notice,
        staffIds: auditors,
        rows,
        route: `/service/${contract.menu}?detail=${payload.refundId}`,
      });
      await notify(tx, {
        ...notice,
        staffIds: refund.staff.filter((id) => !auditors.includes(id)),
        rows: { sight: orderSight, ids: [refund.order_id] },
        route: `/merchantManager/${ORDER_MENU}/${refund.order_id}`,
      });
    });
  },
};
