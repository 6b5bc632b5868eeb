import { hash } from 'node:crypto';
import type { Label } from '../../../kernel/contract/label.ts';
import { SYSTEM, type Caller, type RequestFacts } from '../../../kernel/server/people/caller.ts';
import { GLOBAL_EPOCH_KEY, PROGRAM_ENDED } from '../../../kernel/server/people/acting.ts';
import { loggedOut, sessionEnded } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import {
  endSessions,
  SESSION_CHANNEL,
  SSO_CLIENT,
  type EndReason,
} from '../../../kernel/server/people/session-changes.ts';
import { withSpan } from '../../../kernel/server/http/tracing.ts';
import { narrowToScopes } from './application-rights.ts';
import {
  loadPermissions,
  permissionVersion,
  type Permissions,
} from '../../../domain/permission/load-caller.server.ts';
import { listen } from './session-listener.ts';

/** Turns tokens into callers. One per process. */
export interface Sessions {
  /**
   * The caller of an `Authorization` header. Throws 40101 when the token is missing, unknown, logged out or expired,
   * 40001 when somebody else ended the session or the account is disabled. A cached token costs no query for a second.
   */
  authenticate(authorization: string | undefined, facts?: RequestFacts): Promise<Caller>;
  /** Writes pending times of use now. */
  flush(): Promise<void>;
  close(): Promise<void>;
  /** Queries made so far, for tests and metrics. */
  readonly statistics: { readonly lookUps: number; readonly loads: number };
}

/** What sessions need of the platform. Handlers call `platform.changed('session')` after a commit: it acts here at once. */
export type SessionsNeeds = Pick<Platform, 'database' | 'settings' | 'log' | 'changeCount'>;

/**
 * Makes the sessions of a process: cache, notices of other instances, expiry by the database's clock.
 * `listen` false leaves out the notice connection: revocation then acts when the cache ends, within a second.
 */
export function createSessions(needs: SessionsNeeds, options: { readonly listen?: boolean } = {}): Sessions {
  const { database, settings, log } = needs;
  const entries = new Map<string, Entry>();
  const underWay = new Map<string, { readonly caller: Promise<Caller>; readonly notices: number }>();
  const statistics = { lookUps: 0, loads: 0 };
  let notices = 0;
  let changesSeen = needs.changeCount('session');

  const forget = (concerns: (entry: Entry) => boolean): void => {
    notices++;
    for (const entry of entries.values()) if (concerns(entry)) entry.freshUntil = 0;
  };
  const heard = (_channel: string, payload: string): void => {
    const [kind, id] = payload.split(':');
    if (kind === 'staff') forget((entry) => entry.caller.staffId === Number(id));
    else if (kind === 'session') forget((entry) => entry.caller.sessionId === Number(id));
    else if (kind === 'client') forget((entry) => entry.caller.program?.clientId === id);
    else forget(() => true);
  };
  const listener =
    options.listen === false
      ? undefined
      : listen(database.pool, {
          channels: [SESSION_CHANNEL],
          heard,
          connected: () => forget(() => true),
          log,
        });

  const lookUp = async (key: string): Promise<Caller> => {
    const started = performance.now();
    const noticesBefore = notices;
    const known = entries.get(key);
    const idleMinutes = await settings.number('auth.session.idle_minutes');
    const tokenHash = Buffer.from(key, 'base64url');
    const values = [tokenHash, idleMinutes, known ? started - known.usedAt : null, GLOBAL_EPOCH_KEY];
    statistics.lookUps++;
    const result = await withSpan('sql', 'session', () =>
      database.pool.query<SessionRow>({ name: 'session_look_up', text: LOOK_UP, values }),
    );
    const row = result.rows[0];
    if (!row) return await lookUpProgram(key, tokenHash, started, noticesBefore);
    const refusal = refusalOf(row);
    if (refusal) {
      entries.delete(key);
      if (!row.end_reason && row.over) await endSessions(database.db, { tokenHash }, 'expired');
      throw refusal;
    }
    const version = permissionVersion({
      permissionEpoch: row.permission_epoch,
      global: row.global,
      tenantId: row.tenant_id,
      departmentId: row.department_id,
      allProjects: row.all_projects,
    });
    let permissions = known?.permissions;
    if (!permissions || known?.version !== version || started >= known.permissionsUntil) {
      statistics.loads++;
      permissions = await loadPermissions(database.db, {
        staffId: row.staff_id,
        tenantId: row.tenant_id,
        tenantKind: row.tenant_kind,
        allProjects: row.all_projects,
        version,
      });
      if (row.scopes) permissions = await narrowToScopes(database.db, permissions, row.scopes);
    }
    const caller = callerOf(row, permissions);
    // The time counts from before the look-up: a change made meanwhile is seen within a second of it all the same.
    const freshUntil = noticesBefore === notices ? started + Math.min(CACHE_MS, row.left_ms) : 0;
    const left = permissions.until === null ? Infinity : permissions.until.getTime() - row.clock.getTime();
    entries.delete(key);
    entries.set(key, {
      caller,
      permissions,
      version,
      freshUntil,
      permissionsUntil: started + left,
      usedAt: started,
      isUsed: true,
    });
    if (entries.size > MOST_ENTRIES) dropOldest();
    return caller;
  };

  const lookUpProgram = async (
    key: string,
    tokenHash: Buffer,
    started: number,
    noticesBefore: number,
  ): Promise<Caller> => {
    const { rows } = await database.pool.query<ProgramRow>({
      name: 'program_look_up',
      text: LOOK_UP_PROGRAM,
      values: [tokenHash],
    });
    const row = rows[0];
    if (!row || row.over || row.revoked || !row.enabled) {
      entries.delete(key);
      throw row && !row.over ? sessionEnded(PROGRAM_ENDED) : loggedOut();
    }
    const caller = programCaller(row);
    entries.delete(key);
    entries.set(key, {
      caller,
      permissions: NO_PERMISSIONS,
      version: '',
      freshUntil: noticesBefore === notices ? started + Math.min(CACHE_MS, row.left_ms) : 0,
      permissionsUntil: Infinity,
      usedAt: started,
      isUsed: true,
    });
    if (entries.size > MOST_ENTRIES) dropOldest();
    return caller;
  };

  const dropOldest = (): void => {
    const oldest = entries.keys().next().value;
    if (oldest !== undefined) entries.delete(oldest);
  };

  const flush = async (): Promise<void> => {
    const now = performance.now();
    const used = [...entries].filter(([, entry]) => entry.isUsed);
    for (const [key, entry] of entries) if (now - entry.usedAt > KEPT_MS) entries.delete(key);
    if (used.length === 0) return;
    for (const [, entry] of used) entry.isUsed = false;
    const hashes = used.map(([key]) => Buffer.from(key, 'base64url'));
    const ages = used.map(([, entry]) => now - entry.usedAt);
    try {
      await database.pool.query(WRITE_USE, [hashes, ages]);
      const programs = used.filter(([, entry]) => entry.caller.program);
      if (programs.length > 0)
        await database.pool.query(WRITE_PROGRAM_USE, [
          programs.map(([, entry]) => entry.caller.program!.tokenId),
          programs.map(([, entry]) => now - entry.usedAt),
        ]);
    } catch (error) {
      for (const [, entry] of used) entry.isUsed = true;
      log.warn({ error: (error as Error).message }, 'times of use could not be written, trying again');
    }
  };
  const timer = setInterval(() => void flush(), FLUSH_MS);
  timer.unref();

  return {
    statistics,
    flush,
    authenticate: async (authorization) => {
      const key = tokenKey(authorization);
      if (key === undefined) throw loggedOut();
      if (needs.changeCount('session') !== changesSeen) {
        changesSeen = needs.changeCount('session');
        forget(() => true);
      }
      const entry = entries.get(key);
      const now = performance.now();
      if (entry && now < entry.freshUntil) {
        entry.usedAt = now;
        entry.isUsed = true;
        return entry.caller;
      }
      // Twenty parallel calls of a page make one look-up; one from before a change tells nothing of it.
      let pending = underWay.get(key);
      if (pending?.notices !== notices) {
        pending = { caller: lookUp(key), notices };
        underWay.set(key, pending);
        const mine = pending;
        const done = () => {
          if (underWay.get(key) === mine) underWay.delete(key);
        };
        mine.caller.then(done, done);
      }
      return await pending.caller;
    },
    close: async () => {
      clearInterval(timer);
      await listener?.close();
      await flush();
    },
  };
}

interface Entry {
  readonly caller: Caller;
  readonly permissions: Permissions;
  readonly version: string;
  /** Milliseconds of performance.now(). */
  freshUntil: number;
  readonly permissionsUntil: number;
  usedAt: number;
  /** Used since the time of use was last written. */
  isUsed: boolean;
}

interface SessionRow {
  readonly id: number;
  readonly staff_id: number;
  readonly client_id: string;
  readonly scopes: readonly string[] | null;
  readonly end_reason: EndReason | null;
  readonly locked: boolean;
  readonly over: boolean;
  readonly left_ms: number;
  readonly clock: Date;
  readonly account: string;
  readonly name: string;
  readonly state: string;
  readonly must_change_password: boolean;
  readonly permission_epoch: number;
  readonly department_id: number | null;
  readonly all_projects: boolean;
  readonly tenant_id: number;
  readonly tenant_kind: 1 | 2 | 3 | 4;
  readonly tenant_enabled: boolean;
  readonly tenant_lapsed: boolean;
  readonly global: string | null;
}

// Below the second that the ground rules allow, as a look-up takes its time too.
const CACHE_MS = 900;
const KEPT_MS = 300_000;
const FLUSH_MS = 60_000;
const MOST_ENTRIES = 20_000;

const LOOK_UP = `
  SELECT s.id, s.staff_id, s.client_id, s.scopes, coalesce(s.end_reason, CASE WHEN s.ended_at IS NOT NULL THEN 'logout' END) AS end_reason,
         s.locked_at IS NOT NULL AS locked, now() AS clock,
         s.absolute_expires_at <= now()
           OR greatest(s.last_seen_at, now() - $3::float8 * interval '1 millisecond') <= now() - $2::float8 * interval '1 minute' AS over,
         (extract(epoch FROM s.absolute_expires_at - now()) * 1000)::float8 AS left_ms,
         t.account, t.name, t.state, t.must_change_password, t.permission_epoch, t.department_id, t.all_projects,
         t.tenant_id, n.kind AS tenant_kind, n.enabled AS tenant_enabled,
         coalesce(n.expires_on < (now() AT TIME ZONE 'Asia/Shanghai')::date, false) AS tenant_lapsed,
         (SELECT value #>> '{}' FROM setting WHERE key = $4) AS global
    FROM session s
    JOIN staff t ON t.id = s.staff_id
    JOIN tenant n ON n.id = t.tenant_id
   WHERE s.token_hash = $1`;

interface ProgramRow {
  readonly id: number;
  readonly client_id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly revoked: boolean;
  readonly enabled: boolean;
  readonly over: boolean;
  readonly left_ms: number;
}

const LOOK_UP_PROGRAM = `
  SELECT k.id, k.client_id, c.name, k.scopes, k.revoked_at IS NOT NULL AS revoked, c.enabled, k.expires_at <= now() AS over,
         (extract(epoch FROM k.expires_at - now()) * 1000)::float8 AS left_ms
    FROM client_token k JOIN oauth_client c ON c.client_id = k.client_id
   WHERE k.token_hash = $1`;

const WRITE_PROGRAM_USE = `
  UPDATE client_token k SET last_used_at = greatest(k.last_used_at, now() - used.age * interval '1 millisecond')
    FROM unnest($1::bigint[], $2::float8[]) AS used (id, age) WHERE k.id = used.id`;

const NO_PERMISSIONS: Permissions = {
  menus: new Map(),
  elements: new Set(),
  projectIds: null,
  epoch: '',
  until: null,
};

/** Holds no menu and no element: it reaches what is written down for programs, and nothing else. */
function programCaller(row: ProgramRow): Caller {
  return {
    ...SYSTEM,
    account: row.client_id,
    name: row.name,
    application: { clientId: row.client_id, scopes: row.scopes },
    program: { clientId: row.client_id, tokenId: row.id },
  };
}

const WRITE_USE = `
  UPDATE session s SET last_seen_at = greatest(s.last_seen_at, now() - used.age * interval '1 millisecond')
    FROM unnest($1::bytea[], $2::float8[]) AS used (hash, age)
   WHERE s.token_hash = used.hash AND s.ended_at IS NULL`;

const ENDED: Readonly<Record<Exclude<EndReason, 'logout' | 'expired'>, Label>> = {
  disabled: ['账户已停用', 'Account is disabled'],
  locked: ['账户已锁定', 'Account is locked'],
  kicked: ['您已被强制下线，请重新登录', 'You were signed out by force, please sign in again'],
  whitelist: ['当前地址不允许登录', 'Sign-in is not allowed from this address'],
  reset: ['密码已被重置，请重新登录', 'The password was reset, please sign in again'],
  password: ['密码已修改，请重新登录', 'The password was changed, please sign in again'],
  unlock: ['解锁失败次数过多，请重新登录', 'Too many failed unlocks, please sign in again'],
};

// The Bearer scheme with 256 bits in base64url; anything else is no token of ours and costs no query.
const TOKEN = /^Bearer ([A-Za-z0-9_-]{43})$/i;

function tokenKey(authorization: string | undefined): string | undefined {
  const match = authorization === undefined ? null : TOKEN.exec(authorization);
  return match ? hash('sha256', match[1]!, 'base64url') : undefined;
}

function refusalOf(row: SessionRow): Error | undefined {
  if (row.end_reason === 'logout' || row.end_reason === 'expired') return loggedOut();
  if (row.end_reason !== null) return sessionEnded(ENDED[row.end_reason]);
  if (row.over) return loggedOut();
  if (row.state !== 'normal' || !row.tenant_enabled) return sessionEnded(ENDED.disabled);
  return undefined;
}

function callerOf(row: SessionRow, permissions: Permissions): Caller {
  return {
    sessionId: row.id,
    staffId: row.staff_id,
    account: row.account,
    name: row.name,
    tenantId: row.tenant_id,
    tenantKind: row.tenant_kind,
    departmentId: row.department_id,
    projectIds: permissions.projectIds,
    menus: permissions.menus,
    elements: permissions.elements,
    // A password is not ours to change where the single sign-on server vouches.
    mustChangePassword: row.must_change_password && row.client_id !== SSO_CLIENT,
    locked: row.locked,
    ...(row.tenant_lapsed ? { lapsed: true } : {}),
    ...(row.scopes ? { application: { clientId: row.client_id, scopes: row.scopes } } : {}),
    epoch: permissions.epoch,
    loaded: {
      epoch: row.permission_epoch,
      global: Number(row.global ?? 0),
      until: permissions.until,
    },
  };
}
