import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { addEffect, finishEffect } from '../../../kernel/server/tasks/outbox.ts';
import type { Effect, Job } from '../../../kernel/server/registration.ts';
import { caseSight } from '../../../domain/after-sale/move-case.server.ts';
import { notify } from '../../../domain/notification/notify.server.ts';

/** Effect that tells the merchant's staff of a case. Payload `{ caseId, what }`. */
export const CASE_NOTICE = 'after_sale.notice';

const WORDS: Readonly<Record<string, { readonly level: 'normal' | 'important'; readonly label: Label }>> = {
  applied: { level: 'normal', label: ['新的售后申请', 'New after-sales case'] },
  returned: { level: 'normal', label: ['买家已寄回，请准备收货', 'The buyer has sent the goods back'] },
  escalated: { level: 'important', label: ['售后单已由平台介入', 'The platform decides the case'] },
  due24: { level: 'normal', label: ['售后单24小时内到期', 'A case is due within 24 hours'] },
  due4: { level: 'important', label: ['售后单4小时内到期', 'A case is due within 4 hours'] },
};

/** Tells the staff of the merchant who see the case. */
export const noticeEffect: Effect = {
  kind: CASE_NOTICE,
  deliver: async (payload: { readonly caseId: number; readonly what: string }, platform, outboxId) => {
    const words = WORDS[payload.what]!;
    await transaction(platform.database.db, async (tx) => {
      if (!(await finishEffect(tx, outboxId))) return;
      const row = await runOne<{ code: string; name: string; staff: number[] }>(
        tx,
        `SELECT a.code, a.product_name AS name,
                ARRAY(SELECT s.id FROM staff s WHERE s.tenant_id = a.tenant_id AND s.state = 'normal' ORDER BY s.id LIMIT 200) AS staff
           FROM after_sale a WHERE a.id = $1`,
        [payload.caseId],
      );
      if (!row) return;
      await notify(tx, {
        kind: 'afterSale',
        level: words.level,
        staffIds: row.staff,
        title: [`${row.code} ${words.label[0]}`, `${row.code} ${words.label[1]}`],
        body: [row.name, row.name],
        rows: { sight: caseSight, ids: [payload.caseId] },
        route: `/afterSalesManage/am_orderdetails?id=${payload.caseId}`,
      });
    });
  },
};

/** Reminds the merchant 24 h and 4 h before a deadline of its own: the answer and the receipt. Source: group 21, Jobs. */
export const remindJob: Job = {
  name: 'after_sale.remind',
  title: ['售后到期提醒', 'Reminders of cases'],
  cron: '*/5 * * * *',
  run: async (_payload, platform) => {
    await transaction(platform.database.db, async (tx) => {
      const told = await run<{ id: number; hours: number; deadline: Date }>(
        tx,
        `UPDATE after_sale a SET reminded = due.hours
           FROM (SELECT id, CASE WHEN deadline <= clock_timestamp() + interval '4 hours' THEN 4 ELSE 24 END AS hours FROM after_sale
                  WHERE state IN ('applied', 'returned') AND order_kind <> 'home_decor' AND deadline > clock_timestamp()
                    AND deadline <= clock_timestamp() + interval '24 hours'
                  ORDER BY id FOR NO KEY UPDATE SKIP LOCKED) due
          WHERE a.id = due.id AND (a.reminded = 0 OR (a.reminded = 24 AND due.hours = 4))
        RETURNING a.id, due.hours, a.deadline`,
      );
      for (const one of told)
        await addEffect(
          tx,
          CASE_NOTICE,
          { caseId: one.id, what: one.hours === 4 ? 'due4' : 'due24' },
          { key: `${CASE_NOTICE}:${one.id}:${one.hours}:${one.deadline.getTime()}` },
        );
    });
  },
};
