import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Field } from '../kernel/contract/fields.ts';
import { fieldsOf, type Resource } from '../kernel/contract/resource.ts';
import { run } from '../kernel/server/database.ts';
import { makeRoles } from '../testing/roles.ts';
import { startTestProduct, type TestProduct } from '../testing/test-product.ts';
import { registrations } from './registry/registrations.gen.ts';
import { Dice } from '../testing/oracle/world.ts';

/*
 * Requests generated from the description of the interface, as three kinds of staff get it: no 5xx, no answer outside its
 * schema, nothing slow, nothing changed by what was refused.
 */

const SEED = Number(process.env.SEED ?? 20_261_121);
/** Every call once and then this many more, of some callers: the same requests on every machine. */
const MORE_REQUESTS = 900;
const ROLES = ['role_platform', 'role_merchant', 'role_centre'];

/** Endless answers, calls that end the session of whoever tests, and those that switch other calls off. */
const SKIPPED =
  /\/notification\/stream$|\/session\/(lock|unlock)$|\/oauth\/(token|remove\/token)$|\/user\/changePassword$|\/apiCall\/[^/]+\/(off|limit)$/;
/** Refused calls that count on purpose: wrong passwords and codes. */
const COUNTS_REFUSALS = /\/auth\/|\/profile\/phoneCode$|\/user\/updateUserInfo$/;

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly additionalProperties?: Schema | boolean;
}

interface Described {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: { readonly 200: Answer; readonly default: { readonly $ref: string } };
}

interface Answer {
  readonly content: { readonly 'application/json': { readonly schema: Schema } };
}

let product: TestProduct;
const tokens = new Map<string, string>();
const ids: string[] = [];
const resources = new Map<string, Resource>(
  registrations.flatMap((service) =>
    service.contract?.archetype === 'resource'
      ? [
          [
            `/api${service.contract.base ?? '/jinmao/web'}/${service.contract.name}`,
            service.contract,
          ] as const,
        ]
      : [],
  ),
);

beforeAll(async () => {
  product = await startTestProduct();
  const { db } = product.platform.database;
  await makeRoles(db);
  for (const role of ROLES) tokens.set(role, await product.signIn(role));
  const noise = [
    'span',
    'session',
    'sign_in_attempt',
    'unknown_account',
    'captcha',
    'phone_verification',
    'idempotency_key',
    'whitelist_hit',
    'menu_visit',
    // Kept beside the money, when the channel has answered: an earlier call's may come now.
    'channel_call',
  ];
  await countWrites(noise);
  for (const table of [
    'refund',
    'sales_order',
    'product',
    'staff',
    'department',
    'permission_group',
    'project',
    'tenant',
    'station',
  ])
    for (const row of await run<{ id: number }>(db, `SELECT id FROM ${table} ORDER BY id % 7, id LIMIT 12`))
      ids.push(String(row.id));
}, 900_000);
afterAll(() => product?.close());

/**
 * Every row that is written in a table that counts leaves its table's name in `fuzz_write`, in the same transaction: what is
 * taken back takes its name with it. Reading that costs the same however many tables there are.
 */
async function countWrites(noise: readonly string[]): Promise<void> {
  const client = new pg.Client(product.database.owner);
  await client.connect();
  try {
    await client.query(`
      CREATE TABLE fuzz_write (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL);
      CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
        BEGIN
          INSERT INTO public.fuzz_write (name) VALUES (TG_TABLE_NAME);
          RETURN NULL;
        END $$;`);
    // Rows of partitions are noted by the trigger their table hands down.
    const { rows } = await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
          AND relname <> 'fuzz_write' AND relname <> ALL ($1)`,
      [noise],
    );
    expect(rows.length).toBeGreaterThan(100);
    for (const { name } of rows)
      await client.query(
        `CREATE TRIGGER fuzz AFTER INSERT OR UPDATE OR DELETE ON "${name}" FOR EACH ROW EXECUTE FUNCTION note_write()`,
      );
  } finally {
    await client.end();
  }
}

/** The last write that was committed so far. */
async function lastWrite(): Promise<number> {
  const [row] = await run<{ id: number }>(
    product.platform.database.db,
    'SELECT coalesce(max(id), 0) AS id FROM fuzz_write',
  );
  return row!.id;
}

const TEXTS = [
  '',
  ' ',
  '0',
  '-1',
  '1',
  '999999999999999999',
  '1e309',
  'NaN',
  'null',
  'true',
  '[]',
  '{}',
  '测试',
  '😀',
  '\u202e',
  "'",
  '"',
  '\\',
  '%',
  '_',
  '<b>',
  '=1+1',
  '../..',
  '2026-02-30',
  '2026-11-21',
  '2026-11-01~2026-11-21',
  '~',
  '13800000000',
  'x'.repeat(300),
  'constructor',
  '__proto__',
  '00000000-0000-4000-8000-000000000000',
];

/** A value of a schema; now and then something else. */
function valueOf(schema: Schema | undefined, dice: Dice, depth = 0): unknown {
  if (!schema || depth > 5 || dice.chance(0.12)) return anything(dice);
  if ('const' in schema) return schema.const;
  if (schema.enum) return dice.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return valueOf(dice.pick(choices), dice, depth + 1);
  const type = Array.isArray(schema.type)
    ? dice.pick(schema.type as string[])
    : (schema.type as string | undefined);
  switch (type) {
    case 'string':
      if (schema.pattern?.includes('\\d') || schema.pattern?.includes('0-9'))
        return dice.chance(0.8) ? dice.pick(ids) : dice.pick(TEXTS);
      return dice.chance(0.5) ? dice.pick(ids) : dice.pick(TEXTS);
    case 'integer':
    case 'number':
      return dice.chance(0.7)
        ? (schema.minimum ?? 0) + dice.upTo(Math.min(5, (schema.maximum ?? 5) - (schema.minimum ?? 0)) + 1)
        : dice.pick([0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e300]);
    case 'boolean':
      return dice.chance(0.5);
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: dice.upTo(4) }, () => valueOf(schema.items, dice, depth + 1));
    case 'object': {
      const value: Record<string, unknown> = {};
      for (const [name, one] of Object.entries(schema.properties ?? {}))
        if (schema.required?.includes(name) ? dice.chance(0.93) : dice.chance(0.5))
          value[name] = valueOf(one, dice, depth + 1);
      if (dice.chance(0.08)) value[dice.pick(TEXTS)] = anything(dice);
      return value;
    }
    default:
      return anything(dice);
  }
}

function anything(dice: Dice): unknown {
  return dice.pick<unknown>([null, true, 0, -1, 1.5, 1e300, [], {}, [[]], { a: { b: [] } }, ...TEXTS]);
}

/** A value a form would send for a field. */
function fieldValue(field: Field, dice: Dice): unknown {
  if (dice.chance(0.15)) return anything(dice);
  switch (field.kind) {
    case 'integer':
      return dice.upTo(50);
    case 'money':
      return `${dice.upTo(500)}.${dice.upTo(90) + 10}`;
    case 'boolean':
      return dice.chance(0.5);
    case 'choice':
      return dice.pick(Object.keys(field.choices ?? { x: 1 }));
    case 'ref':
    case 'treeRef':
      return dice.pick(ids);
    case 'refs':
      return dice.some(ids, dice.upTo(3));
    case 'date':
      return '2026-11-20';
    case 'instant':
      return '2026-11-20T08:00:00+08:00';
    case 'dateRange':
      return ['2026-11-01', '2026-11-20'];
    case 'phone':
      return `138${String(dice.upTo(100_000_000)).padStart(8, '0')}`;
    case 'tags':
    case 'images':
    case 'files':
    case 'lines':
      return [];
    default:
      return dice.chance(0.6) ? `测试${dice.upTo(1000)}` : dice.pick(TEXTS);
  }
}

/** The body of an engine call, which the description leaves open: fields of the form and inputs of the action. */
function engineBody(path: string, dice: Dice): unknown {
  const found = [...resources].find(([root]) => path === root || path.startsWith(`${root}/`));
  if (!found) return valueOf({ type: 'object' }, dice);
  const [root, resource] = found;
  const rest = path
    .slice(root.length)
    .split('/')
    .filter((part) => part !== '');
  if (rest[0] === 'export')
    return { query: dice.chance(0.7) ? {} : { [dice.pick(Object.keys(resource.fields))]: dice.pick(TEXTS) } };
  const action =
    resource.actions?.[(rest.at(-1) ?? 'create').replace(/^\{.*\}$/, 'update')] ?? resource.actions?.create;
  const inputs = action?.input ?? resource.fields;
  const body: Record<string, unknown> = dice.chance(0.7) ? { version: 1 + dice.upTo(3) } : {};
  for (const [name, field] of Object.entries(inputs))
    if (dice.chance(0.75)) body[name] = fieldValue(field as Field, dice);
  if (dice.chance(0.1)) body[dice.pick(TEXTS)] = anything(dice);
  return rest[0] === 'bulk' ? { ids: dice.some(ids, 1 + dice.upTo(4)), input: body } : body;
}

/** Query of a list or report, whose names the description leaves open too. */
function engineQuery(path: string, dice: Dice): Record<string, string> {
  const found = [...resources].find(([root]) => path === `${root}/page` || path === `${root}/counts`);
  const query: Record<string, string> = {};
  if (!found || dice.chance(0.3)) return query;
  const [, resource] = found;
  if (dice.chance(0.4)) query.limit = String(dice.pick([1, 5, 20, 200, 0, 201, -1]));
  if (dice.chance(0.3)) query.page = String(dice.pick([1, 2, 60, 1_000_000, 0]));
  if (dice.chance(0.3)) query.searchVal = dice.pick(TEXTS);
  if (dice.chance(0.3)) query.tab = dice.pick([...(resource.list.tabs ?? []).map((tab) => tab.key), 'nope']);
  if (dice.chance(0.3))
    query.sort = `${dice.chance(0.5) ? '-' : ''}${dice.pick(Object.keys(resource.fields))}`;
  if (dice.chance(0.2)) query.exact = '1';
  if (dice.chance(0.2))
    query.cursor = dice.pick([
      ...TEXTS,
      Buffer.from('["2026-11-01",5]').toString('base64url'),
      Buffer.from('[null,1]').toString('base64url'),
    ]);
  for (const [name, field] of dice.some(Object.entries(fieldsOf(resource)), dice.upTo(4)))
    if (field.search || dice.chance(0.1))
      query[name] = dice.chance(0.6)
        ? [fieldValue(field, dice)]
            .flat()
            .map(String)
            .join(field.search === 'range' ? '~' : ',')
        : dice.pick(TEXTS);
  return query;
}

/** Why a value is outside a schema, or undefined. */
function outside(schema: Schema, value: unknown, at = ''): string | undefined {
  if ('const' in schema) return value === schema.const ? undefined : `${at} is ${JSON.stringify(value)}`;
  if (schema.type === 'object') {
    if (typeof value !== 'object' || value === null) return `${at} is no object`;
    for (const name of schema.required ?? []) if (!(name in value)) return `${at}.${name} is missing`;
    for (const [name, one] of Object.entries(schema.properties ?? {}))
      if (name in value) {
        const problem = outside(one, (value as Record<string, unknown>)[name], `${at}.${name}`);
        if (problem) return problem;
      }
  }
  if (schema.type === 'string' && typeof value !== 'string') return `${at} is no text`;
  if (schema.type === 'integer' && !Number.isInteger(value)) return `${at} is no whole number`;
  return undefined;
}

/** Why a row is not as docs/WIRE.md says, or undefined. */
function wireProblem(resource: Resource, row: Record<string, unknown>): string | undefined {
  if (typeof row.id !== 'string') return 'id is no text';
  if (typeof row.version !== 'number') return 'version is no number';
  if (!Array.isArray(row.actions)) return 'actions are no list';
  for (const [name, field] of Object.entries(fieldsOf(resource))) {
    const value = row[name];
    if (value === null || value === undefined) continue;
    const fits =
      field.kind === 'money'
        ? typeof value === 'string' && /^-?\d+\.\d\d$/.test(value)
        : field.kind === 'integer'
          ? Number.isSafeInteger(value)
          : field.kind === 'boolean'
            ? typeof value === 'boolean'
            : field.kind === 'instant'
              ? typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/.test(value)
              : field.kind === 'date'
                ? typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
                : field.kind === 'ref' || field.kind === 'treeRef'
                  ? typeof (value as { id?: unknown }).id === 'string' &&
                    typeof (value as { title?: unknown }).title === 'string'
                  : field.kind === 'choice'
                    ? typeof value === 'string' && Object.hasOwn(field.choices ?? {}, value)
                    : ['refs', 'tags', 'lines', 'images', 'files'].includes(field.kind)
                      ? Array.isArray(value)
                      : ['image', 'file', 'json', 'dateRange'].includes(field.kind) ||
                        typeof value === 'string';
    if (!fits) return `${name} (${field.kind}) is ${JSON.stringify(value).slice(0, 80)}`;
    if (field.mask && typeof value === 'string' && value !== '' && !value.includes('*'))
      return `${name} is not masked`;
  }
  return undefined;
}

const LEAK =
  /\bat .+\.(ts|js):\d|SELECT .+ FROM|syntax error|violates|relation "|column "|node_modules|Error:/;

test('no 5xx, nothing outside its schema, nothing slow, nothing changed by a refusal', async () => {
  console.log(`SEED=${SEED}`);
  const dice = new Dice(SEED);
  const problems: string[] = [];
  const seen = { requests: 0, accepted: 0, refused: 0, checkedWrites: 0, rows: 0 };
  let refused: Schema | undefined;
  const operations: {
    role: string;
    path: string;
    method: 'GET' | 'POST' | 'PUT' | 'DELETE';
    one: Described;
  }[] = [];
  for (const role of ROLES) {
    const answer = await product.app.inject({
      url: '/api/docs/json',
      headers: { authorization: tokens.get(role)! },
    });
    const description = answer.json<{
      paths: Record<string, Record<string, Described>>;
      components: { responses: Record<string, Answer> };
    }>();
    refused = description.components.responses.refused!.content['application/json'].schema;
    for (const [path, methods] of Object.entries(description.paths))
      for (const [method, one] of Object.entries(methods))
        if (!SKIPPED.test(path)) operations.push({ role, path, method: method.toUpperCase() as 'GET', one });
  }
  expect(operations.length).toBeGreaterThan(400);
  const reference: number[] = [];
  const slow: { took: number; what: string }[] = [];
  const touched = new Set<string>();
  // Every call once by somebody who may make it, then others.
  const shuffled = dice.some(operations, operations.length);
  const first = new Map(shuffled.map((operation) => [`${operation.method} ${operation.path}`, operation]));
  const order = [...first.values(), ...shuffled];
  for (let turn = 0; turn < first.size + MORE_REQUESTS; turn++) {
    const { role, path, method, one } = order[turn % order.length]!;
    const where = path.replace(/\{(\w+)\}/g, () =>
      encodeURIComponent(
        dice.chance(0.85)
          ? dice.pick(ids)
          : dice.pick(TEXTS.filter((text) => text !== '' && text.length < 100)),
      ),
    );
    // The first time round a list is asked for plainly, so that rows are looked at however slow the machine is.
    const isPlain = turn < first.size && path.endsWith('/page');
    const query: Record<string, string> = isPlain ? { limit: '50' } : engineQuery(path, dice);
    for (const parameter of one.parameters)
      if (!isPlain && parameter.in === 'query' && dice.chance(0.7))
        query[parameter.name] = String(valueOf(parameter.schema, dice));
    if (!isPlain && dice.chance(0.04)) query[dice.pick(['nope', 'constructor', 'limit'])] = dice.pick(TEXTS);
    const text = new URLSearchParams(query).toString();
    const schema = one.requestBody?.content['application/json'].schema;
    const isOpen = schema && !schema.properties && !schema.anyOf;
    const body = schema && (isOpen ? engineBody(path, dice) : valueOf(schema, dice));
    const url = `${where}${text ? `?${text}` : ''}`;
    const what = `${role} ${method} ${url} ${JSON.stringify(body)?.slice(0, 300) ?? ''}`;
    const before = method === 'GET' ? 0 : await lastWrite();
    const began = performance.now();
    const answer = await product.app.inject({
      method,
      url,
      headers: {
        authorization: tokens.get(role)!,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        'accept-language': dice.chance(0.5) ? 'zh' : 'en',
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) ?? '' }),
    });
    const took = performance.now() - began;
    seen.requests++;
    touched.add(`${method} ${path}`);
    slow.push({ took, what });
    if (turn % 40 === 0) {
      const started = performance.now();
      await product.app.inject({
        url: '/api/jinmao/web/goodsOrder/page?limit=20',
        headers: { authorization: tokens.get('role_platform')! },
      });
      reference.push(performance.now() - started);
    }
    if (answer.statusCode === 401) {
      // A fuzzed call may well have ended the session or disabled the account.
      await run(
        product.platform.database.db,
        `UPDATE staff SET state = 'normal', must_change_password = false WHERE account = $1`,
        [role],
      );
      tokens.set(role, await product.signIn(role));
      continue;
    }
    if (answer.statusCode >= 500) problems.push(`${answer.statusCode} ${what}: ${answer.body.slice(0, 200)}`);
    const isJson = String(answer.headers['content-type']).includes('application/json');
    const isRefusal = answer.statusCode >= 400;
    if (isJson) {
      const value = answer.json<{ status: number; message: string; data: any }>();
      const named = one.responses.default.$ref === '#/components/responses/refused';
      expect(named).toBe(true);
      const described = isRefusal ? refused : one.responses[200].content['application/json'].schema;
      const problem = described && outside(described, value);
      if (problem) problems.push(`outside its schema ${what}: ${problem}`);
      // The row a stale call is shown is the caller's own to read, and a report of an error tells of one.
      const said = value.data?.current
        ? JSON.stringify({ ...value, data: { ...value.data, current: null } })
        : answer.body;
      if (isRefusal && (typeof value.message !== 'string' || value.message === '' || LEAK.test(said)))
        problems.push(`refused without a good message ${what}: ${answer.body.slice(0, 200)}`);
      if (isRefusal && answer.statusCode === 422 && typeof value.data?.fields !== 'object')
        problems.push(`422 without fields ${what}: ${answer.body.slice(0, 200)}`);
      const resource = [...resources].find(
        ([root]) => path === `${root}/page` || path === `${root}/{id}`,
      )?.[1];
      if (resource && !isRefusal && method === 'GET')
        for (const row of (path.endsWith('/page') ? value.data.rows : [value.data]) as Record<
          string,
          unknown
        >[]) {
          seen.rows++;
          const wrong = wireProblem(resource, row);
          if (wrong) problems.push(`row of ${resource.name} ${what}: ${wrong}`);
        }
    } else if (isRefusal)
      problems.push(`refused without envelope ${what}: ${answer.statusCode} ${answer.body.slice(0, 100)}`);
    if (isRefusal) seen.refused++;
    else seen.accepted++;
    // What was accepted may have written, a look at personal data for one.
    if (isRefusal && method !== 'GET' && !COUNTS_REFUSALS.test(path)) {
      seen.checkedWrites++;
      const after = await lastWrite();
      if (after !== before) {
        const written = await run<{ name: string }>(
          product.platform.database.db,
          'SELECT DISTINCT name FROM fuzz_write WHERE id > $1',
          [before],
        );
        problems.push(
          `changed by a refusal (${answer.statusCode}) ${what}: ${written.map((row) => row.name).join(', ')}`,
        );
      }
    }
  }
  expect(problems.slice(0, 15)).toEqual([]);
  expect(seen.requests).toBeGreaterThanOrEqual(MORE_REQUESTS);
  expect(touched.size).toBe(new Set(operations.map(({ method, path }) => `${method} ${path}`)).size);
  expect(seen.accepted).toBeGreaterThan(seen.requests * 0.15);
  expect(seen.refused).toBeGreaterThan(seen.requests * 0.2);
  expect(seen.checkedWrites).toBeGreaterThan(200);
  expect(await lastWrite()).toBeGreaterThan(50);
  expect(seen.rows).toBeGreaterThan(100);
  // A busy machine is slow with everything: the limit grows with what a plain list takes meanwhile.
  const usual = reference.sort((a, b) => a - b)[Math.floor(reference.length / 2)]!;
  const limit = 2_000 * Math.max(1, usual / 20);
  expect(slow.filter((one) => one.took > limit)).toEqual([]);
}, 900_000);
