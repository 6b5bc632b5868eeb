import { lazy, Suspense, useRef, useState } from 'react';
import { Button, Segmented, theme } from 'antd';
import { BarChartOutlined, DownloadOutlined, TableOutlined } from '@ant-design/icons';
import type { EChartsType } from 'echarts/core';
import type { ChartPoint, ChartSpec, Report } from '../../contract/report.ts';
import { thousands } from '../format.rules.ts';
import { useLanguageStore, useText } from '../language.ts';
import { reportWords, words } from '../texts.ts';
import { chartPoints, isEmptyChart, OTHER_KEY, shareText } from './chart-data.rules.ts';
import { chartOption } from './chart-option.ts';
import './report.css';

const ChartCanvas = lazy(() =>
  import('./chart-canvas.tsx').then((module) => ({ default: module.ChartCanvas })),
);

const HEIGHT = 260;

/** A chart with its measure switch, the same numbers as a table, and a picture to download. */
export function ChartPanel(props: {
  readonly report: Pick<Report, 'title' | 'fields' | 'figures'>;
  readonly spec: ChartSpec;
  /** Undefined while they are fetched. */
  readonly points: readonly ChartPoint[] | undefined;
  /** The points are few and in their order already: nothing is sorted or added up as other. */
  readonly whole?: boolean;
  /** Filters the report by a point; absent: a click does nothing. */
  readonly onPoint?: ((key: string) => void) | undefined;
}) {
  const { report, spec } = props;
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const { token } = theme.useToken();
  const chart = useRef<EChartsType>(undefined);
  const [measure, setMeasure] = useState(spec.measures[0]!);
  const [asTable, setAsTable] = useState(false);
  const nameOf = (name: string) => {
    const label = report.fields[name]?.label ?? report.figures[name]?.label;
    return label ? text(label) : name;
  };
  const given = props.points ?? [];
  const points = props.whole ? given : chartPoints(spec.kind, given, measure, text(reportWords.other));
  const dark = isDark(token.colorBgContainer);
  const option = chartOption(
    spec,
    points,
    measure,
    nameOf(measure),
    {
      text: token.colorText,
      quiet: token.colorTextSecondary,
      line: token.colorBorderSecondary,
      surface: token.colorBgElevated,
      primary: dark ? token.colorLink : token.colorPrimary,
      font: token.fontFamily,
      dark,
    },
    language,
  );
  const choose = (index: number) => {
    const point = points[index];
    if (point && point.key !== OTHER_KEY) props.onPoint?.(point.key);
  };
  const download = () => {
    const made = chart.current;
    if (!made) return;
    const link = document.createElement('a');
    link.href = made.getDataURL({ type: 'png', pixelRatio: 2, backgroundColor: token.colorBgContainer });
    link.download = `${text(report.title)}-${text(spec.title)}.png`;
    link.click();
  };
  const empty = isEmptyChart(points, measure);
  return (
    <section className="k-chart">
      <header>
        <h3>{text(spec.title)}</h3>
        {spec.measures.length > 1 && (
          <Segmented
            size="small"
            value={measure}
            onChange={setMeasure}
            options={spec.measures.map((name) => ({ value: name, label: nameOf(name) }))}
          />
        )}
        <span className="k-tools">
          <Button
            type="text"
            size="small"
            icon={asTable ? <BarChartOutlined /> : <TableOutlined />}
            aria-pressed={asTable}
            aria-label={`${text(asTable ? reportWords.chart : reportWords.table)} ${text(spec.title)}`}
            title={text(asTable ? reportWords.chart : reportWords.table)}
            onClick={() => setAsTable(!asTable)}
          />
          <Button
            type="text"
            size="small"
            icon={<DownloadOutlined />}
            disabled={asTable || empty}
            aria-label={`${text(reportWords.downloadImage)} ${text(spec.title)}`}
            title={text(reportWords.downloadImage)}
            onClick={download}
          />
        </span>
      </header>
      {!props.points ? (
        <ChartWaits />
      ) : asTable ? (
        <ChartTable
          points={spec.kind === 'line' ? points : given}
          measures={spec.measures}
          nameOf={nameOf}
          share={spec.kind === 'ring' ? measure : undefined}
          onPoint={props.onPoint}
        />
      ) : empty ? (
        <div className="k-chart-empty" data-axes={spec.kind !== 'ring'} style={{ height: HEIGHT }}>
          {text(reportWords.noData)}
        </div>
      ) : (
        <Suspense fallback={<ChartWaits />}>
          <ChartCanvas
            option={option}
            height={HEIGHT}
            label={`${text(spec.title)}, ${nameOf(measure)}`}
            onPoint={props.onPoint ? choose : undefined}
            onReady={(made) => {
              chart.current = made;
            }}
          />
        </Suspense>
      )}
    </section>
  );
}

/** A chart that is being fetched: grey columns in its place, which nobody takes for data. */
function ChartWaits() {
  const text = useText();
  return (
    <div className="k-chart-wait" role="status" aria-busy="true" style={{ height: HEIGHT }}>
      <span className="k-hidden">{text(words.loading)}</span>
      {[58, 82, 40, 70, 50, 90, 64].map((height) => (
        <i key={height} style={{ height: `${height}%` }} />
      ))}
    </div>
  );
}

function ChartTable(props: {
  readonly points: readonly ChartPoint[];
  readonly measures: readonly string[];
  readonly nameOf: (measure: string) => string;
  readonly share: string | undefined;
  readonly onPoint?: ((key: string) => void) | undefined;
}) {
  const text = useText();
  return (
    // Scrolls, so the keyboard must reach it.
    <div
      className="k-chart-table"
      tabIndex={0}
      role="region"
      aria-label={text(reportWords.table)}
      style={{ maxHeight: HEIGHT }}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">{text(reportWords.category)}</th>
            {props.measures.map((measure) => (
              <th scope="col" key={measure} className="k-number">
                {props.nameOf(measure)}
              </th>
            ))}
            {props.share && (
              <th scope="col" className="k-number">
                {text(reportWords.share)}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {props.points.map((point) => (
            <tr key={point.key}>
              <th scope="row">
                {props.onPoint ? (
                  <button type="button" className="k-link" onClick={() => props.onPoint!(point.key)}>
                    {point.label}
                  </button>
                ) : (
                  point.label
                )}
              </th>
              {props.measures.map((measure) => (
                <td key={measure} className="k-number">
                  {thousands(Math.round((point.values[measure] ?? 0) * 100) / 100)}
                </td>
              ))}
              {props.share && <td className="k-number">{shareText(props.points, props.share, point)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function isDark(colour: string): boolean {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(colour);
  return (
    hex !== null &&
    Number.parseInt(hex[1]!, 16) + Number.parseInt(hex[2]!, 16) + Number.parseInt(hex[3]!, 16) < 384
  );
}
