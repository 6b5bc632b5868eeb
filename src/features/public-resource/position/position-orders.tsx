import { Table } from 'antd';
import { WORK_STATES, type WorkState } from '../../../domain/work-order/work-order-words.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';

interface Order {
  readonly id: string;
  readonly code: string;
  readonly title: string;
  readonly state: WorkState;
  readonly at: string;
}

/** Work orders that name the position. */
export function OrdersPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const view = useView();
  return (
    <Table
      size="small"
      rowKey="id"
      dataSource={[...((row.orders ?? []) as readonly Order[])]}
      pagination={false}
      scroll={{ x: 700 }}
      locale={{
        emptyText: text([
          '没有可查看的工单；工单的标题、描述、地址、区域或备注写有点位编码的显示在这里',
          'No order you may see; those whose words name the code of the position stand here',
        ]),
      }}
      columns={[
        {
          title: text(['工单号', 'Order']),
          width: 180,
          render: (_, one) => (
            <button
              type="button"
              className="k-link"
              onClick={() => view.open(`/companymanager/cs_workOrder?detail=${one.id}`)}
            >
              {one.code}
            </button>
          ),
        },
        { title: text(['标题', 'Title']), dataIndex: 'title' },
        {
          title: text(['状态', 'Status']),
          width: 130,
          render: (_, one) => <StatusTag choice={WORK_STATES[one.state]} />,
        },
        {
          title: text(['创建时间', 'Created']),
          width: 150,
          render: (_, one) => one.at.slice(0, 16).replace('T', ' '),
        },
      ]}
    />
  );
}
