-- Messages follow rights when they are read too. Each is about the receiver itself, or names the rows it tells of and the
-- menu they are seen under.
ALTER TABLE notification
  ADD COLUMN about_receiver boolean NOT NULL DEFAULT false,
  ADD COLUMN entity text NOT NULL DEFAULT '',
  ADD COLUMN row_ids bigint[] NOT NULL DEFAULT '{}';

-- Stored ones: the menu of their kind where none was kept.
UPDATE notification n SET menu = k.menu
  FROM (VALUES ('approval', 'workOvertimeManager'), ('overtimeExpiry', 'workOvertimeManager'),
               ('productReview', 'mm_commodityMana'), ('refundResult', 'mm_orderRefund'), ('whitelistExpiry', 'WhiteManage'),
               ('unusedAccounts', 'userManager'), ('alertPayment', 'mm_businessOrder_wx'), ('alertStock', 'mm_businessOrder_wx')) AS k (kind, menu)
 WHERE n.kind = k.kind AND n.menu = '';
UPDATE notification SET menu = 'mm_orderRefund' WHERE kind ~ '^refund\.[0-9]+$' AND menu = '';

-- The own time off; that of somebody else begins with a name.
UPDATE notification SET about_receiver = true
 WHERE kind = 'overtimeExpiry' AND title_zh ~ '^[0-9.]+ 小时调休将于 [0-9-]+ 起到期$';
-- The decision about oneself, and what only says that something came.
UPDATE notification n SET about_receiver = true
 WHERE n.kind = 'approval'
   AND (n.title_zh ~ '^待审批：[^ ]+ AP[0-9]+$'
        OR EXISTS (SELECT FROM approval_instance i
                    WHERE i.subject_id = n.staff_id AND n.title_zh IN ('已通过：' || i.title_zh, '已驳回：' || i.title_zh)));
-- Memberships and sign-ins.
UPDATE notification SET about_receiver = true WHERE menu = '';

-- The rows, where what was kept names them; the others go by the menu alone until they are purged.
UPDATE notification SET entity = 'refund', row_ids = ARRAY[substring(route FROM 'detail=([0-9]{1,15})$')::bigint]
 WHERE NOT about_receiver AND menu = 'mm_orderRefund' AND route ~ '\?detail=[0-9]{1,15}$';
UPDATE notification SET entity = 'goodsOrder', row_ids = ARRAY[substring(route FROM '/([0-9]{1,15})$')::bigint]
 WHERE NOT about_receiver AND kind = 'refundResult' AND menu = 'mm_businessOrder_wx' AND route ~ '/[0-9]{1,15}$';
UPDATE notification SET entity = 'whitelist', row_ids = ARRAY[substring(route FROM 'detail=([0-9]{1,15})$')::bigint]
 WHERE NOT about_receiver AND kind = 'whitelistExpiry' AND route ~ '\?detail=[0-9]{1,15}$';
UPDATE notification n SET entity = 'product', row_ids = ARRAY[p.id]
  FROM product p
 WHERE NOT n.about_receiver AND n.kind = 'productReview' AND n.route = '/merchantManager/mm_commodityMana?searchVal=' || p.code;
UPDATE notification n SET entity = i.entity, row_ids = i.ids
  FROM (SELECT title_zh, CASE biz_type WHEN 'leave' THEN 'leaveApproval' ELSE 'overtimeApproval' END AS entity, array_agg(DISTINCT biz_id) AS ids
          FROM approval_instance WHERE biz_type IN ('overtime', 'leave') GROUP BY title_zh, biz_type) i
 WHERE NOT n.about_receiver AND n.kind = 'approval' AND n.title_zh = '待审批：' || i.title_zh;

ALTER TABLE notification
  ADD CONSTRAINT notification_belongs CHECK (about_receiver OR menu <> ''),
  ADD CONSTRAINT notification_rows CHECK ((entity = '') = (cardinality(row_ids) = 0));
