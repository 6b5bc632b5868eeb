import { run, runOne, type Executor } from '../../kernel/server/database.ts';

const counts = (alias: string) => `count(${alias}.id)::int AS planned,
  count(*) FILTER (WHERE ${alias}.state IN ('submitted', 'delivered', 'read'))::int AS sent,
  count(*) FILTER (WHERE ${alias}.state IN ('delivered', 'read'))::int AS delivered,
  count(*) FILTER (WHERE ${alias}.state = 'read')::int AS read,
  count(*) FILTER (WHERE ${alias}.state = 'failed')::int AS failed,
  count(*) FILTER (WHERE ${alias}.state = 'skipped')::int AS skipped`;

/** How far a send is, of the projects the reader works in (null: all). */
export async function progressOf(db: Executor, id: number, projectIds: readonly number[] | null) {
  const of = `r.send_id = $1 AND ($2::bigint[] IS NULL OR r.project_id = ANY($2))`;
  const values = [id, projectIds];
  const total = (await runOne<Record<string, number>>(
    db,
    `SELECT ${counts('r')}, count(*) FILTER (WHERE r.state = 'pending')::int AS left, count(r.clicked_at)::int AS clicked,
            count(*) FILTER (WHERE r.submitted_at > clock_timestamp() - interval '1 minute')::int AS rate
       FROM message_recipient r WHERE ${of}`,
    values,
  ))!;
  const channels = await run(
    db,
    `SELECT r.channel::int AS channel, ${counts('r')} FROM message_recipient r WHERE ${of} GROUP BY r.channel ORDER BY r.channel`,
    values,
  );
  const reasons = await run(
    db,
    `SELECT r.reason, count(*)::int AS people FROM message_recipient r WHERE ${of} AND r.reason IS NOT NULL GROUP BY r.reason ORDER BY 2 DESC, 1`,
    values,
  );
  const runs = await run(
    db,
    `SELECT u.run_on::text AS day, u.finished_at AS "finishedAt", ${counts('r')} FROM message_run u
       LEFT JOIN message_recipient r ON r.run_id = u.id AND ($2::bigint[] IS NULL OR r.project_id = ANY($2)) WHERE u.send_id = $1
      GROUP BY u.id ORDER BY u.run_on DESC LIMIT 60`,
    values,
  );
  return { ...total, submitted: total.sent, channels, reasons, runs };
}
