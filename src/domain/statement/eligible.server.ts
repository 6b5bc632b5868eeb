import { run, type Tx } from '../../kernel/server/database.ts';
import { splitAmount } from '../trade-money/split.rules.ts';
import {
  refundRow,
  saleRow,
  subsidyOf,
  type RowMoney,
  type SoldRow,
  type Terms,
} from './settlement.rules.ts';

/** A row of a statement before it is stored. */
export interface DraftRow extends RowMoney {
  readonly rowKind:
    'sale' | 'freight' | 'refund' | 'refund_freight' | 'adjustment' | 'carry_in' | 'deposit_cover';
  readonly sourceType:
    | 'order_line'
    | 'order_freight'
    | 'refund'
    | 'refund_freight'
    | 'statement_adjustment'
    | 'statement'
    | 'deposit_entry';
  readonly sourceId: number;
  readonly projectId: number | null;
  readonly orderId: number | null;
  readonly orderLineId: number | null;
  readonly refundId: number | null;
  readonly firstStatementId: number | null;
  readonly title: string;
  readonly qty: number;
  readonly unitPrice: number;
  readonly happenedAt: Date | null;
  readonly commissionBase: 'gross' | 'cash';
  readonly commissionBp: number;
}

interface SoldLine extends Terms, Judged {
  /** Null: the freight of the order. */
  readonly line_id: number | null;
  readonly order_id: number;
  readonly payment_id: number;
  readonly project_id: number;
  readonly title: string;
  readonly qty: number;
  readonly unit_price: number;
  readonly cash: number;
  readonly platform_coupon: number;
  readonly points: number;
  readonly coins: number;
  readonly bp: number;
  readonly bears_fee: boolean;
  readonly done_at: Date | null;
}

/** Why a row is not taken. Source: group 13, The engine, rule 3. */
export type ExclusionCode = 'X01' | 'X02' | 'X03' | 'X04' | 'X05' | 'X06' | 'X07' | 'X08' | 'X09';

/** A sale that is left out, with the code and what belongs to it. */
export interface ExcludedRow {
  readonly row: DraftRow;
  readonly code: ExclusionCode;
  /** Of X02 and X09 the first day it may be taken, of X07 the statement that has it. */
  readonly detail: string;
}

/** What is asked of one merchant's sales. */
export interface EligibleQuestion {
  readonly tenantId: number;
  /** First instant of the period; what earlier periods settled is not told again. */
  readonly start?: Date | undefined;
  /** First instant behind the period. */
  readonly end: Date;
  readonly at: Date;
  /** Take what is held back after a dispute, too. */
  readonly includeHeld?: boolean | undefined;
}

interface Judged {
  readonly code: ExclusionCode | null;
  readonly ripe_on: string | null;
  readonly taken_by: string | null;
  readonly held_until: string | null;
}

const JOINS = `sales_order o JOIN payment p ON p.id = o.payment_id AND p.state = 2
  LEFT JOIN merchant_agreement a ON a.tenant_id = o.tenant_id AND a.agreement_version = o.agreement_version`;
const TERMS = `a.commission_base AS "commissionBase", a.points_bearer AS "pointsBearer", a.coin_bearer AS "coinBearer",
  a.channel_fee_bearer = 'merchant' AS bears_fee, coalesce(o.completed_at, o.closed_at) AS done_at`;
/**
 * Paid orders of the merchant that could have come into the period: goods and visits, of teams too. What was paid for a work order is
 * what the merchant itself wrote down: it never came to the platform, which owes nothing of it.
 */
const CANDIDATES = `o.tenant_id = $1 AND o.kind IN ('goods', 'service') AND o.paid_at IS NOT NULL AND o.paid_at < $2`;

/** SQL: the code of a sale, and what belongs to it; \`source\` and \`id\` name it, \`sums\` says whether its amounts add up. */
const judged = (sums: string) => `CASE
    WHEN c.id IS NOT NULL THEN 'X07'
    WHEN a.id IS NULL THEN 'X06'
    WHEN o.state NOT IN ('completed', 'closed') THEN 'X01'
    WHEN EXISTS (SELECT FROM refund r WHERE r.order_id = o.id AND r.state IN ('reviewing', 'refunding', 'failed'))
      OR EXISTS (SELECT FROM after_sale f WHERE f.order_id = o.id AND f.state IN ('applied', 'agreed', 'returned', 'received', 'refunding')) THEN 'X03'
    WHEN coalesce(o.completed_at, o.closed_at) + make_interval(days => a.after_sale_days) >= $2 THEN 'X02'
    WHEN p.channel <> 0 AND NOT EXISTS (SELECT FROM payment_reconciled q WHERE q.payment_id = p.id) THEN 'X04'
    WHEN NOT $4::boolean AND h.until_on > (now() AT TIME ZONE 'Asia/Shanghai')::date THEN 'X09'
    WHEN NOT (${sums}) THEN 'X08' END AS code,
    ((coalesce(o.completed_at, o.closed_at) + make_interval(days => a.after_sale_days)) AT TIME ZONE 'Asia/Shanghai')::date::text AS ripe_on,
    (SELECT s.code FROM statement s WHERE s.id = c.statement_id) AS taken_by, h.until_on::text AS held_until`;
const taken = (source: string, id: string) =>
  `LEFT JOIN statement_line c ON c.source_type = '${source}' AND c.source_id = ${id} AND c.active
   LEFT JOIN statement_hold h ON h.source_type = '${source}' AND h.source_id = ${id}`;
/** What earlier periods took is settled; only what this one would have taken is told of. */
const TAKEN_NOW = `(c.id IS NULL OR (coalesce(o.completed_at, o.closed_at) + make_interval(days => coalesce(a.after_sale_days, 0)) >= $3
   AND coalesce(o.completed_at, o.closed_at) + make_interval(days => coalesce(a.after_sale_days, 0)) < $2))`;

/**
 * Rows a merchant's statement of a period that ended before \`end\` may take, in the order they are printed, and what is left
 * out with the reason: sales and freight whose after-sale window is over and whose payment the channel has confirmed, and
 * refunds of what stands on this or an earlier statement. Nothing twice. Source: group 13, The engine, rules 1 to 3.
 */
export async function judgeRows(
  tx: Tx,
  question: EligibleQuestion,
): Promise<{ readonly rows: DraftRow[]; readonly excluded: ExcludedRow[] }> {
  const sold = [...(await soldLines(tx, question)), ...(await soldFreight(tx, question))];
  const fees = await feeShares(tx, [
    ...new Set(sold.filter((line) => line.code === null).map((line) => line.payment_id)),
  ]);
  const rows: DraftRow[] = [];
  const excluded: ExcludedRow[] = [];
  const time = (line: SoldLine) => line.done_at?.getTime() ?? Infinity;
  for (const line of sold.sort(
    (a, b) =>
      (time(a) === time(b) ? 0 : time(a) - time(b)) ||
      a.order_id - b.order_id ||
      (a.line_id ?? Infinity) - (b.line_id ?? Infinity),
  )) {
    const row = rowOf(line, fees);
    if (line.code === null) rows.push(row);
    else
      excluded.push({
        row,
        code: line.code,
        detail:
          line.code === 'X02'
            ? (line.ripe_on ?? '')
            : line.code === 'X07'
              ? (line.taken_by ?? '')
              : line.code === 'X09'
                ? (line.held_until ?? '')
                : '',
      });
  }
  return { rows: [...rows, ...(await refundRows(tx, question, rows))], excluded };
}

/** The rows alone. */
export async function eligibleRows(tx: Tx, question: EligibleQuestion): Promise<DraftRow[]> {
  return (await judgeRows(tx, question)).rows;
}

function rowOf(line: SoldLine, fees: ReadonlyMap<string, number>): DraftRow {
  const isFreight = line.line_id === null;
  const parts = {
    cash: line.cash,
    platformCoupon: line.platform_coupon,
    points: line.points,
    coins: line.coins,
  };
  const fee = line.bears_fee ? (fees.get(`${line.order_id}:${line.line_id ?? ''}`) ?? 0) : 0;
  return {
    ...saleRow(parts, line, line.bp, fee),
    rowKind: isFreight ? 'freight' : 'sale',
    sourceType: isFreight ? 'order_freight' : 'order_line',
    sourceId: line.line_id ?? line.order_id,
    projectId: line.project_id,
    orderId: line.order_id,
    orderLineId: line.line_id,
    refundId: null,
    firstStatementId: null,
    title: line.title,
    qty: line.qty,
    unitPrice: line.unit_price,
    happenedAt: line.done_at,
    commissionBase: line.commissionBase ?? 'gross',
    commissionBp: line.bp,
  };
}

const values = (question: EligibleQuestion) => [
  question.tenantId,
  question.end,
  question.start ?? question.end,
  question.includeHeld ?? false,
];

async function soldLines(tx: Tx, question: EligibleQuestion): Promise<SoldLine[]> {
  return run<SoldLine>(
    tx,
    `SELECT l.id AS line_id, o.id AS order_id, o.payment_id, o.project_id, l.product_name || CASE WHEN l.spec_name <> '' THEN ' ' || l.spec_name ELSE '' END AS title,
            l.qty, l.unit_price, l.cash, s.platform_coupon, s.points, s.coins, coalesce(l.commission_bp, agreed_commission(a.id, l.product_id), 0) AS bp, ${TERMS},
            ${judged('l.goods = l.cash + s.all_shares')}
       FROM ${JOINS} JOIN order_line l ON l.order_id = o.id ${taken('order_line', 'l.id')}
       CROSS JOIN LATERAL (
         SELECT coalesce(sum(x.platform_amount) FILTER (WHERE x.step IN (20, 30)), 0)::bigint AS platform_coupon,
                coalesce(sum(x.amount) FILTER (WHERE x.step = 40), 0)::bigint AS points,
                coalesce(sum(x.amount) FILTER (WHERE x.step = 45), 0)::bigint AS coins,
                coalesce(sum(x.amount), 0)::bigint AS all_shares
           FROM order_share x WHERE x.line_id = l.id) s
      WHERE ${CANDIDATES} AND ${TAKEN_NOW}
        AND (o.state <> 'closed' OR l.cash > l.cash_refunded)
        -- What came back before the order was completed was never sold.
        AND (l.qty_refunded < l.qty OR EXISTS (SELECT FROM refund_line b JOIN refund r ON r.id = b.refund_id
             WHERE b.line_id = l.id AND r.state = 'succeeded' AND r.succeeded_at > coalesce(o.completed_at, o.closed_at)))`,
    values(question),
  );
}

async function soldFreight(tx: Tx, question: EligibleQuestion): Promise<SoldLine[]> {
  return run<SoldLine>(
    tx,
    `SELECT NULL::bigint AS line_id, o.id AS order_id, o.payment_id, o.project_id, '' AS title, 1 AS qty, o.freight AS unit_price, o.freight AS cash,
            0 AS platform_coupon, 0 AS points, 0 AS coins, CASE WHEN a.freight_commission THEN a.commission_bp ELSE 0 END AS bp, ${TERMS},
            ${judged('TRUE')}
       FROM ${JOINS} ${taken('order_freight', 'o.id')}
      WHERE ${CANDIDATES} AND o.freight > 0 AND ${TAKEN_NOW}
        AND (o.freight_refunded < o.freight OR EXISTS (SELECT FROM refund r WHERE r.order_id = o.id AND r.state = 'succeeded'
             AND r.freight_part > 0 AND r.succeeded_at > coalesce(o.completed_at, o.closed_at)))`,
    values(question),
  );
}

/** The fee of each payment over its lines and freights by cash; keys are `order:line`, without a line for the freight. */
async function feeShares(tx: Tx, payments: readonly number[]): Promise<Map<string, number>> {
  const rows = await run<{
    payment_id: number;
    fee: number;
    order_id: number;
    line_id: number | null;
    cash: number;
  }>(
    tx,
    `SELECT p.id AS payment_id, coalesce(q.fee, p.fee) AS fee, x.* FROM payment p LEFT JOIN payment_reconciled q ON q.payment_id = p.id CROSS JOIN LATERAL (
       SELECT o.id AS order_id, l.id AS line_id, l.line_no, l.cash FROM sales_order o JOIN order_line l ON l.order_id = o.id WHERE o.payment_id = p.id
       UNION ALL SELECT o.id, NULL, NULL, o.freight FROM sales_order o WHERE o.payment_id = p.id AND o.freight > 0) x
      WHERE p.id = ANY($1::bigint[]) AND coalesce(q.fee, p.fee) > 0 ORDER BY p.id, x.order_id, x.line_no NULLS LAST`,
    [payments],
  );
  const shares = new Map<string, number>();
  for (const payment of new Set(rows.map((row) => row.payment_id))) {
    const own = rows.filter((row) => row.payment_id === payment);
    const paid = own.reduce((sum, row) => sum + row.cash, 0);
    const parts = splitAmount(
      Math.min(own[0]!.fee, paid),
      own.map((row) => row.cash),
    );
    own.forEach((row, index) => shares.set(`${row.order_id}:${row.line_id ?? ''}`, parts[index]!));
  }
  return shares;
}

interface Booked {
  readonly source_type: 'order_line' | 'order_freight';
  readonly source_id: number;
  readonly statement_id: number;
  readonly project_id: number;
  readonly cash: number;
  readonly subsidy: number;
  readonly gross: number;
  readonly commission: number;
  readonly channel_fee: number;
  readonly net: number;
  readonly commission_base: 'gross' | 'cash';
  readonly commission_bp: number;
  readonly back_cash: number;
  readonly back_gross: number;
}

interface RefundPart {
  readonly source_type: 'refund' | 'refund_freight';
  readonly source_id: number;
  readonly refund_id: number;
  readonly order_id: number;
  readonly line_id: number | null;
  readonly project_id: number;
  readonly title: string;
  readonly qty: number;
  readonly cash: number;
  readonly platform_coupon: number;
  readonly points: number;
  readonly coins: number;
  readonly succeeded_at: Date;
  readonly fee_refundable: boolean;
  readonly pointsBearer: 'platform' | 'merchant';
  readonly coinBearer: 'platform' | 'merchant';
  readonly commissionBase: 'gross' | 'cash';
}

/** Refunds that no living row holds, of sales of this statement (`sales`) or of earlier ones, in the order they succeeded. */
async function refundRows(
  tx: Tx,
  question: EligibleQuestion,
  sales: readonly DraftRow[],
): Promise<DraftRow[]> {
  const parts = await run<RefundPart>(
    tx,
    `SELECT v.source_type, v.source_id, v.refund_id, v.order_id, v.line_id, o.project_id, r.code AS title, v.qty, v.cash, v.platform_coupon,
            v.points_value AS points, v.coins_value AS coins, v.succeeded_at, coalesce(y.fee_refundable, true) AS fee_refundable, ${TERMS}
       FROM refund_settlement_source v JOIN refund r ON r.id = v.refund_id JOIN sales_order o ON o.id = v.order_id
       JOIN merchant_agreement a ON a.tenant_id = o.tenant_id AND a.agreement_version = o.agreement_version
       JOIN payment p ON p.id = o.payment_id LEFT JOIN payee_account y ON y.id = p.payee_account_id
      WHERE v.tenant_id = $1 AND v.succeeded_at <= $2
        AND ($3::boolean OR NOT EXISTS (SELECT FROM statement_hold h WHERE h.source_type = v.source_type AND h.source_id = v.source_id
          AND h.until_on > (now() AT TIME ZONE 'Asia/Shanghai')::date))
        AND NOT EXISTS (SELECT FROM statement_line c WHERE c.source_type = v.source_type AND c.source_id = v.source_id AND c.active)
      ORDER BY v.succeeded_at, v.source_id`,
    [question.tenantId, question.at, question.includeHeld ?? false],
  );
  if (parts.length === 0) return [];
  const known = new Map<
    string,
    { sold: SoldRow; before: { cash: number; gross: number }; first: number | null }
  >();
  for (const row of await bookedSales(tx, parts))
    known.set(`${row.source_type}:${row.source_id}`, {
      sold: {
        ...row,
        channelFee: row.channel_fee,
        commissionBase: row.commission_base,
        commissionBp: row.commission_bp,
      },
      before: { cash: row.back_cash, gross: row.back_gross },
      first: row.statement_id,
    });
  for (const row of sales)
    known.set(`${row.sourceType}:${row.sourceId}`, { sold: row, before: { cash: 0, gross: 0 }, first: null });
  return parts.flatMap((part): DraftRow[] => {
    const isFreight = part.source_type === 'refund_freight';
    const sale = known.get(isFreight ? `order_freight:${part.order_id}` : `order_line:${part.line_id}`);
    if (!sale) return [];
    const subsidy = subsidyOf(
      { cash: part.cash, platformCoupon: part.platform_coupon, points: part.points, coins: part.coins },
      part,
    );
    const money = refundRow(sale.sold, sale.before, { cash: part.cash, subsidy }, part.fee_refundable);
    sale.before.cash += part.cash;
    sale.before.gross += part.cash + subsidy;
    return [
      {
        ...money,
        rowKind: part.source_type,
        sourceType: part.source_type,
        sourceId: part.source_id,
        projectId: part.project_id,
        orderId: part.order_id,
        orderLineId: part.line_id,
        refundId: part.refund_id,
        firstStatementId: sale.first,
        title: part.title,
        qty: -part.qty,
        unitPrice: 0,
        happenedAt: part.succeeded_at,
        commissionBase: sale.sold.commissionBase,
        commissionBp: sale.sold.commissionBp,
      },
    ];
  });
}

/** Sales on earlier statements that the refunds take back from, with what was taken before. */
async function bookedSales(tx: Tx, parts: readonly RefundPart[]): Promise<Booked[]> {
  return run<Booked>(
    tx,
    `SELECT c.source_type, c.source_id, c.statement_id, c.project_id, c.cash, c.subsidy, c.gross, c.commission, c.channel_fee, c.net, c.commission_base, c.commission_bp,
            coalesce(-b.cash, 0)::bigint AS back_cash, coalesce(-b.gross, 0)::bigint AS back_gross
       FROM statement_line c
       CROSS JOIN LATERAL (SELECT sum(d.cash) AS cash, sum(d.gross) AS gross FROM statement_line d
         WHERE d.active AND d.order_id = c.order_id
           AND CASE WHEN c.row_kind = 'sale' THEN d.row_kind = 'refund' AND d.order_line_id = c.order_line_id ELSE d.row_kind = 'refund_freight' END) b
      WHERE c.active AND ((c.source_type = 'order_line' AND c.source_id = ANY($1::bigint[])) OR (c.source_type = 'order_freight' AND c.source_id = ANY($2::bigint[])))`,
    [
      parts.flatMap((part) => (part.line_id === null ? [] : [part.line_id])),
      parts.filter((part) => part.source_type === 'refund_freight').map((part) => part.order_id),
    ],
  );
}
