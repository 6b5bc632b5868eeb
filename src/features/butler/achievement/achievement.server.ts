import { z } from 'zod';
import type { ChartPoint } from '../../../kernel/contract/report.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import {
  addDays,
  businessDayOf,
  daysBetween,
  isBusinessDay,
  isoInstant,
} from '../../../kernel/contract/time.rules.ts';
import { transaction } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { endpoint, type Call } from '../../../kernel/server/registration.ts';
import { encryptionToken } from '../../../kernel/server/resource/row-token.ts';
import { bindReport, type ReportRequest } from '../../../kernel/server/report/bind.ts';
import { createExportTask } from '../../../kernel/server/tasks/task-centre.ts';
import { butlerAchievement, type OrderCounts } from './achievement.contract.ts';
import {
  orderCounts,
  butlersNamed,
  resultDays,
  resultRows,
  resultSum,
  type ResultFigures,
  type ResultQuestion,
  type ResultRow,
} from './achievement-figures.server.ts';

const MENU = { code: butlerAchievement.menu } as const;
const TOP = 20;
/** Source of the export with its row of sums. */
export const TOTAL_EXPORT = 'butlerTotal';
const idsOf = (text: string | undefined) => (text ? text.split(',').map(Number) : []);

/** The question of a report request. */
export const questionOf = (
  request: Pick<ReportRequest, 'from' | 'to' | 'parameters'>,
  days?: readonly [from: string, to: string],
): ResultQuestion => ({
  from: days?.[0] ?? request.from,
  to: days?.[1] ?? request.to,
  timeKind: request.parameters.timeKind === 'completed' ? 'completed' : 'paid',
  groupBy: (request.parameters.groupBy ?? 'butler') as ResultQuestion['groupBy'],
  centres: idsOf(request.parameters.centre),
  units: idsOf(request.parameters.unit),
  projects: idsOf(request.parameters.project),
  butlers: idsOf(request.parameters.butler),
  businesses: idsOf(request.parameters.business),
  way: request.parameters.way ? Number(request.parameters.way) : undefined,
  keyword: request.parameters.keyword?.trim() ?? '',
});

/** Filters of the lines behind a row. `named`: the butlers a keyword finds. */
function drillOf(
  question: ResultQuestion,
  row: ResultRow,
  named: readonly number[] | undefined,
): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const month = question.groupBy === 'month' ? row.key : undefined;
  const from = month && `${month}-01` > question.from ? `${month}-01` : question.from;
  const end = month && lastDayOf(month);
  const to = end && end < question.to ? end : question.to;
  const base: Record<string, string> = {
    [question.timeKind === 'paid' ? 'paidAt' : 'completedAt']: `${from}~${to}`,
    ...listed('project', question.projects),
    ...listed('centre', question.centres),
    ...listed('unit', question.units),
    ...listed(
      'butler',
      named?.filter((id) => question.butlers.length === 0 || question.butlers.includes(id)) ??
        question.butlers,
    ),
    ...listed('business', question.businesses),
    ...(question.way && { way: String(question.way) }),
    ...(question.groupBy === 'butler' && { butler: row.key }),
    ...(question.groupBy === 'project' && { project: row.key }),
    ...(question.groupBy === 'centre' && { centre: row.key }),
  };
  const all = ['orderCount', 'orderAmount', 'validAmount', 'refundAmount', 'incentiveAmount'];
  return {
    ...Object.fromEntries(all.map((name) => [name, base])),
    frozenAmount: { ...base, incentiveState: 'frozen' },
    shareOrderAmount: { ...base, way: '1' },
    servedOrderAmount: { ...base, way: '2' },
  };
}

const lastDayOf = (month: string) => addDays(`${addDays(`${month}-28`, 4).slice(0, 7)}-01`, -1);

/** Report of butlers' results with the specification's paths. */
export const registration = bindReport(butlerAchievement, {
  compute: async ({ caller, platform }, request) => {
    const db = platform.replica.db;
    const question = questionOf(request);
    const before = questionOf(request, [request.previousFrom, request.previousTo]);
    const rows = await resultRows(db, caller, question);
    const sums = await resultSum(db, caller, question, rows);
    const previous = await resultSum(db, caller, before, await resultRows(db, caller, before));
    const days = await resultDays(db, caller, question);
    const named = question.keyword === '' ? undefined : await butlersNamed(db, question.keyword);
    const span = Array.from({ length: daysBetween(question.from, question.to) }, (_, n) =>
      addDays(question.from, n),
    );
    const figure = (name: keyof ResultFigures) => ({
      value: sums[name],
      previous: previous[name],
      spark: [],
    });
    return {
      figures: {
        valid: {
          ...figure('validAmount'),
          spark: span
            .slice(-7)
            .map((day) => ((days.get(day)?.share ?? 0) + (days.get(day)?.served ?? 0)) / 100),
        },
        orders: figure('orderCount'),
        visitors: figure('visitorCount'),
        conversion: figure('conversionRate'),
        incentive: figure('incentiveAmount'),
      },
      charts: {
        day: span.map((day): ChartPoint => {
          const one = days.get(day) ?? { share: 0, served: 0 };
          return {
            key: `${day}~${day}`,
            label: day.slice(5),
            values: {
              validAmount: (one.share + one.served) / 100,
              shareOrderAmount: one.share / 100,
              servedOrderAmount: one.served / 100,
            },
          };
        }),
        top:
          question.groupBy === 'butler'
            ? rows.slice(0, TOP).map((row) => ({
                key: new URLSearchParams(drillOf(question, row, named).validAmount).toString(),
                label: row.name,
                values: { validAmount: row.validAmount / 100, incentiveAmount: row.incentiveAmount / 100 },
              }))
            : [],
      },
      rows: rows.map((row) => ({
        id: row.key,
        ...row,
        drill: drillOf(question, row, named),
      })),
      sums: { ...sums },
    };
  },
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/bizButlerTotalPC/searchButlerTotal',
      title: ['管家业绩汇总', 'Results by butler'],
      access: MENU,
      body: bodySchema(),
      handle: async (call) => {
        const { body } = call;
        const rows = sortedRows(await rowsOf(call), body.sort, body.order);
        return {
          total: rows.length,
          rows: rows
            .slice((body.page - 1) * body.limit, body.page * body.limit)
            .map((row) => wireRow(row, body.groupBy)),
          asOf: isoInstant(new Date()),
        };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/jinmao/bizButlerTotalPC/searchButlerTotalSum',
      title: ['管家业绩合计', 'Sum of results'],
      access: MENU,
      body: bodySchema(),
      handle: async (call) => {
        const rows = await rowsOf(call);
        const sum = await resultSum(call.platform.replica.db, call.caller, bodyQuestion(call.body), rows);
        return { butlerCount: rows.length, ...wireFigures(sum), asOf: isoInstant(new Date()) };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/jinmao/bizButlerTotalPC/exportButlerTotal',
      title: ['导出管家业绩', 'Export results'],
      access: { code: `${butlerAchievement.menu}:btn_export` },
      body: bodySchema(),
      handle: async (call) => {
        const question = bodyQuestion(call.body);
        const query = {
          range: `${question.from}~${question.to}`,
          timeKind: question.timeKind,
          groupBy: question.groupBy,
          ...listed('centre', question.centres),
          ...listed('unit', question.units),
          ...listed('project', question.projects),
          ...listed('butler', question.butlers),
          ...listed('business', question.businesses),
          ...(question.way ? { way: String(question.way) } : {}),
          ...(question.keyword ? { keyword: question.keyword } : {}),
        };
        return transaction(call.platform.database.db, async (tx) => {
          const taskId = await createExportTask(tx, call.caller, {
            source: TOTAL_EXPORT,
            menu: butlerAchievement.menu,
            name: butlerAchievement.title,
            query,
            language: call.facts.language,
          });
          await writeAudit(tx, {
            caller: call.caller,
            facts: call.facts,
            menu: butlerAchievement.menu,
            action: 'export',
            entity: TOTAL_EXPORT,
            entityId: taskId,
            after: query,
          });
          return {
            taskId,
            exportName:
              call.facts.language === 'en' ? butlerAchievement.title[1] : butlerAchievement.title[0],
            exportState: call.facts.language === 'en' ? 'Queued' : '排队中',
          };
        });
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/bizButlerTotalPC/getButlerOrderCount',
      title: ['管家订单数', 'Orders of a butler'],
      access: MENU,
      query: z.strictObject({
        butlerId: idText(),
        projectId: z.union([idText(), z.array(idText())]).optional(),
        busType: z
          .string()
          .regex(/^\d{1,15}$/)
          .or(z.literal(''))
          .optional(),
        way: z.enum(['', '1', '2']).optional(),
        timeKind: z.enum(['paid', 'completed']).default('paid'),
        startTime: z.string().default(''),
        endTime: z.string().default(''),
      }),
      handle: async ({ query, caller, platform }): Promise<OrderCounts> => {
        const days = daysAsked(query.startTime, query.endTime);
        return (await orderCounts(platform.replica.db, caller, {
          ...days,
          timeKind: query.timeKind,
          groupBy: 'butler',
          centres: [],
          units: [],
          projects: [query.projectId ?? []].flat().map(Number),
          butlers: [Number(query.butlerId)],
          businesses: query.busType ? [Number(query.busType)] : [],
          way: query.way ? Number(query.way) : undefined,
          keyword: '',
        })) as unknown as OrderCounts;
      },
    }),
  ],
});

function idText() {
  return z.string().regex(/^\d{1,15}$/);
}

function bodySchema() {
  const ids = z.array(idText()).max(500).default([]);
  return z.strictObject({
    centreCityIds: ids,
    manageIds: ids,
    projectId: ids,
    butlerId: idText().or(z.literal('')).nullish(),
    busType: idText().or(z.literal('')).nullish(),
    way: z.union([z.enum(['', '1', '2']), z.literal(1), z.literal(2)]).nullish(),
    timeKind: z.enum(['paid', 'completed']).default('paid'),
    startTime: z.string().default(''),
    endTime: z.string().default(''),
    groupBy: z.enum(['butler', 'project', 'centre', 'month']).default('butler'),
    searchVal: z.string().max(60).default(''),
    sort: z.string().max(40).default('rank'),
    order: z.enum(['asc', 'desc', '']).default('asc'),
    page: z.number().int().min(1).default(1),
    limit: z.number().int().min(1).max(200).default(10),
  });
}
type Body = z.output<ReturnType<typeof bodySchema>>;

const listed = (name: string, ids: readonly number[]) => (ids.length > 0 ? { [name]: ids.join(',') } : {});

/** Days of a path; none: this month up to today. */
function daysAsked(from: string, to: string): { from: string; to: string } {
  const today = businessDayOf(new Date());
  const days = { from: from || `${today.slice(0, 7)}-01`, to: to || today };
  if (!isBusinessDay(days.from)) throw invalid({ startTime: ['日期不正确', 'The date is not valid'] });
  if (!isBusinessDay(days.to)) throw invalid({ endTime: ['日期不正确', 'The date is not valid'] });
  if (days.from > days.to)
    throw invalid({ endTime: ['结束日期不能早于开始日期', 'The end must not be before the start'] });
  if (daysBetween(days.from, days.to) > butlerAchievement.maxDays!)
    throw invalid({
      endTime: ['时间跨度不能超过366天', 'The range must not be longer than 366 days'],
    });
  return days;
}

const bodyQuestion = (body: Body): ResultQuestion => ({
  ...daysAsked(body.startTime, body.endTime),
  timeKind: body.timeKind,
  groupBy: body.groupBy,
  centres: body.centreCityIds.map(Number),
  units: body.manageIds.map(Number),
  projects: body.projectId.map(Number),
  butlers: body.butlerId ? [Number(body.butlerId)] : [],
  businesses: body.busType ? [Number(body.busType)] : [],
  way: body.way ? Number(body.way) : undefined,
  keyword: body.searchVal.trim(),
});

const rowsOf = (call: Call<unknown, Body>) =>
  resultRows(call.platform.replica.db, call.caller, bodyQuestion(call.body));

function sortedRows(rows: readonly ResultRow[], sort: string, order: string): readonly ResultRow[] {
  const name = (sort === 'butlerName' ? 'name' : sort || 'rank') as keyof ResultRow;
  if (rows.length === 0) return rows;
  if (!(name in rows[0]!)) throw invalid({ sort: ['不支持按此项排序', 'Sorting by this is not supported'] });
  const sign = order === 'desc' ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [a[name], b[name]];
    if (x === y) return a.rank - b.rank;
    if (x === null) return 1;
    if (y === null) return -1;
    return (
      sign *
      (typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y), 'zh-CN'))
    );
  });
}

const rate = (value: number | null) => (value === null ? null : value.toFixed(1));

function wireFigures(row: ResultFigures) {
  return {
    shareCount: row.shareCount,
    visitCount: row.visitCount,
    visitorCount: row.visitorCount,
    orderCount: row.orderCount,
    orderAmount: yuanFromFen(row.orderAmount),
    refundAmount: yuanFromFen(row.refundAmount),
    validAmount: yuanFromFen(row.validAmount),
    conversionRate: rate(row.conversionRate),
    shareOrderAmount: yuanFromFen(row.shareOrderAmount),
    servedOrderAmount: yuanFromFen(row.servedOrderAmount),
    incentiveAmount: yuanFromFen(row.incentiveAmount),
    frozenAmount: yuanFromFen(row.frozenAmount),
    payableAmount: yuanFromFen(row.payableAmount),
    paidAmount: yuanFromFen(row.paidAmount),
    clawbackAmount: yuanFromFen(row.clawbackAmount),
  };
}

const wireRow = (row: ResultRow, groupBy: ResultQuestion['groupBy']) => ({
  rank: row.rank,
  butlerId: row.key,
  butlerName: row.name,
  staffNo: row.staffNo,
  phone: row.phone,
  projectNames: row.projectNames,
  houseCount: row.houseCount,
  ...wireFigures(row),
  allowedActions: [],
  encryptionField: groupBy === 'butler' ? encryptionToken('housekeeper', Number(row.key), 'info') : null,
});
