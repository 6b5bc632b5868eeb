import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Button } from 'antd';
import { Icon } from '../parts/icon.tsx';
import { fill } from '../../contract/label.ts';
import type { ResourceSpec } from '../../contract/resource.ts';
import { bulkActions } from '../action/actions.rules.ts';
import { call } from '../api-client.ts';
import { openDownloadCentre } from '../downloads.ts';
import { message } from '../feedback.ts';
import { cappedCount } from '../format.rules.ts';
import { useText } from '../language.ts';
import { useHeld } from '../parts/held.ts';
import { PopButton } from '../parts/pop-button.tsx';
import { words } from '../texts.ts';
import { rootOf, type RowData } from '../wire.ts';
import { wireQuery } from './list-state.rules.ts';
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
  return (
    <div className="k-toolbar">
      <div className="k-toolbar-left">
        {props.selection.size > 0 ? <SelectionBar {...props} /> : <ListTabs {...props} />}
        {props.selection.size === 0 && props.children}
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

function SelectionBar({ resource, selection, clearSelection, runBulk }: ListToolbarProps) {
  const text = useText();
  const held = useHeld(resource);
  const actions = bulkActions(resource, held);
  const rows = [...selection.values()];
  return (
    <div
      className="k-selection"
      role="group"
      aria-label={text(fill(words.selectedRows, { n: selection.size }))}
    >
      <strong aria-live="polite">{text(fill(words.selectedRows, { n: selection.size }))}</strong>
      {actions.map(({ name, spec }) => (
        <Button key={name} size="small" danger={spec.tone === 'danger'} onClick={() => runBulk(name, rows)}>
          {text(spec.label)}
        </Button>
      ))}
      <Button type="text" size="small" icon={<Icon name="close" />} onClick={clearSelection}>
        {text(words.clearSelection)}
      </Button>
    </div>
  );
}

function ListTools({ resource, store, data, columns }: ListToolbarProps) {
  const text = useText();
  const held = useHeld(resource);
  const [settings, setSettings] = useState(false);
  const [exporting, setExporting] = useState(false);
  const startExport = async () => {
    setExporting(true);
    try {
      const { page: _page, limit: _limit, ...query } = wireQuery(resource, store.state);
      await call('POST', `${rootOf(resource)}/export`, { body: { query } });
      void message.success(text(words.exportStarted), 2);
      openDownloadCentre();
    } catch {
      // The frame has shown why.
    } finally {
      setExporting(false);
    }
  };
  const compact = columns.density === 'compact';
  return (
    <div className="k-tools">
      {resource.list.export && held('btn_export') && (
        <Button
          type="text"
          icon={<Icon name="download" />}
          loading={exporting}
          onClick={() => void startExport()}
        >
          {text(words.export)}
        </Button>
      )}
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
