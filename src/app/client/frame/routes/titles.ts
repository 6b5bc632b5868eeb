import type { Label } from '../../../../kernel/contract/label.ts';
import { useSession } from '../../../../kernel/client/session.ts';
import { productRoutes } from './product-routes.ts';
import { useScreenFacts } from './screen-facts.ts';

/** Title of the home page. */
export const homeTitle: Label = ['首页', 'Home'];

/** A hook that returns the title of a path: the menu's, else what the loaded screen calls itself, else the code. */
export function useTitleOf(): (pathname: string) => Label {
  const titles = useSession((state) => state.titles);
  const facts = useScreenFacts((state) => state.facts);
  return (pathname) => {
    if (pathname === '/dashboard') return homeTitle;
    const link = /^\/link\/(\w+)$/.exec(pathname)?.[1];
    const linkTitle = link === undefined ? undefined : titles[link];
    if (linkTitle) return [linkTitle.title, linkTitle.titleEn || linkTitle.title];
    const match = productRoutes.find(pathname);
    const route = match?.route;
    if (!route?.menu) return [pathname, pathname];
    const mode = facts[route.pattern]?.modes?.[match?.params.mode as 'add'];
    if (mode) return mode;
    // A route with its own entry in the menus (a detail) has its own title.
    const own = titles[route.pattern.split('/')[2] ?? ''];
    const title = own ?? facts[route.pattern]?.title ?? titles[route.menu];
    if (!title) return [route.menu, route.menu];
    return 'title' in title ? [title.title, title.titleEn || title.title] : title;
  };
}
