import { call } from '../../../kernel/client/api-client.ts';
import { useSession } from '../../../kernel/client/session.ts';
import { encryptPassword } from '../session/encrypt-password.ts';
import { useLock } from '../session/lock-state.ts';
import { tellWindows } from '../session/windows.ts';

/** Locks this and every other window of the browser; the cover is shown at once, the server follows. */
export async function lockScreen(): Promise<void> {
  if (useLock.getState().locked || !useSession.getState().token) return;
  useLock.setState({ locked: true });
  tellWindows({ kind: 'locked' });
  await call('POST', '/api/auth/session/lock', { quiet: true }).catch(() => {});
}

/** Unlocks with the staff's password. Rejects with ApiError when it is wrong. */
export async function unlockScreen(password: string): Promise<void> {
  await call('POST', '/api/auth/session/unlock', {
    body: { password: await encryptPassword(password, 'password') },
    quiet: true,
  });
  useLock.setState({ locked: false });
  tellWindows({ kind: 'unlocked' });
}
