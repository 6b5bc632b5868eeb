import { lazy, useRef, useState, type PointerEvent } from 'react';
import type { EChartsCoreOption, EChartsType } from 'echarts/core';

const ChartCanvas = lazy(() =>
  import('../../../kernel/client/report/chart-canvas.tsx').then((module) => ({
    default: module.ChartCanvas,
  })),
);
/** Pixels below which a drag is a click. */
const LEAST = 8;

/** A chart of times in which a stretch can be drawn to look into it. */
export function BrushedChart(props: {
  readonly option: EChartsCoreOption;
  readonly height: number;
  readonly label: string;
  /** The times of the points, in milliseconds. */
  readonly times: readonly number[];
  readonly onBrush: (from: number, to: number) => void;
}) {
  const chart = useRef<EChartsType>(undefined);
  const [stretch, setStretch] = useState<readonly [from: number, to: number]>();
  const place = (event: PointerEvent<HTMLDivElement>) =>
    event.clientX - event.currentTarget.getBoundingClientRect().left;
  const timeAt = (x: number): number | undefined => {
    const index = chart.current?.convertFromPixel({ xAxisIndex: 0 }, x) as number | undefined;
    if (index === undefined || Number.isNaN(index)) return undefined;
    return props.times[Math.min(props.times.length - 1, Math.max(0, Math.round(index)))];
  };
  const end = () => {
    setStretch(undefined);
    if (!stretch || Math.abs(stretch[1] - stretch[0]) < LEAST) return;
    const [from, to] = [timeAt(Math.min(...stretch)), timeAt(Math.max(...stretch))];
    if (from !== undefined && to !== undefined && from < to) props.onBrush(from, to);
  };
  return (
    <div
      className="mon-brush"
      onPointerDown={(event) => {
        if (event.button === 0) setStretch([place(event), place(event)]);
      }}
      onPointerMove={(event) => {
        if (stretch) setStretch([stretch[0], place(event)]);
      }}
      onPointerUp={end}
      onPointerLeave={end}
    >
      <ChartCanvas
        option={props.option}
        height={props.height}
        label={props.label}
        onReady={(made) => (chart.current = made)}
      />
      {stretch && (
        <i
          className="mon-stretch"
          style={{ left: Math.min(...stretch), width: Math.abs(stretch[1] - stretch[0]) }}
        />
      )}
    </div>
  );
}
