import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller, RequestFacts } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { CASE_WORDS, type CaseReason, type CaseState } from '../../../domain/after-sale/case.rules.ts';
import type { CaseLine, CaseRecord } from '../../../domain/after-sale/move-case.server.ts';
import type { RefundSplit } from '../../../domain/trade-money/refund.rules.ts';
import { applyRefund, suggestRefund, type RefundLineRequest } from '../refund/refund-apply.server.ts';
import { refundTotals, type OrderRow, type PaymentRow } from '../refund/refund-order.server.ts';
import type { RefundReason } from '../refund/refund.contract.ts';

/** What every step of a case works with; without a caller it is the buyer's or the system's. */
export interface CaseStep {
  readonly tx: Tx;
  readonly platform: Platform;
  readonly row: CaseRecord;
  readonly caller?: Caller | undefined;
  readonly facts?: RequestFacts | undefined;
}

/** What a step decides: the state afterwards and the columns written with it. */
export interface CaseOutcome {
  readonly to: CaseState;
  readonly set?: Readonly<Record<string, unknown>>;
  readonly remark?: string;
}

/** The words of the refund engine for the reasons of a case. */
const REFUND_REASON: Readonly<Record<CaseReason, RefundReason>> = {
  quality: 'quality',
  wrong: 'wrong_item',
  missing: 'missing',
  damaged: 'quality',
  late: 'late',
  no_want: 'not_wanted',
  price: 'price',
  other: 'other',
};

/** What a case asks of the refund engine: units that came back, unshipped ones first where nothing comes back, or amounts. */
export function refundLines(
  type: CaseRecord['type'],
  lines: readonly Pick<CaseLine, 'line_id' | 'qty' | 'amount' | 'accepted_qty'>[],
): RefundLineRequest[] {
  return lines.flatMap((line): RefundLineRequest[] => {
    if (line.amount !== null) return [{ lineId: line.line_id, amount: line.amount }];
    const qty = line.accepted_qty ?? line.qty;
    if (qty === 0) return [];
    return [{ lineId: line.line_id, qty, ...(type === 'refund_only' ? {} : { from: 'shipped' as const }) }];
  });
}

/** The engine's split for a case as the order stands now. Throws 30101 最多可退{x}元 when less is left than asked for. */
export async function caseSplit(
  db: Executor,
  orderId: number,
  type: CaseRecord['type'],
  lines: Parameters<typeof refundLines>[1],
): Promise<RefundSplit> {
  const answer = await suggestRefund(db, { orderId, lines: refundLines(type, lines) });
  if (!answer.ok) throw ruleBroken(answer.breach.message);
  return answer.split;
}

/** The refusal of an amount above what may go back, with what is refunded and under way. Source: group 21, caps. */
export async function mostLabel(db: Executor, orderId: number, most: number): Promise<Label> {
  const order = (await runOne<OrderRow>(db, 'SELECT * FROM sales_order WHERE id = $1', [orderId]))!;
  const payment = (await runOne<PaymentRow>(db, 'SELECT * FROM payment WHERE id = $1', [order.payment_id]))!;
  const totals = await refundTotals(db, order, payment);
  const [x, y, z] = [most, totals.orderRefunded, totals.orderInProgress].map(yuanFromFen);
  return [
    `最多可退${x}元（已退${y}，处理中${z}）`,
    `At most ${x} can be refunded (refunded ${y}, in progress ${z})`,
  ];
}

/**
 * The cash staff agree to: what was asked for unless they say otherwise. Merchants may lower it, the platform may go up to the
 * suggested amount; less than asked for needs a reason (422), more than allowed is refused with the limit (30101).
 */
export async function agreedAmount(
  step: CaseStep,
  suggested: number,
  asked: { readonly amount?: number | null | undefined; readonly reason?: string | null | undefined },
  usual: number = step.row.applied_cash,
): Promise<{ readonly cash: number; readonly reason: string }> {
  const standard = Math.min(usual, suggested);
  const most = step.caller?.tenantKind === 3 ? suggested : standard;
  const cash = asked.amount ?? standard;
  if (cash > most) {
    const label = await mostLabel(step.tx, step.row.order_id, most);
    throw ruleBroken(label, { fields: { amount: label } });
  }
  const reason = asked.reason?.trim() ?? '';
  if (cash < standard && reason.length < 2)
    throw invalid({ amountReason: ['请填写少退原因', 'Please say why less is refunded'] });
  return { cash, reason: cash < suggested ? reason || CASE_WORDS.asAsked[0] : reason };
}

/** What was agreed to for all units, in proportion for a split of some of them; never above the split. Fen. */
export function agreedShare(
  row: Pick<CaseRecord, 'agreed_cash' | 'agreed_of' | 'applied_cash'>,
  suggested: number,
): number {
  const share =
    row.agreed_cash === null || !row.agreed_of
      ? row.applied_cash
      : Math.floor((suggested * row.agreed_cash) / row.agreed_of);
  return Math.min(share, suggested);
}

/** True while a refund of the order is unfinished: the next one has to wait for it. */
export async function hasOpenRefund(db: Executor, orderId: number): Promise<boolean> {
  const row = await runOne(
    db,
    `SELECT 1 AS one FROM refund WHERE order_id = $1 AND state IN ('reviewing', 'refunding', 'failed') LIMIT 1`,
    [orderId],
  );
  return row !== undefined;
}

/**
 * Creates the refund of a case through the engine, which decides who has to audit it, and leaves the case in 退款中, or in
 * 已完成 when nothing had to go through a channel. Throws as the engine does. The case is locked.
 */
export async function startRefund(
  step: CaseStep,
  lines: readonly CaseLine[],
  agreed: { readonly cash: number; readonly of: number; readonly reason: string },
  set: Readonly<Record<string, unknown>> = {},
): Promise<CaseOutcome> {
  const { tx, platform, row, caller, facts } = step;
  const columns = {
    ...set,
    agreed_cash: agreed.cash,
    agreed_of: agreed.of,
    agreed_reason: agreed.reason,
    deadline: null,
    reminded: 0,
  };
  // The refund may succeed within this call; it looks for its case in 退款中.
  const names = Object.keys(columns);
  await run(
    tx,
    `UPDATE after_sale SET state = 'refunding'${names.map((name, index) => `, "${name}" = $${index + 2}`).join('')} WHERE id = $1`,
    [row.id, ...Object.values(columns)],
  );
  const made = await applyRefund(tx, {
    platform,
    caller,
    facts,
    applicantType: caller ? 2 : 1,
    orderId: row.order_id,
    lines: refundLines(row.type, lines),
    agreedCash: agreed.cash,
    ...(agreed.reason ? { cashReason: agreed.reason } : {}),
    reasonCode: REFUND_REASON[row.reason_code],
    reason: [row.code, row.reason].filter(Boolean).join(' '),
    liable: (set.liable as CaseRecord['liable'] | undefined) ?? row.liable,
    afterSaleId: row.id,
  });
  const after = (await runOne<{ state: CaseState }>(tx, 'SELECT state FROM after_sale WHERE id = $1', [
    row.id,
  ]))!;
  return {
    to: after.state,
    set: { ...columns, refund_id: made.id },
    remark: `${made.code} · ${yuanFromFen(made.cash)}`,
  };
}
