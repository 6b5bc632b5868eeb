import { go } from '../location/location.ts';
import { safeTarget } from '../navigation/navigation.rules.ts';
import { takePlace } from './kept-place.ts';

const STORAGE_KEY = 'signInTarget';

/** Keeps the redirect target while the window is away at the single sign-on server. */
export function keepTarget(): void {
  sessionStorage.setItem(STORAGE_KEY, targetOfAddress());
}

/**
 * Follows the redirect target of the address, or the kept one, or `/`. The page on which a session ended is given back with
 * its query once it is known who signed in.
 */
export function followTarget(): void {
  const kept = sessionStorage.getItem(STORAGE_KEY);
  sessionStorage.removeItem(STORAGE_KEY);
  const target = targetOfAddress();
  window.history.replaceState(null, '', '/');
  go(target === '/' ? safeTarget(kept) : target);
}

function targetOfAddress(): string {
  const target = new URLSearchParams(window.location.search).get('redirect');
  return safeTarget(target && (takePlace(target, null) ?? target));
}
