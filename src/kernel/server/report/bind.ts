import { elementCode } from '../../contract/resource.ts';
import type { Field } from '../../contract/fields.ts';
import type { ChartPoint, FigureSpec, FigureValue, Report } from '../../contract/report.ts';
import { inputProblem } from '../../contract/input.ts';
import { textOf, type Label } from '../../contract/label.ts';
import { addDays, businessDayOf, daysBetween, isBusinessDay, isoInstant } from '../../contract/time.rules.ts';
import { writeAudit } from '../audit/audit.ts';
import { exportKind, exportText } from '../resource/export-rows.ts';
import type { Caller } from '../people/caller.ts';
import { transaction } from '../database.ts';
import { invalid } from '../http/errors.ts';
import type { Platform } from '../platform.ts';
import { converter } from '../resource/read-rows.ts';
import {
  endpoint,
  type Call,
  type Endpoint,
  type ExportColumn,
  type ExportSheet,
  type ExportSource,
  type Registration,
} from '../registration.ts';
import { createExportTask } from '../tasks/task-centre.ts';

/** A checked report request. `from` and `to` are business days, both included. */
export interface ReportRequest {
  readonly from: string;
  readonly to: string;
  /** Previous equal period. */
  readonly previousFrom: string;
  readonly previousTo: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly sort: string;
  readonly page: number;
  readonly limit: number;
}

/** What a report computes. Rows hold stored values (money in fen); refs as `{id, title}`. */
export interface ReportResult {
  readonly figures: Readonly<
    Record<
      string,
      /** Null: the caller is not told of the figure at all. */
      null | {
        readonly value: number | null;
        readonly previous: number | null;
        readonly spark: readonly number[];
        /** The formula with its numbers, for the hint. */
        readonly working?: string;
      }
    >
  >;
  readonly charts: Readonly<Record<string, readonly ChartPoint[]>>;
  readonly rows: readonly Record<string, unknown>[];
  /** Sums of the columns; `drill` as in a row: filters behind the figures of the whole period. */
  readonly sums: Readonly<Record<string, unknown>>;
}

/** How a report gets its answer. The scope is a required part of every query it makes. */
export interface ReportBinding {
  compute(
    call: { caller: Caller; platform: Platform; language: 'zh' | 'en' },
    request: ReportRequest,
  ): Promise<ReportResult>;
  /** Titles of columns that settings or parameters name, instead of the declared ones; null leaves a column out. */
  titles?(
    platform: Platform,
    parameters: Readonly<Record<string, string>>,
    caller: Caller,
    period: Pick<ReportRequest, 'from' | 'to'>,
  ): Promise<Readonly<Record<string, Label | null>>>;
  readonly endpoints?: readonly Endpoint[];
  readonly also?: Partial<Omit<Registration, 'contract' | 'endpoints'>>;
}

const DEFAULT_DAYS = 30;
const SUMS_TITLE: Label = ['合计', 'Total'];

/** Binds a report contract: parameters checked, figures, charts, table, export of exactly the table's rows. */
export function bindReport(contract: Report, binding: ReportBinding): Registration {
  const root = `/jinmao/web/report/${contract.name}`;
  type Asked = Parameters<ExportSource['read']>;
  const compute = (...[call, query]: Asked) => binding.compute(call, readReportRequest(contract, query));
  const partsOver = (
    resultOf: (...asked: Asked) => ReportResult | Promise<ReportResult>,
  ): Pick<ExportSource, 'count' | 'read' | 'sheets'> => ({
    count: async (call, query) =>
      (await resultOf({ ...call, language: 'zh' }, query)).rows.length + (contract.exportSums ? 1 : 0),
    ...(contract.workbook && {
      sheets: async (call, query) => sheetsOf(contract, await resultOf(call, query), call.language),
    }),
    async *read(call, query) {
      const request = readReportRequest(contract, query);
      const result = await resultOf(call, query);
      const rows = sorted(contract, result.rows, request.sort);
      const columns = shownColumns(
        contract,
        await binding.titles?.(call.platform, query, call.caller, request),
      );
      const all = contract.exportSums ? [...rows, result.sums] : rows;
      yield all.map((row, at) =>
        columns.map((name, index) => {
          if (at === rows.length && index === 0) return textOf(SUMS_TITLE, call.language);
          const value = row[name];
          if (value === null || value === undefined) return null;
          const field = contract.fields[name]!;
          if (field.kind === 'integer') return value as number;
          if (field.kind === 'ref') return String((value as { title: string }).title);
          // A mean has endless digits; the file says what the screen does.
          if (field.kind === 'percent' || (field.kind === 'decimal' && typeof value === 'number'))
            return percentText(field, value);
          return exportText(field, value, call.language);
        }),
      );
    },
  });
  const source: ExportSource = {
    source: `report:${contract.name}`,
    columns: (language) => headers(contract, language),
    ...(binding.titles && {
      columnsOf: async ({ caller, platform, language }, query) =>
        headers(
          contract,
          language,
          await binding.titles!(platform, query, caller, readReportRequest(contract, query)),
        ),
    }),
    ...partsOver(compute),
    // Figures, rows and sheets of a file are those of one instant.
    once: async (call, query) => {
      const result = await compute(call, query);
      return partsOver(() => result);
    },
  };
  const answer = async (call: Call) => {
    const request = readReportRequest(contract, call.query as Record<string, unknown>);
    const result = await binding.compute(
      { caller: call.caller, platform: call.platform, language: call.facts.language },
      request,
    );
    const rows = sorted(contract, result.rows, request.sort);
    const shown = rows.slice((request.page - 1) * request.limit, request.page * request.limit);
    return {
      figures: Object.fromEntries(
        Object.entries(contract.figures).flatMap(([name, figure]) => {
          const value = result.figures[name];
          return value === null ? [] : [[name, wireFigure(figure, value)]];
        }),
      ),
      charts: result.charts,
      total: rows.length,
      rows: shown.map((row) => wireRow(contract, row)),
      sums: wireRow(contract, result.sums),
      ...(binding.titles && {
        titles: await binding.titles(call.platform, request.parameters, call.caller, request),
      }),
      asOf: isoInstant(new Date()),
    };
  };
  return {
    ...binding.also,
    contract,
    menus: [contract.menu, ...(binding.also?.menus ?? [])],
    elements: contract.export
      ? { [elementCode(contract, 'btn_export')]: ['导出', 'Export'], ...binding.also?.elements }
      : { ...binding.also?.elements },
    exports: contract.export ? [source] : [],
    endpoints: [
      endpoint({
        method: 'GET',
        path: root,
        title: contract.title,
        access: { code: contract.menu },
        rawQuery: true,
        handle: answer,
      }),
      ...(contract.export
        ? [
            endpoint({
              method: 'POST',
              path: `${root}/export`,
              title: ['导出', 'Export'] as Label,
              access: { code: elementCode(contract, 'btn_export') },
              handle: async (call) => {
                const {
                  page: _page,
                  limit: _limit,
                  ...query
                } = ((call.body as { query?: Record<string, string> } | null)?.query ?? {}) as Record<
                  string,
                  string
                >;
                readReportRequest(contract, query);
                const taskId = await transaction(call.platform.database.db, async (tx) => {
                  const id = await createExportTask(tx, call.caller, {
                    source: source.source,
                    menu: contract.menu,
                    name: contract.title,
                    query,
                    language: call.facts.language,
                  });
                  await writeAudit(tx, {
                    caller: call.caller,
                    facts: call.facts,
                    menu: contract.menu,
                    action: 'export',
                    entity: source.source,
                    entityId: id,
                    after: query,
                  });
                  return id;
                });
                return { taskId };
              },
            }),
          ]
        : []),
      ...(binding.endpoints ?? []),
    ],
  };
}

/** Reads a report request; refuses unknown parameters, bad days and ranges longer than the contract allows with 422. */
export function readReportRequest(contract: Report, query: Readonly<Record<string, unknown>>): ReportRequest {
  const problems: Record<string, Label> = {};
  const parameters: Record<string, string> = {};
  const single: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    const text = Array.isArray(value) ? value.join(',') : value;
    if (typeof text !== 'string') problems[name] = ['参数不正确', 'The parameter is not valid'];
    else if (name === 'range' || name === 'sort' || name === 'page' || name === 'limit') single[name] = text;
    else if (!Object.hasOwn(contract.parameters, name))
      problems[name] = ['不支持按此项筛选', 'Filtering by this is not supported'];
    else if (text !== '') {
      const field = contract.parameters[name]!;
      const bad =
        field.kind === 'ref' || field.kind === 'treeRef'
          ? text.split(',').every((id) => /^\d{1,15}$/.test(id))
            ? undefined
            : (['没有此选项', 'There is no such choice'] as Label)
          : field.kind === 'choice'
            ? inputProblem(field, text)
            : text.length > 200
              ? (['关键字过长', 'The keyword is too long'] as Label)
              : undefined;
      if (bad) problems[name] = bad;
      else parameters[name] = text;
    }
  }
  const today = businessDayOf(new Date());
  const [from = '', to = ''] = single.range
    ? single.range.split('~')
    : [addDays(today, 1 - DEFAULT_DAYS), today];
  if (!isBusinessDay(from) || !isBusinessDay(to))
    problems.range = ['日期范围不正确', 'The date range is not valid'];
  else if (from > to) problems.range = ['结束日期不能早于开始日期', 'The end must not be before the start'];
  else if (contract.maxDays && daysBetween(from, to) > contract.maxDays)
    problems.range = [
      `时间跨度不能超过${contract.maxDays}天`,
      `The range must not be longer than ${contract.maxDays} days`,
    ];
  else {
    const problem = contract.rangeRule?.(from, to, parameters);
    if (problem) problems.range = problem;
  }
  const sort = single.sort || contract.sort;
  if (!contract.fields[sort.replace(/^-/, '')]?.sortable)
    problems.sort = ['不支持按此项排序', 'Sorting by this is not supported'];
  const page = Number(single.page ?? '1');
  const limit = Number(single.limit ?? '20');
  if (!Number.isInteger(page) || page < 1) problems.page = ['页码不正确', 'The page is not valid'];
  if (!Number.isInteger(limit) || limit < 1 || limit > 200)
    problems.limit = ['每页条数应为1至200', 'The page size must be 1 to 200'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  const days = daysBetween(from, to);
  return {
    from,
    to,
    previousFrom: addDays(from, -days),
    previousTo: addDays(from, -1),
    parameters,
    sort,
    page,
    limit,
  };
}

function headers(
  contract: Report,
  language: 'zh' | 'en',
  titles?: Readonly<Record<string, Label | null>>,
): ExportColumn[] {
  return shownColumns(contract, titles).map((name) => ({
    title: textOf(titles?.[name] ?? contract.fields[name]!.label, language),
    kind: exportKind(contract.fields[name]!),
  }));
}

/** Figures, charts and definitions of a workbook. */
function sheetsOf(contract: Report, result: ReportResult, language: 'zh' | 'en'): ExportSheet[] {
  const said = (label: Label) => textOf(label, language);
  const column = (label: Label, kind: ExportColumn['kind']) => ({ title: said(label), kind });
  const figures = Object.entries(contract.figures).flatMap(([name, spec]) =>
    result.figures[name] === null ? [] : [[spec, wireFigure(spec, result.figures[name])] as const],
  );
  return [
    {
      title: said(['指标', 'Figures']),
      columns: [
        column(['指标', 'Figure'], 'text'),
        column(['本期', 'This period'], 'decimal'),
        column(['对比期', 'Compared with'], 'decimal'),
      ],
      rows: figures.map(([spec, value]) => [said(spec.label), value.value, value.previous]),
    },
    ...contract.charts.map((chart) => ({
      title: said(chart.title),
      columns: [
        column(chart.title, 'text'),
        ...chart.measures.map((name) =>
          column(contract.fields[name]?.label ?? contract.figures[name]?.label ?? [name, name], 'decimal'),
        ),
      ],
      rows: (result.charts[chart.key] ?? []).map((point) => [
        point.label,
        ...chart.measures.map((name) => {
          const value = point.values[name];
          return value === undefined ? null : Math.round(value * 100) / 100;
        }),
      ]),
    })),
    {
      title: said(['口径', 'Definitions']),
      columns: [column(['名称', 'Name'], 'text'), column(['定义', 'Definition'], 'text')],
      rows: [
        ...Object.values(contract.figures).map((spec) => [said(spec.label), said(spec.formula)]),
        ...contract.columns.flatMap((name) => {
          const field = contract.fields[name]!;
          return field.help ? [[said(field.label), said(field.help)]] : [];
        }),
      ],
    },
  ];
}

function shownColumns(
  contract: Report,
  titles: Readonly<Record<string, Label | null>> | undefined,
): readonly string[] {
  return contract.columns.filter((name) => titles?.[name] !== null);
}

function sorted(
  contract: Report,
  rows: readonly Record<string, unknown>[],
  sort: string,
): readonly Record<string, unknown>[] {
  const name = sort.replace(/^-/, '');
  const sign = sort.startsWith('-') ? -1 : 1;
  const key = (row: Record<string, unknown>) => {
    const value = row[name];
    return value instanceof Date
      ? value.getTime()
      : typeof value === 'object' && value !== null
        ? String((value as { title?: unknown }).title ?? '')
        : value;
  };
  return [...rows].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    if (x === y) return String(a.id ?? '').localeCompare(String(b.id ?? ''));
    if (x === null || x === undefined) return 1;
    if (y === null || y === undefined) return -1;
    return (
      sign *
      (typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y), 'zh-CN'))
    );
  });
}

function wireRow(contract: Report, row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const wire: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) {
    const field = contract.fields[name];
    if (!field) {
      if (name === 'id') wire.id = String(value);
      // Filters of the other screen by column: exactly the rows behind a figure.
      else if (name === 'drill') wire.drill = value;
      continue;
    }
    wire[name] =
      value === null || value === undefined
        ? null
        : field.kind === 'ref'
          ? value
          : field.kind === 'percent'
            ? percentText(field, value)
            : converter(field)(value);
  }
  return wire;
}

/** A percent with the decimals of its field: 25.00, so that columns and exports stand under each other. */
function percentText(field: Field, value: unknown): string {
  return Number(value).toFixed(field.scale ?? 2);
}

function wireFigure(
  { kind, scale = 2 }: FigureSpec,
  figure: NonNullable<ReportResult['figures'][string]> | undefined,
): FigureValue {
  const text = (value: number | null | undefined) =>
    value === null || value === undefined
      ? null
      : kind === 'money'
        ? (value / 100).toFixed(2)
        : kind === 'percent' || kind === 'decimal'
          ? value.toFixed(scale)
          : String(value);
  return {
    value: text(figure?.value),
    previous: text(figure?.previous),
    spark: figure?.spark ?? [],
    ...(figure?.working && { working: figure.working }),
  };
}
