import fs from 'node:fs/promises';
import os from 'node:os';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';

/** What a machine says of itself. */
export interface MachineFacts {
  readonly host: string;
  readonly addresses: readonly string[];
  readonly os: string;
  readonly runtime: string;
  readonly cpuCount: number;
  readonly cpuLoad: number;
  readonly memoryUsed: number;
  readonly memoryTotal: number;
  readonly diskUsed: number;
  readonly diskTotal: number;
  readonly environment: string;
}

const ENVIRONMENTS = ['prod', 'staging', 'test', 'dev'];

/** Looks at the machine this process runs on; `folder` says which disk. */
export async function machineFacts(
  folder: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<MachineFacts> {
  const disk = await fs.statfs(folder);
  const total = os.totalmem();
  return {
    host: os.hostname(),
    addresses: Object.values(os.networkInterfaces())
      .flatMap((one) => one ?? [])
      .filter((one) => !one.internal)
      .map((one) => one.address)
      .slice(0, 10),
    os: `${os.type()} ${os.release()}`.slice(0, 100),
    runtime: `Node ${process.versions.node}`,
    cpuCount: os.cpus().length,
    cpuLoad: os.loadavg()[0] ?? 0,
    memoryUsed: total - os.freemem(),
    memoryTotal: total,
    diskUsed: (disk.blocks - disk.bfree) * disk.bsize,
    diskTotal: disk.blocks * disk.bsize,
    environment: ENVIRONMENTS.includes(env.ENVIRONMENT ?? '') ? env.ENVIRONMENT! : 'prod',
  };
}

/** Writes what the machine says and returns the id of its row; a machine seen for the first time gets one. */
export async function noteMachine(tx: Tx, facts: MachineFacts): Promise<number> {
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO deploy_server (host, environment, addresses, os, runtime, cpu_count, cpu_load, memory_used, memory_total, disk_used, disk_total, started_at, last_heartbeat_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, clock_timestamp(), clock_timestamp())
     ON CONFLICT (host) DO UPDATE SET addresses = excluded.addresses, os = excluded.os, runtime = excluded.runtime,
       cpu_count = excluded.cpu_count, cpu_load = excluded.cpu_load, memory_used = excluded.memory_used,
       memory_total = excluded.memory_total, disk_used = excluded.disk_used, disk_total = excluded.disk_total,
       started_at = coalesce(deploy_server.started_at, excluded.started_at), last_heartbeat_at = clock_timestamp()
     RETURNING id`,
    [
      facts.host,
      facts.environment,
      facts.addresses,
      facts.os,
      facts.runtime,
      facts.cpuCount,
      facts.cpuLoad,
      facts.memoryUsed,
      facts.memoryTotal,
      facts.diskUsed,
      facts.diskTotal,
    ],
  );
  return row!.id;
}

/** A start that brought another release, or migrations, to a machine. */
export interface Deployment {
  readonly serverId: number;
  readonly service: string;
  readonly instanceId: string;
  readonly version: string;
  readonly migrations: readonly string[];
  readonly durationMs: number;
  readonly by: string;
}

/** Records a start, unless it is the same release as before without migrations. */
export async function noteDeployment(tx: Tx, deployment: Deployment): Promise<boolean> {
  const last = await runOne<{ to_version: string }>(
    tx,
    `SELECT to_version FROM deploy_record WHERE server_id = $1 AND service = $2 ORDER BY started_at DESC, id DESC LIMIT 1`,
    [deployment.serverId, deployment.service],
  );
  if (last?.to_version === deployment.version && deployment.migrations.length === 0) return false;
  await run(
    tx,
    `INSERT INTO deploy_record (server_id, service, instance_id, from_version, to_version, migrations, duration_ms, by_name)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      deployment.serverId,
      deployment.service,
      deployment.instanceId,
      last?.to_version ?? '',
      deployment.version,
      deployment.migrations,
      Math.round(deployment.durationMs),
      deployment.by,
    ],
  );
  return true;
}
