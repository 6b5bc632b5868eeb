import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

/**
 * Bills of the channels of every day something was paid or given back until the day before yesterday, in order and closed after three
 * days; yesterday's have not come yet.
 */
export const demo = defineDemo({
  key: 'channelBills',
  run: async ({ tx, now }) => {
    const ours = `SELECT 'pay' AS type, p.id AS payment_id, NULL::bigint AS refund_id, p.channel, a.id AS account, (p.paid_at AT TIME ZONE 'Asia/Shanghai')::date AS day,
          p.trade_no, p.checkout_code AS our_no, p.amount, p.fee, p.paid_at AS at
        FROM payment p JOIN LATERAL (SELECT y.id FROM payee_account y WHERE y.id = p.payee_account_id OR (p.payee_account_id IS NULL AND y.built_in
          AND y.channel = CASE p.channel WHEN 1 THEN 'alipay' ELSE 'wechat' END) ORDER BY y.id LIMIT 1) a ON true
       WHERE p.state = 2 AND p.channel IN (1, 2) AND p.trade_no IS NOT NULL AND p.paid_at IS NOT NULL AND p.amount > 0
      UNION ALL
      SELECT 'refund', NULL, r.id, p.channel, a.id, (r.succeeded_at AT TIME ZONE 'Asia/Shanghai')::date, p.trade_no, r.channel_refund_no, r.cash, 0, r.succeeded_at
        FROM refund r JOIN payment p ON p.id = r.payment_id JOIN LATERAL (SELECT y.id FROM payee_account y WHERE y.id = p.payee_account_id OR (p.payee_account_id IS NULL AND y.built_in
          AND y.channel = CASE p.channel WHEN 1 THEN 'alipay' ELSE 'wechat' END) ORDER BY y.id LIMIT 1) a ON true
       WHERE r.state = 'succeeded' AND r.way = 'origin' AND r.cash > 0 AND p.state = 2 AND p.channel IN (1, 2) AND p.trade_no IS NOT NULL`;
    await run(
      tx,
      `WITH ours AS (${ours})
       INSERT INTO channel_bill (code, channel, payee_account_id, bill_date, state, source, file_name, our_count, our_amount, their_count, their_amount, fee, imported_at, closed_at, created_at, updated_at)
       SELECT 'CB' || to_char(day, 'YYYYMMDD') || lpad((row_number() OVER (PARTITION BY day ORDER BY channel, account))::text, 6, '0'), channel, account, day,
              CASE WHEN day < ($1::timestamptz AT TIME ZONE 'Asia/Shanghai')::date - 4 THEN 'closed' ELSE 'balanced' END, 'pull', to_char(day, 'YYYYMMDD') || '.csv',
              count(*), sum(CASE type WHEN 'pay' THEN amount ELSE -amount END), count(*), sum(CASE type WHEN 'pay' THEN amount ELSE -amount END), sum(fee),
              (day + 1)::timestamp AT TIME ZONE 'Asia/Shanghai' + interval '10 hours 30 minutes',
              CASE WHEN day < ($1::timestamptz AT TIME ZONE 'Asia/Shanghai')::date - 4 THEN (day + 4)::timestamp AT TIME ZONE 'Asia/Shanghai' + interval '3 hours' END,
              (day + 1)::timestamp AT TIME ZONE 'Asia/Shanghai' + interval '10 hours 30 minutes', (day + 1)::timestamp AT TIME ZONE 'Asia/Shanghai' + interval '10 hours 30 minutes'
         FROM ours WHERE day < ($1::timestamptz AT TIME ZONE 'Asia/Shanghai')::date - 1 GROUP BY channel, account, day`,
      [now],
    );
    await run(
      tx,
      `WITH ours AS (${ours}), placed AS (SELECT o.*, b.id AS bill_id FROM ours o JOIN channel_bill b ON b.channel = o.channel AND b.payee_account_id = o.account AND b.bill_date = o.day),
            made AS (INSERT INTO channel_bill_row (bill_id, type, trade_no, our_no, amount, fee, at) SELECT bill_id, type, trade_no, our_no, amount, fee, at FROM placed RETURNING *)
       INSERT INTO reconciliation (bill_id, bill_row_id, type, payment_id, refund_id, trade_no, our_no, our_amount, our_at, their_amount, their_at, fee, result, created_at, updated_at)
       SELECT m.bill_id, m.id, m.type, p.payment_id, p.refund_id, m.trade_no, m.our_no, m.amount, m.at, m.amount, m.at, m.fee, 'matched', m.at, m.at
         FROM made m JOIN placed p ON p.bill_id = m.bill_id AND p.type = m.type AND p.trade_no = m.trade_no AND p.our_no = m.our_no`,
    );
  },
});
