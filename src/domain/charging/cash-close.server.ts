import type { Label } from '../../kernel/contract/label.ts';
import { businessDayOf } from '../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { recheckGifts } from '../payment-gift/payment-gift.server.ts';
import { recheckRebate } from '../rebate/rebate.server.ts';
import { readBills, takeAllocationsBack, type PrepaidKind, type TakenBack } from './bill-record.server.ts';
import type { Day } from './calendar.rules.ts';
import { reverseDiscount } from './discount.server.ts';
import { bookPayment, lockPrepaid } from './prepaid.server.ts';

/** First key of the advisory locks of a cashier's day: closing and collecting take turns. */
const DAY_LOCK = 8_206;

/** Takes turns with everything else a cashier does in a project until the transaction ends. */
export function lockDay(tx: Tx, cashierId: number, projectId: number): Promise<unknown> {
  return run(tx, 'SELECT pg_advisory_xact_lock($1, hashtext($2))', [DAY_LOCK, `${cashierId}:${projectId}`]);
}

/** Refuses what would change one of some days a cashier closed in a project. Source: group 06, cs_propertyBill, Daily close. */
export async function requireOpenDay(
  tx: Tx,
  cashierId: number,
  projectId: number,
  days: readonly Day[],
  refusal: Label = ['当日已日结', 'The day is closed'],
): Promise<void> {
  await lockDay(tx, cashierId, projectId);
  const closed = await runOne(
    tx,
    `SELECT 1 FROM cash_close WHERE cashier_id = $1 AND project_id = $2 AND day = ANY($3::date[]) AND state = 'closed'`,
    [cashierId, projectId, days],
  );
  if (closed) throw ruleBroken(refusal);
}

/** What a cashier took in on a day by channel, in fen, without what was voided and less what was paid back. */
export interface DayTakings {
  readonly receipts: number;
  readonly voids: number;
  readonly cash: number;
  readonly pos: number;
  readonly transfer: number;
}

/** Takings of a cashier's day in a project. */
export async function takingsOf(
  db: Executor,
  cashierId: number,
  projectId: number,
  day: Day,
): Promise<DayTakings> {
  const sum = (channel: string) =>
    `coalesce(sum(amount) FILTER (WHERE state = 'valid' AND channel = '${channel}'), 0)::bigint AS ${channel}`;
  return (await runOne<DayTakings>(
    db,
    `SELECT count(*) FILTER (WHERE state = 'valid' AND amount > 0)::integer AS receipts, count(*) FILTER (WHERE state = 'void')::integer AS voids, ${sum('cash')}, ${sum('pos')}, ${sum('transfer')}
       FROM bill_payment WHERE cashier_id = $1 AND project_id = $2 AND paid_on = $3 AND channel <> 'prepaid'`,
    [cashierId, projectId, day],
  ))!;
}

/** A payment as it is taken back. */
export interface VoidedPayment {
  readonly id: number;
  readonly house_id: number;
  readonly project_id: number;
  readonly channel: string;
  readonly amount: number;
  readonly allocated: number;
  readonly to_prepaid: number;
  readonly prepaid_kind: PrepaidKind | null;
}

/**
 * Takes a locked payment back: negative allocations, bills open again, the ledger reversed; its receipt number stays visible.
 * Throws 30101 when what was paid ahead with it is spent.
 */
export async function reversePayment(tx: Tx, payment: VoidedPayment, staffId: number): Promise<void> {
  const parts = await run<TakenBack>(
    tx,
    `SELECT bill_id AS bill, kind, sum(amount)::bigint AS amount, max(value_date)::text AS day FROM bill_allocation WHERE payment_id = $1 GROUP BY 1, 2 HAVING sum(amount) <> 0 ORDER BY 1, 2`,
    [payment.id],
  );
  const lowered = await run<{ bill: number }>(
    tx,
    `SELECT DISTINCT bill_id AS bill FROM bill_line WHERE payment_id = $1`,
    [payment.id],
  );
  await readBills(
    tx,
    [...new Set([...parts, ...lowered].map((one) => one.bill))].sort((a, b) => a - b),
    true,
  );
  await takeAllocationsBack(tx, payment.id, parts);
  await reverseDiscount(tx, payment.id, businessDayOf(new Date()), staffId);
  const accounts = payment.to_prepaid > 0 ? await lockPrepaid(tx, payment.house_id) : undefined;
  if (accounts && accounts[payment.prepaid_kind!].balance < payment.to_prepaid)
    throw ruleBroken(['存入的预存已使用，请走退款', 'What was paid ahead is spent: use a refund']);
  await bookPayment(
    tx,
    { type: 'bill_payment', id: String(payment.id), purpose: 'void' },
    {
      received: -payment.amount,
      settled: -payment.allocated,
      prepaid: accounts ? [{ account: accounts[payment.prepaid_kind!].id, amount: -payment.to_prepaid }] : [],
    },
    staffId,
  );
  await recheckRebate(tx, payment.id);
  await recheckGifts(tx, payment.id);
}
