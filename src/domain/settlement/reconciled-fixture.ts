import { run, runOne, type Db } from '../../kernel/server/database.ts';

/** Lets the channel confirm a payment on a closed day, as an imported bill would: for tests that are about what comes after. */
export async function reconcilePayment(db: Db, paymentId: number): Promise<void> {
  const payee = await runOne<{ id: number }>(
    db,
    `SELECT id FROM payee_account WHERE purpose = 'collect' AND channel = 'alipay' ORDER BY id LIMIT 1`,
  );
  const bill = await runOne<{ id: number }>(
    db,
    `INSERT INTO channel_bill (code, channel, payee_account_id, bill_date, state, imported_at) VALUES ('CB0', 1, $1, '2020-01-01', 'closed', now())
     ON CONFLICT (channel, payee_account_id, bill_date) DO UPDATE SET state = 'closed' RETURNING id`,
    [payee!.id],
  );
  await run(
    db,
    `WITH p AS (SELECT * FROM payment WHERE id = $2), b AS (
       INSERT INTO channel_bill_row (bill_id, type, trade_no, our_no, amount, fee, at) SELECT $1, 'pay', trade_no, checkout_code, amount, fee, paid_at FROM p RETURNING *)
     INSERT INTO reconciliation (bill_id, bill_row_id, type, payment_id, trade_no, our_no, our_amount, our_at, their_amount, their_at, fee, result)
     SELECT $1, b.id, 'pay', $2, b.trade_no, b.our_no, b.amount, b.at, b.amount, b.at, b.fee, 'matched' FROM b`,
    [bill!.id, paymentId],
  );
}
