import { useEffect, useState } from 'react';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { keepTarget } from './login-target.ts';

interface LoginOptions {
  readonly sso?: { readonly configured: boolean; readonly loginUrl?: string | null };
}

/** Link to the single sign-on server, only when one is configured. */
export function SingleSignOnLink() {
  const text = useText();
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    call<LoginOptions>('GET', '/api/auth/authLogin/options', { quiet: true }).then(
      ({ sso }) => setAddress(sso?.configured ? (sso.loginUrl ?? undefined) : undefined),
      () => {},
    );
  }, []);
  if (!address || !/^(https?:\/\/|\/(?!\/))/.test(address)) return null;
  return (
    <a className="link-button" href={address} onClick={keepTarget}>
      {text(['单点登录', 'Single sign-on'])}
    </a>
  );
}
