import { z } from 'zod';
import { monthBefore, addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Job } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { PERSON_MENU } from './business-person.contract.ts';
import { lastOf, monthsIn } from './business-marks.rules.ts';
import { figuresOf } from './business-marks.server.ts';
import { businessTarget, type PersonMonths, type TargetGrid } from './business-target.contract.ts';

/** Where what belongs to a business person stands: in the person's projects; `staff` is its column. */
export const personScope = (staff: string): ScopeColumns => ({
  tenant: 'NULL::bigint',
  project: (ids) =>
    `EXISTS (SELECT FROM business_person b JOIN business_person_project x ON x.person_id = b.id WHERE b.staff_id = ${staff} AND x.project_id = ANY(${ids}::bigint[]))`,
  owner: staff,
});

/** Business people a caller sees, by staff. */
export async function visiblePeople(
  db: Executor,
  caller: Caller,
): Promise<
  readonly {
    readonly id: number;
    readonly name: string;
    readonly department: string;
    readonly departmentId: number | null;
    readonly state: string;
  }[]
> {
  const parameters = new Parameters();
  return run(
    db,
    `SELECT t.staff_id AS id, s.name, coalesce(d.name, '') AS department, s.department_id AS "departmentId", t.state FROM business_person t JOIN staff s ON s.id = t.staff_id
       LEFT JOIN department d ON d.id = s.department_id WHERE ${scopeCondition(caller, PERSON_MENU, personScope('t.staff_id'), parameters)} ORDER BY s.name, t.staff_id`,
    parameters.values,
  );
}

/** A month such as 2026-11. */
export const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;
export const MONTH_FORM: Label = ['月份格式为 2026-11', 'Write it as 2026-11'];
const frozenText = (month: string): Label => [
  `${month} 已冻结，目标不能变更`,
  `${month} is frozen: its targets stay`,
];

const bound: BoundResource = bindResource(businessTarget, {
  table: 'business_target',
  from: 'business_target t LEFT JOIN staff p ON p.id = t.staff_id',
  joins: { staff: { table: 'staff', title: 'name' } },
  scope: personScope('t.staff_id'),
  columns: { key: `(p.account || ' ' || t.month)` },
  writes: { key: false },
  unique: { business_target_once: ['该人员当月已有目标', 'This person has a target for the month already'] },
  completes: ['staff', 'month'],
  before: [check],
  handlers: { copyMonth },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/businessTarget/grid',
      title: ['目标表', 'Targets of a year'],
      access: { code: PERSON_MENU },
      query: z.strictObject({ year: z.string().regex(/^20\d\d$/) }),
      handle: async ({ caller, platform, query }) => gridOf(platform.database.db, caller, query.year),
    }),
    endpoint({
      method: 'POST',
      path: '/jinmao/web/businessTarget/grid',
      title: ['保存目标表', 'Save targets'],
      access: { code: `${PERSON_MENU}:btn_target` },
      body: z.strictObject({
        value: z.enum(['newClients', 'visits', 'signedContracts', 'signedAmount', 'receivedAmount']),
        cells: z
          .array(
            z.strictObject({
              staff: z.string().regex(/^\d{1,15}$/),
              month: z.string().regex(MONTH),
              to: z.string().max(20).nullable(),
            }),
          )
          .min(1)
          .max(600),
      }),
      handle: async (call) => {
        await transaction(call.platform.database.db, async (tx) => {
          // In one order, so that two who save at once wait for each other and never for themselves.
          const cells = [...call.body.cells].sort((a, b) =>
            `${a.staff}.${a.month}`.localeCompare(`${b.staff}.${b.month}`),
          );
          for (const { staff, month, to } of cells) {
            const isMoney = call.body.value === 'signedAmount' || call.body.value === 'receivedAmount';
            const value = to === null || to === '' ? null : isMoney ? to : Number(to);
            const held = await runOne<{ id: number }>(
              tx,
              'SELECT id FROM business_target WHERE staff_id = $1 AND month = $2 FOR UPDATE',
              [Number(staff), month],
            );
            if (held) await bound.actIn(tx, call, 'update', held.id, { [call.body.value]: value });
            else if (value !== null)
              await bound.actIn(tx, call, 'create', undefined, { staff, month, [call.body.value]: value });
          }
        });
        call.platform.changed('businessTarget');
        return { saved: call.body.cells.length };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/businessTarget/months',
      title: ['逐月目标与实绩', 'Targets and figures by month'],
      access: { code: PERSON_MENU },
      query: z.strictObject({ staff: z.string().regex(/^\d{1,15}$/) }),
      handle: async ({ caller, platform, query }) => {
        const { db } = platform.database;
        const staffId = Number(query.staff);
        if (!(await visiblePeople(db, caller)).some((one) => one.id === staffId)) throw notFound();
        return monthsOfPerson(db, staffId);
      },
    }),
  ],
  also: { jobs: [monthJob()] },
});

/** Targets of business people, and the months that are frozen. */
export const registration = bound.registration;

const isFrozen = async (db: Executor, month: string) =>
  (await runOne(db, 'SELECT 1 FROM business_month WHERE month = $1 LIMIT 1', [month])) !== undefined;

/** A person the caller sees, and a month that is not frozen. */
async function check({ tx, action, input, row, columns, caller }: ActionContext): Promise<void> {
  if (action === 'copyMonth') return;
  if (action === 'create' && input.key) {
    // A line of a file names account and month together.
    const [account = '', month = ''] = String(input.key).trim().split(/\s+/);
    const staff = await runOne<{ id: number }>(
      tx,
      'SELECT s.id FROM staff s JOIN business_person b ON b.staff_id = s.id WHERE lower(s.account) = lower($1)',
      [account],
    );
    if (!staff) throw invalid({ key: ['没有此招商人员', 'There is no such business person'] });
    if (!MONTH.test(month)) throw invalid({ key: MONTH_FORM });
    Object.assign(columns, { staff_id: staff.id, month });
  }
  const month = String(action === 'create' ? (columns.month ?? '') : row.month);
  if (action === 'create') {
    const problems: Record<string, Label> = {};
    if (!MONTH.test(month)) problems.month = MONTH_FORM;
    if (!columns.staff_id) problems.staff = ['请选择', 'Choose one'];
    if (Object.keys(problems).length > 0) throw invalid(problems);
    if (!(await visiblePeople(tx, caller)).some((one) => one.id === Number(columns.staff_id)))
      throw notFound();
  }
  if (await isFrozen(tx, month)) throw ruleBroken(frozenText(month));
}

/** Targets of a month become those of another; who has one there already keeps it. */
async function copyMonth(context: ActionContext): Promise<ActionResult> {
  const { tx, input, caller, platform } = context;
  const [source, to] = [String(input.source), String(input.copyTo)];
  if (!MONTH.test(source)) throw invalid({ source: MONTH_FORM });
  if (!MONTH.test(to)) throw invalid({ copyTo: MONTH_FORM });
  if (source === to) throw invalid({ copyTo: ['须与来源月份不同', 'Another month than the one copied'] });
  const people = (await visiblePeople(tx, caller))
    .filter((one) => one.state === 'active' || one.state === 'paused')
    .map((one) => one.id);
  const rows = await run<{
    staff: string;
    newClients: number | null;
    visits: number | null;
    signedContracts: number | null;
    signed: string | null;
    received: string | null;
  }>(
    tx,
    `SELECT t.staff_id::text AS staff, t.new_clients AS "newClients", t.visits, t.signed_contracts AS "signedContracts",
            (t.signed_amount / 100.0)::numeric(14, 2)::text AS signed, (t.received_amount / 100.0)::numeric(14, 2)::text AS received
       FROM business_target t WHERE t.month = $1 AND t.staff_id = ANY($3::bigint[])
        AND NOT EXISTS (SELECT FROM business_target o WHERE o.month = $2 AND o.staff_id = t.staff_id) ORDER BY t.staff_id`,
    [source, to, people],
  );
  if (rows.length === 0)
    throw ruleBroken(['来源月份没有可复制的目标', 'There is no target to copy from that month']);
  for (const { signed, received, ...row } of rows)
    await bound.actIn(tx, context, 'create', undefined, {
      ...row,
      month: to,
      signedAmount: signed,
      receivedAmount: received,
    });
  platform.changed('businessTarget');
  return { told: true, result: { targets: rows.length } };
}

async function gridOf(db: Executor, caller: Caller, year: string): Promise<TargetGrid> {
  const people = (await visiblePeople(db, caller)).filter((one) => one.state !== 'left');
  const cells = await run<TargetGrid['cells'][number]>(
    db,
    `SELECT staff_id::text AS staff, month, new_clients AS "newClients", visits, signed_contracts AS "signedContracts",
            (signed_amount / 100.0)::numeric(14, 2)::text AS "signedAmount", (received_amount / 100.0)::numeric(14, 2)::text AS "receivedAmount"
       FROM business_target WHERE month LIKE $1 AND staff_id = ANY($2::bigint[]) ORDER BY 1, 2`,
    [`${year}-%`, people.map((one) => one.id)],
  );
  const frozen = await run<{ month: string }>(
    db,
    'SELECT DISTINCT month FROM business_month WHERE month LIKE $1 ORDER BY 1',
    [`${year}-%`],
  );
  return {
    people: people.map(({ id, name }) => ({ id: String(id), name })),
    frozen: frozen.map((one) => one.month),
    cells,
  };
}

/** The last twelve months of a person and the two to come. */
async function monthsOfPerson(db: Executor, staffId: number): Promise<PersonMonths> {
  const today = businessDayOf(new Date());
  const months = monthsIn(addDays(today, -335), addDays(today, 45));
  const figures = await figuresOf(db, [staffId], months);
  const frozen = await run<{ month: string }>(
    db,
    'SELECT month FROM business_month WHERE staff_id = $1 AND month = ANY($2::text[])',
    [staffId, months],
  );
  return {
    months: months.map((month) => {
      const one = figures.get(`${staffId}.${month}`)!;
      return {
        month,
        signed: one.signed / 100,
        received: one.received / 100,
        target: one.target === null ? null : one.target / 100,
        frozen: frozen.some((row) => row.month === month),
      };
    }),
  };
}

/** Writes the figures of a month down once and for all; false where they are already. Source: group 20, jobs, business.month. */
export async function freezeMonth(tx: Tx, month: string): Promise<boolean> {
  await run(tx, `SELECT pg_advisory_xact_lock(hashtext('business_month'))`);
  if (await isFrozen(tx, month)) return false;
  const people = await run<{ id: number }>(
    tx,
    'SELECT staff_id AS id FROM business_person WHERE created_at < $1::date + 1 ORDER BY 1',
    [lastOf(month)],
  );
  const figures = await figuresOf(
    tx,
    people.map((one) => one.id),
    [month],
  );
  for (const { id } of people) {
    const one = figures.get(`${id}.${month}`)!;
    await run(
      tx,
      `INSERT INTO business_month (staff_id, month, new_clients, follow_ups, visits, signed_contracts, signed_amount, received_amount, target_amount)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [id, month, one.fresh, one.follows, one.visits, one.contracts, one.signed, one.received, one.target],
    );
  }
  return true;
}

/** Freezes the month that is over. The pattern is UTC: 19:00 is 03:00 of the business day; a run that was missed is made up for. */
function monthJob(): Job {
  return {
    name: 'business.month',
    title: ['招商业绩月度冻结', 'Figures of business people of the month'],
    cron: '0 19 * * *',
    run: async (_payload, platform: Platform, context) => {
      const month = monthBefore(businessDayOf(new Date()));
      const done = await transaction(platform.database.db, (tx) => freezeMonth(tx, month));
      if (done) platform.changed('businessPerson');
      context?.print(done ? `${month} 已冻结 / frozen` : '—');
    },
  };
}
