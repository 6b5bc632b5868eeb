import fs from 'node:fs';
import path from 'node:path';
import type { PlatformConfig, Log } from '../../kernel/server/platform.ts';
import {
  createLogLevels,
  LOG_LEVELS,
  type Logger,
  type LogLevels,
} from '../../domain/monitoring/log-levels.server.ts';
import { readSecretKey, type Config } from './config.ts';
import { projectFolder } from './migrate.ts';

/** The part of the configuration features may read. */
export function platformConfig(config: Config, env: NodeJS.ProcessEnv = process.env): PlatformConfig {
  return {
    dataDir: config.dataDir,
    storageUrl: config.storageUrl,
    secretKey: readSecretKey(config.dataDir),
    build: env.BUILD_ID || builtId(),
    signIn: {
      captcha: config.captcha,
      ...(config.casUrl && config.casService
        ? { cas: { url: config.casUrl.replace(/\/$/, ''), service: config.casService } }
        : {}),
    },
  };
}

/** Id of the page that stands in dist: the release a container or a bare start serves. */
function builtId(): string {
  try {
    const built: unknown = JSON.parse(
      fs.readFileSync(path.join(projectFolder(), 'dist', 'build.json'), 'utf8'),
    );
    return (built as { client?: string }).client ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

/** The log of a process, with what its single loggers tell while somebody looks closely. */
export interface ProcessLog extends Log {
  /** A line of a logger that is written only while its level is debug. */
  debug(logger: Logger, event: () => Readonly<Record<string, unknown>>): void;
}

/**
 * One JSON line per event on stderr, at or above the level; `keep` is told of all but debug lines nobody asked for. Never
 * given request bodies, tokens or passwords.
 */
export function createLog(
  level: Config['logLevel'],
  keep?: (level: string, event: Readonly<Record<string, unknown>>) => void,
  levels: LogLevels = createLogLevels(level),
): ProcessLog {
  const write =
    (name: (typeof LOG_LEVELS)[number], logger: Logger = 'app') =>
    (data: object | string, message?: string) => {
      const event =
        typeof data === 'string' ? { message: data } : { ...data, ...(message ? { message } : {}) };
      keep?.(name, event);
      if (!levels.tells(logger, name)) return;
      process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), level: name, ...event })}\n`);
    };
  return {
    error: write('error'),
    warn: write('warn'),
    info: write('info'),
    debug: (logger, event) => {
      if (levels.tells(logger, 'debug')) write('debug', logger)({ logger, ...event() });
    },
  };
}
