import { create } from 'zustand';

interface LockState {
  /** The server refuses every call but unlock and logout; the cover is shown. */
  readonly locked: boolean;
}

/** Whether the screen is locked. */
export const useLock = create<LockState>(() => ({ locked: false }));
