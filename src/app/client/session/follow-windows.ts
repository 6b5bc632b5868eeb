import { forgetDrafts } from '../../../kernel/client/form/draft.ts';
import { useSession } from '../../../kernel/client/session.ts';
import { followLanguage } from '../language/switch-language.ts';
import { checkConnection } from './connection.ts';
import { useLock } from './lock-state.ts';
import { forgetPlaces } from './session-end.ts';
import { readToken } from './token-cookie.ts';
import { onWindowMessage } from './windows.ts';

/** Follows the other windows of this browser: sign-out, sign-in and lock take effect here too. */
export function followWindows(): void {
  showNothingOfEndedSessions();
  onWindowMessage((message) => {
    switch (message.kind) {
      case 'signedOut':
        forgetPlaces();
        if (message.left) forgetDrafts();
        if (useSession.getState().token) window.location.assign('/login');
        return;
      case 'signedIn':
        // The cookie now belongs to the other window's sign-in; calls with the old token would mix two staff.
        if (readToken() !== useSession.getState().token) window.location.reload();
        return;
      case 'locked':
        if (useSession.getState().token) useLock.setState({ locked: true });
        return;
      case 'unlocked':
        useLock.setState({ locked: false });
        return;
      case 'language':
        void followLanguage(message.language);
        return;
      case 'lost':
        checkConnection();
        return;
      // The stream's own business, and that of the lock.
      case 'news':
      case 'active':
    }
  });
}

/**
 * The browser may keep the whole page for its back button, with everything the staff saw on it. After the sign-out it is
 * put away blank, and one that comes back to another token or none starts anew.
 */
function showNothingOfEndedSessions(): void {
  window.addEventListener('pagehide', () => {
    if (readToken() === undefined) document.body.style.display = 'none';
  });
  window.addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    const token = readToken();
    if (token === undefined || token !== useSession.getState().token) window.location.reload();
  });
}
