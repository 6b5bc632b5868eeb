import { useState } from 'react';
import { Button, Segmented, Select, Skeleton, Table } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { words } from '../../../kernel/client/texts.ts';
import { keysOf, type RowData } from '../../../kernel/client/wire.ts';
import type { Fields, RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useTabLeaves } from '../../../kernel/client/parts/tab-leaves.ts';
import { useView } from '../../../kernel/client/view.ts';
import { gatewayRoute, type RouteMinute, type RouteVersion } from './gateway-route.contract.ts';
import { TryPanel } from './try-panel.tsx';

const ROOT = '/api/admin/gatewayRoute';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

function useVersions(row: RowData) {
  return useQuery({
    queryKey: [...keysOf.all(gatewayRoute.name), 'versions', row.id, row.publishedVersion],
    queryFn: ({ signal }) =>
      call<readonly RouteVersion[]>('GET', `${ROOT}/${row.id}/versions`, { signal, quiet: true }),
  });
}

/** A value of a route in words. */
function shown(name: string, value: unknown): Label {
  if (Array.isArray(value)) return [value.join(', '), value.join(', ')];
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  // A draft names the service by its row, a version by its name alone.
  if (typeof value === 'object' && value !== null)
    return [String((value as RefValue).title), String((value as RefValue).title)];
  const { choices } = (gatewayRoute.fields as Fields)[name] ?? {};
  return choices?.[String(value)]?.label ?? [String(value ?? ''), String(value ?? '')];
}

/** What two snapshots do not have in common, side by side. */
function Differences({
  before,
  after,
}: {
  readonly before: Readonly<Record<string, unknown>> | undefined;
  readonly after: Readonly<Record<string, unknown>>;
}) {
  const text = useText();
  const rows = Object.keys(after)
    .map((name) => ({
      name,
      before: before ? text(shown(name, before[name])) : '',
      after: text(shown(name, after[name])),
    }))
    .filter((one) => one.before !== one.after);
  if (rows.length === 0) return <p className="k-quiet">{text(['没有差异', 'No difference'])}</p>;
  return (
    <Table
      className="k-table k-compact"
      size="small"
      rowKey="name"
      pagination={false}
      scroll={{ x: 'max-content', y: 260 }}
      dataSource={rows}
      columns={[
        {
          title: text(['字段', 'Field']),
          render: (_, one: (typeof rows)[number]) =>
            text((gatewayRoute.fields as Fields)[one.name]?.label ?? [one.name, one.name]),
        },
        { title: text(['原', 'Before']), dataIndex: 'before' },
        { title: text(['新', 'After']), dataIndex: 'after' },
      ]}
    />
  );
}

const DRAFT_FIELDS = [
  'prefix',
  'methods',
  'targetKind',
  'service',
  'url',
  'strip',
  'preserveHost',
  'timeoutMs',
  'retries',
  'ratePerMinute',
  'rateBy',
  'bodyLimitMb',
  'auth',
  'permissionCode',
  'allowAddresses',
  'denyAddresses',
  'forwardIdentity',
  'position',
];

/** What publishing would change of what runs. */
export function DraftDifference({ row }: { readonly row: RowData }) {
  const { data, error, refetch } = useVersions(row);
  const draft = useQuery({
    queryKey: [...keysOf.all(gatewayRoute.name), 'draft', row.id, row.version],
    queryFn: ({ signal }) => call<RowData>('GET', `${ROOT}/${row.id}`, { signal, quiet: true }),
  });
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data || !draft.data) return <Skeleton active paragraph={{ rows: 2 }} />;
  const after = Object.fromEntries(DRAFT_FIELDS.map((name) => [name, draft.data[name]]));
  return <Differences before={data.find((one) => one.current)?.snapshot} after={after} />;
}

/** Published versions, each with what it changed, who did it and why. */
export function VersionsPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const { data, error, refetch } = useVersions(row);
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  return (
    <Table
      className="k-table k-compact"
      size="small"
      rowKey="no"
      scroll={{ x: 'max-content' }}
      pagination={{ pageSize: 20, size: 'small', showSizeChanger: false, hideOnSinglePage: true }}
      dataSource={[...data]}
      locale={{ emptyText: text(['尚未发布', 'Not published yet']) }}
      expandable={{
        expandedRowRender: (one) => (
          <Differences
            before={data.find((other) => other.no === one.no - 1)?.snapshot}
            after={one.snapshot}
          />
        ),
      }}
      columns={[
        {
          title: text(['版本', 'Version']),
          render: (_, one: RouteVersion) => (
            <>
              {one.no} {one.current && <StatusTag tone="success" choice={{ label: ['运行中', 'Running'] }} />}
            </>
          ),
        },
        { title: text(['发布时间', 'Published']), render: (_, one: RouteVersion) => instantFull(one.at) },
        { title: text(['发布人', 'By']), dataIndex: 'author' },
        { title: text(['原因', 'Reason']), dataIndex: 'reason' },
        {
          title: text(['回滚自', 'Rolled back from']),
          render: (_, one: RouteVersion) => one.rolledBackFrom ?? '–',
        },
      ]}
    />
  );
}

/** Methods a route takes; none chosen: all. */
export function MethodsInput({ value, onChange, id, disabled }: SlotInputProps) {
  const text = useText();
  const leaves = useTabLeaves();
  return (
    <Select
      {...(id ? { id } : {})}
      {...leaves}
      mode="multiple"
      className="k-fill"
      disabled={disabled}
      value={(value as string[] | undefined) ?? []}
      onChange={onChange}
      aria-label={text(['方法', 'Methods'])}
      options={METHODS.map((method) => ({ value: method, label: method }))}
    />
  );
}

/** Where a call would go now. */
export function TryButton() {
  const text = useText();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button type="text" onClick={() => setOpen(true)}>
        {text(['试路由', 'Try a route'])}
      </Button>
      <AppModal
        open={open}
        title={text(['试路由', 'Try a route'])}
        footer={null}
        onCancel={() => setOpen(false)}
      >
        <TryPanel />
      </AppModal>
    </>
  );
}

const TRAFFIC = { 60: ['1小时', '1 hour'], 360: ['6小时', '6 hours'], 1440: ['24小时', '24 hours'] } as const;
const MINUTE = 60_000;

/** Calls of each minute with what failed; a minute leads to its traces. */
export function TrafficPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const view = useView();
  const [minutes, setMinutes] = useState<string>('60');
  const { data, error, refetch } = useQuery({
    queryKey: [...keysOf.row(gatewayRoute.name, row.id), 'traffic', minutes],
    queryFn: ({ signal }) =>
      call<readonly RouteMinute[]>('GET', `${ROOT}/${row.id}/traffic`, {
        query: { minutes },
        signal,
        quiet: true,
      }),
    refetchInterval: view.active ? 30_000 : false,
  });
  const tracing = view.pathOf('serviceZipkinManager');
  const tracesOf = (at: string) =>
    `${tracing}?from=${at}&to=${new Date(Date.parse(at) + MINUTE).toISOString()}`;
  return (
    <>
      <Segmented
        value={minutes}
        onChange={setMinutes}
        options={Object.entries(TRAFFIC).map(([value, label]) => ({ value, label: text(label) }))}
      />
      {error ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton active />
      ) : (
        <Table
          className="k-table k-compact"
          size="small"
          rowKey="at"
          pagination={{ pageSize: 30, size: 'small', showSizeChanger: false, hideOnSinglePage: true }}
          dataSource={[...data]}
          locale={{ emptyText: text(['此时段没有调用', 'No calls in this period']) }}
          columns={[
            {
              title: text(['分钟', 'Minute']),
              render: (_, one: RouteMinute) =>
                tracing ? (
                  <button type="button" className="k-link" onClick={() => view.open(tracesOf(one.at))}>
                    {instantFull(one.at).slice(0, 16)}
                  </button>
                ) : (
                  instantFull(one.at).slice(0, 16)
                ),
            },
            { title: text(['调用', 'Calls']), dataIndex: 'calls' },
            { title: text(['错误', 'Errors']), dataIndex: 'errors' },
            { title: text(['平均毫秒', 'Average ms']), dataIndex: 'averageMs' },
          ]}
        />
      )}
    </>
  );
}
