import { create } from 'zustand';
import { useSession } from '../../../../kernel/client/session.ts';

const STORAGE_KEY = 'recentPaths';
const MOST = 10;

interface RecentState {
  /** Whose visits these are: the next to sign in at this window starts with none. */
  readonly staff: string | undefined;
  /** Paths of the last visited menus, newest first. */
  readonly paths: readonly string[];
}

/** Last visited menus of this window, for the empty palette. */
export const useRecent = create<RecentState>(() => read());

/** Notes a visited menu. */
export function noteRecent(path: string): void {
  const staff = useSession.getState().info?.id;
  if (path === '/dashboard' || !staff) return;
  const before = useRecent.getState();
  const earlier = before.staff === staff ? before.paths.filter((one) => one !== path) : [];
  const recent: RecentState = { staff, paths: [path, ...earlier].slice(0, MOST) };
  useRecent.setState(recent);
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(recent));
}

function read(): RecentState {
  try {
    const kept = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null') as Partial<RecentState> | null;
    return { staff: kept?.staff, paths: Array.isArray(kept?.paths) ? kept.paths : [] };
  } catch {
    return { staff: undefined, paths: [] };
  }
}
