import '../layout/split-screen.css';
import { Table } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { allDepartments } from './department.contract.ts';

interface Company {
  readonly tenantId: string;
  readonly tenantName: string;
  readonly departments: number;
  readonly planned: number;
  readonly actual: number;
  readonly vacant: number;
}

const slots: ScreenSlots = { above: <HeadCount /> };

/** Departments of all companies below the head count of each. */
function AllDepartmentsScreen() {
  return <ScreenOf contract={allDepartments} slots={slots} />;
}

/** Departments of all companies. */
export const screen = { contract: allDepartments, component: AllDepartmentsScreen };

/** Planned, actual and vacant heads per company; a click shows the company's departments. */
function HeadCount() {
  const text = useText();
  const view = useView();
  const { data } = useQuery({
    queryKey: ['resource', 'allDepartment', 'headCount'],
    queryFn: ({ signal }) =>
      call<readonly Company[]>('GET', '/api/admin/allDepartment/headCount', { signal, quiet: true }),
  });
  const chosen = view.query.get('tenant');
  const show = (id: string) => view.setQuery(new URLSearchParams(id === chosen ? {} : { tenant: id }));
  const number = (title: string, name: 'departments' | 'planned' | 'actual' | 'vacant') => ({
    title,
    dataIndex: name,
    align: 'right' as const,
    className: 'k-number',
  });
  return (
    <Table
      className="k-table k-compact"
      size="small"
      rowKey="tenantId"
      scroll={{ x: 'max-content' }}
      loading={!data}
      dataSource={(data ?? []) as Company[]}
      pagination={{ pageSize: 5, size: 'small', hideOnSinglePage: true, showSizeChanger: false }}
      rowClassName={(row) => (row.tenantId === chosen ? 'ant-table-row-selected' : '')}
      columns={[
        {
          title: text(['公司', 'Company']),
          dataIndex: 'tenantName',
          render: (name: string, row) => (
            <button
              type="button"
              className="k-link"
              aria-pressed={row.tenantId === chosen}
              onClick={() => show(row.tenantId)}
            >
              {name}
            </button>
          ),
        },
        number(text(['部门', 'Departments']), 'departments'),
        number(text(['编制', 'Planned']), 'planned'),
        number(text(['在职', 'Actual']), 'actual'),
        number(text(['空缺', 'Vacant']), 'vacant'),
        {
          title: text(['到岗率', 'Filled']),
          align: 'right' as const,
          className: 'k-number',
          render: (_value: unknown, row) =>
            row.planned > 0 ? `${Math.round((row.actual / row.planned) * 1000) / 10}%` : '–',
        },
      ]}
    />
  );
}
