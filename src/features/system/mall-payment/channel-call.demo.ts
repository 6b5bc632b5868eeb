import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

/** What the payments and refunds of the set asked of the channels and heard from them; every so often a result came twice. */
export const demo = defineDemo({
  key: 'channelCalls',
  after: ['payeeAccounts'],
  run: async ({ tx }) => {
    await run(
      tx,
      `INSERT INTO channel_call (direction, kind, channel, number, account_id, amount, result, code, message, duration_ms, calls, payload, first_at, at)
       SELECT d.direction, 'pay', p.channel, p.checkout_code, p.payee_account_id, p.amount,
              CASE d.direction WHEN 'request' THEN 'accepted' ELSE 'success' END, CASE d.direction WHEN 'request' THEN p.trade_no ELSE 'paid' END, '',
              CASE d.direction WHEN 'request' THEN 90 + p.id % 240 ELSE 12 + p.id % 30 END,
              CASE WHEN d.direction = 'callback' AND p.id % 17 = 0 THEN 2 ELSE 1 END,
              CASE d.direction WHEN 'request' THEN jsonb_build_object('checkoutCode', p.checkout_code)
                ELSE jsonb_build_object('checkoutCode', p.checkout_code, 'tradeNo', p.trade_no, 'amount', p.amount, 'channel', p.channel,
                       'paidAt', p.paid_at, 'payeeAccountId', p.payee_account_id) END,
              p.paid_at - CASE d.direction WHEN 'request' THEN interval '9 seconds' ELSE interval '0' END,
              p.paid_at - CASE d.direction WHEN 'request' THEN interval '9 seconds' ELSE interval '0' END
         FROM payment p CROSS JOIN (VALUES ('request'), ('callback')) AS d (direction)
        WHERE p.state = 2 AND p.channel IN (1, 2) AND p.trade_no IS NOT NULL
        ORDER BY p.paid_at, p.id, d.direction DESC`,
    );
    await run(
      tx,
      `INSERT INTO channel_call (direction, kind, channel, number, account_id, amount, result, code, message, duration_ms, calls, payload, first_at, at)
       SELECT d.direction, 'refund', p.channel, s.refund_no, p.payee_account_id, s.amount,
              CASE WHEN d.direction = 'request' THEN 'accepted' ELSE s.state END,
              CASE WHEN d.direction = 'request' THEN 'ACCEPTED' WHEN s.state = 'success' THEN 'SUCCESS' ELSE 'USER_ACCOUNT_ABNORMAL' END,
              CASE WHEN d.direction = 'request' THEN '' ELSE s.message END, 120 + s.amount % 300, greatest(1, CASE d.direction WHEN 'request' THEN s.calls ELSE 1 END),
              CASE d.direction WHEN 'request' THEN jsonb_build_object('refundNo', s.refund_no, 'tradeNo', s.trade_no)
                ELSE jsonb_build_object('refundNo', s.refund_no, 'state', s.state, 'code', CASE s.state WHEN 'success' THEN 'SUCCESS' ELSE 'USER_ACCOUNT_ABNORMAL' END, 'message', s.message) END,
              s.created_at, CASE d.direction WHEN 'request' THEN s.created_at ELSE s.due_at END
         FROM sandbox_refund s JOIN payment p ON p.trade_no = s.trade_no CROSS JOIN (VALUES ('request'), ('callback')) AS d (direction)
        WHERE (d.direction = 'request' OR s.state <> 'accepted') AND p.channel IN (1, 2)
        ORDER BY s.created_at, s.refund_no, d.direction DESC`,
    );
  },
});
