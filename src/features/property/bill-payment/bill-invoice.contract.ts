import { choice, code, date, instant, longText, money, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { PAYMENT_MENU } from './bill-payment.contract.ts';

/** Whom an invoice is for. */
export const INVOICE_TYPES = {
  personal: { label: ['个人', 'Personal'], code: 1 },
  company: { label: ['公司', 'Company'], code: 2 },
} as const;

const seen = { readOnly: true } as const;
const reason = longText(['原因', 'Reason'], { required: true, min: 2, max: 200 });
const number = text(['发票号码', 'Invoice number'], { required: true, min: 8, max: 20 });

/** An invoice for what a payment put on bills: asked for, issued, and taken back by voiding or a red one. */
export const billInvoice = defineResource({
  name: 'billInvoice',
  menu: PAYMENT_MENU,
  title: ['发票', 'Invoices'],
  noun: ['发票', 'Invoice'],
  titleField: 'code',
  prefix: 'IV',
  stamps: true,
  fields: {
    code: code(['申请号', 'No.'], { ...seen, keyword: true, width: 150 }),
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 140 }),
    house: ref('paidHouse', ['房屋', 'House'], { ...seen, width: 150 }),
    payment: ref('billPayment', ['收据号', 'Receipt'], { ...seen, search: 'in', width: 170 }),
    type: choice(['类型', 'Type'], INVOICE_TYPES, { ...seen, search: 'in', width: 90 }),
    title: text(['抬头', 'Title'], { ...seen, keyword: true, width: 170 }),
    dutyCode: text(['税号', 'Tax number'], { ...seen, width: 170 }),
    amount: money(['开票金额', 'Amount'], { ...seen, sortable: true, width: 120 }),
    number: text(['发票号码', 'Invoice number'], { ...seen, keyword: true, width: 150 }),
    issuedOn: date(['开票日', 'Issued on'], { ...seen, search: 'range', sortable: true, width: 110 }),
    redNumber: text(['红字发票号码', 'Red invoice'], { ...seen, width: 150 }),
    endReason: text(['作废/红冲原因', 'Taken back because'], { ...seen, width: 160 }),
    remark: text(['备注', 'Remark'], { ...seen, width: 150 }),
    creator: ref('staff', ['申请人', 'Asked by'], { ...seen, width: 100 }),
    createdAt: instant(['申请时间', 'Asked'], { ...seen, sortable: true, width: 150 }),
  },
  states: {
    requested: { label: ['待开票', 'Asked for'], tone: 'warning' },
    issued: { label: ['已开票', 'Issued'], tone: 'success' },
    cancelled: { label: ['已取消', 'Cancelled'], tone: 'paused' },
    void: { label: ['已作废', 'Void'], tone: 'paused' },
    red: { label: ['已红冲', 'Taken back'], tone: 'error' },
  },
  list: {
    columns: [
      'code',
      'payment',
      'house',
      'type',
      'title',
      'dutyCode',
      'amount',
      'state',
      'number',
      'issuedOn',
      'redNumber',
      'creator',
      'createdAt',
    ],
    hidden: ['project', 'endReason', 'remark'],
    filters: ['project', 'payment', 'type', 'state', 'issuedOn'],
    sort: '-createdAt',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'requested', label: ['待开票', 'Asked for'], filter: { state: 'requested' } },
      { key: 'above', label: ['须红冲', 'To be taken back'], named: true },
    ],
    sums: ['amount'],
    export: true,
    empty: ['还没有开票申请', 'No invoice was asked for'],
  },
  actions: {
    issue: {
      label: ['开票', 'Issue'],
      on: 'row',
      element: 'btn_invoice',
      tone: 'primary',
      from: ['requested'],
      to: 'issued',
      input: { number, issuedOn: date(['开票日', 'Issued on'], { required: true }) },
    },
    cancel: {
      label: ['取消申请', 'Cancel'],
      on: 'row',
      element: 'btn_invoice',
      from: ['requested'],
      to: 'cancelled',
      input: { reason },
    },
    void: {
      label: ['作废', 'Void'],
      on: 'row',
      element: 'btn_invoice',
      tone: 'danger',
      from: ['issued'],
      to: 'void',
      input: { reason },
    },
    red: {
      label: ['红冲', 'Take back'],
      on: 'row',
      element: 'btn_invoice',
      tone: 'danger',
      from: ['issued'],
      to: 'red',
      input: {
        number: text(['红字发票号码', 'Number of the red invoice'], { required: true, min: 8, max: 20 }),
        reason,
      },
    },
  },
});

export type BillInvoiceRow = Row<typeof billInvoice>;
