import { lazy, Suspense } from 'react';
import { useLanguageStore } from '../../../kernel/client/language.ts';
import type { Report } from '../../../kernel/contract/report.ts';
import { BlockFailed, BlockWaits, HomeBlock } from './home-block.tsx';
import { useChart, type HomeChart, type HomeRange } from './use-home.ts';

const ChartPanel = lazy(() =>
  import('../../../kernel/client/report/chart-panel.tsx').then((module) => ({ default: module.ChartPanel })),
);

const HEIGHT = 292;

/** A chart of the home page; a click on a point opens the list of exactly its rows. */
export function ChartBlock(props: {
  readonly chart: HomeChart;
  readonly range: HomeRange;
  readonly open: (path: string) => void;
}) {
  const { chart, range } = props;
  const language = useLanguageStore((state) => state.language);
  const { data, isPending, isError, refetch } = useChart(chart.code, range, language);
  const drill = (key: string) => {
    const route = data?.points.find((point) => point.key === key)?.route;
    if (route) props.open(route);
  };
  return (
    <HomeBlock name={`chart.${chart.code}`} title={chart.title} rule={chart.rule} asOf={data?.asOf}>
      {isPending ? (
        <BlockWaits height={HEIGHT} />
      ) : isError && !data ? (
        <BlockFailed onRetry={() => void refetch()} />
      ) : (
        <Suspense fallback={<BlockWaits height={HEIGHT} />}>
          <ChartPanel
            whole
            report={reportOf(chart)}
            spec={{
              key: chart.code,
              title: chart.title,
              kind: chart.kind,
              measures: Object.keys(chart.measures),
            }}
            points={data!.points}
            onPoint={drill}
          />
        </Suspense>
      )}
    </HomeBlock>
  );
}

/** What the chart panel needs to know of a report. */
function reportOf(chart: HomeChart): Pick<Report, 'title' | 'fields' | 'figures'> {
  const figures = Object.fromEntries(
    Object.entries(chart.measures).map(([name, label]) => [
      name,
      { label, kind: 'money' as const, formula: label },
    ]),
  );
  return { title: chart.title, fields: {}, figures };
}
