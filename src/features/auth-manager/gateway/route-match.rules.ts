/** What of a published route decides where a call goes. */
export interface Matchable {
  readonly prefix: string;
  readonly methods: readonly string[];
  readonly position: number;
}

/**
 * The route of a call: the longest prefix wins, then the order. Undefined for none, and where the prefix is written in other
 * letters: many programs make no difference, so that a shorter prefix must not take such a call.
 */
export function matchRoute<R extends Matchable>(
  routes: readonly R[],
  method: string,
  path: string,
): R | undefined {
  const below = (text: string, prefix: string) => text === prefix || text.startsWith(`${prefix}/`);
  const lower = path.toLowerCase();
  const [found] = routes
    .filter(
      (route) =>
        below(lower, route.prefix.toLowerCase()) &&
        (route.methods.length === 0 || route.methods.includes(method)),
    )
    .sort(
      (a, b) =>
        b.prefix.length - a.prefix.length ||
        Number(below(path, b.prefix)) - Number(below(path, a.prefix)) ||
        a.position - b.position,
    );
  return found && below(path, found.prefix) ? found : undefined;
}

// What nobody has to write encoded: letters, digits and - . _ ~. Written so it means the same place as plain, past the prefixes.
const NEEDLESS = /%(2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/i;

/**
 * False for paths that another program could read as another place: dots, doubled or encoded slashes, backslashes, parameters
 * of segments (some programs leave them out), needless encoding.
 */
export function isPlainPath(path: string): boolean {
  return (
    !/\/\/|\\|;|%3b|%2f|%5c|%00|\/\.{1,2}(\/|$)/i.test(path) &&
    !NEEDLESS.test(path) &&
    /^\/[\x21-\x7e]*$/.test(path)
  );
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
