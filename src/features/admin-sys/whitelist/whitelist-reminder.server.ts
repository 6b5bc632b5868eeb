import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { ruleSight } from './whitelist-scope.server.ts';

/** Tells who made a rule three days before it ends, once. Runs daily at 09:05 in Shanghai. */
export const whitelistReminder: Job = {
  name: 'whitelist.remind',
  title: ['白名单到期提醒', 'Remind of ending whitelist rules'],
  cron: '5 1 * * *',
  run: async (_payload, platform) => {
    await transaction(platform.database.db, async (tx) => {
      const rules = await run<{ id: number; created_by: number; name: string; expires_at: Date }>(
        tx,
        `SELECT w.id, w.created_by, coalesce(s.account || ' ', '') || coalesce(w.range::text, '') AS name, w.expires_at
           FROM login_whitelist w LEFT JOIN staff s ON s.id = w.staff_id
          WHERE w.enabled AND w.created_by IS NOT NULL AND w.expires_at BETWEEN now() AND now() + interval '3 days'
            AND NOT EXISTS (SELECT FROM notification n WHERE n.staff_id = w.created_by AND n.kind = 'whitelistExpiry' AND n.route = '/adminSys/WhiteManage?detail=' || w.id AND n.created_at > now() - interval '4 days')
          ORDER BY w.id FOR UPDATE OF w`,
      );
      for (const rule of rules) {
        const when = businessTimeText(rule.expires_at).slice(0, 16);
        await notify(tx, {
          staffIds: [rule.created_by],
          kind: 'whitelistExpiry',
          rows: { sight: ruleSight, ids: [rule.id] },
          route: `/adminSys/WhiteManage?detail=${rule.id}`,
          title: [
            `登录白名单 ${rule.name} 将于 ${when} 到期`,
            `The whitelist rule ${rule.name} ends at ${when}`,
          ],
        });
      }
    });
  },
};
