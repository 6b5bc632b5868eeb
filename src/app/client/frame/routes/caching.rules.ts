import type { HeldMenu } from '../../../../kernel/client/session.ts';
import type { Route } from './route-table.rules.ts';

/** Routes of the specification that are rebuilt at every visit whoever opens them. */
const neverCached = ['/operReport/ProOperDetail', '/operReport/operDetail'];

type Caching = Pick<HeldMenu, 'code' | 'noCache' | 'subCache' | 'modeOf'>;

/**
 * True when the view of a path is rebuilt at every visit. A page marked noCache that belongs to another one (a detail, a
 * form) is kept all the same when its owner is marked subCache.
 */
export function isUncached(
  pathname: string,
  route: Pick<Route, 'pattern' | 'menu'> | undefined,
  held: readonly Caching[],
): boolean {
  if (neverCached.includes(pathname)) return true;
  const of = (code: string | null | undefined) => held.find((menu) => menu.code === code);
  const menu = of(route?.menu);
  if (menu?.noCache !== true) return false;
  const owner = menu.modeOf ? of(menu.modeOf) : pathname === route?.pattern ? undefined : menu;
  return owner?.subCache !== true;
}
