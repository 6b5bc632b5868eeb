import { z } from 'zod';
import { requireProjectsInReach } from '../../domain/permission/project-reach.server.ts';
import { workOrderScope } from '../../domain/work-order/work-order-scope.server.ts';
import { presentInstant, readSeen, seenText } from '../../domain/work-order-report/as-of.server.ts';
import { METRICS, type Metric } from '../../domain/work-order-report/figures.rules.ts';
import { textOf, type Label } from '../../kernel/contract/label.ts';
import { addDays, businessDayOf, isoInstant } from '../../kernel/contract/time.rules.ts';
import { run } from '../../kernel/server/database.ts';
import { invalid } from '../../kernel/server/http/errors.ts';
import type { Caller, MenuScope } from '../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../kernel/server/people/scope.ts';
import { endpoint, type Call, type Endpoint } from '../../kernel/server/registration.ts';
import type { BoundResource } from '../../kernel/server/resource/bind.ts';
import { WORK_SOURCES } from '../mall/work-order/work-order.contract.ts';
import { URGENCIES, WORK_CLASSES, WORK_STATES } from '../../domain/work-order/work-order-words.rules.ts';
import type { OpenOrders } from './open-orders.contract.ts';

const EVERYTHING: readonly MenuScope[] = [{ kind: 'all' }];
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOST_DAYS = 366;
const BAD: Label = ['没有此选项', 'There is no such choice'];
const SORTS = [
  'createdAt',
  'acceptedAt',
  'startedAt',
  'finishedAt',
  'responseUsed',
  'solveUsed',
  'score',
  'code',
];

const query = z.strictObject({
  metric: z.string().max(40).optional(),
  startTime: z.string().max(20).optional(),
  endTime: z.string().max(20).optional(),
  basis: z.string().max(20).optional(),
  projectId: z.string().max(2_000).optional(),
  class: z.string().max(40).optional(),
  centreId: z.string().max(200).optional(),
  busId: z.string().max(20).optional(),
  weekday: z.string().max(2).optional(),
  hour: z.string().max(2).optional(),
  woType: z.string().max(60).optional(),
  categoryId: z.string().max(200).optional(),
  source: z.string().max(20).optional(),
  urgency: z.string().max(60).optional(),
  state: z.string().max(200).optional(),
  handlerId: z.string().max(20).optional(),
  departId: z.string().max(20).optional(),
  tenantId: z.string().max(20).optional(),
  date: z.string().max(20).optional(),
  asOf: z.string().max(4_000).optional(),
  frozen: z.enum(['0', '1']).optional(),
  /** How minutes are shown; both where it is left out. */
  timeKind: z.enum(['clock', 'business']).optional(),
  page: z
    .string()
    .regex(/^\d{1,5}$/)
    .optional(),
  limit: z
    .string()
    .regex(/^(20|50|100|200)$/)
    .optional(),
  sort: z.string().max(20).optional(),
});
type Asked = z.output<typeof query>;

const BUSINESS_TIME = {
  zh: { name: 'timeKind', text: '业务时间', fixed: false },
  en: { name: 'timeKind', text: 'Business time', fixed: false },
} as const;

/**
 * The orders of a figure for every signed-in staff: inside tenant and projects as everywhere, under the scopes of the report's own
 * detail where the staff holds it. Values that mean nothing are refused (422), foreign projects do not exist (404): never is an
 * unfiltered list the answer. Source: group 11, injected pages.
 */
export function openRowsEndpoint(
  family: 'property' | 'operations',
  menu: string,
  title: Label,
  bound: () => BoundResource,
): Endpoint {
  return endpoint({
    method: 'GET',
    path: `/jinmao/web/workOrderReport/${family}/rows`,
    title,
    access: 'staff',
    query,
    handle: async (call): Promise<OpenOrders> => {
      const { caller } = call;
      const nowhere = caller.projectIds !== null && caller.projectIds.length === 0;
      const filters = {
        ...filtersOf(call.query, caller, family),
        ...(await instantOf(call.query, call.platform)),
      };
      const { rows, total } = await bound().page(
        { platform: call.platform, caller: reader(caller, menu) },
        {
          page: Number(call.query.page ?? 1),
          limit: Number(call.query.limit ?? 50),
          searchVal: '',
          sort: sortOf(call.query.sort),
          tab: undefined,
          cursor: undefined,
          exact: true,
          filters: Object.fromEntries(Object.entries(filters)),
        },
      );
      return {
        total,
        rows: rows.map(
          ({ actions: _none, encryptionField: _sealed, ...row }: Record<string, unknown>) => row,
        ) as unknown as OpenOrders['rows'],
        filter: [
          ...(await wordsOf(call, filters, reader(caller, menu), menu)),
          ...(call.query.timeKind === 'business' ? [BUSINESS_TIME[call.facts.language]] : []),
        ],
        nowhere,
      };
    },
  });
}

/** The caller as one who holds the detail: what no grant can widen holds all the same, and nothing can be revealed. */
function reader(caller: Caller, menu: string): Caller {
  return {
    ...caller,
    menus: new Map([...caller.menus, [menu, caller.menus.get(menu) ?? EVERYTHING]]),
    elements: new Set(),
  };
}

function sortOf(asked: string | undefined): string {
  if (asked === undefined) return '-createdAt';
  if (!SORTS.includes(asked.replace(/^-/, ''))) throw invalid({ sort: BAD });
  return asked;
}

/** Filters of the list behind the report; without parameters the running month and every order. */
function filtersOf(asked: Asked, caller: Caller, family: 'property' | 'operations'): Record<string, string> {
  const today = businessDayOf(new Date());
  const from = asked.date ?? asked.startTime ?? `${today.slice(0, 7)}-01`;
  const to =
    asked.date ?? asked.endTime ?? (asked.startTime ? addDays(asked.startTime, MOST_DAYS - 1) : today);
  const problems: Record<string, Label> = {};
  for (const [name, day] of [
    ['startTime', from],
    ['endTime', to],
  ] as const)
    if (!DAY.test(day) || !isDay(day)) problems[name] = ['日期不正确', 'Not a date'];
  if (Object.keys(problems).length === 0) {
    const days = (Date.parse(to) - Date.parse(from)) / 86_400_000;
    if (days < 0) problems.endTime = ['结束不能早于开始', 'The end is before the start'];
    if (days >= MOST_DAYS) problems.endTime = ['时间跨度不能超过366天', 'Period must not exceed 366 days'];
  }
  if (asked.metric !== undefined && !Object.hasOwn(METRICS, asked.metric)) problems.metric = BAD;
  if (asked.basis !== undefined && !['created', 'finished'].includes(asked.basis)) problems.basis = BAD;
  if (Object.keys(problems).length > 0) throw invalid(problems);
  const filters: Record<string, string> = {
    metric: asked.metric ?? 'total',
    [asked.basis === 'finished' ? 'finishedAt' : 'createdAt']: `${from}~${to}`,
  };
  if (asked.projectId !== undefined) {
    const ids = asked.projectId.split(',');
    if (!ids.every((id) => /^\d{1,15}$/.test(id))) throw invalid({ projectId: BAD });
    requireProjectsInReach(caller, ids.map(Number));
    filters.project = asked.projectId;
  }
  for (const [from_, to_] of [
    ['woType', 'type'],
    ['categoryId', 'exactCategory'],
    ['source', 'source'],
    ['urgency', 'urgency'],
    ['state', 'state'],
    ['handlerId', 'handlerId'],
    ['departId', 'departmentId'],
    ['centreId', 'centre'],
    ['weekday', 'weekday'],
    ['hour', 'hour'],
    ...(family === 'property' ? ([['class', 'class']] as const) : ([['busId', 'businessId']] as const)),
    // A merchant is kept to its own orders by the scope, whatever it asks for.
    ...(family === 'operations' && caller.tenantKind !== 2 ? ([['tenantId', 'merchantId']] as const) : []),
  ] as const)
    if (asked[from_] !== undefined) filters[to_] = asked[from_];
  return filters;
}

/** Which version of the orders is listed: at the instant of the page that was clicked, frozen months as they were frozen. */
async function instantOf(asked: Asked, platform: Call['platform']): Promise<Record<string, string>> {
  if (asked.asOf === undefined && asked.frozen !== '1') return {};
  const seen =
    asked.asOf === undefined ? { token: await presentInstant(platform.replica.db) } : readSeen(asked.asOf);
  const basis = asked.basis === 'finished' ? 'finished' : 'created';
  const frozen = asked.frozen === undefined ? seen.frozen : asked.frozen === '1' ? basis : undefined;
  return { asOf: seenText({ token: seen.token, frozen }) };
}

/** Whether there is such a day: the thirty-first of November is none. */
function isDay(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}

/** Names of the parameters behind the filters, which a tag takes out of the address. */
const PARAMETER: Readonly<Record<string, string>> = {
  metric: 'metric',
  createdAt: 'startTime',
  finishedAt: 'startTime',
  project: 'projectId',
  type: 'woType',
  exactCategory: 'categoryId',
  departmentId: 'departId',
  merchantId: 'tenantId',
  centre: 'centreId',
  businessId: 'busId',
};

/** Where an order names what a filter asks for. */
const OF_ORDER = {
  work_category: 't.category_id',
  staff: 't.handler_id',
  department: 'h.department_id',
  tenant: 't.tenant_id',
} as const;

/** The filter in words. Names are those of orders the reader sees: whoever tries ids learns no others. */
async function wordsOf(
  { platform, facts }: Pick<Call, 'platform' | 'facts'>,
  filters: Readonly<Record<string, string>>,
  reads: Caller,
  menu: string,
): Promise<OpenOrders['filter']> {
  const { language } = facts;
  const named = async (
    table: 'project' | 'organisation' | 'business' | keyof typeof OF_ORDER,
    value: string,
  ) => {
    const parameters = new Parameters();
    const ids = parameters.bind(value.split(',').map(Number));
    const rows = await run<{ name: string }>(
      platform.database.db,
      `SELECT x.name FROM ${table} x WHERE x.id = ANY(${ids}::bigint[]) AND ${
        table === 'project' || table === 'organisation' || table === 'business'
          ? 'TRUE'
          : `EXISTS (SELECT FROM work_order t LEFT JOIN staff h ON h.id = t.handler_id
              WHERE ${OF_ORDER[table]} = x.id AND ${scopeCondition(reads, menu, workOrderScope(menu), parameters)})`
      } ORDER BY x.id`,
      parameters.values,
    );
    return rows.map((row) => row.name).join('、') || (language === 'en' ? 'none' : '无');
  };
  const chosen = (choices: Readonly<Record<string, { readonly label: Label }>>, value: string) =>
    value
      .split(',')
      .map((one) => (choices[one] ? textOf(choices[one].label, language) : one))
      .join('、');
  const words: OpenOrders['filter'][number][] = [];
  for (const [name, value] of Object.entries(filters)) {
    const text =
      name === 'metric'
        ? textOf(METRICS[value as Metric].label, language)
        : name === 'project'
          ? await named('project', value)
          : name === 'exactCategory'
            ? await named('work_category', value)
            : name === 'handlerId'
              ? await named('staff', value)
              : name === 'departmentId'
                ? await named('department', value)
                : name === 'centre'
                  ? await named('organisation', value)
                  : name === 'businessId'
                    ? await named('business', value)
                    : name === 'class'
                      ? chosen(WORK_CLASSES, value)
                      : name === 'weekday'
                        ? textOf([`星期${value}`, `Weekday ${value}`], language)
                        : name === 'hour'
                          ? textOf([`${value} 时`, `${value}:00`], language)
                          : name === 'merchantId'
                            ? await named('tenant', value)
                            : name === 'asOf'
                              ? asOfText(value, language)
                              : name === 'source'
                                ? chosen(WORK_SOURCES, value)
                                : name === 'urgency'
                                  ? chosen(URGENCIES, value)
                                  : name === 'state'
                                    ? chosen(WORK_STATES, value)
                                    : name === 'type'
                                      ? chosen(TYPE_WORDS, value)
                                      : `${textOf(name === 'finishedAt' ? ['完成', 'Finished'] : ['创建', 'Created'], language)} ${value.replace('~', ' – ')}`;
    words.push({ name: PARAMETER[name] ?? name, text, fixed: name.endsWith('At') || name === 'metric' });
  }
  return words;
}

/** The instant of a page in words. */
function asOfText(value: string, language: 'zh' | 'en'): string {
  const { token, frozen } = readSeen(value);
  const at = isoInstant(new Date(Number(token.slice(0, 13))))
    .slice(0, 16)
    .replace('T', ' ');
  return textOf(
    frozen ? [`截至 ${at}（封版）`, `As of ${at}, frozen months`] : [`截至 ${at}`, `As of ${at}`],
    language,
  );
}

const TYPE_WORDS = {
  complaint_repair: { label: ['投诉报修', 'Repairs and complaints'] },
  plan: { label: ['计划', 'Plan'] },
  goods: { label: ['商品', 'Goods'] },
  service: { label: ['服务', 'Service'] },
} as const;
