import { lazy, Suspense } from 'react';
import type { Report } from '../contract/report.ts';
import type { Resource } from '../contract/resource.ts';
import type { Settings } from '../contract/settings.ts';
import { TableSkeleton } from './list/list-states.tsx';
import { ResourceScreen } from './list/resource-screen.tsx';
import type { ScreenSlots } from './slots.ts';
import { useView } from './view.ts';
import './kernel.css';

const DetailPage = lazy(() =>
  import('./detail/detail-page.tsx').then((module) => ({ default: module.DetailPage })),
);
const ReportScreen = lazy(() =>
  import('./report/report-screen.tsx').then((module) => ({ default: module.ReportScreen })),
);
const SettingsScreen = lazy(() =>
  import('./settings/settings-screen.tsx').then((module) => ({ default: module.SettingsScreen })),
);

const NO_SLOTS: ScreenSlots = {};

/**
 * The default screen of a contract: list of a resource (its detail page when the route has an `:id`), report, or
 * settings. `slots` put a screen's own pieces in; whoever needs more composes the pieces of this folder.
 */
export function ScreenOf({
  contract,
  slots = NO_SLOTS,
}: {
  readonly contract: Resource | Report | Settings;
  readonly slots?: ScreenSlots;
}) {
  const view = useView();
  const id = view.params.id;
  switch (contract.archetype) {
    case 'resource':
      return id === undefined ? (
        <ResourceScreen resource={contract} slots={slots} />
      ) : (
        <Suspense fallback={<ScreenWaits />}>
          <DetailPage resource={contract} slots={slots} id={id} />
        </Suspense>
      );
    case 'report':
      return (
        <Suspense fallback={<ScreenWaits />}>
          <ReportScreen report={contract} slots={slots} />
        </Suspense>
      );
    case 'settings':
      return (
        <Suspense fallback={<ScreenWaits />}>
          <SettingsScreen settings={contract} slots={slots} />
        </Suspense>
      );
  }
}

/** The shape of a screen while the code that draws it loads. */
export function ScreenWaits() {
  return (
    <div className="k-screen">
      <TableSkeleton />
    </div>
  );
}
