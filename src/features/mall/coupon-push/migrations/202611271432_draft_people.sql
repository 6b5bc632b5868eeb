-- A draft says how many it would reach when it was saved; those saved before are counted once, but for grades, whose rule is code.
UPDATE coupon_push p SET people = (
  SELECT count(*) FROM member m
   WHERE CASE p.audience
      WHEN 'phones' THEN m.phone = ANY(p.phones)
      WHEN 'projects' THEN m.project_id = ANY(p.project_ids) OR EXISTS (
        SELECT FROM household h JOIN house o ON o.id = h.house_id
         WHERE h.member_id = m.id AND h.status = 'normal' AND o.project_id = ANY(p.project_ids))
      WHEN 'buildings' THEN EXISTS (
        SELECT FROM household h JOIN house o ON o.id = h.house_id JOIN building_unit u ON u.id = o.unit_id
         WHERE h.member_id = m.id AND h.status = 'normal' AND h.identity = 'owner' AND u.building_id = ANY(p.building_ids))
      ELSE EXISTS (
        SELECT FROM sales_order s JOIN order_line l ON l.order_id = s.id JOIN product_spec c ON c.id = l.spec_id
         WHERE s.member_id = m.id AND s.paid_at > now() - make_interval(days => p.within_days) AND c.product_id = p.product_id) END
     AND m.phone <> ALL(p.excluded_phones)
     AND (p.reach_ids IS NULL OR m.project_id = ANY(p.reach_ids) OR EXISTS (
       SELECT FROM household h JOIN house o ON o.id = h.house_id
        WHERE h.member_id = m.id AND h.status = 'normal' AND o.project_id = ANY(p.reach_ids))))
 WHERE p.state = 'draft' AND p.people = 0 AND p.audience <> 'grades';
