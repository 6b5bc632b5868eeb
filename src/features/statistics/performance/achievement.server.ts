import { z } from 'zod';
import { closeByHand } from '../../../domain/sales-stat/month-close.server.ts';
import { addDays, businessDayOf, daysBetween } from '../../../kernel/contract/time.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { forbidden, notFound } from '../../../kernel/server/http/errors.ts';
import { holds, type Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindReport, type ReportRequest } from '../../../kernel/server/report/bind.ts';
import { lastDayOf } from '../goods-sales/goods-sales.rules.ts';
import { metricRows, metricSums, type MetricQuestion } from './metric-rows.server.ts';
import {
  achievement,
  achievementDetail,
  ACHIEVEMENT_MENU,
  performanceTarget,
} from './performance.contract.ts';
import {
  elapsedOf,
  forecastOf,
  isMoney,
  monthsOf,
  rate,
  toneOf,
  type Metric,
  type SubjectKind,
} from './performance.rules.ts';
import { TARGET_SCOPE } from './performance-target.server.ts';

const TOP = 20;
const seesAll = (caller: Caller) => holds(caller, `${ACHIEVEMENT_MENU}:btn_viewAll`);
const idsOf = (text: string | undefined) => (text ? text.split(',').map(Number) : undefined);

/** The whole months a request stands for, as days. */
function periodOf(request: Pick<ReportRequest, 'from' | 'to'>) {
  const months = monthsOf(request.from, request.to);
  return { months, from: `${months[0]!}-01`, to: lastDayOf(months.at(-1)!) };
}

const metricOf = (parameters: Readonly<Record<string, string>>): Metric =>
  (parameters.metric ?? 'sales_valid') as Metric;

/** Columns of money or of numbers, never both. */
const unitTitles = (names: readonly string[], parameters: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    names.map((name): [string, Label | null] => [isMoney(metricOf(parameters)) ? `${name}N` : name, null]),
  );
/** A value under the name its unit has; figures of the other unit are not told. */
const unit = <T>(metric: Metric, name: string, value: T): Record<string, T> =>
  isMoney(metric) ? { [name]: value } : { [`${name}N`]: value };
const figure = (metric: Metric, name: string, value: number | null, previous: number | null = null) => ({
  [name]: isMoney(metric) ? { value, previous, spark: [] } : null,
  [`${name}N`]: isMoney(metric) ? null : { value, previous, spark: [] },
});
const shown = (metric: Metric, value: number) => (isMoney(metric) ? value / 100 : value);

/** Targets by subject and month inside the scope. */
async function targetsOf(
  db: Executor,
  caller: Caller,
  question: MetricQuestion,
  months: readonly string[],
): Promise<readonly { readonly subject: number; readonly month: string; readonly target: number }[]> {
  const parameters = new Parameters();
  const parts = [
    `t.metric = ${parameters.bind(question.metric)}`,
    `t.subject_kind = ${parameters.bind(question.kind)}`,
    `t.month = ANY(${parameters.bind(months)}::text[])`,
    scopeCondition(caller, performanceTarget.menu, TARGET_SCOPE, parameters),
  ];
  if (question.own !== undefined) parts.push(`t.staff_id = ${parameters.bind(question.own)}`);
  if (question.subject !== undefined)
    parts.push(`coalesce(t.staff_id, t.department_id, t.project_id) = ${parameters.bind(question.subject)}`);
  return run(
    db,
    `SELECT coalesce(t.staff_id, t.department_id, t.project_id) AS subject, t.month, t.target FROM performance_target t WHERE ${parts.join(' AND ')}`,
    parameters.values,
  );
}

interface Subject {
  readonly name: string;
  readonly department: string;
}

async function subjectsOf(
  db: Executor,
  kind: SubjectKind,
  ids: readonly number[],
): Promise<Map<number, Subject>> {
  const sql = {
    staff: `SELECT s.id, s.name, coalesce(d.name, '') AS department FROM staff s LEFT JOIN department d ON d.id = s.department_id`,
    department: `SELECT s.id, s.name, coalesce(d.name, '') AS department FROM department s LEFT JOIN department d ON d.id = s.parent_id`,
    project: `SELECT s.id, s.name, '' AS department FROM project s`,
  }[kind];
  const rows = await run<Subject & { id: number }>(db, `${sql} WHERE s.id = ANY($1::bigint[])`, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Without the right to see everybody one asks for oneself. */
function questionOf(caller: Caller, request: ReportRequest): MetricQuestion {
  const { parameters } = request;
  const all = seesAll(caller);
  const { from, to } = periodOf(request);
  return {
    metric: metricOf(parameters),
    kind: all ? ((parameters.subjectKind ?? 'staff') as SubjectKind) : 'staff',
    from,
    to,
    projects: idsOf(parameters.project),
    departments: idsOf(parameters.department),
    own: all ? undefined : caller.staffId,
  };
}

const sumBy = <K>(
  rows: readonly { readonly subject: number; readonly value: number }[],
  key: (row: never) => K,
) => {
  const sums = new Map<K, number>();
  for (const row of rows) {
    const of = key(row as never);
    sums.set(of, (sums.get(of) ?? 0) + row.value);
  }
  return sums;
};
const bySubject = (row: { readonly subject: number }) => row.subject;

const yearBefore = (day: string) => {
  const month = `${Number(day.slice(0, 4)) - 1}${day.slice(4, 7)}`;
  const last = lastDayOf(month);
  return `${month}-${day.slice(8) < last.slice(8) ? day.slice(8) : last.slice(8)}`;
};

/** Report of results against targets. */
export const registration = bindReport(achievement, {
  titles: (_platform, parameters) =>
    Promise.resolve({
      ...unitTitles(['target', 'actual', 'gap', 'forecast'], parameters),
      ...(parameters.subjectKind === 'project' && { department: null }),
    }),
  compute: async ({ caller, platform }, request) => {
    const { db } = platform.replica;
    const question = questionOf(caller, request);
    const { metric } = question;
    const { months } = periodOf(request);
    const { days, gone } = elapsedOf(question.from, question.to, today());
    const progress = rate(gone, days)!;
    const sums = await metricSums(db, caller, question);
    const targets = await targetsOf(db, caller, question, months);
    // As many days as are gone, before and a year ago.
    const counted = Math.max(gone, 1);
    const before = await metricSums(db, caller, {
      ...question,
      from: addDays(question.from, -days),
      to: addDays(question.from, counted - 1 - days),
    });
    const yearAgo = await metricSums(db, caller, {
      ...question,
      from: yearBefore(question.from),
      to: yearBefore(addDays(question.from, counted - 1)),
    });
    const actuals = sumBy(sums, bySubject);
    const befores = sumBy(before, bySubject);
    const years = sumBy(yearAgo, bySubject);
    const wanted = new Map<number, number>();
    for (const one of targets) wanted.set(one.subject, (wanted.get(one.subject) ?? 0) + one.target);
    const narrowed = question.departments !== undefined || question.projects !== undefined;
    const ids = [...new Set([...actuals.keys(), ...(narrowed ? [] : wanted.keys())])];
    const subjects = await subjectsOf(db, question.kind, ids);
    const keyword = request.parameters.keyword?.trim().toLowerCase() ?? '';
    const kept = ids
      .filter((id) => (subjects.get(id)?.name ?? '').toLowerCase().includes(keyword))
      .sort((a, b) => (actuals.get(b) ?? 0) - (actuals.get(a) ?? 0) || a - b);
    const rows = kept.map((id, index) => ({
      id,
      rank: index + 1,
      name: subjects.get(id)?.name ?? String(id),
      department: subjects.get(id)?.department ?? '',
      ...line(metric, wanted.get(id) ?? null, actuals.get(id) ?? 0, { progress, gone, days }),
      change: change(actuals.get(id) ?? 0, befores.get(id) ?? 0),
      yearChange: change(actuals.get(id) ?? 0, years.get(id) ?? 0),
      drill: Object.fromEntries(
        ['actual', 'actualN'].map((name) => [
          name,
          {
            isAdmin: seesAll(caller) ? '1' : '0',
            range: `${question.from}~${question.to}`,
            metric,
            subjectKind: question.kind,
            subjectId: String(id),
          },
        ]),
      ),
    }));
    // What a department has stands in those above it, too: a sum counts everything once.
    const total =
      question.kind === 'department'
        ? totalOf(await metricSums(db, caller, { ...question, kind: 'staff' }))
        : kept.reduce((sum, id) => sum + (actuals.get(id) ?? 0), 0);
    const target = kept.reduce((sum, id) => sum + (wanted.get(id) ?? 0), 0);
    const sum = question.kind === 'department' ? null : target;
    return {
      figures: {
        ...figure(metric, 'target', sum),
        ...figure(metric, 'total', total),
        completion: { value: sum === null ? null : rate(total, sum), previous: null, spark: [] },
        progress: { value: progress, previous: null, spark: [], working: `${gone} ÷ ${days}` },
        ...figure(metric, 'forecast', forecastOf(total, gone, days)),
      },
      charts: {
        top: rows.slice(0, TOP).map((row) => ({
          key: String(row.id),
          label: row.name,
          values: {
            actual: shown(metric, actuals.get(row.id) ?? 0),
            target: shown(metric, wanted.get(row.id) ?? 0),
          },
        })),
        months: await monthPoints(db, caller, question, months.at(-1)!),
      },
      rows,
      sums: { ...(sum !== null && unit(metric, 'target', sum)), ...unit(metric, 'actual', total) },
    };
  },
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/achievement/closeMonth',
      title: ['月度关账', 'Close a month'],
      access: { code: `${ACHIEVEMENT_MENU}:btn_closeMonth` },
      body: z.strictObject({ month: z.string().max(7) }),
      handle: (call) => closeByHand(call, call.body.month),
    }),
  ],
});

const today = () => businessDayOf(new Date());
const totalOf = (rows: readonly { readonly value: number }[]) =>
  rows.reduce((sum, row) => sum + row.value, 0);
const change = (now: number, before: number) => (before > 0 ? rate(now - before, before) : null);

/** Target, actual and what follows from them. */
export function line(
  metric: Metric,
  target: number | null,
  actual: number,
  time: { readonly progress: number; readonly gone: number; readonly days: number },
): Record<string, unknown> {
  const completion = target === null ? null : rate(actual, target);
  return {
    ...unit(metric, 'target', target),
    ...unit(metric, 'actual', actual),
    ...unit(metric, 'gap', target === null ? null : actual - target),
    ...unit(metric, 'forecast', forecastOf(actual, time.gone, time.days)),
    completion,
    progress: time.progress,
    pace: completion === null ? null : toneOf(completion, time.progress),
  };
}

async function monthPoints(db: Executor, caller: Caller, question: MetricQuestion, last: string) {
  const months = monthsOf(addDays(`${last}-01`, -335), `${last}-01`).slice(-12);
  const asked = { ...question, from: `${months[0]!}-01`, to: lastDayOf(last) };
  const sums = await metricSums(
    db,
    caller,
    question.kind === 'department' ? { ...asked, kind: 'staff' } : asked,
  );
  const targets = question.kind === 'department' ? [] : await targetsOf(db, caller, asked, months);
  return months.map((month) => ({
    key: month,
    label: month,
    values: {
      actual: shown(question.metric, totalOf(sums.filter((row) => row.day.startsWith(month)))),
      target: shown(
        question.metric,
        targets.filter((one) => one.month === month).reduce((sum, one) => sum + one.target, 0),
      ),
    },
  }));
}

/** Whose details are read: the own ones, or with the right to see everybody those of any subject. */
function subjectOf(
  caller: Caller,
  parameters: Readonly<Record<string, string>>,
): { kind: SubjectKind; id: number } {
  if (parameters.isAdmin !== '1') return { kind: 'staff', id: caller.staffId };
  if (!seesAll(caller)) throw forbidden();
  if (!/^\d{1,15}$/.test(parameters.subjectId ?? '')) return { kind: 'staff', id: caller.staffId };
  return { kind: (parameters.subjectKind ?? 'staff') as SubjectKind, id: Number(parameters.subjectId) };
}

/** Report of the rows behind a result. */
export const detail = bindReport(achievementDetail, {
  titles: (_platform, parameters) => Promise.resolve(unitTitles(['value'], parameters)),
  compute: async ({ caller, platform }, request) => {
    const { db } = platform.replica;
    const subject = subjectOf(caller, request.parameters);
    const { months, from, to } = periodOf(request);
    const metric = metricOf(request.parameters);
    const question: MetricQuestion = { metric, kind: subject.kind, from, to, subject: subject.id };
    const named = (await subjectsOf(db, subject.kind, [subject.id])).get(subject.id);
    const rows = await metricRows(db, caller, question);
    const targets = await targetsOf(db, caller, question, months);
    // Somebody else's name is told where there is something of theirs to see.
    if (rows.length === 0 && targets.length === 0 && !named) throw notFound();
    const target = targets.length === 0 ? null : targets.reduce((sum, one) => sum + one.target, 0);
    const actual = totalOf(rows);
    const { days, gone } = elapsedOf(from, to, today());
    const byDay = new Map<string, number>();
    for (const row of rows) byDay.set(row.day, (byDay.get(row.day) ?? 0) + row.value);
    let summed = 0;
    const span = Array.from({ length: daysBetween(from, to) }, (_, n) => addDays(from, n));
    return {
      figures: {
        ...figure(metric, 'target', target),
        ...figure(metric, 'actual', actual),
        completion: { value: target === null ? null : rate(actual, target), previous: null, spark: [] },
        ...figure(metric, 'forecast', forecastOf(actual, gone, days)),
        rank: { value: await rankOf(db, caller, question), previous: null, spark: [] },
      },
      charts: {
        curve: span.map((day, index) => {
          summed += byDay.get(day) ?? 0;
          return {
            key: day,
            label: day.slice(5),
            values: {
              actual: shown(metric, summed),
              target: shown(metric, Math.round(((target ?? 0) * (index + 1)) / days)),
            },
          };
        }),
        day: span.map((day) => ({
          key: day,
          label: day.slice(5),
          values: { actual: shown(metric, byDay.get(day) ?? 0) },
        })),
      },
      rows: rows.map((row) => ({ ...row, staff: row.staff ?? '', ...unit(metric, 'value', row.value) })),
      sums: unit(metric, 'value', actual),
    };
  },
});

/** Rank of a staff among those of the same department; nobody else has one. */
async function rankOf(db: Executor, caller: Caller, question: MetricQuestion): Promise<number | null> {
  if (question.kind !== 'staff') return null;
  const own = await runOne<{ department: number | null }>(
    db,
    'SELECT department_id AS department FROM staff WHERE id = $1',
    [question.subject],
  );
  if (!own?.department) return null;
  const sums = sumBy(
    await metricSums(db, caller, { ...question, subject: undefined, departments: [own.department] }),
    bySubject,
  );
  const mine = sums.get(question.subject!) ?? 0;
  return 1 + [...sums.values()].filter((value) => value > mine).length;
}
