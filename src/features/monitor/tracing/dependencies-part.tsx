import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Select } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { PlainTable } from '../plain-table.tsx';
import type { Edge } from './tracing.contract.ts';
import './tracing.css';

const PERIODS = [
  [1, ['1 小时', '1 hour']],
  [24, ['24 小时', '24 hours']],
  [168, ['7 天', '7 days']],
] as const;
/** Share of errors from which an edge is red. */
const RED = 0.05;
const RADIUS = 120;

/** Who calls whom, as a picture and as a table with the same numbers. */
export function Dependencies() {
  const text = useText();
  const view = useView();
  const [hours, setHours] = useState(1);
  const [node, setNode] = useState<string>();
  const { data, error, refetch } = useQuery({
    queryKey: ['trace', 'dependencies', hours],
    queryFn: ({ signal }) => {
      const now = Date.now();
      return call<readonly Edge[]>('GET', '/api/admin/trace/dependencies', {
        signal,
        quiet: true,
        query: { from: new Date(now - hours * 3_600_000).toISOString(), to: new Date(now).toISOString() },
      });
    },
  });
  const shown = data?.filter((edge) => !node || edge.from === node || edge.to === node) ?? [];
  return (
    <>
      <div className="mon-tools">
        <Select
          value={hours}
          style={{ width: 120 }}
          aria-label={text(['时间', 'Period'])}
          onChange={setHours}
          options={PERIODS.map(([value, label]) => ({ value, label: text(label) }))}
        />
        {node && (
          <>
            <strong>{node}</strong>
            <button type="button" className="k-link" onClick={() => setNode(undefined)}>
              {text(['全部服务', 'All services'])}
            </button>
            <button
              type="button"
              className="k-link"
              onClick={() => view.setQuery(new URLSearchParams({ service: node }))}
            >
              {text(['查看链路', 'View traces'])}
            </button>
          </>
        )}
      </div>
      {error ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <ScreenWaits />
      ) : data.length === 0 ? (
        <p className="k-state k-quiet">{text(['此时段没有调用', 'No calls in this period'])}</p>
      ) : (
        <div className="trace-dependencies">
          <Graph edges={data} node={node} onNode={setNode} />
          <PlainTable
            label={text(['依赖', 'Dependencies'])}
            columns={[
              text(['调用方', 'From']),
              text(['被调用方', 'To']),
              text(['调用', 'Calls']),
              text(['错误', 'Errors']),
              'p95 ms',
            ]}
            rows={shown.map((edge) => [
              <button key="from" type="button" className="k-link" onClick={() => setNode(edge.from)}>
                {edge.from}
              </button>,
              <button key="to" type="button" className="k-link" onClick={() => setNode(edge.to)}>
                {edge.to}
              </button>,
              edge.calls,
              <span key="errors" className={edge.errors >= edge.calls * RED ? 'mon-firing' : undefined}>
                {edge.errors}
              </span>,
              edge.p95Ms,
            ])}
          />
        </div>
      )}
    </>
  );
}

function Graph(props: {
  readonly edges: readonly Edge[];
  readonly node: string | undefined;
  readonly onNode: (node: string) => void;
}) {
  const text = useText();
  const names = [...new Set(props.edges.flatMap((edge) => [edge.from, edge.to]))];
  const place = new Map(
    names.map((name, index) => {
      const angle = (2 * Math.PI * index) / names.length - Math.PI / 2;
      return [name, { x: 200 + RADIUS * 1.2 * Math.cos(angle), y: 160 + RADIUS * Math.sin(angle) }] as const;
    }),
  );
  return (
    <svg
      className="trace-graph"
      viewBox="0 0 400 320"
      role="img"
      aria-label={text(['服务依赖图，数字见表格', 'Graph of dependencies; the table holds the numbers'])}
    >
      {props.edges.map((edge) => {
        const [a, b] = [place.get(edge.from)!, place.get(edge.to)!];
        return (
          <line
            key={`${edge.from} ${edge.to}`}
            x1={a.x}
            y1={a.y}
            x2={b.x}
            y2={b.y}
            className={edge.errors >= edge.calls * RED ? 'trace-failed' : undefined}
            strokeWidth={Math.min(6, 1 + Math.log10(edge.calls))}
          />
        );
      })}
      {names.map((name) => {
        const { x, y } = place.get(name)!;
        return (
          <g
            key={name}
            className={props.node === name ? 'trace-chosen' : undefined}
            onClick={() => props.onNode(name)}
          >
            <circle cx={x} cy={y} r="9" />
            <text x={x} y={y - 14} textAnchor="middle">
              {name}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
