import {
  lazy,
  Suspense,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react';
import { Button } from 'antd';
import { Icon } from '../parts/icon.tsx';
import { fill } from '../../contract/label.ts';
import type { ResourceSpec } from '../../contract/resource.ts';
import { bulkActions, splitBulkActions, textWidth } from '../action/actions.rules.ts';
import { MoreActions } from '../action/more-actions.tsx';
import { cappedCount } from '../format.rules.ts';
import { useLanguageStore, useText } from '../language.ts';
import { useHeld } from '../parts/held.ts';
import { PopButton } from '../parts/pop-button.tsx';
import { words } from '../texts.ts';
import type { RowData } from '../wire.ts';
import { ExportButton } from './export-button.tsx';
import type { ListStore } from './list-store.ts';
import { OverflowTabs } from './overflow-tabs.tsx';
import type { Selection } from './list-table.tsx';
import type { ColumnStore } from './use-columns.ts';
import type { ListData } from './use-list-data.ts';

const ColumnSettings = lazy(() =>
  import('./column-settings.tsx').then((module) => ({ default: module.ColumnSettings })),
);

/** What the toolbar of a list is given. */
export interface ListToolbarProps {
  readonly resource: ResourceSpec;
  readonly store: ListStore;
  readonly data: ListData;
  readonly columns: ColumnStore;
  readonly selection: Selection;
  readonly clearSelection: () => void;
  readonly runBulk: (name: string, rows: readonly RowData[]) => void;
  readonly panel: string;
  readonly children?: ReactNode;
}

/** Tabs with counts at the left — or the bulk actions while rows are selected — and the tools of the table at the right. */
export function ListToolbar(props: ListToolbarProps) {
  const host = useRef<HTMLDivElement>(null);
  const selecting = props.selection.size > 0;
  const { room, resting } = useRoom(host, selecting);
  return (
    <div className="k-toolbar">
      <div className="k-toolbar-left" ref={host} style={selecting ? { minHeight: resting } : undefined}>
        {selecting ? <SelectionBar {...props} room={room} /> : <ListTabs {...props} />}
        {!selecting && props.children}
      </div>
      <ListTools {...props} />
    </div>
  );
}

function ListTabs({ resource, store, data, panel }: ListToolbarProps) {
  const text = useText();
  const tabs = resource.list.tabs;
  if (!tabs || tabs.length === 0) return null;
  return (
    <OverflowTabs
      label={text(resource.title)}
      panel={panel}
      active={store.state.tab}
      onChange={(tab) => store.update({ tab })}
      tabs={tabs.map((tab) => {
        const count = data.counts?.[tab.key];
        return {
          key: tab.key,
          label: text(tab.label),
          extra: count === undefined ? undefined : <span className="k-count">{cappedCount(count)}</span>,
        };
      })}
    />
  );
}

const CLEAR_PADDING = 72;
/** Less room than this is needed for the actions; clearing then is a cross. */
const TIGHT = 420;

/** One line whatever there is to do: rows that move when the first of them is chosen are missed by the next click. */
function SelectionBar({
  resource,
  selection,
  clearSelection,
  runBulk,
  room,
}: ListToolbarProps & { readonly room: number }) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const held = useHeld(resource);
  const rows = [...selection.values()];
  const count = text(fill(words.selectedRows, { n: selection.size }));
  const clear = text(words.clearSelection);
  const tight = room < TIGHT;
  const taken = textWidth(count) + (tight ? 0 : textWidth(clear)) + CLEAR_PADDING;
  const { links, rest } = splitBulkActions(bulkActions(resource, held), { language, width: room - taken });
  return (
    <div className="k-selection" role="group" aria-label={count}>
      <strong aria-live="polite">{count}</strong>
      {links.map(({ name, spec }) => (
        <Button key={name} size="small" danger={spec.tone === 'danger'} onClick={() => runBulk(name, rows)}>
          {text(spec.label)}
        </Button>
      ))}
      <MoreActions className="k-button k-button-small" actions={rest} run={(name) => runBulk(name, rows)} />
      <Button
        type="text"
        size="small"
        icon={<Icon name="close" />}
        aria-label={clear}
        title={tight ? clear : undefined}
        onClick={clearSelection}
      >
        {tight ? null : clear}
      </Button>
    </div>
  );
}

/**
 * Width of an element, and its height while nothing is selected; told by the browser after it laid the page out: nothing
 * is measured in between.
 */
function useRoom(
  host: RefObject<HTMLElement | null>,
  selecting: boolean,
): { readonly room: number; readonly resting: number } {
  const [room, setRoom] = useState(0);
  const [resting, setResting] = useState(0);
  const note = useEffectEvent(({ width, height }: DOMRectReadOnly) => {
    setRoom(Math.floor(width));
    if (!selecting) setResting(Math.round(height));
  });
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => note(entry!.contentRect));
    observer.observe(host.current!);
    return () => observer.disconnect();
  }, [host]);
  return { room, resting };
}

function ListTools({ resource, store, data, columns }: ListToolbarProps) {
  const text = useText();
  const [settings, setSettings] = useState(false);
  const compact = columns.density === 'compact';
  return (
    <div className="k-tools">
      <ExportButton resource={resource} state={store.state} />
      <Button
        type="text"
        icon={<Icon name="density" />}
        aria-pressed={compact}
        aria-label={`${text(words.density)}: ${text(compact ? words.compact : words.comfortable)}`}
        title={`${text(words.density)}: ${text(compact ? words.compact : words.comfortable)}`}
        onClick={() => columns.setDensity(compact ? 'comfortable' : 'compact')}
      />
      <PopButton
        open={settings}
        onOpenChange={setSettings}
        className="k-tool"
        align="end"
        label={text(words.columns)}
        title={text(words.columns)}
        panel={
          <>
            <strong className="k-pop-title">{text(words.columns)}</strong>
            <Suspense fallback={<div className="k-columns" />}>
              <ColumnSettings
                resource={resource}
                columns={columns.columns}
                onChange={columns.setColumns}
                onReset={columns.resetColumns}
              />
            </Suspense>
          </>
        }
      >
        <Icon name="columns" />
      </PopButton>
      <Button
        type="text"
        icon={<Icon name="reload" className={data.loading && !data.first ? 'k-spin' : ''} />}
        aria-label={text(words.refresh)}
        title={`${text(words.refresh)} (r)`}
        onClick={data.refresh}
      />
    </div>
  );
}
