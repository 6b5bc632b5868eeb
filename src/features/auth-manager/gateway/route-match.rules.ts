/** What of a published route decides where a call goes. */
export interface Matchable {
  readonly prefix: string;
  readonly methods: readonly string[];
  readonly position: number;
}

/** The route of a call: the longest prefix wins, then the order. Undefined for none. */
export function matchRoute<R extends Matchable>(
  routes: readonly R[],
  method: string,
  path: string,
): R | undefined {
  return routes
    .filter(
      (route) =>
        (path === route.prefix || path.startsWith(`${route.prefix}/`)) &&
        (route.methods.length === 0 || route.methods.includes(method)),
    )
    .sort((a, b) => b.prefix.length - a.prefix.length || a.position - b.position)[0];
}

/** False for paths that another program could read as another place: dots, doubled or encoded slashes, backslashes. */
export function isPlainPath(path: string): boolean {
  return !/\/\/|\\|%2f|%5c|%2e|%00|\/\.{1,2}(\/|$)/i.test(path) && /^\/[\x21-\x7e]*$/.test(path);
}

/** The path as the upstream gets it: the first segments are left out. */
export function strippedPath(path: string, strip: number): string {
  const segments = path.split('/').slice(1);
  return `/${segments.slice(Math.min(strip, segments.length)).join('/')}`;
}

/** A redirect of the upstream as the caller is told: below the prefix when it stays there, else as it is. */
export function rewrittenLocation(
  location: string,
  place: {
    readonly origin: string;
    readonly basePath: string;
    readonly prefix: string;
    readonly strip: number;
  },
): string {
  const isOwn = location.startsWith('/') && !location.startsWith('//');
  const isSame = location === place.origin || location.startsWith(`${place.origin}/`);
  if (!isOwn && !isSame) return location;
  let path = isOwn ? location : location.slice(place.origin.length) || '/';
  if (place.basePath !== '' && (path === place.basePath || path.startsWith(`${place.basePath}/`)))
    path = path.slice(place.basePath.length) || '/';
  const kept = place.prefix.split('/').slice(1).slice(0, place.strip);
  return kept.length === 0 ? path : `/${kept.join('/')}${path === '/' ? '' : path}`;
}
