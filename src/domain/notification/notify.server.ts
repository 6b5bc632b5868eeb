import type { Label } from '../../kernel/contract/label.ts';
import { run, type Executor } from '../../kernel/server/database.ts';
import { noticeKinds, type NoticeKindCode } from './notice-kinds.rules.ts';
import { whoSees, type ToldRows } from './row-sight.server.ts';

/** What a message says and where it leads. */
export interface NoticeText {
  /** Declared in notice-kinds.rules.ts; says what the staff can switch off. */
  readonly kind: NoticeKindCode;
  /** `important` pops up in the page; default `normal`. */
  readonly level?: 'normal' | 'important' | 'alert';
  readonly title: Label;
  readonly body?: Label;
  /** Path of the page that shows what it is about. */
  readonly route?: string;
}

/** A message to staff: either about rows, for those only who see them, or about the receiver itself. */
export type Notice = NoticeText & { readonly staffIds: readonly number[] } & (
    | { readonly rows: ToldRows; readonly aboutReceiver?: false }
    | {
        /** It tells the receiver of its own matters, such as the own time off, which need no menu and stay readable. */
        readonly aboutReceiver: true;
        readonly rows?: undefined;
      }
  );

/** Channel of new notifications; payloads are staff ids separated by `,`. */
export const NOTIFICATION_CHANNEL = 'notification';

/** Preference that holds switches per kind: `{ [kind]: { inApp?: boolean, sms?: boolean, email?: boolean } }`. */
export const SWITCHES_KEY = 'notification.kinds';

/** `purpose` of the SMS and e-mails that carry notifications. */
export const NOTICE_PURPOSE = 'notification';

/**
 * Writes a message for each staff in the caller's transaction; open pages learn of it after COMMIT. Staff who are not
 * working here any more get none, nor do those who do not see every row it tells of at this moment; reading asks the same
 * again. Those who switched the kind off in the product get none there unless it is mandatory.
 * Who chose SMS or e-mail for the kind, can sign in and has the number or address gets it that way too, in the own
 * language. Returns how many were written in the product.
 */
export async function notify(tx: Executor, notice: Notice): Promise<number> {
  const staffIds = notice.rows ? await whoSees(tx, notice.staffIds, notice.rows) : notice.staffIds;
  if (staffIds.length === 0) return 0;
  const [zh, en] = [textOfMail(notice, 0), textOfMail(notice, 1)];
  const rows = await run<{ staff_id: number }>(
    tx,
    `WITH receiver AS (
       SELECT s.id, s.phone, s.email, s.state = 'normal' AS can_sign_in,
              coalesce(p.value #> ARRAY[$2::text, 'inApp'], 'true') <> 'false'::jsonb OR $11 AS in_app,
              p.value #> ARRAY[$2::text, 'sms'] = 'true'::jsonb AS sms,
              p.value #> ARRAY[$2::text, 'email'] = 'true'::jsonb AS mail,
              l.value = '"en"'::jsonb AS english
         FROM staff s
         LEFT JOIN staff_preference p ON p.staff_id = s.id AND p.key = $10
         LEFT JOIN staff_preference l ON l.staff_id = s.id AND l.key = 'language'
        WHERE s.id = ANY($1::bigint[]) AND s.state <> 'left'),
     by_sms AS (
       INSERT INTO sms_message (phone, purpose, body, params)
       SELECT phone, $14, CASE WHEN english THEN $13 ELSE $12 END,
              jsonb_build_object('title', CASE WHEN english THEN $5::text ELSE $4 END, 'text', CASE WHEN english THEN $19::text ELSE $18::text END)
         FROM receiver
        WHERE sms AND can_sign_in AND phone <> ''),
     by_mail AS (
       INSERT INTO email_message (address, purpose, subject, body)
       SELECT email, $14, CASE WHEN english THEN $5::text ELSE $4 END, CASE WHEN english THEN $13 ELSE $12 END FROM receiver
        WHERE mail AND can_sign_in AND email <> '')
     INSERT INTO notification (staff_id, kind, level, title_zh, title_en, body_zh, body_en, menu, route, about_receiver, entity, row_ids)
     SELECT id, $2, $3, $4, $5, $6, $7, $8, $9, $15, $16, $17::bigint[] FROM receiver WHERE in_app
     RETURNING staff_id`,
    [
      staffIds,
      notice.kind,
      notice.level ?? 'normal',
      notice.title[0],
      notice.title[1],
      notice.body?.[0] ?? '',
      notice.body?.[1] ?? '',
      notice.rows?.sight.menu ?? '',
      notice.route ?? '',
      SWITCHES_KEY,
      noticeKinds[notice.kind].mandatory === true,
      zh,
      en,
      NOTICE_PURPOSE,
      notice.rows === undefined,
      notice.rows?.sight.entity ?? '',
      notice.rows?.ids ?? [],
      textOf(notice, 0),
      textOf(notice, 1),
    ],
  );
  const ids = rows.map((row) => row.staff_id);
  // A payload holds 8,000 bytes at most.
  for (let from = 0; from < ids.length; from += 300)
    await run(tx, 'SELECT pg_notify($1, $2)', [NOTIFICATION_CHANNEL, ids.slice(from, from + 300).join(',')]);
  return ids.length;
}

// A message of two hundred characters is three SMS at most.
const MAIL_LENGTH = 200;

function textOfMail(notice: NoticeText, language: 0 | 1): string {
  return cut(['【社区零售系统】', '[Community retail system] '][language]! + textOf(notice, language));
}

function textOf({ title, body }: NoticeText, language: 0 | 1): string {
  return cut(
    body?.[language] ? `${title[language]}${['：', ': '][language]}${body[language]}` : title[language],
  );
}

function cut(text: string): string {
  return Array.from(text).slice(0, MAIL_LENGTH).join('');
}
