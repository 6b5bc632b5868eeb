import { createHmac, randomInt } from 'node:crypto';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { SYSTEM_NAME, type Caller } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { recordOrderChange } from '../../checkout/order-log.server.ts';
import { queueSms } from '../../message/queue-message.server.ts';
import { LIVE_VISITS, type VisitState } from './visit-words.rules.ts';

/** Name of visits in timelines, audit records and counts. */
export const VISIT_ENTITY = 'appointment';
/** Purposes of the messages to members and to people who visit. */
export const VISIT_SMS = 'visit';
export const VISIT_CODE_SMS = 'visitCode';

/** A row of appointment. */
export interface Visit {
  readonly id: number;
  readonly code: string;
  readonly order_id: number;
  readonly line_id: number;
  readonly visit_no: number;
  readonly product_id: number;
  readonly tenant_id: number;
  readonly project_id: number;
  readonly slot_id: number | null;
  readonly person_id: number | null;
  readonly contact_name: string;
  readonly contact_phone: string;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly qty: number;
  readonly state: VisitState;
  readonly overbooked: boolean;
  readonly member_reschedules: number;
  readonly fee: number;
  readonly fee_waived: boolean;
  readonly verify_hash: string | null;
  readonly choose_until: Date | null;
}

/** What visits need to know of their order. */
export interface VisitOrder {
  readonly id: number;
  readonly code: string;
  readonly state: string;
  readonly type: string;
  readonly tenant_id: number;
  readonly refund_status: string;
  readonly paid_at: Date | null;
}

/** Who acts; without a caller the product itself. */
export interface Acting {
  readonly tx: Tx;
  readonly platform: Platform;
  readonly caller?: Caller | undefined;
}

/** Locks a visit behind its order, the order everybody takes them in. Throws 404 for an unknown one. */
export async function lockVisit(tx: Tx, visitId: number): Promise<{ visit: Visit; order: VisitOrder }> {
  const found = await runOne<{ order_id: number }>(tx, 'SELECT order_id FROM appointment WHERE id = $1', [
    visitId,
  ]);
  if (!found) throw notFound();
  const order = await lockVisitOrder(tx, found.order_id);
  const visit = (await runOne<Visit>(tx, 'SELECT * FROM appointment WHERE id = $1 FOR NO KEY UPDATE', [
    visitId,
  ]))!;
  return { visit, order };
}

/** Locks the order of visits. */
export async function lockVisitOrder(tx: Tx, orderId: number): Promise<VisitOrder> {
  return (await runOne<VisitOrder>(
    tx,
    `SELECT id, code, state, type, tenant_id, refund_status, paid_at FROM sales_order WHERE id = $1 AND kind = 'service' FOR NO KEY UPDATE`,
    [orderId],
  ))!;
}

/** The visit an order's buttons are about: the live one or the one that needs another time; undefined between two visits. */
export async function openVisitOf(db: Executor, orderId: number): Promise<Visit | undefined> {
  return runOne<Visit>(
    db,
    `SELECT * FROM appointment WHERE order_id = $1 AND state = ANY($2::text[]) ORDER BY visit_no DESC, id DESC LIMIT 1`,
    [orderId, [...LIVE_VISITS, 'choose_again']],
  );
}

/** Visits that are still to come of an order's line, none of them given a time yet included. */
export async function visitsLeft(db: Executor, orderId: number): Promise<number> {
  const row = await runOne<{ left: number }>(
    db,
    `SELECT l.times - (SELECT count(*) FROM appointment a WHERE a.line_id = l.id AND (a.state = 'done' OR (a.state = 'no_show' AND NOT a.fee_waived)))::integer
              - l.qty_refunded / l.qty AS left
       FROM order_line l WHERE l.order_id = $1 ORDER BY l.line_no LIMIT 1`,
    [orderId],
  );
  return row?.left ?? 0;
}

/** Columns of a visit that change, with the timeline and audit record of it. */
export async function changeVisit(
  { tx, caller }: Acting,
  visit: Visit,
  change: {
    readonly action: string;
    readonly label: Label;
    readonly to?: VisitState;
    readonly set?: Readonly<Record<string, unknown>>;
    readonly remark?: string;
  },
): Promise<void> {
  const to = change.to ?? visit.state;
  const set: Record<string, unknown> = { ...change.set, state: to, updated_by: caller?.staffId ?? null };
  const names = Object.keys(set);
  await run(
    tx,
    `UPDATE appointment SET ${names.map((name, index) => `${name} = $${index + 2}`).join(', ')}, version = version + 1, updated_at = now() WHERE id = $1`,
    [visit.id, ...names.map((name) => set[name])],
  );
  await tellVisit(tx, visit.id, caller, { ...change, from: visit.state, to });
}

/** Timeline and audit record of a visit. */
export async function tellVisit(
  tx: Tx,
  visitId: number,
  caller: Caller | undefined,
  told: {
    readonly action: string;
    readonly label: Label;
    readonly from?: VisitState;
    readonly to: VisitState;
    readonly remark?: string;
  },
): Promise<void> {
  await writeTimeline(tx, {
    entity: VISIT_ENTITY,
    entityId: visitId,
    ...(caller ? { caller } : {}),
    action: told.action,
    label: told.label,
    from: told.from,
    to: told.to,
    remark: told.remark ?? '',
  });
  await writeAudit(tx, {
    ...(caller ? { caller } : {}),
    action: told.action,
    entity: VISIT_ENTITY,
    entityId: visitId,
    before: { state: told.from ?? null },
    after: { state: told.to, remark: told.remark ?? '' },
  });
}

/** Moves the order of a visit, with its timeline; `code` is one of order-events.rules.ts. */
export async function moveOrder(
  { tx, caller }: Acting,
  order: VisitOrder,
  move: {
    readonly to: string;
    readonly code: number;
    readonly action: string;
    readonly remark?: string;
    readonly set?: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  const ends = move.to === 'completed' && order.state !== 'completed';
  await run(
    tx,
    `UPDATE sales_order SET state = $2, completed_at = CASE WHEN $3 THEN clock_timestamp() ELSE completed_at END,
            version = version + 1, updated_at = now() WHERE id = $1`,
    [order.id, move.to, ends],
  );
  await recordOrderChange(tx, {
    orderId: order.id,
    code: move.code,
    who: caller?.name ?? SYSTEM_NAME,
    action: move.action,
    from: order.state,
    to: move.to,
    remark: move.remark ?? '',
    ...(caller ? { caller } : {}),
  });
}

/** A time as messages and remarks write it. */
export function timeText(time: Date): string {
  return businessTimeText(time).slice(0, 16);
}

/** Tells the customer of a visit. */
export async function tellMember(tx: Tx, visit: Pick<Visit, 'contact_phone'>, body: string): Promise<void> {
  await queueSms(tx, { phone: visit.contact_phone, purpose: VISIT_SMS, body, params: { text: body } });
}

/** Tells a person who visits. */
export async function tellPerson(tx: Tx, personId: number | null, body: string): Promise<void> {
  if (personId === null) return;
  const person = await runOne<{ phone: string }>(tx, 'SELECT phone FROM service_person WHERE id = $1', [
    personId,
  ]);
  if (person) await queueSms(tx, { phone: person.phone, purpose: VISIT_SMS, body, params: { text: body } });
}

/** Six digits the customer shows at the door; what is stored of them proves nothing without the product's key. */
export function newVerifyCode(platform: Platform, visitId: number): { code: string; hash: string } {
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  return { code, hash: verifyHash(platform, visitId, code) };
}

/** What is stored of a code. */
export function verifyHash(platform: Platform, visitId: number, code: string): string {
  return createHmac('sha256', platform.config.secretKey)
    .update(`visit-code\n${visitId}\n${code}`)
    .digest('base64url');
}
