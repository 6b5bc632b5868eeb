import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';

/** A department of the own tenant with its enabled staff, without and with those below. */
export interface DepartmentEntry {
  readonly id: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly enabled: boolean;
  readonly version: number;
  /** Inside the data scope: it may be opened. */
  readonly inSight: boolean;
  readonly own: number;
  readonly whole: number;
}

/** All departments of the own tenant, parents first; fresh whenever rows of the `owner` resource change here. */
export function useDepartmentTree(owner: 'department' | 'staff') {
  return useQuery({
    queryKey: ['resource', owner, 'departmentTree'],
    queryFn: ({ signal }) =>
      call<readonly DepartmentEntry[]>('GET', '/api/admin/department/tree', { signal, quiet: true }),
  });
}

/** All departments of a company, for who looks over companies. */
export function useCompanyTree(tenant: string | undefined) {
  return useQuery({
    queryKey: ['resource', 'allDepartment', 'departmentTree', tenant],
    enabled: tenant !== undefined,
    queryFn: ({ signal }) =>
      call<readonly DepartmentEntry[]>('GET', '/api/admin/allDepartment/tree', {
        query: { tenant },
        signal,
        quiet: true,
      }),
  });
}
