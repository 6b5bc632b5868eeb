import { endOfBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { defineRegistration, type FigureKind } from '../../../kernel/server/registration.ts';

const MEMBERS: ScopeColumns = { tenant: 'none', project: 't.project_id', owner: 't.created_by' };
const STAFF: ScopeColumns = { tenant: 't.tenant_id', project: 'none', owner: 't.id' };

const figures: readonly FigureKind[] = [
  {
    code: 'member_new',
    label: ['新增会员', 'New members'],
    formula: ['所选时间内注册的会员数', 'Members registered in the period'],
    kind: 'integer',
    menu: 'ssm_registrationReport',
    set: 'trade',
    order: 20,
    route: ({ from, to }) => `/sysManager/ssm_registrationReport?range=${from}~${to}`,
    days: (call, { from, to, projectId }) => {
      const parameters = new Parameters();
      const start = parameters.bind(startOfBusinessDay(from));
      const end = parameters.bind(endOfBusinessDay(to));
      const scope = scopeCondition(call.caller, 'ssm_registrationReport', MEMBERS, parameters);
      const project = projectId === undefined ? 'TRUE' : `t.project_id = ${parameters.bind(projectId)}`;
      return byDay(
        call.platform.replica.db,
        `SELECT (t.registered_at AT TIME ZONE 'Asia/Shanghai')::date::text AS day, count(*) AS value FROM member t
          WHERE t.registered_at >= ${start}::timestamptz AND t.registered_at < ${end}::timestamptz AND ${scope} AND ${project} GROUP BY 1`,
        parameters.values,
      );
    },
  },
  {
    code: 'member_active',
    label: ['活跃会员', 'Active members'],
    formula: ['最近活跃日在所选时间内的会员数', 'Members whose last active day lies in the period'],
    kind: 'integer',
    menu: 'userLive',
    set: 'trade',
    order: 21,
    route: ({ from, to }) => `/sysManager/userLive?range=${from}~${to}`,
    days: (call, { from, to, projectId }) => {
      const parameters = new Parameters();
      const days = `t.last_active_on BETWEEN ${parameters.bind(from)}::date AND ${parameters.bind(to)}::date`;
      const scope = scopeCondition(call.caller, 'userLive', MEMBERS, parameters);
      const project = projectId === undefined ? 'TRUE' : `t.project_id = ${parameters.bind(projectId)}`;
      return byDay(
        call.platform.replica.db,
        `SELECT t.last_active_on::text AS day, count(*) AS value FROM member t WHERE ${days} AND ${scope} AND ${project} GROUP BY 1`,
        parameters.values,
      );
    },
  },
  {
    code: 'online_staff',
    label: ['在线员工', 'Staff online'],
    formula: ['5分钟内有操作的在线员工数', 'Staff with a session used within 5 minutes'],
    kind: 'integer',
    menu: 'allUserManager',
    set: 'system',
    order: 40,
    route: () => '/adminSys/allUserManager',
    now: async (call) => {
      const parameters = new Parameters();
      const scope = scopeCondition(call.caller, 'allUserManager', STAFF, parameters);
      const row = await runOne<{ count: number }>(
        call.platform.database.db,
        `SELECT count(DISTINCT x.staff_id) AS count FROM session x JOIN staff t ON t.id = x.staff_id
          WHERE x.ended_at IS NULL AND x.absolute_expires_at > now() AND x.last_seen_at > now() - interval '5 minutes' AND ${scope}`,
        parameters.values,
      );
      return row!.count;
    },
  },
];

/** Figures of members and staff on the home page. */
export const registration = defineRegistration({ endpoints: [], figures });

async function byDay(
  db: Executor,
  statement: string,
  values: readonly unknown[],
): Promise<Map<string, number>> {
  const rows = await run<{ day: string; value: number }>(db, statement, [...values]);
  return new Map(rows.map((row) => [row.day, row.value]));
}
