import { handContractsOver } from '../../../domain/contract/contract-owner.server.ts';
import { tellReceivables } from '../../../domain/receivable/receivable.server.ts';
import { noteAssignment, requireRoom } from '../../../domain/commercial-client/client.server.ts';
import {
  filteredProjects,
  projectsInReach,
  requireProjectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { businessPerson } from './business-person.contract.ts';

const MONTH = `(date_trunc('month', now() AT TIME ZONE 'Asia/Shanghai') AT TIME ZONE 'Asia/Shanghai')`;
const count = (condition: string) =>
  `(SELECT count(*)::int FROM client c WHERE c.owner_id = t.staff_id AND ${condition})`;

/** Business people. */
export const registration: Registration = bindResource(businessPerson, {
  table: 'business_person',
  from: `business_person t LEFT JOIN staff s ON s.id = t.staff_id LEFT JOIN department d ON d.id = s.department_id`,
  joins: { staff: { table: 'staff', title: 'name' }, leader: { table: 'staff', title: 'name' } },
  scope: {
    tenant: 'NULL::bigint',
    project: (ids) =>
      `EXISTS (SELECT FROM business_person_project x WHERE x.person_id = t.id AND x.project_id = ANY(${ids}::bigint[]))`,
    owner: 't.staff_id',
  },
  search: 'lower(s.account)',
  searchExact: ['s.name'],
  links: {
    projects: { table: 'business_person_project', own: 'person_id', other: 'project_id', to: 'project' },
  },
  columns: {
    account: 's.account',
    department: 'd.name',
    clients: count(`c.state NOT IN ('signed', 'lost')`),
    newMonth: `(SELECT count(DISTINCT a.client_id)::int FROM client_assignment a WHERE a.to_staff = t.staff_id AND a.at >= ${MONTH})`,
    followMonth: `(SELECT count(*)::int FROM follow_up f WHERE f.created_by = t.staff_id AND f.at >= ${MONTH})`,
    overdue: count(`c.next_follow_at < now() AND c.state NOT IN ('signed', 'lost')`),
    signed: count(`c.state = 'signed'`),
  },
  unique: { business_person_staff: ['该员工已是招商人员', 'This staff is a business person already'] },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM business_person_project x WHERE x.person_id = t.id AND x.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  before: [check],
  after: [checkPeople],
  handlers: { handover },
  present: (rows, _db, caller) => {
    for (const row of rows)
      if (row.projects) row.projects = projectsInReach(caller, row.projects as readonly RefValue[]);
    return Promise.resolve();
  },
}).registration;

const NO_CIRCLE: Label = ['上级不能是本人或其下属', 'The leader cannot be the person or somebody below'];

function check({ action, input, columns, caller }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return Promise.resolve();
  if (columns.industries === null) columns.industries = '';
  if (input.projects !== undefined) requireProjectsInReach(caller, (input.projects as number[]).map(Number));
  return Promise.resolve();
}

/** Looks at the people behind the picker's own check, so that who is not offered is told alike, whoever it is. */
async function checkPeople({ action, row, columns, tx }: ActionContext): Promise<readonly []> {
  if (action !== 'create' && action !== 'update') return [];
  const now = { ...row, ...columns };
  const problems: Record<string, Label> = {};
  if (action === 'create') {
    const staff = await runOne<{ state: string }>(tx, 'SELECT state FROM staff WHERE id = $1', [
      now.staff_id,
    ]);
    if (staff?.state !== 'normal') problems.staff = ['该员工未在职或已停用', 'This staff does not work here'];
  }
  if (now.leader_id) {
    // A circle of leaders would have no top.
    const circle = await runOne(
      tx,
      `WITH RECURSIVE up AS (SELECT $1::bigint AS id UNION SELECT b.leader_id FROM business_person b JOIN up ON b.staff_id = up.id WHERE b.leader_id IS NOT NULL)
       SELECT 1 FROM up WHERE id = $2`,
      [now.leader_id, now.staff_id],
    );
    if (circle) problems.leader = NO_CIRCLE;
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
  return [];
}

/** All clients of a person, with their contracts and what is open of these, go to somebody else, or the clients to the pool, in one transaction; the person is gone then. */
async function handover({ tx, row, input, caller, platform }: ActionContext): Promise<ActionResult> {
  const to = input.to ? Number(input.to) : null;
  const from = Number(row.staff_id);
  if (to === from) throw ruleBroken(['接收人不能是本人', 'It cannot be the person itself']);
  const reason = String(input.reason);
  const clients = await run<{ id: number }>(
    tx,
    `SELECT id FROM client WHERE owner_id = $1 ORDER BY id FOR UPDATE`,
    [from],
  );
  for (const { id } of clients) {
    if (to !== null) await requireRoom(tx, to);
    await noteAssignment(tx, id, { from, to }, to === null ? 'release' : 'transfer', {
      reason,
      by: staffIdOf(caller),
    });
    await run(
      tx,
      to === null
        ? `UPDATE client SET owner_id = NULL, assigned_at = NULL, locked = false, pool_since = now(), pool_reason = $2, version = version + 1, updated_at = now() WHERE id = $1`
        : `UPDATE client SET owner_id = $3, assigned_at = now(), opened = false, locked = false, pool_reason = left($2, 0), version = version + 1, updated_at = now() WHERE id = $1`,
      to === null ? [id, reason] : [id, reason, to],
    );
    // Contracts stay with somebody: without a receiver they are handed over on their own screens.
    if (to !== null) await handContractsOver(tx, id, { from, to }, { contracts: true, receivables: true });
  }
  platform.changed('client');
  tellReceivables(platform);
  return { remark: `${clients.length} · ${reason}`, result: { moved: clients.length } };
}
