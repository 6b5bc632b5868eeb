import type { Label } from '../../kernel/contract/label.ts';
import { writeAudit } from '../../kernel/server/audit/audit.ts';
import { run, transaction, type Executor } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';

/** Levels from the quietest to the one that tells most. */
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What has a level of its own: the product's own messages, statements, requests. */
export const LOGGERS: Readonly<Record<string, Label>> = {
  app: ['应用', 'Application'],
  db: ['数据库语句', 'Database statements'],
  http: ['HTTP请求', 'HTTP requests'],
};
export type Logger = 'app' | 'db' | 'http';

/** A change of a level that is in force. */
export interface LevelOverride {
  readonly scope: 'instance' | 'service' | 'all';
  readonly target: string;
  readonly logger: Logger;
  readonly level: LogLevel;
  readonly until: Date;
}

/** The levels of this process: what it was started with, and for a while what somebody set. */
export interface LogLevels {
  of(logger: Logger, now?: number): LogLevel;
  tells(logger: Logger, level: LogLevel): boolean;
  /** Takes over what is in force; `skew` is the own clock minus the database's, in milliseconds. */
  follow(overrides: readonly LevelOverride[], skew: number): void;
}

/** Levels that start with `base`; statements and requests are silent below `info`. */
export function createLogLevels(base: LogLevel): LogLevels {
  let held: readonly LevelOverride[] = [];
  let offset = 0;
  const of = (logger: Logger, now = Date.now()): LogLevel => {
    if (held.length === 0) return base;
    // The nearest wins. They end here by their time, whether or not anybody says so.
    const live = held.filter((one) => one.logger === logger && one.until.getTime() > now - offset);
    const nearest = ['instance', 'service', 'all'].flatMap((scope) =>
      live.filter((one) => one.scope === scope),
    );
    return nearest[0]?.level ?? base;
  };
  return {
    of,
    tells: (logger, level) => LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(of(logger)),
    follow: (overrides, skew) => {
      held = overrides;
      offset = skew;
    },
  };
}

/** Changes in force for an instance of a service. */
export async function levelsInForce(
  db: Executor,
  own: { readonly instanceId: string; readonly service: string },
): Promise<readonly LevelOverride[]> {
  return run<LevelOverride>(
    db,
    `SELECT scope, target, logger, level, until FROM log_level_override
      WHERE ended_at IS NULL AND until > clock_timestamp()
        AND (scope = 'all' OR (scope = 'service' AND target = $2) OR (scope = 'instance' AND target = $1))`,
    [own.instanceId, own.service],
  );
}

/** Ends changes whose time is over and notes each in the audit, once whichever instance comes first. Returns how many. */
export async function endLevels(platform: Platform): Promise<number> {
  return transaction(platform.database.db, async (tx) => {
    const ended = await run<{ id: number; scope: string; target: string; logger: string; level: string }>(
      tx,
      `UPDATE log_level_override SET ended_at = clock_timestamp() WHERE id IN (
         SELECT id FROM log_level_override WHERE ended_at IS NULL AND until <= clock_timestamp() FOR UPDATE SKIP LOCKED)
       RETURNING id, scope, target, logger, level`,
    );
    for (const { id, ...before } of ended)
      await writeAudit(tx, {
        menu: 'serviceMonitorManager',
        action: 'level_end',
        entity: 'log_level_override',
        entityId: id,
        before,
        after: {},
      });
    return ended.length;
  });
}
