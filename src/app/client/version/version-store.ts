import { create } from 'zustand';

interface VersionState {
  /** The new-version banner is shown. */
  readonly banner: boolean;
  /** Time before which it is not shown again. */
  readonly quietUntil: number;
}

const LATER_MS = 30 * 60_000;

/** Whether the new-version banner is shown. */
export const useVersion = create<VersionState>(() => ({ banner: false, quietUntil: 0 }));

/** Shows the banner unless the staff asked for later. */
export function offerReload(): void {
  if (Date.now() >= useVersion.getState().quietUntil) useVersion.setState({ banner: true });
}

/** Hides the banner for 30 minutes. */
export function remindLater(): void {
  useVersion.setState({ banner: false, quietUntil: Date.now() + LATER_MS });
}
