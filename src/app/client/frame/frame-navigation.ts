import { currentLanguage } from '../../../kernel/client/language.ts';
import { useSession } from '../../../kernel/client/session.ts';
import { installLocaleLoader } from '../language/switch-language.ts';
import { replaceQuery } from '../location/location.ts';
import type { FrameNavigation } from '../navigation/navigator.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { preferenceQuery } from '../../../kernel/client/preference.ts';
import { readMustChange } from '../session/stored-flags.ts';
import { closeLayersBeforeNavigation } from './close-layers.ts';
import { loadLocales } from './language/locales.ts';
import { noteRecent } from './palette/palette-store.ts';
import { queryClient } from './query-client.ts';
import { isUncached } from './routes/caching.rules.ts';
import { productRoutes } from './routes/product-routes.ts';
import { preloadScreen } from './routes/screen-component.tsx';
import { leaveTabs, useTabs, visitTab } from './tabs/tabs-store.ts';

/** The frame's part of the navigation: route table and tabs. */
export const frameNavigation: FrameNavigation = {
  prepare: async () => {
    installLocaleLoader(loadLocales);
    fetchScreen(window.location.pathname);
    fetchPreferences();
    await loadLocales(currentLanguage());
  },
  find: (pathname) => {
    const route = productRoutes.find(pathname)?.route;
    return route && { menu: route.menu };
  },
  isOpen: (pathname) => useTabs.getState().tabs.some((tab) => tab.path === pathname),
  visit: ({ pathname, search }) => {
    const route = productRoutes.find(pathname)?.route;
    const menu = route?.menu;
    if (useTabs.getState().active !== pathname) {
      closeLayersBeforeNavigation();
      if (menu) countVisit(menu);
    }
    const held = useSession.getState().info?.menus ?? [];
    const query = visitTab(pathname, search, isUncached(pathname, route, held));
    if (query !== search) replaceQuery(query);
    noteRecent(pathname);
  },
  leave: () => {
    closeLayersBeforeNavigation();
    leaveTabs();
  },
};

/** Fetches the code of the first screen beside the session its drawing waits for. */
function fetchScreen(pathname: string): void {
  const match = productRoutes.find(pathname === '/' ? '/dashboard' : pathname);
  if (match) preloadScreen(match.route);
}

/** Lists wait for the preferences: a page that is loaded signed in asks for them beside the session. */
function fetchPreferences(): void {
  if (useSession.getState().token === undefined || readMustChange() === 'true') return;
  void queryClient.prefetchQuery(preferenceQuery);
}

/** Visits make the default shortcuts of the home page; a lost one harms nobody. */
function countVisit(menu: string): void {
  if (!useSession.getState().menus[menu]) return;
  const count = () =>
    void call('POST', '/api/admin/profile/visit', { body: { menu }, quiet: true }).catch(() => {});
  // The screen is shown first. Safari has no idle callback.
  if (typeof requestIdleCallback === 'function') requestIdleCallback(count, { timeout: 2000 });
  else setTimeout(count, 300);
}
