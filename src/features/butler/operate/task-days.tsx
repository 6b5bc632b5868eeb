import { useQuery } from '@tanstack/react-query';
import { Skeleton } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { ChartPanel } from '../../../kernel/client/report/chart-panel.tsx';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { butlerTask, type TaskDays as Days } from './operate.contract.ts';

const VALUE: Label = ['当日完成', 'Of the day'];

/** What came of a task day by day. */
export function TaskDays({ row }: { readonly row: RowData }) {
  const text = useText();
  const days = useQuery({
    queryKey: [...keysOf.row(butlerTask.name, row.id), 'days'],
    queryFn: ({ signal }) =>
      call<Days>('GET', `${rootOf(butlerTask)}/${row.id}/days`, { signal, quiet: true }),
  });
  if (days.isError) return <ErrorPanel error={days.error} onRetry={() => void days.refetch()} />;
  if (!days.data) return <Skeleton active paragraph={{ rows: 4 }} />;
  if (days.data.days.length === 0)
    return <p className="k-quiet">{text(['任务尚未开始', 'The task has not begun yet'])}</p>;
  const isMoney = row.sum !== null && row.sum !== undefined;
  return (
    <ChartPanel
      whole
      report={{
        title: ['每日进度', 'By day'],
        fields: {},
        figures: { value: { label: VALUE, kind: isMoney ? 'money' : 'integer', formula: VALUE } },
      }}
      spec={{ key: 'days', title: ['每日进度', 'By day'], kind: 'line', measures: ['value'] }}
      points={days.data.days.map((one) => ({
        key: one.day,
        label: one.day.slice(5),
        values: { value: Number(one.value) },
      }))}
    />
  );
}
