import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import type { ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { billInvoice } from './bill-invoice.contract.ts';

const SCOPE: ScopeColumns = { tenant: 't.tenant_id', project: 't.project_id', owner: 't.created_by' };

/** SQL: what a payment (by a column that names it) has on bills, less what was paid back of it. */
const ON_BILLS = (payment: string) =>
  `(SELECT CASE WHEN ip.state = 'void' THEN 0 ELSE ip.allocated + coalesce((SELECT sum(ir.allocated) FROM bill_payment ir WHERE ir.refund_of = ip.id), 0) END FROM bill_payment ip WHERE ip.id = ${payment})::bigint`;
/** SQL: what stands on invoices of a payment, asked for or issued. */
export const INVOICED = (payment: string) =>
  `(SELECT coalesce(sum(iv.amount), 0) FROM bill_invoice iv WHERE iv.payment_id = ${payment} AND iv.state IN ('requested', 'issued'))::bigint`;

/** Invoices of payments. Source: group 06, cs_propertyBill. */
export const registration = bindResource(billInvoice, {
  table: 'bill_invoice',
  from: `bill_invoice t LEFT JOIN bill_payment y ON y.id = t.payment_id LEFT JOIN house h ON h.id = y.house_id LEFT JOIN building_unit u ON u.id = h.unit_id LEFT JOIN building b ON b.id = u.building_id`,
  joins: { project: 'project' },
  columns: {
    payment: { id: 't.payment_id', title: 'y.receipt_no' },
    house: { id: 'y.house_id', title: '(b.name || u.name || h.number)' },
  },
  scope: SCOPE,
  search: 't.search',
  unique: { bill_invoice_number: ['该发票号码已登记', 'This invoice number is recorded already'] },
  tabs: {
    above: () =>
      `(t.state IN ('requested', 'issued') AND ${INVOICED('t.payment_id')} > ${ON_BILLS('t.payment_id')})`,
  },
  extra: {
    thisMonth: `date_trunc('month', t.issued_on::timestamp) = date_trunc('month', ${TODAY}::timestamp)`,
  },
  ruleReads: ['thisMonth'],
  rowRules: {
    void: (row: DbRow): Label | undefined =>
      row.thisMonth === true
        ? undefined
        : ['跨月发票请红冲', 'Of an earlier month: take it back by a red invoice'],
  },
  handlers: {
    issue: ({ input, platform }) => {
      const on = String(input.issuedOn);
      if (on > businessDayOf(new Date())) throw invalid({ issuedOn: ['不能晚于今天', 'Not a day to come'] });
      platform.changed('billPayment');
      return Promise.resolve({
        set: { number: digits('number', input.number), issued_on: on },
        remark: String(input.number),
      });
    },
    cancel: ({ input, platform }) => ended(platform, { end_reason: input.reason }, String(input.reason)),
    void: ({ input, platform }) => ended(platform, { end_reason: input.reason }, String(input.reason)),
    red: ({ input, platform }) =>
      ended(
        platform,
        { end_reason: input.reason, red_number: digits('number', input.number) },
        `${String(input.number)} · ${String(input.reason)}`,
      ),
  },
}).registration;

function ended(
  platform: ActionContext['platform'],
  set: Readonly<Record<string, unknown>>,
  remark: string,
): Promise<ActionResult> {
  platform.changed('billPayment');
  return Promise.resolve({ set, remark });
}

function digits(field: string, value: unknown): string {
  const text = String(value);
  if (!/^\d{8,20}$/.test(text))
    throw invalid({ [field]: ['发票号码为8–20位数字', 'An invoice number has 8 to 20 digits'] });
  return text;
}

/** What of a payment may still be invoiced, in fen. */
async function invoiceable(db: Executor, paymentId: number): Promise<number> {
  const row = await runOne<{ left: number }>(
    db,
    `SELECT (${ON_BILLS('$1')} - ${INVOICED('$1')})::bigint AS left`,
    [paymentId],
  );
  return Math.max(0, row!.left);
}

/** Asks for an invoice of the locked payment, at most for what it has on bills and no invoice stands for. */
export async function askInvoice(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, input, caller, platform } = context;
  requireProjectsInReach(caller, [Number(row.project_id)]);
  const type = String(input.type);
  const duty = String(input.dutyCode ?? '')
    .trim()
    .toUpperCase();
  if (type === 'company' && !/^[0-9A-Z]{15,20}$/.test(duty))
    throw invalid({ dutyCode: ['请填写15–20位税号', 'A tax number has 15 to 20 letters and digits'] });
  const most = await invoiceable(tx, id);
  const amount = Number(input.amount);
  if (amount > most)
    throw ruleBroken([`最多可开${yuanFromFen(most)}元`, `At most ${yuanFromFen(most)} can be invoiced`]);
  const code = await nextCode(tx, 'IV');
  const made = await insertRow(tx, 'bill_invoice', {
    code,
    payment_id: id,
    tenant_id: row.tenant_id,
    project_id: row.project_id,
    type,
    title: input.title,
    duty_code: type === 'company' ? duty : '',
    amount,
    remark: input.remark ?? '',
    created_by: staffIdOf(caller),
    updated_by: staffIdOf(caller),
  });
  await writeTimeline(tx, {
    entity: 'billInvoice',
    entityId: made,
    caller,
    action: 'create',
    label: ['申请开票', 'Asked for'],
    to: 'requested',
  });
  platform.changed('billInvoice');
  return { remark: `${code} ${yuanFromFen(amount)}`, result: { id: String(made) } };
}

/** Whether an invoice stands for a locked payment. */
export async function requireNoInvoice(db: Executor, paymentId: number): Promise<void> {
  const [row] = await run<{ amount: number }>(db, `SELECT ${INVOICED('$1')} AS amount`, [paymentId]);
  if (row!.amount > 0)
    throw ruleBroken([
      '已有发票，请先取消、作废或红冲',
      'An invoice stands for it: cancel or take it back first',
    ]);
}
