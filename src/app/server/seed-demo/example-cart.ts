import type { Runner } from './insert-rows.ts';
import type { GoodsData } from './goods.ts';
import { readSeedFile } from './seed-file.ts';

/** Keys of the demonstration rows that make the cart of worked example A of the mall. Source: group 08. */
export interface ExampleCart {
  memberId: number;
  projectId: number;
  address: string;
  /** M1 sells rice and oil, M2 tissue. */
  merchant1Id: number;
  merchant2Id: number;
  rice: ExampleLine;
  oil: ExampleLine;
  tissue: ExampleLine;
  /** 10.00 off 100.00 of M1 and the platform's 20.00 off 150.00, both unused. */
  merchantCoupon: { couponId: number; memberCouponId: number };
  platformCoupon: { couponId: number; memberCouponId: number };
  points: number;
}

/** One line: 39.90 × 2, 59.90 × 1 or 19.90 × 3; `price` in fen. */
export interface ExampleLine {
  productId: number;
  specId: number;
  price: number;
  qty: number;
}

/** Finds the rows of worked example A; throws when the demonstration set is missing. */
export async function findExampleCart(db: Runner): Promise<ExampleCart> {
  const { example } = readSeedFile<GoodsData>('demo-goods');
  const { rows: people } = await db.query<
    Record<'id' | 'project_id' | 'points', string> & { address: string }
  >(
    `SELECT m.id, m.project_id, a.balance AS points,
            p.address || ' ' || p.name || ' ' || b.name || u.name || h.number AS address
       FROM member m JOIN household r ON r.member_id = m.id JOIN house h ON h.id = r.house_id
       JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id JOIN project p ON p.id = h.project_id
       JOIN ledger_account a ON a.kind = 'points_available' AND a.owner = m.id::text AND a.unit = 'point'
      WHERE m.phone = $1`,
    [example.phone],
  );
  const member = people[0];
  if (!member) throw new Error('The demonstration set is missing; run seedDemo first');
  const line = async (
    [product, spec]: [string, string],
    qty: number,
  ): Promise<ExampleLine & { tenantId: number }> => {
    const { rows } = await db.query<Record<'product_id' | 'spec_id' | 'price' | 'tenant_id', string>>(
      `SELECT p.id AS product_id, s.id AS spec_id, s.price, p.tenant_id
         FROM product p JOIN product_spec s ON s.product_id = p.id WHERE p.name = $1 AND s.name = $2 ORDER BY p.id LIMIT 1`,
      [product, spec],
    );
    const found = rows[0]!;
    return {
      productId: Number(found.product_id),
      specId: Number(found.spec_id),
      price: Number(found.price),
      qty,
      tenantId: Number(found.tenant_id),
    };
  };
  const { rows: coupons } = await db.query<{ issuer: string; coupon_id: string; id: string }>(
    `SELECT c.issuer, m.coupon_id, m.id FROM member_coupon m JOIN coupon c ON c.id = m.coupon_id
      WHERE m.member_id = $1 AND m.status = 'claimed' AND m.locked_payment IS NULL ORDER BY m.id`,
    [member.id],
  );
  const coupon = (issuer: string) => {
    const found = coupons.find((row) => row.issuer === issuer)!;
    return { couponId: Number(found.coupon_id), memberCouponId: Number(found.id) };
  };
  const { tenantId: merchant1Id, ...rice } = await line(example.rice, 2);
  const { tenantId: _sameShop, ...oil } = await line(example.oil, 1);
  const { tenantId: merchant2Id, ...tissue } = await line(example.tissue, 3);
  return {
    memberId: Number(member.id),
    projectId: Number(member.project_id),
    address: member.address,
    merchant1Id,
    merchant2Id,
    rice,
    oil,
    tissue,
    merchantCoupon: coupon('merchant'),
    platformCoupon: coupon('platform'),
    points: Number(member.points),
  };
}
