import { run, runOne } from '../../kernel/server/database.ts';
import type { Mall } from '../mall/product/mall-fixture.ts';

/** A line to plant; money in fen. */
export interface PlantedLine {
  readonly product: number;
  readonly qty: number;
  readonly unit: number;
  readonly cash: number;
}

/** An order to plant; instants are business times such as `2025-11-28T10:00:00`. */
export interface PlantedOrder {
  readonly tenant: number;
  readonly project: number;
  readonly member: number;
  readonly paidAt: string;
  readonly lines: readonly PlantedLine[];
  readonly type?: 'ordinary' | 'group';
  readonly formedAt?: string;
}

let turn = 0;
const at = (time: string) => `${time}+08:00`;

/** A product on sale with one specification; returns its id. */
export async function plantProduct(mall: Mall, tenant: number, name: string): Promise<number> {
  const { db } = mall.platform.database;
  turn += 1;
  const { id } = (await runOne<{ id: number }>(
    db,
    `INSERT INTO product (code, tenant_id, business_id, name, status) VALUES ($1, $2, $3, $4, 'published') RETURNING id`,
    [`PD20250101${String(turn).padStart(6, '0')}`, tenant, mall.ids.business, name],
  ))!;
  await run(db, `INSERT INTO product_spec (product_id, code, name, price) VALUES ($1, 'S01', 'one', 1000)`, [
    id,
  ]);
  return id;
}

/** A member; returns the id. */
export async function plantMember(mall: Mall, name: string): Promise<number> {
  turn += 1;
  return (await runOne<{ id: number }>(
    mall.platform.database.db,
    'INSERT INTO member (name, phone) VALUES ($1, $2) RETURNING id',
    [name, `139${String(turn).padStart(8, '0')}`],
  ))!.id;
}

/** A paid goods order; returns its id and those of its lines. */
export async function plantOrder(
  mall: Mall,
  one: PlantedOrder,
): Promise<{ id: number; lines: number[]; payment: number }> {
  const { db } = mall.platform.database;
  turn += 1;
  const goods = one.lines.reduce((sum, line) => sum + line.unit * line.qty, 0);
  const cash = one.lines.reduce((sum, line) => sum + line.cash, 0);
  const payment = (await runOne<{ id: number }>(
    db,
    `INSERT INTO payment (checkout_code, channel, state, amount, paid_at, deadline) VALUES ($1, 1, 2, $2, $3, now()) RETURNING id`,
    [`CKS${turn}`, cash, at(one.paidAt)],
  ))!.id;
  const { id } = (await runOne<{ id: number }>(
    db,
    `INSERT INTO sales_order (code, type, source, tenant_id, project_id, member_id, payment_id, title, contact_name, contact_phone, address, state, goods,
        merchant_coupon, payable, paid_at, created_at)
     VALUES ($1, $2, 1, $3, $4, $5, $6, 't', 'c', '1', 'a', 'to_receive', $7, $8, $9, $10, $10) RETURNING id`,
    [
      `SOS${turn}`,
      one.type ?? 'ordinary',
      one.tenant,
      one.project,
      one.member,
      payment,
      goods,
      goods - cash,
      cash,
      at(one.paidAt),
    ],
  ))!;
  if (one.formedAt)
    await run(db, 'INSERT INTO order_event (order_id, code, at) VALUES ($1, 16, $2)', [id, at(one.formedAt)]);
  const lines: number[] = [];
  for (const [index, line] of one.lines.entries())
    lines.push(
      (await runOne<{ id: number }>(
        db,
        `INSERT INTO order_line (order_id, line_no, product_id, spec_id, product_name, spec_name, list_price, unit_price, qty, goods, cash)
         VALUES ($1, $2, $3, (SELECT id FROM product_spec WHERE product_id = $3), 'p', 's', $4, $4, $5, $6, $7) RETURNING id`,
        [id, index + 1, line.product, line.unit, line.qty, line.unit * line.qty, line.cash],
      ))!.id,
    );
  return { id, lines, payment };
}

/** A refund of one line that succeeded. */
export async function plantRefund(
  mall: Mall,
  order: { readonly id: number; readonly payment: number },
  line: number,
  back: { readonly at: string; readonly qty: number; readonly cash: number },
): Promise<void> {
  const { db } = mall.platform.database;
  turn += 1;
  const { id } = (await runOne<{ id: number }>(
    db,
    `INSERT INTO refund (code, order_id, payment_id, tenant_id, project_id, member_id, business_type, applicant_type, state, kind, apply_price, suggested_cash,
        cash, channel_refund_no, succeeded_at)
     SELECT $1, o.id, o.payment_id, o.tenant_id, o.project_id, o.member_id, 1, 1, 'succeeded', 'units', $3, $3, $3, $1, $4 FROM sales_order o WHERE o.id = $2 RETURNING id`,
    [`RFS${turn}`, order.id, back.cash, at(back.at)],
  ))!;
  await run(db, 'INSERT INTO refund_line (refund_id, line_id, qty, cash) VALUES ($1, $2, $3, $4)', [
    id,
    line,
    back.qty,
    back.cash,
  ]);
}
