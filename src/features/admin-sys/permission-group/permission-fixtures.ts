import { run, runOne, type Db } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

/** An answer as a test looks at it. */
export interface Answer<T = never> {
  readonly http: number;
  readonly status: number;
  readonly message: string;
  readonly data: T;
}

/** The product with short ways to call it and to make groups and staff. */
export interface PermissionBench {
  readonly product: TestProduct;
  readonly db: Db;
  call<T = never>(
    token: string,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<Answer<T>>;
  staff(
    account: string,
    options?: { readonly tenantId?: number; readonly departmentId?: number },
  ): Promise<number>;
  group(code: string, options?: GroupOptions): Promise<number>;
  token(account: string): Promise<string>;
  one(sql: string, values?: readonly unknown[]): Promise<number>;
}

/** How a group of a test looks. */
export interface GroupOptions {
  readonly tenantId?: number;
  readonly type?: string;
  readonly parentId?: number;
  readonly inherit?: boolean;
  readonly departmentId?: number;
  readonly menus?: Readonly<Record<string, string>>;
  readonly elements?: readonly string[];
  readonly members?: readonly number[];
  readonly leaders?: readonly number[];
}

/** Starts the product with the demonstration set. */
export async function openBench(): Promise<PermissionBench> {
  const product = await startTestProduct();
  const { db } = product.platform.database;
  const one: PermissionBench['one'] = async (sql, values = []) => {
    const row = await runOne<{ v: number }>(db, sql, values);
    if (!row) throw new Error(`no row: ${sql}`);
    return row.v;
  };
  const platform = await one('SELECT id AS v FROM tenant WHERE kind = 3');
  return {
    product,
    db,
    one,
    call: async (token, method, path, body) => {
      const answer = await product.app.inject({
        method,
        url: `/api${path}`,
        headers: { authorization: token },
        ...(body ? { payload: body } : {}),
      });
      const json = answer.json() as { status: number; message: string; data: never };
      return { http: answer.statusCode, status: json.status, message: json.message, data: json.data };
    },
    staff: async (account, options = {}) =>
      one(
        'INSERT INTO staff (tenant_id, department_id, account, name, all_projects, must_change_password) VALUES ($1, $2, $3, $3, true, false) RETURNING id AS v',
        [options.tenantId ?? platform, options.departmentId ?? null, account],
      ),
    group: async (code, options = {}) => {
      const id = await one(
        `INSERT INTO permission_group (type_id, tenant_id, code, name, parent_id, inherit, department_id)
         SELECT id, $1, $2, $3, $4, $5, $6 FROM group_type WHERE code = $7 RETURNING id AS v`,
        [
          options.tenantId ?? platform,
          code,
          code.slice(0, 20),
          options.parentId ?? null,
          options.inherit ?? false,
          options.departmentId ?? null,
          options.type ?? 'role',
        ],
      );
      for (const [menu, scope] of Object.entries(options.menus ?? {}))
        await run(db, 'INSERT INTO menu_grant (group_id, menu_code, data_scope) VALUES ($1, $2, $3)', [
          id,
          menu,
          scope,
        ]);
      await run(db, 'INSERT INTO element_grant (group_id, element_code) SELECT $1, unnest($2::text[])', [
        id,
        options.elements ?? [],
      ]);
      for (const staffId of options.members ?? [])
        await run(db, 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [id, staffId]);
      for (const staffId of options.leaders ?? [])
        await run(db, `INSERT INTO group_member (group_id, staff_id, kind) VALUES ($1, $2, 'leader')`, [
          id,
          staffId,
        ]);
      return id;
    },
    token: (account) => product.signIn(account),
  };
}

/** Rights as one comparable text. */
export function textOf(rights: {
  readonly menus: ReadonlyMap<string, unknown>;
  readonly elements: ReadonlySet<string>;
}): string {
  return JSON.stringify([
    [...rights.menus].sort(([a], [b]) => (a < b ? -1 : 1)),
    [...rights.elements].sort(),
  ]);
}

/** A moment between two steps, so that they have different times. */
export const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
