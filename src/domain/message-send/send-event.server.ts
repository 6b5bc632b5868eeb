import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { MEMBER_VARIABLES, type Variable } from './message.rules.ts';
import { contentOfTemplate } from './send-binding.server.ts';

/** Something that happened to members, told by the template of its event. */
export interface MessageEvent {
  /** Code of message_event. */
  readonly event: string;
  readonly memberIds: readonly number[];
  readonly variables?: Readonly<Record<string, string>>;
  /** The same key within 24 hours sends once. */
  readonly dedupKey: string;
  /** When it happened; default the database's clock. */
  readonly at?: Date;
}

/**
 * Queues the message of an event in the caller's transaction and returns its send; undefined where its key was sent within 24 hours
 * or no enabled template speaks of it. A variable nobody gives a value takes its default, and the call that left it out is reported.
 */
export async function sendEvent(tx: Tx, what: MessageEvent): Promise<number | undefined> {
  const { event, memberIds, variables = {}, dedupKey, at = null } = what;
  if (memberIds.length === 0) return undefined;
  const template = await runOne<Record<string, unknown> & { title_zh: string }>(
    tx,
    // What happens in the product is told in the platform's words: no company writes to the members of all others.
    `SELECT t.*, e.title_zh FROM message_event e JOIN message_template t ON t.event_id = e.id AND t.state = 'enabled'
       JOIN tenant n ON n.id = t.tenant_id AND n.kind = 3
      WHERE e.code = $1 ORDER BY t.updated_at DESC, t.id DESC LIMIT 1`,
    [event],
  );
  if (!template) return undefined;
  const first = await runOne(
    tx,
    `INSERT INTO message_dedup AS d (key, sent_at) VALUES ($1, coalesce($2::timestamptz, clock_timestamp()))
     ON CONFLICT (key) DO UPDATE SET sent_at = excluded.sent_at WHERE d.sent_at <= excluded.sent_at - interval '24 hours' RETURNING key`,
    [dedupKey, at],
  );
  if (!first) return undefined;
  const own: readonly string[] = MEMBER_VARIABLES;
  const missing = ((template.variables ?? []) as readonly Variable[])
    .map((one) => one.name)
    .filter((name) => !own.includes(name) && variables[name] === undefined);
  if (missing.length > 0)
    await run(
      tx,
      `INSERT INTO error_report (origin, message, place) VALUES ('server', $1, 'message.event')`,
      [`message event ${event}: no value of ${missing.join(', ')}`],
    );
  const content = contentOfTemplate(
    template,
    Object.entries(variables).map(([name, value]) => ({ name, value })),
  );
  const made = await runOne<{ id: number }>(
    tx,
    `INSERT INTO message_send (code, name, origin, tenant_id, category, template_id, template_version, content, channel_codes, audience,
        member_ids, place_ids, next_at, estimated, dedup_key, state)
     VALUES ($1, $2, 'event', $3, $4, $5, $6, $7::jsonb, $8, 'members', $9,
        (SELECT nullif(array_agg(DISTINCT m.project_id), '{}') FROM member m WHERE m.id = ANY($9::bigint[]) AND m.project_id IS NOT NULL),
        coalesce($10::timestamptz, clock_timestamp()), $11, $12, 'scheduled') RETURNING id`,
    [
      await nextCode(tx, 'MS'),
      template.title_zh,
      template.tenant_id,
      template.category,
      template.id,
      template.version_no,
      JSON.stringify(content),
      template.channel_codes,
      memberIds,
      at,
      memberIds.length,
      dedupKey,
    ],
  );
  return made!.id;
}
