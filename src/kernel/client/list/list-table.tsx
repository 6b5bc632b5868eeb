import { useMemo, type ReactNode } from 'react';
import type { ResourceSpec } from '../../contract/resource.ts';
import { afterPaint } from '../parts/after-paint.ts';
import type { NamedAction } from '../action/actions.rules.ts';
import { fill } from '../../contract/label.ts';
import { useLanguageStore, useText } from '../language.ts';
import { ErrorPanel } from '../parts/error-panel.tsx';
import { useHeld } from '../parts/held.ts';
import { useDragRows } from '../parts/use-drag-rows.ts';
import { useLatest } from '../parts/use-latest.ts';
import { useNarrow } from '../parts/use-narrow.ts';
import { treeWords, words } from '../texts.ts';
import { rowTitle } from '../value-text.rules.ts';
import type { RowData } from '../wire.ts';
import { planColumns, type ColumnChoice } from './columns.rules.ts';
import { DataGrid } from './data-grid.tsx';
import { useFlashing } from './flash.ts';
import { TableSkeleton } from './list-states.tsx';
import type { ListStore } from './list-store.ts';
import { actionColumnWidth, tableColumns } from './table-columns.tsx';
import type { ListData } from './use-list-data.ts';
import type { Density } from './use-columns.ts';
import type { RowOrder } from './use-row-order.ts';

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
  /** Row actions beside those the server names. Kept by whoever gives them: a new array draws every row anew. */
  readonly extra?: readonly NamedAction[] | undefined;
  /** Rows can be put in another order: adds a column of handles. */
  readonly order?: RowOrder | undefined;
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
  const { data } = props;
  const text = useText();
  if (data.error !== undefined && data.rows.length === 0)
    return <ErrorPanel error={data.error} onRetry={data.refresh} note={text(words.loadFailedKept)} />;
  if (data.first)
    return (
      <TableSkeleton
        rows={Math.min(props.store.state.limit, 12)}
        columns={Math.min(props.columns.length, 8)}
        compact={props.density === 'compact'}
      />
    );
  return <FilledTable {...props} />;
}

function FilledTable(props: ListTableProps) {
  const { resource, data, store, selection, cells, extra } = props;
  const language = useLanguageStore((state) => state.language);
  const text = useText();
  const held = useHeld(resource);
  const flashing = useFlashing();
  const canReveal = held('btn_reveal');
  const narrow = useNarrow();
  // Closures of the screen change with every drawing; rows and columns must not.
  const latest = useLatest({
    open: props.open,
    run: props.run,
    resize: (name: string, width: number) =>
      props.setColumns(props.columns.map((column) => (column.name === name ? { ...column, width } : column))),
    toggle: (rows: readonly RowData[], on: boolean) => {
      const next = new Map(selection);
      for (const row of rows) {
        if (on) next.set(row.id, row);
        else next.delete(row.id);
      }
      props.setSelection?.(next);
    },
    label: (row: RowData) => text(fill(words.selectRow, { title: rowTitle(resource, row, language) })),
  });
  const startDrag = useDragRows({
    host: '.k-grid-body',
    rows: 'tr[data-row-key]',
    onDrop: (from, to, where) => props.order?.drop(from, to, where === 'after'),
  });
  const handle = useLatest({
    drag: startDrag,
    step: (id: string, step: -1 | 1) => {
      props.order?.step(id, step);
      requestAnimationFrame(() =>
        document.querySelector<HTMLElement>(`.k-grid-body tr[data-row-key="${id}"] .k-handle`)?.focus(),
      );
    },
    label: (row: RowData) => text(fill(treeWords.orderOf, { title: rowTitle(resource, row, language) })),
  });
  const ordered = props.order !== undefined;
  const opens = props.open !== undefined;
  const runs = props.run !== undefined;
  const plans = useMemo(() => planColumns(resource, props.columns), [resource, props.columns]);
  // Rows whose actions take the same room keep the columns, and with them every row that did not change.
  const width = useMemo(
    () => actionColumnWidth(resource, data.rows, narrow, language, extra),
    [resource, data.rows, narrow, language, extra],
  );
  const columns = useMemo(
    () =>
      tableColumns(plans, {
        handle: ordered ? handle : undefined,
        resource,
        actionsWidth: width,
        language,
        canReveal,
        cells,
        narrow,
        open: opens ? latest.open : undefined,
        run: runs ? latest.run : undefined,
        extra,
      }),
    [plans, resource, width, language, canReveal, cells, narrow, opens, runs, latest, extra, ordered, handle],
  );
  return (
    <DataGrid
      className={`k-${props.density}${data.stale ? ' k-stale' : ''}`}
      columns={columns}
      rows={data.rows}
      busy={data.loading}
      sticky={props.sticky === true}
      sort={store.state.sort}
      onSort={(sort) => afterPaint(() => store.update({ sort }))}
      onResize={latest.resize}
      flashing={(row) => flashing[`${resource.name}/${row.id}`] === true}
      selection={
        selection &&
        props.setSelection && {
          has: (id) => selection.has(id),
          size: selection.size,
          toggle: latest.toggle,
          label: latest.label,
        }
      }
      expandedRow={props.expandedRow}
      empty={props.empty}
    />
  );
}
