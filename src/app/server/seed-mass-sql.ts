/*
 * One statement writes one batch of whole days. Every choice is a hash of the order's number and the seed, so the same
 * run gives the same rows whatever the batches and connections are. Parameters: $1 days, $2 first order number of each
 * day (from 1), $3 orders of each day, $4 $5 $6 numbers used before in CK, SO and RF of each day (RF: three days on),
 * $7 $8 keys before the first payment and order, $9 seed, $10 today, $11 texts, $12 keys of the coupons to use.
 * Lines lie side by side (1 to 3) until they are written: no sorting, and the splitting rule is plain arithmetic.
 */

/** Pseudo-random whole number ≥ 0 of an order for a purpose. */
const draw = (purpose: number): string => `(hashint8extended(n, $9::bigint * 64 + ${purpose}) & 2147483647)`;

/** What line i gets of `amount` by the splitting rule (largest remainder, ties to the lower line). Source: group 08. */
function part(amount: string, i: 1 | 2 | 3): string {
  const remainder = (line: number) => `(${amount} * g${line} % goods)`;
  const before = ([1, 2, 3] as const)
    .filter((j) => j !== i)
    .map((j) => `(${remainder(j)} ${j < i ? '>=' : '>'} ${remainder(i)})::int`)
    .join(' + ');
  const rest = `(${amount} - ${amount} * g1 / goods - ${amount} * g2 / goods - ${amount} * g3 / goods)`;
  return `(${amount} * g${i} / goods + (${before} < ${rest})::int)`;
}

const LINES = [1, 2, 3] as const;
const each = (make: (line: 1 | 2 | 3) => string): string => LINES.map(make).join(', ');

/** The batch statement; answers how many orders, lines and refunds it wrote. */
export const BATCH_SQL = `
WITH day AS (
  SELECT * FROM unnest($1::date[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
    AS d (day, first, count, used_ck, used_so, used_rf)),
texts AS (SELECT t.* FROM jsonb_to_record($11::jsonb) AS t (more text, closed text, refunded text, building text, unit text, room text, reason text, courier text)),
offer AS MATERIALIZED (
  SELECT q.project_id, p.tenant_id, p.id AS product_id, p.name AS product_name, p.logo_ids[1] AS image_id, p.supplier, p.sales_way,
         s.id AS spec_id, s.name AS spec_name, s.price,
         row_number() OVER (PARTITION BY q.project_id, p.tenant_id ORDER BY s.id) - 1 AS place
    FROM product p JOIN product_spec s ON s.product_id = p.id AND s.enabled
    JOIN product_project q ON q.product_id = p.id JOIN business b ON b.id = p.business_id
   WHERE p.status = 'published' AND p.kind = 'goods' AND b.code = 'goods'),
shop AS MATERIALIZED (
  SELECT project_id, tenant_id, count(*) AS offers, row_number() OVER (ORDER BY hashint8extended(project_id * 1000 + tenant_id, $9::bigint)) - 1 AS place
    FROM offer GROUP BY project_id, tenant_id HAVING count(*) >= 3),
buyer AS MATERIALIZED (
  SELECT m.id AS member_id, m.project_id, m.name, m.phone, row_number() OVER (PARTITION BY m.project_id ORDER BY m.id) - 1 AS place,
         count(*) OVER (PARTITION BY m.project_id) AS buyers
    FROM member m WHERE m.project_id IS NOT NULL),
crowd AS MATERIALIZED (SELECT DISTINCT project_id, buyers FROM buyer),
discount AS MATERIALIZED (
  SELECT id AS coupon_id, tenant_id, issuer, face, threshold, ends_at,
         row_number() OVER (PARTITION BY issuer, tenant_id ORDER BY id) - 1 AS place, count(*) OVER (PARTITION BY issuer, tenant_id) AS choices
    FROM coupon WHERE id = ANY ($12::bigint[])),
number AS MATERIALIZED (
  SELECT d.day, n, n - d.first + 1 AS seq, d.used_ck, d.used_so, d.used_rf, $10::date - d.day AS age,
         ${draw(1)} AS h_shop, ${draw(2)} AS h_buyer, ${draw(3)} AS h_line, ${draw(4)} AS h_count, ${draw(5)} AS h_qty,
         ${draw(6)} AS h_state, ${draw(7)} AS h_discount, ${draw(8)} AS h_refund, ${draw(9)} AS h_time, ${draw(10)} AS h_way
    FROM day d CROSS JOIN LATERAL generate_series(d.first, d.first + d.count - 1) AS n),
placed AS MATERIALIZED (
  SELECT x.*, s.project_id, s.tenant_id, s.offers, b.buyers,
         -- Some shops sell more than others: squaring the draw favours the first ones.
         (x.day + time '08:00' + (x.h_time % 27000 + x.h_time / 27000 % 27000) * interval '1 second') AT TIME ZONE 'Asia/Shanghai' AS created_at,
         CASE WHEN x.h_count % 100 < 55 THEN 1 WHEN x.h_count % 100 < 85 THEN 2 ELSE 3 END AS lines
    FROM number x
    JOIN shop s ON s.place = (x.h_shop % 46341) * (x.h_shop % 46341) * (SELECT count(*) FROM shop) / (46341::bigint * 46341)
    JOIN crowd b ON b.project_id = s.project_id),
cart AS MATERIALIZED (
  SELECT x.*, u.member_id, u.name, u.phone,
         ${each(
           (
             i,
           ) => `o${i}.product_id AS p${i}, o${i}.spec_id AS s${i}, o${i}.product_name AS pn${i}, o${i}.spec_name AS sn${i}, o${i}.image_id AS im${i}, o${i}.supplier AS su${i}, o${i}.sales_way AS sw${i}, coalesce(o${i}.price, 0) AS u${i},
         CASE WHEN o${i}.price IS NULL THEN 0 WHEN o${i}.price > 30000 THEN 1 ELSE 1 + (x.h_qty / ${10 ** i} % 10 >= 6)::int + (x.h_qty / ${10 ** i} % 10 = 9)::int END AS q${i}`,
         )}
    FROM placed x
    JOIN buyer u ON u.project_id = x.project_id AND u.place = x.h_buyer % x.buyers
    ${LINES.map((i) => `${i === 1 ? '' : 'LEFT '}JOIN offer o${i} ON o${i}.project_id = x.project_id AND o${i}.tenant_id = x.tenant_id AND o${i}.place = (x.h_line + ${i - 1}) % x.offers${i === 1 ? '' : ` AND x.lines >= ${i}`}`).join('\n    ')}),
priced AS MATERIALIZED (
  SELECT c.*, ${each((i) => `u${i} * q${i} AS g${i}`)}, u1 * q1 + u2 * q2 + u3 * q3 AS goods, q1 + q2 + q3 AS pieces,
         c.h_state % 1000 >= 80 AS paid
    FROM cart c),
discounted AS (
  SELECT p.*, d.coupon_id, d.ends_at AS coupon_ends_at,
         CASE WHEN d.issuer = 'merchant' THEN d.face ELSE 0 END AS merchant_coupon,
         CASE WHEN d.issuer = 'platform' THEN d.face ELSE 0 END AS platform_coupon,
         CASE WHEN p.h_discount % 100 IN (16, 17) THEN p.goods / 2000 * 100 ELSE 0 END AS manual_off
    FROM priced p
    LEFT JOIN discount d ON p.paid AND p.goods >= d.threshold AND d.place = p.n % d.choices
     AND ((d.issuer = 'platform' AND p.h_discount % 100 < 8) OR (d.issuer = 'merchant' AND p.h_discount % 100 BETWEEN 8 AND 15 AND d.tenant_id = p.tenant_id))),
split AS MATERIALIZED (
  SELECT d.*, d.merchant_coupon + d.platform_coupon + d.manual_off AS off, coalesce(f.freight, 0) AS freight,
         CASE WHEN d.merchant_coupon > 0 THEN 20 WHEN d.platform_coupon > 0 THEN 30 ELSE 60 END AS step,
         d.paid AND d.age > 4 AND d.h_refund % 100 < 2 AS asked, d.h_refund / 100 % 2 = 0 AS whole, d.h_refund / 200 % 100 AS h_outcome
    FROM discounted d
    LEFT JOIN postage_rule f ON f.tenant_id = d.tenant_id AND f.start_fen <= d.goods - d.merchant_coupon AND d.goods - d.merchant_coupon < f.end_fen),
judged AS (
  SELECT s.*, s.goods - s.off + s.freight AS payable, ${each((i) => `${part('off', i)} AS d${i}`)},
         CASE WHEN NOT asked THEN NULL
              WHEN age > 20 THEN CASE WHEN h_outcome < 85 THEN 'succeeded' WHEN h_outcome < 97 THEN 'cancelled' ELSE 'failed' END
              ELSE CASE WHEN h_outcome < 60 THEN 'reviewing' WHEN h_outcome < 70 THEN 'refunding' WHEN h_outcome < 95 THEN 'succeeded' ELSE 'failed' END END AS refund_state
    FROM split s),
draft AS MATERIALIZED (
  SELECT j.*, $7::bigint + n AS payment_id, $8::bigint + n AS order_id,
         'CK' || to_char(day, 'YYYYMMDD') || lpad((used_ck + seq)::text, 6, '0') AS checkout_code,
         'SO' || to_char(day, 'YYYYMMDD') || lpad((used_so + seq)::text, 6, '0') AS code,
         CASE WHEN payable = 0 THEN 0 ELSE 1 + (h_way % 100 >= 42)::int END AS channel,
         created_at + (20 + h_way % 500) * interval '1 second' AS pay_time,
         CASE WHEN NOT paid OR (whole AND refund_state = 'succeeded') THEN 'closed'
              WHEN whole AND refund_state <> 'cancelled' THEN 'to_ship'
              WHEN age >= 9 OR refund_state IS NOT NULL THEN 'completed'
              WHEN age >= 3 THEN 'to_receive' WHEN age = 2 AND pieces > 1 AND h_way % 7 = 0 THEN 'part_shipped'
              WHEN age = 2 AND h_way % 2 = 0 THEN 'to_receive' ELSE 'to_ship' END AS state,
         -- A refund of everything comes before shipping and takes the freight along; else the first line comes back.
         CASE WHEN whole THEN payable ELSE g1 - d1 END AS refund_cash
    FROM judged j),
pay AS (
  INSERT INTO payment (id, checkout_code, channel, state, amount, refunding, refunded, trade_no, paid_at, deadline, created_at, payee_account_id)
  SELECT payment_id, checkout_code, channel, CASE WHEN paid THEN 2 ELSE 1 END, payable,
         CASE WHEN refund_state IN ('reviewing', 'refunding', 'failed') THEN refund_cash ELSE 0 END,
         CASE WHEN refund_state = 'succeeded' THEN refund_cash ELSE 0 END,
         CASE WHEN paid AND channel > 0 THEN 'SBX' || substr(checkout_code, 3) END, CASE WHEN paid THEN pay_time END,
         created_at + interval '30 minutes', created_at,
         (SELECT a.id FROM payee_account a WHERE paid AND a.built_in AND a.channel = CASE draft.channel WHEN 1 THEN 'alipay' WHEN 2 THEN 'wechat' END)
    FROM draft),
trade AS (
  INSERT INTO sandbox_trade (trade_no, checkout_code, amount, refunded, paid_at)
  SELECT 'SBX' || substr(checkout_code, 3), checkout_code, payable, CASE WHEN refund_state = 'succeeded' THEN refund_cash ELSE 0 END, pay_time
    FROM draft WHERE paid AND channel > 0),
orders AS (
  INSERT INTO sales_order (id, code, kind, type, source, tenant_id, project_id, member_id, payment_id, title, contact_name, contact_phone,
    address, state, refund_status, comment_status, goods, merchant_coupon, platform_coupon, manual_off, freight, freight_refunded, payable,
    cash_refunded, item_count, agreement_version, pay_deadline, receive_deadline, paid_at, pay_channel, shipped_at, completed_at, closed_at,
    close_reason, refunded_at, created_at, updated_at)
  SELECT order_id, code, 'goods', CASE WHEN h_way % 50 < 45 THEN 'ordinary' WHEN h_way % 50 < 48 THEN 'rush' ELSE 'seckill' END,
         CASE WHEN h_way / 50 % 100 < 28 THEN 1 WHEN h_way / 50 % 100 < 58 THEN 2 WHEN h_way / 50 % 100 < 66 THEN 3 WHEN h_way / 50 % 100 < 97 THEN 4 ELSE 5 END,
         d.tenant_id, d.project_id, d.member_id, payment_id, CASE WHEN lines > 1 THEN pn1 || replace(t.more, '{n}', pieces::text) ELSE pn1 END,
         d.name, d.phone, street || ' ' || project_name || ' ' || (1 + h_buyer % 9) || t.building || (1 + h_buyer / 9 % 3) || t.unit || (1 + h_buyer / 27 % 11) || '0' || (1 + h_buyer / 300 % 3) || t.room,
         d.state,
         CASE WHEN refund_state IS NULL OR refund_state = 'cancelled' THEN 'none' WHEN refund_state <> 'succeeded' THEN 'refunding'
              WHEN whole OR lines = 1 THEN 'full' ELSE 'part' END,
         (d.state = 'completed' AND h_qty % 100 < 45)::int, goods, merchant_coupon, platform_coupon, manual_off, freight,
         CASE WHEN refund_state = 'succeeded' AND whole THEN freight ELSE 0 END, payable,
         CASE WHEN refund_state = 'succeeded' THEN refund_cash ELSE 0 END, pieces, CASE WHEN paid THEN 1 END, created_at + interval '30 minutes',
         CASE WHEN d.state IN ('to_receive', 'completed') THEN created_at + interval '8 days' END, CASE WHEN paid THEN pay_time END,
         CASE WHEN paid THEN channel ELSE 0 END, CASE WHEN d.state IN ('part_shipped', 'to_receive', 'completed') THEN created_at + interval '1 day' END,
         CASE WHEN d.state = 'completed' THEN created_at + interval '2 days' + (h_time % 60000) * interval '1 second' END,
         CASE WHEN d.state = 'closed' THEN CASE WHEN paid THEN created_at + interval '3 days 2 hours' ELSE created_at + interval '30 minutes' END END,
         CASE WHEN d.state <> 'closed' THEN '' WHEN paid THEN t.refunded ELSE t.closed END,
         CASE WHEN refund_state = 'succeeded' THEN created_at + interval '3 days 2 hours' END, created_at, created_at
    FROM draft d JOIN (SELECT id, address AS street, name AS project_name FROM project) p ON p.id = d.project_id CROSS JOIN texts t),
line AS (
  SELECT d.order_id, l.*, d.state, d.refund_state, d.whole, d.step, d.coupon_id, d.n, d.created_at
    FROM draft d CROSS JOIN LATERAL (VALUES ${each((i) => `(${i}::smallint, d.p${i}, d.s${i}, d.pn${i}, d.sn${i}, d.im${i}, d.su${i}, d.sw${i}, d.u${i}, d.q${i}, d.g${i}, d.d${i}::bigint)`)})
      AS l (line_no, product_id, spec_id, product_name, spec_name, image_id, supplier, sales_way, unit_price, qty, goods, off)
   WHERE l.line_no <= d.lines),
written AS (
  INSERT INTO order_line (order_id, line_no, product_id, spec_id, product_name, spec_name, image_id, supplier, sales_way, list_price, unit_price,
    qty, goods, cash, cash_refunded, qty_shipped, qty_refunded, qty_refunded_unshipped)
  SELECT order_id, line_no, product_id, spec_id, product_name, spec_name, image_id, supplier, sales_way, unit_price, unit_price, qty, goods,
         goods - off, CASE WHEN refund_state = 'succeeded' AND (whole OR line_no = 1) THEN goods - off ELSE 0 END,
         CASE WHEN state IN ('to_receive', 'completed') OR (state = 'part_shipped' AND line_no = 1) THEN qty ELSE 0 END,
         CASE WHEN refund_state = 'succeeded' AND (whole OR line_no = 1) THEN qty ELSE 0 END,
         CASE WHEN refund_state = 'succeeded' AND whole THEN qty ELSE 0 END
    FROM line
  RETURNING id, order_id, line_no, qty, cash, qty_shipped),
parcel AS (
  INSERT INTO shipment (order_id, way, company, tracking_no, at)
  SELECT order_id, 'express', t.courier, 'SF' || lpad(order_id::text, 13, '0'), created_at + interval '1 day'
    FROM draft d CROSS JOIN texts t WHERE d.state IN ('part_shipped', 'to_receive', 'completed')
  RETURNING id, order_id),
packed AS (
  INSERT INTO shipment_line (shipment_id, line_id, qty)
  SELECT p.id, w.id, w.qty_shipped FROM parcel p JOIN written w USING (order_id) WHERE w.qty_shipped > 0),
claimed AS (
  INSERT INTO member_coupon (code, coupon_id, member_id, claim_seq, status, used_payment, ends_at, claimed_at, used_at)
  SELECT 'M' || coupon_id || '-' || n, coupon_id, member_id, n,
         CASE WHEN refund_state = 'succeeded' AND (whole OR lines = 1) THEN 'refunded' ELSE 'used' END, payment_id, coupon_ends_at,
         created_at - interval '1 hour', pay_time
    FROM draft WHERE coupon_id IS NOT NULL
  RETURNING id, claim_seq),
shared AS (
  INSERT INTO order_share (line_id, step, source_type, source_id, amount, platform_amount, refunded_amount)
  SELECT w.id, l.step, CASE WHEN l.step = 60 THEN 'manual_off' ELSE 'member_coupon' END, coalesce(c.id::text, ''),
         l.off, CASE WHEN l.step = 30 THEN l.off ELSE 0 END, CASE WHEN l.refund_state = 'succeeded' AND (l.whole OR l.line_no = 1) THEN l.off ELSE 0 END
    FROM line l JOIN written w USING (order_id, line_no) LEFT JOIN claimed c ON c.claim_seq = l.n WHERE l.off > 0
  RETURNING id, line_id, amount),
back AS (
  INSERT INTO refund (code, order_id, payment_id, tenant_id, project_id, member_id, business_type, applicant_type, applicant_name, state, kind,
    apply_price, suggested_cash, cash, freight_part, item_count, product_name, shipped, reason, channel_refund_no, channel_code, channel_message, attempts,
    sent_at, succeeded_at, created_at, updated_at)
  SELECT 'RF' || to_char(day + 3, 'YYYYMMDD') || lpad((used_rf + seq)::text, 6, '0'), order_id, payment_id, tenant_id, project_id, member_id, 1, 1, name,
         refund_state, CASE WHEN whole THEN 'full' ELSE 'units' END, refund_cash, refund_cash, refund_cash, CASE WHEN whole THEN freight ELSE 0 END,
         CASE WHEN whole THEN pieces ELSE q1 END, pn1, NOT whole, t.reason,
         'CR' || to_char(day + 3, 'YYYYMMDD') || lpad((used_rf + seq)::text, 6, '0'), CASE WHEN refund_state = 'failed' THEN 'SYSTEM_ERROR' ELSE '' END,
         CASE WHEN refund_state = 'failed' THEN 'SYSTEM_ERROR' ELSE '' END, (refund_state IN ('refunding', 'succeeded', 'failed'))::int,
         CASE WHEN refund_state IN ('refunding', 'succeeded', 'failed') THEN created_at + interval '3 days 1 hour' END,
         CASE WHEN refund_state = 'succeeded' THEN created_at + interval '3 days 2 hours' END, created_at + interval '3 days', created_at + interval '3 days 2 hours'
    FROM draft CROSS JOIN texts t WHERE refund_state IS NOT NULL
  RETURNING id, order_id, state, kind, applicant_name, created_at, channel_refund_no, cash),
back_line AS (
  INSERT INTO refund_line (refund_id, line_id, qty, unshipped_qty, cash)
  SELECT r.id, w.id, w.qty, CASE WHEN r.kind = 'full' AND w.qty_shipped = 0 THEN w.qty ELSE 0 END, w.cash FROM back r JOIN written w USING (order_id) WHERE r.kind = 'full' OR w.line_no = 1
  RETURNING id, line_id),
back_share AS (
  INSERT INTO refund_line_share (refund_line_id, share_id, amount) SELECT l.id, s.id, s.amount FROM back_line l JOIN shared s USING (line_id)),
back_event AS (
  INSERT INTO refund_event (refund_id, to_state, who, at) SELECT id, 'reviewing', applicant_name, created_at FROM back),
channel AS (
  INSERT INTO sandbox_refund (refund_no, trade_no, amount, state, paid_times, due_at, created_at)
  SELECT r.channel_refund_no, 'SBX' || substr(d.checkout_code, 3), r.cash, CASE r.state WHEN 'succeeded' THEN 'success' WHEN 'failed' THEN 'failure' ELSE 'accepted' END,
         (r.state = 'succeeded')::int, r.created_at + interval '30 days', r.created_at
    FROM back r JOIN draft d USING (order_id) WHERE r.state IN ('refunding', 'succeeded', 'failed') AND d.channel > 0 AND r.cash > 0)
SELECT (SELECT count(*) FROM draft)::int AS orders, (SELECT count(*) FROM written)::int AS lines, (SELECT count(*) FROM back)::int AS refunds`;
