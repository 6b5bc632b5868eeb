import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';
import { useText } from '../../../kernel/client/language.ts';
import { isTyping } from '../../../kernel/client/list/list-keys.ts';
import { usePreference } from '../../../kernel/client/preference.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { familyPost } from './post.contract.ts';

const OLDEST_FIRST = 'publishedAt';
/** Keys of the queue and the actions they are, which all screens of posts call alike. */
const KEYS: Readonly<Record<string, Label>> = {
  a: familyPost.actions!.pass!.label,
  r: familyPost.actions!.refuse!.label,
};

/**
 * What makes 待审 a queue: the oldest first, and a key for each of its two actions on the row or the open detail, where j and k
 * move already. Source: group 01, Content rules, Review.
 */
export function ReviewQueue() {
  const text = useText();
  const view = useView();
  const [single] = usePreference<boolean>('shortcuts.single_key');
  const waiting = view.query.get('tab') === 'waiting';
  useOldestFirst(waiting);
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    const label = KEYS[event.key];
    if (!label || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    if (shown('.ant-modal-wrap')) return;
    const place =
      shown('.ant-drawer-open .ant-drawer-header') ?? document.activeElement?.closest('tr[data-row-key]');
    const buttons = Array.from(place?.querySelectorAll('button') ?? []);
    const button = buttons.find((one) => one.textContent?.trim() === text(label));
    if (!button) return;
    // The list would read r as "refresh".
    event.preventDefault();
    button.click();
  });
  const listens = waiting && view.active && single !== false;
  useEffect(() => {
    if (!listens) return;
    const listen = (event: KeyboardEvent) => pressed(event);
    window.addEventListener('keydown', listen, { capture: true });
    return () => window.removeEventListener('keydown', listen, { capture: true });
  }, [listens]);
  if (!listens) return null;
  return (
    <p className="k-quiet">
      {text([
        '最早的在前。快捷键：j / k 上下，a 通过，r 不通过',
        'Oldest first. Keys: j / k next and previous, a pass, r refuse',
      ])}
    </p>
  );
}

/** The first element of a selector that can be seen: tabs that are left keep theirs. */
const shown = (selector: string): HTMLElement | undefined =>
  Array.from(document.querySelectorAll<HTMLElement>(selector)).find((one) => one.offsetWidth > 0);

/** Sorts the queue by age when it is opened, and leaves the other tabs as they were. */
function useOldestFirst(waiting: boolean): void {
  const view = useView();
  const sort = useEffectEvent((from: string | null, to: string | null) => {
    if (view.query.get('sort') !== from) return;
    const query = new URLSearchParams(view.query);
    if (to === null) query.delete('sort');
    else query.set('sort', to);
    view.setQuery(query);
  });
  const was = useRef(false);
  useLayoutEffect(() => {
    if (waiting === was.current) return;
    was.current = waiting;
    if (waiting) sort(null, OLDEST_FIRST);
    else sort(OLDEST_FIRST, null);
  }, [waiting]);
}
