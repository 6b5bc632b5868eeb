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
  return null;
}
