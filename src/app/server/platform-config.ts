import fs from 'node:fs';
import path from 'node:path';
import type { PlatformConfig, Log } from '../../kernel/server/platform.ts';
import { readSecretKey, type Config } from './config.ts';

/** The part of the configuration features may read. */
export function platformConfig(config: Config, env: NodeJS.ProcessEnv = process.env): PlatformConfig {
  return {
    dataDir: config.dataDir,
    storageUrl: config.storageUrl,
    secretKey: readSecretKey(config.dataDir),
    build: env.BUILD_ID ?? buildOfRelease() ?? 'unknown',
    signIn: {
      captcha: config.captcha,
      ...(config.casUrl && config.casService
        ? { cas: { url: config.casUrl.replace(/\/$/, ''), service: config.casService } }
        : {}),
    },
  };
}

/** The id `npm run build` left beside the server; without it no page would notice that a release was put in place. */
function buildOfRelease(): string | undefined {
  try {
    const file = path.join(import.meta.dirname, '..', 'build.json');
    const { build } = JSON.parse(fs.readFileSync(file, 'utf8')) as { build?: unknown };
    return typeof build === 'string' && build !== '' ? build : undefined;
  } catch {
    // Started from the sources.
    return undefined;
  }
}

const LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;

/** One JSON line per event on stderr, at or above the level. Never given request bodies, tokens or passwords. */
export function createLog(level: Config['logLevel']): Log {
  const limit = LEVELS.indexOf(level);
  const write = (name: (typeof LEVELS)[number]) => (data: object | string, message?: string) => {
    if (LEVELS.indexOf(name) > limit) return;
    const event = typeof data === 'string' ? { message: data } : { ...data, ...(message ? { message } : {}) };
    process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), level: name, ...event })}\n`);
  };
  return { error: write('error'), warn: write('warn'), info: write('info') };
}
