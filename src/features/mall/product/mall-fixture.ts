import { randomUUID } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../../../app/server/app.ts';
import { createPlatform, type OpenPlatform } from '../../../app/server/create-platform.ts';
import type { Caller, MenuScope } from '../../../kernel/server/people/caller.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { loggedOut } from '../../../kernel/server/http/errors.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { cloneDatabase } from '../../../testing/test-database.ts';

/** An answer of the application. */
export interface Answer {
  readonly http: number;
  readonly status: number;
  readonly message: string;
  // Tests read whatever comes.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly data: any;
}

/** A small mall with its own database: two merchants, two projects, one member; callers are made as tests need them. */
export interface Mall {
  readonly app: FastifyInstance;
  readonly platform: OpenPlatform;
  readonly ids: {
    merchantA: number;
    merchantB: number;
    north: number;
    south: number;
    business: number;
    otherBusiness: number;
    member: number;
  };
  /** Ids of two classes of the business, parent first, and one more parent. */
  readonly classes: readonly [parent: number, child: number, other: number];
  staff(name: string, tenantId: number): Promise<number>;
  call(
    caller: Caller,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<Answer>;
  picture(): Promise<string>;
  close(): Promise<void>;
}

/** A caller that holds the menus with everything below them, and the named elements. */
export function callerOf(
  more: Partial<Caller> & { readonly staffId: number; readonly tenantId: number },
  menus: readonly string[],
  elements: readonly string[] = [],
): Caller {
  const all: readonly MenuScope[] = [{ kind: 'all' }];
  return {
    sessionId: 1,
    account: `s${more.staffId}`,
    name: `staff ${more.staffId}`,
    tenantKind: 3,
    departmentId: null,
    projectIds: null,
    menus: new Map(menus.map((menu) => [menu, all])),
    elements: new Set(elements),
    mustChangePassword: false,
    locked: false,
    epoch: '1',
    ...more,
  };
}

/** Opens a mall that serves the given services. */
export async function openMall(registrations: readonly Registration[]): Promise<Mall> {
  const database = await cloneDatabase();
  const log = { info: () => {}, warn: () => {}, error: (...args: unknown[]) => console.error(...args) };
  const platform = createPlatform({
    database: database.app,
    registrations,
    log,
    poolSize: 6,
    config: {
      dataDir: path.join(os.tmpdir(), `mall-${process.pid}`),
      storageUrl: undefined,
      secretKey: Buffer.alloc(32, 7),
      build: 'test',
    },
  });
  const callers = new Map<string, Caller>();
  const app = await buildApp({
    platform,
    authenticator: {
      authenticate: async (authorization) => {
        const caller = callers.get(authorization ?? '');
        if (!caller) throw loggedOut();
        return caller;
      },
    },
  });
  const db = platform.database.db;
  const one = async (sql: string, values: readonly unknown[] = []) =>
    (await runOne<{ id: number }>(db, sql, values))!.id;
  const company = await one(
    `INSERT INTO organisation (kind, code, name) VALUES ('centre_city', 'C1', 'centre') RETURNING id`,
  );
  const unit = await one(
    `INSERT INTO organisation (kind, code, name, parent_id) VALUES ('management_unit', 'U1', 'unit', $1) RETURNING id`,
    [company],
  );
  const project = (code: string) =>
    one(`INSERT INTO project (code, name, unit_id, centre_id) VALUES ($1, $2, $3, $4) RETURNING id`, [
      code,
      `project ${code}`,
      unit,
      company,
    ]);
  const [north, south] = [await project('P1'), await project('P2')];
  const merchant = (account: string) =>
    one(`INSERT INTO tenant (kind, account, name) VALUES (2, $1, $2) RETURNING id`, [
      account,
      `merchant ${account}`,
    ]);
  const [merchantA, merchantB] = [await merchant('MA'), await merchant('MB')];
  const business = await one(`SELECT id FROM business WHERE code = 'goods'`);
  const otherBusiness = await one(`SELECT id FROM business WHERE code = 'rush'`);
  for (const tenant of [merchantA, merchantB]) {
    await run(db, 'INSERT INTO tenant_business VALUES ($1, $2)', [tenant, business]);
    await run(db, 'INSERT INTO tenant_project VALUES ($1, $2), ($1, $3)', [tenant, north, south]);
  }
  await run(db, 'DELETE FROM tenant_project WHERE tenant_id = $1 AND project_id = $2', [merchantB, south]);
  const member = await one(`INSERT INTO member (name, phone) VALUES ('member', '13800000000') RETURNING id`);
  const child = (await runOne<{ id: number; parent_id: number }>(
    db,
    'SELECT id, parent_id FROM product_class WHERE business_id = $1 AND parent_id IS NOT NULL ORDER BY id LIMIT 1',
    [business],
  ))!;
  const other = await one(
    'SELECT id FROM product_class WHERE business_id = $1 AND parent_id IS NULL AND id <> $2 ORDER BY id LIMIT 1',
    [business, child.parent_id],
  );
  return {
    app,
    platform,
    ids: { merchantA, merchantB, north, south, business, otherBusiness, member },
    classes: [child.parent_id, child.id, other],
    staff: (name, tenantId) =>
      one(`INSERT INTO staff (tenant_id, account, name) VALUES ($1, $2, $2) RETURNING id`, [tenantId, name]),
    picture: async () => {
      const id = randomUUID();
      await run(
        db,
        `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access) VALUES ($1::uuid, 'a.png', 'image/png', 1, '\\x00', $1::uuid::text, 'picture')`,
        [id],
      );
      return id;
    },
    call: async (caller, method, path, body) => {
      const token = `Bearer ${caller.staffId}:${caller.epoch}:${[...caller.elements].length}:${caller.tenantId}:${caller.projectIds?.join('-') ?? ''}:${[...caller.menus.keys()].join('-')}`;
      callers.set(token, caller);
      const response = await app.inject({
        method,
        url: `/api${path}`,
        headers: {
          authorization: token,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      });
      const json = response.json() as Omit<Answer, 'http'>;
      return { http: response.statusCode, ...json };
    },
    close: async () => {
      await app.close();
      await platform.close();
      await database.drop();
    },
  };
}
