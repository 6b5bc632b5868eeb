import type { RefValue } from '../../../kernel/contract/fields.ts';
import { onDuty, worksIn } from '../../../domain/advice/advice.server.ts';
import { projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { boundPropertyStaff } from '../property-staff/property-staff.server.ts';
import { customerStaff } from './customer-staff.contract.ts';

/** Staff of the company who may be added, and (by id) those who were. */
const candidates: OptionSource = {
  target: 'customerCandidate',
  anyOf: [customerStaff.menu],
  find: async ({ caller, platform }, query) => {
    const parameters = new Parameters();
    const parts = [
      placeCondition(caller, { tenant: 's.tenant_id', project: 'none' }, parameters),
      'n.kind <> 2',
    ];
    if (query.ids.length > 0) parts.push(`s.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    else parts.push(`s.state = 'normal' AND NOT s.is_customer_service`);
    if (query.searchVal)
      parts.push(`(s.name || ' ' || s.account) ILIKE ${parameters.bind(containing(query.searchVal))}`);
    const rows = await run<{ id: number; title: string; note: string }>(
      platform.database.db,
      `SELECT s.id, s.name AS title, concat_ws(' · ', s.account, n.name) AS note FROM staff s JOIN tenant n ON n.id = s.tenant_id
        WHERE ${parts.join(' AND ')} ORDER BY ${nameOrder('s.name')}, s.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map((row) => ({ ...row, id: String(row.id) }));
  },
};

const bound = bindResource(customerStaff, {
  table: 'customer_staff',
  from: 'customer_staff t LEFT JOIN staff s ON s.id = t.staff_id',
  columns: {
    staff: { id: 't.staff_id', title: 's.name' },
    name: 's.name',
    newName: `NULL::text`,
    mobilePhone: `NULL::text`,
    department: { id: 'NULL::bigint', title: 'NULL::text' },
    photo: 's.photo_id',
    sex: 's.sex::text',
    phone: 's.phone',
    email: 's.email',
    projects: `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', p.id::text, 'title', p.name) ORDER BY p.id), '[]') FROM project p WHERE ${worksIn('p.id')})`,
    onDuty: `(${onDuty('now()').replaceAll('c.id', 't.id')})`,
    openItems: `(SELECT count(*)::integer FROM advice a WHERE a.handler_id = t.staff_id AND a.state = 'unreplied')`,
    firstReply: `(SELECT round((avg(extract(epoch FROM a.first_replied_at - a.created_at)) / 3600)::numeric, 1)::text FROM advice a
      WHERE a.handler_id = t.staff_id AND a.first_replied_at IS NOT NULL AND a.created_at > now() - interval '90 days')`,
  },
  writes: { staff: 'staff_id', newName: false, mobilePhone: false, department: false },
  completes: ['staff'],
  lines: { duty: { table: 'customer_duty', own: 'customer_staff_id' } },
  scope: { tenant: 't.tenant_id', project: 'none', owner: 't.staff_id' },
  search: 'lower(s.name)',
  searchExact: ['s.phone'],
  unique: { customer_staff_once: ['该员工已是客服人员', 'This person is customer-service staff already'] },
  before: [check],
  handlers: {
    remove: async ({ tx, id, row }) => {
      await run(tx, 'DELETE FROM customer_staff WHERE id = $1', [id]);
      await run(tx, 'UPDATE staff SET is_customer_service = false WHERE id = $1', [row.staff_id]);
    },
  },
  present: async (rows, db, caller) => {
    await showFiles(rows, db, 'photo');
    for (const row of rows)
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
  },
  also: { options: [candidates] },
});

/** Customer service of the property companies. */
export const registration = bound.registration;

interface Hours {
  readonly weekday: string;
  readonly fromTime: string;
  readonly toTime: string;
}

/** Hours that overlap, no pool at all; a new row takes the flag and the company of its staff. */
async function check(context: ActionContext): Promise<void> {
  const { action, tx, input, row, columns, caller } = context;
  if (action !== 'create' && action !== 'update') return;
  const pools = (['complaint', 'suggestion', 'enquiry'] as const).map((name) => input[name] ?? row[name]);
  if (!pools.some(Boolean)) throw invalid({ complaint: ['至少受理一种类型', 'Choose at least one type'] });
  const duty = (input.duty as readonly Hours[] | undefined) ?? [];
  for (const [index, one] of duty.entries()) {
    const n = index + 1;
    if (one.toTime <= one.fromTime)
      throw invalid({ duty: [`第 ${n} 行结束须晚于开始`, `Row ${n}: the end must be after the beginning`] });
    const clash = duty.findIndex(
      (other, at) =>
        at < index &&
        other.weekday === one.weekday &&
        other.fromTime < one.toTime &&
        one.fromTime < other.toTime,
    );
    if (clash >= 0)
      throw invalid({ duty: [`第 ${n} 行与第 ${clash + 1} 行重叠`, `Row ${n} overlaps row ${clash + 1}`] });
  }
  if (action !== 'create') return;
  const staffId = input.staff ? Number(input.staff) : await newPerson(context);
  if (input.staff && (input.newName || input.mobilePhone || input.department))
    throw invalid({ staff: ['员工与新人只填一项', 'Either somebody who is there or a new person'] });
  columns.staff_id = staffId;
  // Only whom the picker offers: staff of a foreign company are as if they did not exist.
  const parameters = new Parameters();
  const staff = await runOne<{ tenant_id: number }>(
    tx,
    `UPDATE staff s SET is_customer_service = true FROM tenant n WHERE n.id = s.tenant_id AND n.kind <> 2 AND s.state = 'normal'
        AND s.id = ${parameters.bind(staffId)} AND ${placeCondition(caller, { tenant: 's.tenant_id', project: 'none' }, parameters)} RETURNING s.tenant_id`,
    parameters.values,
  );
  if (!staff) throw notFound();
  columns.tenant_id = staff.tenant_id;
}

/** Takes somebody on as property staff would: an account by phone, its one-time password by SMS, with the right to add people. */
async function newPerson(context: ActionContext): Promise<number> {
  const { tx, input } = context;
  const missing: Record<string, Label> = {};
  for (const name of ['newName', 'mobilePhone', 'department'])
    if (!input[name]) missing[name] = ['选择员工，或填写新人', 'Choose somebody, or write who is new'];
  if (Object.keys(missing).length > 0) throw invalid(missing);
  const made = await boundPropertyStaff.actIn(tx, context, 'create', undefined, {
    name: input.newName,
    mobilePhone: input.mobilePhone,
    department: String(input.department),
    serviceStaff: false,
  });
  return Number(made.id);
}
