import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { checkSeed } from './check-seed.ts';
import { seedDemo } from './seed-demo/seed-demo.ts';
import { seedReference } from './seed-reference.ts';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await cloneDatabase();
  pool = new pg.Pool({ ...database.app, max: 2 });
  await seedReference(pool);
  await seedDemo(pool, { seed: 7 });
}, 180_000);

afterAll(async () => {
  await pool.end();
  await database.drop();
});

test('another seed and another day add up as well', async () => {
  for (const check of await checkSeed(pool)) {
    expect(check.looked, check.name).toBeGreaterThan(0);
    expect(check.problems, check.name).toEqual([]);
  }
});

describe('planted errors are found', () => {
  const PLANTED: [string, string][] = [
    [
      'order = lines',
      `UPDATE sales_order SET goods = goods + 1, payable = payable + 1 WHERE id = (SELECT min(id) FROM sales_order)`,
    ],
    [
      'order = shares per step',
      `UPDATE order_share SET amount = amount + 1 WHERE id = (SELECT min(id) FROM order_share WHERE step = 20)`,
    ],
    [
      'line = shares + cash',
      `UPDATE order_line SET cash = cash - 1 WHERE id = (SELECT min(id) FROM order_line WHERE cash_refunded = 0)`,
    ],
    ['payment = orders', `UPDATE payment SET amount = amount + 1 WHERE id = (SELECT min(id) FROM payment)`],
    [
      'payment = refunds',
      `UPDATE payment SET refunding = refunding - 1 WHERE id = (SELECT min(id) FROM payment WHERE refunding > 0)`,
    ],
    [
      'channel = payment',
      `UPDATE sandbox_trade SET refunded = refunded - 1 WHERE trade_no = (SELECT min(trade_no) FROM sandbox_trade WHERE refunded > 0)`,
    ],
    [
      'order = refunds',
      `UPDATE sales_order SET refund_status = 'none' WHERE id = (SELECT min(id) FROM sales_order WHERE refund_status = 'part')`,
    ],
    ['refund = rows', `UPDATE refund_line SET cash = cash + 1 WHERE id = (SELECT min(id) FROM refund_line)`],
    [
      'line = refund rows',
      `UPDATE order_line SET cash_refunded = cash_refunded - 1 WHERE id = (SELECT min(id) FROM order_line WHERE cash_refunded > 0)`,
    ],
    [
      'share = refund rows',
      `UPDATE order_share SET refunded_amount = refunded_amount - 1 WHERE id = (SELECT min(id) FROM order_share WHERE refunded_amount > 0)`,
    ],
    [
      'line = parcels',
      `UPDATE shipment_line SET qty = qty + 1 WHERE line_id = (SELECT min(line_id) FROM shipment_line)`,
    ],
    [
      'spec = movements',
      `UPDATE product_spec SET sold = sold + 1 WHERE id = (SELECT min(id) FROM product_spec)`,
    ],
    [
      'movement follows movement',
      `INSERT INTO stock_movement (spec_id, op, qty, stock_before, stock_after, source_type, source_id)
       SELECT id, 2, 1, stock + 5, stock + 6, 'planted', '1' FROM product_spec LIMIT 1`,
    ],
    ['coupon = claims', `UPDATE coupon SET claimed = claimed + 1 WHERE id = (SELECT min(id) FROM coupon)`],
    [
      'transfer sums to zero',
      `INSERT INTO ledger_transfer (source_type, source_id, purpose) VALUES ('planted', '1', 'nothing')`,
    ],
    [
      'account = entries',
      `UPDATE ledger_account SET balance = balance + 1 WHERE id = (SELECT min(id) FROM ledger_account WHERE balance > 0)`,
    ],
    [
      'account = lots',
      `UPDATE points_lot SET remaining = remaining - 1 WHERE id = (SELECT min(id) FROM points_lot WHERE remaining > 0)`,
    ],
    [
      'points of orders = ledger',
      `UPDATE sales_order SET points = points + 1 WHERE id = (SELECT min(id) FROM sales_order WHERE points > 0 AND paid_at IS NOT NULL)`,
    ],
  ];

  test.each(PLANTED)('%s', async (name, sql) => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      const changed = await client.query(sql);
      expect(changed.rowCount).toBe(1);
      const found = (await checkSeed(client))
        .filter((check) => check.problems.length > 0)
        .map((check) => check.name);
      expect(found).toContain(name);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  test('every check has one', async () => {
    const names = (await checkSeed(pool)).map((check) => check.name);
    expect(PLANTED.map(([name]) => name).sort()).toEqual(names.sort());
  });
});
