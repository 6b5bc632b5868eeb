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
  /** Opens the view by a link; known to its owner and to who came by that link. */
  readonly shareKey: string | null;
  readonly groupId: string | null;
  readonly groupName: string | null;
  /** Of a group the staff leads or manages: it may be taken away from there. */
  readonly canWithdraw: boolean;
  readonly isDefault: boolean;
  readonly isGroupDefault: boolean;
  readonly filters: Readonly<Record<string, string>>;
  readonly columns: readonly ColumnChoice[] | null;
  readonly sort: string | null;
  readonly pageSize: number | null;
  readonly version: number;
}

/** With whom a view is shared. */
export interface SharePatch {
  readonly shared?: boolean;
  readonly groupId?: string | null;
  readonly isGroupDefault?: boolean;
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
  readonly share: (patch: SharePatch) => Promise<void>;
  /** The address that shows this list to others; an own view is made readable by it. */
  readonly link: () => Promise<string>;
  /** Deletes an own view; takes a group's view away from the group. */
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
  const { query, path } = useView();
  const key = ['savedView', menu] as const;
  const linkKey = useLinkKey(store.state.view);
  const { data, isPending } = useQuery({
    queryKey: [...key, linkKey],
    staleTime: 5 * 60_000,
    queryFn: ({ signal }) =>
      call<readonly SavedView[]>('GET', PATH, { query: { menu, key: linkKey }, signal, quiet: true }),
  });
  const all = data ?? [];
  const current = all.find((view) => isNamed(view, store.state.view));
  // A link that already says what to show wins over the default view.
  const [opened, setOpened] = useState(() => query.size > 0 && !query.has('view'));
  const apply = (view: SavedView | undefined) => {
    const { searchVal = '', tab: tabKey, ...rest } = view?.filters ?? {};
    const known = filterFieldsOf(resource);
    const filters = Object.fromEntries(Object.entries(rest).filter(([name]) => known[name]));
    columns.showColumns(view?.columns ?? undefined);
    store.update({
      view: view && nameOf(view),
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
      all.find((view) => isNamed(view, linked ?? undefined)) ??
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
  const put = async (patch: object): Promise<SavedView | undefined> => {
    if (!current) return undefined;
    const saved = await call<SavedView>('PUT', `${PATH}/${current.id}`, {
      body: { ...bodyOf(current), ...patch },
    });
    await reload();
    return saved;
  };
  const changed = isChanged(resource, store, columns, current);
  return {
    ready: opened,
    all,
    current,
    changed,
    skipped: current ? columns.skipped : 0,
    apply,
    save: async () => void (await put(content())),
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
    setDefault: async (on) => void (await put({ isDefault: on })),
    share: async (patch) => void (await put(patch)),
    link: async () => {
      const name = current?.own
        ? (current.shareKey ?? (await put({ shared: true }))?.shareKey)
        : current && nameOf(current);
      if (!name) return location.href;
      // What was changed but not saved travels along beside the view.
      const link = new URLSearchParams(changed ? query : {});
      link.set('view', name);
      return `${location.origin}${path}?${link.toString()}`;
    },
    remove: async () => {
      if (!current) return;
      await call('DELETE', `${PATH}/${current.id}`, { query: { version: current.version } });
      apply(undefined);
      await reload();
    },
  };
}

/** How the address names a view: by its key for who came with the key, as the id alone may not show it again. */
function nameOf(view: SavedView): string {
  return view.own || view.shareKey === null ? view.id : view.shareKey;
}

function isNamed(view: SavedView, name: string | undefined): boolean {
  return name !== undefined && (view.id === name || view.shareKey === name);
}

/** The key of the share link this list was opened with; kept while other views are looked at. */
function useLinkKey(name: string | undefined): string | undefined {
  const [kept, setKept] = useState<string>();
  const key = name !== undefined && !/^\d+$/.test(name) ? name : undefined;
  if (key !== undefined && key !== kept) setKept(key);
  return key ?? kept;
}

function filtersOf(store: ListStore): Record<string, string> {
  const { filters, keyword, tab } = store.state;
  return { ...filters, ...(keyword ? { searchVal: keyword } : {}), ...(tab ? { tab } : {}) };
}

function bodyOf(view: SavedView): object {
  const { own: _own, groupName: _groupName, canWithdraw: _canWithdraw, id: _id, ...body } = view;
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
