import { instantFull } from '../../../../kernel/client/format.rules.ts';
import { useText } from '../../../../kernel/client/language.ts';
import { ProfileQuery, rowsOf } from './profile-query.tsx';

interface SignIn {
  readonly id: string;
  readonly at: string;
  readonly address: string;
  readonly device: string;
  readonly ok: boolean;
  readonly message?: string | null;
}

type Answer = readonly SignIn[] | { readonly rows: readonly SignIn[] };

/** Sign-ins of the last 90 days. */
export function SignInsPart() {
  const text = useText();
  return (
    <ProfileQuery<Answer>
      queryKey={['profile', 'signIns']}
      path="/api/admin/profile/signIns"
      isEmpty={(data) => rowsOf(data).length === 0}
    >
      {(data) => (
        <ul className="profile-list">
          {rowsOf(data).map((signIn) => (
            <li key={signIn.id}>
              <div>
                <strong>{instantFull(signIn.at)}</strong>
                <p className="quiet">
                  {signIn.address} · {signIn.device}
                </p>
              </div>
              <span className={`state-word ${signIn.ok ? 'ok' : 'bad'}`}>
                {signIn.ok ? text(['成功', 'Succeeded']) : signIn.message || text(['失败', 'Failed'])}
              </span>
            </li>
          ))}
        </ul>
      )}
    </ProfileQuery>
  );
}
