import { useQuery } from '@tanstack/react-query';
import { Descriptions, Skeleton, Table, Typography } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull, NOTHING, thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { INCENTIVE_STATES } from '../butler-choices.rules.ts';
import { butlerPerformance, type PerformanceWhy as Why } from './achievement.contract.ts';
import '../butler.css';

const EVIDENCE: Readonly<Record<string, Label>> = {
  visitAt: ['访问时间', 'Visited'],
  code: ['分享码', 'Link'],
  hoursBefore: ['支付前小时数', 'Hours before payment'],
  windowHours: ['归因窗口（小时）', 'Window (hours)'],
  kind: ['管辖类型', 'Kind'],
  place: ['管辖范围', 'Range'],
  from: ['起', 'From'],
  to: ['止', 'Until'],
};
const KINDS: Readonly<Record<string, Label>> = {
  sale: ['成交激励', 'Sale'],
  clawback: ['追回', 'Clawback'],
  main: ['主管家', 'Main'],
  stand_in: ['代班', 'Stand-in'],
};

/** The order of a line, for whoever may open it. */
function OrderLink({ order, code }: { readonly order: Why['order']; readonly code: string }) {
  const text = useText();
  const view = useView();
  // Orders of visits open in a drawer of their list, the others have a page of their own.
  const isService = order.kind === 'service';
  const orders = view.pathOf(isService ? 'mm_reservationOrder_wx' : 'mm_businessOrder_wx');
  if (!orders) return null;
  const path = `${orders}${isService ? '?detail=' : '/'}${order.id}`;
  return (
    <p>
      <button type="button" className="k-link" onClick={() => view.open(path)}>
        {text([`查看订单 ${code}`, `Open order ${code}`])}
      </button>
    </p>
  );
}

/** Why a line is this butler's, how its incentive was worked out, and where its rows stand. */
export function PerformanceWhy({ row }: { readonly row: RowData }) {
  const text = useText();
  const why = useQuery({
    queryKey: [...keysOf.row(butlerPerformance.name, row.id), 'why'],
    queryFn: ({ signal }) =>
      call<Why>('GET', `${rootOf(butlerPerformance)}/${row.id}/why`, { signal, quiet: true }),
  });
  if (why.isError) return <ErrorPanel error={why.error} onRetry={() => void why.refetch()} />;
  if (!why.data) return <Skeleton active paragraph={{ rows: 5 }} />;
  const known = Object.entries(why.data.evidence).filter(
    ([name, value]) => EVIDENCE[name] && value !== null && value !== undefined,
  );
  const said = (name: string, value: unknown) =>
    name === 'visitAt'
      ? instantFull(String(value))
      : name === 'kind'
        ? text(KINDS[String(value)] ?? [String(value), String(value)])
        : String(value);
  return (
    <div className="bt-part">
      <OrderLink order={why.data.order} code={String(row.order)} />
      <Descriptions
        size="small"
        column={2}
        title={text(['归属依据', 'Why'])}
        items={known.map(([name, value]) => ({
          key: name,
          label: text(EVIDENCE[name]!),
          children: said(name, value),
        }))}
      />
      <Typography.Text className="k-number">{text(why.data.formula)}</Typography.Text>
      <Table
        size="small"
        pagination={false}
        rowKey="id"
        scroll={{ x: 'max-content' }}
        dataSource={[...why.data.rows]}
        columns={[
          {
            title: text(['项目', 'Row']),
            dataIndex: 'kind',
            render: (kind: string) => text(KINDS[kind] ?? [kind, kind]),
          },
          {
            title: text(['金额', 'Amount']),
            dataIndex: 'amount',
            align: 'right',
            render: (amount: string) => thousands(amount),
          },
          {
            title: text(['状态', 'State']),
            dataIndex: 'state',
            render: (state: keyof typeof INCENTIVE_STATES) => text(INCENTIVE_STATES[state].label),
          },
          {
            title: text(['产生时间', 'Made']),
            dataIndex: 'createdAt',
            render: (at: string) => instantFull(at),
          },
          {
            title: text(['可发放时间', 'Payable since']),
            dataIndex: 'payableAt',
            render: (at: string | null) => (at ? instantFull(at) : NOTHING),
          },
          {
            title: text(['发放日期', 'Paid on']),
            dataIndex: 'paidOn',
            render: (on: string | null) => on ?? NOTHING,
          },
          {
            title: text(['批次', 'Batch']),
            dataIndex: 'batch',
            render: (code: string | null) => code ?? NOTHING,
          },
        ]}
      />
    </div>
  );
}
