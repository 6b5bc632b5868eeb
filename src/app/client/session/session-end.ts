import { clearSession } from '../../../kernel/client/session.ts';
import { onEpochChange } from './permission-epoch.ts';
import { removeCookie } from './token-cookie.ts';
import { tellWindows } from './windows.ts';

/** Clears token, roles, menus, elements and permission menus here and in the other windows; calls no server. */
export function dropSession(): void {
  onEpochChange(undefined);
  removeCookie('Authorization');
  removeCookie('OverDay');
  sessionStorage.removeItem('tabs');
  clearSession();
  tellWindows({ kind: 'signedOut' });
}
