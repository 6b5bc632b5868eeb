import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { giveUp } from './give-up.server.ts';
import { businessDayOf } from '../../kernel/contract/time.rules.ts';
import { run, runOne, transactionBeside, type Tx } from '../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import { macOf, sameText } from '../../kernel/server/http/signed-ticket.ts';
import { SYSTEM_NAME } from '../../kernel/server/people/caller.ts';
import type { Platform, PlatformConfig } from '../../kernel/server/platform.ts';
import { recordOrderChange } from '../checkout/order-log.server.ts';
import { grantGroupPoints } from '../interest-group/interest-group.server.ts';
import type { EventEffect } from '../member-event/member-event.server.ts';
import { giveTaskAgain, grantTask, takeBackTask } from '../points-task/points-task.server.ts';
import {
  BAD_CODE,
  CLOSED,
  MOST_TRIES,
  NO_SEATS,
  NOT_INVITED,
  OVER,
  TOO_EARLY,
  type Answer,
} from './activity.rules.ts';
import {
  hasRoom,
  lockActivity,
  markCancelled,
  openOrder,
  tellSigned,
  tellSignup,
  type LockedActivity,
  type Signup,
} from './activity-seats.server.ts';

/** The task an activity's check-in is. */
const TASK = 'T09';
const subjectOf = (activityId: number) => `activity:${activityId}`;

/** A sign-up as the member is told of it. */
export interface SignedUp {
  readonly signupId: string;
  readonly state: Signup['state'];
  /** Yuan. */
  readonly amount: string;
  readonly payUntil: string | null;
}

/**
 * A member signs up for a published activity of its project. Free seats are taken at once, paid ones held until they are paid;
 * where none are left and the waiting list is on, the member waits. Throws 404 for an activity that is not published, 30101
 * outside of the audience, after the deadline, for a second sign-up and where nothing is left. Source: group 10.
 */
export async function signUp(
  tx: Tx,
  platform: Platform,
  wish: {
    readonly memberId: number;
    readonly projectId: number;
    readonly activityId: number;
    readonly seats: number;
    readonly answers: readonly string[];
  },
): Promise<SignedUp> {
  const activity = await lockActivity(tx, wish.activityId);
  if (activity.state !== 'published') throw notFound(['活动不存在', 'There is no such activity']);
  await requireInvited(tx, activity, wish);
  if (activity.closed) throw ruleBroken(CLOSED);
  if (wish.seats > activity.most_seats)
    throw ruleBroken([`每次最多报名${activity.most_seats}人`, `At most ${activity.most_seats} seats`]);
  const answers = answersOf(activity, wish.answers);
  const live = await runOne(
    tx,
    `SELECT 1 AS one FROM activity_signup WHERE activity_id = $1 AND member_id = $2 AND state <> 'cancelled'`,
    [activity.id, wish.memberId],
  );
  if (live) throw ruleBroken(['您已报名该活动', 'You have signed up already']);
  // Nobody gets past those who wait.
  const queue = await runOne(
    tx,
    `SELECT 1 AS one FROM activity_signup WHERE activity_id = $1 AND state = 'waiting' LIMIT 1`,
    [activity.id],
  );
  const free = !queue && hasRoom(activity, wish.seats);
  if (!free && !activity.waiting_list) throw ruleBroken(NO_SEATS);
  const amount = activity.cost * wish.seats;
  const order =
    free && amount > 0
      ? await openOrder(
          tx,
          activity,
          { ...wish, amount },
          await platform.settings.numberIn(tx, 'activity.pay_minutes'),
        )
      : undefined;
  const state = !free ? 'waiting' : order ? 'pending_payment' : 'signed';
  const { id } = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO activity_signup (activity_id, member_id, project_id, house_id, seats, answers, state, amount, order_id, pay_until)
     VALUES ($1, $2, $3, (SELECT h.house_id FROM household h JOIN house o ON o.id = h.house_id
        WHERE h.member_id = $2 AND h.status = 'normal' AND o.project_id = $3 ORDER BY h.id LIMIT 1), $4, $5, $6, $7, $8, $9) RETURNING id`,
    [
      activity.id,
      wish.memberId,
      wish.projectId,
      wish.seats,
      JSON.stringify(answers),
      state,
      amount,
      order?.orderId ?? null,
      order?.until ?? null,
    ],
  ))!;
  await tellSignup(tx, id, {
    action: 'signUp',
    label: state === 'waiting' ? ['申请候补', 'Waits for a seat'] : ['报名', 'Signed up'],
    to: state,
  });
  return {
    signupId: String(id),
    state,
    amount: yuanFromFen(amount),
    payUntil: order?.until.toISOString() ?? null,
  };
}

async function requireInvited(
  tx: Tx,
  activity: LockedActivity,
  wish: { readonly memberId: number; readonly projectId: number },
): Promise<void> {
  const { fits } = (await runOne<{ fits: boolean }>(
    tx,
    `SELECT EXISTS (SELECT FROM activity_project p WHERE p.activity_id = $1 AND p.project_id = $2)
        AND ($3 = 'property' OR EXISTS (SELECT FROM activity_group g JOIN interest_group_member m ON m.group_id = g.group_id
              WHERE g.activity_id = $1 AND m.member_id = $4 AND m.state = 'in')) AS fits`,
    [activity.id, wish.projectId, activity.audience, wish.memberId],
  ))!;
  if (!fits) throw ruleBroken(NOT_INVITED);
}

function answersOf(activity: LockedActivity, given: readonly string[]): readonly Answer[] {
  return activity.questions.map(({ question, required }, index) => {
    const answer = (given[index] ?? '').trim();
    if (required && answer === '') throw ruleBroken([`请回答：${question}`, `Please answer: ${question}`]);
    return { question, answer };
  });
}

async function liveSignup(
  tx: Tx,
  of: { readonly activityId: number; readonly memberId: number },
): Promise<(Signup & { readonly free: boolean }) | undefined> {
  return runOne(
    tx,
    `SELECT *, coalesce(free_until > clock_timestamp(), false) AS free FROM activity_signup
      WHERE activity_id = $1 AND member_id = $2 AND state <> 'cancelled' FOR UPDATE`,
    [of.activityId, of.memberId],
  );
}

/** What a member pays for its sign-up, for the way of payment the app opens. Throws 30101 where nothing waits to be paid. */
export async function payable(
  tx: Tx,
  wish: { readonly memberId: number; readonly activityId: number },
): Promise<{
  readonly orderId: string;
  readonly checkoutCode: string;
  readonly amount: string;
  readonly payUntil: string;
}> {
  const row = await runOne<{ order_id: number; checkout_code: string; amount: number; pay_until: Date }>(
    tx,
    `SELECT s.order_id, p.checkout_code, p.amount, s.pay_until FROM activity_signup s JOIN sales_order o ON o.id = s.order_id
       JOIN payment p ON p.id = o.payment_id
      WHERE s.activity_id = $1 AND s.member_id = $2 AND s.state = 'pending_payment' AND s.pay_until > clock_timestamp()`,
    [wish.activityId, wish.memberId],
  );
  if (!row) throw ruleBroken(['没有待支付的报名', 'No sign-up waits to be paid']);
  return {
    orderId: String(row.order_id),
    checkoutCode: row.checkout_code,
    amount: yuanFromFen(row.amount),
    payUntil: row.pay_until.toISOString(),
  };
}

/**
 * A member cancels: who waits or has not paid yet at any time before the start, others as long as the activity allows it or
 * time or place was changed; a paid one gets everything back. Throws 30101 otherwise.
 */
export async function cancelOwn(
  tx: Tx,
  platform: Platform,
  wish: { readonly memberId: number; readonly activityId: number },
): Promise<void> {
  const activity = await lockActivity(tx, wish.activityId);
  const signup = await liveSignup(tx, wish);
  if (!signup) throw ruleBroken(['您未报名该活动', 'You have not signed up']);
  if (signup.checked_in_at) throw ruleBroken(['已签到，不能取消', 'Checked in: it cannot be cancelled']);
  if (activity.begun) throw ruleBroken(['活动已开始，不能取消', 'The activity has begun']);
  if (signup.state === 'signed' && !signup.free) {
    if (!activity.cancellable) throw ruleBroken(['该活动不可取消报名', 'This activity cannot be cancelled']);
    if (activity.late) throw ruleBroken(['已超过取消时间', 'Too late to cancel']);
  }
  await giveUp(tx, platform, signup, { reason: '会员取消' });
}

/** Cancels every live sign-up of an activity that is withdrawn, gives all money back and tells everybody; answers with how many. */
export async function cancelAll(
  tx: Tx,
  platform: Platform,
  of: { readonly activityId: number; readonly reason: string },
): Promise<number> {
  await lockActivity(tx, of.activityId);
  const rows = await run<Signup>(
    tx,
    // Who waits goes first, so that nobody moves up meanwhile.
    `SELECT * FROM activity_signup WHERE activity_id = $1 AND state <> 'cancelled' ORDER BY state <> 'waiting', id FOR UPDATE`,
    [of.activityId],
  );
  if (rows.length > 0)
    await tellSigned(
      tx,
      { activityId: of.activityId, ids: rows.map((row) => row.id) },
      `活动已取消，报名费将原路退回。原因：${of.reason}`,
    );
  for (const row of rows) {
    // Also who has come already gets the money back.
    if (row.checked_in_at)
      await run(tx, 'UPDATE activity_signup SET checked_in_at = NULL, check_in_way = NULL WHERE id = $1', [
        row.id,
      ]);
    await giveUp(tx, platform, row, { reason: `活动撤回：${of.reason}` });
  }
  return rows.length;
}

/** The activity has begun: who still waits goes without a seat. */
export async function closeWaiting(tx: Tx, activityId: number): Promise<void> {
  await lockActivity(tx, activityId);
  const rows = await run<Signup>(
    tx,
    `SELECT * FROM activity_signup WHERE activity_id = $1 AND state = 'waiting' ORDER BY id FOR UPDATE`,
    [activityId],
  );
  for (const row of rows)
    await markCancelled(tx, row, {
      reason: '活动已开始，候补结束',
      label: ['候补结束', 'The waiting list is closed'],
    });
}

/** The activity is over: orders of its sign-ups are completed. */
export async function endActivity(tx: Tx, activityId: number): Promise<void> {
  const rows = await run<{ id: number }>(
    tx,
    `SELECT o.id FROM sales_order o JOIN activity_signup s ON s.order_id = o.id
      WHERE s.activity_id = $1 AND o.state = 'to_receive' AND o.refund_status <> 'refunding' ORDER BY o.id FOR UPDATE OF o`,
    [activityId],
  );
  for (const { id } of rows) {
    await run(
      tx,
      `UPDATE sales_order SET state = 'completed', completed_at = clock_timestamp(), version = version + 1, updated_at = now() WHERE id = $1`,
      [id],
    );
    await recordOrderChange(tx, {
      orderId: id,
      code: 26,
      who: SYSTEM_NAME,
      action: 'complete',
      label: ['活动结束', 'The activity is over'],
      from: 'to_receive',
      to: 'completed',
    });
  }
}

/** The text of an activity's QR code: names it, signed. It stands on printed sheets, so only the times of the activity end it. */
export const ticketOf = (config: Pick<PlatformConfig, 'secretKey'>, activityId: number): string =>
  `activity:${activityId}.${macOf(config, 'activity-check-in', String(activityId)).slice(0, 32)}`;

/** The activity a scanned code names, when this installation signed it; else undefined. */
export function activityOfTicket(
  config: Pick<PlatformConfig, 'secretKey'>,
  ticket: string,
): number | undefined {
  const [, id] = /^activity:(\d{1,15})\./.exec(ticket) ?? [];
  return id && sameText(ticket, ticketOf(config, Number(id))) ? Number(id) : undefined;
}

/** The six digits that stand beside the QR code. */
export function codeOf(config: Pick<PlatformConfig, 'secretKey'>, activityId: number): string {
  const mac = Buffer.from(macOf(config, 'activity-code', String(activityId)), 'base64url');
  return String(mac.readUInt32BE(0) % 1_000_000).padStart(6, '0');
}

/** Refuses (30101) a code that is not the activity's; five wrong ones close that way for the member. */
async function requireCode(
  tx: Tx,
  platform: Platform,
  of: { readonly activityId: number; readonly memberId: number; readonly code: string },
): Promise<void> {
  const tried = await runOne<{ tries: number }>(
    tx,
    'SELECT tries FROM activity_code_try WHERE activity_id = $1 AND member_id = $2',
    [of.activityId, of.memberId],
  );
  if ((tried?.tries ?? 0) >= MOST_TRIES)
    throw ruleBroken(['签到码错误次数过多，请扫码签到', 'Too many wrong codes: scan the QR code']);
  if (sameText(of.code, codeOf(platform.config, of.activityId))) return;
  // The refusal takes this transaction back; the try stays.
  await transactionBeside(platform.database.db, (beside) =>
    run(
      beside,
      `INSERT INTO activity_code_try (activity_id, member_id, tries) VALUES ($1, $2, 1)
       ON CONFLICT (activity_id, member_id) DO UPDATE SET tries = activity_code_try.tries + 1`,
      [of.activityId, of.memberId],
    ),
  );
  throw ruleBroken(BAD_CODE);
}

/** What a member shows to have come: the text of the QR code, or the digits beside it. */
export type CheckInProof =
  { readonly ticket: string } | { readonly activityId: number; readonly code: string };

/**
 * A member checks in: from `activity.checkin_before` minutes before the start until the end, by the database's clock. A second
 * time answers as the first and gives nothing. Source: group 10, Check-in.
 */
export async function checkInOwn(
  tx: Tx,
  platform: Platform,
  { memberId, proof }: { readonly memberId: number; readonly proof: CheckInProof },
): Promise<{ readonly at: string; readonly again: boolean; readonly effects: readonly EventEffect[] }> {
  const activityId = 'ticket' in proof ? activityOfTicket(platform.config, proof.ticket) : proof.activityId;
  if (activityId === undefined) throw ruleBroken(BAD_CODE);
  const exists = await runOne(tx, `SELECT 1 AS one FROM activity WHERE id = $1 AND state = 'published'`, [
    activityId,
  ]);
  if (!exists) throw notFound(['活动不存在', 'There is no such activity']);
  if ('code' in proof) await requireCode(tx, platform, { ...proof, memberId });
  const signup = await liveSignup(tx, { activityId, memberId });
  if (signup?.state !== 'signed') throw ruleBroken(['您未报名该活动', 'You have not signed up']);
  if (signup.checked_in_at) return { at: signup.checked_in_at.toISOString(), again: true, effects: [] };
  const { at, effects } = await welcome(tx, platform, signup);
  await run(
    tx,
    `UPDATE activity_signup SET checked_in_at = $2, check_in_way = $3, version = version + 1, updated_at = now() WHERE id = $1`,
    [signup.id, at, 'ticket' in proof ? 'qr' : 'code'],
  );
  await tellSignup(tx, signup.id, {
    action: 'checkIn',
    label: ['签到', 'Checked in'],
    from: 'signed',
    to: 'signed',
  });
  return { at: at.toISOString(), again: false, effects };
}

/** Refuses (30101) a check-in outside of its time and gives its points; whoever calls writes the row. */
export async function welcome(
  tx: Tx,
  platform: Platform,
  signup: Pick<Signup, 'activity_id' | 'member_id' | 'project_id'>,
  by: 'member' | 'staff' = 'member',
): Promise<{ readonly at: Date; readonly effects: readonly EventEffect[] }> {
  const before = await platform.settings.numberIn(tx, 'activity.checkin_before');
  const activity = (await runOne<{
    at: Date;
    early: boolean;
    over: boolean;
    gives: boolean;
    groups: number[];
  }>(
    tx,
    `SELECT clock_timestamp() AS at, clock_timestamp() < starts_at - make_interval(mins => $2) AS early,
            clock_timestamp() >= ends_at + CASE WHEN $3 THEN interval '1 day' ELSE interval '0' END AS over, gives_points AS gives,
            CASE WHEN audience = 'group' THEN ARRAY(SELECT g.group_id FROM activity_group g JOIN interest_group_member m ON m.group_id = g.group_id
               WHERE g.activity_id = a.id AND m.member_id = $4 AND m.state = 'in' ORDER BY g.group_id) ELSE '{}' END AS groups
       FROM activity a WHERE a.id = $1`,
    [signup.activity_id, before, by === 'staff', signup.member_id],
  ))!;
  if (activity.early) throw ruleBroken(TOO_EARLY);
  if (activity.over) throw ruleBroken(OVER);
  const { at } = activity;
  if (!activity.gives) return { at, effects: [] };
  const done = {
    task: TASK,
    memberId: signup.member_id,
    projectId: signup.project_id,
    subject: subjectOf(signup.activity_id),
    at,
  };
  const again = await giveTaskAgain(tx, platform.settings, done);
  const effects: EventEffect[] = [
    again > 0 ? { kind: 'task', rule: TASK, points: again } : await grantTask(tx, platform.settings, done),
  ];
  for (const groupId of activity.groups)
    effects.push(
      ...(await grantGroupPoints(tx, platform.settings, {
        groupId,
        event: 'activity.check_in',
        subject: `${subjectOf(signup.activity_id)}:member:${signup.member_id}`,
        memberId: signup.member_id,
        projectId: signup.project_id,
        at,
      })),
    );
  return { at, effects };
}

/** Takes a check-in of the same day back, with the member's points; whoever calls writes the row. Throws 30101 on later days. */
export async function takeBackWelcome(
  tx: Tx,
  signup: Signup,
  by: { readonly staffId: number; readonly reason: string },
): Promise<void> {
  const { now } = (await runOne<{ now: Date }>(tx, 'SELECT clock_timestamp() AS now'))!;
  if (!signup.checked_in_at) throw ruleBroken(['未签到', 'Not checked in']);
  if (businessDayOf(signup.checked_in_at) !== businessDayOf(now))
    throw ruleBroken(['只能在签到当天撤销', 'Only on the day of the check-in']);
  await takeBackTask(tx, {
    task: TASK,
    memberId: signup.member_id,
    subject: subjectOf(signup.activity_id),
    note: by.reason,
    staffId: by.staffId,
  });
}
