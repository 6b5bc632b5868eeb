/** Browser and system of a user agent in a few words, such as `Chrome 128 / Windows`; the start of it when unknown. */
export function deviceOf(userAgent: string): string {
  const browser = BROWSERS.map(([name, pattern]) => ({ name, match: pattern.exec(userAgent) })).find(
    ({ match }) => match,
  );
  const system = SYSTEMS.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const parts = [browser ? `${browser.name} ${browser.match![1]}` : undefined, system].filter(
    (part) => part !== undefined,
  );
  return parts.length > 0 ? parts.join(' / ') : userAgent.slice(0, 60);
}

// Order matters: Edge and Opera call themselves Chrome, Chrome calls itself Safari, Android calls itself Linux.
const BROWSERS: readonly (readonly [string, RegExp])[] = [
  ['WeChat', /MicroMessenger\/(\d+)/],
  ['Edge', /Edg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /OPR\/(\d+)/],
  ['Firefox', /(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /(?:Chrome|CriOS)\/(\d+)/],
  ['Safari', /Version\/(\d+).*Safari\//],
];
const SYSTEMS: readonly (readonly [string, RegExp])[] = [
  ['Android', /Android/],
  ['iOS', /iPhone|iPad|iPod/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X|Macintosh/],
  ['Linux', /Linux|X11/],
];
