import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';

/** A message as the app of a member shows it. */
interface AppMessage {
  readonly no: string;
  readonly title: { readonly zh: string; readonly en: string };
  readonly body: { readonly zh: string; readonly en: string };
  readonly jump: unknown;
  readonly image: string | null;
  readonly read: boolean;
  readonly test: boolean;
  readonly at: Date;
}

/** What lies in a member's mailbox (1), or waits for the push service (3), the newest first. */
export async function appMessages(
  db: Executor,
  memberId: number,
  which: { readonly channel: number; readonly limit: number; readonly offset: number },
): Promise<readonly AppMessage[]> {
  const rows = await run<{
    no: string | null;
    title_zh: string;
    title_en: string;
    body_zh: string;
    body_en: string;
    jump: unknown;
    image_id: string | null;
    read: boolean;
    created_at: Date;
    notice: boolean;
  }>(
    db,
    `SELECT s.code || '-' || r.id AS no, n.title_zh, n.title_en, n.body_zh, n.body_en, n.jump, n.image_id, coalesce(r.state = 'read', false) AS read, n.created_at, n.notice
       FROM member_notification n LEFT JOIN message_recipient r ON r.id = n.recipient_id LEFT JOIN message_send s ON s.id = r.send_id
      WHERE n.member_id = $1 AND n.channel = $2 ORDER BY n.id DESC LIMIT $3 OFFSET $4`,
    [memberId, which.channel, which.limit, which.offset],
  );
  return rows.map((row) => ({
    no: row.no ?? '',
    title: { zh: row.title_zh, en: row.title_en },
    body: { zh: row.body_zh, en: row.body_en },
    jump: row.jump,
    image: row.image_id === null ? null : `/api/file/${row.image_id}`,
    read: row.read,
    test: row.no === null && !row.notice,
    at: row.created_at,
  }));
}

/**
 * Takes a receipt of a message by its number. Receipts go forward only: a late "delivered" after "read" changes nothing, a failure
 * counts only before it was delivered. False: there is no such message, or it never left.
 */
export async function receipt(
  tx: Tx,
  no: string,
  state: 'delivered' | 'read' | 'clicked' | 'failed',
): Promise<boolean> {
  const [code, id] = no.split('-');
  const row = await runOne<{ state: string }>(
    tx,
    `SELECT r.state FROM message_recipient r JOIN message_send s ON s.id = r.send_id
      WHERE r.id = $1 AND s.code = $2 AND r.submitted_at IS NOT NULL FOR UPDATE OF r`,
    [Number(id), code],
  );
  if (!row) return false;
  if (state === 'failed') {
    if (row.state === 'submitted')
      await run(
        tx,
        `UPDATE message_recipient SET state = 'failed', reason = 'refused', version = version + 1 WHERE id = $1`,
        [Number(id)],
      );
    return true;
  }
  if (row.state === 'failed' || row.state === 'pending' || row.state === 'skipped') return true;
  const to = state === 'delivered' ? (row.state === 'submitted' ? 'delivered' : row.state) : 'read';
  await run(
    tx,
    `UPDATE message_recipient SET state = $2, delivered_at = coalesce(delivered_at, clock_timestamp()),
            read_at = CASE WHEN $2 = 'read' THEN coalesce(read_at, clock_timestamp()) ELSE read_at END,
            clicked_at = CASE WHEN $3 THEN coalesce(clicked_at, clock_timestamp()) ELSE clicked_at END, version = version + 1
      WHERE id = $1 AND (state <> $2 OR $3)`,
    [Number(id), to, state === 'clicked'],
  );
  return true;
}

/** A member no longer wants messages of a kind on a channel, or wants them again. */
export async function setOptOut(
  tx: Tx,
  what: {
    readonly memberId: number;
    readonly channel: number;
    readonly category: string;
    readonly out: boolean;
  },
): Promise<void> {
  await run(
    tx,
    what.out
      ? 'INSERT INTO message_optout (member_id, channel, category) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING'
      : 'DELETE FROM message_optout WHERE member_id = $1 AND channel = $2 AND category = $3',
    [what.memberId, what.channel, what.category],
  );
}
