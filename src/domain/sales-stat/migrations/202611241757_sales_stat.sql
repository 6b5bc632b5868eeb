-- Months whose sales figures never move again: what is refunded of them later is booked on its own day as a correction.
CREATE TABLE stat_month_close (
  month text PRIMARY KEY CHECK (month ~ '^\d{4}-(0[1-9]|1[0-2])$'),
  closed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Nobody: the job.
  closed_by bigint REFERENCES staff,
  -- Lines, pieces and fen of the month as they stood; the doctor adds them up again.
  line_count bigint NOT NULL CHECK (line_count >= 0),
  pieces bigint NOT NULL CHECK (pieces >= 0),
  paid bigint NOT NULL CHECK (paid >= 0),
  refund_lines bigint NOT NULL CHECK (refund_lines >= 0),
  refunded bigint NOT NULL CHECK (refunded >= 0),
  checksum text NOT NULL CHECK (checksum ~ '^[0-9a-f]{32}$')
);
CREATE TRIGGER stat_month_close_append_only BEFORE UPDATE OR DELETE ON stat_month_close FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- Refunds the closed months counted; every other one of their sales is a correction.
CREATE TABLE stat_month_refund (
  refund_id bigint PRIMARY KEY REFERENCES refund,
  month text NOT NULL REFERENCES stat_month_close
);
CREATE INDEX stat_month_refund_month ON stat_month_refund (month);
CREATE TRIGGER stat_month_refund_append_only BEFORE UPDATE OR DELETE ON stat_month_refund FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Half up of fen × basis points.
CREATE FUNCTION commission_of(base bigint, bp integer) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT (base * bp * 2 + 10000) / 20000
$$;

-- Lines of goods orders that count as sold, each with its instant: the payment, of a group order the forming of its team.
CREATE VIEW goods_sale AS
SELECT l.id, l.order_id, o.code AS order_code, o.tenant_id, o.project_id, o.created_by, o.member_id, o.type, o.source, o.paid_at,
       l.product_id, l.spec_id, l.qty, l.goods, l.goods - l.cash AS discount, l.cash,
       CASE WHEN o.type = 'group' THEN team.at ELSE o.paid_at END AS sold_at,
       a.id AS agreement_id, a.commission_base
  FROM order_line l
  JOIN sales_order o ON o.id = l.order_id
  LEFT JOIN merchant_agreement a ON a.tenant_id = o.tenant_id AND a.agreement_version = o.agreement_version
  LEFT JOIN LATERAL (SELECT e.at FROM order_event e WHERE o.type = 'group' AND e.order_id = o.id AND e.code = 16 ORDER BY e.id LIMIT 1) team ON true
 WHERE o.kind = 'goods' AND l.product_id IS NOT NULL AND o.paid_at IS NOT NULL AND (o.type <> 'group' OR team.at IS NOT NULL);

-- What the platform adds to the cash of a line by its agreement. The same sums as in settlement.
CREATE FUNCTION sale_subsidy(line bigint, agreement bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(CASE WHEN x.step IN (20, 30) THEN x.platform_amount
                           WHEN x.step = 40 AND a.points_bearer = 'platform' THEN x.amount
                           WHEN x.step = 45 AND a.coin_bearer = 'platform' THEN x.amount ELSE 0 END), 0)::bigint
    FROM order_share x JOIN merchant_agreement a ON a.id = agreement WHERE x.line_id = line
$$;

-- What came back of them. In the view by day of payment it is put back on the day of the sale, unless that month was closed
-- before: then it is a correction of its own day.
CREATE VIEW goods_sale_refund AS
SELECT p.id, p.refund_id, r.code AS refund_code, s.id AS line_id, s.order_id, s.order_code, s.tenant_id, s.project_id, s.created_by, s.member_id,
       s.type, s.source, s.paid_at, s.product_id, s.spec_id, s.sold_at, s.agreement_id, p.qty, p.cash - p.fee AS cash, r.succeeded_at,
       c.month IS NOT NULL AS correction, coalesce(c.month, '') AS origin_month,
       CASE WHEN c.month IS NULL THEN s.sold_at ELSE r.succeeded_at END AS booked_at
  FROM refund r
  JOIN refund_line p ON p.refund_id = r.id
  JOIN goods_sale s ON s.id = p.line_id
  LEFT JOIN stat_month_close c ON c.month = to_char(s.sold_at AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM')
   AND NOT EXISTS (SELECT FROM stat_month_refund k WHERE k.refund_id = r.id)
 WHERE r.state = 'succeeded';

-- Commission that a refund of a line gives back: what was kept before it less what is kept after it.
CREATE FUNCTION refund_commission(part bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  WITH own AS (
    SELECT s.id AS line_id, s.order_id, s.cash, s.commission_base, s.agreement_id, g.succeeded_at,
           coalesce(l.commission_bp, agreed_commission(s.agreement_id, s.product_id), 0) AS bp
      FROM goods_sale_refund g JOIN goods_sale s ON s.id = g.line_id JOIN order_line l ON l.id = s.id WHERE g.id = part),
  back AS (
    SELECT v.source_id, v.succeeded_at,
           v.cash + CASE WHEN own.commission_base = 'cash' THEN 0
             ELSE v.platform_coupon + CASE WHEN a.points_bearer = 'platform' THEN v.points_value ELSE 0 END
                                    + CASE WHEN a.coin_bearer = 'platform' THEN v.coins_value ELSE 0 END END AS base
      FROM own JOIN refund_settlement_source v ON v.source_type = 'refund' AND v.order_id = own.order_id AND v.line_id = own.line_id
      JOIN merchant_agreement a ON a.id = own.agreement_id),
  sums AS (
    SELECT own.cash + CASE WHEN own.commission_base = 'cash' THEN 0 ELSE sale_subsidy(own.line_id, own.agreement_id) END AS base, own.bp,
           coalesce((SELECT sum(base) FROM back WHERE (back.succeeded_at, back.source_id) < (own.succeeded_at, part)), 0)::bigint AS before,
           coalesce((SELECT base FROM back WHERE back.source_id = part), 0) AS now FROM own)
  SELECT coalesce((SELECT commission_of(base - before, bp) - commission_of(base - before - now, bp) FROM sums), 0)
$$;

-- Departments staff were in, day by day: figures of a department keep what its people did while they were there.
CREATE TABLE staff_department_since (
  staff_id bigint NOT NULL REFERENCES staff ON DELETE CASCADE,
  since date NOT NULL,
  department_id bigint REFERENCES department,
  PRIMARY KEY (staff_id, since)
);
CREATE INDEX staff_department_since_department ON staff_department_since (department_id);
INSERT INTO staff_department_since (staff_id, since, department_id) SELECT id, date '2000-01-01', department_id FROM staff;
CREATE FUNCTION staff_department_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO staff_department_since (staff_id, since, department_id)
  VALUES (NEW.id, CASE WHEN TG_OP = 'INSERT' THEN date '2000-01-01' ELSE (now() AT TIME ZONE 'Asia/Shanghai')::date END, NEW.department_id)
  ON CONFLICT (staff_id, since) DO UPDATE SET department_id = excluded.department_id;
  RETURN NULL;
END $$;
CREATE TRIGGER staff_department_first AFTER INSERT ON staff FOR EACH ROW EXECUTE FUNCTION staff_department_kept();
CREATE TRIGGER staff_department_moved AFTER UPDATE OF department_id ON staff FOR EACH ROW
  WHEN (NEW.department_id IS DISTINCT FROM OLD.department_id) EXECUTE FUNCTION staff_department_kept();

-- What is expected of somebody in a month; who is meant is a staff, a department or a project.
CREATE TABLE performance_target (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  month text NOT NULL CHECK (month ~ '^\d{4}-(0[1-9]|1[0-2])$'),
  subject_kind text NOT NULL CHECK (subject_kind IN ('staff', 'department', 'project')),
  staff_id bigint REFERENCES staff,
  department_id bigint REFERENCES department,
  project_id bigint REFERENCES project,
  metric text NOT NULL CHECK (metric IN ('sales_valid', 'orders', 'service_orders', 'fee_collected', 'contract_received', 'new_members')),
  -- Fen of the metrics of money, a number of the others.
  amount bigint CHECK (amount BETWEEN 0 AND 10000000000),
  number bigint CHECK (number BETWEEN 0 AND 100000000),
  target bigint NOT NULL GENERATED ALWAYS AS (coalesce(amount, number)) STORED,
  state text NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'confirmed')),
  confirmed_at timestamptz,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint,
  updated_at timestamptz NOT NULL DEFAULT now(),
  updated_by bigint,
  CONSTRAINT performance_target_subject CHECK (
    num_nonnulls(staff_id, department_id, project_id) = 1 AND
    CASE subject_kind WHEN 'staff' THEN staff_id IS NOT NULL WHEN 'department' THEN department_id IS NOT NULL ELSE project_id IS NOT NULL END),
  CONSTRAINT performance_target_unit CHECK (CASE WHEN metric IN ('sales_valid', 'fee_collected', 'contract_received')
    THEN amount IS NOT NULL AND number IS NULL ELSE number IS NOT NULL AND amount IS NULL END),
  CONSTRAINT performance_target_confirmed CHECK ((state = 'confirmed') = (confirmed_at IS NOT NULL))
);
CREATE UNIQUE INDEX performance_target_once ON performance_target (month, metric, subject_kind, coalesce(staff_id, department_id, project_id));
CREATE INDEX performance_target_staff ON performance_target (staff_id) WHERE staff_id IS NOT NULL;
CREATE INDEX performance_target_department ON performance_target (department_id) WHERE department_id IS NOT NULL;
CREATE INDEX performance_target_project ON performance_target (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX performance_target_created ON performance_target (created_at DESC, id DESC);
CREATE FUNCTION performance_target_open() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE of_month text := CASE WHEN TG_OP = 'DELETE' THEN OLD.month ELSE NEW.month END;
BEGIN
  IF EXISTS (SELECT FROM stat_month_close c WHERE c.month = of_month) THEN
    RAISE EXCEPTION 'month % is closed', of_month USING ERRCODE = '23514', CONSTRAINT = 'performance_target_month_open';
  END IF;
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER performance_target_open BEFORE INSERT OR UPDATE OR DELETE ON performance_target FOR EACH ROW EXECUTE FUNCTION performance_target_open();
