import {
  Fragment,
  memo,
  useEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type ReactNode,
  type RefObject,
} from 'react';
import { useText } from '../language.ts';
import { words } from '../texts.ts';
import type { RowData } from '../wire.ts';
import { HeaderCell } from './header-cell.tsx';
import type { TableColumn } from './table-columns.tsx';

const CHECK_WIDTH = 40;
const EXPAND_WIDTH = 36;

/** Check boxes of a table. */
export interface GridSelection {
  readonly has: (id: string) => boolean;
  readonly size: number;
  readonly toggle: (rows: readonly RowData[], on: boolean) => void;
  readonly label: (row: RowData) => string;
}

/** What the bare table is given. */
export interface DataGridProps {
  readonly className: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly RowData[];
  readonly busy: boolean;
  readonly sticky: boolean;
  /** Name of the sorted column, `-` in front for descending. Not part of the columns: a new order draws no row anew. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly onResize?: ((name: string, width: number) => void) | undefined;
  readonly flashing: (row: RowData) => boolean;
  readonly selection: GridSelection | undefined;
  readonly expandedRow?: ((row: RowData) => ReactNode) | undefined;
  readonly empty: ReactNode;
  /** Cells of a last row of sums. */
  readonly foot?: ((column: TableColumn, index: number) => ReactNode) | undefined;
}

/**
 * The table of a list: native cells only, a header that sticks to the top of the page, pinned columns, and a scroll
 * bar of its own that sticks above the pager. Header and body are two tables, tied together by their roles.
 */
export function DataGrid(props: DataGridProps) {
  const { columns, rows, selection } = props;
  const host = useRef<HTMLDivElement>(null);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(() => new Set());
  useSideScroll(host);
  const lead = (selection ? CHECK_WIDTH : 0) + (props.expandedRow ? EXPAND_WIDTH : 0);
  const shapes = useMemo(() => shapesOf(columns, lead), [columns, lead]);
  const width = columns.reduce((sum, column) => sum + column.width, lead);
  const cols = (
    <colgroup>
      {selection && <col style={{ width: CHECK_WIDTH }} />}
      {props.expandedRow && <col style={{ width: EXPAND_WIDTH }} />}
      {columns.map((column) => (
        <col key={column.key} style={{ width: column.width }} />
      ))}
    </colgroup>
  );
  const toggleExpanded = (id: string) => {
    const next = new Set(expanded);
    if (!next.delete(id)) next.add(id);
    setExpanded(next);
  };
  return (
    <div ref={host} className={`k-grid ${props.className}`} role="table" aria-busy={props.busy}>
      <div className={props.sticky ? 'k-grid-head k-grid-sticky' : 'k-grid-head'}>
        <table role="presentation" style={{ minWidth: width }}>
          {cols}
          <thead role="rowgroup">
            <tr role="row">
              {selection && (
                <th role="columnheader" className="k-check-cell k-pin" style={{ left: 0 }}>
                  <CheckAll rows={rows} selection={selection} />
                </th>
              )}
              {props.expandedRow && (
                <th
                  role="columnheader"
                  className="k-check-cell k-pin"
                  style={{ left: selection ? CHECK_WIDTH : 0 }}
                >
                  <Hidden />
                </th>
              )}
              {columns.map((column, index) => (
                <HeaderCell
                  key={column.key}
                  column={column}
                  order={orderOf(props.sort, column)}
                  style={shapes[index]!.style}
                  className={shapes[index]!.className}
                  onSort={props.onSort}
                  onResize={props.onResize}
                />
              ))}
            </tr>
          </thead>
        </table>
      </div>
      <div className="k-grid-body">
        <table role="presentation" style={{ minWidth: width }}>
          {cols}
          <tbody role="rowgroup">
            {rows.map((row) => (
              <Fragment key={row.id}>
                <GridRow
                  row={row}
                  columns={columns}
                  shapes={shapes}
                  flashes={props.flashing(row)}
                  selected={selection?.has(row.id) === true}
                  toggle={selection?.toggle}
                  label={selection?.label}
                  expanded={expanded.has(row.id)}
                  onExpand={props.expandedRow && toggleExpanded}
                  expandLeft={selection ? CHECK_WIDTH : 0}
                />
                {props.expandedRow && expanded.has(row.id) && (
                  <tr role="row" className="k-expanded-row">
                    <td role="cell" colSpan={columns.length + (selection ? 2 : 1)}>
                      {props.expandedRow(row)}
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
          {props.foot && (
            <tfoot role="rowgroup">
              <tr role="row" className="k-sums">
                {columns.map((column, index) => (
                  <td
                    key={column.key}
                    role="cell"
                    className={shapes[index]!.className || undefined}
                    style={shapes[index]!.style}
                  >
                    {props.foot!(column, index)}
                  </td>
                ))}
              </tr>
            </tfoot>
          )}
        </table>
      </div>
      {rows.length === 0 && props.empty && (
        <div role="row">
          <div role="cell">{props.empty}</div>
        </div>
      )}
      <div className="k-grid-bar" aria-hidden="true" tabIndex={-1}>
        <i style={{ width }} />
      </div>
    </div>
  );
}

function orderOf(sort: string, column: TableColumn): 'ascending' | 'descending' | undefined {
  if (sort.replace(/^-/, '') !== column.key) return undefined;
  return sort.startsWith('-') ? 'descending' : 'ascending';
}

interface CellShape {
  readonly className: string;
  readonly style: CSSProperties | undefined;
}

/** Place and class of each column's cells, the same in header and body. */
function shapesOf(columns: readonly TableColumn[], lead: number): readonly CellShape[] {
  let left = lead;
  const lastPinned = columns.findLastIndex((column) => column.pin === 'left');
  return columns.map((column, index): CellShape => {
    if (column.pin === 'right')
      return { className: `${column.className} k-pin k-pin-right`, style: { right: 0 } };
    if (column.pin !== 'left') return { className: column.className, style: undefined };
    const style = { left };
    left += column.width;
    return {
      className: `${column.className} k-pin${index === lastPinned ? ' k-pin-last' : ''}`,
      style,
    };
  });
}

/** One row. Drawn anew only when it changed itself: a selection, a flash or a shown tab touches no other row. */
const GridRow = memo(function GridRow(props: {
  readonly row: RowData;
  readonly columns: readonly TableColumn[];
  readonly shapes: readonly CellShape[];
  readonly flashes: boolean;
  readonly selected: boolean;
  readonly toggle: GridSelection['toggle'] | undefined;
  readonly label: GridSelection['label'] | undefined;
  readonly expanded: boolean;
  readonly onExpand: ((id: string) => void) | undefined;
  readonly expandLeft: number;
}) {
  const text = useText();
  const { row, columns, shapes, selected } = props;
  return (
    <tr
      role="row"
      tabIndex={-1}
      data-row-key={row.id}
      className={props.flashes ? 'k-flash' : undefined}
      {...(props.toggle ? { 'aria-selected': selected } : {})}
    >
      {props.toggle && (
        <td role="cell" className="k-check-cell k-pin" style={{ left: 0 }}>
          <input
            type="checkbox"
            className="k-check"
            checked={selected}
            aria-label={props.label?.(row)}
            onChange={(event) => props.toggle!([row], event.target.checked)}
          />
        </td>
      )}
      {props.onExpand && (
        <td role="cell" className="k-check-cell k-pin" style={{ left: props.expandLeft }}>
          <button
            type="button"
            className="k-eye"
            aria-expanded={props.expanded}
            aria-label={text(props.expanded ? words.less : words.more)}
            onClick={() => props.onExpand!(row.id)}
          >
            {props.expanded ? '−' : '+'}
          </button>
        </td>
      )}
      {columns.map((column, index) => {
        const shape = shapes[index]!;
        const shown = column.cell(row);
        return (
          <td
            key={column.key}
            role="cell"
            className={shape.className || undefined}
            style={shape.style}
            title={typeof shown === 'string' ? shown : undefined}
          >
            {shown}
          </td>
        );
      })}
    </tr>
  );
});

function CheckAll({
  rows,
  selection,
}: {
  readonly rows: readonly RowData[];
  readonly selection: GridSelection;
}) {
  const text = useText();
  const chosen = rows.filter((row) => selection.has(row.id)).length;
  const all = rows.length > 0 && chosen === rows.length;
  return (
    <input
      type="checkbox"
      className="k-check"
      checked={all}
      disabled={rows.length === 0}
      aria-label={text(words.selectAll)}
      ref={(box) => {
        if (box) box.indeterminate = chosen > 0 && !all;
      }}
      onChange={(event) => selection.toggle(rows, event.target.checked)}
    />
  );
}

function Hidden() {
  const text = useText();
  return <span className="k-hidden">{text(words.more)}</span>;
}

/** Moves header, body and scroll bar together and marks on which sides something is hidden. No drawing by React. */
function useSideScroll(host: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const grid = host.current!;
    const [head, body, bar] = ['head', 'body', 'bar'].map((part) =>
      grid.querySelector<HTMLElement>(`:scope > .k-grid-${part}`)!,
    ) as [HTMLElement, HTMLElement, HTMLElement];
    const mark = () => {
      grid.toggleAttribute('data-left', body.scrollLeft > 0);
      grid.toggleAttribute('data-right', body.scrollLeft + body.clientWidth < body.scrollWidth - 1);
    };
    const follow = (from: HTMLElement) => () => {
      const { scrollLeft } = from;
      for (const part of [head, body, bar]) if (part.scrollLeft !== scrollLeft) part.scrollLeft = scrollLeft;
      mark();
    };
    const listeners = [head, body, bar].map((part) => [part, follow(part)] as const);
    for (const [part, listen] of listeners) part.addEventListener('scroll', listen, { passive: true });
    // Reports at once, after the layout of the frame: nothing is measured in between.
    const observer = new ResizeObserver(mark);
    observer.observe(body);
    observer.observe(body.firstElementChild!);
    return () => {
      observer.disconnect();
      for (const [part, listen] of listeners) part.removeEventListener('scroll', listen);
    };
  }, [host]);
}
