import type { Label } from '../../kernel/contract/label.ts';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { bookTransfer } from '../points-ledger/ledger-book.server.ts';
import { splitPart } from './receivable.rules.ts';
import { lockReceivables, owedCharges, setMoney } from './receivable.server.ts';

/** Other halves of what is booked with prepaid money: what came in and what receivables took. */
type Counter = 'receipt_received' | 'receipt_settled';

/** SQL of the prepaid balance of a payer with the company that runs a project, by the columns that name them. */
export const prepaidSql = (payer: string, project: string): string =>
  `coalesce((SELECT l.balance FROM ledger_account l WHERE l.kind = 'life_prepaid' AND l.owner = prepaid_owner(${payer}, ${project}) AND l.unit = 'fen'), 0)::bigint`;

const CHANGED: Label = ['应收余额已变化，请重新分配', 'Balance changed; allocate again'];

/** A receipt row as the action function hands it over. */
export interface ReceiptRow {
  readonly id: number;
  readonly payer_id: number;
  readonly method: string;
  /** Fen. */
  readonly amount: number;
}

/**
 * Confirms a locked receipt: its proposal becomes final, each part at most what its line owes at this moment, the rest goes to
 * the payer's prepaid account. Returns columns of the receipt. Throws 30101 when a balance shrank meanwhile. `order`: what is paid
 * first inside a line.
 */
export async function confirmReceipt(
  tx: Tx,
  receipt: ReceiptRow,
  order: 'principal_first' | 'charges_first',
  staffId: number | null,
): Promise<{ readonly allocated: number; readonly to_prepaid: number }> {
  const proposed = await run<{ id: number; receivable_id: number; amount: number }>(
    tx,
    'SELECT id, receivable_id, amount FROM receipt_allocation WHERE receipt_id = $1 ORDER BY receivable_id',
    [receipt.id],
  );
  const lines = await lockReceivables(
    tx,
    proposed.map((one) => one.receivable_id),
  );
  let allocated = 0;
  for (const one of proposed) {
    const line = lines.find((row) => row.id === one.receivable_id)!;
    const balance = line.principal + line.charges - line.received;
    if (line.payer_id !== receipt.payer_id || line.state === 'void' || one.amount > balance)
      throw ruleBroken(CHANGED);
    const charge = await owedCharges(tx, line);
    const parts = splitPart(one.amount, { charge, principal: balance - charge }, order);
    await run(tx, 'UPDATE receipt_allocation SET principal = $2, charge = $3 WHERE id = $1', [
      one.id,
      parts.principal,
      parts.charge,
    ]);
    const state = await setMoney(tx, line, { received: line.received + one.amount });
    if (line.state === 'written_off') await tellRecovered(tx, line.id, state, one.amount);
    allocated += one.amount;
  }
  const rest = receipt.amount - allocated;
  if (rest < 0) throw ruleBroken(CHANGED);
  if (receipt.method === 'prepaid') {
    if (rest > 0) throw ruleBroken(['余额抵扣须全部分配', 'A deduction is allocated whole']);
    await movePrepaid(tx, receipt, 'settle', -receipt.amount, staffId);
    return { allocated, to_prepaid: 0 };
  }
  if (rest > 0) await movePrepaid(tx, receipt, 'prepaid', rest, staffId);
  return { allocated, to_prepaid: rest };
}

/**
 * Takes a confirmed receipt back: a second one with the amount taken away, its parts given back by the lines, its prepaid part by
 * the account. Returns the id of the second. Throws 30101 when the prepaid part is already spent.
 */
export async function reverseReceipt(
  tx: Tx,
  receipt: ReceiptRow & { readonly to_prepaid: number; readonly allocated: number },
  code: string,
  staffId: number | null,
  reason: string,
): Promise<number> {
  const parts = await run<{ receivable_id: number; amount: number; principal: number; charge: number }>(
    tx,
    'SELECT receivable_id, amount, principal, charge FROM receipt_allocation WHERE receipt_id = $1 ORDER BY receivable_id',
    [receipt.id],
  );
  const lines = await lockReceivables(
    tx,
    parts.map((one) => one.receivable_id),
  );
  // Behind the locks, which whoever pays an order back holds too.
  const back = await runOne(
    tx,
    `SELECT FROM package_refund WHERE receipt_id = $1
     UNION ALL SELECT FROM refund_part p JOIN refund f ON f.id = p.refund_id WHERE p.receipt_id = $1 AND f.state <> 'cancelled' LIMIT 1`,
    [receipt.id],
  );
  if (back) throw ruleBroken(['该收款已有退款，不能冲销', 'Part of it was paid back, it is not reversed']);
  const made = await runOne<{ id: number }>(
    tx,
    `INSERT INTO receipt (code, payer_id, project_id, method, amount, received_on, payer_name, bank, note, state, allocated, to_prepaid,
       recorder_id, confirmer_id, confirmed_at, reversal_of, created_by, updated_by)
     SELECT $2, payer_id, project_id, method, -amount, (now() AT TIME ZONE 'Asia/Shanghai')::date, payer_name, bank, $4, 'confirmed', -allocated, -to_prepaid,
       $3, $3, now(), id, $3, $3 FROM receipt WHERE id = $1 RETURNING id`,
    [receipt.id, code, staffId, reason],
  );
  for (const part of parts) {
    const line = lines.find((row) => row.id === part.receivable_id)!;
    await run(
      tx,
      'INSERT INTO receipt_allocation (receipt_id, receivable_id, amount, principal, charge) VALUES ($1, $2, $3, $4, $5)',
      [made!.id, part.receivable_id, -part.amount, -part.principal, -part.charge],
    );
    await setMoney(tx, line, { received: line.received - part.amount });
  }
  const reversal = { id: made!.id };
  if (receipt.method === 'prepaid') await movePrepaid(tx, reversal, 'settle', receipt.amount, staffId);
  // A deduction has a prepaid part too once its receivable was lowered.
  if (receipt.to_prepaid > 0) await movePrepaid(tx, reversal, 'prepaid', -receipt.to_prepaid, staffId);
  return made!.id;
}

/**
 * Changes what a receivable asks for by its source document: a charge of kind adjustment. What had been received above the new
 * amount moves from its youngest receipts to the payer's prepaid account. Throws 30101 for more than the line asks for.
 * Source: group 17, negative adjustments.
 */
export async function adjustReceivable(
  tx: Tx,
  id: number,
  change: { readonly amount: number; readonly note: string; readonly staffId: number | null },
): Promise<void> {
  // Receipts are locked before lines, as by those who confirm and reverse them.
  await run(
    tx,
    'SELECT FROM receipt WHERE id IN (SELECT receipt_id FROM receipt_allocation WHERE receivable_id = $1) ORDER BY id FOR UPDATE',
    [id],
  );
  const [line] = await lockReceivables(tx, [id]);
  const total = line!.principal + line!.charges + change.amount;
  if (line!.state === 'void' || line!.state === 'written_off' || total < 0)
    throw ruleBroken([
      '应收已结束或余额不足，不能调整',
      'The receivable is over, or asks for less than that',
    ]);
  const charge = await runOne<{ id: number }>(
    tx,
    `INSERT INTO receivable_charge (receivable_id, kind, amount, note, created_by) VALUES ($1, 'adjustment', $2, left($3, 200), $4) RETURNING id`,
    [id, change.amount, change.note, change.staffId],
  );
  const above = Math.max(0, line!.received - total);
  await setMoney(tx, line!, { charges: line!.charges + change.amount, received: line!.received - above });
  let rest = above;
  const parts = await run<{
    id: number;
    receipt_id: number;
    amount: number;
    charge: number;
  }>(
    tx,
    `SELECT a.id, a.receipt_id, a.amount, a.charge FROM receipt_allocation a JOIN receipt r ON r.id = a.receipt_id
      WHERE a.receivable_id = $1 AND r.state = 'confirmed' AND a.amount > 0 AND NOT EXISTS (SELECT FROM receipt x WHERE x.reversal_of = r.id)
      ORDER BY r.confirmed_at DESC, r.id DESC`,
    [id],
  );
  for (const part of parts) {
    const moved = Math.min(rest, part.amount);
    if (moved <= 0) break;
    rest -= moved;
    const ofCharge = Math.min(moved, part.charge);
    if (moved === part.amount) await run(tx, 'DELETE FROM receipt_allocation WHERE id = $1', [part.id]);
    else
      await run(
        tx,
        'UPDATE receipt_allocation SET amount = amount - $2, charge = charge - $3, principal = principal - $4 WHERE id = $1',
        [part.id, moved, ofCharge, moved - ofCharge],
      );
    await run(
      tx,
      'UPDATE receipt SET allocated = allocated - $2, to_prepaid = to_prepaid + $2, version = version + 1, updated_at = now() WHERE id = $1',
      [part.receipt_id, moved],
    );
    await movePrepaid(
      tx,
      { id: part.receipt_id },
      'prepaid',
      moved,
      change.staffId,
      `adjusted:${charge!.id}`,
    );
    await writeTimeline(tx, {
      entity: 'receipt',
      entityId: part.receipt_id,
      action: 'adjust',
      label: ['应收调整，转入预存', 'The receivable was lowered: moved to the prepaid account'],
      remark: `${line!.code} ${yuanFromFen(moved)}`,
    });
  }
  if (rest > 0) throw new Error(`receivable ${id}: receipts give less than was received`);
}

/** Gives money back to the prepaid account a receipt took it from; once per source. */
export async function creditPrepaid(
  tx: Tx,
  receiptId: number,
  source: { readonly type: string; readonly id: string },
  amount: number,
  staffId: number | null,
): Promise<void> {
  await bookPrepaid(tx, receiptId, { ...source, purpose: 'settle' }, 'settle', amount, staffId);
}

const SPENT: Label = ['预存余额不足', 'Not enough prepaid balance'];

/** Moves the prepaid account of a payer by an amount that came in or went out, or that receivables took or gave back. */
async function movePrepaid(
  tx: Tx,
  receipt: Pick<ReceiptRow, 'id'>,
  purpose: 'prepaid' | 'settle',
  amount: number,
  staffId: number | null,
  // What is booked once per receipt, where it is more than its confirmation.
  mark = '',
): Promise<void> {
  const source = { type: 'receipt', id: String(receipt.id), purpose: mark ? `${purpose}:${mark}` : purpose };
  await bookPrepaid(tx, receipt.id, source, purpose, amount, staffId);
}

async function bookPrepaid(
  tx: Tx,
  receiptId: number,
  source: { readonly type: string; readonly id: string; readonly purpose: string },
  against: 'prepaid' | 'settle',
  amount: number,
  staffId: number | null,
): Promise<void> {
  const { owner } = (await runOne<{ owner: string }>(
    tx,
    'SELECT prepaid_owner(payer_id, project_id) AS owner FROM receipt WHERE id = $1',
    [receiptId],
  ))!;
  await run(
    tx,
    `INSERT INTO ledger_account (kind, owner, unit, balance) VALUES ('life_prepaid', $1, 'fen', 0) ON CONFLICT (kind, owner, unit) DO NOTHING`,
    [owner],
  );
  const account = await runOne<{ id: number; balance: number }>(
    tx,
    `SELECT id, balance FROM ledger_account WHERE kind = 'life_prepaid' AND owner = $1 AND unit = 'fen' FOR UPDATE`,
    [owner],
  );
  if (account!.balance + amount < 0) throw ruleBroken(SPENT);
  await bookTransfer(
    tx,
    source,
    'fen',
    [
      { account: account!.id, amount },
      {
        account: await counter(tx, against === 'prepaid' ? 'receipt_received' : 'receipt_settled'),
        amount: -amount,
      },
    ],
    { staffId: staffId ?? undefined },
  );
}

async function counter(tx: Tx, kind: Counter): Promise<number> {
  const row = await runOne<{ id: number }>(
    tx,
    `WITH made AS (INSERT INTO ledger_account (kind, owner, unit, may_be_negative) VALUES ($1, '', 'fen', true)
       ON CONFLICT (kind, owner, unit) DO NOTHING RETURNING id)
     SELECT id FROM made UNION ALL SELECT id FROM ledger_account WHERE kind = $1 AND owner = '' AND unit = 'fen' LIMIT 1`,
    [kind],
  );
  if (row) return row.id;
  return (await runOne<{ id: number }>(
    tx,
    `SELECT id FROM ledger_account WHERE kind = $1 AND owner = '' AND unit = 'fen'`,
    [kind],
  ))!.id;
}

/** Money for what was written off: said in its timeline by the caller's confirmation. */
async function tellRecovered(tx: Tx, receivableId: number, to: string, amount: number): Promise<void> {
  await writeTimeline(tx, {
    entity: 'receivable',
    entityId: receivableId,
    action: 'recover',
    label: ['坏账收回', 'Recovered'],
    from: 'written_off',
    to,
    remark: yuanFromFen(amount),
  });
}
