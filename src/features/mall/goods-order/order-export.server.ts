import { textOf, type Label, type Language } from '../../../kernel/contract/label.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import type { Choice } from '../../../kernel/contract/fields.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import { listBatches } from '../../../kernel/server/resource/export-rows.ts';
import { readListRequest } from '../../../kernel/server/resource/list-query.ts';
import type { ExportSource } from '../../../kernel/server/registration.ts';
import type { CellValue } from '../../../kernel/server/tables/xlsx-cells.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
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

/** Orders read at a time. */
const BATCH = 1_000;

/** What the file shows of an order, beside its lines. */
const NAMES = [
  'code',
  'type',
  'title',
  'createdAt',
  'contactName',
  'contactPhone',
  'project',
  'address',
  'itemCount',
  'payable',
  'payChannel',
  'state',
  'refundStatus',
  'commentStatus',
  'source',
  'remark',
];

const BESIDE = {
  isPaid: 't.paid_at IS NOT NULL',
  checkoutCode: '(SELECT p.checkout_code FROM payment p WHERE p.id = t.payment_id)',
  discount: 't.merchant_coupon + t.platform_coupon + t.points_value + t.coins_value + t.manual_off',
  freight: 't.freight',
  cashRefunded: 't.cash_refunded',
  refundedAt: `date_trunc('second', t.refunded_at)`,
  completedAt: `date_trunc('second', t.completed_at)`,
  lines: `(SELECT json_agg(json_build_array(l.product_name, l.spec_name, l.qty, l.unit_price, l.supplier, l.sales_way) ORDER BY l.line_no)
    FROM order_line l WHERE l.order_id = t.id)`,
};

type Line = readonly [
  product: string,
  spec: string,
  quantity: number,
  unitPrice: number,
  supplier: string,
  salesWay: string,
];

/**
 * The order export: one row per line; amounts, pieces and texts of the order stand on its first line only, so that
 * column sums are right. Sees exactly the rows of the list with the same filters. `count` is orders, which is what
 * progress is counted in.
 */
export function orderExport(
  binding: Binding,
  bound: Pick<BoundResource, 'columns' | 'count'>,
  resource: Resource = goodsOrder,
): ExportSource {
  return {
    source: resource.name,
    columns: (language) => COLUMNS.map(([title, kind]) => ({ title: textOf(title, language), kind })),
    count: (call, query) => bound.count(call, readListRequest(resource, query), true),
    async *read(call, query) {
      const words = wordsIn(call.language);
      let number = 0;
      const cut = {
        resource,
        binding,
        columns: bound.columns,
        names: NAMES,
        beside: BESIDE,
        batch: BATCH,
      };
      for await (const orders of listBatches(cut, call, query))
        yield orders.flatMap((order) => linesOf(order, words, () => ++number));
    },
  };
}

/** Choices as words of one language, by stored value. */
export function wordsIn(language: Language) {
  const words = (choices: Readonly<Record<string, Choice>>) => {
    const texts = new Map(
      Object.entries(choices).map(([value, { label }]) => [value, textOf(label, language)]),
    );
    return (value: unknown): string | null => texts.get(String(value)) ?? null;
  };
  return {
    type: words(ORDER_TYPES),
    payChannel: words(PAY_CHANNELS),
    state: words(ORDER_STATE_SPECS),
    refundStatus: words(REFUND_STATUS_SPECS),
    commentStatus: words(COMMENT_STATUSES),
    salesWay: words(SALES_WAYS),
    source: words(ORDER_SOURCES),
  };
}

const timeText = (instant: unknown) => (instant ? businessTimeText(instant as string) : null);

function linesOf(order: DbRow, words: ReturnType<typeof wordsIn>, next: () => number): CellValue[][] {
  // The same on every line of an order, so made once.
  const type = words.type(order.type);
  const customer = maskValue('name', order.contactName as string);
  const phone = maskValue('phone', order.contactPhone as string);
  const payChannel = words.payChannel(order.payChannel);
  const state = words.state(order.state);
  const refundStatus = words.refundStatus(order.refundStatus);
  const commentStatus = words.commentStatus(order.commentStatus);
  const source = words.source(order.source);
  const ordered = timeText(order.createdAt);
  const received = timeText(order.completedAt);
  const refunded = timeText(order.refundedAt);
  return ((order.lines ?? []) as readonly Line[]).map(
    ([product, spec, quantity, unitPrice, supplier, salesWay], index) => {
      const first = index === 0;
      return [
        next(),
        order.code as string,
        order.checkoutCode as string,
        type,
        first ? (order.title as string) : null,
        ordered,
        customer,
        phone,
        order.project__title as string | null,
        first ? (order.address as string) : null,
        first ? (order.itemCount as number) : null,
        first ? (order.isPaid ? yuanFromFen(order.payable as number) : '0.00') : null,
        first ? yuanFromFen(order.discount as number) : null,
        first ? yuanFromFen(order.freight as number) : null,
        payChannel,
        state,
        refundStatus,
        commentStatus,
        received,
        first ? yuanFromFen(order.cashRefunded as number) : null,
        first ? refunded : null,
        product,
        spec,
        quantity,
        yuanFromFen(unitPrice),
        supplier,
        words.salesWay(salesWay),
        source,
        first ? (order.remark as string) : null,
      ];
    },
  );
}
