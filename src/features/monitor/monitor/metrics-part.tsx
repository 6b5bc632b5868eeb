import { Suspense, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button, Select, theme } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useTabLeaves } from '../../../kernel/client/parts/tab-leaves.ts';
import { ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { METRICS, metricSpec } from '../../../domain/monitoring/metric-names.rules.ts';
import { OwnPeriod } from '../own-period.tsx';
import { PlainTable } from '../plain-table.tsx';
import { BrushedChart } from './brushed-chart.tsx';
import { linesOption, tableOf, timesOf } from './lines-option.ts';
import type { MetricAnswer, Wall } from './monitor.contract.ts';

const WINDOWS = [
  [15, ['15 分钟', '15 min']],
  [60, ['1 小时', '1 hour']],
  [360, ['6 小时', '6 hours']],
  [1_440, ['24 小时', '24 hours']],
  [10_080, ['7 天', '7 days']],
  [0, ['自定义', 'Custom']],
] as const;
const COMPARE = [
  ['', ['不对比', 'No comparison']],
  ['day', ['对比昨天', 'Yesterday']],
  ['week', ['对比上周', 'Last week']],
] as const;
const HEIGHT = 320;

/** Charts of up to six metrics: one instance or all, a window, a comparison; the same numbers as a table and a file. */
export function Metrics() {
  const text = useText();
  const view = useView();
  const { token } = theme.useToken();
  const leaves = useTabLeaves();
  const [asTable, setAsTable] = useState(false);
  const { query } = view;
  const metrics = (query.get('metrics') ?? 'http_rps').split(',').filter((one) => metricSpec(one));
  const instance = query.get('instance') ?? '';
  const minutes = Number(query.get('minutes') ?? 60);
  const compare = query.get('compare') ?? '';
  const around = query.get('around');
  const own = [query.get('from') ?? '', query.get('to') ?? ''] as const;
  const isOwn = own.every((at) => !Number.isNaN(Date.parse(at)));
  const put = (changes: Readonly<Record<string, string>>) => {
    const next = new URLSearchParams(query);
    for (const [name, value] of Object.entries(changes))
      if (value === '') next.delete(name);
      else next.set(name, value);
    view.setQuery(next);
  };
  const set = (name: string, value: string) => put({ [name]: value });
  const zoom = (from: string, to: string) => put({ from, to, minutes: '0', around: '' });
  const wall = useQuery({
    queryKey: ['monitor', 'wall'],
    queryFn: ({ signal }) => call<Wall>('GET', '/api/admin/monitor/wall', { signal, quiet: true }),
    staleTime: 30_000,
  });
  const { data, error, refetch } = useQuery({
    queryKey: ['monitor', 'series', metrics.join(), instance, minutes, compare, around, ...own],
    enabled: minutes > 0 || isOwn,
    queryFn: ({ signal }) => {
      // Around an event: as much before it as after it.
      const to = around ? Math.min(Date.now(), Date.parse(around) + minutes * 30_000) : Date.now();
      return call<MetricAnswer>('GET', '/api/admin/monitor/series', {
        signal,
        quiet: true,
        query: {
          metrics: metrics.join(),
          from: minutes === 0 ? own[0] : new Date(to - minutes * 60_000).toISOString(),
          to: minutes === 0 ? own[1] : new Date(to).toISOString(),
          ...(instance === '' ? { sum: 'true' } : { instance }),
          ...(compare === '' ? {} : { compare }),
        },
      });
    },
    refetchInterval: view.active && !around && minutes > 0 ? 10_000 : false,
  });
  const tiles = wall.data?.tiles ?? [];
  const options = [
    { value: '', label: text(['全部实例合并', 'All instances together']) },
    ...tiles.map((tile) => ({
      value: tile.instanceId,
      label: `${tile.service} ${tile.host} ${tile.instanceId.slice(0, 8)}`,
    })),
  ];
  if (instance !== '' && !tiles.some((tile) => tile.instanceId === instance))
    options.push({ value: instance, label: instance.slice(0, 8) });
  const table = data && tableOf(data, (name) => text(metricSpec(name)?.label ?? [name, name]));
  const download = () => {
    if (!table) return;
    const csv = [table.columns, ...table.rows]
      .map((row) => row.map((cell) => `"${cell}"`).join(','))
      .join('\r\n');
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([`\uFEFF${csv}`], { type: 'text/csv' }));
    link.download = 'metrics.csv';
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <>
      <div className="mon-tools">
        <Select
          {...leaves}
          mode="multiple"
          maxCount={6}
          value={metrics}
          style={{ minWidth: 240, maxWidth: '100%' }}
          aria-label={text(['指标', 'Metrics'])}
          onChange={(next) => set('metrics', next.length === 0 ? 'http_rps' : next.join())}
          options={Object.entries(METRICS).map(([value, spec]) => ({ value, label: text(spec.label) }))}
          optionFilterProp="label"
        />
        <Select
          value={instance}
          style={{ width: 240, maxWidth: '100%' }}
          aria-label={text(['实例', 'Instance'])}
          onChange={(next) => set('instance', next)}
          options={options}
        />
        <Select
          value={minutes}
          style={{ width: 110 }}
          aria-label={text(['时间窗口', 'Window'])}
          onChange={(next) => put({ minutes: String(next), ...(next > 0 ? { from: '', to: '' } : {}) })}
          options={WINDOWS.map(([value, label]) => ({ value, label: text(label) }))}
        />
        {minutes === 0 && <OwnPeriod key={own.join()} from={own[0]} to={own[1]} onChange={zoom} />}
        <Select
          value={compare}
          style={{ width: 160 }}
          aria-label={text(['对比', 'Compare'])}
          onChange={(next) => set('compare', next)}
          options={COMPARE.map(([value, label]) => ({ value, label: text(label) }))}
        />
        <Button aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {text(asTable ? ['图', 'Chart'] : ['表格', 'Table'])}
        </Button>
        <Button onClick={download} disabled={!table || table.rows.length === 0}>
          CSV
        </Button>
        {(around || minutes === 0) && (
          <Button onClick={() => put({ around: '', from: '', to: '', minutes: '' })}>
            {text(['回到现在', 'Back to now'])}
          </Button>
        )}
      </div>
      {error ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : minutes === 0 && !isOwn ? (
        <p className="k-state k-quiet">{text(['请选择时间范围', 'Choose a period'])}</p>
      ) : !data || !table ? (
        <ScreenWaits />
      ) : table.rows.length === 0 ? (
        <p className="k-state k-quiet">{text(['此时段没有数据', 'Nothing was measured in this window'])}</p>
      ) : asTable ? (
        <PlainTable label={text(['指标', 'Metrics'])} columns={table.columns} rows={table.rows} />
      ) : (
        <Suspense fallback={<ScreenWaits />}>
          <BrushedChart
            option={linesOption(
              data,
              (name) => text(metricSpec(name)?.label ?? [name, name]),
              token,
              text([' 对比', ' before']),
            )}
            height={HEIGHT}
            label={metrics.map((name) => text(metricSpec(name)!.label)).join(', ')}
            times={timesOf(data)}
            onBrush={(from, to) => zoom(new Date(from).toISOString(), new Date(to).toISOString())}
          />
        </Suspense>
      )}
      {data && data.marks.length > 0 && (
        <>
          <h4>{text(['事件与告警', 'Events and alerts'])}</h4>
          <PlainTable
            label={text(['事件与告警', 'Events and alerts'])}
            columns={[text(['时间', 'Time']), text(['内容', 'What'])]}
            rows={data.marks.map((mark) => [instantFull(mark.at), mark.text])}
          />
        </>
      )}
    </>
  );
}
