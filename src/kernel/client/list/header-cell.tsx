import { createContext, useContext, type PointerEvent, type ReactNode, type ThHTMLAttributes } from 'react';
import { COLUMN_LIMITS } from './columns.rules.ts';

const InHeader = createContext(false);

/** Shows its child in the real header only: antd repeats titles in a hidden measuring row where nothing may take the focus. */
export function HeaderOnly({ children }: { readonly children: ReactNode }) {
  return useContext(InHeader) ? children : '\u00a0';
}

/** A table header whose right edge can be dragged to change the column's width. */
export function HeaderCell({
  onResize,
  children,
  ...rest
}: Omit<ThHTMLAttributes<HTMLTableCellElement>, 'onResize'> & { onResize?: (width: number) => void }) {
  const start = (event: PointerEvent<HTMLSpanElement>) => {
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
        onResize?.(Math.min(COLUMN_LIMITS.max, Math.max(COLUMN_LIMITS.min, width)));
    };
    handle.addEventListener('pointerup', end);
  };
  return (
    <th {...rest}>
      <InHeader value={true}>{children}</InHeader>
      {onResize && (
        <span
          className="k-resize"
          aria-hidden="true"
          onPointerDown={start}
          onClick={(event) => event.stopPropagation()}
        />
      )}
    </th>
  );
}
