import { z } from 'zod';
import {
  requireOpenDay,
  reversePayment,
  type VoidedPayment,
} from '../../../domain/charging/cash-close.server.ts';
import { crmJob } from '../../../domain/crm/crm.server.ts';
import { houseOptions } from '../../../domain/residents/residents.server.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { endpoint, type OptionSource } from '../../../kernel/server/registration.ts';
import { fromInput, NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { PLACE } from '../../../domain/charging/billing.server.ts';
import { askInvoice, INVOICED, requireNoInvoice } from './bill-invoice.server.ts';
import { billPayment, PAYMENT_MENU } from './bill-payment.contract.ts';
import { askRefund, refundApproval, refundRequestSight } from './bill-refund.server.ts';
import { TODAY } from '../../../kernel/server/today.ts';

/** Money that came online for bills which were settled meanwhile, until somebody looked at it. */
const EXCESS = `(t.excess > 0 AND t.excess_seen_at IS NULL AND t.state = 'valid')`;
/** Allocations (`a`) a receipt (`t`) put on bills or, negative, took back from them; not those that undid it. */
const ITS_OWN = `(a.payment_id = t.id AND a.amount > 0 OR a.refund_payment_id = t.id)`;
const paid = (kind: string) =>
  `coalesce((SELECT sum(a.amount) FROM bill_allocation a WHERE ${ITS_OWN} AND a.kind = '${kind}'), 0)::bigint`;
const overBills = (what: string) =>
  `coalesce((SELECT ${what} FROM bill_allocation a JOIN bill x ON x.id = a.bill_id JOIN fee_item i ON i.id = x.fee_item_id WHERE ${ITS_OWN}), '')`;
const REFUNDED = '(SELECT -coalesce(sum(r.amount), 0)::bigint FROM bill_payment r WHERE r.refund_of = t.id)';

/** Where a payment (`t`) stands. */
export const PAYMENT_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: 't.project_id',
  owner: 't.created_by',
};

const bound: BoundResource = bindResource(billPayment, {
  table: 'bill_payment',
  from: `bill_payment t LEFT JOIN house h ON h.id = t.house_id LEFT JOIN building_unit u ON u.id = h.unit_id LEFT JOIN building b ON b.id = u.building_id
    LEFT JOIN project p ON p.id = t.project_id LEFT JOIN organisation g ON g.id = p.centre_id LEFT JOIN tenant c ON c.id = t.tenant_id LEFT JOIN staff s ON s.id = t.cashier_id
    LEFT JOIN sales_order o ON o.id = t.sales_order_id LEFT JOIN bill_payment w ON w.id = t.refund_of`,
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    house: { id: 't.house_id', title: '(b.name || u.name || h.number)' },
    centre: { id: 'p.centre_id', title: 'g.name' },
    company: 'c.name',
    payer: 't.payer_name',
    cashier: { id: 't.cashier_id', title: 's.name' },
    items: overBills(`string_agg(DISTINCT i.name, '、')`),
    period: overBills(
      `to_char(min(x.period_from), 'YYYY-MM-DD') || ' ~ ' || to_char(max(x.period_to), 'YYYY-MM-DD')`,
    ),
    principal: paid('principal'),
    lateFee: paid('late_fee'),
    refunded: REFUNDED,
    refundStatus: `CASE WHEN o.refund_status = 'refunding' THEN 'refunding' WHEN o.id IS NULL OR ${REFUNDED} = 0 THEN 'none' WHEN ${REFUNDED} = t.amount THEN 'full' ELSE 'part' END`,
    invoiced: INVOICED('t.id'),
    hasInvoice: `(${INVOICED('t.id')} > 0)`,
    crmSync: 't.crm_sync::text',
    refundOf: { id: 't.refund_of', title: 'w.receipt_no' },
  },
  scope: PAYMENT_SCOPE,
  search: 't.search',
  tabs: {
    today: () => `t.paid_on = ${TODAY}`,
    excess: () => EXCESS,
    refunds: () => 't.refund_of IS NOT NULL',
  },
  extra: { sameDay: `t.paid_on = ${TODAY}`, toCheck: EXCESS, traded: 't.sales_order_id IS NOT NULL' },
  ruleReads: ['sameDay', 'channel', 'cashier', 'toCheck', 'refundOf', 'refundStatus', 'traded', 'crmSync'],
  rowRules: {
    checkExcess: (row) =>
      row.toCheck === true ? undefined : ['没有待核对的多收', 'Nothing was paid too much'],
    refund: (row) =>
      row.refundOf !== null
        ? ['退款收据不能再退款', 'A refund receipt is not refunded']
        : row.channel === 'prepaid'
          ? [
              '预存抵扣不退现金，请调整账单',
              'A deduction from prepaid money is not paid out: adjust the bill',
            ]
          : row.refundStatus === 'refunding'
            ? ['该缴费有未完成的退款', 'A refund of this payment is under way']
            : row.refundStatus === 'full'
              ? ['已全额退款', 'It is refunded in full']
              : undefined,
    invoice: (row) =>
      row.refundOf !== null ? ['退款收据不开票', 'A refund receipt gets no invoice'] : undefined,
    retryCrm: (row) =>
      row.crmSync === '2' ? undefined : ['仅同步失败的缴费可重发', 'Only what failed is sent again'],
    void: (row, caller) =>
      // Also where the audit rejected it: the order of the trade stands for the payment.
      row.refundOf !== null || row.traded === true
        ? ['已有退款，不能作废', 'It has refunds, it is not voided']
        : row.channel === 'prepaid'
          ? ['预存抵扣不能作废', 'A deduction from prepaid money is not voided']
          : Number(row.cashier) !== caller.staffId
            ? ['只能作废本人当日收款', 'Only own payments of the day are voided']
            : row.sameDay !== true
              ? ['仅限当日作废，请走退款', 'Only on the same day: use a refund']
              : undefined,
  },
  filters: {
    crmSync: (value, parameters) => {
      const list = value.split(',');
      if (!list.every((one) => /^[0-2]$/.test(one)))
        throw invalid({ crmSync: ['没有此选项', 'There is no such choice'] });
      return `t.crm_sync = ANY(${parameters.bind(list.map(Number))}::smallint[])`;
    },
  },
  sets: {
    checkExcess: { excess_seen_at: NOW },
    retryCrm: { crm_sync: 0 },
    crmTaken: { crm_sync: 1, crm_code: fromInput('code'), crm_error: '' },
    crmRefused: { crm_sync: 2, crm_error: fromInput('reason') },
  },
  handlers: {
    refund: askRefund,
    invoice: askInvoice,
    receipt: async ({ tx, id, row }) => {
      await run(tx, 'UPDATE bill_payment SET prints = least(prints + 1, 32000) WHERE id = $1', [id]);
      return { remark: `#${Number(row.prints) + 1}`, result: { copy: Number(row.prints) + 1 } };
    },
    void: async ({ tx, id, row, input, caller, platform }) => {
      const staffId = staffIdOf(caller)!;
      await requireNoInvoice(tx, id);
      const days = [String(row.paid_on), String(row.value_date)];
      await requireOpenDay(tx, staffId, Number(row.project_id), days, [
        '已日结，请走退款',
        'Day closed: use refund',
      ]);
      await reversePayment(tx, row as unknown as VoidedPayment, staffId);
      for (const name of ['bill', 'prepaidAccount']) platform.changed(name);
      return {
        set: { void_reason: input.reason, voided_at: new Date(), voided_by: staffId, crm_sync: 0 },
        remark: String(input.reason),
      };
    },
  },
  also: {
    options: [houseOptions('paidHouse', [PAYMENT_MENU]), cashiers()],
    approvals: [refundApproval],
    jobs: [
      crmJob(() => bound, 'billPayment', {
        name: 'crm.bill_payments',
        title: ['缴费同步CRM', 'Telling the CRM of payments'],
        number: 't.receipt_no',
        facts: `jsonb_build_object('state', t.state, 'projectId', t.project_id, 'houseId', t.house_id, 'channel', t.channel, 'amount', t.amount,
          'valueDate', t.value_date, 'paidAt', t.created_at, 'refundOf', t.refund_of)`,
      }),
    ],
    sights: [refundRequestSight],
    todos: [
      {
        kind: 'billPayment.excess',
        label: ['线上多收待核对', 'Paid too much online'],
        menu: PAYMENT_MENU,
        route: '/companymanager/cs_propertyBill?tab=excess',
        order: 46,
        count: async ({ caller, platform }) => {
          const parameters = new Parameters();
          const seen = scopeCondition(caller, PAYMENT_MENU, PAYMENT_SCOPE, parameters);
          const row = await runOne<{ count: number; oldest: Date | null }>(
            platform.database.db,
            `SELECT count(*)::int AS count, min(t.created_at) AS oldest FROM bill_payment t WHERE ${EXCESS} AND ${seen}`,
            parameters.values,
          );
          return { count: row!.count, oldest: row!.oldest, overdue: 0 };
        },
      },
    ],
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/billPayment/:id/receipt',
      title: ['收据', 'Receipt'],
      access: { code: PAYMENT_MENU },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return receiptOf(call.platform.database.db, id);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/billPayment/series',
      title: ['收据连续性', 'Whether receipts are continuous'],
      access: { code: PAYMENT_MENU },
      query: z.strictObject({}),
      handle: ({ platform, caller }) => {
        const parameters = new Parameters();
        const seen = scopeCondition(caller, PAYMENT_MENU, PAYMENT_SCOPE, parameters);
        return run(
          platform.database.db,
          `SELECT p.name AS project, r.year::integer AS year, r.next - 1 AS given, count(x.n)::integer AS found,
                  coalesce(array_agg(g.n ORDER BY g.n) FILTER (WHERE x.n IS NULL), '{}') AS missing
             FROM receipt_series r JOIN project p ON p.id = r.project_id
             JOIN LATERAL generate_series(1, r.next - 1) AS g (n) ON TRUE
             LEFT JOIN LATERAL (SELECT g.n FROM bill_payment y WHERE y.receipt_no = p.code || r.year || lpad(g.n::text, 6, '0')) x ON TRUE
            WHERE r.project_id IN (SELECT t.project_id FROM bill_payment t WHERE ${seen}) GROUP BY p.id, p.name, r.year, r.next ORDER BY p.id, r.year DESC`,
          parameters.values,
        );
      },
    }),
  ],
});

/** Payments of houses with their receipts. */
export const registration = bound.registration;

async function receiptOf(db: Executor, id: number) {
  const head = (await runOne<{
    receipt_no: string;
    project: string;
    house: string;
    payer_name: string;
    channel: string;
    amount: number;
    to_prepaid: number;
    value_date: string;
    cashier: string | null;
    prints: number;
  }>(
    db,
    `SELECT t.receipt_no, p.name AS project, ${PLACE} AS house, t.payer_name, t.channel, t.amount, t.to_prepaid, t.value_date::text AS value_date, s.name AS cashier, t.prints
       FROM bill_payment t JOIN house h ON h.id = t.house_id JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id
       JOIN project p ON p.id = t.project_id LEFT JOIN staff s ON s.id = t.cashier_id WHERE t.id = $1`,
    [id],
  ))!;
  const lines = await run<{ item: string; period_from: string; period_to: string; amount: number }>(
    db,
    `SELECT coalesce(nullif(i.receipt_title, ''), i.name) AS item, x.period_from::text AS period_from, x.period_to::text AS period_to, sum(a.amount)::bigint AS amount
       FROM bill_allocation a JOIN bill x ON x.id = a.bill_id JOIN fee_item i ON i.id = x.fee_item_id
      WHERE (a.payment_id = $1 AND a.refund_payment_id IS NULL OR a.refund_payment_id = $1)
      GROUP BY i.id, x.id HAVING sum(a.amount) <> 0 ORDER BY x.period_from, i.position, x.id`,
    [id],
  );
  return {
    receiptNo: head.receipt_no,
    project: head.project,
    house: head.house,
    payer: maskValue('name', head.payer_name),
    channel: head.channel,
    amount: yuanFromFen(head.amount),
    toPrepaid: yuanFromFen(head.to_prepaid),
    valueDate: head.value_date,
    cashier: head.cashier ?? '',
    prints: head.prints,
    lines: lines.map((one) => ({
      item: one.item,
      from: one.period_from,
      to: one.period_to,
      amount: yuanFromFen(one.amount),
    })),
  };
}

/** Picker of those who took money in, of the payments the caller sees. */
function cashiers(): OptionSource {
  return {
    target: 'paymentCashier',
    anyOf: [PAYMENT_MENU],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [
        `s.id IN (SELECT t.cashier_id FROM bill_payment t WHERE ${scopeCondition(caller, PAYMENT_MENU, PAYMENT_SCOPE, parameters)})`,
        query.ids.length > 0
          ? `s.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`
          : `s.name ILIKE ${parameters.bind(containing(query.searchVal))}`,
      ];
      const rows = await run<{ id: number; title: string }>(
        platform.database.db,
        `SELECT s.id, s.name AS title FROM staff s WHERE ${parts.join(' AND ')} ORDER BY s.name, s.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}
