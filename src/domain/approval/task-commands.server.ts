import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { notify } from '../notification/notify.server.ts';
import { approvalKind } from './approval-kind.server.ts';
import {
  approvalRoute,
  ENDED,
  endWithout,
  HANDLED,
  moveOn,
  taskToDecide,
  tellApprovers,
  toldOf,
  type ApprovalBy,
  type DecidedTask,
} from './approve.server.ts';
import {
  lockInstance,
  subjectOf,
  startRound,
  takeUp,
  tell,
  tasksOf,
  type Flow,
  type Instance,
} from './flow.server.ts';
import { allNodes, asks, nodeOf, type AskNode } from './process.rules.ts';
import { barred, mayDecide, namesOf, workingAmong } from './seats.server.ts';

/** One act on a task, by its assignee. */
export interface TaskAct extends ApprovalBy {
  readonly taskId: number;
}

/** Most people added at once. Source: group 17, add-sign. */
export const MOST_ADDED = 5;
const NOT_ALLOWED: Label = ['该节点不允许此操作', 'This node does not allow it'];
/** Told to who would choose the approver of what is their own. */
export const OWN_REASSIGN: Label = [
  '不能改派自己发起或涉及本人的审批',
  'Nobody reassigns an approval they started or that is about them',
];
const NO_RIGHT: Label = [
  '所选人员没有审批权限或不负责该项目',
  'They may not decide about it, or do not work in the project',
];

/**
 * Sends an approval back, with the reason: to the starter, or to a node that was passed in this round. What was open at the
 * node ends, the target's people are asked anew with deadlines of their own. Source: group 17, return.
 */
export async function returnTask(
  tx: Tx,
  platform: Platform,
  act: TaskAct & { readonly to: string; readonly opinion: string },
): Promise<void> {
  requireOpinion(act.opinion);
  const { flow, task, node } = await open(tx, platform, act);
  requireAllowed(node, 'return');
  await mark(flow, task.id, 'returned', act);
  const kind = approvalKind(platform, flow.instance.kind);
  if (act.to !== 'starter') {
    const target = allNodes(flow.nodes).find((one) => one.key === act.to);
    const passed = flow.runs.get(act.to);
    if (!target || !asks(target) || passed?.state !== 'passed')
      throw ruleBroken([
        '只能退回到本轮已通过的审批节点',
        'It goes back only to a node passed in this round',
      ]);
    await startRound(flow, act.to);
    await tell(flow, 'return', [`退回到「${target.name}」`, `Returned to “${target.name}”`], act.opinion);
    await moveOn(flow, { ...act }, kind, false);
    return;
  }
  await startRound(flow, undefined);
  await run(tx, 'UPDATE approval_instance SET awaits_starter = true, returned_from = $2 WHERE id = $1', [
    flow.instance.id,
    node.key,
  ]);
  await tell(flow, 'return', ['退回发起人', 'Returned to the starter'], act.opinion);
  await kind.onReturned?.({
    tx,
    platform,
    bizId: flow.instance.bizId,
    caller: act.caller,
    facts: act.facts,
    opinion: act.opinion,
    insideAction: false,
  });
  await notify(tx, {
    kind: 'approval',
    level: 'important',
    staffIds: [flow.instance.starterId],
    aboutReceiver: true,
    title: [`已退回：${flow.instance.titleZh}`, `Returned: ${flow.instance.titleEn}`],
    body: [act.opinion, act.opinion],
    route: kind.route(flow.instance.bizId),
  });
}

/**
 * Hands a task to somebody else, with the reason; the seat stays the same. Never to the starter, nor to whoever has a seat
 * at that node in this round. Source: group 17, transfer.
 */
export async function transferTask(
  tx: Tx,
  platform: Platform,
  act: TaskAct & { readonly to: number; readonly reason: string },
): Promise<void> {
  requireOpinion(act.reason);
  const { flow, task, node } = await open(tx, platform, act);
  requireAllowed(node, 'transfer');
  await requireReceivers(flow, node.key, [act.to]);
  await mark(flow, task.id, 'transferred', { ...act, opinion: act.reason });
  await run(
    tx,
    `INSERT INTO approval_task (instance_id, node, round, seat, kind, first_assignee_id, assignee_id, via, parent_id, depth, arrived_at, due_at, next_at)
     SELECT instance_id, node, round, seat, kind, first_assignee_id, $2, 'transfer', parent_id, depth, $3, due_at, due_at FROM approval_task WHERE id = $1`,
    [task.id, act.to, flow.at],
  );
  const names = await namesOf(tx, [act.to]);
  await tell(flow, 'transfer', [`转办给 ${names.get(act.to)}`, `Handed to ${names.get(act.to)}`], act.reason);
  await tellApprovers(tx, platform, [act.to], toldOf(flow.instance));
}

/**
 * Asks others too: before the own decision, which then waits for all of them, or after it, when the own agreement counts
 * only once they agree. One to five people, no deeper than two. Source: group 17, add-sign.
 */
export async function addSign(
  tx: Tx,
  platform: Platform,
  act: TaskAct & {
    readonly where: 'before' | 'after';
    readonly staffIds: readonly number[];
    readonly opinion: string;
  },
): Promise<void> {
  const staffIds = [...new Set(act.staffIds)];
  if (staffIds.length < 1 || staffIds.length > MOST_ADDED)
    throw invalid({ staff: [`请选择 1–${MOST_ADDED} 人`, `Choose 1–${MOST_ADDED} people`] });
  const { flow, task, node } = await open(tx, platform, act);
  requireAllowed(node, 'addSign');
  // Asking others afterwards is a decision of its own.
  if (act.where === 'after' && node.opinionRequired && act.opinion.trim() === '')
    throw invalid({ opinion: ['请填写意见', 'An opinion is required'] });
  if (task.depth >= 2) throw ruleBroken(['加签不能超过两层', 'People are added two levels deep at most']);
  await requireReceivers(flow, node.key, staffIds);
  if (act.where === 'after') await mark(flow, task.id, 'approved', act);
  else await run(tx, `UPDATE approval_task SET state = 'waiting', next_at = NULL WHERE id = $1`, [task.id]);
  await run(
    tx,
    `INSERT INTO approval_task (instance_id, node, round, seat, kind, first_assignee_id, assignee_id, parent_id, depth, arrived_at, due_at, next_at)
     SELECT k.instance_id, k.node, k.round, k.seat, $2, a.id, a.id, k.id, k.depth + 1, $4, k.due_at, k.due_at
       FROM approval_task k CROSS JOIN unnest($3::bigint[]) AS a (id) WHERE k.id = $1`,
    [task.id, act.where === 'before' ? 'add_before' : 'add_after', staffIds, flow.at],
  );
  const names = [...(await namesOf(tx, staffIds)).values()].join('、');
  await tell(
    flow,
    'addSign',
    act.where === 'before'
      ? [`前加签 ${names}`, `Added before: ${names}`]
      : [`后加签 ${names}`, `Added after: ${names}`],
    act.opinion,
  );
  await tellApprovers(tx, platform, staffIds, toldOf(flow.instance));
}

/** Takes back somebody who was added and has not answered; only who added may. */
export async function removeSign(tx: Tx, platform: Platform, act: TaskAct): Promise<void> {
  const flow = await openInstance(tx, platform, act);
  const added = await runOne<{
    id: number;
    kind: string;
    state: string;
    parentId: number;
    by: number;
    assigneeId: number;
  }>(
    tx,
    `SELECT k.id, k.kind, k.state, k.parent_id AS "parentId", coalesce(p.decided_by, p.assignee_id) AS by, k.assignee_id AS "assigneeId"
       FROM approval_task k JOIN approval_task p ON p.id = k.parent_id WHERE k.id = $1`,
    [act.taskId],
  );
  if (!added || added.by !== act.caller.staffId) throw notFound();
  if (added.state !== 'pending') throw ruleBroken(HANDLED);
  await run(
    tx,
    `UPDATE approval_task SET state = 'cancelled', decided_at = $2, rule = 'removed', next_at = NULL WHERE id = $1 OR (parent_id = $1 AND state IN ('pending', 'waiting'))`,
    [added.id, flow.at],
  );
  const names = await namesOf(tx, [added.assigneeId]);
  await tell(flow, 'removeSign', [
    `减签 ${names.get(added.assigneeId)}`,
    `Taken back: ${names.get(added.assigneeId)}`,
  ]);
  await run(
    tx,
    `UPDATE approval_task p SET state = 'pending', next_at = p.due_at WHERE p.id = $1 AND p.state = 'waiting'
        AND NOT EXISTS (SELECT FROM approval_task k WHERE k.parent_id = p.id AND k.kind = 'add_before' AND k.state IN ('pending', 'waiting'))`,
    [added.parentId],
  );
  await moveOn(flow, { ...act, opinion: '' }, approvalKind(platform, flow.instance.kind), false);
}

/**
 * Takes the own decision back while the approval runs, within `approval.undo_minutes`, and as long as nobody decided at a
 * later node. Source: group 17, take back.
 */
export async function undoDecision(tx: Tx, platform: Platform, act: TaskAct): Promise<void> {
  const flow = await openInstance(tx, platform, act);
  const { instance } = flow;
  const task = await runOne<{
    id: number;
    node: string;
    round: number;
    state: string;
    decidedAt: Date;
    parentId: number | null;
    kind: string;
    dueAt: Date | null;
  }>(
    tx,
    `SELECT id, node, round, state, decided_at AS "decidedAt", parent_id AS "parentId", kind, due_at AS "dueAt" FROM approval_task
      WHERE id = $1 AND decided_by = $2 AND state IN ('approved', 'refused')`,
    [act.taskId, act.caller.staffId],
  );
  if (!task || task.round !== instance.round) throw ruleBroken(NOT_TAKEN_BACK);
  const minutes = await platform.settings.number('approval.undo_minutes', {
    tenantId: instance.tenantId,
    ...(instance.projectId === null ? {} : { projectId: instance.projectId }),
  });
  if (flow.at.getTime() - task.decidedAt.getTime() > minutes * 60_000)
    throw ruleBroken([`已超过 ${minutes} 分钟，不能撤销`, `It is more than ${minutes} minutes ago`]);
  const current = flow.runs.get(task.node);
  const later = [...flow.runs.values()].filter((one) => current && one.step > current.step);
  const blocked = await runOne(
    tx,
    `SELECT 1 FROM approval_task WHERE instance_id = $1 AND round = $2 AND decided_by IS NOT NULL AND state NOT IN ('cancelled')
        AND (node = ANY($3) OR parent_id = $4) AND id <> $4 LIMIT 1`,
    [instance.id, instance.round, later.map((one) => one.node), task.id],
  );
  if (blocked || !current) throw ruleBroken(NOT_TAKEN_BACK);
  // What followed from it never was: later nodes are entered again, those who were spared are asked again.
  await run(
    tx,
    `UPDATE approval_task SET state = 'cancelled', decided_at = $4, rule = 'undone', next_at = NULL
      WHERE instance_id = $1 AND round = $2 AND (node = ANY($3) OR parent_id = $5) AND state IN ('pending', 'waiting', 'approved') AND kind <> 'copy'`,
    [instance.id, instance.round, later.map((one) => one.node), flow.at, task.id],
  );
  await run(tx, 'DELETE FROM approval_node_run WHERE instance_id = $1 AND round = $2 AND node = ANY($3)', [
    instance.id,
    instance.round,
    later.map((one) => one.node),
  ]);
  await run(
    tx,
    `UPDATE approval_node_run SET state = 'active', ended_at = NULL WHERE instance_id = $1 AND round = $2 AND step <= $3
        AND (node = $4 OR (state <> 'active' AND cardinality(branches) > 0 AND NOT carried AND ended_at >= $5))`,
    [instance.id, instance.round, current.step, task.node, task.decidedAt],
  );
  await run(
    tx,
    `UPDATE approval_task SET state = 'pending', decided_at = NULL, decided_by = NULL, opinion = '', rule = '', next_at = due_at
      WHERE id = $1 OR (instance_id = $2 AND round = $3 AND node = $4 AND state = 'cancelled' AND rule = 'decided' AND decided_at >= $5)`,
    [task.id, instance.id, instance.round, task.node, task.decidedAt],
  );
  if (task.kind === 'add_before')
    await run(
      tx,
      `UPDATE approval_task SET state = 'waiting', next_at = NULL WHERE id = $1 AND state = 'pending'`,
      [task.parentId],
    );
  await tell(flow, 'undo', ['撤销处理', 'Decision taken back']);
  const again = await takeUp(tx, platform, (await lockInstance(tx, instance.id))!, act, flow.at);
  await moveOn(again, { ...act, opinion: '' }, approvalKind(platform, instance.kind), false);
}

const NOT_TAKEN_BACK: Label = [
  '后续已有处理或审批已结束，不能撤销',
  'Others have decided since, or it has ended: it cannot be taken back',
];

/** Asks for a decision once more; the starter, once a task in `approval.urge_hours`. */
export async function urgeTask(tx: Tx, platform: Platform, act: TaskAct): Promise<void> {
  const flow = await openInstance(tx, platform, act);
  const { instance } = flow;
  if (instance.starterId !== act.caller.staffId) throw notFound();
  const hours = await platform.settings.number('approval.urge_hours', {
    tenantId: instance.tenantId,
    ...(instance.projectId === null ? {} : { projectId: instance.projectId }),
  });
  const row = await runOne<{ assigneeId: number; state: string; urgedAt: Date | null }>(
    tx,
    'SELECT assignee_id AS "assigneeId", state, urged_at AS "urgedAt" FROM approval_task WHERE id = $1',
    [act.taskId],
  );
  if (row?.state !== 'pending') throw ruleBroken(HANDLED);
  if (row.urgedAt && flow.at.getTime() - row.urgedAt.getTime() < hours * 3_600_000)
    throw ruleBroken([`${hours} 小时内只能催办一次`, `Once in ${hours} hours only`]);
  await run(tx, 'UPDATE approval_task SET urged_at = $2 WHERE id = $1', [act.taskId, flow.at]);
  await remindOf(tx, flow.instance, [row.assigneeId], ['催办', 'Urged']);
  await tell(flow, 'urge', ['催办', 'Urged']);
}

/** Reminds staff of what waits for them; what it is about is told where they open it. */
export async function remindOf(
  tx: Executor,
  instance: Pick<Instance, 'id' | 'code'>,
  staffIds: readonly number[],
  word: Label,
): Promise<void> {
  await notify(tx, {
    kind: 'approval',
    level: 'important',
    staffIds,
    aboutReceiver: true,
    title: [`${word[0]}：审批 ${instance.code}`, `${word[1]}: approval ${instance.code}`],
    route: approvalRoute(instance.id),
  });
}

/** Ends an approval for good, with the reason: by the administrator of its process. The object goes back as by withdrawing. */
export async function cancelInstance(
  tx: Tx,
  platform: Platform,
  act: ApprovalBy & { readonly instanceId: number; readonly reason: string },
): Promise<void> {
  requireOpinion(act.reason);
  const instance = await lockInstance(tx, act.instanceId);
  if (!instance) throw notFound();
  if (instance.state !== 'running') throw ruleBroken(ENDED);
  await endWithout(tx, platform, instance, { ...act, opinion: act.reason }, 'cancelled');
}

/** Gives an open task to somebody else, by the administrator of the process; the seat stays. */
export async function reassignTask(
  tx: Tx,
  platform: Platform,
  act: TaskAct & { readonly to: number; readonly reason: string },
): Promise<void> {
  requireOpinion(act.reason);
  const flow = await openInstance(tx, platform, act);
  // Whoever chose who decides about the own would decide about it.
  if (barred(flow.instance).includes(act.caller.staffId)) throw ruleBroken(OWN_REASSIGN);
  const task = await runOne<{ node: string; state: string }>(
    tx,
    'SELECT node, state FROM approval_task WHERE id = $1 AND round = $2',
    [act.taskId, flow.instance.round],
  );
  if (!task || (task.state !== 'pending' && task.state !== 'waiting')) throw ruleBroken(HANDLED);
  await requireReceivers(flow, task.node, [act.to]);
  await giveSeat(flow, act.taskId, act.to, 'replacement', act.reason);
}

/** Lets somebody else sit on a seat and tells them; the history names both. */
export async function giveSeat(
  flow: Flow,
  taskId: number,
  to: number,
  via: 'standin' | 'escalation' | 'replacement',
  remark: string,
): Promise<void> {
  const row = await runOne<{ from: number }>(
    flow.tx,
    `WITH old AS (SELECT assignee_id FROM approval_task WHERE id = $1)
     UPDATE approval_task k SET assignee_id = $2, via = $3 FROM old WHERE k.id = $1 RETURNING old.assignee_id AS "from"`,
    [taskId, to, via],
  );
  const names = await namesOf(flow.tx, [row!.from, to]);
  const words = VIA_WORDS[via];
  await tell(
    flow,
    via,
    [
      `${words[0]}：${names.get(row!.from)} → ${names.get(to)}`,
      `${words[1]}: ${names.get(row!.from)} → ${names.get(to)}`,
    ],
    remark,
  );
  await tellApprovers(flow.tx, flow.platform, [to], toldOf(flow.instance));
}

const VIA_WORDS = {
  standin: ['代理', 'Stand-in'],
  escalation: ['超时上报', 'Escalated'],
  replacement: ['改派', 'Reassigned'],
} as const satisfies Readonly<Record<string, Label>>;

/** The node of an open task must allow it. */
function requireAllowed(node: AskNode, what: 'transfer' | 'addSign' | 'return'): void {
  if (!node.allowed.includes(what)) throw ruleBroken(NOT_ALLOWED);
}

/** A reason of two characters at least. Source: group 17, pr_approvalProcess. */
export function requireOpinion(opinion: string): void {
  if (Array.from(opinion.trim()).length < 2)
    throw invalid({ opinion: ['请填写原因，至少2个字', 'Say why, at least 2 characters'] });
}

async function requireReceivers(flow: Flow, node: string, staffIds: readonly number[]): Promise<void> {
  const out = barred(flow.instance);
  if (staffIds.some((id) => out.includes(id)))
    throw ruleBroken(['不能转给发起人或当事人', 'Never to the starter or whom it is about']);
  const tasks = await tasksOf(flow, node);
  if (tasks.some((task) => staffIds.includes(task.assigneeId)))
    throw ruleBroken(['该人员在本节点已有席位', 'They have a seat at this node already']);
  const working = await workingAmong(flow.tx, staffIds, flow.instance.projectId);
  for (const id of staffIds)
    if (!working.has(id) || !(await mayDecide(flow.tx, flow.platform, subjectOf(flow.instance), id)))
      throw ruleBroken(NO_RIGHT);
}

async function open(
  tx: Tx,
  platform: Platform,
  act: TaskAct,
): Promise<{ readonly flow: Flow; readonly task: DecidedTask; readonly node: AskNode }> {
  const about = await runOne<{ kind: string; bizId: number }>(
    tx,
    `SELECT i.biz_type AS kind, i.biz_id AS "bizId" FROM approval_task k JOIN approval_instance i ON i.id = k.instance_id WHERE k.id = $1 AND k.assignee_id = $2`,
    [act.taskId, act.caller.staffId],
  );
  // Someone else's task and none at all are not told apart.
  if (!about) throw notFound();
  const { instance, task } = await taskToDecide(tx, platform, {
    ...about,
    caller: act.caller,
    taskId: act.taskId,
  });
  const flow = await takeUp(tx, platform, instance, act);
  return { flow, task, node: nodeOf(flow.nodes, task.node) as AskNode };
}

async function openInstance(tx: Tx, platform: Platform, act: TaskAct): Promise<Flow> {
  const row = await runOne<{ id: number }>(tx, 'SELECT instance_id AS id FROM approval_task WHERE id = $1', [
    act.taskId,
  ]);
  if (!row) throw notFound();
  const instance = (await lockInstance(tx, row.id))!;
  if (instance.state !== 'running') throw ruleBroken(ENDED);
  return takeUp(tx, platform, instance, act);
}

async function mark(
  flow: Flow,
  taskId: number,
  state: 'approved' | 'returned' | 'transferred',
  act: ApprovalBy & { readonly opinion: string },
): Promise<void> {
  await run(
    flow.tx,
    `UPDATE approval_task SET state = $2, decided_by = $3, decided_at = $4, opinion = $5, next_at = NULL WHERE id = $1`,
    [taskId, state, act.caller.staffId, flow.at, act.opinion],
  );
}

/** Runs one act in a transaction of its own and tells open pages of the object. */
export async function actOn<T>(platform: Platform, kind: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  const result = await transaction(platform.database.db, work);
  platform.changed(approvalKind(platform, kind).entity);
  platform.changed('approvalTask');
  platform.changed('approvalInstance');
  return result;
}
