import { useEffect } from 'react';
import { useTabs } from './tabs/tabs-store.ts';

/** Lets the browser ask before the window is closed while a tab holds unsaved input. */
export function useBeforeUnload(): void {
  useEffect(() => {
    const onBeforeUnload = (event: BeforeUnloadEvent) => {
      if (useTabs.getState().tabs.some((tab) => tab.dirty) && !isLeavingOnPurpose()) event.preventDefault();
    };
    window.addEventListener('beforeunload', onBeforeUnload);
    return () => window.removeEventListener('beforeunload', onBeforeUnload);
  }, []);
}

let leaving = false;

/** Reloads or leaves without the browser's question: the session ended or the staff was asked already. */
export function leaveOnPurpose(leave: () => void): void {
  leaving = true;
  leave();
}

function isLeavingOnPurpose(): boolean {
  // A forced sign-out clears the cookie before it reloads.
  return leaving || !document.cookie.includes('Authorization=Bearer');
}
