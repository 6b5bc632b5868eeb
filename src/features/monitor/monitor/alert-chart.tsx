import { lazy, Suspense, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { theme } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import { metricSpec } from '../../../domain/monitoring/metric-names.rules.ts';
import type { WatchedAlert } from './alert.contract.ts';
import { linesOption } from './lines-option.ts';
import type { MetricAnswer, MetricLine } from './monitor.contract.ts';

const ChartCanvas = lazy(() =>
  import('../../../kernel/client/report/chart-canvas.tsx').then((module) => ({
    default: module.ChartCanvas,
  })),
);
const HALF_HOUR = 1_800_000;
const MOST = 6 * 86_400_000;
const HEIGHT = 220;

/** The value an alert watches, from half an hour before it began, with both limits of its rule. */
export function AlertChart({ watched }: { readonly watched: WatchedAlert }) {
  const text = useText();
  const { token } = theme.useToken();
  const [now] = useState(() => Date.now());
  const from = Date.parse(watched.from) - HALF_HOUR;
  const to = Math.min(now, from + MOST, (watched.to ? Date.parse(watched.to) : now) + HALF_HOUR);
  const { data, error, refetch } = useQuery({
    queryKey: ['monitor', 'alert', watched.metric, watched.instance, from, to],
    queryFn: ({ signal }) =>
      call<MetricAnswer>('GET', '/api/admin/monitor/series', {
        signal,
        quiet: true,
        query: {
          metrics: watched.metric,
          from: new Date(from).toISOString(),
          to: new Date(to).toISOString(),
          ...(watched.instance === '' ? { sum: 'true' } : { instance: watched.instance }),
        },
      }),
  });
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <ScreenWaits />;
  const points = data.lines.flatMap((line) => line.points);
  if (points.length === 0)
    return <p className="k-quiet">{text(['此时段没有数据', 'Nothing was measured in this window'])}</p>;
  const limit = (metric: string, value: number): MetricLine => ({
    metric,
    instance: '',
    labels: '',
    compared: true,
    points: points.map(([at]) => [at, value, value] as const),
  });
  const names: Readonly<Record<string, readonly [string, string]>> = {
    fire: ['触发值', 'Fires'],
    recover: ['恢复值', 'Recovers'],
  };
  return (
    <Suspense fallback={<ScreenWaits />}>
      <ChartCanvas
        height={HEIGHT}
        label={text(metricSpec(watched.metric)!.label)}
        onReady={() => {}}
        option={linesOption(
          {
            ...data,
            lines: [...data.lines, limit('fire', watched.fire), limit('recover', watched.recover)],
          },
          (name) => text(names[name] ?? metricSpec(name)?.label ?? [name, name]),
          token,
          '',
        )}
      />
    </Suspense>
  );
}
