import type { Label } from '../../kernel/contract/label.ts';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { businessDayOf } from '../../kernel/contract/time.rules.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { checkAttachable } from '../../kernel/server/files/files.ts';
import { invalid, ruleBroken } from '../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../kernel/server/people/caller.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import type { DbRow } from '../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../kernel/server/resource/run-action.ts';
import {
  addAdjustmentRow,
  endOfWorkingDays,
  hashOfRows,
  rebuildStatement,
  refreshHeader,
} from '../statement/draft-statement.server.ts';
import { payOrCarry } from '../statement/settlement.rules.ts';
import { tellMerchant } from '../statement/statement-notice.server.ts';
import { bookArrived, bookConfirmed, bookPaying, bookVoided } from './statement-money.server.ts';

/** The steps of a statement's life, for the screens that offer them. Source: group 13, Statement life cycle. */

export const UPDATED: Label = ['账单已更新，请重新核对', 'The statement has changed'];
const REBUILT: Label = ['账单内容已更新，请重新查看', 'The bill was updated, please look at it again'];
export const MAKER: Label = ['制单人不能付款', 'The maker cannot pay'];

/** Hands the rows in: they are frozen under a hash, and the merchant's window begins. */
export async function openWindow(
  { tx, id, row, platform }: ActionContext,
  submitterId: number | null,
): Promise<ActionResult> {
  const days = await platform.settings.numberIn(tx, 'settle.objection_days', {
    tenantId: Number(row.tenant_id),
  });
  const now = new Date();
  await tellMerchant(tx, row, ['新账单待确认', 'A new bill waits for your confirmation']);
  return {
    to: 'to_confirm',
    set: {
      submitter_id: submitterId,
      submitted_at: now,
      window_ends_at: await endOfWorkingDays(tx, now, days),
      window_stopped_at: null,
      rows_hash: await hashOfRows(tx, id),
    },
  };
}

/** Fixes what is paid and what is carried over, and books what is owed. */
export async function confirmStatement(
  { tx, id, row, platform, caller }: ActionContext,
  confirmer: 'merchant' | 'system' | 'platform',
): Promise<ActionResult> {
  const payable = Number(row.payable);
  const least = await platform.settings.numberIn(tx, 'settle.min_pay', { tenantId: Number(row.tenant_id) });
  const { pay, carry } = payOrCarry(payable, row.kind === 'final' ? 1 : least);
  const now = new Date();
  const staffId = caller.staffId === 0 ? undefined : caller.staffId;
  await bookConfirmed(tx, id, { staffId, at: now });
  return {
    to: pay > 0 ? 'to_pay' : 'settled',
    set: {
      pay_amount: pay,
      carry_out: carry,
      confirmer,
      confirmed_by: staffId ?? null,
      confirmed_at: now,
      to_pay_at: pay > 0 ? now : null,
      window_stopped_at: null,
    },
  };
}

/** Refuses a confirmation of other rows than those the statement has now. */
export function requireSameRows(row: DbRow, hash: unknown): void {
  if (hash === row.rows_hash) return;
  throw ruleBroken((row.former_hashes as string[]).includes(String(hash)) ? REBUILT : UPDATED);
}

/** Takes a statement back from the merchant: it is a draft again, what the merchant holds of it is void. */
export function recallStatement({ row, input }: ActionContext): Promise<ActionResult> {
  return Promise.resolve({
    to: 'draft',
    set: {
      former_hashes: [...(row.former_hashes as string[]), String(row.rows_hash)],
      window_ends_at: null,
      window_stopped_at: null,
    },
    remark: String(input.reason),
  });
}

/** Reckons a draft anew and tells the difference. */
export async function rebuild({ tx, id }: ActionContext): Promise<ActionResult> {
  const { before, after, rows } = await rebuildStatement(tx, id);
  if (rows === 0)
    throw ruleBroken(['已没有可结算的明细，请作废', 'There is nothing left to settle: void the draft']);
  return {
    remark: `${yuanFromFen(before)} → ${yuanFromFen(after)}`,
    result: { before: yuanFromFen(before), after: yuanFromFen(after) },
  };
}

/** What is still to be answered of the round. */
const OPEN_DISPUTES = `SELECT d.id, d.line_id, d.claimed, l.row_no, l.net, l.source_type, l.source_id FROM statement_dispute d JOIN statement_line l ON l.id = d.line_id
  WHERE d.statement_id = $1 AND d.withdrawn_at IS NULL AND d.answer IS NULL`;

/** Answers a dispute of a statement: a correction of the difference, nothing, or the line stands aside until a day. */
export async function answerDispute({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const dispute = await runOne<{
    id: number;
    line_id: number;
    claimed: number | null;
    row_no: number;
    net: number;
    source_type: string;
    source_id: number;
  }>(tx, `${OPEN_DISPUTES} AND d.id = $2`, [id, input.dispute]);
  if (!dispute) throw invalid({ dispute: ['没有待答复的异议', 'No dispute that waits for an answer'] });
  const answer = String(input.answer);
  const text = String(input.text ?? '').trim();
  if (answer === 'rejected' && text.length < 5)
    throw invalid({ text: ['不采纳须说明，至少5字', 'Say why, at least 5 characters'] });
  if (answer === 'accepted') await accept(tx, id, row, dispute, caller.staffId);
  if (answer === 'released') {
    const until = input.until as string | null | undefined;
    if (!until || until <= businessDayOf(new Date()))
      throw invalid({ until: ['请选择今天之后的日期', 'Choose a day after today'] });
    if (!['order_line', 'order_freight', 'refund', 'refund_freight'].includes(dispute.source_type))
      throw invalid({ answer: ['该行不能移出', 'This row cannot be taken out'] });
    await releaseLine(tx, id, dispute.line_id);
    await run(
      tx,
      `INSERT INTO statement_hold (source_type, source_id, until_on, statement_id, created_by) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (source_type, source_id) DO UPDATE SET until_on = excluded.until_on, statement_id = excluded.statement_id, created_by = excluded.created_by`,
      [dispute.source_type, dispute.source_id, until, id, caller.staffId],
    );
  }
  await run(
    tx,
    'UPDATE statement_dispute SET answer = $2, answer_text = $3, answered_by = $4, answered_at = now() WHERE id = $1',
    [dispute.id, answer, text, staffIdOf(caller)],
  );
  await refreshHeader(tx, id);
  return { remark: `第 ${dispute.row_no} 行 / row ${dispute.row_no}${text ? `：${text}` : ''}` };
}

/** Takes a row out; what was clawed back of a sale leaves with it and waits until the sale is settled. */
async function releaseLine(tx: Tx, id: number, lineId: number): Promise<void> {
  const line = (await runOne<{ row_kind: string; order_id: number; order_line_id: number | null }>(
    tx,
    'SELECT row_kind, order_id, order_line_id FROM statement_line WHERE id = $1',
    [lineId],
  ))!;
  const backs = `l.active AND l.order_id = $1 AND CASE $2::text WHEN 'sale' THEN l.row_kind = 'refund' AND l.order_line_id = $3 WHEN 'freight' THEN l.row_kind = 'refund_freight' ELSE false END`;
  const values = [line.order_id, line.row_kind, line.order_line_id];
  const elsewhere = await runOne<{ code: string }>(
    tx,
    `SELECT s.code FROM statement_line l JOIN statement s ON s.id = l.statement_id WHERE l.statement_id <> $4 AND ${backs} LIMIT 1`,
    [...values, id],
  );
  if (elsewhere)
    throw ruleBroken([
      `该行的追回已在结算单 ${elsewhere.code}，不能移出`,
      `What was clawed back of this row stands on ${elsewhere.code}: it cannot be taken out`,
    ]);
  await run(tx, 'UPDATE statement_line SET active = false WHERE id = $1', [lineId]);
  await run(tx, `UPDATE statement_line l SET active = false WHERE l.statement_id = $4 AND ${backs}`, [
    ...values,
    id,
  ]);
}

async function accept(
  tx: Tx,
  id: number,
  row: DbRow,
  dispute: {
    readonly id: number;
    readonly claimed: number | null;
    readonly row_no: number;
    readonly net: number;
  },
  staffId: number,
): Promise<void> {
  if (dispute.claimed === null)
    throw invalid({
      answer: ['异议未填主张金额，不能采纳', 'No amount was claimed: it cannot be accepted'],
    });
  const difference = dispute.claimed - dispute.net;
  if (difference === 0) return;
  const made = await runOne<{ id: number }>(
    tx,
    `INSERT INTO statement_adjustment (code, tenant_id, type, direction, amount, reason, state, origin, maker_id, created_by, updated_by, checked_at)
     VALUES ($1, $2, 'correction', $3, $4, $5, 'approved', $6, $7, $7, $7, now()) RETURNING id`,
    [
      await nextCode(tx, 'SA'),
      row.tenant_id,
      difference > 0 ? 'plus' : 'minus',
      Math.abs(difference),
      `${String(row.code)} 第 ${dispute.row_no} 行异议更正`,
      `dispute:${dispute.id}`,
      staffId,
    ],
  );
  await addAdjustmentRow(tx, id, made!.id);
}

/** Sends an answered statement to the merchant again: another round, another hash, a shorter window. */
export async function resubmitStatement({ tx, id, row, platform }: ActionContext): Promise<ActionResult> {
  const open = await run(tx, OPEN_DISPUTES, [id]);
  if (open.length > 0)
    throw ruleBroken([`还有 ${open.length} 行异议未答复`, `${open.length} disputed rows are not answered`]);
  const days = await platform.settings.numberIn(tx, 'settle.reconfirm_days', {
    tenantId: Number(row.tenant_id),
  });
  const hash = await hashOfRows(tx, id);
  const former = row.former_hashes as string[];
  await tellMerchant(tx, row, ['异议已答复，请重新确认', 'Your dispute was answered, please confirm again']);
  return {
    to: 'to_confirm',
    set: {
      round: Number(row.round) + 1,
      window_ends_at: await endOfWorkingDays(tx, new Date(), days),
      window_stopped_at: null,
      rows_hash: hash,
      former_hashes: hash === row.rows_hash ? former : [...former, String(row.rows_hash)],
    },
  };
}

/** The platform ends a dispute that came back three times. */
export async function decideStatement(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, input } = context;
  if (Number(row.round) < 3)
    throw ruleBroken(['第 3 轮起才能裁定', 'A decision is possible from the third round on']);
  await run(
    tx,
    `UPDATE statement_dispute SET answer = 'rejected', answer_text = $2, answered_by = $3, answered_at = now()
      WHERE statement_id = $1 AND withdrawn_at IS NULL AND answer IS NULL`,
    [id, String(input.reason), staffIdOf(context.caller)],
  );
  await tellMerchant(tx, row, ['异议已裁定', 'The dispute was decided']);
  return { ...(await confirmStatement(context, 'platform')), remark: String(input.reason) };
}

/** The platform confirms in place of the merchant, with what proves it. */
export async function confirmFor(context: ActionContext): Promise<ActionResult> {
  const evidence = context.input.evidence as string[];
  await checkAttachable(context.tx, context.caller, 'evidence', evidence);
  const done = await confirmStatement(context, 'platform');
  return {
    ...done,
    set: { ...done.set, confirm_evidence: evidence },
    remark: String(context.input.reason),
  };
}

/** The cashier has transferred the amount: with receipt and pictures the statement is settled. */
export async function payOffline(
  { tx, id, row, input, caller }: ActionContext,
  differs: (asked: number, due: number) => Label,
): Promise<ActionResult> {
  const frozen = await runOne(tx, 'SELECT FROM tenant WHERE id = $1 AND settlement_frozen FOR SHARE', [
    row.tenant_id,
  ]);
  if (frozen) throw ruleBroken(['商户结算冻结', 'Settlement frozen']);
  const amount = Number(input.amount);
  if (amount !== Number(row.pay_amount)) throw ruleBroken(differs(amount, Number(row.pay_amount)));
  if (String(input.paidOn) > businessDayOf(new Date()))
    throw invalid({ paidOn: ['付款日期不能晚于今天', 'Not after today'] });
  const vouchers = input.vouchers as string[];
  await checkAttachable(tx, caller, 'vouchers', vouchers);
  const live = await runOne(
    tx,
    `SELECT FROM payout WHERE statement_id = $1 AND state NOT IN ('failed', 'cancelled')`,
    [id],
  );
  if (live) throw ruleBroken(['该结算单已在付款批次中', 'The statement stands in a payment batch']);
  const payment = {
    tenantId: Number(row.tenant_id),
    amount,
    source: { type: 'statement', id },
    staffId: caller.staffId,
  } as const;
  await bookPaying(tx, payment);
  await bookArrived(tx, payment);
  await tellMerchant(tx, row, ['账单已付款', 'The bill was paid']);
  const receiptNo = String(input.receiptNo).trim();
  return {
    set: {
      pay_way: 'offline',
      paid_to: String(input.payee ?? '') || payeeOf(row),
      paid_by: caller.staffId,
      paid_on: input.paidOn,
      paid_at: new Date(),
      receipt_no: receiptNo,
      voucher_ids: vouchers,
    },
    remark: `回单 / receipt ${receiptNo}`,
  };
}

/** Whom a statement is paid to, in one line. */
export function payeeOf(row: DbRow): string {
  return [row.payee_name, row.payee_bank, row.payee_tail ? `****${String(row.payee_tail)}` : '']
    .filter(Boolean)
    .join(' ')
    .slice(0, 80);
}

/** Adds pictures to a payment; none is ever taken away. */
export async function addVouchers({ tx, row, input, caller }: ActionContext): Promise<ActionResult> {
  const kept = row.voucher_ids as string[];
  const all = [...new Set([...kept, ...(input.vouchers as string[])])];
  if (all.length > 30) throw invalid({ vouchers: ['最多 30 张凭证', 'At most 30 vouchers'] });
  await checkAttachable(tx, caller, 'vouchers', all, kept);
  return { set: { voucher_ids: all }, remark: `+${all.length - kept.length}` };
}

/** Takes the confirmation back in the ledger; the rows are released once the statement is void. */
export async function voidConfirmed({ tx, id, row, caller }: ActionContext): Promise<ActionResult> {
  // A draft that would carry its rest over claims it behind the same lock.
  await run(tx, 'SELECT FROM tenant WHERE id = $1 FOR NO KEY UPDATE', [row.tenant_id]);
  const used = await runOne(
    tx,
    `SELECT FROM payout WHERE statement_id = $1 AND state NOT IN ('failed', 'cancelled')
     UNION ALL SELECT FROM statement_line WHERE source_type = 'statement' AND source_id = $1 AND active`,
    [id],
  );
  if (used)
    throw ruleBroken([
      '已有付款或结转引用该结算单，不能作废',
      'A payment or a later statement refers to it: it cannot be voided',
    ]);
  await bookVoided(tx, id, { staffId: caller.staffId });
  return { to: 'void', set: { voided_by: staffIdOf(caller) }, remark: String(row.void_reason) };
}
