import { useEffect, useEffectEvent, useRef } from 'react';
import { Button } from 'antd';
import { LeftOutlined, RightOutlined } from '@ant-design/icons';
import type { ResourceSpec } from '../../contract/resource.ts';
import type { ActionRunner } from '../action/use-action.tsx';
import { useText } from '../language.ts';
import { isTyping } from '../list/list-keys.ts';
import { AppDrawer } from '../parts/app-drawer.tsx';
import { ErrorPanel } from '../parts/error-panel.tsx';
import { isTopLayer } from '../parts/use-escape.ts';
import type { ScreenSlots } from '../slots.ts';
import { words } from '../texts.ts';
import { useView } from '../view.ts';
import { DetailActions, DetailBody, DetailTitle } from './detail-body.tsx';
import { useRow } from './use-row.ts';

/** Width in px from which the timeline stands beside the facts. */
const WIDE_WINDOW = 1280;

/** The detail of a row in a drawer over its list, with the rows before and after it one click away. */
export function DetailDrawer(props: {
  readonly resource: ResourceSpec;
  readonly slots: ScreenSlots;
  readonly id: string;
  readonly siblings: readonly string[];
  readonly action: ActionRunner;
  readonly onMove: (id: string) => void;
  readonly onClose: () => void;
}) {
  const { resource, id, siblings } = props;
  const text = useText();
  const view = useView();
  const { data: row, isError, error, refetch } = useRow(resource, id);
  const mark = useRef<HTMLSpanElement>(null);
  const at = siblings.indexOf(id);
  const previous = at > 0 ? siblings[at - 1] : undefined;
  const next = at >= 0 ? siblings[at + 1] : undefined;
  const wide = window.innerWidth >= WIDE_WINDOW;

  const pressed = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || props.action.open) return;
    // A row of a child list is open above this one.
    if (!isTopLayer(mark.current)) return;
    const target = event.key === 'j' ? next : event.key === 'k' ? previous : undefined;
    if (target) props.onMove(target);
    if (event.key === 'e' && row?.actions.includes('update')) {
      event.preventDefault();
      props.action.run('update', row);
    }
  });
  useEffect(() => {
    if (!view.active) return;
    const listen = (event: KeyboardEvent) => pressed(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [view.active]);

  return (
    <AppDrawer
      open
      size={wide ? 960 : 760}
      onClose={props.onClose}
      title={row ? <DetailTitle resource={resource} row={row} /> : text(resource.title)}
      extra={
        <span className="k-drawer-extra">
          {row && <DetailActions resource={resource} row={row} action={props.action} />}
          {siblings.length > 1 && at >= 0 && (
            <span className="k-steps">
              <Button
                type="text"
                icon={<LeftOutlined />}
                disabled={!previous}
                aria-label={text(words.previous)}
                title={`${text(words.previous)} (k)`}
                onClick={() => previous && props.onMove(previous)}
              />
              <Button
                type="text"
                icon={<RightOutlined />}
                disabled={!next}
                aria-label={text(words.next)}
                title={`${text(words.next)} (j)`}
                onClick={() => next && props.onMove(next)}
              />
            </span>
          )}
        </span>
      }
    >
      <span ref={mark} hidden />
      {isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        // Long facts without a link or button are scrolled by keyboard too.
        <div tabIndex={0}>
          <DetailBody key={id} resource={resource} row={row} slots={props.slots} wide={wide} />
        </div>
      )}
    </AppDrawer>
  );
}
