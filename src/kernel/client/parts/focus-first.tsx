import { useEffect, useRef } from 'react';

/**
 * Ready to type: the library puts the focus on the cross or the panel, from where the first input is two steps away.
 * Stands inside of a dialog or drawer and gives its first input the focus, unless something in it has it already.
 */
export function FocusFirst() {
  const mark = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const timer = setTimeout(() => {
      const body = mark.current?.closest('.ant-modal-body, .ant-drawer-body');
      const active = document.activeElement;
      // The page, a panel around the form, or the cross: nothing somebody chose.
      if (!body || (active !== document.body && !active?.contains(body) && !active?.matches(CROSS))) return;
      body.querySelector<HTMLElement>(INPUT)?.focus({ preventScroll: true });
    }, 60);
    return () => clearTimeout(timer);
  }, []);
  return <span ref={mark} hidden />;
}

const CROSS = '.ant-modal-close, .ant-drawer-close';
// Calendars open when they get the focus.
const INPUT =
  ':is(input:not([type=file], [type=hidden], [type=checkbox]), textarea):not(:disabled, [readonly], .ant-picker input)';
