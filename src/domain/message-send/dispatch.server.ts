import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { JobContext } from '../../kernel/server/registration.ts';
import { MASS_PURPOSE } from '../message/queue-message.server.ts';
import { freezeAudience, membersOf, type Caps } from './audience.server.ts';
import { isQuiet, rendered, smsText, valuesFor, type Channel, type Content } from './message.rules.ts';

/** Rows handed over in one transaction. */
const BATCH = 500;
/** Minutes until a further try after the given number of tries. Source: group 16, mm_sendMessage. */
const PAUSES = [1, 5, 30];

/** Every dispatcher takes turns: rates, caps and daily batches are counted by what the others left. */
const TURN = `SELECT pg_advisory_xact_lock(7016, hashtext('message.dispatch'))`;

/** What may be sent now. */
interface Limits {
  readonly caps: Caps;
  readonly smsRate: number;
}

/** A send as far as dispatching needs it. */
interface Sending {
  readonly send_id: number;
  readonly code: string;
  readonly origin: string;
  readonly category: string;
  readonly urgent: boolean;
  readonly content: Content;
  readonly channel_codes: readonly number[];
  readonly batch_per_day: number | null;
  readonly jump: unknown;
  readonly image_id: string | null;
}

/** What a dispatcher needs of the actions of sends. */
export interface SendActions {
  /** Runs an action of a send as the system; a refusal means that somebody else was first. */
  act(action: 'startDue' | 'runDue' | 'finish', id: number, input?: object): Promise<boolean>;
}

/** Marketing caps as the settings say. */
export async function capsOf({ settings }: Pick<Platform, 'settings'>): Promise<Caps> {
  return {
    day: await settings.number('message.cap.per_day'),
    week: await settings.number('message.cap.per_week'),
  };
}

/**
 * One round of sending: starts what is due, hands messages over within rates, caps and quiet hours, reads what became of
 * them, lets the next channel stand in and ends what is through. May run in any number of processes, and be killed at any
 * moment: a recipient and its message are written in one transaction. `at` is the moment it counts as; default the
 * database's clock.
 */
export async function dispatchMessages(
  platform: Platform,
  actions: SendActions,
  options: { readonly at?: Date; readonly context?: JobContext } = {},
): Promise<number> {
  const { db } = platform.database;
  const now = async () =>
    options.at ?? (await runOne<{ at: Date }>(db, 'SELECT clock_timestamp() AS at'))!.at;
  const limits: Limits = {
    caps: await capsOf(platform),
    smsRate: await platform.settings.number('message.rate.sms'),
  };
  const due = await run<{ id: number; schedule: string; next_at: Date }>(
    db,
    `SELECT id, schedule, next_at FROM message_send WHERE state = 'scheduled' AND next_at <= $1 ORDER BY next_at, id`,
    [await now()],
  );
  for (const { id, schedule, next_at } of due) {
    options.context?.signal.throwIfAborted();
    if (schedule === 'recurring') await actions.act('runDue', id, { due: next_at.toISOString() });
    else await actions.act('startDue', id);
  }
  const runs = await run<{ id: number; send_id: number }>(
    db,
    `SELECT r.id, r.send_id FROM message_run r JOIN message_send s ON s.id = r.send_id
      WHERE r.finished_at IS NULL AND s.state IN ('scheduled', 'sending') ORDER BY s.urgent DESC, r.id`,
  );
  let sent = 0;
  for (const one of runs) {
    for (;;) {
      options.context?.signal.throwIfAborted();
      const at = await now();
      const batch = await transaction(db, async (tx) => {
        await run(tx, TURN);
        await readResults(tx, one.id, at);
        await standIn(tx, one.id, at);
        return sendBatch(tx, one.id, at, limits);
      });
      sent += batch.sent;
      if (batch.sent + batch.skipped > 0) {
        platform.changed('messageSend');
        platform.changed('messageRecipient');
      }
      if (batch.sent + batch.skipped === 0) break;
    }
    await transaction(db, async (tx) => {
      await run(tx, TURN);
      await closeRun(tx, one.id);
    });
    await actions.act('finish', one.send_id);
  }
  return sent;
}

/** Hands over the next messages of a run; nothing where its send was paused or cancelled meanwhile. */
async function sendBatch(
  tx: Tx,
  runId: number,
  at: Date,
  { caps, smsRate }: Limits,
): Promise<{ sent: number; skipped: number }> {
  const send = await runOne<Sending>(
    tx,
    `SELECT s.id AS send_id, s.code, s.origin, s.category, s.urgent, s.content, s.channel_codes, s.batch_per_day, e.image_id,
            CASE s.jump_type WHEN 'none' THEN CASE WHEN coalesce(s.content->>'jumpUrl', '') <> '' THEN jsonb_build_object('type', 'url', 'url', s.content->>'jumpUrl') END
              WHEN 'url' THEN jsonb_build_object('type', 'url', 'url', s.jump_url)
              ELSE jsonb_build_object('type', s.jump_type, 'id', coalesce(s.jump_topic_id, s.jump_notice_id, s.jump_product_id, s.jump_post_id, s.jump_activity_id)::text) END AS jump
       FROM message_run r JOIN message_send s ON s.id = r.send_id LEFT JOIN message_template e ON e.id = s.template_id
      WHERE r.id = $1 AND s.state IN ('sending', 'scheduled') FOR SHARE OF s`,
    [runId],
  );
  if (!send) return { sent: 0, skipped: 0 };
  let sent = 0;
  let skipped = 0;
  for (const channel of send.channel_codes.map(Number) as Channel[]) {
    const room = await roomFor(tx, send, channel, at, smsRate);
    if (room <= 0) continue;
    const rows = await run<{ id: number; member_id: number; skip: 'banned' | 'opted_out' | 'capped' | null }>(
      tx,
      `SELECT r.id, r.member_id, CASE
                WHEN coalesce(m.banned_until > $4, false) THEN 'banned'
                WHEN EXISTS (SELECT FROM message_optout o WHERE o.member_id = m.id AND o.channel = r.channel AND o.category = $5) THEN 'opted_out'
                WHEN $6 AND NOT EXISTS (SELECT FROM message_recipient x WHERE x.run_id = r.run_id AND x.member_id = r.member_id AND x.submitted_at IS NOT NULL)
                     AND EXISTS (SELECT FROM message_usage u WHERE u.member_id = m.id AND u.day > ($4 AT TIME ZONE 'Asia/Shanghai')::date - 7
                       HAVING coalesce(sum(u.count) FILTER (WHERE u.day = ($4 AT TIME ZONE 'Asia/Shanghai')::date), 0) >= $7 OR coalesce(sum(u.count), 0) >= $8) THEN 'capped' END AS skip
         FROM message_recipient r JOIN member m ON m.id = r.member_id
        WHERE r.run_id = $1 AND r.channel = $2 AND r.state = 'pending' AND coalesce(r.next_at <= $4, true)
        ORDER BY r.id LIMIT $3`,
      [
        runId,
        channel,
        Math.min(room, BATCH),
        at,
        send.category,
        send.category === 'marketing' && !send.urgent,
        caps.day,
        caps.week,
      ],
    );
    const left = rows.filter((row) => row.skip);
    if (left.length > 0)
      await run(
        tx,
        `UPDATE message_recipient r SET state = 'skipped', reason = x.reason, version = version + 1
           FROM unnest($1::bigint[], $2::text[]) AS x(id, reason) WHERE r.id = x.id`,
        [left.map((row) => row.id), left.map((row) => row.skip)],
      );
    const going = rows.filter((row) => !row.skip);
    if (going.length > 0) await hand(tx, send, channel, going, at);
    sent += going.length;
    skipped += left.length;
  }
  return { sent, skipped };
}

/** How many messages of a channel may leave now. */
async function roomFor(
  tx: Executor,
  send: Sending,
  channel: Channel,
  at: Date,
  smsRate: number,
): Promise<number> {
  const held = send.category === 'marketing' && !send.urgent && isQuiet(at);
  // A push of the operators is one message: its mailbox copy waits with it.
  if (held && (channel === 2 || channel === 3 || send.origin === 'ops_push')) return 0;
  let room = BATCH;
  if (channel === 2) {
    const used = await runOne<{ n: number }>(
      tx,
      `SELECT count(*)::int AS n FROM message_recipient WHERE channel = 2 AND submitted_at > $1::timestamptz - interval '1 minute' AND submitted_at <= $1`,
      [at],
    );
    room = Math.min(room, smsRate - used!.n);
  }
  if (send.batch_per_day !== null) {
    const today = await runOne<{ n: number }>(
      tx,
      `SELECT count(DISTINCT member_id)::int AS n FROM message_recipient
        WHERE send_id = $1 AND channel = $3 AND (submitted_at AT TIME ZONE 'Asia/Shanghai')::date = ($2::timestamptz AT TIME ZONE 'Asia/Shanghai')::date`,
      [send.send_id, at, channel],
    );
    room = Math.min(room, send.batch_per_day - today!.n);
  }
  return room;
}

/** Writes the messages of some recipients and marks these, in one step. */
async function hand(
  tx: Tx,
  send: Sending,
  channel: Channel,
  rows: readonly { readonly id: number; readonly member_id: number }[],
  at: Date,
): Promise<void> {
  const ids = rows.map((row) => row.id);
  const people = new Map(
    (
      await membersOf(
        tx,
        rows.map((row) => row.member_id),
      )
    ).map((one) => [one.id, one]),
  );
  if (send.category === 'marketing')
    await run(
      tx,
      `INSERT INTO message_usage AS u (member_id, channel, day, count)
       SELECT r.member_id, r.channel, ($2::timestamptz AT TIME ZONE 'Asia/Shanghai')::date, 1 FROM message_recipient r
        WHERE r.id = ANY($1::bigint[]) AND NOT EXISTS (SELECT FROM message_recipient x WHERE x.run_id = r.run_id AND x.member_id = r.member_id AND x.submitted_at IS NOT NULL)
       ON CONFLICT (member_id, day, channel) DO UPDATE SET count = u.count + 1`,
      [ids, at],
    );
  if (channel === 2) {
    const texts = rows.map((row) => {
      const person = people.get(row.member_id)!;
      const values = valuesFor(send.content, { nickname: person.nickname, project: person.project });
      return {
        no: `${send.code}-${row.id}`,
        id: row.id,
        phone: person.phone,
        body: smsText(rendered(send.content.smsBody, values), send.content.smsSign, send.category),
        params: values,
      };
    });
    // The number of the recipient goes along: a provider that knows it takes no message twice.
    await run(
      tx,
      `WITH texts AS (SELECT * FROM jsonb_to_recordset($1::jsonb) AS x(no text, id bigint, phone text, body text, params jsonb)),
            made AS (INSERT INTO sms_message (phone, purpose, body, params)
                     SELECT phone, $2, body, params || jsonb_build_object('no', no) FROM texts ORDER BY id RETURNING id, params->>'no' AS no)
       UPDATE message_recipient r SET state = 'submitted', submitted_at = $3, attempts = attempts + 1, next_at = NULL, sms_id = made.id, version = version + 1
         FROM texts JOIN made ON made.no = texts.no WHERE r.id = texts.id`,
      [JSON.stringify(texts), MASS_PURPOSE, at],
    );
    return;
  }
  const isPush = channel === 3;
  const { content } = send;
  const texts = rows.map((row) => {
    const person = people.get(row.member_id)!;
    const values = valuesFor(content, { nickname: person.nickname, project: person.project });
    const plain = (text: string) => rendered(text, values);
    const rich = (text: string) => rendered(text, values, { html: true });
    return {
      id: row.id,
      member: row.member_id,
      title_zh: plain(isPush ? content.pushTitle : content.inAppTitle),
      title_en: plain(isPush ? content.pushTitleEn : content.inAppTitleEn),
      body_zh: isPush ? plain(content.pushBody) : rich(content.inAppBody),
      body_en: isPush ? plain(content.pushBodyEn) : rich(content.inAppBodyEn),
    };
  });
  await run(
    tx,
    `INSERT INTO member_notification (member_id, channel, recipient_id, title_zh, title_en, body_zh, body_en, jump, image_id, created_at)
     SELECT member, $2, id, title_zh, title_en, body_zh, body_en, $3::jsonb, $4::uuid, $5
       FROM jsonb_to_recordset($1::jsonb) AS x(id bigint, member bigint, title_zh text, title_en text, body_zh text, body_en text) ORDER BY id`,
    [
      JSON.stringify(texts),
      channel,
      send.jump === null ? null : JSON.stringify(send.jump),
      send.image_id,
      at,
    ],
  );
  // What lies in the mailbox is there; a push is delivered when the phone says so.
  await run(
    tx,
    `UPDATE message_recipient SET state = $2, submitted_at = $3, delivered_at = CASE WHEN $2 = 'delivered' THEN $3::timestamptz END,
            attempts = attempts + 1, next_at = NULL, version = version + 1 WHERE id = ANY($1::bigint[])`,
    [ids, isPush ? 'submitted' : 'delivered', at],
  );
}

/** Takes over what became of SMS: a passing failure is tried again, a lasting one or the last try stays failed. */
async function readResults(tx: Tx, runId: number, at: Date): Promise<void> {
  await run(
    tx,
    `UPDATE message_recipient r SET
            state = CASE WHEN x.again THEN 'pending' ELSE 'failed' END,
            reason = CASE WHEN x.again THEN NULL WHEN x.refused THEN 'refused' WHEN x.unknown THEN 'unknown' ELSE 'unreachable' END,
            next_at = CASE WHEN x.again THEN $2::timestamptz + make_interval(mins => ($3::int[])[x.attempts]) END,
            version = r.version + 1
       FROM (SELECT o.id, o.attempts, s.refused, s.error = 'unknown' AS unknown, NOT s.refused AND s.error IS DISTINCT FROM 'unknown' AND o.attempts <= ${PAUSES.length} AS again
               FROM message_recipient o JOIN sms_message s ON s.id = o.sms_id
              WHERE o.run_id = $1 AND o.state = 'submitted' AND s.state = 'failed') x
      WHERE r.id = x.id`,
    [runId, at, PAUSES],
  );
}

/** Where the next channel stands in: members whose channel brought nothing within ten minutes. */
async function standIn(tx: Tx, runId: number, at: Date): Promise<void> {
  await run(
    tx,
    `INSERT INTO message_recipient (send_id, run_id, member_id, project_id, channel, state, reason)
     SELECT r.send_id, r.run_id, r.member_id, r.project_id, s.channel_codes[l.rank + 1],
            CASE WHEN s.channel_codes[l.rank + 1] = 4 THEN 'skipped' ELSE 'pending' END, CASE WHEN s.channel_codes[l.rank + 1] = 4 THEN 'no_address' END
       FROM message_send s JOIN message_run u ON u.send_id = s.id
       CROSS JOIN LATERAL unnest(s.channel_codes) WITH ORDINALITY AS l(channel, rank)
       JOIN message_recipient r ON r.run_id = u.id AND r.channel = l.channel
      WHERE u.id = $1 AND s.channel_mode = 'fallback' AND l.rank < cardinality(s.channel_codes)
        AND ((r.state = 'submitted' AND r.submitted_at <= $2::timestamptz - interval '10 minutes')
          OR r.state = 'failed' OR (r.state = 'skipped' AND r.reason IN ('opted_out', 'no_address')))
     ON CONFLICT ON CONSTRAINT message_recipient_once DO NOTHING`,
    [runId, at],
  );
}

/** Ends a run of which nothing waits any more: no row, no SMS on its way, no next channel that may stand in. */
async function closeRun(tx: Tx, runId: number): Promise<void> {
  await run(
    tx,
    `UPDATE message_run u SET finished_at = now() FROM message_send s
      WHERE u.id = $1 AND s.id = u.send_id AND s.state IN ('sending', 'scheduled') AND u.finished_at IS NULL
        AND NOT EXISTS (SELECT FROM message_recipient r WHERE r.run_id = u.id AND r.state = 'pending')
        AND NOT EXISTS (SELECT FROM message_recipient r JOIN sms_message m ON m.id = r.sms_id
                         WHERE r.run_id = u.id AND r.state = 'submitted' AND m.state IN ('queued', 'failed'))
        AND NOT (s.channel_mode = 'fallback' AND EXISTS (SELECT FROM message_recipient r WHERE r.run_id = u.id AND r.state = 'submitted'
                   AND r.channel <> s.channel_codes[cardinality(s.channel_codes)]
                   AND NOT EXISTS (SELECT FROM message_recipient n WHERE n.run_id = r.run_id AND n.member_id = r.member_id
                     AND n.channel = s.channel_codes[array_position(s.channel_codes, r.channel::bigint) + 1])))`,
    [runId],
  );
}

/** Opens the run of a day and fixes its audience; a second one of the same day is none. Returns how many rows wait. */
export async function openRun(tx: Tx, sendId: number, day: Date): Promise<number> {
  const made = await runOne<{ id: number }>(
    tx,
    `INSERT INTO message_run (send_id, run_on, started_at) VALUES ($1, ($2::timestamptz AT TIME ZONE 'Asia/Shanghai')::date, $2)
     ON CONFLICT ON CONSTRAINT message_run_once DO NOTHING RETURNING id`,
    [sendId, day],
  );
  return made ? freezeAudience(tx, made.id, day) : 0;
}

/** What has not left stays here: rows that wait are skipped, runs end. */
export async function stopRuns(tx: Tx, sendId: number): Promise<void> {
  await run(
    tx,
    `UPDATE message_recipient SET state = 'skipped', reason = 'cancelled', version = version + 1 WHERE send_id = $1 AND state = 'pending'`,
    [sendId],
  );
  await run(tx, 'UPDATE message_run SET finished_at = now() WHERE send_id = $1 AND finished_at IS NULL', [
    sendId,
  ]);
}
