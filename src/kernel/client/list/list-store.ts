import { useLayoutEffect, useRef, useState } from 'react';
import type { ResourceSpec } from '../../contract/resource.ts';
import { useView } from '../view.ts';
import { readListState, writeListState, type ListState } from './list-state.rules.ts';

/** Where the state of a list lives, and how it is changed. A change of what is listed goes back to page 1. */
export interface ListStore {
  readonly state: ListState;
  readonly update: (patch: Partial<ListState>) => void;
}

/** State in the view's query: a link reproduces it. */
export function useViewListStore(resource: ResourceSpec): ListStore {
  // Not the view itself: it is another one whenever its tab is shown or left.
  const { query, setQuery } = useView();
  // Two changes in one event, or one after a call, must not lose what changed meanwhile.
  const latest = useRef(query);
  useLayoutEffect(() => {
    latest.current = query;
  }, [query]);
  return {
    state: readListState(resource, query),
    update: (patch) => {
      latest.current = writeListState(
        resource,
        changed(readListState(resource, latest.current), patch),
        latest.current,
      );
      setQuery(latest.current);
    },
  };
}

/** State in memory with fixed filters: lists inside a detail, a picker or a page of its own. */
export function useLocalListStore(
  resource: ResourceSpec,
  fixed: Readonly<Record<string, string>> = {},
  limit?: number,
): ListStore {
  const [state, setState] = useState<ListState>(() => ({
    ...readListState(resource, new URLSearchParams()),
    // A table without tabs shows all rows, not those of a tab nobody can leave.
    tab: undefined,
    ...(limit ? { limit } : {}),
  }));
  return {
    state: { ...state, filters: { ...state.filters, ...fixed } },
    update: (patch) => setState((now) => changed(now, patch)),
  };
}

function changed(now: ListState, patch: Partial<ListState>): ListState {
  const listsOther = ['filters', 'keyword', 'sort', 'limit', 'tab', 'view'].some((name) => name in patch);
  return { ...now, ...(listsOther ? { page: 1 } : {}), ...patch };
}
