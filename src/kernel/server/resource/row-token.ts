import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The row a token names, and the path whose names its clear values are given under. */
export interface NamedRow {
  readonly name: string;
  readonly id: number;
  readonly path?: string | undefined;
}

const IV = 12;
const TAG = 16;

/** Tokens that were made lately: the first pages of lists are read again and again, and sealing costs more than all else of a row. */
const KEPT = 50_000;
const kept = new Map<string, string>();

let key: Buffer = randomBytes(32);

/** Seals row tokens under the secret of the installation, so that every instance opens those of the others. */
export function sealRowTokensUnder(secretKey: Buffer): void {
  key = createHmac('sha256', secretKey).update('row-token').digest();
  kept.clear();
}

/**
 * Token that names a row for `dataDecryption`: sealed, so that it tells nothing and cannot be made for another row. It opens
 * nothing by itself: scope and element are checked when it is used. The same row always has the same one.
 */
export function encryptionToken(name: string, id: number, path?: string): string {
  const text = [name, id, ...(path === undefined ? [] : [path])].join(':');
  const known = kept.get(text);
  if (known !== undefined) return known;
  const iv = createHmac('sha256', key).update(text).digest().subarray(0, IV);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const token = Buffer.concat([
    iv,
    cipher.update(text, 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ]).toString('base64url');
  if (kept.size >= KEPT) kept.clear();
  kept.set(text, token);
  return token;
}

/** Opens a token, or undefined when it is none of this installation. */
export function readEncryptionToken(token: string): NamedRow | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length <= IV + TAG || bytes.toString('base64url') !== token) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG));
  try {
    const text =
      decipher.update(bytes.subarray(IV, bytes.length - TAG), undefined, 'utf8') + decipher.final('utf8');
    const iv = createHmac('sha256', key).update(text).digest().subarray(0, IV);
    if (!timingSafeEqual(iv, bytes.subarray(0, IV))) return undefined;
    const [name, id, path] = text.split(':');
    return { name: name!, id: Number(id), path };
  } catch {
    return undefined;
  }
}
