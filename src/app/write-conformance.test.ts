import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formFieldNames, titleFieldOf, type Resource } from '../kernel/contract/resource.ts';
import { run, runOne } from '../kernel/server/database.ts';
import { listOf } from '../testing/oracle-lists.ts';
import { NoSample, PICTURE, sampleBody, sampleValue } from '../testing/sample-input.ts';
import { startTestProduct, type TestProduct } from '../testing/test-product.ts';
import { registrations } from './registry/registrations.gen.ts';

/*
 * Writing, for every resource whose rows the engine makes by itself: create, change, lost race, taken value, remove, timeline,
 * audit, and other people's rows. What a feature does by its own handlers is proven beside it.
 */

const SCREEN = process.env.SCREEN;
const written = registrations.flatMap((one) =>
  one.contract?.archetype === 'resource' &&
  one.contract.actions?.create &&
  !one.handled?.includes('create') &&
  listOf(one.contract.name).ownSample === undefined &&
  (!SCREEN || one.contract.name === SCREEN)
    ? [one.contract]
    : [],
);

let product: TestProduct;
let admin: string;
let nobody: string;
let turn = 0;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  // Of the platform and in no group at all.
  await run(
    product.platform.database.db,
    `INSERT INTO staff (tenant_id, account, name) SELECT id, 'nobody-here', '无权人员' FROM tenant WHERE kind = 3`,
  );
  nobody = await product.signIn('nobody-here');
});
afterAll(() => product?.close());

const rootOf = (resource: Resource) => `${resource.base ?? '/jinmao/web'}/${resource.name}`;

const choices = async (target: string, within?: string): Promise<string[]> => {
  if (target === PICTURE) {
    const picture = await runOne<{ id: string }>(
      product.platform.database.db,
      `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access)
       VALUES (gen_random_uuid(), 'sample.png', 'image/png', 1, '\\x00', gen_random_uuid()::text, 'picture') RETURNING id`,
    );
    return [picture!.id];
  }
  const answer = await product.call(
    admin,
    'GET',
    `/jinmao/web/options/${target}?limit=20${within ? `&within=${within}` : ''}`,
  );
  const rows = (Array.isArray(answer.data) ? answer.data : (answer.data?.rows ?? [])) as { id: string }[];
  return rows.map((row) => row.id);
};

const eventsOf = async (resource: Resource, id: string) =>
  (await product.call(admin, 'GET', `${rootOf(resource)}/${id}/timeline`)).data as { label: string }[];

const audited = async () =>
  (await runOne<{ n: number }>(product.platform.database.db, 'SELECT count(*)::int AS n FROM audit_record'))!
    .n;

async function make(
  resource: Resource,
): Promise<{ id: string; version: number; body: Record<string, unknown> }> {
  // Values may be taken by demonstration rows, so a few are tried; each must be refused for being taken and nothing else.
  for (let tries = 0; ; tries++) {
    // What is referred to changes from try to try: one project may have its only row already, another may not fit the rest.
    const other = async (target: string, within?: string) => {
      const found = await choices(target, within);
      const by =
        found.length === 0 ? 0 : (tries + target.length * Math.floor(tries / found.length)) % found.length;
      return [...found.slice(by), ...found.slice(0, by)];
    };
    let body: Record<string, unknown>;
    let given: Readonly<Record<string, unknown>>;
    try {
      turn += 1;
      given = listOf(resource.name).sample?.(turn) ?? {};
      body = await sampleBody(resource, turn, other, given);
    } catch (error) {
      if (error instanceof NoSample && tries < 240) continue;
      throw error;
    }
    const before = await audited();
    const answer = await product.call(admin, 'POST', rootOf(resource), body);
    const named = Object.keys((answer.data?.fields ?? {}) as object);
    // A field the sample leaves out may be asked for by what is referred to: something else is tried.
    const references = named.every(
      (name) =>
        /^(refs?|treeRef|lines)$/.test(resource.fields[name]?.kind ?? '') ||
        (name in given && given[name] === undefined),
    );
    if (named.length > 0 && (answer.http === 409 || references) && tries < 240) continue;
    expect([resource.name, answer.http, answer.message, answer.data?.fields]).toEqual([
      resource.name,
      200,
      '',
      undefined,
    ]);
    expect(await audited()).toBe(before + 1);
    return { ...(answer.data as { id: string; version: number }), body };
  }
}

test('there are resources whose rows the engine makes', () => {
  if (!SCREEN) expect(written.length).toBeGreaterThan(0);
});

describe.each(written.map((resource) => [resource.name, resource] as const))('%s', (_name, resource) => {
  const root = rootOf(resource);

  test('a new row is told, read back as it was written, and refused to whoever may not', async () => {
    const { id, body } = await make(resource);
    expect((await eventsOf(resource, id)).length).toBe(1);
    const row = (await product.call(admin, 'GET', `${root}/${id}`)).data as Record<string, unknown>;
    let compared = 0;
    for (const [name, value] of Object.entries(body)) {
      const field = resource.fields[name];
      if (!field || field.mask || field.secret || typeof value === 'object') continue;
      const shown = row[name];
      const read =
        field.kind === 'ref' || field.kind === 'treeRef' || field.kind === 'image'
          ? (shown as { id: string } | null)?.id
          : shown;
      const same =
        field.kind === 'decimal' || field.kind === 'percent'
          ? Number(read) === Number(value)
          : read === value;
      expect([name, same, read]).toEqual([name, true, read]);
      compared++;
    }
    // A form of masked values and rows inside alone leaves nothing to compare.
    const hidden = Object.keys(body).every(
      (name) => resource.fields[name]?.mask || typeof body[name] === 'object',
    );
    if (!hidden) expect(compared).toBeGreaterThan(0);
    expect((await product.call(nobody, 'POST', root, body)).http).toBe(403);
    const unknown = await product.call(admin, 'POST', root, {
      ...body,
      createdBy: '1',
      version: 7,
      __proto: 1,
    });
    expect(unknown.http).toBe(422);
  });

  test('every required field is asked for, all at once', async () => {
    const required = formFieldNames(resource, 'create').filter((name) => resource.fields[name]!.required);
    const answer = await product.call(admin, 'POST', root, {});
    if (required.length === 0) return;
    expect([answer.http, required.every((name) => name in (answer.data?.fields ?? {}))]).toEqual([422, true]);
  });

  test.skipIf(!resource.actions?.update)(
    'a change moves the version by one; a lost race and a missing version are refused',
    async () => {
      const { id, version } = await make(resource);
      const given = listOf(resource.name).sample?.(turn) ?? {};
      const name = formFieldNames(resource, 'update').find((one) => {
        const field = resource.fields[one]!;
        return (
          !(one in given) &&
          ['text', 'longText', 'integer', 'boolean', 'money'].includes(field.kind) &&
          !field.mask
        );
      });
      if (
        !name ||
        !((await product.call(admin, 'GET', `${root}/${id}`)).data.actions as string[]).includes('update')
      )
        return;
      const field = resource.fields[name]!;
      const values = [await sampleValue(field, ++turn, choices), await sampleValue(field, ++turn, choices)];
      const both = await Promise.all(
        values.map((value) => product.call(admin, 'PUT', `${root}/${id}`, { version, [name]: value })),
      );
      expect(both.map((one) => one.http).sort(), both.map((one) => one.message).join()).toEqual([200, 409]);
      const lost = both.find((one) => one.http === 409)!;
      expect([lost.status, (lost.data?.current as { version: number } | undefined)?.version]).toEqual([
        30101,
        version + 1,
      ]);
      expect((await product.call(admin, 'PUT', `${root}/${id}`, { [name]: values[0] })).http).toBe(422);
      expect((await eventsOf(resource, id)).length).toBe(2);
      expect(
        (await product.call(admin, 'PUT', `${root}/999999999`, { version: 1, [name]: values[0] })).http,
      ).toBe(404);
    },
  );

  test('the same values again: taken ones are told at their field', async () => {
    const { body } = await make(resource);
    const again = await product.call(admin, 'POST', root, body);
    if (again.http === 200) return;
    expect([
      again.http,
      again.status,
      Object.keys(again.data?.fields ?? {}).length > 0,
      again.message,
    ]).toEqual([409, 30101, true, again.message]);
  });

  test.skipIf(!resource.actions?.remove)('a row that nobody uses goes', async () => {
    const { id } = await make(resource);
    const row = (await product.call(admin, 'GET', `${root}/${id}`)).data as {
      version: number;
      actions: string[];
    };
    if (!row.actions.includes('remove')) return;
    expect((await product.call(admin, 'DELETE', `${root}/${id}?version=${row.version + 1}`)).status).toBe(
      30101,
    );
    // Some go with a reason only.
    const said = resource.actions!.remove!.input;
    const given = listOf(resource.name).sample?.(++turn) ?? {};
    const body: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(said ?? {}))
      body[name] = name in given ? given[name] : await sampleValue(field, turn, choices);
    const gone = await product.call(admin, 'DELETE', `${root}/${id}?version=${row.version}`, said && body);
    expect([gone.http, gone.message]).toEqual([200, '']);
    const after = await product.call(admin, 'GET', `${root}/${id}`);
    expect([404, 200]).toContain(after.http);
  });

  test('its rows have a name', () => {
    expect(resource.fields[titleFieldOf(resource)] ?? resource.states).toBeDefined();
  });
});
