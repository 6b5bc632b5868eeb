import { DECOR_CASE_ENTITY, DECOR_CASE_MENU } from '../../../domain/after-sale/case.rules.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, transaction, type Executor } from '../../../kernel/server/database.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { decorCaseSight } from './decor-case-scope.server.ts';

/** Tells staff of the case's merchant, or those of the desk; only who sees the case hears of it. */
export async function tellCase(
  tx: Executor,
  row: { readonly id: number; readonly code: string; readonly tenant_id: number },
  to: 'merchant' | 'desk',
  words: Label,
): Promise<void> {
  const staff = await run<{ id: number }>(
    tx,
    `SELECT s.id FROM staff s JOIN tenant t ON t.id = s.tenant_id WHERE s.state = 'normal' AND (CASE WHEN $2 THEN t.id = $1 ELSE t.kind = 3 END) ORDER BY s.id LIMIT 200`,
    [row.tenant_id, to === 'merchant'],
  );
  await notify(tx, {
    kind: DECOR_CASE_ENTITY,
    level: to === 'desk' ? 'important' : 'normal',
    staffIds: staff.map((one) => one.id),
    rows: { sight: decorCaseSight, ids: [row.id] },
    title: [`美居售后 ${row.code} ${words[0]}`, `Decor case ${row.code} ${words[1]}`],
    route: `/mercureManager/${DECOR_CASE_MENU}?detail=${row.id}`,
  });
}

/** Reminders 24 h and 4 h before an answer, a visit or a receipt is due; what is late goes to the desk. Source: group 14, jobs. */
export function slaJob(bound: () => BoundResource): Job {
  const late = dueJob(bound, {
    name: 'decor.after_sale_sla',
    title: ['美居售后时限', 'Times of decor cases'],
    cron: '*/10 * * * *',
    action: 'overdue',
    when: 't.deadline <= now() AND NOT t.escalated',
  });
  return {
    ...late,
    run: async (payload, platform, context) => {
      await transaction(platform.database.db, async (tx) => {
        const near = await run<{ id: number; code: string; tenant_id: number; hours: number }>(
          tx,
          `UPDATE after_sale a SET reminded = due.hours
             FROM (SELECT id, CASE WHEN deadline <= clock_timestamp() + interval '4 hours' THEN 4 ELSE 24 END AS hours FROM after_sale
                    WHERE order_kind = 'home_decor' AND after_sale_is_live(state) AND deadline > clock_timestamp()
                      AND deadline <= clock_timestamp() + interval '24 hours' ORDER BY id FOR NO KEY UPDATE SKIP LOCKED) due
            WHERE a.id = due.id AND (a.reminded = 0 OR (a.reminded = 24 AND due.hours = 4)) RETURNING a.id, a.code, a.tenant_id, due.hours`,
        );
        for (const row of near)
          await tellCase(tx, row, 'merchant', [`${row.hours}小时内到期`, `is due within ${row.hours} hours`]);
      });
      await late.run(payload, platform, context);
    },
  };
}
