import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** Settings of one run, each from the environment with a safe default. Source: ground rules section 17. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Absolute folder of the embedded database, files and keys. */
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly databaseOwnerUrl: string | undefined;
  readonly replicaUrl: string | undefined;
  readonly storageUrl: string | undefined;
  readonly adminPassword: string | undefined;
  /** Passwords of the demonstration staff; without it they cannot sign in. */
  readonly demoPassword: string | undefined;
  readonly captcha: 'image' | { readonly fixed: string };
  readonly demo: 'small' | 'off';
  readonly logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug';
  readonly casUrl: string | undefined;
  readonly casService: string | undefined;
  /** Answers /metrics besides loopback callers. */
  readonly metricsToken: string | undefined;
}

const LOOPBACK = /^(127(\.\d+){3}|::1|localhost)$/;

/** Reads the configuration. Throws with the variable's name when a value is not usable. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const port = Number(env.PORT ?? '8080');
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error('PORT must be a number from 0 to 65535');
  const host = env.HOST || '127.0.0.1';
  const demo = env.DEMO || 'small';
  if (demo !== 'small' && demo !== 'off') throw new Error('DEMO must be small or off');
  const logLevel = env.LOG_LEVEL || 'warn';
  if (!['silent', 'error', 'warn', 'info', 'debug'].includes(logLevel))
    throw new Error('LOG_LEVEL must be silent, error, warn, info or debug');
  if (env.TZ_BUSINESS && env.TZ_BUSINESS !== 'Asia/Shanghai')
    throw new Error('TZ_BUSINESS: only Asia/Shanghai is supported');
  return {
    port,
    host,
    dataDir: path.resolve(env.DATA_DIR || './data'),
    databaseUrl: env.DATABASE_URL || undefined,
    databaseOwnerUrl: env.DATABASE_OWNER_URL || undefined,
    replicaUrl: env.DATABASE_REPLICA_URL || undefined,
    storageUrl: env.STORAGE_URL || undefined,
    adminPassword: env.ADMIN_PASSWORD || undefined,
    demoPassword: env.DEMO_PASSWORD || undefined,
    captcha: readCaptcha(env.CAPTCHA || 'image', host),
    demo,
    logLevel: logLevel as Config['logLevel'],
    casUrl: env.CAS_URL || undefined,
    casService: env.CAS_SERVICE || undefined,
    metricsToken: env.METRICS_TOKEN || undefined,
  };
}

/** The installation's own secret: 32 random bytes, made at first start and kept in the data folder. */
export function readSecretKey(dataDir: string): Buffer {
  const folder = path.join(dataDir, 'keys');
  const file = path.join(folder, 'secret.key');
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    // "wx" lets exactly one of two first starters write it.
    fs.writeFileSync(file, randomBytes(32), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = fs.readFileSync(file);
  if (key.length !== 32)
    throw new Error('keys/secret.key in the data folder is damaged: it must hold 32 bytes');
  return key;
}

function readCaptcha(text: string, host: string): Config['captcha'] {
  if (text === 'image') return 'image';
  const match = /^fixed:([A-Za-z0-9]{4})$/.exec(text);
  if (!match) throw new Error('CAPTCHA must be image or fixed:XXXX');
  if (!LOOPBACK.test(host))
    throw new Error('CAPTCHA=fixed is accepted only while HOST is a loopback address');
  return { fixed: match[1]! };
}
