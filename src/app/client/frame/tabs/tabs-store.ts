import { create } from 'zustand';
import { useSession } from '../../../../kernel/client/session.ts';
import { readToken } from '../../session/token-cookie.ts';
import { frameSetting } from '../frame-setting.ts';
import { emptyStrip, leave, visit, type Strip, type Tab } from './strip.rules.ts';

const STORAGE_KEY = 'tabs';

/** The strip of this window. */
export const useTabs = create<Strip>(() => emptyStrip);

/** Shows a path in its tab. Without a query the tab keeps the one it has; returns the query it has now. */
export function visitTab(path: string, search: string, noCache: boolean): string {
  restoreTabs();
  const strip = useTabs.getState();
  const known = strip.tabs.find((tab) => tab.path === path);
  const query = search === '' && known ? known.search : search;
  useTabs.setState(
    visit(strip, { path, search: query, noCache }, Number(frameSetting('frame.tabs.live_max'))),
  );
  return query;
}

/** Shows a page without tab. */
export function leaveTabs(): void {
  restoreTabs();
  useTabs.setState(leave(useTabs.getState()));
}

type Kept = Pick<Tab, 'path' | 'search' | 'suffix' | 'pinned'>;

let restoredFor: string | undefined;

/** Brings the tabs of the staff back after a reload, not yet alive. Once per sign-in. */
function restoreTabs(): void {
  const staff = useSession.getState().info?.id;
  if (!staff || restoredFor === staff) return;
  restoredFor = staff;
  useTabs.setState(emptyStrip);
  try {
    const kept = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null') as {
      staff: string;
      tabs: Kept[];
    } | null;
    if (kept?.staff !== staff) return;
    const tabs = kept.tabs.map((tab, index): Tab => ({
      ...tab,
      dirty: false,
      live: false,
      noCache: false,
      generation: index,
      usedAt: 0,
    }));
    useTabs.setState({ ...emptyStrip, tabs, clock: tabs.length });
  } catch {
    // Written by another release of the page: start with an empty strip.
  }
}

let keptTabs = '';

useTabs.subscribe(({ tabs }) => {
  const staff = useSession.getState().info?.id;
  if (!staff || restoredFor !== staff) return;
  const kept = tabs.map(({ path, search, suffix, pinned }): Kept => ({ path, search, suffix, pinned }));
  const text = JSON.stringify({ staff, tabs: kept });
  if (text === keptTabs) return;
  keptTabs = text;
  // Written once the tab is painted, or when the page is left.
  writing ??= setTimeout(writeTabs, WRITE_MS);
});

const WRITE_MS = 250;
let writing: ReturnType<typeof setTimeout> | undefined;

function writeTabs(): void {
  if (writing === undefined) return;
  clearTimeout(writing);
  writing = undefined;
  // Signed out meanwhile, here or in another window: what was forgotten is not written again.
  if (readToken() === undefined) return;
  sessionStorage.setItem(STORAGE_KEY, keptTabs);
}

window.addEventListener('pagehide', writeTabs);
