import '../../../kernel/client/tree/split-screen.css';
import { Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ResourceTable } from '../../../kernel/client/list/resource-table.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { ChartPanel } from '../../../kernel/client/report/chart-panel.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import type { ResourceSpec } from '../../../kernel/contract/resource.ts';
import { clientAssignment, CLIENT_MENU, commercialClient, followUp } from '../client/client.contract.ts';
import { businessPerson, type Holdings } from './business-person.contract.ts';
import { businessReport } from './business-report.contract.ts';
import { businessTarget, type PersonMonths } from './business-target.contract.ts';

// The list as it is without its tabs: all the caller sees of somebody.
const { tabs: _tabs, ...plainList } = commercialClient.list;
const clientsOfAll: ResourceSpec = { ...commercialClient, list: plainList };

function Below({
  resource,
  filters,
  columns,
}: {
  readonly resource: ResourceSpec;
  readonly filters: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
}) {
  const text = useText();
  const view = useView();
  if (view.pathOf(CLIENT_MENU) === undefined)
    return (
      <p className="k-quiet">{text(['没有商业客户的权限', 'Commercial clients are not open to you'])}</p>
    );
  return <ResourceTable resource={resource} filters={filters} columns={columns} actions={false} />;
}

/** Clients of a person. */
export function PersonClients({ staff }: { readonly staff: string }) {
  return (
    <Below
      resource={clientsOfAll}
      filters={{ owner: staff }}
      columns={['name', 'brand', 'state', 'level', 'lastFollowAt', 'nextFollowAt', 'poolOn']}
    />
  );
}

/** What a person said with clients. */
export function PersonFollows({ staff }: { readonly staff: string }) {
  return (
    <Below
      resource={followUp}
      filters={{ author: staff }}
      columns={['at', 'client', 'kind', 'content', 'result', 'nextAt']}
    />
  );
}

/** Clients that came to a person or left. */
export function PersonMoves({ staff }: { readonly staff: string }) {
  return (
    <Below
      resource={clientAssignment}
      filters={{ staff }}
      columns={['happenedAt', 'client', 'kind', 'fromStaff', 'toStaff', 'reason']}
    />
  );
}

/** Targets of a person by month beside what was reached. */
export function PersonMonthsChart({ staff }: { readonly staff: string }) {
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.all(businessTarget.name), 'months', staff],
    queryFn: ({ signal }) =>
      call<PersonMonths>('GET', '/api/jinmao/web/businessTarget/months', {
        query: { staff },
        signal,
        quiet: true,
      }),
  });
  if (isError && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return (
    <ChartPanel
      report={businessReport}
      spec={{
        key: 'months',
        title: ['逐月签约额、回款与目标', 'Signed, received and target by month'],
        kind: 'line',
        measures: ['signed', 'received', 'target'],
      }}
      whole
      points={data?.months.map((one) => ({
        key: one.month,
        label: one.month,
        values: { signed: one.signed, received: one.received, target: one.target ?? 0 },
      }))}
    />
  );
}

/** What a hand-over gives on, before it begins. */
export function HoldingsOf({ id }: { readonly id: string }) {
  const text = useText();
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.all(businessPerson.name), 'holdings', id],
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<Holdings>('GET', `/api/jinmao/web/businessPerson/${id}/holdings`, { signal, quiet: true }),
  });
  if (isError && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active paragraph={{ rows: 2 }} />;
  const lines = [
    text([
      `客户 ${data.clients} 个，其中签约 ${data.signed} 个`,
      `${data.clients} clients, ${data.signed} signed`,
    ]),
    text([`负责的合同 ${data.contracts} 份`, `${data.contracts} contracts owned`]),
    text([
      `待收应收 ${data.receivables} 笔，余额 ${data.balance} 元`,
      `${data.receivables} receivables, ¥${data.balance} open`,
    ]),
    text([
      `待审批 ${data.approvals} 项（转给接收人代审）`,
      `${data.approvals} approvals (the receiver stands in)`,
    ]),
    text([`预留铺位 ${data.holds} 个`, `${data.holds} spaces held`]),
  ];
  return (
    <ul className="plain-rows">
      {lines.map((line) => (
        <li key={line}>
          <span>{line}</span>
        </li>
      ))}
    </ul>
  );
}
