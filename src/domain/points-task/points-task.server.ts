import type { Label } from '../../kernel/contract/label.ts';
import { businessDayOf } from '../../kernel/contract/time.rules.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import type { SettingsReader } from '../../kernel/server/settings/settings-store.ts';
import { LINE_KINDS, lockMembers } from '../points-ledger/ledger-book.server.ts';
import { grantPoints } from '../points-ledger/points-grant.server.ts';
import { now } from '../points-ledger/points-lots.server.ts';
import { clawbackPoints } from '../points-ledger/points-take-back.server.ts';
import type { EventEffect } from '../member-event/member-event.server.ts';

/** A task a member has done. */
export interface TaskDone {
  /** T01 to T14. */
  readonly task: string;
  readonly memberId: number;
  readonly projectId: number;
  /** What proves it, counted once: `post:12`, `like:12:7`, `decision:3:house:8`. */
  readonly subject: string;
  /** When it was done, which its times a day go by. */
  readonly at?: Date | undefined;
  /** When its points are booked, which caps go by; absent: the database's clock. Source: group 22, rule 8. */
  readonly bookedAt?: Date | undefined;
}

/** Why a task gave nothing. */
export const TASK_SKIPS = {
  off: ['任务已停用', 'The task is off'],
  official: ['运营用户不参与积分', 'Operation users earn no points'],
  again: ['已奖励过', 'Rewarded before'],
  day_times: ['今日次数已满', 'Done as often as counts today'],
  total_times: ['总次数已满', 'Done as often as counts'],
  day: ['已达规则每日上限', 'The day limit of the rule is reached'],
  month: ['已达规则每月上限', 'The month limit of the rule is reached'],
  total: ['已达规则总上限', 'The total limit of the rule is reached'],
  activity_daily: ['已达每日活动积分上限', 'The daily limit of activity points is reached'],
  budget: ['积分预算不足', 'The points budget is short'],
} as const satisfies Readonly<Record<string, Label>>;

type Skip = keyof typeof TASK_SKIPS;

interface Task {
  readonly id: number;
  readonly code: string;
  readonly event: string;
  readonly points: number;
  readonly dayTimes: number;
  readonly totalTimes: number;
}

/**
 * Gives a member the points of a task, once per subject, within the task's times and the caps of the points rule that is
 * enabled for its event in the project. Nothing given is an answer with the reason, never a refusal. `points` of the answer
 * are whole points. Source: group 01, os_taskIntegral, Rules.
 */
export async function grantTask(tx: Tx, settings: SettingsReader, done: TaskDone): Promise<EventEffect> {
  const effect = (points: number, why?: Skip): EventEffect => ({
    kind: 'task',
    rule: done.task,
    points,
    ...(why && { reason: TASK_SKIPS[why] }),
  });
  const task = await runOne<Task & { official: boolean }>(
    tx,
    `SELECT t.id, t.code, t.event, t.points, t.day_times AS "dayTimes", t.total_times AS "totalTimes", m.official
       FROM points_task t JOIN member m ON m.id = $2 WHERE t.code = $1 AND t.enabled AND t.points > 0`,
    [done.task, done.memberId],
  );
  if (!task) return effect(0, 'off');
  if (task.official) return effect(0, 'official');
  // The member's lock first: counting and giving are one step.
  await lockMembers(tx, [done.memberId]);
  const at = done.at ?? (await now(tx));
  const day = businessDayOf(at);
  const counts = (await runOne<{ today: number; all: number; again: boolean }>(
    tx,
    `SELECT count(*) FILTER (WHERE gives > 0 AND day = $3::date)::int AS today, count(*) FILTER (WHERE gives > 0)::int AS all,
            coalesce(bool_or(subject = $4), false) AS again
       FROM points_task_done WHERE task_id = $1 AND member_id = $2`,
    [task.id, done.memberId, day, done.subject],
  ))!;
  if (counts.again) return effect(0, 'again');
  const full: Skip | undefined =
    task.totalTimes >= 0 && counts.all >= task.totalTimes
      ? 'total_times'
      : task.dayTimes >= 0 && counts.today >= task.dayTimes
        ? 'day_times'
        : undefined;
  const row = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO points_task_done (task_id, member_id, project_id, subject, day, done_at, points, skipped)
     VALUES ($1, $2, $3, $4, $5, $6, 0, $7) RETURNING id`,
    [task.id, done.memberId, done.projectId, done.subject, day, at, full ?? 'budget'],
  ))!;
  if (full) return effect(0, full);
  const { amount, cut } = await give(tx, settings, task, { ...done, at }, row.id, 1, task.points);
  await run(
    tx,
    'UPDATE points_task_done SET points = $2, gives = CASE WHEN $2 > 0 THEN 1 ELSE 0 END, skipped = CASE WHEN $2 > 0 THEN NULL ELSE $3 END WHERE id = $1',
    [row.id, amount, cut ?? 'budget'],
  );
  return effect(amount, amount < task.points ? cut : undefined);
}

/**
 * Takes the points of a task back whose proof is gone (a post hidden for a violation, or deleted soon by its author); answers
 * with the points taken, 0 where nothing was given or all is back already.
 */
export async function takeBackTask(
  tx: Tx,
  undone: {
    readonly task: string;
    readonly memberId: number;
    readonly subject: string;
    readonly note?: string | undefined;
    readonly staffId?: number | undefined;
  },
): Promise<number> {
  await lockMembers(tx, [undone.memberId]);
  const row = await runOne<{ id: number; points: number; gives: number }>(
    tx,
    `UPDATE points_task_done d SET backs = backs + 1 FROM points_task t
      WHERE t.id = d.task_id AND t.code = $1 AND d.member_id = $2 AND d.subject = $3 AND d.gives > d.backs
      RETURNING d.id, d.points, d.gives`,
    [undone.task, undone.memberId, undone.subject],
  );
  if (!row) return 0;
  await clawbackPoints(tx, {
    grant: sourceOf(row.id, `give:${row.gives}`),
    source: sourceOf(row.id, `back:${row.gives}`),
    amount: row.points,
    ...(undone.note !== undefined && { note: undone.note }),
    ...(undone.staffId !== undefined && { staffId: undone.staffId }),
  });
  return row.points;
}

/** Gives taken-back points again, at most once per proof; answers with the points given. */
export async function giveTaskAgain(
  tx: Tx,
  settings: SettingsReader,
  done: Omit<TaskDone, 'projectId'>,
): Promise<number> {
  await lockMembers(tx, [done.memberId]);
  const row = await runOne<{ id: number; points: number; project_id: number; task: Task }>(
    tx,
    `SELECT d.id, d.points, d.project_id, jsonb_build_object('id', t.id, 'code', t.code, 'event', t.event, 'points', t.points) AS task
       FROM points_task_done d JOIN points_task t ON t.id = d.task_id
      WHERE t.code = $1 AND d.member_id = $2 AND d.subject = $3 AND d.gives = 1 AND d.backs = 1 FOR UPDATE OF d`,
    [done.task, done.memberId, done.subject],
  );
  if (!row) return 0;
  const { amount } = await give(
    tx,
    settings,
    row.task,
    { ...done, projectId: row.project_id },
    row.id,
    2,
    row.points,
  );
  if (amount === 0) return 0;
  await run(tx, 'UPDATE points_task_done SET points = $2, gives = 2 WHERE id = $1', [row.id, amount]);
  return amount;
}

/** The grant itself, by the caps of the rule of the task's event. */
async function give(
  tx: Tx,
  settings: SettingsReader,
  task: Pick<Task, 'event' | 'code'>,
  done: TaskDone,
  rowId: number,
  no: number,
  amount: number,
) {
  const rule = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM points_rule WHERE state = 'enabled' AND direction = 'earn' AND event = $1 AND dimension = 'person'
        AND (project_ids = '{}' OR $2::bigint = ANY(project_ids))
        AND coalesce(starts_on <= $3::date, true) AND coalesce(ends_on >= $3::date, true) ORDER BY id LIMIT 1`,
    [task.event, done.projectId, businessDayOf(done.bookedAt ?? (await now(tx)))],
  );
  return grantPoints(tx, settings, {
    memberId: done.memberId,
    amount,
    source: sourceOf(rowId, `give:${no}`),
    kind: LINE_KINDS.task,
    activity: true,
    note: task.code,
    ...(rule && { ruleId: rule.id }),
    ...(done.bookedAt && { at: done.bookedAt }),
  });
}

const sourceOf = (id: number, purpose: string) => ({ type: 'points_task', id: String(id), purpose });
