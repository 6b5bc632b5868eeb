import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Field } from '../kernel/contract/fields.ts';
import { fieldsOf, formFieldNames, type Resource } from '../kernel/contract/resource.ts';
import { run } from '../kernel/server/database.ts';
import { makeRoles } from '../testing/roles.ts';
import { startTestProduct, type TestProduct } from '../testing/test-product.ts';
import { registrations } from './registry/registrations.gen.ts';

/*
 * Every input of every action that names a row of something: a row of another company, or of a project the caller does not
 * work in, answers word for word as one that does not exist.
 */

const NOBODY = '900000000000001';
const ROLES = ['role_company', 'role_merchant', 'role_project'];

/** By target of a reference: ids that are not the caller's. `$1` is its company, `$2` its projects (null: all). */
const FOREIGN: Readonly<Record<string, string>> = {
  staff:
    // Whom a row names already stays named: it tells nothing to write the same again.
    'SELECT id FROM staff s WHERE tenant_id <> $1 AND department_id IS NOT NULL AND ($2::bigint[] IS NULL OR true) AND NOT EXISTS (SELECT FROM receivable r WHERE r.owner_id = s.id)',
  department: 'SELECT id FROM department WHERE tenant_id <> $1 AND ($2::bigint[] IS NULL OR true)',
  permissionGroup: 'SELECT id FROM permission_group WHERE tenant_id <> $1 AND ($2::bigint[] IS NULL OR true)',
  station: 'SELECT id FROM station WHERE tenant_id <> $1 AND ($2::bigint[] IS NULL OR true)',
  project: 'SELECT id FROM project WHERE $1::bigint IS NOT NULL AND id <> ALL($2::bigint[])',
  product: `SELECT id FROM product t WHERE tenant_id <> $1 AND NOT EXISTS (SELECT FROM product_project p WHERE p.product_id = t.id AND ($2::bigint[] IS NULL OR p.project_id = ANY($2::bigint[])))`,
};

let product: TestProduct;
let made = 0;

beforeAll(async () => {
  product = await startTestProduct();
}, 240_000);
afterAll(() => product?.close());

const db = () => product.platform.database.db;

async function call(token: string, method: 'GET' | 'POST' | 'PUT', url: string, body?: object) {
  const answer = await product.app.inject({
    method,
    url,
    headers: { authorization: token },
    ...(body === undefined ? {} : { payload: body }),
  });
  return {
    http: answer.statusCode,
    ...(answer.json() as { status: number; message: string; data: any }),
  };
}

/** A value the field takes, from the rows the caller may choose; undefined where there is none. */
async function sample(token: string, field: Field, seen: Map<string, string | undefined>): Promise<unknown> {
  const { min, max } = field;
  switch (field.kind) {
    case 'ref':
    case 'treeRef':
    case 'refs': {
      const target = field.target!;
      if (!seen.has(target)) {
        const { data } = await call(token, 'GET', `/api/jinmao/web/options/${target}`);
        const rows = (Array.isArray(data) ? data : (data?.rows ?? [])) as { id: string }[];
        seen.set(target, rows[0]?.id);
      }
      const id = seen.get(target);
      return id === undefined ? undefined : field.kind === 'refs' ? [id] : id;
    }
    case 'choice':
      return Object.keys(field.choices ?? {})[0];
    case 'boolean':
      return true;
    case 'integer':
      return 60;
    case 'money':
    case 'decimal':
      return '1.00';
    case 'date':
      return '2026-03-02';
    case 'instant':
      return '2026-03-02T08:00:00+08:00';
    case 'phone':
      return '13912345678';
    case 'file':
    case 'files':
    case 'image':
    case 'images':
      return undefined;
    default:
      made++;
      return [
        '外部引用测试'.slice(0, Math.max(min ?? 4, Math.min(max ?? 6, 6))),
        `fr${1000 + made}`,
        '09:30',
      ].find((text) =>
        field.kind !== 'code'
          ? field.pattern
            ? new RegExp(field.pattern.source, 'u').test(text)
            : true
          : /^fr/.test(text),
      );
  }
}

interface Case {
  readonly name: string;
  readonly field: string;
  readonly answers: (id: string) => Promise<Awaited<ReturnType<typeof call>>>;
  readonly target: string;
}

/** Every command of a resource with each of its references in turn. */
async function casesOf(token: string, resource: Resource, seen: Map<string, string | undefined>) {
  const root = `/api${resource.base ?? '/jinmao/web'}/${resource.name}`;
  const page = await call(token, 'GET', `${root}/page?limit=3`);
  const rows = (page.data?.rows ?? []) as { id: string; version?: number }[];
  const found: Case[] = [];
  for (const [action, spec] of Object.entries(resource.actions ?? {})) {
    const writes = action === 'create' || action === 'update';
    const fields: Record<string, Field> = writes
      ? { ...fieldsOf(resource), ...spec.input }
      : { ...spec.input };
    const names = writes
      ? [...formFieldNames(resource, action), ...Object.keys(spec.input ?? {})]
      : Object.keys(fields);
    for (const name of new Set(names)) {
      const field = fields[name];
      if (!field?.target || !(field.target in FOREIGN) || field.readOnly) continue;
      const body: Record<string, unknown> = {};
      if (action !== 'update')
        for (const other of new Set(names))
          if (other !== name && fields[other] && !fields[other].readOnly) {
            const value = await sample(token, fields[other], seen);
            if (value !== undefined && (fields[other].required || /Time$/.test(other))) body[other] = value;
          }
      const send = (id: string, row?: { id: string; version?: number }) => {
        const input = { ...body, [name]: field.kind === 'refs' ? [id] : id };
        const versioned = { ...(row?.version === undefined ? {} : { version: row.version }), ...input };
        if (action === 'create') return call(token, 'POST', root, input);
        if (action === 'update') return call(token, 'PUT', `${root}/${row!.id}`, versioned);
        if (spec.on === 'page') return call(token, 'POST', `${root}/action/${action}`, input);
        if (spec.on === 'bulk')
          return call(token, 'POST', `${root}/bulk/${action}`, { ids: [row!.id], input });
        return call(token, 'POST', `${root}/${row!.id}/${action}`, versioned);
      };
      const subjects = action === 'create' || spec.on === 'page' ? [undefined] : rows;
      for (const row of subjects)
        found.push({
          name: `${resource.name}.${action}`,
          field: name,
          target: field.target,
          answers: (id) => send(id, row),
        });
    }
  }
  return found;
}

test('a reference to what is somebody else’s answers as one to nothing, in every command of every list', async () => {
  const roles = (await makeRoles(db())).filter((role) => ROLES.includes(role.account));
  let compared = 0;
  /** Commands whose answer was about the reference itself, not about something else in the body. */
  const reached = new Set<string>();
  for (const role of roles) {
    const token = await product.signIn(role.account);
    const seen = new Map<string, string | undefined>();
    const foreign = new Map<string, string>();
    for (const [target, sql] of Object.entries(FOREIGN)) {
      if (target === 'project' && role.projectIds === null) continue;
      // Nobody of the platform is limited to its own company's staff and goods.
      if (role.tenantKind === 3 && target !== 'project') continue;
      const [row] = await run<{ id: number }>(db(), `${sql} ORDER BY 1 LIMIT 1`, [
        role.tenantId,
        role.projectIds,
      ]);
      if (row) foreign.set(target, String(row.id));
    }
    expect(foreign.size).toBeGreaterThan(0);
    for (const service of registrations) {
      if (service.contract?.archetype !== 'resource') continue;
      for (const one of await casesOf(token, service.contract, seen)) {
        const id = foreign.get(one.target);
        if (id === undefined) continue;
        const missing = await one.answers(NOBODY);
        const theirs = await one.answers(id);
        const bare = ({ http, status, message, data }: typeof missing) => ({
          http,
          status,
          message,
          data: JSON.stringify(data ?? null).replaceAll(NOBODY, id),
        });
        expect([role.account, one.name, one.field, bare(theirs)]).toEqual([
          role.account,
          one.name,
          one.field,
          bare(missing),
        ]);
        compared++;
        const about = missing.http !== 422 || missing.data?.fields?.[one.field] !== undefined;
        if (about) reached.add(`${one.name} ${one.field}`);
      }
    }
  }
  // Enough was looked at, and behind the other rules of the body.
  expect(compared).toBeGreaterThan(120);
  expect(reached.size).toBeGreaterThan(40);
  for (const known of ['department.addMembers staff', 'staff.create leader', 'product.update projects'])
    expect(reached).toContain(known);
}, 300_000);
