-- The group of a merchant's first staff holds every button of the menus it begins with. Two came later: asking for the money of the
-- wallet, and answering comments. Groups that were there before get them where they still hold what stands beside: a group
-- somebody has narrowed stays narrowed. The demonstration merchants share a group of their own.

-- The elements of a release are written after its migrations.
INSERT INTO element (code, menu_code, name_zh, name_en)
SELECT late.code, late.menu, late.zh, late.en
  FROM (VALUES ('mm_merchantInfo:btn_withdraw', 'mm_merchantInfo', '提现', 'Withdraw'),
               ('mm_commodityMana:btn_comment', 'mm_commodityMana', '回复', 'Reply')) AS late (code, menu, zh, en)
  JOIN menu m ON m.code = late.menu
    ON CONFLICT DO NOTHING;

INSERT INTO element_grant (group_id, element_code)
SELECT g.id, late.code
  FROM (VALUES ('mm_merchantInfo:btn_withdraw', 'mm_merchantInfo:btn_verifyPayee'),
               ('mm_commodityMana:btn_comment', 'mm_commodityMana:btn_edit')) AS late (code, beside)
  JOIN element e ON e.code = late.code AND e.built_in
  JOIN element_grant b ON b.element_code = late.beside
  JOIN permission_group g ON g.id = b.group_id
  JOIN tenant t ON t.id = g.tenant_id
 WHERE (t.kind = 2 AND g.code = lower(t.account) || '_admin')
    OR (t.kind = 3 AND g.code = 'merchant_admin' AND EXISTS (SELECT FROM demo_set WHERE key = 'base'))
    ON CONFLICT DO NOTHING;
