import { useText } from '../../../../kernel/client/language.ts';
import { useSession } from '../../../../kernel/client/session.ts';

/** What besides the password opens the account: somebody else gave it, so its owner should look at it before working with it. */
export function SignInWays() {
  const text = useText();
  const ways = useSession((state) => state.info?.signInWays);
  if (!ways?.phone && !ways?.ssoAccount) return null;
  return (
    <section className="info-line sign-in-ways">
      <p>
        {text([
          '以下方式也能登录此账号，如不是您本人的，请立即联系管理员',
          'These can also sign in to this account; if they are not yours, tell an administrator at once',
        ])}
      </p>
      <dl>
        {ways.phone && (
          <>
            <dt>{text(['手机号（找回密码）', 'Phone (password reset)'])}</dt>
            <dd>{ways.phone}</dd>
          </>
        )}
        {ways.ssoAccount && (
          <>
            <dt>{text(['单点登录账号', 'Single sign-on account'])}</dt>
            <dd>{ways.ssoAccount}</dd>
          </>
        )}
      </dl>
    </section>
  );
}
