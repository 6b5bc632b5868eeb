import { z } from 'zod';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import type { Call } from '../../../kernel/server/registration.ts';
import {
  applyRefund,
  suggestRefund,
  type RefundLineRequest,
} from '../../after-sales/refund/refund-apply.server.ts';
import { withdrawRefund } from '../../after-sales/refund/refund-end.server.ts';
import type { RefundReason } from '../../after-sales/refund/refund.contract.ts';
import { formulaForMerchant } from '../../../domain/trade-money/refund.rules.ts';
import { parsed } from './order-create.server.ts';

const idText = z.string().regex(/^\d{1,15}$/);
const lineList = z
  .array(
    z.union([
      z.strictObject({
        lineId: idText,
        qty: z.number().int().min(1).max(99_999),
        from: z.literal('shipped').optional(),
      }),
      z.strictObject({ lineId: idText, amount: z.string().max(20) }),
    ]),
  )
  .max(100);

/** Body of the suggestion: what is asked for, freight in yuan text where staff set it. */
export const suggestBody = z.strictObject({ lines: lineList, freight: z.string().max(20).optional() });

/** btn_refund and btn_returnAudit: a refund by staff; window, caps and levels are those of the refund engine. */
export async function refundOrder(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, caller, facts, id, input } = context;
  if (input.liable === 'platform' && caller.tenantKind !== 3)
    throw invalid({ liable: ['仅平台可选择由平台承担', 'Only the platform may choose this'] });
  const refund = await applyRefund(tx, {
    platform,
    caller,
    facts,
    applicantType: 2,
    orderId: id,
    lines: requested(parsed('lines', lineList, input.lines)),
    reasonCode: input.reasonCode as RefundReason,
    reason: input.reason as string,
    ...(input.freight === null || input.freight === undefined ? {} : { freight: input.freight as number }),
    ...(input.cash === null || input.cash === undefined ? {} : { agreedCash: input.cash as number }),
    ...(input.cashReason ? { cashReason: input.cashReason as string } : {}),
    ...(input.liable ? { liable: input.liable as 'merchant' | 'platform' } : {}),
  });
  return {
    remark: `${refund.code} · ${yuanFromFen(refund.cash)} · ${input.reason as string}`,
    result: {
      refundId: String(refund.id),
      code: refund.code,
      state: refund.state,
      cash: yuanFromFen(refund.cash),
      points: refund.points,
    },
  };
}

/** 撤回退款: whoever applied takes the application back while it waits for its audit. */
export async function withdrawOrderRefund(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, caller, facts, id } = context;
  const open = await runOne<{ id: number; code: string }>(
    tx,
    `SELECT id, code FROM refund WHERE order_id = $1 AND state = 'reviewing' AND applicant_id = $2`,
    [id, caller.staffId],
  );
  if (!open) throw ruleBroken(NO_OWN_REFUND);
  await withdrawRefund(tx, { platform, caller, facts, refundId: open.id });
  return { remark: open.code };
}

/** Refusal of a withdrawal where the caller has nothing to withdraw. */
export const NO_OWN_REFUND: Label = ['没有您发起的待审核退款', 'You have no refund waiting for its audit'];

/** What the refund engine would give back for these lines, with its formulas; nothing is written. */
export async function suggestForOrder(call: Call<unknown, z.infer<typeof suggestBody>>, orderId: number) {
  const db = call.platform.database.db;
  const { language } = call.facts;
  const answer = await suggestRefund(db, {
    orderId,
    caller: call.caller,
    lines: requested(call.body.lines),
    ...(call.body.freight === undefined ? {} : { freight: fenOf('freight', call.body.freight) }),
  });
  if (!answer.ok) return { ok: false, message: textOf(answer.breach.message, language) };
  const { split } = answer;
  const lines = await run<{ id: number; line_no: number; product_name: string }>(
    db,
    'SELECT id, line_no, product_name FROM order_line WHERE order_id = $1',
    [orderId],
  );
  return {
    ok: true,
    cash: yuanFromFen(split.cash),
    points: split.points,
    pointsValue: yuanFromFen(split.pointsValue),
    freight: yuanFromFen(split.freightPart),
    notices: split.notices.map((notice) => textOf(notice, language)),
    rows: split.rows.map((row) => {
      const line = lines.find((one) => one.line_no === row.lineNo);
      return {
        lineId: String(line?.id ?? ''),
        productName: line?.product_name ?? '',
        qty: row.qty,
        cash: yuanFromFen(row.cash),
        formula: textOf(call.caller.tenantKind === 2 ? formulaForMerchant(row) : row.formula, language),
        before: yuanFromFen(row.cashLeftBefore),
        after: yuanFromFen(row.cashLeftAfter),
      };
    }),
  };
}

function requested(lines: z.infer<typeof lineList>): RefundLineRequest[] {
  return lines.map((line) =>
    'qty' in line
      ? { lineId: Number(line.lineId), qty: line.qty, ...(line.from ? { from: line.from } : {}) }
      : { lineId: Number(line.lineId), amount: fenOf('lines', line.amount) },
  );
}

function fenOf(field: string, yuan: string): number {
  const fen = fenFromYuan(yuan);
  if (fen === undefined || fen < 0)
    throw invalid({
      [field]: ['请输入金额，最多两位小数', 'Please enter an amount with at most two decimals'],
    });
  return fen;
}
