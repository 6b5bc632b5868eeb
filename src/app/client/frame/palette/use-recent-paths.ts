import { useQuery } from '@tanstack/react-query';
import { call } from '../../../../kernel/client/api-client.ts';
import type { MenuLink } from '../menu-links.ts';
import { useRecent } from './palette-store.ts';

const MOST = 10;

interface Visit {
  readonly menu: string;
  readonly lastAt: string;
}

/** Paths of the last visited menus: those of this window first, then those of other days and computers. */
export function useRecentPaths(menus: readonly MenuLink[]): readonly string[] {
  const here = useRecent((state) => state.paths);
  const { data } = useQuery({
    queryKey: ['profile', 'visits'],
    queryFn: () => call<readonly Visit[]>('GET', '/api/admin/profile/visits', { quiet: true }),
  });
  const before = [...(data ?? [])]
    .sort((a, b) => b.lastAt.localeCompare(a.lastAt))
    .flatMap((visit) => menus.find((menu) => menu.code === visit.menu)?.path ?? []);
  return [...new Set([...here, ...before])].slice(0, MOST);
}
