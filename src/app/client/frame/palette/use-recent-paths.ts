import { useQuery } from '@tanstack/react-query';
import { call } from '../../../../kernel/client/api-client.ts';
import { useSession } from '../../../../kernel/client/session.ts';
import type { MenuLink } from '../menu-links.ts';
import { useRecent } from './palette-store.ts';

const MOST = 10;
const NONE: readonly string[] = [];

interface Visit {
  readonly menu: string;
  readonly lastAt: string;
}

/** Paths of the last visited menus: those of this window first, then those of other days and computers. */
export function useRecentPaths(menus: readonly MenuLink[]): readonly string[] {
  const staff = useSession((state) => state.info?.id);
  const here = useRecent((state) => (state.staff === staff ? state.paths : NONE));
  const { data } = useQuery({
    queryKey: ['profile', 'visits'],
    queryFn: () => call<readonly Visit[]>('GET', '/api/admin/profile/visits', { quiet: true }),
  });
  const before = [...(data ?? [])]
    .sort((a, b) => b.lastAt.localeCompare(a.lastAt))
    .flatMap((visit) => menus.find((menu) => menu.code === visit.menu)?.path ?? []);
  return [...new Set([...here, ...before])].slice(0, MOST);
}
