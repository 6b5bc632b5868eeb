import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { CopyButton } from '../../../kernel/client/parts/copy-button.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { PlainTable } from '../plain-table.tsx';
import { LOOP_HINT, waterfall, type WaterfallLine } from './waterfall.rules.ts';
import { tracingPage, type TraceDetail } from './tracing.contract.ts';
import './tracing.css';

const ComparePart = lazyPart(() => import('./compare-part.tsx').then((module) => module.ComparePart));

const ms = (us: number) => `${(us / 1_000).toFixed(us < 10_000 ? 1 : 0)} ms`;

/** One trace as a waterfall, with the chosen span and the ways to gate log, changes and errors. */
export function TraceDrawer(props: {
  readonly traceId: string;
  /** A trace from a file instead of the server's. */
  readonly given?: TraceDetail;
  readonly onClose: () => void;
}) {
  const text = useText();
  const asked = useQuery({
    queryKey: ['trace', 'one', props.traceId],
    queryFn: ({ signal }) =>
      call<TraceDetail>('GET', `/api/admin/trace/one/${encodeURIComponent(props.traceId)}`, {
        signal,
        quiet: true,
      }),
    enabled: !props.given,
  });
  const data = props.given ?? asked.data;
  return (
    <AppDrawer
      open
      size={1_040}
      title={`${text(['链路', 'Trace'])} ${props.traceId.slice(0, 16)}`}
      onClose={props.onClose}
    >
      {asked.error && !props.given ? (
        <ErrorPanel error={asked.error} onRetry={() => void asked.refetch()} />
      ) : !data ? (
        <ScreenWaits />
      ) : (
        <Trace trace={data} own={!props.given} />
      )}
    </AppDrawer>
  );
}

function Trace({ trace, own }: { readonly trace: TraceDetail; readonly own: boolean }) {
  const text = useText();
  const view = useView();
  const held = useHeld(tracingPage);
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<string>();
  const [compares, setCompares] = useState(false);
  const lines = waterfall(trace.spans, collapsed);
  const from = Math.min(...trace.spans.map((span) => span.startedAt));
  const to = Math.max(...trace.spans.map((span) => span.startedAt + span.durationUs / 1_000));
  const span = trace.spans.find((one) => one.id === chosen);
  const root = lines[0]?.span;
  const toggle = (id: string) => {
    const next = new Set(collapsed);
    if (!next.delete(id)) next.add(id);
    setCollapsed(next);
  };
  const download = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(
      new Blob([JSON.stringify({ traceId: trace.traceId, spans: trace.spans })], {
        type: 'application/json',
      }),
    );
    link.download = `trace-${trace.traceId}.json`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const day = new Date(from + 8 * 3_600_000).toISOString().slice(0, 10);
  const links = [
    [
      'gateLogManager',
      `?tab=all&at=${day}~${day}&traceId=${trace.traceId}`,
      ['网关日志', 'Gate log'],
      trace.links.gateLog,
    ],
    ['ssm_businessLog', `?traceId=${trace.traceId}`, ['业务变更', 'Business changes'], trace.links.changes],
    [
      'ssm_systemLog',
      `?tab=all&traceId=${trace.traceId}`,
      ['错误报告', 'Error reports'],
      trace.links.errors || null,
    ],
  ] as const;
  return (
    <>
      <div className="mon-tools">
        <span>
          {ms((to - from) * 1_000)} · {trace.spans.length} {text(['个跨度', 'spans'])}
        </span>
        {links.map(([menu, query, label, count]) => {
          const path = view.pathOf(menu);
          return count !== null && path ? (
            <button key={menu} type="button" className="k-link" onClick={() => view.open(`${path}${query}`)}>
              {text(label)} {count}
            </button>
          ) : null;
        })}
        {own && root && (
          <Button aria-pressed={compares} onClick={() => setCompares(!compares)}>
            {text(['对比', 'Compare'])}
          </Button>
        )}
        {own && <CopyButton value={`${location.origin}${view.path}?traceId=${trace.traceId}`} />}
        {held('btn_export') && <Button onClick={download}>{text(['下载 JSON', 'Download JSON'])}</Button>}
      </div>
      {compares && root && <ComparePart key={trace.traceId} trace={trace} route={root.name} />}
      <ul className="trace-lines">
        {lines.map((line) => (
          <Line
            key={line.span.id}
            line={line}
            from={from}
            whole={Math.max(0.001, to - from)}
            collapsed={collapsed.has(line.span.id)}
            chosen={chosen === line.span.id}
            onToggle={() => toggle(line.span.id)}
            onChoose={() => setChosen(line.span.id)}
          />
        ))}
      </ul>
      {span && (
        <PlainTable
          label={span.name}
          columns={[text(['标签', 'Tag']), text(['值', 'Value'])]}
          rows={[
            [text(['名称', 'Name']), span.name],
            [text(['服务', 'Service']), [span.service, span.peer].filter(Boolean).join(' → ')],
            [text(['类型', 'Kind']), span.kind],
            [text(['开始', 'Offset']), ms((span.startedAt - from) * 1_000)],
            [text(['时长', 'Duration']), ms(span.durationUs)],
            ...Object.entries(span.tags).map(([key, value]) => [
              key,
              <code key={key} className="mon-sql">
                {value}
              </code>,
            ]),
          ]}
        />
      )}
    </>
  );
}

function Line(props: {
  readonly line: WaterfallLine;
  readonly from: number;
  readonly whole: number;
  readonly collapsed: boolean;
  readonly chosen: boolean;
  readonly onToggle: () => void;
  readonly onChoose: () => void;
}) {
  const text = useText();
  const { span, depth, times, totalUs, selfUs, critical, hasChildren } = props.line;
  const hint = times >= LOOP_HINT ? text(['可能的循环查询', 'Possible loop query']) : '';
  return (
    <li className={props.chosen ? 'trace-chosen' : undefined}>
      <span className="trace-name" style={{ paddingLeft: Math.min(depth, 8) * 12 }}>
        {hasChildren ? (
          <button
            type="button"
            className="k-link"
            aria-expanded={!props.collapsed}
            aria-label={span.name}
            onClick={props.onToggle}
          >
            {props.collapsed ? '▸' : '▾'}
          </button>
        ) : (
          <span className="trace-leaf" />
        )}
        <button type="button" className="trace-open" onClick={props.onChoose} title={span.name}>
          {span.failed && <b className="mon-firing">! </b>}
          {span.name}
        </button>
        {times > 1 && <b className="trace-times">×{times}</b>}
        {hint && <em className="mon-firing trace-times">{hint}</em>}
      </span>
      <span className="trace-track">
        <i
          className={`${critical ? 'trace-critical' : ''} ${span.failed ? 'trace-failed' : ''} trace-${span.kind.toLowerCase()}`}
          style={{
            left: `${(100 * (span.startedAt - props.from)) / props.whole}%`,
            width: `${Math.max(0.4, Math.min(100, span.durationUs / 10 / props.whole))}%`,
          }}
        />
      </span>
      <span className="trace-time">
        {ms(times > 1 ? totalUs : span.durationUs)}
        {hasChildren && (
          <small className="k-quiet"> {text([`自身 ${ms(selfUs)}`, `self ${ms(selfUs)}`])}</small>
        )}
      </span>
    </li>
  );
}
