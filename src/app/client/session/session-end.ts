import { clearSession } from '../../../kernel/client/session.ts';
import { forgetPlace } from '../login/kept-place.ts';
import { onEpochChange } from './permission-epoch.ts';
import { removeCookie } from './token-cookie.ts';
import { tellWindows } from './windows.ts';

/** Clears token, roles, menus, elements and permission menus here and in the other windows; calls no server. */
export function dropSession(): void {
  onEpochChange(undefined);
  removeCookie('Authorization');
  removeCookie('OverDay');
  forgetPlaces();
  clearSession();
  tellWindows({ kind: 'signedOut' });
}

/** Forgets where the staff has been in this window: addresses hold filters, and filters hold names and phones. */
export function forgetPlaces(): void {
  sessionStorage.removeItem('tabs');
  sessionStorage.removeItem('recentPaths');
  forgetPlace();
}
