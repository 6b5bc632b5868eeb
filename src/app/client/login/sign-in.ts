import { call } from '../../../kernel/client/api-client.ts';
import { presentWebClient } from '../session/web-client.ts';
import { encryptPassword } from '../session/encrypt-password.ts';
import { keepToken, type TokenAnswer } from '../session/session-start.ts';

/** What the sign-in form holds. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly code: string;
}

/**
 * Asks for a token with an encrypted password and keeps it. Resolves with undefined after success, else with the
 * server's message of an answer without token. Failed calls are shown by the error catalogue and rejected.
 */
export async function signIn({ username, password, code }: Credentials): Promise<string | undefined> {
  const [encrypted, authorization] = await Promise.all([
    encryptPassword(password, 'password'),
    presentWebClient(),
  ]);
  const answer = await call<TokenAnswer>('POST', '/api/auth/oauth/token', {
    form: { username, password: encrypted, grant_type: 'password', code },
    authorization,
    whole: true,
  });
  const { access_token } = answer;
  if (!access_token) return answer.message ?? '';
  keepToken({ ...answer, access_token }, username);
  return undefined;
}
