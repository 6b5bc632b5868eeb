import { run } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';

/** Content security policy of the page: everything from the own server, no inline script, only the named sites in frames. */
export function pagePolicy(frames: readonly string[]): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    `frame-src ${frames.length > 0 ? frames.join(' ') : "'none'"}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * Makes the question which sites the page may show in a frame: those of the link menus that open in one, and the hosts
 * allowed as jump targets, to which such a site may lead. A change counts within a second, on every instance. The page
 * waits for the database only briefly: without it the last answer stands.
 */
export function frameSites(platform: Pick<Platform, 'database' | 'settings'>): () => Promise<string[]> {
  let known: string[] = [];
  let askedAt = -Infinity;
  let underWay: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    const started = performance.now();
    const links = await run<{ url: string }>(
      platform.database.db,
      `SELECT DISTINCT url FROM menu WHERE type = 'link' AND open_in = 'frame' AND built AND NOT retired ORDER BY url`,
    );
    const hosts = await platform.settings.list('jump.allowed_hosts');
    const consoles = await Promise.all(
      CONSOLES.map(async (key) => siteOf(await platform.settings.text(key))),
    );
    known = [
      ...new Set([
        ...consoles.flat(),
        ...links.flatMap(({ url }) => siteOf(url)),
        ...hosts.flatMap((host) => siteOf(`https://${String(host)}`)),
      ]),
    ];
    askedAt = started;
  };
  return async () => {
    if (performance.now() - askedAt < FRESH_MS) return known;
    underWay ??= ask()
      .catch(() => {})
      .finally(() => (underWay = undefined));
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([underWay, new Promise((resolve) => (timer = setTimeout(resolve, LONGEST_WAIT_MS)))]);
    clearTimeout(timer);
    return known;
  };
}

/** Addresses of the outside consoles of monitoring. */
const CONSOLES = ['monitor.eureka_url', 'monitor.admin_url', 'monitor.zipkin_url'];
const FRESH_MS = 900;
const LONGEST_WAIT_MS = 300;

/** Scheme, host and port as a source of the policy; nothing for what is no address of a secure site. */
function siteOf(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { protocol, origin, hostname } = new URL(url);
  return protocol === 'https:' && /^[\w.-]+$|^\[[\da-f:]+\]$/i.test(hostname) ? [origin] : [];
}
