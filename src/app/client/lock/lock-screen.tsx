import './lock-screen.css';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { ApiError, timeoutText } from '../../../kernel/client/api-client.ts';
import { tellFault } from '../../../kernel/client/feedback.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { useEscape } from '../../../kernel/client/parts/use-escape.ts';
import { PasswordField } from '../login/password-field.tsx';
import { useClickGuard } from '../login/use-click-guard.ts';
import { logOut } from '../session/log-out.ts';
import { readUser } from '../session/stored-flags.ts';
import { unlockScreen } from './lock-actions.ts';

/** Opaque cover of a locked screen; everything behind is inert until the right password. */
export default function LockScreen() {
  const text = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [guarded, guard] = useClickGuard(1000);
  // Only the password opens it; what is open below must not see the key either.
  useEscape(true, () => {});
  const user = readUser();
  const name = user?.name || user?.username || '';
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    element?.querySelector('input')?.focus();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy || guarded) return;
    guard();
    if (password === '') return setProblem(text(['请输入密码', 'please enter the password']));
    setBusy(true);
    try {
      await unlockScreen(password);
    } catch (error) {
      if (!(error instanceof ApiError)) {
        // Nobody judged the password: a part of the page could not be loaded.
        tellFault(error);
        setProblem(text(['暂时无法解锁，请刷新页面后重试', 'This cannot be unlocked now; reload the page']));
        return;
      }
      setProblem(error.fields.password || error.message || text(timeoutText));
      setPassword('');
      dialog.current?.querySelector('input')?.focus();
    } finally {
      setBusy(false);
    }
  };
  return (
    <dialog
      ref={dialog}
      className="lock"
      aria-labelledby="lock-title"
      onCancel={(event) => event.preventDefault()}
    >
      <div className="lock-box">
        <Clock />
        <span className="lock-initial" aria-hidden="true">
          {Array.from(name)[0] ?? '·'}
        </span>
        <h1 id="lock-title">{name}</h1>
        <p className="quiet">{text(['屏幕已锁定', 'Screen is locked'])}</p>
        <form onSubmit={(event) => void submit(event)}>
          <PasswordField
            id="lock-password"
            label={text(['密码', 'Password'])}
            value={password}
            error={problem}
            autoComplete="current-password"
            onChange={(value) => {
              setPassword(value);
              setProblem(undefined);
            }}
          />
          <button type="submit" className="plain-button primary" disabled={busy}>
            {text(['解锁', 'Unlock'])}
          </button>
        </form>
        <button type="button" className="link-button" onClick={() => void logOut()}>
          {text(['退出登录', 'Log out'])}
        </button>
      </div>
    </dialog>
  );
}

/** The product's clock is that of its business, wherever the computer stands. */
const BUSINESS = { timeZone: 'Asia/Shanghai' } as const;

function Clock() {
  const language = useLanguageStore((state) => state.language);
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 1000);
    return () => clearInterval(timer);
  }, []);
  const locale = language === 'zh' ? 'zh-CN' : 'en-GB';
  return (
    <>
      <time className="lock-time">
        {now.toLocaleTimeString(locale, { ...BUSINESS, hour: '2-digit', minute: '2-digit' })}
      </time>
      <p className="quiet">
        {now.toLocaleDateString(locale, { ...BUSINESS, month: 'long', day: 'numeric', weekday: 'long' })}
      </p>
    </>
  );
}
