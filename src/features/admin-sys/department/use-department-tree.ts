import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';

/** A department of the own tenant with its enabled staff, without and with those below. */
export interface DepartmentEntry {
  readonly id: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly enabled: boolean;
  readonly version: number;
  readonly own: number;
  readonly whole: number;
}

/** All departments of the own tenant, parents first; fresh whenever departments or staff change here. */
export function useDepartmentTree() {
  return useQuery({
    queryKey: ['resource', 'department', 'tree'],
    queryFn: ({ signal }) =>
      call<readonly DepartmentEntry[]>('GET', '/api/admin/department/tree', { signal, quiet: true }),
  });
}
