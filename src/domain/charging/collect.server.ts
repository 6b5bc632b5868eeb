import { debtorOf } from './billing.server.ts';
import { businessDayOf } from '../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { allocate, type Allocated, type BillOrder, type WithinOrder } from './allocation.rules.ts';
import type { Day } from './calendar.rules.ts';
import {
  lateFeeNow,
  lateFeesOf,
  openBills,
  postLateFees,
  readBills,
  stateSql,
  type BillRecord,
  type PrepaidKind,
} from './bill-record.server.ts';
import { bookPayment, lockPrepaid, prepaidOf, tooLittle, type PrepaidBalances } from './prepaid.server.ts';
import { discountOffers, NOT_IN_FULL, postDiscount, type DiscountOffer } from './discount.server.ts';
import { heldBills, requireNotHeld } from './online-hold.server.ts';
import { requireOpenDay } from './cash-close.server.ts';
import { requireWay } from './payment-way.server.ts';
import type { LateFee } from './late-fee.rules.ts';
import { noteGifts } from '../payment-gift/payment-gift.server.ts';
import { noteRebate } from '../rebate/rebate.server.ts';

/** Minutes a quote stands. Source: group 06, Rules of charging 9. */
export const QUOTE_MINUTES = 10;
/** How money comes to the counter; `prepaid` takes it from the house's own account. */
export const COUNTER_CHANNELS = ['cash', 'pos', 'transfer', 'prepaid'] as const;
export type CounterChannel = (typeof COUNTER_CHANNELS)[number];

/** What a cashier asks a quote for; without `amount` all that is due. */
export interface QuoteWanted {
  readonly houseId: number;
  readonly billIds: readonly number[];
  readonly valueDate: Day;
  readonly amount?: number | undefined;
  /** Discount rule the payer chose; absent: the one worth most. */
  readonly ruleId?: number | undefined;
}

/** One bill of a quote, in fen. */
export interface QuoteLine {
  readonly billId: number;
  readonly code: string;
  readonly item: string;
  readonly receiptItem: string;
  readonly from: Day;
  readonly to: Day;
  readonly due: Day;
  readonly principal: number;
  readonly lateFee: number;
  readonly discount: number;
  readonly working: Pick<LateFee, 'spans' | 'once' | 'capped'> & { readonly ppm: number };
}

export interface Quote {
  readonly lines: readonly QuoteLine[];
  readonly principal: number;
  readonly lateFee: number;
  /** What the used rule takes off the bills; months that are given are no part of it. */
  readonly discount: number;
  readonly discounts: readonly DiscountOffer[];
  readonly due: number;
  readonly amount: number;
  readonly parts: readonly Allocated[];
  readonly rest: number;
  readonly prepaid: PrepaidBalances;
}

/** How bills are paid, read before the transaction. */
export interface Orders {
  readonly order: BillOrder;
  readonly within: WithinOrder;
  /** Setting `fee.due_days`, for months that are given. */
  readonly dueDays: number;
}

/** How bills of a project are paid, from its settings. */
export async function ordersOf(platform: Platform, projectId: number): Promise<Orders> {
  const [order, within, dueDays] = await Promise.all([
    platform.settings.text('fee.alloc.order', { projectId }),
    platform.settings.text('fee.alloc.within', { projectId }),
    platform.settings.number('fee.due_days', { projectId }),
  ]);
  return { order: order as BillOrder, within: within as WithinOrder, dueDays };
}

/**
 * What bills of a house ask for on a day and how an amount would be spread. The one calculation of page, quote and payment.
 * Throws 30101 for bills of another house, paid or void ones. Source: group 06, Rules of charging 8 and 9.
 */
export async function quoteBills(
  db: Executor,
  wanted: QuoteWanted,
  orders: Orders,
  records?: readonly BillRecord[],
): Promise<Quote> {
  const bills = records ?? (await readBills(db, wanted.billIds));
  if (bills.length !== new Set(wanted.billIds).size || bills.some((one) => one.house_id !== wanted.houseId))
    throw invalid({ billIds: ['账单不存在', 'There is no such bill'] });
  if (bills.some((one) => one.state === 'paid')) throw ruleBroken(PAID);
  if (bills.some((one) => one.state === 'void')) throw ruleBroken(CHANGED);
  const fees = await lateFeesOf(db, bills, wanted.valueDate);
  const asChosen = wanted.billIds.map((id) => bills.find((one) => one.id === id)!);
  const offers =
    bills.length === 0
      ? []
      : await discountOffers(db, {
          houseId: wanted.houseId,
          projectId: bills[0]!.project_id,
          on: wanted.valueDate,
          bills: asChosen,
          dueDays: orders.dueDays,
          ruleId: wanted.ruleId,
        });
  const shares = (used: DiscountOffer | undefined, id: number) =>
    used?.parts.find((one) => one.billId === id)?.amount ?? 0;
  const owedOf = (bill: BillRecord) => {
    const fee = fees.get(bill.id)!;
    return bill.owed_principal + lateFeeNow(bill, fee) - bill.late_fee_waived - bill.paid_late_fee;
  };
  const inFull =
    asChosen.reduce((sum, bill) => sum + owedOf(bill), 0) -
    (offers.find((one) => one.used)?.parts ?? []).reduce((sum, one) => sum + one.amount, 0);
  // A discount is for bills that are paid whole.
  const discounts =
    wanted.amount !== undefined && wanted.amount < inFull
      ? offers.map((one) => (one.used ? { ...one, used: false, reason: NOT_IN_FULL } : one))
      : offers;
  const used = discounts.find((one) => one.used);
  const lines = asChosen.map((bill): QuoteLine => {
    const fee = fees.get(bill.id)!;
    return {
      billId: bill.id,
      code: bill.code,
      item: bill.item,
      receiptItem: bill.receipt_item,
      from: bill.period_from,
      to: bill.period_to,
      due: bill.due_date,
      principal: bill.owed_principal,
      lateFee: lateFeeNow(bill, fee) - bill.late_fee_waived - bill.paid_late_fee,
      discount: shares(used, bill.id),
      working: { spans: fee.spans, once: fee.once, capped: fee.capped, ppm: bill.terms.dailyPpm },
    };
  });
  const sum = (of: (line: QuoteLine) => number) => lines.reduce((all, one) => all + of(one), 0);
  const [principal, lateFee] = [sum((one) => one.principal), sum((one) => one.lateFee)];
  const discount = sum((one) => one.discount);
  const due = principal - discount + lateFee;
  const amount = wanted.amount ?? due;
  const spread = allocate(
    amount,
    lines.map((line) => {
      const bill = bills.find((one) => one.id === line.billId)!;
      return {
        id: bill.id,
        dueDate: bill.due_date,
        kind: bill.kind,
        position: bill.position,
        principal: line.principal - line.discount,
        lateFee: line.lateFee,
      };
    }),
    orders.order,
    orders.within,
  );
  return {
    lines,
    principal,
    lateFee,
    discount,
    discounts,
    due,
    amount,
    parts: spread.parts,
    rest: spread.rest,
    prepaid: await prepaidOf(db, wanted.houseId),
  };
}

/** Keeps a quote for the cashier who asked for it; its id is what is paid. */
export async function keepQuote(
  db: Executor,
  wanted: QuoteWanted,
  quote: Quote,
  staffId: number,
): Promise<string> {
  await run(db, `DELETE FROM bill_quote WHERE expires_at < now() - interval '1 day'`);
  const row = await runOne<{ id: string }>(
    db,
    `INSERT INTO bill_quote (house_id, staff_id, wanted, answer, expires_at) VALUES ($1, $2, $3, $4, now() + make_interval(mins => ${QUOTE_MINUTES})) RETURNING id`,
    [wanted.houseId, staffId, JSON.stringify(wanted), JSON.stringify(promised(quote))],
  );
  return row!.id;
}

/** What a payment must still find as it was quoted. */
export const promised = ({ lines, discounts, amount, parts, rest }: Quote) => {
  const used = discounts.find((one) => one.used);
  return {
    lines: lines.map(({ billId, principal, lateFee, discount }) => ({
      billId,
      principal,
      lateFee,
      discount,
    })),
    // Who used which rule, and which months it gives.
    rule: used
      ? { id: used.ruleId, gifts: used.gifts.map((one) => [one.assignmentId, one.from, one.amount]) }
      : null,
    amount,
    parts,
    rest,
  };
};

/** The refusal of a transfer that has to be confirmed by a second person. */
const SLIP = ['银行转账须上传凭证待确认', 'A transfer is recorded with its slip and confirmed'] as const;
export const PAID = ['账单已缴清', 'Already paid'] as const;
export const CHANGED = [
  '应收金额已变化，请重新确认',
  'The amount due has changed; please confirm again',
] as const;

/** How a quote is paid. Amounts in fen. */
export interface PaymentInput {
  readonly quoteId: string;
  readonly channel: CounterChannel;
  /** What was handed over; the difference to the amount is the change. */
  readonly received: number;
  /** Account that takes what no bill asks for, or that pays under channel prepaid. */
  readonly prepaidKind: PrepaidKind;
  readonly payer: string;
  readonly tradeNo: string;
  readonly remark: string;
  readonly staffId: number;
}

/** A payment that was posted. */
export interface PostedPayment {
  readonly id: number;
  readonly receiptNo: string;
  readonly amount: number;
  readonly toPrepaid: number;
  readonly change: number;
}

/**
 * Pays a quote: locks the bills in id order, calculates anew and refuses what differs from the quote, then writes late fees,
 * payment, allocations, ledger transfer and receipt number in the caller's transaction. A quote is paid once.
 * Source: group 06, Rules of charging 9–11.
 */
export async function payQuote(tx: Tx, orders: Orders, input: PaymentInput): Promise<PostedPayment> {
  const kept = await runOne<{ wanted: QuoteWanted; answer: unknown; live: boolean; project_id: number }>(
    tx,
    `SELECT q.wanted, q.answer, q.expires_at > now() AND NOT EXISTS (SELECT FROM bill_payment p WHERE p.quote_id = q.id) AS live, h.project_id
       FROM bill_quote q JOIN house h ON h.id = q.house_id WHERE q.id = $1 AND q.staff_id = $2 FOR UPDATE OF q`,
    [input.quoteId, input.staffId],
  );
  if (!kept) throw ruleBroken(CHANGED);
  await requireOpenDay(tx, input.staffId, kept.project_id, [today(), kept.wanted.valueDate]);
  const { slip } = await requireWay(tx, kept.project_id, input.channel, kept.wanted.billIds);
  if (slip) throw ruleBroken(SLIP);
  const bills = await readBills(tx, kept.wanted.billIds, true);
  if (bills.length > 0 && bills.every((one) => one.state === 'paid')) throw ruleBroken(PAID);
  await requireNotHeld(tx, kept.wanted.billIds);
  if (!kept.live) throw ruleBroken(CHANGED);
  const quote = await quoteBills(tx, kept.wanted, orders, bills);
  if (!samePromise(promised(quote), kept.answer)) throw ruleBroken(CHANGED);
  if (quote.amount <= 0) throw invalid({ amount: ['金额须大于0', 'The amount is above 0'] });
  if (input.received < quote.amount)
    throw invalid({ received: ['实收不足', 'Less was received than is to be paid'] });
  if (input.channel !== 'cash' && input.received !== quote.amount)
    throw invalid({ received: ['非现金实收须等于应付', 'Only cash is changed'] });
  const { valueDate } = kept.wanted;
  await postLateFees(tx, bills, await lateFeesOf(tx, bills, valueDate), valueDate, input.staffId);
  return postPayment(tx, {
    houseId: kept.wanted.houseId,
    projectId: kept.project_id,
    parts: quote.parts,
    rest: quote.rest,
    valueDate,
    discount: quote.discounts.find((one) => one.used),
    ...input,
  });
}

/** Whether a quote still says what was promised. */
export function samePromise(a: unknown, b: unknown): boolean {
  // jsonb keeps no order of keys.
  const text = (value: unknown): string =>
    JSON.stringify(value, (_key, one: unknown) =>
      one && typeof one === 'object' && !Array.isArray(one)
        ? Object.fromEntries(Object.entries(one).sort(([x], [y]) => (x < y ? -1 : 1)))
        : one,
    );
  return text(a) === text(b);
}

interface Posting extends Omit<PaymentInput, 'quoteId' | 'staffId' | 'channel'> {
  readonly channel: CounterChannel | 'alipay' | 'wechat';
  readonly quoteId?: string;
  readonly staffId: number | null;
  readonly houseId: number;
  readonly projectId: number;
  readonly parts: readonly Allocated[];
  readonly rest: number;
  readonly valueDate: Day;
  readonly discount?: DiscountOffer | undefined;
}

/**
 * Writes a payment over locked bills whose late fees are posted. With channel prepaid the money comes out of the house's account,
 * else what no bill takes goes into it.
 */
export async function postPayment(tx: Tx, posting: Posting): Promise<PostedPayment> {
  const allocated = posting.parts.reduce((sum, one) => sum + one.amount, 0);
  const amount = allocated + posting.rest;
  const fromPrepaid = posting.channel === 'prepaid';
  if (fromPrepaid && posting.rest > 0)
    throw ruleBroken(['预存只能用于账单', 'Prepaid money pays bills only']);
  const accounts = fromPrepaid || posting.rest > 0 ? await lockPrepaid(tx, posting.houseId) : undefined;
  if (fromPrepaid && accounts![posting.prepaidKind].balance < amount) throw tooLittle();
  const receiptNo = await nextReceipt(tx, posting.projectId, posting.valueDate);
  // Where nobody else is named it is the paying owner who pays, on the receipt and in every list.
  const payer = posting.payer || (await debtorOf(tx, posting.houseId))?.debtor || '';
  const payment = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO bill_payment (receipt_no, tenant_id, project_id, house_id, payer_name, channel, amount, received, allocated, to_prepaid, prepaid_kind, trade_no, value_date, remark, cashier_id, quote_id, created_by, updated_by, discount_rule_id, discount)
     SELECT $1, coalesce((SELECT b.tenant_id FROM bill b WHERE b.id = $16), (SELECT tp.tenant_id FROM tenant_project tp JOIN tenant c ON c.id = tp.tenant_id AND c.kind = 1 WHERE tp.project_id = $2 ORDER BY 1 LIMIT 1)),
            $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $14, $14, $17, $18 RETURNING id`,
    [
      receiptNo,
      posting.projectId,
      posting.houseId,
      payer,
      posting.channel,
      amount,
      posting.received,
      allocated,
      posting.rest,
      posting.rest > 0 ? posting.prepaidKind : null,
      posting.tradeNo,
      posting.valueDate,
      posting.remark,
      posting.staffId,
      posting.quoteId ?? null,
      posting.parts[0]?.billId ?? null,
      posting.discount?.ruleId ?? null,
      posting.discount?.amount ?? 0,
    ],
  ))!;
  await run(
    tx,
    `WITH w AS (SELECT * FROM unnest($2::bigint[], $3::text[], $4::bigint[]) AS w (bill, kind, amount)),
     noted AS (INSERT INTO bill_allocation (payment_id, bill_id, kind, amount, value_date) SELECT $1, bill, kind, amount, $5 FROM w),
     s AS (SELECT bill, coalesce(sum(amount) FILTER (WHERE kind = 'principal'), 0)::bigint AS principal, coalesce(sum(amount) FILTER (WHERE kind = 'late_fee'), 0)::bigint AS late FROM w GROUP BY 1)
     UPDATE bill b SET paid_principal = b.paid_principal + s.principal, paid_late_fee = b.paid_late_fee + s.late, version = b.version + 1, updated_at = now(), updated_by = $6,
       state = ${stateSql('b.owed_principal + b.owed_late_fee - s.principal - s.late', 'b.paid_principal + b.paid_late_fee + s.principal + s.late')}
       FROM s WHERE b.id = s.bill`,
    [
      payment.id,
      posting.parts.map((one) => one.billId),
      posting.parts.map((one) => one.kind),
      posting.parts.map((one) => one.amount),
      posting.valueDate,
      posting.staffId,
    ],
  );
  if (posting.discount)
    await postDiscount(tx, posting.discount, {
      id: payment.id,
      projectId: posting.projectId,
      on: posting.valueDate,
      staffId: posting.staffId,
    });
  const change = fromPrepaid ? -amount : posting.rest;
  await bookPayment(
    tx,
    { type: 'bill_payment', id: String(payment.id), purpose: 'post' },
    {
      received: fromPrepaid ? 0 : amount,
      settled: allocated,
      prepaid: change === 0 ? [] : [{ account: accounts![posting.prepaidKind].id, amount: change }],
    },
    posting.staffId ?? undefined,
  );
  await noteRebate(tx, payment.id);
  await noteGifts(tx, payment.id);
  return {
    id: payment.id,
    receiptNo,
    amount,
    toPrepaid: posting.rest,
    change: posting.received - amount,
  };
}

/**
 * The next receipt number of a project and year: project code + year + six digits. Its row is locked to the end of the
 * transaction, so that numbers have neither gaps nor repeats. Source: group 06, Rules of charging 11.
 */
export async function nextReceipt(tx: Tx, projectId: number, day: Day): Promise<string> {
  const year = Number(day.slice(0, 4));
  const row = await runOne<{ n: number; code: string }>(
    tx,
    `INSERT INTO receipt_series AS r (project_id, year, next) VALUES ($1, $2, 2)
     ON CONFLICT (project_id, year) DO UPDATE SET next = r.next + 1 RETURNING r.next - 1 AS n, (SELECT p.code FROM project p WHERE p.id = $1) AS code`,
    [projectId, year],
  );
  return `${row!.code}${year}${String(row!.n).padStart(6, '0')}`;
}

/**
 * Pays due bills of a house from its prepaid money: the narrower account first, the oldest bill first, whole bills unless `partial`;
 * a bill it is too short for is left alone. Returns what was paid in fen. Source: group 06, Rules 13 and job fee.deduct.
 */
export async function deductPrepaid(
  tx: Tx,
  house: { readonly id: number; readonly projectId: number },
  on: Day,
  partial: boolean,
): Promise<number> {
  const due = (await openBills(tx, house.id)).filter(
    (one) => one.deductible && one.due_date <= on && !one.disputed,
  );
  if (due.length === 0) return 0;
  const bills = await readBills(
    tx,
    due.map((one) => one.id).sort((a, b) => a - b),
    true,
  );
  const open = new Map(
    bills.filter((one) => one.state === 'unpaid' || one.state === 'part').map((one) => [one.id, one]),
  );
  for (const id of await heldBills(tx, [...open.keys()])) open.delete(id);
  await postLateFees(tx, [...open.values()], await lateFeesOf(tx, [...open.values()], on), on);
  const fresh = new Map((await readBills(tx, [...open.keys()])).map((one) => [one.id, one]));
  let paid = 0;
  for (const { id } of due) {
    const bill = fresh.get(id);
    if (!bill) continue;
    const accounts = await lockPrepaid(tx, house.id);
    let owed = bill.owed_principal + bill.owed_late_fee;
    const kinds: PrepaidKind[] =
      bill.prepaid_kind === 'general' ? ['general'] : [bill.prepaid_kind, 'general'];
    const there = kinds.reduce((sum, kind) => sum + accounts[kind].balance, 0);
    if (owed === 0 || there === 0 || (there < owed && !partial)) continue;
    let principal = bill.owed_principal;
    for (const kind of kinds) {
      const amount = Math.min(owed, accounts[kind].balance);
      if (amount === 0) continue;
      const first = Math.min(amount, principal);
      const parts: Allocated[] = [];
      if (first > 0) parts.push({ billId: id, kind: 'principal', amount: first });
      if (amount - first > 0) parts.push({ billId: id, kind: 'late_fee', amount: amount - first });
      principal -= first;
      owed -= amount;
      await postPayment(tx, {
        houseId: house.id,
        projectId: house.projectId,
        parts,
        rest: 0,
        valueDate: on,
        channel: 'prepaid',
        received: amount,
        prepaidKind: kind,
        payer: '',
        tradeNo: '',
        remark: '',
        staffId: null,
      });
      paid += amount;
    }
  }
  return paid;
}

/** Today in the business's own calendar. */
export const today = (): Day => businessDayOf(new Date());
