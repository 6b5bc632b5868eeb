import type { Field } from '../../contract/fields.ts';
import { fieldsOf, type ResourceSpec } from '../../contract/resource.ts';

/** Row counts a page may have. More needs a virtual table: see ui.md, rule 5. */
export const PAGE_SIZES = [10, 20, 50] as const;
/** Rows a page shows unless told otherwise. */
export const DEFAULT_PAGE_SIZE = 20;

/** What a list shows; lives in the view's query so that a link reproduces it. */
export interface ListState {
  /** Wire texts by filter name. */
  readonly filters: Readonly<Record<string, string>>;
  readonly keyword: string;
  /** Field name, `-` in front for descending; always set. */
  readonly sort: string;
  readonly page: number;
  readonly limit: number;
  readonly tab: string | undefined;
  /** Id of the saved view, when one is chosen. */
  readonly view: string | undefined;
  /** Id of the row whose detail is open. */
  readonly detail: string | undefined;
}

/** Names the list itself uses in the query; a field of the same name cannot be filtered by link. */
export const OWN_NAMES = ['searchVal', 'sort', 'page', 'limit', 'tab', 'view', 'detail'] as const;

/** Fields a list accepts as filters: those with a search mode, and the row above in a tree. */
export function filterFieldsOf(resource: ResourceSpec): Readonly<Record<string, Field>> {
  return Object.fromEntries(
    Object.entries(fieldsOf(resource)).filter(
      ([name, field]) => field.search || name === resource.tree?.parent,
    ),
  );
}

/** True when the staff's keyword has something to search in. */
export function hasKeyword(resource: ResourceSpec): boolean {
  return Object.values(resource.fields).some((field) => field.keyword);
}

/** Reads the state of a list from a query; what does not fit the contract is dropped. */
export function readListState(resource: ResourceSpec, query: URLSearchParams): ListState {
  const filters: Record<string, string> = {};
  for (const name of Object.keys(filterFieldsOf(resource))) {
    const value = query.get(name);
    if (value) filters[name] = value;
  }
  const limit = Number(query.get('limit'));
  const page = Number(query.get('page'));
  return {
    filters,
    keyword: query.get('searchVal') ?? '',
    sort: validSort(resource, query.get('sort')),
    page: Number.isInteger(page) && page > 0 ? page : 1,
    limit: (PAGE_SIZES as readonly number[]).includes(limit) ? limit : DEFAULT_PAGE_SIZE,
    tab: validTab(resource, query.get('tab')),
    view: query.get('view') ?? undefined,
    detail: query.get('detail') ?? undefined,
  };
}

/** Writes the state of a list into a query; defaults are left out and foreign names kept, so links stay short. */
export function writeListState(
  resource: ResourceSpec,
  state: ListState,
  before?: URLSearchParams,
): URLSearchParams {
  const query = new URLSearchParams();
  const own = new Set<string>([...OWN_NAMES, ...Object.keys(filterFieldsOf(resource))]);
  for (const [name, value] of before ?? []) if (!own.has(name)) query.append(name, value);
  if (state.view) query.set('view', state.view);
  if (state.tab && state.tab !== resource.list.tabs?.[0]?.key) query.set('tab', state.tab);
  if (state.keyword) query.set('searchVal', state.keyword);
  for (const [name, value] of Object.entries(state.filters)) if (value) query.set(name, value);
  if (state.sort !== resource.list.sort) query.set('sort', state.sort);
  if (state.page > 1) query.set('page', String(state.page));
  if (state.limit !== DEFAULT_PAGE_SIZE) query.set('limit', String(state.limit));
  if (state.detail) query.set('detail', state.detail);
  return query;
}

/** The wire query of a list's rows. Tabs with a `filter` are merged; `named` ones are sent by name. */
export function wireQuery(resource: ResourceSpec, state: ListState): Record<string, string | number> {
  const tab = resource.list.tabs?.find((one) => one.key === state.tab);
  return {
    ...countsQuery(state),
    ...(tab?.filter ?? {}),
    ...(tab?.named ? { tab: tab.key } : {}),
    sort: state.sort,
    page: state.page,
    limit: state.limit,
  };
}

/** The wire query of the tab counts: the filters without tab, sort and page. */
export function countsQuery(state: Pick<ListState, 'filters' | 'keyword'>): Record<string, string> {
  return { ...state.filters, ...(state.keyword ? { searchVal: state.keyword } : {}) };
}

/** True when the staff narrowed the list by filter or keyword; `except` are filters that are no narrowing. */
export function isFiltered(
  state: Pick<ListState, 'filters' | 'keyword'>,
  except: readonly string[] = [],
): boolean {
  return state.keyword !== '' || Object.keys(state.filters).some((name) => !except.includes(name));
}

function validSort(resource: ResourceSpec, sort: string | null): string {
  if (!sort) return resource.list.sort;
  return fieldsOf(resource)[sort.replace(/^-/, '')]?.sortable ? sort : resource.list.sort;
}

function validTab(resource: ResourceSpec, tab: string | null): string | undefined {
  const tabs = resource.list.tabs;
  if (!tabs || tabs.length === 0) return undefined;
  return tabs.some((one) => one.key === tab) ? tab! : tabs[0]!.key;
}
