import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { ApiError, call } from '../../../../kernel/client/api-client.ts';
import { instantFull } from '../../../../kernel/client/format.rules.ts';
import { tellFault } from '../../../../kernel/client/feedback.ts';
import { useText } from '../../../../kernel/client/language.ts';
import { fill } from '../../../../kernel/contract/label.ts';
import { PasswordField } from '../../login/password-field.tsx';
import { useClickGuard } from '../../login/use-click-guard.ts';
import { showNotice } from '../../notices/notices.ts';
import { encryptPassword } from '../../session/encrypt-password.ts';

/** The single sign-on account that opens the own account, as `GET /admin/profile` sends it. */
export interface SingleSignOn {
  readonly ssoAccount: string | null;
  readonly ssoSetAt: string | null;
  /** Name of who set it. */
  readonly ssoSetBy: string | null;
}

/** Which single sign-on account opens the own account, since when and by whom; it can be ended with the own password. */
export function SingleSignOnPart({ linked }: { readonly linked: SingleSignOn }) {
  const text = useText();
  const [open, setOpen] = useState(false);
  if (linked.ssoAccount === null) return null;
  return (
    <dl className="profile-settings">
      <dt>{text(['单点登录账号', 'Single sign-on account'])}</dt>
      <dd>
        <strong className="profile-sso">{linked.ssoAccount}</strong>
        {linked.ssoSetAt && (
          <p className="quiet">
            {text(
              fill(
                linked.ssoSetBy
                  ? ['{at} 由 {who} 设置', 'Set by {who} on {at}']
                  : ['{at} 设置', 'Set on {at}'],
                { at: instantFull(linked.ssoSetAt), who: linked.ssoSetBy ?? '' },
              ),
            )}
          </p>
        )}
        {open ? (
          <UnlinkForm onClose={() => setOpen(false)} />
        ) : (
          <button type="button" className="plain-button profile-unlink" onClick={() => setOpen(true)}>
            {text(['解除绑定', 'Unlink'])}
          </button>
        )}
      </dd>
    </dl>
  );
}

function UnlinkForm({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string>();
  const [guarded, guard] = useClickGuard();
  const unlink = async (event: FormEvent) => {
    event.preventDefault();
    if (guarded) return;
    guard();
    if (password === '') return setError(text(['请输入当前密码', 'Enter your current password']));
    try {
      const currentPassword = await encryptPassword(password, 'currentPassword');
      await call('POST', '/api/admin/profile/unlinkSso', { body: { currentPassword } });
      showNotice({ tone: 'success', text: ['已解除绑定', 'Unlinked'], duration: 2000 });
      await client.invalidateQueries({ queryKey: ['profile'] });
    } catch (failure) {
      tellFault(failure);
      if (failure instanceof ApiError) setError(failure.fields.currentPassword);
    }
  };
  return (
    <form className="profile-unlink" onSubmit={(event) => void unlink(event)} noValidate>
      <p>
        {text([
          '解除后，此账号不能再登录，您在其他设备上的登录立即结束。请用密码登录。',
          'It will no longer open your account, and your sign-ins on other devices end at once. Sign in with your password then.',
        ])}
      </p>
      <PasswordField
        id="unlink-password"
        label={text(['当前密码', 'Current password'])}
        value={password}
        error={error}
        autoComplete="current-password"
        onChange={(value) => {
          setPassword(value);
          setError(undefined);
        }}
      />
      <div className="question-buttons">
        <button type="button" className="plain-button" onClick={onClose}>
          {text(['取消', 'Cancel'])}
        </button>
        <button type="submit" className="plain-button primary" disabled={guarded}>
          {text(['解除绑定', 'Unlink'])}
        </button>
      </div>
    </form>
  );
}
