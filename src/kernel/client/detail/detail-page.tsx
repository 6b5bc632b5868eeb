import { useEffect, useEffectEvent } from 'react';
import { Button } from 'antd';
import { LeftOutlined } from '@ant-design/icons';
import type { ResourceSpec } from '../../contract/resource.ts';
import { useAction } from '../action/use-action.tsx';
import { useLanguageStore, useText } from '../language.ts';
import { ErrorPanel } from '../parts/error-panel.tsx';
import { useListPath } from '../parts/use-mode-path.ts';
import type { ScreenSlots } from '../slots.ts';
import { words } from '../texts.ts';
import { rowTitle } from '../value-text.rules.ts';
import { useView } from '../view.ts';
import { DetailActions, DetailBody, DetailTitle } from './detail-body.tsx';
import { useRow } from './use-row.ts';

/** The detail of a row as a page of its own, for resources with parts. */
export function DetailPage({
  resource,
  slots,
  id,
}: {
  readonly resource: ResourceSpec;
  readonly slots: ScreenSlots;
  readonly id: string;
}) {
  const text = useText();
  const view = useView();
  const language = useLanguageStore((state) => state.language);
  const { data: row, isError, error, refetch } = useRow(resource, id);
  const action = useAction(resource, { slots, onDone: (name) => name === 'remove' && view.close() });
  const title = row ? rowTitle(resource, row, language) : undefined;
  const list = useListPath(resource);
  const nameTab = useEffectEvent((suffix: string) => view.setTitle(suffix));
  useEffect(() => {
    if (title) nameTab(title);
  }, [title]);
  return (
    <div className="k-screen">
      <header className="k-title">
        {list && (
          <Button
            type="text"
            icon={<LeftOutlined />}
            aria-label={text(words.back)}
            title={text(resource.title)}
            onClick={() => view.open(list)}
          />
        )}
        <h1>{row ? <DetailTitle resource={resource} row={row} /> : text(resource.title)}</h1>
        <div className="k-title-actions">
          {row && <DetailActions resource={resource} row={row} action={action} />}
        </div>
      </header>
      {isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <DetailBody resource={resource} row={row} slots={slots} wide={window.innerWidth >= 1280} />
      )}
      {action.element}
    </div>
  );
}
