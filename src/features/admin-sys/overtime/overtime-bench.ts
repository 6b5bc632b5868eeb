import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../kernel/testing/test-product.ts';
import { dayTypesOf, type DayType } from '../../shared/business-calendar/day-type.server.ts';

/** Body of an answer with the parts tests look at. */
export interface Answer {
  readonly http: number;
  readonly status: number;
  readonly message: string;
  readonly data: Record<string, unknown>;
}

/** The product with a small company in it, for tests of the overtime and organisation screens. */
export interface OvertimeBench {
  readonly product: TestProduct;
  readonly tenantId: number;
  /** Staff ids by account: `boss` above `chief`, who leads the department of `anna` and `ben`. */
  readonly staff: Readonly<Record<string, number>>;
  readonly departmentId: number;
  call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    account: string,
    payload?: object,
  ): Promise<Answer>;
  /** The nth most recent past day of a type, 0 first. */
  pastDay(type: DayType, nth?: number): Promise<string>;
}

/** Starts the bench without demonstration data. Every staff of it holds the overtime menu with all its elements. */
export async function openOvertimeBench(): Promise<OvertimeBench> {
  const product = await startTestProduct({ demo: false });
  const { db } = product.platform.database;
  const { tenant_id: tenantId } = (await runOne<{ tenant_id: number }>(
    db,
    `SELECT tenant_id FROM staff WHERE account = 'admin'`,
  ))!;
  const top = await runOne<{ id: number }>(
    db,
    `INSERT INTO department (tenant_id, code, name) VALUES ($1, 'TOP', '总部') RETURNING id`,
    [tenantId],
  );
  await run(db, 'UPDATE department SET path = ARRAY[id] WHERE id = $1', [top!.id]);
  const below = await runOne<{ id: number }>(
    db,
    `INSERT INTO department (tenant_id, code, name, parent_id) VALUES ($1, 'SUB', '工程部', $2) RETURNING id`,
    [tenantId, top!.id],
  );
  await run(db, 'UPDATE department SET path = ARRAY[parent_id, id] WHERE id = $1', [below!.id]);
  const group = await runOne<{ id: number }>(
    db,
    `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT id, $1, 'overtime', '考勤' FROM group_type WHERE code = 'role' RETURNING id`,
    [tenantId],
  );
  await run(
    db,
    `INSERT INTO menu_grant (group_id, menu_code) SELECT $1, code FROM menu WHERE code = 'workOvertimeManager'`,
    [group!.id],
  );
  await run(
    db,
    `INSERT INTO element_grant (group_id, element_code) SELECT $1, code FROM element WHERE menu_code = 'workOvertimeManager'`,
    [group!.id],
  );
  const staff: Record<string, number> = {};
  for (const [account, name, department] of [
    ['boss', '赵总', top!.id],
    ['chief', '钱主管', below!.id],
    ['anna', '孙安', below!.id],
    ['ben', '李本', below!.id],
  ] as const) {
    const row = await runOne<{ id: number }>(
      db,
      'INSERT INTO staff (tenant_id, department_id, account, name, staff_no, all_projects, must_change_password) VALUES ($1, $2, $3, $4, $5, true, false) RETURNING id',
      [tenantId, department, account, name, `N-${account}`],
    );
    staff[account] = row!.id;
    await run(db, 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group!.id, row!.id]);
  }
  await run(db, 'UPDATE department SET leader_id = $2 WHERE id = $1', [top!.id, staff.boss]);
  await run(db, 'UPDATE department SET leader_id = $2 WHERE id = $1', [below!.id, staff.chief]);
  const tokens = new Map<string, string>();
  return {
    product,
    tenantId,
    staff,
    departmentId: below!.id,
    call: async (method, path, account, payload) => {
      if (!tokens.has(account)) tokens.set(account, await product.signIn(account));
      const answer = await product.app.inject({
        method,
        url: `/api${path}`,
        headers: { authorization: tokens.get(account)! },
        ...(payload ? { payload } : {}),
      });
      const body = answer.json<{ status: number; message: string; data: Record<string, unknown> }>();
      return { http: answer.statusCode, ...body };
    },
    pastDay: async (type, nth = 0) => {
      const today = businessDayOf(new Date());
      const days = Array.from({ length: 31 }, (_, at) => addDays(today, -1 - at));
      const types = await dayTypesOf(db, days);
      const found = days.filter((day) => types.get(day) === type)[nth];
      if (!found) throw new Error(`no ${type} within 31 days`);
      return found;
    },
  };
}
