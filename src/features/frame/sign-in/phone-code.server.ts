import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { fill, textOf, type Label, type Language } from '../../../kernel/contract/label.ts';
import { run, runOne, transaction, type Executor } from '../../../kernel/server/database.ts';
import { queueSms } from '../../../domain/message/queue-message.server.ts';
import { tooMany } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { CodeProblem } from './refusals.server.ts';

/** What a code is for: it opens nothing else. `phone:<staff>` proves a new phone of that staff. */
export type CodePurpose = 'password' | `phone:${number}`;

/**
 * Sends a 6-digit code to the phone of a staff. A phone of nobody is treated alike, only that no message goes out:
 * answer, pause and work do not tell who works here. A code that proves a new phone goes to that phone, whoever has it.
 * Throws 429 within 60 s of the last code.
 */
export async function sendPhoneCode(
  platform: Platform,
  phone: string,
  language: Language,
  purpose: CodePurpose = 'password',
): Promise<void> {
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  const wait = await transaction(platform.database.db, async (tx) => {
    const written = await runOne(
      tx,
      `INSERT INTO phone_verification (phone, code_hash, expires_at) VALUES ($1, $2, now() + interval '5 minutes')
       ON CONFLICT (phone) DO UPDATE SET code_hash = excluded.code_hash, tries = 0, used = false,
              sent_at = now(), expires_at = excluded.expires_at
        WHERE phone_verification.sent_at <= now() - interval '60 seconds'
       RETURNING phone`,
      [phone, codeHash(platform, phone, code, purpose)],
    );
    if (!written) return await secondsToWait(tx, phone);
    const isReset = purpose === 'password';
    await queueSms(tx, {
      phone,
      purpose: isReset ? 'password' : 'phone',
      body: textOf(fill(isReset ? MESSAGE : PHONE_MESSAGE, { code }), language),
      params: { code },
      validSeconds: 300,
      onlyStaff: isReset,
    });
    return 0;
  });
  if (wait > 0)
    throw tooMany(fill(['请 {n} 秒后再获取', 'Try again in {n} {n|second|seconds}'], { n: wait }), wait);
}

/** Looks at a code without using it up; a wrong one counts, the fifth wrong one ends it. Undefined when it is right. */
export async function checkPhoneCode(
  platform: Platform,
  tx: Executor,
  phone: string,
  code: string,
  purpose: CodePurpose = 'password',
): Promise<CodeProblem | undefined> {
  const row = await runOne<{ code_hash: Buffer }>(
    tx,
    `SELECT code_hash FROM phone_verification
      WHERE phone = $1 AND NOT used AND expires_at > now() AND tries < ${MOST_TRIES} FOR UPDATE`,
    [phone],
  );
  if (!row) return 'expired';
  if (timingSafeEqual(row.code_hash, codeHash(platform, phone, code, purpose))) return undefined;
  await run(tx, 'UPDATE phone_verification SET tries = tries + 1 WHERE phone = $1', [phone]);
  return 'wrong';
}

/** Uses a code up after its work was done, in the same transaction. */
export async function usePhoneCode(tx: Executor, phone: string): Promise<void> {
  await run(tx, 'UPDATE phone_verification SET used = true WHERE phone = $1', [phone]);
}

const MOST_TRIES = 5;
const MESSAGE: Label = [
  '您正在重置后台密码，验证码 {code}，5分钟内有效。如非本人操作，请忽略。',
  'Your code to reset the back-office password is {code}, valid for 5 minutes. Ignore this if it was not you.',
];

const PHONE_MESSAGE: Label = [
  '您正在绑定后台手机号，验证码 {code}，5分钟内有效。如非本人操作，请忽略。',
  'Your code to register this phone in the back office is {code}, valid for 5 minutes. Ignore this if it was not you.',
];

async function secondsToWait(tx: Executor, phone: string): Promise<number> {
  const row = await runOne<{ seconds: number }>(
    tx,
    `SELECT extract(epoch FROM sent_at + interval '60 seconds' - now())::float8 AS seconds FROM phone_verification WHERE phone = $1`,
    [phone],
  );
  return Math.max(1, Math.ceil(row?.seconds ?? 1));
}

function codeHash(platform: Platform, phone: string, code: string, purpose: CodePurpose): Buffer {
  return createHmac('sha256', platform.config.secretKey).update(`sms:${purpose}:${phone}:${code}`).digest();
}
