import { lazy, Suspense, useDeferredValue, useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { Button } from 'antd';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { RefValue } from '../../contract/fields.ts';
import type { ResourceSpec } from '../../contract/resource.ts';
import { useText } from '../language.ts';
import { useAction } from '../action/use-action.tsx';
import { OWN_ACTIONS, pageActions } from '../action/actions.rules.ts';
import { useHeld } from '../parts/held.ts';
import { PageTitle } from '../parts/page-title.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import { useModePath } from '../parts/use-mode-path.ts';
import { usePreference, usePreferencesSettled } from '../preference.ts';
import type { ScreenSlots } from '../slots.ts';
import type { TreePanelKept } from '../tree/tree-panel.tsx';
import { treeWords } from '../texts.ts';
import { chosenOf, filterOf } from '../tree/chosen.rules.ts';
import { useView } from '../view.ts';
import { keysOf, type RowData } from '../wire.ts';
import { useListKeys } from './list-keys.ts';
import { isFiltered } from './list-state.rules.ts';
import { EmptyState } from './list-states.tsx';
import { useViewListStore } from './list-store.ts';
import { ListPager } from './list-pager.tsx';
import { ListSums } from './list-sums.tsx';
import { ListTable, type Selection } from './list-table.tsx';
import { ListToolbar } from './list-toolbar.tsx';
import { SavedViews } from './saved-views.tsx';
import { SearchBar } from './search-bar.tsx';
import { useColumns } from './use-columns.ts';
import { useListData } from './use-list-data.ts';
import { useRowOrder } from './use-row-order.ts';
import { useSavedViews } from './use-saved-views.ts';

const DetailDrawer = lazy(() =>
  import('../detail/detail-drawer.tsx').then((module) => ({ default: module.DetailDrawer })),
);

const TreePanel = lazyPart(
  () => import('../tree/tree-panel.tsx').then((module) => module.TreePanel),
  <aside className="k-tree-shape" />,
);

const ContractImport = lazyPart(() =>
  import('../import/contract-import.tsx').then((module) => module.ContractImport),
);

const NO_NAMES: readonly string[] = [];

const NONE: Selection = new Map();

/** The default screen of a resource: title, saved views, search, toolbar, table, pager; detail and actions on top. */
export function ResourceScreen({
  resource,
  slots,
}: {
  readonly resource: ResourceSpec;
  readonly slots: ScreenSlots;
}) {
  const text = useText();
  const client = useQueryClient();
  const { active, menu, query, setQuery, open: openPath } = useView();
  const held = useHeld(resource);
  const host = useRef<HTMLDivElement>(null);
  const panel = useId();
  const store = useViewListStore(resource);
  const columns = useColumns(resource, menu);
  const views = useSavedViews(resource, menu, store, columns);
  const settled = usePreferencesSettled();
  const data = useListData(resource, store.state, settled && views.ready);
  const [selection, setSelection] = useState<Selection>(NONE);
  // The tick and its row answer the click; what can be done with the selection is drawn behind that.
  const shownSelection = useDeferredValue(selection);
  const pathOfMode = useModePath(resource);
  const openId = (id: string, row = data.rows.find((one) => one.id === id)) => {
    // The list has seen a change the kept detail has not.
    const key = keysOf.row(resource.name, id);
    const kept = client.getQueryData<RowData>(key);
    if (row && kept && kept.version !== row.version) void client.invalidateQueries({ queryKey: key });
    const path = pathOfMode('detail', id, undefined, row);
    if (path) openPath(path);
    else store.update({ detail: id });
  };
  const open = (row: RowData) => openId(row.id, row);
  const action = useAction(resource, {
    slots,
    onDone: (_name, _result, bulk) => bulk && setSelection(NONE),
    onOpen: (id) => openId(id),
  });
  const treeField = resource.tree?.parent;
  const place = chosenOf(treeField && store.state.filters[treeField]);
  const [panelKept] = usePreference<TreePanelKept>(`tree.${menu}`);
  // While the tree is hidden its filter is one like the others.
  const inTree = treeField === undefined || panelKept?.closed ? NO_NAMES : [treeField];
  // The chosen node stays: it is not part of the search.
  const keptFilters = (): Readonly<Record<string, string>> => {
    const kept = treeField && !panelKept?.closed && store.state.filters[treeField];
    return kept ? { [treeField]: kept } : {};
  };
  const reset = () => store.update({ filters: keptFilters(), keyword: '' });
  const choose = (id: string | undefined, below: boolean) => {
    const { [treeField!]: _before, ...rest } = store.state.filters;
    const wire = filterOf(id, below);
    setBelow(below);
    store.update({ filters: { ...rest, ...(wire ? { [treeField!]: wire } : {}) }, detail: undefined });
  };
  const [below, setBelow] = useState(place.below);
  const run = (name: string) => {
    if (name !== 'create' || place.id === undefined) return action.run(name);
    // A new row starts below the one whose rows are listed.
    action.create({ [treeField!]: { id: place.id, title: titleOfNode(place.id) } });
  };
  const titleOfNode = (id: string): string => {
    const parent = data.rows.map((row) => row[treeField!] as RefValue | null).find((one) => one?.id === id);
    return parent?.title ?? loadedTitle(client, resource, id) ?? id;
  };
  const order = useRowOrder(resource, store, data);
  const runRow = (name: string, row: RowData) => {
    if (name === OWN_ACTIONS.up || name === OWN_ACTIONS.down)
      order?.step(row.id, name === OWN_ACTIONS.up ? -1 : 1);
    else action.run(name, row);
  };
  const page = pageActions(resource, held);
  const create = page.find(({ name }) => name === 'create');
  const rowOf = (id: string) => data.rows.find((row) => row.id === id);

  const asked = query.get('do');
  const runAsked = useEffectEvent(() => {
    const rest = new URLSearchParams(query);
    rest.delete('do');
    setQuery(rest);
    if (create) run('create');
  });
  useEffect(() => {
    // The palette opens a list together with its form.
    if (asked === 'create' && active) runAsked();
  }, [asked, active]);

  useListKeys(
    host,
    {
      add: create && (() => run('create')),
      open: (id) => rowOf(id) && open(rowOf(id)!),
      edit: (id) => rowOf(id)?.actions.includes('update') && action.run('update', rowOf(id)),
      select: (id) => setSelection(toggled(selection, rowOf(id))),
      refresh: data.refresh,
    },
    active && !action.open && store.state.detail === undefined,
  );

  const screen = (
    <div className="k-screen" ref={host}>
      <PageTitle title={resource.title} purpose={resource.purpose}>
        {page.map(({ name, spec }, index) => (
          <Button
            key={name}
            type={
              index === page.length - 1 && (spec.tone === 'primary' || name === 'create')
                ? 'primary'
                : 'default'
            }
            danger={spec.tone === 'danger'}
            title={name === 'create' ? `${text(spec.label)} (n)` : undefined}
            onClick={() => run(name)}
          >
            {text(spec.label)}
          </Button>
        ))}
      </PageTitle>
      <SavedViews views={views} />
      {slots.above}
      <SearchBar
        resource={resource}
        store={store}
        elsewhere={inTree}
        onSearch={data.refresh}
        onReset={reset}
      />
      <ListToolbar
        resource={resource}
        store={store}
        data={data}
        columns={columns}
        selection={shownSelection}
        clearSelection={() => setSelection(NONE)}
        runBulk={(name, rows) => action.runBulk(name, rows)}
        panel={panel}
      >
        {resource.importable && <ContractImport resource={resource} />}
        {slots.toolbar}
      </ListToolbar>
      <div className="k-with-aside">
        <div className="k-list" id={panel}>
          <ListTable
            sticky
            resource={resource}
            store={store}
            data={data}
            columns={columns.columns}
            density={columns.density}
            setColumns={columns.setColumns}
            open={open}
            run={runRow}
            extra={order ? [...action.extra, ...order.actions] : action.extra}
            order={order}
            selection={hasBulk(resource) ? selection : undefined}
            setSelection={setSelection}
            cells={slots.cells}
            expandedRow={slots.expandedRow}
            empty={
              <EmptyState
                title={resource.noun ?? resource.title}
                words={place.id === undefined ? resource.list.empty : treeWords.nothingBelow}
                filtered={isFiltered(store.state, inTree)}
                onReset={reset}
                create={create && { label: create.spec.label, run: () => run('create') }}
              />
            }
          />
          <ListPager store={store} data={data}>
            {data.sums && <ListSums resource={resource} sums={data.sums} />}
          </ListPager>
        </div>
        {slots.aside && typeof slots.aside !== 'function' && <aside className="k-aside">{slots.aside}</aside>}
      </div>
      <Suspense>
        {store.state.detail !== undefined && (
          <DetailDrawer
            resource={resource}
            slots={slots}
            id={store.state.detail}
            siblings={data.rows.map((row) => row.id)}
            action={action}
            onMove={(id) => store.update({ detail: id })}
            onClose={() => store.update({ detail: undefined })}
          />
        )}
      </Suspense>
      {action.element}
    </div>
  );
  if (!resource.tree) return screen;
  return (
    <div className="k-tree-split">
      <TreePanel
        resource={resource}
        menu={menu}
        chosen={place.id}
        below={place.id === undefined ? below : place.below}
        onChoose={choose}
        onOpen={(node) => openId(node.id)}
        action={action}
      />
      {screen}
    </div>
  );
}

/** Title of a node, from whichever part of the tree was loaded. */
function loadedTitle(client: QueryClient, resource: ResourceSpec, id: string): string | undefined {
  const answers = client.getQueriesData<{ rows?: readonly { id: string; title: string }[] }>({
    queryKey: [...keysOf.all(resource.name), 'tree'],
  });
  for (const [, answer] of answers) {
    const node = answer?.rows?.find((one) => one.id === id);
    if (node) return node.title;
  }
  return undefined;
}

function hasBulk(resource: ResourceSpec): boolean {
  return Object.values(resource.actions ?? {}).some((spec) => spec.on === 'bulk' || spec.on === 'rowAndBulk');
}

function toggled(selection: Selection, row: RowData | undefined): Selection {
  if (!row) return selection;
  const next = new Map(selection);
  if (!next.delete(row.id)) next.set(row.id, row);
  return next;
}
