import { useEffect, useRef } from 'react';
import { App } from 'antd';
import { useText } from '../language.ts';
import { formWords } from '../texts.ts';

/** Asks whether unsaved input may be left. Open questions disappear when the tab is hidden. Answers true to leave. */
export function useLeaveQuestion(): () => Promise<boolean> {
  const { modal } = App.useApp();
  const text = useText();
  const open = useRef<{ destroy: () => void } | undefined>(undefined);
  useEffect(() => () => open.current?.destroy(), []);
  return () =>
    new Promise((resolve) => {
      open.current = modal.confirm({
        title: text(formWords.unsavedTitle),
        content: text(formWords.unsavedText),
        okText: text(formWords.leave),
        cancelText: text(formWords.stay),
        autoFocusButton: 'cancel',
        transitionName: '',
        maskTransitionName: '',
        onOk: () => resolve(true),
        onCancel: () => resolve(false),
      });
    });
}
