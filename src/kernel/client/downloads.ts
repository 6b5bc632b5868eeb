import { create } from 'zustand';

interface DownloadState {
  /** Global downloading flag: 1 opens the popover and starts polling. Source: specification section 4. */
  readonly flag: 0 | 1;
  readonly open: boolean;
  /** Grows with every export or import that was started. */
  readonly started: number;
}

/** State of the download centre. The frame polls and draws it; screens only call `openDownloadCentre`. */
export const useDownloads = create<DownloadState>(() => ({ flag: 0, open: false, started: 0 }));

/** Opens the download centre and starts polling; called after an export or import was started. */
export function openDownloadCentre(): void {
  useDownloads.setState((state) => ({ flag: 1, open: true, started: state.started + 1 }));
}
