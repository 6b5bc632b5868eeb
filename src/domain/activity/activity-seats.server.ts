import type { Label } from '../../kernel/contract/label.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { notFound } from '../../kernel/server/http/errors.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { openPlainOrder } from '../checkout/plain-order.server.ts';

/** Names of activities and of sign-ups in timelines. */
export const ACTIVITY_ENTITY = 'activity';
export const SIGNUP_ENTITY = 'activitySignup';

const SMS_PURPOSE = 'activity';

/** SQL: phase of activity `a` (alias) by the database's clock. */
export const phaseSql = (a: string): string =>
  `CASE WHEN ${a}.state = 'withdrawn' THEN NULL WHEN ${a}.state = 'draft' THEN 'not_started' WHEN now() < ${a}.deadline THEN 'open'
     WHEN now() < ${a}.starts_at THEN 'closed' WHEN now() < ${a}.ends_at THEN 'running' ELSE 'over' END`;

/** An activity behind its lock, with what the database's clock says of it. */
export interface LockedActivity {
  readonly id: number;
  readonly title: string;
  readonly audience: 'group' | 'property';
  readonly address: string;
  readonly cover_id: string;
  readonly state: 'draft' | 'published' | 'withdrawn';
  readonly cost: number;
  readonly cancellable: boolean;
  readonly person_limit: number;
  readonly most_seats: number;
  readonly waiting_list: boolean;
  readonly gives_points: boolean;
  readonly questions: readonly { readonly question: string; readonly required?: boolean }[];
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly taken: number;
  readonly closed: boolean;
  readonly begun: boolean;
  readonly late: boolean;
}

/** A sign-up as commands see it. */
export interface Signup {
  readonly id: number;
  readonly activity_id: number;
  readonly member_id: number;
  readonly project_id: number;
  readonly seats: number;
  readonly state: 'pending_payment' | 'signed' | 'waiting' | 'cancelled';
  readonly amount: number;
  readonly order_id: number | null;
  readonly checked_in_at: Date | null;
}

/** Locks an activity: every change of its seats stands behind this one lock. Throws 404. */
export async function lockActivity(tx: Tx, id: number): Promise<LockedActivity> {
  const row = await runOne<LockedActivity>(
    tx,
    `SELECT a.*, clock_timestamp() >= a.deadline AS closed, clock_timestamp() >= a.starts_at AS begun,
            clock_timestamp() > a.starts_at - make_interval(hours => a.cancel_hours) AS late
       FROM activity a WHERE a.id = $1 FOR UPDATE`,
    [id],
  );
  if (!row) throw notFound(['活动不存在', 'There is no such activity']);
  return row;
}

/** An entry of the timeline of a sign-up. */
export const tellSignup = (
  tx: Tx,
  id: number,
  what: {
    readonly action: string;
    readonly label: Label;
    readonly from?: string;
    readonly to: string;
    readonly remark?: string;
    readonly caller?: Caller | undefined;
  },
): Promise<void> => writeTimeline(tx, { entity: SIGNUP_ENTITY, entityId: id, ...what });

/** Writes one SMS to each member of some sign-ups; answers with how many. */
export async function tellSigned(
  tx: Executor,
  to: { readonly activityId: number; readonly ids?: readonly number[]; readonly states?: readonly string[] },
  text: string,
): Promise<number> {
  const rows = await run(
    tx,
    `INSERT INTO sms_message (phone, purpose, body, params)
     SELECT DISTINCT m.phone, '${SMS_PURPOSE}', '活动「' || a.title || '」：' || $4, jsonb_build_object('title', a.title, 'text', $4::text)
       FROM activity_signup s JOIN activity a ON a.id = s.activity_id JOIN member m ON m.id = s.member_id
      WHERE s.activity_id = $1 AND m.phone <> '' AND ($2::bigint[] IS NULL OR s.id = ANY($2)) AND ($3::text[] IS NULL OR s.state = ANY($3))
     RETURNING id`,
    [to.activityId, to.ids ?? null, to.states ?? null, text],
  );
  return rows.length;
}

/** True when so many seats are free. */
export const hasRoom = (activity: Pick<LockedActivity, 'person_limit' | 'taken'>, seats: number): boolean =>
  activity.person_limit === 0 || activity.taken + seats <= activity.person_limit;

/** Makes the order a sign-up is paid with; it closes by itself, at the latest when the activity begins. */
export async function openOrder(
  tx: Tx,
  activity: LockedActivity,
  of: {
    readonly memberId: number;
    readonly projectId: number;
    readonly seats: number;
    readonly amount: number;
  },
  minutes: number,
): Promise<{ readonly orderId: number; readonly until: Date }> {
  return openPlainOrder(tx, {
    kind: 'activity',
    ...of,
    qty: of.seats,
    title: activity.title,
    imageId: activity.cover_id,
    address: activity.address,
    minutes,
    until: activity.starts_at,
    about: { activity: activity.id },
  });
}

/**
 * Gives free seats to those who wait, in the order they applied; who comes next and needs more seats than are free is waited
 * for. Paid seats are held for `activity.promote_minutes`. Answers with how many moved up. Source: group 10, activity_signup.
 */
export async function promoteWaiting(tx: Tx, platform: Platform, activityId: number): Promise<number> {
  for (let moved = 0; ; moved += 1) {
    const activity = await lockActivity(tx, activityId);
    if (activity.state !== 'published' || activity.begun) return moved;
    const next = await runOne<Signup>(
      tx,
      `SELECT * FROM activity_signup WHERE activity_id = $1 AND state = 'waiting' ORDER BY applied_at, id LIMIT 1 FOR UPDATE`,
      [activityId],
    );
    if (!next || !hasRoom(activity, next.seats)) return moved;
    if (next.amount === 0) {
      await run(
        tx,
        `UPDATE activity_signup SET state = 'signed', version = version + 1, updated_at = now() WHERE id = $1`,
        [next.id],
      );
      await tellSignup(tx, next.id, {
        action: 'promote',
        label: ['候补转正', 'Moved up'],
        from: 'waiting',
        to: 'signed',
      });
      await tellSigned(tx, { activityId, ids: [next.id] }, '候补成功，您已报名。');
      continue;
    }
    const minutes = await platform.settings.numberIn(tx, 'activity.promote_minutes');
    const { orderId, until } = await openOrder(
      tx,
      activity,
      { memberId: next.member_id, projectId: next.project_id, seats: next.seats, amount: next.amount },
      minutes,
    );
    await run(
      tx,
      `UPDATE activity_signup SET state = 'pending_payment', order_id = $2, pay_until = $3, version = version + 1, updated_at = now() WHERE id = $1`,
      [next.id, orderId, until],
    );
    await tellSignup(tx, next.id, {
      action: 'promote',
      label: ['候补转正，待支付', 'Moved up, to be paid'],
      from: 'waiting',
      to: 'pending_payment',
    });
    await tellSigned(tx, { activityId, ids: [next.id] }, `候补成功，请在${minutes}分钟内支付。`);
  }
}

/** Writes a sign-up as cancelled; its seats are free then. */
export async function markCancelled(
  tx: Tx,
  signup: Pick<Signup, 'id' | 'state'>,
  why: {
    readonly reason: string;
    readonly action?: string;
    readonly label?: Label;
    readonly caller?: Caller | undefined;
  },
): Promise<void> {
  await run(
    tx,
    `UPDATE activity_signup SET state = 'cancelled', cancel_reason = $2, cancelled_at = clock_timestamp(), pay_until = NULL,
       version = version + 1, updated_at = now() WHERE id = $1`,
    [signup.id, why.reason],
  );
  await tellSignup(tx, signup.id, {
    action: why.action ?? 'cancel',
    label: why.label ?? ['取消报名', 'Cancelled'],
    from: signup.state,
    to: 'cancelled',
    remark: why.reason,
    caller: why.caller,
  });
}
