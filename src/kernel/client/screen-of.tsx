import { lazy, Suspense } from 'react';
import type { Report } from '../contract/report.ts';
import type { Resource } from '../contract/resource.ts';
import type { Settings } from '../contract/settings.ts';
import { TableSkeleton } from './list/list-states.tsx';
import { ResourceScreen } from './list/resource-screen.tsx';
import { useText } from './language.ts';
import { modeOf } from './modes.rules.ts';
import { PageTitle } from './parts/page-title.tsx';
import { useListPath } from './parts/use-mode-path.ts';
import type { ScreenSlots } from './slots.ts';
import { words } from './texts.ts';
import { useView } from './view.ts';
import './kernel.css';

const DetailPage = lazy(() =>
  import('./detail/detail-page.tsx').then((module) => ({ default: module.DetailPage })),
);
const FormPage = lazy(() => import('./form/form-page.tsx').then((module) => ({ default: module.FormPage })));
const ReportScreen = lazy(() =>
  import('./report/report-screen.tsx').then((module) => ({ default: module.ReportScreen })),
);
const SettingsScreen = lazy(() =>
  import('./settings/settings-screen.tsx').then((module) => ({ default: module.SettingsScreen })),
);

const NO_SLOTS: ScreenSlots = {};

/**
 * The default screen of a contract: list of a resource (its form or detail page on the routes of its `modes`, or when the
 * route has an `:id`), report, or settings. `slots` put a screen's own pieces in; whoever needs more composes the pieces of this folder.
 */
export function ScreenOf({
  contract,
  slots = NO_SLOTS,
}: {
  readonly contract: Resource | Report | Settings;
  readonly slots?: ScreenSlots;
}) {
  const view = useView();
  switch (contract.archetype) {
    case 'resource': {
      const mode = modeOf(contract, view);
      if (!mode) return <ResourceScreen resource={contract} slots={slots} />;
      return (
        <Suspense fallback={<ScreenWaits />}>
          {mode.kind === 'add' ? (
            <FormPage resource={contract} slots={slots} id={undefined} />
          ) : mode.id === undefined ? (
            <NoRow resource={contract} />
          ) : mode.kind === 'edit' ? (
            <FormPage key={mode.id} resource={contract} slots={slots} id={mode.id} />
          ) : (
            <DetailPage key={mode.id} resource={contract} slots={slots} id={mode.id} />
          )}
        </Suspense>
      );
    }
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

/** A route that edits or shows a row was opened without one: the list is where rows are chosen. */
function NoRow({ resource }: { readonly resource: Resource }) {
  const text = useText();
  const view = useView();
  const list = useListPath(resource);
  return (
    <div className="k-screen">
      <PageTitle title={resource.title} />
      <div className="k-state" role="alert">
        <strong>{text(words.noRowChosen)}</strong>
        {list && (
          <button type="button" className="k-button" onClick={() => view.open(list)}>
            {text(resource.title)}
          </button>
        )}
      </div>
    </div>
  );
}

/** The shape of a screen while the code that draws it loads. */
export function ScreenWaits() {
  return (
    <div className="k-screen">
      <TableSkeleton />
    </div>
  );
}
