import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { demos } from '../app/registry/demos.gen.ts';
import { registrations } from '../app/registry/registrations.gen.ts';
import { buildApp } from '../app/server/app.ts';
import { createPlatform, type OpenPlatform } from '../app/server/create-platform.ts';
import { readSecretKey } from '../app/server/config.ts';
import { runDemos } from '../app/server/run-demos.ts';
import { seedDemo } from '../app/server/seed-demo/seed-demo.ts';
import { ensureFirstAdministrator } from '../app/server/session/first-administrator.ts';
import { callerLoader } from '../domain/permission/load-caller.server.ts';
import { createSessions, type Sessions } from '../app/server/session/sessions.ts';
import { syncMenus } from '../app/server/session/sync-menus.ts';
import { openSession } from '../features/frame/sign-in/open-session.server.ts';
import type { Caller } from '../kernel/server/people/caller.ts';
import { openDatabase, run, runOne } from '../kernel/server/database.ts';
import { declaredJobs } from '../kernel/server/tasks/kernel-jobs.ts';
import { syncJobs } from '../kernel/server/tasks/job-schedule.ts';
import { clonePrepared, type TestDatabase } from './test-database.ts';

/** Password of the first account in tests. */
export const PASSWORD = 'Xk7#mQ2vLp9!';

/** The whole product on a database of its own, without sockets: calls go through `inject`. */
export interface TestProduct {
  readonly app: FastifyInstance;
  readonly platform: OpenPlatform;
  readonly sessions: Sessions;
  readonly database: TestDatabase;
  /** Signs a staff in without password and returns the Authorization value. */
  signIn(account: string): Promise<string>;
  /** Calls a path below `/api` with an Authorization value; `text` is the answer as it came. */
  call(
    token: string,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<TestAnswer>;
  /** Another server over the same database and data folder, with pool, caches and listeners of its own. */
  another(): Promise<TestInstance>;
  /** The caller of a staff as the worker would load it. */
  caller(account: string): Promise<Caller>;
  close(): Promise<void>;
}

/** An answer of the product: HTTP status, envelope and text. */
export interface TestAnswer {
  readonly http: number;
  readonly text: string;
  readonly status: number;
  readonly message: string;
  // Tests know what they asked for.
  readonly data: any;
}

/** One more server of a product. */
export interface TestInstance {
  readonly app: FastifyInstance;
  readonly platform: OpenPlatform;
  readonly sessions: Sessions;
  close(): Promise<void>;
}

/** Starts the product on a clone of the template, with menus, first administrator and (by default) demonstration data. */
export async function startTestProduct(options: { readonly demo?: boolean } = {}): Promise<TestProduct> {
  const database = await (options.demo === false
    ? clonePrepared('test_product', fillWithProduct)
    : clonePrepared('test_demo', fillWithDemo));
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'product-'));
  const log = {
    info: () => {},
    warn: () => {},
    error: (data: object | string) => console.error(JSON.stringify(data)),
  };
  const open = (): OpenPlatform =>
    createPlatform({
      database: database.app,
      // A copy: a test may declare more for its own product, and no other file of the worker sees it.
      registrations: [...registrations],
      config: {
        dataDir,
        storageUrl: undefined,
        secretKey: readSecretKey(dataDir),
        build: 'test',
        signIn: { captcha: { fixed: '1234' } },
      },
      log,
      poolSize: 10,
    });
  const platform = open();
  const { app, sessions, close } = await serve(platform);
  const load = callerLoader(platform.database.db);
  const idOf = async (account: string): Promise<number> => {
    const row = await runOne<{ id: number }>(
      platform.database.db,
      'SELECT id FROM staff WHERE account = $1',
      [account],
    );
    if (!row) throw new Error(`no staff ${account}`);
    return row.id;
  };
  return {
    app,
    platform,
    sessions,
    database,
    signIn: async (account) => {
      const staffId = await idOf(account);
      await run(platform.database.db, 'UPDATE staff SET must_change_password = false WHERE id = $1', [
        staffId,
      ]);
      const token = await openSession(platform.database.db, {
        staffId,
        clientId: 'web',
        address: '127.0.0.1',
        userAgent: 'test',
        absoluteHours: 12,
      });
      return `Bearer ${token}`;
    },
    call: async (token, method, path, body) => {
      const answer = await app.inject({
        method,
        url: `/api${path}`,
        headers: { authorization: token },
        ...(body === undefined ? {} : { payload: body }),
      });
      return { http: answer.statusCode, text: answer.body, ...answer.json() };
    },
    another: () => serve(open()),
    caller: async (account) => {
      const caller = await load(await idOf(account));
      if (!caller) throw new Error(`staff ${account} cannot be loaded`);
      return caller;
    },
    close: async () => {
      await close();
      await database.drop();
      fs.rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function serve(platform: OpenPlatform): Promise<TestInstance> {
  const sessions = createSessions(platform);
  const app = await buildApp({ platform, authenticator: sessions });
  await app.ready();
  let isOpen = true;
  return {
    app,
    platform,
    sessions,
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      await app.close();
      await sessions.close();
      await platform.close();
    },
  };
}

/** Fills a template with what a start of the product writes: menus, jobs, calls of this release, first administrator. */
async function fillWithProduct(database: TestDatabase): Promise<void> {
  await startOnce(database, () => Promise.resolve());
}

/** The same with the demonstration set: data of today. */
async function fillWithDemo(database: TestDatabase): Promise<void> {
  await startOnce(database, async (platform) => {
    await seedDemo(platform.database.pool, { seed: 42 });
    await runDemos(platform, demos);
  });
}

async function startOnce(
  database: TestDatabase,
  seed: (platform: OpenPlatform) => Promise<void>,
): Promise<void> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'demo-'));
  const platform = createPlatform({
    database: database.app,
    registrations,
    config: { dataDir, storageUrl: undefined, secretKey: readSecretKey(dataDir), build: 'test' },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    poolSize: 4,
  });
  try {
    const { db } = platform.database;
    await syncMenus(db, registrations);
    await syncJobs(db, declaredJobs(registrations), { retire: true });
    await ensureFirstAdministrator(db, { password: PASSWORD });
    await seed(platform);
    await (await serve(platform)).close();
  } catch (error) {
    await platform.close();
    throw error;
  } finally {
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
  // Nobody does so later: the planner of a clone knows what it is asked about, and its pages are not written by the first reader.
  const owner = openDatabase(database.owner, 1);
  try {
    const client = await owner.pool.connect();
    await client.query('SET statement_timeout = 0');
    await client.query('VACUUM (FREEZE, ANALYZE)');
    client.release();
  } finally {
    await owner.close();
  }
}
