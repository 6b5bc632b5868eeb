import { useEffect, useEffectEvent, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ResourceSpec } from '../../contract/resource.ts';
import { call } from '../api-client.ts';
import { useView } from '../view.ts';
import { mergeColumns, sameColumns, type ColumnChoice } from './columns.rules.ts';
import { DEFAULT_PAGE_SIZE, filterFieldsOf, isFiltered } from './list-state.rules.ts';
import type { ListStore } from './list-store.ts';
import type { ColumnStore } from './use-columns.ts';

/** A saved view on the wire. `filters` holds wire texts; the keyword is `searchVal`, the tab `tab`. */
export interface SavedView {
  readonly id: string;
  readonly name: string;
  readonly menu: string;
  readonly own: boolean;
  readonly shared: boolean;
  readonly groupId: string | null;
  readonly groupName: string | null;
  readonly isDefault: boolean;
  readonly isGroupDefault: boolean;
  readonly filters: Readonly<Record<string, string>>;
  readonly columns: readonly ColumnChoice[] | null;
  readonly sort: string | null;
  readonly pageSize: number | null;
  readonly version: number;
}

/** Saved views of a list and what may be done with them. */
export interface SavedViewStore {
  /** False until it is known which view opens the list. */
  readonly ready: boolean;
  readonly all: readonly SavedView[];
  readonly current: SavedView | undefined;
  /** The list differs from what the current view (or the product default) says. */
  readonly changed: boolean;
  /** Columns of the current view the staff may not see. */
  readonly skipped: number;
  readonly apply: (view: SavedView | undefined) => void;
  readonly save: () => Promise<void>;
  readonly saveAs: (name: string) => Promise<void>;
  readonly setDefault: (on: boolean) => Promise<void>;
  readonly share: (patch: { shared?: boolean; groupId?: string | null }) => Promise<void>;
  readonly remove: () => Promise<void>;
}

const PATH = '/api/admin/savedView';

/** Loads the saved views of a menu, opens the default one and keeps track of changes. */
export function useSavedViews(
  resource: ResourceSpec,
  menu: string,
  store: ListStore,
  columns: ColumnStore,
): SavedViewStore {
  const client = useQueryClient();
  const { query } = useView();
  const key = ['savedView', menu] as const;
  const { data, isPending } = useQuery({
    queryKey: key,
    staleTime: 5 * 60_000,
    queryFn: ({ signal }) =>
      call<readonly SavedView[]>('GET', PATH, { query: { menu }, signal, quiet: true }),
  });
  const all = data ?? [];
  const current = all.find((view) => view.id === store.state.view);
  // A link that already says what to show wins over the default view.
  const [opened, setOpened] = useState(() => query.size > 0 && !query.has('view'));
  const apply = (view: SavedView | undefined) => {
    const { searchVal = '', tab: tabKey, ...rest } = view?.filters ?? {};
    const known = filterFieldsOf(resource);
    const filters = Object.fromEntries(Object.entries(rest).filter(([name]) => known[name]));
    columns.showColumns(view?.columns ?? undefined);
    store.update({
      view: view?.id,
      filters,
      keyword: searchVal,
      tab: tabKey ?? resource.list.tabs?.[0]?.key,
      sort: view?.sort ?? resource.list.sort,
      limit: view?.pageSize ?? DEFAULT_PAGE_SIZE,
    });
  };
  const openDefault = useEffectEvent(() => {
    const linked = query.get('view');
    const first =
      all.find((view) => view.id === linked) ??
      (query.size > 0
        ? undefined
        : (all.find((view) => view.own && view.isDefault) ?? all.find((view) => view.isGroupDefault)));
    // A link with a view and further filters keeps these; it only takes the columns.
    if (first && query.size > (linked ? 1 : 0)) columns.showColumns(first.columns ?? undefined);
    else if (first) apply(first);
    setOpened(true);
  });
  useEffect(() => {
    if (!isPending && !opened) openDefault();
  }, [isPending, opened]);

  const content = () => ({
    filters: filtersOf(store),
    columns: columns.columns,
    sort: store.state.sort,
    pageSize: store.state.limit,
  });
  const reload = () => client.invalidateQueries({ queryKey: key });
  const put = async (patch: object) => {
    if (!current) return;
    await call('PUT', `${PATH}/${current.id}`, { body: { ...bodyOf(current), ...patch } });
    await reload();
  };
  return {
    ready: opened,
    all,
    current,
    changed: isChanged(resource, store, columns, current),
    skipped: current ? columns.skipped : 0,
    apply,
    save: () => put(content()),
    saveAs: async (name) => {
      const saved = await call<SavedView>('POST', PATH, {
        body: {
          menu,
          name,
          shared: false,
          groupId: null,
          isDefault: false,
          isGroupDefault: false,
          ...content(),
        },
      });
      await reload();
      columns.showColumns(columns.columns);
      store.update({ view: saved.id, page: store.state.page });
    },
    setDefault: (on) => put({ isDefault: on }),
    share: put,
    remove: async () => {
      if (!current) return;
      await call('DELETE', `${PATH}/${current.id}`, { query: { version: current.version } });
      apply(undefined);
      await reload();
    },
  };
}

function filtersOf(store: ListStore): Record<string, string> {
  const { filters, keyword, tab } = store.state;
  return { ...filters, ...(keyword ? { searchVal: keyword } : {}), ...(tab ? { tab } : {}) };
}

function bodyOf(view: SavedView): object {
  const { own: _own, groupName: _groupName, id: _id, ...body } = view;
  return body;
}

function isChanged(
  resource: ResourceSpec,
  store: ListStore,
  columns: ColumnStore,
  current: SavedView | undefined,
): boolean {
  const { state } = store;
  // Without a view only narrowing counts: width and order are kept by themselves.
  if (!current) return isFiltered(state) || state.sort !== resource.list.sort;
  const sorted = (filters: Readonly<Record<string, string>>) =>
    JSON.stringify(Object.entries(filters).sort());
  const firstTab = resource.list.tabs?.[0]?.key;
  const kept = { ...(firstTab ? { tab: firstTab } : {}), ...current.filters };
  return (
    sorted(filtersOf(store)) !== sorted(kept) ||
    state.sort !== (current.sort ?? resource.list.sort) ||
    state.limit !== (current.pageSize ?? DEFAULT_PAGE_SIZE) ||
    (current.columns !== null &&
      !sameColumns(columns.columns, mergeColumns(resource, current.columns).columns))
  );
}
