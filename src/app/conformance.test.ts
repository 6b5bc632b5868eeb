import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fieldsOf, type Resource } from '../kernel/contract/resource.ts';
import { run } from '../kernel/server/database.ts';
import { makeRoles, type TestRole } from '../testing/roles.ts';
import { startTestProduct, type TestProduct } from '../testing/test-product.ts';
import { registrations } from './registry/registrations.gen.ts';

/** One resource alone is looked at: `npm run screen -- NAME`. */
const { SCREEN } = process.env;

/** Every registered resource must behave alike: these are the rules of the engine, proven over the registry. */
const resources = registrations
  .flatMap((service) => (service.contract?.archetype === 'resource' ? [service.contract] : []))
  .filter((resource) => !SCREEN || resource.name === SCREEN);
const endpoints = registrations.flatMap((service) => service.endpoints);
const rootOf = (resource: Resource) => `/api${resource.base ?? '/jinmao/web'}/${resource.name}`;

let product: TestProduct;
let roles: TestRole[];
let admin: string;
const tokens = new Map<string, string>();

beforeAll(async () => {
  product = await startTestProduct();
  roles = await makeRoles(product.platform.database.db);
  admin = await product.signIn('admin');
  for (const role of roles) tokens.set(role.account, await product.signIn(role.account));
});
afterAll(() => product?.close());

async function get(path: string, authorization: string | undefined, language = 'zh') {
  const answer = await product.app.inject({
    method: 'GET',
    url: path,
    headers: { ...(authorization ? { authorization } : {}), 'accept-language': language },
  });
  return {
    http: answer.statusCode,
    body: answer.json() as { status: number; message: string; data: never },
    headers: answer.headers,
  };
}

async function send(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  authorization: string | undefined,
  payload: object = {},
) {
  const answer = await product.app.inject({
    method,
    url: path,
    payload,
    headers: authorization ? { authorization } : {},
  });
  return { http: answer.statusCode, body: answer.json() as { status: number; message: string; data: never } };
}

test.skipIf(SCREEN)('the registry holds the screens of this release', () => {
  expect(resources.length).toBeGreaterThanOrEqual(3);
  expect(endpoints.length).toBeGreaterThan(60);
});

describe.skipIf(SCREEN)('every endpoint', () => {
  test('answers 401 without a token unless it is on the public list', async () => {
    let looked = 0;
    for (const one of endpoints) {
      if (one.access === 'public') continue;
      const path = `/api${one.path.replace(/[:{]\w+\}?/g, '1')}`;
      const answer =
        one.method === 'GET' ? await get(path, undefined) : await send(one.method, path, undefined);
      expect([one.method, path, answer.http, answer.body.status]).toEqual([one.method, path, 401, 40101]);
      looked++;
    }
    expect(looked).toBeGreaterThan(50);
  });

  test('answers 403 to a staff without the grant', async () => {
    let looked = 0;
    for (const one of endpoints) {
      if (typeof one.access === 'string') continue;
      const path = `/api${one.path.replace(/[:{]\w+\}?/g, '1')}`;
      const token = tokens.get('role_nobody');
      const answer = one.method === 'GET' ? await get(path, token) : await send(one.method, path, token);
      expect([one.method, path, answer.http]).toEqual([one.method, path, 403]);
      looked++;
    }
    expect(looked).toBeGreaterThan(30);
  });

  test('is described in OpenAPI exactly for those who may call it', async () => {
    const everything = (await get('/api/docs/json', admin)).body as unknown as {
      paths: Record<string, object>;
    };
    const nothing = (await get('/api/docs/json', tokens.get('role_nobody'))).body as unknown as {
      paths: Record<string, object>;
    };
    for (const one of endpoints) {
      const path = `/api${one.path.replace(/:(\w+)/g, '{$1}')}`;
      expect(everything.paths[path], path).toHaveProperty(one.method.toLowerCase());
      if (typeof one.access !== 'string')
        expect(nothing.paths[path]?.[one.method.toLowerCase() as never], path).toBeUndefined();
    }
  });
});

describe.each(resources.map((resource) => [resource.name, resource] as const))('%s', (_name, resource) => {
  const root = rootOf(resource);

  test('pages, counts and bounds', async () => {
    const page = (await get(`${root}/page?page=1&limit=5`, admin)).body.data as {
      total: number;
      rows: { id: string; actions: string[] }[];
    };
    expect(page.rows.length).toBeLessThanOrEqual(5);
    expect(page.total).toBeGreaterThanOrEqual(page.rows.length);
    for (const [bad, field] of [
      ['limit=0', 'limit'],
      ['limit=201', 'limit'],
      ['page=0', 'page'],
      ['page=x', 'page'],
      ['sort=nope', 'sort'],
      ['sort=__proto__', 'sort'],
      ['constructor=1', 'constructor'],
      ['nope=1', 'nope'],
      ['tab=nope', 'tab'],
      ['cursor=%00x', ''],
    ] as const) {
      const answer = await get(`${root}/page?${bad}`, admin);
      expect([bad, answer.http]).toEqual([bad, 422]);
      if (field) expect(Object.keys((answer.body.data as { fields: object }).fields)).toContain(field);
    }
    const counts = (await get(`${root}/counts`, admin)).body.data as Record<string, number>;
    for (const tab of resource.list.tabs ?? []) {
      const one = (await get(`${root}/page?tab=${tab.key}&limit=1`, admin)).body.data as { total: number };
      expect([tab.key, counts[tab.key]]).toEqual([tab.key, one.total]);
    }
  });

  test('runs every filter and sort, in both directions, and pages by cursor without doubles', async () => {
    for (const [name, field] of Object.entries(fieldsOf(resource))) {
      if (field.search) {
        const value = sampleFilter(field.kind, field.search, Object.keys(field.choices ?? {})[0]);
        const answer = await get(`${root}/page?${name}=${encodeURIComponent(value)}`, admin);
        // A field with a form of its own (an address) and a range that may span some days only may refuse the sample, but never fail.
        const mayRefuse = field.kind === 'text' || answer.body.message.includes('时间范围最多');
        expect([name, value, answer.http === 200 || (answer.http === 422 && mayRefuse)]).toEqual([
          name,
          value,
          true,
        ]);
      }
      if (!field.sortable) continue;
      for (const sort of [name, `-${name}`]) {
        const first = (await get(`${root}/page?limit=7&sort=${sort}`, admin)).body.data as {
          rows: { id: string }[];
          nextCursor?: string;
        };
        const byPage = (await get(`${root}/page?limit=7&page=2&sort=${sort}`, admin)).body.data as {
          rows: { id: string }[];
        };
        if (!first.nextCursor || byPage.rows.length === 0) continue;
        const byCursor = await get(`${root}/page?limit=7&sort=${sort}&cursor=${first.nextCursor}`, admin);
        expect([sort, byCursor.http]).toEqual([sort, 200]);
        const ids = new Set(first.rows.map((row) => row.id));
        for (const row of (byCursor.body.data as { rows: { id: string }[] }).rows)
          expect(ids.has(row.id)).toBe(false);
      }
    }
    const keyword = await get(`${root}/page?searchVal=${encodeURIComponent("大米%_'")}`, admin);
    expect(keyword.http).toBe(200);
  });

  test('never sends a masked field raw, and neither filters nor sorts by parts of it', async () => {
    const masked = Object.entries(fieldsOf(resource)).filter(([, field]) => field.mask);
    const { rows } = (await get(`${root}/page?limit=50`, admin)).body.data as {
      rows: Record<string, unknown>[];
    };
    for (const [name, field] of masked) {
      expect(field.sortable, name).toBeFalsy();
      for (const row of rows)
        if (typeof row[name] === 'string' && row[name] !== '') expect(String(row[name])).toContain('*');
    }
    if (masked.length > 0 && rows[0]) expect(rows[0].encryptionField).toBeTypeOf('string');
  });

  test('detail and timeline exist for a listed row; what is no row answers 404', async () => {
    const { rows } = (await get(`${root}/page?limit=1`, admin)).body.data as { rows: { id: string }[] };
    if (rows[0]) {
      expect((await get(`${root}/${rows[0].id}`, admin)).http).toBe(200);
      expect((await get(`${root}/${rows[0].id}/timeline`, admin)).http).toBe(200);
    }
    for (const bad of ['999999999999', 'abc', '1%27', '-1', '99999999999999999999999'])
      expect([bad, (await get(`${root}/${bad}`, admin)).http]).toEqual([bad, 404]);
  });

  test('every label exists in both languages', () => {
    const labels = [
      resource.title,
      ...Object.values(fieldsOf(resource)).flatMap((field) => [
        field.label,
        ...Object.values(field.choices ?? {}).map((choice) => choice.label),
      ]),
      ...Object.values(resource.actions ?? {}).map((action) => action.label),
      ...(resource.list.tabs ?? []).map((tab) => tab.label),
    ];
    for (const [zh, en] of labels) {
      expect(zh).not.toBe('');
      expect(en).toMatch(/[A-Za-z0-9]/);
      expect(en, zh).not.toMatch(/[\u4e00-\u9fff]/);
    }
  });

  test('an action in a state that does not allow it is refused with 30101 and changes nothing', async () => {
    let looked = 0;
    const actions = Object.entries(resource.actions ?? {}).filter(
      ([name, action]) =>
        action.from &&
        (action.on === 'row' || action.on === 'rowAndBulk') &&
        !['create', 'update', 'remove'].includes(name),
    );
    for (const state of actions.length > 0 ? Object.keys(resource.states ?? {}) : []) {
      const refused = actions.filter(([, action]) => !action.from!.includes(state));
      if (refused.length === 0) continue;
      const { rows } = (await get(`${root}/page?limit=1&state=${state}`, admin)).body.data as {
        rows: { id: string; version: number; actions: string[] }[];
      };
      const row = rows[0];
      if (!row) continue;
      for (const [name] of refused) {
        expect(row.actions).not.toContain(name);
        const answer = await send('POST', `${root}/${row.id}/${name}`, admin, {});
        expect([name, state, answer.http, answer.body.status]).toEqual([name, state, 409, 30101]);
        looked++;
      }
      // The version only ever grows: the row is what it was before all of them.
      const after = (await get(`${root}/${row.id}`, admin)).body.data as { version: number };
      expect([state, after.version]).toEqual([state, row.version]);
    }
    // Only rows that exist can be looked at: the demonstration set leaves a few lists empty.
    const { total } = (await get(`${root}/page?limit=1`, admin)).body.data as { total: number };
    // States may be for the product's own actions alone, which nobody can call.
    const asked = Object.entries(resource.actions ?? {}).some(
      ([name, action]) =>
        action.from && action.on !== 'system' && !['create', 'update', 'remove'].includes(name),
    );
    if (total > 0 && asked && resource.states) expect(looked).toBeGreaterThan(0);
  });

  test('hostile bodies are refused, never a 5xx, and leave no audit record', async () => {
    const before = await auditCount();
    const deep = Array.from({ length: 12 }).reduce<unknown>((inner) => ({ a: inner }), 1);
    const bodies: unknown[] = [
      [],
      'text',
      1,
      null,
      { __proto__: { a: 1 }, constructor: 1 },
      { id: '1', status: 'x', tenantId: '2', version: -1 },
      deep,
    ];
    for (const one of endpoints) {
      const own = one.path === root.slice(4) || one.path.startsWith(`${root.slice(4)}/`);
      if (one.method === 'GET' || !own || one.path.endsWith('/export')) continue;
      const path = `/api${one.path.replace(/[:{]\w+\}?/g, '999999999')}`;
      for (const body of bodies) {
        const answer = await product.app.inject({
          method: one.method,
          url: path,
          payload: JSON.stringify(body),
          headers: { authorization: admin, 'content-type': 'application/json' },
        });
        expect([
          one.method,
          path,
          JSON.stringify(body),
          answer.statusCode < 500 && answer.statusCode >= 400,
        ]).toEqual([one.method, path, JSON.stringify(body), true]);
      }
      for (const raw of ['{"a":"\\u0000"}', '{"a":"\\ud800"}', '{bad', ''])
        expect(
          (
            await product.app.inject({
              method: one.method,
              url: path,
              payload: raw,
              headers: { authorization: admin, 'content-type': 'application/json' },
            })
          ).statusCode,
        ).toBeLessThan(500);
      expect(
        (
          await product.app.inject({
            method: one.method,
            url: path,
            payload: '<a/>',
            headers: { authorization: admin, 'content-type': 'application/xml' },
          })
        ).statusCode,
      ).toBe(422);
      const large = await product.app.inject({
        method: one.method,
        url: path,
        payload: LARGE,
        headers: { authorization: admin, 'content-type': 'application/json' },
      });
      expect(large.statusCode).toBe(413);
    }
    expect(await auditCount()).toBe(before);
  });
});

/** More than any body may hold. */
const LARGE = JSON.stringify({ a: 'x'.repeat(1_100_000) });

async function auditCount(): Promise<number> {
  return (
    await run<{ n: number }>(product.platform.database.db, 'SELECT count(*) AS n FROM audit_record')
  )[0]!.n;
}

function sampleFilter(kind: string, search: string, choice: string | undefined): string {
  if (search === 'range')
    return kind === 'instant' || kind === 'date'
      ? '2026-01-01~2026-12-31'
      : kind === 'money'
        ? '1.00~200.00'
        : '1~5';
  if (kind === 'boolean') return 'true';
  if (kind === 'choice') return choice!;
  if (kind === 'ref' || kind === 'refs' || kind === 'treeRef' || kind === 'integer') return '1';
  return '测试';
}
