import type { Label } from '../../../kernel/contract/label.ts';
import { run } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { filesById } from '../../../kernel/server/files/files.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { RecordPrefix } from '../../../kernel/server/registration.ts';
import { keepWorkTrade } from '../../../domain/work-order/work-order-refund.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { applyRefund } from '../../after-sales/refund/refund-apply.server.ts';
import { fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { WORK_PAY_WAYS } from './work-order.contract.ts';

/** Days a buyer has to confirm what was finished. Source: group 08, mm_businessOrder. */
export const CONFIRM_DAYS = 7;

const paidAlready: Label = ['已付款，请走退款', 'It is paid, use a refund'];
const isPaid = (row: DbRow) => Number(row.paid) > 0;

/** How orders of goods and services stand in the table of work orders, under either menu. */
export const workOrderBinding: Binding = {
  table: 'work_order',
  entity: 'tradeWorkOrder',
  from: `work_order t LEFT JOIN tenant m ON m.id = t.tenant_id LEFT JOIN project p ON p.id = t.project_id
    LEFT JOIN business b ON b.id = t.business_id LEFT JOIN member u ON u.id = t.member_id LEFT JOIN staff h ON h.id = t.handler_id`,
  stateColumn: 'sub_status',
  columns: {
    state: 't.sub_status',
    merchant: { id: 't.tenant_id', title: 'm.name' },
    project: { id: 't.project_id', title: 'p.name' },
    business: { id: 't.business_id', title: 'b.name', titleEn: 'b.name_en' },
    handler: { id: 't.handler_id', title: 'h.name' },
    buyer: 'u.name',
    buyerPhone: 'u.phone',
    pictures: 't.image_ids::text[]',
    source: 't.source::text',
    score: 't.score_overall',
  },
  writes: { note: false, reason: false, tradeNo: false, score: false },
  scope: { tenant: 't.tenant_id', project: 't.project_id', owner: 't.created_by' },
  search: 't.search',
  searchExact: ['t.contact_phone'],
  filters: {
    source: (value, parameters) => {
      const codes = value.split(',');
      if (!codes.every((one) => /^[1-4]$/.test(one)))
        throw invalid({ source: ['没有此选项', 'There is no such choice'] });
      return `t.source = ANY(${parameters.bind(codes.map(Number))}::smallint[])`;
    },
  },
  unique: {
    work_order_trade_no: ['该流水号已登记', 'This trade no. was recorded already'],
  },
  ruleReads: ['paid', 'amount', 'refunded'],
  rowRules: {
    quote: (row) => (isPaid(row) ? ['已付款，不能再报价', 'It is paid, the quote stands'] : undefined),
    finish: (row) =>
      Number(row.amount ?? 0) > 0 && !isPaid(row) ? ['请先完成收款', 'It has to be paid first'] : undefined,
    cancel: (row) => (isPaid(row) ? paidAlready : undefined),
    refund: (row) =>
      !isPaid(row)
        ? ['尚未付款', 'It is not paid']
        : Number(row.refunded) >= Number(row.paid)
          ? ['已全部退款', 'All of it was refunded']
          : undefined,
  },
  sets: { remark: { remark: fromInput('remark') } },
  handlers: {
    accept: async (context) =>
      step(context, String(context.input.note ?? ''), {
        status: 'processing',
        handler_id: context.caller.staffId,
        accepted_at: new Date(),
        started_at: new Date(),
      }),
    assign: async (context) => {
      const { input } = context;
      const at = input.expectedAt ? new Date(String(input.expectedAt)) : undefined;
      if (at && at.getTime() <= Date.now())
        throw invalid({ expectedAt: ['预约时间须晚于现在', 'The appointment lies in the future'] });
      return step(context, String(input.servicePerson), {
        service_person: input.servicePerson,
        ...(at ? { expected_at: at } : {}),
      });
    },
    quote: async (context) =>
      step(context, String(context.input.quoteNote), {
        amount: context.input.amount,
        quote_note: context.input.quoteNote,
      }),
    pay: recordPayment,
    finish: async (context) =>
      step(context, String(context.input.result), {
        status: 'finished',
        result: context.input.result,
        finished_at: new Date(),
      }),
    confirm: async (context) =>
      step(context, `代录 / entered by staff ${String(context.input.comment ?? '')}`.trim(), {
        completed_at: new Date(),
        ...(context.input.score ? { score_overall: context.input.score } : {}),
        ...(context.input.comment ? { comment: context.input.comment } : {}),
      }),
    autoConfirm: async (context) => step(context, '', { completed_at: new Date() }),
    refund: askRefund,
    cancel: async (context) =>
      step(context, String(context.input.reason), {
        status: 'cancelled_by_staff',
        cancel_reason: context.input.reason,
        // What was quoted and never paid is owed by nobody.
        amount: null,
      }),
  },
  present: async (rows, db) => {
    const files = await filesById(
      db,
      rows.flatMap((row) => (row.pictures as string[] | undefined) ?? []),
    );
    for (const row of rows)
      if (row.pictures) row.pictures = (row.pictures as string[]).flatMap((id) => files.get(id) ?? []);
  },
};

/** WO numbers of the palette under one of the two menus: whole, or the last six digits and more. */
export function workOrderPrefix(
  contract: Pick<Resource, 'menu' | 'title'>,
  type: 'goods' | 'service',
): RecordPrefix {
  return {
    prefix: 'WO',
    menu: contract.menu,
    label: contract.title,
    find: async ({ caller, platform }, number) => {
      const digits = number.replace(/\D/g, '');
      if (digits.length < 6) return [];
      const parameters = new Parameters();
      const rows = await run<{ id: number; code: string; title: string }>(
        platform.database.db,
        `SELECT t.id, t.code, t.title FROM work_order t WHERE t.type = ${parameters.bind(type)} AND t.code LIKE ${parameters.bind(`WO%${digits}`)}
            AND ${scopeCondition(caller, contract.menu, workOrderBinding.scope, parameters)} ORDER BY t.id DESC LIMIT 10`,
        parameters.values,
      );
      return rows.map((row) => ({
        code: row.code,
        title: row.title,
        route: `/merchantManager/${contract.menu}?detail=${row.id}`,
      }));
    },
  };
}

/** One step of an order: what changes, and its line in the timeline that the member reads too. */
async function step(
  { tx, id, action, caller }: ActionContext,
  content: string,
  set: Readonly<Record<string, unknown>>,
): Promise<ActionResult> {
  await run(
    tx,
    'INSERT INTO work_order_event (order_id, who, staff_id, action, content) VALUES ($1, $2, $3, $4, $5)',
    [id, caller.name, caller.staffId === 0 ? null : caller.staffId, action, content],
  );
  return { set, ...(content ? { remark: content } : {}) };
}

/** Hands a refund into the audit, where two other persons pay it back; until it ends the order is 退款中. */
async function askRefund(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, caller, facts, id, row, input } = context;
  const [amount, reason] = [Number(input.amount), String(input.reason)];
  const left = Number(row.paid) - Number(row.refunded);
  if (amount > left) throw ruleBroken([`最多可退${yuanFromFen(left)}元`, `At most ${yuanFromFen(left)}`]);
  const { orderId, lineId } = await keepWorkTrade(tx, id);
  const refund = await applyRefund(tx, {
    platform,
    caller,
    facts,
    // No window counts, and nobody passes a refund of an own application.
    system: true,
    applicantType: 2,
    orderId,
    lines: [{ lineId, amount }],
    reasonCode: 'other',
    reason,
  });
  const result = await step(context, `${yuanFromFen(amount)} · ${reason}`, { refund_from: row.sub_status });
  return { ...result, result: { refund: refund.code } };
}

/** Money that came at the counter or was seen at the channel: all that was quoted, once per trade number. */
async function recordPayment(context: ActionContext): Promise<ActionResult> {
  const { input, row } = context;
  if (Number(input.amount) !== Number(row.amount))
    throw ruleBroken(['收款金额与报价不一致', 'The amount differs from the quote']);
  const tradeNo = String(input.tradeNo ?? '').trim();
  if (tradeNo === '' && input.payWay !== 'cash')
    throw invalid({ tradeNo: ['请填写流水号', 'Please enter the trade no.'] });
  const way = WORK_PAY_WAYS[input.payWay as keyof typeof WORK_PAY_WAYS].label;
  return step(context, `${way[0]} ${tradeNo}`.trim(), {
    paid: row.amount,
    pay_way: input.payWay,
    trade_no: tradeNo,
    paid_at: new Date(),
  });
}
