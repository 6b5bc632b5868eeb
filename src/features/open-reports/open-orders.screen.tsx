import { Empty, Skeleton, Table, Tag } from 'antd';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../kernel/client/api-client.ts';
import { thousands } from '../../kernel/client/format.rules.ts';
import { useLanguageStore, useText } from '../../kernel/client/language.ts';
import { ErrorPanel } from '../../kernel/client/parts/error-panel.tsx';
import { cellValue } from '../../kernel/client/parts/field-value.tsx';
import { PageTitle } from '../../kernel/client/parts/page-title.tsx';
import { useView } from '../../kernel/client/view.ts';
import type { RowData } from '../../kernel/client/wire.ts';
import { fieldsOf, type Resource } from '../../kernel/contract/resource.ts';
import type { Page } from '../../kernel/contract/page.ts';
import {
  operationsReportOrder,
  propertyReportOrder,
} from '../work-order-reports/order-statistics/order-statistics.contract.ts';
import { openOperationsOrders, openPropertyOrders, type OpenOrders } from './open-orders.contract.ts';

/** The orders of one figure; what was asked stands as tags above them and in the address. */
function Orders({
  page,
  resource,
  family,
}: {
  readonly page: Page;
  readonly resource: Resource;
  readonly family: string;
}) {
  const text = useText();
  const view = useView();
  const language = useLanguageStore((state) => state.language);
  const asked = Object.fromEntries(view.query);
  const orders = useQuery({
    queryKey: [page.name, asked],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<OpenOrders>('GET', `/api/jinmao/web/workOrderReport/${family}/rows`, {
        query: asked,
        signal,
        quiet: true,
      }),
  });
  const set = (values: Readonly<Record<string, string | undefined>>) => {
    const query = new URLSearchParams(view.query);
    for (const [name, value] of Object.entries(values))
      if (value === undefined) query.delete(name);
      else query.set(name, value);
    view.setQuery(query);
  };
  const detail = view.pathOf('cs_orderDetail');
  const fields = fieldsOf(resource);
  const sorted = asked.sort ?? '-createdAt';
  const { data } = orders;
  return (
    <div className="k-screen">
      <PageTitle title={page.title} purpose={page.purpose} />
      {orders.isError ? (
        <ErrorPanel error={orders.error} onRetry={() => void orders.refetch()} />
      ) : !data ? (
        <Skeleton active paragraph={{ rows: 10 }} />
      ) : data.nowhere ? (
        <Empty description={text(['没有可查看的项目', 'No project to show'])} />
      ) : (
        <>
          <p>
            {data.filter.map((one) => (
              <Tag
                key={one.name}
                closable={!one.fixed}
                onClose={(event) => {
                  event.preventDefault();
                  set({ [one.name]: undefined, page: undefined });
                }}
              >
                {one.text}
              </Tag>
            ))}
            <b>{text([`${thousands(data.total)} 条`, `${thousands(data.total)} orders`])}</b>
          </p>
          <Table<RowData>
            size="small"
            rowKey="id"
            loading={orders.isFetching}
            dataSource={data.rows as unknown as RowData[]}
            scroll={{ x: 2200 }}
            locale={{ emptyText: text(['该时段没有工单', 'No orders in this period']) }}
            pagination={{
              current: Number(asked.page ?? 1),
              pageSize: Number(asked.limit ?? 50),
              pageSizeOptions: [20, 50, 100, 200],
              total: data.total,
              showSizeChanger: true,
            }}
            onChange={(pages, _filters, sorter) => {
              const one = Array.isArray(sorter) ? sorter[0] : sorter;
              const sort =
                one?.field && one.order
                  ? `${one.order === 'descend' ? '-' : ''}${String(one.field)}`
                  : undefined;
              set({
                page: sort === asked.sort ? String(pages.current ?? 1) : undefined,
                limit: String(pages.pageSize ?? 50),
                sort,
              });
            }}
            columns={columnsOf(resource, asked.timeKind).map((name) => {
              const field = name === 'state' ? undefined : fields[name]!;
              return {
                key: name,
                dataIndex: name,
                title: text(field ? field.label : ['状态', 'State']),
                width: field?.width ?? 100,
                ellipsis: true,
                ...(field?.sortable && {
                  sorter: true,
                  sortOrder:
                    sorted === name
                      ? ('ascend' as const)
                      : sorted === `-${name}`
                        ? ('descend' as const)
                        : null,
                }),
                ...(name === 'code' && { fixed: 'left' as const }),
                render: (_: unknown, row: RowData) =>
                  name === 'code' && detail ? (
                    <button
                      type="button"
                      className="k-link"
                      onClick={() => view.open(`${detail}?id=${row.id}&objType=1`)}
                    >
                      {String(row.code)}
                    </button>
                  ) : (
                    cellValue(name, fields[name] ?? stateField(resource), row, { language, canReveal: false })
                  ),
              };
            })}
          />
        </>
      )}
    </div>
  );
}

/** Columns of minutes counted the other way stay out where one way is asked for. */
function columnsOf(resource: Resource, kind: string | undefined): readonly string[] {
  const others =
    kind === 'business'
      ? ['responseUsed', 'solveUsed']
      : kind === 'clock'
        ? ['responseBusiness', 'solveBusiness']
        : [];
  return resource.list.columns.filter((name) => !others.includes(name));
}

const stateField = (resource: Resource) => ({
  kind: 'choice' as const,
  label: ['状态', 'State'] as const,
  choices: resource.states!,
});

const pageOf = (page: Page, resource: Resource, family: string) => ({
  contract: page,
  component: () => <Orders page={page} resource={resource} family={family} />,
});

/** 物业工单统计明细. */
export const property = pageOf(openPropertyOrders, propertyReportOrder, 'property');
/** 运营工单统计明细. */
export const operations = pageOf(openOperationsOrders, operationsReportOrder, 'operations');
