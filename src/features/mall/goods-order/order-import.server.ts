import { run } from '../../../kernel/server/database.ts';
import { textOf } from '../../../kernel/contract/label.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { Binding } from '../../../kernel/server/resource/binding.ts';
import { Refusal } from '../../../kernel/server/http/errors.ts';
import type {
  ImportCall,
  ImportProblem,
  ImportRow,
  ImportTarget,
} from '../../../kernel/server/tables/import-target.ts';
import { actIn } from '../../../kernel/server/resource/run-action.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { goodsOrder } from './goods-order.contract.ts';
import { HELD, IN_REFUND, TOO_MANY, UNSHIPPED } from './order-shipping.server.ts';
import { TRACKING_PATTERN } from './order-words.rules.ts';

interface LineRow {
  readonly order_id: number;
  readonly order_code: string;
  readonly line_id: number;
  readonly spec_code: string;
  readonly state: string;
  readonly unshipped: number;
  /** Of them: in an unfinished refund or asked back by a case. */
  readonly held: number;
}

/**
 * 导入发货: order no., spec code, quantity, company, tracking no. Rows of one order with the same company and number are
 * one parcel. Parcels are shipped by the very action of the button, so its rules and timeline hold.
 */
export function shipmentImport(binding: Binding, bound: () => BoundResource): ImportTarget {
  return {
    source: 'goodsOrderShip',
    menu: goodsOrder.menu,
    element: 'btn_importShip',
    title: ['导入发货', 'Import shipments'],
    maxRows: 2_000,
    columns: [
      { name: 'order', title: ['订单号', 'Order no.'], required: true, max: 40, example: 'SO20261121000001' },
      {
        name: 'spec',
        title: ['规格编码', 'Spec code'],
        required: true,
        max: 60,
        example: 'PD20261101000001-S01',
        note: ['商品编号-规格编码', 'Product no. and spec code'],
      },
      { name: 'qty', title: ['数量', 'Quantity'], required: true, max: 6, example: '1' },
      { name: 'company', title: ['快递公司', 'Express company'], required: true, max: 40, example: 'SF' },
      {
        name: 'trackingNo',
        title: ['快递单号', 'Tracking no.'],
        required: true,
        max: 32,
        example: 'SF1234567890',
      },
    ],
    check: async (call, rows) => checkRows(rows, await linesOf(call, binding, rows)),
    commit: async (tx, call, rows) => {
      const lines = await linesOf(call, binding, rows);
      for (const parcel of parcelsOf(rows, lines))
        await actIn(
          tx,
          goodsOrder,
          binding,
          bound().columns,
          {
            platform: call.platform,
            caller: call.caller,
            facts: { address: '', userAgent: 'import', language: call.language, traceId: '' },
            menu: goodsOrder.menu,
            action: 'ship',
            id: parcel.orderId,
            version: undefined,
            input: {
              way: 'express',
              company: parcel.company,
              trackingNo: parcel.trackingNo,
              lines: parcel.lines,
            },
          },
          goodsOrder.actions!.ship!,
        ).catch((error: unknown) => {
          // The task shows the refusal with the order it is about; everything else is a fault.
          if (!(error instanceof Refusal)) throw error;
          throw new Refusal(error.http, error.status, [
            `${parcel.orderCode}：${textOf(error.label, 'zh')}`,
            `${parcel.orderCode}: ${textOf(error.label, 'en')}`,
          ]);
        });
      call.platform.changed(goodsOrder.name);
      return rows.length;
    },
  };
}

async function linesOf(call: ImportCall, binding: Binding, rows: readonly ImportRow[]): Promise<LineRow[]> {
  const parameters = new Parameters();
  const codes = parameters.bind([...new Set(rows.map((row) => row.values.order!.toUpperCase()))]);
  return run<LineRow>(
    call.platform.database.db,
    `SELECT t.id AS order_id, t.code AS order_code, l.id AS line_id, upper(pr.code || '-' || s.code) AS spec_code, t.state,
            ${UNSHIPPED} AS unshipped, ${HELD} AS held
       FROM sales_order t JOIN order_line l ON l.order_id = t.id JOIN product_spec s ON s.id = l.spec_id JOIN product pr ON pr.id = s.product_id
      WHERE t.code = ANY(${codes}::text[]) AND ${binding.where} AND ${scopeCondition(call.caller, goodsOrder.menu, binding.scope, parameters)}`,
    parameters.values,
  );
}

function checkRows(rows: readonly ImportRow[], lines: readonly LineRow[]): ImportProblem[] {
  const problems: ImportProblem[] = [];
  const left = new Map(lines.map((line) => [line.line_id, line.unshipped]));
  const tracking = new RegExp(`^${TRACKING_PATTERN}$`);
  for (const row of rows) {
    const { order, qty, trackingNo } = row.values;
    const bad = (column: string, message: ImportProblem['message']) =>
      problems.push({ row: row.number, column, message });
    const ofOrder = lines.filter((line) => line.order_code === order!.toUpperCase());
    const line = findLine(row, lines);
    const wanted = /^\d{1,5}$/.test(qty!) ? Number(qty) : 0;
    if (ofOrder.length === 0) bad('order', ['订单不存在', 'The order does not exist']);
    else if (!['to_ship', 'part_shipped'].includes(ofOrder[0]!.state))
      bad('order', ['订单不是待发货状态', 'The order is not waiting for shipment']);
    else if (!line) bad('spec', ['订单中没有该规格', 'The order has no such spec']);
    else if (wanted < 1) bad('qty', ['数量应为正整数', 'The quantity must be a positive whole number']);
    else if (wanted > left.get(line.line_id)!) bad('qty', TOO_MANY);
    else if (wanted > left.get(line.line_id)! - line.held) bad('qty', IN_REFUND);
    else left.set(line.line_id, left.get(line.line_id)! - wanted);
    if (!tracking.test(trackingNo!))
      bad('trackingNo', ['请输入6–32位字母、数字或-', 'Please enter 6–32 letters, digits or -']);
  }
  return problems;
}

function parcelsOf(rows: readonly ImportRow[], lines: readonly LineRow[]) {
  const parcels = new Map<
    string,
    {
      orderId: number;
      orderCode: string;
      company: string;
      trackingNo: string;
      lines: { lineId: string; qty: number }[];
    }
  >();
  for (const row of rows) {
    const { order, company, trackingNo, qty } = row.values;
    const line = findLine(row, lines)!;
    const key = JSON.stringify([order!.toUpperCase(), company, trackingNo]);
    const parcel = parcels.get(key) ?? {
      orderId: line.order_id,
      orderCode: line.order_code,
      company: company!,
      trackingNo: trackingNo!,
      lines: [],
    };
    parcel.lines.push({ lineId: String(line.line_id), qty: Number(qty) });
    parcels.set(key, parcel);
  }
  return [...parcels.values()];
}

function findLine(row: ImportRow, lines: readonly LineRow[]): LineRow | undefined {
  return lines.find(
    (line) =>
      line.order_code === row.values.order!.toUpperCase() &&
      line.spec_code === row.values.spec!.toUpperCase(),
  );
}
