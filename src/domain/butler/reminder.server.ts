import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { notify } from '../notification/notify.server.ts';
import { TODAY } from '../../kernel/server/today.ts';

/**
 * Gives a reminder to the butlers at work in its projects (those chosen, or all), with a row for each of its goods. Refuses when
 * it would reach nobody. Returns how many got it.
 */
export async function deliverReminder(tx: Tx, id: number): Promise<number> {
  const reached = await run<{ id: number; staffId: number }>(
    tx,
    `INSERT INTO butler_reminder_recipient (reminder_id, housekeeper_id, project_ids, delivered_at)
     SELECT $1, k.id, array_agg(DISTINCT a.project_id ORDER BY a.project_id), now()
       FROM housekeeper k JOIN staff s ON s.id = k.staff_id AND s.state = 'normal' JOIN housekeeper_building a ON a.housekeeper_id = k.id
        AND a.valid_from <= ${TODAY} AND (a.valid_to IS NULL OR a.valid_to >= ${TODAY})
       JOIN butler_reminder_project p ON p.reminder_id = $1 AND p.project_id = a.project_id
      WHERE k.left_at IS NULL AND (NOT EXISTS (SELECT FROM butler_reminder_butler b WHERE b.reminder_id = $1)
         OR EXISTS (SELECT FROM butler_reminder_butler b WHERE b.reminder_id = $1 AND b.housekeeper_id = k.id))
      GROUP BY k.id ON CONFLICT ON CONSTRAINT butler_reminder_recipient_once DO NOTHING
      RETURNING id, (SELECT k.staff_id FROM housekeeper k WHERE k.id = housekeeper_id) AS "staffId"`,
    [id],
  );
  if (reached.length === 0) throw ruleBroken(['范围内没有在岗管家', 'No butler at work is reached']);
  await run(
    tx,
    `INSERT INTO butler_reminder_item (recipient_id, reminder_id, housekeeper_id, product_id)
     SELECT r.id, r.reminder_id, r.housekeeper_id, g.product_id FROM butler_reminder_recipient r
       LEFT JOIN (butler_reminder_goods x JOIN butler_goods g ON g.id = x.goods_id) ON x.reminder_id = r.reminder_id
      WHERE r.reminder_id = $1 ON CONFLICT DO NOTHING`,
    [id],
  );
  await tell(
    tx,
    id,
    reached.map((one) => one.staffId),
  );
  return reached.length;
}

/** Tells those who have not read it once more; returns how many. */
export async function remindUnread(tx: Tx, id: number): Promise<number> {
  const unread = await run<{ staffId: number }>(
    tx,
    `SELECT k.staff_id AS "staffId" FROM butler_reminder_recipient r JOIN housekeeper k ON k.id = r.housekeeper_id
      WHERE r.reminder_id = $1 AND r.read_at IS NULL AND k.left_at IS NULL ORDER BY k.id`,
    [id],
  );
  await tell(
    tx,
    id,
    unread.map((one) => one.staffId),
  );
  return unread.length;
}

async function tell(tx: Tx, id: number, staffIds: readonly number[]): Promise<void> {
  if (staffIds.length === 0) return;
  const { title, body } = (await runOne<{ title: string; body: string }>(
    tx,
    'SELECT title, body FROM butler_reminder WHERE id = $1',
    [id],
  ))!;
  await notify(tx, {
    kind: 'butler',
    staffIds,
    title: [title, title],
    body: [body, body],
    aboutReceiver: true,
  });
}
