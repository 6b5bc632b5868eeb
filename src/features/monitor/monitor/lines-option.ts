import type { EChartsCoreOption } from 'echarts/core';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import type { MetricAnswer, MetricLine } from './monitor.contract.ts';

/** Points on a grid of the step, with nothing where nothing was measured: gaps stay gaps. */
function gridded(line: MetricLine, step: number, times: readonly number[]): (number | null)[] {
  const byTime = new Map(line.points.map(([at, avg]) => [Math.floor(at / (step * 1_000)), avg]));
  return times.map((at) => byTime.get(Math.floor(at / (step * 1_000))) ?? null);
}

/** Times of the points of a chart, gaps included. */
export function timesOf(answer: MetricAnswer): number[] {
  const all = answer.lines.flatMap((line) => line.points.map(([at]) => at));
  if (all.length === 0) return [];
  const step = answer.step * 1_000;
  const [first, last] = [Math.min(...all), Math.max(...all)];
  return Array.from(
    { length: Math.floor((last - first) / step) + 1 },
    (_unused, index) => first + index * step,
  );
}

const clock = (at: number, step: number) =>
  instantFull(at).slice(step >= 600 ? 5 : 11, step === 10 ? 19 : 16);

const nameOf = (line: MetricLine, label: (metric: string) => string, before: string) =>
  `${label(line.metric)}${line.labels ? ` ${line.labels}` : ''}${line.instance ? ` ${line.instance.slice(0, 8)}` : ''}${line.compared ? before : ''}`;

/** The lines of an answer as a chart. */
export function linesOption(
  answer: MetricAnswer,
  label: (metric: string) => string,
  token: {
    readonly colorText: string;
    readonly colorTextSecondary: string;
    readonly colorBorderSecondary: string;
    readonly colorBgElevated: string;
    readonly fontFamily: string;
  },
  before: string,
): EChartsCoreOption {
  const times = timesOf(answer);
  const quiet = { color: token.colorTextSecondary, fontSize: 12 };
  return {
    animation: false,
    color: ['#2d7ff9', '#2fa37f', '#e08a2b', '#7d62cf', '#cf5b70', '#84992c'],
    textStyle: { fontFamily: token.fontFamily, color: token.colorText },
    legend: {
      type: 'scroll',
      top: 0,
      textStyle: { color: token.colorText },
      pageTextStyle: { color: token.colorText },
    },
    tooltip: {
      trigger: 'axis',
      confine: true,
      backgroundColor: token.colorBgElevated,
      borderColor: token.colorBorderSecondary,
      textStyle: { color: token.colorText, fontSize: 12 },
    },
    grid: { left: 0, right: 12, top: 36, bottom: 0, containLabel: true },
    xAxis: {
      type: 'category',
      boundaryGap: false,
      data: times.map((at) => clock(at, answer.step)),
      axisTick: { show: false },
      axisLine: { lineStyle: { color: token.colorBorderSecondary } },
      axisLabel: { ...quiet, hideOverlap: true },
    },
    yAxis: {
      type: 'value',
      splitNumber: 4,
      splitLine: { lineStyle: { color: token.colorBorderSecondary } },
      axisLabel: quiet,
    },
    series: answer.lines.map((line) => ({
      name: nameOf(line, label, before),
      type: 'line',
      showSymbol: false,
      lineStyle: { width: line.compared ? 1 : 2, type: line.compared ? 'dashed' : 'solid' },
      data: gridded(line, answer.step, times),
    })),
  };
}

/** The same numbers as a table: a row for each time at which something was measured. */
export function tableOf(
  answer: MetricAnswer,
  label: (metric: string) => string,
): { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] } {
  const times = timesOf(answer);
  const values = answer.lines.map((line) => gridded(line, answer.step, times));
  return {
    columns: [
      '',
      ...answer.lines.map(
        (line, index) => `${nameOf(line, label, ' *')}${index > 0 ? ` (${index + 1})` : ''}`,
      ),
    ],
    rows: times
      .map((at, row) => [
        clock(at, answer.step),
        ...values.map((line) => (line[row] === null ? '' : String(Math.round(line[row]! * 100) / 100))),
      ])
      .filter((row) => row.slice(1).some((cell) => cell !== '')),
  };
}
