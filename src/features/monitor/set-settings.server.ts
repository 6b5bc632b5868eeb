import { writeAudit } from '../../kernel/server/audit/audit.ts';
import { run, transaction } from '../../kernel/server/database.ts';
import type { Call } from '../../kernel/server/registration.ts';

/** Writes settings of this group from one of its screens; their history keeps itself, the audit record stands beside it. */
export async function setSettings(
  call: Pick<Call, 'caller' | 'facts' | 'platform'>,
  menu: string,
  action: string,
  values: Readonly<Record<string, string | number>>,
): Promise<void> {
  const { caller, facts, platform } = call;
  await transaction(platform.database.db, async (tx) => {
    for (const [key, value] of Object.entries(values)) {
      await run(
        tx,
        `INSERT INTO setting (key, value, updated_by) VALUES ($1, $2::jsonb, $3) ON CONFLICT (key) DO UPDATE
           SET value = excluded.value, version = setting.version + 1, updated_at = now(), updated_by = excluded.updated_by`,
        [key, JSON.stringify(value), caller.staffId],
      );
      await writeAudit(tx, {
        caller,
        facts,
        menu,
        action,
        entity: 'setting',
        entityId: key,
        after: { value },
      });
    }
  });
  platform.changed('setting');
  platform.settings.forget();
}
