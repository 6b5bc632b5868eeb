import { fill, type Label } from '../../../kernel/contract/label.ts';
import { run, runOne, transaction, type Tx } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Job, RecordPrefix, TodoKind } from '../../../kernel/server/registration.ts';
import { NOW, fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { feeItemOptions } from '../../../domain/charging/fee-item-options.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { checkPictures } from '../picture-columns.server.ts';
import { houseCustody, INSPECTION_RESULTS } from './custody.contract.ts';
import { custodyApplicants, custodyHouses, maskedName } from './custody-options.server.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const ROUTE = '/companymanager/cs_escrow';
const DUE = `(t.state = 'accepted' AND t.next_inspection_on <= ${TODAY})`;
const REQUIRED: Label = ['此项必填', 'This field is required'];
const OPEN: Label = ['该房屋已有进行中的同类托管', 'The house has an open custody of this service'];
const KEY_OUT: Label = ['钥匙未归还', 'Key not returned'];
/** A custody lies in the project of its house; merchants see none. */
const SCOPE = residentScope('t.project_id', 't.created_by');

const sight = listSight({
  entity: houseCustody.name,
  menu: houseCustody.menu,
  table: 'house_custody',
  scope: SCOPE,
});
const keysBack = (row: DbRow): Label | undefined => (Number(row.keysOut) > 0 ? KEY_OUT : undefined);

const bound: BoundResource = bindResource(houseCustody, {
  table: 'house_custody',
  from: `house_custody t LEFT JOIN project p ON p.id = t.project_id LEFT JOIN house x ON x.id = t.house_id
    LEFT JOIN building_unit u ON u.id = x.unit_id LEFT JOIN building b ON b.id = u.building_id
    LEFT JOIN household hh ON hh.id = t.household_id LEFT JOIN member m ON m.id = hh.member_id`,
  joins: {
    house: { table: 'house', title: `b.name || ' ' || u.name || ' ' || x.number` },
    applicant: { table: 'household', column: 'household_id', title: maskedName('m.name') },
    handler: 'staff',
    feeItem: { table: 'fee_item', column: 'fee_item_id' },
    creator: { table: 'staff', column: 'created_by' },
  },
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    name: 'm.name',
    phone: 'm.phone',
    appliedAt: 't.created_at',
  },
  unique: { house_custody_open: OPEN },
  scope: SCOPE,
  search: `lower(t.code || ' ' || t.key_no || ' ' || t.remark)`,
  searchExact: ['m.name', 'm.phone', 'x.number'],
  codePrefix: 'HC',
  tabs: {
    due: () => DUE,
    keysOut: () => 't.keys_out > 0',
    closed: () => `t.state IN ('completed', 'cancelled')`,
  },
  ruleReads: ['keys', 'keysOut'],
  rowRules: {
    keyOut: (row) =>
      Number(row.keys) === 0
        ? ['没有托管钥匙', 'No key is kept']
        : Number(row.keysOut) >= Number(row.keys)
          ? ['钥匙已全部借出', 'Every key is out']
          : undefined,
    keyBack: (row) => (Number(row.keysOut) === 0 ? ['没有借出的钥匙', 'No key is out'] : undefined),
    finish: keysBack,
    // Whoever has the key would keep it: nothing asks for it any more once the custody is over.
    cancel: keysBack,
  },
  sets: {
    finish: { ended_at: NOW, next_inspection_on: null },
    cancel: { ended_at: NOW, next_inspection_on: null, cancel_reason: fromInput('reason') },
  },
  handlers: {
    create,
    handle,
    inspect,
    keyOut: (context) => moveKeys(context, 'out'),
    keyBack: (context) => moveKeys(context, 'back'),
  },
  also: {
    options: [custodyHouses, custodyApplicants, feeItemOptions('custodyFeeItem', [houseCustody.menu])],
    sights: [sight],
    todos: [inspectionsDue(), toAccept()],
    prefixes: [custodyPrefix()],
    jobs: [inspectDue()],
  },
});

/** Custody of houses. */
export const registration = bound.registration;

/** The project of the house, applicant, period and keys fit; the references were looked at before. */
async function create({ input, tx, columns }: ActionContext): Promise<void> {
  const problems: Record<string, Label> = {};
  // Whoever enters something for the house waits here, so that the second is told why instead of meeting the unique index.
  const place = (await runOne<{ project_id: number }>(
    tx,
    'SELECT project_id FROM house WHERE id = $1 FOR NO KEY UPDATE',
    [input.house],
  ))!;
  columns.project_id = place.project_id;
  const facts = await runOne<{ lives: boolean; over: boolean; open: boolean }>(
    tx,
    `SELECT EXISTS (SELECT FROM household x WHERE x.id = $2 AND x.house_id = $1 AND x.status = 'normal') AS lives, $3::date < ${TODAY} AS over,
            EXISTS (SELECT FROM house_custody c WHERE c.house_id = $1 AND c.service = $4 AND c.state IN ('to_accept', 'accepted')) AS open`,
    [input.house, input.applicant, input.endsOn, input.service],
  );
  if (!facts!.lives) problems.applicant = ['不是该房屋的住户', 'Not a resident of the house'];
  if (String(input.endsOn) < String(input.startsOn))
    problems.endsOn = ['不能早于开始日期', 'Not before the first day'];
  else if (facts!.over) problems.endsOn = ['结束日期已过', 'The day has passed'];
  if (input.service === 'keys' && !(Number(input.keys ?? 0) > 0)) problems.keys = REQUIRED;
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (facts!.open) throw ruleBroken(OPEN);
}

async function handle({ tx, row, input, caller }: ActionContext): Promise<ActionResult> {
  const next = (input.nextInspectionOn ?? null) as string | null;
  if (row.service === 'inspection' && next === null) throw invalid({ nextInspectionOn: REQUIRED });
  await checkNext(tx, row, next, undefined);
  const keyNo = typeof input.keyNo === 'string' && input.keyNo !== '' ? { key_no: input.keyNo } : {};
  return {
    set: { handler_id: caller.staffId, accepted_at: new Date(), next_inspection_on: next, ...keyNo },
  };
}

async function inspect(context: ActionContext): Promise<ActionResult> {
  const { tx, row, input, caller, id } = context;
  const photos = input.photos as string[];
  await checkPictures(context, 'photos', photos);
  const note = String(input.note ?? '').trim();
  if (input.result === 'problem' && note === '') throw invalid({ note: REQUIRED });
  const today = await runOne<{ day: string }>(tx, `SELECT ${TODAY}::text AS day`);
  const on = String(input.inspectedOn ?? today!.day);
  const clock = await runOne<{ later: boolean; early: boolean }>(
    tx,
    `SELECT $1::date > ${TODAY} AS later, $1::date < $2::date AS early`,
    [on, row.starts_on],
  );
  if (clock!.later) throw invalid({ inspectedOn: ['不能晚于今天', 'Not after today'] });
  if (clock!.early) throw invalid({ inspectedOn: ['不能早于托管开始', 'Not before the custody begins'] });
  const next = (input.nextInspectionOn ?? null) as string | null;
  await checkNext(tx, row, next, on);
  await run(
    tx,
    `INSERT INTO custody_inspection (custody_id, inspected_on, result, note, image_ids, staff_id) VALUES ($1, $2, $3, $4, $5, $6)`,
    [id, on, input.result, note, photos, caller.staffId],
  );
  const result = INSPECTION_RESULTS[input.result as keyof typeof INSPECTION_RESULTS].label;
  return {
    set: { next_inspection_on: next },
    remark: [`${on} ${result[0]}`, note].filter(Boolean).join('：'),
  };
}

/** The next day lies behind the last inspection, not in the past and inside the period. */
async function checkNext(tx: Tx, row: DbRow, next: string | null, after: string | undefined): Promise<void> {
  if (next === null) return;
  const clock = await runOne<{ past: boolean; outside: boolean; before: boolean }>(
    tx,
    `SELECT $1::date < ${TODAY} AS past, $1::date > $2::date AS outside, coalesce($1::date <= $3::date, false) AS before`,
    [next, row.ends_on, after ?? null],
  );
  if (clock!.past) throw invalid({ nextInspectionOn: ['不能早于今天', 'Not before today'] });
  if (clock!.before) throw invalid({ nextInspectionOn: ['须晚于本次巡查', 'After this inspection'] });
  if (clock!.outside) throw invalid({ nextInspectionOn: ['超出托管期', 'Outside of the period'] });
}

/** Hands keys out or takes them back; the table holds that no more are out than are kept. */
async function moveKeys(
  { tx, row, input, caller, id }: ActionContext,
  direction: 'out' | 'back',
): Promise<ActionResult> {
  const moved = Number(input.count);
  const out = Number(row.keys_out);
  const most = direction === 'out' ? Number(row.keys) - out : out;
  if (moved > most)
    throw invalid({
      count: fill(
        direction === 'out'
          ? ['最多可借出 {n} 把', 'At most {n}']
          : ['借出在外的只有 {n} 把', 'Only {n} are out'],
        { n: most },
      ),
    });
  await run(
    tx,
    `INSERT INTO custody_key_move (custody_id, direction, count, person, note, staff_id) VALUES ($1, $2, $3, $4, $5, $6)`,
    [id, direction, moved, input.person, input.note ?? '', caller.staffId],
  );
  return {
    set: { keys_out: direction === 'out' ? out + moved : out - moved },
    remark: `${String(input.person)} × ${moved}`,
  };
}

/** Tells the handler of an inspection on its day, once a day that is set. */
function inspectDue(): Job {
  return {
    name: 'custody.inspect_due',
    title: ['托管巡查到期提醒', 'Custody inspections that are due'],
    cron: '* * * * *',
    run: async (_payload, platform) => {
      await transaction(platform.database.db, async (tx) => {
        const due = await run<{ id: number; code: string; house: string; handler_id: number; day: string }>(
          tx,
          `UPDATE house_custody t SET told_on = t.next_inspection_on FROM house x, building_unit u, building b
            WHERE ${DUE} AND t.told_on IS DISTINCT FROM t.next_inspection_on AND x.id = t.house_id AND u.id = x.unit_id AND b.id = u.building_id
          RETURNING t.id, t.code, b.name || ' ' || u.name || ' ' || x.number AS house, t.handler_id, t.next_inspection_on::text AS day`,
        );
        for (const one of due)
          await notify(tx, {
            kind: 'custodyInspection',
            staffIds: [one.handler_id],
            rows: { sight, ids: [one.id] },
            title: ['托管房屋待巡查', 'A house in custody is to be inspected'],
            body: [
              `${one.house}（${one.code}）应于 ${one.day} 巡查`,
              `${one.house} (${one.code}) is to be inspected on ${one.day}`,
            ],
            route: `${ROUTE}?tab=due`,
          });
      });
    },
  };
}

function todo(kind: string, label: Label, route: string, order: number, condition: string): TodoKind {
  return {
    kind,
    label,
    menu: houseCustody.menu,
    route,
    order,
    count: async ({ caller, platform }) => {
      const parameters = new Parameters();
      const row = await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*) AS count, min(t.created_at) AS oldest, count(*) FILTER (WHERE t.next_inspection_on < ${TODAY}) AS overdue
           FROM house_custody t WHERE ${condition} AND ${scopeCondition(caller, houseCustody.menu, SCOPE, parameters)}`,
        parameters.values,
      );
      return row!;
    },
  };
}

/** Houses somebody has to look after today or should have before. */
function inspectionsDue(): TodoKind {
  return todo('custodyInspection', ['托管待巡查', 'Houses to inspect'], `${ROUTE}?tab=due`, 42, DUE);
}

/** Custodies nobody has accepted. */
function toAccept(): TodoKind {
  return todo(
    'custodyToAccept',
    ['托管待受理', 'Custody to accept'],
    `${ROUTE}?tab=to_accept`,
    41,
    `t.state = 'to_accept'`,
  );
}

/** HC numbers of the palette: whole, or the last six digits and more. */
function custodyPrefix(): RecordPrefix {
  return {
    prefix: 'HC',
    menu: houseCustody.menu,
    label: ['房屋托管', 'House custody'],
    find: async ({ caller, platform }, number) => {
      const digits = number.replace(/\D/g, '');
      if (digits.length < 6) return [];
      const parameters = new Parameters();
      const match = /^\d{14,}$/.test(digits)
        ? `t.code = ${parameters.bind(`HC${digits}`)}`
        : `t.code LIKE ${parameters.bind(`%${digits}`)}`;
      const rows = await run<{ code: string; title: string }>(
        platform.database.db,
        `SELECT t.code, b.name || ' ' || u.name || ' ' || x.number AS title FROM house_custody t JOIN house x ON x.id = t.house_id
           JOIN building_unit u ON u.id = x.unit_id JOIN building b ON b.id = u.building_id
          WHERE ${match} AND ${scopeCondition(caller, houseCustody.menu, SCOPE, parameters)} ORDER BY t.id DESC LIMIT 8`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, route: `${ROUTE}?code=${row.code}` }));
    },
  };
}
