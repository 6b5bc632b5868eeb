import { Activity, memo, Suspense, useMemo } from 'react';
import { QueryClientProvider } from '@tanstack/react-query';
import { useSession } from '../../../../kernel/client/session.ts';
import { ViewContext, type View } from '../../../../kernel/client/view.ts';
import { go, replaceQuery } from '../../location/location.ts';
import { openToEverybody } from '../../navigation/navigation.rules.ts';
import { queryClient, uncachedClient } from '../query-client.ts';
import { productRoutes } from '../routes/product-routes.ts';
import { screenComponent } from '../routes/screen-component.tsx';
import type { RouteMatch } from '../routes/route-table.rules.ts';
import { change } from '../tabs/strip.rules.ts';
import { closeTabs } from '../tabs/tab-actions.ts';
import { useTabs } from '../tabs/tabs-store.ts';
import { NoAccessPage } from './no-access-page.tsx';
import { historyOf, pathOfMenu } from './path-of-menu.ts';
import { ScreenSkeleton } from './screen-skeleton.tsx';
import { ViewBoundary } from './view-boundary.tsx';

/** One live view: hidden views keep their state and make no calls; a failing one leaves the others alive. */
export const ViewFrame = memo(function ViewFrame({ path }: { readonly path: string }) {
  const active = useTabs((state) => state.active === path);
  const match = useMemo(() => productRoutes.find(path), [path]);
  return (
    <Activity mode={active ? 'visible' : 'hidden'} name={path}>
      <div className="view" data-view={path}>
        {match && <ViewContent path={path} match={match} active={active} />}
      </div>
    </Activity>
  );
});

function ViewContent(props: { readonly path: string; readonly match: RouteMatch; readonly active: boolean }) {
  const { path, active } = props;
  const { route, params } = props.match;
  const search = useTabs((state) => state.tabs.find((tab) => tab.path === path)?.search ?? '');
  const noCache = useTabs((state) => state.tabs.find((tab) => tab.path === path)?.noCache === true);
  const menus = useSession((state) => state.menus);
  const allowed = route.menu === undefined || menus[route.menu] === true || openToEverybody.includes(path);
  const lasting = useMemo<Omit<View, 'active'>>(
    () => ({
      path,
      menu: route.menu ?? route.screen.menu,
      params,
      query: new URLSearchParams(search),
      setQuery: (next) => {
        const text = next.toString();
        const query = text ? `?${text}` : '';
        useTabs.setState(change(useTabs.getState(), path, { search: query }));
        if (useTabs.getState().active === path) replaceQuery(query);
      },
      setTitle: (suffix) => setWhenDifferent(path, { suffix }),
      setDirty: (dirty) => setWhenDifferent(path, { dirty }),
      open: go,
      close: () => void closeTabs('this', path),
      mayOpen,
      pathOf: pathOfMenu,
      historyOf,
    }),
    [path, route, params, search],
  );
  const view = useMemo<View>(() => ({ ...lasting, active }), [lasting, active]);
  if (!allowed) return <NoAccessPage pathname={path} />;
  const Screen = screenComponent(route);
  return (
    <ViewContext value={view}>
      <QueryClientProvider client={noCache ? uncachedClient : queryClient}>
        <ViewBoundary route={route}>
          <Suspense fallback={<ScreenSkeleton />}>
            <Screen />
          </Suspense>
        </ViewBoundary>
      </QueryClientProvider>
    </ViewContext>
  );
}

function mayOpen(path: string): boolean {
  const route = productRoutes.find(path.split('?')[0]!)?.route;
  return (
    route !== undefined && (route.menu === undefined || useSession.getState().menus[route.menu] === true)
  );
}

function setWhenDifferent(
  path: string,
  values: { readonly suffix?: string; readonly dirty?: boolean },
): void {
  const strip = useTabs.getState();
  const tab = strip.tabs.find((one) => one.path === path);
  if (!tab) return;
  const isSame = Object.entries(values).every(([key, value]) => tab[key as 'suffix' | 'dirty'] === value);
  if (!isSame) useTabs.setState(change(strip, path, values));
}
