import { useState } from 'react';
import { Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { fill } from '../../contract/label.ts';
import { fieldsOf, type ResourceSpec } from '../../contract/resource.ts';
import { call } from '../api-client.ts';
import { instantFull, timeAgo } from '../format.rules.ts';
import { useText } from '../language.ts';
import { ErrorPanel } from '../parts/error-panel.tsx';
import { actorLabel, words } from '../texts.ts';
import { useView } from '../view.ts';
import { keysOf, rootOf, type TimelineEntry } from '../wire.ts';
import { ChangeList } from './change-list.tsx';
import '../kernel.css';

/** What happened to a row, newest first, with every changed field before and after. */
export function Timeline({ resource, id }: { readonly resource: ResourceSpec; readonly id: string }) {
  const text = useText();
  const view = useView();
  const sealed = view.historyOf(resource.name, id);
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: keysOf.timeline(resource.name, id),
    queryFn: ({ signal }) =>
      call<readonly TimelineEntry[]>('GET', `${rootOf(resource)}/${encodeURIComponent(id)}/timeline`, {
        signal,
        quiet: true,
      }),
  });
  if (isPending) return <Skeleton active paragraph={{ rows: 4 }} title={false} />;
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return (
    <>
      {data.length === 0 ? (
        <p className="k-quiet">{text(words.noTimeline)}</p>
      ) : (
        <ol className="k-timeline">
          {data.map((entry) => (
            <Entry key={entry.id} resource={resource} entry={entry} />
          ))}
        </ol>
      )}
      {sealed && (
        <button type="button" className="k-link" onClick={() => view.open(sealed)}>
          {text(words.businessLog)}
        </button>
      )}
    </>
  );
}

function Entry({ resource, entry }: { readonly resource: ResourceSpec; readonly entry: TimelineEntry }) {
  const text = useText();
  const [open, setOpen] = useState(false);
  const changes = entry.changes ?? [];
  return (
    <li>
      <div className="k-timeline-head">
        <strong>{entry.label}</strong>
        {entry.to && entry.to !== entry.from && (
          <span className="k-quiet">
            {entry.from && <>{entry.from} → </>}
            {entry.to}
          </span>
        )}
      </div>
      <div className="k-quiet k-small">
        {entry.who && <span>{text(actorLabel(entry.who))} · </span>}
        <time title={instantFull(entry.at)}>{text(timeAgo(entry.at))}</time>
        {changes.length > 0 && (
          <button type="button" className="k-link" aria-expanded={open} onClick={() => setOpen(!open)}>
            {text(fill(words.changed, { n: changes.length }))}
          </button>
        )}
      </div>
      {entry.remark && <p className="k-remark">{entry.remark}</p>}
      {open && <ChangeList fields={fieldsOf(resource)} changes={changes} />}
    </li>
  );
}
