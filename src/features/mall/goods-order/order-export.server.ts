import { textOf, type Label, type Language } from '../../../kernel/contract/label.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import type { Choice } from '../../../kernel/contract/fields.ts';
import type { BoundResource } from '../../../kernel/server/bind-resource.ts';
import type { Binding, DbRow } from '../../../kernel/server/binding.ts';
import { run } from '../../../kernel/server/database.ts';
import { encodeCursor, pageStatement, readListRequest, whereOf } from '../../../kernel/server/list-query.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { readStatement } from '../../../kernel/server/read-rows.ts';
import { Parameters } from '../../../kernel/server/scope.ts';
import type { ExportSource } from '../../../kernel/server/service.ts';
import { goodsOrder } from './goods-order.contract.ts';
import {
  COMMENT_STATUSES,
  ORDER_SOURCES,
  ORDER_STATE_SPECS,
  ORDER_TYPES,
  PAY_CHANNELS,
  REFUND_STATUS_SPECS,
  SALES_WAYS,
} from './order-words.rules.ts';

type Kind = ReturnType<ExportSource['columns']>[number]['kind'];

/** The 29 columns of the order export, in their order. Source: group 08, mm_businessOrder_wx. */
const COLUMNS: readonly (readonly [Label, Kind])[] = [
  [['序号', 'No.'], 'integer'],
  [['订单号', 'Order no.'], 'text'],
  [['商户支付单号', 'Payment no.'], 'text'],
  [['类型', 'Type'], 'text'],
  [['标题', 'Title'], 'text'],
  [['下单时间', 'Ordered'], 'instant'],
  [['客户', 'Customer'], 'text'],
  [['电话', 'Phone'], 'text'],
  [['项目', 'Project'], 'text'],
  [['地址', 'Address'], 'text'],
  [['总件数', 'Pieces'], 'integer'],
  [['实付', 'Paid'], 'money'],
  [['优惠', 'Discount'], 'money'],
  [['运费', 'Freight'], 'money'],
  [['支付方式', 'Pay way'], 'text'],
  [['状态', 'Status'], 'text'],
  [['退款状态', 'Refund status'], 'text'],
  [['评价状态', 'Comment'], 'text'],
  [['签收时间', 'Received'], 'instant'],
  [['退款金额', 'Refunded'], 'money'],
  [['退款时间', 'Refunded at'], 'instant'],
  [['商品', 'Product'], 'text'],
  [['规格', 'Spec'], 'text'],
  [['数量', 'Quantity'], 'integer'],
  [['单价', 'Unit price'], 'money'],
  [['供应商', 'Supplier'], 'text'],
  [['销售方式', 'Sales way'], 'text'],
  [['来源', 'Source'], 'text'],
  [['备注', 'Remark'], 'text'],
];

/** Orders a batch reads; their lines follow in one statement. */
const BATCH = 1_000;

/**
 * The order export: one row per line; amounts, pieces and texts of the order stand on its first line only, so that
 * column sums are right. Sees exactly the rows of the list with the same filters. `count` is orders, which is what
 * progress is counted in.
 */
export function orderExport(binding: Binding, bound: Pick<BoundResource, 'columns' | 'count'>): ExportSource {
  return {
    source: goodsOrder.name,
    columns: (language) => COLUMNS.map(([title, kind]) => ({ title: textOf(title, language), kind })),
    count: (call, query) => bound.count(call, readListRequest(goodsOrder, query), true),
    async *read(call, query) {
      const base = readListRequest(goodsOrder, query);
      let number = 0;
      let cursor: string | undefined;
      for (;;) {
        const parameters = new Parameters();
        const where = await whereOf(
          goodsOrder,
          binding,
          bound.columns,
          call,
          goodsOrder.menu,
          base,
          parameters,
        );
        const request = { ...base, page: 1, limit: BATCH, cursor };
        const rows = await readStatement(
          call.platform.replica.pool,
          pageStatement(bound.columns, where, request, parameters),
        );
        if (rows.length > 0) yield await linesOf(call.platform, rows, call.language, () => ++number);
        if (rows.length < BATCH) return;
        const last = rows[rows.length - 1]!;
        cursor = encodeCursor((last.__cursor as string | null) ?? null, last.id as number);
      }
    },
  };
}

interface LineRow {
  readonly order_id: number;
  readonly checkout_code: string;
  readonly discount: number;
  readonly freight: number;
  readonly cash_refunded: number;
  readonly refunded_at: Date | null;
  readonly completed_at: Date | null;
  readonly product_name: string;
  readonly spec_name: string;
  readonly qty: number;
  readonly unit_price: number;
  readonly supplier: string;
  readonly sales_way: string;
}

async function linesOf(
  platform: Platform,
  orders: readonly DbRow[],
  language: Language,
  next: () => number,
): Promise<(string | number | null)[][]> {
  const lines = await run<LineRow>(
    platform.replica.db,
    `SELECT o.id AS order_id, p.checkout_code, o.merchant_coupon + o.platform_coupon + o.points_value + o.coins_value + o.manual_off AS discount,
            o.freight, o.cash_refunded, o.refunded_at, o.completed_at, l.product_name, l.spec_name, l.qty, l.unit_price, l.supplier, l.sales_way
       FROM sales_order o JOIN payment p ON p.id = o.payment_id JOIN order_line l ON l.order_id = o.id
      WHERE o.id = ANY($1::bigint[]) ORDER BY o.id, l.line_no`,
    [orders.map((order) => order.id)],
  );
  const byOrder = new Map<number, LineRow[]>();
  for (const line of lines) byOrder.set(line.order_id, [...(byOrder.get(line.order_id) ?? []), line]);
  const word = (choices: Readonly<Record<string, Choice>>, value: unknown) => {
    const label = choices[String(value)]?.label;
    return label ? textOf(label, language) : null;
  };
  const time = (instant: Date | null) => instant && businessTimeText(instant);
  return orders.flatMap((order) =>
    (byOrder.get(order.id as number) ?? []).map((line, index) => {
      const first = index === 0;
      const once = <T>(value: T): T | null => (first ? value : null);
      return [
        next(),
        order.code as string,
        line.checkout_code,
        word(ORDER_TYPES, order.type),
        once(order.title as string),
        time(order.createdAt as Date),
        maskValue('name', order.contactName as string),
        maskValue('phone', order.contactPhone as string),
        order.project__title as string,
        once(order.address as string),
        once(order.itemCount as number),
        once(order.paidAt ? yuanFromFen(order.payable as number) : '0.00'),
        once(yuanFromFen(line.discount)),
        once(yuanFromFen(line.freight)),
        word(PAY_CHANNELS, order.payChannel),
        word(ORDER_STATE_SPECS, order.state),
        word(REFUND_STATUS_SPECS, order.refundStatus),
        word(COMMENT_STATUSES, order.commentStatus),
        time(line.completed_at),
        once(yuanFromFen(line.cash_refunded)),
        once(time(line.refunded_at)),
        line.product_name,
        line.spec_name,
        line.qty,
        yuanFromFen(line.unit_price),
        line.supplier,
        word(SALES_WAYS, line.sales_way),
        word(ORDER_SOURCES, order.source),
        once(order.remark as string),
      ];
    }),
  );
}
