import { useEffect, useEffectEvent, useRef } from 'react';
import type { EChartsCoreOption, EChartsType } from 'echarts/core';
import { initChart } from './echarts-parts.ts';

/** One chart on a canvas: follows its box, survives hiding of its tab, tells which point was clicked. */
export function ChartCanvas(props: {
  readonly option: EChartsCoreOption;
  readonly height: number;
  readonly label: string;
  readonly onPoint?: ((index: number) => void) | undefined;
  readonly onReady: (chart: EChartsType | undefined) => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType>(undefined);
  const clicked = useEffectEvent((index: number) => props.onPoint?.(index));
  const ready = useEffectEvent((made: EChartsType | undefined) => props.onReady(made));
  const draw = useEffectEvent(() => chart.current?.setOption(props.option, { notMerge: true }));
  useEffect(() => {
    const made = initChart(host.current!, undefined, { renderer: 'canvas' });
    chart.current = made;
    made.on('click', (event) => clicked(event.dataIndex));
    ready(made);
    draw();
    const observer = new ResizeObserver(() => {
      // A hidden tab has no size; the chart keeps its own until it is back.
      if (host.current && host.current.clientWidth > 0) made.resize();
    });
    observer.observe(host.current!);
    return () => {
      observer.disconnect();
      made.dispose();
      chart.current = undefined;
      ready(undefined);
    };
  }, []);
  useEffect(() => draw(), [props.option]);
  return (
    <div
      ref={host}
      role="img"
      aria-label={props.label}
      style={{ height: props.height }}
      className={props.onPoint ? 'k-clickable' : undefined}
    />
  );
}
