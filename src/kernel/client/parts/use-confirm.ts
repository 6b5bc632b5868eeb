import { useEffect, useRef } from 'react';
import { ask } from '../feedback.ts';
import { formWords } from '../texts.ts';

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
