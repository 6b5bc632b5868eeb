import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import {
  LAPSED,
  failing,
  isLapsed,
  isProtected,
  statusOf,
  type InstanceCheck,
  type InstanceEventType,
  type InstanceStatus,
} from './registry.rules.ts';

/** Name of the resource of instances: what caches and timelines call them. */
export const INSTANCE = 'serviceInstance';

/** What a program tells when it registers. */
export interface NewInstance {
  readonly instanceId: string;
  readonly service: string;
  readonly role: 'web' | 'worker' | 'external';
  readonly host: string;
  readonly port?: number | null;
  readonly pid?: number | null;
  readonly zone?: string;
  readonly release?: string;
  readonly runtime?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly leaseSeconds: number;
  readonly serverId?: number | null;
}

/** A line of the journal. */
export interface InstanceEvent {
  readonly type: InstanceEventType;
  readonly service?: string;
  readonly instanceId?: string;
  readonly host?: string;
  readonly from?: string;
  readonly to?: string;
  readonly reason?: string;
  readonly staffId?: number | null;
}

/** Appends to the journal in the caller's transaction. */
export async function noteEvent(tx: Executor, event: InstanceEvent): Promise<void> {
  await run(
    tx,
    `INSERT INTO instance_event (type, service, instance_id, host, from_status, to_status, reason, staff_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      event.type,
      event.service ?? '',
      event.instanceId ?? '',
      event.host ?? '',
      event.from ?? '',
      event.to ?? '',
      (event.reason ?? '').slice(0, 200),
      event.staffId ?? null,
    ],
  );
}

/** Puts an instance into the registry, STARTING; one that is there already (it paused and comes back) is renewed. */
export async function registerInstance(tx: Tx, instance: NewInstance): Promise<void> {
  const row = await runOne<{ fresh: boolean }>(
    tx,
    `INSERT INTO service_instance (instance_id, service, server_id, role, pid, host, port, zone, release, runtime, metadata, lease_seconds, started_at, last_heartbeat_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, clock_timestamp(), clock_timestamp())
     ON CONFLICT (instance_id) DO UPDATE SET host = excluded.host, port = excluded.port, zone = excluded.zone,
       release = excluded.release, metadata = excluded.metadata, last_heartbeat_at = clock_timestamp()
     RETURNING (xmax = 0) AS fresh`,
    [
      instance.instanceId,
      instance.service,
      instance.serverId ?? null,
      instance.role,
      instance.pid ?? null,
      instance.host,
      instance.port ?? null,
      instance.zone ?? '',
      instance.release ?? '',
      instance.runtime ?? '',
      JSON.stringify(instance.metadata ?? {}),
      instance.leaseSeconds,
    ],
  );
  await noteEvent(tx, {
    type: row!.fresh ? 'REGISTERED' : 'REGISTRATION_UPDATED',
    service: instance.service,
    instanceId: instance.instanceId,
    host: instance.host,
    ...(row!.fresh ? { to: 'STARTING' } : {}),
    reason: instance.release ?? '',
  });
}

interface StoredInstance {
  readonly id: number;
  readonly instance_id: string;
  readonly service: string;
  readonly host: string;
  readonly role: string;
  readonly status: InstanceStatus;
  readonly reported: InstanceStatus;
  readonly taken_out: boolean;
  readonly silent: number;
  readonly age: number;
  readonly lease_seconds: number;
  readonly down_for: number | null;
}

const STORED = `t.id, t.instance_id, t.service, t.host, t.role, t.status, t.reported, t.lease_seconds,
  extract(epoch FROM clock_timestamp() - t.last_heartbeat_at)::float8 AS silent,
  extract(epoch FROM clock_timestamp() - t.started_at)::float8 AS age,
  extract(epoch FROM clock_timestamp() - t.down_at)::float8 AS down_for,
  ((t.status_override IS NOT NULL AND (t.override_until IS NULL OR t.override_until > clock_timestamp()))
   OR (s.maintenance_since IS NOT NULL AND (s.maintenance_until IS NULL OR s.maintenance_until > clock_timestamp()))) AS taken_out`;
const FROM = 'service_instance t LEFT JOIN deploy_server s ON s.id = t.server_id';

/**
 * Renews an instance and takes what it says of itself. Returns the status that counts; undefined for an unknown instance,
 * which then registers again. `service`: whose token came; another's instance is unknown to it.
 */
export async function heartbeat(
  tx: Tx,
  instanceId: string,
  said: { readonly status: InstanceStatus; readonly checks: readonly InstanceCheck[] },
  service?: string,
): Promise<InstanceStatus | undefined> {
  const row = await runOne<StoredInstance>(
    tx,
    `SELECT ${STORED} FROM ${FROM} WHERE t.instance_id = $1 FOR NO KEY UPDATE OF t`,
    [instanceId],
  );
  if (!row || (service !== undefined && row.service !== service)) return undefined;
  const status = statusOf({ reported: said.status, takenOut: row.taken_out, lapsed: false });
  const reason = status === 'DOWN' ? failing(said.checks) : '';
  await run(
    tx,
    `WITH counted AS (
       INSERT INTO registry_renewal (minute, renewals) VALUES (date_trunc('minute', clock_timestamp()), 1)
       ON CONFLICT (minute) DO UPDATE SET renewals = registry_renewal.renewals + 1)
     UPDATE service_instance SET last_heartbeat_at = clock_timestamp(), beats = beats + 1, reported = $2, checks = $3,
       status = $4, down_reason = $5,
       down_at = CASE WHEN $4 = 'DOWN' THEN coalesce(down_at, clock_timestamp()) END
     WHERE id = $1`,
    [row.id, said.status, JSON.stringify(said.checks), status, reason],
  );
  if (status !== row.status) await noteStatus(tx, row, status, reason);
  return status;
}

function noteStatus(
  tx: Tx,
  row: Pick<StoredInstance, 'service' | 'instance_id' | 'host' | 'status'>,
  to: InstanceStatus,
  reason: string,
  staffId?: number | null,
): Promise<void> {
  return noteEvent(tx, {
    type: 'STATUS_CHANGED',
    service: row.service,
    instanceId: row.instance_id,
    host: row.host,
    from: row.status,
    to,
    reason,
    staffId: staffId ?? null,
  });
}

/** Takes an instance out of the registry for good; false when there is none. */
export async function deregister(
  tx: Tx,
  instanceId: string,
  reason: string,
  staffId: number | null = null,
  service?: string,
): Promise<boolean> {
  const row = await runOne<StoredInstance>(
    tx,
    `DELETE FROM service_instance WHERE instance_id = $1 AND ($2::text IS NULL OR service = $2)
     RETURNING service, instance_id, host, status`,
    [instanceId, service ?? null],
  );
  if (!row) return false;
  await noteEvent(tx, {
    type: 'DEREGISTERED',
    service: row.service,
    instanceId,
    host: row.host,
    from: row.status,
    reason,
    staffId,
  });
  return true;
}

/** Keys of locks of this module. */
const JUDGE_LOCK = 7_204_615_331;
const CAPACITY_LOCK = 7_204_615_332;

/**
 * Refuses to take instances out when none that answers calls would be left. Behind a lock, so that two who each take one of
 * the last two out do not both succeed.
 */
export async function keepOneUp(tx: Tx, leaving: readonly number[]): Promise<void> {
  await run(tx, 'SELECT pg_advisory_xact_lock($1)', [CAPACITY_LOCK]);
  const row = await runOne<{ leaving: number; staying: number }>(
    tx,
    `SELECT count(*) FILTER (WHERE id = ANY($1::bigint[])) AS leaving, count(*) FILTER (WHERE id <> ALL($1::bigint[])) AS staying
       FROM service_instance WHERE role = 'web' AND status = 'UP'`,
    [leaving],
  );
  if (row!.leaving > 0 && row!.staying === 0)
    throw ruleBroken(['至少保留一个可用实例', 'At least one instance must stay up']);
}

/** What a look at all leases changed. */
export interface Judgement {
  readonly lapsed: readonly string[];
  readonly evicted: readonly string[];
  readonly protected: boolean;
}

/**
 * Looks at every lease by the clock of the database: silent instances become DOWN, those DOWN by lapse for long enough go,
 * unless so many are silent that the network is the likelier cause. One process at a time; undefined where another one looks.
 */
export async function judgeLeases(platform: Platform): Promise<Judgement | undefined> {
  const [evictSeconds, percent, minInstances] = await Promise.all(
    ['registry.evict_seconds', 'registry.protect_percent', 'registry.protect_min_instances'].map((key) =>
      platform.settings.number(key),
    ),
  );
  const done = await transaction(platform.database.db, async (tx) => {
    const lock = await runOne<{ mine: boolean }>(tx, 'SELECT pg_try_advisory_xact_lock($1) AS mine', [
      JUDGE_LOCK,
    ]);
    if (!lock!.mine) return undefined;
    const rows = await run<StoredInstance>(
      tx,
      `SELECT ${STORED} FROM ${FROM} ORDER BY t.id FOR NO KEY UPDATE OF t`,
    );
    const lapsed: string[] = [];
    for (const row of rows) {
      const silent = isLapsed(row.silent, row.lease_seconds);
      const status = statusOf({ reported: row.reported, takenOut: row.taken_out, lapsed: silent });
      if (silent && row.status !== 'DOWN') lapsed.push(row.instance_id);
      if (status === row.status) continue;
      const reason = silent ? LAPSED : '';
      await run(
        tx,
        `UPDATE service_instance SET status = $2, down_reason = $3,
           down_at = CASE WHEN $2 = 'DOWN' THEN last_heartbeat_at + make_interval(secs => lease_seconds) END WHERE id = $1`,
        [row.id, status, reason],
      );
      await noteStatus(tx, row, status, reason);
    }
    const shield = isProtected(
      rows.map((row) => ({
        service: row.service,
        silentSeconds: row.silent,
        lapsed: isLapsed(row.silent, row.lease_seconds),
        ageSeconds: row.age,
      })),
      { percent: percent!, minInstances: minInstances! },
    );
    const state = await runOne<{ protected: boolean }>(tx, 'SELECT protected FROM registry_state FOR UPDATE');
    if (state!.protected !== shield) {
      await run(tx, 'UPDATE registry_state SET protected = $1, since = clock_timestamp()', [shield]);
      await noteEvent(tx, { type: shield ? 'PROTECTION_ON' : 'PROTECTION_OFF' });
    }
    const evicted: string[] = [];
    for (const row of rows) {
      // Down since the lease ended; a check of its own that fails never evicts.
      const downFor = row.silent - row.lease_seconds;
      if (shield || !isLapsed(row.silent, row.lease_seconds) || downFor < evictSeconds!) continue;
      await run(tx, 'DELETE FROM service_instance WHERE id = $1', [row.id]);
      await noteEvent(tx, {
        type: 'EVICTED',
        service: row.service,
        instanceId: row.instance_id,
        host: row.host,
        from: 'DOWN',
        reason: LAPSED,
      });
      evicted.push(row.instance_id);
    }
    await run(tx, `DELETE FROM registry_renewal WHERE minute < now() - interval '1 hour'`);
    return { lapsed, evicted, protected: shield };
  });
  if (done && (done.lapsed.length > 0 || done.evicted.length > 0)) platform.changed(INSTANCE);
  return done;
}

/** Removes what the journal keeps no longer; returns how many lines. */
export async function purgeInstanceEvents(platform: Platform): Promise<number> {
  const rows = await run(
    platform.database.db,
    `DELETE FROM instance_event WHERE at < now() - interval '30 days' RETURNING 1`,
  );
  return rows.length;
}
