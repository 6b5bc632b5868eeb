import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import type { ExportSource } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import { listBatches } from '../../../kernel/server/resource/export-rows.ts';
import { readListRequest } from '../../../kernel/server/resource/list-query.ts';
import type { CellValue } from '../../../kernel/server/tables/xlsx-cells.ts';
import { wordsIn } from '../../mall/goods-order/order-export.server.ts';
import { SERVICE_STATES, serviceOrder } from './service-order.contract.ts';

type Kind = ReturnType<ExportSource['columns']>[number]['kind'];

/** The 28 columns of the export, in their order. Source: group 07, mm_reservationOrder_wx. */
const COLUMNS: readonly (readonly [Label, Kind])[] = [
  [['序号', 'No.'], 'integer'],
  [['订单号', 'Order no.'], 'text'],
  [['商户支付单号', 'Payment no.'], 'text'],
  [['类型', 'Type'], 'text'],
  [['标题', 'Title'], 'text'],
  [['下单时间', 'Ordered'], 'instant'],
  [['服务时间', 'Visit'], 'instant'],
  [['客户', 'Customer'], 'text'],
  [['电话', 'Phone'], 'text'],
  [['项目', 'Project'], 'text'],
  [['地址', 'Address'], 'text'],
  [['实付', 'Paid'], 'money'],
  [['优惠', 'Discount'], 'money'],
  [['支付方式', 'Pay way'], 'text'],
  [['状态', 'Status'], 'text'],
  [['退款状态', 'Refund status'], 'text'],
  [['评价状态', 'Comment'], 'text'],
  [['签收时间', 'Finished'], 'instant'],
  [['退款金额', 'Refunded'], 'money'],
  [['退款时间', 'Refunded at'], 'instant'],
  [['服务名称', 'Service'], 'text'],
  [['规格', 'Spec'], 'text'],
  [['数量', 'Quantity'], 'integer'],
  [['单价', 'Unit price'], 'money'],
  [['销售方式', 'Sales way'], 'text'],
  [['供应商', 'Supplier'], 'text'],
  [['来源', 'Source'], 'text'],
  [['备注', 'Remark'], 'text'],
];

const NAMES = [
  'code',
  'type',
  'title',
  'createdAt',
  'visitAt',
  'contactName',
  'contactPhone',
  'project',
  'address',
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
  cashRefunded: 't.cash_refunded',
  refundedAt: `date_trunc('second', t.refunded_at)`,
  completedAt: `date_trunc('second', t.completed_at)`,
  line: `(SELECT json_build_array(l.product_name, l.spec_name, l.qty, l.unit_price, l.supplier, l.sales_way)
    FROM order_line l WHERE l.order_id = t.id ORDER BY l.line_no LIMIT 1)`,
};

type Line = readonly [string, string, number, number, string, string];

/** The export of service orders: a row per order, because an order of visits has one line. The rows are those of the list. */
export function serviceOrderExport(
  binding: Binding,
  bound: Pick<BoundResource, 'columns' | 'count'>,
  resource = serviceOrder as Parameters<typeof readListRequest>[0],
): ExportSource {
  return {
    source: resource.name,
    columns: (language) => COLUMNS.map(([title, kind]) => ({ title: textOf(title, language), kind })),
    count: (call, query) => bound.count(call, readListRequest(resource, query), true),
    async *read(call, query) {
      const words = wordsIn(call.language);
      const stateOf = (state: unknown) => {
        const spec = SERVICE_STATES[String(state)];
        return spec ? textOf(spec.label, call.language) : String(state);
      };
      let number = 0;
      const cut = { resource, binding, columns: bound.columns, names: NAMES, beside: BESIDE, batch: 1_000 };
      for await (const orders of listBatches(cut, call, query))
        yield orders.map((order) => rowOf(order, ++number, words, stateOf));
    },
  };
}

const timeText = (instant: unknown) => (instant ? businessTimeText(instant as string) : null);

function rowOf(
  order: DbRow,
  number: number,
  words: ReturnType<typeof wordsIn>,
  stateOf: (state: unknown) => string,
): CellValue[] {
  const [product, spec, quantity, unitPrice, supplier, salesWay] = (order.line ?? [
    '',
    '',
    0,
    0,
    '',
    '',
  ]) as Line;
  return [
    number,
    order.code as string,
    order.checkoutCode as string,
    words.type(order.type),
    order.title as string,
    timeText(order.createdAt),
    timeText(order.visitAt),
    maskValue('name', order.contactName as string),
    maskValue('phone', order.contactPhone as string),
    order.project__title as string | null,
    order.address as string,
    order.isPaid ? yuanFromFen(order.payable as number) : '0.00',
    yuanFromFen(order.discount as number),
    words.payChannel(order.payChannel),
    stateOf(order.state),
    words.refundStatus(order.refundStatus),
    words.commentStatus(order.commentStatus),
    timeText(order.completedAt),
    yuanFromFen(order.cashRefunded as number),
    timeText(order.refundedAt),
    product,
    spec,
    quantity,
    yuanFromFen(unitPrice),
    words.salesWay(salesWay),
    supplier,
    words.source(order.source),
    order.remark as string,
  ];
}
