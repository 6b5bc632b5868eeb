import { Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import type { Settings } from '../../contract/settings.ts';
import { call } from '../api-client.ts';
import { ChangeList } from '../detail/change-list.tsx';
import { instantFull } from '../format.rules.ts';
import { useText } from '../language.ts';
import { AppDrawer } from '../parts/app-drawer.tsx';
import { ErrorPanel } from '../parts/error-panel.tsx';
import { settingsWords } from '../texts.ts';
import type { FieldChange } from '../wire.ts';

interface HistoryEntry {
  readonly id: string;
  readonly at: string;
  readonly who: string | null;
  readonly changes: readonly FieldChange[];
}

/** Who changed which setting when, with the value before and after. */
export function HistoryDrawer({
  settings,
  path,
  onClose,
}: {
  readonly settings: Settings;
  readonly path: string;
  readonly onClose: () => void;
}) {
  const text = useText();
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: ['settings', settings.name, 'history'],
    queryFn: ({ signal }) => call<readonly HistoryEntry[]>('GET', path, { signal, quiet: true }),
  });
  return (
    <AppDrawer
      open
      size={560}
      title={`${text(settings.title)} · ${text(settingsWords.history)}`}
      onClose={onClose}
    >
      {isPending ? (
        <Skeleton active />
      ) : isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : data.length === 0 ? (
        <p className="k-quiet">{text(settingsWords.noHistory)}</p>
      ) : (
        <ol className="k-timeline">
          {data.map((entry) => (
            <li key={entry.id}>
              <div className="k-timeline-head">
                <strong>{entry.who}</strong>
                <time className="k-quiet">{instantFull(entry.at)}</time>
              </div>
              <ChangeList fields={settings.fields} changes={entry.changes} />
            </li>
          ))}
        </ol>
      )}
    </AppDrawer>
  );
}
