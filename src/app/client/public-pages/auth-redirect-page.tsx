import { useEffect, useState } from 'react';
import { useText } from '../../../kernel/client/language.ts';
import { go, replacePlace } from '../location/location.ts';

const query = new URLSearchParams(location.search);
const STATE_KEY = 'authState';

type Job = 'consent' | 'popup' | 'ticket' | 'other';

function jobOfAddress(): Job {
  if (query.has('client_id')) return 'consent';
  if (window.opener && (query.has('code') || query.has('ticket'))) return 'popup';
  return query.has('ticket') ? 'ticket' : 'other';
}

/** What the pop-up hands to the window that opened it. */
export interface AuthRedirectMessage {
  readonly type: 'authredirect';
  readonly code: string | null;
  readonly ticket: string | null;
  readonly state: string | null;
}

/** Call-back of an outside sign-in in a pop-up; an application this product does not know gets an error page. */
export default function AuthRedirectPage() {
  const text = useText();
  const [job] = useState(jobOfAddress);
  const [badState, setBadState] = useState(false);
  useEffect(() => {
    if (job === 'popup') {
      const state = query.get('state');
      if (!isExpectedState(state)) return setBadState(true);
      const message: AuthRedirectMessage = {
        type: 'authredirect',
        code: query.get('code'),
        ticket: query.get('ticket'),
        state,
      };
      (window.opener as Window).postMessage(message, location.origin);
      window.close();
    } else if (job === 'ticket') {
      replacePlace(`/idmcas?ticket=${encodeURIComponent(query.get('ticket') ?? '')}`);
    } else if (job === 'other') {
      replacePlace('/login');
    }
  }, [job]);
  if (job !== 'consent' && !badState)
    return (
      <main className="public-page">
        <p role="status">{text(['正在登录…', 'Signing in…'])}</p>
      </main>
    );
  return (
    <main className="public-page">
      <div>
        <h1>{text(['授权跳转', 'Authorisation redirect'])}</h1>
        <p role="alert">
          {badState
            ? text(['登录状态不匹配，请重新发起登录', 'The sign-in state does not match, please start again'])
            : text(['未知的客户端', 'Unknown client'])}
        </p>
        <button type="button" className="plain-button primary" onClick={() => go('/login')}>
          {text(['返回登录', 'Back to sign-in'])}
        </button>
      </div>
    </main>
  );
}

function isExpectedState(state: string | null): boolean {
  try {
    const expected = (window.opener as Window).sessionStorage.getItem(STATE_KEY);
    return expected !== null && expected === state;
  } catch {
    // An opener of another origin is not ours to answer.
    return false;
  }
}
