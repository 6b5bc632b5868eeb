import type { Fields } from '../../contract/fields.ts';
import type { Report } from '../../contract/report.ts';
import { addDays, daysBetween, isBusinessDay } from '../../contract/time.rules.ts';
import { fill, type Label } from '../../contract/label.ts';
import { splitRange } from '../list/filter-values.rules.ts';
import { reportWords } from '../texts.ts';

/** What a report shows; lives in the view's query. */
export interface ReportState {
  /** Wire texts by parameter name; `range` is always set. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly sort: string;
  readonly page: number;
  readonly limit: number;
}

/** Days a report covers before the staff chooses. */
export const DEFAULT_DAYS = 30;
/** Rows a page of a report shows. */
export const REPORT_PAGE_SIZE = 20;

/** Reads the state of a report; a missing or broken range becomes the last 30 days (or `maxDays`) up to `today`. */
export function readReportState(report: Report, query: URLSearchParams, today: string): ReportState {
  const parameters: Record<string, string> = {};
  for (const name of Object.keys(report.parameters)) {
    const value = query.get(name);
    if (value) parameters[name] = value;
  }
  const [from, to] = splitRange(parameters.range);
  if (!isBusinessDay(from) || !isBusinessDay(to)) {
    const days = Math.min(DEFAULT_DAYS, report.maxDays ?? DEFAULT_DAYS);
    parameters.range = `${addDays(today, 1 - days)}~${today}`;
  }
  const sort = query.get('sort');
  const page = Number(query.get('page'));
  return {
    parameters,
    sort: sort && report.fields[sort.replace(/^-/, '')]?.sortable ? sort : report.sort,
    page: Number.isInteger(page) && page > 0 ? page : 1,
    limit: REPORT_PAGE_SIZE,
  };
}

/** What of a query is not the report's own, such as which of several reports of a screen is shown. */
export function foreignOf(report: Report, query: URLSearchParams): URLSearchParams {
  return new URLSearchParams(
    [...query].filter(
      ([name]) => name !== 'sort' && name !== 'page' && !Object.hasOwn(report.parameters, name),
    ),
  );
}

/** Writes the state of a report into a query; foreign names of `kept` stay. */
export function writeReportState(
  report: Report,
  state: ReportState,
  kept?: URLSearchParams,
): URLSearchParams {
  const query = kept ? foreignOf(report, kept) : new URLSearchParams();
  for (const [name, value] of Object.entries(state.parameters)) if (value) query.set(name, value);
  if (state.sort !== report.sort) query.set('sort', state.sort);
  if (state.page > 1) query.set('page', String(state.page));
  return query;
}

/** What is wrong with a range, or undefined. */
export function rangeProblem(
  report: Pick<Report, 'maxDays' | 'rangeRule'>,
  range: string,
  parameters: Readonly<Record<string, string>> = {},
): Label | undefined {
  const [from, to] = splitRange(range);
  if (!isBusinessDay(from) || !isBusinessDay(to)) return reportWords.rangeNeeded;
  if (report.maxDays !== undefined && daysBetween(from, to) > report.maxDays)
    return fill(reportWords.rangeTooLong, { n: report.maxDays });
  return report.rangeRule?.(from, to, parameters);
}

/** Parameters besides the range, as filter fields; a field without a search mode filters by equality or choice. */
export function parameterFields(report: Report): Fields {
  return Object.fromEntries(
    Object.entries(report.parameters)
      .filter(([name]) => name !== 'range')
      .map(([name, field]) => [
        name,
        field.search
          ? field
          : {
              ...field,
              search: field.kind === 'choice' || field.target ? ('in' as const) : ('equals' as const),
            },
      ]),
  );
}
