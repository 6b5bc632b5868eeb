import {
  constants,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  privateDecrypt,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Platform } from '../../../kernel/server/platform.ts';

/** The key pair under which passwords travel. */
export interface PasswordKey {
  /** SubjectPublicKeyInfo as PEM. */
  readonly publicPem: string;
  /** Clear text of RSA-OAEP-SHA256 ciphertext in base64, or undefined when it is not that. */
  decrypt(ciphertext: string): string | undefined;
  /** True when the text has the form of a ciphertext under this key. */
  looksEncrypted(text: string): boolean;
}

/** The key of this installation, kept in `dataDir/keys` and made when it is first needed. */
export async function passwordKey(platform: Platform): Promise<PasswordKey> {
  const file = path.join(platform.config.dataDir, 'keys', 'password-rsa.pem');
  let key = keys.get(file);
  if (!key) {
    key = readOrMake(file).then(keyOf);
    keys.set(file, key);
    key.catch(() => keys.delete(file));
  }
  return await key;
}

const keys = new Map<string, Promise<PasswordKey>>();
const MODULUS_BITS = 2048;

async function readOrMake(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, pem, { mode: 0o600 });
  try {
    // Two processes may start at once: a link never replaces the key the other one already handed out.
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return await readFile(file, 'utf8');
}

function keyOf(pem: string): PasswordKey {
  const privateKey: KeyObject = createPrivateKey(pem);
  const bytes = (privateKey.asymmetricKeyDetails?.modulusLength ?? MODULUS_BITS) / 8;
  const looksEncrypted = (text: string): boolean =>
    text.length === Math.ceil(bytes / 3) * 4 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  return {
    publicPem: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) as string,
    looksEncrypted,
    decrypt: (ciphertext) => {
      // A query decodes + as a blank.
      const text = ciphertext.trim().replaceAll(' ', '+');
      if (!looksEncrypted(text)) return undefined;
      try {
        const clear = privateDecrypt(
          { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
          Buffer.from(text, 'base64'),
        );
        return clear.toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
