import { afterAll, beforeAll, expect, test } from 'vitest';
import { sandboxChannel } from '../../../domain/payment-channel/sandbox-channel.server.ts';
import { run } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
beforeAll(async () => {
  product = await startTestProduct();
});
afterAll(() => product?.close());

test('a demonstration order of each kind can be refunded: the sandbox knows its payment', async () => {
  const { db } = product.platform.database;
  const unknown = await run<{ kind: string; code: string }>(
    db,
    `SELECT o.kind, p.checkout_code AS code FROM payment p JOIN sales_order o ON o.payment_id = p.id
      WHERE p.state = 2 AND p.channel IN (1, 2) AND NOT EXISTS (SELECT FROM sandbox_trade t
        WHERE t.trade_no = p.trade_no AND t.amount = p.amount AND t.refunded >= p.refunded)
     UNION ALL
     SELECT 'parking', p.number FROM parking_payment p WHERE p.kind = 'payment' AND p.way IN ('alipay', 'wechat')
        AND NOT EXISTS (SELECT FROM sandbox_trade t WHERE t.trade_no = p.number AND t.amount = p.amount)`,
  );
  expect(unknown).toEqual([]);
  const paid = await run<{
    kind: string;
    code: string;
    trade_no: string;
    amount: number;
    left: number;
    payee: number | null;
  }>(
    db,
    `SELECT DISTINCT ON (kind) * FROM (
       SELECT concat_ws(' ', o.kind, o.type) AS kind, p.checkout_code AS code, p.trade_no, p.amount, p.amount - p.refunded - p.refunding AS left, p.payee_account_id AS payee
         FROM payment p JOIN sales_order o ON o.payment_id = p.id WHERE p.state = 2 AND p.channel IN (1, 2)
       UNION ALL
       SELECT 'parking', o.code, p.number, p.amount, p.amount, NULL FROM parking_payment p JOIN parking_order o ON o.id = p.order_id
        WHERE p.kind = 'payment' AND p.way IN ('alipay', 'wechat') AND o.refunded = 0) x WHERE x.left > 0 ORDER BY kind, code`,
  );
  expect(paid.map((one) => one.kind)).toEqual(
    expect.arrayContaining([
      'goods group',
      'goods ordinary',
      'goods rush',
      'goods seckill',
      'parking',
      'service group',
      'service ordinary',
    ]),
  );
  const channel = sandboxChannel(product.platform);
  for (const one of paid) {
    const answer = await channel.refund({
      refundNo: `CR-TEST-${one.code}`,
      tradeNo: one.trade_no,
      checkoutCode: one.code,
      amount: one.left,
      paid: one.amount,
      payeeAccountId: one.payee,
      reason: '',
    });
    expect([one.kind, answer.code]).toEqual([one.kind, expect.stringMatching(/^(ACCEPTED|SUCCESS)$/)]);
  }
});
