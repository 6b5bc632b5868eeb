import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { CAPTCHA_ALPHABET, drawCaptcha } from './captcha-image.rules.ts';
import type { CodeProblem } from './refusals.server.ts';
import { fixedCaptcha } from './sign-in-config.server.ts';

/** Seconds a verification picture lives. */
export const CAPTCHA_SECONDS = 120;

/** A picture as the sign-in page shows it, and the cookie that names it. */
export interface IssuedCaptcha {
  readonly image: string;
  readonly cookie: string;
}

/** Makes a picture. Only a keyed hash of its code is stored. */
export async function issueCaptcha(platform: Platform, isSecure: boolean): Promise<IssuedCaptcha> {
  const id = randomBytes(16).toString('base64url');
  const code = fixedCaptcha(platform) ?? randomCode();
  await run(
    platform.database.db,
    `INSERT INTO captcha (id, answer_hash, expires_at) VALUES ($1, $2, now() + ${CAPTCHA_SECONDS} * interval '1 second')`,
    [id, answerHash(platform, id, code)],
  );
  const svg = drawCaptcha(code, () => randomInt(0x1_0000_0000) / 0x1_0000_0000);
  return {
    image: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`,
    cookie: `${COOKIE}=${id}; Path=/api/auth; HttpOnly; SameSite=Strict; Max-Age=${CAPTCHA_SECONDS}${isSecure ? '; Secure' : ''}`,
  };
}

/** Says whether a code fits the caller's picture without using it up; the third wrong try kills the picture. */
export async function judgeCaptcha(
  platform: Platform,
  request: FastifyRequest,
  code: string,
): Promise<boolean> {
  const id = captchaId(request);
  const fixed = fixedCaptcha(platform);
  if (id === undefined) return fixed !== undefined && isSameCode(fixed, code);
  const row = await runOne<{ fits: boolean }>(
    platform.database.db,
    `UPDATE captcha
        SET failures = failures + CASE WHEN answer_hash = $2 THEN 0 ELSE 1 END,
            used = used OR (answer_hash <> $2 AND failures + 1 >= ${MOST_FAILURES})
      WHERE id = $1 AND NOT used AND expires_at > now()
      RETURNING answer_hash = $2 AS fits`,
    [id, answerHash(platform, id, code)],
  );
  return row?.fits === true;
}

/** Uses the caller's picture up, whatever the code; undefined when the code was right, else what is the matter. */
export async function useCaptcha(
  platform: Platform,
  request: FastifyRequest,
  code: string,
): Promise<CodeProblem | undefined> {
  if (code === '') return 'missing';
  const id = captchaId(request);
  const fixed = fixedCaptcha(platform);
  // Scripts of automated tests need not fetch a picture first.
  if (id === undefined)
    return fixed === undefined ? 'expired' : isSameCode(fixed, code) ? undefined : 'wrong';
  const row = await runOne<{ answer_hash: Buffer }>(
    platform.database.db,
    'UPDATE captcha SET used = true WHERE id = $1 AND NOT used AND expires_at > now() RETURNING answer_hash',
    [id],
  );
  if (!row) return 'expired';
  return timingSafeEqual(row.answer_hash, answerHash(platform, id, code)) ? undefined : 'wrong';
}

const COOKIE = 'captcha';
const LENGTH = 4;
const MOST_FAILURES = 3;

function randomCode(): string {
  return Array.from({ length: LENGTH }, () => CAPTCHA_ALPHABET[randomInt(CAPTCHA_ALPHABET.length)]).join('');
}

function captchaId(request: FastifyRequest): string | undefined {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [name, value] = part.trim().split('=');
    if (name === COOKIE && value && /^[A-Za-z0-9_-]{22}$/.test(value)) return value;
  }
  return undefined;
}

function answerHash(platform: Platform, id: string, code: string): Buffer {
  return createHmac('sha256', platform.config.secretKey)
    .update(`${id}:${code.trim().toLowerCase()}`)
    .digest();
}

function isSameCode(fixed: string, code: string): boolean {
  return fixed.toLowerCase() === code.trim().toLowerCase();
}
