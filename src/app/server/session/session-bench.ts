import { constants, createPublicKey, publicEncrypt } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import pg from 'pg';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { hashPassword } from '../../../kernel/server/people/password-hash.ts';
import { defineRegistration, endpoint, type Registration } from '../../../kernel/server/registration.ts';
import { endSessions } from '../../../kernel/server/people/session-changes.ts';
import { cloneDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import type { SignInConfig } from '../../../features/frame/sign-in/sign-in-config.server.ts';
import { registration as authorizeService } from '../../../features/frame/sign-in/authorize.server.ts';
import { registration as frontService } from '../../../features/frame/sign-in/front.server.ts';
import { registration as lockService } from '../../../features/frame/sign-in/lock.server.ts';
import { registration as passwordService } from '../../../features/frame/sign-in/password.server.ts';
import { registration as signInService } from '../../../features/frame/sign-in/sign-in.server.ts';
import { stopSignIns } from '../../../features/frame/sign-in/whitelist.server.ts';
import { registration as verificationService } from '../../../features/frame/sign-in/verification.server.ts';
import { registration as preferenceService } from '../../../features/frame/profile/preference.server.ts';
import { registration as profileService } from '../../../features/frame/profile/profile.server.ts';
import { buildApp } from '../app.ts';
import { createPlatform, type OpenPlatform } from '../create-platform.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { syncMenus } from './sync-menus.ts';

/** One running server of a bench. */
export interface Instance {
  readonly platform: OpenPlatform;
  readonly sessions: Sessions;
  readonly app: FastifyInstance;
  close(): Promise<void>;
}

/** A database with the sign-in services on top, for the tests of this folder and of the sign-in feature. */
export interface Bench {
  readonly database: TestDatabase;
  readonly first: Instance;
  /** Another server over the same database and data folder. */
  start(options?: InstanceOptions): Promise<Instance>;
  query<T>(text: string, values?: readonly unknown[]): Promise<T[]>;
  close(): Promise<void>;
}

/** How an instance differs from the usual one. */
export interface InstanceOptions {
  readonly signIn?: SignInConfig;
  readonly listen?: boolean;
  readonly trustedProxies?: readonly string[];
}

/** A good password of the bench's staff. */
export const PASSWORD = 'Xk7#mQ2vLp9!';
/** The client credential of the page. */
export const WEB = `Basic ${Buffer.from('web:web').toString('base64')}`;

/** A service that makes two pages real and answers how far a caller gets. */
export const probe: Registration = defineRegistration({
  menus: ['cs_workOrder', 'cs_pronotice', 'or_ProOperIndex', 'ProOperDetail'],
  elements: {
    'cs_workOrder:btn_export': ['导出', 'Export'],
    'cs_workOrder:btn_add': ['新增', 'Add'],
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/probe/order',
      title: ['工单', 'Orders'],
      access: { code: 'cs_workOrder' },
      handle: async () => 'order',
    }),
    endpoint({
      method: 'POST',
      path: '/probe/export',
      title: ['导出', 'Export'],
      access: { code: 'cs_workOrder:btn_export' },
      handle: async () => 'exported',
    }),
    endpoint({
      method: 'GET',
      path: '/probe/caller',
      title: ['本人', 'Caller'],
      access: 'staff',
      handle: async ({ caller, facts }) => ({
        scope: caller.menus.get('cs_workOrder') ?? null,
        notices: caller.menus.get('cs_pronotice') ?? null,
        menus: [...caller.menus.keys()].sort(),
        elements: [...caller.elements].sort(),
        projectIds: caller.projectIds,
        address: facts.address,
      }),
    }),
  ],
});

const SERVICES: readonly Registration[] = [
  signInService,
  authorizeService,
  verificationService,
  passwordService,
  lockService,
  frontService,
  profileService,
  preferenceService,
  probe,
];

/** Clones a database, synchronises the menus of the probe and starts one server with the fixed code 1234. */
export async function openBench(): Promise<Bench> {
  const database = await cloneDatabase();
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'session-bench-'));
  const instances: Instance[] = [];
  const start = async (options: InstanceOptions = {}): Promise<Instance> => {
    const log = { info: () => {}, warn: () => {}, error: (data: unknown) => console.error(data) };
    const platform = createPlatform({
      database: database.app,
      registrations: SERVICES,
      config: {
        dataDir,
        storageUrl: undefined,
        secretKey: Buffer.alloc(32, 7),
        build: 'test',
        signIn: options.signIn ?? { captcha: { fixed: '1234' } },
      },
      log,
      poolSize: 6,
    });
    const sessions = createSessions(platform, { listen: options.listen ?? true });
    const app = await buildApp({
      platform,
      authenticator: sessions,
      ...(options.trustedProxies ? { trustedProxies: options.trustedProxies } : {}),
    });
    let isOpen = true;
    const instance: Instance = {
      platform,
      sessions,
      app,
      close: async () => {
        if (!isOpen) return;
        isOpen = false;
        await app.close();
        await sessions.close();
        await platform.close();
      },
    };
    instances.push(instance);
    return instance;
  };
  const first = await start();
  await syncMenus(first.platform.database.db, SERVICES);
  return {
    database,
    first,
    start,
    query: (text, values = []) => run(first.platform.database.db, text, values),
    close: async () => {
      for (const instance of [...instances].reverse()) await instance.close();
      await database.drop();
      fs.rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** What a bench staff may be given. */
export interface StaffOptions {
  readonly account: string;
  readonly tenantId?: number;
  readonly departmentId?: number;
  readonly allProjects?: boolean;
  readonly mustChange?: boolean;
  readonly phone?: string;
  readonly sso?: string;
  readonly groupIds?: readonly number[];
}

let hash: Promise<string> | undefined;

/** Adds a staff with the bench's password; returns its id. */
export async function addStaff(bench: Bench, options: StaffOptions): Promise<number> {
  hash ??= hashPassword(PASSWORD);
  const db = bench.first.platform.database.db;
  const row = await runOne<{ id: number }>(
    db,
    `INSERT INTO staff (tenant_id, department_id, account, name, phone, sso_account, all_projects, must_change_password, password_hash)
     VALUES (coalesce($1, (SELECT id FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1)), $2, $3, $3, $4, $5, $6, $7, $8) RETURNING id`,
    [
      options.tenantId ?? null,
      options.departmentId ?? null,
      options.account,
      options.phone ?? null,
      options.sso ?? null,
      options.allProjects ?? true,
      options.mustChange ?? false,
      await hash,
    ],
  );
  for (const groupId of options.groupIds ?? [])
    await run(db, 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [groupId, row!.id]);
  return row!.id;
}

/** What a bench group grants and how it hangs. */
export interface GroupOptions {
  readonly menus?: Readonly<Record<string, 'all' | 'dept_tree' | 'dept' | 'self'>>;
  readonly elements?: readonly string[];
  readonly type?: 'role' | 'depart' | 'free';
  readonly parentId?: number;
  readonly inherit?: boolean;
  readonly departmentId?: number;
}

/** Adds a group with grants; returns its id. */
export async function addGroup(bench: Bench, code: string, options: GroupOptions): Promise<number> {
  const [row] = await bench.query<{ id: number }>(
    `INSERT INTO permission_group (type_id, tenant_id, parent_id, department_id, code, name, inherit)
     VALUES ((SELECT id FROM group_type WHERE code = $1), (SELECT id FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1), $2, $3, $4, $4, $5) RETURNING id`,
    [
      options.type ?? 'role',
      options.parentId ?? null,
      options.departmentId ?? null,
      code,
      options.inherit ?? false,
    ],
  );
  for (const [menu, scope] of Object.entries(options.menus ?? {}))
    await bench.query('INSERT INTO menu_grant (group_id, menu_code, data_scope) VALUES ($1, $2, $3)', [
      row!.id,
      menu,
      scope,
    ]);
  for (const element of options.elements ?? [])
    await bench.query('INSERT INTO element_grant (group_id, element_code) VALUES ($1, $2)', [
      row!.id,
      element,
    ]);
  return row!.id;
}

/** Runs `work` while every session takes this long from the checks before it until it is there. */
export async function whileSessionsOpenSlowly<T>(
  bench: Bench,
  seconds: number,
  work: () => Promise<T>,
): Promise<T> {
  const owner = new pg.Client(bench.database.owner);
  await owner.connect();
  try {
    await owner.query(
      `CREATE FUNCTION open_slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(${seconds}); RETURN NEW; END $$;
       CREATE TRIGGER open_slowly BEFORE INSERT ON session FOR EACH ROW EXECUTE FUNCTION open_slowly()`,
    );
    return await work();
  } finally {
    await owner.query('DROP TRIGGER open_slowly ON session; DROP FUNCTION open_slowly()');
    await owner.end();
  }
}

/** Ends all sessions of a staff as a whitelist rule does that no longer lets it in. */
export async function endByRule(bench: Bench, staffId: number): Promise<void> {
  await transaction(bench.first.platform.database.db, async (tx) => {
    await stopSignIns(tx);
    const live = await run<{ id: number }>(
      tx,
      'SELECT id FROM session WHERE staff_id = $1 AND ended_at IS NULL',
      [staffId],
    );
    await endSessions(tx, { sessionId: live.map((session) => session.id) }, 'whitelist');
  });
}

/** Encrypts under the instance's public key as the page does. */
export async function encrypt(app: FastifyInstance, password: string): Promise<string> {
  const answer = await app.inject({ url: '/api/auth/authLogin/publicKey' });
  const { data } = answer.json<{ data: { key: string } }>();
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  return publicEncrypt(
    { key: createPublicKey(data.key), padding, oaepHash: 'sha256' },
    Buffer.from(password),
  ).toString('base64');
}

/** What a token request of the bench may change. */
export interface TokenRequest {
  readonly username: string;
  readonly password?: string;
  readonly code?: string;
  readonly cookie?: string;
  readonly address?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks for a token as the page does. */
export async function askToken(app: FastifyInstance, request: TokenRequest): Promise<LightMyRequestResponse> {
  const form = new URLSearchParams({
    username: request.username,
    password: await encrypt(app, request.password ?? PASSWORD),
    grant_type: 'password',
    code: request.code ?? '1234',
  });
  return await app.inject({
    method: 'POST',
    url: '/api/auth/oauth/token',
    payload: form.toString(),
    remoteAddress: request.address ?? '127.0.0.1',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: WEB,
      ...(request.cookie ? { cookie: request.cookie } : {}),
      ...request.headers,
    },
  });
}

/** Signs in and returns the token; throws with the answer when it fails. */
export async function signIn(app: FastifyInstance, username: string, password?: string): Promise<string> {
  const answer = await askToken(app, password === undefined ? { username } : { username, password });
  const { access_token } = answer.json<{ access_token?: string }>();
  if (!access_token) throw new Error(`no token: ${answer.statusCode} ${answer.body}`);
  return access_token;
}

/** Calls with a token. */
export async function callWith(
  app: FastifyInstance,
  token: string,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  payload?: object,
): Promise<LightMyRequestResponse> {
  return await app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${token}` },
    ...(payload ? { payload } : {}),
  });
}
