import { z } from 'zod';
import {
  adjustBill,
  disputeBill,
  lateFeeNow,
  lateFeesOf,
  notePrincipal,
  openBills,
  readBills,
  waiveLateFee,
  type BillRecord,
} from '../../../domain/charging/bill-record.server.ts';
import {
  debtorOf,
  MOST_MONTHS_AHEAD,
  PLACE,
  planAhead,
  postBills,
  termsOf,
} from '../../../domain/charging/billing.server.ts';
import {
  COUNTER_CHANNELS,
  keepQuote,
  ordersOf,
  payQuote,
  quoteBills,
  today,
  type Quote,
  type QuoteWanted,
} from '../../../domain/charging/collect.server.ts';
import { addDays, daysBetween, firstOfMonth } from '../../../domain/charging/calendar.rules.ts';
import { prepaidOf } from '../../../domain/charging/prepaid.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Executor } from '../../../kernel/server/database.ts';
import { forbidden, invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { holds, staffIdOf, type Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { bill } from './bill.contract.ts';
import { workingLines, type BillWorkingFacts } from './bill-working.rules.ts';
import { billImport } from './bill-import.server.ts';
import { CHARGING_MENU } from './fee-item.contract.ts';
import { checkPictures } from '../picture-columns.server.ts';
import { recordSlip } from '../../../domain/charging/online-order.server.ts';
import { onlineEndpoints } from './online-pay.server.ts';
import { askVoid, voidApproval, voidSight } from './void-approval.server.ts';
import { askWaiver, waiverApproval, waiverSight } from './waiver-approval.server.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const ROOT = '/jinmao/web/bill';
const OVERDUE = `t.state IN ('unpaid', 'part') AND t.due_date < ${TODAY}`;
const idText = z.string().regex(/^\d{1,15}$/);
const dayText = z.iso.date();
const moneyText = z.string().regex(/^\d{1,9}(\.\d{1,2})?$/);
/** Days a payment may be dated back. Source: group 06, Rules of charging 6. */
const BACKDATE_DAYS = 30;

const isPaid = (row: Readonly<Record<string, unknown>>) => Number(row.paidFen) > 0;

const bound: BoundResource = bindResource(bill, {
  table: 'bill',
  from: `bill t LEFT JOIN house h ON h.id = t.house_id LEFT JOIN building_unit u ON u.id = h.unit_id LEFT JOIN building b ON b.id = u.building_id
    LEFT JOIN project p ON p.id = t.project_id LEFT JOIN billing_run n ON n.id = t.run_id LEFT JOIN staff s ON s.id = t.created_by`,
  joins: {
    house: { table: 'house', column: 'house_id', title: `(b.name || u.name || r_house.number)` },
    item: { table: 'fee_item', column: 'fee_item_id' },
  },
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    building: { id: 'u.building_id', title: 'b.name' },
    debtor: 't.debtor_name',
    kind: 'r_item.kind',
    paid: '(t.paid_principal + t.paid_late_fee)',
    owed: `CASE WHEN t.state = 'void' THEN 0 ELSE t.owed_principal + t.owed_late_fee END`,
    overdueDays: `(CASE WHEN ${OVERDUE} THEN ${TODAY} - t.due_date ELSE 0 END)`,
    run: { id: 't.run_id', title: `(p.name || ' ' || to_char(n.month, 'YYYY-MM'))` },
    creator: { id: 't.created_by', title: 's.name' },
  },
  scope: { tenant: 't.tenant_id', project: 't.project_id', owner: 't.created_by' },
  search: 't.search',
  tabs: { overdue: () => `(${OVERDUE})` },
  codePrefix: 'BL',
  extra: {
    paidFen: 't.paid_principal + t.paid_late_fee',
    lateOwed: 't.owed_late_fee',
    held: 'EXISTS (SELECT FROM online_bill_hold x WHERE x.bill_id = t.id)',
  },
  ruleReads: ['paidFen', 'lateOwed', 'disputed', 'held'],
  rowRules: {
    void: (row) =>
      isPaid(row)
        ? ['已有缴费，请先退款', 'Refund first']
        : row.held === true
          ? ['账单正在线上支付', 'Being paid online']
          : undefined,
    waive: (row) =>
      Number(row.lateOwed) > 0 ? undefined : ['没有未缴滞纳金', 'There is no unpaid late fee'],
    dispute: (row) => (row.disputed === true ? ['已在争议中', 'It is in dispute already'] : undefined),
    release: (row) => (row.disputed === true ? undefined : ['不在争议中', 'It is not in dispute']),
  },
  before: [prepareSingle],
  after: [noteSingle],
  handlers: {
    adjust: (context) =>
      change(context, (one) =>
        adjustBill(context.tx, one, {
          amount: Number(context.input.amount),
          reason: String(context.input.reason),
          staffId: staffIdOf(context.caller),
        }),
      ),
    waive: async (context) => {
      const { platform, input, row } = context;
      const free = await platform.settings.numberIn(context.tx, 'fee.waive.auto', {
        projectId: Number(row.project_id),
      });
      const amount = Number(input.amount);
      // Pieces add up: nobody waives a bill whole alone, bit by bit.
      if (amount + Number(row.late_fee_waived) > free) return askWaiver(context, Number(row.owed_late_fee));
      return change(context, (one) =>
        waiveLateFee(context.tx, one, {
          amount,
          reason: String(input.reason),
          staffId: staffIdOf(context.caller),
        }),
      );
    },
    dispute: (context) =>
      change(context, (one) => disputeBill(context.tx, one, String(context.input.reason))),
    release: (context) =>
      change(context, (one) => disputeBill(context.tx, one, String(context.input.reason))),
    // What a run or the job posted is taken back by two persons.
    void: async (context) =>
      context.row.assignment_id !== null
        ? askVoid(context)
        : {
            to: 'void',
            remark: String(context.input.reason),
            set: { void_reason: context.input.reason },
          },
  },
  also: {
    approvals: [waiverApproval, voidApproval],
    sights: [waiverSight, voidSight],
    imports: [billImport(() => bound)],
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/room`,
      title: ['房间账单', 'Room bill'],
      access: { code: CHARGING_MENU },
      query: z.strictObject({ houseId: idText, valueDate: dayText.optional() }),
      handle: ({ caller, platform, query }) =>
        roomOf(platform.database.db, caller, Number(query.houseId), query.valueDate ?? today()),
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/quote`,
      title: ['收款试算', 'Quote'],
      access: { code: `${CHARGING_MENU}:btn_collect` },
      body: z.strictObject({
        houseId: idText,
        billIds: z.array(idText).max(500),
        valueDate: dayText,
        amount: moneyText.optional(),
        ruleId: idText.optional(),
      }),
      handle: async ({ caller, platform, facts, body }) => {
        const { db } = platform.database;
        const house = await houseInReach(db, caller, Number(body.houseId));
        requireValueDate(caller, body.valueDate);
        const amount = body.amount === undefined ? undefined : fenFromYuan(body.amount);
        const wanted: QuoteWanted = {
          houseId: house.id,
          billIds: body.billIds.map(Number),
          valueDate: body.valueDate,
          ...(amount === undefined ? {} : { amount }),
          ...(body.ruleId === undefined ? {} : { ruleId: Number(body.ruleId) }),
        };
        const quote = await quoteBills(db, wanted, await ordersOf(platform, house.projectId));
        const quoteId = await keepQuote(db, wanted, quote, caller.staffId);
        return {
          quoteId,
          lines: quote.lines.map((line) => ({
            ...line,
            billId: String(line.billId),
            principal: yuanFromFen(line.principal),
            lateFee: yuanFromFen(line.lateFee),
            discount: yuanFromFen(line.discount),
            working: {
              ...line.working,
              once: yuanFromFen(line.working.once),
              spans: line.working.spans.map((span) => ({ ...span, base: yuanFromFen(span.base) })),
            },
            paid: yuanFromFen(
              quote.parts
                .filter((one) => one.billId === line.billId)
                .reduce((sum, one) => sum + one.amount, 0),
            ),
          })),
          principal: yuanFromFen(quote.principal),
          lateFee: yuanFromFen(quote.lateFee),
          discount: yuanFromFen(quote.discount),
          discounts: quote.discounts.map((one) => ({
            ruleId: String(one.ruleId),
            name: one.name,
            used: one.used,
            amount: yuanFromFen(one.amount),
            months: one.gifts.length,
            reason: one.reason ? textOf(one.reason, facts.language) : '',
          })),
          explain: explainOf(quote, facts.language),
          due: yuanFromFen(quote.due),
          amount: yuanFromFen(quote.amount),
          rest: yuanFromFen(quote.rest),
          prepaid: Object.fromEntries(
            Object.entries(quote.prepaid).map(([kind, fen]) => [kind, yuanFromFen(fen)]),
          ),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/working`,
      title: ['账单计算过程', 'How a bill was calculated'],
      access: { code: CHARGING_MENU },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const row = (await runOne<{ working: BillWorkingFacts }>(
          call.platform.database.db,
          'SELECT working FROM bill WHERE id = $1',
          [id],
        ))!;
        return {
          ...(row.working.formula ? { formula: row.working.formula } : {}),
          lines: workingLines(row.working),
        };
      },
    }),
    ...onlineEndpoints(houseInReach),
    endpoint({
      method: 'POST',
      path: `${ROOT}/ahead`,
      title: ['预缴账期', 'Bills ahead'],
      access: { code: `${CHARGING_MENU}:btn_collect` },
      body: z.strictObject({
        houseId: idText,
        itemId: idText,
        months: z.number().int().min(1).max(MOST_MONTHS_AHEAD),
      }),
      handle: async ({ caller, platform, facts, body }) => {
        const { db } = platform.database;
        const house = await houseInReach(db, caller, Number(body.houseId));
        const { dueDays } = await ordersOf(platform, house.projectId);
        const made = await transaction(db, async (tx) => {
          const planned = await planAhead(
            tx,
            {
              projectId: house.projectId,
              houseId: house.id,
              itemId: Number(body.itemId),
              months: body.months,
              from: firstOfMonth(today()),
              dueFrom: today(),
            },
            dueDays,
          );
          if (planned.length === 0)
            throw ruleBroken(['没有可预缴的账期', 'There are no months to pay ahead']);
          if (planned.at(-1)!.from > firstOfMonth(today(), MOST_MONTHS_AHEAD))
            throw ruleBroken([
              `最多预缴${MOST_MONTHS_AHEAD}个月`,
              `At most ${MOST_MONTHS_AHEAD} months are paid ahead`,
            ]);
          const posted = await postBills(tx, house.projectId, planned, { staffId: caller.staffId });
          await writeAudit(tx, {
            caller,
            facts,
            menu: CHARGING_MENU,
            action: 'ahead',
            entity: 'house',
            entityId: house.id,
            after: { item: body.itemId, bills: posted.bills, amount: posted.amount },
          });
          return posted;
        });
        platform.changed('bill');
        return { bills: made.bills, amount: yuanFromFen(made.amount) };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/collect`,
      title: ['收款', 'Collect'],
      access: { code: `${CHARGING_MENU}:btn_collect` },
      body: z.strictObject({
        quoteId: z.uuid(),
        channel: z.enum(COUNTER_CHANNELS),
        received: moneyText,
        prepaidKind: z.enum(['general', 'property_fee', 'utilities']).default('general'),
        payer: z.string().trim().max(40).default(''),
        tradeNo: z.string().trim().max(64).default(''),
        remark: z.string().trim().max(200).default(''),
        slipIds: z.array(z.uuid()).max(9).default([]),
      }),
      handle: async ({ caller, platform, facts, body }) => {
        const { db } = platform.database;
        const kept = await runOne<{ house_id: number }>(db, 'SELECT house_id FROM bill_quote WHERE id = $1', [
          body.quoteId,
        ]);
        if (!kept) throw notFound();
        const house = await houseInReach(db, caller, kept.house_id);
        const orders = await ordersOf(platform, house.projectId);
        if (body.channel === 'transfer' && body.slipIds.length > 0) {
          if (body.tradeNo === '') throw invalid({ tradeNo: ['请填写流水号', 'Write the trade no.'] });
          const slip = await transaction(db, async (tx) => {
            await checkPictures({ tx, caller }, 'slipIds', body.slipIds);
            const made = await recordSlip(tx, orders, { ...body, staffId: caller.staffId });
            await writeAudit(tx, {
              caller,
              facts,
              menu: CHARGING_MENU,
              action: 'slip',
              entity: 'transferSlip',
              entityId: made.id,
              after: { code: made.code, amount: made.amount },
            });
            return made;
          }).catch(tradeNoTaken);
          for (const name of ['bill', 'transferSlip']) platform.changed(name);
          return {
            paymentId: '',
            receiptNo: '',
            slip: slip.code,
            amount: yuanFromFen(slip.amount),
            toPrepaid: '0.00',
            change: '0.00',
          };
        }
        const paid = await transaction(db, async (tx) => {
          const done = await payQuote(tx, orders, {
            ...body,
            received: fenFromYuan(body.received)!,
            staffId: caller.staffId,
          });
          await writeAudit(tx, {
            caller,
            facts,
            menu: CHARGING_MENU,
            action: 'collect',
            entity: 'billPayment',
            entityId: done.id,
            after: { receiptNo: done.receiptNo, amount: done.amount },
          });
          return done;
        }).catch(tradeNoTaken);
        for (const name of ['bill', 'billPayment', 'prepaidAccount']) platform.changed(name);
        return {
          paymentId: String(paid.id),
          receiptNo: paid.receiptNo,
          slip: '',
          amount: yuanFromFen(paid.amount),
          toPrepaid: yuanFromFen(paid.toPrepaid),
          change: yuanFromFen(paid.change),
        };
      },
    }),
  ],
});

/** A trade number is recorded once, among payments and among slips that wait. */
function tradeNoTaken(error: unknown): never {
  const { code, constraint } = error as { code?: string; constraint?: string };
  if (
    code === '23505' &&
    (constraint === 'bill_payment_trade_no' || constraint === 'online_bill_order_transfer_no')
  )
    throw invalid({ tradeNo: ['该流水号已登记', 'This trade no. was recorded already'] });
  throw error;
}

/** How an amount comes about, line by line. */
function explainOf(quote: Quote, language: 'zh' | 'en'): string[] {
  const said: Label[] = quote.lines.flatMap((line): Label[] => [
    [
      `${line.item} ${line.from.slice(0, 7)}：本金 ${yuanFromFen(line.principal)}`,
      `${line.item} ${line.from.slice(0, 7)}: principal ${yuanFromFen(line.principal)}`,
    ],
    ...line.working.spans.map((span): Label => [
      `滞纳金 ${span.from} 起 ${span.days} 天 × ${yuanFromFen(span.base)} × ${line.working.ppm / 10_000}%`,
      `Late fee, ${span.days} days from ${span.from} × ${yuanFromFen(span.base)} × ${line.working.ppm / 10_000} %`,
    ]),
  ]);
  for (const one of quote.discounts)
    said.push(
      one.used
        ? [
            `优惠“${one.name}”：${yuanFromFen(one.amount)}`,
            `Discount “${one.name}”: ${yuanFromFen(one.amount)}`,
          ]
        : [`未使用“${one.name}”：${one.reason![0]}`, `“${one.name}” not used: ${one.reason![1]}`],
    );
  if (quote.rest > 0)
    said.push([`存入预存 ${yuanFromFen(quote.rest)}`, `Paid ahead ${yuanFromFen(quote.rest)}`]);
  return said.map((label) => textOf(label, language));
}

/** Bills with the cashier's paths. */
export const registration = bound.registration;

interface HouseInReach {
  readonly id: number;
  readonly projectId: number;
  readonly title: string;
  readonly project: string;
}

/** A house inside the caller's projects. Throws 404. */
async function houseInReach(db: Executor, caller: Caller, houseId: number): Promise<HouseInReach> {
  const parameters = new Parameters();
  const id = parameters.bind(houseId);
  const found = await runOne<HouseInReach>(
    db,
    `SELECT h.id, h.project_id AS "projectId", ${PLACE} AS title, p.name AS project FROM house h JOIN building_unit u ON u.id = h.unit_id
       JOIN building b ON b.id = u.building_id JOIN project p ON p.id = h.project_id
      WHERE h.id = ${id} AND ${placeCondition(caller, residentScope('h.project_id'), parameters)}`,
    parameters.values,
  );
  if (!found) throw notFound();
  return found;
}

function requireValueDate(caller: Caller, day: string): void {
  const now = today();
  if (day > now) throw invalid({ valueDate: ['日期不能晚于今天', 'The day is not in the future'] });
  if (day === now) return;
  if (!holds(caller, `${CHARGING_MENU}:btn_backdate`)) throw forbidden();
  if (daysBetween(day, now) > BACKDATE_DAYS)
    throw invalid({ valueDate: [`最多补录${BACKDATE_DAYS}天`, `At most ${BACKDATE_DAYS} days back`] });
}

/** Open bills of a house with their late fee to a day, prepaid money and what was paid last. */
async function roomOf(db: Executor, caller: Caller, houseId: number, on: string) {
  const house = await houseInReach(db, caller, houseId);
  const bills = await openBills(db, house.id);
  const fees = await lateFeesOf(db, bills, on);
  const debtor = await debtorOf(db, house.id);
  const payments = await run<{
    id: number;
    receipt_no: string;
    payer_name: string;
    channel: string;
    amount: number;
    to_prepaid: number;
    value_date: string;
    created_at: Date;
    cashier: string | null;
  }>(
    db,
    `SELECT y.id, y.receipt_no, y.payer_name, y.channel, y.amount, y.to_prepaid, y.value_date, y.created_at, s.name AS cashier
       FROM bill_payment y LEFT JOIN staff s ON s.id = y.cashier_id WHERE y.house_id = $1 ORDER BY y.id DESC LIMIT 20`,
    [house.id],
  );
  const prepaid = await prepaidOf(db, house.id);
  const held = await runOne<{ id: number; ids: number[] }>(
    db,
    `SELECT o.id, array_agg(h.bill_id) AS ids FROM online_bill_order o JOIN online_bill_hold h ON h.order_id = o.id
      WHERE o.house_id = $1 AND o.state = 'held' AND o.channel <> 'transfer' AND o.expires_at > now() GROUP BY o.id ORDER BY o.id DESC LIMIT 1`,
    [house.id],
  );
  const ahead = await run<{ id: number; name: string }>(
    db,
    `SELECT i.id, i.name FROM fee_item i WHERE i.enabled AND i.cycle NOT IN ('once', 'indirect')
        AND EXISTS (SELECT FROM fee_assignment a WHERE a.fee_item_id = i.id AND a.house_id = $1 AND (a.valid_to IS NULL OR a.valid_to >= $2)) ORDER BY i.position, i.id`,
    [house.id, on],
  );
  const heldNow = new Set(
    (
      await run<{ bill_id: number }>(
        db,
        'SELECT h.bill_id FROM online_bill_hold h JOIN online_bill_order o ON o.id = h.order_id WHERE o.house_id = $1 AND o.expires_at > now()',
        [house.id],
      )
    ).map((one) => one.bill_id),
  );
  const slips = await runOne(
    db,
    `SELECT 1 FROM payment_way WHERE project_id = $1 AND scene = 'counter' AND channel = 'transfer' AND enabled AND needs_slip`,
    [house.projectId],
  );
  return {
    /** Whether transfers are recorded with their slip. */
    slip: slips !== undefined,
    /** The order some of the bills are in just now. */
    online: held ? String(held.id) : null,
    /** Items whose coming months can be paid. */
    ahead: ahead.map((one) => ({ id: String(one.id), name: one.name })),
    house: {
      id: String(house.id),
      title: house.title,
      project: house.project,
      debtor: maskValue('name', debtor?.debtor ?? ''),
    },
    bills: bills.map((one) => {
      const late = lateFeeNow(one, fees.get(one.id)!) - one.late_fee_waived - one.paid_late_fee;
      return {
        id: String(one.id),
        code: one.code,
        item: one.item,
        from: one.period_from,
        to: one.period_to,
        due: one.due_date,
        principal: yuanFromFen(one.owed_principal),
        lateFee: yuanFromFen(late),
        owed: yuanFromFen(one.owed_principal + late),
        disputed: one.disputed,
        held: heldNow.has(one.id),
      };
    }),
    prepaid: Object.fromEntries(Object.entries(prepaid).map(([kind, fen]) => [kind, yuanFromFen(fen)])),
    payments: payments.map((one) => ({
      id: String(one.id),
      receiptNo: one.receipt_no,
      payer: maskValue('name', one.payer_name),
      channel: one.channel,
      amount: yuanFromFen(one.amount),
      toPrepaid: yuanFromFen(one.to_prepaid),
      valueDate: one.value_date,
      at: isoInstant(one.created_at),
      cashier: one.cashier ?? '',
    })),
  };
}

/** Carries out a command over the locked bill and says where it stands afterwards. */
async function change(
  { tx, id, action, input }: ActionContext,
  work: (bill: BillRecord) => Promise<void>,
): Promise<ActionResult> {
  const [record] = await readBills(tx, [id], true);
  await work(record!);
  const after = await runOne<{ state: string }>(tx, 'SELECT state FROM bill WHERE id = $1', [id]);
  const remark = String(input.reason);
  return action === 'dispute' || action === 'release'
    ? { remark }
    : { to: after!.state, remark: `${yuanFromFen(Number(input.amount))} · ${remark}` };
}

/** A bill written by hand: its house says project, company and debtor. */
async function prepareSingle({ tx, action, columns }: ActionContext): Promise<void> {
  if (action !== 'create') return;
  if (String(columns.period_to) < String(columns.period_from))
    throw invalid({ periodTo: ['账期止早于账期起', 'The period ends before it starts'] });
  if (String(columns.due_date) < addDays(String(columns.period_from), -366))
    throw invalid({ dueDate: ['到期日过早', 'The due date is too early'] });
  const house = await debtorOf(tx, Number(columns.house_id));
  const item = await runOne<{ tenant_id: number; enabled: boolean }>(
    tx,
    'SELECT tenant_id, enabled FROM fee_item WHERE id = $1',
    [columns.fee_item_id],
  );
  if (!house || !item) throw notFound();
  if (!item.enabled || item.tenant_id !== house.tenantId)
    throw invalid({ item: ['收费项目不可用于该房屋', 'This fee item cannot be used for the house'] });
  Object.assign(columns, {
    project_id: house.projectId,
    tenant_id: house.tenantId,
    debtor_id: house.debtorId,
    debtor_name: house.debtor,
    terms: JSON.stringify(await termsOf(tx, Number(columns.fee_item_id), house.projectId)),
  });
}

async function noteSingle({ tx, action, columns, caller }: ActionContext, id: number) {
  if (action === 'create')
    await notePrincipal(tx, {
      id,
      amount: Number(columns.principal),
      on: today(),
      staffId: staffIdOf(caller),
    });
  return [];
}
