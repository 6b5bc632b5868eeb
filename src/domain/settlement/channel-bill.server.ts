import { addDays } from '../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { matchDay, nearMidnight, type Ours, type Theirs } from './match.rules.ts';

/** A row of a channel's file, in fen. */
export interface BillRow {
  readonly type: 'pay' | 'refund';
  readonly tradeNo: string;
  readonly ourNo: string;
  readonly amount: number;
  readonly fee: number;
  readonly at: Date;
}

/** A bill that came in. */
export interface BillFile {
  readonly code: () => Promise<string>;
  readonly channel: 1 | 2;
  readonly accountId: number;
  readonly date: string;
  readonly rows: readonly BillRow[];
  readonly sha256: string;
  readonly fileName: string;
  readonly source: 'pull' | 'upload';
  readonly edgeMinutes: number;
}

/** Account a payment `p` counts for: that it was paid into, else the built-in one of its channel. */
const ACCOUNT = `coalesce(p.payee_account_id, (SELECT y.id FROM payee_account y WHERE y.built_in AND y.channel = CASE p.channel WHEN 1 THEN 'alipay' ELSE 'wechat' END ORDER BY y.id LIMIT 1))`;
const OURS = `SELECT 'pay' AS type, p.id, p.trade_no AS "tradeNo", p.checkout_code AS "ourNo", p.amount, p.paid_at AS at, p.channel, ${ACCOUNT} AS account
    FROM payment p WHERE p.state = 2 AND p.channel IN (1, 2) AND p.trade_no IS NOT NULL AND p.amount > 0
  UNION ALL
  SELECT 'refund', r.id, p.trade_no, r.channel_refund_no, r.cash, r.succeeded_at, p.channel, ${ACCOUNT}
    FROM refund r JOIN payment p ON p.id = r.payment_id
   WHERE r.state = 'succeeded' AND r.way = 'origin' AND r.cash > 0 AND p.channel IN (1, 2) AND p.trade_no IS NOT NULL`;

/** Takes a bill in, once, and matches it; its neighbours' rows near midnight are looked for in it. Returns the bill's id. */
export async function importBill(tx: Tx, file: BillFile): Promise<number> {
  await run(tx, 'SELECT pg_advisory_xact_lock(7313, $1)', [file.accountId]);
  const known = await runOne<{ id: number; state: string }>(
    tx,
    `SELECT id, state FROM channel_bill WHERE sha256 = $1 OR (channel = $2 AND payee_account_id = $3 AND bill_date = $4 AND state NOT IN ('awaiting', 'failed'))`,
    [file.sha256, file.channel, file.accountId, file.date],
  );
  if (known) throw ruleBroken(['该账单已导入', 'Bill already imported']);
  const bill = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO channel_bill (code, channel, payee_account_id, bill_date, state, sha256, file_name, source, imported_at)
     VALUES ($1, $2, $3, $4, 'imported', $5, $6, $7, now())
     ON CONFLICT (channel, payee_account_id, bill_date) DO UPDATE SET state = 'imported', sha256 = excluded.sha256, file_name = excluded.file_name,
       source = excluded.source, imported_at = now(), error = '', version = channel_bill.version + 1, updated_at = now() RETURNING id`,
    [await file.code(), file.channel, file.accountId, file.date, file.sha256, file.fileName, file.source],
  ))!;
  await run(
    tx,
    `INSERT INTO channel_bill_row (bill_id, type, trade_no, our_no, amount, fee, at)
     SELECT $1, r.type, r."tradeNo", r."ourNo", r.amount, r.fee, r.at
       FROM jsonb_to_recordset($2::jsonb) AS r (type text, "tradeNo" text, "ourNo" text, amount bigint, fee bigint, at timestamptz)`,
    [bill.id, JSON.stringify(file.rows)],
  );
  await matchBill(tx, bill.id, file.edgeMinutes);
  return bill.id;
}

/** Notes that an account had payments or refunds on a day of which no bill has come; false where there were none, or one came. */
export async function awaitBill(
  tx: Tx,
  day: {
    readonly channel: 1 | 2;
    readonly accountId: number;
    readonly date: string;
    readonly code: () => Promise<string>;
  },
): Promise<boolean> {
  const ours = await runOne(
    tx,
    `SELECT FROM (${OURS}) o WHERE o.channel = $1 AND o.account = $2 AND (o.at AT TIME ZONE 'Asia/Shanghai')::date = $3::date
        AND NOT EXISTS (SELECT FROM channel_bill b WHERE b.channel = $1 AND b.payee_account_id = $2 AND b.bill_date = $3::date) LIMIT 1`,
    [day.channel, day.accountId, day.date],
  );
  if (!ours) return false;
  const bill = await runOne<{ id: number }>(
    tx,
    `INSERT INTO channel_bill (code, channel, payee_account_id, bill_date, state) VALUES ($1, $2, $3, $4, 'awaiting')
     ON CONFLICT (channel, payee_account_id, bill_date) DO NOTHING RETURNING id`,
    [await day.code(), day.channel, day.accountId, day.date],
  );
  if (bill) await sumUp(tx, bill.id);
  return bill !== undefined;
}

interface Bill {
  readonly id: number;
  readonly channel: number;
  readonly account: number;
  readonly date: string;
}

/** Matches a bill anew; what somebody has handled, holds or has handed in stays as it is. */
export async function matchBill(tx: Tx, billId: number, edgeMinutes: number): Promise<void> {
  const bill = (await runOne<Bill>(
    tx,
    'SELECT id, channel, payee_account_id AS account, bill_date::text AS date FROM channel_bill WHERE id = $1 FOR UPDATE',
    [billId],
  ))!;
  await run(
    tx,
    `DELETE FROM reconciliation WHERE bill_id = $1 AND state IN ('none', 'waiting', 'open') AND crossed_with IS NULL
        AND NOT EXISTS (SELECT FROM reconciliation x WHERE x.crossed_with = reconciliation.id)`,
    [billId],
  );
  const ours = await oursOf(tx, bill, bill.date, bill.date);
  const theirs = await run<Theirs>(
    tx,
    `SELECT b.id AS "rowId", b.type, b.trade_no AS "tradeNo", b.our_no AS "ourNo", b.amount, b.fee, b.at FROM channel_bill_row b
      WHERE b.bill_id = $1 AND NOT EXISTS (SELECT FROM reconciliation x WHERE x.bill_row_id = b.id) ORDER BY b.id`,
    [billId],
  );
  const rows = matchDay(ours, theirs, nearMidnight(edgeMinutes));
  const beside = await oursOf(tx, bill, addDays(bill.date, -1), addDays(bill.date, 1), bill.date);
  for (const { result, ours: mine, theirs: row } of rows) {
    if (result === 'only_channel' && row) {
      const near = beside.find(
        (one) =>
          one.type === row.type &&
          one.amount === row.amount &&
          (row.type === 'pay' ? one.tradeNo === row.tradeNo : one.ourNo === row.ourNo),
      );
      if (near) {
        await takeOver(tx, bill, near, row);
        continue;
      }
    }
    const state = result === 'matched' ? 'none' : result === 'cross_day' ? 'waiting' : 'open';
    await insertRow(tx, bill.id, mine, row, result, state);
  }
  await sumUp(tx, bill.id);
  await settleNeighbours(tx, bill);
  await settleState(tx, bill.id);
}

/** Rows of ours of some days that no row of a bill answers yet and no handled one names. */
async function oursOf(db: Executor, bill: Bill, from: string, to: string, except = ''): Promise<Ours[]> {
  return run<Ours>(
    db,
    `SELECT o.type, o.id, o."tradeNo", o."ourNo", o.amount, o.at FROM (${OURS}) o
      WHERE o.channel = $1 AND o.account = $2 AND (o.at AT TIME ZONE 'Asia/Shanghai')::date BETWEEN $3::date AND $4::date
        AND ($5 = '' OR (o.at AT TIME ZONE 'Asia/Shanghai')::date <> nullif($5, '')::date)
        AND NOT EXISTS (SELECT FROM reconciliation x WHERE (CASE o.type WHEN 'pay' THEN x.payment_id ELSE x.refund_id END) = o.id
          AND (x.bill_row_id IS NOT NULL OR (x.bill_id = $6 AND x.state IN ('held', 'to_check', 'handled'))))
      ORDER BY o.at, o.id`,
    [bill.channel, bill.account, from, to, except, bill.id],
  );
}

async function insertRow(
  tx: Tx,
  billId: number,
  mine: Ours | undefined,
  row: Theirs | undefined,
  result: string,
  state: string,
): Promise<number> {
  const either = (mine ?? row)!;
  const made = await runOne<{ id: number }>(
    tx,
    `INSERT INTO reconciliation (bill_id, bill_row_id, type, payment_id, refund_id, trade_no, our_no, our_amount, our_at, their_amount, their_at, fee, result, state)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING id`,
    [
      billId,
      row?.rowId ?? null,
      either.type,
      mine?.type === 'pay' ? mine.id : null,
      mine?.type === 'refund' ? mine.id : null,
      row?.tradeNo ?? either.tradeNo,
      mine?.ourNo ?? either.ourNo,
      mine?.amount ?? null,
      mine?.at ?? null,
      row?.amount ?? null,
      row?.at ?? null,
      row?.fee ?? 0,
      result,
      state,
    ],
  );
  return made!.id;
}

/** The channel has on this day what we have on the day beside it: both rows know each other, nothing is open. */
async function takeOver(tx: Tx, bill: Bill, mine: Ours, row: Theirs): Promise<void> {
  const id = await insertRow(tx, bill.id, mine, row, 'cross_day', 'none');
  const other = await runOne<{ id: number; bill_id: number }>(
    tx,
    `UPDATE reconciliation SET result = 'cross_day', state = 'none', crossed_with = $2, version = version + 1, updated_at = now()
      WHERE (CASE $3 WHEN 'pay' THEN payment_id ELSE refund_id END) = $1 AND bill_row_id IS NULL AND bill_id <> $4 AND state <> 'handled' RETURNING id, bill_id`,
    [mine.id, id, mine.type, bill.id],
  );
  if (!other) return;
  await run(tx, 'UPDATE reconciliation SET crossed_with = $2 WHERE id = $1', [id, other.id]);
  await settleState(tx, other.bill_id);
}

/** Rows near midnight that neither neighbour has are ours only once the neighbour they would stand in has come. */
async function settleNeighbours(tx: Tx, bill: Bill): Promise<void> {
  const bills = await run<{ id: number }>(
    tx,
    `UPDATE reconciliation r SET result = 'only_ours', state = 'open', version = r.version + 1, updated_at = now()
       FROM channel_bill b
      WHERE b.id = r.bill_id AND b.channel = $1 AND b.payee_account_id = $2 AND b.bill_date BETWEEN $3::date - 1 AND $3::date + 1
        AND r.state = 'waiting' AND r.bill_row_id IS NULL
        AND EXISTS (SELECT FROM channel_bill n WHERE n.channel = b.channel AND n.payee_account_id = b.payee_account_id AND n.state NOT IN ('awaiting', 'failed')
          AND n.bill_date = b.bill_date + CASE WHEN extract(hour FROM r.our_at AT TIME ZONE 'Asia/Shanghai') < 12 THEN -1 ELSE 1 END)
      RETURNING b.id`,
    [bill.channel, bill.account, bill.date],
  );
  for (const id of new Set(bills.map((one) => one.id))) await settleState(tx, id);
}

async function sumUp(tx: Tx, billId: number): Promise<void> {
  await run(
    tx,
    `UPDATE channel_bill b SET their_count = x.n, their_amount = x.amount, fee = x.fee, our_count = y.n, our_amount = y.amount
       FROM (SELECT count(*) AS n, coalesce(sum(CASE type WHEN 'pay' THEN amount ELSE -amount END), 0) AS amount, coalesce(sum(fee), 0) AS fee FROM channel_bill_row WHERE bill_id = $1) x,
            (SELECT count(*) AS n, coalesce(sum(CASE o.type WHEN 'pay' THEN o.amount ELSE -o.amount END), 0) AS amount FROM (${OURS}) o JOIN channel_bill c ON c.id = $1
              WHERE o.channel = c.channel AND o.account = c.payee_account_id AND (o.at AT TIME ZONE 'Asia/Shanghai')::date = c.bill_date) y
      WHERE b.id = $1`,
    [billId],
  );
}

/** A bill is in order when nothing of it is open; a closed one stays closed. */
export async function settleState(tx: Tx, billId: number): Promise<void> {
  await run(
    tx,
    `UPDATE channel_bill b SET version = version + 1, updated_at = now(),
        state = CASE WHEN EXISTS (SELECT FROM reconciliation r WHERE r.bill_id = b.id AND r.state IN ('open', 'to_check')) THEN 'differences' ELSE 'balanced' END
      WHERE b.id = $1 AND b.state IN ('imported', 'balanced', 'differences')`,
    [billId],
  );
}
