import { generatePassword, hashPassword } from '../../../kernel/server/people/password-hash.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import { isOneself, type Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, transactionBeside, type Executor } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import {
  endSessions,
  notifyStaffChanged,
  SSO_CLIENT,
} from '../../../kernel/server/people/session-changes.ts';
import { checkAttachable, showFiles } from '../../../kernel/server/files/files.ts';
import { differences, type FieldChange } from '../../../kernel/server/audit/audit.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import {
  tellEmailChanged,
  tellPhoneChanged,
  tellSsoChanged,
} from '../../frame/profile/sign-in-ways.server.ts';
import {
  filteredProjects,
  projectsInReach,
  requireProjectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import { storePassword } from '../../../domain/staff-account/set-password.server.ts';
import { approvalsOfCompanyFollow } from '../../../domain/approval/follow-structure.server.ts';
import {
  attachedTo,
  keepOneAdministrator,
  mayReveal,
  projectIdsOf,
  SELF,
  sendInitialPassword,
  setGroups,
  setProjects,
  setStations,
  STAFF,
} from './staff-commands.server.ts';
import { openItemsOf } from './handover.server.ts';
import { checkUnique } from './staff-unique.server.ts';
import { requireSeats } from '../../../domain/tenant/tenant-package.server.ts';
import {
  protectAdministrators,
  putIntoDepartment,
  rearrange,
  refuseOwnPhone,
  refuseOwnSso,
  requireDepartmentRights,
  requireReach,
} from '../permission-group/reach-rules.server.ts';

const SEX = `(ARRAY['female','male','unknown'])[t.sex + 1]`;
const SEX_CODES: Readonly<Record<string, number>> = { female: 0, male: 1, unknown: 2 };
const ONLINE = `EXISTS (SELECT 1 FROM session s WHERE s.staff_id = t.id AND s.ended_at IS NULL AND s.last_seen_at > now() - interval '5 minutes')`;

/** The binding of staff, shared by the three views; they differ in scope only. */
export function staffBinding(scope: Binding['scope']): Binding {
  return {
    table: 'staff',
    entity: STAFF,
    from: `staff t LEFT JOIN tenant n ON n.id = t.tenant_id LEFT JOIN department d ON d.id = t.department_id LEFT JOIN staff l ON l.id = t.leader_id LEFT JOIN staff u ON u.id = t.updated_by`,
    columns: {
      sex: SEX,
      mobilePhone: 't.phone',
      tenant: { id: 't.tenant_id', title: 'n.name' },
      tenantType: 'n.kind::text',
      department: { id: 't.department_id', title: 'd.name' },
      leader: { id: 't.leader_id', title: 'l.name' },
      stations: 'ARRAY(SELECT ss.station_id FROM staff_station ss WHERE ss.staff_id = t.id)',
      groups:
        'ARRAY(SELECT gm.group_id FROM group_member gm WHERE gm.staff_id = t.id AND (gm.expires_at IS NULL OR gm.expires_at > now()))',
      projects: 'ARRAY(SELECT sp.project_id FROM staff_project sp WHERE sp.staff_id = t.id)',
      locked: '(t.locked_until IS NOT NULL AND t.locked_until > now())',
      online: ONLINE,
      photo: 't.photo_id',
      sendSms: 'false',
      signedInWithin: 'NULL::bigint',
      notSignedInWithin: 'NULL::bigint',
      sessions: '(SELECT count(*) FROM session s WHERE s.staff_id = t.id AND s.ended_at IS NULL)',
      updater: 'u.name',
    },
    writes: {
      sex: false,
      mobilePhone: 'phone',
      stations: false,
      groups: false,
      projects: false,
      allProjects: false,
      sendSms: false,
    },
    scope,
    search: `lower(t.name || ' ' || t.account || ' ' || coalesce(t.staff_no, ''))`,
    searchExact: ['t.phone'],
    filters: {
      projects: (value, parameters, caller) =>
        attachedTo(parameters.bind(filteredProjects(caller, 'projects', value))),
      signedInWithin: (value, parameters) =>
        `t.last_login_at >= now() - make_interval(days => ${parameters.bind(daysOf('signedInWithin', value))}::int)`,
      notSignedInWithin: (value, parameters) =>
        `(t.last_login_at IS NULL OR t.last_login_at < now() - make_interval(days => ${parameters.bind(daysOf('notSignedInWithin', value))}::int))`,
    },
    tabs: {
      never: () => `t.last_login_at IS NULL AND t.state <> 'left'`,
      unused: () => `t.last_login_at < now() - interval '90 days' AND t.state <> 'left'`,
    },
    extra: { is_self: 't.id' },
    rowRules: {
      enable: notOneself,
      disable: notOneself,
      archive: notOneself,
      rehire: notOneself,
      resetPassword: notOneself,
      unlock: (row) => (row.locked ? undefined : ['账号未被锁定', 'The account is not locked']),
      kick: (row) => (Number(row.sessions) > 0 ? undefined : ['没有在线的登录', 'There is no live session']),
    },
    before: [requireSeat],
    present: presentLists,
    readChange: projectChange,
    handlers: {
      create,
      update,
      enable: changeState,
      disable: changeState,
      archive,
      rehire: changeState,
      unlock,
      resetPassword,
      kick,
      assignGroups,
      assignProjects,
      changeGroups,
      changeProjects,
      assignDepartment,
    },
    createDefaults: async (_tx, caller) => ({ tenant_id: caller.tenantId }),
    optionNote: 't.account',
  };
}

function daysOf(name: string, value: string): number {
  if (!/^\d{1,4}$/.test(value))
    throw invalid({ [name]: ['请输入0至9999的整数', 'Please enter a whole number from 0 to 9999'] });
  return Number(value);
}

function notOneself(row: DbRow, caller: Caller) {
  return Number(row.is_self) === caller.staffId ? SELF : undefined;
}

/** Whoever comes to work needs a seat of the company's package. */
async function requireSeat({ action, caller, row, tx }: ActionContext): Promise<void> {
  if (action === 'create') await requireSeats(tx, caller.tenantId, 1);
  else if (action === 'enable' || action === 'rehire') await requireSeats(tx, Number(row.tenant_id), 1);
}

/** A change of projects as far as the reader works in them: who joined or left others is not told of which. */
function projectChange(change: FieldChange, caller: Caller): FieldChange | undefined {
  if (change.field !== 'projects') return change;
  const told = (value: unknown) => projectsInReach(caller, (value ?? []) as { id: string }[]);
  return differences({ projects: told(change.before) }, { projects: told(change.after) })[0];
}

/** Replaces ids of posts, groups and projects by `{id, title}`, with one query each for the whole page. */
async function presentLists(rows: DbRow[], db: Executor, caller: Caller): Promise<void> {
  const titles = async (field: string, sql: string) => {
    const ids = [...new Set(rows.flatMap((row) => (row[field] as number[] | undefined) ?? []))];
    const found = ids.length === 0 ? [] : await run<{ id: number; title: string }>(db, sql, [ids]);
    const byId = new Map(found.map((one) => [one.id, one.title]));
    for (const row of rows)
      row[field] = ((row[field] as number[] | undefined) ?? []).map((id) => ({
        id: String(id),
        title: byId.get(id) ?? '',
      }));
  };
  await titles('stations', 'SELECT id, name AS title FROM station WHERE id = ANY($1::bigint[])');
  await titles('groups', 'SELECT id, name AS title FROM permission_group WHERE id = ANY($1::bigint[])');
  await titles('projects', 'SELECT id, name AS title FROM project WHERE id = ANY($1::bigint[])');
  for (const row of rows) row.projects = projectsInReach(caller, row.projects as { id: string }[]);
  await showFiles(rows, db, 'photo');
}

async function create(context: ActionContext): Promise<ActionResult> {
  const { tx, caller, input } = context;
  await checkUnique(tx, context, 0, caller.tenantId, {
    account: input.account,
    staffNo: input.staffNo,
    phone: input.mobilePhone,
    ssoAccount: input.ssoAccount,
  });
  await requireDepartment(context, caller.tenantId);
  await checkLeader(tx, caller.tenantId, input.leader);
  if (input.photo) await checkAttachable(tx, caller, 'photo', [String(input.photo)]);
  const password = generatePassword();
  const hash = await hashPassword(password);
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO staff (tenant_id, department_id, account, name, staff_no, phone, email, sex, description, employed_on, leader_id, sso_account, photo_id, all_projects, created_by, updated_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, false, $14, $14) RETURNING id`,
    [
      caller.tenantId,
      input.department,
      input.account,
      input.name,
      input.staffNo ?? null,
      input.mobilePhone,
      input.email ?? null,
      SEX_CODES[String(input.sex ?? 'unknown')],
      input.description ?? '',
      input.employedOn ?? null,
      input.leader ?? null,
      input.ssoAccount ?? null,
      input.photo ?? null,
      caller.staffId,
    ],
  );
  const id = row!.id;
  await requireDepartmentRights(tx, caller, Number(input.department));
  await storePassword(tx, { staffId: id, by: caller.staffId, hash, mustChange: true });
  await tellWays(context, id, { phone: null, sso_account: null });
  await setStations(tx, caller.tenantId, id, (input.stations as number[] | undefined) ?? []);
  await setProjects(
    tx,
    caller,
    id,
    (input.projects as number[] | undefined) ?? [],
    input.allProjects === true,
  );
  await setGroups(tx, caller, id, (input.groups as number[] | undefined) ?? []);
  if (input.sendSms === true) await sendInitialPassword(tx, id, password, context.facts.language);
  return { id, result: { initialPassword: password } };
}

async function update(context: ActionContext): Promise<ActionResult> {
  const { tx, caller, input, id, row } = context;
  const tenantId = Number(row.tenant_id);
  await protectAdministrators(tx, caller, id);
  if (differs(input.mobilePhone, row.phone)) refuseOwnPhone(caller, id);
  if (differs(input.ssoAccount, row.sso_account)) refuseOwnSso(caller, id);
  // Phone and single sign-on account are ways to sign in: whoever changes them could become that person.
  // What is sent to the e-mail address tells of rows the person sees.
  // Whether that is asked must not tell whether a hidden value was hit.
  const touches = (given: unknown, stored: unknown) =>
    mayReveal(caller) ? differs(given, stored) : given !== undefined;
  if (
    touches(input.mobilePhone, row.phone) ||
    differs(input.ssoAccount, row.sso_account) ||
    touches(input.email, row.email)
  )
    await requireReach(context, id);
  await checkUnique(tx, context, id, tenantId, {
    staffNo: input.staffNo,
    phone: input.mobilePhone,
    ssoAccount: input.ssoAccount,
  });
  // Whoever came in by the former account is out with it.
  if (differs(input.ssoAccount, row.sso_account) && row.sso_account !== null)
    await endSessions(tx, { staffId: id, clientId: SSO_CLIENT }, 'kicked');
  await tellWays(context, id, row);
  await tellEmail(context, id, row);
  if (input.department !== undefined) await requireDepartment(context, tenantId);
  if (differs(input.department, row.department_id))
    await putIntoDepartment(tx, context, id, Number(input.department));
  if (differs(input.leader, row.leader_id)) {
    await checkLeader(tx, tenantId, input.leader);
    await rearrange(tx, context, () =>
      run(tx, 'UPDATE staff SET leader_id = $2 WHERE id = $1', [id, input.leader ?? null]),
    );
  }
  if (input.photo)
    await checkAttachable(tx, caller, 'photo', [String(input.photo)], [String(row.photo_id ?? '')]);
  const changes: FieldChange[] = [];
  if (input.stations !== undefined)
    changes.push(...(await setStations(tx, tenantId, id, input.stations as number[])));
  if (input.projects !== undefined || input.allProjects !== undefined)
    changes.push(
      ...(await setProjects(
        tx,
        caller,
        id,
        (input.projects as number[] | undefined) ?? (await projectIdsOf(tx, id, caller)),
        input.allProjects as boolean | undefined,
      )),
    );
  if (input.groups !== undefined)
    changes.push(
      ...(await setGroups(tx, caller, id, await keepDepartmentGroups(context, input.groups as number[]))),
    );
  await notifyStaffChanged(tx, id);
  return { set: input.sex === undefined ? {} : { sex: SEX_CODES[String(input.sex)] }, changes };
}

/** Tells the owner which phone and single sign-on account somebody else gave the account. */
async function tellWays({ tx, caller, facts, input }: ActionContext, id: number, row: DbRow): Promise<void> {
  const phone = row.phone as string | null;
  const told = { phone, by: caller.name, language: facts.language };
  if (input.mobilePhone !== undefined)
    await tellPhoneChanged(tx, id, { ...told, before: phone, after: input.mobilePhone as string | null });
  if (input.ssoAccount !== undefined)
    await tellSsoChanged(tx, id, {
      ...told,
      before: row.sso_account as string | null,
      after: input.ssoAccount as string | null,
    });
}

/** Tells the owner which e-mail address somebody else gave the account. */
async function tellEmail({ tx, caller, facts, input }: ActionContext, id: number, row: DbRow): Promise<void> {
  if (input.email === undefined || isOneself(caller, id)) return;
  await tellEmailChanged(tx, id, {
    before: row.email as string | null,
    after: input.email as string | null,
    phone: row.phone as string | null,
    by: caller.name,
    language: facts.language,
  });
}

async function changeState(context: ActionContext): Promise<ActionResult> {
  const { tx, id, action, input } = context;
  await protectAdministrators(tx, context.caller, id);
  if (action === 'disable') {
    await stopWorking(context, 'disabled');
  }
  if (action === 'rehire') {
    const leftAt = context.row.left_at as Date | null;
    if (!leftAt || Date.now() - leftAt.getTime() > 30 * 86_400_000)
      throw ruleBroken(['离职超过30天，不能重新入职', 'Left more than 30 days ago: cannot be rehired']);
    await checkUnique(tx, context, id, Number(context.row.tenant_id), { phone: context.row.phone });
  }
  await notifyStaffChanged(tx, id);
  context.platform.changed('session');
  return {
    set: {
      disabled_reason: String(input.reason ?? ''),
      ...(action === 'rehire' ? { left_at: null, password_hash: null } : {}),
    },
    remark: String(input.reason ?? ''),
  };
}

/** What waits for the decision of somebody who does not work any more goes to whoever is next. */
async function stopWorking(
  { tx, caller, platform, id, row }: ActionContext,
  state: 'disabled' | 'left',
): Promise<void> {
  // Administrators over all companies disable staff of others too.
  await approvalsOfCompanyFollow(tx, { caller, platform, tenantId: Number(row.tenant_id) }, async () => {
    // Behind the turn: whoever changes administrators locks their group behind it too, and of two who disable each other
    // one is first.
    await keepOneAdministrator(tx, id);
    // At once and for itself: moving what waits takes as long as there is of it, and nobody works on meanwhile. Signing in
    // waits for the row.
    await transactionBeside(platform.database.db, (beside) =>
      endSessions(beside, { staffId: id }, 'disabled'),
    );
    platform.changed('session');
    await run(tx, 'UPDATE staff SET state = $2 WHERE id = $1', [id, state]);
  });
  await endSessions(tx, { staffId: id }, 'disabled');
}

async function archive(context: ActionContext): Promise<ActionResult> {
  const { tx, id, input } = context;
  await protectAdministrators(tx, context.caller, id);
  await keepOneAdministrator(tx, id, false);
  const open = (await openItemsOf(tx, context.platform, id)).filter((item) => item.count > 0);
  if (open.length > 0)
    throw ruleBroken(
      [
        `请先完成交接（${open.map((item) => `${item.label[0]} ${item.count}`).join('、')}）`,
        `Hand over first (${open.map((item) => `${item.label[1].toLowerCase()} ${item.count}`).join(', ')})`,
      ],
      { items: open },
    );
  await stopWorking(context, 'left');
  await run(tx, 'DELETE FROM group_member WHERE staff_id = $1', [id]);
  await notifyStaffChanged(tx, id);
  context.platform.changed('session');
  return { set: { left_at: new Date(), password_hash: null }, remark: String(input.reason ?? '') };
}

async function unlock(context: ActionContext): Promise<ActionResult> {
  await protectAdministrators(context.tx, context.caller, context.id);
  await notifyStaffChanged(context.tx, context.id);
  return { set: { locked_until: null, failed_count: 0, failed_since: null, lock_minutes: 0 } };
}

async function resetPassword(context: ActionContext): Promise<ActionResult> {
  await requireReach(context, context.id);
  const password = generatePassword();
  await storePassword(context.tx, {
    staffId: context.id,
    by: context.caller.staffId,
    hash: await hashPassword(password),
    mustChange: true,
  });
  await endSessions(context.tx, { staffId: context.id }, 'reset');
  if (context.input.sendSms === true)
    await sendInitialPassword(context.tx, context.id, password, context.facts.language);
  context.platform.changed('session');
  return { result: { initialPassword: password } };
}

async function kick(context: ActionContext): Promise<ActionResult> {
  await protectAdministrators(context.tx, context.caller, context.id);
  const ended = await endSessions(
    context.tx,
    {
      staffId: context.id,
      ...(context.id === context.caller.staffId ? { exceptSessionId: context.caller.sessionId } : {}),
    },
    'kicked',
  );
  context.platform.changed('session');
  return { result: { ended } };
}

async function assignGroups(context: ActionContext): Promise<ActionResult> {
  const { tx, caller, id, input } = context;
  const wanted = await keepDepartmentGroups(context, (input.groups as number[] | undefined) ?? []);
  return { changes: await setGroups(tx, caller, id, wanted) };
}

async function assignProjects({ tx, caller, id, input }: ActionContext): Promise<ActionResult> {
  return {
    changes: await setProjects(
      tx,
      caller,
      id,
      (input.projects as number[] | undefined) ?? [],
      input.allProjects as boolean | undefined,
    ),
  };
}

/** One group more or less, for many staff. */
async function changeGroups({ tx, caller, id, input }: ActionContext): Promise<ActionResult> {
  const held = new Set(
    (
      await run<{ group_id: number }>(
        tx,
        `SELECT group_id FROM group_member WHERE staff_id = $1 AND source = 'manual'`,
        [id],
      )
    ).map((one) => one.group_id),
  );
  if (input.remove === true) held.delete(Number(input.group));
  else held.add(Number(input.group));
  return { changes: await setGroups(tx, caller, id, [...held]) };
}

/** Some projects more or less, for many staff. */
async function changeProjects({ tx, caller, id, input }: ActionContext): Promise<ActionResult> {
  requireProjectsInReach(caller, input.projects as number[]);
  const held = new Set(await projectIdsOf(tx, id, caller));
  for (const project of input.projects as number[]) {
    if (input.remove === true) held.delete(project);
    else held.add(project);
  }
  return { changes: await setProjects(tx, caller, id, [...held], undefined) };
}

async function assignDepartment(context: ActionContext): Promise<ActionResult> {
  await requireDepartment(context, Number(context.row.tenant_id));
  await protectAdministrators(context.tx, context.caller, context.id);
  await putIntoDepartment(context.tx, context, context.id, Number(context.input.department));
  await notifyStaffChanged(context.tx, context.id);
  const set = { department_id: context.input.department };
  return { set, changes: differences(context.row, set) };
}

/** Groups that come from the department are not chosen by hand and stay out of the set that is compared. */
async function keepDepartmentGroups(context: ActionContext, ids: readonly number[]): Promise<number[]> {
  const rows = await run<{ id: number }>(
    context.tx,
    `SELECT m.group_id AS id FROM group_member m WHERE m.staff_id = $1 AND m.source = 'department'`,
    [context.id],
  );
  const fromDepartment = new Set(rows.map((row) => row.id));
  return ids.filter((id) => !fromDepartment.has(id));
}

async function requireDepartment(context: ActionContext, tenantId: number): Promise<void> {
  const row = await runOne(
    context.tx,
    'SELECT 1 FROM department WHERE id = $1 AND tenant_id = $2 AND enabled',
    [context.input.department, tenantId],
  );
  if (!row) throw notFound(['部门不存在或已停用', 'The department does not exist or is disabled']);
}

/** True when an update brings another value than the stored one. */
function differs(given: unknown, stored: unknown): boolean {
  return given !== undefined && (given ?? null) !== (stored ?? null);
}

async function checkLeader(tx: ActionContext['tx'], tenantId: number, leader: unknown): Promise<void> {
  if (leader === undefined || leader === null) return;
  const known = await runOne(tx, `SELECT 1 FROM staff WHERE id = $1 AND tenant_id = $2 AND state <> 'left'`, [
    leader,
    tenantId,
  ]);
  if (!known) throw notFound(['上级不存在', 'The leader does not exist']);
}
