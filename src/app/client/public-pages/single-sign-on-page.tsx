import { useEffect, useState } from 'react';
import { ApiError, call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { fill, textOf, type Label } from '../../../kernel/contract/label.ts';
import { useLanguageStore } from '../../../kernel/client/language.ts';
import { useSession } from '../../../kernel/client/session.ts';
import { go } from '../location/location.ts';
import { followTarget } from '../login/login-target.ts';
import { casTicket } from '../navigation/navigation.rules.ts';
import { ask, type Question } from '../notices/questions.ts';
import { keepToken, type TokenAnswer } from '../session/session-start.ts';
import { readUser } from '../session/stored-flags.ts';
import { presentWebClient } from '../session/web-client.ts';

const RETURN_MS = 5000;
const invalidText: Label = ['票据无效或已过期', 'Ticket invalid or expired'];

// Read while the module loads: the ticket leaves the address before anything else sees it.
const ticket = casTicket({ pathname: location.pathname, search: location.search });
window.history.replaceState(null, '', '/idmcas');
let started = false;

async function exchange(): Promise<Label | string | undefined> {
  if (!ticket) return invalidText;
  try {
    const body = { ticket };
    const answer = await call<TokenAnswer>('POST', '/api/auth/idmcas', {
      body,
      authorization: await presentWebClient(),
      whole: true,
      quiet: true,
    });
    const { access_token } = answer;
    if (!access_token) return answer.message || invalidText;
    keepToken({ ...answer, access_token });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.message) return error.message;
    return ['单点登录失败，请重新登录', 'Single sign-on failed, please sign in again'];
  }
}

/** Call-back of the single sign-on server: hands the ticket in once and opens the saved target. */
export default function SingleSignOnPage() {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const [failure, setFailure] = useState<Label | string>();
  useEffect(() => {
    if (started) return;
    started = true;
    void (async () => {
      const user = readUser();
      if (useSession.getState().token && user) {
        const stay = !(await ask(switchQuestion(user.name || user.username)));
        if (stay) return followTarget();
      }
      const problem = await exchange();
      if (problem !== undefined) return setFailure(problem);
      // Menus of the staff who was signed in before must not survive.
      useSession.setState({ info: undefined, tree: [], titles: {}, menus: {}, elements: {} });
      followTarget();
    })();
  }, []);
  useEffect(() => {
    if (failure === undefined) return;
    const timer = setTimeout(() => go('/login'), RETURN_MS);
    return () => clearTimeout(timer);
  }, [failure]);
  return (
    <main className="public-page">
      <div>
        <h1>{text(['单点登录', 'Single sign-on'])}</h1>
        {failure === undefined ? (
          <p role="status">{text(['正在登录…', 'Signing in…'])}</p>
        ) : (
          <>
            <p role="alert">{typeof failure === 'string' ? failure : textOf(failure, language)}</p>
            <button type="button" className="plain-button primary" onClick={() => go('/login')}>
              {text(['返回登录', 'Back to sign-in'])}
            </button>
          </>
        )}
      </div>
    </main>
  );
}

function switchQuestion(name: string): Question {
  return {
    title: ['单点登录', 'Single sign-on'],
    text: fill(['当前已登录为 {name}，是否切换？', 'You are signed in as {name}. Switch?'], { name }),
    confirm: ['切换', 'Switch'],
    cancel: ['不切换', 'Stay'],
  };
}
