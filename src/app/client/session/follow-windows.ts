import { useSession } from '../../../kernel/client/session.ts';
import { useLock } from './lock-state.ts';
import { readToken } from './token-cookie.ts';
import { onWindowMessage } from './windows.ts';

/** Follows the other windows of this browser: sign-out, sign-in and lock take effect here too. */
export function followWindows(): void {
  onWindowMessage((message) => {
    switch (message.kind) {
      case 'signedOut':
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
      case 'active':
    }
  });
}
