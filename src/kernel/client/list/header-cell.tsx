import type { CSSProperties, PointerEvent } from 'react';
import { Icon } from '../parts/icon.tsx';
import { COLUMN_LIMITS } from './columns.rules.ts';
import type { TableColumn } from './table-columns.tsx';

/** A table header: sorts when it can, and its right edge can be dragged to change the column's width. */
export function HeaderCell({
  column,
  order,
  style,
  className,
  onSort,
  onResize,
}: {
  readonly column: TableColumn;
  readonly order: 'ascending' | 'descending' | undefined;
  readonly style: CSSProperties | undefined;
  readonly className: string;
  readonly onSort: (sort: string) => void;
  readonly onResize: ((name: string, width: number) => void) | undefined;
}) {
  const title = (
    <>
      <span className="k-head-title">{column.title}</span>
      {column.help && (
        <span title={column.help}>
          <Icon name="help" className="k-quiet" label={column.help} />
        </span>
      )}
    </>
  );
  return (
    <th
      role="columnheader"
      scope="col"
      className={className}
      style={style}
      data-column={column.key}
      title={column.title}
      {...(column.sortable ? { 'aria-sort': order ?? 'none' } : {})}
    >
      {column.sortable ? (
        <button
          type="button"
          className="k-sort"
          data-order={order}
          onClick={() => onSort(`${order === 'descending' ? '' : '-'}${column.key}`)}
        >
          {title}
          <svg viewBox="0 0 8 14" width="8" height="14" aria-hidden="true">
            <path className="k-sort-up" d="M0 6 4 1l4 5z" />
            <path className="k-sort-down" d="M0 8l4 5 4-5z" />
          </svg>
        </button>
      ) : (
        <span className="k-head">{title}</span>
      )}
      {column.resizable && onResize && (
        <span
          className="k-resize"
          aria-hidden="true"
          onPointerDown={(event) => startResize(event, (width) => onResize(column.key, width))}
        />
      )}
    </th>
  );
}

function startResize(event: PointerEvent<HTMLSpanElement>, onResize: (width: number) => void): void {
  event.preventDefault();
  event.stopPropagation();
  const handle = event.currentTarget;
  const from = event.clientX;
  const before = handle.parentElement!.getBoundingClientRect().width;
  handle.setPointerCapture(event.pointerId);
  handle.classList.add('k-resizing');
  const end = (up: globalThis.PointerEvent) => {
    handle.removeEventListener('pointerup', end);
    handle.classList.remove('k-resizing');
    const width = Math.round(before + up.clientX - from);
    if (Math.abs(up.clientX - from) > 2)
      onResize(Math.min(COLUMN_LIMITS.max, Math.max(COLUMN_LIMITS.min, width)));
  };
  handle.addEventListener('pointerup', end);
}
