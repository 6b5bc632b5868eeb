import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../app/server/app.ts';
import { createPlatform, type OpenPlatform } from '../app/server/create-platform.ts';
import type { Caller } from '../kernel/server/people/caller.ts';
import { run, runOne } from '../kernel/server/database.ts';
import { loggedOut } from '../kernel/server/http/errors.ts';
import type { Registration } from '../kernel/server/registration.ts';
import { cloneDatabase, type TestDatabase } from './test-database.ts';

/** A platform over a database and a data folder of its own. `logged` collects what was written as error or warning. */
export interface TestPlatform {
  readonly platform: OpenPlatform;
  readonly database: TestDatabase;
  readonly logged: { level: string; data: unknown; message: string | undefined }[];
  close(): Promise<void>;
}

/** Callers of tests hold what they are made with; no group stands behind it. */
const callersOf = new WeakMap<OpenPlatform, Map<number, Caller>>();

/** Opens a platform with the given services; `settings` replace those of the configuration. */
export async function openTestPlatform(
  registrations: readonly Registration[],
  settings: { readonly storageUrl?: string } = {},
): Promise<TestPlatform> {
  const database = await cloneDatabase();
  const dataDir = await fs.mkdtemp(path.join(os.tmpdir(), 'kernel-test-'));
  const logged: TestPlatform['logged'] = [];
  const write = (level: string) => (data: unknown, message?: string) => {
    logged.push({ level, data, message });
  };
  const callers = new Map<number, Caller>();
  const platform = createPlatform({
    loadCaller: (staffId) => Promise.resolve(callers.get(staffId)),
    database: database.app,
    registrations,
    config: {
      dataDir,
      storageUrl: settings.storageUrl,
      secretKey: randomBytes(32),
      build: 'test',
      signIn: { captcha: 'image' },
    } as never,
    log: { info: () => {}, warn: write('warn'), error: write('error') },
  });
  callersOf.set(platform, callers);
  return {
    platform,
    database,
    logged,
    close: async () => {
      await platform.close();
      await database.drop();
      await fs.rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A caller with a staff row and a live session; `holds` are menu and element codes. */
export async function makeCaller(
  platform: OpenPlatform,
  account: string,
  codes: readonly string[] = [],
  tenantKind: Caller['tenantKind'] = 3,
): Promise<Caller> {
  const { db } = platform.database;
  const tenant = await runOne<{ id: number }>(
    db,
    `INSERT INTO tenant (kind, account, name) VALUES ($1, $2, $2) ON CONFLICT (account) DO UPDATE SET name = excluded.name RETURNING id`,
    [tenantKind, `tenant${tenantKind}`],
  );
  const staff = await runOne<{ id: number }>(
    db,
    `INSERT INTO staff (tenant_id, account, name, staff_no, must_change_password) VALUES ($1, $2, '王小明', $3, false) RETURNING id`,
    [tenant!.id, account, `E${randomBytes(3).toString('hex')}1234`],
  );
  return makeSession(platform, {
    sessionId: 0,
    staffId: staff!.id,
    account,
    name: '王小明',
    tenantId: tenant!.id,
    tenantKind,
    departmentId: null,
    projectIds: null,
    menus: new Map(codes.filter((code) => !code.includes(':')).map((code) => [code, [{ kind: 'all' }]])),
    elements: new Set(codes.filter((code) => code.includes(':'))),
    mustChangePassword: false,
    locked: false,
    epoch: '1',
  });
}

/** From now on the staff has these rights where they are looked up anew. */
export function knowCaller(platform: OpenPlatform, caller: Caller): void {
  callersOf.get(platform)?.set(caller.staffId, caller);
}

/** The same staff in another session. */
export async function makeSession(platform: OpenPlatform, caller: Caller): Promise<Caller> {
  const session = await runOne<{ id: number }>(
    platform.database.db,
    `INSERT INTO session (token_hash, staff_id, absolute_expires_at) VALUES ($1, $2, now() + interval '12 hours') RETURNING id`,
    [randomBytes(32), caller.staffId],
  );
  const known = { ...caller, sessionId: session!.id };
  knowCaller(platform, known);
  return known;
}

/** The HTTP application with callers known by the token `Bearer <session id>`. */
export async function openTestApp(
  platform: OpenPlatform,
  callers: () => readonly Caller[],
): Promise<FastifyInstance> {
  return buildApp({
    platform,
    serveClient: false,
    authenticator: {
      authenticate: async (authorization: string | undefined) => {
        const caller = callers().find((one) => authorization === `Bearer ${one.sessionId}`);
        if (!caller) throw loggedOut();
        return caller;
      },
    },
  } as never);
}

/** Waits until `look` gives something truthy; fails after the given milliseconds. */
export async function until<T>(look: () => Promise<T>, milliseconds = 15_000): Promise<NonNullable<T>> {
  const end = Date.now() + milliseconds;
  for (;;) {
    const value = await look();
    if (value) return value as NonNullable<T>;
    if (Date.now() > end) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

/** Rows of a query, for assertions. */
export async function rowsOf<T>(
  platform: OpenPlatform,
  text: string,
  values: readonly unknown[] = [],
): Promise<T[]> {
  return run<T>(platform.database.db, text, values);
}
