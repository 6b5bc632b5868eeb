import { useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button, Input, InputNumber, Select } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { message } from '../../../kernel/client/feedback.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { useOptionTitles } from '../../../kernel/client/parts/use-options.ts';
import { ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import { words } from '../../../kernel/client/texts.ts';
import { useView } from '../../../kernel/client/view.ts';
import { OwnPeriod } from '../own-period.tsx';
import { PlainTable } from '../plain-table.tsx';
import './tracing.css';
import { readTraceFile } from './trace-file.rules.ts';
import { tracingPage, type FoundTrace, type Held, type TraceDetail } from './tracing.contract.ts';

const TraceDrawer = lazyPart(() => import('./trace-drawer.tsx').then((module) => module.TraceDrawer));
const SamplingDialog = lazyPart(() =>
  import('./sampling-dialog.tsx').then((module) => module.SamplingDialog),
);

const BACK = [
  [15, ['15 分钟', '15 min']],
  [60, ['1 小时', '1 hour']],
  [360, ['6 小时', '6 hours']],
  [1_440, ['24 小时', '24 hours']],
  [10_080, ['7 天', '7 days']],
  [0, ['自定义', 'Custom']],
] as const;
const NAMES = ['service', 'name', 'tag', 'status', 'staff', 'minMs', 'maxMs', 'limit', 'sort'] as const;
const ms = (us: number) => `${(us / 1_000).toFixed(us < 10_000 ? 1 : 0)} ms`;

/** Search for traces, with a picture of their durations; a trace opens beside. The search stands in the address. */
export function TraceSearch() {
  const text = useText();
  const view = useView();
  const held = useHeld(tracingPage);
  const file = useRef<HTMLInputElement>(null);
  const [uploaded, setUploaded] = useState<TraceDetail>();
  const [sampling, setSampling] = useState(false);
  const [asked, setAsked] = useState(() => Date.now());
  const { query } = view;
  const own = [query.get('from') ?? '', query.get('to') ?? ''] as const;
  const isOwn = own.every((at) => !Number.isNaN(Date.parse(at)));
  const minutes = Number(query.get('back') ?? (isOwn ? 0 : 60));
  const given = Object.fromEntries(
    NAMES.flatMap((name) => (query.get(name) ? [[name, query.get(name)!]] : [])),
  );
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>(given);
  const set = (changes: Readonly<Record<string, string | undefined>>) => {
    const next = new URLSearchParams(query);
    for (const [name, value] of Object.entries(changes))
      if (value) next.set(name, value);
      else next.delete(name);
    view.setQuery(next);
  };
  const staffNames = useOptionTitles('staff', draft.staff ? [draft.staff] : []);
  const put = (name: string, value: string | undefined) => setDraft({ ...draft, [name]: value ?? '' });
  const search = () => {
    set(Object.fromEntries(NAMES.map((name) => [name, draft[name]?.trim()])));
    setAsked(Date.now());
  };
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['trace', 'search', given, minutes, asked, ...own],
    enabled: minutes > 0 || isOwn,
    queryFn: ({ signal }) =>
      call<readonly FoundTrace[]>('GET', '/api/admin/trace/search', {
        signal,
        quiet: true,
        query: {
          ...given,
          from: minutes === 0 ? own[0] : new Date(asked - minutes * 60_000).toISOString(),
          to: minutes === 0 ? own[1] : new Date(asked + 1_000).toISOString(),
        },
      }),
    placeholderData: (before) => before,
  });
  const head = useQuery({
    queryKey: ['trace', 'held'],
    queryFn: ({ signal }) => call<Held>('GET', '/api/admin/trace/held', { signal, quiet: true }),
    staleTime: 30_000,
  });
  const upload = async (chosen: File | undefined) => {
    if (!chosen) return;
    const trace = readTraceFile(await chosen.text());
    if (trace) setUploaded(trace);
    else message.warning(text(['文件格式不正确', 'Not a trace file']), 5);
  };
  const open = (traceId: string | undefined) => set({ traceId });
  const field = (name: string, label: readonly [string, string], width = 150) => (
    <Input
      style={{ width, maxWidth: '100%' }}
      placeholder={text(label)}
      aria-label={text(label)}
      value={draft[name] ?? ''}
      maxLength={200}
      onChange={(event) => put(name, event.target.value)}
    />
  );
  return (
    <>
      {head.data && (
        <p className="k-quiet">
          {text([
            `保留自 ${head.data.since?.slice(0, 16).replace('T', ' ') ?? '–'}，约 ${head.data.spans} 个跨度，丢弃 ${head.data.dropped}`,
            `Held since ${head.data.since?.slice(0, 16).replace('T', ' ') ?? '–'}, about ${head.data.spans} spans, ${head.data.dropped} dropped`,
          ])}
        </p>
      )}
      <form
        className="mon-tools"
        onSubmit={(event) => {
          event.preventDefault();
          search();
        }}
      >
        {field('service', ['服务', 'Service'], 140)}
        {field('name', ['跨度名（GET /api/…）', 'Span name (GET /api/…)'], 220)}
        {field('tag', ['标签 键=值', 'Tag key=value'], 170)}
        <span style={{ width: 150, maxWidth: '100%' }}>
          <RemoteSelect
            target="staff"
            label={text(['员工', 'Staff'])}
            placeholder={text(['员工', 'Staff'])}
            value={draft.staff ? [draft.staff] : []}
            known={staffNames}
            onChange={(ids) => put('staff', ids[0])}
          />
        </span>
        <Select
          style={{ width: 110 }}
          aria-label={text(['状态', 'Status'])}
          value={draft.status ?? ''}
          onChange={(value) => put('status', value)}
          options={[
            { value: '', label: text(['全部状态', 'All']) },
            { value: 'ok', label: text(['成功', 'OK']) },
            { value: 'error', label: text(['失败', 'Error']) },
          ]}
        />
        {(['minMs', 'maxMs'] as const).map((name) => (
          <InputNumber
            key={name}
            style={{ width: 110 }}
            min={0}
            placeholder={name === 'minMs' ? text(['最短毫秒', 'Min ms']) : text(['最长毫秒', 'Max ms'])}
            aria-label={name === 'minMs' ? text(['最短毫秒', 'Min ms']) : text(['最长毫秒', 'Max ms'])}
            value={draft[name] ? Number(draft[name]) : null}
            onChange={(value) => put(name, value === null ? '' : String(value))}
          />
        ))}
        <Select
          style={{ width: 110 }}
          aria-label={text(['回看', 'Look back'])}
          value={minutes}
          onChange={(value) =>
            set({ back: String(value), ...(value > 0 ? { from: undefined, to: undefined } : {}) })
          }
          options={BACK.map(([value, label]) => ({ value, label: text(label) }))}
        />
        {minutes === 0 && (
          <OwnPeriod
            key={own.join()}
            from={own[0]}
            to={own[1]}
            onChange={(from, to) => set({ from, to, back: '0' })}
          />
        )}
        <Select
          style={{ width: 110 }}
          aria-label={text(['排序', 'Sort'])}
          value={draft.sort || 'newest'}
          onChange={(value) => put('sort', value)}
          options={[
            { value: 'newest', label: text(['最新', 'Newest']) },
            { value: 'longest', label: text(['最慢', 'Longest']) },
            { value: 'spans', label: text(['跨度最多', 'Most spans']) },
          ]}
        />
        <Select
          style={{ width: 90 }}
          aria-label={text(['条数', 'Limit'])}
          value={draft.limit || '50'}
          onChange={(value) => put('limit', value)}
          options={['10', '50', '100', '200'].map((value) => ({ value, label: value }))}
        />
        <Button type="primary" htmlType="submit" loading={isFetching}>
          {text(words.search)}
        </Button>
      </form>
      <div className="mon-tools">
        <Input.Search
          style={{ maxWidth: 360 }}
          placeholder={text(['跳转到链路', 'Jump to trace id'])}
          aria-label={text(['跳转到链路', 'Jump to trace id'])}
          onSearch={(value) => value.trim() && open(value.trim())}
        />
        {held('btn_upload') && (
          <>
            <Button onClick={() => file.current?.click()}>{text(['上传链路文件', 'Upload a trace'])}</Button>
            <input
              ref={file}
              type="file"
              accept="application/json,.json"
              hidden
              onChange={(event) => {
                void upload(event.target.files?.[0]);
                event.target.value = '';
              }}
            />
          </>
        )}
        {held('btn_setting') && (
          <Button onClick={() => setSampling(true)}>{text(['采样设置', 'Sampling'])}</Button>
        )}
      </div>
      {error ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : minutes === 0 && !isOwn ? (
        <p className="k-state k-quiet">{text(['请选择时间范围', 'Choose a period'])}</p>
      ) : !data ? (
        <ScreenWaits />
      ) : data.length === 0 ? (
        <p className="k-state k-quiet">{text(['没有符合条件的链路', 'No trace fits'])}</p>
      ) : (
        <>
          <Scatter traces={data} onOpen={open} />
          <FoundTable traces={data} onOpen={open} />
        </>
      )}
      {(query.get('traceId') ?? '') !== '' && (
        <TraceDrawer traceId={query.get('traceId')!} onClose={() => open(undefined)} />
      )}
      {uploaded && (
        <TraceDrawer traceId={uploaded.traceId} given={uploaded} onClose={() => setUploaded(undefined)} />
      )}
      {sampling && head.data && <SamplingDialog held={head.data} onClose={() => setSampling(false)} />}
    </>
  );
}

/** Durations over time; failed traces are red. The table below says the same. */
function Scatter(props: {
  readonly traces: readonly FoundTrace[];
  readonly onOpen: (traceId: string) => void;
}) {
  const text = useText();
  const { traces } = props;
  const times = traces.map((one) => one.startedAt);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const most = Math.max(...traces.map((one) => one.durationUs), 1);
  return (
    <svg className="trace-scatter" role="img" aria-label={text(['时长分布', 'Durations over time'])}>
      {traces.map((one) => (
        <circle
          key={one.traceId}
          className={one.failed ? 'trace-failed' : undefined}
          cx={`${2 + (96 * (one.startedAt - from)) / Math.max(1, to - from)}%`}
          cy={`${92 - (84 * one.durationUs) / most}%`}
          r="4"
          onClick={() => props.onOpen(one.traceId)}
        >
          <title>{`${one.name} ${ms(one.durationUs)}`}</title>
        </circle>
      ))}
    </svg>
  );
}

function FoundTable({
  traces,
  onOpen,
}: {
  readonly traces: readonly FoundTrace[];
  readonly onOpen: (traceId: string) => void;
}) {
  const text = useText();
  const most = Math.max(...traces.map((one) => one.durationUs), 1);
  return (
    <PlainTable
      label={text(['链路', 'Traces'])}
      columns={[
        text(['开始', 'Start']),
        text(['根', 'Root span']),
        text(['服务', 'Services']),
        text(['时长', 'Duration']),
        text(['跨度数', 'Spans']),
        text(['错误', 'Errors']),
        text(['链路号', 'Trace id']),
      ]}
      rows={traces.map((one) => [
        instantFull(one.startedAt),
        <button key="root" type="button" className="k-link" onClick={() => onOpen(one.traceId)}>
          {one.name}
        </button>,
        one.services.map((service) => `${service.service} ${service.count}`).join(', '),
        <span key="bar" className="trace-bar">
          <i style={{ width: `${(100 * one.durationUs) / most}%` }} />
          {ms(one.durationUs)}
        </span>,
        one.spans,
        one.errors,
        one.traceId.slice(0, 12),
      ])}
    />
  );
}
