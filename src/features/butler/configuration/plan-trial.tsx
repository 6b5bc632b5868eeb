import { useQuery } from '@tanstack/react-query';
import { Descriptions, Skeleton, Table } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { incentivePlan, type PlanTrial as Trial } from './configuration.contract.ts';
import '../butler.css';

const PARTS: readonly (readonly ['sale' | 'bonus' | 'capCut', Label])[] = [
  ['sale', ['成交激励', 'Sales']],
  ['bonus', ['阶梯奖', 'Bonus']],
  ['capCut', ['封顶扣减', 'Cap']],
];

/** What the version would have given for last month, against what was given; writes nothing. */
export function PlanTrial({ id }: { readonly id: string }) {
  const text = useText();
  const trial = useQuery({
    queryKey: [...keysOf.row(incentivePlan.name, id), 'trial'],
    queryFn: ({ signal }) =>
      call<Trial>('GET', `${rootOf(incentivePlan)}/${id}/trial`, { signal, quiet: true }),
  });
  if (trial.isError) return <ErrorPanel error={trial.error} onRetry={() => void trial.refetch()} />;
  if (!trial.data) return <Skeleton active title={false} paragraph={{ rows: 3 }} />;
  const { data } = trial;
  const amount = (value: string) => <span className="k-number">¥{thousands(value)}</span>;
  return (
    <section className="bt-part" aria-label={text(['上月试算', 'Trial of last month'])}>
      <Descriptions
        size="small"
        column={2}
        title={`${text(['试算月份', 'Month'])} ${data.month}`}
        items={[
          { key: 'before', label: text(['原激励', 'As it was']), children: amount(data.before) },
          { key: 'after', label: text(['新激励', 'By this version']), children: amount(data.after) },
          { key: 'difference', label: text(['差额', 'Difference']), children: amount(data.difference) },
          ...PARTS.map(([name, label]) => ({
            key: name,
            label: text(label),
            children: (
              <>
                {amount(data[name].before)} → {amount(data[name].after)}
              </>
            ),
          })),
          { key: 'butlers', label: text(['管家数', 'Butlers']), children: data.butlers.length },
        ]}
      />
      <Table
        size="small"
        rowKey="id"
        pagination={{ pageSize: 10, hideOnSinglePage: true }}
        dataSource={[...data.butlers]}
        columns={[
          { title: text(['管家', 'Butler']), dataIndex: 'name' },
          { title: text(['原激励', 'As it was']), dataIndex: 'before', align: 'right', render: amount },
          {
            title: text(['新激励', 'By this version']),
            dataIndex: 'after',
            align: 'right',
            render: amount,
          },
          { title: text(['差额', 'Difference']), dataIndex: 'difference', align: 'right', render: amount },
        ]}
      />
    </section>
  );
}
