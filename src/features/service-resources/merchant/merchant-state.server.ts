import type { Label } from '../../../kernel/contract/label.ts';
import { runOne, type Executor } from '../../../kernel/server/database.ts';
import { depositSql } from '../../../domain/merchant/deposit.server.ts';
import type { Checklist } from '../../../domain/merchant/merchant.rules.ts';

/** What of the opening of a merchant is there at this moment. */
export async function checklistOf(db: Executor, id: number): Promise<Checklist> {
  return (await runOne<Checklist>(
    db,
    `SELECT a.id IS NOT NULL AS agreement,
            t.merchant_kind = 'self' OR EXISTS (SELECT FROM merchant_certificate c WHERE c.tenant_id = t.id AND c.type = 'licence'
              AND (c.long_term OR c.valid_to >= (now() AT TIME ZONE 'Asia/Shanghai')::date)) AS licence,
            t.merchant_kind = 'self' OR ${depositSql('t.id')} >= coalesce(a.deposit, 0) AS deposit,
            EXISTS (SELECT FROM tenant_project p WHERE p.tenant_id = t.id) AS project,
            EXISTS (SELECT FROM tenant_business b WHERE b.tenant_id = t.id) AS business,
            EXISTS (SELECT FROM staff s WHERE s.tenant_id = t.id AND s.state = 'normal') AS staff
       FROM tenant t LEFT JOIN LATERAL (SELECT * FROM merchant_agreement f WHERE f.tenant_id = t.id AND f.state = 'active'
         AND f.effective_from <= now() AND (f.effective_to IS NULL OR f.effective_to > now()) LIMIT 1) a ON true
      WHERE t.id = $1`,
    [id],
  ))!;
}

/** What keeps a merchant from being closed, each with its number; undefined when nothing does. */
export async function closingBlockers(db: Executor, id: number): Promise<Label | undefined> {
  const found = (await runOne<{ orders: number; refunds: number; goods: number; deposit: number }>(
    db,
    `SELECT (SELECT count(*) FROM sales_order o WHERE o.tenant_id = $1 AND o.state NOT IN ('completed', 'closed')) AS orders,
            (SELECT count(*) FROM refund r WHERE r.tenant_id = $1 AND r.state IN ('reviewing', 'refunding', 'failed')) AS refunds,
            (SELECT count(*) FROM product p WHERE p.tenant_id = $1 AND p.status = 'published') AS goods,
            ${depositSql('$1')} AS deposit`,
    [id],
  ))!;
  const parts: Label[] = [];
  if (found.orders > 0) parts.push([`${found.orders} 笔未完成订单`, `${found.orders} open orders`]);
  if (found.refunds > 0) parts.push([`${found.refunds} 笔未完成退款`, `${found.refunds} open refunds`]);
  if (found.goods > 0) parts.push([`${found.goods} 件在售商品`, `${found.goods} goods on sale`]);
  if (found.deposit !== 0) parts.push(['未退还的保证金', 'the deposit']);
  if (parts.length === 0) return undefined;
  return [
    `还有 ${parts.map((one) => one[0]).join('、')}，不能完成清退`,
    `Still there: ${parts.map((one) => one[1]).join(', ')}`,
  ];
}
