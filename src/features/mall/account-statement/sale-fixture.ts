import { run, transaction } from '../../../kernel/server/database.ts';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import { reconcilePayment } from '../../../domain/settlement/reconciled-fixture.ts';
import type { Mall } from '../product/mall-fixture.ts';

/** A line of a test sale, in fen. */
export interface SoldLine {
  readonly price: number;
  readonly qty: number;
  readonly platformCoupon?: number;
  readonly merchantCoupon?: number;
  readonly points?: number;
}

/** A sale that was completed. */
export interface Sale {
  readonly order: number;
  readonly lines: readonly number[];
  readonly payment: number;
}

/** Sales of a mall, completed and paid long ago, and refunds of them. */
export interface Sales {
  insert(table: string, values: Record<string, unknown>): Promise<number>;
  sell(
    tenant: number,
    lines: readonly SoldLine[],
    more?: {
      freight?: number;
      fee?: number;
      completed?: string;
      reconciled?: boolean;
      kind?: 'service';
      type?: 'group';
    },
  ): Promise<Sale>;
  /** A refund of pieces that succeeded. */
  refunded(
    sale: Pick<Sale, 'order' | 'payment'>,
    line: number,
    back: { qty: number; cash: number; platformCoupon?: number; merchantCoupon?: number; points?: number },
  ): Promise<void>;
}

/** The sales of a mall. */
export function salesOf(mall: Mall): Sales {
  const { db } = mall.platform.database;
  const insert: Sales['insert'] = (table, values) => transaction(db, (tx) => insertRow(tx, table, values));
  let number = 0;
  return {
    insert,
    sell: async (tenant, lines, more = {}) => {
      number += 1;
      const off = (name: 'platformCoupon' | 'merchantCoupon' | 'points') =>
        lines.reduce((sum, line) => sum + (line[name] ?? 0), 0);
      const goods = lines.reduce((sum, line) => sum + line.price * line.qty, 0);
      const freight = more.freight ?? 0;
      const payable = goods - off('platformCoupon') - off('merchantCoupon') - off('points') + freight;
      const at = new Date(`${more.completed ?? '2026-03-05'}T04:00:00Z`);
      const payment = await insert('payment', {
        checkout_code: `CK${number}`,
        channel: 1,
        state: 2,
        amount: payable,
        trade_no: `T${number}`,
        paid_at: at,
        deadline: at,
        fee: more.fee ?? 0,
      });
      if (more.reconciled !== false) await reconcilePayment(db, payment);
      const order = await insert('sales_order', {
        code: `SO2026030500${String(number).padStart(4, '0')}`,
        source: 1,
        kind: more.kind ?? 'goods',
        type: more.type ?? 'ordinary',
        tenant_id: tenant,
        project_id: mall.ids.north,
        member_id: mall.ids.member,
        payment_id: payment,
        title: 'goods',
        contact_name: '陈思雨',
        contact_phone: '13800138000',
        address: 'x',
        state: 'completed',
        goods,
        platform_coupon: off('platformCoupon'),
        merchant_coupon: off('merchantCoupon'),
        points_value: off('points'),
        points: off('points'),
        freight,
        payable,
        agreement_version: 1,
        paid_at: at,
        pay_channel: 1,
        completed_at: at,
      });
      const ids: number[] = [];
      for (const [index, line] of lines.entries()) {
        const product = await insert('product', {
          code: `PD${number}-${index}`,
          tenant_id: tenant,
          business_id: mall.ids.business,
          name: `goods ${index + 1}`,
          status: 'published',
        });
        const spec = await insert('product_spec', {
          product_id: product,
          code: `S${index}`,
          name: 'one',
          price: line.price,
          stock: 0,
        });
        const shares = (line.platformCoupon ?? 0) + (line.merchantCoupon ?? 0) + (line.points ?? 0);
        const id = await insert('order_line', {
          order_id: order,
          line_no: index + 1,
          product_id: product,
          spec_id: spec,
          product_name: `goods ${index + 1}`,
          spec_name: 'one',
          list_price: line.price,
          unit_price: line.price,
          qty: line.qty,
          goods: line.price * line.qty,
          cash: line.price * line.qty - shares,
          qty_shipped: line.qty,
        });
        for (const [step, type, amount, platformPart] of [
          [30, 'platform_coupon', line.platformCoupon, line.platformCoupon],
          [20, 'merchant_coupon', line.merchantCoupon, 0],
          [40, 'points', line.points, line.points],
        ] as const)
          if (amount)
            await insert('order_share', {
              line_id: id,
              step,
              source_type: type,
              source_id: '1',
              amount,
              platform_amount: platformPart ?? 0,
            });
        ids.push(id);
      }
      return { order, lines: ids, payment };
    },
    refunded: async (sale, line, back) => {
      number += 1;
      const [order] = await run<{ tenant_id: number }>(
        db,
        'SELECT tenant_id FROM sales_order WHERE id = $1',
        [sale.order],
      );
      const refund = await insert('refund', {
        code: `RF${number}`,
        order_id: sale.order,
        payment_id: sale.payment,
        tenant_id: order!.tenant_id,
        project_id: mall.ids.north,
        member_id: mall.ids.member,
        business_type: 1,
        applicant_type: 1,
        state: 'succeeded',
        kind: 'units',
        apply_price: back.cash,
        suggested_cash: back.cash,
        cash: back.cash,
        channel_refund_no: `CR${number}`,
        // In the order they are written, all of them past.
        succeeded_at: new Date(Date.now() - 60_000 + number),
      });
      const part = await insert('refund_line', {
        refund_id: refund,
        line_id: line,
        qty: back.qty,
        cash: back.cash,
      });
      for (const [step, amount, platformPart] of [
        [30, back.platformCoupon, back.platformCoupon],
        [20, back.merchantCoupon, 0],
        [40, back.points, back.points],
      ] as const)
        if (amount)
          await run(
            db,
            `INSERT INTO refund_line_share (refund_line_id, share_id, amount, platform_amount)
             SELECT $1, id, $3, $4 FROM order_share WHERE line_id = $2 AND step = $5`,
            [part, line, amount, platformPart ?? 0, step],
          );
    },
  };
}
