import { useDeferredValue, useRef, useState } from 'react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ResourceSpec } from '../../contract/resource.ts';
import { call } from '../api-client.ts';
import { keysOf, rootOf, type PageAnswer, type RowData } from '../wire.ts';
import { countsQuery, wireQuery, type ListState } from './list-state.rules.ts';

/** Rows, total and tab counts of a list, and the ways to fetch them again. */
export interface ListData {
  readonly rows: readonly RowData[];
  readonly total: number;
  readonly capped: boolean;
  /** Nothing was ever loaded: show the skeleton. */
  readonly first: boolean;
  /** The next page is on its way; the rows shown are the previous ones. */
  readonly stale: boolean;
  readonly loading: boolean;
  readonly error: unknown;
  readonly counts: Readonly<Record<string, number>> | undefined;
  /** Totals over all pages, as they travel on the wire. */
  readonly sums: Readonly<Record<string, string | number>> | undefined;
  readonly refresh: () => void;
  /** Asks for the exact total of a capped list. */
  readonly countExactly: () => Promise<void>;
}

const NO_ROWS: readonly RowData[] = [];

/** Loads a list. `ready` holds the first call back until default view and column choice are known. */
export function useListData(resource: ResourceSpec, state: ListState, ready = true): ListData {
  const client = useQueryClient();
  const root = rootOf(resource);
  const query = wireQuery(resource, state);
  const listed = JSON.stringify({ ...query, page: 0 });
  // Cursor of a page by "what is listed" and number: deep pages go on from it instead of counting rows.
  const cursors = useRef(new Map<string, string>());
  const [exact, setExact] = useState<{ listed: string; total: number }>();

  const page = useQuery({
    queryKey: keysOf.page(resource.name, query),
    enabled: ready,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const cursor = cursors.current.get(`${listed}#${state.page}`);
      const answer = await call<PageAnswer>('GET', `${root}/page`, { query: { ...query, cursor }, signal });
      if (answer.nextCursor) cursors.current.set(`${listed}#${state.page + 1}`, answer.nextCursor);
      return answer;
    },
  });
  const hasTabs = (resource.list.tabs?.length ?? 0) > 0;
  const counts = useQuery({
    queryKey: keysOf.counts(resource.name, countsQuery(state)),
    enabled: ready && hasTabs,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<Record<string, number>>('GET', `${root}/counts`, {
        query: countsQuery(state),
        signal,
        quiet: true,
      }),
  });

  const { page: _page, limit: _limit, sort: _sort, ...narrowed } = query;
  const sums = useQuery({
    queryKey: keysOf.sums(resource.name, narrowed),
    enabled: ready && (resource.list.sums?.length ?? 0) > 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<Record<string, string | number>>('GET', `${root}/sums`, { query: narrowed, signal, quiet: true }),
  });

  // Rows that replace others are drawn behind the answer to the click that asked for them; the first ones at once.
  const deferred = useDeferredValue(page.data);
  const shown = deferred ?? page.data;
  const isStale = page.isPlaceholderData || shown !== page.data;
  const tab = state.tab ?? resource.list.tabs?.[0]?.key;
  const knownExactly = exact?.listed === listed;
  return {
    rows: shown?.rows ?? NO_ROWS,
    total: knownExactly ? exact.total : (shown?.total ?? 0),
    capped: !knownExactly && shown?.totalCapped === true,
    first: page.isPending && !page.isError,
    stale: isStale,
    loading: page.isFetching,
    error: page.isError && !page.isFetching ? page.error : undefined,
    counts: countsWith(counts.data, tab, isStale ? undefined : shown),
    sums: sums.data,
    refresh: () => void client.invalidateQueries({ queryKey: keysOf.all(resource.name) }),
    countExactly: async () => {
      const answer = await call<PageAnswer>('GET', `${root}/page`, {
        query: { ...query, page: 1, limit: 1, exact: 1 },
      });
      setExact({ listed, total: answer.total });
    },
  };
}

/** Counts and rows come by two calls; for the tab that is shown the rows' own total holds, so the two never differ. */
function countsWith(
  counts: Readonly<Record<string, number>> | undefined,
  tab: string | undefined,
  page: PageAnswer | undefined,
): Readonly<Record<string, number>> | undefined {
  if (!counts || tab === undefined || !page || page.totalCapped || counts[tab] === undefined) return counts;
  return { ...counts, [tab]: page.total };
}
