import { useEffect, useRef, type KeyboardEvent } from 'react';
import { useText } from '../../../../kernel/client/language.ts';
import { useEscape } from '../../../../kernel/client/parts/use-escape.ts';
import type { Label } from '../../../../kernel/contract/label.ts';
import { pathsToClose } from './strip.rules.ts';
import { closeTabs, pinTab, refreshTab, restoreTab } from './tab-actions.ts';
import { useTabs } from './tabs-store.ts';

interface Entry {
  readonly label: Label;
  readonly run: () => void;
  readonly disabled?: boolean;
}

/** Right-click menu of a tab, at the pointer; arrow keys move, Esc closes and gives the focus back. */
export function TabMenu(props: {
  readonly path: string;
  readonly x: number;
  readonly y: number;
  readonly onClose: () => void;
}) {
  const text = useText();
  const { path, onClose } = props;
  const strip = useTabs();
  const menu = useRef<HTMLDivElement>(null);
  const tab = strip.tabs.find((one) => one.path === path);
  useEscape(true, onClose);
  const none = (kind: Parameters<typeof pathsToClose>[1]) => pathsToClose(strip, kind, path).length === 0;
  const isPinned = tab?.pinned === true;
  const entries: readonly (Entry | 'line')[] = [
    { label: ['关闭', 'Close'], run: () => void closeTabs('this', path), disabled: isPinned },
    {
      label: ['关闭其他', 'Close others'],
      run: () => void closeTabs('others', path),
      disabled: none('others'),
    },
    { label: ['关闭全部', 'Close all'], run: () => void closeTabs('all', path) },
    'line',
    { label: ['刷新', 'Refresh'], run: () => void refreshTab(path) },
    { label: isPinned ? ['取消固定', 'Unpin'] : ['固定', 'Pin'], run: () => pinTab(path) },
    { label: ['关闭左侧', 'Close left'], run: () => void closeTabs('left', path), disabled: none('left') },
    { label: ['关闭右侧', 'Close right'], run: () => void closeTabs('right', path), disabled: none('right') },
    { label: ['恢复关闭的标签', 'Restore closed tab'], run: restoreTab, disabled: strip.closed.length === 0 },
  ];
  useEffect(() => {
    const before = document.activeElement;
    const element = menu.current;
    if (element) {
      const box = element.getBoundingClientRect();
      element.style.left = `${Math.max(4, Math.min(props.x, window.innerWidth - box.width - 4))}px`;
      element.style.top = `${Math.max(4, Math.min(props.y, window.innerHeight - box.height - 4))}px`;
      element.querySelector<HTMLElement>('[role=menuitem]:not(:disabled)')?.focus();
    }
    const onOutside = (event: Event) => {
      if (!element?.contains(event.target as Node)) onClose();
    };
    document.addEventListener('pointerdown', onOutside, true);
    window.addEventListener('blur', onClose);
    return () => {
      document.removeEventListener('pointerdown', onOutside, true);
      window.removeEventListener('blur', onClose);
      // The focused entry is gone by now; an entry that opened something else has moved the focus itself.
      const isLost = document.activeElement === document.body || element?.contains(document.activeElement);
      if (isLost && before instanceof HTMLElement && before.isConnected)
        before.focus({ preventScroll: true });
    };
    // Placed once where it was opened.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: items.length - 1,
    };
    const next = moves[event.key];
    if (next !== undefined) {
      event.preventDefault();
      items[(next + items.length) % items.length]?.focus();
    } else if (event.key === 'Tab') {
      event.preventDefault();
      event.stopPropagation();
      onClose();
    }
  };
  return (
    <div
      ref={menu}
      className="tab-menu"
      role="menu"
      aria-label={text(['标签操作', 'Tab actions'])}
      onKeyDown={onKeyDown}
    >
      {entries.map((entry, index) =>
        entry === 'line' ? (
          <hr key={index} />
        ) : (
          <button
            key={index}
            type="button"
            role="menuitem"
            tabIndex={-1}
            disabled={entry.disabled}
            onClick={() => {
              onClose();
              entry.run();
            }}
          >
            {text(entry.label)}
          </button>
        ),
      )}
    </div>
  );
}
