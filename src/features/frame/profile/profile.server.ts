import { z } from 'zod';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { invalid, loggedOut, notFound } from '../../../kernel/server/http/errors.ts';
import { defineRegistration, endpoint } from '../../../kernel/server/registration.ts';
import { endSessions } from '../../../kernel/server/people/session-changes.ts';
import { deviceOf } from './device.rules.ts';
import { permissionsOfProfile } from './profile-permissions.server.ts';

const paging = z.strictObject({
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(200).default(10),
});

/** The staff's own data: profile, devices, sign-in history, rights. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/admin/profile',
      title: ['个人资料', 'Profile'],
      access: 'staff',
      handle: async ({ platform, caller }) => {
        const row = await runOne<ProfileRow>(platform.database.db, PROFILE, [caller.staffId]);
        if (!row) throw loggedOut();
        return {
          id: String(caller.staffId),
          username: row.account,
          name: row.name,
          staffNo: row.staff_no,
          sex: row.sex,
          mobilePhone: row.phone === null ? null : maskValue('phone', row.phone),
          email: row.email,
          // In full: whose it is can only be told from the whole.
          ssoAccount: row.sso_account,
          ssoSetAt: row.sso_set_at === null ? null : isoInstant(row.sso_set_at),
          ssoSetBy: row.sso_set_by,
          description: row.description,
          photo: row.photo_id === null ? null : { id: row.photo_id, url: `/api/file/${row.photo_id}` },
          departName: row.department,
          tenantName: row.tenant,
          stationNames: row.stations,
          employedOn: row.employed_on,
          passwordChangedAt: isoInstant(row.password_changed_at),
          version: row.version,
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/profile/sessions',
      title: ['登录设备', 'Devices'],
      access: 'staff',
      handle: async ({ platform, caller }) => {
        const idle = await platform.settings.number('auth.session.idle_minutes');
        const rows = await run<SessionRow>(platform.database.db, LIVE_SESSIONS, [
          caller.staffId,
          idle,
          caller.sessionId,
        ]);
        return rows.map((row) => ({
          id: String(row.id),
          // A token an outside program was given goes by its name.
          device: row.application ?? deviceOf(row.user_agent),
          userAgent: row.user_agent,
          address: row.address,
          createdAt: isoInstant(row.created_at),
          // The own time of use is written once a minute; this very call is the latest one.
          lastSeenAt: isoInstant(row.current ? new Date() : row.last_seen_at),
          locked: row.locked,
          current: row.current,
        }));
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/admin/profile/sessions/:id',
      title: ['下线设备', 'Sign a device out'],
      access: 'staff',
      handle: async ({ platform, caller, facts, params }) => {
        const id = /^\d{1,15}$/.test(params.id ?? '') ? Number(params.id) : 0;
        if (id === caller.sessionId)
          throw invalid({ id: ['请使用退出登录', 'Use log out for the device you are on'] });
        await transaction(platform.database.db, async (tx) => {
          const ended = await endSessions(tx, { sessionId: id, staffId: caller.staffId }, 'kicked');
          if (ended === 0) throw notFound();
          await writeAudit(tx, { caller, facts, action: 'endSession', entity: 'session', entityId: id });
        });
        platform.changed('session');
        return true;
      },
    }),
    endpoint({
      method: 'POST',
      path: '/admin/profile/sessions/endOthers',
      title: ['下线其他设备', 'Sign other devices out'],
      access: 'staff',
      handle: async ({ platform, caller, facts }) => {
        const ended = await transaction(platform.database.db, async (tx) => {
          // A sign-in or an authorisation code on its way is over before, or comes too late.
          await run(tx, 'SELECT 1 FROM staff WHERE id = $1 FOR NO KEY UPDATE', [caller.staffId]);
          const which = { staffId: caller.staffId, exceptSessionId: caller.sessionId };
          const count = await endSessions(tx, which, 'kicked');
          if (count > 0)
            await writeAudit(tx, {
              caller,
              facts,
              action: 'endSession',
              entity: 'session',
              after: { count },
            });
          return count;
        });
        platform.changed('session');
        return { ended };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/profile/signIns',
      title: ['登录记录', 'Sign-in history'],
      access: 'staff',
      query: paging,
      handle: async ({ platform, caller, query }) => {
        const { db } = platform.database;
        const where = `staff_id = $1 AND at > now() - interval '90 days'`;
        const [count] = await run<{ total: number }>(
          db,
          `SELECT count(*) AS total FROM (SELECT FROM sign_in_attempt WHERE ${where} LIMIT 10001) recent`,
          [caller.staffId],
        );
        const rows = await run<SignInRow & { readonly way: string | null }>(
          db,
          `SELECT id, at, address, user_agent, result, way FROM sign_in_attempt WHERE ${where} ORDER BY id DESC LIMIT $2 OFFSET $3`,
          [caller.staffId, query.limit, (query.page - 1) * query.limit],
        );
        return {
          total: Math.min(count?.total ?? 0, 10_000),
          rows: rows.map((row) => ({
            id: String(row.id),
            at: isoInstant(row.at),
            address: row.address,
            device: deviceOf(row.user_agent),
            result: row.result,
            way: row.way,
          })),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/profile/lastSignIn',
      title: ['上次登录', 'Last sign-in'],
      access: 'staff',
      handle: async ({ platform, caller }) => {
        const row = await runOne<SignInRow & { is_new: boolean }>(platform.database.db, LAST_SIGN_IN, [
          caller.staffId,
          caller.sessionId,
        ]);
        if (!row) return null;
        return {
          at: isoInstant(row.at),
          address: row.address,
          device: deviceOf(row.user_agent),
          isNew: row.is_new,
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/profile/permissions',
      title: ['我的权限', 'My permissions'],
      access: 'staff',
      handle: async ({ platform, caller }) => await permissionsOfProfile(platform.database.db, caller),
    }),
  ],
});

interface ProfileRow {
  readonly account: string;
  readonly name: string;
  readonly staff_no: string | null;
  readonly sex: number;
  readonly phone: string | null;
  readonly email: string | null;
  readonly sso_account: string | null;
  readonly sso_set_at: Date | null;
  /** Name of who set it; null when nobody did or nobody knows. */
  readonly sso_set_by: string | null;
  readonly description: string;
  readonly photo_id: string | null;
  readonly department: string | null;
  readonly tenant: string;
  readonly stations: string[];
  readonly employed_on: string | null;
  readonly password_changed_at: Date;
  readonly version: number;
}

interface SessionRow {
  readonly id: number;
  readonly address: string;
  readonly user_agent: string;
  readonly created_at: Date;
  readonly last_seen_at: Date;
  readonly application: string | null;
  readonly locked: boolean;
  readonly current: boolean;
}

interface SignInRow {
  readonly id: number;
  readonly at: Date;
  readonly address: string;
  readonly user_agent: string;
  readonly result: string;
}

const PROFILE = `
  SELECT s.account, s.name, s.staff_no, s.sex, s.phone, s.email, s.description, s.photo_id, d.name AS department,
         s.sso_account, s.sso_set_at, (SELECT o.name FROM staff o WHERE o.id = s.sso_set_by) AS sso_set_by,
         n.name AS tenant, s.employed_on, s.password_changed_at, s.version,
         array(SELECT st.name FROM staff_station ss JOIN station st ON st.id = ss.station_id WHERE ss.staff_id = s.id ORDER BY st.sort, st.id) AS stations
    FROM staff s JOIN tenant n ON n.id = s.tenant_id LEFT JOIN department d ON d.id = s.department_id
   WHERE s.id = $1`;

/** The sign-in before this session; its address is new when no earlier sign-in of 90 days came from there although there were some. */
const LAST_SIGN_IN = `
  WITH before AS (
    SELECT a.id, a.at, a.address, a.user_agent, a.result FROM sign_in_attempt a
     WHERE a.staff_id = $1 AND a.result = 'success' AND a.at > now() - interval '90 days'
     ORDER BY a.id DESC),
  last AS (SELECT * FROM before WHERE at < (SELECT created_at FROM session WHERE id = $2) - interval '1 second' LIMIT 1)
  SELECT last.*, EXISTS (SELECT FROM before b WHERE b.id < last.id)
         AND NOT EXISTS (SELECT FROM before b WHERE b.id < last.id AND b.address = last.address) AS is_new
    FROM last`;

const LIVE_SESSIONS = `
  SELECT id, address, user_agent, created_at, last_seen_at, locked_at IS NOT NULL AS locked, id = $3 AS current,
         CASE WHEN scopes IS NOT NULL THEN coalesce((SELECT c.name FROM oauth_client c WHERE c.client_id = session.client_id), client_id) END AS application
    FROM session
   WHERE staff_id = $1 AND ended_at IS NULL AND absolute_expires_at > now()
     AND (id = $3 OR last_seen_at > now() - $2::float8 * interval '1 minute')
   ORDER BY id = $3 DESC, last_seen_at DESC LIMIT 100`;
