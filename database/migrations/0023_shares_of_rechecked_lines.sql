-- A refund whose units and re-check of one line stood in two rows was booked on their share with one of the two. The next
-- refunds of the line then found too much left of the share, and a coupon of which everything was back stayed used.
-- Only shares that differ from their refunds are touched; run again, this finds none.

CREATE TEMPORARY TABLE share_off ON COMMIT DROP AS
SELECT s.id AS share_id, l.order_id, s.step, s.source_type, s.source_id, s.refunded_amount AS found
  FROM order_share s
  JOIN order_line l ON l.id = s.line_id
  LEFT JOIN (SELECT x.share_id, sum(x.amount) AS amount, sum(x.units) AS units
               FROM refund_line_share x JOIN refund_line rl ON rl.id = x.refund_line_id JOIN refund r ON r.id = rl.refund_id
              WHERE r.state = 'succeeded' GROUP BY x.share_id) p ON p.share_id = s.id
 WHERE (s.refunded_amount, s.refunded_units) IS DISTINCT FROM (coalesce(p.amount, 0)::bigint, coalesce(p.units, 0)::bigint);

-- What was left to take when each refund took from a coupon's share, in the order they were booked, open ones last. What
-- is taken above it never was there. Cash is not touched: it went or goes out as the refunds say, and adds up with the
-- last unit of a line. Points and coins moved in the ledger, so their parts stay too.
CREATE TEMPORARY TABLE part_off ON COMMIT DROP AS
SELECT refund_line_id, share_id, least(before + amount, whole) - least(before, whole) AS amount,
       div(platform_whole * least(before + amount, whole), whole) - div(platform_whole * least(before, whole), whole) AS platform_amount
  FROM (SELECT x.refund_line_id, x.share_id, x.amount, s.amount AS whole, s.platform_amount AS platform_whole,
               sum(x.amount) OVER booked - x.amount AS before, sum(x.amount) OVER share AS taken
          FROM refund_line_share x
          JOIN share_off o ON o.share_id = x.share_id AND o.step IN (20, 30)
          JOIN order_share s ON s.id = x.share_id
          JOIN refund_line rl ON rl.id = x.refund_line_id
          JOIN refund r ON r.id = rl.refund_id
         WHERE r.state <> 'cancelled'
        WINDOW share AS (PARTITION BY x.share_id),
               booked AS (PARTITION BY x.share_id ORDER BY r.state <> 'succeeded', r.succeeded_at, r.id, rl.kind)) part
 WHERE taken > whole;
DELETE FROM refund_line_share x USING part_off p
 WHERE x.refund_line_id = p.refund_line_id AND x.share_id = p.share_id AND p.amount = 0 AND x.units = 0;
UPDATE refund_line_share x SET amount = p.amount, platform_amount = p.platform_amount
  FROM part_off p WHERE x.refund_line_id = p.refund_line_id AND x.share_id = p.share_id;

UPDATE order_share s SET refunded_amount = p.amount, refunded_units = p.units
  FROM (SELECT o.share_id, coalesce(sum(x.amount) FILTER (WHERE r.state = 'succeeded'), 0)::bigint AS amount,
               coalesce(sum(x.units) FILTER (WHERE r.state = 'succeeded'), 0)::bigint AS units
          FROM share_off o
          LEFT JOIN refund_line_share x ON x.share_id = o.share_id
          LEFT JOIN refund_line rl ON rl.id = x.refund_line_id
          LEFT JOIN refund r ON r.id = rl.refund_id
         GROUP BY o.share_id) p
 WHERE p.share_id = s.id AND p.amount <= s.amount AND p.units <= s.units;

-- Coupons of which nothing is left on any sold order of their checkout go back as they would have, or are only marked.
CREATE TEMPORARY TABLE coupon_off ON COMMIT DROP AS
SELECT mc.id, mc.coupon_id, mc.member_id, c.returnable AND clock_timestamp() <= mc.ends_at AS returns
  FROM member_coupon mc JOIN coupon c ON c.id = mc.coupon_id
 WHERE mc.status = 'used'
   AND mc.id::text IN (SELECT source_id FROM share_off WHERE source_type = 'member_coupon')
   AND NOT EXISTS (SELECT FROM order_share s JOIN order_line l ON l.id = s.line_id JOIN sales_order o ON o.id = l.order_id
                    WHERE s.source_type = 'member_coupon' AND s.source_id = mc.id::text AND o.paid_at IS NOT NULL
                      AND s.refunded_amount < s.amount);
UPDATE member_coupon SET status = 'refunded' WHERE id IN (SELECT id FROM coupon_off);
UPDATE coupon c SET used = greatest(c.used - b.used, 0)
  FROM (SELECT coupon_id, count(*)::int AS used FROM coupon_off GROUP BY coupon_id) b WHERE b.coupon_id = c.id;
INSERT INTO member_coupon (code, coupon_id, member_id, claim_seq, status, returned_from, ends_at)
SELECT o.code || 'R', o.coupon_id, o.member_id,
       (SELECT max(x.claim_seq) FROM member_coupon x WHERE x.coupon_id = o.coupon_id AND x.member_id = o.member_id)
         + row_number() OVER (PARTITION BY o.coupon_id, o.member_id ORDER BY o.id),
       'claimed', o.id, o.ends_at
  FROM coupon_off b JOIN member_coupon o ON o.id = b.id WHERE b.returns;

-- The timeline of each order says so.
INSERT INTO entity_event (entity, entity_id, who, action, label_zh, label_en, remark)
SELECT CASE o.kind WHEN 'service' THEN 'serviceOrder' ELSE 'goodsOrder' END, o.id, '系统', 'correctShares',
       '更正已退分摊', 'Refunded shares corrected',
       string_agg(format('第%s行 %s', l.line_no, to_char(f.found / 100.0, 'FM999999990.00'))
                    || CASE WHEN s.refunded_amount = f.found THEN '' ELSE to_char(s.refunded_amount / 100.0, '" → "FM999999990.00') END,
                  '；' ORDER BY l.line_no, s.step, s.id)
  FROM share_off f
  JOIN order_share s ON s.id = f.share_id
  JOIN order_line l ON l.id = s.line_id
  JOIN sales_order o ON o.id = f.order_id
 GROUP BY o.id, o.kind;
