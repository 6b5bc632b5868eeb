import { useEffect, useEffectEvent, useMemo } from 'react';
import { Button, Skeleton } from 'antd';
import { LeftOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView, ViewContext, type View } from '../../../kernel/client/view.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';

interface Head {
  readonly id: string;
  readonly name: string;
  readonly staffNo: string;
  readonly department: string | null;
  readonly balance: number;
}

/** The records of the one staff the route names: the default list, fixed to that staff. The server goes by the number. */
export function StaffRecords({
  resource,
  slots,
}: {
  readonly resource: Resource;
  readonly slots: ScreenSlots;
}) {
  const text = useText();
  const view = useView();
  const number = view.params.nameCode ?? '';
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: ['resource', resource.name, 'head', number],
    queryFn: ({ signal }) =>
      call<Head>('GET', `/api/admin/overtime/staff/${encodeURIComponent(number)}`, { signal, quiet: true }),
  });
  const nameTab = useEffectEvent((name: string) => view.setTitle(name));
  useEffect(() => {
    if (data) nameTab(data.name);
  }, [data]);
  const fixed = useMemo(() => (data ? fixedTo(view, data.id) : undefined), [view, data]);
  const list = view.pathOf('workOvertimeManager');
  if (isPending)
    return (
      <div className="k-screen">
        <Skeleton active paragraph={{ rows: 8 }} />
      </div>
    );
  if (isError)
    return (
      <div className="k-screen">
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      </div>
    );
  return (
    <ViewContext value={fixed}>
      <div className="staff-records-head">
        {list && (
          <Button
            type="text"
            icon={<LeftOutlined />}
            aria-label={text(['返回', 'Back'])}
            onClick={() => view.open(list)}
          />
        )}
        <strong>{data.name}</strong>{' '}
        <span className="k-quiet">
          {data.staffNo}
          {data.department ? ` · ${data.department}` : ''} ·{' '}
          {text([`结余 ${data.balance.toFixed(1)} 小时`, `Balance ${data.balance.toFixed(1)} h`])}
        </span>
      </div>
      <ScreenOf contract={resource} slots={slots} />
    </ViewContext>
  );
}

/** A resource for the records of one staff: without the columns and filters that would say the same in every row. */
export function ofOneStaff(resource: Resource, title: Label): Resource {
  const without = (names: readonly string[] | undefined) =>
    (names ?? []).filter((name) => name !== 'staff' && name !== 'department');
  return {
    ...resource,
    title,
    list: {
      ...resource.list,
      columns: without(resource.list.columns),
      filters: without(resource.list.filters),
    },
  };
}

/** The view with the staff filter always in the query the list reads and never in the address. */
function fixedTo(view: View, staffId: string): View {
  const query = new URLSearchParams(view.query);
  query.set('staff', staffId);
  return {
    ...view,
    query,
    params: {},
    menu: view.menu,
    setQuery: (next) => {
      const rest = new URLSearchParams(next);
      rest.delete('staff');
      view.setQuery(rest);
    },
    setTitle: (suffix) => view.setTitle(suffix),
    setDirty: (dirty) => view.setDirty(dirty),
    open: (path) => view.open(path),
    close: () => view.close(),
    pathOf: (menu) => view.pathOf(menu),
  };
}
