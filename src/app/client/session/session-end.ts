import { forgetDrafts } from '../../../kernel/client/form/draft.ts';
import { clearSession } from '../../../kernel/client/session.ts';
import { forgetPlace } from '../login/kept-place.ts';
import { onEpochChange } from './permission-epoch.ts';
import { forgetUser } from './stored-flags.ts';
import { removeCookie } from './token-cookie.ts';
import { tellWindows } from './windows.ts';

/**
 * Clears token, roles, menus, elements and permission menus here and in the other windows; calls no server. `left`: by its
 * own will, after which nothing of the person stays in the browser; a session that was ended keeps its drafts for later.
 */
export function dropSession(left = false): void {
  if (left) forgetDrafts();
  forgetUser();
  onEpochChange(undefined);
  removeCookie('Authorization');
  removeCookie('OverDay');
  forgetPlaces();
  clearSession();
  tellWindows({ kind: 'signedOut', left });
}

/** Forgets where the staff has been in this window: addresses hold filters, and filters hold names and phones. */
export function forgetPlaces(): void {
  sessionStorage.removeItem('tabs');
  sessionStorage.removeItem('recentPaths');
  forgetPlace();
}
