import { run, type Tx } from '../../kernel/server/database.ts';

/**
 * Freezes the commission of an order's lines by the agreement version stamped on it: later rules of a class or a product that
 * moves to another class change nothing of what was sold. Source: group 13, order_line.commission_bp.
 */
export async function freezeCommission(tx: Tx, orderId: number): Promise<void> {
  await run(
    tx,
    `UPDATE order_line l SET commission_bp = agreed_commission(a.id, l.product_id)
       FROM sales_order o JOIN merchant_agreement a ON a.tenant_id = o.tenant_id AND a.agreement_version = o.agreement_version
      WHERE o.id = $1 AND l.order_id = o.id`,
    [orderId],
  );
}
