import { useQuery } from '@tanstack/react-query';
import { Alert, Descriptions, Skeleton, Table } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { pointsGrantBatch, type SendPreview as Preview } from './send.contract.ts';

const WAYS = {
  0: ['免审批，提交后待发放', 'None: it may be sent once submitted'],
  1: ['一人审批', 'One approver'],
  2: ['两人依次审批', 'Two approvers in turn'],
} as const;

function usePreview(id: string) {
  return useQuery({
    queryKey: [...keysOf.row(pointsGrantBatch.name, id), 'preview'],
    gcTime: 0,
    queryFn: ({ signal }) => call<Preview>('GET', `${rootOf(pointsGrantBatch)}/${id}/preview`, { signal }),
  });
}

/** Members, total and budget of a batch before it is submitted, with its first lines. */
export function SendPreview({ row, short = false }: { readonly row: RowData; readonly short?: boolean }) {
  const text = useText();
  const preview = usePreview(row.id);
  if (preview.isError) return <ErrorPanel error={preview.error} onRetry={() => void preview.refetch()} />;
  if (!preview.data) return <Skeleton active />;
  const { members, total, liability, budgetLeft, budgetAfter, approvals, first } = preview.data;
  return (
    <>
      {members === 0 && (
        <Alert type="warning" showIcon title={text(['没有匹配的会员', 'No member matches'])} />
      )}
      {budgetAfter < 0 && (
        <Alert
          type="error"
          showIcon
          title={text([
            `预算可用 ${thousands(budgetLeft)}，不足 ${thousands(total)}`,
            `Budget has ${thousands(budgetLeft)} left, ${thousands(total)} needed`,
          ])}
        />
      )}
      <Descriptions
        column={1}
        size="small"
        items={[
          { key: 'members', label: text(['人数', 'Members']), children: thousands(members) },
          { key: 'total', label: text(['总积分', 'Total']), children: thousands(total) },
          { key: 'liability', label: text(['负债', 'Liability']), children: `¥${liability}` },
          {
            key: 'budget',
            label: text(['预算', 'Budget']),
            children: `${thousands(budgetLeft)} → ${thousands(budgetAfter)}`,
          },
          { key: 'approvals', label: text(['审批', 'Approval']), children: text(WAYS[approvals]) },
          {
            key: 'caps',
            label: text(['上限', 'Limits']),
            children: text(['批次发放不受每日上限限制', 'Batches ignore daily limits']),
          },
        ]}
      />
      {!short && first.length > 0 && (
        <Table
          size="small"
          pagination={false}
          rowKey={(one) => `${one.phone} ${one.member}`}
          dataSource={[...first]}
          title={() => text(['前 20 行', 'First 20 lines'])}
          columns={[
            { title: text(['会员', 'Member']), dataIndex: 'member' },
            { title: text(['手机', 'Phone']), dataIndex: 'phone' },
            { title: text(['积分', 'Points']), dataIndex: 'points', align: 'right', render: thousands },
          ]}
        />
      )}
    </>
  );
}
