import { containing } from '../../../kernel/server/resource/like-text.ts';
import { z } from 'zod';
import { addDays, businessDayOf, isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { bindReport, type ReportRequest } from '../../../kernel/server/report/bind.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { dayTypeOf } from '../../../domain/business-calendar/day-type.server.ts';
import { overtime } from './overtime.contract.ts';

import { usableMinutes } from './lots.server.ts';
import { OVERTIME_MENU } from './overtime.rules.ts';

const read = { code: OVERTIME_MENU } as const;
/** Number that stands in the paths of a staff's details: the staff number, else the account. */
const NUMBER = 'coalesce(t.staff_no, t.account)';
const idText = z.string().regex(/^\d{1,15}$/);

/** Overtime and time off of every staff, the two details' head, and what the forms ask. */
export const registration = bindReport(overtime, {
  compute: async ({ caller, platform }, request) => {
    const db = platform.replica.db;
    const rows = await staffRows(db, caller, request, request.from, request.to);
    const before = await staffRows(db, caller, request, request.previousFrom, request.previousTo);
    const sum = (list: readonly StaffRow[], name: Measure) =>
      hours(list.reduce((total, row) => total + row[name], 0));
    const figure = (name: Measure, compared: boolean) => ({
      value: sum(rows, name),
      previous: compared ? sum(before, name) : null,
      spark: [],
    });
    return {
      figures: {
        overtime: figure('overtime', true),
        used: figure('used', true),
        pending: figure('pending', false),
        balance: figure('balance', false),
      },
      charts: {},
      rows: rows.map((row) => ({
        ...row,
        overtime: hours(row.overtime),
        compensable: hours(row.compensable),
        used: hours(row.used),
        expired: hours(row.expired),
        pending: hours(row.pending),
        balance: hours(row.balance),
      })),
      sums: Object.fromEntries(MEASURES.map((name) => [name, sum(rows, name)])),
    };
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/admin/overtime/staff/:nameCode',
      title: ['员工加班概况', 'Overtime of a staff'],
      access: read,
      handle: async (call) => {
        const row = await findStaff(call.platform.database.db, call.caller, call.params.nameCode ?? '');
        return {
          ...row,
          id: String(row.id),
          usable: hours(await usableMinutes(call.platform.database.db, row.id, businessDayOf(new Date()))),
          balance: hours(row.balance),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/overtime/dayType',
      title: ['日类型', 'Day type'],
      access: read,
      query: z.strictObject({ day: z.string() }),
      handle: async (call) => {
        if (!isBusinessDay(call.query.day)) throw invalid({ day: ['日期不正确', 'The date is not valid'] });
        return { dayType: await dayTypeOf(call.platform.database.db, call.query.day) };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/overtime/monthly',
      title: ['加班按月统计', 'Overtime by month'],
      access: read,
      query: z.strictObject({
        department: idText.optional(),
        months: z.coerce.number().int().min(1).max(24).default(12),
      }),
      handle: async (call) => monthly(call.platform.replica.db, call.caller, call.query),
    }),
  ],
});

const MEASURES = ['overtime', 'compensable', 'used', 'expired', 'pending', 'balance'] as const;
type Measure = (typeof MEASURES)[number];
type StaffRow = Readonly<Record<Measure, number>> & {
  readonly id: number;
  readonly staffNo: string;
  readonly name: string;
  readonly department: string | null;
  readonly nextExpiry: string | null;
};

async function staffRows(
  db: Executor,
  caller: Caller,
  request: ReportRequest,
  from: string,
  to: string,
): Promise<StaffRow[]> {
  const { keyword, department, positive, expiring } = request.parameters;
  for (const [name, value] of Object.entries({ positive, expiring }))
    if (value !== undefined && value !== 'true' && value !== 'false')
      throw invalid({ [name]: ['请选择是或否', 'Please choose yes or no'] });
  const parameters = new Parameters();
  const [first, last] = [parameters.bind(from), parameters.bind(to)];
  const parts = [scopeOfStaff(caller, parameters), `(t.state <> 'left' OR b.id IS NOT NULL)`];
  if (keyword) {
    const like = parameters.bind(containing(keyword));
    parts.push(`(t.name ILIKE ${like} OR ${NUMBER} ILIKE ${like})`);
  }
  if (department)
    parts.push(
      `t.department_id IN (SELECT x.id FROM department x WHERE x.path && ${parameters.bind(department.split(',').map(Number))}::bigint[])`,
    );
  if (positive) parts.push(positive === 'true' ? 'coalesce(b.balance, 0) > 0' : 'coalesce(b.balance, 0) = 0');
  if (expiring)
    parts.push(
      `${expiring === 'true' ? '' : 'NOT '}coalesce(n.next <= ${parameters.bind(addDays(businessDayOf(new Date()), 30))}::date, false)`,
    );
  return run<StaffRow>(
    db,
    `SELECT t.id, ${NUMBER} AS "staffNo", t.name, d.name AS department,
            coalesce(o.minutes, 0) AS overtime, coalesce(o.credited, 0) AS compensable, coalesce(b.used, 0) AS used, coalesce(b.expired, 0) AS expired,
            coalesce(o.pending, 0) + coalesce(b.pending, 0) AS pending, coalesce(b.balance, 0) AS balance, n.next AS "nextExpiry"
       FROM staff t LEFT JOIN department d ON d.id = t.department_id
       LEFT JOIN (SELECT staff_id, sum(minutes) FILTER (WHERE state = 'approved' AND day BETWEEN ${first} AND ${last}) AS minutes,
                         sum(credited) FILTER (WHERE state = 'approved' AND day BETWEEN ${first} AND ${last}) AS credited,
                         sum(minutes) FILTER (WHERE state = 'pending') AS pending FROM overtime_record GROUP BY staff_id) o ON o.staff_id = t.id
       LEFT JOIN (SELECT staff_id, min(id) AS id, sum(minutes) FILTER (WHERE kind = 'leave' AND state = 'approved' AND day BETWEEN ${first} AND ${last}) AS used,
                         sum(minutes) FILTER (WHERE kind = 'expiry' AND day BETWEEN ${first} AND ${last}) AS expired,
                         sum(minutes) FILTER (WHERE kind = 'leave' AND state = 'pending') AS pending, sum(effect) AS balance FROM leave_record GROUP BY staff_id) b ON b.staff_id = t.id
       LEFT JOIN (SELECT staff_id, min(expires_on) AS next FROM leave_balance_lot WHERE NOT voided AND used + expired < minutes GROUP BY staff_id) n ON n.staff_id = t.id
      WHERE ${parts.join(' AND ')} ORDER BY t.id`,
    parameters.values,
  );
}

async function findStaff(db: Executor, caller: Caller, number: string) {
  const parameters = new Parameters();
  const given = parameters.bind(number);
  const row = await runOne<{
    id: number;
    name: string;
    staffNo: string;
    department: string | null;
    balance: number;
  }>(
    db,
    `SELECT t.id, t.name, ${NUMBER} AS "staffNo", d.name AS department, (SELECT coalesce(sum(r.effect), 0) FROM leave_record r WHERE r.staff_id = t.id) AS balance
       FROM staff t LEFT JOIN department d ON d.id = t.department_id
      WHERE ${NUMBER} = ${given} AND ${scopeOfStaff(caller, parameters)} ORDER BY t.staff_no = ${given} DESC NULLS LAST, t.id LIMIT 1`,
    parameters.values,
  );
  if (!row) throw notFound();
  return row;
}

/** Credited hours by month and day type, oldest month first; months without overtime are there with nothing. */
async function monthly(
  db: Executor,
  caller: Caller,
  query: { readonly department?: string | undefined; readonly months: number },
) {
  const parameters = new Parameters();
  const months = parameters.bind(query.months);
  const inside = query.department
    ? ` AND t.department_id IN (SELECT x.id FROM department x WHERE ${parameters.bind(Number(query.department))} = ANY(x.path))`
    : '';
  const rows = await run<{
    month: string;
    workday: number;
    rest_day: number;
    holiday: number;
    worked: number;
  }>(
    db,
    `SELECT to_char(m, 'YYYY-MM') AS month, ${['workday', 'rest_day', 'holiday'].map((type) => `coalesce(sum(r.credited) FILTER (WHERE r.day_type = '${type}'), 0) AS ${type}`).join(', ')}, coalesce(sum(r.minutes), 0) AS worked
       FROM generate_series(date_trunc('month', now() AT TIME ZONE 'Asia/Shanghai') - make_interval(months => ${months}::int - 1), date_trunc('month', now() AT TIME ZONE 'Asia/Shanghai'), interval '1 month') AS m
       LEFT JOIN (SELECT o.day, o.day_type, o.credited, o.minutes FROM overtime_record o JOIN staff t ON t.id = o.staff_id
                   WHERE o.state = 'approved' AND ${scopeOfStaff(caller, parameters)}${inside}) r ON date_trunc('month', r.day) = m
      GROUP BY m ORDER BY m`,
    parameters.values,
  );
  return rows.map((row) => ({
    month: row.month,
    workday: hours(row.workday),
    restDay: hours(row.rest_day),
    holiday: hours(row.holiday),
    worked: hours(row.worked),
  }));
}

function scopeOfStaff(caller: Caller, parameters: Parameters): string {
  return scopeCondition(
    caller,
    OVERTIME_MENU,
    { tenant: 't.tenant_id', project: 'none', owner: 't.id', ownTenant: true },
    parameters,
  );
}

function hours(minutes: number): number {
  return Math.round(minutes / 6) / 10;
}
