-- Rules that give coupons instead of points: their numbers count pieces where those of points count points.
ALTER TABLE payment_rebate_rule
  ADD COLUMN reward_kind text NOT NULL DEFAULT 'points' CHECK (reward_kind IN ('points', 'coupon')),
  ADD COLUMN coupon_id bigint REFERENCES coupon,
  ADD CONSTRAINT payment_rebate_rule_coupon CHECK ((reward_kind = 'coupon') = (coupon_id IS NOT NULL));
CREATE INDEX payment_rebate_rule_coupon_id ON payment_rebate_rule (coupon_id) WHERE coupon_id IS NOT NULL;
CREATE OR REPLACE FUNCTION payment_rebate_terms(t payment_rebate_rule) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('receiver', t.receiver, 'basis', t.basis, 'perYuan', t.per_yuan, 'givePoints', t.give_points,
    'tiers', coalesce((SELECT jsonb_agg(jsonb_build_object('fromYuan', x.from_yuan, 'points', x.points) ORDER BY x.from_yuan)
                         FROM payment_rebate_tier x WHERE x.rule_id = t.id), '[]'),
    'monthPoints', t.month_points, 'minMonths', t.min_months, 'rounding', t.rounding, 'minPayment', t.min_payment,
    'noArrears', t.no_arrears, 'onTime', t.on_time,
    'channels', to_jsonb(array_remove(ARRAY[CASE WHEN t.pay_cash THEN 'cash' END, CASE WHEN t.pay_pos THEN 'pos' END,
      CASE WHEN t.pay_transfer THEN 'transfer' END, CASE WHEN t.pay_prepaid THEN 'prepaid' END], NULL)),
    'capPayment', t.cap_payment, 'capHouseYear', t.cap_house_year, 'capTotal', t.cap_total, 'finalDays', t.final_days,
    'validDays', t.valid_days, 'startsOn', t.starts_on, 'endsOn', t.ends_on, 'priority', t.priority, 'budgetId', t.budget_id)
    || CASE WHEN t.coupon_id IS NULL THEN '{}' ELSE jsonb_build_object('couponId', t.coupon_id,
         'couponName', (SELECT c.name FROM coupon c WHERE c.id = t.coupon_id)) END
$$;
ALTER TABLE payment_rebate_grant
  ADD COLUMN coupon_id bigint REFERENCES coupon,
  ADD COLUMN member_coupon_ids bigint[] NOT NULL DEFAULT '{}',
  -- Coupons that were used and whose payment was given back: somebody has to decide about their face value.
  ADD COLUMN to_recover integer NOT NULL DEFAULT 0 CHECK (to_recover BETWEEN 0 AND taken_back),
  ADD CONSTRAINT payment_rebate_grant_coupons CHECK (coupon_id IS NOT NULL OR (member_coupon_ids = '{}' AND to_recover = 0));
CREATE INDEX payment_rebate_grant_coupon ON payment_rebate_grant (coupon_id) WHERE coupon_id IS NOT NULL;
CREATE INDEX payment_rebate_grant_due ON payment_rebate_grant (release_at, id) WHERE state = 'waiting' AND coupon_id IS NOT NULL;
