import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { stateOf, type ReceivableState, type SOURCES } from './receivable.rules.ts';

/** A receivable as the commands lock it; amounts are fen. */
export interface LockedReceivable {
  readonly id: number;
  readonly code: string;
  readonly payer_id: number;
  readonly project_id: number;
  readonly principal: number;
  readonly charges: number;
  readonly received: number;
  readonly state: ReceivableState;
  readonly due_on: string;
}

/** What a new receivable says. */
export interface NewReceivable {
  readonly source: keyof typeof SOURCES;
  /** Absent for what is typed in. */
  readonly sourceId?: number;
  readonly sourceCode?: string;
  readonly payerId: number;
  readonly projectId: number;
  /** 1 and up; once per source. */
  readonly periodNo?: number;
  readonly period?: readonly [from: string, to: string];
  /** Business days. */
  readonly postedOn: string;
  readonly dueOn: string;
  /** Fen above 0. */
  readonly principal: number;
  readonly remark?: string;
  readonly ownerId?: number | null;
  readonly staffId?: number | null;
}

/** Issues a receivable once per source and period: a repeat gives the one that stands. Returns its id. */
export async function issueReceivable(tx: Tx, what: NewReceivable): Promise<number> {
  const made = await runOne<{ id: number }>(
    tx,
    `INSERT INTO receivable (code, source_kind, source_id, source_code, payer_id, project_id, period_no, period_from, period_to, posted_on, due_on,
       principal, owner_id, created_by, updated_by, remark)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, $15) ON CONFLICT (source_kind, source_id, period_no) DO NOTHING RETURNING id`,
    [
      await nextCode(tx, 'AR'),
      what.source,
      what.sourceId ?? null,
      what.sourceCode ?? '',
      what.payerId,
      what.projectId,
      what.periodNo ?? 1,
      what.period?.[0] ?? null,
      what.period?.[1] ?? null,
      what.postedOn,
      what.dueOn,
      what.principal,
      what.ownerId ?? null,
      what.staffId ?? null,
      what.remark ?? '',
    ],
  );
  return (
    made ??
    (await runOne<{ id: number }>(
      tx,
      'SELECT id FROM receivable WHERE source_kind = $1 AND source_id = $2 AND period_no = $3',
      [what.source, what.sourceId, what.periodNo ?? 1],
    ))!
  ).id;
}

/** Locks receivables in id order, so that two receipts never wait for each other in turn. */
export async function lockReceivables(tx: Tx, ids: readonly number[]): Promise<readonly LockedReceivable[]> {
  return run<LockedReceivable>(
    tx,
    `SELECT id, code, payer_id, project_id, principal, charges, received, state, due_on::text AS due_on FROM receivable
      WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE`,
    [ids],
  );
}

/** Writes the money of a locked receivable and the state that follows from it. */
export async function setMoney(
  tx: Tx,
  row: LockedReceivable,
  to: { readonly charges?: number; readonly received?: number },
): Promise<ReceivableState> {
  const charges = to.charges ?? row.charges;
  const received = to.received ?? row.received;
  const state = stateOf(received, row.principal + charges);
  await run(
    tx,
    'UPDATE receivable SET charges = $2, received = $3, state = $4, version = version + 1, updated_at = now() WHERE id = $1',
    [row.id, charges, received, state],
  );
  return state;
}

/** Takes part of the charges of a line off; principal is never waived. Throws 30101 above what charges are still owed. */
export async function waiveCharges(
  tx: Tx,
  id: number,
  waived: { readonly amount: number; readonly reason: string; readonly staffId: number | null },
): Promise<void> {
  const [row] = await lockReceivables(tx, [id]);
  const most = await owedCharges(tx, row!);
  if (waived.amount > most)
    throw ruleBroken(['减免不能超过未收费用', 'More than the charges that are still owed']);
  await run(
    tx,
    `INSERT INTO receivable_charge (receivable_id, kind, amount, note, created_by) VALUES ($1, 'waiver', $2, $3, $4)`,
    [id, -waived.amount, waived.reason, waived.staffId],
  );
  await setMoney(tx, row!, { charges: row!.charges - waived.amount });
}

/** Charges of a line that no receipt paid yet, in fen. */
export async function owedCharges(
  db: Executor,
  row: Pick<LockedReceivable, 'id' | 'charges'>,
): Promise<number> {
  const paid = await runOne<{ charge: number }>(
    db,
    `SELECT coalesce(sum(a.charge), 0)::bigint AS charge FROM receipt_allocation a JOIN receipt r ON r.id = a.receipt_id
      WHERE a.receivable_id = $1 AND r.state = 'confirmed'`,
    [row.id],
  );
  return Math.max(0, row.charges - paid!.charge);
}

const SETTLED: Label = ['已有收款或已结束，不能作废', 'Money came in for it, or it is over'];

/** Voids what nothing came in for. Throws 30101 otherwise. */
export async function voidReceivables(tx: Tx, ids: readonly number[]): Promise<void> {
  for (const row of await lockReceivables(tx, ids)) {
    if (row.received !== 0 || !['open', 'part'].includes(row.state)) throw ruleBroken(SETTLED);
    await run(
      tx,
      `UPDATE receivable SET state = 'void', version = version + 1, updated_at = now() WHERE id = $1`,
      [row.id],
    );
  }
}

/**
 * Ends the receivables of a source that is over: what nothing came in for is void, of the others only what was received stays.
 * Lines without a rest are left alone.
 */
export async function endReceivables(
  tx: Tx,
  of: { readonly source: string; readonly sourceId: number },
  why: { readonly note: string; readonly staffId: number | null },
): Promise<void> {
  const open = await run<{ id: number }>(
    tx,
    `SELECT id FROM receivable WHERE source_kind = $1 AND source_id = $2 AND state IN ('open', 'part') ORDER BY id`,
    [of.source, of.sourceId],
  );
  const ids = open.map((one) => one.id);
  for (const row of await lockReceivables(tx, ids)) {
    if (row.state === 'open') await voidReceivables(tx, [row.id]);
    if (row.state !== 'part') continue;
    const rest = row.principal + row.charges - row.received;
    await run(
      tx,
      `INSERT INTO receivable_charge (receivable_id, kind, amount, note, created_by) VALUES ($1, 'adjustment', $2, $3, $4)`,
      [row.id, -rest, why.note, why.staffId],
    );
    await setMoney(tx, row, { charges: row.charges - rest });
  }
}

/**
 * Changes what an unpaid line of a source asks for, after the price of the source changed: what came in stays, nothing left to ask
 * for voids it, a void one may ask again. Throws 30101 below what came in and for a line that is over.
 */
export async function repriceReceivable(tx: Tx, id: number, principal: number): Promise<void> {
  const [row] = await lockReceivables(tx, [id]);
  if (row!.state === 'written_off' || row!.state === 'paid' || principal + row!.charges < row!.received)
    throw ruleBroken(SETTLED);
  if (principal === 0 && row!.received === 0) {
    if (row!.state !== 'void') await voidReceivables(tx, [id]);
    return;
  }
  await run(
    tx,
    'UPDATE receivable SET principal = $2, state = $3, version = version + 1, updated_at = now() WHERE id = $1',
    [id, principal, stateOf(row!.received, principal + row!.charges)],
  );
}

/** Tells open pages that receivables and receipts moved. */
export function tellReceivables(platform: Platform): void {
  for (const name of ['receivable', 'receipt']) platform.changed(name);
}
