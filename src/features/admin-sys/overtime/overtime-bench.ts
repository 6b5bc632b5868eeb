import { expect } from 'vitest';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { dayTypesOf, type DayType } from '../../../domain/business-calendar/day-type.server.ts';
import { balanceInvariant } from './overtime-invariants.server.ts';

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
  /** The last Saturday nobody works on by the calendar. */
  lastSaturday(): Promise<string>;
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
  const pastDays = async (type: DayType) => {
    const today = businessDayOf(new Date());
    const days = Array.from({ length: 31 }, (_, at) => addDays(today, -1 - at));
    const types = await dayTypesOf(db, days);
    return days.filter((day) => types.get(day) === type);
  };
  const oneOf = (days: readonly string[], nth = 0) => {
    if (!days[nth]) throw new Error('no such day within 31 days');
    return days[nth];
  };
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
    pastDay: async (type, nth = 0) => oneOf(await pastDays(type), nth),
    lastSaturday: async () =>
      oneOf((await pastDays('rest_day')).filter((day) => new Date(`${day}T00:00:00Z`).getUTCDay() === 6)),
  };
}

/** Ways to record, decide and look at overtime and time off, as the tests of this folder do it again and again. */
export interface OvertimeCalls {
  /** Empties overtime, time off and approvals, and puts the limits back. */
  clear(): Promise<void>;
  /** 3.5 h of anna on the last rest day unless told otherwise. */
  addOvertime(input?: Record<string, unknown>, by?: string): Promise<Answer>;
  /** Time off of anna tomorrow unless told otherwise. */
  addLeave(start: string, end: string, by?: string, input?: Record<string, unknown>): Promise<Answer>;
  act(
    resource: 'overtimeRecord' | 'leaveRecord',
    id: string,
    action: string,
    by: string,
    input?: object,
  ): Promise<Answer>;
  /** Records overtime and approves it as the chief; returns its id. */
  approvedOvertime(input?: Record<string, unknown>): Promise<string>;
  /** Balance in hours as the detail's head shows it. */
  balance(account?: string): Promise<unknown>;
  /** Fails when lines and lots of somebody differ. */
  isConsistent(): Promise<void>;
}

/** Ids a page action made. */
export function idsOf(answer: Answer): string[] {
  return (answer.data.ids ?? (answer.data.result as { ids: string[] } | undefined)?.ids) as string[];
}

/** The calls of a bench. */
export function overtimeCalls(bench: OvertimeBench): OvertimeCalls {
  const { db } = bench.product.platform.database;
  const calls: OvertimeCalls = {
    clear: async () => {
      for (const table of [
        'leave_lot_use',
        'leave_balance_lot',
        'leave_record',
        'overtime_record',
        'approval_task',
        'approval_instance',
        'notification',
      ])
        await run(db, `DELETE FROM ${table}`);
      await run(db, `DELETE FROM setting WHERE key LIKE 'overtime.%'`);
      bench.product.platform.settings.forget();
    },
    addOvertime: async (input = {}, by = 'admin') =>
      bench.call('POST', '/admin/overtimeRecord/action/addOvertime', by, {
        staff: [String(bench.staff.anna)],
        day: await bench.pastDay('rest_day'),
        startTime: '09:00',
        endTime: '12:40',
        compensation: 'time_off',
        reason: '系统上线',
        ...input,
      }),
    addLeave: (start, end, by = 'admin', input = {}) =>
      bench.call('POST', '/admin/leaveRecord/action/addLeave', by, {
        staff: [String(bench.staff.anna)],
        day: addDays(businessDayOf(new Date()), 1),
        part: 'time',
        startTime: start,
        endTime: end,
        reason: '家中有事',
        ...input,
      }),
    act: (resource, id, action, by, input = {}) =>
      bench.call('POST', `/admin/${resource}/${id}/${action}`, by, input),
    approvedOvertime: async (input = {}) => {
      const added = await calls.addOvertime(input);
      expect(added.message).toBe('');
      const id = idsOf(added)[0]!;
      expect((await calls.act('overtimeRecord', id, 'approve', 'chief')).http).toBe(200);
      return id;
    },
    balance: async (account = 'anna') =>
      (await bench.call('GET', `/admin/overtime/staff/N-${account}`, 'admin')).data.balance,
    isConsistent: async () =>
      expect((await balanceInvariant.check(bench.product.platform)).problems).toEqual([]),
  };
  return calls;
}
