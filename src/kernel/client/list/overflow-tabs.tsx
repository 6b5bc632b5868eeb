import { useEffect, useRef, useState } from 'react';
import { useText } from '../language.ts';
import { Icon } from '../parts/icon.tsx';
import { MenuButton } from '../parts/menu-button.tsx';
import { TabList, type TabEntry } from '../parts/tab-list.tsx';
import { words } from '../texts.ts';

/**
 * Tabs on one line, whatever their counts are. Those that do not fit can be scrolled to, and stand under 更多, so that
 * nobody has to guess that there are more; the chosen one is always in view.
 */
export function OverflowTabs(props: {
  readonly tabs: readonly TabEntry[];
  readonly active: string | undefined;
  readonly onChange: (key: string) => void;
  readonly label: string;
  readonly panel: string;
}) {
  const text = useText();
  const host = useRef<HTMLDivElement>(null);
  const [hidden, setHidden] = useState<readonly number[]>([]);
  const keys = props.tabs.map((tab) => tab.key).join();
  useEffect(() => {
    const list = host.current!.querySelector<HTMLElement>('[role=tablist]')!;
    const look = () => {
      const found = hiddenTabs(list);
      setHidden((before) => (before.join() === found.join() ? before : found));
    };
    // Counts arrive later and make tabs wider.
    const observer = new ResizeObserver(look);
    observer.observe(list);
    for (const tab of list.children) observer.observe(tab);
    list.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      list.removeEventListener('scroll', look);
    };
  }, [keys]);
  const overflows = hidden.length > 0;
  useEffect(() => {
    // Asking for it makes the browser lay the page out, also each time a tab of the frame is shown again.
    if (!overflows) return;
    host.current
      ?.querySelector('[aria-selected=true]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [props.active, overflows]);
  return (
    <div
      className={[
        'k-tabs-line',
        hidden.includes(0) && 'k-more-before',
        hidden.includes(props.tabs.length - 1) && 'k-more-behind',
      ]
        .filter(Boolean)
        .join(' ')}
      ref={host}
    >
      <TabList {...props} />
      {overflows && (
        <MenuButton
          className="k-link k-tabs-more"
          align="end"
          label={`${text(words.moreActions)}: ${props.label}`}
          entries={hidden.flatMap((index) => {
            const tab = props.tabs[index];
            if (!tab) return [];
            return [
              {
                key: tab.key,
                label: (
                  <>
                    {tab.label}
                    {tab.extra}
                  </>
                ),
                run: () => props.onChange(tab.key),
              },
            ];
          })}
        >
          {text(words.moreActions)}
          <Icon name="down" className="k-caret" />
        </MenuButton>
      )}
    </div>
  );
}

/** Places of the tabs that are not wholly in view. */
function hiddenTabs(list: HTMLElement): number[] {
  if (list.scrollWidth <= list.clientWidth + 1) return [];
  const frame = list.getBoundingClientRect();
  return [...list.children].flatMap((tab, index) => {
    const place = tab.getBoundingClientRect();
    return place.left < frame.left - 1 || place.right > frame.right + 1 ? [index] : [];
  });
}
