import { createHash } from 'node:crypto';
import { z } from 'zod';
import { idText } from '../../kernel/server/http/call-parts.ts';
import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, transaction } from '../../kernel/server/database.ts';
import { invalid, notFound, Refusal, ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { MEMBER_EVENTS } from './handlers.server.ts';
import type { EventEffect, EventOutcome, MemberEvent } from './member-event.server.ts';
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
  { readonly clientId: string } | { readonly staffId: number; readonly reason: string };

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
): Promise<EventAnswer> {
  const kind = MEMBER_EVENTS.find((one) => one.type === body.type);
  if (!kind) throw invalid({ type: ['事件类型不存在', 'There is no such type of event'] });
  const read = kind.payload.safeParse(body.payload);
  if (!read.success) {
    const issue = read.error.issues[0]!;
    const at = ['payload', ...issue.path].join('.');
    throw invalid({ [at]: [`内容不正确：${at}`, `Not valid: ${at}`] });
  }
  const digest = createHash('sha256').update(JSON.stringify(body)).digest();
  const taken = await transaction(platform.database.db, async (tx): Promise<EventAnswer | Refusal> => {
    const staffId = 'staffId' in by ? by.staffId : undefined;
    const row = await runOne<{ id: number; late: boolean; early: boolean; today: string }>(
      tx,
      `INSERT INTO member_event (event_id, digest, client_id, staff_id, reason, member_id, project_id, type, occurred_at, payload)
       SELECT $1, $2, $3, $4, $5, m.id, p.id, $8, $9::timestamptz, $10
         FROM member m JOIN project p ON p.id = $7 WHERE m.id = $6 AND ${belongsTo('m', '$7')}
       ON CONFLICT (event_id) DO NOTHING
       RETURNING id, occurred_at < clock_timestamp() - make_interval(hours => ${OLDEST_HOURS}) AS late,
                 occurred_at > clock_timestamp() + make_interval(secs => ${AHEAD_SECONDS}) AS early,
                 (clock_timestamp() AT TIME ZONE 'Asia/Shanghai')::date::text AS today`,
      [
        body.eventId,
        digest,
        'clientId' in by ? by.clientId : null,
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
        payload: read.data as never,
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
  if (taken instanceof Refusal) throw taken;
  for (const entity of kind.changes) platform.changed(entity);
  return taken;
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
