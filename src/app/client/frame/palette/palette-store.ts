import { create } from 'zustand';
import { useSession } from '../../../../kernel/client/session.ts';

const STORAGE_KEY = 'recentPaths';
const MOST = 10;

interface RecentState {
  /** Paths of the last visited menus, newest first. */
  readonly paths: readonly string[];
}

/** Last visited menus of this window, for the empty palette. */
export const useRecent = create<RecentState>(() => ({ paths: read() }));

/** Notes a visited menu. */
export function noteRecent(path: string): void {
  if (path === '/dashboard' || !useSession.getState().info) return;
  const paths = [path, ...useRecent.getState().paths.filter((one) => one !== path)].slice(0, MOST);
  useRecent.setState({ paths });
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(paths));
}

function read(): readonly string[] {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]') as string[];
  } catch {
    return [];
  }
}
