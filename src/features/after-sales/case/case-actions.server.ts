import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import { fill } from '../../../kernel/contract/label.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { runOne, type Executor } from '../../../kernel/server/database.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { isSystem, type Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { addEffect } from '../../../kernel/server/tasks/outbox.ts';
import type { CaseReason, CaseType } from '../../../domain/after-sale/case.rules.ts';
import { CASE_SCOPE, type CaseRecord } from '../../../domain/after-sale/move-case.server.ts';
import { restartRefund } from '../refund/refund-restart.server.ts';
import { afterSale } from './case.contract.ts';
import { applyCase, type CaseLineRequest } from './case-apply.server.ts';
import type { CaseOutcome, CaseStep } from './case-money.server.ts';
import { CASE_NOTICE } from './case-notice.server.ts';
import {
  agreeCase,
  auditOverdue,
  escalateCase,
  finishExchange,
  noteStep,
  receiveCase,
  refuseCase,
  rejectParcel,
  sendExchange,
  startWaitingRefund,
  trackCase,
  withdraw,
} from './case-steps.server.ts';

/** Code of the order's timeline for 售后驳回. Source: group 21, case detail. */
const REFUSED = 55;

const PLATFORM_TURN: Label = ['平台已介入，由平台裁决', 'The platform decides this case'];
const PLATFORM_ONLY: Label = ['仅平台可裁决', 'Only the platform decides'];
const NOT_ESCALATED: Label = ['未申请平台介入', 'It was not brought before the platform'];
const FINAL: Label = ['平台已裁决，不能再申请介入', 'The platform has decided already'];
const IS_ESCALATED: Label = ['已由平台介入', 'It is before the platform already'];
const NO_EXCHANGE: Label = ['不是换货售后单', 'Not an exchange'];
const NOT_SENT: Label = ['换货尚未寄出', 'The exchange was not sent'];
const NOT_FAILED: Label = ['退款没有失败', 'The refund has not failed'];
const ONLY_REFUND: Label = ['仅退款售后单才能批量同意', 'Only refund-only cases can be agreed to together'];
const BULK_MAX: Label = ['批量同意单笔不超过{max}元', 'At most {max} each when agreeing to several'];

/** Why a staff may not take an action on a case; hides the button and refuses the call (30101). */
export const rowRules: NonNullable<Binding['rowRules']> = {
  agree: merchantsTurn,
  bulkAgree: (row) => merchantsTurn(row) ?? (row.type === 'refund_only' ? undefined : ONLY_REFUND),
  refuse: merchantsTurn,
  escalate: (row) => {
    if (row.escalated === true && row.state === 'applied') return IS_ESCALATED;
    return row.final === true ? FINAL : undefined;
  },
  decide: (row, caller) => {
    if (caller.tenantKind !== 3) return PLATFORM_ONLY;
    return row.escalated === true ? undefined : NOT_ESCALATED;
  },
  resend: (row) => (row.type === 'exchange' ? undefined : NO_EXCHANGE),
  sign: (row) => (row.type !== 'exchange' ? NO_EXCHANGE : row.sentAt === null ? NOT_SENT : undefined),
  signDue: (row) => (row.type !== 'exchange' || row.sentAt === null ? NOT_SENT : undefined),
  refundDue: (row) => (row.type === 'exchange' ? NO_EXCHANGE : undefined),
  restart: (row) => (row.refundState === 'failed' ? undefined : NOT_FAILED),
};

function merchantsTurn(row: DbRow): Label | undefined {
  return row.escalated === true ? PLATFORM_TURN : undefined;
}

/** What the actions of a case do inside their transaction. Source: group 21, states of a case. */
export const handlers: NonNullable<Binding['handlers']> = {
  apply: async (context) => {
    const { tx, platform, caller, facts, input } = context;
    const order = await orderInScope(tx, caller, String(input.orderCode));
    const made = await applyCase(tx, platform, {
      orderId: order.id,
      caller,
      facts,
      type: input.type as CaseType,
      lines: requestedLines(parsedLines(input.lines)),
      ...(input.amount === null || input.amount === undefined ? {} : { amount: input.amount as number }),
      reasonCode: input.reasonCode as CaseReason,
      reason: String(input.reason),
      evidence: (input.evidence as string[] | null) ?? [],
      ...(input.video ? { video: String(input.video) } : {}),
    });
    return { result: { id: String(made.id), code: made.code } };
  },
  agree: (context) => agreeBy(context),
  bulkAgree: async (context) => {
    const { tx, platform, row } = context;
    const record = row as unknown as CaseRecord;
    const max = await platform.settings.numberIn(tx, 'after_sale.bulk_max', { tenantId: record.tenant_id });
    if (record.applied_cash > max) throw ruleBroken(fill(BULK_MAX, { max: yuanFromFen(max) }));
    return agreeBy(context);
  },
  refuse: async (context) => {
    const { tx, caller, input } = context;
    const evidence = (input.evidence as string[] | null) ?? [];
    await checkAttachable(tx, caller, 'evidence', evidence);
    return finish(
      context,
      await refuseCase(stepOf(context), { reason: String(input.reason), evidence }),
      REFUSED,
    );
  },
  tracking: async (context) =>
    finish(
      context,
      await trackCase(stepOf(context), {
        company: String(context.input.company),
        trackingNo: String(context.input.trackingNo),
      }),
    ),
  receive: async (context) => {
    const { tx, caller, input } = context;
    const photos = (input.photos as string[] | null) ?? [];
    await checkAttachable(tx, caller, 'photos', photos);
    const outcome = await receiveCase(stepOf(context), {
      result: input.result as 'pass' | 'partial',
      lines: input.lines === null || input.lines === undefined ? undefined : acceptedLines(input.lines),
      amount: input.amount as number | null | undefined,
      photos,
      resellable: input.resellable === true,
      note: (input.note as string | null) ?? '',
    });
    return finish(context, outcome);
  },
  reject: async (context) => {
    const { tx, caller, input } = context;
    const photos = input.photos as string[];
    await checkAttachable(tx, caller, 'photos', photos);
    const outcome = await rejectParcel(stepOf(context), {
      reason: String(input.reason),
      photos,
      company: String(input.company),
      trackingNo: String(input.trackingNo),
    });
    return finish(context, outcome, REFUSED);
  },
  resend: async (context) => {
    const { company, trackingNo } = context.input as { company: string; trackingNo: string };
    return finish(context, {
      to: 'received',
      set: sendExchange({ company, trackingNo }),
      remark: `${company} ${trackingNo}`,
    });
  },
  sign: async (context) => finish(context, await finishExchange(stepOf(context))),
  signDue: async (context) => finish(context, await finishExchange(stepOf(context))),
  escalate: async (context) => {
    const outcome = await escalateCase(stepOf(context));
    await tellEscalated(context);
    return finish(context, { ...outcome, remark: String(context.input.reason) });
  },
  decide: async (context) => {
    const { input } = context;
    const step = stepOf(context);
    const reason = String(input.reason);
    const set = {
      final: true,
      ...(input.liable ? { liable: input.liable } : {}),
    };
    if (input.verdict === 'refuse') return finish(context, await refuseCase(step, { reason, set }), REFUSED);
    const outcome = await agreeCase(step, { ...agreementOf(input), direct: input.verdict === 'refund' }, set);
    return finish(context, { ...outcome, remark: [reason, outcome.remark].filter(Boolean).join(' · ') });
  },
  withdraw: async (context) =>
    finish(context, { ...(await withdraw(stepOf(context))), remark: String(context.input.reason) }),
  restart: async (context) => {
    const { tx, platform, caller, facts } = context;
    const record = context.row as unknown as CaseRecord;
    const state = await restartRefund(tx, { platform, caller, facts, refundId: record.refund_id! });
    // Nothing to pay by the channel: the refund has ended the case within this call.
    if (state === 'succeeded') return { to: 'done', set: {} };
    return finish(context, { to: 'refunding' });
  },
  auditDue: async (context) => {
    const outcome = await auditOverdue(stepOf(context));
    if (outcome.to === 'applied') await tellEscalated(context);
    return finish(context, outcome, undefined, outcome.to === 'applied' ? TO_PLATFORM : AGREED_LATE);
  },
  returnDue: async (context) => finish(context, await withdraw(stepOf(context))),
  receiveDue: async (context) => finish(context, await receiveCase(stepOf(context), { result: 'pass' })),
  refundDue: async (context) => finish(context, await startWaitingRefund(stepOf(context))),
};

const TO_PLATFORM: Label = ['超时未审核，转平台介入', 'Not answered in time, before the platform'];
const AGREED_LATE: Label = ['超时未审核，自动同意', 'Not answered in time, agreed'];

async function agreeBy(context: ActionContext): Promise<ActionResult> {
  return finish(context, await agreeCase(stepOf(context), agreementOf(context.input)));
}

function agreementOf(input: ActionContext['input']) {
  return {
    amount: input.amount as number | null | undefined,
    amountReason: input.amountReason as string | null | undefined,
    address: input.address as number | null | undefined,
  };
}

/** The step behind an action; what the product itself does has no caller. */
function stepOf({ tx, platform, row, caller, facts }: ActionContext): CaseStep {
  return {
    tx,
    platform,
    row: row as unknown as CaseRecord,
    ...(isSystem(caller) ? {} : { caller, facts }),
  };
}

async function finish(
  context: ActionContext,
  outcome: CaseOutcome,
  code?: number,
  event?: Label,
): Promise<ActionResult> {
  const spec = (afterSale as Resource).actions![context.action]!;
  const label = event ?? spec.event ?? spec.label;
  await noteStep(stepOf(context), outcome.to, label, outcome.remark ?? '', code);
  return {
    to: outcome.to,
    set: outcome.set ?? {},
    remark: outcome.remark ?? '',
    ...(event ? { event } : {}),
  };
}

async function tellEscalated({ tx, id }: ActionContext): Promise<void> {
  await addEffect(
    tx,
    CASE_NOTICE,
    { caseId: id, what: 'escalated' },
    { key: `${CASE_NOTICE}:${id}:escalated:${Date.now()}` },
  );
}

/** An order of the caller's scope by its number. Throws 404 at the field. */
export async function orderInScope(db: Executor, caller: Caller, code: string): Promise<{ id: number }> {
  const parameters = new Parameters();
  const number = parameters.bind(code.trim());
  const scope = scopeCondition(caller, afterSale.menu, CASE_SCOPE, parameters);
  const order = await runOne<{ id: number }>(
    db,
    `SELECT t.id FROM sales_order t WHERE t.code = ${number} AND ${scope}`,
    parameters.values,
  );
  if (!order) throw notFound(['订单不存在', 'There is no such order']);
  return order;
}

const idText = z.string().regex(/^\d{1,15}$/);

/** Lines of an application on the wire. */
export const linesBody = z
  .array(
    z.union([
      z.strictObject({
        lineId: idText,
        qty: z.number().int().min(1).max(99_999),
        newSpecId: idText.optional(),
      }),
      z.strictObject({ lineId: idText, amount: z.string().max(20) }),
    ]),
  )
  .min(1)
  .max(100);

const acceptedBody = z
  .array(z.strictObject({ lineId: idText, qty: z.number().int().min(0).max(99_999) }))
  .max(100);

function parsedLines(value: unknown): z.infer<typeof linesBody> {
  const answer = linesBody.safeParse(value);
  if (!answer.success) throw invalid({ lines: ['请选择售后商品', 'Please choose the goods'] });
  return answer.data;
}

function acceptedLines(value: unknown): { lineId: number; qty: number }[] {
  const answer = acceptedBody.safeParse(value);
  if (!answer.success) throw invalid({ lines: ['请输入合格数量', 'Please enter the accepted units'] });
  return answer.data.map((line) => ({ lineId: Number(line.lineId), qty: line.qty }));
}

/** Lines of the wire as the command takes them; amounts in yuan become fen. */
export function requestedLines(lines: z.infer<typeof linesBody>): CaseLineRequest[] {
  return lines.map((line) => {
    if ('qty' in line)
      return {
        lineId: Number(line.lineId),
        qty: line.qty,
        ...(line.newSpecId ? { newSpecId: Number(line.newSpecId) } : {}),
      };
    const fen = fenFromYuan(line.amount);
    if (fen === undefined || fen < 1)
      throw invalid({
        lines: ['请输入金额，最多两位小数', 'Please enter an amount with at most two decimals'],
      });
    return { lineId: Number(line.lineId), amount: fen };
  });
}
