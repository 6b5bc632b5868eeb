import { useState } from 'react';
import type { ResourceSpec } from '../../contract/resource.ts';
import { useAction } from '../action/use-action.tsx';
import type { ScreenSlots } from '../slots.ts';
import type { RowData } from '../wire.ts';
import { defaultColumns, mergeColumns, type ColumnChoice } from './columns.rules.ts';
import { isFiltered } from './list-state.rules.ts';
import { EmptyState } from './list-states.tsx';
import { useLocalListStore } from './list-store.ts';
import { ListPager } from './list-pager.tsx';
import { ListTable } from './list-table.tsx';
import { SearchBar } from './search-bar.tsx';
import { useListData } from './use-list-data.ts';
import '../kernel.css';

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
}) {
  const { resource } = props;
  const store = useLocalListStore(resource, props.filters, props.limit ?? 10);
  const data = useListData(resource, store.state);
  const [columns, setColumns] = useState<readonly ColumnChoice[]>(() =>
    props.columns
      ? props.columns.map((name) => ({ name }))
      : mergeColumns(resource, defaultColumns(resource)).columns,
  );
  const action = useAction(resource, props.slots ? { slots: props.slots } : {});
  const reset = () => store.update({ filters: {}, keyword: '' });
  return (
    <div className="k-part">
      {props.search && (
        <SearchBar resource={resource} store={store} onSearch={data.refresh} onReset={reset} />
      )}
      <ListTable
        resource={resource}
        store={store}
        data={data}
        columns={columns}
        density="compact"
        setColumns={setColumns}
        open={props.onOpen}
        run={props.actions === false ? undefined : (name, row) => action.run(name, row)}
        cells={props.slots?.cells}
        expandedRow={props.slots?.expandedRow}
        empty={
          <EmptyState
            title={resource.title}
            filtered={props.search === true && isFiltered(store.state)}
            onReset={reset}
          />
        }
      />
      <ListPager store={store} data={data} compact />
      {action.element}
    </div>
  );
}
