import { useEffect, useEffectEvent, useRef } from 'react';
import { ask } from '../feedback.ts';
import { formWords } from '../texts.ts';
import { useView } from '../view.ts';

/** Asks whether unsaved input may be left. Open questions disappear when the tab is hidden. Answers true to leave. */
export function useLeaveQuestion(): () => Promise<boolean> {
  const open = useRef<AbortController>(undefined);
  useEffect(() => () => open.current?.abort(), []);
  return () => {
    open.current = new AbortController();
    return ask({
      title: formWords.unsavedTitle,
      text: formWords.unsavedText,
      confirm: formWords.leave,
      cancel: formWords.stay,
      danger: true,
      signal: open.current.signal,
    });
  };
}

/**
 * The way out of a dialog with inputs of its own. `leave` asks first where something was typed, as every form does; `forget`
 * is for what was typed and is saved. Until one of them the tab counts as unsaved, also while another tab is shown.
 */
export function useLeave(
  isTyped: boolean,
  close: () => void,
): {
  readonly leave: () => void;
  readonly forget: () => void;
} {
  const view = useView();
  const mayLeave = useLeaveQuestion();
  const marked = useRef(false);
  const mark = (on: boolean) => {
    if (marked.current === on) return;
    marked.current = on;
    view.setDirty(on);
  };
  const follow = useEffectEvent(mark);
  useEffect(() => follow(isTyped), [isTyped]);
  const out = async () => {
    if (isTyped && !(await mayLeave())) return;
    mark(false);
    close();
  };
  return {
    leave: () => void out(),
    forget: () => mark(false),
  };
}
