import type { EChartsCoreOption } from 'echarts/core';
import type { ChartPoint, ChartSpec } from '../../contract/report.ts';
import type { Language } from '../../contract/label.ts';
import { thousands } from '../format.rules.ts';
import { OTHER_KEY, shareText } from './chart-data.rules.ts';
import { axisText } from './figures.rules.ts';

/** Colours and fonts of charts, from the tokens of the component library. */
export interface ChartTheme {
  readonly text: string;
  readonly quiet: string;
  readonly line: string;
  readonly surface: string;
  readonly primary: string;
  readonly font: string;
  readonly dark: boolean;
}

/** Eight hues that stay apart in light and dark and for the colour-blind; the first is the theme colour. */
export function chartColours(theme: ChartTheme): string[] {
  const rest = theme.dark
    ? ['#4fc3a1', '#f0a856', '#a48be8', '#5fc4dd', '#e07f8f', '#a9bd5a', '#8e9bb0']
    : ['#2fa37f', '#e08a2b', '#7d62cf', '#2d9fbf', '#cf5b70', '#84992c', '#76839a'];
  return [theme.primary, ...rest];
}

/** The option of a chart: axes from 0, quiet grid, tool tip with exact numbers. */
export function chartOption(
  spec: Pick<ChartSpec, 'kind'>,
  points: readonly ChartPoint[],
  measure: string,
  measureName: string,
  theme: ChartTheme,
  language: Language,
): EChartsCoreOption {
  const exact = (value: number) => thousands(Math.round(value * 100) / 100);
  const base = {
    animationDuration: 160,
    color: chartColours(theme),
    textStyle: { fontFamily: theme.font, color: theme.text },
    tooltip: {
      trigger: spec.kind === 'ring' ? 'item' : 'axis',
      confine: true,
      backgroundColor: theme.surface,
      borderColor: theme.line,
      textStyle: { color: theme.text, fontSize: 12 },
      axisPointer: { type: spec.kind === 'line' ? 'line' : 'shadow' },
      formatter: (given: unknown) => {
        const { dataIndex } = ([given].flat() as { dataIndex: number }[])[0]!;
        const point = points[dataIndex];
        if (!point) return '';
        const share = spec.kind === 'ring' ? ` (${shareText(points, measure, point)})` : '';
        return `${escapeHtml(point.label)}<br><b>${escapeHtml(measureName)} ${exact(point.values[measure] ?? 0)}</b>${share}`;
      },
    },
  };
  const values = points.map((point) => ({
    value: point.values[measure] ?? 0,
    name: point.label,
    ...(point.key === OTHER_KEY ? { itemStyle: { color: theme.quiet }, cursor: 'default' } : {}),
  }));
  if (spec.kind === 'ring')
    return {
      ...base,
      legend: {
        type: 'scroll',
        orient: 'vertical',
        left: '58%',
        top: 'middle',
        formatter: (name: string) => legendText(points, measure, name),
        itemWidth: 8,
        itemHeight: 8,
        icon: 'circle',
        textStyle: { color: theme.text, fontSize: 12 },
        pageTextStyle: { color: theme.text },
      },
      series: [
        {
          type: 'pie',
          radius: ['52%', '76%'],
          center: ['30%', '50%'],
          label: { show: false },
          itemStyle: { borderColor: theme.surface, borderWidth: 2 },
          data: values,
        },
      ],
    };
  const names = points.map((point) => point.label);
  const label = { color: theme.quiet, fontSize: 12 };
  const amount = {
    type: 'value',
    min: (range: { min: number }) => Math.min(0, range.min),
    splitNumber: 4,
    splitLine: { lineStyle: { color: theme.line } },
    axisLabel: { ...label, formatter: (value: number) => axisText(value, language) },
  };
  const category = {
    type: 'category',
    data: names,
    axisTick: { show: false },
    axisLine: { lineStyle: { color: theme.line } },
  };
  if (spec.kind === 'bar')
    return {
      ...base,
      grid: { left: 0, right: 24, top: 8, bottom: 0, containLabel: true },
      xAxis: amount,
      yAxis: { ...category, inverse: true, axisLabel: { ...label, width: 96, overflow: 'truncate' } },
      series: [{ type: 'bar', data: values, barMaxWidth: 18, itemStyle: { borderRadius: [0, 2, 2, 0] } }],
    };
  return {
    ...base,
    grid: { left: 0, right: 12, top: 12, bottom: 0, containLabel: true },
    xAxis: {
      ...category,
      boundaryGap: spec.kind === 'column',
      axisLabel: { ...label, hideOverlap: true, width: 80, overflow: 'truncate' },
    },
    yAxis: amount,
    series: [
      spec.kind === 'column'
        ? { type: 'bar', data: values, barMaxWidth: 28, itemStyle: { borderRadius: [2, 2, 0, 0] } }
        : {
            type: 'line',
            data: values,
            symbolSize: 6,
            showSymbol: points.length <= 31,
            lineStyle: { width: 2 },
            areaStyle: { opacity: 0.08 },
          },
    ],
  };
}

function legendText(points: readonly ChartPoint[], measure: string, name: string): string {
  const point = points.find((one) => one.label === name);
  return point ? `${name}  ${shareText(points, measure, point)}` : name;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
