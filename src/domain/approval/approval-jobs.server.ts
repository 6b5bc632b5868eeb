import { run, runOne, transaction, type Tx } from '../../kernel/server/database.ts';
import { SYSTEM } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { Job } from '../../kernel/server/registration.ts';
import { afterBusinessHours } from '../business-calendar/business-hours.server.ts';
import { approvalKind } from './approval-kind.server.ts';
import { moveOn, NO_REQUEST, wakeParent } from './approve.server.ts';
import { leadersAbove } from './approvers.server.ts';
import { lockInstance, subjectOf, takeUp, tell, type Flow } from './flow.server.ts';
import { asks, nodeOf, type TimeLimit } from './process.rules.ts';
import { adminOf, barred, leaderOver, mayDecide, standinsOf, workingAmong } from './seats.server.ts';
import { giveSeat, remindOf } from './task-commands.server.ts';

const BY_SYSTEM = { caller: SYSTEM, facts: NO_REQUEST, opinion: '' } as const;

/** Jobs of the engine: every minute what is due, every hour the seats of staff who are not there any more. */
export const approvalJobs: readonly Job[] = [
  {
    name: 'approval.timeout',
    title: ['审批超时处理', 'Approvals whose time is over'],
    cron: '* * * * *',
    run: (_payload, platform) => runDue(platform, new Date()),
  },
  {
    name: 'approval.seats',
    title: ['审批席位替换', 'Approval seats nobody sits on'],
    cron: '0 * * * *',
    run: (_payload, platform) => replaceSeats(platform, new Date()),
  },
];

/** Reminds, hands on and decides what is due at an instant; each approval on its own, so that one failure stops no other. */
export async function runDue(platform: Platform, at: Date): Promise<void> {
  const due = await run<{ id: number; kind: string }>(
    platform.database.db,
    `SELECT i.id, i.biz_type AS kind FROM approval_instance i WHERE i.state = 'running'
        AND (EXISTS (SELECT FROM approval_task k WHERE k.instance_id = i.id AND k.state = 'pending' AND k.next_at <= $1)
          OR EXISTS (SELECT FROM approval_node_run r WHERE r.instance_id = i.id AND r.round = i.round AND r.state = 'active' AND r.due_at <= $1))
      ORDER BY i.id LIMIT 500`,
    [at],
  );
  const failed: unknown[] = [];
  for (const { id, kind } of due)
    try {
      await transaction(platform.database.db, (tx) => instanceDue(tx, platform, id, at));
      platform.changed(approvalKind(platform, kind).entity);
    } catch (error) {
      failed.push(error);
    }
  if (due.length > 0) platform.changed('approvalTask');
  if (failed.length > 0) throw failed[0];
}

async function instanceDue(tx: Tx, platform: Platform, id: number, at: Date): Promise<void> {
  const instance = await lockInstance(tx, id);
  if (instance?.state !== 'running') return;
  const flow = await takeUp(tx, platform, instance, BY_SYSTEM, at);
  const tasks = await run<DueTask>(
    tx,
    `SELECT id, node, kind, parent_id AS "parentId", assignee_id AS "assigneeId", reminded_count AS reminded FROM approval_task
      WHERE instance_id = $1 AND state = 'pending' AND next_at <= $2 ORDER BY id`,
    [id, at],
  );
  for (const task of tasks) await taskDue(flow, task);
  await moveOn(flow, BY_SYSTEM, approvalKind(platform, instance.kind), false);
}

interface DueTask {
  readonly id: number;
  readonly node: string;
  readonly kind: string;
  readonly parentId: number | null;
  readonly assigneeId: number;
  readonly reminded: number;
}

async function taskDue(flow: Flow, task: DueTask): Promise<void> {
  const node = nodeOf(flow.nodes, task.node);
  const limit = asks(node) ? node.limit : undefined;
  if (!limit) return again(flow, task, null);
  if (limit.action === 'pass') return decide(flow, task, 'approved');
  if (limit.action === 'refuse') return decide(flow, task, 'refused');
  if (limit.action === 'leader') return escalate(flow, task);
  return remind(flow, task, limit);
}

async function remind(flow: Flow, task: DueTask, limit: TimeLimit): Promise<void> {
  if (task.reminded >= (limit.most ?? 1)) return escalate(flow, task);
  await remindOf(flow.tx, flow.instance, [task.assigneeId], ['超时提醒', 'Overdue']);
  await tell(flow, 'remind', ['超时提醒', 'Reminded']);
  await again(flow, task, await afterBusinessHours(flow.tx, flow.at, limit.every ?? limit.hours));
}

/** What the product itself does next with a task, counted as a reminder. */
async function again(flow: Flow, task: DueTask, next: Date | null): Promise<void> {
  await run(
    flow.tx,
    'UPDATE approval_task SET reminded_count = reminded_count + $3, next_at = $2 WHERE id = $1',
    [task.id, next, next ? 1 : 0],
  );
}

async function escalate(flow: Flow, task: DueTask): Promise<void> {
  await again(flow, task, null);
  const to = await leaderOver(flow.tx, flow.platform, subjectOf(flow.instance), task.assigneeId);
  if (to === undefined) return tell(flow, 'escalation', ['超时，无上级可上报', 'Overdue, and nobody above']);
  await giveSeat(flow, task.id, to, 'escalation', '');
}

async function decide(flow: Flow, task: DueTask, state: 'approved' | 'refused'): Promise<void> {
  await run(
    flow.tx,
    `UPDATE approval_task SET state = $2, decided_at = $3, rule = 'timeout', next_at = NULL WHERE id = $1`,
    [task.id, state, flow.at],
  );
  await tell(
    flow,
    'timeout',
    state === 'approved'
      ? ['超时自动通过', 'Passed, its time being over']
      : ['超时自动驳回', 'Refused, its time being over'],
  );
  await wakeParent(flow, task);
}

/**
 * Gives seats of staff who are disabled, gone or out of the project to the stand-in, else the department leader, else the
 * administrator of the process. Source: group 17, seats do not vanish.
 */
export async function replaceSeats(platform: Platform, at: Date): Promise<void> {
  const open = await run<{ id: number; instanceId: number }>(
    platform.database.db,
    `SELECT k.id, k.instance_id AS "instanceId" FROM approval_task k JOIN approval_instance i ON i.id = k.instance_id AND i.state = 'running'
       JOIN staff s ON s.id = k.assignee_id
      WHERE k.state IN ('pending', 'waiting') AND k.kind <> 'copy'
        AND (s.state <> 'normal' OR (i.process_id IS NOT NULL AND i.project_id IS NOT NULL AND NOT s.all_projects
             AND NOT EXISTS (SELECT FROM staff_project p WHERE p.staff_id = s.id AND p.project_id = i.project_id)))
      ORDER BY k.instance_id, k.id LIMIT 1000`,
  );
  for (const { id, instanceId } of open)
    await transaction(platform.database.db, async (tx) => {
      const instance = await lockInstance(tx, instanceId);
      if (instance?.state !== 'running') return;
      const flow = await takeUp(tx, platform, instance, BY_SYSTEM, at);
      const task = await runOne<{ assigneeId: number }>(
        tx,
        `SELECT assignee_id AS "assigneeId" FROM approval_task WHERE id = $1 AND state IN ('pending', 'waiting')`,
        [id],
      );
      if (!task) return;
      const to = await replacementOf(flow, task.assigneeId);
      if (to !== undefined) await giveSeat(flow, id, to, 'replacement', '');
    });
  if (open.length > 0) platform.changed('approvalTask');
}

async function replacementOf(flow: Flow, assigneeId: number): Promise<number | undefined> {
  const { tx, platform, instance } = flow;
  const out = [...barred(instance), assigneeId];
  const standin = (await standinsOf(tx, [assigneeId], instance.kind, flow.at)).get(assigneeId);
  const admin = await adminOf(tx, instance.processId);
  const wanted = [
    ...(standin === undefined ? [] : [standin]),
    ...(await leadersAbove(tx, assigneeId, out)),
    ...(admin === null ? [] : [admin]),
  ].filter((id) => !out.includes(id));
  const working = await workingAmong(tx, wanted, instance.projectId);
  for (const id of wanted)
    if (working.has(id) && (await mayDecide(tx, platform, subjectOf(instance), id))) return id;
  return undefined;
}
