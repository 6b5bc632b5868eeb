import { useQuery } from '@tanstack/react-query';
import type { ResourceSpec } from '../../contract/resource.ts';
import { call } from '../api-client.ts';
import { keysOf, rootOf, type RowData } from '../wire.ts';

/** The row a form edits: always the newest version, never swapped under the fingers while the form is open. */
export function useFormRow(resource: ResourceSpec, id: string | undefined) {
  return useQuery({
    queryKey: [...keysOf.row(resource.name, id ?? ''), 'form'],
    enabled: id !== undefined,
    staleTime: Infinity,
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<RowData>('GET', `${rootOf(resource)}/${encodeURIComponent(id!)}`, { signal }),
  });
}
