import { useState } from 'react';
import { Alert, Button, Input, Select, Skeleton, Table } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { keysOf, type RowData } from '../../../kernel/client/wire.ts';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { gatewayRoute, type RouteVersion } from './gateway-route.contract.ts';

const ROOT = '/api/admin/gatewayRoute';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

function useVersions(row: RowData) {
  return useQuery({
    queryKey: [...keysOf.all(gatewayRoute.name), 'versions', row.id, row.publishedVersion],
    queryFn: ({ signal }) =>
      call<readonly RouteVersion[]>('GET', `${ROOT}/${row.id}/versions`, { signal, quiet: true }),
  });
}

const shown = (value: unknown) =>
  Array.isArray(value) ? value.join(', ') : typeof value === 'object' ? '' : String(value ?? '');

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
    .filter((name) => !before || shown(before[name]) !== shown(after[name]))
    .map((name) => ({ name, before: shown(before?.[name]), after: shown(after[name]) }));
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
            text(
              (gatewayRoute.fields as Record<string, { label: readonly [string, string] }>)[one.name]
                ?.label ?? [one.name, one.name],
            ),
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
  return (
    <Select
      {...(id ? { id } : {})}
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

interface Tried {
  readonly matched: {
    readonly id: string;
    readonly code: string;
    readonly prefix: string;
    readonly version: number;
  } | null;
  readonly outgoing?: string | null;
  readonly auth?: 'permission' | 'service' | 'public';
  readonly permissionCode?: string;
  readonly ratePerMinute?: number;
  readonly timeoutMs?: number;
  readonly retries?: number;
}

/** Where a call would go now, and what it must pass. */
export function TryButton() {
  const text = useText();
  const [open, setOpen] = useState(false);
  const [method, setMethod] = useState('GET');
  const [path, setPath] = useState('/api/');
  const [asked, setAsked] = useState<{ method: string; path: string }>();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['gatewayRoute', 'try', asked],
    enabled: asked !== undefined,
    staleTime: 0,
    queryFn: ({ signal }) => call<Tried>('GET', `${ROOT}/try`, { query: { ...asked }, signal, quiet: true }),
  });
  return (
    <>
      <Button type="text" onClick={() => setOpen(true)}>
        {text(['试路由', 'Try a route'])}
      </Button>
      <AppModal
        open={open}
        title={text(['试路由', 'Try a route'])}
        okText={text(['匹配', 'Match'])}
        confirmLoading={isFetching}
        okButtonProps={{ disabled: path.trim() === '' }}
        onOk={() => setAsked({ method, path: path.trim() })}
        onCancel={() => setOpen(false)}
      >
        <Select
          className="k-fill"
          aria-label={text(['方法', 'Method'])}
          value={method}
          onChange={setMethod}
          options={METHODS.map((one) => ({ value: one, label: one }))}
        />
        <Input
          aria-label={text(['路径', 'Path'])}
          value={path}
          placeholder="/api/parking/lots?x=1"
          onChange={(event) => setPath(event.target.value)}
        />
        {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
        {data &&
          (data.matched === null ? (
            <Alert
              type="warning"
              showIcon
              title={text(['没有路由匹配，返回 404', 'No route matches: 404'])}
            />
          ) : (
            <Alert
              type="success"
              showIcon
              title={`${data.matched.code} · ${data.matched.prefix} · v${data.matched.version}`}
              description={
                <ul style={{ overflowWrap: 'anywhere' }}>
                  <li>→ {data.outgoing ?? text(['没有可用实例', 'No instance is up'])}</li>
                  <li>
                    {text(gatewayRoute.fields.auth.choices[data.auth ?? 'permission'].label)}{' '}
                    {data.permissionCode}
                  </li>
                  <li>
                    {text([
                      `每分钟 ${data.ratePerMinute} 次，超时 ${data.timeoutMs} 毫秒，重试 ${data.retries} 次`,
                      `${data.ratePerMinute} a minute, timeout ${data.timeoutMs} ms, ${data.retries} retries`,
                    ])}
                  </li>
                </ul>
              }
            />
          ))}
      </AppModal>
    </>
  );
}
