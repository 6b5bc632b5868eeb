import { useState } from 'react';
import { Button, Select, Skeleton, Table } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { tellFault } from '../../../kernel/client/feedback.ts';
import { instantFull, thousands } from '../../../kernel/client/format.rules.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, type RowData } from '../../../kernel/client/wire.ts';
import { DaysDrawer } from '../days-drawer.tsx';
import {
  apiCall,
  type ApiCaller,
  type ApiFailure,
  type ApiHour,
  type ReleaseDiff,
} from './api-call.contract.ts';

const ROOT = '/api/admin/apiCall';
const COMPACT = {
  className: 'k-table k-compact',
  size: 'small',
  scroll: { x: 'max-content' },
} as const;
const PAGED = { pageSize: 20, size: 'small', showSizeChanger: false, hideOnSinglePage: true } as const;

/** Asks for a part of the detail of a call. */
function usePart<T>(row: RowData, part: string) {
  const language = useLanguageStore((state) => state.language);
  return useQuery({
    queryKey: [...keysOf.all(apiCall.name), part, row.id, language],
    queryFn: ({ signal }) => call<T>('GET', `${ROOT}/${row.id}/${part}`, { signal, quiet: true }),
  });
}

/** What a call takes and answers, with an example. */
export function DescriptionPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const { data, error, refetch } = usePart<Operation | null>(row, 'description');
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton active />;
  if (data === null)
    return <p className="k-quiet">{text(['此版本没有该接口', 'This release does not have the call'])}</p>;
  const body = data.requestBody?.content['application/json'].schema;
  const answer = data.responses[200]?.content['application/json'].schema;
  return (
    <>
      <h4>{text(['参数', 'Parameters'])}</h4>
      {data.parameters.length === 0 ? (
        <p className="k-quiet">{text(['没有参数', 'None'])}</p>
      ) : (
        <Table
          {...COMPACT}
          rowKey="name"
          pagination={false}
          dataSource={[...data.parameters]}
          columns={[
            { title: text(['名称', 'Name']), dataIndex: 'name' },
            { title: text(['位置', 'In']), dataIndex: 'in' },
            {
              title: text(['必填', 'Required']),
              render: (_, one: Operation['parameters'][number]) =>
                text(one.required ? ['是', 'yes'] : ['否', 'no']),
            },
            {
              title: text(['说明', 'About']),
              render: (_, one: Operation['parameters'][number]) => one.schema.title ?? '',
            },
          ]}
        />
      )}
      {body && (
        <>
          <h4>{text(['请求示例', 'Request'])}</h4>
          <Code value={exampleOf(body)} />
        </>
      )}
      <h4>{text(['返回示例', 'Answer'])}</h4>
      <Code value={exampleOf(answer ?? {})} />
      <h4>{text(['结构', 'Schema'])}</h4>
      <Code value={{ ...(body ? { request: body } : {}), answer }} />
    </>
  );
}

/** A value as formatted JSON that wraps in narrow windows. */
export function Code({ value }: { readonly value: unknown }) {
  return (
    <pre className="k-code" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}

/** The part of a JSON schema this screen reads. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** A call as OpenAPI describes it. */
export interface Operation {
  readonly summary: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Readonly<
    Record<string, { readonly content: { readonly 'application/json': { readonly schema: Schema } } }>
  >;
}

/** A value that fits a schema. */
export function exampleOf(schema: Schema, depth = 0): unknown {
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  if (depth > 5) return null;
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, one]) => [name, exampleOf(one, depth + 1)]),
      );
    case 'array':
      return schema.items ? [exampleOf(schema.items, depth + 1)] : [];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'string':
      return schema.format === 'date'
        ? '2026-11-22'
        : schema.format === 'date-time'
          ? '2026-11-22T08:00:00+08:00'
          : '';
    default:
      return null;
  }
}

/** Groups that hold a right for the call. */
export function CallersPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const { data, error, refetch } = usePart<readonly ApiCaller[]>(row, 'callers');
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  if (row.level !== 'permission')
    return (
      <p className="k-quiet">
        {text(
          row.level === 'public'
            ? ['任何人，无需登录', 'Everybody, without a token']
            : row.level === 'service'
              ? ['有此范围的程序', 'Programs with the scope']
              : ['每个已登录的员工', 'Every staff who is signed in'],
        )}
      </p>
    );
  return (
    <Table
      {...COMPACT}
      rowKey="id"
      pagination={PAGED}
      dataSource={[...data]}
      locale={{ emptyText: text(['没有角色拥有此权限', 'No group holds the right']) }}
      columns={[
        { title: text(['角色', 'Group']), dataIndex: 'name' },
        { title: text(['员工', 'Staff']), dataIndex: 'staff', align: 'right' },
      ]}
    />
  );
}

const BAR_HEIGHT = 90;

/** Calls, errors and p95 by hour; the table beneath says the same in figures. */
export function TrafficPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const { data, error, refetch } = usePart<readonly ApiHour[]>(row, 'traffic');
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  if (data.length === 0) return <p className="k-quiet">{text(['7天内没有调用', 'No call within 7 days'])}</p>;
  const most = Math.max(...data.map((hour) => hour.calls));
  return (
    <>
      <svg
        role="img"
        aria-label={text(['每小时调用与错误', 'Calls and errors by hour'])}
        viewBox={`0 0 ${data.length * 6} ${BAR_HEIGHT}`}
        preserveAspectRatio="none"
        style={{ width: '100%', height: BAR_HEIGHT }}
      >
        {data.map((hour, index) => {
          const height = (calls: number) => (calls / most) * BAR_HEIGHT;
          return (
            <g key={hour.at}>
              <rect
                x={index * 6}
                width={5}
                y={BAR_HEIGHT - height(hour.calls)}
                height={height(hour.calls)}
                fill="var(--ant-color-primary)"
              />
              <rect
                x={index * 6}
                width={5}
                y={BAR_HEIGHT - height(hour.errors)}
                height={height(hour.errors)}
                fill="var(--ant-color-error)"
              />
            </g>
          );
        })}
      </svg>
      <Table
        {...COMPACT}
        rowKey="at"
        pagination={PAGED}
        dataSource={[...data].reverse()}
        columns={[
          {
            title: text(['小时', 'Hour']),
            render: (_, hour: ApiHour) => instantFull(hour.at).slice(0, 16),
          },
          { title: text(['调用', 'Calls']), dataIndex: 'calls', align: 'right' },
          { title: text(['错误', 'Errors']), dataIndex: 'errors', align: 'right' },
          {
            title: 'p95',
            align: 'right',
            render: (_, hour: ApiHour) => (hour.p95 === null ? '–' : `${hour.p95} ms`),
          },
        ]}
      />
    </>
  );
}

/** The last calls that were refused or failed, each leading to its trace in the gate log. */
export function FailuresPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const view = useView();
  const log = view.pathOf('gateLogManager');
  const { data, error, refetch } = usePart<readonly ApiFailure[]>(row, 'failures');
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  return (
    <Table
      {...COMPACT}
      rowKey="id"
      pagination={false}
      dataSource={[...data]}
      locale={{ emptyText: text(['7天内没有错误', 'No error within 7 days']) }}
      columns={[
        { title: text(['时间', 'At']), render: (_, one: ApiFailure) => instantFull(one.at) },
        { title: 'HTTP', dataIndex: 'http', align: 'right' },
        {
          title: text(['耗时', 'Duration']),
          align: 'right',
          render: (_, one: ApiFailure) => `${one.durationMs} ms`,
        },
        { title: text(['员工', 'Staff']), render: (_, one: ApiFailure) => one.staff || '–' },
        {
          title: text(['链路', 'Trace']),
          render: (_, one: ApiFailure) =>
            log ? (
              <button
                type="button"
                className="k-link"
                onClick={() => view.open(`${log}?tab=all&traceId=${one.traceId}`)}
              >
                {one.traceId.slice(0, 12)}
              </button>
            ) : (
              one.traceId.slice(0, 12)
            ),
        },
      ]}
    />
  );
}

/** Top calls, OpenAPI of what the list shows, and releases side by side. */
export function ApiTools() {
  const text = useText();
  const held = useHeld(apiCall);
  const [open, setOpen] = useState<'top' | 'diff'>();
  return (
    <>
      <Button type="text" onClick={() => setOpen('top')}>
        {text(['耗时排行', 'Most time'])}
      </Button>
      {held('btn_diff') && (
        <Button type="text" onClick={() => setOpen('diff')}>
          {text(['版本对比', 'Compare releases'])}
        </Button>
      )}
      {held('btn_export') && <OpenApiButtons />}
      {open === 'top' && <TopDrawer onClose={() => setOpen(undefined)} />}
      {open === 'diff' && <DiffDrawer onClose={() => setOpen(undefined)} />}
    </>
  );
}

const NOT_FILTERS = ['page', 'limit', 'detail', 'sort', 'cursor', 'part'];

function OpenApiButtons() {
  const view = useView();
  const guard = useSubmitGuard();
  const save = (format: 'json' | 'yaml') =>
    void guard.run(async () => {
      try {
        const query = Object.fromEntries([...view.query].filter(([name]) => !NOT_FILTERS.includes(name)));
        const file = await call<{ name: string; text: string }>('POST', `${ROOT}/openapi`, {
          body: { format, query },
        });
        const link = document.createElement('a');
        link.href = URL.createObjectURL(new Blob([file.text], { type: 'application/octet-stream' }));
        link.download = file.name;
        link.click();
        URL.revokeObjectURL(link.href);
      } catch (error) {
        tellFault(error);
      }
    });
  return (
    <>
      {(['json', 'yaml'] as const).map((format) => (
        <Button
          key={format}
          type="text"
          loading={guard.busy}
          disabled={guard.locked}
          onClick={() => save(format)}
        >
          OpenAPI {format.toUpperCase()}
        </Button>
      ))}
    </>
  );
}

interface TopCall {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly title: string;
  readonly calls: number;
  readonly totalMs: number;
  readonly averageMs: number;
}

function TopDrawer({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const view = useView();
  return (
    <DaysDrawer<TopCall>
      title={['耗时最多的接口', 'Calls that take most time']}
      size={820}
      path={`${ROOT}/top`}
      onClose={onClose}
    >
      {(rows) => (
        <Table
          {...COMPACT}
          rowKey="id"
          pagination={false}
          dataSource={[...rows]}
          locale={{ emptyText: text(['没有调用', 'No calls']) }}
          columns={[
            {
              title: text(['接口', 'Call']),
              render: (_, one: TopCall) => (
                <button
                  type="button"
                  className="k-link"
                  onClick={() => {
                    onClose();
                    view.open(`${view.path}?detail=${one.id}`);
                  }}
                >
                  {one.method} {one.path}
                </button>
              ),
            },
            { title: text(['名称', 'Title']), dataIndex: 'title' },
            {
              title: text(['调用', 'Calls']),
              align: 'right',
              render: (_, one: TopCall) => thousands(one.calls),
            },
            {
              title: text(['平均', 'Average']),
              align: 'right',
              render: (_, one: TopCall) => `${one.averageMs} ms`,
            },
            {
              title: text(['总耗时', 'Total']),
              align: 'right',
              render: (_, one: TopCall) => `${(one.totalMs / 1000).toFixed(1)} s`,
            },
          ]}
        />
      )}
    </DaysDrawer>
  );
}

interface Release {
  readonly release: string;
  readonly at: string;
  readonly calls: number;
}

function DiffDrawer({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const [from, setFrom] = useState<string>();
  const [to, setTo] = useState<string>();
  const releases = useQuery({
    queryKey: ['apiCall', 'releases'],
    staleTime: 0,
    queryFn: ({ signal }) => call<readonly Release[]>('GET', `${ROOT}/releases`, { signal, quiet: true }),
  });
  const first = from ?? releases.data?.[1]?.release ?? releases.data?.[0]?.release;
  const second = to ?? releases.data?.[0]?.release;
  const diff = useQuery({
    queryKey: ['apiCall', 'diff', first, second],
    enabled: first !== undefined && second !== undefined,
    queryFn: ({ signal }) =>
      call<ReleaseDiff>('GET', `${ROOT}/diff`, { query: { from: first, to: second }, signal, quiet: true }),
  });
  const failed = releases.error ?? diff.error;
  const options = (releases.data ?? []).map((one) => ({
    value: one.release,
    label: `${one.release} · ${instantFull(one.at)} · ${one.calls}`,
  }));
  return (
    <AppDrawer open size={720} title={text(['版本对比', 'Compare releases'])} onClose={onClose}>
      {failed && <ErrorPanel error={failed} onRetry={() => void releases.refetch()} />}
      {!failed && !releases.data && <Skeleton active />}
      {releases.data && (
        <>
          <Select
            className="k-fill"
            aria-label={text(['旧版本', 'Older release'])}
            value={first}
            options={options}
            onChange={setFrom}
          />
          <Select
            className="k-fill"
            aria-label={text(['新版本', 'Newer release'])}
            value={second}
            options={options}
            onChange={setTo}
          />
        </>
      )}
      {diff.data &&
        (
          [
            ['added', ['新增', 'Added']],
            ['removed', ['移除', 'Removed']],
            ['changed', ['变更', 'Changed']],
          ] as const
        ).map(([key, label]) => (
          <section key={key}>
            <h4>
              {text(label)} {diff.data[key].length}
            </h4>
            <ul>
              {diff.data[key].map((one) => (
                <li key={one} style={{ overflowWrap: 'anywhere' }}>
                  {one}
                </li>
              ))}
            </ul>
          </section>
        ))}
    </AppDrawer>
  );
}
