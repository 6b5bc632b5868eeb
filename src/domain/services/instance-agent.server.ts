import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import os from 'node:os';
import { run, runOne, transaction } from '../../kernel/server/database.ts';
import { failureFacts } from '../../kernel/server/http/failure-facts.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { machineFacts, noteDeployment, noteMachine } from './machine.server.ts';
import { reportedAfter, type InstanceCheck, type InstanceStatus } from './registry.rules.ts';
import { INSTANCE, deregister, heartbeat, judgeLeases, registerInstance } from './registry.server.ts';

/** What a process tells the registry of itself. */
export interface AgentOptions {
  readonly service: 'backoffice-web' | 'backoffice-worker';
  readonly role: 'web' | 'worker';
  readonly port?: number;
  readonly zone?: string;
  /** Migrations this release needs. */
  readonly migrations?: readonly string[];
  /** Migrations this start applied. */
  readonly applied?: readonly string[];
  /** Milliseconds this start took so far. */
  readonly startMs?: number;
  /** Told when the status that counts changes; workers stop taking jobs. */
  readonly onStatus?: (status: InstanceStatus) => void;
}

/** The part of a process that keeps its place in the registry. */
export interface InstanceAgent {
  readonly instanceId: string;
  /** The status that counts, as the last heartbeat answered. */
  readonly status: InstanceStatus;
  /** Registers and sends the first heartbeat. */
  register(): Promise<void>;
  /** Checks itself and renews; registers again when the registry does not know it. */
  beat(): Promise<void>;
  /** Starts the timers: heartbeat, lease judge, and a look whether somebody decided something about this instance. */
  start(): void;
  /** Tells that no more work is wanted, before what runs is ended. */
  drain(): Promise<void>;
  /** Ends the timers and leaves the registry. */
  stop(): Promise<void>;
}

const LOOK_MS = 1_000;
const JUDGE_MS = 5_000;
/** Load and disk of the machine are told with each so many heartbeats. */
const MACHINE_EVERY = 10;
/** Free space below which an instance cannot do its work. */
const LEAST_FREE_BYTES = 100 * 1024 * 1024;

/** Makes the agent of this process; nothing runs before `register` or `start`. */
export function createInstanceAgent(platform: Platform, options: AgentOptions): InstanceAgent {
  const instanceId = randomUUID();
  const { db } = platform.database;
  let status: InstanceStatus = 'STARTING';
  let reported: InstanceStatus = 'STARTING';
  let wasUp = false;
  let leaving = false;
  let beats = 0;
  let seen = platform.changeCount(INSTANCE);
  let last = 0;
  const timers: NodeJS.Timeout[] = [];
  let running: Promise<void> = Promise.resolve();

  const settle = (next: InstanceStatus) => {
    const changed = next !== status;
    status = next;
    if (changed) options.onStatus?.(next);
  };
  const register = async (): Promise<void> => {
    const leaseSeconds = await platform.settings.number('registry.lease_seconds');
    const facts = await machineFacts(platform.config.dataDir);
    await transaction(db, async (tx) => {
      const serverId = await noteMachine(tx, facts);
      await registerInstance(tx, {
        instanceId,
        service: options.service,
        role: options.role,
        host: facts.host,
        port: options.port ?? null,
        pid: process.pid,
        zone: options.zone ?? '',
        release: platform.config.build,
        runtime: facts.runtime,
        leaseSeconds,
        serverId,
      });
      await noteDeployment(tx, {
        serverId,
        service: options.service,
        instanceId,
        version: platform.config.build,
        migrations: options.applied ?? [],
        durationMs: options.startMs ?? 0,
        by: os.userInfo().username,
      });
    });
    platform.changed(INSTANCE);
  };
  const beatOnce = async (): Promise<void> => {
    if (!leaving) {
      const checks = await ownChecks(platform, options.migrations ?? []);
      reported = reportedAfter(checks, wasUp);
      wasUp ||= reported === 'UP';
      await send(checks);
    } else await send([]);
  };
  const send = async (checks: readonly InstanceCheck[]): Promise<void> => {
    const answered = await transaction(db, (tx) => heartbeat(tx, instanceId, { status: reported, checks }));
    if (answered === undefined && !leaving) {
      // Evicted while this process was asleep.
      await register();
      return send(checks);
    }
    if (answered !== undefined) settle(answered);
    beats += 1;
    if (beats % MACHINE_EVERY === 0) {
      const facts = await machineFacts(platform.config.dataDir);
      await transaction(db, (tx) => noteMachine(tx, facts));
    } else
      await run(db, 'UPDATE deploy_server SET last_heartbeat_at = clock_timestamp() WHERE host = $1', [
        os.hostname(),
      ]);
  };
  const look = async (): Promise<void> => {
    const every = (await platform.settings.number('registry.heartbeat_seconds')) * 1_000;
    const now = platform.changeCount(INSTANCE);
    if (now === seen && performance.now() - last < every) return;
    seen = now;
    last = performance.now();
    await beatOnce();
  };
  const safely = (work: () => Promise<unknown>) => () => {
    running = running.then(work).then(
      () => {},
      (error: unknown) => platform.log.warn({ err: failureFacts(error) }, 'the registry was not reached'),
    );
  };
  return {
    instanceId,
    get status() {
      return status;
    },
    register: async () => {
      await register();
      await beatOnce();
    },
    beat: beatOnce,
    start: () => {
      for (const [milliseconds, work] of [
        [LOOK_MS, look],
        [JUDGE_MS, () => judgeLeases(platform)],
      ] as const) {
        const timer = setInterval(safely(work), milliseconds);
        timer.unref();
        timers.push(timer);
      }
    },
    drain: async () => {
      leaving = true;
      reported = 'OUT_OF_SERVICE';
      await running;
      await send([]);
    },
    stop: async () => {
      leaving = true;
      for (const timer of timers) clearInterval(timer);
      await running;
      await transaction(db, (tx) => deregister(tx, instanceId, 'SIGTERM'));
    },
  };
}

/** What a process needs to do its work: migrations, database, queue and disk. */
export async function ownChecks(
  platform: Platform,
  migrations: readonly string[],
): Promise<readonly InstanceCheck[]> {
  const { db } = platform.database;
  const check = async (name: string, work: () => Promise<string | undefined>): Promise<InstanceCheck> => {
    try {
      const note = await work();
      return note === undefined ? { name, ok: true } : { name, ok: false, note };
    } catch (error) {
      return { name, ok: false, note: String((error as { code?: string }).code ?? 'error') };
    }
  };
  return [
    await check('database', async () => {
      await runOne(db, 'SELECT 1');
      return undefined;
    }),
    await check('migrations', async () => {
      if (migrations.length === 0) return undefined;
      const rows = await run<{ name: string }>(
        db,
        `SELECT n AS name FROM unnest($1::text[]) n WHERE NOT EXISTS (SELECT FROM schema_migration m WHERE m.name = n) LIMIT 3`,
        [migrations],
      );
      return rows.length === 0 ? undefined : rows.map((row) => row.name).join(', ');
    }),
    await check('queue', async () => {
      await run(db, 'SELECT 1 FROM graphile_worker._private_jobs LIMIT 1');
      return undefined;
    }),
    await check('disk', async () => {
      const disk = await fs.statfs(platform.config.dataDir);
      const free = disk.bavail * disk.bsize;
      return free >= LEAST_FREE_BYTES ? undefined : `${Math.round(free / 1_048_576)} MB`;
    }),
  ];
}
