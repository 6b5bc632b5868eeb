import { useEffect, useRef, useState } from 'react';
import { draftKey, dropDraft, readDraft, sweepDrafts, writeDraft, type Draft } from './draft.ts';
import type { FormValues } from './form-values.rules.ts';

const DRAFT_DELAY_MS = 800;

/** The draft of one open form: what was found when it opened, and the keeping of what is typed now. */
export interface DraftKeeper {
  /** Found when the form opened and not yet taken or dropped. */
  readonly found: Draft | undefined;
  /** Keeps the values after a pause in typing; undefined when nothing is left to keep. */
  readonly keep: (values: FormValues | undefined, version: number | null, place?: Draft['place']) => void;
  /** Forgets what is kept: it was saved or is not wanted. */
  readonly forget: () => void;
  /** The found draft was taken. */
  readonly taken: () => void;
}

/** Keeps what is typed into a form in the browser and finds what was left there. `form` names it within the staff. */
export function useDraft(form: string): DraftKeeper {
  const [place] = useState(() => draftKey(form));
  const [found, setFound] = useState(() => readDraft(place));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const pending = useRef<() => void>(undefined);
  useEffect(() => {
    sweepDrafts();
    // Hiding the tab, closing it and leaving the page come sooner than the pause after a key.
    const keepNow = () => {
      clearTimeout(timer.current);
      pending.current?.();
      pending.current = undefined;
    };
    window.addEventListener('pagehide', keepNow);
    return () => {
      window.removeEventListener('pagehide', keepNow);
      keepNow();
    };
  }, []);
  return {
    found,
    keep: (values, version, where) => {
      clearTimeout(timer.current);
      const keep = () => {
        pending.current = undefined;
        if (values)
          writeDraft(place, { at: Date.now(), values, version, ...(where ? { place: where } : {}) });
        else dropDraft(place);
      };
      pending.current = keep;
      timer.current = setTimeout(keep, DRAFT_DELAY_MS);
    },
    forget: () => {
      clearTimeout(timer.current);
      pending.current = undefined;
      dropDraft(place);
      setFound(undefined);
    },
    taken: () => setFound(undefined),
  };
}
