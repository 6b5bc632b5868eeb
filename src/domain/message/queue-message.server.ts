import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import { addEffect } from '../../kernel/server/tasks/outbox.ts';

/** Effects that send a message. The database writes them with each row of the two tables (trigger send_message); the payload is its id alone, so that the outbox holds nothing personal. */
export const SMS_EFFECT = 'sms.send';
export const MAIL_EFFECT = 'mail.send';

/** `purpose` of SMS to many: handed to a provider once, whoever sent them looks at what became of them. */
export const MASS_PURPOSE = 'massMessage';

/** A text message to a phone. */
export interface Sms {
  readonly phone: string;
  /** What it is for; chooses the template of providers that know templates only. */
  readonly purpose: string;
  /** The whole text. */
  readonly body: string;
  /** The values in it by name (code, account …); `text` is the body where it is not given. */
  readonly params?: Readonly<Record<string, string>>;
  /** After so long it is not worth sending any more. */
  readonly validSeconds?: number;
  /**
   * Only to the phone of a staff that can sign in. For any other there is no message, but the same work, so that time does
   * not tell who works here.
   */
  readonly onlyStaff?: boolean;
}

/** An e-mail to an address. */
export interface Mail {
  readonly address: string;
  readonly purpose: string;
  readonly subject: string;
  readonly body: string;
  readonly validSeconds?: number;
}

/** Writes an SMS in the caller's transaction; it leaves after COMMIT. Returns its id, 0 where nobody gets one. */
export async function queueSms(tx: Executor, sms: Sms): Promise<number> {
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO sms_message (phone, purpose, body, params, expires_at)
     SELECT $1::text, $2, $3, $4::jsonb, clock_timestamp() + make_interval(secs => $5)
      WHERE NOT $6 OR EXISTS (SELECT FROM staff WHERE phone = $1::text AND state = 'normal')
     RETURNING id`,
    [
      sms.phone,
      sms.purpose,
      sms.body,
      JSON.stringify(sms.params ?? {}),
      sms.validSeconds ?? null,
      sms.onlyStaff ?? false,
    ],
  );
  if (!row) await addEffect(tx, SMS_EFFECT, { id: 0 });
  return row?.id ?? 0;
}

/** Writes an e-mail in the caller's transaction; it leaves after COMMIT. Returns its id. */
export async function queueMail(tx: Executor, mail: Mail): Promise<number> {
  const [row] = await run<{ id: number }>(
    tx,
    `INSERT INTO email_message (address, purpose, subject, body, expires_at)
     VALUES ($1, $2, $3, $4, clock_timestamp() + make_interval(secs => $5)) RETURNING id`,
    [mail.address, mail.purpose, mail.subject, mail.body, mail.validSeconds ?? null],
  );
  return row!.id;
}
