import { fill, type Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { defineRegistration } from '../../kernel/server/registration.ts';
import { EffectRefused } from '../../kernel/server/tasks/outbox.ts';
import { MAIL_EFFECT, MASS_PURPOSE, SMS_EFFECT } from './queue-message.server.ts';
import { SendFailure } from './send-failure.server.ts';
import {
  SENDER_KEYS,
  senderProblems,
  sendMail,
  sendSms,
  type StoredMail,
  type StoredSms,
} from './senders.server.ts';

/** `purpose` of messages the test button writes: tried once, by the whole way. */
export const TEST_PURPOSE = 'test';

/** What carries codes or passwords: gone from the table as soon as a provider has it. */
const SECRET_PURPOSES = ['password', 'phone', 'initialPassword', 'visitCode'];

/** Sends what the outbox brings, and guards the settings that say how. */
export const registration = defineRegistration({
  endpoints: [],
  effects: [
    {
      kind: SMS_EFFECT,
      deliver: ({ id }: { id: number }, platform) =>
        deliver<StoredSms>(platform, 'sms_message', id, (row) => sendSms(platform, row)),
    },
    {
      kind: MAIL_EFFECT,
      deliver: ({ id }: { id: number }, platform) =>
        deliver<StoredMail>(platform, 'email_message', id, (row) => sendMail(platform, row)),
    },
  ],
  settingGuards: [
    {
      keys: SENDER_KEYS,
      check: async (tx, call, values) => {
        await lockSenders(tx);
        return lacking(await senderProblems(tx, call.platform, { values }));
      },
    },
  ],
});

/** Two changes of how messages leave come one after the other: each sees what the other left. */
export async function lockSenders(tx: Tx): Promise<void> {
  await run(tx, `SELECT pg_advisory_xact_lock(7002, hashtext('messageSender'))`);
}

/** Why a choice cannot stand, or undefined. */
export function lacking(problems: Awaited<ReturnType<typeof senderProblems>>): Label | undefined {
  const missing = [...problems.email, ...problems.sms];
  if (missing.length === 0) return undefined;
  return fill(['发送通道还缺少：{zh}', 'The sender still lacks: {en}'], {
    zh: missing.map((label) => label[0]).join('、'),
    en: missing.map((label) => label[1]).join(', '),
  });
}

interface Held {
  readonly state: string;
  readonly purpose: string;
  readonly expired: boolean;
}

/**
 * Sends one message and notes what became of it. One that is gone, sent or kept in the sandbox is left alone, so a repeat
 * does nothing. Between the provider's answer and the note lies a moment in which a crash makes it go out twice: its number
 * is the same both times.
 */
async function deliver<T>(
  platform: Platform,
  table: 'sms_message' | 'email_message',
  id: number,
  send: (row: T) => Promise<string>,
): Promise<void> {
  const { db } = platform.database;
  const row = await runOne<T & Held>(
    db,
    `SELECT *, coalesce(expires_at <= clock_timestamp(), false) AS expired FROM ${table} WHERE id = $1`,
    [id],
  );
  if (!row || row.state === 'sent' || row.state === 'sandbox') return;
  if (row.expired)
    return note(platform, table, id, { state: 'failed', error: 'expired before it could be sent' });
  // Handed over before, and nobody noted what became of it: it may have arrived, so it does not go out again.
  if (row.purpose === MASS_PURPOSE && !(await handOnce(platform, id)))
    return note(platform, table, id, { state: 'failed', error: 'unknown' });
  let sender: string;
  try {
    sender = await send(row);
  } catch (error) {
    // Words of unforeseen errors may hold the text or the number.
    const told =
      error instanceof SendFailure || error instanceof EffectRefused
        ? error
        : new SendFailure(`unforeseen: ${error instanceof Error ? error.name : 'error'}`);
    await note(platform, table, id, { state: 'failed', error: told.message });
    if (row.purpose === MASS_PURPOSE && told instanceof EffectRefused)
      await run(db, 'UPDATE sms_message SET refused = true WHERE id = $1', [id]);
    if (row.purpose === TEST_PURPOSE || row.purpose === MASS_PURPOSE) return;
    throw told;
  }
  await note(platform, table, id, { state: sender === 'sandbox' ? 'sandbox' : 'sent', sender });
  if (table === 'sms_message' && sender !== 'sandbox' && SECRET_PURPOSES.includes(row.purpose))
    await run(db, `UPDATE sms_message SET body = '', params = '{}' WHERE id = $1`, [id]);
}

/** Marks an SMS before a provider gets it; false where it was marked before. */
async function handOnce(platform: Platform, id: number): Promise<boolean> {
  const marked = await runOne(
    platform.database.db,
    'UPDATE sms_message SET handed_at = clock_timestamp() WHERE id = $1 AND handed_at IS NULL RETURNING id',
    [id],
  );
  return marked !== undefined;
}

async function note(
  platform: Platform,
  table: string,
  id: number,
  what: { readonly state: string; readonly error?: string; readonly sender?: string },
): Promise<void> {
  await run(
    platform.database.db,
    `UPDATE ${table} SET state = $2, error = $3, sender = $4, sent_at = CASE WHEN $2 = 'sent' THEN clock_timestamp() END
      WHERE id = $1`,
    [id, what.state, what.error ?? null, what.sender ?? null],
  );
}
