import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { PlatformConfig } from '../../kernel/server/platform.ts';

/*
 * Texts that the database may hold but nobody may read there: AES-256-GCM under a key derived from the installation's own,
 * one for each purpose. What was sealed for one place does not open at another.
 */

type Key = Pick<PlatformConfig, 'secretKey'>;

/** Seals a text; `place` names where it belongs (a row and a kind) and must be given again to open it. */
export function sealText(config: Key, purpose: string, place: string, text: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(config, purpose), nonce).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Opens a sealed text. Throws when it was changed, moved, or sealed under another key. */
export function openText(config: Key, purpose: string, place: string, sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed);
  const decipher = createDecipheriv('aes-256-gcm', keyOf(config, purpose), bytes.subarray(0, 12))
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}

function keyOf(config: Key, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', config.secretKey, '', `sealed:${purpose}`, 32));
}
