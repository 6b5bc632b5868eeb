import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { INSTANCE, keepOneUp, noteEvent } from '../../../domain/services/registry.server.ts';
import { forPlatform } from '../../../domain/services/platform-only.server.ts';
import { deployServer, type DeploySummary, type ServerRunning } from './deploy-server.contract.ts';

/** Seconds without heartbeat after which a server is offline. */
const OFFLINE_S = 30;
const MAINTAINED = `(t.maintenance_since IS NOT NULL AND (t.maintenance_until IS NULL OR t.maintenance_until > now()))`;
const STANDING = `CASE WHEN t.last_heartbeat_at IS NULL THEN 'missing'
  WHEN t.last_heartbeat_at < now() - interval '${OFFLINE_S} seconds' THEN 'offline'
  WHEN ${MAINTAINED} THEN 'maintenance' ELSE 'online' END`;
const gigabytes = (used: string, total: string) =>
  `CASE WHEN t.${total} > 0 THEN round(t.${used} / 1073741824.0, 1) || ' / ' || round(t.${total} / 1073741824.0, 1) || ' GB' ELSE '' END`;

const bound: BoundResource = bindResource(deployServer, {
  table: 'deploy_server',
  scope: { tenant: 'none', project: 'none', owner: 't.created_by', platformOnly: true },
  joins: { owner: 'staff' },
  search: `lower(t.host || ' ' || t.label)`,
  columns: {
    cpuLoad: 'round(t.cpu_load::numeric, 2)::text',
    memory: gigabytes('memory_used', 'memory_total'),
    disk: gigabytes('disk_used', 'disk_total'),
    services: `array(SELECT i.service || ' ' || i.release || CASE WHEN i.status = 'UP' THEN '' ELSE ' (' || i.status || ')' END
                 FROM service_instance i WHERE i.server_id = t.id ORDER BY i.service, i.id LIMIT 20)`,
    service: `''`,
    release: `''`,
    standing: STANDING,
  },
  filters: {
    service: (value, parameters) =>
      `EXISTS (SELECT FROM service_instance i WHERE i.server_id = t.id AND i.service = ${parameters.bind(value)})`,
    release: (value, parameters) =>
      `EXISTS (SELECT FROM service_instance i WHERE i.server_id = t.id AND i.release = ${parameters.bind(value)})`,
  },
  extra: {
    aged: `coalesce(t.last_heartbeat_at < now() - interval '24 hours', true)`,
    maintained: MAINTAINED,
  },
  ruleReads: ['aged', 'maintained', 'standing'],
  rowRules: {
    drain: (row) => (row.maintained ? ['服务器已在维护', 'The server is in maintenance'] : undefined),
    force: (row) => (row.maintained ? ['服务器已在维护', 'The server is in maintenance'] : undefined),
    resume: (row) => (row.maintained ? undefined : ['服务器不在维护', 'The server is not in maintenance']),
    remove: (row) =>
      row.standing === 'online' || row.standing === 'maintenance'
        ? ['在线服务器不能删除', 'A server that is online cannot be deleted']
        : row.aged
          ? undefined
          : ['离线满24小时才能删除', 'It can be deleted when it was offline for 24 hours'],
  },
  unique: { deploy_server_host: ['服务器已存在', 'The server exists already'] },
  createDefaults: () => Promise.resolve({ expected: true }),
  handlers: {
    drain: (context) => drain(context, true),
    force: (context) => {
      if (context.input.host !== context.row.host)
        throw invalid({ host: ['名称不一致', 'This is not its name'] });
      return drain(context, false);
    },
    resume: (context) => {
      context.platform.changed(INSTANCE);
      // Its instances take over what they say of themselves with the next heartbeat, which comes within a second.
      return Promise.resolve({
        set: { maintenance_since: null, maintenance_until: null, maintenance_reason: '' },
      });
    },
    remove: async ({ tx, id }) => {
      await run(tx, 'DELETE FROM service_instance WHERE server_id = $1', [id]);
    },
  },
  endpoints: forPlatform([
    endpoint({
      method: 'GET',
      path: '/admin/deployServer/:id/running',
      title: ['服务器运行情况', 'What runs on a server'],
      access: { code: deployServer.menu },
      handle: async (call): Promise<ServerRunning> => {
        const id = idOf(call.params.id);
        const { host } = await bound.find(call, id);
        return runningOn(call.platform.replica.db, id, String(host));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/deployServer/summary',
      title: ['部署概况', 'Head of the servers'],
      access: { code: deployServer.menu },
      handle: async ({ platform }): Promise<DeploySummary> => {
        const { db } = platform.database;
        const row = await runOne<{ online: number; up: number }>(
          db,
          `SELECT (SELECT count(*) FROM deploy_server t WHERE ${STANDING} IN ('online', 'maintenance')) AS online,
                  (SELECT count(*) FROM service_instance WHERE status = 'UP') AS up`,
        );
        const running = await run<{ service: string; versions: string[] }>(
          db,
          `SELECT service, array_agg(DISTINCT release ORDER BY release) AS versions FROM service_instance
            WHERE status <> 'DOWN' AND release <> '' GROUP BY service ORDER BY service`,
        );
        return {
          online: row!.online,
          up: row!.up,
          versions: [...new Set(running.flatMap((one) => one.versions))].sort(),
          mixed: running.filter((one) => one.versions.length > 1),
        };
      },
    }),
  ]),
});

export const registration = bound.registration;

/** The server gets no more work: its instances are out at once, those that answer calls only while others stay. */
async function drain(context: ActionContext, careful: boolean): Promise<ActionResult> {
  const { tx, id, input } = context;
  const { now } = (await runOne<{ now: Date }>(tx, 'SELECT now()'))!;
  const until = (input.until as string | undefined) ?? null;
  if (until && Date.parse(until) <= now.getTime())
    throw invalid({ until: ['须晚于现在', 'Must be later than now'] });
  if (careful) await keepOneUp(tx, await instancesOf(tx, id));
  await note(context, String(input.reason));
  await run(
    tx,
    `UPDATE service_instance SET status = 'OUT_OF_SERVICE', down_at = NULL WHERE server_id = $1 AND status = 'UP'`,
    [id],
  );
  context.platform.changed(INSTANCE);
  return {
    set: { maintenance_since: now, maintenance_until: until, maintenance_reason: input.reason },
    remark: String(input.reason),
  };
}

async function instancesOf(tx: Tx, serverId: number): Promise<number[]> {
  const rows = await run<{ id: number }>(tx, 'SELECT id FROM service_instance WHERE server_id = $1', [
    serverId,
  ]);
  return rows.map((row) => row.id);
}

/** Lines of the journal for the instances whose status changes with the server. */
async function note({ tx, id, caller }: ActionContext, reason: string): Promise<void> {
  const rows = await run<{ instance_id: string; service: string; host: string }>(
    tx,
    'SELECT instance_id, service, host FROM service_instance WHERE server_id = $1 AND status = $2 ORDER BY id',
    [id, 'UP'],
  );
  for (const row of rows)
    await noteEvent(tx, {
      type: 'STATUS_CHANGED',
      service: row.service,
      instanceId: row.instance_id,
      host: row.host,
      from: 'UP',
      to: 'OUT_OF_SERVICE',
      reason,
      staffId: staffIdOf(caller),
    });
}

/** Instances that are registered, the last lines of the journal, and the load hour by hour of seven days. */
async function runningOn(db: Executor, id: number, host: string): Promise<ServerRunning> {
  const instances = await run<{
    instanceId: string;
    service: string;
    release: string;
    role: string;
    port: number | null;
    status: string;
    started: Date;
    beat: Date;
  }>(
    db,
    `SELECT instance_id AS "instanceId", service, release, role, port, coalesce(status_override, status) AS status, started_at AS started, last_heartbeat_at AS beat
       FROM service_instance WHERE server_id = $1 ORDER BY service, id`,
    [id],
  );
  const events = await run<{
    at: Date;
    type: string;
    service: string;
    instanceId: string;
    from: string;
    to: string;
    reason: string;
  }>(
    db,
    `SELECT at, type, service, instance_id AS "instanceId", from_status AS "from", to_status AS "to", reason FROM instance_event
      WHERE host = $1 ORDER BY id DESC LIMIT 100`,
    [host],
  );
  // Instances that are gone were measured, too; of a disk all of them say the same.
  const load = await run<{ at: Date; cpu: number | null; memoryMb: number | null; diskFree: number | null }>(
    db,
    `SELECT date_trunc('hour', minute) AS at, round(avg(cpu)::numeric, 1)::float8 AS cpu, round(avg(rss)::numeric)::float8 AS "memoryMb",
            round(min(disk)::numeric, 1)::float8 AS "diskFree"
       FROM (SELECT m.minute, sum(m.avg) FILTER (WHERE m.metric = 'cpu') AS cpu, sum(m.avg) FILTER (WHERE m.metric = 'rss') AS rss,
                    min(m.min) FILTER (WHERE m.metric = 'disk_free_share') AS disk
               FROM metric_sample m WHERE m.metric IN ('cpu', 'rss', 'disk_free_share') AND m.minute > now() - interval '7 days'
                AND m.instance IN (SELECT instance_id FROM instance_event WHERE host = $2 UNION SELECT instance_id FROM service_instance WHERE server_id = $1)
              GROUP BY m.minute) x
      GROUP BY 1 ORDER BY 1`,
    [id, host],
  );
  return {
    instances: instances.map(({ started, beat, ...one }) => ({
      ...one,
      startedAt: isoInstant(started),
      lastHeartbeatAt: isoInstant(beat),
    })),
    events: events.map((one) => ({ ...one, at: isoInstant(one.at) })),
    load: load.map((one) => ({ ...one, at: isoInstant(one.at) })),
  };
}
