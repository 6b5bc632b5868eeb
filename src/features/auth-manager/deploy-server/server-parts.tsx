import { lazy, Suspense, type ReactNode } from 'react';
import { Skeleton, Table, theme } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, type RowData } from '../../../kernel/client/wire.ts';
import type { Choice } from '../../../kernel/contract/fields.ts';
import { reasonLabel } from '../../../domain/services/event-reason.rules.ts';
import { instanceEvent } from '../../monitor/registry/instance-event.contract.ts';
import { serviceInstance } from '../../monitor/registry/service-instance.contract.ts';
import { deployServer, type ServerRunning } from './deploy-server.contract.ts';

const ChartCanvas = lazy(() =>
  import('../../../kernel/client/report/chart-canvas.tsx').then((module) => ({
    default: module.ChartCanvas,
  })),
);

function Running(props: { readonly row: RowData; readonly children: (data: ServerRunning) => ReactNode }) {
  const view = useView();
  const { data, error, refetch } = useQuery({
    queryKey: [...keysOf.row(deployServer.name, props.row.id), 'running'],
    queryFn: ({ signal }) =>
      call<ServerRunning>('GET', `/api/admin/deployServer/${props.row.id}/running`, { signal, quiet: true }),
    refetchInterval: view.active ? 10_000 : false,
  });
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return data ? props.children(data) : <Skeleton active />;
}

const choiceIn = (choices: Readonly<Record<string, Choice>> | undefined, code: string): Choice =>
  choices?.[code] ?? { label: [code, code] };
const labelIn = (choices: Readonly<Record<string, Choice>> | undefined, code: string) =>
  choiceIn(choices, code).label;

const TABLE = {
  className: 'k-table k-compact',
  size: 'small',
  scroll: { x: 'max-content' },
} as const;

/** What runs on the server; an instance leads to its own page. */
export function InstancesPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const view = useView();
  const monitor = view.pathOf('serviceMonitorManager');
  return (
    <Running row={row}>
      {({ instances }) => (
        <Table
          {...TABLE}
          rowKey="instanceId"
          pagination={false}
          dataSource={[...instances]}
          locale={{ emptyText: text(['没有实例', 'No instances']) }}
          columns={[
            { title: text(['服务', 'Service']), dataIndex: 'service' },
            {
              title: text(['实例', 'Instance']),
              render: (_, one: ServerRunning['instances'][number]) =>
                monitor ? (
                  <button
                    type="button"
                    className="k-link"
                    onClick={() => view.open(`${monitor}?instance=${one.instanceId}`)}
                  >
                    {one.instanceId.slice(0, 8)}
                  </button>
                ) : (
                  one.instanceId.slice(0, 8)
                ),
            },
            { title: text(['版本', 'Version']), dataIndex: 'release' },
            {
              title: text(['角色', 'Role']),
              render: (_, one: ServerRunning['instances'][number]) =>
                text(labelIn(serviceInstance.fields.role.choices, one.role)),
            },
            { title: text(['端口', 'Port']), dataIndex: 'port' },
            {
              title: text(['状态', 'State']),
              render: (_, one: ServerRunning['instances'][number]) => (
                <StatusTag choice={choiceIn(serviceInstance.states, one.status)} />
              ),
            },
            {
              title: text(['启动时间', 'Started']),
              render: (_, one: ServerRunning['instances'][number]) => instantFull(one.startedAt),
            },
            {
              title: text(['最近心跳', 'Last heartbeat']),
              render: (_, one: ServerRunning['instances'][number]) => instantFull(one.lastHeartbeatAt),
            },
          ]}
        />
      )}
    </Running>
  );
}

/** Lines of the journal of everything that ran there. */
export function EventsPart({ row }: { readonly row: RowData }) {
  const text = useText();
  return (
    <Running row={row}>
      {({ events }) => (
        <Table
          {...TABLE}
          rowKey={(one) => `${one.at}${one.instanceId}${one.type}${one.to}`}
          pagination={{ pageSize: 20, size: 'small', showSizeChanger: false, hideOnSinglePage: true }}
          dataSource={[...events]}
          locale={{ emptyText: text(['没有事件', 'No events']) }}
          columns={[
            {
              title: text(['时间', 'Time']),
              render: (_, one: ServerRunning['events'][number]) => instantFull(one.at),
            },
            {
              title: text(['类型', 'Kind']),
              render: (_, one: ServerRunning['events'][number]) =>
                text(labelIn(instanceEvent.fields.type.choices, one.type)),
            },
            { title: text(['服务', 'Service']), dataIndex: 'service' },
            {
              title: text(['变化', 'Change']),
              render: (_, one: ServerRunning['events'][number]) =>
                [one.from, one.to]
                  .filter(Boolean)
                  .map((status) => text(labelIn(serviceInstance.states, status)))
                  .join(' → ') || '–',
            },
            {
              title: text(['原因', 'Reason']),
              render: (_, one: ServerRunning['events'][number]) => text(reasonLabel(one.reason)),
            },
          ]}
        />
      )}
    </Running>
  );
}

const HEIGHT = 220;
const LINES = [
  ['cpu', ['CPU %', 'CPU %']],
  ['memoryMb', ['内存 MB', 'Memory MB']],
  ['diskFree', ['磁盘可用 %', 'Disk free %']],
] as const;

/** Load of seven days, hour by hour. */
export function LoadPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const { token } = theme.useToken();
  return (
    <Running row={row}>
      {({ load }) =>
        load.length === 0 ? (
          <p className="k-quiet">{text(['近7天没有采样', 'Nothing was measured in 7 days'])}</p>
        ) : (
          <Suspense fallback={<Skeleton active />}>
            {LINES.map(([name, label]) => (
              <ChartCanvas
                key={name}
                height={HEIGHT}
                label={text(label)}
                onReady={() => {}}
                option={{
                  animation: false,
                  textStyle: { fontFamily: token.fontFamily, color: token.colorText },
                  title: { text: text(label), textStyle: { fontSize: 13, color: token.colorText } },
                  tooltip: { trigger: 'axis', confine: true },
                  grid: { left: 0, right: 12, top: 32, bottom: 0, containLabel: true },
                  xAxis: { type: 'category', data: load.map((one) => instantFull(one.at).slice(5, 16)) },
                  yAxis: { type: 'value', splitNumber: 3 },
                  series: [{ type: 'line', showSymbol: false, data: load.map((one) => one[name]) }],
                }}
              />
            ))}
          </Suspense>
        )
      }
    </Running>
  );
}
