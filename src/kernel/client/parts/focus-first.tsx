import { useEffect, useRef } from 'react';

/**
 * Ready to type: the library puts the focus on the cross or the panel, from where the first input is two steps away.
 * Stands inside of a dialog or drawer and gives its first input the focus, unless something in it has it already.
 */
export function FocusFirst() {
  const mark = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    focusPanel(mark.current);
    let left = TRIES;
    let timer: ReturnType<typeof setTimeout>;
    const look = () => {
      const body = mark.current?.closest('.ant-modal-body, .ant-drawer-body');
      const active = document.activeElement;
      // Not before the library: the input would lose the focus again, and an empty one would complain at once.
      const isOurTurn = active !== null && active !== document.body && !!body && isAround(active, body);
      if (!isOurTurn && --left > 0) {
        timer = setTimeout(look, TRY_MS);
        return;
      }
      if (!body || (active !== document.body && !isOurTurn)) return;
      body.querySelector<HTMLElement>(INPUT)?.focus({ preventScroll: true });
    };
    timer = setTimeout(look, TRY_MS);
    return () => clearTimeout(timer);
  }, []);
  return <span ref={mark} hidden />;
}

/** Takes the focus into a drawer as it opens. The library's own way blurs an input that has it already. */
export function FocusPanel() {
  const mark = useRef<HTMLSpanElement>(null);
  useEffect(() => focusPanel(mark.current), []);
  return <span ref={mark} hidden />;
}

/** Before the library's focus trap looks for an input of its own choice. */
function focusPanel(inside: Element | null): void {
  const panel = inside?.closest<HTMLElement>(PANEL);
  if (!panel?.contains(document.activeElement)) panel?.focus({ preventScroll: true });
}

const TRY_MS = 30;
const TRIES = 30;

/** The panel around the form, or the cross: nothing somebody chose. */
function isAround(active: Element, body: Element): boolean {
  const panel = body.closest(PANEL);
  return (panel?.contains(active) && active.contains(body)) || active.matches(CROSS);
}

const PANEL = '.ant-modal, .ant-drawer';
const CROSS = '.ant-modal-close, .ant-drawer-close';
// Calendars open when they get the focus.
const INPUT =
  ':is(input:not([type=file], [type=hidden], [type=checkbox]), textarea):not(:disabled, [readonly], .ant-picker input)';
