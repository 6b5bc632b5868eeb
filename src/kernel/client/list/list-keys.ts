import { useEffect, useEffectEvent, type RefObject } from 'react';
import { usePreference } from '../preference.ts';

/** What the keys of a list do. Absent ones do nothing. */
export interface ListKeys {
  readonly add?: (() => void) | undefined;
  readonly open: (id: string) => void;
  readonly edit: (id: string) => void;
  readonly select: (id: string) => void;
  readonly refresh: () => void;
}

/** True while the staff types or composes, so that single keys must stay silent. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  if (event.isComposing || event.keyCode === 229) return true;
  return !!target?.closest?.(
    'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true], [role=combobox], [role=menu], [role=listbox], [role=tree]',
  );
}

/**
 * Keyboard of a list: `/` keyword, `n` add, `j`/`k` rows, `x` select, Enter open, `e` edit, `r` refresh.
 * Rows take the real focus, so a screen reader follows. Off while `enabled` is false (hidden tab, open layer).
 */
export function useListKeys(root: RefObject<HTMLElement | null>, keys: ListKeys, enabled: boolean): void {
  const [single] = usePreference<boolean>('shortcuts.single_key');
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event)) return;
    const host = root.current;
    if (!host) return;
    const rows = Array.from(host.querySelectorAll<HTMLElement>('tr[data-row-key]'));
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const id = at < 0 ? undefined : rows[at]!.dataset.rowKey;
    const act = actionOf(event, host, rows, at, id, keys);
    if (!act) return;
    event.preventDefault();
    act();
  });
  useEffect(() => {
    if (!enabled || single === false) return;
    const listen = (event: KeyboardEvent) => pressed(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [enabled, single]);
}

function actionOf(
  event: KeyboardEvent,
  host: HTMLElement,
  rows: readonly HTMLElement[],
  at: number,
  id: string | undefined,
  keys: ListKeys,
): (() => void) | undefined {
  const focusRow = (index: number) => () => {
    rows[index]?.focus({ preventScroll: true });
    rows[index]?.scrollIntoView({ block: 'nearest' });
  };
  switch (event.key) {
    case '/':
      return () => host.querySelector<HTMLInputElement>('input[data-keyword], .k-search input')?.focus();
    case 'n':
      return keys.add;
    case 'j':
      return focusRow(Math.min(rows.length - 1, at + 1));
    case 'k':
      return focusRow(Math.max(0, at - 1));
    case 'r':
      return keys.refresh;
    case 'x':
      return id === undefined ? undefined : () => keys.select(id);
    case 'e':
      return id === undefined ? undefined : () => keys.edit(id);
    case 'Enter':
      // On a link or button inside the row Enter keeps its own meaning.
      return id !== undefined && (event.target as HTMLElement).matches('tr')
        ? () => keys.open(id)
        : undefined;
    default:
      return undefined;
  }
}
