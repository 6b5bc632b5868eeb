import './login.css';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { tellFault } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { isPasswordTooLong, passwordTexts } from '../../../kernel/contract/password.rules.ts';
import { productTitle } from '../product-title.ts';
import { prepareEncryption } from '../session/encrypt-password.ts';
import { showNotice } from '../notices/notices.ts';
import { ForgottenPassword } from './forgotten-password.tsx';
import { LanguageLinks } from './language-links.tsx';
import { LoginPicture } from './login-picture.tsx';
import { followTarget } from './login-target.ts';
import { PasswordField } from './password-field.tsx';
import { preloadFrame } from './preload-frame.ts';
import { signIn } from './sign-in.ts';
import { SingleSignOnLink } from './single-sign-on-link.tsx';
import { useClickGuard } from './use-click-guard.ts';
import { useVerification } from './verification.ts';
import { VerificationField } from './verification-field.tsx';

/** Sign-in page: light, without the component library; the frame is fetched while the staff types. */
export function LoginPage() {
  const text = useText();
  const verification = useVerification();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [missing, setMissing] = useState<readonly ('username' | 'password' | 'long')[]>([]);
  const [busy, setBusy] = useState(false);
  const [guarded, guard] = useClickGuard();
  const [forgotten, setForgotten] = useState(false);
  const usernameInput = useRef<HTMLInputElement>(null);
  const passwordInput = useRef<HTMLInputElement>(null);
  const codeInput = useRef<HTMLInputElement>(null);
  useEffect(() => preloadFrame(), []);
  useEffect(() => usernameInput.current?.focus({ preventScroll: true }), []);

  const startAgain = () => {
    verification.refresh();
    setCode('');
    (codeInput.current ?? passwordInput.current)?.focus();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy || guarded) return;
    const name = username.trim();
    guard();
    const bad = [...(name === '' ? (['username'] as const) : []), ...passwordProblems(password)];
    setMissing(bad);
    if (bad[0]) return (bad[0] === 'username' ? usernameInput : passwordInput).current?.focus();
    setBusy(true);
    try {
      const refused = await signIn({ username: name, password, code });
      if (refused === undefined) return followTarget();
      showNotice({ tone: 'warning', text: refused, duration: 2000 });
      startAgain();
    } catch (error) {
      tellFault(error);
      startAgain();
    } finally {
      setBusy(false);
    }
  };

  return (
    <div className="login">
      <header className="login-side">
        <p className="login-product">
          <img src="/favicon.svg" width={40} height={40} alt="" />
          <span>{text(productTitle)}</span>
        </p>
        <LoginPicture />
        <p className="login-words">
          {text(['物业服务与社区商业，一个后台', 'Property service and community retail in one office'])}
        </p>
      </header>
      <main className="login-main">
        <div className="login-top">
          <LanguageLinks />
        </div>
        <form
          className="login-form"
          onSubmit={(event) => void submit(event)}
          onInput={prepareEncryption}
          noValidate
        >
          <h1>{text(['登录', 'Sign in'])}</h1>
          <div className="field">
            <label htmlFor="username">{text(['用户名', 'Username'])}</label>
            <div className={missing.includes('username') ? 'input-box bad' : 'input-box'}>
              <input
                id="username"
                ref={usernameInput}
                name="username"
                value={username}
                autoComplete="username"
                autoCapitalize="off"
                spellCheck={false}
                placeholder={text(['请输入用户名', 'Please enter the username'])}
                aria-invalid={missing.includes('username')}
                aria-describedby="username-message"
                onChange={(event) => {
                  setUsername(event.target.value);
                  setMissing(missing.filter((one) => one !== 'username'));
                }}
                onBlur={() => setUsername(username.trim())}
              />
            </div>
            <p
              className="field-message"
              id="username-message"
              role={missing.includes('username') ? 'alert' : undefined}
            >
              {missing.includes('username') && text(['请输入用户名', 'Please enter the username'])}
            </p>
          </div>
          <PasswordField
            id="password"
            label={text(['密码', 'Password'])}
            placeholder={text(['请输入密码', 'Please enter the password'])}
            value={password}
            error={
              missing.includes('password')
                ? text(['请输入密码', 'Please enter the password'])
                : missing.includes('long')
                  ? text(passwordTexts.long)
                  : undefined
            }
            autoComplete="current-password"
            inputRef={passwordInput}
            onChange={(value) => {
              setPassword(value);
              setMissing(missing.filter((one) => one === 'username'));
            }}
          />
          {verification.required && (
            <VerificationField
              id="code"
              verification={verification}
              value={code}
              error={undefined}
              inputRef={codeInput}
              onChange={setCode}
            />
          )}
          <button
            type="submit"
            className="plain-button primary login-submit"
            disabled={busy || guarded}
            aria-busy={busy}
          >
            {text(['登录', 'Sign in'])}
          </button>
          <p className="login-links">
            <button type="button" className="link-button" onClick={() => setForgotten(true)}>
              {text(['忘记密码', 'Forgot password'])}
            </button>
            <SingleSignOnLink />
          </p>
        </form>
      </main>
      {forgotten && (
        <ForgottenPassword
          onClose={() => {
            setForgotten(false);
            // Both forms share one image cookie.
            verification.refresh();
            setCode('');
          }}
        />
      )}
    </div>
  );
}

function passwordProblems(password: string): readonly ('password' | 'long')[] {
  if (password === '') return ['password'];
  return isPasswordTooLong(password) ? ['long'] : [];
}
