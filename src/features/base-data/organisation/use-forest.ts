import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import { organisation } from './organisation.contract.ts';

/** A node of the tree: an organisation, or a project (`p12`) as a leaf. */
export interface ForestNode {
  readonly id: string;
  readonly parentId: string | null;
  readonly kind: 'company' | 'centre_city' | 'management_unit' | 'project';
  readonly code: string;
  readonly name: string;
  readonly state: 'enabled' | 'stopped' | 'merged';
  readonly projects: number;
  readonly houses: number;
}

/** The whole tree in sight, parents first; fresh whenever organisations change here. */
export function useForest(query: { readonly searchVal?: string; readonly includeStopped?: boolean } = {}) {
  const { searchVal = '', includeStopped = false } = query;
  return useQuery({
    queryKey: [...keysOf.all(organisation.name), 'forest', searchVal, includeStopped],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (
        await call<{ rows: readonly ForestNode[] }>('GET', '/api/jinmao/web/organisation/forest', {
          query: { searchVal, includeStopped: includeStopped ? '1' : '0' },
          signal,
          quiet: true,
        })
      ).rows,
  });
}

/** Names from the top down to a node. */
export function pathOf(nodes: readonly ForestNode[], id: string): string {
  const names: string[] = [];
  for (let at = nodes.find((node) => node.id === id); at; at = nodes.find((node) => node.id === at?.parentId))
    names.unshift(at.name);
  return names.join(' › ');
}
