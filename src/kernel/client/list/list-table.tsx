import { Table, type TableProps } from 'antd';
import type { ReactNode } from 'react';
import type { ResourceSpec } from '../../contract/resource.ts';
import { fill } from '../../contract/label.ts';
import { useLanguageStore, useText } from '../language.ts';
import { ErrorPanel } from '../parts/error-panel.tsx';
import { useHeld } from '../parts/held.ts';
import { words } from '../texts.ts';
import { rowTitle } from '../value-text.rules.ts';
import type { RowData } from '../wire.ts';
import { planColumns, type ColumnChoice } from './columns.rules.ts';
import { useFlashing } from './flash.ts';
import { HeaderCell, HeaderOnly } from './header-cell.tsx';
import { TableSkeleton } from './list-states.tsx';
import type { ListStore } from './list-store.ts';
import { tableColumns } from './table-columns.tsx';
import type { ListData } from './use-list-data.ts';
import type { Density } from './use-columns.ts';

/** The selected rows by id; they stay selected while pages are turned. */
export type Selection = ReadonlyMap<string, RowData>;

/** What the table of a list is given. */
export interface ListTableProps {
  readonly resource: ResourceSpec;
  readonly store: ListStore;
  readonly data: ListData;
  readonly columns: readonly ColumnChoice[];
  readonly density: Density;
  readonly setColumns: (columns: readonly ColumnChoice[]) => void;
  readonly open: ((row: RowData) => void) | undefined;
  readonly run: ((name: string, row: RowData) => void) | undefined;
  /** Absent: no check boxes. */
  readonly selection?: Selection | undefined;
  readonly setSelection?: (selection: Selection) => void;
  readonly empty: ReactNode;
  readonly cells?: Readonly<Record<string, (row: RowData) => ReactNode>> | undefined;
  readonly expandedRow?: ((row: RowData) => ReactNode) | undefined;
  /** Sticks the header to the top of the scroller. */
  readonly sticky?: boolean;
}

/** The table of a list in all its states: skeleton, error, empty, rows of the previous page while the next loads. */
export function ListTable(props: ListTableProps) {
  const { resource, data, store } = props;
  const language = useLanguageStore((state) => state.language);
  const text = useText();
  const held = useHeld(resource);
  const flashing = useFlashing();
  if (data.error !== undefined && data.rows.length === 0)
    return <ErrorPanel error={data.error} onRetry={data.refresh} note={text(words.loadFailedKept)} />;
  if (data.first)
    return (
      <TableSkeleton rows={Math.min(store.state.limit, 12)} columns={Math.min(props.columns.length, 8)} />
    );

  const plans = planColumns(resource, props.columns);
  const columns = tableColumns(plans, {
    resource,
    rows: data.rows,
    sort: store.state.sort,
    language,
    canReveal: held('btn_reveal'),
    cells: props.cells,
    open: props.open,
    run: props.run,
    resize: (name, width) =>
      props.setColumns(props.columns.map((column) => (column.name === name ? { ...column, width } : column))),
  });
  const width = columns.reduce((sum, column) => sum + (column.width as number), props.selection ? 40 : 0);
  return (
    <Table<RowData>
      className={`k-table k-${props.density}${data.stale ? ' k-stale' : ''}`}
      rowKey="id"
      size="small"
      columns={columns}
      dataSource={data.rows as RowData[]}
      pagination={false}
      components={HEADER}
      tableLayout="fixed"
      scroll={{ x: width }}
      sticky={props.sticky ? STICKY : false}
      showSorterTooltip={false}
      locale={{ emptyText: props.empty }}
      aria-busy={data.loading}
      rowClassName={(row) => (flashing[`${resource.name}/${row.id}`] ? 'k-flash' : '')}
      onRow={() => ({ tabIndex: -1 })}
      onChange={(_pages, _filters, sorter) => {
        const one = Array.isArray(sorter) ? sorter[0] : sorter;
        if (!one?.columnKey) return;
        store.update({ sort: `${one.order === 'ascend' ? '' : '-'}${String(one.columnKey)}` });
      }}
      {...selectionProps(props, (row) =>
        text(fill(words.selectRow, { title: rowTitle(resource, row, language) })),
      )}
      {...(props.expandedRow ? { expandable: { expandedRowRender: props.expandedRow } } : {})}
    />
  );
}

// The scroll bar sticks above the pager (45 px).
const STICKY = { offsetHeader: 0, offsetScroll: 45 };
const HEADER: NonNullable<TableProps<RowData>['components']> = { header: { cell: HeaderCell } };

function selectionProps(
  { selection, setSelection }: ListTableProps,
  label: (row: RowData) => string,
): Pick<TableProps<RowData>, 'rowSelection'> {
  if (!selection || !setSelection) return {};
  return {
    rowSelection: {
      columnWidth: 40,
      columnTitle: (checkbox) => <HeaderOnly>{checkbox}</HeaderOnly>,
      fixed: true,
      preserveSelectedRowKeys: true,
      selectedRowKeys: [...selection.keys()],
      getCheckboxProps: (row) => ({ 'aria-label': label(row) }),
      onChange: (keys, rows) => {
        const next = new Map<string, RowData>();
        keys.forEach((key, index) => {
          const row = rows[index] ?? selection.get(String(key));
          if (row) next.set(String(key), row);
        });
        setSelection(next);
      },
    },
  };
}
