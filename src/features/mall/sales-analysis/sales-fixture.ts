import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { Mall } from '../product/mall-fixture.ts';

/** A line as the brute force counts it; amounts in fen. */
export interface SoldLine {
  readonly order: number;
  readonly product: number;
  readonly tenant: number;
  readonly project: number;
  /** Day the line counts as sold; null: never. */
  readonly day: string | null;
  readonly qty: number;
  readonly goods: number;
  readonly cash: number;
  readonly freight: number;
}
/** A succeeded refund of a sold line. */
export interface RefundPart {
  readonly refund: number;
  readonly line: SoldLine;
  readonly day: string;
  readonly qty: number;
  readonly cash: number;
}
/** Random but repeatable. */
let seed = 42;
function random(below: number): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((seed / 2_147_483_648) * below);
}

/** What was planted. */
export interface Trade {
  readonly sold: readonly SoldLine[];
  readonly refunds: readonly RefundPart[];
  readonly products: readonly { id: number; tenant: number; cls: number | null }[];
}

/** Writes 500 random orders with refunds around a period of 60 days from `first`, midnight included. */
export async function plantTrade(mall: Mall, first: string): Promise<Trade> {
  const sold: SoldLine[] = [];
  const refunds: RefundPart[] = [];
  const products: { id: number; tenant: number; cls: number | null }[] = [];
  const db = mall.platform.database.db;
  const { merchantA, merchantB, north, south, business, otherBusiness, member } = mall.ids;
  const [, child, other] = mall.classes;
  for (let n = 0; n < 12; n++) {
    const tenant = n % 2 ? merchantA : merchantB;
    const cls = [child, other, null][n % 3]!;
    const { id } = (await runOne<{ id: number }>(
      db,
      `INSERT INTO product (code, tenant_id, business_id, name, status) VALUES ($1, $2, $3, $4, 'published') RETURNING id`,
      [`PD20260101${String(n).padStart(6, '0')}`, tenant, n % 4 ? business : otherBusiness, `goods ${n}`],
    ))!;
    await run(
      db,
      `INSERT INTO product_spec (product_id, code, name, price) VALUES ($1, 'S01', 'one', 1000)`,
      [id],
    );
    if (cls) await run(db, 'INSERT INTO product_class_member VALUES ($1, $2)', [id, cls]);
    await run(db, 'INSERT INTO product_project VALUES ($1, $2)', [id, north]);
    products.push({ id, tenant, cls });
  }
  // 75 days before the range to 10 after it, minutes before and after midnight included.
  for (let n = 0; n < 500; n++) {
    const isGroup = random(6) === 0;
    const paid = random(12) > 0;
    const at = (day: number) =>
      new Date(
        Date.parse(`${addDays(first, day)}T00:00:00+08:00`) + [1, 86_399, random(86_400)][random(3)]! * 1000,
      );
    const paidAt = at(random(145) - 75);
    const formedAt = isGroup && random(4) > 0 ? new Date(paidAt.getTime() + random(72) * 3_600_000) : null;
    const tenant = random(2) ? merchantA : merchantB;
    const project = random(3) ? north : south;
    const freight = random(3) * 500;
    const own = products.filter((one) => one.tenant === tenant);
    const chosen = own.filter(() => random(2) === 0).slice(0, 3);
    if (chosen.length === 0) chosen.push(own[0]!);
    const lines = chosen.map((one) => {
      const qty = 1 + random(4);
      const price = 100 + random(5000);
      return { product: one.id, qty, price, goods: price * qty, cash: price * qty - random(100) };
    });
    const goods = lines.reduce((sum, line) => sum + line.goods, 0);
    const cash = lines.reduce((sum, line) => sum + line.cash, 0);
    const payment = (await runOne<{ id: number }>(
      db,
      `INSERT INTO payment (checkout_code, channel, state, amount, paid_at, deadline) VALUES ($1, 1, $2, $3, $4, now()) RETURNING id`,
      [`CK${n}`, paid ? 2 : 1, cash + freight, paid ? paidAt : null],
    ))!.id;
    const order = (await runOne<{ id: number }>(
      db,
      `INSERT INTO sales_order (code, type, source, tenant_id, project_id, member_id, payment_id, title, contact_name, contact_phone, address, state, goods,
          merchant_coupon, freight, payable, paid_at, created_at)
       VALUES ($1, $2, 1, $3, $4, $5, $6, 't', 'c', '1', 'a', $7, $8, $9, $10, $11, $12, $13) RETURNING id`,
      [
        `SO${n}`,
        isGroup ? 'group' : 'ordinary',
        tenant,
        project,
        member,
        payment,
        paid ? 'to_receive' : 'pending_payment',
        goods,
        goods - cash,
        freight,
        cash + freight,
        paid ? paidAt : null,
        paidAt,
      ],
    ))!.id;
    if (formedAt && paid)
      await run(db, 'INSERT INTO order_event (order_id, code, at) VALUES ($1, 16, $2)', [order, formedAt]);
    const soldAt = !paid ? null : isGroup ? formedAt : paidAt;
    const parts: { id: number; line: SoldLine }[] = [];
    for (const [index, line] of lines.entries()) {
      const { id } = (await runOne<{ id: number }>(
        db,
        `INSERT INTO order_line (order_id, line_no, product_id, spec_id, product_name, spec_name, list_price, unit_price, qty, goods, cash)
         VALUES ($1, $2, $3, (SELECT id FROM product_spec WHERE product_id = $3), 'p', 's', $4, $4, $5, $6, $7) RETURNING id`,
        [order, index + 1, line.product, line.price, line.qty, line.goods, line.cash],
      ))!;
      const one: SoldLine = {
        order,
        product: line.product,
        tenant,
        project,
        day: soldAt && businessDayOf(soldAt),
        qty: line.qty,
        goods: line.goods,
        cash: line.cash,
        freight,
      };
      sold.push(one);
      parts.push({ id, line: one });
    }
    if (!paid || random(4) > 0) continue;
    const state = ['succeeded', 'succeeded', 'reviewing', 'cancelled'][random(4)]!;
    const succeededAt = new Date(paidAt.getTime() + random(20) * 86_400_000 + random(86_400_000));
    const refunded = parts.slice(0, 1 + random(parts.length));
    const total = refunded.reduce((sum, part) => sum + Math.floor(part.line.cash / 2), 0);
    const refund = (await runOne<{ id: number }>(
      db,
      `INSERT INTO refund (code, order_id, payment_id, tenant_id, project_id, member_id, business_type, applicant_type, state, kind, apply_price, suggested_cash,
          cash, channel_refund_no, succeeded_at) VALUES ($1, $2, $3, $4, $5, $6, 1, 1, $7, 'units', $8, $8, $8, $1, $9) RETURNING id`,
      [
        `RF${n}`,
        order,
        payment,
        tenant,
        project,
        member,
        state,
        total,
        state === 'succeeded' ? succeededAt : null,
      ],
    ))!.id;
    for (const part of refunded) {
      const back = Math.floor(part.line.cash / 2);
      await run(db, 'INSERT INTO refund_line (refund_id, line_id, qty, cash) VALUES ($1, $2, 1, $3)', [
        refund,
        part.id,
        back,
      ]);
      if (state === 'succeeded' && part.line.day !== null)
        refunds.push({ refund, line: part.line, day: businessDayOf(succeededAt), qty: 1, cash: back });
    }
  }
  return { sold, refunds, products };
}
