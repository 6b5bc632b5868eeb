import { create } from 'zustand';
import { ApiError, call } from '../../../../kernel/client/api-client.ts';
import { tellFault } from '../../../../kernel/client/feedback.ts';
import { useDownloads } from '../../../../kernel/client/downloads.ts';
import { showAlert } from '../../notices/questions.ts';
import { backendText, isUnnamed } from '../../failures/failure.rules.ts';
import { showFailure } from '../../failures/install-failures.ts';
import { useLock } from '../../session/lock-state.ts';
import { isInProgress, type ExportTask } from './export-task.rules.ts';

interface ExportTaskState {
  /** Newest 20; undefined until they were loaded. */
  readonly tasks: readonly ExportTask[] | undefined;
  readonly loading: boolean;
}

/** Records of the download centre. */
export const useExportTasks = create<ExportTaskState>(() => ({ tasks: undefined, loading: false }));

const POLL_MS = 5000;
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Loads the records and polls every 5000 ms while one is in progress. None in progress, or any error: flag 0, polling
 * stops. Source: specification sections 4 and 8. A first look after a reload shows no error.
 */
export async function refreshExportTasks(isFirstLook = false): Promise<void> {
  clearTimeout(timer);
  if (useLock.getState().locked) return;
  useExportTasks.setState({ loading: true });
  const asked = performance.now();
  try {
    const tasks = await call<readonly ExportTask[]>('GET', '/api/jinmao/web/exportTask/list', {
      quiet: true,
    });
    useExportTasks.setState({ tasks, loading: false });
    if (tasks.some(isInProgress)) {
      useDownloads.setState({ flag: 1 });
      clearTimeout(timer);
      // From question to question, however long the answer took.
      const pause = Math.max(0, POLL_MS - (performance.now() - asked));
      timer = setTimeout(() => void refreshExportTasks(), pause);
    } else {
      useDownloads.setState({ flag: 0 });
    }
  } catch (error) {
    useExportTasks.setState({ loading: false });
    useDownloads.setState({ flag: 0 });
    if (!(error instanceof ApiError)) return tellFault(error);
    if (isFirstLook || useLock.getState().locked) return;
    if (isUnnamed(error)) void showAlert(error.message || backendText, ['提示', 'Notice']);
    else showFailure(error);
  }
}

/** Stops polling; unlocking and opening the centre start it again. */
export function stopExportPolling(): void {
  clearTimeout(timer);
}

/** Cancels or reruns a record. */
export async function changeExportTask(id: string, action: 'cancel' | 'rerun'): Promise<void> {
  await call('POST', `/api/jinmao/web/exportTask/${encodeURIComponent(id)}/${action}`);
  await refreshExportTasks();
}

/** Deletes a record and its file. */
export async function removeExportTask(id: string): Promise<void> {
  await call('DELETE', `/api/jinmao/web/exportTask/${encodeURIComponent(id)}`);
  await refreshExportTasks();
}
