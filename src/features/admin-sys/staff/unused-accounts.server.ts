import { run, transaction, type Tx } from '../../../kernel/server/database.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import { endSessions, notifyStaffChanged } from '../../../kernel/server/people/session-changes.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { PLATFORM_ADMIN_GROUP } from '../../../domain/permission/effective-permissions.server.ts';
import { staffInReach } from '../../../domain/permission/staff-reach.server.ts';
import { approvalsOfCompanyFollow } from '../../../domain/approval/follow-structure.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { STAFF, userSight } from './staff-commands.server.ts';

/** Lists unused accounts to the administrators of each tenant. Runs on Mondays at 08:00 in Shanghai. */
export const unusedAccounts: Job = {
  name: 'staff.unused',
  title: ['长期未用账号', 'Unused accounts'],
  cron: '0 0 * * 1',
  run: async (_payload, platform) => void (await listUnused(platform)),
};

interface Unused {
  readonly id: number;
  readonly tenantId: number;
  readonly name: string;
}

/**
 * Tells those who may disable accounts which ones nobody used for `user.unused_days`; disables them when
 * `user.unused_auto_disable` is on, never the platform administrators. Returns how many were found and disabled.
 */
export async function listUnused(platform: Platform): Promise<{ found: number; disabled: number }> {
  const days = await platform.settings.number('user.unused_days');
  const disables = await platform.settings.flag('user.unused_auto_disable');
  const { db } = platform.database;
  const tenants = await run<{ tenantId: number }>(
    db,
    `SELECT DISTINCT s.tenant_id AS "tenantId" FROM staff s WHERE ${UNUSED} ORDER BY 1`,
    [days],
  );
  let found = 0;
  let disabled = 0;
  for (const { tenantId } of tenants)
    await transaction(db, async (tx) => {
      const staff = await run<Unused>(
        tx,
        `SELECT s.id, s.tenant_id AS "tenantId", s.name FROM staff s WHERE ${UNUSED} AND s.tenant_id = $2 ORDER BY s.id FOR UPDATE OF s`,
        [days, tenantId],
      );
      found += staff.length;
      const ended = disables ? await disableAll(tx, platform, tenantId, staff, days) : [];
      disabled += ended.length;
      for (const holder of await holdersOf(tx, tenantId, 'userManager:btn_enable', [])) {
        const seen = await staffInReach(
          tx,
          holder,
          'userManager',
          staff.map((one) => one.id),
        );
        await tell(
          tx,
          holder,
          staff.filter((one) => seen.has(one.id)),
          ended.filter((id) => seen.has(id)).length,
          days,
        );
      }
    });
  if (disabled > 0) {
    platform.changed(STAFF);
    platform.changed('session');
  }
  return { found, disabled };
}

// An account is as old as its making or its last password: a new colleague is not "unused" on the first Monday.
const UNUSED = `s.state = 'normal' AND greatest(s.created_at, s.password_changed_at, s.last_login_at) < now() - make_interval(days => $1::int)`;

async function disableAll(
  tx: Tx,
  platform: Platform,
  tenantId: number,
  staff: readonly Unused[],
  days: number,
): Promise<number[]> {
  const rows = await approvalsOfCompanyFollow(tx, { platform, tenantId }, () =>
    run<{ id: number }>(
      tx,
      `UPDATE staff s SET state = 'disabled', disabled_reason = $2, version = version + 1, updated_at = now()
      WHERE s.id = ANY($1::bigint[]) AND NOT EXISTS (
        SELECT FROM group_member m JOIN permission_group g ON g.id = m.group_id WHERE g.code = $3 AND m.staff_id = s.id)
      RETURNING s.id`,
      [staff.map((one) => one.id), REASON(days)[0], PLATFORM_ADMIN_GROUP],
    ),
  );
  for (const { id } of rows) {
    await endSessions(tx, { staffId: id }, 'disabled');
    await writeTimeline(tx, {
      entity: STAFF,
      entityId: id,
      action: 'disable',
      label: REASON(days),
      from: 'normal',
      to: 'disabled',
    });
    await writeAudit(tx, {
      action: 'disable',
      menu: 'userManager',
      entity: STAFF,
      entityId: id,
      before: { state: 'normal' },
      after: { state: 'disabled', unusedDays: days },
    });
  }
  await notifyStaffChanged(
    tx,
    rows.map((row) => row.id),
  );
  return rows.map((row) => row.id);
}

const REASON = (days: number) =>
  [`${days}天未使用，自动停用`, `Disabled by itself after ${days} unused days`] as const;

/** Each hears of the accounts it sees among the users, and of no others. */
async function tell(
  tx: Tx,
  holder: number,
  staff: readonly Unused[],
  disabled: number,
  days: number,
): Promise<void> {
  if (staff.length === 0) return;
  const named = staff.slice(0, 20);
  const names = named.map((one) => one.name);
  const more = staff.length - names.length;
  await notify(tx, {
    staffIds: [holder],
    kind: 'unusedAccounts',
    rows: { sight: userSight, ids: named.map((one) => one.id) },
    route: `/adminSys/userManager?notSignedInWithin=${days}`,
    title: [
      `${staff.length} 个账号超过 ${days} 天未使用${disabled > 0 ? `，已停用 ${disabled} 个` : ''}`,
      `${staff.length} accounts unused for ${days} days${disabled > 0 ? `, ${disabled} disabled` : ''}`,
    ],
    body: [
      `${names.join('、')}${more > 0 ? ` 等 ${staff.length} 人` : ''}`,
      `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    ],
  });
}
