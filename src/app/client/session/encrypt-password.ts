import { call } from '../../../kernel/client/api-client.ts';

/** Fetches the cipher before it is needed, so that a submit does not wait for it. */
export function prepareEncryption(): void {
  void import('./rsa-oaep.ts').catch(() => {});
}

/** Encrypts a password under the server's public key. Throws when the key cannot be fetched. */
export async function encryptPassword(password: string): Promise<string> {
  const [{ encryptOaep }, { key }] = await Promise.all([
    import('./rsa-oaep.ts'),
    call<{ readonly key: string }>('GET', '/api/auth/authLogin/publicKey'),
  ]);
  return encryptOaep(password, key);
}
