import { call } from '../../../kernel/client/api-client.ts';
import { useSession } from '../../../kernel/client/session.ts';
import { dropSession } from './session-end.ts';

const WAIT_MS = 3000;

/** Signs out at the server, clears everything even if that call fails, and starts the page anew. */
export async function logOut(): Promise<void> {
  const token = useSession.getState().token?.replace(/^Bearer /, '');
  if (token) {
    const query = { access_token: token };
    await call('POST', '/api/auth/oauth/remove/token', { query, quiet: true, timeout: WAIT_MS }).catch(
      () => {},
    );
  }
  dropSession(true);
  window.location.assign('/login');
}

/** Signs out at the server beside a page that is about to be left: nobody waits for the answer, nothing is shown. */
export function giveTokenBack(): void {
  const token = useSession.getState().token;
  if (!token) return;
  const path = `/api/auth/oauth/remove/token?access_token=${encodeURIComponent(token.replace(/^Bearer /, ''))}`;
  void fetch(path, { method: 'POST', keepalive: true }).catch(() => {});
}
