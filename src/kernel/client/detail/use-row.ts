import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ResourceSpec } from '../../contract/resource.ts';
import { call } from '../api-client.ts';
import { keysOf, rootOf, type RowData } from '../wire.ts';

/** One row with every field of the contract. */
export function useRow(resource: ResourceSpec, id: string): UseQueryResult<RowData> {
  return useQuery({
    queryKey: keysOf.row(resource.name, id),
    queryFn: ({ signal }) =>
      call<RowData>('GET', `${rootOf(resource)}/${encodeURIComponent(id)}`, { signal }),
  });
}
