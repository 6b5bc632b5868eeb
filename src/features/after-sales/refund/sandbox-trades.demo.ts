import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

/** The sandbox knows what the other sets were paid with: their refunds fare like those of payments made in it. */
export const demo = defineDemo({
  key: 'sandboxTrades',
  after: [
    'activities',
    'coinDeductionRules',
    'group-buy',
    'parking',
    'pointsShopCash',
    'seckill',
    'serviceGroupOrders',
    'serviceOrders',
  ],
  run: async ({ tx }) => {
    // By the numbers of demonstrations alone: whatever else an installation took is a matter of its channel.
    await run(
      tx,
      `INSERT INTO sandbox_trade (trade_no, checkout_code, amount, refunded, paid_at, payee_account_id)
       SELECT trade_no, checkout_code, amount, refunded, paid_at, payee_account_id FROM payment
        WHERE state = 2 AND channel IN (1, 2) AND (trade_no LIKE 'DEMO-%' OR trade_no = 'WX' || checkout_code) ON CONFLICT DO NOTHING`,
    );
    await run(
      tx,
      `INSERT INTO sandbox_trade (trade_no, checkout_code, amount, refunded, paid_at)
       SELECT p.number, o.code, p.amount, coalesce((SELECT sum(r.amount) FROM parking_payment r
                WHERE r.order_id = p.order_id AND r.kind = 'refund' AND r.state = 'succeeded'), 0), p.at
         FROM parking_payment p JOIN parking_order o ON o.id = p.order_id
        WHERE p.kind = 'payment' AND p.state = 'succeeded' AND p.way IN ('alipay', 'wechat') AND p.number LIKE 'PKD%'
       ON CONFLICT DO NOTHING`,
    );
  },
});
