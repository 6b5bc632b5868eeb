import './consent.css';
import { useEffect, useEffectEvent, useState } from 'react';
import { ApiError, call } from '../../../kernel/client/api-client.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { useSession } from '../../../kernel/client/session.ts';
import { go } from '../location/location.ts';
import { useLock } from '../session/lock-state.ts';

interface Question {
  readonly client: { readonly name: string; readonly description: string };
  /** Host the answer is sent to. */
  readonly host: string;
  readonly staff: { readonly name: string; readonly username: string };
  readonly scopes: readonly { readonly scope: string; readonly words: string }[];
  /** Nobody needs to be asked. */
  readonly autoApproved: boolean;
  /** Set when the program made a mistake it is told about. */
  readonly redirectTo: string | null;
}

const names = [
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
];
const PATH = '/api/auth/oauth/authorize';

/** Consent page of an outside program: who asks, who is signed in, for what; approved scopes need no question. */
export function ConsentJob({ search }: { readonly search: string }) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const locked = useLock((state) => state.locked);
  const [question, setQuestion] = useState<Question>();
  const [failure, setFailure] = useState<Label>();
  const [busy, setBusy] = useState(false);
  const answer = async (decision: 'allow' | 'deny') => {
    setBusy(true);
    try {
      const body = { ...requestOf(search), decision };
      const { redirectTo } = await call<{ redirectTo: string }>('POST', PATH, { body, quiet: true });
      window.location.replace(redirectTo);
    } catch (error) {
      setBusy(false);
      setFailure(messageOf(error));
    }
  };
  useEffect(() => {
    // Behind the lock screen every call is refused.
    if (locked) return undefined;
    const abort = new AbortController();
    call<Question>('GET', PATH, { query: requestOf(search), signal: abort.signal, quiet: true }).then(
      (asked) => {
        if (asked.redirectTo !== null) window.location.replace(asked.redirectTo);
        else setQuestion(asked);
      },
      (error: unknown) => {
        if (!abort.signal.aborted && !useLock.getState().locked) setFailure(messageOf(error));
      },
    );
    return () => abort.abort();
  }, [search, language, locked]);
  const isAuto = question?.autoApproved === true;
  const allow = useEffectEvent(() => void answer('allow'));
  useEffect(() => {
    if (isAuto) allow();
  }, [isAuto]);
  if (failure !== undefined) return <PublicFailure message={text(failure)} />;
  if (!question || isAuto)
    return (
      <main className="public-page">
        <p role="status">{text(['正在跳转…', 'Redirecting…'])}</p>
      </main>
    );
  const { client, staff, scopes, host } = question;
  return (
    <main className="public-page">
      <div className="consent">
        <h1>
          {text(
            fill(['“{name}”申请使用您的账号', '"{name}" asks to use your account'], { name: client.name }),
          )}
        </h1>
        {client.description && <p className="quiet">{client.description}</p>}
        <p>
          {text(fill(['当前登录：{name}（{username}）', 'Signed in as {name} ({username})'], { ...staff }))}
        </p>
        <h2>{text(['同意后它可以', 'If you allow it, it can'])}</h2>
        <ul>
          {scopes.map((scope) => (
            <li key={scope.scope}>{scope.words}</li>
          ))}
        </ul>
        <p className="quiet">
          {text(
            fill(
              [
                '您将返回 {host}。可随时在个人中心的登录设备中收回授权。',
                'You return to {host}. You can take this back under devices in your profile at any time.',
              ],
              { host },
            ),
          )}
        </p>
        <div className="consent-buttons">
          <button type="button" className="plain-button" disabled={busy} onClick={() => void answer('deny')}>
            {text(['拒绝', 'Deny'])}
          </button>
          <button
            type="button"
            className="plain-button primary"
            disabled={busy}
            onClick={() => void answer('allow')}
          >
            {text(['同意', 'Allow'])}
          </button>
        </div>
      </div>
    </main>
  );
}

/** Error page of /authredirect: the window stays here, whatever address was asked for. */
export function PublicFailure({ message }: { readonly message: string }) {
  const text = useText();
  const signedIn = useSession((state) => state.token !== undefined);
  return (
    <main className="public-page">
      <div>
        <h1>{text(['授权跳转', 'Authorisation redirect'])}</h1>
        <p role="alert">{message}</p>
        <button type="button" className="plain-button primary" onClick={() => go(signedIn ? '/' : '/login')}>
          {signedIn ? text(['回到首页', 'Home']) : text(['返回登录', 'Back to sign-in'])}
        </button>
      </div>
    </main>
  );
}

/** The parameters of the request; a program may send others, which are ignored (RFC 6749). */
function requestOf(search: string): Readonly<Record<string, string>> {
  const query = new URLSearchParams(search);
  return Object.fromEntries(names.flatMap((name) => (query.has(name) ? [[name, query.get(name)!]] : [])));
}

function messageOf(error: unknown): Label {
  const message = error instanceof ApiError ? error.message : '';
  return message
    ? [message, message]
    : ['没有加载出来，请刷新页面重试', 'This could not be loaded, please reload the page'];
}
