import type { Label } from '../../../kernel/contract/label.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { Refusal } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { Binding } from '../../../kernel/server/resource/binding.ts';
import { caseLines, type CaseLine, type CaseRecord } from '../../../domain/after-sale/move-case.server.ts';
import { orderEventLabel } from '../../../domain/checkout/order-events.rules.ts';
import { formulaForMerchant, type RefundSplit } from '../../../domain/trade-money/refund.rules.ts';
import { ORDER_STATES } from '../../../domain/trade-money/states.rules.ts';
import {
  loadTrade,
  refundTotals,
  type OrderRow,
  type PaymentRow,
  type Trade,
} from '../refund/refund-order.server.ts';
import { agreedShare, caseSplit } from './case-money.server.ts';
import type { CaseLinePart, CaseParts, CaseSuggestion } from './case-parts.ts';

/** States in which an amount can still be decided. */
const OPEN = new Set(['applied', 'agreed', 'returned', 'received']);

/** Everything the page of a case shows beside its fields; the parts are described in case-parts.ts. */
export const caseDetail: NonNullable<Binding['detail']> = async (db, id, _row, caller) => ({
  parts: await caseParts(db, id, caller),
});

interface StoredCase extends CaseRecord {
  readonly snapshot: Partial<RefundSplit>;
  readonly back_company: string;
  readonly back_tracking: string;
  readonly back_at: Date | null;
  readonly inspection_note: string;
  readonly resellable: boolean;
  readonly send_company: string;
  readonly refuse_reason: string;
}

async function caseParts(db: Executor, id: number, caller: Caller): Promise<CaseParts> {
  const row = (await runOne<StoredCase>(db, 'SELECT * FROM after_sale WHERE id = $1', [id]))!;
  const order = (await runOne<OrderRow>(db, 'SELECT * FROM sales_order WHERE id = $1', [row.order_id]))!;
  const payment = (await runOne<PaymentRow>(db, 'SELECT * FROM payment WHERE id = $1', [order.payment_id]))!;
  const trade = await loadTrade(db, order.id, payment.id);
  const lines = await caseLines(db, id);
  const totals = await refundTotals(db, order, payment);
  const { split, impossible } = await splitNow(db, row, lines);
  const usual = split && (row.type === 'exchange' ? split.cash : agreedShare(row, split.cash));
  // A refund may be for fewer units than were asked back.
  const refund = await runOne<Pick<StoredCase, 'snapshot'>>(db, 'SELECT snapshot FROM refund WHERE id = $1', [
    row.refund_id,
  ]);
  const worked = refund?.snapshot.rows ? refund.snapshot : row.snapshot;
  return {
    order: {
      id: String(order.id),
      code: order.code,
      state: ORDER_STATES.find((mark) => mark.name === order.state)?.label ?? [order.state, order.state],
      payable: yuanFromFen(totals.orderPaid),
      refunded: yuanFromFen(totals.orderRefunded),
      inProgress: yuanFromFen(totals.orderInProgress),
      left: yuanFromFen(totals.orderPaid - totals.orderRefunded - totals.orderInProgress),
    },
    lines: await lineParts(db, trade, row, lines, split),
    applied: worked.rows ? suggestionOf(worked as RefundSplit, trade, caller) : null,
    now: split ? suggestionOf(split, trade, caller) : null,
    impossible,
    limit:
      split && usual !== undefined
        ? {
            most: yuanFromFen(caller.tenantKind === 3 ? split.cash : usual),
            usual: yuanFromFen(usual),
          }
        : null,
    agreedReason: row.agreed_reason,
    addresses: await addressesOf(db, row.tenant_id),
    returnAddress: row.return_address && {
      receiver: maskValue('name', row.return_address.receiver),
      region: row.return_address.region,
      address: row.return_address.address,
    },
    back: row.back_at && {
      company: row.back_company,
      trackingNo: row.back_tracking,
      at: isoInstant(row.back_at),
    },
    inspection:
      row.inspection && row.inspected_at
        ? {
            result: row.inspection,
            note: row.inspection_note,
            at: isoInstant(row.inspected_at),
            resellable: row.resellable,
          }
        : null,
    sent: row.send_at && {
      company: row.send_company,
      trackingNo: row.send_tracking,
      at: isoInstant(row.send_at),
    },
    refuseReason: row.refuse_reason,
    messages: await messagesOf(db, id),
    refunds: await refundsOf(db, id),
    events: await eventsOf(db, id),
  };
}

async function splitNow(
  db: Executor,
  row: StoredCase,
  lines: readonly CaseLine[],
): Promise<{ split: RefundSplit | undefined; impossible: Label | null }> {
  if (!OPEN.has(row.state)) return { split: undefined, impossible: null };
  try {
    return { split: await caseSplit(db, row.order_id, row.type, lines), impossible: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { split: undefined, impossible: error.label };
  }
}

function suggestionOf(split: RefundSplit, trade: Trade, caller: Caller): CaseSuggestion {
  return {
    cash: yuanFromFen(split.cash),
    points: split.points,
    freight: yuanFromFen(split.freightPart),
    notices: split.notices,
    rows: split.rows.map((row) => ({
      product: trade.lines.find((line) => line.line_no === row.lineNo)?.product_name ?? '',
      kind: row.kind,
      qty: row.qty,
      cash: yuanFromFen(row.cash - row.fee),
      formula: caller.tenantKind === 2 ? formulaForMerchant(row) : row.formula,
      before: yuanFromFen(row.cashLeftBefore),
      after: yuanFromFen(row.cashLeftAfter),
    })),
  };
}

async function lineParts(
  db: Executor,
  trade: Trade,
  row: StoredCase,
  lines: readonly CaseLine[],
  split: RefundSplit | undefined,
): Promise<CaseLinePart[]> {
  const specs = await run<{ id: number; name: string }>(
    db,
    'SELECT id, name FROM product_spec WHERE id = ANY($1::bigint[])',
    [lines.flatMap((line) => line.new_spec_id ?? [])],
  );
  const images = await run<{ id: number; image: string | null }>(
    db,
    'SELECT id, image_id AS image FROM order_line WHERE order_id = $1',
    [row.order_id],
  );
  // Of a refund that was made, its own rows tell; before that the engine's suggestion.
  const made = await run<{ line_id: number; cash: number }>(
    db,
    'SELECT line_id, sum(cash - fee)::bigint AS cash FROM refund_line WHERE refund_id = $1 GROUP BY line_id',
    [row.refund_id],
  );
  return trade.lines.map((line) => {
    const own = lines.find((one) => one.line_id === line.id);
    const state = trade.order.lines.find((one) => one.lineNo === line.line_no)!;
    const suggested = split?.rows.filter((one) => one.lineNo === line.line_no) ?? [];
    const cash = split
      ? suggested.reduce((sum, one) => sum + one.cash - one.fee, 0)
      : made.find((one) => one.line_id === line.id)?.cash;
    return {
      id: String(line.id),
      lineNo: line.line_no,
      product: line.product_name,
      spec: line.spec_name,
      image: images.find((one) => one.id === line.id)?.image ?? null,
      price: yuanFromFen(line.unit_price),
      qty: line.qty,
      shipped: line.qty_shipped,
      refundedQty: line.qty_refunded,
      goods: yuanFromFen(line.goods),
      shares: state.shares.map((share) => ({
        step: share.step,
        amount: yuanFromFen(share.amount),
        units: share.units,
        refunded: yuanFromFen(share.refundedAmount),
      })),
      cash: yuanFromFen(line.cash),
      cashRefunded: yuanFromFen(line.cash_refunded),
      caseQty: own?.qty ?? null,
      acceptedQty: own?.accepted_qty ?? null,
      // Nothing goes back of a case that was refused or withdrawn.
      caseCash: own && row.type !== 'exchange' && cash !== undefined ? yuanFromFen(cash) : null,
      newSpec: specs.find((one) => one.id === own?.new_spec_id)?.name ?? null,
      cashLeft: yuanFromFen(line.cash - line.cash_refunded - line.cash_withheld),
    };
  });
}

async function addressesOf(db: Executor, tenantId: number) {
  const rows = await run<{ id: number; title: string; isDefault: boolean }>(
    db,
    `SELECT a.id, concat_ws(' ', r.name, a.address) AS title, a.is_default AS "isDefault" FROM return_address a
       JOIN region r ON r.id = a.region_id WHERE a.tenant_id = $1 AND a.use = 'return' AND a.enabled ORDER BY a.is_default DESC, a.id`,
    [tenantId],
  );
  return rows.map((row) => ({ ...row, id: String(row.id) }));
}

async function messagesOf(db: Executor, id: number): Promise<CaseParts['messages']> {
  const rows = await run<{
    id: number;
    side: 'buyer' | 'merchant' | 'platform';
    who: string;
    body: string;
    images: string[];
    at: Date;
  }>(
    db,
    'SELECT id, side, who, body, images, at FROM after_sale_message WHERE after_sale_id = $1 ORDER BY id',
    [id],
  );
  // A buyer's name stands nowhere in clear.
  return rows.map((row) => ({
    ...row,
    id: String(row.id),
    who: row.side === 'buyer' ? '' : row.who,
    at: isoInstant(row.at),
  }));
}

async function refundsOf(db: Executor, id: number): Promise<CaseParts['refunds']> {
  const rows = await run<{
    id: number;
    code: string;
    state: string;
    cash: number;
    points: number;
    no: string;
    attempts: number;
    reason: string;
    at: Date;
  }>(
    db,
    `SELECT id, code, state, cash, points, channel_refund_no AS no, attempts, created_at AS at,
            CASE state WHEN 'cancelled' THEN reject_reason WHEN 'failed' THEN channel_message ELSE '' END AS reason
       FROM refund WHERE after_sale_id = $1 ORDER BY id DESC`,
    [id],
  );
  return rows.map((row) => ({
    id: String(row.id),
    code: row.code,
    state: row.state,
    cash: yuanFromFen(row.cash),
    points: row.points,
    channelRefundNo: row.no,
    attempts: row.attempts,
    reason: row.reason,
    appliedAt: isoInstant(row.at),
  }));
}

async function eventsOf(db: Executor, id: number): Promise<CaseParts['events']> {
  const rows = await run<{
    at: Date;
    code: number | null;
    zh: string | null;
    en: string | null;
    who: string;
    remark: string;
  }>(
    db,
    // One refund of an order at a time: what the order tells while that of the case was open is its story.
    `SELECT at, code, label_zh AS zh, label_en AS en, who, remark FROM after_sale_event WHERE after_sale_id = $1
     UNION ALL
     SELECT e.at, e.code, NULL, NULL, e.who, e.remark FROM order_event e JOIN refund r ON r.after_sale_id = $1 AND r.order_id = e.order_id
      WHERE e.code IN (45, 46, 60) AND e.at >= r.created_at
        AND (r.state IN ('reviewing', 'refunding', 'failed') OR e.at <= r.updated_at + interval '5 seconds')
      ORDER BY at`,
    [id],
  );
  return rows.map((row) => ({
    at: isoInstant(row.at),
    code: row.code,
    label: row.zh === null ? orderEventLabel(row.code!) : [row.zh, row.en!],
    who: row.who,
    remark: row.remark,
  }));
}
