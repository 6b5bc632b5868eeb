const DAY = 86_400_000;

/**
 * Days until a password expires, rounded up: 0 or negative once it has. Null when passwords never expire (`expiryDays` 0).
 * Instants are milliseconds since the epoch. Source: ground rules section 3, cookie OverDay.
 */
export function passwordDaysLeft(changedAt: number, expiryDays: number, now: number): number | null {
  if (!(expiryDays > 0)) return null;
  const left = (changedAt + expiryDays * DAY - now) / DAY;
  // `|| 0` turns -0 into 0.
  return Math.ceil(left) || 0;
}
