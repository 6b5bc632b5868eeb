import { useState } from 'react';
import { Button, Input, Skeleton, Space } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Settings } from '../../contract/settings.ts';
import { call, newIdempotencyKey } from '../api-client.ts';
import { message, tellFault } from '../feedback.ts';
import { ChangeList } from '../detail/change-list.tsx';
import { instantFull } from '../format.rules.ts';
import { useText } from '../language.ts';
import { AppDrawer } from '../parts/app-drawer.tsx';
import { ErrorPanel } from '../parts/error-panel.tsx';
import { useHeld } from '../parts/held.ts';
import { useSubmitGuard } from '../parts/use-guard.ts';
import { settingsWords, words } from '../texts.ts';
import type { FieldChange } from '../wire.ts';

interface HistoryEntry {
  readonly id: string;
  readonly at: string;
  readonly who: string | null;
  readonly reason?: string;
  readonly changes: readonly FieldChange[];
}

/** Who changed which setting when, with the value before and after. */
export function HistoryDrawer({
  settings,
  path,
  version,
  onRestored,
  onClose,
}: {
  readonly settings: Settings;
  readonly path: string;
  readonly version: number | undefined;
  readonly onRestored: () => void;
  readonly onClose: () => void;
}) {
  const text = useText();
  const held = useHeld(settings);
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
              {entry.reason && <p className="k-quiet">{`${text(settingsWords.reason)}: ${entry.reason}`}</p>}
              {settings.reasoned && version !== undefined && held('btn_restore') && (
                <Restore settings={settings} record={entry.id} version={version} onRestored={onRestored} />
              )}
            </li>
          ))}
        </ol>
      )}
    </AppDrawer>
  );
}

/** Sets the values of one record back to what they were before it, with a reason. */
function Restore({
  settings,
  record,
  version,
  onRestored,
}: {
  readonly settings: Settings;
  readonly record: string;
  readonly version: number;
  readonly onRestored: () => void;
}) {
  const text = useText();
  const client = useQueryClient();
  const guard = useSubmitGuard();
  const [reason, setReason] = useState<string>();
  if (reason === undefined)
    return (
      <button type="button" className="k-link" onClick={() => setReason('')}>
        {text(settingsWords.restore)}
      </button>
    );
  const restore = async () => {
    const next = await call('POST', `/api/jinmao/web/settings/${settings.name}/restore`, {
      body: { version, record, reason: reason.trim() },
      idempotencyKey: newIdempotencyKey(),
    });
    client.setQueryData(['settings', settings.name], next);
    void client.invalidateQueries({ queryKey: ['settings', settings.name, 'history'] });
    void message.success(text(words.saved), 2);
    onRestored();
  };
  return (
    <Space.Compact block>
      <Input
        autoFocus
        maxLength={200}
        value={reason}
        aria-label={text(settingsWords.reason)}
        placeholder={text(settingsWords.reason)}
        onChange={(event) => setReason(event.target.value)}
      />
      <Button
        danger
        loading={guard.busy}
        disabled={reason.trim().length < 2}
        onClick={() => void guard.run(() => restore().catch(tellFault))}
      >
        {text(settingsWords.restore)}
      </Button>
    </Space.Compact>
  );
}
