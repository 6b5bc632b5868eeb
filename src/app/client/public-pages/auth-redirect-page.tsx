import { useEffect, useState } from 'react';
import { useText } from '../../../kernel/client/language.ts';
import { replacePlace } from '../location/location.ts';
import { isConsent } from '../navigation/navigation.rules.ts';
import { ConsentJob, PublicFailure } from './consent-job.tsx';

/** Key of the window's session storage under which who opens a pop-up keeps the state it sent along. */
export const AUTH_STATE_KEY = 'authState';

/** What the pop-up hands to the window that opened it. */
export interface AuthRedirectMessage {
  readonly type: 'authredirect';
  readonly code: string | null;
  readonly ticket: string | null;
  readonly state: string | null;
}

/** Consent for an outside program, or the call-back of an outside sign-in in a pop-up. */
export default function AuthRedirectPage() {
  const [search] = useState(() => window.location.search);
  return isConsent(search) ? <ConsentJob search={search} /> : <HandOver search={search} />;
}

/** Hands code or ticket to the opener; without an opener a ticket goes to /idmcas, everything else to /login. */
function HandOver({ search }: { readonly search: string }) {
  const text = useText();
  const [badState, setBadState] = useState(false);
  useEffect(() => {
    const query = new URLSearchParams(search);
    const [code, ticket, state] = [query.get('code'), query.get('ticket'), query.get('state')];
    const opener = window.opener as Window | null;
    if (opener && (code !== null || ticket !== null)) {
      if (!takeState(opener, state)) return setBadState(true);
      const message: AuthRedirectMessage = { type: 'authredirect', code, ticket, state };
      opener.postMessage(message, window.location.origin);
      window.close();
    } else if (ticket !== null) {
      replacePlace(`/idmcas?ticket=${encodeURIComponent(ticket)}`);
    } else {
      replacePlace('/login');
    }
    return undefined;
  }, [search]);
  if (badState)
    return (
      <PublicFailure
        message={text([
          '登录状态不匹配，请重新发起登录',
          'The sign-in state does not match, please start again',
        ])}
      />
    );
  return (
    <main className="public-page">
      <p role="status">{text(['正在登录…', 'Signing in…'])}</p>
    </main>
  );
}

/** True when the opener waits for exactly this state; it is used up. */
function takeState(opener: Window, state: string | null): boolean {
  try {
    const expected = opener.sessionStorage.getItem(AUTH_STATE_KEY);
    if (expected === null || expected !== state) return false;
    opener.sessionStorage.removeItem(AUTH_STATE_KEY);
    return true;
  } catch {
    // An opener of another origin is not ours to answer.
    return false;
  }
}
