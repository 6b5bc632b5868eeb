import { useQuery } from '@tanstack/react-query';
import { Alert, Descriptions, Skeleton, Table } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { Windows } from '../parking-lot/parking-parts.tsx';
import { parkingOrder, type FeeWire } from './parking-order.contract.ts';

function useFee(id: string) {
  return useQuery({
    queryKey: [...keysOf.row(parkingOrder.name, id), 'fee'],
    queryFn: ({ signal }) =>
      call<FeeWire>('GET', `${rootOf(parkingOrder)}/${encodeURIComponent(id)}/fee`, { signal, quiet: true }),
  });
}

/** How the fee of a stay is made up, and its further payments. */
export function FeePart({ id }: { readonly id: string }) {
  const text = useText();
  const fee = useFee(id);
  if (fee.isError) return <ErrorPanel error={fee.error} onRetry={() => void fee.refetch()} />;
  if (!fee.data) return <Skeleton active paragraph={{ rows: 4 }} />;
  const { windows, children, at, minutes, due } = fee.data;
  return (
    <div className="or-trial">
      <Descriptions
        size="small"
        column={{ xs: 1, md: 3 }}
        items={[
          ...(at
            ? [
                { key: 'at', label: text(['计算至', 'Reckoned for']), children: businessTimeText(at) },
                { key: 'm', label: text(['计费分钟', 'Minutes']), children: minutes },
              ]
            : []),
          ...(due
            ? [
                {
                  key: 'charged',
                  label: text(['此前已计', 'Charged before']),
                  children: moneyText(due.charged),
                },
                { key: 'coupon', label: text(['停车券', 'Coupon']), children: moneyText(due.discount) },
                {
                  key: 'carried',
                  label: text(['以前欠费', 'Earlier debts']),
                  children: moneyText(due.carried),
                },
                { key: 'due', label: text(['当前应收', 'Due now']), children: moneyText(due.due) },
              ]
            : []),
        ]}
      />
      <Windows windows={windows} />
      {children.length > 0 && (
        <Table
          size="small"
          pagination={false}
          rowKey="id"
          dataSource={[...children]}
          columns={[
            { title: text(['超时补缴订单', 'Further payment']), dataIndex: 'code' },
            {
              title: text(['金额', 'Amount']),
              dataIndex: 'gross',
              align: 'right',
              render: (value: string) => moneyText(value),
            },
            {
              title: text(['状态', 'State']),
              dataIndex: 'state',
              render: (value: string) => <StatusTag choice={parkingOrder.states![value]!} />,
            },
          ]}
        />
      )}
    </div>
  );
}

/** What is due now, above the question how much was taken. */
export function DueNow({ row }: { readonly row: RowData }) {
  const text = useText();
  const fee = useFee(String(row.id));
  if (!fee.data?.due) return null;
  const { due } = fee.data.due;
  return (
    <Alert
      type="info"
      showIcon
      title={text([`当前应收 ${moneyText(due)} 元`, `${moneyText(due)} yuan are due now`])}
    />
  );
}
