import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';

/** The refusal of the counter while a payer has the bills. */
const BEING_PAID: Label = ['账单正在线上支付', 'Being paid online'];

/** Refuses (30101) bills that somebody pays online just now. Their rows are locked by the caller. */
export async function requireNotHeld(tx: Tx, billIds: readonly number[]): Promise<void> {
  const held = await runOne(
    tx,
    `SELECT 1 FROM online_bill_hold h JOIN online_bill_order o ON o.id = h.order_id WHERE h.bill_id = ANY($1::bigint[]) AND o.expires_at > now()`,
    [billIds],
  );
  if (held) throw ruleBroken(BEING_PAID);
  // What ran out is let go at once; the job would do it within a minute.
  const out = await run<{ order_id: number }>(
    tx,
    'DELETE FROM online_bill_hold WHERE order_id IN (SELECT h.order_id FROM online_bill_hold h WHERE h.bill_id = ANY($1::bigint[])) RETURNING order_id',
    [billIds],
  );
  if (out.length > 0)
    await run(
      tx,
      `UPDATE online_bill_order SET state = 'expired' WHERE id = ANY($1::bigint[]) AND state = 'held'`,
      [out.map((one) => one.order_id)],
    );
}

/** Which of some bills a payer has just now. */
export async function heldBills(tx: Tx, billIds: readonly number[]): Promise<number[]> {
  const rows = await run<{ bill_id: number }>(
    tx,
    'SELECT h.bill_id FROM online_bill_hold h JOIN online_bill_order o ON o.id = h.order_id WHERE h.bill_id = ANY($1::bigint[]) AND o.expires_at > now()',
    [billIds],
  );
  return rows.map((row) => row.bill_id);
}
