import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { PlatformConfig } from './platform.ts';

const NONCE = 12;
const TAG = 16;

/**
 * Encrypts a text for the database under the key of this installation (AES-256-GCM). `purpose` names column and row, so that a
 * sealed text is of no use in another place.
 */
export function sealText(config: Pick<PlatformConfig, 'secretKey'>, purpose: string, text: string): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', keyOf(config), nonce);
  cipher.setAAD(Buffer.from(purpose));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** The text that was sealed for this purpose. Throws when key, purpose or bytes are others. */
export function openText(config: Pick<PlatformConfig, 'secretKey'>, purpose: string, sealed: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(config), sealed.subarray(0, NONCE));
  decipher.setAAD(Buffer.from(purpose));
  decipher.setAuthTag(sealed.subarray(NONCE, NONCE + TAG));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE + TAG)), decipher.final()]).toString('utf8');
}

function keyOf(config: Pick<PlatformConfig, 'secretKey'>): Buffer {
  return Buffer.from(hkdfSync('sha256', config.secretKey, '', 'sealed text', 32));
}
