import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { isClosed, monthClosed } from '../../../domain/sales-stat/month-close.server.ts';
import { splitUnits } from '../../../domain/trade-money/split.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { addDays } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { metricSums } from './metric-rows.server.ts';
import { performanceTarget } from './performance.contract.ts';
import { isMoney, type Metric } from './performance.rules.ts';

/** Where a target (`t`) stands: at the project, or at the staff's projects; it is the staff's own, else its maker's. */
export const TARGET_SCOPE: ScopeColumns = {
  tenant: `(SELECT x.tenant_id FROM staff x WHERE x.id = t.staff_id UNION ALL SELECT y.tenant_id FROM department y WHERE y.id = t.department_id)`,
  project: (ids) =>
    `(t.project_id = ANY(${ids}::bigint[]) OR EXISTS (SELECT FROM staff_project w WHERE w.staff_id = t.staff_id AND w.project_id = ANY(${ids}::bigint[])))`,
  owner: 'coalesce(t.staff_id, t.created_by)',
};

const MOST = 10_000_000_000;
const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;
const MONTH_FORM: Label = ['月份格式为 2026-11', 'Write it as 2026-11'];

const bound: BoundResource = bindResource(performanceTarget, {
  table: 'performance_target',
  joins: {
    staff: { table: 'staff', title: 'name' },
    department: 'department',
    project: { table: 'project', title: 'name' },
  },
  scope: TARGET_SCOPE,
  unique: {
    performance_target_once: ['该对象当月已有此目标', 'There is such a target for the month already'],
  },
  before: [check],
  sets: { confirm: { confirmed_at: NOW } },
  handlers: {
    change: ({ input, row }) => {
      const money = isMoney(row.metric as Metric);
      const value = (money ? input.amount : input.number) as number | null | undefined;
      if (value === null || value === undefined)
        throw invalid({ [money ? 'amount' : 'number']: ['请填写目标', 'Enter the target'] });
      return Promise.resolve({
        set: { [money ? 'amount' : 'number']: value },
        remark: String(input.reason),
        changes: [
          { field: money ? 'amount' : 'number', before: money ? row.amount : row.number, after: value },
        ],
      });
    },
    split,
    copyMonth,
  },
});

/** Targets of staff, departments and projects. */
export const registration = bound.registration;

/** One subject of the kind, a value of the metric's unit, and a month that is open. */
async function check({ tx, action, input, row, caller }: ActionContext): Promise<void> {
  if (action === 'copyMonth') return;
  const month = String(action === 'create' ? input.month : row.month);
  if (action === 'create') {
    const problems: Record<string, Label> = {};
    if (!MONTH.test(month)) problems.month = MONTH_FORM;
    for (const kind of ['staff', 'department', 'project'] as const) {
      const given = input[kind] !== null && input[kind] !== undefined;
      if (given !== (input.subjectKind === kind))
        problems[kind] = given
          ? ['与对象类型不符', 'It is not of the kind chosen']
          : ['请选择', 'Choose one'];
    }
    if (Object.keys(problems).length > 0) throw invalid(problems);
    if (input.project) requireProjectsInReach(caller, [Number(input.project)]);
  }
  if (await isClosed(tx, month)) throw ruleBroken(monthClosed(month));
  const metric = (action === 'create' ? input.metric : row.metric) as Metric;
  if (action !== 'create' && action !== 'update' && action !== 'change') return;
  const [name, other] = isMoney(metric) ? (['amount', 'number'] as const) : (['number', 'amount'] as const);
  const value = input[name] === undefined && action === 'update' ? row[name] : input[name];
  if (input[other] !== null && input[other] !== undefined)
    throw invalid({ [other]: ['该指标不用此单位', 'This metric has another unit'] });
  if (value === null || value === undefined) throw invalid({ [name]: ['请填写目标', 'Enter the target'] });
  if (Number(value) < 0 || Number(value) > (name === 'amount' ? MOST : MOST / 100))
    throw invalid({
      [name]: ['目标应为 0 至 100,000,000.00', 'The target must be 0 to 100,000,000.00'],
    });
}

/** Splits a department's target over its present staff by the actual of the last quarter; the parts add up to it. */
async function split(context: ActionContext): Promise<ActionResult> {
  const { tx, row, caller, platform } = context;
  if (row.subject_kind !== 'department')
    throw ruleBroken(['只能分解部门目标', 'Only the target of a department can be split']);
  const month = String(row.month);
  const metric = row.metric as Metric;
  const people = await run<{ id: number }>(
    tx,
    `SELECT s.id FROM staff s JOIN department d ON d.id = s.department_id
      WHERE s.state = 'normal' AND (d.id = $1 OR $1 = ANY(d.path)) ORDER BY s.id`,
    [row.department_id],
  );
  if (people.length === 0) throw ruleBroken(['部门没有在职员工', 'The department has no staff']);
  const quarter = Math.floor((Number(month.slice(5)) - 1) / 3) * 3;
  const to = addDays(`${month.slice(0, 4)}-${String(quarter + 1).padStart(2, '0')}-01`, -1);
  const first = Number(to.slice(5, 7)) - 2;
  const from = `${to.slice(0, 4)}-${String(first).padStart(2, '0')}-01`;
  const actual = new Map<number, number>();
  for (const one of await metricSums(tx, caller, { metric, kind: 'staff', from, to }))
    actual.set(one.subject, (actual.get(one.subject) ?? 0) + one.value);
  const weights = people.map(({ id }) => Math.max(0, actual.get(id) ?? 0));
  // Nobody did anything: all alike.
  const parts = splitUnits(
    Number(row.target),
    weights.some((one) => one > 0) ? weights : people.map(() => 1),
  );
  for (const [index, { id }] of people.entries()) {
    const value = isMoney(metric) ? { amount: yuanFromFen(parts[index]!) } : { number: parts[index]! };
    const held = await runOne<{ id: number; state: string }>(
      tx,
      'SELECT id, state FROM performance_target WHERE month = $1 AND metric = $2 AND staff_id = $3',
      [month, metric, id],
    );
    if (held?.state === 'confirmed')
      throw ruleBroken(['部分员工的目标已确认，不能覆盖', 'Some staff have confirmed targets, which stay']);
    if (held) await bound.actIn(tx, context, 'update', held.id, value);
    else
      await bound.actIn(tx, context, 'create', undefined, {
        month,
        metric,
        subjectKind: 'staff',
        staff: String(id),
        ...value,
      });
  }
  platform.changed('performanceTarget');
  return { remark: `${people.length}`, result: { staff: people.length } };
}

/** Targets of a month become drafts of another, some percent more or less; what stands there already stays. */
async function copyMonth(context: ActionContext): Promise<ActionResult> {
  const { tx, input, caller, platform } = context;
  const [source, to] = [String(input.source), String(input.copyTo)];
  if (!MONTH.test(source)) throw invalid({ source: MONTH_FORM });
  if (!MONTH.test(to)) throw invalid({ copyTo: MONTH_FORM });
  if (source === to) throw invalid({ copyTo: ['须与来源月份不同', 'Another month than the one copied'] });
  const basis = 10_000 + Math.round(Number(input.percent) * 100);
  const parameters = new Parameters();
  const rows = await run<{
    metric: Metric;
    kind: string;
    staff: number | null;
    department: number | null;
    project: number | null;
    target: number;
  }>(
    tx,
    `SELECT t.metric, t.subject_kind AS kind, t.staff_id AS staff, t.department_id AS department, t.project_id AS project, t.target
       FROM performance_target t LEFT JOIN staff s ON s.id = t.staff_id
      WHERE t.month = ${parameters.bind(source)} AND (t.staff_id IS NULL OR s.state = 'normal') AND ${scopeCondition(caller, performanceTarget.menu, TARGET_SCOPE, parameters)}
        AND NOT EXISTS (SELECT FROM performance_target o WHERE o.month = ${parameters.bind(to)} AND o.metric = t.metric AND o.staff_id IS NOT DISTINCT FROM t.staff_id
          AND o.department_id IS NOT DISTINCT FROM t.department_id AND o.project_id IS NOT DISTINCT FROM t.project_id) ORDER BY t.id`,
    parameters.values,
  );
  if (rows.length === 0)
    throw ruleBroken(['来源月份没有可复制的目标', 'There is no target to copy from that month']);
  for (const row of rows) {
    const value = percentOf(row.target, basis);
    await bound.actIn(tx, context, 'create', undefined, {
      month: to,
      metric: row.metric,
      subjectKind: row.kind,
      ...(row.staff !== null && { staff: String(row.staff) }),
      ...(row.department !== null && { department: String(row.department) }),
      ...(row.project !== null && { project: String(row.project) }),
      ...(isMoney(row.metric) ? { amount: yuanFromFen(value) } : { number: value }),
    });
  }
  platform.changed('performanceTarget');
  return { told: true, result: { targets: rows.length } };
}

/** Parts of ten thousand of a value, half rounded up. */
const percentOf = (value: number, basis: number): number =>
  Number((BigInt(value) * BigInt(basis) + 5000n) / 10_000n);
