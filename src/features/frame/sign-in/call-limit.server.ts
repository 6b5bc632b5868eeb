/** How many calls of one key are let through in which time. */
export interface CallLimit {
  readonly most: number;
  readonly milliseconds: number;
}

/**
 * Counts calls by key in this process. The function returns 0 and counts, or the seconds to wait.
 * Guards cheap calls against floods; what must hold exactly is counted in the database.
 */
export function callLimit(limit: CallLimit): (key: string) => number {
  const windows = new Map<string, { since: number; count: number }>();
  return (key) => {
    const now = performance.now();
    let window = windows.get(key);
    if (!window || now - window.since >= limit.milliseconds) {
      if (windows.size >= MOST_KEYS) windows.clear();
      window = { since: now, count: 0 };
      windows.set(key, window);
    }
    if (window.count >= limit.most)
      return Math.max(1, Math.ceil((window.since + limit.milliseconds - now) / 1000));
    window.count++;
    return 0;
  };
}

const MOST_KEYS = 20_000;
