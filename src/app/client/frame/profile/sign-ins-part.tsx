import { useState } from 'react';
import { instantFull } from '../../../../kernel/client/format.rules.ts';
import { useText } from '../../../../kernel/client/language.ts';
import type { Label } from '../../../../kernel/contract/label.ts';
import { signInWays } from '../../../../features/frame/sign-in/sign-in-ways.rules.ts';
import { ProfileQuery } from './profile-query.tsx';

interface SignIn {
  readonly id: string;
  readonly at: string;
  readonly address: string;
  readonly device: string;
  readonly result: string;
  /** `password` or `sso`; null before this was kept. */
  readonly way: string | null;
}

const results: Readonly<Record<string, Label>> = {
  success: ['成功', 'Succeeded'],
  wrong_password: ['密码错误', 'Wrong password'],
  wrong_code: ['验证码错误', 'Wrong verification code'],
  disabled: ['账户已停用', 'Account is disabled'],
  locked: ['失败次数过多', 'Too many failures'],
  not_on_whitelist: ['地址不允许', 'Address not allowed'],
  lapsed: ['一次性密码已失效', 'One-time password had lapsed'],
  address_limit: ['地址受限', 'Address limited'],
};

interface Answer {
  readonly total: number;
  readonly rows: readonly SignIn[];
}

const STEP = 20;
const MOST = 200;

/** Sign-ins of the last 90 days. */
export function SignInsPart() {
  const text = useText();
  const [limit, setLimit] = useState(STEP);
  const way = (code: string | null) => code !== null && signInWays[code] && text(signInWays[code]);
  return (
    <ProfileQuery<Answer>
      queryKey={['profile', 'signIns', limit]}
      path={`/api/admin/profile/signIns?limit=${limit}`}
      isEmpty={(data) => data.total === 0}
    >
      {(data) => (
        <>
          <ul className="profile-list">
            {data.rows.map((signIn) => (
              <li key={signIn.id}>
                <div>
                  <strong>{instantFull(signIn.at)}</strong>
                  <p className="quiet">
                    {[signIn.address, signIn.device, way(signIn.way)].filter(Boolean).join(' · ')}
                  </p>
                </div>
                <Result result={signIn.result} />
              </li>
            ))}
          </ul>
          {data.total > limit && limit < MOST && (
            <button type="button" className="link-button" onClick={() => setLimit(MOST)}>
              {text(['更多', 'More'])}
            </button>
          )}
        </>
      )}
    </ProfileQuery>
  );
}

function Result({ result }: { readonly result: string }) {
  const text = useText();
  const tone = result === 'success' ? 'ok' : 'bad';
  return <span className={`state-word ${tone}`}>{text(results[result] ?? ['失败', 'Failed'])}</span>;
}
