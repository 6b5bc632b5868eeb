import { useEffect } from 'react';
import type { QueryObserverOptions } from '@tanstack/react-query';
import { useLanguageStore } from '../../../kernel/client/language.ts';
import { prepareEncryption } from '../session/encrypt-password.ts';
import { useConnection } from '../session/connection.ts';
import { queryClient } from './query-client.ts';
import { useBeforeUnload } from './use-before-unload.ts';
import { useIdleLock } from './use-idle-lock.ts';
import { usePauseWhileLocked } from './use-pause-while-locked.ts';
import { useDownloadPolling } from './downloads/use-download-polling.ts';
import { useShortcuts } from './shortcuts/use-shortcuts.ts';
import { useStaffPreferences } from './use-staff-preferences.ts';
import { useVersionWatch } from './banners/use-version-watch.ts';

/** What goes on in the frame whichever screen is shown. */
export function FrameServices() {
  useStaffPreferences();
  useDownloadPolling();
  useShortcuts();
  useIdleLock();
  usePauseWhileLocked();
  useVersionWatch();
  useBeforeUnload();
  usePreparedCover();
  useReturnOfServer();
  useWordsOfServer();
  return null;
}

const PREPARE_MS = 4000;

/** Fetches the code of lock screen and unlocking while the server has it: the screen also locks after a release or without network. */
function usePreparedCover(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      void import('../lock/lock-screen.tsx').catch(() => {});
      prepareEncryption();
    }, PREPARE_MS);
    return () => clearTimeout(timer);
  }, []);
}

/**
 * Words the server wrote (to-dos, timelines, names) follow the language: what is shown at once, hidden tabs when they
 * are shown again. What a form was opened with is never swapped.
 */
function useWordsOfServer(): void {
  useEffect(
    () =>
      useLanguageStore.subscribe((state, before) => {
        if (state.language === before.language) return;
        void queryClient.invalidateQueries({
          refetchType: 'active',
          predicate: ({ observers, options }) =>
            // A hidden tab observes nothing; what it asked for last says how long it wanted to keep it.
            (observers.length > 0
              ? observers.map((one) => one.options)
              : [options as QueryObserverOptions]
            ).every(({ staleTime }) => staleTime !== Infinity),
        });
      }),
    [],
  );
}

/** What could not be loaded while the server was gone is asked for again when it is back. */
function useReturnOfServer(): void {
  useEffect(
    () =>
      useConnection.subscribe((state, before) => {
        if (!before.lost || state.lost) return;
        void queryClient.refetchQueries({
          type: 'active',
          predicate: (query) => query.state.status === 'error',
        });
      }),
    [],
  );
}
