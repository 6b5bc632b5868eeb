import { z } from 'zod';
import { textOf } from '../../contract/label.ts';
import { yuanFromFen } from '../../contract/money.rules.ts';
import type { ChartPoint } from '../../contract/report.ts';
import { isoInstant } from '../../contract/time.rules.ts';
import { holds, type Caller } from '../people/caller.ts';
import { forbidden, notFound } from '../http/errors.ts';
import { HOME_PERIODS, homeDays, sparkOf, sumOfDays } from './home-period.rules.ts';
import { ownWrites } from '../people/own-writes.ts';
import type { Platform } from '../platform.ts';
import { scopeKey } from '../people/scope.ts';
import {
  endpoint,
  type Call,
  type Endpoint,
  type FigureKind,
  type HomeQuestion,
  type OptionSource,
  type Registration,
  type TodoKind,
} from '../registration.ts';

/** To-dos, figures and charts of the home page are kept this long, per scope. Source: 00-frame, home. */
const KEEP_MS = 30_000;
const MAX_ENTRIES = 2_000;

const query = z.strictObject({
  projectId: z
    .string()
    .regex(/^\d{0,15}$/)
    .default(''),
  period: z.enum(HOME_PERIODS).default('today'),
});
type HomeQuery = z.infer<typeof query>;

/** Endpoints of the to-dos, figures and charts that registrations declare: only those of held menus, inside the caller's scope. */
export function homeEndpoints(
  registrations: readonly Registration[],
  projects: () => OptionSource | undefined,
): Endpoint[] {
  const byOrder = (a: { order: number }, b: { order: number }) => a.order - b.order;
  const todos = registrations.flatMap((service) => service.todos ?? []).sort(byOrder);
  const figures = registrations.flatMap((service) => service.figures ?? []).sort(byOrder);
  const charts = registrations.flatMap((service) => service.charts ?? []).sort(byOrder);
  return [
    endpoint({
      method: 'GET',
      path: '/admin/home/todo',
      title: ['待办', 'To-do'],
      access: 'staff',
      handle: async (call) => {
        const held = todos.flatMap((todo) => {
          const rather = todo.rather && holds(call.caller, todo.rather.menu) ? todo.rather : undefined;
          return rather || holds(call.caller, todo.menu) ? [{ ...todo, ...rather }] : [];
        });
        const counts = await Promise.all(held.map((todo) => countOf(call, todo)));
        return held.map((todo, index) => ({
          kind: todo.kind,
          label: textOf(todo.label, call.facts.language),
          labels: todo.label,
          menu: todo.menu,
          route: todo.route,
          count: counts[index]!.count,
          overdue: counts[index]!.overdue,
          oldest: counts[index]!.oldest,
        }));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/home/figures',
      title: ['首页指标', 'Figures of the home page'],
      access: 'staff',
      query,
      handle: async (call) => {
        const projectId = await projectOf(call, projects());
        const held = figures.filter((figure) => holds(call.caller, figure.menu));
        const answers = await Promise.all(held.map((figure) => figureOf(call, figure, projectId)));
        const times = answers.flatMap((answer) => (answer.at === undefined ? [] : [answer.at]));
        return {
          // The oldest of what is shown.
          asOf: isoInstant(new Date(times.length > 0 ? Math.min(...times) : Date.now())),
          figures: answers.map(({ at: _at, ...figure }) => figure),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/home/charts',
      title: ['首页图表', 'Charts of the home page'],
      access: 'staff',
      handle: async (call) =>
        charts
          .filter((chart) => holds(call.caller, chart.menu))
          .map(({ code, title, rule, kind, menu, set, measures }) => ({
            code,
            title,
            ...(rule ? { rule } : {}),
            kind,
            menu,
            set,
            measures,
          })),
    }),
    endpoint({
      method: 'GET',
      path: '/admin/home/charts/:code',
      title: ['首页图表数据', 'A chart of the home page'],
      access: 'staff',
      query,
      handle: async (call) => {
        const chart = charts.find((one) => one.code === call.params.code);
        if (!chart) throw notFound();
        if (!holds(call.caller, chart.menu)) throw forbidden();
        const projectId = await projectOf(call, projects());
        const { from, to } = homeDays(call.query.period, new Date());
        const question: HomeQuestion = { from, to, projectId };
        const key = keyOf(call.caller, chart.menu, `chart ${chart.code} ${call.facts.language}`, question);
        const { value, at } = await kept(call.platform, key, () => chart.points(call, question));
        return {
          asOf: isoInstant(new Date(at)),
          points: value.map((point: ChartPoint) => ({ ...point, route: chart.route(question, point.key) })),
        };
      },
    }),
  ];
}

/** What waits for the staff (who may not decide what it decided before), anew after each of its own writes. */
async function countOf({ caller, platform }: Call, todo: TodoKind) {
  const own = `${caller.staffId}|${caller.epoch}|${ownWrites(platform, caller.staffId)}`;
  const key = `${scopeKey(caller, todo.menu)}|todo ${todo.kind}|${own}`;
  return (await kept(platform, key, () => todo.count({ caller, platform }), todo.keepMs)).value;
}

/** A figure that cannot be computed says so by itself and leaves the others alive. */
async function figureOf(call: Call<HomeQuery>, figure: FigureKind, projectId: number | undefined) {
  const { caller, platform, facts } = call;
  const days = homeDays(call.query.period, new Date());
  const question: HomeQuestion = { from: days.from, to: days.to, projectId };
  const facade = {
    code: figure.code,
    label: textOf(figure.label, facts.language),
    formula: textOf(figure.formula, facts.language),
    kind: figure.kind,
    set: figure.set,
    menu: figure.menu,
    route: figure.route(question),
  };
  const text = (value: number) => (figure.kind === 'money' ? yuanFromFen(value) : String(value));
  try {
    const key = keyOf(caller, figure.menu, `figure ${figure.code}`, { ...question, from: days.first });
    if (figure.days) {
      const { value, at } = await kept(platform, key, () =>
        figure.days!(call, { ...question, from: days.first }),
      );
      return {
        ...facade,
        at,
        value: text(sumOfDays(value, days.from, days.to)),
        previous: text(sumOfDays(value, days.previousFrom, days.previousTo)),
        spark: sparkOf(value, days.to).map((one) => (figure.kind === 'money' ? one / 100 : one)),
      };
    }
    const { value, at } = await kept(platform, key, () => figure.now!(call, projectId));
    return { ...facade, at, value: text(value), previous: null, spark: [] };
  } catch (error) {
    platform.log.error({
      message: `figure ${figure.code} failed`,
      error: String(error),
      traceId: facts.traceId,
    });
    return { ...facade, at: undefined, value: null, previous: null, spark: [], failed: true };
  }
}

/** The asked project, which must lie in the caller's scope (404 otherwise); undefined for all. */
async function projectOf(
  call: Call<HomeQuery>,
  source: OptionSource | undefined,
): Promise<number | undefined> {
  const { projectId } = call.query;
  if (projectId === '') return undefined;
  const found = await source?.find(call, { searchVal: '', ids: [projectId], offset: 0, limit: 1 });
  if (!found?.some((project) => project.id === projectId)) throw notFound();
  return Number(projectId);
}

interface Kept {
  readonly until: number;
  readonly value: Promise<{ readonly value: unknown; readonly at: number }>;
}

const caches = new WeakMap<Platform, Map<string, Kept>>();

/** The key holds everything the rows depend on, the scope first of all. */
function keyOf(caller: Caller, menu: string, what: string, question: HomeQuestion): string {
  return `${scopeKey(caller, menu)}|${what}|${question.projectId ?? ''}|${question.from}|${question.to}`;
}

function kept<T>(
  platform: Platform,
  key: string,
  compute: () => Promise<T>,
  keepMs = KEEP_MS,
): Promise<{ value: T; at: number }> {
  let cache = caches.get(platform);
  if (!cache) caches.set(platform, (cache = new Map()));
  const found = cache.get(key);
  if (found && found.until > Date.now()) return found.value as Promise<{ value: T; at: number }>;
  if (cache.size >= MAX_ENTRIES) cache.clear();
  const at = Date.now();
  const value = compute().then((one) => ({ value: one, at }));
  cache.set(key, { until: at + keepMs, value });
  value.catch(() => cache.delete(key));
  return value;
}
