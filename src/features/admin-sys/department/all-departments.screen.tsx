import '../../../kernel/client/tree/split-screen.css';
import { Table } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { departmentCells } from './department-cells.tsx';
import { allDepartments } from './department.contract.ts';
import { DepartmentShapes, DepartmentTree, ShapeSwitch, useIsList } from './shape-switch.tsx';
import { useCompanyTree } from './use-department-tree.ts';

interface Company {
  readonly tenantId: string;
  readonly tenantName: string;
  readonly own: boolean;
  readonly departments: number;
  readonly planned: number;
  readonly actual: number;
  readonly vacant: number;
}

const slots: ScreenSlots = { above: <Overview />, cells: departmentCells };

/** Departments of all companies: a company on top, its head count, its departments as tree or list. */
function AllDepartmentsScreen() {
  return (
    <DepartmentShapes contract={allDepartments} slots={slots}>
      <CompanyTree />
    </DepartmentShapes>
  );
}

/** Departments of all companies. */
export const screen = { contract: allDepartments, component: AllDepartmentsScreen };

function useHeadCount() {
  return useQuery({
    queryKey: ['resource', 'allDepartment', 'headCount'],
    queryFn: ({ signal }) =>
      call<readonly Company[]>('GET', '/api/admin/allDepartment/headCount', { signal, quiet: true }),
  });
}

/** The company the address names, else the own one, else the first with departments. */
function useCompany(): string | undefined {
  const view = useView();
  const { data } = useHeadCount();
  return (
    view.query.get('tenant') ?? (data?.find((company) => company.own) ?? data?.[0])?.tenantId ?? undefined
  );
}

function CompanyTree() {
  const tenant = useCompany();
  const tree = useCompanyTree(tenant);
  return (
    <DepartmentTree
      key={tenant}
      resource={allDepartments}
      tree={tree}
      slots={slots}
      above={<Overview />}
      shape={<ShapeSwitch />}
    />
  );
}

function Overview() {
  const text = useText();
  const view = useView();
  const list = useIsList();
  const company = useCompany();
  const { data } = useHeadCount();
  const chosen = list ? (view.query.get('tenant') ?? undefined) : company;
  const show = (id: string | undefined) => {
    const query = new URLSearchParams();
    if (list) query.set('shape', 'list');
    if (id) query.set('tenant', id);
    view.setQuery(query);
  };
  const number = (title: string, name: 'departments' | 'planned' | 'actual' | 'vacant') => ({
    title,
    dataIndex: name,
    align: 'right' as const,
    className: 'k-number',
  });
  const known = Object.fromEntries((data ?? []).map((one) => [one.tenantId, one.tenantName]));
  return (
    <>
      <div className="screen-buttons">
        <span className="company-picker">
          <RemoteSelect
            target="tenant"
            label={text(['公司', 'Company'])}
            prefix={text(['公司', 'Company'])}
            value={chosen ? [chosen] : []}
            known={known}
            onChange={(ids) => show(ids[0])}
          />
        </span>
        {list && <ShapeSwitch />}
      </div>
      <Table
        className="k-table k-compact head-count"
        size="small"
        rowKey="tenantId"
        loading={!data}
        scroll={{ x: 'max-content' }}
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
                onClick={() => show(row.tenantId === chosen && list ? undefined : row.tenantId)}
              >
                {name}
              </button>
            ),
          },
          number(text(['部门', 'Departments']), 'departments'),
          number(text(['编制', 'Planned']), 'planned'),
          {
            ...number(text(['在职', 'Actual']), 'actual'),
            render: (count: number, row) => <Heads count={count} company={row} />,
          },
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
    </>
  );
}

/** The heads of a company open its users. */
function Heads({ count, company }: { readonly count: number; readonly company: Company }) {
  const view = useView();
  const users = view.pathOf(company.own ? 'userManager' : 'allUserManager');
  if (!users) return <>{count}</>;
  const query = `?state=normal,disabled${company.own ? '' : `&tenant=${company.tenantId}`}`;
  return (
    <button type="button" className="k-link" onClick={() => view.open(`${users}${query}`)}>
      {count}
    </button>
  );
}
