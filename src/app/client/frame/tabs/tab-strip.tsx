import './tab-strip.css';
import {
  memo,
  useEffect,
  useRef,
  useState,
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
} from 'react';
import { createPortal } from 'react-dom';
import { useText } from '../../../../kernel/client/language.ts';
import { useLatest } from '../../../../kernel/client/parts/use-latest.ts';
import { fill } from '../../../../kernel/contract/label.ts';
import { beforePaint } from '../before-paint.ts';
import { useTitleOf } from '../routes/titles.ts';
import { move, type Tab } from './strip.rules.ts';
import { closeTabs, selectTab } from './tab-actions.ts';
import { TabMenu } from './tab-menu.tsx';
import { useTabs } from './tabs-store.ts';

const MARGIN = 15;

/** Tabs of the visited paths: arrow keys, middle click, wheel, drag and a right-click menu. */
export const TabStrip = memo(function TabStrip() {
  const text = useText();
  const tabs = useTabs((state) => state.tabs);
  const active = useTabs((state) => state.active);
  const strip = useRef<HTMLDivElement>(null);
  const [menu, setMenu] = useState<{ readonly path: string; readonly x: number; readonly y: number }>();
  const [dragged, setDragged] = useState<string>();
  useKeepInView(strip, active);
  useWheel(strip);
  const focusable = active ?? tabs[0]?.path;

  const onKeyDown = (event: KeyboardEvent<HTMLElement>, tab: Tab) => {
    const at = tabs.indexOf(tab);
    const moves: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: tabs.length - 1,
    };
    const next = moves[event.key];
    if (next !== undefined) {
      event.preventDefault();
      const path = tabs[(next + tabs.length) % tabs.length]!.path;
      strip.current?.querySelector<HTMLElement>(`[data-tab="${CSS.escape(path)}"]`)?.focus();
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      selectTab(tab.path);
    } else if (event.key === 'Delete' && !tab.pinned) {
      void closeTabs('this', tab.path);
    } else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      event.preventDefault();
      const box = event.currentTarget.getBoundingClientRect();
      setMenu({ path: tab.path, x: box.left, y: box.bottom });
    }
  };
  const onMenu = (event: MouseEvent, tab: Tab) => {
    event.preventDefault();
    setMenu({ path: tab.path, x: event.clientX, y: event.clientY });
  };
  const onDragOver = (event: DragEvent, tab: Tab) => {
    if (!dragged || dragged === tab.path) return;
    event.preventDefault();
    useTabs.setState(move(useTabs.getState(), dragged, tab.path));
  };
  // The same functions for good: of thirty tabs only the two that changed are drawn again.
  const stable = useLatest({ onKeyDown, onMenu, onDrag: setDragged, onDragOver });
  return (
    <section className="tab-strip" aria-label={text(['已打开的页面', 'Open pages'])}>
      <div ref={strip} className="tab-list" role="tablist" aria-label={text(['标签页', 'Tabs'])}>
        {tabs.map((tab) => (
          <TabItem
            key={tab.path}
            tab={tab}
            isActive={tab.path === active}
            isFocusable={tab.path === focusable}
            isDragged={tab.path === dragged}
            {...stable}
          />
        ))}
      </div>
      {/* Beside the page, not in it: above the dialogs of the screens. */}
      {menu && createPortal(<TabMenu {...menu} onClose={() => setMenu(undefined)} />, document.body)}
    </section>
  );
});

const TabItem = memo(function TabItem(props: {
  readonly tab: Tab;
  readonly isActive: boolean;
  readonly isFocusable: boolean;
  readonly isDragged: boolean;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>, tab: Tab) => void;
  readonly onMenu: (event: MouseEvent, tab: Tab) => void;
  readonly onDrag: (path: string | undefined) => void;
  readonly onDragOver: (event: DragEvent, tab: Tab) => void;
}) {
  const text = useText();
  const titleOf = useTitleOf();
  const { tab, isActive } = props;
  const title = [text(titleOf(tab.path)), tab.suffix].filter(Boolean).join(' ');
  return (
    <div
      role="tab"
      className="tab"
      data-tab={tab.path}
      data-dragged={props.isDragged}
      data-pinned={tab.pinned}
      aria-selected={isActive}
      aria-controls="content"
      aria-label={tab.dirty ? text(fill(['{title}（未保存）', '{title} (not saved)'], { title })) : title}
      tabIndex={props.isFocusable ? 0 : -1}
      title={title}
      draggable
      onClick={() => selectTab(tab.path)}
      onAuxClick={(event) => {
        if (event.button === 1 && !tab.pinned) void closeTabs('this', tab.path);
      }}
      onMouseDown={(event) => {
        // The middle button would start the browser's own scrolling.
        if (event.button === 1) event.preventDefault();
      }}
      onKeyDown={(event) => props.onKeyDown(event, tab)}
      onContextMenu={(event) => props.onMenu(event, tab)}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        props.onDrag(tab.path);
      }}
      onDragOver={(event) => props.onDragOver(event, tab)}
      onDragEnd={() => props.onDrag(undefined)}
    >
      {tab.dirty && <i className="tab-dot" aria-hidden="true" />}
      {tab.pinned && <i className="tab-pin" aria-hidden="true" />}
      <span className="tab-title">{title}</span>
      {!tab.pinned && (
        <span
          className="tab-close"
          aria-hidden="true"
          title={text(['关闭', 'Close'])}
          onClick={(event) => {
            event.stopPropagation();
            void closeTabs('this', tab.path);
          }}
        >
          ×
        </span>
      )}
    </div>
  );
});

function useKeepInView(strip: { readonly current: HTMLElement | null }, active: string | undefined): void {
  // Titles grow when a record is loaded: that moves the tabs behind them too.
  const titles = useTabs((state) => state.tabs.map((tab) => tab.path + tab.suffix).join('\n'));
  useEffect(
    () =>
      beforePaint(() => {
        const list = strip.current;
        const tab = active && list?.querySelector<HTMLElement>(`[data-tab="${CSS.escape(active)}"]`);
        if (!list || !tab) return;
        const [start, end] = [tab.offsetLeft - MARGIN, tab.offsetLeft + tab.offsetWidth + MARGIN];
        if (start < list.scrollLeft) list.scrollLeft = start;
        else if (end > list.scrollLeft + list.clientWidth) list.scrollLeft = end - list.clientWidth;
      }),
    [strip, active, titles],
  );
}

function useWheel(strip: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const list = strip.current;
    // React's wheel listeners are passive and could not keep the page from scrolling.
    const onWheel = (event: WheelEvent) => {
      if (!list || list.scrollWidth <= list.clientWidth || event.deltaY === 0) return;
      event.preventDefault();
      list.scrollLeft += event.deltaY;
    };
    list?.addEventListener('wheel', onWheel, { passive: false });
    return () => list?.removeEventListener('wheel', onWheel);
  }, [strip]);
}
