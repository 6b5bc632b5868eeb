import { run, runOne } from '../../../kernel/server/database.ts';
import type { Effect } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { TELL_EVENT } from '../../../kernel/server/tasks/system-event.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { PLATFORM_ADMIN_GROUP } from '../../../domain/permission/effective-permissions.server.ts';
import { systemEvent } from './system-event.contract.ts';

const scope = { tenant: 'none', project: 'none', owner: 'NULL::bigint', platformOnly: true } as const;
const sight = listSight({ entity: 'systemEvent', menu: systemEvent.menu, table: 'system_event', scope });

/** Tells the platform administrators of an event, and those the event names; who cannot see the system log is not told. */
const tellEffect: Effect = {
  kind: TELL_EVENT,
  deliver: async (payload: { eventId: number; staffIds: readonly number[] }, platform) => {
    const { db } = platform.database;
    const event = await runOne<{ text: string; text_en: string; kind: string }>(
      db,
      'SELECT text, text_en, kind FROM system_event WHERE id = $1',
      [payload.eventId],
    );
    if (!event) return;
    // A repeat after a crash tells nobody twice.
    const told = await runOne(
      db,
      `SELECT FROM notification WHERE kind = 'alertSystem' AND $1::bigint = ANY (row_ids) AND entity = 'systemEvent' LIMIT 1`,
      [payload.eventId],
    );
    if (told) return;
    const admins = await run<{ id: number }>(
      db,
      `SELECT DISTINCT s.id FROM staff s JOIN group_member m ON m.staff_id = s.id AND (m.expires_at IS NULL OR m.expires_at > now())
         JOIN permission_group g ON g.id = m.group_id AND g.enabled AND g.built_in AND g.code = $1
        WHERE s.state = 'normal'`,
      [PLATFORM_ADMIN_GROUP],
    );
    await notify(db, {
      staffIds: [...new Set([...admins.map((one) => one.id), ...payload.staffIds])],
      kind: 'alertSystem',
      level: 'alert',
      title: [event.text.slice(0, 120), event.text_en.slice(0, 120)],
      route: `/sysManager/ssm_systemLog?part=event&detail=${payload.eventId}`,
      rows: { sight, ids: [payload.eventId] },
    });
  },
};

/** Events of the system. */
export const registration = bindResource(systemEvent, {
  table: 'system_event',
  scope,
  extra: { version: '1' },
  search: `lower(t.text || ' ' || t.text_en)`,
  also: { sights: [sight], effects: [tellEffect] },
}).registration;
