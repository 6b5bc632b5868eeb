import { useEffect } from 'react';
import { useDownloads } from '../../../../kernel/client/downloads.ts';
import { useLock } from '../../session/lock-state.ts';
import { refreshExportTasks, stopExportPolling } from './export-tasks.ts';

/** Asks once after a reload; from then on the flag and unlocking start the polling. */
export function useDownloadPolling(): void {
  useEffect(() => {
    void refreshExportTasks(true);
    const stopFlag = useDownloads.subscribe((state, before) => {
      if (state.started !== before.started) void refreshExportTasks();
    });
    const stopLock = useLock.subscribe((state, before) => {
      if (state.locked) stopExportPolling();
      else if (before.locked) void refreshExportTasks(true);
    });
    return () => {
      stopFlag();
      stopLock();
      stopExportPolling();
    };
  }, []);
}
