import { useEffect } from 'react';
import { AppModal } from '../../../../kernel/client/parts/app-modal.tsx';
import { useText } from '../../../../kernel/client/language.ts';
import { useSession } from '../../../../kernel/client/session.ts';
import { textOf } from '../../../../kernel/contract/label.ts';
import { useLanguageStore } from '../../../../kernel/client/language.ts';
import { follow } from '../../navigation/navigator.ts';
import { productTitle } from '../../product-title.ts';
import { logOut } from '../../session/log-out.ts';
import { ChangePasswordForm } from './change-password-form.tsx';
import { SignInWays } from './sign-in-ways.tsx';

/** The empty frame while the password must be changed: a dialog without close button and nothing but signing out beside it. */
export function MustChangeFrame() {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const oneTime = useSession((state) => state.info?.oneTimePassword === true);
  const title = text(['修改密码', 'Change password']);
  useEffect(() => {
    document.title = `${title} - ${textOf(productTitle, language)}`;
  }, [title, language]);
  const onDone = () => {
    // The rules load the menus now and open the route that was typed.
    useSession.setState({ info: undefined });
    follow();
  };
  return (
    <div className="start-skeleton">
      <div className="start-side" />
      <div className="start-top" />
      <AppModal
        open
        title={title}
        width="max(30%, min(420px, 94vw))"
        closable={false}
        keyboard={false}
        footer={null}
        onCancel={() => {}}
      >
        <p className="info-line">
          {text(
            oneTime
              ? [
                  '您用一次性密码登录，请先设置自己的密码。',
                  'You signed in with a one-time password. Please choose your own one first.',
                ]
              : [
                  '首次登录、密码被重置或已过期，请先修改密码。',
                  'This is your first sign-in, or your password was reset or has expired. Please change it first.',
                ],
          )}
        </p>
        <ChangePasswordForm
          onDone={onDone}
          oneTime={oneTime}
          aside={
            <button type="button" className="link-button" onClick={() => void logOut()}>
              {text(['退出登录', 'Log out'])}
            </button>
          }
        />
        <SignInWays />
      </AppModal>
    </div>
  );
}
