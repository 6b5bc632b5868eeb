import { useEffect, useEffectEvent, useRef } from 'react';
import type { EChartsCoreOption, EChartsType } from 'echarts/core';
import { initChart } from './echarts-parts.ts';
import { parkChart, unparkChart } from './parked-charts.ts';

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
  const drawn = useRef<EChartsCoreOption>(undefined);
  const draw = useEffectEvent(() => {
    // A tab that is shown again has its drawing already.
    if (drawn.current === props.option) return;
    drawn.current = props.option;
    chart.current?.setOption(props.option, { notMerge: true });
  });
  useEffect(() => {
    const element = host.current!;
    const made = chart.current ?? initChart(element, undefined, { renderer: 'canvas' });
    unparkChart(made);
    if (!chart.current) {
      chart.current = made;
      ready(made);
      draw();
    }
    made.on('click', (event) => clicked(event.dataIndex));
    const observer = new ResizeObserver(() => {
      // A hidden tab has no size; the chart keeps its own until it is back.
      const { clientWidth, clientHeight } = element;
      if (clientWidth > 0 && (clientWidth !== made.getWidth() || clientHeight !== made.getHeight()))
        made.resize();
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.off('click');
      parkChart(made);
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
