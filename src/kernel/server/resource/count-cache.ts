import type { Platform } from '../platform.ts';

interface Entry {
  readonly changes: number;
  readonly until: number;
  readonly value: Promise<number>;
}

const KEEP_MS = 1_000;
const MAX_ENTRIES = 2_000;
const caches = new WeakMap<Platform, Map<string, Entry>>();

/**
 * Counts are asked again and again by the same screens. A count is kept for a second and dropped at once when rows of
 * the resource change in this process or (by notification) in another one. The key must hold the caller's scope.
 */
export function countCache(
  platform: Platform,
  resource: string,
  key: string,
  count: () => Promise<number>,
): Promise<number> {
  let cache = caches.get(platform);
  if (!cache) caches.set(platform, (cache = new Map()));
  const full = `${resource}|${key}`;
  const now = Date.now();
  const changes = platform.changeCount(resource);
  const found = cache.get(full);
  if (found && found.until > now && found.changes === changes) return found.value;
  if (cache.size >= MAX_ENTRIES) cache.clear();
  const value = count();
  cache.set(full, { changes, until: now + KEEP_MS, value });
  value.catch(() => cache.delete(full));
  return value;
}
