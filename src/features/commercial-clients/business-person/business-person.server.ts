import {
  goOnHandingOver,
  handClientOn,
  handRestOn,
  holdingsOf,
} from '../../../domain/commercial-client/hand-over.server.ts';
import { requireRoom } from '../../../domain/commercial-client/client.server.ts';
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
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { endpoint, type Effect, type Registration } from '../../../kernel/server/registration.ts';
import { addEffect } from '../../../kernel/server/tasks/outbox.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import type { HandoverKind } from '../../admin-sys/staff/handover.server.ts';
import { shareOf } from './business-marks.rules.ts';
import { figuresOf } from './business-marks.server.ts';
import { businessPerson, PERSON_MENU, type Holdings } from './business-person.contract.ts';
import { MONTH, MONTH_FORM, personScope } from './business-target.server.ts';

const count = (condition: string) =>
  `(SELECT count(*)::int FROM client c WHERE c.owner_id = t.staff_id AND ${condition})`;

const lastHandover = (column: string) =>
  `(SELECT h.${column} FROM business_handover h WHERE h.person_id = t.id ORDER BY h.id DESC LIMIT 1)`;
/** Effect that goes on with a hand-over. */
const HANDOVER = 'client.handover';

const SCOPE = personScope('t.staff_id');

/** Business people. */
const bound: BoundResource = bindResource(businessPerson, {
  table: 'business_person',
  from: `business_person t LEFT JOIN staff s ON s.id = t.staff_id LEFT JOIN department d ON d.id = s.department_id`,
  joins: { staff: { table: 'staff', title: 'name' }, leader: { table: 'staff', title: 'name' } },
  scope: SCOPE,
  search: 'lower(s.account)',
  searchExact: ['s.name'],
  links: {
    projects: { table: 'business_person_project', own: 'person_id', other: 'project_id', to: 'project' },
  },
  columns: {
    account: 's.account',
    department: { id: 's.department_id', title: 'd.name' },
    clients: count(`c.state NOT IN ('signed', 'lost')`),
    // Figures of the month are filled in behind the list.
    month: `''::text`,
    newMonth: '0',
    followMonth: '0',
    signed: '0',
    signedAmount: '0::bigint',
    receivedAmount: '0::bigint',
    completion: 'NULL::numeric',
    overdue: count(`c.next_follow_at < now() AND c.state NOT IN ('signed', 'lost')`),
    handoverState: lastHandover('state'),
    handoverNote: lastHandover('failure'),
  },
  unique: { business_person_staff: ['该员工已是招商人员', 'This staff is a business person already'] },
  filters: {
    // What the figures of the rows are about; nobody is left out.
    month: (value) => (MONTH.test(value) ? 'TRUE' : MONTH_FORM),
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM business_person_project x WHERE x.person_id = t.id AND x.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  before: [check],
  after: [checkPeople],
  handlers: { handover },
  extra: { staffId: 't.staff_id' },
  ruleReads: ['staffId'],
  present: async (rows, db, caller, _platform, filters) => {
    const month = filters.month || businessDayOf(new Date()).slice(0, 7);
    const figures = await figuresOf(
      db,
      rows.map((row) => Number(row.staffId)),
      [month],
    );
    for (const row of rows) {
      if (row.projects) row.projects = projectsInReach(caller, row.projects as readonly RefValue[]);
      const one = figures.get(`${Number(row.staffId)}.${month}`);
      if (!one) continue;
      Object.assign(row, {
        month,
        newMonth: one.fresh,
        followMonth: one.follows,
        signed: one.contracts,
        signedAmount: one.signed,
        receivedAmount: one.received,
        completion: shareOf(one.signed, one.target)?.toFixed(2) ?? null,
      });
    }
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/businessPerson/:id/holdings',
      title: ['交接内容', 'What is handed over'],
      access: { code: PERSON_MENU },
      handle: async (call): Promise<Holdings> => {
        const row = await bound.find(call, idOf(call.params.id));
        const { balance, ...held } = await holdingsOf(call.platform.database.db, Number(row.staffId));
        return { ...held, balance: yuanFromFen(balance) };
      },
    }),
  ],
  also: {
    effects: [handoverEffect()],
    jobs: [
      dueJob(() => bound, {
        name: 'client.leavers',
        title: ['停用员工名下客户待交接', 'Clients of disabled staff wait to be handed over'],
        cron: '*/5 * * * *',
        action: 'beginLeaving',
        when: `EXISTS (SELECT FROM staff s WHERE s.id = t.staff_id AND s.state <> 'normal') AND EXISTS (SELECT FROM client c WHERE c.owner_id = t.staff_id)`,
      }),
    ],
    todos: [
      {
        kind: 'businessLeaving',
        label: ['离职招商人员待交接', 'Business people who leave, to be handed over'],
        menu: PERSON_MENU,
        route: '/yueshang/busPerManagement?state=leaving',
        order: 655,
        count: async ({ caller, platform }) => {
          const parameters = new Parameters();
          const row = await runOne<{ count: number; oldest: Date | null }>(
            platform.database.db,
            `SELECT count(*)::int AS count, min(t.updated_at) AS oldest FROM business_person t WHERE t.state = 'leaving' AND ${scopeCondition(caller, PERSON_MENU, SCOPE, parameters)}`,
            parameters.values,
          );
          return { count: row!.count, oldest: row!.oldest, overdue: 0 };
        },
      },
    ],
  },
});

/** Business people, and what leavers hand over. */
export const registration: Registration = { ...bound.registration, handovers: [clientHandover()] };

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

/** Begins to hand over all a person has; the task does it, some clients at a time. */
async function handover({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const to = input.to ? Number(input.to) : null;
  const from = Number(row.staff_id);
  if (to === from) throw ruleBroken(['接收人不能是本人', 'It cannot be the person itself']);
  if (to !== null) await requireRoom(tx, to);
  const rules = ((input.rules ?? []) as readonly Record<string, unknown>[]).map((rule) => ({
    project: rule.project ? Number(rule.project) : null,
    industry: rule.industry ? Number(rule.industry) : null,
    to: Number(rule.to),
  }));
  for (const rule of rules) {
    if (rule.project === null && rule.industry === null)
      throw invalid({ rules: ['每行须选择项目或行业', 'A line needs a project or an industry'] });
    if (rule.to === from) throw ruleBroken(['接收人不能是本人', 'It cannot be the person itself']);
    await requireRoom(tx, rule.to);
  }
  const reason = String(input.reason);
  const begun = await runOne<{ id: number }>(
    tx,
    `INSERT INTO business_handover (person_id, to_staff, reason, by_staff, rules) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (person_id) WHERE state = 'running' DO NOTHING RETURNING id`,
    [id, to, reason, staffIdOf(caller), JSON.stringify(rules)],
  );
  if (!begun) throw ruleBroken(['正在交接中', 'It is being handed over already']);
  await addEffect(tx, HANDOVER, { id: begun.id });
  const { clients } = (await runOne<{ clients: number }>(
    tx,
    'SELECT count(*)::int AS clients FROM client WHERE owner_id = $1',
    [from],
  ))!;
  return { remark: `${clients} · ${reason}`, result: { clients } };
}

/** The hand-over goes on wherever it was stopped. */
function handoverEffect(): Effect {
  return {
    kind: HANDOVER,
    deliver: ({ id }: { readonly id: number }, platform) =>
      goOnHandingOver(platform, id, async (tx, done) => {
        await bound.actAsSystem(tx, platform, 'leave', done.personId);
      }),
  };
}

/** What somebody who leaves the company has of clients and contracts: goes to one person in the one transaction of leaving. */
function clientHandover(): HandoverKind {
  return {
    kind: 'commercial_client',
    label: ['商业客户与合同', 'Commercial clients and contracts'],
    count: async (db, staffId) =>
      (await runOne<{ n: number }>(
        db,
        `SELECT (SELECT count(*) FROM client WHERE owner_id = $1) + (SELECT count(*) FROM contract WHERE owner_id = $1 AND state NOT IN ('expired', 'terminated')) AS n`,
        [staffId],
      ))!.n,
    move: async (tx, from, to, { caller, platform }) => {
      const clients = await run<{ id: number; code: string }>(
        tx,
        'SELECT id, code FROM client WHERE owner_id = $1 ORDER BY id FOR UPDATE',
        [from],
      );
      const hands = { from, to, keeper: to, reason: '离职交接', by: staffIdOf(caller) ?? to };
      for (const client of clients) await handClientOn(tx, client.id, hands);
      const contracts = await handRestOn(tx, hands);
      await run(
        tx,
        `UPDATE business_person SET state = 'left', version = version + 1, updated_at = now() WHERE staff_id = $1 AND state <> 'left'`,
        [from],
      );
      for (const name of ['client', 'businessPerson', 'receivable', 'contract']) platform.changed(name);
      return [...clients.map((one) => one.code), ...contracts];
    },
  };
}
