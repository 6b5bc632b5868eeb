import { createHash } from 'node:crypto';
import { z } from 'zod';
import { idText } from '../../kernel/server/http/call-parts.ts';
import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, transaction, transactionBeside } from '../../kernel/server/database.ts';
import { invalid, notFound, Refusal, ruleBroken } from '../../kernel/server/http/errors.ts';
import { requireProgramsStand } from '../../kernel/server/people/acting.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { together } from '../../kernel/server/together.ts';
import { MEMBER_EVENTS } from './handlers.server.ts';
import type { EventEffect, EventOutcome, MemberEvent, MemberEventKind } from './member-event.server.ts';
import { belongsTo } from './member-standing.server.ts';

/** An event as it is sent. */
export const eventBody = z.strictObject({
  eventId: z.uuid(),
  memberId: idText,
  projectId: idText,
  type: z.string().min(1).max(40),
  occurredAt: z.iso.datetime({ offset: true }),
  payload: z.record(z.string(), z.unknown()).default({}),
});

/** What the door answers. */
export interface EventAnswer {
  readonly accepted: boolean;
  readonly duplicate: boolean;
  readonly result: object;
  readonly effects: readonly EventEffect[];
}

/** Who tells of the event: a program, or staff on behalf of the member with a reason. */
export type EventTeller =
  | { readonly clientId: string; readonly caller?: Caller }
  | { readonly staffId: number; readonly reason: string };

type Kept = { readonly refused: { http: number; status: number; label: Label } } | EventOutcome;

/** An event lies at most this long back, and at most this far ahead: clocks of phones differ. */
const OLDEST_HOURS = 24;
const AHEAD_SECONDS = 60;

/**
 * Takes an event once: a repeat gets the first answer (`duplicate` tells), one that comes meanwhile waits for it, the same
 * number with another body is refused (422). What a rule refuses (30101) is kept as the answer, too; anything else keeps
 * nothing and may be sent again. Source: group 01, Member events; Must show 15.
 */
export async function takeMemberEvent(
  platform: Platform,
  body: z.output<typeof eventBody>,
  by: EventTeller,
  kinds: readonly MemberEventKind[] = MEMBER_EVENTS,
): Promise<EventAnswer> {
  const kind = kinds.find((one) => one.type === body.type);
  if (!kind) throw invalid({ type: ['事件类型不存在', 'There is no such type of event'] });
  const read = kind.payload.safeParse(body.payload);
  if (!read.success) {
    const issue = read.error.issues[0]!;
    const at = ['payload', ...issue.path].join('.');
    throw invalid({ [at]: [`内容不正确：${at}`, `Not valid: ${at}`] });
  }
  const event: Waiting = { body, digest: digestOf(body), payload: read.data, by };
  const alone = () => takeAlone(platform, kind, event);
  const taken =
    kind.applyMany && callerOf(by)
      ? await together(
          platform,
          `event ${kind.type}`,
          { item: event, keys: [`member ${body.memberId}`, `event ${body.eventId}`], alone },
          (events) => takeMany(platform, kind, events),
        )
      : await alone();
  if (taken instanceof Refusal) throw taken;
  for (const entity of kind.changes) platform.changed(entity);
  return taken;
}

/** An event whose kind and payload are good. */
interface Waiting {
  readonly body: z.output<typeof eventBody>;
  readonly digest: Buffer;
  readonly payload: unknown;
  readonly by: EventTeller;
}

const digestOf = (body: z.output<typeof eventBody>): Buffer =>
  createHash('sha256').update(JSON.stringify(body)).digest();

const clientOf = (by: EventTeller): string | null => ('clientId' in by ? by.clientId : null);
const callerOf = (by: EventTeller): Caller | undefined => ('clientId' in by ? by.caller : undefined);

/** SQL: an event lies too far back or ahead, by the database's clock. */
const LATE = `occurred_at < clock_timestamp() - make_interval(hours => ${OLDEST_HOURS})`;
const EARLY = `occurred_at > clock_timestamp() + make_interval(secs => ${AHEAD_SECONDS})`;
/** SQL: today in Shanghai. */
const DAY = `(clock_timestamp() AT TIME ZONE 'Asia/Shanghai')::date::text`;

/**
 * Takes events of programs, each of another member, in one transaction. Those that are refused, repeated or out of the ordinary have
 * no answer and have left nothing.
 */
async function takeMany(
  platform: Platform,
  kind: MemberEventKind,
  events: readonly Waiting[],
): Promise<readonly (EventAnswer | undefined)[]> {
  return transactionBeside(platform.database.db, async (tx) => {
    const rows = await run<{ id: number; eventId: string; today: string }>(
      tx,
      `INSERT INTO member_event (event_id, digest, client_id, member_id, project_id, type, occurred_at, payload)
       SELECT x.event_id, x.digest, x.client, m.id, p.id, $8, x.occurred_at, x.payload
         FROM unnest($1::uuid[], $2::bytea[], $3::text[], $4::bigint[], $5::bigint[], $6::timestamptz[], $7::jsonb[]) AS x(event_id, digest, client, member, project, occurred_at, payload)
         JOIN project p ON p.id = x.project JOIN member m ON m.id = x.member AND ${belongsTo('m', 'x.project')}
        WHERE NOT (${LATE}) AND NOT (${EARLY}) ORDER BY x.event_id
       ON CONFLICT (event_id) DO NOTHING RETURNING id, event_id AS "eventId", ${DAY} AS today`,
      [
        events.map(({ body }) => body.eventId),
        events.map(({ digest }) => digest),
        events.map(({ by }) => clientOf(by)),
        events.map(({ body }) => body.memberId),
        events.map(({ body }) => body.projectId),
        events.map(({ body }) => body.occurredAt),
        events.map(({ body }) => JSON.stringify(body.payload)),
        kind.type,
      ],
    );
    const today = rows[0]?.today;
    // Over midnight the events would lie on two days.
    if (today === undefined || rows.some((row) => row.today !== today)) throw new Error('no common day');
    const byId = new Map(events.map((event) => [event.body.eventId, event]));
    const taken = rows.map((row) => ({ ...byId.get(row.eventId)!, row }));
    const outcomes = await kind.applyMany!(
      tx,
      platform,
      today,
      taken.map(({ body, payload }) => ({
        memberId: body.memberId,
        projectId: body.projectId,
        payload: payload as never,
      })),
    );
    const answers = new Map<string, EventAnswer>();
    const kept = taken.flatMap(({ row }, index) => {
      const outcome = outcomes[index];
      if (!outcome) return [];
      answers.set(row.eventId, { accepted: true, duplicate: false, ...outcome });
      return [{ id: row.id, answer: JSON.stringify(outcome) }];
    });
    if (kept.length === 0) throw new Error('nothing is taken');
    await run(
      tx,
      `UPDATE member_event e SET accepted = true, answer = x.answer FROM unnest($1::bigint[], $2::jsonb[]) AS x(id, answer) WHERE e.id = x.id`,
      [kept.map((one) => one.id), kept.map((one) => one.answer)],
    );
    const left = taken.filter(({ row }) => !answers.has(row.eventId)).map(({ row }) => row.id);
    if (left.length > 0) await run(tx, 'DELETE FROM member_event WHERE id = ANY($1::bigint[])', [left]);
    await requireProgramsStand(
      tx,
      events.flatMap(({ by }) => callerOf(by) ?? []),
    );
    return events.map(({ body }) => answers.get(body.eventId));
  });
}

/** Takes one event, with its refusals and repeats. */
async function takeAlone(
  platform: Platform,
  kind: MemberEventKind,
  { body, digest, payload, by }: Waiting,
): Promise<EventAnswer | Refusal> {
  return transaction(platform.database.db, async (tx): Promise<EventAnswer | Refusal> => {
    const staffId = 'staffId' in by ? by.staffId : undefined;
    const row = await runOne<{ id: number; late: boolean; early: boolean; today: string }>(
      tx,
      `INSERT INTO member_event (event_id, digest, client_id, staff_id, reason, member_id, project_id, type, occurred_at, payload)
       SELECT $1, $2, $3, $4, $5, m.id, p.id, $8, $9::timestamptz, $10
         FROM member m JOIN project p ON p.id = $7 WHERE m.id = $6 AND ${belongsTo('m', '$7')}
       ON CONFLICT (event_id) DO NOTHING
       RETURNING id, ${LATE} AS late, ${EARLY} AS early, ${DAY} AS today`,
      [
        body.eventId,
        digest,
        clientOf(by),
        staffId ?? null,
        'reason' in by ? by.reason : null,
        body.memberId,
        body.projectId,
        body.type,
        body.occurredAt,
        JSON.stringify(body.payload),
      ],
    );
    if (!row) return repeated(tx, body, digest);
    if (row.late || row.early)
      throw invalid({
        occurredAt: row.late
          ? ['事件时间超过24小时', 'The event is older than 24 hours']
          : ['事件时间在未来', 'The event lies in the future'],
      });
    await run(tx, 'SAVEPOINT member_event');
    let kept: Kept;
    try {
      const event: MemberEvent<never> = {
        id: row.id,
        eventId: body.eventId,
        memberId: body.memberId,
        projectId: body.projectId,
        type: body.type,
        occurredAt: new Date(body.occurredAt),
        today: row.today,
        payload: payload as never,
        staffId,
      };
      kept = await kind.apply(tx, platform, event);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 30101) throw error;
      await run(tx, 'ROLLBACK TO SAVEPOINT member_event');
      kept = { refused: { http: error.http, status: error.status, label: error.label } };
    }
    await run(tx, 'UPDATE member_event SET accepted = $2, answer = $3 WHERE id = $1', [
      row.id,
      !('refused' in kept),
      JSON.stringify(kept),
    ]);
    return answerOf(kept, false);
  });
}

async function repeated(
  tx: Parameters<typeof runOne>[0],
  body: z.output<typeof eventBody>,
  digest: Buffer,
): Promise<EventAnswer | Refusal> {
  const first = await runOne<{ digest: Buffer; answer: Kept }>(
    tx,
    'SELECT digest, answer FROM member_event WHERE event_id = $1',
    [body.eventId],
  );
  // Nothing was inserted and none is there: the member or the project is not.
  if (!first) {
    const member = await runOne(
      tx,
      'SELECT 1 AS one FROM member m JOIN project p ON p.id = $2 WHERE m.id = $1',
      [body.memberId, body.projectId],
    );
    throw member
      ? ruleBroken(['会员不属于该项目', 'The member does not belong to this project'])
      : notFound(['会员或项目不存在', 'The member or project does not exist']);
  }
  if (!first.digest.equals(digest))
    throw invalid({
      eventId: ['事件标识已用于其他内容', 'The event id was used for another event'],
    });
  return answerOf(first.answer, true);
}

function answerOf(kept: Kept, duplicate: boolean): EventAnswer | Refusal {
  if ('refused' in kept)
    return new Refusal(kept.refused.http, kept.refused.status, kept.refused.label, {
      accepted: false,
      duplicate,
    });
  return { accepted: true, duplicate, result: kept.result, effects: kept.effects };
}
