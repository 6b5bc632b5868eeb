import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { approvalKind } from '../../../domain/approval/approval-kind.server.ts';
import { decidableAmong } from '../../../domain/approval/approve.server.ts';
import { nodesOf, type Instance } from '../../../domain/approval/flow.server.ts';
import { allNodes, asks, nodeOf } from '../../../domain/approval/process.rules.ts';
import { barred } from '../../../domain/approval/seats.server.ts';

/** What the caller may do with an approval at this moment; what is missing is not offered. */
export interface Acts {
  readonly decide?: {
    readonly taskId: string;
    /** A handle node reports and cannot refuse. */
    readonly refuse: boolean;
    readonly opinionRequired: boolean;
    readonly transfer: boolean;
    readonly addSign: boolean;
    /** Nodes it may go back to; `starter` is always the last. */
    readonly returnTo: readonly { readonly key: string; readonly name: string }[];
  };
  readonly removeSign: readonly { readonly taskId: string; readonly name: string }[];
  readonly undo?: { readonly taskId: string; readonly until: string };
  readonly urge: readonly { readonly taskId: string; readonly name: string }[];
  readonly withdraw: boolean;
  readonly resubmit: boolean;
}

interface OwnTask {
  readonly id: number;
  readonly node: string;
  readonly kind: string;
  readonly depth: number;
  readonly state: string;
  readonly assignee: number;
  readonly name: string;
  readonly decidedBy: number | null;
  readonly decidedAt: Date | null;
  readonly urgedAt: Date | null;
  readonly addedBy: number | null;
  readonly parent: number | null;
}

/** The same rules the commands refuse by, looked at beforehand. */
export async function allowedActs(
  db: Executor,
  platform: Platform,
  caller: Caller,
  instance: Instance,
  now: Date,
  at: 0 | 1,
): Promise<Acts> {
  const nothing: Acts = { removeSign: [], urge: [], withdraw: false, resubmit: false };
  if (instance.state !== 'running') return nothing;
  const tasks = await run<OwnTask>(
    db,
    `SELECT k.id, k.node, k.kind, k.depth, k.state, k.assignee_id AS assignee, s.name, k.decided_by AS "decidedBy", k.decided_at AS "decidedAt", k.urged_at AS "urgedAt",
            coalesce(p.decided_by, p.assignee_id) AS "addedBy", k.parent_id AS parent
       FROM approval_task k JOIN staff s ON s.id = k.assignee_id LEFT JOIN approval_task p ON p.id = k.parent_id
      WHERE k.instance_id = $1 AND k.round = $2 AND k.kind <> 'copy' ORDER BY k.id`,
    [instance.id, instance.round],
  );
  const scope = {
    tenantId: instance.tenantId,
    ...(instance.projectId === null ? {} : { projectId: instance.projectId }),
  };
  const me = caller.staffId;
  const starts = instance.starterId === me;
  const pending = tasks.filter((task) => task.state === 'pending');
  const hours = await platform.settings.number('approval.urge_hours', scope);
  const undo = await undoable(db, platform, instance, tasks, caller, now, scope);
  const decide = await decidable(db, platform, caller, instance, pending, at);
  return {
    ...(decide ? { decide } : {}),
    ...(undo ? { undo } : {}),
    removeSign: pending
      .filter((task) => task.addedBy === me)
      .map((task) => ({ taskId: String(task.id), name: task.name })),
    urge: starts
      ? pending
          .filter((task) => !task.urgedAt || now.getTime() - task.urgedAt.getTime() >= hours * 3_600_000)
          .map((task) => ({ taskId: String(task.id), name: task.name }))
      : [],
    withdraw: starts && (await withdrawable(db, instance)),
    resubmit: starts && instance.awaitsStarter && !approvalKind(platform, instance.kind).onReturned,
  };
}

async function decidable(
  db: Executor,
  platform: Platform,
  caller: Caller,
  instance: Instance,
  pending: readonly OwnTask[],
  at: 0 | 1,
): Promise<Acts['decide']> {
  const task = pending.find((one) => one.assignee === caller.staffId);
  if (!task) return undefined;
  const nodes = await nodesOf(db, instance.processId);
  const node = nodeOf(nodes, task.node);
  if (!asks(node)) return undefined;
  const own = barred(instance).includes(caller.staffId);
  if (own && !(node.starterRule === 'self' && instance.processId !== null && instance.subjectId === null))
    return undefined;
  if (!own && (await decidableAmong(db, platform, caller, [instance])).size === 0) return undefined;
  const passed = await run<{ node: string }>(
    db,
    `SELECT node FROM approval_node_run WHERE instance_id = $1 AND round = $2 AND state = 'passed' ORDER BY step`,
    [instance.id, instance.round],
  );
  const known = new Map(allNodes(nodes).map((one) => [one.key, one]));
  return {
    taskId: String(task.id),
    refuse: !(node.type === 'handle' && task.kind === 'handle'),
    opinionRequired: node.opinionRequired,
    transfer: node.allowed.includes('transfer'),
    addSign: node.allowed.includes('addSign') && task.depth < 2,
    returnTo: node.allowed.includes('return')
      ? [
          ...passed.flatMap((row) => {
            const one = known.get(row.node);
            return one && asks(one) ? [{ key: one.key, name: one.name }] : [];
          }),
          { key: 'starter', name: at === 0 ? '发起人' : 'The starter' },
        ]
      : [],
  };
}

async function undoable(
  db: Executor,
  platform: Platform,
  instance: Instance,
  tasks: readonly OwnTask[],
  caller: Caller,
  now: Date,
  scope: { readonly tenantId: number; readonly projectId?: number },
): Promise<Acts['undo']> {
  const task = tasks.findLast(
    (one) => one.decidedBy === caller.staffId && (one.state === 'approved' || one.state === 'refused'),
  );
  if (!task?.decidedAt) return undefined;
  const minutes = await platform.settings.number('approval.undo_minutes', scope);
  const until = new Date(task.decidedAt.getTime() + minutes * 60_000);
  if (until < now) return undefined;
  const later = await runOne(
    db,
    `SELECT 1 FROM approval_task k WHERE k.instance_id = $1 AND k.round = $2 AND k.decided_by IS NOT NULL AND k.state <> 'cancelled' AND k.id <> $4
        AND (k.parent_id = $4 OR k.node IN (SELECT l.node FROM approval_node_run l JOIN approval_node_run o ON o.instance_id = l.instance_id AND o.round = l.round
               WHERE l.instance_id = $1 AND l.round = $2 AND o.node = $3 AND l.step > o.step)) LIMIT 1`,
    [instance.id, instance.round, task.node, task.id],
  );
  return later ? undefined : { taskId: String(task.id), until: until.toISOString() };
}

async function withdrawable(db: Executor, instance: Instance): Promise<boolean> {
  if (instance.processId === null || instance.awaitsStarter) return true;
  const row = await runOne<{ policy: string; decided: boolean }>(
    db,
    `SELECT withdraw_policy AS policy, EXISTS (SELECT FROM approval_task k WHERE k.instance_id = $2 AND k.decided_by IS NOT NULL) AS decided FROM approval_process WHERE id = $1`,
    [instance.processId, instance.id],
  );
  return row!.policy === 'before_end' || (row!.policy === 'before_first_decision' && !row!.decided);
}
