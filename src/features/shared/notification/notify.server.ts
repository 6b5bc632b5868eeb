import type { Label } from '../../../kernel/contract/label.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';

/** A message to staff. */
export interface Notice {
  readonly staffIds: readonly number[];
  /** Kind the staff can switch off in the preferences: camelCase; alerts begin with `alert`. */
  readonly kind: string;
  /** `important` pops up in the page; default `normal`. */
  readonly level?: 'normal' | 'important' | 'alert';
  readonly title: Label;
  readonly body?: Label;
  /** Menu the message belongs to. */
  readonly menu?: string;
  /** Path of the page that shows what it is about. */
  readonly route?: string;
  /** Cannot be switched off. */
  readonly mandatory?: boolean;
}

/** Channel of new notifications; payloads are staff ids separated by `,`. */
export const NOTIFICATION_CHANNEL = 'notification';

/** Preference that holds switches per kind: `{ [kind]: { inApp?: boolean, sms?: boolean, email?: boolean } }`. */
export const SWITCHES_KEY = 'notification.kinds';

/**
 * Writes a message for each staff in the caller's transaction; open pages learn of it after COMMIT. Staff who are not
 * working here any more, and those who switched the kind off, get none. Returns how many were written.
 */
export async function notify(tx: Executor, notice: Notice): Promise<number> {
  if (notice.staffIds.length === 0) return 0;
  const rows = await run<{ staff_id: number }>(
    tx,
    `INSERT INTO notification (staff_id, kind, level, title_zh, title_en, body_zh, body_en, menu, route)
     SELECT s.id, $2, $3, $4, $5, $6, $7, $8, $9 FROM staff s
       LEFT JOIN staff_preference p ON p.staff_id = s.id AND p.key = $10
      WHERE s.id = ANY($1::bigint[]) AND s.state <> 'left'
        AND ($11 OR p.value IS NULL OR p.value #> ARRAY[$2, 'inApp'] IS DISTINCT FROM 'false'::jsonb)
     RETURNING staff_id`,
    [
      notice.staffIds,
      notice.kind,
      notice.level ?? 'normal',
      notice.title[0],
      notice.title[1],
      notice.body?.[0] ?? '',
      notice.body?.[1] ?? '',
      notice.menu ?? '',
      notice.route ?? '',
      SWITCHES_KEY,
      notice.mandatory ?? false,
    ],
  );
  const ids = rows.map((row) => row.staff_id);
  // A payload holds 8,000 bytes at most.
  for (let from = 0; from < ids.length; from += 300)
    await run(tx, 'SELECT pg_notify($1, $2)', [NOTIFICATION_CHANNEL, ids.slice(from, from + 300).join(',')]);
  return ids.length;
}
