import { Suspense, useContext, useState } from 'react';
import { Button } from 'antd';
import { exportElementOf, type ResourceSpec } from '../../contract/resource.ts';
import { OWN_ACTIONS, pageActions } from '../action/actions.rules.ts';
import { useAction } from '../action/use-action.tsx';
import { useText } from '../language.ts';
import { useHeld } from '../parts/held.ts';
import { lazyPart } from '../parts/lazy-part.tsx';
import { useModePath } from '../parts/use-mode-path.ts';
import type { ScreenSlots } from '../slots.ts';
import { ViewContext } from '../view.ts';
import type { RowData } from '../wire.ts';
import { defaultColumns, mergeColumns, type ColumnChoice } from './columns.rules.ts';
import { isFiltered, type ListState } from './list-state.rules.ts';
import { ExportButton } from './export-button.tsx';
import { EmptyState } from './list-states.tsx';
import { useLocalListStore } from './list-store.ts';
import { ListPager } from './list-pager.tsx';
import { ListTable } from './list-table.tsx';
import { useRowOrder } from './use-row-order.ts';
import { SearchBar } from './search-bar.tsx';
import { useListData } from './use-list-data.ts';
import '../kernel.css';

const DetailDrawer = lazyPart(() =>
  import('../detail/detail-drawer.tsx').then((module) => module.DetailDrawer),
);

/**
 * The table of a resource on its own, for parts of a detail and pages: own state, fixed filters, row actions.
 * `columns` picks and orders fields; `search` adds the search bar; `onOpen` makes the first column a link.
 */
export function ResourceTable(props: {
  readonly resource: ResourceSpec;
  /** Wire texts by filter name that the staff cannot change. */
  readonly filters?: Readonly<Record<string, string>>;
  readonly columns?: readonly string[];
  readonly limit?: number;
  readonly search?: boolean;
  readonly actions?: boolean;
  readonly slots?: ScreenSlots;
  readonly onOpen?: (row: RowData) => void;
  /** Actions of the page, such as adding a row, above the table. */
  readonly page?: boolean;
  /** The first column opens the detail of a row, where the contract has one. */
  readonly opens?: boolean;
  /** Told after every success of an action. */
  readonly onDone?: () => void;
}) {
  const { resource } = props;
  const store = useLocalListStore(resource, props.filters, props.limit ?? 10);
  const data = useListData(resource, store.state);
  const [columns, setColumns] = useState<readonly ColumnChoice[]>(() =>
    props.columns
      ? props.columns.map((name) => ({ name }))
      : mergeColumns(resource, defaultColumns(resource)).columns,
  );
  const text = useText();
  const held = useHeld(resource);
  const view = useContext(ViewContext);
  const pathOfMode = useModePath(resource);
  const [detail, setDetail] = useState<string>();
  const open = (id: string) => {
    const path = pathOfMode('detail', id);
    if (path) view?.open(path);
    else setDetail(id);
  };
  const action = useAction(resource, {
    ...(props.slots ? { slots: props.slots } : {}),
    onDone: (name) => {
      if (name === 'remove') setDetail(undefined);
      props.onDone?.();
    },
    ...(props.opens && resource.detail ? { onOpen: open } : {}),
  });
  const order = useRowOrder(resource, store, data);
  const runRow = (name: string, row: RowData) => {
    if (name === OWN_ACTIONS.up || name === OWN_ACTIONS.down)
      order?.step(row.id, name === OWN_ACTIONS.up ? -1 : 1);
    else action.run(name, row);
  };
  const page = props.page ? pageActions(resource, held) : [];
  const exports = resource.list.export === true && held(exportElementOf(resource));
  const create = page.find(({ name }) => name === 'create');
  const opens = props.opens && resource.detail ? (row: RowData) => open(row.id) : undefined;
  const reset = () => store.update({ filters: {}, keyword: '' });
  return (
    <div className="k-part">
      {props.page && (page.length > 0 || exports) && (
        <div className="k-part-actions">
          {page.map(({ name, spec }) => (
            <Button key={name} size="small" danger={spec.tone === 'danger'} onClick={() => action.run(name)}>
              {text(spec.label)}
            </Button>
          ))}
          <ExportButton resource={resource} state={store.state} small />
        </div>
      )}
      {props.search && (
        <SearchBar
          resource={resource}
          store={store}
          elsewhere={Object.keys(props.filters ?? {})}
          onSearch={data.refresh}
          onReset={reset}
        />
      )}
      <ListTable
        resource={resource}
        store={store}
        data={data}
        columns={columns}
        density="compact"
        setColumns={setColumns}
        open={props.onOpen ?? opens}
        run={props.actions === false ? undefined : runRow}
        extra={
          props.actions === false ? undefined : order ? [...action.extra, ...order.actions] : action.extra
        }
        order={props.actions === false ? undefined : order}
        cells={props.slots?.cells}
        expandedRow={props.slots?.expandedRow}
        empty={
          <EmptyState
            title={resource.noun ?? resource.title}
            words={resource.list.empty}
            filtered={props.search === true && isNarrowed(store.state, props.filters)}
            onReset={reset}
            create={create && { label: create.spec.label, run: () => action.run('create') }}
          />
        }
      />
      <ListPager store={store} data={data} compact />
      <Suspense>
        {detail !== undefined && (
          <DetailDrawer
            resource={resource}
            slots={props.slots ?? NO_SLOTS}
            id={detail}
            siblings={data.rows.map((row) => row.id)}
            action={action}
            onMove={setDetail}
            onClose={() => setDetail(undefined)}
          />
        )}
      </Suspense>
      {action.element}
    </div>
  );
}

const NO_SLOTS: ScreenSlots = {};

/** Fixed filters are no choice of the staff. */
function isNarrowed(state: ListState, fixed: Readonly<Record<string, string>> = {}): boolean {
  return isFiltered(state, Object.keys(fixed));
}
