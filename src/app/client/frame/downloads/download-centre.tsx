import { lazy, Suspense } from 'react';
import { useDownloads } from '../../../../kernel/client/downloads.ts';
import { QuietBoundary } from '../../failures/quiet-boundary.tsx';
import { PopButton } from '../../../../kernel/client/parts/pop-button.tsx';
import { useText } from '../../../../kernel/client/language.ts';
import { fill } from '../../../../kernel/contract/label.ts';
import { BarIcon } from '../topbar/bar-icon.tsx';
import { isInProgress } from './export-task.rules.ts';
import { refreshExportTasks, useExportTasks } from './export-tasks.ts';

const DownloadPanel = lazy(() => import('./download-panel.tsx'));

/** Download centre of the top bar: 500 px wide, the icon shows how many are in progress. */
export function DownloadCentre() {
  const text = useText();
  const open = useDownloads((state) => state.open);
  const running = useExportTasks((state) => state.tasks?.filter(isInProgress).length ?? 0);
  const label =
    running > 0
      ? text(fill(['下载中心（{n} 个进行中）', 'Download centre ({n} in progress)'], { n: running }))
      : text(['下载中心', 'Download centre']);
  const onOpenChange = (next: boolean) => {
    useDownloads.setState({ open: next });
    if (next) void refreshExportTasks();
  };
  return (
    <PopButton
      open={open}
      onOpenChange={onOpenChange}
      className="bar-button"
      align="end"
      title={label}
      panelStyle={{ width: 500, maxWidth: '96vw' }}
      panel={
        <QuietBoundary where="downloads">
          <Suspense fallback={<div style={{ height: 160 }} />}>
            <DownloadPanel />
          </Suspense>
        </QuietBoundary>
      }
    >
      <BarIcon name="download" />
      <span className="visually-hidden">{label}</span>
      {running > 0 && (
        <span className="bar-badge info" aria-hidden="true">
          {running}
        </span>
      )}
    </PopButton>
  );
}
