import { ApiError, call } from '../../../kernel/client/api-client.ts';
import { currentLanguage } from '../../../kernel/client/language.ts';
import { textOf } from '../../../kernel/contract/label.ts';
import { isPasswordTooLong, passwordTexts } from '../../../kernel/contract/password.rules.ts';

/** Fetches the cipher before it is needed, so that a submit does not wait for it. */
export function prepareEncryption(): void {
  void import('./rsa-oaep.ts').catch(() => {});
}

/**
 * Encrypts a password under the server's public key. Throws when the key cannot be fetched, and ApiError with the text at
 * `field` for what is longer than any password.
 */
export async function encryptPassword(password: string, field: string): Promise<string> {
  if (isPasswordTooLong(password)) {
    const text = textOf(passwordTexts.long, currentLanguage());
    throw new ApiError(422, 422, text, { fields: { [field]: text } }, undefined);
  }
  const [{ encryptOaep }, { key }] = await Promise.all([
    import('./rsa-oaep.ts'),
    call<{ readonly key: string }>('GET', '/api/auth/authLogin/publicKey'),
  ]);
  return encryptOaep(password, key);
}
