import { Button } from 'antd';
import { ReloadOutlined } from '@ant-design/icons';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { fill } from '../../contract/label.ts';
import type { Report, ReportAnswer } from '../../contract/report.ts';
import { businessDayOf } from '../../contract/time.rules.ts';
import { call } from '../api-client.ts';
import { instantFull, instantShort } from '../format.rules.ts';
import { useText } from '../language.ts';
import { TableSkeleton } from '../list/list-states.tsx';
import { ErrorPanel } from '../parts/error-panel.tsx';
import { useHeld } from '../parts/held.ts';
import { PageTitle } from '../parts/page-title.tsx';
import { useExport } from '../parts/use-export.ts';
import type { ScreenSlots } from '../slots.ts';
import { reportWords, words } from '../texts.ts';
import { useView } from '../view.ts';
import { ChartPanel } from './chart-panel.tsx';
import { FiguresRow } from './figures-row.tsx';
import { ParameterBar } from './parameter-bar.tsx';
import {
  foreignOf,
  rangeProblem,
  readReportState,
  writeReportState,
  type ReportState,
} from './report-state.rules.ts';
import { ReportTable } from './report-table.tsx';
import './report.css';

const path = (report: Report) => `/api/jinmao/web/report/${report.name}`;

/** The default screen of a report: parameters, figures, charts, the table that equals them, drill and export. */
export function ReportScreen({ report, slots }: { readonly report: Report; readonly slots: ScreenSlots }) {
  const text = useText();
  const view = useView();
  const held = useHeld(report);
  const exporting = useExport(`${path(report)}/export`);
  const state = readReportState(report, view.query, businessDayOf(new Date()));
  const update = (patch: Partial<ReportState>) =>
    view.setQuery(writeReportState(report, { ...state, ...patch }, view.query));
  const problem = rangeProblem(report, state.parameters.range ?? '', state.parameters);
  const query = { ...state.parameters, sort: state.sort, page: state.page, limit: state.limit };
  const { data, isPending, isError, isFetching, isPlaceholderData, error, refetch } = useQuery({
    queryKey: ['report', report.name, query],
    enabled: problem === undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call<ReportAnswer>('GET', path(report), { query, signal }),
  });
  const menuOf = (column: string) => report.drills?.find((drill) => drill.column === column)?.menu;
  const canDrill = (column: string) => {
    const menu = menuOf(column);
    return menu !== undefined && view.pathOf(menu) !== undefined;
  };
  const drill = (column: string, row?: Readonly<Record<string, unknown>>) => {
    const target = view.pathOf(menuOf(column)!);
    if (!target) return;
    const query = drillQuery(column, state, row);
    // A page about one thing takes what its address names out of the query.
    const place = target.replace(/:(\w+)/g, (_, name: string) => {
      const value = query.get(name) ?? '';
      query.delete(name);
      return encodeURIComponent(value);
    });
    view.open(`${place}?${query.toString()}`);
  };
  // A step of its own in the browser's history: Back leads out of the slice again.
  const filterBy = (name: string) => (key: string) =>
    view.open(
      `${view.path}?${writeReportState(report, { ...state, parameters: { ...state.parameters, [name]: key }, page: 1 }, view.query)}`,
    );
  const openBy = (menu: string | undefined) => {
    const target = menu === undefined ? undefined : view.pathOf(menu);
    return target === undefined ? undefined : (key: string) => view.open(`${target}?${key}`);
  };
  return (
    <div className="k-screen">
      <PageTitle title={report.title} purpose={report.purpose}>
        {data && (
          <span className="k-quiet k-small k-as-of" title={instantFull(data.asOf)}>
            {text(fill(reportWords.asOf, { when: instantShort(data.asOf) }))}
          </span>
        )}
        <Button
          type="text"
          icon={<ReloadOutlined spin={isFetching && !isPending} />}
          aria-label={text(words.refresh)}
          title={text(words.refresh)}
          onClick={() => void refetch()}
        />
        {report.export && held('btn_export') && (
          <Button
            loading={exporting.busy}
            disabled={exporting.locked || problem !== undefined}
            onClick={() => exporting.start({ query: { ...state.parameters, sort: state.sort } })}
          >
            {text(words.export)}
          </Button>
        )}
      </PageTitle>
      {slots.above}
      <ParameterBar
        report={report}
        state={state}
        onChange={(parameters) => update({ parameters, page: 1 })}
        onReset={() => view.setQuery(foreignOf(report, view.query))}
        onRefresh={() => void refetch()}
      />
      {isError && !isFetching && !isPlaceholderData && !data ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} note={text(words.loadFailedKept)} />
      ) : (
        <>
          <FiguresRow
            report={report}
            answer={data}
            onDrill={(name) => canDrill(name) && drill(name, data?.sums)}
          />
          <div className="k-charts">
            {report.charts.map((spec) => (
              <ChartPanel
                key={spec.key}
                report={report}
                spec={spec}
                points={data && (data.charts[spec.key] ?? [])}
                onPoint={spec.drillFilter ? filterBy(spec.drillFilter) : openBy(spec.drillMenu)}
              />
            ))}
          </div>
          {data ? (
            <ReportTable
              report={report}
              state={state}
              answer={data}
              stale={isPlaceholderData}
              cells={slots.cells}
              canDrill={canDrill}
              onDrill={drill}
              onChange={update}
            />
          ) : (
            problem === undefined && <TableSkeleton rows={6} />
          )}
        </>
      )}
    </div>
  );
}

/** The query of a drill: what the row says for this column, else the parameters of the report. */
function drillQuery(
  column: string,
  state: ReportState,
  row: Readonly<Record<string, unknown>> | undefined,
): URLSearchParams {
  const given = (row?.drill as Record<string, Record<string, string>> | undefined)?.[column];
  return new URLSearchParams(given ?? state.parameters);
}
