import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import type { ActionSpec } from '../../../kernel/contract/resource.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { TodoKind } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { bindHousehold } from '../../../domain/residents/house-transfer.server.ts';
import { memberOf } from '../../../domain/residents/member.server.ts';
import { IDENTITIES, LOG_ACTIONS } from '../../../domain/residents/registration.rules.ts';
import { houseOptions, logRegistration } from '../../../domain/residents/residents.server.ts';
import { checkPictures } from '../picture-columns.server.ts';
import { household } from './house.contract.ts';
import { HOUSE_REF, houseJoins, onHouse } from './house-place.server.ts';
import { householdImport } from './household-import.server.ts';

type Identity = keyof typeof IDENTITIES;
const SCOPE = onHouse('t.created_by');

/** People of houses. */
export const boundHousehold: BoundResource = bindResource(household, {
  table: 'household',
  stateColumn: 'status',
  from: `household t LEFT JOIN member m ON m.id = t.member_id ${houseJoins('t.house_id')} LEFT JOIN project p ON p.id = x.project_id
    LEFT JOIN staff s ON s.id = t.created_by`,
  columns: {
    project: { id: 'x.project_id', title: 'p.name' },
    building: { id: 'u.building_id', title: 'b.name' },
    unit: { id: 'x.unit_id', title: 'u.name' },
    floor: 'x.floor',
    house: HOUSE_REF,
    name: `coalesce(nullif(m.name, ''), m.nickname)`,
    phone: 'm.phone',
    idNo: 'm.id_no',
    photo: 't.photo_id',
    state: 't.status',
    creator: { id: 't.created_by', title: 's.name' },
  },
  writes: {
    house: false,
    name: false,
    phone: false,
    idNo: false,
    photo: false,
    identity: false,
    consent: false,
    remark: false,
  },
  scope: SCOPE,
  searchExact: ['m.phone', 'm.name', 'x.number'],
  unique: { household_payer: ['该房屋已有缴费业主', 'The house has a paying owner'] },
  handlers: {
    create: bindPerson,
    pass: (context) => decide(context, 'approve', 'normal'),
    refuse: (context) => decide(context, 'refuse', 'refused'),
    unbind: (context) => decide(context, 'unbind', 'deleted'),
    identity: changeIdentity,
  },
  after: [tellHouse],
  present: (rows, db) => showFiles(rows, db, 'photo'),
  also: {
    options: [houseOptions('enquiryHouse', [household.menu]), houseOptions('mergeHouse', [household.menu])],
    imports: [householdImport(() => boundHousehold)],
    todos: [toReview()],
  },
});

export const registration = boundHousehold.registration;

/** Binds somebody to a house: the member of the phone number, or a new one. Family and tenants without an owner's word wait. */
async function bindPerson(context: ActionContext): Promise<ActionResult> {
  const { tx, input, caller, platform } = context;
  const house = await runOne<{ project_id: number; merged_into_id: number | null }>(
    tx,
    'SELECT project_id, merged_into_id FROM house WHERE id = $1 FOR NO KEY UPDATE',
    [input.house],
  );
  if (!house) throw notFound();
  requireProjectsInReach(caller, [house.project_id]);
  if (house.merged_into_id !== null)
    throw invalid({ house: ['该房屋已并入其他房屋', 'The house is part of another now'] });
  const photo = (input.photo ?? null) as string | null;
  if (photo) await checkPictures(context, 'photo', [photo]);
  const staffId = staffIdOf(caller)!;
  const identity = input.identity as Identity;
  const status = identity === 'owner' || input.consent === true ? 'normal' : 'reviewing';
  const memberId = await memberOf(tx, {
    name: String(input.name),
    phone: String(input.phone),
    idNo: input.idNo as string | null | undefined,
    projectId: house.project_id,
    channel: context.facts.address === '' ? 'import' : 'housekeeper',
    staffId,
  });
  const id = await bindHousehold(tx, {
    memberId,
    houseId: Number(input.house),
    identity,
    status,
    staffId,
  });
  await run(
    tx,
    'UPDATE household SET photo_id = $2, consent = $3, remark = $4, updated_by = $5 WHERE id = $1',
    [id, photo, identity !== 'owner' && input.consent === true, String(input.remark ?? ''), staffId],
  );
  await log(tx, platform, id, 'bind', staffId);
  return {
    id,
    to: status,
    remark:
      status === 'reviewing' ? '待审核' : input.consent === true && identity !== 'owner' ? '业主已同意' : '',
  };
}

async function decide(
  { tx, id, input, caller, platform }: ActionContext,
  action: keyof typeof LOG_ACTIONS,
  to: 'normal' | 'refused' | 'deleted',
): Promise<ActionResult> {
  await log(tx, platform, id, action, staffIdOf(caller));
  return { to, ...(input.reason ? { remark: String(input.reason) } : {}) };
}

/** Another identity, and who pays: the payer of before pays no more. */
async function changeIdentity({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const identity = input.identity as Identity;
  if (input.pays === true && identity !== 'owner')
    throw invalid({ pays: ['缴费业主须为业主', 'Who pays is an owner'] });
  // Two who are made payer at once come one after the other.
  await runOne(tx, 'SELECT 1 FROM house WHERE id = $1 FOR NO KEY UPDATE', [row.house_id]);
  if (input.pays === true)
    await run(
      tx,
      `UPDATE household SET pays = false, version = version + 1, updated_at = now(), updated_by = $3 WHERE house_id = $1 AND pays AND id <> $2`,
      [row.house_id, id, staffIdOf(caller)],
    );
  const words = (one: unknown) => IDENTITIES[one as Identity].label[0];
  const pays = input.pays === true || (identity === 'owner' && row.pays === true);
  return {
    set: { identity, pays },
    changes: [{ field: 'identity', before: row.identity, after: identity }],
    remark: `${words(row.identity)} → ${words(identity)}${input.pays === true ? ' · 缴费业主' : ''} · ${String(input.reason)}`,
  };
}

/** What happens to a person of a house stands in the history of the house, too. */
async function tellHouse({ tx, action, caller, input }: ActionContext, id: number) {
  const spec = (household.actions as Readonly<Record<string, ActionSpec>>)[action];
  if (!spec) return [];
  const row = (await runOne<{ house_id: number; name: string; identity: Identity; status: string }>(
    tx,
    `SELECT t.house_id, coalesce(nullif(m.name, ''), m.nickname) AS name, t.identity, t.status FROM household t JOIN member m ON m.id = t.member_id WHERE t.id = $1`,
    [id],
  ))!;
  await writeTimeline(tx, {
    entity: 'house',
    entityId: row.house_id,
    caller,
    action: `household.${action}`,
    label: spec.label,
    remark: [IDENTITIES[row.identity].label[0], maskValue('name', row.name), input.reason]
      .filter(Boolean)
      .join(' '),
  });
  return [];
}

async function log(
  tx: Tx,
  platform: ActionContext['platform'],
  id: number,
  action: keyof typeof LOG_ACTIONS,
  staffId: number | null,
): Promise<void> {
  const row = (await runOne<{
    phone: string;
    member_id: number;
    house_id: number;
    project_id: number;
    identity: Identity;
  }>(
    tx,
    `SELECT m.phone, t.member_id, t.house_id, x.project_id, t.identity FROM household t JOIN member m ON m.id = t.member_id JOIN house x ON x.id = t.house_id WHERE t.id = $1`,
    [id],
  ))!;
  await logRegistration(tx, platform, {
    phone: row.phone,
    memberId: row.member_id,
    action,
    projectId: row.project_id,
    houseId: row.house_id,
    identity: row.identity,
    ...(staffId === null ? {} : { staffId }),
  });
}

/** People somebody has to look at. */
function toReview(): TodoKind {
  return {
    kind: 'householdToReview',
    label: ['住户待审核', 'Households to review'],
    menu: household.menu,
    route: '/companymanager/cs_houseEnquiry?tab=reviewing',
    order: 43,
    count: async ({ caller, platform }) => {
      const parameters = new Parameters();
      const row = await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*) AS count, min(t.applied_at) AS oldest, count(*) FILTER (WHERE t.applied_at < now() - interval '2 days') AS overdue
           FROM household t JOIN house x ON x.id = t.house_id WHERE t.status = 'reviewing' AND ${scopeCondition(caller, household.menu, SCOPE, parameters)}`,
        parameters.values,
      );
      return row!;
    },
  };
}
