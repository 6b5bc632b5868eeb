import type { GroupSpec, ScreenSpec } from '../../../../kernel/contract/group.ts';
import { impliedModes } from '../../location/open-path.rules.ts';

/** A route of the product: its pattern and the screen behind it. */
export interface Route {
  /** Full path with `:name` parameters. */
  readonly pattern: string;
  /** Authority code; undefined: every staff. */
  readonly menu: string | undefined;
  readonly screen: ScreenSpec;
}

/** A route a path belongs to, with the values of its parameters. */
export interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Looks paths up. */
export interface RouteTable {
  find(pathname: string): RouteMatch | undefined;
  /** Routes of a menu without parameters, in the order of the groups. */
  ofMenu(menu: string): readonly Route[];
  readonly routes: readonly Route[];
}

/** Builds the table of all groups. `open` are routes every staff may open. */
export function buildRouteTable(groups: readonly GroupSpec[], open: readonly Route[]): RouteTable {
  const declared = groups.flatMap((group) =>
    group.screens.map((screen): Route => {
      const pattern = `${group.path}/${screen.path ?? screen.menu}`.replace(/\/{2,}/g, '/');
      return { pattern, menu: screen.menu, screen };
    }),
  );
  const routes = [...open, ...declared];
  const fixed = new Map(
    routes.filter((route) => !route.pattern.includes(':')).map((route) => [route.pattern, route]),
  );
  const withParameters = routes
    .filter((route) => route.pattern.includes(':'))
    .map((route) => ({ route, segments: route.pattern.split('/') }));

  const find = (pathname: string): RouteMatch | undefined => {
    const route = fixed.get(pathname);
    if (route) return { route, params: {} };
    const segments = pathname.split('/');
    for (const candidate of withParameters) {
      const params = matchSegments(candidate.segments, segments);
      if (params) return { route: candidate.route, params };
    }
    const [id, mode] = [segments.at(-1), segments.at(-2)];
    const parent = fixed.get(segments.slice(0, -2).join('/'));
    if (parent && id && mode && impliedModes.includes(mode))
      return { route: parent, params: { mode, id: decode(id) } };
    return undefined;
  };
  return {
    find,
    ofMenu: (menu) => declared.filter((route) => route.menu === menu && !route.pattern.includes(':')),
    routes,
  };
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index]!;
    if (part.startsWith(':')) {
      if (segment === '') return undefined;
      params[part.slice(1)] = decode(segment);
    } else if (part !== segment) return undefined;
  }
  return params;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
