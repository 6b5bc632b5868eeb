import { useEffect, useState } from 'react';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import type { RefValue } from '../../contract/fields.ts';
import type { ResourceSpec } from '../../contract/resource.ts';
import { call } from '../api-client.ts';
import { useLanguageStore } from '../language.ts';
import { englishTitle, rowTitle } from '../value-text.rules.ts';
import { rootOf, type RowData } from '../wire.ts';
import { foundTree, shownNodes, type ShownNode, type TreeNode } from './tree.rules.ts';

interface TreeAnswer {
  readonly rows: readonly TreeNode[];
}

const keyOf = (name: string) => ['resource', name, 'tree'] as const;

/** Nodes of a tree and what is open of it. */
export interface TreeState {
  readonly shown: readonly ShownNode[];
  readonly first: boolean;
  readonly error: unknown;
  readonly retry: () => void;
  readonly expand: (id: string, open: boolean) => void;
}

/** Loads a tree node by node, or what a search finds of it. The way down to `chosen` is opened once. */
export function useTree(resource: ResourceSpec, chosen: string | undefined, search: string): TreeState {
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(() => new Set());
  const root = rootOf(resource);
  const parents = [null, ...expanded];
  const levels = useQueries({
    queries: parents.map((parent) => ({
      queryKey: [...keyOf(resource.name), 'below', parent ?? ''],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call<TreeAnswer>('GET', `${root}/tree`, {
          query: parent === null ? {} : { parent },
          signal,
          quiet: true,
        }),
    })),
  });
  const known = new Map(parents.map((parent, index) => [parent, levels[index]!.data?.rows]));
  const found = useQuery({
    queryKey: [...keyOf(resource.name), 'search', search],
    enabled: search !== '',
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<TreeAnswer>('GET', `${root}/tree`, { query: { searchVal: search }, signal, quiet: true }),
  });
  const isKnown = [...known.values()].some((nodes) => nodes?.some((one) => one.id === chosen));
  // Looked up once per chosen node: whoever closes a branch afterwards wants it closed.
  const [shownFor, setShownFor] = useState<string>();
  const way = useQuery({
    queryKey: [...keyOf(resource.name), 'above', chosen ?? ''],
    enabled: chosen !== undefined && !isKnown && chosen !== shownFor && levels[0]!.isSuccess,
    staleTime: 0,
    retry: false,
    queryFn: ({ signal }) => idsAbove(resource, chosen!, signal),
  });
  useEffect(() => {
    if (chosen === undefined || chosen === shownFor) return;
    if (isKnown) return setShownFor(chosen);
    if (!way.data) return;
    setShownFor(chosen);
    setExpanded((now) => new Set([...now, ...way.data]));
  }, [chosen, isKnown, shownFor, way.data]);

  const tree =
    search === ''
      ? { childrenOf: (id: string | null) => known.get(id), expanded }
      : foundTree(found.data?.rows ?? []);
  const top = search === '' ? levels[0]! : found;
  const language = useLanguageStore((state) => state.language);
  const shown = shownNodes(tree.childrenOf, tree.expanded);
  return {
    shown: englishTitle(resource, language)
      ? shown.map((one) => ({
          ...one,
          node: { ...one.node, title: rowTitle(resource, one.node.row, language) },
        }))
      : shown,
    first: top.isPending && !top.isError,
    error: top.isError ? top.error : undefined,
    retry: () => void top.refetch(),
    expand: (id, open) =>
      setExpanded((now) => {
        const next = new Set(now);
        if (open) next.add(id);
        else next.delete(id);
        return next;
      }),
  };
}

/** Nodes below a node, for who chooses a place among them. */
export function useChildren(resource: ResourceSpec, parent: string | null, enabled: boolean) {
  return useQuery({
    queryKey: [...keyOf(resource.name), 'below', parent ?? ''],
    enabled,
    queryFn: ({ signal }) =>
      call<TreeAnswer>('GET', `${rootOf(resource)}/tree`, {
        query: parent === null ? {} : { parent },
        signal,
        quiet: true,
      }),
  });
}

/** The rows above a row, as far as they are in reach. */
async function idsAbove(resource: ResourceSpec, id: string, signal: AbortSignal): Promise<string[]> {
  const ids: string[] = [];
  let at: string | undefined = id;
  while (at !== undefined && ids.length < (resource.tree?.maxDepth ?? 10)) {
    const row: RowData | undefined = await call<RowData>('GET', `${rootOf(resource)}/${at}`, {
      signal,
      quiet: true,
    }).catch(() => undefined);
    at = (row?.[resource.tree!.parent] as RefValue | null | undefined)?.id;
    if (at === undefined || ids.includes(at)) break;
    ids.push(at);
  }
  return ids;
}
