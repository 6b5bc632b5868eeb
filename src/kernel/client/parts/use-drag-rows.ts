import type { PointerEvent, RefObject } from 'react';
import { useLatest } from './use-latest.ts';

/** Where something is dropped beside or in what it is dropped on. */
export type DropPlace = 'before' | 'after' | 'inside';

/** What dragging among rows needs to know. */
export interface DragRowsOptions {
  /** What holds the rows, or a selector that finds it from the handle. */
  readonly host: RefObject<HTMLElement | null> | string;
  /** Finds what can be dragged; the id of each stands in `data-row-key`. */
  readonly rows: string;
  /** Rows take others in. */
  readonly nests?: boolean;
  readonly allows?: (from: string, to: string, place: DropPlace) => boolean;
  readonly onDrop: (from: string, to: string, place: DropPlace) => void;
}

const START = 4;
const EDGE = 48;

/**
 * Dragging of rows by pointer: with mouse, pen and finger alike. Where it would land is marked on the row itself
 * (`data-drop`), without drawing anything anew; Esc lets go. Answers the handler for `onPointerDown` of a handle.
 */
export function useDragRows(
  options: DragRowsOptions,
): (event: PointerEvent<HTMLElement>, id: string) => void {
  return useLatest({
    start: (event: PointerEvent<HTMLElement>, id: string) => {
      if (event.button === 0) drag(event, id, options);
    },
  }).start;
}

function drag(event: PointerEvent<HTMLElement>, id: string, options: DragRowsOptions): void {
  const handle = event.currentTarget;
  const host =
    typeof options.host === 'string' ? handle.closest<HTMLElement>(options.host) : options.host.current;
  if (!host) return;
  const from = { x: event.clientX, y: event.clientY };
  const scroller = scrollerOf(host);
  let isDragging = false;
  let target: { readonly element: HTMLElement; readonly id: string; readonly place: DropPlace } | undefined;
  let pointer = from.y;
  let scrolling: ReturnType<typeof setInterval> | undefined;

  const unmark = () => target?.element.removeAttribute('data-drop');
  const rowsNow = () => [...host.querySelectorAll<HTMLElement>(options.rows)];
  const own = () => rowsNow().find((row) => row.dataset.rowKey === id);
  const look = () => {
    unmark();
    target = placeAt(rowsNow(), pointer, id, options);
    target?.element.setAttribute('data-drop', target.place);
  };
  const move = (now: globalThis.PointerEvent) => {
    pointer = now.clientY;
    if (!isDragging) {
      if (Math.abs(now.clientY - from.y) < START && Math.abs(now.clientX - from.x) < START) return;
      isDragging = true;
      handle.setPointerCapture(now.pointerId);
      own()?.setAttribute('data-dragged', '');
      host.setAttribute('data-dragging', '');
      scrolling = setInterval(() => {
        const box = scroller.getBoundingClientRect();
        const step = pointer < box.top + EDGE ? -10 : pointer > box.bottom - EDGE ? 10 : 0;
        if (step === 0) return;
        scroller.scrollBy({ top: step });
        look();
      }, 16);
    }
    now.preventDefault();
    look();
  };
  const end = (drop: boolean) => {
    clearInterval(scrolling);
    unmark();
    own()?.removeAttribute('data-dragged');
    host.removeAttribute('data-dragging');
    for (const [name, listen] of listeners) window.removeEventListener(name, listen as EventListener, true);
    if (!isDragging) return;
    // The click that ends it chooses nothing.
    window.addEventListener('click', stop, { capture: true, once: true });
    setTimeout(() => window.removeEventListener('click', stop, { capture: true }), 50);
    if (drop && target) options.onDrop(id, target.id, target.place);
  };
  const listeners = [
    ['pointermove', move],
    ['pointerup', () => end(true)],
    ['pointercancel', () => end(false)],
    [
      'keydown',
      (key: KeyboardEvent) => {
        if (key.key !== 'Escape') return;
        key.preventDefault();
        key.stopPropagation();
        end(false);
      },
    ],
  ] as const;
  for (const [name, listen] of listeners) window.addEventListener(name, listen as EventListener, true);
}

function stop(event: Event): void {
  event.stopPropagation();
  event.preventDefault();
}

function placeAt(rows: readonly HTMLElement[], y: number, id: string, options: DragRowsOptions) {
  const element = rows.find((row) => y < row.getBoundingClientRect().bottom) ?? rows.at(-1);
  const over = element?.dataset.rowKey;
  if (!element || over === undefined || over === id) return undefined;
  const box = element.getBoundingClientRect();
  const part = (y - box.top) / box.height;
  const place: DropPlace = options.nests
    ? part < 0.28
      ? 'before'
      : part > 0.72
        ? 'after'
        : 'inside'
    : part < 0.5
      ? 'before'
      : 'after';
  return options.allows?.(id, over, place) === false ? undefined : { element, id: over, place };
}

function scrollerOf(element: HTMLElement): Element {
  for (let one: HTMLElement | null = element; one; one = one.parentElement)
    if (one.scrollHeight > one.clientHeight && /auto|scroll/.test(getComputedStyle(one).overflowY))
      return one;
  return document.documentElement;
}
